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
type trail struct{ events map[string]*revisions }

func newTrail() *trail { return &trail{map[string]*revisions{}} }

// apply applies a version to a ledger and takes it up. What came before that on which it hangs, a
// scan before its ticket, a refund before its payment, a payment before a ticket of its order, is
// taken up with that. A version that takes a ticket from its event is of that event too.
func (t *trail) apply(l *figures.Ledger, v record.Version) {
	joins := false
	if r, ok := v.Record.(*record.Ticket); ok {
		if from := l.TicketEvent(r.ID); from != "" && from != r.EventID {
			t.add(from, v.Revision)
		}
		joins = l.Joins(r)
	}
	l.Apply(v)
	switch r := v.Record.(type) {
	case *record.Ticket:
		t.add(r.EventID, v.Revision)
		if joins {
			t.add(r.EventID, l.Related(r)...)
		}
	case *record.WalkIn:
		t.add(r.EventID, v.Revision)
	case *record.Payment:
		related := l.Related(r)
		for _, event := range l.Reaches(r) {
			if event != "" {
				t.add(event, v.Revision)
				t.add(event, related...)
			}
		}
	case *record.Event, *record.Planning, *record.TicketScan:
		for _, event := range l.EventsOf(r) {
			t.add(event, v.Revision)
		}
	}
}

func (t *trail) add(event string, all ...int64) {
	of := t.events[event]
	if of == nil {
		of = new(revisions)
		t.events[event] = of
	}
	for _, revision := range all {
		of.add(revision)
	}
}

// since are the events of which there are versions after a revision.
func (t *trail) since(after int64) (events []string) {
	for id, r := range t.events {
		if r.last > after || slices.ContainsFunc(r.late, func(revision int64) bool { return revision > after }) {
			events = append(events, id)
		}
	}
	return events
}

// revisions are revisions, most of which come in their order.
type revisions struct {
	steps []byte // from each to the next
	last  int64
	late  []int64
}

func (r *revisions) add(revision int64) {
	if revision == r.last {
		return
	}
	if revision < r.last {
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
