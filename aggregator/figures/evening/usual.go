package evening

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// Basis is which past performances are used for what is usual.
type Basis uint8

// The bases, the best first.
const (
	NoBasis Basis = iota
	OfComparables
	OfHall
	OfHouse
)

// String returns the basis's name.
func (b Basis) String() string { return [...]string{"none", "comparables", "hall", "house"}[b] }

// usual is how visitors usually come to a performance.
type usual struct {
	basis  Basis
	nights []*night
	// noShow is the median part of the expected that did not come, and mostAway the part that one performance in ten exceeded.
	noShow, mostAway float64
	// leastAway is the part of the expected that nine in ten performances exceeded.
	leastAway float64
	// arrived holds, for each minute from usualFrom before the curtain to usualUntil after it, the 10th, 50th and
	// 90th percentile of the part of the visitors that has come.
	arrived [figures.UsualFrom + figures.UsualUntil + 1]arrivedBand
	// lastFrom and lastTo are the quartiles of the last arrival, in minutes after curtain.
	lastFrom, lastTo int
	asked            figures.Day // when it was asked for last; guarded by madeUsual.mu

	errorsOnce sync.Once
	errors     ArrivalErrors

	curvesOnce sync.Once
	curves     *model.Curves
}

type arrivedBand struct{ low, median, high float64 }

// night is how visitors came to a past performance.
type night struct {
	*figures.EventFigures
	away    float64 // no-shows as a part of the expected
	last    int     // the last arrival, in minutes after curtain
	arrived [figures.UsualFrom + figures.UsualUntil + 1]float64
}

// known reports whether there are enough past performances.
func (u *usual) known() bool { return u.basis != NoBasis }

// after returns what part of the visitors usually comes m minutes after curtain or later.
func (u *usual) after(m int) float64 { return 1 - u.arrived[usualAt(m)].median }

// through returns what part of the visitors of a performance usually comes through a gate after one minute and up to another.
func (u *usual) through(g *figures.GateFigures, usually model.UsualGate, s *Show, from, to time.Time) float64 {
	curtain, all := s.Hours().Curtain, 0
	for i := range s.Gates {
		all += s.Gates[i].Entries
	}
	share := max(usually.Share, float64(g.Entries)/float64(max(1, all))) // tonight's, where the gate is new
	return (u.come(curtain, to) - u.come(curtain, from)) * share
}

// come returns what part of the visitors has usually come by a minute, of a performance with such a curtain.
func (u *usual) come(curtain, at time.Time) float64 {
	return u.arrived[usualAt(int(figures.StampOf(at).Minute()-figures.StampOf(curtain).Minute()))].median
}

// usualAt returns the index in usual.arrived of m minutes after curtain.
func usualAt(m int) int {
	return min(max(m+figures.UsualFrom, 0), figures.UsualFrom+figures.UsualUntil)
}

// history is the past performances of the whole house, read once for all shows. Its zero value is not read yet.
type history struct {
	mu     sync.Mutex
	read   bool
	until  time.Time                             // when the next performance of an earlier day ends; zero for never
	all    []*figures.EventFigures               // the last ones of the house
	ofHall map[string][]*figures.EventFigures    // the last ones of each hall
	usual  map[string]*heldUsual                 // by performance id, computed on first use
	gates  map[string]map[string]model.UsualGate // by hall and name
	made   *madeUsual

	emptyingOnce sync.Once
	emptying     *model.Emptying
}

type heldUsual struct {
	of   likeness
	once sync.Once
	*usual
	*comparing
	judged *judged // of the performance, whatever it is like
}

// comparing is what a performance is compared with, found on first use.
type comparing struct {
	found    sync.Once
	compared []Comparable
	fitted   model.Fitted  // to compared
	courses  model.Courses // of compared
}

// likeness is what decides which past performances are like one.
type likeness struct {
	date                figures.DayNumber
	series, title, hall string
	capacity            int // -1 if it is not known
	price               topPrice
}

func likenessOf(e *figures.EventFigures) likeness {
	of := likeness{series: e.Event.Series, title: e.Event.Title, hall: e.Event.Hall, capacity: -1, price: topPriceOf(e)}
	of.date, _ = e.Date.Number()
	if e.Capacity.Known() {
		of.capacity = e.Capacity.Value
	}
	return of
}

// usualArrivals returns how visitors came to the comparable performances that the pace uses; if too few of these
// were scanned, to the last ones in the hall, or else of the house. It uses medians, so that one strange evening
// changes nothing. If there are too few in the house, nothing is usual.
func (v *Evening) usualArrivals(e *figures.EventFigures) *usual { return v.heldUsual(e).usual }

