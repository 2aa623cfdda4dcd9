package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
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
	// Next is the time of the next poll in Unix milliseconds, 0 if it is not known; the last entry of Detail counts down to it. Waits are the texts
	// of that countdown for the page's script: now, in n seconds, in n minutes.
	Next  int64
	Waits []string
	// Help is the address of the part of the manual about a lasting fault; empty if there is none, and on walls.
	Help string
}

// clockFace is the time of day that every page shows.
type clockFace string

// times are the parts of the strip that change with every poll, for the page's script.
type times struct {
	AsOf   int64    `json:"as_of"`
	Next   int64    `json:"next"`
	Detail []string `json:"detail"` // without the last, which is counted
}

// Times returns, as JSON, what updates a page's strip without another frame. It is nil for a page without a strip.
func (r *Renderer) Times(q Request, s *figures.Snapshot, now time.Time) json.RawMessage {
	if PageNamed(q.Page).Bare {
		return nil
	}
	b := NewBuilder(q, s, now)
	b.away = r.sources.away()
	strip := b.strip(now)
	t := times{strip.Read, strip.Next, append([]string{}, strip.Detail...)} // a list, also where it is empty
	if t.Next != 0 {
		t.Detail = t.Detail[:len(t.Detail)-1]
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.Encode(t) // texts and numbers always encode
	return text.Bytes()
}

// same returns the parts of the strip that do not change with every poll.
func (s strip) same() string { return string(s.Light) + " " + s.State + " " + s.Help }

// seenStreams are the streams of which the access is shown how they are read, and what there is to say of them.
type seenStreams struct {
	figures.Health
	worst         figures.StreamHealth // that missed the most polls
	reading, held []string
	until         time.Time           // the end of what holds these
	faulty        map[string][]string // the streams by their fault
}

func (b *Builder) seenStreams() seenStreams {
	s := seenStreams{faulty: map[string][]string{}}
	for h := range b.Health.Asked() {
		if b.Access.seesStream(h) {
			s.Streams = append(s.Streams, h)
		}
	}
	var behind []string
	for _, h := range s.Streams {
		if h.Missed > s.worst.Missed {
			s.worst = h
		}
		switch {
		case h.Held():
			s.held, s.until = append(s.held, b.rows(h)), figures.Later(s.until, h.Next)
		case h.Fault != "":
			f := b.FaultText(h)
			s.faulty[f] = append(s.faulty[f], b.rows(h))
		}
		if !h.Complete && !h.LastGood.IsZero() && !h.Rereading {
			s.reading = append(s.reading, b.ReadingWords(h))
		}
		switch {
		case h.Rereading:
			s.reading = append(s.reading, b.ReadingWords(h))
		case h.Behind:
			behind = append(behind, b.rows(h))
		}
	}
	if behind != nil {
		s.reading = append(s.reading, b.Text("strip.behind", words.Text("rows", b.List(behind))))
	}
	return s
}

// nextPoll returns when the service is asked again, zero if that is not known.
func (s *seenStreams) nextPoll() time.Time {
	if !s.until.IsZero() {
		return s.until
	}
	return s.Next()
}

// strip returns the truth strip for the moment now, to the second.
func (b *Builder) strip(now time.Time) strip {
	light, seen := b.Health.Light(), b.seenStreams()
	s := strip{Light: light, AsOf: dash}
	if !b.AsOf.IsZero() {
		s.AsOf = b.ClockSeconds(b.AsOf, b.Zone)
		s.Read = b.AsOf.UnixMilli()
	}
	if !b.away.Since.IsZero() {
		s.Light, s.State = figures.Red, b.awayWords()
		s.Detail = []string{b.lastFigures(s.AsOf, now)}
		return s
	}
	var stale []string // the headline names these
	if light != figures.Starting && light != figures.Green && seen.worst.Fault == figures.FaultStale && seen.worst.Missed >= figures.FailingPolls {
		f := b.FaultText(seen.worst)
		stale = seen.faulty[f]
		delete(seen.faulty, f)
	}
	var faults []string
	for _, f := range slices.Sorted(maps.Keys(seen.faulty)) {
		faults = append(faults, b.streamFault(seen.faulty[f], f))
	}
	switch light {
	case figures.Starting:
		s.State = b.Text("strip.starting")
		s.Detail = faults
	case figures.Green:
		s.State = b.Text("strip.live")
		for h := range b.Health.Asked() { // also of lists that the role is not shown
			if h.Behind && !h.Rereading {
				s.Light, s.State = figures.Amber, b.Text("strip.catching_up")
			}
		}
		s.Detail = append(s.Detail, b.Text("strip.as_of", words.Text("time", s.AsOf)))
		if at := b.ticketsOf(); at.Sub(b.AsOf) >= apartFrom {
			s.Detail = append(s.Detail, b.Text("strip.tickets_of", words.Text("time", b.ClockSeconds(at, b.Zone))))
		}
		s.Detail = append(s.Detail, b.Text("strip.took", words.Text("took", b.Took(seen.Took()))))
		s.Detail = append(append(s.Detail, seen.reading...), faults...)
	default:
		switch {
		case seen.worst.Missed >= figures.FailingPolls && !seen.worst.Held():
			s.State = b.headline(seen.worst.Fault, seen.worst.Missed, stale)
			if seen.held != nil {
				faults = append(faults, b.streamFault(seen.held, b.Code("fault", string(figures.FaultRateLimited))))
			}
		case seen.until.After(now):
			s.State = b.Text("strip.held_until", words.Text("time", b.ClockSeconds(seen.until, b.Zone)))
		case seen.held != nil:
			s.State = b.Text("strip.held")
		default:
			s.State = b.Text("strip.some_old") // for a reason that the role is not shown
		}
		s.Detail = slices.Concat(faults, seen.reading, []string{b.lastFigures(s.AsOf, now)})
	}
	if (light == figures.Amber || light == figures.Red) && !PageNamed(b.Page).Wall {
		if s.Help = faultHelp; seen.held != nil && seen.worst.Missed < figures.FailingPolls {
			s.Help = heldHelp
		}
	}
	next := seen.nextPoll()
	if wait := b.Wait(next, now); wait != "" {
		s.Detail = append(s.Detail, wait)
	}
	if !next.IsZero() {
		s.Next = next.UnixMilli()
		s.Waits = []string{b.Wait(now, now), b.Wait(now.Add(2*time.Second), now), b.Wait(now.Add(2*time.Minute), now)}
	}
	return s
}

// apartFrom is how much newer than the oldest list tickets are whose own time is said.
const apartFrom = time.Minute

// ticketsOf returns when the lists of tickets, of which most figures are, last answered; zero before they have. The time of the
// figures is that of the oldest list, which may be one that is asked for less often.
func (b *Builder) ticketsOf() (at time.Time) {
	for h := range b.Health.Asked() {
		switch {
		case !h.Gives(record.KindTicket):
		case h.LastGood.IsZero():
			return h.LastGood
		case at.IsZero() || h.LastGood.Before(at):
			at = h.LastGood
		}
	}
	return at
}

// awayWords returns that the database is away, and until when the page is shown.
func (b *Builder) awayWords() string {
	since := words.Text("since", b.Clock(b.away.Since, b.Zone))
	switch {
	case b.away.Unwritable:
		return b.Text("strip.unwritable", since)
	}
	return b.Text("strip.away_until", since, words.Text("until", b.Clock(b.away.Until, b.Zone)))
}

// streamFault returns that lists have a fault.
func (b *Builder) streamFault(rows []string, fault string) string {
	return b.Text("strip.fault", words.Text("rows", b.List(rows)), words.Text("fault", fault))
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

// ReadingWords returns the progress of a stream: of its first sync, or how far it is read anew.
func (b *Builder) ReadingWords(h figures.StreamHealth) string {
	rows, read, total := words.Text("rows", b.rows(h)), words.Int("read", h.Read), words.Int("total", max(h.Total, h.Read))
	switch {
	case h.Rereading && h.Total < 0:
		return b.Text("strip.rereading", rows, read)
	case h.Rereading:
		return b.Text("strip.rereading_of", rows, read, total)
	case h.Total < 0:
		return b.Text("strip.reading", rows, read)
	}
	return b.Text("strip.reading_of", rows, read, total)
}

// headline returns what a lasting fault means, in a sentence. stale names the streams that bring nothing new.
func (b *Builder) headline(f figures.Fault, missed int, stale []string) string {
	n := words.Int("n", missed)
	switch f {
	case figures.FaultUngranted:
		return b.Text("headline.ungranted")
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
