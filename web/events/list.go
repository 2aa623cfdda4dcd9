package events

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/search"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/query"
	"housecount/web/words"
)

// eventsPage is every performance, as far as it is searched for.
type eventsPage struct {
	Parts []web.Link
	Form  finder
	Found found
}

// finder is the form of a search, with what was asked for.
type finder struct {
	Path           string
	Text, From, To string
	Free           string
	Hall           []web.Choice
	Status         []web.Choice
	Sort           []web.Choice
	Narrowed       bool // by more than the text, or in another order
}

// found is the performances that were found: those of one page of the list.
type found struct {
	Count   words.Sentence
	Columns []column
	Money   bool
	Rows    []foundRow
	// Empty is why there is no row.
	Empty          words.Sentence
	All            string     // where all performances are; empty if these are
	Files          []web.Link // of all that were found
	Earlier, Later web.Link   // the pages of the list before and after; without text where there is none
}

// column is the head of a column that the list may be ordered by.
type column struct {
	Text, Class string
	Href        string // empty if it is not ordered by that
	Sorted      string // ascending or descending; empty if the list is in another order
}

// width returns how many columns the list has.
func (f *found) width() int {
	if f.Money {
		return len(f.Columns) + 1
	}
	return len(f.Columns)
}

// foundRow is one performance.
type foundRow struct {
	ID, Href, Title string
	State           string // its phase, a class
	Day, Time, Hall string
	Again           bool   // the row before has the same day
	Now             string // the time, in the first row that is not in the past; it stands above that
	Shape           string // next to Status: on, bad or off
	Status          string
	Free            *words.Num // nil if nothing is on sale
	FreeOf          string
	Allowed         words.Sentence // how many of them may be sold, where more are free
	Sold            words.Sentence
	Occupancy       *words.Num
	Bar             *charts.Bar
	Week            *words.Num // sold in seven days, nil if that is past
	Money           *words.Num
	MoneyOf         string
}

// foundRows is how many performances a page of the list has.
const foundRows = 36

// rowsBefore is how many past performances stand above the first that is not, where the list
// opens.
const rowsBefore = 3

// list builds the page of all performances.
func (b builder) list() (web.View, error) {
	p := eventsPage{b.Tabs(), b.finder(), b.found()}
	return web.View{Title: b.Text("nav.events"), Body: p.body, Fragments: []web.Fragment{{ID: "found", HTML: p.Found.html()}}}, nil
}

// foundSheets returns the performances that are found, of all pages of the list.
func (b builder) foundSheets() ([]web.Sheet, error) {
	return []web.Sheet{b.PerformanceSheet("housecount-performances-"+string(b.Today), search.Find(b.Evening, b.query()), figures.KeySold7Days)}, nil
}

// query returns what the parameters ask for.
func (b builder) query() search.Query {
	order, descending := strings.CutPrefix(b.Values.Get("sort"), "-")
	free, _ := strconv.Atoi(b.Values.Get("free")) // the table of pages reads it
	return search.Query{
		Text: b.Values.Get("q"), Words: b.dayWords(), From: figures.Day(b.Values.Get("from")), To: figures.Day(b.Values.Get("to")), Hall: b.Values.Get("hall"),
		Status: search.Status(b.Values.Get("status")), Free: free, Order: search.Order(order), Descending: descending,
	}
}

func (b builder) finder() finder {
	p := b.Values
	f := finder{Path: web.EventsPath, Text: p.Get("q"), From: p.Get("from"), To: p.Get("to"), Free: p.Get("free")}
	f.Narrowed = cmp.Or(f.From, f.To, f.Free, p.Get("hall"), p.Get("status")) != "" || p.Get("sort") != defaultSort
	halls := []string{p.Get("hall")}
	for _, e := range b.Events {
		if hall := e.Event.Hall; len(hall) <= query.NameBytes { // longer ones cannot be asked for
			halls = append(halls, hall)
		}
	}
	slices.Sort(halls)
	f.Hall = []web.Choice{{Name: b.Text("finder.all")}}
	for _, hall := range slices.Compact(halls) {
		if hall != "" {
			f.Hall = append(f.Hall, web.Choice{ID: hall, Name: words.Bare(hall), Chosen: hall == p.Get("hall")})
		}
	}
	f.Status = []web.Choice{{Name: b.Text("finder.all")}}
	for _, s := range search.Statuses {
		f.Status = append(f.Status, web.Choice{ID: string(s), Name: b.Code("status", string(s)), Chosen: string(s) == p.Get("status")})
	}
	for _, sort := range sorts() {
		o := web.Choice{ID: sort, Name: b.Code("sort", sort), Chosen: sort == p.Get("sort")}
		if sort == defaultSort {
			o.ID = "" // an address names only what is asked for
		}
		f.Sort = append(f.Sort, o)
	}
	return f
}

