package web

import (
	"cmp"
	"encoding/csv"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// ExportName is the last part of the address of an export, after the address of the page.
const ExportName = "/figures.csv"

// Exports reports whether the page has an export.
func (p *Page) Exports() bool { return p.Export != nil }

// exportLink returns a link to the export of the page at a path, with the page's choices.
func (b *Builder) exportLink(path string, choices url.Values) Link {
	if path += ExportName; choices != nil {
		path += "?" + choices.Encode()
	}
	return Link{Href: path, Text: b.Text("export.link")}
}

// exportTable is a table for a spreadsheet; its first row has the heads.
type exportTable struct {
	name string // of the file
	rows [][]string
}

// Export writes the figures of the requested page as a CSV table and returns a name for the file. Values
// and their quality are those of explanations. The table is UTF-8 with a byte order mark. The column
// separator and the decimal mark are those of spreadsheets in the request's language; there is no thousands
// separator. Dates are YYYY-MM-DD, currencies have a column of their own, and each head ends with a name
// that is the same in every language. Text from outside is never a formula. Its errors are those of Page.
func (r *Renderer) Export(w io.Writer, f Frame) (name string, err error) {
	if err := f.Request.check(); err != nil {
		return "", err
	}
	page := PageNamed(f.Request.Page)
	if !page.Exports() || f.Ready && !f.Request.Exists(f.Snapshot) {
		return "", ErrNotFound
	}
	b := NewBuilder(f.Request, f.Snapshot, f.Now)
	b.recent = &r.recent
	b.makeEvening()
	s, err := page.Export(b)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return "", err
	}
	table := csv.NewWriter(w)
	table.UseCRLF = true
	table.Comma = b.BetweenColumns()
	return s.name, table.WriteAll(s.rows)
}

// Cell returns text from outside as a cell that no spreadsheet takes for a formula.
func Cell(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " \u00a0\n"), "=+-@\t\r＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// columnHead returns the head of a column.
func (b *Builder) columnHead(name, key string) string {
	return b.Text("export.column", words.Text("name", name), words.Text("key", key))
}

// heads returns the heads of columns that are not figures.
func (b *Builder) heads(keys ...string) (heads []string) {
	for _, key := range keys {
		heads = append(heads, b.columnHead(b.Code("export_column", key), key))
	}
	return heads
}

// exportValue returns a figure in one currency and its quality as cells; the value is empty if it is not
// known.
func (b *Builder) exportValue(d *catalogue.Definition, v figures.Value, currency string) (value, quality string) {
	quality = qualities[v.Quality]
	switch {
	case !v.Known():
	case d.Unit.Ratio():
		value = b.Plain(strconv.FormatFloat(v.Share, 'f', 4, 64))
	case d.Unit != figures.Money:
		value = strconv.Itoa(v.Count)
	default:
		value = b.Plain(major(v.Amount.In(currency), currency).String())
	}
	return value, quality
}

// The kinds of rows in the export of Revenue.
const (
	rowTotal       = "total"
	rowDay         = "day"
	rowPerformance = "performance"
)

