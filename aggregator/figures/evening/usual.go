package evening

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/model"
)

// history is the past performances of the whole house, read once for all shows. Its zero value is not read yet.
type history struct {
	mu     sync.Mutex
	read   bool
	until  time.Time                             // when the next performance of an earlier day ends; zero for never
	all    []*figures.EventFigures               // the last ones of the house
	ofHall map[string][]*figures.EventFigures    // the last ones of each hall
	usual  map[string]*heldUsual                 // by performance id, computed on first use
	gates  map[string]map[string]model.UsualGate // by hall and name
	made   *arriving.Made

	emptyingOnce sync.Once
	emptying     *model.Emptying
}

type heldUsual struct {
	of   likeness
	once sync.Once
	*arriving.Usual
	*comparing
	judged *arriving.Judged // of the performance, whatever it is like
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
func (v *Evening) usualArrivals(e *figures.EventFigures) *arriving.Usual { return v.heldUsual(e).Usual }

// heldUsual returns what usualArrivals does, with what was made of the performance's own arrivals.
func (v *Evening) heldUsual(e *figures.EventFigures) *heldUsual {
	held := v.held(e)
	held.once.Do(func() { held.Usual = v.history.made.Of(v.usualNightsOf(e)) })
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
		if held = (&heldUsual{of: of, comparing: new(comparing), judged: new(arriving.Judged)}); before != nil {
			held.judged = before.judged
		}
		h.usual[e.Event.ID] = held
	}
	return held
}

// usualNightsOf returns the past performances from which it is known how visitors usually come to one.
func (v *Evening) usualNightsOf(e *figures.EventFigures) (arriving.Basis, []*figures.EventFigures) {
	here, house := v.past(e.Event.Hall)
	switch alike := v.scannedComparables(e); {
	case len(alike) >= Comparables(v.Snapshot.House).Least:
		return arriving.OfComparables, alike
	case len(here) >= figures.FewestPast:
		return arriving.OfHall, here
	case len(house) >= figures.FewestPast:
		return arriving.OfHouse, house
	}
	return arriving.NoBasis, nil
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

// newHistory returns a history that is not read yet. It takes over from the one before it, nil for none, what is usual by the
// same figures.
func newHistory(before *history) *history {
	h := &history{made: new(arriving.Made), usual: map[string]*heldUsual{}}
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
	_, rate := arriving.NoShow(e)
	return rate.Known()
}
