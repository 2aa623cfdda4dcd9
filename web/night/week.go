package night

import (
	"net/url"
	"slices"

	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/marketing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// weekTable is what a letter shows of a week that is over: each day, all of it, what it is compared with, and the
// performances that were filled best and least.
type weekTable struct {
	Money  bool // the amounts are shown
	Days   []weekRow
	Sum    weekRow
	Before []weekRow
	Filled []filledRow
}

// weekRow is a day, or a week. The places and people are of the performances that took place then, the amount is what was
// booked then.
type weekRow struct {
	Title, Note              string
	Sold, Came, Away, Booked words.Num
	Change                   string // of the week's bookings against these; empty if not known
}

// filledRow is a performance that was filled best or least.
type filledRow struct {
	Term, Day, Href, Title string
	Sold, Occupancy        words.Num
}

// week adds the week that was over on a Monday, and the one that began then; it returns nil if nothing took place, was
// booked, or is to take place.
func (b builder) week(l *letter) *letter {
	from, to := l.Day.Add(-7), l.Day.Add(-1)
	shows := b.nights(from, to)
	r := evening.ResultOf(shows)
	ahead := b.nights(l.Day, l.Day.Add(6))
	days := compare.Compare(b.Evening, compare.NewSpan(b.Evening, from, to), compare.Nothing).This
	booked := b.Access.SeesMarketing() && days.Moved()
	if len(shows)+len(ahead) == 0 && !booked {
		return nil
	}
	l.Title = b.Text("letter.last_week_title")
	if r.Came.Known() && r.Shows > 0 {
		l.Title = b.Say("letter.last_week", words.Fig("n", b.OfNight(&r, figures.KeyCame))).String()
	}
	l.Page = l.Public + web.CalendarPath + "?" + url.Values{"span": {"week"}, "day": {string(from)}}.Encode()
	if r.Shows > 0 {
		l.Figs = b.resultFigs(&r, shows)
	}
	if b.Access.SeesMarketing() {
		choices, _, _ := revenueOf(from, to)
		l.Page = l.Public + web.RevenuePath + "?" + choices.Encode()
		l.Figs = append(l.Figs, web.Fig{Term: b.Text("column.booked"), Main: b.ofDays(nil, from, to, figures.KeyBooked), Note: b.Say("figs.places", words.Fig("n", b.ofDays(nil, from, to, figures.KeySold)))})
	}
	if len(shows) > 0 || booked {
		l.Week = b.weekTable(from, to)
		l.Week.Filled = b.filled(shows, l.Public)
	}
	l.NextTitle = b.Text("letter.ahead", words.Text("days", b.PeriodOf(l.Day, l.Day.Add(6))))
	for i, s := range ahead {
		row := b.nextRow(s, l.Public)
		if i == 0 || s.Date != ahead[i-1].Date {
			row.Day = b.DayOf(s.Date)
		}
		l.Next = append(l.Next, row)
	}
	l.Needs = b.needs(true).Rows
	return l
}

// nights returns the performances of the days from..to in order of time.
func (b builder) nights(from, to figures.Day) (shows []*evening.Show) {
	for day := from; day <= to; day = day.Add(1) {
		shows = append(shows, b.Evening.Night(day)...)
	}
	return shows
}

// weekTable returns what took place and was booked on the days of a week.
func (b builder) weekTable(from, to figures.Day) *weekTable {
	t := &weekTable{Money: b.Access.SeesMarketing()}
	for day := from; day <= to; day = day.Add(1) {
		t.Days = append(t.Days, b.weekRow(b.DayShortOf(day), day, day))
	}
	t.Sum = b.weekRow(b.Text("letter.week"), from, to)
	span := compare.NewSpan(b.Evening, from, to)
	for _, with := range []struct {
		title   string
		against compare.Against
	}{{"letter.before", compare.TheOneBefore}, {"letter.last_year", compare.LastYear}} {
		c := compare.Compare(b.Evening, span, with.against)
		row := b.weekRow(b.Text(with.title), c.Before.From, c.Before.To)
		row.Note = b.PeriodOf(c.Before.From, c.Before.To)
		known := c.Comparable() && c.KnownFrom == ""
		switch {
		case known:
			row.Change = b.bookedChange(&c, c.Compared.Of(figures.Booked), c.ComparedBefore.Of(figures.Booked))
		case len(b.nights(c.Before.From, c.Before.To)) == 0:
			continue
		default:
			row.Booked = web.Plain(words.Dash)
		}
		t.Before = append(t.Before, row)
	}
	if c := compare.Compare(b.Evening, span, compare.TheBudget); t.Money {
		if budget := compare.BudgetOf(b.Evening, &c.This); budget.Known() {
			none := web.Plain("")
			t.Before = append(t.Before, weekRow{Title: b.Text("letter.budget"), Sold: none, Came: none, Away: none, Booked: b.ofDays(nil, from, to, figures.KeyBudget),
				Change: b.bookedChange(&c, c.This.Of(figures.Booked), budget.Value)})
		}
	}
	return t
}

// weekRow returns what took place and was booked on the days from..to.
func (b builder) weekRow(title string, from, to figures.Day) weekRow {
	none := web.Plain(words.Dash)
	row := weekRow{Title: title, Sold: none, Came: none, Away: none}
	if r := evening.ResultOf(b.nights(from, to)); r.Shows > 0 {
		row.Sold, row.Came, row.Away = b.OfNight(&r, figures.KeySold), b.OfNight(&r, figures.KeyCame), b.OfNight(&r, figures.KeyNoShows)
	}
	if b.Access.SeesMarketing() {
		row.Booked = b.ofDays(nil, from, to, figures.KeyBooked)
	}
	return row
}

// bookedChange returns how bookings changed; empty if they are in several currencies, or that is not known.
func (b builder) bookedChange(c *compare.Comparison, now, was figures.Sums) string {
	codes := figures.Currencies(now, was)
	if len(codes) != 1 || !b.Access.SeesMarketing() || b.Unread() {
		return ""
	}
	booked := func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Of(figures.Booked) }
	return b.Changed(c, figures.Booked, booked, now.In(codes[0]), was.In(codes[0]))
}

