package web

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// row is one performance on Tonight, always with the same columns: when, what, places, people,
// and what was sold today.
type row struct {
	Href, Title string
	State       string        // a class: the phase
	Level       figures.Level // of its loudest alert
	Time        string        // of curtain
	Relative    string
	Verdict     sentence
	Hold        bool // the verdict is to hold
	Where       sentence
	Badge       string

	Taken   taken
	Arrived *arrived
	Spark   *sales
	Side    side
}

// taken is how many places there are to be had and how full the house is.
type taken struct {
	Main  num
	Unit  string // of Main; empty where Of says it
	Of    sentence
	Bar   *bar // nil where nothing is known to draw
	Parts key
}

// key says what the colours of a picture stand for.
type key []keyed

// keyed is one entry of a key: a swatch's class and its words.
type keyed struct {
	Class string
	Text  sentence
}

// arrived is how many are in the building, or came.
type arrived struct {
	Main num
	Of   sentence
	Bar  *bar
	// Gates are the rates of the last five minutes.
	Gates key
}

// sales is shown in place of the arrivals until the doors open.
type sales struct {
	Main    num
	Of      sentence
	Picture *spark
}

// side is what was sold today, and in money for those who may see it.
type side struct {
	Main  num
	Text  string
	Extra sentence
}

// The paths of the pages of all events and of one.
const (
	eventsPath = "/events"
	eventPath  = "/events/{event}"
)

func eventHref(id string) string { return strings.Replace(eventPath, "{event}", url.PathEscape(id), 1) }

// row describes a performance; loudest is the level of its loudest alert.
func (b *builder) row(s *figures.Show, loudest figures.Level) row {
	r := row{
		Href: eventHref(s.Event.ID), Title: title(s.EventFigures), State: s.Phase.String(), Level: loudest,
		Time: dash, Relative: b.relative(s), Verdict: b.verdictShort(s), Hold: s.Verdict.Call == figures.Hold,
		Where: b.where(s), Badge: badge(s), Taken: b.taken(s), Side: b.side(s),
	}
	if !s.Event.StartsAt.IsZero() {
		r.Time = clock(s.Event.StartsAt, b.zone)
	}
	if s.Phase == figures.Before {
		r.Spark = b.sales(s)
	} else {
		r.Arrived = b.arrived(s)
	}
	return r
}

func title(e *figures.EventFigures) string { return cmp.Or(e.Event.Title, "Untitled") }

// relative says how far off the curtain is, or that it is over.
func (b *builder) relative(s *figures.Show) string {
	start := s.Event.StartsAt
	switch s.Phase {
	case figures.Cancelled, figures.Postponed:
		return s.Phase.String()
	case figures.Over:
		if end := s.Event.EndsAt; !end.IsZero() && !b.now.Before(end) && b.Calendar.Day(end) == b.evening.Day {
			return "over since " + clock(end, b.zone)
		}
		return "over"
	case figures.Running:
		if end := s.Event.EndsAt; !end.IsZero() {
			return "running, ends " + clock(end, b.zone)
		}
		return "running"
	}
	switch {
	case start.IsZero() && s.Phase == figures.Before && !s.Event.DoorsAt.IsZero():
		return "doors " + countdown(b.now, s.Event.DoorsAt)
	case start.IsZero():
		return "time not known"
	}
	return countdown(b.now, start)
}

// where is the hall and its doors.
func (b *builder) where(s *figures.Show) sentence {
	var w sentence
	if s.Event.Hall != "" {
		w = w.name(s.Event.Hall)
	}
	t := s.Event.DoorsAt
	if t.IsZero() || s.Phase != figures.Before && s.Phase != figures.Arriving {
		return w
	}
	if len(w) > 0 {
		w = w.text(" · ")
	}
	if s.Phase == figures.Arriving {
		return w.text("doors since " + clock(t, b.zone))
	}
	return w.text("doors " + clock(t, b.zone))
}

// badge is the word for a performance that does not go ahead; empty for others.
func badge(s *figures.Show) string {
	switch s.Phase {
	case figures.Cancelled:
		return "Cancelled"
	case figures.Postponed:
		return "Postponed"
	}
	return ""
}

