// Package calendar renders the performances of a month or a week by day: how full each is, what is expected, which went
// on sale, which evenings are free, and where two are in one hall at the same time.
package calendar

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/planning"
	"housecount/aggregator/figures/evening/search"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// The values of the parameter span.
const (
	spanMonth = "month"
	spanWeek  = "week"
)

// The first and the last day that can be asked for.
const (
	firstDay figures.Day = "1970-01-01"
	lastDay  figures.Day = "2199-12-31"
)

// readDay accepts a day that the calendar has.
func readDay(value string) (normal string, wrong *query.Error) {
	if normal, wrong = query.ReadDay(value); wrong == nil && (figures.Day(normal) < firstDay || figures.Day(normal) > lastDay) {
		return query.ReadDay("")
	}
	return normal, wrong
}

// mostWeeks is the most weeks that a month touches. As many are always in the page, so that a month that begins while
// the page is open finds its place.
const mostWeeks = 6

type page struct {
	Head  head
	Weeks []week
	One   bool // a single week is shown
}

// head is the name of the days shown, with links to others.
type head struct {
	Title               string
	Earlier, Later, Now web.Link // Now leads to the present; each is without text where there is none
	Parts               []web.Link
	Weekdays            []string
	Shades              []shade
	Behind              string // what the triangle means, for those who see it
	Empty               string // what is said where there is no performance
}

// week is a row of the calendar. One without days is hidden.
type week struct {
	ID, Title    string
	Folded       bool // on a phone
	Days         []day
	Occupancy    *words.Num
	Sold         words.Sentence
	Shows        words.Sentence
	FreeEvenings string
	Clashes      string
}

type day struct {
	ID, Title, Number  string
	Today, Past, Other bool // Other is outside the month
	Before             bool // not shown on a phone, where a calendar without a month begins today
	Shows              []show
	Folded             []show // those after the first
	More               string // how many they are
	OnSale             []onSale
	Clashes            []words.Sentence
	FreeEvening        bool
	Empty              words.Sentence // the halls that are empty in the evening, though not on others like it
	empty              int            // how many they are
}

// Plain reports whether nothing is said of the day.
func (d *day) Plain() bool {
	return len(d.Shows) == 0 && len(d.OnSale) == 0 && len(d.Clashes) == 0 && !d.FreeEvening && d.empty == 0
}

type show struct {
	ID, Href, Title string
	Time, Hall      string
	Kind            string // the end of the hall's name that a narrow column leaves out
	Class           string // how full it is, or that it is off
	Occupancy       *words.Num
	Expected        string // empty without a forecast
	Sign            string // of per cent, which is only seen where there is room
	State           string // cancelled, sold out and the like
	Oversold        bool
	Behind          string // that it sells far less than usual, for those who may know
}

// onSale is what was sold for the first time on a day.
type onSale struct {
	ID   string
	Href string // empty for several
	Text words.Sentence
}

// shade is a step of how full a performance is, in the legend.
type shade struct{ Class, Text string }

// steps are from which whole percentage the shades are used.
var steps = []int{0, 35, 60, 80, 95}

// shadeOf returns the class of a whole percentage.
func shadeOf(percent int) string {
	i := len(steps) - 1
	for i > 0 && percent < steps[i] {
		i--
	}
	return "o" + strconv.Itoa(i)
}

// weeksAhead is how many weeks from this one on a month has that names no day.
const weeksAhead = 6

// present reports whether the calendar goes ahead from this week: what is past is for who asks for it.
func (b builder) present() bool {
	return b.Values.Get("span") == spanMonth && b.Values.Get("day") == ""
}

// span returns the first and the last day asked for, and the Monday and the Sunday around them.
func (b builder) span() (from, to, monday, sunday figures.Day) {
	d := cmp.Or(figures.Day(b.Values.Get("day")), b.Today)
	from, to = d, d
	switch {
	case b.present():
		from = d.Add(-weekday(d))
		to = from.Add(7*weeksAhead - 1)
	case b.Values.Get("span") == spanMonth:
		t, _ := time.Parse(time.DateOnly, string(d)) // readDay has read it
		from, to = date(t.Year(), t.Month(), 1), date(t.Year(), t.Month()+1, 0)
	}
	monday, sunday = from.Add(-weekday(from)), to.Add(6-weekday(to))
	if b.Values.Get("span") == spanWeek {
		from, to = monday, sunday
	}
	return from, to, monday, sunday
}

func date(year int, month time.Month, day int) figures.Day {
	return figures.Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
}