// filled returns the performances that were filled best and least; none if they were filled alike.
func (b builder) filled(shows []*evening.Show, public string) []filledRow {
	best, least, ok := marketing.BestAndLeastFilled(shows)
	if !ok {
		return nil
	}
	row := func(term string, s *evening.Show) filledRow {
		return filledRow{Term: b.Text(term), Day: b.DayShortOf(s.Date), Href: public + web.EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Sold: b.OfShow(s, figures.KeySold), Occupancy: b.OfShow(s, figures.KeyOccupancy)}
	}
	return []filledRow{row("letter.best", best), row("letter.least", least)}
}

// plain writes the week line by line.
func (w *weekTable) plain(t *words.Words, line func(...string)) {
	line()
	for _, r := range slices.Concat(w.Days, []weekRow{w.Sum}, w.Before) {
		line(r.Title, r.Note)
		var parts []string
		if r.Sold.Text != "" {
			parts = append(parts, figure(t.Text("column.sold"), r.Sold), figure(t.Text("column.came"), r.Came), figure(t.Text("column.away"), r.Away))
		}
		if w.Money {
			parts = append(parts, figure(t.Text("column.booked"), r.Booked), r.Change)
		}
		line(append([]string{"      "}, parts...)...)
	}
	if len(w.Filled) > 0 {
		line()
		line(t.Text("letter.filled"))
		for _, r := range w.Filled {
			line(r.Term, r.Day, r.Title)
			line("      ", figure(t.Text("column.sold"), r.Sold), figure(t.Text("column.occupancy"), r.Occupancy))
		}
	}
}

// ofDays returns a figure of the days of sale from..to: of a performance, or of the whole house if e is nil.
func (b builder) ofDays(e *figures.EventFigures, from, to figures.Day, k figures.Key) words.Num {
	s := figures.Scope{From: from, To: to}
	if e != nil {
		s.Event = e.Event.ID
	}
	v, ok := catalogue.Of(b.Evening, k, s)
	if !ok {
		return web.Plain(words.Dash)
	}
	return b.Explained(k, s, b.Figure(catalogue.Define(k), v, "", e))
}