// dayWords returns the words for days that a search understands, in the language of the page, and the months of every
// language: who works in one may write a date in another. Weekdays are not among them: their beginnings are words of titles.
func (b builder) dayWords() search.DayWords {
	near := map[string]int{}
	for days, texts := range map[int]string{0: b.Text("near.today"), 1: b.Text("near.tomorrow"), -1: b.Text("near.yesterday")} {
		for text := range strings.SplitSeq(texts, ", ") {
			near[text] = days
		}
	}
	months := b.Months()
	for _, l := range words.Locales {
		for i, names := range words.Of(l).Months() {
			months[i] = append(months[i], names[:]...)
		}
	}
	return search.DayWords{Months: months, Weekdays: b.Weekdays(), Near: near}
}

// defaultSort is the order of the list unless asked for another.
const defaultSort = string(search.OrderDate)

// sorts returns the values of the parameter sort: every order, and with a minus its reverse.
func sorts() []string {
	var all []string
	for _, o := range search.Orders {
		all = append(all, string(o), "-"+string(o))
	}
	return all
}

func statuses() []string {
	var all []string
	for _, s := range search.Statuses {
		all = append(all, string(s))
	}
	return all
}

// found builds the list.
func (b builder) found() found {
	q := b.query()
	shows := search.Find(b.Evening, q)
	out := found{Count: b.foundCount(len(shows)), Columns: b.columns(), Money: b.Access.SeesMoney()}
	if len(b.Values) > 1 || b.Values.Get("sort") != defaultSort {
		out.All = web.EventsPath
	}
	if len(shows) == 0 {
		out.Empty = b.foundNone(q)
		return out
	}
	out.Files = []web.Link{b.SheetLink(web.EventsPath, b.Values)}
	first := b.firstFound(q, shows)
	next := min(first+foundRows, len(shows))
	inTime := b.Values.Get("sort") == defaultSort
	for i, s := range shows[first:next] {
		r := b.foundRow(s)
		if inTime && i > 0 {
			before := &out.Rows[i-1]
			r.Again = r.Day == before.Day
		}
		out.Rows = append(out.Rows, r)
	}
	if inTime {
		b.markNow(out.Rows, shows[first:next])
	}
	if first > 0 {
		text := b.Text("found.back", words.Int("n", min(first, foundRows)))
		if inTime {
			text = b.Text("found.earlier", words.Int("n", first))
		}
		out.Earlier = web.Link{Href: b.foundHref("skip", strconv.Itoa(max(0, first-foundRows))), Text: text}
	}
	if rest := len(shows) - next; rest > 0 {
		text, n := b.Text("found.more", words.Int("n", rest)), words.Int("n", rest)
		if last := shows[len(shows)-1].Date; inTime && last != "" {
			text = b.Text("found.later_to", n, words.Text("day", b.DayShortOf(last)))
		} else if inTime {
			text = b.Text("found.later", n)
		}
		out.Later = web.Link{Href: b.foundHref("skip", strconv.Itoa(next)), Text: text}
	}
	return out
}

// firstFound returns which of the performances the page of the list begins with. In the order of time
// it opens at the evening and not years ago, unless a first day was asked for.
func (b builder) firstFound(q search.Query, shows []*evening.Show) int {
	last := max(0, len(shows)-foundRows)
	if skip, err := strconv.Atoi(b.Values.Get("skip")); err == nil {
		if skip >= len(shows) { // there were more when it was asked for
			return last
		}
		return skip
	}
	if b.Values.Get("sort") != defaultSort || q.From != "" {
		return 0
	}
	first := slices.IndexFunc(shows, b.Evening.IsAhead)
	if first < 0 {
		return last
	}
	return max(0, first-rowsBefore)
}

