package evening

import (
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// PastOf is the past performances that what is shown of one is made from: those that its sale is compared with, and those from
// which it is known how visitors usually come and leave. Snapshots share the figures that did not change, so that they are
// compared by identity.
type PastOf struct {
	compared, leftOut []*figures.EventFigures
	basis             arriving.Basis
	nights            []*arriving.Night
	gates             []string                // at which people without a ticket may be counted
	near              []*figures.EventFigures // from which it is known where visitors go in and how they leave; none on other days
	running           []*figures.EventFigures // of days before, whose people may still be in the building
}

// PastOf returns the past performances that what is shown of one is made from.
func (v *Evening) PastOf(e *figures.EventFigures) (p PastOf) {
	here, house := v.past(e.Event.Hall)
	u := v.usualArrivals(e)
	p.basis, p.nights = u.Basis, u.Nights
	p.gates = v.WalkInGates(&Show{EventFigures: e})
	if v.nearToday(e) {
		p.near = slices.Concat(here, house)
	}
	if _, ok := e.Date.Number(); ok && !v.Snapshot.Unread() {
		for _, c := range v.comparables(e) {
			p.compared = append(p.compared, c.EventFigures)
		}
	}
	for _, s := range v.Shows {
		if s.Date < v.Today {
			p.running = append(p.running, s.EventFigures)
		}
	}
	for _, id := range v.Snapshot.House.LeftOut(e.Event.ID) {
		p.leftOut = append(p.leftOut, v.Snapshot.Event(id))
	}
	return p
}

// Equal reports whether both are the same figures of the same performances, in the same order.
func (p *PastOf) Equal(o *PastOf) bool {
	return p.basis == o.basis && slices.EqualFunc(p.nights, o.nights, func(n, m *arriving.Night) bool { return n.EventFigures == m.EventFigures }) && slices.Equal(p.compared, o.compared) && slices.Equal(p.leftOut, o.leftOut) &&
		slices.Equal(p.gates, o.gates) && slices.Equal(p.near, o.near) && slices.Equal(p.running, o.running)
}

// nearToday reports whether people may be inside a performance, by its day or because it goes on for days.
func (v *Evening) nearToday(e *figures.EventFigures) bool {
	return e.Date <= v.Today.Add(1) && (e.Date == "" || e.Date >= v.Today.Add(-1) || v.reaches(e))
}

// mostChanged is how many past performances are taken one by one when they change.
const mostChanged = 16

// RelyOnPast returns the ids of the performances of which something shown may be made from the figures of past ones that have
// changed between two snapshots; all is true if those are too many, or if one of them has not ended. It may return more than it must: PastOf is exact.
func RelyOnPast(before, s *figures.Snapshot, changed []string, now time.Time) (ids []string, all bool) {
	today := s.Calendar.Day(now)
	past := slices.DeleteFunc(slices.Clone(changed), func(id string) bool {
		return !isBefore(before.Event(id), today) && !isBefore(s.Event(id), today)
	})
	if len(past) > mostChanged {
		return nil, true
	}
	rely := map[string]bool{}
	for _, of := range []*figures.Snapshot{before, s} {
		if len(past) == 0 {
			break
		}
		v := &Evening{Now: now.Truncate(time.Minute), Today: today, Snapshot: of, history: newHistory(nil)}
		for _, id := range past {
			p := of.Event(id)
			if !isBefore(p, today) {
				continue
			}
			if v.reaches(p) || v.nearToday(p) && p.PresentNow.Value > 0 { // its people may still be in the building
				return nil, true
			}
			v.relyOn(p, rely)
		}
	}
	return slices.Sorted(maps.Keys(rely)), false
}

// isBefore reports whether there is a performance, and it is of a day before another.
func isBefore(e *figures.EventFigures, day figures.Day) bool {
	return e != nil && e.Date < day
}

// relyOn adds the performances of which something may be made from the figures of a past one.
func (v *Evening) relyOn(past *figures.EventFigures, rely map[string]bool) {
	rule := Comparables(v.Snapshot.House)
	here, house := v.past(past.Event.Hall)
	inHall, inHouse := slices.Contains(here, past), slices.Contains(house, past)
	for _, e := range v.Snapshot.Events {
		if inHall && e.Event.Hall == past.Event.Hall || inHouse && v.reliesOnHouse(e) || v.mayCompare(e, past, rule) {
			rely[e.Event.ID] = true
		}
	}
}

// reliesOnHouse reports whether something shown of a performance may be made from the last ones of the house.
func (v *Evening) reliesOnHouse(e *figures.EventFigures) bool {
	here, _ := v.past(e.Event.Hall)
	return len(here) < figures.FewestPast || v.nearToday(e)
}

// mayCompare reports whether a performance may be compared with a past one, or somebody has left that out.
func (v *Evening) mayCompare(e, past *figures.EventFigures, rule ComparableRule) bool {
	date, _ := e.Date.Number()
	own := v.toCompare(e, date, rule)
	_, _, ok := own.like(v, past, true)
	return ok || slices.Contains(own.leftOut, past.Event.ID)
}
