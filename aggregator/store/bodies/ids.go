package bodies

import (
	"hash/maphash"
	"time"
)

// IDs remembers which ids came: a few as they are, more in 2 MB however many they are. It never takes one that came for new, and one in
// a hundred of the new ones for one that came as long as there are a million and a half. It belongs to one goroutine.
type IDs struct {
	seed   maphash.Seed
	few    map[string]bool // all of them; nil once they are in the blocks
	blocks [][8]uint64     // each id has a few bits in one of them
	used   time.Time       // when many came at once the last time
}

const (
	idBlocks  = 1 << 15
	bitsOfID  = 4
	fewIDs    = 1000
	manyIDs   = 100
	idsUnused = 10 * time.Minute
)

// NewIDs returns no ids.
func NewIDs() *IDs { return &IDs{seed: maphash.MakeSeed(), few: map[string]bool{}} }

// Add adds an id, and reports whether it may have come before.
func (s *IDs) Add(id string) (before bool) {
	if s.few == nil {
		return s.mark(id)
	}
	if before = s.few[id]; !before && len(s.few) == fewIDs { // a list that is worth the room
		s.blocks = make([][8]uint64, idBlocks)
		for one := range s.few {
			s.mark(one)
		}
		s.few = nil
		return s.mark(id)
	}
	s.few[id] = true
	return before
}

// mark is Add in the blocks.
func (s *IDs) mark(id string) (before bool) {
	h := maphash.String(s.seed, id)
	block := &s.blocks[h%idBlocks]
	h /= idBlocks
	before = true
	for range bitsOfID {
		word, bit := &block[h%512/64], uint64(1)<<(h%64)
		before = before && *word&bit != 0
		*word |= bit
		h /= 512
	}
	return before
}

// Came notes that n ids came at once.
func (s *IDs) Came(n int, now time.Time) {
	if n >= manyIDs || s.used.IsZero() {
		s.used = now
	}
}

// Idle reports whether it is long ago that many ids came at once, as they do while a list is read for the first time.
func (s *IDs) Idle(now time.Time) bool { return now.Sub(s.used) > idsUnused }
