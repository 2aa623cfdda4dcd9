package apiclient

import (
	"hash/maphash"
	"time"

	"housecount/apiclient/record"
)

// maxSeen is how many rows a generation of SeenRows remembers; there are two.
const maxSeen = 50_000

// SeenRows recognises the rows of a stream by their bytes, so that one which comes again is not
// decoded, mapped and compared again: with a poll a second, and changes read again for two
// minutes, that is 120 times. It is the caller's, one for each stream, given to each read as
// Query.Seen; one read at a time may have it. What a row becomes also depends on the rows of
// other streams that its program sees; a row is known only together with those.
//
// A row is remembered once its records were yielded by a read of changes, and known once Commit
// says that they are stored. A row of which a record was refused or left out is not.
// Of each record only the last row is known: one that is again as it was before that is new.
type SeenRows struct {
	seeds    [2]maphash.Seed
	known    map[rowHash]*seenRow
	previous map[rowHash]*seenRow   // the generation before
	byRecord map[recordKey]*seenRow // by what it gave
	pending  []*seenRow             // remembered, and not yet known
}

// rowHash stands for the bytes of a row and for what its program sees beside it. Two rows in
// one are less likely than a fault of the memory.
type rowHash [2]uint64

// seenRow is what a row gave.
type seenRow struct {
	hash    rowHash
	id      string // of the row
	records []recordKey
	// updated is the time of the last change, zero when it does not tell.
	updated time.Time
}

type recordKey struct {
	kind record.Kind
	id   string
}

// NewSeenRows returns one that knows no row.
func NewSeenRows() *SeenRows {
	return &SeenRows{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, known: map[rowHash]*seenRow{}, byRecord: map[recordKey]*seenRow{}}
}

// Commit says that what was yielded so far is stored.
func (s *SeenRows) Commit() {
	for _, row := range s.pending {
		if len(s.known) >= maxSeen {
			for _, old := range s.previous {
				s.drop(old)
			}
			s.previous, s.known = s.known, map[rowHash]*seenRow{}
		}
		for _, key := range row.records {
			if old := s.byRecord[key]; old != nil && old.hash != row.hash {
				s.drop(old)
			}
		}
		for _, key := range row.records {
			s.byRecord[key] = row
		}
		s.known[row.hash] = row
	}
	s.pending = nil
}

// drop forgets a row.
func (s *SeenRows) drop(row *seenRow) {
	delete(s.known, row.hash)
	delete(s.previous, row.hash)
	for _, key := range row.records {
		if s.byRecord[key] == row {
			delete(s.byRecord, key)
		}
	}
}

// Forget forgets the row of a record: it is new when it comes again, even if it is as it was.
func (s *SeenRows) Forget(kind record.Kind, id string) {
	if row := s.byRecord[recordKey{kind, id}]; row != nil {
		s.drop(row)
	}
}

// Clear forgets all rows: what they gave is no longer what the caller has.
func (s *SeenRows) Clear() {
	s.known, s.previous, s.byRecord, s.pending = map[rowHash]*seenRow{}, nil, map[recordKey]*seenRow{}, nil
}

// Len is the number of rows that are known.
func (s *SeenRows) Len() int { return len(s.known) + len(s.previous) }

// hash stands for a row; beside is what its program sees beside it.
func (s *SeenRows) hash(raw []byte, parentHash uint64) (h rowHash) {
	for i, seed := range s.seeds {
		var sum maphash.Hash
		sum.SetSeed(seed)
		maphash.WriteComparable(&sum, parentHash)
		sum.Write(raw)
		h[i] = sum.Sum64()
	}
	return h
}

// find is the row of a hash, nil where it is not known. One of the generation before lives on.
func (s *SeenRows) lookUp(h rowHash) *seenRow {
	if row := s.known[h]; row != nil {
		return row
	}
	row := s.previous[h]
	if row != nil {
		delete(s.previous, h)
		s.known[h] = row
	}
	return row
}

// remember has the next Commit know a row that gave these records.
func (s *SeenRows) remember(h rowHash, id string, results []record.Result) {
	updated, _ := changed(results)
	row := &seenRow{hash: h, id: id, updated: updated, records: make([]recordKey, 0, len(results))}
	for _, m := range results {
		if m.Record == nil {
			return
		}
		row.records = append(row.records, recordKey{m.Record.RecordKind(), m.Record.RecordID()})
	}
	s.pending = append(s.pending, row)
}

// changed is the time of the last change of what a row became, zero when one of its records
// does not tell; ok is false when there is no record.
func changed(row []record.Result) (at time.Time, ok bool) {
	for _, m := range row {
		if m.Record == nil {
			continue
		}
		updated := m.Record.RecordUpdated()
		if updated.IsZero() {
			return time.Time{}, true
		}
		if ok = true; updated.After(at) {
			at = updated
		}
	}
	return at, ok
}
