package ledger

import "slices"

// entry returns the value under k, and creates it if there is none.
func entry[K comparable, V any](m map[K]*V, k K) *V {
	v, ok := m[k]
	if !ok {
		v = new(V)
		m[k] = v
	}
	return v
}

// without returns list without its first v.
func without[T comparable](list []T, v T) []T {
	if i := slices.Index(list, v); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// prune removes one v from the list under id.
func prune[T comparable](m map[string][]T, id string, v T) {
	if m[id] = without(m[id], v); len(m[id]) == 0 {
		delete(m, id)
	}
}