// heldUsual returns what usualArrivals does, with what was made of the performance's own arrivals.
func (v *Evening) heldUsual(e *figures.EventFigures) *heldUsual {
	held := v.held(e)
	held.once.Do(func() { held.usual = v.history.made.usualOf(v.usualNightsOf(e)) })
	return held
}

// comparables returns what findComparables does by the house's rule. A sale changes none of them.
func (v *Evening) comparables(e *figures.EventFigures) []Comparable {
	return v.comparablesOf(v.held(e), e)
}

// comparablesOf is comparables, with what is held of it.
func (v *Evening) comparablesOf(held *heldUsual, e *figures.EventFigures) []Comparable {
	held.found.Do(func() { held.compared = v.findComparables(e) })
	return slices.Clone(held.compared)
}

// held returns what is held of the past performances that are like one.
func (v *Evening) held(e *figures.EventFigures) *heldUsual {
	v.past("") // reads them
	h, of := v.history, likenessOf(e)
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.usual[e.Event.ID]
	if held == nil || held.of != of {
		before := held
		if held = (&heldUsual{of: of, comparing: new(comparing), judged: new(judged)}); before != nil {
			held.judged = before.judged
		}
		h.usual[e.Event.ID] = held
	}
	return held
}

// usualNightsOf returns the past performances from which it is known how visitors usually come to one.
func (v *Evening) usualNightsOf(e *figures.EventFigures) (Basis, []*figures.EventFigures) {
	here, house := v.past(e.Event.Hall)
	switch alike := v.scannedComparables(e); {
	case len(alike) >= Comparables(v.Snapshot.House).Least:
		return OfComparables, alike
	case len(here) >= figures.FewestPast:
		return OfHall, here
	case len(house) >= figures.FewestPast:
		return OfHouse, house
	}
	return NoBasis, nil
}

// scannedComparables returns the comparable performances of the whole house whose visitors were scanned.
func (v *Evening) scannedComparables(e *figures.EventFigures) (alike []*figures.EventFigures) {
	if v.Snapshot.Unread() {
		return nil
	}
	find := v.comparables
	if v.Snapshot.Whole != nil {
		whole := *v
		whole.Snapshot, find = v.whole(), whole.findComparables
	}
	for _, c := range find(e) {
		if v.isPast(c.EventFigures) {
			alike = append(alike, c.EventFigures)
		}
	}
	return alike
}

// whole returns the snapshot of the whole house.
func (v *Evening) whole() *figures.Snapshot { return cmp.Or(v.Snapshot.Whole, v.Snapshot) }

// usualOf returns how visitors came to past performances, at least one.
func usualOf(basis Basis, past []*figures.EventFigures) *usual {
	nights := make([]*night, len(past))
	for i, e := range past {
		nights[i] = nightOf(e)
	}
	return usualNights(basis, nights)
}

// gates returns the gates of the last performances in a hall, possibly none, by name: other halls have other doors.
func (v *Evening) gates(hall string) map[string]model.UsualGate {
	here, _ := v.past(hall)
	h := v.history
	h.mu.Lock()
	defer h.mu.Unlock()
	of, ok := h.gates[hall]
	if !ok {
		of = model.UsualGates(here)
		h.gates[hall] = of
	}
	return of
}

// usualNights returns what is usual by such nights.
func usualNights(basis Basis, nights []*night) *usual {
	u := &usual{basis: basis, nights: nights}
	values := make([]float64, len(nights))
	of := func(value func(*night) float64) func(part float64) float64 {
		for i, n := range nights {
			values[i] = value(n)
		}
		slices.Sort(values)
		return func(part float64) float64 { return model.Quantile(values, part) }
	}
	away := of(func(n *night) float64 { return n.away })
	u.noShow, u.mostAway, u.leastAway = away(.5), away(.9), away(.1)
	for i := range u.arrived {
		arrived := of(func(n *night) float64 { return n.arrived[i] })
		u.arrived[i] = arrivedBand{arrived(.1), arrived(.5), arrived(.9)}
	}
	last := of(func(n *night) float64 { return float64(n.last) })
	u.lastFrom, u.lastTo = int(last(.25)), int(last(.75))
	return u
}

