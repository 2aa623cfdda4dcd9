package aggregator

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// shownRefused is the most refused records that are published.
const shownRefused = 20

// Stream is a list of the service, as far as the figures need to know it.
type Stream struct {
	Name string
	// Service is the name of the service that it is of, where there are several; empty for the first.
	Service string
	// Kinds are the kinds of records that it gives.
	Kinds []record.Kind
}

// known is what is known of the streams.
type known struct {
	streams []Stream
	states  map[string]StreamState
	overdue overdue
}

// take replaces the states and reports whether the difference must be shown at once, and whether a list was polled.
func (k *known) take(states []StreamState) (urgent, polled bool) {
	before := k.states
	k.states = make(map[string]StreamState, len(states))
	if k.overdue == nil {
		k.overdue = overdue{}
	}
	for _, s := range states {
		old, known := before[s.Name]
		k.states[s.Name] = s
		if !known || !old.Next.Equal(s.Next) || old.Read != s.Read { // progress of a first sync is news, too
			k.setDue(s)
		}
		polled = polled || !old.Next.Equal(s.Next) || !old.LastGood.Equal(s.LastGood) && s.Complete()
		urgent = urgent || !known || old.Missed != s.Missed || old.Fault != s.Fault || old.Complete() != s.Complete() || old.Behind != s.Behind || old.Rereading != s.Rereading
	}
	return urgent, polled
}

// roundSlack is how far apart lists that are polled together are planned.
const roundSlack = 10 * time.Millisecond

// inRound reports whether a list that was to be polled with the one that answered last has not answered. All times are by the
// clock of the process that polls. A list that takes longer than roundLimit is not waited for.
func (k *known) inRound() bool {
	var answered time.Time
	for _, s := range k.states {
		answered = figures.Later(answered, s.LastGood)
	}
	for _, s := range k.states {
		if since := answered.Sub(s.Next); since > -roundSlack && since < roundLimit {
			return true
		}
	}
	return false
}

// setDue stores by when a stream's next state should be in the log. It counts from when this state arrived,
// because the writer's clock may differ.
func (k *known) setDue(s StreamState) {
	if s.Next.IsZero() {
		k.overdue.setDue(s.Name, time.Time{})
		return
	}
	k.overdue.setDue(s.Name, time.Now().Add(s.Wait))
}

// learned is what the states of all streams mean together.
type learned struct {
	asOf   time.Time
	health figures.Health
	lasting
}

// lasting is the part of it that a poll without news does not change.
type lasting struct {
	streams  []figures.StreamHealth // without times
	coverage ledger.Coverage
	findings []figures.Diagnostic // alarms, lists that ignore a filter, refused records
}

// learned returns what the present states mean.
func (k *known) learned() (l learned) {
	var refused []figures.Diagnostic
	for _, stream := range k.streams {
		s, known := k.states[stream.Name]
		if !known {
			s = StreamState{Name: stream.Name, Total: -1}
		}
		h := k.healthOf(stream, &s)
		l.health.Streams = append(l.health.Streams, h)
		if !s.Withdrawn && h.Counts() && !h.LastGood.IsZero() && (l.asOf.IsZero() || h.LastGood.Before(l.asOf)) {
			l.asOf = h.LastGood
		}
		h.LastGood, h.Next, h.Took = time.Time{}, time.Time{}, 0
		l.streams = append(l.streams, h)

		l.findings = append(l.findings, s.Alarms...)
		if s.Unfiltered {
			l.findings = append(l.findings, figures.Diagnostic{Code: figures.CodeUnfiltered, Count: 1,
				Text: record.Say("the service sends all of {list} though only changes are asked for", record.Verbatim("list", s.Name))})
		}
		for _, r := range s.Refused {
			refused = append(refused, r.diagnostic(s.Name))
		}
	}
	l.findings = append(l.findings, refused[max(0, len(refused)-shownRefused):]...)
	l.coverage = k.coverage()
	return l
}

// healthOf returns the health of a stream by its state, or as missed if its next state is overdue.
func (k *known) healthOf(stream Stream, s *StreamState) figures.StreamHealth {
	h := figures.StreamHealth{
		Name: stream.Name, Service: stream.Service, Kinds: stream.Kinds, Shared: k.shared(stream),
		LastGood: s.LastGood, Next: s.Next, Took: s.Took,
		Missed: s.Missed, Fault: s.Fault, FaultStatus: s.FaultStatus,
		Complete: s.Complete(), Behind: s.Behind || s.Rereading, Rereading: s.Rereading, Read: s.Read, Total: s.Total,
		Refused: s.refused(), Answers: s.Answers, Past: s.Past,
	}
	if missed := k.overdue.missed(stream.Name); missed > h.Missed {
		h.Missed = missed
		if h.Fault == "" {
			h.Fault = figures.FaultStale
		}
	}
	return h
}

