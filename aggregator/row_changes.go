package aggregator

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// If more than rowGuard rows of a batch, and more than one in rowGuardShare of the known ones, lose records at
// once, a fault of the service is more likely than that many changes.
const (
	rowGuard      = 5
	rowGuardShare = 5
)

// RowRecord is a record that a row gives.
type RowRecord struct {
	List, Row string
	record.Key
}

// RowChanges is how the rows of a batch differ from their last versions.
type RowChanges struct {
	// Added are records that a row did not give before, and Lost records that it no longer gives.
	Added, Lost []RowRecord
	// updated is the row's time for each of Lost. mass is true if too many rows lost records.
	updated map[RowRecord]time.Time
	mass    bool
}

// CompareRows compares the rows of a batch with what the last version of each row gave. If a row occurs twice, the
// last one counts.
func CompareRows(rows []record.Row, before []RowRecord) *RowChanges {
	c := &RowChanges{updated: map[RowRecord]time.Time{}}
	gave := map[[2]string][]record.Key{}
	for _, b := range before {
		at := [2]string{b.List, b.Row}
		gave[at] = append(gave[at], b.Key)
	}
	known, losing, done := 0, 0, map[[2]string]bool{}
	for _, row := range slices.Backward(rows) {
		at := [2]string{row.List, row.ID}
		if done[at] {
			continue
		}
		done[at] = true
		for i, key := range row.Records {
			if !slices.Contains(gave[at], key) && !slices.Contains(row.Records[:i], key) {
				c.Added = append(c.Added, RowRecord{row.List, row.ID, key})
			}
		}
		lost := len(c.Lost)
		for _, key := range gave[at] {
			if !slices.Contains(row.Records, key) {
				one := RowRecord{row.List, row.ID, key}
				c.Lost = append(c.Lost, one)
				c.updated[one] = row.Updated
			}
		}
		if len(gave[at]) > 0 {
			known++
		}
		if len(c.Lost) > lost {
			losing++
		}
	}
	c.mass = losing > rowGuard && losing*rowGuardShare > known
	return c
}

// Damage returns a refusal if held, which a row's last version gave, is missing from the row by a fault; nil if
// held is gone because the row has changed, or because confirmed is true for it (see Batch.Confirmed).
func (c *RowChanges) Damage(lost RowRecord, held record.Record, confirmed func(record.Kind, string) bool) *record.Refusal {
	if confirmed != nil && confirmed(lost.Kind, lost.ID) {
		return nil
	}
	updated := c.updated[lost]
	if !c.mass && (updated.IsZero() || updated.After(held.RecordUpdated())) {
		return nil
	}
	return record.MissingFromRow(held)
}
