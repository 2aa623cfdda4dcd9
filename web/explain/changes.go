package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// sinces are the choices of since when, the first of which is the default; another one is a minute or a
// position.
var sinces = []string{"day", sinceClose, "yesterday", "week"}

// sinceClose is since the last evening closed, as in a report of that evening.
const sinceClose = "close"

// sinceMinute is how a minute is written in an address, by the venue's clock.
const sinceMinute = "2006-01-02T15:04"

// readSince takes one of the choices, a minute by the venue's clock, or the number of a position.
func readSince(value string) (normal string, wrong *query.Error) {
	if normal, wrong = query.OneOf(sinces...)(value); wrong == nil {
		return normal, nil
	}
	if at, err := time.Parse(sinceMinute, value); err == nil && at.Year() >= 1970 {
		return value, nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
		return strconv.FormatInt(n, 10), nil
	}
	return "", query.NoneOf(append(sinces[:len(sinces):len(sinces)], "2026-11-21T20:15", "1234")...)
}

// readUntil takes a minute by the venue's clock, or the number of a position.
func readUntil(value string) (normal string, wrong *query.Error) {
	if slices.Contains(sinces, value) {
		return "", query.NoneOf("2026-11-21T20:15", "1234")
	}
	return readSince(value)
}

// ChangesOfFirstVisit is the address of the page for who has not been here before: the changes of today, and from when on the last visit
// counts.
const ChangesOfFirstVisit = web.ChangesPath + "?since=day&visit=" + firstVisit

// firstVisit is the value of the parameter visit of a browser without an earlier one.
const firstVisit = "first"

// ChangesSince returns the address of the page with the changes since a moment.
func ChangesSince(at time.Time, c figures.Calendar) string {
	if c.Zone != nil {
		at = at.In(c.Zone)
	}
	return web.ChangesPath + "?since=" + at.Format(sinceMinute)
}

// Since returns what a value of the parameters since and until means now; the zero value where it is empty.
func Since(value string, s *figures.Snapshot, now time.Time) catalogue.Moment {
	c := s.Calendar
	today := c.Day(now)
	switch value {
	case "day":
		return catalogue.Moment{At: c.Start(today)}
	case sinceClose:
		return catalogue.Moment{At: evening.Closed(s, now)}
	case "yesterday":
		return catalogue.Moment{At: c.Start(today.Add(-1))}
	case "week":
		return catalogue.Moment{At: c.Start(today.Add(-7))}
	}
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	if at, err := time.ParseInLocation(sinceMinute, value, zone); err == nil {
		return catalogue.Moment{At: at}
	}
	revision, _ := strconv.ParseInt(value, 10, 64) // readSince has read it, or it is empty
	return catalogue.Moment{Revision: revision}
}

// Between returns what the values of both parameters mean now, none of them later than that.
func Between(since, until string, s *figures.Snapshot, now time.Time) (from, to catalogue.Moment) {
	from, to = Since(since, s, now), Since(until, s, now)
	for _, m := range []*catalogue.Moment{&from, &to} {
		if m.At.After(now) {
			m.At = now
		}
	}
	return from, to
}

// changesPage is what became different since some moment.
type changesPage struct {
	Title   string
	Choices []web.Link
	// Own is true if the moments are those that were entered, From and To, as a form has them.
	Own      bool
	From, To string
	Head     web.Head
	Moves    []sentence // of the programme
	Rows     []changedRow
	Columns  []string
	First    string // that there was no visit before, and from when on one counts; empty otherwise
	More     bool   // some figures have no column
	Records  []recordRow
	All      sentence
	Amounts  bool
}

// changedRow is a performance with what changed of its figures.
type changedRow struct {
	Title, Href, When string
	Cells             []num
	More, Rest        string // changes of figures without a column: those that somebody acts on, and others
	RestLabel         string
}

// changedKeys are the figures that have a column; those of money for who sees it.
var changedKeys = []figures.Key{figures.KeySold, figures.KeyReserved, figures.KeyCame, figures.KeyCapacity, figures.KeyBooked, figures.KeyNet}

// actedKeys are the figures without a column that somebody acts on, the most important first.
var actedKeys = []figures.Key{figures.KeyOversold, figures.KeyToPayBack, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyToBePaid, figures.KeyToBePaidBack,
	figures.KeyRefundsPending, figures.KeyFree, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyForecast}

// shownChanged is how many performances have a row, and shownMoves how many changes of the programme a line.
const (
	shownChanged = 100
	shownMoves   = 40
)

