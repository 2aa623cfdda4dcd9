package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// walkIn is what the ledger holds of one.
type walkIn struct {
	revision int64
	event    *eventAccount
	gate     ref
	count    int
}

// applyWalkIn puts a count in the place of what was held of it.
func (l *Ledger) applyWalkIn(r *record.WalkIn, v *record.Version) {
	held := l.walkIns[r.ID]
	if !newest(v, held.revision) {
		return
	}
	next := walkIn{revision: v.Revision, event: l.account(r.EventID), gate: l.names.ref(r.Gate)}
	next.count, _ = figures.Within(&r.Count)
	if held.event != nil {
		l.addWalkIn(held, -1)
	}
	l.addWalkIn(next, 1)
	l.walkIns[r.ID] = next
}

// addWalkIn puts people to their event (n = 1) or takes them away (n = −1).
func (l *Ledger) addWalkIn(w walkIn, n int) {
	l.touch(w.event)
	if w.event.walkIns == nil {
		w.event.walkIns = map[ref]int{}
	}
	w.event.walkIns[w.gate] += n * w.count
}

// walkInFigures returns the people without tickets, by the gate's name.
func (e *eventAccount) walkInFigures(n *names) []figures.WalkInFigures {
	var all []figures.WalkInFigures
	for gate, count := range e.walkIns {
		if count != 0 {
			all = append(all, figures.WalkInFigures{Gate: n.text(gate), Count: count})
		}
	}
	slices.SortFunc(all, func(a, b figures.WalkInFigures) int { return cmp.Compare(a.Gate, b.Gate) })
	return all
}
