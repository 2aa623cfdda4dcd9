package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// eventsPage is every performance, as far as it is searched for.
type eventsPage struct {
	Form  finder
	Found found
}

// finder is the form of a search, with what was asked for.
type finder struct {
	Path           string
	Text, From, To string
	Free           string
	Hall           []option
	Status         []option
	Sort           []option
	Narrowed       bool // by more than the text, or in another order
}

// option is an option of a select.
type option struct {
	Value, Text string
	Name        bool // the text is outside text
	Chosen      bool
}

// found is the performances that were found: those of one page of the list.
type found struct {
	Count   sentence
	Columns []column
	Money   bool
	Rows    []foundRow
	// Empty is why there is no row.
	Empty          sentence
	All            string // where all performances are; empty where these are
	Earlier, Later link   // the pages of the list before and after; without text where there is none
}

// column is the head of a column that the list may be ordered by.
type column struct {
	Text, Class string
	Href        string // empty where it is not ordered by that
	Sorted      string // ascending or descending; empty where the list is in another order
}

// foundRow is one performance.
type foundRow struct {
	ID, Href, Title string
	State           string // its phase, a class
	Day, Time, Hall string
	Again           bool   // the row before has the same day
	Now             string // the time, in the first row that is not in the past
	Shape           string // beside Status: on, warn or off
	Status          string
	Free            *num // nil where nothing is on sale
	FreeOf          string
	Sold            sentence
	Occupancy       *num
	Bar             *bar
	Week            *num // sold in seven days, nil where that is past
	Money           *num
	MoneyOf         string
}

// foundRows is how many performances a page of the list has.
const foundRows = 100

// rowsBefore is how many past performances stand above the first that is not, where the list
// opens.
const rowsBefore = 3

// allEvents builds the page of all performances.
func (b *builder) allEvents() (view, error) {
	p := eventsPage{b.finder(), b.found()}
	return view{title: "Events", body: p.body, fragments: []fragment{{"found", p.Found.html()}}}, nil
}

// query is what the parameters ask for.
func (b *builder) query() figures.Query {
	order, descending := strings.CutPrefix(b.params.Get("sort"), "-")
	free, _ := strconv.Atoi(b.params.Get("free")) // the table of pages reads it
	return figures.Query{
		Text: b.params.Get("q"), Words: searchDays[b.Locale], From: figures.Day(b.params.Get("from")), To: figures.Day(b.params.Get("to")), Hall: b.params.Get("hall"),
		Status: figures.Status(b.params.Get("status")), Free: free, Order: figures.Order(order), Descending: descending,
	}
}

func (b *builder) finder() finder {
	p := b.params
	f := finder{Path: eventsPath, Text: p.Get("q"), From: p.Get("from"), To: p.Get("to"), Free: p.Get("free")}
	f.Narrowed = cmp.Or(f.From, f.To, f.Free, p.Get("hall"), p.Get("status")) != "" || p.Get("sort") != defaultSort
	halls := []string{p.Get("hall")}
	for _, e := range b.Events {
		if hall := e.Event.Hall; len(hall) <= nameBytes { // longer ones cannot be asked for
			halls = append(halls, hall)
		}
	}
	slices.Sort(halls)
	f.Hall = []option{{Text: "all"}}
	for _, hall := range slices.Compact(halls) {
		if hall != "" {
			f.Hall = append(f.Hall, option{hall, bare(hall), true, hall == p.Get("hall")})
		}
	}
	f.Status = []option{{Text: "all"}}
	for _, s := range figures.Statuses {
		f.Status = append(f.Status, option{Value: string(s), Text: statusWords(s), Chosen: string(s) == p.Get("status")})
	}
	for _, sort := range sorts() {
		o := option{Value: sort, Text: sortWords(sort), Chosen: sort == p.Get("sort")}
		if sort == defaultSort {
			o.Value = "" // an address names only what is asked for
		}
		f.Sort = append(f.Sort, o)
	}
	return f
}

// defaultSort is the order of the list unless asked for another.
const defaultSort = string(figures.OrderDate)

// sorts are the values of the parameter sort: every order, and with a minus its reverse.
func sorts() []string {
	var all []string
	for _, o := range figures.Orders {
		all = append(all, string(o), "-"+string(o))
	}
	return all
}

func statuses() []string {
	var all []string
	for _, s := range figures.Statuses {
		all = append(all, string(s))
	}
	return all
}

