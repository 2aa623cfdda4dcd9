package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// strip is the truth strip: the age of the figures and, if they are older than they should be, the reason.
type strip struct {
	Light  figures.Light
	State  string // announced to screen readers when it changes, and only then
	Detail []string
	// AsOf is the time of the figures alone, for the wall. Read is the same in Unix milliseconds for the
	// page's script, 0 if the service has never answered.
	AsOf string
	Read int64
	// Next is the time of the next poll in Unix milliseconds, 0 if it is not known; the last entry of
	// Detail counts down to it. Waits are the texts of that countdown for the page's script: now, in n
	// seconds, in n minutes.
	Next  int64
	Waits []string
}

// clockFace is the time of day that every page shows.
type clockFace string

// times are the parts of the strip that change with every poll, for the page's script.
type times struct {
	AsOf   int64    `json:"as_of"`
	Next   int64    `json:"next"`
	Detail []string `json:"detail"` // without the last, which is counted
}

// Times returns, as JSON, what updates a page's strip without another frame. It is nil for a page without a
// strip.
func (r *Renderer) Times(q Request, s *figures.Snapshot, now time.Time) json.RawMessage {
	if PageNamed(q.Page).Bare {
		return nil
	}
	strip := NewBuilder(q, s, now).strip(now)
	t := times{strip.Read, strip.Next, append([]string{}, strip.Detail...)} // a list, also where it is empty
	if t.Next != 0 {
		t.Detail = t.Detail[:len(t.Detail)-1]
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(t) // texts and numbers always encode
	return b.Bytes()
}

// same returns the parts of the strip that do not change with every poll.
func (s strip) same() string { return string(s.Light) + " " + s.State }

// strip returns the truth strip for the moment now, to the second.
func (b *Builder) strip(now time.Time) strip {
	light := b.Health.Light()
	s := strip{Light: light, AsOf: dash}
	if !b.AsOf.IsZero() {
		s.AsOf = b.ClockSeconds(b.AsOf, b.Zone)
		s.Read = b.AsOf.UnixMilli()
	}
	var seen figures.Health // the streams of which the access is shown how they are read
	for h := range b.Health.Asked() {
		if b.Access.seesStream(h) {
			seen.Streams = append(seen.Streams, h)
		}
	}
	next := seen.Next()
	var worst figures.StreamHealth
	var reading, behind, held []string
	var until time.Time             // the end of what holds these
	faulty := map[string][]string{} // the streams by their fault
	for _, h := range seen.Streams {
		if h.Missed > worst.Missed {
			worst = h
		}
		switch {
		case h.Held():
			held = append(held, b.rows(h))
			if h.Next.After(until) {
				until, next = h.Next, h.Next
			}
		case h.Fault != "":
			f := b.faultText(h)
			faulty[f] = append(faulty[f], b.rows(h))
		}
		if !h.Complete && !h.LastGood.IsZero() {
			reading = append(reading, b.readingWords(h))
		}
		if h.Behind {
			behind = append(behind, b.rows(h))
		}
	}
	if behind != nil {
		reading = append(reading, b.Text("strip.behind", words.Text("rows", b.List(behind))))
	}
	var stale []string // the headline names these
	if light != figures.Starting && light != figures.Green && worst.Fault == figures.FaultStale && worst.Missed >= figures.FailingPolls {
		f := b.faultText(worst)
		stale = faulty[f]
		delete(faulty, f)
	}
	var faults []string
	fault := func(rows []string, text string) {
		faults = append(faults, b.Text("strip.fault", words.Text("rows", b.List(rows)), words.Text("fault", text)))
	}
	for _, f := range slices.Sorted(maps.Keys(faulty)) {
		fault(faulty[f], f)
	}
	switch light {
	case figures.Starting:
		s.State = b.Text("strip.starting")
		s.Detail = faults
	case figures.Green:
		s.State = b.Text("strip.live")
		s.Detail = append(s.Detail, b.Text("strip.as_of", words.Text("time", s.AsOf)), b.Text("strip.took", words.Text("took", b.Took(seen.Took()))))
		s.Detail = append(append(s.Detail, reading...), faults...)
	default:
		switch {
		case worst.Missed >= figures.FailingPolls && !worst.Held():
			s.State = b.headline(worst.Fault, worst.Missed, stale)
			if held != nil {
				fault(held, b.Code("fault", string(figures.FaultRateLimited)))
			}
		case until.After(now):
			s.State = b.Text("strip.held_until", words.Text("time", b.ClockSeconds(until, b.Zone)))
		case held != nil:
			s.State = b.Text("strip.held")
		default:
			s.State = b.Text("strip.some_old") // for a reason that the role is not shown
		}
		s.Detail = slices.Concat(faults, reading, []string{b.lastFigures(s.AsOf, now)})
	}
	if wait := b.Wait(next, now); wait != "" {
		s.Detail = append(s.Detail, wait)
	}
	if !next.IsZero() {
		s.Next = next.UnixMilli()
		s.Waits = []string{b.Wait(now, now), b.Wait(now.Add(2*time.Second), now), b.Wait(now.Add(2*time.Minute), now)}
	}
	return s
}

// lastFigures returns the time of the figures, and their age.
func (b *Builder) lastFigures(asOf string, now time.Time) string {
	at := words.Text("time", asOf)
	if b.AsOf.IsZero() {
		return b.Text("strip.last", at)
	}
	day := b.Calendar.Day(b.AsOf)
	on, age := words.Text("day", b.DayOf(day)), words.Text("age", b.Spell(int(now.Sub(b.AsOf)/time.Minute)))
	switch old := now.Sub(b.AsOf) >= time.Minute; {
	case day != b.Today && old:
		return b.Text("strip.last_day_age", at, on, age)
	case day != b.Today:
		return b.Text("strip.last_day", at, on)
	case old:
		return b.Text("strip.last_age", at, age)
	}
	return b.Text("strip.last", at)
}

// readingWords returns the progress of the first sync of a stream.
func (b *Builder) readingWords(h figures.StreamHealth) string {
	rows, read := words.Text("rows", b.rows(h)), words.Int("read", h.Read)
	if h.Total < 0 {
		return b.Text("strip.reading", rows, read)
	}
	return b.Text("strip.reading_of", rows, read, words.Int("total", max(h.Total, h.Read)))
}

// headline returns what a lasting fault means, in a sentence. stale names the streams that bring nothing
// new.
func (b *Builder) headline(f figures.Fault, missed int, stale []string) string {
	n := words.Int("n", missed)
	switch f {
	case figures.FaultRefused, figures.FaultForbidden:
		return b.Text("headline.refused", n)
	case figures.FaultRejected, figures.FaultNotOffered:
		return b.Text("headline.rejected", n)
	case figures.FaultServer:
		return b.Text("headline.error", n)
	case figures.FaultGarbage, figures.FaultEndless, figures.FaultTooLarge, figures.FaultFindingOut, figures.FaultContradicts, figures.FaultForeign:
		return b.Text("headline.unreadable", n)
	case figures.FaultStore:
		return b.Text("headline.store", n)
	case figures.FaultStale:
		return b.Text("headline.stale", words.Text("rows", b.List(stale)))
	}
	return b.Text("headline.silent", n)
}
