package web

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// builder builds what one page shows of a snapshot, at one moment and within one access.
type builder struct {
	Request
	*figures.Snapshot // what the access includes of it
	// params are the values of the request's parameters.
	params url.Values
	// now is the minute that is shown; only the strip is finer.
	now time.Time
	// at is the minute of the figures: the earliest of now and the last answers about tickets and
	// scans. Rates and silences are measured there, because after an hour without answers it is
	// not the gates that are quiet. It is zero before the first answer.
	at    time.Time
	zone  *time.Location
	today figures.Day
}

// view is what a page shows: its fragments, and what places them in the page.
type view struct {
	title     string
	data      any
	fragments []fragment
	charts    map[string]json.RawMessage
	// missing says that what the page is about does not exist.
	missing bool
}

// fragment is one element that a frame may replace.
type fragment struct {
	id       string
	template string
	data     any
}

func newBuilder(q Request, s *figures.Snapshot, now time.Time) *builder {
	now = now.Truncate(time.Minute)
	if !q.Access.wholeHouse() {
		s = s.InHalls(q.Access.Halls())
	}
	c := &builder{Request: q, Snapshot: s, params: q.Params.values(), now: now, at: now, zone: cmp.Or(s.Calendar.Zone, time.UTC), today: s.Calendar.Day(now)}
	asked := false
	for _, h := range s.Health.Asked() {
		if h.Gives(record.KindTicket, record.KindScan) {
			asked = true
			c.at = earlier(c.at, cmp.Or(h.LastGood, s.AsOf))
		}
	}
	if !asked {
		c.at = earlier(c.at, s.AsOf)
	}
	c.at = c.at.Truncate(time.Minute)
	return c
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// phase is where a performance is in its evening.
type phase int

const (
	before    phase = iota // doors are closed
	arriving               // doors are open, curtain is to come
	running                // curtain is up
	ended                  // over
	cancelled              // will not happen, or not today
)

// lateAfter is how long after curtain visitors are still expected at the doors.
const lateAfter = 30 * time.Minute

func (b *builder) phase(e *figures.EventFigures) phase {
	switch h := e.Hours(); {
	case e.Event.Status == record.EventCancelled, e.Event.Status == record.EventPostponed:
		return cancelled
	case e.Event.Status == record.EventEnded, !h.End.IsZero() && !b.now.Before(h.End), e.Date < b.today && h.End.IsZero():
		return ended
	case h.Doors.IsZero(), b.now.Before(h.Doors):
		return before
	case b.now.Before(h.Curtain):
		return arriving
	}
	return running
}

// leavingFor is how long after its end a performance counts towards the people in the house,
// for those who were not scanned out.
const leavingFor = time.Hour

// flow is the arrivals of visitors at one moment.
type flow struct {
	still    figures.Figure[int] // yet to come
	in5      figures.Figure[int] // entries in the last five minutes
	last     time.Time           // when the last come in at this rate; zero when nobody can say
	arriving bool                // the doors are open and people are still expected at them
}

// flow measures the arrivals of one performance.
func (b *builder) flow(e *figures.EventFigures) flow {
	still := e.StillToCome()
	if !still.Known() {
		return flow{still: still}
	}
	p := b.phase(e)
	f := flow{
		still:    still,
		in5:      b.lately(figures.Figure[int]{}, e.EntriesIn, 5*time.Minute),
		arriving: p == arriving || p == running && b.now.Before(e.Hours().Curtain.Add(lateAfter)),
	}
	// A handful of entries says nothing about when the last will come.
	if f.arriving && still.Value > 0 && f.in5.Value >= 5 {
		minutes := math.Ceil(float64(still.Value) * 5 / float64(f.in5.Value))
		if minutes <= 90 {
			f.last = b.at.Add(time.Duration(minutes) * time.Minute)
		}
	}
	return f
}

// lately counts what happened in the window before b.at. It has the quality of the figure
// that it is a part of, and is unknown while b.at is zero.
func (b *builder) lately(of figures.Figure[int], in func(time.Time, time.Duration) int, window time.Duration) figures.Figure[int] {
	f := figures.Figure[int]{Quality: of.Quality, Reasons: of.Reasons}
	if b.at.IsZero() {
		f.Quality = figures.Unknown
	}
	if f.Known() {
		f.Value = in(b.at, window)
	}
	return f
}

// soldIn is how many places were sold in the window before b.at.
func (b *builder) soldIn(e *figures.EventFigures, window time.Duration) figures.Figure[int] {
	return b.lately(e.Sold, e.SoldIn, window)
}

// inHouse is how many people are in for the performance. Where exits is false it is
// everybody who came in, because those who left are not known.
func inHouse(e *figures.EventFigures) (f figures.Figure[int], exits bool) {
	if e.PresentNow.Quality == figures.Exact || e.PresentNow.Known() && !e.Attendance.Known() {
		return e.PresentNow, true
	}
	return e.Attendance, false
}

// totals are the figures of several performances together.
type totals struct {
	shows    int
	halls    []string // in order of mention, without repeats; "" is left out
	sold     figures.Figure[int]
	capacity figures.Figure[int]
	free     figures.Figure[int]
	paid     int
	comp     int
	reserved int

	in        figures.Figure[int] // people in the house; everybody who came in where exits is false
	inShows   int                 // performances that in is counted from
	exits     bool                // those who left are taken out everywhere
	expected  figures.Figure[int] // of the performances that in is counted from
	still     figures.Figure[int] // of the performances whose visitors are arriving
	in5       figures.Figure[int]
	arriving  bool
	last      time.Time             // when the last come in; zero unless it can be said for every hall
	lastOf    *figures.EventFigures // whose last visitors those are
	unscanned []string              // halls with open doors and no scan data
}

// total adds up the performances that are not cancelled.
func (b *builder) total(events []*figures.EventFigures) totals {
	t := totals{exits: true}
	seen := map[string]bool{}
	var came figures.Figure[int]
	open := false // when some hall's last visitors come cannot be said
	for _, e := range events {
		p := b.phase(e)
		if p == cancelled {
			continue
		}
		t.shows++
		if h := e.Event.Hall; h != "" && !seen[h] {
			seen[h] = true
			t.halls = append(t.halls, h)
		}
		t.sold, t.capacity, t.free = plus(t.sold, e.Sold), plus(t.capacity, e.Capacity), plus(t.free, free(e))
		t.paid += e.Paid.Value
		t.comp += e.Complimentary.Value
		t.reserved += e.Reserved.Value
		in, exits := inHouse(e)
		// The timetable does not empty a hall: who has not been scanned out is still inside.
		leaving := p == ended && exits && in.Value > 0 && b.now.Before(e.Hours().End.Add(leavingFor))
		if p != arriving && p != running && !leaving {
			continue
		}
		if !in.Known() {
			t.unscanned = append(t.unscanned, cmp.Or(e.Event.Hall, e.Event.Title))
			continue
		}
		t.in = plus(t.in, in)
		came = plus(came, e.Attendance)
		t.inShows++
		t.exits = t.exits && exits
		t.expected = plus(t.expected, e.Expected)
		f := b.flow(e)
		if f.arriving {
			t.arriving = true
			t.still = plus(t.still, f.still)
			t.in5 = plus(t.in5, f.in5)
			open = open || f.still.Value > 0 && f.last.IsZero()
		}
		if f.last.After(t.last) {
			t.last, t.lastOf = f.last, e
		}
	}
	if open {
		t.last, t.lastOf = time.Time{}, nil
	}
	if !t.exits {
		t.in = came // the same kind of number for every hall
	}
	return t
}

// occupancy is sold / capacity of all together.
func (t totals) occupancy() figures.Figure[float64] {
	q, reasons := worst(t.sold.Quality, t.sold.Reasons, t.capacity.Quality, t.capacity.Reasons)
	f := figures.Figure[float64]{Quality: q, Reasons: reasons}
	if t.capacity.Value <= 0 {
		f.Quality = figures.Unknown
	}
	if f.Known() {
		f.Value = float64(t.sold.Value) / float64(t.capacity.Value)
	}
	return f
}

func plus(a, b figures.Figure[int]) figures.Figure[int] {
	q, reasons := worst(a.Quality, a.Reasons, b.Quality, b.Reasons)
	return figures.Figure[int]{Value: a.Value + b.Value, Quality: q, Reasons: reasons}
}

// onlyFree is the number of places left; only says that it is known and the number sold is not.
func onlyFree(e *figures.EventFigures) (left figures.Figure[int], only bool) {
	left = free(e)
	left.Value = max(0, left.Value)
	return left, left.Known() && !e.Sold.Known() && e.Oversold == 0
}

// free is how many places are left: the number that the service reports, or else our own count.
func free(e *figures.EventFigures) figures.Figure[int] {
	if e.Available.Known() {
		return e.Available
	}
	left := figures.Minus(e.Capacity, e.Sold, e.Reserved)
	if left.Known() {
		left.Value = max(0, left.Value-e.Blocked.Value) // often not reported
	}
	left.Quality, left.Reasons = worst(left.Quality, left.Reasons, figures.Estimated, []figures.Reason{figures.ReasonNoAvailable})
	return left
}