// markNow marks the first row that is not in the past, if others are.
func (b builder) markNow(rows []foundRow, shows []*evening.Show) {
	if i := slices.IndexFunc(shows, b.Evening.IsAhead); i > 0 {
		rows[i].Now, rows[i].Again = b.Clock(b.Now, b.Zone), false
	}
}

func (b builder) foundCount(n int) words.Sentence {
	asOf := b.Now
	if b.Now.Sub(b.At) > time.Minute { // the last answers are older than the minute before
		asOf = b.At
	}
	found, of, at := words.Int("n", n), words.Int("of", len(b.Events)), words.Text("time", b.Clock(asOf, b.Zone))
	switch all := n >= len(b.Events); {
	case b.At.IsZero() && all:
		return b.Say("found.count", found)
	case b.At.IsZero():
		return b.Say("found.count_of", found, of)
	case all:
		return b.Say("found.count_at", found, at)
	}
	return b.Say("found.count_of_at", found, of, at)
}

// foundNone returns why nothing was found.
func (b builder) foundNone(q search.Query) words.Sentence {
	switch {
	case len(b.Events) == 0 && !b.ProgrammeKnown():
		return b.Say("found.not_known")
	case len(b.Events) == 0:
		return b.Say("found.nothing_listed")
	case q.From != "" && q.To != "" && q.To < q.From:
		return b.Say("found.days_reversed", words.Text("last", b.DayShortOf(q.To)), words.Text("first", b.DayShortOf(q.From)))
	}
	return b.Say("found.none")
}

// columns returns the heads of the list's columns, but for that of money.
func (b builder) columns() []column {
	order, descending := strings.CutPrefix(b.Values.Get("sort"), "-")
	head := func(text, class string, o search.Order, first string) column {
		c := column{Text: text, Class: class}
		if o == "" {
			return c
		}
		sort := first + string(o)
		if string(o) == order {
			c.Sorted, sort = "ascending", "-"+order
			if descending {
				c.Sorted, sort = "descending", order
			}
		}
		c.Href = b.foundHref("sort", sort)
		return c
	}
	return []column{
		head(b.Text("column.date"), "day", search.OrderDate, ""), head(b.Text("column.time"), "at", "", ""),
		head(b.Text("column.performance"), "title", search.OrderTitle, ""), head(b.Text("column.hall"), "hall", search.OrderHall, ""),
		head(b.Text("column.status"), "status", "", ""), head(b.Text("column.free"), "free", search.OrderFree, "-"),
		head(b.Text("column.sold"), "sold", search.OrderSold, "-"), head(b.Text("column.occupancy"), "occupancy", search.OrderOccupancy, "-"),
		head(b.Text("column.week"), "week", "", ""),
	}
}

// foundHref returns the address of this search with one parameter changed, from its beginning.
func (b builder) foundHref(name, value string) string {
	values := b.Params.Values()
	values.Del("skip")
	values.Set(name, value)
	if values.Get("sort") == defaultSort {
		values.Del("sort")
	}
	if len(values) == 0 {
		return web.EventsPath
	}
	return web.EventsPath + "?" + values.Encode()
}

func (b builder) foundRow(s *evening.Show) foundRow {
	e := s.EventFigures
	r := foundRow{
		ID: "row-" + url.PathEscape(e.Event.ID), Href: web.EventHref(e.Event.ID), Title: b.TitleOf(e), State: s.Phase.String(),
		Day: b.foundDay(s), Time: words.Dash, Hall: e.Event.Hall, Sold: b.SoldOfShow(s),
	}
	if !e.Event.StartsAt.IsZero() {
		r.Time = b.Clock(e.Event.StartsAt, b.Zone)
	}
	if s.Phase == evening.Postponed { // its day and time are no longer those on which it is on
		r.Day = b.Text("show.was", words.Text("when", r.Day))
	}
	r.Shape, r.Status = b.standing(s)
	if s.Sale == evening.SaleOpen {
		if e.Event.Unlimited && !s.SoldOut {
			r.FreeOf = b.Text("found.no_limit")
		} else {
			r.Free, r.FreeOf = new(b.Number(s.Free)), b.Text("places.free")
			if !noneAllowed(s) { // else its status says so
				r.Allowed = b.Allowed(s)
			}
		}
	}
	if o := e.Occupancy(); o.Known() && s.Phase != evening.Cancelled {
		picture := charts.NewBar("", e.Capacity.Value, charts.Beyond(e.Capacity.Value, charts.Piece{Class: "paid", N: e.Sold.Value})...)
		r.Occupancy, r.Bar = new(b.Qualified(o.Quality, o.Reasons, b.Percent(o.Value))), &picture
	}
	if s.Phase.GoesAhead() && s.Phase != evening.Over {
		week := s.SoldInWeek
		r.Week = new(b.Qualified(week.Quality, week.Reasons, b.Signed(week.Value)))
	}
	if !b.Access.SeesMoney() {
		return r
	}
	if s.Phase == evening.Cancelled {
		r.Money, r.MoneyOf = new(b.OfShow(s, figures.KeyToPayBack)), b.Text("found.to_pay_back")
	} else {
		r.Money, r.MoneyOf = new(b.AmountOf(e, e.Revenue.Of(figures.Booked))), b.Text("found.booked")
	}
	return r
}