// exportRevenue returns the period that Revenue shows: for each currency the sum, the days and the
// performances, with every figure that days of sale have.
func (b *Builder) exportRevenue() (exportTable, error) {
	c := b.comparison()
	codes, byEvent := b.revenueCurrencies(&c), b.Evening.ByEvent(c.This.From, c.This.To)
	s := exportTable{name: "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)}
	var keys []figures.Key
	head := b.heads("row", "from", "to", "performance", "title", "date", "currency")
	columns := func(d *catalogue.Definition, _ figures.Value) {
		if d.Key == figures.KeyStandsIn && !b.Total.BookedStandsIn() {
			return
		}
		keys = append(keys, d.Key)
		name := b.figureTitle(d.Key)
		head = append(head, b.columnHead(name, string(d.Key)), b.columnHead(b.Text("export.quality", words.Text("name", name)), string(d.Key)+"_quality"))
	}
	catalogue.Each(b.Evening, figures.Scope{From: c.This.From, To: c.This.To}, columns)
	open := catalogue.Define(figures.KeyOpenItems)
	columns(open, figures.Value{})
	compared := c.Comparable() && c.KnownFrom == ""
	befores := b.Evening.Befores(&c, byEvent)
	if compared {
		name := "column.booked_before"
		if c.Against == evening.LastYear {
			name = "column.last_year"
		}
		head = append(head, b.columnHead(b.Text(name), "booked_before"))
	}
	s.rows = append(s.rows, head)
	for _, code := range codes {
		of := ofPeriod(c.This, code)
		row := func(kind string, of figures.Scope, e *figures.EventFigures, orders evening.Bridge, before *figures.Flow, each func(func(*catalogue.Definition, figures.Value))) {
			cells := make([]string, len(head))
			copy(cells, []string{kind, string(of.From), string(of.To), "", "", "", code})
			if e != nil {
				copy(cells[3:], []string{Cell(e.Event.ID), Cell(words.Bare(b.TitleOf(e))), string(e.Date)})
			} else if kind == rowPerformance {
				cells[4] = b.Text("revenue.unattributed")
			}
			add := func(d *catalogue.Definition, v figures.Value) {
				i := slices.Index(keys, d.Key)
				if i >= 0 && (d.Unit == figures.Money || len(codes) == 1) { // places are counted over all currencies
					at := 7 + 2*i
					cells[at], cells[at+1] = b.exportValue(d, v, code)
				}
			}
			each(add)
			add(open, open.OfOrders(&orders))
			if compared && before != nil {
				cells[len(cells)-1] = b.Plain(major(before.Of(figures.Booked).In(code), code).String())
			}
			s.rows = append(s.rows, cells)
		}
		inScope := func(of figures.Scope) func(func(*catalogue.Definition, figures.Value)) {
			return func(each func(*catalogue.Definition, figures.Value)) { catalogue.Each(b.Evening, of, each) }
		}
		row(rowTotal, of, nil, b.Evening.Bridge(of.From, of.To), &c.ComparedBefore, inScope(of))
		for i := range c.This.Days {
			day := of
			day.From, day.To = c.This.Days[i].Day, c.This.Days[i].Day
			var before *figures.Flow
			if len(c.Buckets) == len(c.This.Days) { // of a long period they are months
				before = c.Buckets[i].Before
			}
			row(rowDay, day, nil, b.Evening.Bridge(day.From, day.To), before, inScope(day))
		}
		events := b.rankedEvents(code, byEvent, len(codes) == 1)
		for i := range events {
			var before *figures.Flow
			if f, ok := befores[events[i].Event]; ok {
				before = &f.Flow
			}
			row(rowPerformance, of, events[i].Event, b.Evening.BridgeOf(events[i].Event, of.From, of.To), before, func(each func(*catalogue.Definition, figures.Value)) {
				catalogue.EachOf(b.Evening, &events[i], of, each)
			})
		}
	}
	return s, nil
}

// rankedEvents returns the performances with movements in a currency, or with any movement if places are
// shown, by what was booked, largest first.
func (b *Builder) rankedEvents(code string, byEvent []evening.EventPeriod, places bool) []evening.EventPeriod {
	events := slices.DeleteFunc(slices.Clone(byEvent), func(p evening.EventPeriod) bool {
		return !places && !p.MovedIn(code)
	})
	slices.SortStableFunc(events, func(x, y evening.EventPeriod) int {
		return cmp.Compare(b.booked(y.Flow).In(code), b.booked(x.Flow).In(code))
	})
	return events
}

// inFileName returns an id as part of a file name, with only a-z, 0-9 and hyphens.
func inFileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(id))
}

// units are the names of the units of figures.
var units = [...]string{figures.Places: "places", figures.People: "people", figures.Share: "share", figures.Money: "money",
	figures.Mean: "mean", figures.OrderCount: "orders", figures.Contact: "contacts", figures.PerMinute: "people_per_minute"}

// Heads of the columns of figures, which follow the columns of their subject.
var (
	figureHeads      = []string{"figure", "name", "value", "low", "high", "unit", "currency", "quality", "reasons", "as_of"}
	performanceHeads = slices.Concat([]string{"performance", "title", "date"}, figureHeads)
	salesHeads       = slices.Concat([]string{"from", "to", "list", "part"}, figureHeads)
)

