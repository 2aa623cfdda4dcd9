package web

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// row is one performance on Tonight, always with the same columns: when, what, taken,
// arrived, and what it did today.
type row struct {
	Href, Title string
	State       string // a class: before, arriving, running, ended, cancelled
	Level       level  // of its loudest notice
	Time        string // of curtain
	Relative    string
	Where       sentence
	Badge       string

	Taken   taken
	Arrived *arrived
	Spark   *sales
	Side    side
}

// taken is how full the house is.
type taken struct {
	Main  num
	Of    sentence
	Bar   *bar // nil where nothing is known to draw
	Parts []keyed
}

// keyed is one entry of a key: a swatch's class and its words.
type keyed struct {
	Class string
	Text  sentence
}

// arrived is how many have come.
type arrived struct {
	Main num
	Of   sentence
	Bar  *bar
	// Gates are the rates of the last five minutes.
	Gates []keyed
}

// sales is shown in place of the arrivals until the doors open.
type sales struct {
	Main    num
	Of      sentence
	Picture *spark
}

// side is what the performance did today.
type side struct {
	Main []num
	Text string
	// Extra is shown only where there are few performances.
	Extra string
}

// The paths of the pages of all events and of one.
const (
	eventsPath = "/events"
	eventPath  = "/events/{event}"
)

func eventHref(id string) string { return strings.Replace(eventPath, "{event}", url.PathEscape(id), 1) }

func (p phase) String() string {
	return [...]string{"before", "arriving", "running", "ended", "cancelled"}[p]
}

// row describes e.
func (b *builder) row(e *figures.EventFigures, loudest level) row {
	p := b.phase(e)
	r := row{
		Href:  eventHref(e.Event.ID),
		Title: title(e), State: p.String(), Level: loudest,
		Time: dash, Relative: b.relative(e), Where: b.where(e), Badge: badge(e),
		Taken: b.taken(e), Side: b.side(e),
	}
	if !e.Event.StartsAt.IsZero() {
		r.Time = clock(e.Event.StartsAt, b.zone)
	}
	if p == before || p == cancelled {
		r.Spark = b.sales(e)
	} else {
		r.Arrived = b.arrived(e)
	}
	return r
}

func title(e *figures.EventFigures) string { return cmp.Or(e.Event.Title, "Untitled") }

// relative says how far off the curtain is.
func (b *builder) relative(e *figures.EventFigures) string {
	start := e.Event.StartsAt
	switch p := b.phase(e); {
	case p == cancelled:
		return ""
	case p == ended:
		return "ended"
	case start.IsZero() && p == before && !e.Event.DoorsAt.IsZero():
		return "doors " + countdown(b.now, e.Event.DoorsAt)
	case start.IsZero():
		return "time not known"
	case p == running:
		if m := minutesBetween(start, b.now); m > 0 {
			return "started " + spell(m) + " ago"
		}
		return "starting now"
	}
	return countdown(b.now, start)
}

// where is the hall and its doors.
func (b *builder) where(e *figures.EventFigures) sentence {
	var s sentence
	if e.Event.Hall != "" {
		s = s.name(e.Event.Hall)
	}
	if p := b.phase(e); p == before || p == arriving {
		if t := e.Event.DoorsAt; !t.IsZero() {
			if len(s) > 0 {
				s = s.text(" · ")
			}
			word := "doors "
			if p == arriving {
				word = "doors since "
			}
			s = s.text(word + clock(t, b.zone))
		}
	}
	return s
}

func badge(e *figures.EventFigures) string {
	switch e.Event.Status {
	case record.EventCancelled:
		return "Cancelled"
	case record.EventPostponed:
		return "Postponed"
	case record.EventSoldOut:
		return "Sold out"
	}
	return ""
}

// taken describes occupancy.
func (b *builder) taken(e *figures.EventFigures) taken {
	sold := show(e.Sold, count)
	t := taken{Main: show(e.Occupancy(), percent)}
	switch {
	case e.Event.Unlimited:
		t.Main = sold
		t.Of = say("sold, no limit of places")
	case e.Capacity.Known():
		t.Of = say("").num(sold).text(" sold of ").num(show(e.Capacity, count))
	default:
		t.Of = say("").num(sold).text(" sold")
	}
	if e.Oversold > 0 {
		t.Of = t.Of.text(", ").strong("oversold by " + count(e.Oversold))
	}
	left, only := onlyFree(e)
	if only {
		t.Of = t.Of.text(" · ").num(show(left, count)).text(" free")
	}
	if !e.Sold.Known() {
		return t
	}
	t.Parts = append(t.Parts, keyed{"paid", say(count(e.Paid.Value) + " paid")})
	if n := e.Complimentary.Value; n > 0 {
		t.Parts = append(t.Parts, keyed{"comp", say(count(n) + " complimentary")})
	}
	if n := e.Reserved.Value; n > 0 && e.Reserved.Known() {
		t.Parts = append(t.Parts, keyed{"resv", say(count(n) + " reserved")})
	}
	if n := e.Blocked.Value; n > 0 && e.Blocked.Known() {
		t.Parts = append(t.Parts, keyed{"blocked", say(count(n) + " blocked")})
	}
	if left.Known() && !e.Event.Unlimited && e.Oversold == 0 {
		t.Parts = append(t.Parts, keyed{"free", sentence{{Num: new(show(left, count))}}.text(" free")})
	}
	if e.Capacity.Known() && e.Capacity.Value > 0 {
		picture := newBar(words(t.Parts), e.Capacity.Value, piece{"paid", e.Paid.Value}, piece{"comp", e.Complimentary.Value},
			piece{"resv", e.Reserved.Value}, piece{"blocked", e.Blocked.Value})
		t.Bar = &picture
	}
	return t
}