// foundDay returns the day of a performance in a table. One after midnight that belongs to the day
// before is said to be in the night.
func (b builder) foundDay(s *evening.Show) string {
	if at := s.Event.StartsAt; !at.IsZero() {
		if on := figures.Day(at.In(b.Zone).Format(time.DateOnly)); on > s.Date {
			return b.Text("date.night_to", words.Text("day", b.DayShortOf(on)))
		}
	}
	return b.DayNear(s.Date, b.DayShortOf(s.Date))
}

// standing returns the status of a performance in a few words, and the shape next to them.
func (b builder) standing(s *evening.Show) (shape, text string) {
	switch s.Phase {
	case evening.Postponed:
		return "off", words.Join(" · ", words.Sentence{{Text: b.Code("status", s.Phase.String())}}, b.Say("show.no_new_date")).String()
	case evening.Cancelled:
		return "off", b.Code("status", s.Phase.String())
	case evening.Over:
		return "", b.Code("status", string(search.StatusOver))
	case evening.Running:
		return "on", b.Text("standing.on_now")
	case evening.Arriving:
		if s.Oversold > 0 {
			return "bad", b.Text("standing.doors_open_oversold", words.Int("n", s.Oversold))
		}
		if s.Verdict.Call == arriving.Hold {
			return "warn", b.Text("standing.doors_open_hold")
		}
		if search.Is(s, search.StatusSoldOut) {
			return "on", b.Text("standing.doors_open_sold_out")
		}
		if noneAllowed(s) {
			return "warn", words.Join(" · ", words.Sentence{{Text: b.Text("standing.doors_open")}}, b.Say("places.none_allowed")).String()
		}
		return "on", b.Text("standing.doors_open")
	}
	switch {
	case s.Oversold > 0:
		return "bad", b.Text("standing.oversold", words.Int("n", s.Oversold))
	case search.Is(s, search.StatusSoldOut):
		return "", b.Code("status", string(search.StatusSoldOut))
	case noneAllowed(s):
		return "warn", b.Text("places.none_allowed")
	case search.Is(s, search.StatusOnSale):
		return "", cmp.Or(b.goodToKnow(s), b.Code("status", string(search.StatusOnSale)))
	case s.Sale == evening.SaleNotOpen:
		return "", b.Text("standing.not_on_sale")
	}
	return "", b.Text("standing.sale_ended")
}

// noneAllowed reports whether places are empty of which none may be sold, for the people allowed in the hall.
func noneAllowed(s *evening.Show) bool {
	return s.Sale == evening.SaleOpen && s.Phase != evening.Running && s.Limited() && s.Free.Value == 0
}

// goodToKnow returns how the sale of a performance to come goes, where that is far from what is usual, for those
// who see what is sold; nobody has to do anything about it now.
func (b builder) goodToKnow(s *evening.Show) string {
	if s.Phase != evening.Before || s.Date <= b.Evening.Day {
		return ""
	}
	if far, ok := b.Evening.FarOff(s); ok && b.Access.SeesToday() {
		if far.Missing() > 0 {
			return b.Text("standing.far_behind")
		}
		return b.Text("standing.far_ahead")
	}
	if s.NearlyFull() && s.Oversold == 0 {
		return b.Text("standing.nearly_full")
	}
	return ""
}