// nightOf returns how visitors came to a past performance.
func nightOf(e *figures.EventFigures) *night {
	_, away := noShow(e)
	curtain := figures.StampOf(e.Hours().Curtain).Minute()
	n := &night{EventFigures: e, away: away.Value, last: int(figures.StampOf(lastArrival(e)).Minute() - curtain)}
	come, next := 0, 0
	for i := range n.arrived {
		for ; next < len(e.ArrivalMinutes) && e.ArrivalMinutes[next].Minute < curtain+int64(i-figures.UsualFrom); next++ {
			come += e.ArrivalMinutes[next].Count
		}
		n.arrived[i] = float64(come) / float64(max(1, e.Arrived.Value))
	}
	return n
}

// newHistory returns a history that is not read yet. It takes over from the one before it, nil for none, what is usual by the
// same figures.
func newHistory(before *history) *history {
	h := &history{made: new(madeUsual), usual: map[string]*heldUsual{}}
	if before != nil {
		h.made = before.made
	}
	return h
}

// without returns the history for v, in which some of the past has changed, since h. What a performance is compared with is the same
// unless one of those is, or was, like it.
func (h *history) without(changed []*figures.EventFigures, v *Evening) *history {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, rule := newHistory(h), Comparables(v.Snapshot.House)
	n.until = nextOver(v.whole(), v.Today, v.Now)
	for id, held := range h.usual {
		e := v.whole().Event(id)
		if e == nil || held.of != likenessOf(e) || slices.ContainsFunc(changed, func(p *figures.EventFigures) bool { return v.mayCompare(e, p, rule) }) {
			continue
		}
		n.usual[id] = &heldUsual{of: held.of, comparing: held.comparing, judged: held.judged}
	}
	return n
}

// after returns the history for a moment: h, or one that is not read yet if another performance has ended by then.
func (h *history) after(now time.Time) *history {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.until.IsZero() && !now.Before(h.until) {
		return newHistory(h)
	}
	return h
}

// past returns the last performances whose visitors were scanned: in a hall, and in the whole house, even for an
// evening of only some halls.
func (v *Evening) past(hall string) (here, all []*figures.EventFigures) {
	h := v.history
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.read {
		h.read, h.until, h.ofHall = true, nextOver(v.whole(), v.Today, v.Now), map[string][]*figures.EventFigures{}
		h.gates = map[string]map[string]model.UsualGate{}
		for _, e := range slices.Backward(v.whole().Events) {
			here := h.ofHall[e.Event.Hall]
			if v.Snapshot.Unread() || len(here) == figures.MostPast && len(h.all) == figures.MostPast || !v.isPast(e) {
				continue
			}
			if len(h.all) < figures.MostPast {
				h.all = append(h.all, e)
			}
			if len(here) < figures.MostPast {
				h.ofHall[e.Event.Hall] = append(here, e)
			}
		}
	}
	return h.ofHall[hall], h.all
}

// isPast reports whether a performance is over and its visitors were scanned.
func (v *Evening) isPast(e *figures.EventFigures) bool {
	if e.Date >= v.Today || len(e.ArrivalMinutes) == 0 || v.phase(e) != Over || !e.Hours().CurtainReported {
		return false
	}
	_, rate := noShow(e)
	return rate.Known()
}

// lastArrival returns the minute of the last first entry before the end. The performance must have entries.
func lastArrival(e *figures.EventFigures) time.Time {
	last := e.ArrivalMinutes[0].Minute
	for _, m := range e.ArrivalMinutes {
		if m.Minute < figures.StampOf(e.Hours().End).Minute() {
			last = m.Minute
		}
	}
	return time.Unix(last*60, 0)
}

// findCurves computes the courses that the model knows.
func (u *usual) findCurves() { u.curves = model.NewCurves(u.arrivals()) }

// arrivals returns what is usual for the model of how visitors arrive.
func (u *usual) arrivals() model.Usual {
	if !u.known() {
		return model.DefaultUsual()
	}
	usual := model.Usual{Course: make([]float64, len(u.arrived)), Share: 1 - u.noShow, Nights: len(u.nights)}
	for i := range usual.Course {
		usual.Course[i] = u.arrived[i].median
	}
	center, shareSpread, shiftSpread := model.MedianMinute(usual.Course), 0., 0.
	for _, n := range u.nights {
		away, shift := n.away-u.noShow, model.MedianMinute(n.arrived[:])-center
		shareSpread, shiftSpread = shareSpread+away*away, shiftSpread+shift*shift
	}
	n := float64(len(u.nights))
	usual.ShareSpread, usual.ShiftSpread = math.Sqrt(shareSpread/n), math.Sqrt(shiftSpread/n)
	return usual
}