// found builds the list.
func (b *builder) found() found {
	q := b.query()
	shows := b.evening.Find(q)
	out := found{Count: b.foundCount(len(shows)), Columns: b.columns(), Money: b.Access.seesMoney()}
	if len(b.params) > 1 || b.params.Get("sort") != defaultSort {
		out.All = eventsPath
	}
	if len(shows) == 0 {
		out.Empty = b.foundNone(q)
		return out
	}
	first := b.firstFound(q, shows)
	next := min(first+foundRows, len(shows))
	inTime := b.params.Get("sort") == defaultSort
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
		words := "Back to the " + plural(min(first, foundRows), "performance") + " before these"
		if inTime {
			words = plural(first, "earlier performance")
		}
		out.Earlier = link{Href: b.foundHref("skip", strconv.Itoa(max(0, first-foundRows))), Text: words}
	}
	if rest := len(shows) - next; rest > 0 {
		words := plural(rest, "more performance")
		if inTime {
			words = plural(rest, "later performance")
		}
		if last := shows[len(shows)-1].Date; inTime && last != "" {
			words += ", up to " + dayShort(last, b.today)
		}
		out.Later = link{Href: b.foundHref("skip", strconv.Itoa(next)), Text: words}
	}
	return out
}

// firstFound is which of the performances the page of the list begins with. In the order of time
// it opens at the evening and not years ago, unless a first day was asked for.
func (b *builder) firstFound(q figures.Query, shows []*figures.Show) int {
	last := max(0, len(shows)-foundRows)
	if skip, err := strconv.Atoi(b.params.Get("skip")); err == nil {
		if skip >= len(shows) { // there were more when it was asked for
			return last
		}
		return skip
	}
	if b.params.Get("sort") != defaultSort || q.From != "" {
		return 0
	}
	first := slices.IndexFunc(shows, b.isAhead)
	if first < 0 {
		return last
	}
	return max(0, first-rowsBefore)
}

// isAhead says that a performance is on or still to come.
func (b *builder) isAhead(s *figures.Show) bool {
	at := s.Event.StartsAt
	return s.Phase != figures.Over && (s.Phase.Open() || s.Date > b.today || s.Date == b.today && (at.IsZero() || !at.Before(b.now)))
}

// markNow marks the first row that is not in the past, if others are.
func (b *builder) markNow(rows []foundRow, shows []*figures.Show) {
	if i := slices.IndexFunc(shows, b.isAhead); i > 0 {
		rows[i].Now, rows[i].Again = clock(b.now, b.zone), false
	}
}

func (b *builder) foundCount(n int) sentence {
	var s sentence
	if all := len(b.Events); n < all {
		s = s.strong(count(n)).text(" of " + plural(all, "performance"))
	} else {
		s = s.strong(count(n)).text(" " + noun(n, "performance"))
	}
	asOf := b.now
	if b.now.Sub(b.at) > time.Minute { // the last answers are older than the minute before
		asOf = b.at
	}
	if b.at.IsZero() {
		return s
	}
	return s.text(", as of " + clock(asOf, b.zone))
}

// foundNone says why nothing was found.
func (b *builder) foundNone(q figures.Query) sentence {
	switch {
	case len(b.Events) == 0 && !b.programmeKnown():
		return say("The performances are not known yet: the service has not listed them.")
	case len(b.Events) == 0:
		return say("The service lists no performances.")
	case q.From != "" && q.To != "" && q.To < q.From:
		return say("No performance can be found: the last day, " + dayShort(q.To, b.today) + ", is before the first, " + dayShort(q.From, b.today) + ".")
	}
	return say("No performance is like that.")
}

// columns are the heads of the list's columns, but for that of money.
func (b *builder) columns() []column {
	order, descending := strings.CutPrefix(b.params.Get("sort"), "-")
	head := func(text, class string, o figures.Order, first string) column {
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
		head("Date", "day", figures.OrderDate, ""), head("Time", "at", "", ""), head("Performance", "title", figures.OrderTitle, ""),
		head("Hall", "hall", figures.OrderHall, ""), head("Status", "status", "", ""), head("Free", "free", figures.OrderFree, "-"),
		head("Sold", "sold", figures.OrderSold, "-"), head("Occupancy", "occupancy", figures.OrderOccupancy, "-"), head("7 days", "week", "", ""),
	}
}

// foundHref is the address of this search with one parameter changed, from its beginning.
func (b *builder) foundHref(name, value string) string {
	values := b.Params.values()
	values.Del("skip")
	values.Set(name, value)
	if values.Get("sort") == defaultSort {
		values.Del("sort")
	}
	if len(values) == 0 {
		return eventsPath
	}
	return eventsPath + "?" + values.Encode()
}

