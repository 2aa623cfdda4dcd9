package aggregator_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Where more differ than are listed, a round of slices counts none of them twice, and what is mended once.
func TestSlicesOfManyDifferences(t *testing.T) {
	const of, events, listed = 12, 300, 100
	log := foldtest.NewLog()
	var last evening.Reconciled
	enter := func(r *record.Reconciliation) *figures.Snapshot {
		log.Add(r, time.Time{})
		s := foldtest.Ledger(figures.Calendar{}, log.Versions...).Snapshot(figures.Position{Epoch: "test"}, foldtest.Complete)
		last = evening.At(s, foldtest.Clock("12:00")).Reconcile()[4]
		return s
	}
	differing := func(in func(id string) bool) *record.Reconciliation {
		r := &record.Reconciliation{Check: string(figures.CheckRecompute), At: foldtest.Clock("10:00"), Compared: events}
		for i := range events {
			if id := fmt.Sprint("evt ", i); in(id) {
				if r.Differ++; len(r.Found) < listed {
					r.Found = append(r.Found, record.Found{Key: "recompute:" + id, Event: id, Since: r.At})
				}
			}
		}
		return r
	}
	s := enter(differing(func(string) bool { return true }))
	for number := range of {
		s = enter(aggregator.WithSlice(s, differing(func(id string) bool { return figures.InSlice(id, number, of) }), number, of))
		if last.Differ != events || last.Agree() != 0 {
			t.Fatalf("after slice %d %d of %d differ", number, last.Differ, last.Compared)
		}
	}
	if len(last.Differences) != events {
		t.Errorf("%d of %d are listed", len(last.Differences), events)
	}
	for number := range of {
		s = enter(aggregator.WithSlice(s, differing(func(string) bool { return false }), number, of))
	}
	if last.Differ != 0 || len(last.Differences) != 0 {
		t.Errorf("mended, %d differ", last.Differ)
	}
	s = enter(&record.Reconciliation{Check: string(figures.CheckRecompute), At: foldtest.Clock("11:00"), Compared: events, Differ: 1, Found: []record.Found{{Key: "recompute:"}}})
	for number := range of {
		s = enter(aggregator.WithSlice(s, differing(func(string) bool { return false }), number, of))
	}
	if last.Differ != 1 || len(last.Differences) != 1 {
		t.Errorf("of the whole house, which no slice recomputes, %d differ", last.Differ)
	}
	// A recompute of all goes on with the slices where they were, for as long as there are as many.
	s = enter(aggregator.WithSlice(s, differing(func(string) bool { return false }), 4, of))
	s = enter(aggregator.KeepSince(s, &record.Reconciliation{Check: string(figures.CheckRecompute), At: foldtest.Clock("12:00"), Compared: events}))
	if number, at := aggregator.NextSlice(s, of); number != 5 || !at.Equal(foldtest.Clock("12:00")) {
		t.Errorf("slice %d is next, since %v", number, at)
	}
	if number, _ := aggregator.NextSlice(s, of+1); number != 0 {
		t.Errorf("of one more, slice %d is next", number)
	}
}