// freeWords is what can still be sold: a number with its unit, or that there is nothing.
func freeWords(free figures.Figure[int]) (main num, unit string) {
	if free.Known() && free.Value == 0 && free.Quality == figures.Exact {
		return plain("Sold out"), ""
	}
	return show(free, count), "free"
}

// taken describes places: what can still be sold, and how full the house is.
func (b *builder) taken(s *figures.Show) taken {
	sold := show(s.Sold, count)
	var t taken
	of := func(first string) sentence {
		text := say(first)
		if o := s.Occupancy(); o.Known() {
			text = text.mention(show(o, percent)).text(" sold, ")
		}
		text = text.num(sold)
		if s.Capacity.Known() && !s.Event.Unlimited {
			text = text.text(" of ").num(show(s.Capacity, count))
		}
		if !s.Occupancy().Known() {
			text = text.text(" sold")
		}
		return text
	}
	switch {
	case s.Phase == figures.Cancelled && b.Access.seesMoney():
		t.Main = show(s.ToPayBack, func(m figures.Sums) string { return amounts(s.EventFigures, m) })
		t.Of = say("to pay back; ").num(sold).text(" sold, nothing can be sold")
		return t
	case !s.Phase.GoesAhead():
		return taken{Main: sold, Of: say("sold; nothing can be sold")}
	case s.Event.Unlimited && !s.SoldOut:
		t.Main, t.Of = sold, say("sold, no limit of places")
	case s.Sale == figures.SaleOpen:
		t.Main, t.Unit = freeWords(s.Free)
		t.Of = of("")
	default:
		t.Main, t.Of = sold, say("sold")
		if s.Capacity.Known() {
			t.Of = t.Of.text(" of ").num(show(s.Capacity, count))
		}
		if o := s.Occupancy(); o.Known() {
			t.Of = t.Of.text(", ").mention(show(o, percent))
		}
	}
	switch s.Sale {
	case figures.SaleOver:
		t.Of = t.Of.text(" · the sale is over")
	case figures.SaleNotOpen:
		t.Of = t.Of.text(" · not on sale yet")
	}
	if s.Oversold > 0 {
		t.Of = t.Of.text(", ").strong("oversold by " + count(s.Oversold))
	}
	b.takenParts(s, &t)
	return t
}

// takenParts draws what is known of the places that are taken.
func (b *builder) takenParts(s *figures.Show, t *taken) {
	if !s.Sold.Known() {
		return
	}
	t.Parts = append(t.Parts, keyed{"paid", say(count(s.Paid.Value) + " paid")})
	if n := s.Complimentary.Value; n > 0 {
		t.Parts = append(t.Parts, keyed{"comp", say(count(n) + " complimentary")})
	}
	if n := s.Reserved.Value; n > 0 && s.Reserved.Known() {
		t.Parts = append(t.Parts, keyed{"resv", say(count(n) + " reserved")})
	}
	if n := s.Blocked.Value; n > 0 && s.Blocked.Known() {
		t.Parts = append(t.Parts, keyed{"blocked", say(count(n) + " blocked")})
	}
	if s.Capacity.Known() && s.Capacity.Value > 0 {
		picture := newBar(words(t.Parts), s.Capacity.Value, piece{"paid", s.Paid.Value}, piece{"comp", s.Complimentary.Value},
			piece{"resv", s.Reserved.Value}, piece{"blocked", s.Blocked.Value})
		t.Bar = &picture
	}
}

// words is a key in one line of text.
func words(k key) string {
	texts := make([]string, len(k))
	for i, entry := range k {
		texts[i] = entry.Text.String()
	}
	return list(texts)
}

// stillWords are the visitors who have not come in, before and after curtain.
func stillWords(p figures.Phase, still figures.Figure[int]) sentence {
	s := sentence{}.mention(show(still, count))
	if p == figures.Running {
		return s.text(" " + noun(still.Value, "latecomer"))
	}
	return s.text(" still to come")
}

// cameWords are the visitors of what is over: those who came, and those who did not.
func cameWords(came, away figures.Figure[int], rate figures.Figure[float64]) sentence {
	text := sentence{}.num(show(came, count)).text(" came")
	if away.Known() {
		text = text.text(", ").mention(show(away, count)).text(" did not, ").mention(show(rate, percent))
	}
	return text
}

