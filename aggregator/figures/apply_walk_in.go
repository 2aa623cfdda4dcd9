package figures

import (
	"cmp"
	"slices"

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
	next.count, _ = within(&r.Count)
	if held.event != nil {
		l.walk(held, -1)
	}
	l.walk(next, 1)
	l.walkIns[r.ID] = next
}

// walk puts people to their event (n = 1) or takes them away (n = −1).
func (l *Ledger) walk(w walkIn, n int) {
	l.touch(w.event)
	if w.event.walkIns == nil {
		w.event.walkIns = map[ref]int{}
	}
	w.event.walkIns[w.gate] += n * w.count
}

// walkInFigures are the people without tickets, by the gate's name.
func (e *eventAccount) walkInFigures(n *names) []WalkInFigures {
	var all []WalkInFigures
	for gate, count := range e.walkIns {
		if count != 0 {
			all = append(all, WalkInFigures{n.text(gate), count})
		}
	}
	slices.SortFunc(all, func(a, b WalkInFigures) int { return cmp.Compare(a.Gate, b.Gate) })
	return all
}

// WalkInGates are the names of the gates at which people without a ticket may be counted: those at which
// anybody was scanned or counted, and those of the last performances in the hall. Where none is known it
// is an empty one, for all of them.
func (v *Evening) WalkInGates(s *Show) (names []string) {
	for _, g := range s.Gates {
		names = append(names, g.Gate)
	}
	for _, w := range s.WalkIns {
		names = append(names, w.Gate)
	}
	if hall := s.Event.Hall; hall != "" {
		here, _ := v.past(hall)
		for _, past := range here[:min(len(here), fewestPast)] {
			for _, g := range past.Gates {
				if g.Gate != "" {
					names = append(names, g.Gate)
				}
			}
		}
	}
	if len(names) == 0 {
		return []string{""}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// WalkedIn is how many people are inside without a ticket, over all gates; none where more went out
// than were counted.
func (e *EventFigures) WalkedIn() int {
	n := 0
	for _, w := range e.WalkIns {
		n += max(0, w.Count)
	}
	return n
}