func (b *builder) foundRow(s *figures.Show) foundRow {
	e := s.EventFigures
	r := foundRow{
		ID: "row-" + url.PathEscape(e.Event.ID), Href: eventHref(e.Event.ID), Title: title(e), State: s.Phase.String(),
		Day: b.foundDay(s), Time: dash, Hall: e.Event.Hall, Sold: soldOf(s.Sold, s.Capacity),
	}
	if !e.Event.StartsAt.IsZero() {
		r.Time = clock(e.Event.StartsAt, b.zone)
	}
	r.Shape, r.Status = standing(s)
	if s.Sale == figures.SaleOpen {
		if e.Event.Unlimited && !s.SoldOut {
			r.FreeOf = "no limit"
		} else {
			r.Free, r.FreeOf = new(show(s.Free, count)), "free"
		}
	}
	if o := e.Occupancy(); o.Known() && s.Phase != figures.Cancelled {
		picture := newBar("", e.Capacity.Value, piece{"paid", e.Sold.Value})
		r.Occupancy, r.Bar = new(show(o, percent)), &picture
	}
	if s.Phase.GoesAhead() && s.Phase != figures.Over {
		r.Week = new(show(s.SoldIn(7*24*time.Hour), signed))
	}
	if !b.Access.seesMoney() {
		return r
	}
	if s.Phase == figures.Cancelled {
		r.Money, r.MoneyOf = new(b.toPayBack(s)), "to pay back"
	} else {
		r.Money, r.MoneyOf = new(show(e.Revenue.Of(figures.Booked), func(m figures.Sums) string { return amounts(e, m) })), "booked"
	}
	return r
}

// foundDay is the day of a performance in a table. One after midnight that belongs to the day
// before is said to be in the night.
func (b *builder) foundDay(s *figures.Show) string {
	if at := s.Event.StartsAt; !at.IsZero() {
		if on := figures.Day(at.In(b.zone).Format(time.DateOnly)); on > s.Date {
			return "night to " + dayShort(on, b.today)
		}
	}
	switch {
	case b.date != b.today: // two days would be called today
	case s.Date == b.date:
		return "today"
	case s.Date == b.date.Add(1):
		return "tomorrow"
	case s.Date == b.date.Add(-1):
		return "yesterday"
	}
	return dayShort(s.Date, b.today)
}

// standing is how a performance stands, in a few words, and the shape beside them.
func standing(s *figures.Show) (shape, words string) {
	switch s.Phase {
	case figures.Cancelled:
		return "off", statusWords(figures.StatusCancelled)
	case figures.Postponed:
		return "off", statusWords(figures.StatusPostponed)
	case figures.Over:
		return "", statusWords(figures.StatusOver)
	case figures.Running:
		return "on", "on now"
	case figures.Arriving:
		if s.Is(figures.StatusSoldOut) {
			return "on", "doors open, sold out"
		}
		return "on", "doors open"
	}
	switch {
	case s.Oversold > 0:
		return "on", "oversold by " + count(s.Oversold)
	case s.Is(figures.StatusSoldOut):
		return "", statusWords(figures.StatusSoldOut)
	case s.Is(figures.StatusOnSale):
		return "", statusWords(figures.StatusOnSale)
	case s.Sale == figures.SaleNotOpen:
		return "", "not on sale yet"
	}
	return "", "sale has ended"
}

func statusWords(s figures.Status) string {
	switch s {
	case figures.StatusOnSale:
		return "on sale"
	case figures.StatusSoldOut:
		return "sold out"
	case figures.StatusCancelled:
		return "cancelled"
	case figures.StatusPostponed:
		return "postponed"
	case figures.StatusOver:
		return "over"
	case figures.StatusComing:
		return "still to come"
	}
	return string(s)
}

func sortWords(sort string) string {
	switch order, descending := strings.CutPrefix(sort, "-"); figures.Order(order) {
	case figures.OrderDate:
		return either(descending, "date, latest first", "date")
	case figures.OrderTitle:
		return either(descending, "title, Z to A", "title")
	case figures.OrderHall:
		return either(descending, "hall, Z to A", "hall")
	case figures.OrderFree:
		return either(descending, "most free", "fewest free")
	case figures.OrderSold:
		return either(descending, "most sold", "fewest sold")
	case figures.OrderOccupancy:
		return either(descending, "fullest", "emptiest")
	}
	return sort
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
