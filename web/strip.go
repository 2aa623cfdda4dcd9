package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// strip is the truth strip: how old the figures are, and why when they are older than they
// should be.
type strip struct {
	Light  figures.Light
	State  string // announced to screen readers when it changes, and only then
	Detail []string
	// AsOf is the time of the figures alone, for the wall, and Read the same for the page's
	// script in milliseconds of the Unix epoch, 0 when the service has never answered.
	AsOf string
	Read int64
	// Next is when the service is asked next, in milliseconds of the Unix epoch, 0 when nobody
	// knows. The last of Detail then says how long that takes. Waits are the texts with which the
	// page's script says it as time passes: that it is now, in two seconds, in two minutes.
	Next  int64
	Waits []string
}

// clockFace is the time of day as every page shows it.
type clockFace string

// times are what of the strip changes with every poll, for the page's script.
type times struct {
	AsOf   int64    `json:"as_of"`
	Next   int64    `json:"next"`
	Detail []string `json:"detail"` // without the last, which is counted
}

// Times are what the request's beats carry, as JSON: with them a page keeps its strip right
// without another frame.
func (r *Renderer) Times(q Request, s *figures.Snapshot, now time.Time) json.RawMessage {
	strip := newBuilder(q, s, now).strip(now)
	t := times{strip.Read, strip.Next, strip.Detail}
	if t.Next != 0 {
		t.Detail = t.Detail[:len(t.Detail)-1]
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(t) // texts and numbers always encode
	return b.Bytes()
}

// same is what of the strip does not change with every poll.
func (s strip) same() string { return string(s.Light) + " " + s.State }

// strip builds the truth strip for the moment now, to the second.
func (b *builder) strip(now time.Time) strip {
	light := b.Health.Light()
	s := strip{Light: light, AsOf: dash}
	if !b.AsOf.IsZero() {
		s.AsOf = clockSeconds(b.AsOf, b.zone)
		s.Read = b.AsOf.UnixMilli()
	}
	var seen figures.Health // the streams of which the access is shown how they are read
	for _, h := range b.Health.Asked() {
		if b.Access.seesStream(h) {
			seen.Streams = append(seen.Streams, h)
		}
	}
	next := seen.Next()
	var worst figures.StreamHealth
	var reading, held []string
	var until time.Time             // the end of what holds these
	faulty := map[string][]string{} // the streams by their fault
	for _, h := range seen.Streams {
		if h.Missed > worst.Missed {
			worst = h
		}
		switch {
		case h.Held():
			held = append(held, h.Rows())
			if h.Next.After(until) {
				until, next = h.Next, h.Next
			}
		case h.Fault != "":
			f := faultText(h)
			faulty[f] = append(faulty[f], h.Rows())
		}
		if !h.Complete && !h.LastGood.IsZero() {
			reading = append(reading, "reading "+h.Rows()+", "+progress(h)+"; history is incomplete")
		}
	}
	var faults []string
	for _, f := range slices.Sorted(maps.Keys(faulty)) {
		faults = append(faults, list(faulty[f])+": "+f)
	}
	switch light {
	case figures.Starting:
		s.State = "Waiting for the first answer of the service"
		s.Detail = append(faults, wait(next, now))
	case figures.Green:
		s.State = "Live"
		s.Detail = append(s.Detail, "figures as of "+s.AsOf, "service answered in "+took(seen.Took()))
		s.Detail = append(append(s.Detail, reading...), faults...)
		s.Detail = append(s.Detail, wait(next, now))
	default:
		switch {
		case worst.Missed >= missedPolls && !worst.Held():
			s.State = headline(worst.Fault) + " " + timesInARow(worst.Missed)
			if held != nil {
				faults = append(faults, list(held)+": the service asks us to wait")
			}
		case until.After(now):
			s.State = "The service asks us to wait, until " + clockSeconds(until, b.zone)
		case held != nil:
			s.State = "The service has asked us to wait"
		default:
			s.State = "Some figures are no longer renewed" // for a reason that the role is not shown
		}
		s.Detail = append(faults, "last figures "+s.AsOf)
		if day := b.Calendar.Day(b.AsOf); !b.AsOf.IsZero() && day != b.today {
			s.Detail[len(s.Detail)-1] += " on " + dayWords(day, b.today)
		}
		if old := int(now.Sub(b.AsOf) / time.Minute); !b.AsOf.IsZero() && old > 0 {
			s.Detail[len(s.Detail)-1] += ", " + spell(old) + " old"
		}
		s.Detail = append(s.Detail, wait(next, now))
	}
	s.Detail = compact(s.Detail)
	if !next.IsZero() {
		s.Next = next.UnixMilli()
		s.Waits = []string{wait(now, now), wait(now.Add(2*time.Second), now), wait(now.Add(2*time.Minute), now)}
	}
	return s
}

// headline says in a sentence what a fault that lasts means.
func headline(f figures.Fault) string {
	switch f {
	case figures.FaultRefused, figures.FaultForbidden:
		return "The service has refused us"
	case figures.FaultRejected, figures.FaultNotOffered:
		return "The service has not accepted our questions"
	case figures.FaultServer:
		return "The service has answered with an error"
	case figures.FaultGarbage, figures.FaultEndless, figures.FaultTooLarge:
		return "The service has sent an answer that cannot be read"
	case figures.FaultStore:
		return "Our own database has failed"
	}
	return "The service has not answered"
}

// compact drops empty texts.
func compact(texts []string) []string {
	out := texts[:0]
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			out = append(out, t)
		}
	}
	return out
}
