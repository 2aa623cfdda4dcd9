package aggregator

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// shownRefused is the most refused records that are published.
const shownRefused = 20

// learned is what the states of the streams come to.
type learned struct {
	asOf   time.Time
	health figures.Health
	lasting
}

// lasting is what a poll that found nothing leaves as it was.
type lasting struct {
	streams  []figures.StreamHealth // without their times
	coverage figures.Coverage
	findings []figures.Diagnostic // alarms, lists that ignore a filter, refused records
}

// sameTimes says that nothing that the truth strip shows differs.
func (l *learned) sameTimes(o *learned) bool {
	return l.asOf.Equal(o.asOf) && slices.EqualFunc(l.health.Streams, o.health.Streams, func(a, b figures.StreamHealth) bool {
		return a.LastGood.Equal(b.LastGood) && a.Next.Equal(b.Next) && a.Took == b.Took
	})
}

// learnedNow is made of the states as they are.
func (f *Figures) learnedNow() (l learned) {
	var refused []figures.Diagnostic
	for _, stream := range f.streams {
		s, known := f.states[stream.Name]
		if !known {
			s = StreamState{Name: stream.Name, Total: -1}
		}
		h := f.healthOf(stream, &s)
		l.health.Streams = append(l.health.Streams, h)
		if !s.Withdrawn && h.Counts() && !h.LastGood.IsZero() && (l.asOf.IsZero() || h.LastGood.Before(l.asOf)) {
			l.asOf = h.LastGood
		}
		h.LastGood, h.Next, h.Took = time.Time{}, time.Time{}, 0
		l.streams = append(l.streams, h)

		l.findings = append(l.findings, s.Alarms...)
		if s.Unfiltered {
			l.findings = append(l.findings, figures.Diagnostic{Code: figures.CodeUnfiltered, Count: 1,
				Text: "the service sends all of " + s.Name + " though only changes are asked for"})
		}
		for _, r := range s.Refused {
			refused = append(refused, r.diagnostic(s.Name))
		}
	}
	l.findings = append(l.findings, refused[max(0, len(refused)-shownRefused):]...)
	l.coverage = f.coverage()
	return l
}

// healthOf is the health of a stream by its state, or as missed where that is overdue.
func (f *Figures) healthOf(stream Stream, s *StreamState) figures.StreamHealth {
	h := figures.StreamHealth{
		Name: stream.Name, Kinds: stream.Kinds, Shared: f.shared(stream),
		LastGood: s.LastGood, Next: s.Next, Took: s.Took,
		Missed: s.Missed, Fault: s.Fault, FaultText: s.FaultText,
		Complete: s.Complete(), Read: s.Read, Total: s.Total,
		Refused: len(s.Refused) + s.Forgotten,
	}
	if o := f.overdue[stream.Name]; o != nil && o.missed > h.Missed {
		h.Missed = o.missed
		if h.Fault == "" {
			h.Fault, h.FaultText = figures.FaultStore, "Nothing new has come into our own database."
		}
	}
	return h
}

// shared says that other streams give records of some of the same kinds.
func (f *Figures) shared(stream Stream) bool {
	return slices.ContainsFunc(f.streams, func(o Stream) bool {
		return o.Name != stream.Name && slices.ContainsFunc(o.Kinds, func(k record.Kind) bool { return slices.Contains(stream.Kinds, k) })
	})
}

// coverage is how much of the service's records the log has.
func (f *Figures) coverage() (c figures.Coverage) {
	_, c.EventsComplete = f.covered(record.KindEvent)
	c.TicketsOffered, c.TicketsComplete = f.covered(record.KindTicket)
	c.PaymentsOffered, c.PaymentsComplete = f.covered(record.KindPayment)
	c.ScansOffered, c.ScansComplete = f.covered(record.KindScan)
	planning, complete := f.covered(record.KindPlanning)
	c.PlanningPartial = planning && !complete
	c.RefusedTickets = f.refused(record.KindTicket)
	c.RefusedPayments = f.refused(record.KindPayment)
	c.RefusedScans = f.refused(record.KindScan)
	return c
}

// covered says that some stream which gives records of a kind is offered, and that the
// first sync of all of these has ended.
func (f *Figures) covered(kind record.Kind) (offered, complete bool) {
	complete = true
	for _, stream := range f.streams {
		if s := f.states[stream.Name]; slices.Contains(stream.Kinds, kind) && !s.Withdrawn {
			offered = true
			complete = complete && s.Complete()
		}
	}
	return offered, offered && complete
}

// refused counts the refused records of a kind by the id of their event, empty where that is
// not known. A row that became no record may have been of any kind that its stream gives.
func (f *Figures) refused(kind record.Kind) map[string]int {
	var n map[string]int
	add := func(event string, count int) {
		if n == nil {
			n = map[string]int{}
		}
		n[event] += count
	}
	for _, stream := range f.streams {
		if !slices.Contains(stream.Kinds, kind) {
			continue
		}
		s := f.states[stream.Name]
		for _, r := range s.Refused {
			if r.Kind == kind || r.Kind == "" {
				add(r.EventID, 1)
			}
		}
		if s.Forgotten > 0 {
			add("", s.Forgotten)
		}
	}
	return n
}

// diagnostic names a refused record to people.
func (r RefusedRecord) diagnostic(stream string) figures.Diagnostic {
	d := figures.Diagnostic{Code: "refused_record", Kind: r.Kind, ID: r.ID, Text: r.Why, Count: 1}
	if r.Kind == "" {
		d.Text = "a row of " + stream + " " + r.Why
	}
	return d
}
