package poller

import (
	"hash/maphash"
	"time"

	"housecount/apiclient/record"
)

// wholeReads is what is known of the whole reads of a stream in this tenure.
type wholeReads struct {
	// seen are the ids of the whole read under way, nil without.
	seen *seenIDs
	// clean says that the last whole read came to its end and left nothing open, so that a
	// list that is as it was then needs no other.
	clean bool
	// notBefore keeps one that failed from being tried again at once; it is of no clock that
	// can be set.
	notBefore time.Time
}

// seenIDs is which records came in a whole read.
type seenIDs struct {
	seed   maphash.Seed
	hashes map[uint64]struct{} // the ids of a large house take too much room
	// nameless says that a row was refused that does not tell which record it was.
	unnamed bool
}

func newSeenIDs() *seenIDs {
	return &seenIDs{seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}}
}

func (s *seenIDs) hash(kind record.Kind, id string) uint64 {
	return maphash.Comparable(s.seed, refusedKey{kind: kind, id: id})
}

// add notes that a record came; nil notes nothing.
func (s *seenIDs) add(kind record.Kind, id string) {
	if s != nil {
		s.hashes[s.hash(kind, id)] = struct{}{}
	}
}

// refuse notes that a record came that cannot be read; nil notes nothing.
func (s *seenIDs) refuse(e *record.Refusal) {
	if s != nil {
		s.unnamed = s.unnamed || e.Kind == "" || e.ID == ""
		s.add(e.Kind, e.ID)
	}
}

func (s *seenIDs) missing(r record.Record) bool {
	_, came := s.hashes[s.hash(r.RecordKind(), r.RecordID())]
	return !came
}
