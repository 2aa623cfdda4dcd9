package sandbox

import (
	"math"
	"time"

	"housecount/apiclient/record"
)

// openDoors plans the arrivals for all orders so far.
func (h *house) openDoors(s *show) {
	if s.calledOff() {
		return
	}
	s.open = true
	for _, o := range s.orders {
		h.planArrival(o)
	}
}

// planArrival draws when the people of an order arrive and at which gate. Some never arrive. People who buy at the
// door arrive a few minutes later.
func (h *house) planArrival(o *order) {
	s := o.show
	c := h.rng(forArrival, o.key)
	stayAway := .03 + .03*h.rng(forArrival, s.key).Float64()
	s.expected++
	if _, part := math.Modf(h.rng(forArrival, s.key, 1).Float64() + float64(s.expected)*(math.Phi-1)); part < stayAway {
		return // the golden-ratio sequence spreads no-shows evenly over the orders
	}
	gate := s.hall.gates[c.pick(s.hall.gateShare)]
	at, comes := s.arriving(arrivalTime(s.event, c), h.rng(forNight, o.key))
	if !comes {
		return
	}
	if soonest := h.now.Add(c.between(time.Minute, 4*time.Minute)); h.now.After(s.event.DoorsAt) && at.Before(soonest) {
		at = soonest
	}
	for i, t := range o.tickets {
		come := at
		if c.chance(.05) && !h.now.After(s.event.DoorsAt) { // arrives separately
			come, _ = s.arriving(arrivalTime(s.event, c), h.rng(forNight, o.key, uint64(i)))
		}
		if c.chance(.005) {
			continue
		}
		if !s.inside(t) {
			s.moveTo(t, onTheWay)
		}
		h.at(come, func() { h.arrive(s, t, gate, o.key+uint64(i)) })
		at = at.Add(c.between(1500*time.Millisecond, 5*time.Second))
	}
}

// arrivalTime draws an arrival time: some people wait for the doors to open, most arrive around 15 minutes before
// the start, and some are late.
func arrivalTime(e *record.Event, c rng) time.Time {
	var at time.Time
	switch c.pick([]float64{.08, .895, .025}) {
	case 0:
		at = e.DoorsAt.Add(c.exponential(140 * time.Second))
	case 1:
		at = e.StartsAt.Add(-15*time.Minute + time.Duration(c.NormFloat64()*float64(9*time.Minute)))
		if latest := e.StartsAt.Add(4 * time.Minute); at.After(latest) {
			at = latest.Add(-c.between(0, 8*time.Minute))
		}
	default:
		at = e.StartsAt.Add(c.between(time.Minute, 18*time.Minute))
	}
	if at.Before(e.DoorsAt) {
		at = e.DoorsAt.Add(c.between(0, 10*time.Minute))
	}
	return at
}

// arrive scans a ticket at a gate. Occasionally the first scan is unreadable or undone, and a second one follows.
func (h *house) arrive(s *show, t *record.Ticket, gate string, key uint64) {
	if t.Status != record.TicketValid || s.inside(t) {
		return
	}
	if until := s.waitsUntil(gate, h.now); !until.IsZero() {
		h.at(until, func() { h.arrive(s, t, gate, key) })
		return
	}
	c := h.rng(forArrival, key, 1)
	again := func() { h.enter(s, t, gate, c) }
	switch u := c.Float64(); {
	case u < .006:
		h.scan(t, record.Scan{Gate: gate, Direction: record.Entry, Result: "unreadable"})
		h.at(h.now.Add(c.between(8*time.Second, 30*time.Second)), again)
	case u < .008:
		h.scan(t, record.Scan{Gate: gate, Direction: record.Entry, Undone: true})
		h.at(h.now.Add(c.between(20*time.Second, 90*time.Second)), again)
	default:
		again()
	}
}

// enter scans somebody in. Some step out again before the start.
func (h *house) enter(s *show, t *record.Ticket, gate string, c rng) {
	if t.Status != record.TicketValid || s.inside(t) {
		return
	}
	h.scan(t, record.Scan{Gate: gate, Direction: record.Entry})
	if c.chance(.045) && s.event.StartsAt.Sub(h.now) > 14*time.Minute {
		out := h.now.Add(c.between(2*time.Minute, 7*time.Minute))
		h.at(out, func() { h.stepOut(s, t, gate, c.between(3*time.Minute, 7*time.Minute)) })
	}
}

// stepOut lets somebody out, and in again after the time away.
func (h *house) stepOut(s *show, t *record.Ticket, gate string, away time.Duration) {
	if t.Status != record.TicketValid || !s.inside(t) {
		return
	}
	h.passGate(s, t, gate, record.Exit)
	h.at(h.now.Add(away), func() {
		if t.Status == record.TicketValid && !s.inside(t) {
			h.passGate(s, t, gate, record.Entry)
		}
	})
}

// passGate records an exit or a re-entry. It is a scan only in halls that scan exits.
func (h *house) passGate(s *show, t *record.Ticket, gate string, way record.Direction) {
	switch {
	case s.hall.scansExits:
		h.scan(t, record.Scan{Gate: gate, Direction: way})
	case way == record.Entry:
		s.moveTo(t, indoors)
	default:
		s.moveTo(t, elsewhere)
	}
}

// planLeaving plans the interval, if there is one, and the departures around the end.
func (h *house) planLeaving(s *show) {
	e := s.event
	if !e.IntervalStartsAt.IsZero() {
		h.at(e.IntervalStartsAt, func() { h.interval(s) })
	}
	h.at(e.EndsAt.Add(-s.hall.earlyLeaving), func() { h.goHome(s) })
}

// interval plans who goes out during the interval. A few of them do not come back.
func (h *house) interval(s *show) {
	c := h.rng(forInterval, s.key)
	h.eachInside(s, func(t *record.Ticket, gate string) {
		if !c.chance(.07) {
			return
		}
		out, back := c.between(time.Minute, 5*time.Minute), c.between(9*time.Minute, 13*time.Minute)
		if c.chance(.04) {
			back = 12 * time.Hour // does not come back
		}
		h.at(h.now.Add(out), func() {
			if back > time.Hour {
				h.leave(s, t, gate)
				return
			}
			h.stepOut(s, t, gate, back)
		})
	})
}

// goHome plans all departures: in the minutes after the end, or spread over the last part of a performance with
// early leavers.
func (h *house) goHome(s *show) {
	c := h.rng(forLeaving, s.key)
	h.eachInside(s, func(t *record.Ticket, gate string) {
		after := min(30*time.Second+c.exponential(150*time.Second), 14*time.Minute)
		if d := s.hall.earlyLeaving; d > 0 && c.chance(.7) {
			after = c.between(0, d)
		} else {
			after += d
		}
		h.at(h.now.Add(after), func() { h.leave(s, t, gate) })
	})
}

func (h *house) leave(s *show, t *record.Ticket, gate string) {
	if s.inside(t) {
		h.passGate(s, t, gate, record.Exit)
	}
}

// eachInside calls f for every ticket of the simulated orders whose holder is inside, with the gate of the last
// scan.
func (h *house) eachInside(s *show, f func(t *record.Ticket, gate string)) {
	for _, o := range s.orders {
		for _, t := range o.tickets {
			if s.inside(t) {
				f(t, t.Scans[len(t.Scans)-1].Gate)
			}
		}
	}
}