// words is a key in one line of text.
func words(key []keyed) string {
	texts := make([]string, len(key))
	for i, k := range key {
		texts[i] = k.Text.String()
	}
	return list(texts)
}

// arrived describes attendance.
func (b *builder) arrived(e *figures.EventFigures) *arrived {
	a := &arrived{Main: show(e.Attendance, count)}
	expected := show(e.Expected, count)
	if !e.Attendance.Known() {
		a.Of = say("").num(expected).text(" expected, no scan data")
		return a
	}
	f := b.flow(e)
	a.Of = say("of ").num(expected).text(" arrived")
	switch miss := b.evening.Show(e).NoShow; {
	case f.arriving && f.still.Value > 0 && f.in5.Value > 0:
		a.Of = a.Of.text(" · " + rate(f.in5.Value) + " a minute")
	case f.arriving && f.still.Value > 0 && f.in5.Known():
		a.Of = a.Of.text(" · nobody in 5" + nbsp + "min")
	case miss.Known():
		a.Of = say("of ").num(expected).text(" came · no-show ").num(show(miss, percent))
	}
	label := count(e.Attendance.Value) + " of " + expected.Text + " visitors have come in"
	picture := newBar(label, e.Expected.Value, piece{"in", e.Attendance.Value})
	picture.Mark = "" // more visitors than expected is no fault of the house
	a.Bar = &picture
	if f.arriving && f.in5.Known() {
		for i := range e.Gates {
			g := &e.Gates[i]
			a.Gates = append(a.Gates, keyed{Text: sentence{}.name(gateName(g.Gate)).text(" " + rate(g.EntriesIn(b.at, 5*time.Minute)) + "/min")})
		}
	}
	return a
}

// sales describes the last 24 hours of the sale by the hour or, where nothing was sold in
// them, the last 7 days by six hours.
func (b *builder) sales(e *figures.EventFigures) *sales {
	if p, ok := newSpark(e, b.at, time.Hour, 24, "Places sold by the hour in the last 24 hours"); ok {
		day := b.soldIn(e, 24*time.Hour)
		s := &sales{Main: show(day, count), Of: say(soldWords(day.Value) + " in 24" + nbsp + "h"), Picture: &p}
		if hour := b.soldIn(e, time.Hour); hour.Known() && hour.Value != 0 {
			s.Of = s.Of.text(" · " + show(hour, count).Text + " in the last hour")
		}
		return s
	}
	week := b.soldIn(e, 7*24*time.Hour)
	s := &sales{Main: show(week, count), Of: say(soldWords(week.Value) + " in 7 days")}
	if p, ok := newSpark(e, b.at, 6*time.Hour, 28, "Places sold in steps of six hours in the last 7 days"); ok {
		s.Picture = &p
	}
	return s
}

// soldWords is the word for n places sold; n is negative when more were cancelled.
func soldWords(n int) string {
	if n < 0 {
		return "sold less cancelled"
	}
	return "sold"
}

// bookedToday is what was booked on the running day of sale.
func (b *builder) bookedToday(days []*figures.DayFigures) (sold int, booked figures.Sums) {
	today := b.evening.BookedToday(days)
	return today.Sold, today.Of(figures.Booked)
}

// soldToday is sold as text, with the quality of what e sold in all.
func soldToday(e *figures.EventFigures, sold int) num {
	return quality(e.Sold.Quality, e.Sold.Reasons, func() string { return count(sold) })
}

// side says what the performance did today: in money for those who may see it.
func (b *builder) side(e *figures.EventFigures) side {
	sold, booked := b.bookedToday(e.SaleDays)
	if !b.Access.seesToday() || len(booked) == 0 {
		return side{Main: []num{soldToday(e, sold)}, Text: soldWords(sold) + " today"}
	}
	q := e.Revenue.Of(figures.Booked)
	s := side{Text: "booked today", Extra: plural(sold, "place")}
	for _, m := range booked {
		s.Main = append(s.Main, quality(q.Quality, q.Reasons, func() string { return money(m.Amount, m.Currency) }))
	}
	return s
}
