package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// night is how a performance differs from the usual course, empty for not at all. Forecasts and verdicts, which go by the
// usual, are tried against these.
type night string

const (
	nightLate       night = "late"         // everybody comes 20 minutes later
	nightEarly      night = "early"        // everybody comes a quarter of an hour earlier
	nightStayAway   night = "stay_away"    // a fifth does not come
	nightTrain      night = "train"        // a quarter comes together after curtain
	nightGate       night = "gate"         // the first gate lets nobody in for ten minutes
	nightPremiere   night = "premiere"     // more complimentary places, and more of all
	nightLateOnSale night = "late_on_sale" // on sale for three weeks alone
	nightFlop       night = "flop"
	nightHit        night = "hit"
)

// nights are those that are drawn, and arrivals those that may still be set before the doors open.
var (
	arrivals = []night{nightLate, nightEarly, nightStayAway, nightTrain, nightGate}
	nights   = append(slices.Clone(arrivals), nightPremiere, nightLateOnSale, nightFlop, nightHit)
)

// demandAt is how the demand of a night differs from the usual.
var demandAt = map[night]float64{nightPremiere: 1.3, nightFlop: .35, nightHit: 2}

const (
	lateBy, earlyBy   = 20 * time.Minute, 15 * time.Minute
	stayAwayShare     = .2
	trainShare        = .25
	trainAfterCurtain = 12 * time.Minute
	// A gate fails from gateFails before the curtain, for gateRepaired. Those who wait then enter each gateEach.
	gateFails, gateRepaired, gateEach = 25 * time.Minute, 10 * time.Minute, 2 * time.Second
	lateSaleDays                      = 21
)

// drawNight draws what is unlike other nights: one performance in eight, of those without other trouble and not on the day
// of the start.
func (h *house) drawNight(s *show, day int) {
	c := h.rng(forNight, s.key)
	if day == 0 || s.trouble != noTrouble || !c.chance(1./8) {
		return
	}
	s.night = nights[c.IntN(len(nights))]
	if share := demandAt[s.night]; share > 0 {
		s.demand *= share
	}
}

// arriving returns when people come who would usually come at a time; comes is false if they stay away.
func (s *show) arriving(at time.Time, c rng) (come time.Time, comes bool) {
	e := s.event
	switch s.night {
	case nightLate:
		at = at.Add(lateBy)
		if latest := e.EndsAt.Add(-10 * time.Minute); at.After(latest) {
			at = latest
		}
	case nightEarly:
		if at = at.Add(-earlyBy); at.Before(e.DoorsAt) {
			at = e.DoorsAt.Add(c.between(0, 10*time.Minute))
		}
	case nightStayAway:
		return at, !c.chance(stayAwayShare)
	case nightTrain:
		if c.chance(trainShare) {
			at = e.StartsAt.Add(trainAfterCurtain + c.between(0, 4*time.Minute))
		}
	}
	return at, true
}

// waitsUntil returns when somebody can enter who comes to a gate now: at once, the zero time, unless the gate has failed.
func (s *show) waitsUntil(gate string, now time.Time) time.Time {
	failed := s.event.StartsAt.Add(-gateFails)
	repaired := failed.Add(gateRepaired)
	if s.night != nightGate || gate != s.hall.gates[0] || now.Before(failed) || !now.Before(repaired) {
		return time.Time{}
	}
	s.queued++
	return repaired.Add(time.Duration(s.queued) * gateEach)
}

// countAtCurtain stores how many of the sold have not come in at the curtain.
func (h *house) countAtCurtain(s *show) {
	s.outside = new(0)
	for _, r := range h.tickets.byEvent[s.event.ID] {
		t := r.record.(*record.Ticket)
		if t.Status != record.TicketValid || !t.IsPlace() {
			continue
		}
		came := slices.ContainsFunc(t.Scans, func(s record.Scan) bool { return s.Direction == record.Entry && !s.Undone && s.Result == "" })
		if !came {
			*s.outside += t.Places()
		}
	}
}

// controlNight makes a performance unlike others whose doors are not open yet.
func (h *house) controlNight(body []byte) (any, error) {
	in, err := decode[struct {
		EventID string `json:"event_id"`
		Night   night  `json:"night"`
	}](body)
	if err != nil {
		return nil, err
	}
	e, err := find[*record.Event](h.events, in.EventID)
	if err != nil {
		return nil, err
	}
	s := h.shows[e.ID]
	if in.Night != "" && !slices.Contains(arrivals, in.Night) {
		var names []string
		for _, n := range arrivals {
			names = append(names, string(n))
		}
		return nil, idp.BadRequest(fmt.Sprintf("night must be one of %s, not %q.", strings.Join(names, ", "), in.Night))
	}
	if s.hall == nil || s.open || s.calledOff() {
		return nil, idp.Conflict("Its doors are open, or nobody comes to it by itself.")
	}
	s.night = in.Night
	return map[string]string{"event_id": e.ID, "night": string(s.night)}, nil
}