// addFigures adds a row for each figure of a scope that the access includes; an amount has one for each
// currency. subject has the leading cells, which name what the figures are of.
func (b *Builder) addFigures(s *exportTable, subject []string, of figures.Scope, each func(func(*catalogue.Definition, figures.Value))) {
	asOf, all := "", b.Total.Of(figures.Booked).Value
	if !b.AsOf.IsZero() {
		asOf = b.AsOf.In(b.Zone).Format(time.RFC3339)
	}
	if of.Event != "" {
		all = b.Event(of.Event).Revenue.Of(figures.Booked).Value
	}
	each(func(d *catalogue.Definition, v figures.Value) {
		if !b.Access.explains(d, of) {
			return
		}
		reasons := make([]string, len(v.Reasons))
		for i, r := range v.Reasons {
			reasons[i] = b.Code("reason", string(r))
		}
		codes := []string{""}
		if d.Unit == figures.Money {
			if codes = Currencies(v.Amount); len(codes) == 0 {
				codes = append(Currencies(all), "")[:1]
			}
		}
		for _, code := range codes {
			value, quality := b.exportValue(d, v, code)
			low, high := "", ""
			if v.Band != (figures.Band{}) {
				low, high = strconv.Itoa(v.Band.Low), strconv.Itoa(v.Band.High)
			}
			s.rows = append(s.rows, append(slices.Clip(subject), string(d.Key), b.figureTitle(d.Key), value, low, high, units[d.Unit], code, quality, strings.Join(reasons, "; "), asOf))
		}
	})
}

// addScope adds every figure of a scope.
func (b *Builder) addScope(s *exportTable, subject []string, of figures.Scope) {
	b.addFigures(s, subject, of, func(each func(*catalogue.Definition, figures.Value)) { catalogue.Each(b.Evening, of, each) })
}

// addPerformance adds every figure of a performance.
func (b *Builder) addPerformance(s *exportTable, e *figures.EventFigures) {
	b.addScope(s, []string{Cell(e.Event.ID), Cell(words.Bare(b.TitleOf(e))), string(e.Date)}, figures.Scope{Event: e.Event.ID})
}

// exportEvent returns the figures of a performance.
func (b *Builder) exportEvent() (s exportTable, err error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return s, ErrNotFound
	}
	s.name = "housecount-performance-" + string(e.Date) + "-" + inFileName(e.Event.ID)
	s.rows = append(s.rows, b.heads(performanceHeads...))
	b.addPerformance(&s, e)
	return s, nil
}

// exportTonight returns last night's figures while Tonight shows them, those of the evening, and those of
// the performances of both.
func (b *Builder) exportTonight() (s exportTable, err error) {
	v := b.Evening
	s.name = "housecount-tonight-" + string(v.Day)
	s.rows = append(s.rows, b.heads(performanceHeads...))
	if len(v.LastNight) > 0 {
		b.addScope(&s, []string{"", b.Text("revenue.all"), string(v.Day.Add(-1))}, figures.Scope{Night: true})
	}
	b.addScope(&s, []string{"", b.Text("revenue.all"), string(v.Day)}, figures.Scope{})
	for _, show := range slices.Concat(v.LastNight, v.Shows) {
		b.addPerformance(&s, show.EventFigures)
	}
	return s, nil
}

// exportMarketing returns the sales of the performances that Marketing shows, in total and by each of its
// lists.
func (b *Builder) exportMarketing() (s exportTable, err error) {
	from, to := b.performanceDays()
	m, of := b.Evening.Marketing(from, to), figures.Scope{From: from, To: to, Performances: true}
	s.name = "housecount-marketing-" + string(from) + "-" + string(to)
	s.rows = append(s.rows, b.heads(salesHeads...))
	b.addScope(&s, []string{string(from), string(to), "", ""}, of)
	for _, by := range figures.Splits {
		for part := range m.PartsBy(by) {
			b.addFigures(&s, []string{string(from), string(to), string(by), Cell(words.Bare(b.partTitle(by, part.Name)))}, of, func(each func(*catalogue.Definition, figures.Value)) { catalogue.EachOfPart(part, each) })
		}
	}
	return s, nil
}