// shared reports whether other streams give records of some of the same kinds.
func (k *known) shared(stream Stream) bool {
	return slices.ContainsFunc(k.streams, func(o Stream) bool {
		return o.Name != stream.Name && slices.ContainsFunc(o.Kinds, func(kind record.Kind) bool { return slices.Contains(stream.Kinds, kind) })
	})
}

// coverage returns how much of the service's records the log has.
func (k *known) coverage() (c ledger.Coverage) {
	_, c.EventsComplete = k.covered(record.KindEvent)
	c.EventsBehind, c.TicketsBehind = k.behind(record.KindEvent), k.behind(record.KindTicket)
	c.PaymentsBehind, c.ScansBehind = k.behind(record.KindPayment), k.behind(record.KindScan)
	c.EventsDoubted, c.TicketsDoubted = k.doubted(record.KindEvent), k.doubted(record.KindTicket)
	c.PaymentsDoubted, c.ScansDoubted = k.doubted(record.KindPayment), k.doubted(record.KindScan)
	c.PlanningDoubted = k.doubted(record.KindPlanning)
	c.TicketsOffered, c.TicketsComplete = k.covered(record.KindTicket)
	c.PaymentsOffered, c.PaymentsComplete = k.covered(record.KindPayment)
	c.ScansOffered, c.ScansComplete = k.covered(record.KindScan)
	planning, complete := k.covered(record.KindPlanning)
	c.PlanningPartial, c.PlanningBehind = planning && !complete, k.behind(record.KindPlanning)
	c.RefusedTickets = k.refused(record.KindTicket)
	c.RefusedPayments = k.refused(record.KindPayment)
	c.RefusedScans = k.refused(record.KindScan)
	return c
}

// covered reports whether a stream that gives records of a kind is offered, and whether the first sync of all such
// streams has ended.
func (k *known) covered(kind record.Kind) (offered, complete bool) {
	complete = true
	for _, stream := range k.streams {
		if s := k.states[stream.Name]; slices.Contains(stream.Kinds, kind) && !s.Withdrawn {
			offered = true
			complete = complete && s.Complete()
		}
	}
	return offered, offered && complete
}

// behind reports whether a stream that gives records of a kind is behind or being read again.
func (k *known) behind(kind record.Kind) bool {
	return slices.ContainsFunc(k.streams, func(stream Stream) bool {
		s := k.states[stream.Name]
		return (s.Behind || s.Rereading) && !s.Withdrawn && slices.Contains(stream.Kinds, kind)
	})
}

// doubted reports whether so many records of a kind are missing from a list that it is not believed.
func (k *known) doubted(kind record.Kind) bool {
	return slices.ContainsFunc(k.streams, func(stream Stream) bool {
		s := k.states[stream.Name]
		return !s.Withdrawn && slices.ContainsFunc(s.Alarms, func(d figures.Diagnostic) bool {
			return d.Code == figures.CodeSweepGuard && d.Kind == kind
		})
	})
}

// refused counts the refused records of a kind by the id of their event, which is empty if it is not known. A row
// that gave no record may be of any kind that its stream gives.
func (k *known) refused(kind record.Kind) map[string]int {
	var n map[string]int
	add := func(event string, count int) {
		if n == nil {
			n = map[string]int{}
		}
		n[event] += count
	}
	for _, stream := range k.streams {
		if !slices.Contains(stream.Kinds, kind) {
			continue
		}
		s := k.states[stream.Name]
		for _, r := range s.Refused {
			if r.Kind == kind || r.Kind == "" {
				add(r.EventID, r.Records())
			}
		}
		for _, unlisted := range []map[string]int{s.Unlisted[kind], s.Unlisted[""]} {
			for event, count := range unlisted {
				add(event, count)
			}
		}
	}
	return n
}

// refused returns the number of refused records of a stream.
func (s *StreamState) refused() int {
	n := 0
	for _, r := range s.Refused {
		n += r.Records()
	}
	for _, unlisted := range s.Unlisted {
		for _, count := range unlisted {
			n += count
		}
	}
	return n
}

// diagnostic returns the diagnostic of a refused record.
func (r RefusedRecord) diagnostic(stream string) figures.Diagnostic {
	d := figures.Diagnostic{Code: figures.CodeRefusedRecord, Kind: r.Kind, ID: r.ID, Text: r.Why, Count: r.Records()}
	if r.Field != "" {
		d.Text = record.Say("{field} {why}", record.Verbatim("field", r.Field), record.Of("why", d.Text))
	}
	if r.Kind == "" {
		d.Text = record.Say("a row of {list} {why}", record.Verbatim("list", stream), record.Of("why", d.Text))
	}
	return d
}