// arrived describes who is in the building or, once it is over, who came.
func (b *builder) arrived(s *figures.Show) *arrived {
	expected := show(s.Expected, count)
	switch {
	case !s.Attendance.Known() && s.Phase.GoesAhead():
		return &arrived{Main: show(s.Attendance, count), Of: say("").num(expected).text(" expected, no scan data")}
	case s.Leaving:
		a := &arrived{Main: show(s.Inside, count), Of: append(say("leaving · "), cameWords(s.Attendance, s.Away, s.NoShow)...)}
		picture := newBar(count(s.Inside.Value)+" of "+count(s.Attendance.Value)+" still in the building", s.Attendance.Value, piece{"in", s.Inside.Value})
		a.Bar = &picture
		return a
	case !s.Phase.GoesAhead():
		return &arrived{Main: plain(dash), Of: say("nobody is expected")}
	case s.Phase == figures.Over:
		a := &arrived{Main: show(s.Attendance, count), Of: cameWords(s.Attendance, s.Away, s.NoShow)[1:]}
		picture := newBar(count(s.Attendance.Value)+" of "+expected.Text+" visitors came", s.Expected.Value, piece{"in", s.Attendance.Value})
		picture.Mark = "" // more visitors than expected is no fault of the house
		a.Bar = &picture
		return a
	}
	a := &arrived{Main: show(s.Inside, count), Of: say("inside of ").num(expected)}
	if s.Still.Known() {
		a.Of = append(a.Of.text(" · "), stillWords(s.Phase, s.Still)...)
	}
	picture := newBar(count(s.Inside.Value)+" of "+expected.Text+" visitors are in the building", s.Expected.Value, piece{"in", s.Inside.Value})
	picture.Mark = ""
	a.Bar = &picture
	if s.Phase == figures.Arriving {
		for i := range s.Gates {
			if in := s.EntriesIn(&s.Gates[i], 5*time.Minute); in.Known() {
				a.Gates = append(a.Gates, keyed{Text: sentence{}.name(gateName(s.Gates[i].Gate)).text(" " + rate(in.Value) + "/min")})
			}
		}
	}
	return a
}

// sales describes the last 24 hours of the sale by the hour or, where nothing was sold in
// them, the last 7 days by six hours.
func (b *builder) sales(s *figures.Show) *sales {
	if p, ok := newSpark(s.EventFigures, b.at, time.Hour, 24, "Places sold by the hour in the last 24 hours"); ok {
		day := s.SoldIn(24 * time.Hour)
		out := &sales{Main: show(day, count), Of: say(soldWords(day.Value) + " in 24" + nbsp + "h"), Picture: &p}
		if hour := s.SoldIn(time.Hour); hour.Known() && hour.Value != 0 {
			out.Of = out.Of.text(" · " + show(hour, count).Text + " in the last hour")
		}
		return out
	}
	week := s.SoldIn(7 * 24 * time.Hour)
	out := &sales{Main: show(week, count), Of: say(soldWords(week.Value) + " in 7 days")}
	if p, ok := newSpark(s.EventFigures, b.at, 6*time.Hour, 28, "Places sold in steps of six hours in the last 7 days"); ok {
		out.Picture = &p
	}
	return out
}

// soldWords is the word for n places sold; n is negative when more were cancelled.
func soldWords(n int) string {
	if n < 0 {
		return "sold less cancelled"
	}
	return "sold"
}

// side says what was sold today: in money too for those who may see it.
func (b *builder) side(s *figures.Show) side {
	sold := quality(s.Sold.Quality, s.Sold.Reasons, func() string { return count(s.Today.Sold) })
	out := side{Main: sold, Text: soldWords(s.Today.Sold) + " today"}
	if b.Access.seesToday() && (s.Today.Sold != 0 || len(s.Today.Of(figures.Booked)) > 0) {
		out.Extra = sentence{}.mention(bookedWords(&s.Revenue, s.Today, func(m figures.Sums) string { return amounts(s.EventFigures, m) }))
	}
	return out
}

// bookedWords is what was booked of what moved, with the quality of what was booked in all.
func bookedWords(r *figures.Revenue, moved figures.Flow, text func(figures.Sums) string) num {
	q := r.Of(figures.Booked)
	return quality(q.Quality, q.Reasons, func() string { return text(moved.Of(figures.Booked)) })
}