// weekday returns how many days after Monday a day is.
func weekday(d figures.Day) int {
	t, _ := time.Parse(time.DateOnly, string(d)) // days of a span are dates
	return (int(t.Weekday()) + 6) % 7
}

func (b builder) calendar() (web.View, error) {
	from, to, monday, sunday := b.span()
	const around = 7 * planning.WeeksAround
	b.around = search.Find(b.Evening, search.Query{From: monday.Add(-around), To: sunday.Add(around)})
	b.kinds = kindsOf(b.around)
	shows := slices.DeleteFunc(slices.Clone(b.around), func(s *evening.Show) bool { return s.Date < monday || s.Date > sunday })
	byDay := map[figures.Day][]*evening.Show{}
	for _, s := range shows {
		byDay[s.Date] = append(byDay[s.Date], s)
	}
	clashes := map[figures.Day][]planning.Clash{}
	for _, c := range planning.Clashes(shows) {
		clashes[c.Later.Date] = append(clashes[c.Later.Date], c)
	}
	p := page{Head: b.head(from, to, len(shows) == 0), One: b.Values.Get("span") == spanWeek}
	p.Head.Shades = b.shades()
	if b.Access.SeesToday() {
		p.Head.Behind = b.Text("standing.far_behind")
	}
	n := 1
	if b.Values.Get("span") == spanMonth {
		n = mostWeeks
	}
	for i := range n {
		first := monday.Add(7 * i)
		w := week{ID: "week-" + strconv.Itoa(i)}
		if first <= sunday {
			b.fill(&w, first, byDay, clashes)
			for j := range w.Days {
				on := first.Add(j)
				w.Days[j].Other = on < from || on > to
			}
		}
		p.Weeks = append(p.Weeks, w)
	}
	v := web.View{Title: p.Head.Title + " · " + b.Text("nav.calendar"), Body: p.body, Fragments: []web.Fragment{{ID: "head", HTML: p.Head.html()}}}
	for i := range p.Weeks {
		v.Fragments = append(v.Fragments, web.Fragment{ID: p.Weeks[i].ID, HTML: p.Weeks[i].html()})
	}
	return v, nil
}

// monthOf returns the first day of a day's month.
func monthOf(d figures.Day) figures.Day {
	t, _ := time.Parse(time.DateOnly, string(d)) // days of a span are dates
	return date(t.Year(), t.Month(), 1)
}

func (b builder) head(from, to figures.Day, empty bool) head {
	month := b.Values.Get("span") == spanMonth
	h := head{Parts: b.Tabs()}
	name := func(d figures.Day) string {
		if month {
			return web.Capital(b.Month(string(d), string(b.Today)))
		}
		return b.PeriodOf(d, d.Add(6))
	}
	h.Title = name(from)
	earlier, later := from.Add(-7), to.Add(1)
	if b.present() {
		h.Title = b.PeriodOf(from, to)
	}
	if month { // those that hold the day before and the day after
		earlier, later = monthOf(from.Add(-1)), monthOf(later)
	}
	link := func(d figures.Day, text string) web.Link { return web.Link{Href: b.href(d), Text: text} }
	if earlier >= firstDay {
		h.Earlier = link(earlier, name(earlier))
	}
	if later <= lastDay {
		h.Later = link(later, name(later))
	}
	if b.Today < from || b.Today > to || month && !b.present() {
		h.Now = link("", b.Text("calendar.today"))
	}
	names := b.Weekdays()
	for i := range 7 {
		h.Weekdays = append(h.Weekdays, web.Capital(names[(i+1)%7][0]))
	}
	switch {
	case !empty:
	case len(b.Events) == 0 && !b.ProgrammeKnown():
		h.Empty = b.Text("found.not_known")
	default:
		h.Empty = b.Text("calendar.none")
	}
	return h
}

// href returns the address of the calendar with a day, or of the present one for none.
func (b builder) href(d figures.Day) string {
	values := url.Values{}
	if b.Values.Get("span") == spanWeek {
		values.Set("span", spanWeek)
	}
	if d != "" {
		values.Set("day", string(d))
	}
	if len(values) == 0 {
		return web.CalendarPath
	}
	return web.CalendarPath + "?" + values.Encode()
}

func (b builder) shades() (all []shade) {
	for i, from := range steps {
		percent := func(n int) words.Arg { return words.Text("n", b.Text("number.percent", words.Text("n", b.Count(n)))) }
		s := shade{Class: "o" + strconv.Itoa(i), Text: b.Count(from)}
		switch i {
		case 0:
			s.Text = b.Text("calendar.under", percent(steps[1]))
		case len(steps) - 1:
			s.Text = b.Text("calendar.from", percent(from))
		}
		all = append(all, s)
	}
	return all
}