func (b builder) changes() (web.View, error) {
	c, _ := b.Source.(catalogue.Changed)
	p := changesPage{Title: b.Text("changes.title"), Amounts: b.Access.SeesMoney()}
	for _, s := range sinces {
		p.Choices = append(p.Choices, web.Link{Href: web.ChangesPath + "?since=" + s, Text: b.Code("since", s), Current: s == b.Values.Get("since") && b.Values.Get("until") == "" && b.Values.Get("visit") == ""})
	}
	first := b.Values.Get("visit") == firstVisit
	if first {
		p.First = b.Text("changes.first_visit")
	}
	p.Choices = append(p.Choices, web.Link{Href: web.VisitPath, Text: b.Code("since", "visit"), Current: first})
	p.From, p.To = b.entered(c.From), b.entered(c.Until)
	p.Own = !slices.Contains(sinces, b.Values.Get("since")) || b.Values.Get("until") != ""
	key := "changes.since"
	if !c.Until.IsZero() {
		key = "changes.between"
	}
	p.Head = web.Head{When: b.Say(key, words.Text("when", b.momentLong(c.From)), words.Text("until", b.momentLong(c.Until)), words.Text("after", b.Count(int(c.After))), words.Text("position", b.Count(int(c.UpTo)))), Text: b.changesLede(&c)}
	if c.Late {
		p.Head.When = nil
	}
	for i := range c.Events {
		p.Moves = append(p.Moves, b.moves(&c.Events[i])...)
	}
	if more := len(p.Moves) - shownMoves; more > 0 {
		p.Moves = append(p.Moves[:shownMoves], b.Say("reconcile.more", words.Int("n", more)))
	}
	b.changedRows(&p, &c)
	b.changedRecords(&p, &c)
	return web.View{Title: p.Title, Body: p.body, Fragments: []web.Fragment{{ID: "changes", HTML: p.html()}}}, nil
}

// entered returns a moment as a form has it, empty if there is none.
func (b builder) entered(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(b.Zone).Format(sinceMinute)
}

// momentLong returns a moment with its date: at nine, three in the morning was today, although the venue's day was another.
func (b builder) momentLong(t time.Time) string {
	if t.IsZero() {
		return words.Dash
	}
	date := figures.Day(b.DateOf(t))
	return b.Text("explain.on_day", words.Text("day", b.DayNear(date, b.DayOf(date))), words.Text("time", b.Clock(t, b.Zone)))
}

// changesLede returns a summary of the changes.
func (b builder) changesLede(c *catalogue.Changed) sentence {
	if c.Late {
		return b.Say("changes.late")
	}
	if c.Gone && c.Reading {
		return b.Say("changes.reading")
	}
	if c.Gone {
		return b.Say("changes.gone", words.Text("when", b.momentLong(c.StoredFrom)))
	}
	sold, cancelled := 0, 0
	for i := range c.Events {
		sold, cancelled = sold+c.Events[i].Sold, cancelled+c.Events[i].Cancelled
	}
	var parts []sentence
	if sold > 0 {
		parts = append(parts, b.Say("changes.sold", words.Int("n", sold)))
	}
	if cancelled > 0 {
		parts = append(parts, b.Say("changes.cancelled", words.Int("n", cancelled)))
	}
	if came := c.Total(figures.KeyCame); came.Count > 0 {
		parts = append(parts, b.Say("changes.came", words.Int("n", came.Count)))
	}
	if b.Access.SeesMoney() {
		for _, k := range []figures.Key{figures.KeyBooked, figures.KeyRefunded, figures.KeyNet} {
			if sum := c.Total(k); len(sum.Amount) > 0 {
				parts = append(parts, b.Say("changes.by", words.Text("name", b.Code("figure", string(k))), words.Text("amount", b.signedSums(sum.Amount))))
			}
		}
	}
	var text sentence
	switch {
	case len(parts) > 0:
		text = b.End(words.Join(", ", parts...))
		if c.Aside > 0 {
			text = words.Join(" ", text, b.Say("changes.aside", words.Int("n", c.Aside)))
		}
	case c.Aside > 0: // whether anything has is not known
		text = b.Say("changes.not_compared", words.Int("n", c.Aside))
	default:
		text = b.Say("changes.nothing")
	}
	if c.Cut {
		text = words.Join(" ", text, b.Say("changes.cut", words.Text("when", b.momentLong(c.StoredFrom))))
	}
	return text
}

// signedSums are amounts with a sign also where they are more.
func (b builder) signedSums(s figures.Sums) string {
	return b.changeText(catalogue.Explanation{Definition: catalogue.Define(figures.KeyNet)}, figures.Value{Amount: s})
}

