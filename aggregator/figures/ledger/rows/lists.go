package rows

// List is the number of a list in Lists; 0 is the empty list.
type List uint32

// Lists holds many short lists next to one another, where a slice each would be an object for the garbage collector. A list
// that gets longer or shorter may get another number. Elements have no pointers. The zero value is empty.
type Lists[T any] struct {
	blocks []block[T]
	spare  map[int][]List // lists without elements, by their room
}

// block is a part of the memory of lists that all have the same room.
type block[T any] struct {
	room     int
	elements []T
	lengths  []int32 // of each list; nil if all are full
}

const (
	perBlock = 64  // the most lists of a block
	together = 256 // the most elements of a block with several lists
	exact    = 4   // up to this length a list has no spare room
)

// roomFor returns the room of a list of this length, which is not 0.
func roomFor(length int) int {
	room := exact
	if length <= exact {
		return length
	}
	for room < length {
		room *= 2
	}
	return room
}

// Get returns the elements of a list, for reading and changing until Set is called for that list.
func (s *Lists[T]) Get(of List) []T {
	if of == 0 {
		return nil
	}
	b, i := s.find(of)
	length := b.room
	if b.lengths != nil {
		length = int(b.lengths[i])
	}
	return b.elements[i*b.room:][:length:length]
}

// Set replaces the elements of a list by a copy of others, which may be some of its own, and returns its number from then on.
func (s *Lists[T]) Set(of List, elements []T) List {
	of = s.resize(of, len(elements))
	copy(s.Get(of), elements)
	return of
}

// Add adds an element to a list, and returns its number from then on.
func (s *Lists[T]) Add(of List, element T) List {
	length := len(s.Get(of))
	of = s.resize(of, length+1)
	s.Get(of)[length] = element
	return of
}

// resize makes a list longer or shorter, and returns its number from then on.
func (s *Lists[T]) resize(of List, length int) List {
	held, room := s.Get(of), 0
	if of != 0 {
		b, i := s.find(of)
		if room = b.room; length > 0 && roomFor(length) == room {
			if b.lengths != nil {
				b.lengths[i] = int32(length)
			}
			return of
		}
	}
	var next List
	if length > 0 {
		next = s.take(length)
		copy(s.Get(next), held)
	}
	if of != 0 {
		s.spare[room] = append(s.spare[room], of)
	}
	return next
}

// take returns a list of this length, which is not 0, with any elements.
func (s *Lists[T]) take(length int) List {
	room := roomFor(length)
	if len(s.spare[room]) == 0 {
		s.grow(room)
	}
	last := len(s.spare[room]) - 1
	of := s.spare[room][last]
	s.spare[room] = s.spare[room][:last]
	if b, i := s.find(of); b.lengths != nil {
		b.lengths[i] = int32(length)
	}
	return of
}

// grow makes lists of this room.
func (s *Lists[T]) grow(room int) {
	if s.spare == nil {
		s.spare = map[int][]List{}
	}
	lists := max(1, min(perBlock, together/room))
	b := block[T]{room: room, elements: make([]T, lists*room)}
	if room > exact {
		b.lengths = make([]int32, lists)
	}
	first := List(len(s.blocks)*perBlock + 1)
	s.blocks = append(s.blocks, b)
	for i := lists - 1; i >= 0; i-- {
		s.spare[room] = append(s.spare[room], first+List(i))
	}
}

// find returns where a list is.
func (s *Lists[T]) find(of List) (b *block[T], i int) {
	return &s.blocks[(of-1)/perBlock], int((of - 1) % perBlock)
}
