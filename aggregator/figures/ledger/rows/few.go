package rows

import "slices"

// Few is a list that rarely has more than one element, which then takes no memory of its own. No element is the zero value.
type Few[T comparable] struct {
	one  [1]T
	more *[]T // of a list that ever had more than one
}

// All returns the elements, valid until the list changes.
func (f *Few[T]) All() []T {
	if f.more != nil {
		return *f.more
	}
	if f.one == [1]T{} {
		return nil
	}
	return f.one[:]
}

// Set replaces the elements by those of a list, which is the list's own from then on. It may be what All returned, after
// elements in it were changed, added or deleted.
func (f *Few[T]) Set(list []T) {
	switch {
	case f.more != nil:
		*f.more = list
	case len(list) > 1:
		f.one, f.more = [1]T{}, &list
	case len(list) == 1:
		f.one[0] = list[0]
	default:
		f.one[0] = *new(T)
	}
}

// Add adds an element.
func (f *Few[T]) Add(v T) { f.Set(append(f.All(), v)) }

// Remove removes the first element that is v.
func (f *Few[T]) Remove(v T) {
	all := f.All()
	if i := slices.Index(all, v); i >= 0 {
		f.Set(slices.Delete(all, i, i+1))
	}
}