// moves returns what changed of when and where a performance is on.
func (b builder) moves(c *catalogue.EventChange) (all []sentence) {
	a, z := c.Before, c.After
	of := func(e *record.Event) words.Arg {
		name := strings.TrimSpace(e.Title)
		if name == "" {
			name = e.ID
		}
		return words.Name("title", name)
	}
	switch {
	case a == nil && z == nil:
		return nil
	case a == nil:
		return []sentence{b.Say("changes.new", of(z), words.Text("when", b.onText(z)))}
	case z == nil:
		return []sentence{b.Say("changes.not_listed", of(a), words.Text("when", b.onText(a)))}
	}
	if a.Date != z.Date || !a.StartsAt.Equal(z.StartsAt) {
		all = append(all, b.Say("changes.moved", of(z), words.Text("before", b.onText(a)), words.Text("when", b.onText(z))))
	}
	if !a.DoorsAt.Equal(z.DoorsAt) && a.StartsAt.Equal(z.StartsAt) && !z.DoorsAt.IsZero() {
		all = append(all, b.Say("changes.doors", of(z), words.Text("when", b.Clock(z.DoorsAt, b.Zone))))
	}
	if a.Hall != z.Hall {
		all = append(all, b.Say("changes.hall", of(z), words.Name("before", dashed(a.Hall)), words.Name("hall", dashed(z.Hall))))
	}
	if a.Title != z.Title {
		all = append(all, b.Say("changes.renamed", of(z), words.Name("before", dashed(a.Title))))
	}
	if a.Status != z.Status {
		all = append(all, b.Say("changes.status", of(z), words.Text("status", b.Code("event_status", string(z.Status)))))
	}
	return all
}

func dashed(s string) string {
	if s == "" {
		return words.Dash
	}
	return s
}

// onText returns when a performance is on.
func (b builder) onText(e *record.Event) string {
	if !e.StartsAt.IsZero() {
		day := b.Calendar.Day(e.StartsAt)
		return b.Text("explain.on_day", words.Text("day", b.DayNear(day, b.DayOf(day))), words.Text("time", b.Clock(e.StartsAt, b.Zone)))
	}
	if e.Date == "" {
		return words.Dash
	}
	return b.DayOf(figures.Day(e.Date))
}

// changedRows are the performances whose figures changed.
func (b builder) changedRows(p *changesPage, c *catalogue.Changed) {
	var keys []figures.Key
	for _, k := range changedKeys {
		if catalogue.Define(k).Unit == figures.Money && !b.Access.SeesMoney() {
			continue
		}
		for i := range c.Events {
			if by := c.Events[i].Of(k); by.Some() || !by.Known() {
				keys = append(keys, k)
				p.Columns = append(p.Columns, b.FigureTitle(k))
				break
			}
		}
	}
	for i := range c.Events {
		e := &c.Events[i]
		event := e.After
		if event == nil {
			event = e.Before
		}
		if event == nil || len(p.Rows) == shownChanged {
			continue
		}
		row, some := changedRow{Title: dashed(event.Title), When: b.onText(event)}, false
		if e.After != nil {
			row.Href = web.EventHref(event.ID)
		}
		for _, k := range keys {
			by := e.Of(k)
			cell := num{}
			if by.Some() || !by.Known() {
				some = true
				cell = num{Text: words.Dash}
				if by.Known() {
					cell = num{Text: b.changeText(catalogue.Explanation{Definition: catalogue.Define(k)}, by)}
				}
				if e.After != nil {
					cell = b.Explained(k, figures.Scope{Event: event.ID}, cell)
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		more, rest := make([]string, len(actedKeys)), []string(nil)
		for _, by := range e.By {
			d := catalogue.Define(by.Key)
			if slices.Contains(changedKeys, by.Key) || d.Unit == figures.Money && !b.Access.SeesMoney() {
				continue
			}
			text := words.Dash
			if by.Known() {
				text = b.changeText(catalogue.Explanation{Definition: d}, by.Value)
			}
			line := b.Text("changes.figure", words.Text("name", b.Code("figure", string(by.Key))), words.Text("by", text))
			if i := slices.Index(actedKeys, by.Key); i >= 0 {
				more[i] = line
			} else {
				rest = append(rest, line)
			}
		}
		row.More = strings.Join(slices.DeleteFunc(more, func(line string) bool { return line == "" }), " · ")
		if row.Rest = strings.Join(rest, " · "); row.Rest != "" {
			row.RestLabel = b.Text("changes.rest", words.Int("n", len(rest)))
		}
		if row.More != "" || row.Rest != "" {
			some, p.More = true, true
		}
		if some {
			p.Rows = append(p.Rows, row)
		}
	}
}

// changedRecords are the records that made the change, as far as the access includes them.
func (b builder) changedRecords(p *changesPage, c *catalogue.Changed) {
	hidden := 0
	for _, r := range c.Records {
		if r.Kind == record.KindPayment && !b.Access.SeesMoney() {
			hidden++
			continue
		}
		row := recordRow{Kind: b.Code("kind", string(r.Kind)), ID: words.Bare(r.ID), Order: words.Bare(r.Order), Time: b.momentSeconds(r.Seen), Status: b.Code("record_status", r.Status)}
		if p.Amounts && r.Amount.Currency != "" {
			row.Amount = b.Money(r.Amount.Amount, r.Amount.Currency)
		}
		p.Records = append(p.Records, row)
	}
	if len(p.Records) > 0 && hidden == 0 {
		of := "explain.of_all"
		if c.AllAtMost {
			of = "changes.of_at_most"
		}
		p.All = b.Say(of, words.Int("n", len(p.Records)), words.Int("all", c.All))
	}
}
