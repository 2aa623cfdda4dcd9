package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// walkIn is what the ledger holds of a walk-in record.
type walkIn struct {
	revision int64
	event    *eventAccount
	gate     sums.Ref
	count    int
}

// applyWalkIn stores a count of walk-ins in place of its previous version.
func (l *Ledger) applyWalkIn(r *record.WalkIn, v *record.Version) {
	held := l.walkIns[r.ID]
	if !newest(v, held.revision) {
		return
	}
	next := walkIn{revision: v.Revision, event: l.account(r.EventID), gate: l.names.Ref(r.Gate)}
	next.count, _ = figures.Within(&r.Count)
	if held.event != nil {
		l.addWalkIn(held, -1)
	}
	l.addWalkIn(next, 1)
	l.walkIns[r.ID] = next
}

// addWalkIn adds walk-ins to their event (n = 1) or removes them (n = −1).
func (l *Ledger) addWalkIn(w walkIn, n int) {
	l.touch(w.event)
	if w.event.walkIns == nil {
		w.event.walkIns = map[sums.Ref]int{}
	}
	w.event.walkIns[w.gate] += n * w.count
}

// walkInFigures returns the people without tickets, by name of the gate.
func (e *eventAccount) walkInFigures(n *sums.Names) []figures.WalkInFigures {
	var all []figures.WalkInFigures
	for gate, count := range e.walkIns {
		if count != 0 {
			all = append(all, figures.WalkInFigures{Gate: n.Text(gate), Count: count})
		}
	}
	slices.SortFunc(all, func(a, b figures.WalkInFigures) int { return cmp.Compare(a.Gate, b.Gate) })
	return all
}
