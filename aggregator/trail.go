package aggregator

import (
	"cmp"
	"encoding/binary"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// trail remembers which versions of the log are of each event, two or three bytes each, so that what
// is behind its figures can be read without the rest of the log. It belongs to who holds its ledger.
type trail struct {
	events map[string]*revisions
	// waiting are payments of orders of which no ticket has come.
	waiting map[string][]int64
}

func newTrail() *trail {
	return &trail{map[string]*revisions{}, map[string][]int64{}}
}

// before takes up a version that is about to be applied to a ledger: one that takes a ticket from its
// event is of that event too.
func (t *trail) before(l *figures.Ledger, v *record.Version) {
	if r, ok := v.Record.(*record.Ticket); ok {
		if from := l.TicketEvent(r.ID); from != "" && from != r.EventID {
			t.add(from, v.Revision)
		}
	}
}

// note takes up a version that was applied to a ledger.
func (t *trail) note(l *figures.Ledger, v *record.Version) {
	switch r := v.Record.(type) {
	case *record.Ticket:
		t.add(r.EventID, v.Revision)
		if len(t.waiting) > 0 && r.OrderID != "" {
			for _, earlier := range t.waiting[r.OrderID] {
				t.add(r.EventID, earlier)
			}
			delete(t.waiting, r.OrderID)
		}
	case *record.WalkIn:
		t.add(r.EventID, v.Revision)
	case *record.Payment:
		if r.EventID != "" {
			t.add(r.EventID, v.Revision)
			return
		}
		for _, event := range l.EventsOf(r) {
			if event != "" {
				t.add(event, v.Revision)
			} else if r.OrderID != "" {
				t.waiting[r.OrderID] = append(t.waiting[r.OrderID], v.Revision)
			}
		}
	case *record.Event, *record.Planning, *record.TicketScan:
		for _, event := range l.EventsOf(r) {
			t.add(event, v.Revision)
		}
	}
}

func (t *trail) add(event string, revision int64) {
	of := t.events[event]
	if of == nil {
		of = new(revisions)
		t.events[event] = of
	}
	of.add(revision)
}

// revisions are revisions, most of which come in their order.
type revisions struct {
	steps []byte // from each to the next
	last  int64
	late  []int64
}

func (r *revisions) add(revision int64) {
	if revision <= r.last {
		r.late = append(r.late, revision)
		return
	}
	r.steps = binary.AppendUvarint(r.steps, uint64(revision-r.last))
	r.last = revision
}

// all are the revisions, ascending.
func (r *revisions) all() []int64 {
	if r == nil {
		return nil
	}
	all := slices.Clone(r.late)
	at := int64(0)
	for rest := r.steps; len(rest) > 0; {
		step, n := binary.Uvarint(rest)
		rest = rest[n:]
		at += int64(step)
		all = append(all, at)
	}
	slices.SortFunc(all, cmp.Compare[int64])
	return slices.Compact(all)
}
