package figures

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

const (
	// fewestPast is how many past performances make what is usual: of the hall, or else of the
	// house.
	fewestPast = 5
	// mostPast is how many it is taken of, the last ones.
	mostPast = 40
)

// usual is how visitors come to a hall.
type usual struct {
	past int
	// noShow is the median part of the expected that did not come, and mostAway the part that
	// was passed by one performance in ten.
	noShow, mostAway float64
	// shares are the parts of those who come that come so many minutes after curtain or later,
	// from verdictFrom before it to verdictUntil after it.
	shares [verdictFrom + verdictUntil + 1]float64
	// lastFrom and lastTo are the quartiles of when the last comes, in minutes after curtain.
	lastFrom, lastTo int
}

// known says that there is enough to go by.
func (u *usual) known() bool { return u.past >= fewestPast }

// after is the part of those who come that comes m minutes after curtain or later.
func (u *usual) after(m int) float64 { return u.shares[min(m+verdictFrom, len(u.shares)-1)] }

// history is the past performances of the whole house, read once however many shows ask. Its
// zero value has read nothing.
type history struct {
	mu     sync.Mutex
	read   bool
	all    []*EventFigures            // the last
	ofHall map[string][]*EventFigures // the last in each hall
	usual  map[string]*usual          // by hall, as far as asked for
}

// usualArrivals is how visitors came to the last performances in a hall or, where those are too
// few, in the house; with medians, so that one strange evening changes nothing. Performances
// without scans are not among them. Where those of the house are too few, nothing is usual.
func (v *Evening) usualArrivals(hall string) *usual {
	past, house := v.past(hall)
	if len(past) < fewestPast {
		past = house
	}
	h := v.history
	h.mu.Lock()
	defer h.mu.Unlock()
	u, ok := h.usual[hall]
	if !ok {
		u = usualOf(past)
		h.usual[hall] = u
	}
	return u
}

// usualOf is how visitors came to past performances; nothing where they are too few.
func usualOf(past []*EventFigures) *usual {
	u := &usual{past: len(past)}
	if !u.known() {
		return u
	}
	away := func(e *EventFigures) float64 {
		_, rate := e.noShow()
		return rate.Value
	}
	u.noShow, u.mostAway = quantile(past, .5, away), quantile(past, .9, away)
	for i := range u.shares {
		u.shares[i] = quantile(past, .5, func(e *EventFigures) float64 { return 1 - e.arrivedBy(i-verdictFrom) })
	}
	last := func(e *EventFigures) float64 { return e.lastArrival().Sub(e.Hours().Curtain).Minutes() }
	u.lastFrom, u.lastTo = int(quantile(past, .25, last)), int(quantile(past, .75, last))
	return u
}

// past are the last performances that are over and to which visitors were scanned: in a hall,
// and in the whole house, also of an evening in some of its halls.
func (v *Evening) past(hall string) (here, all []*EventFigures) {
	h := v.history
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.read {
		h.read, h.ofHall, h.usual = true, map[string][]*EventFigures{}, map[string]*usual{}
		for _, e := range slices.Backward(cmp.Or(v.snapshot.whole, v.snapshot).Events) {
			here := h.ofHall[e.Event.Hall]
			if len(here) == mostPast && len(h.all) == mostPast || !v.isPast(e) {
				continue
			}
			if len(h.all) < mostPast {
				h.all = append(h.all, e)
			}
			if len(here) < mostPast {
				h.ofHall[e.Event.Hall] = append(here, e)
			}
		}
	}
	return h.ofHall[hall], h.all
}

// isPast says that a performance is over and that visitors were scanned.
func (v *Evening) isPast(e *EventFigures) bool {
	if e.Date >= v.Day || len(e.ArrivalMinutes) == 0 || v.phase(e) != Over || !e.Hours().CurtainReported {
		return false
	}
	_, rate := e.noShow()
	return rate.Known()
}

// arrivedBy is the part of those who came that had come before m minutes after curtain.
func (e *EventFigures) arrivedBy(m int) float64 {
	at := e.Hours().Curtain.Add(time.Duration(m) * time.Minute)
	return float64(countBefore(e.ArrivalMinutes, at)) / float64(max(1, e.Arrived.Value))
}

// lastArrival is the minute of the last first entry before the end, of a performance that has
// some.
func (e *EventFigures) lastArrival() time.Time {
	last := e.ArrivalMinutes[0].Minute
	for _, m := range e.ArrivalMinutes {
		if m.Minute < stampOf(e.Hours().End).minute() {
			last = m.Minute
		}
	}
	return time.Unix(last*60, 0)
}

// quantile is the value below which that part of the events are; it lies on one of them.
func quantile(of []*EventFigures, part float64, value func(*EventFigures) float64) float64 {
	values := make([]float64, len(of))
	for i, e := range of {
		values[i] = value(e)
	}
	slices.Sort(values)
	return values[int(part*float64(len(values)-1)+.5)]
}
