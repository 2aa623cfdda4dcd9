package apiclient

import (
	"hash/maphash"
	"time"

	"housecount/apiclient/record"
)

// maxSeen is the most rows in one generation of SeenRows; there are two generations.
const maxSeen = 50_000

// SeenRows recognises the rows of a stream by their bytes, so that a row that comes again is not
// decoded, mapped and compared again. With a poll every second that rereads the changes of two
// minutes, a row comes 120 times. The caller owns one SeenRows per stream and passes it to each
// read as Query.Seen; only one read at a time may use it. A row's result also depends on the rows
// of other streams that its program sees, so those are part of its hash.
//
// A row is remembered once a read of changes has yielded its records, and recognised after Commit.
// A row with a refused or dropped record is not remembered. Each record remembers only its last
// row, so that a row that returns to an earlier state counts as new.
type SeenRows struct {
	seeds    [2]maphash.Seed
	known    map[rowHash]*seenRow
	previous map[rowHash]*seenRow    // the older generation
	byRecord map[record.Key]*seenRow // by the records that the row gave
	pending  []*seenRow              // remembered but not committed
}

// rowHash is a hash of a row's bytes and of what its program sees of other streams. At 128 bits a
// collision is less likely than a memory fault.
type rowHash [2]uint64

// seenRow is a row and the records that it gave.
type seenRow struct {
	hash    rowHash
	id      string // of the row
	records []record.Key
	// updated is the time of the last change, zero if unknown.
	updated time.Time
}

// NewSeenRows returns an empty SeenRows.
func NewSeenRows() *SeenRows {
	return &SeenRows{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, known: map[rowHash]*seenRow{}, byRecord: map[record.Key]*seenRow{}}
}

// Commit records that everything yielded so far is stored.
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

// Forget forgets the row of a record, so that the row counts as new when it comes again.
func (s *SeenRows) Forget(kind record.Kind, id string) {
	if row := s.byRecord[record.Key{Kind: kind, ID: id}]; row != nil {
		s.drop(row)
	}
}

// Clear forgets all rows. Call it when the caller no longer has what they gave.
func (s *SeenRows) Clear() {
	s.known, s.previous, s.byRecord, s.pending = map[rowHash]*seenRow{}, nil, map[record.Key]*seenRow{}, nil
}

// Len returns the number of committed rows.
func (s *SeenRows) Len() int { return len(s.known) + len(s.previous) }

// hash returns the hash of a row; parentHash is the hash of what its program sees of other streams.
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

// lookUp returns the row with a hash, nil if it is unknown. It moves a row of the previous
// generation to the current one.
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

// remember makes the next Commit store a row that was last changed at updated and gave these records.
func (s *SeenRows) remember(h rowHash, id string, updated time.Time, results []record.Result) {
	row := &seenRow{hash: h, id: id, updated: updated, records: make([]record.Key, 0, len(results))}
	for _, m := range results {
		if m.Record == nil {
			return
		}
		row.records = append(row.records, record.Key{Kind: m.Record.RecordKind(), ID: m.Record.RecordID()})
	}
	s.pending = append(s.pending, row)
}

// changed returns the time of the last change of a row's records, zero if one of them has none. ok
// is false if the row gave no record.
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