// fill sets the days of a week and what they come to.
func (b builder) fill(w *week, monday figures.Day, byDay map[figures.Day][]*evening.Show, clashes map[figures.Day][]planning.Clash) {
	var ahead []*evening.Show
	free, conflicts := 0, 0
	for i := range 7 {
		on := monday.Add(i)
		d := b.day(on, byDay[on], clashes[on])
		if d.empty > 0 || d.FreeEvening {
			free++
		}
		conflicts += len(d.Clashes)
		for _, s := range byDay[on] {
			if s.Phase.GoesAhead() {
				ahead = append(ahead, s)
			}
		}
		w.Days = append(w.Days, d)
	}
	w.Title, w.Folded = b.PeriodOf(monday, monday.Add(6)), monday.Add(6) < b.Today || b.present() && monday > b.Today.Add(7)
	if free > 0 {
		w.FreeEvenings = b.Text("calendar.free_evenings", words.Int("n", free))
	}
	if conflicts > 0 {
		w.Clashes = b.Text("calendar.clashes", words.Int("n", conflicts))
	}
	if len(ahead) == 0 {
		return
	}
	w.Shows = b.Say("count.performances", words.Int("n", len(ahead)))
	sold, capacity := planning.Occupied(ahead)
	if capacity.Value == 0 {
		return
	}
	share := figures.OfCapacity(sold, capacity)
	w.Occupancy = new(b.Qualified(share.Quality, share.Reasons, b.Text("number.percent", words.Text("n", b.WholePercent(share.Value)))))
	w.Sold = b.Say("calendar.sold", words.Fig("sold", b.Number(sold)), words.Fig("capacity", b.Number(capacity)))
}

// openShows is how many performances of a day are in sight without unfolding it.
const openShows = 10

func (b builder) day(on figures.Day, shows []*evening.Show, clashes []planning.Clash) day {
	d := day{ID: "day-" + string(on), Title: web.Capital(b.DayShortOf(on)), Today: on == b.Today, Past: on < b.Today, Before: on < b.Today && b.present()}
	t, _ := time.Parse(time.DateOnly, string(on)) // it is a date
	d.Number = strconv.Itoa(t.Day())
	if t.Day() == 1 || t.Weekday() == time.Monday {
		d.Number = b.Text("calendar.day", words.Int("day", t.Day()), words.Text("month", b.Months()[t.Month()-1][1]))
	}
	for _, s := range shows {
		d.Shows = append(d.Shows, b.show(s))
	}
	if n := len(d.Shows); n > openShows+1 { // one more takes no more room than the words of it
		d.Shows, d.Folded, d.More = d.Shows[:openShows], d.Shows[openShows:], b.Text("found.more", words.Int("n", n-openShows))
	}
	if d.Past {
		clashes = nil
	}
	for _, c := range clashes {
		d.Clashes = append(d.Clashes, b.Say("calendar.clash", words.Name("hall", c.Later.Event.Hall), words.Text("time", b.Clock(c.Later.Event.StartsAt, b.Zone)),
			words.Name("first", b.TitleOf(c.Earlier.EventFigures)), words.Name("second", b.TitleOf(c.Later.EventFigures))))
	}
	weekend := t.Weekday() == time.Friday || t.Weekday() == time.Saturday
	d.FreeEvening = weekend && !d.Past && b.isPlanned(on) && !slices.ContainsFunc(shows, func(s *evening.Show) bool { return planning.FillsEvening(b.Evening, s) })
	if weekend && on > b.Today && !d.FreeEvening && b.isPlanned(on) {
		halls := planning.EmptyHalls(b.Evening, on, b.around)
		if d.empty = len(halls); d.empty > 0 {
			d.Empty = b.Say("calendar.empty_halls", words.Part("halls", b.Names(halls)))
		}
	}
	if on <= b.Today {
		d.OnSale = b.onSale(b.Evening.FirstSold(on, on))
	}
	return d
}

// isPlanned reports whether a later day, or this one, has a performance: an evening after all of them is not free but not
// planned yet.
func (b builder) isPlanned(on figures.Day) bool {
	return slices.ContainsFunc(b.Events, func(e *figures.EventFigures) bool { return e.Date >= on })
}

