package web

import (
	"maps"
	"slices"
	"strings"

	"housecount/aggregator"
)

// strip is the truth strip: how old the figures are, and why if they are older than they
// should be. Quiet when all is well, impossible to miss when it is not.
type strip struct {
	Light  string
	State  string // announced to screen readers when it changes, and only then
	Detail []string
	// AsOf is the time of the figures alone, for the wall.
	AsOf string
}

func (c *scene) strip() strip {
	light := c.Health.Light()
	s := strip{Light: string(light), AsOf: dash}
	if !c.AsOf.IsZero() {
		s.AsOf = clockSeconds(c.AsOf, c.zone)
	}
	next := ""
	if t := c.Health.Next(); !t.IsZero() {
		next = wait(t.Sub(c.now))
	}
	missed := 0
	var reading []string
	faulty := map[aggregator.Fault][]string{} // the streams by what ails them
	for _, h := range c.Health.Streams {
		if h.Fault == aggregator.FaultNotOffered || h.Fault == aggregator.FaultForbidden {
			continue
		}
		missed = max(missed, h.Missed)
		if h.Kind == aggregator.KindPayment && !c.Role.seesToday() {
			continue
		}
		if h.Fault != "" {
			faulty[h.Fault] = append(faulty[h.Fault], kindWords(h.Kind))
		}
		if !h.Complete && !h.LastGood.IsZero() {
			reading = append(reading, "reading "+kindWords(h.Kind)+", "+progress(h)+"; history is incomplete")
		}
	}
	var faults []string
	for _, f := range slices.Sorted(maps.Keys(faulty)) {
		faults = append(faults, list(faulty[f])+": "+faultWords(f))
	}
	switch light {
	case aggregator.Starting:
		s.State = "Waiting for the first answer of the service"
		s.Detail = append(faults, next)
	case aggregator.Green:
		s.State = "Live"
		s.Detail = append(s.Detail, "figures as of "+s.AsOf, "service answered in "+took(c.Health.Took()))
		s.Detail = append(append(s.Detail, reading...), faults...)
		s.Detail = append(s.Detail, next)
	default:
		s.State = "The service has not answered for " + count(missed) + " looks"
		s.Detail = append(faults, "last figures "+s.AsOf)
		if day := c.Calendar.Day(c.AsOf); !c.AsOf.IsZero() && day != c.today {
			s.Detail[len(s.Detail)-1] += " on " + dayWords(day, c.today)
		}
		s.Detail = append(s.Detail, next)
	}
	s.Detail = compact(s.Detail)
	return s
}

// compact drops what has nothing to say.
func compact(texts []string) []string {
	out := texts[:0]
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			out = append(out, t)
		}
	}
	return out
}
