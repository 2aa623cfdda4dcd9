package poller

import (
	"hash/maphash"
	"maps"
	"time"

	"housecount/apiclient/record"
)

// wholeReads is the state of a stream's whole reads in this tenure.
type wholeReads struct {
	// seen holds the ids of the current whole read, nil if there is none.
	seen *seenIDs
	// listed holds the ids of the last complete read of changes of a list that is read whole for them (see
	// apiclient.Stream.ReadsWhole); nil if it is not known.
	listed *seenIDs
	// clean reports that the last whole read completed and left nothing open. If the list is
	// unchanged since then, it need not be read again.
	clean bool
	// unweighed reports that a read of changes came whole and it is not known yet what of the list is gone: what failed was
	// the second read that makes sure, or the log.
	unweighed bool
	// weighed is when a sound whole read was last compared with the log. It is monotonic time.
	weighed time.Time
	// confirmed is Batch.Confirmed during a whole read: what was listed as refused before it began; nil otherwise.
	confirmed func(kind record.Kind, id string) bool
	// came holds the ids of the last sound whole read of a stream with partners, and of what came since; wholeAt is when that
	// read began, in monotonic time. Guarded by tenure.mu, as partners read them.
	came    *seenIDs
	wholeAt time.Time
	// notBefore delays another attempt after a failed one. It is monotonic time.
	notBefore time.Time
}

// seenIDs records which records came in a whole read.
type seenIDs struct {
	hashes map[uint64]struct{} // hashes instead of ids, to save memory in a large house
	// unnamed reports that a row without a usable id was refused.
	unnamed bool
}

func newSeenIDs() *seenIDs { return &seenIDs{hashes: map[uint64]struct{}{}} }

var idSeed = maphash.MakeSeed()

func (s *seenIDs) hash(kind record.Kind, id string) uint64 {
	return maphash.Comparable(idSeed, refusedKey{kind: kind, id: id})
}

// add adds a record; it does nothing on a nil receiver.
func (s *seenIDs) add(kind record.Kind, id string) {
	if s != nil {
		s.hashes[s.hash(kind, id)] = struct{}{}
	}
}

// refuse adds a record that was refused; it does nothing on a nil receiver.
func (s *seenIDs) refuse(e *record.Refusal) {
	if s != nil {
		s.unnamed = s.unnamed || e.Kind == "" || e.ID == ""
		s.add(e.Kind, e.ID)
	}
}

func (s *seenIDs) clone() *seenIDs {
	return &seenIDs{hashes: maps.Clone(s.hashes), unnamed: s.unnamed}
}

// hasAllOf reports whether everything that came in an earlier read came again.
func (s *seenIDs) hasAllOf(earlier *seenIDs) bool {
	for h := range earlier.hashes {
		if _, came := s.hashes[h]; !came {
			return false
		}
	}
	return true
}

// missing reports whether r is missing from what came. It is not on a nil receiver.
func (s *seenIDs) missing(r record.Record) bool {
	if s == nil {
		return false
	}
	_, came := s.hashes[s.hash(r.RecordKind(), r.RecordID())]
	return !came
}