// namedOnSale is how many titles that went on sale on a day are named.
const namedOnSale = 2

// onSale returns what went on sale. Performances of one title are one.
func (b builder) onSale(sold []*figures.EventFigures) (all []onSale) {
	var titles []string
	for _, e := range sold {
		if title := b.TitleOf(e); !slices.Contains(titles, title) {
			titles = append(titles, title)
			all = append(all, onSale{"on-sale-" + url.PathEscape(e.Event.ID), web.EventHref(e.Event.ID), b.Say("calendar.on_sale", words.Name("title", title))})
		}
	}
	if len(all) > namedOnSale {
		return []onSale{{Text: b.Say("calendar.on_sale_many", words.Int("n", len(sold)))}}
	}
	return all
}

// kindsOf returns the last words of the names of halls in which several end, such as Zaal: beside each other they tell nothing apart.
func kindsOf(shows []*evening.Show) map[string]bool {
	halls := map[string]bool{}
	for _, s := range shows {
		halls[s.Event.Hall] = true
	}
	n, kinds := map[string]int{}, map[string]bool{}
	for hall := range halls {
		if i := strings.LastIndexByte(hall, ' '); i > 0 {
			kind := hall[i:]
			n[kind]++
			kinds[kind] = n[kind] > 1
		}
	}
	short := map[string][]string{}
	for hall := range halls { // what another hall is called, in full or in short, is no short name
		short[hall] = append(short[hall], "")
		if i := strings.LastIndexByte(hall, ' '); i > 0 && kinds[hall[i:]] {
			short[hall[:i]] = append(short[hall[:i]], hall[i:])
		}
	}
	for _, same := range short {
		for _, kind := range same {
			kinds[kind] = kinds[kind] && len(same) == 1
		}
	}
	return kinds
}

// hallParts returns the name of a hall, and the end of it that is of its kind alone.
func (b builder) hallParts(hall string) (name, kind string) {
	if i := strings.LastIndexByte(hall, ' '); i > 0 && b.kinds[hall[i:]] {
		return hall[:i], hall[i:]
	}
	return hall, ""
}

func (b builder) show(s *evening.Show) show {
	e := s.EventFigures
	r := show{ID: "show-" + url.PathEscape(e.Event.ID), Href: web.EventHref(e.Event.ID), Title: b.TitleOf(e), Time: words.Dash, Hall: e.Event.Hall, Class: "unknown", Sign: b.Text("number.percent", words.Text("n", ""))}
	r.Hall, r.Kind = b.hallParts(e.Event.Hall)
	if !e.Event.StartsAt.IsZero() {
		r.Time = b.Clock(e.Event.StartsAt, b.Zone)
	}
	if !s.Phase.GoesAhead() {
		r.Class, r.State = "off", b.offState(s)
		return r
	}
	o := e.Occupancy()
	if o.Known() {
		r.Occupancy, r.Class = new(b.Qualified(o.Quality, o.Reasons, b.WholePercent(o.Value))), shadeOf(whole(o.Value))
	}
	if s.Phase == evening.Over {
		return r
	}
	if share := planning.ForecastShare(e); s.Phase == evening.Before && share > 0 {
		r.Expected = b.Text("calendar.expected", words.Text("share", b.WholePercent(share)))
	}
	switch by, over := b.Evening.OverLicensedBy(e); {
	case s.Oversold > 0:
		r.Oversold, r.State = true, b.Text("standing.oversold", words.Int("n", s.Oversold))
	case over:
		r.Oversold, r.State = true, b.Text("standing.over_allowed", words.Int("n", by))
	case search.Is(s, search.StatusSoldOut):
		r.State = b.Code("status", string(search.StatusSoldOut))
	}
	if s.Phase == evening.Before && s.Date > b.Evening.Day && b.Access.SeesToday() {
		if far, ok := b.Evening.FarOff(s); ok && far.Missing() > 0 {
			r.Behind = b.Text("standing.far_behind")
		}
	}
	return r
}

// offState says that a performance is called off; the day of one that is postponed is only what it was.
func (b builder) offState(s *evening.Show) string {
	state := words.Sentence{{Text: b.Code("status", s.Phase.String())}}
	if s.Phase == evening.Postponed {
		state = words.Join(" · ", state, b.Say("show.no_new_date"))
	}
	return state.String()
}

// whole returns a share in whole per cent, rounded as it is shown: what is not full is not 100.
func whole(share float64) int {
	n := int(share*100 + .5)
	if share < 1 {
		n = min(n, 99)
	}
	return n
}
