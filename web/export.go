package web

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// ExportName is the last part of the address of an export: of the figures that the page before it shows.
const ExportName = "/figures.csv"

// Exports says that the figures of a page can be exported.
func (p *Page) Exports() bool { return p.Name == "revenue" || p.Name == "event" }

// exportLink leads to the export of the figures at a path.
func (b *builder) exportLink(path string) link {
	return link{Href: path + ExportName, Text: b.Text("export.link")}
}

// sheet is a table for a spreadsheet, its heads first.
type sheet struct {
	name string // of the file
	rows [][]string
}

// Export writes the figures of the page that f asks for as a table for a spreadsheet, and returns what
// its file may be called. Values and their quality are those of explanations. The table is UTF-8 with a
// mark that says so; columns are apart by what the spreadsheets of the request's language expect, and
// numbers have its decimal mark and nothing between thousands. Dates are YYYY-MM-DD, currencies have a
// column of their own, and each head ends with a name that is the same in every language. Text from
// outside is never a formula. Its errors are those of Page.
func (r *Renderer) Export(w io.Writer, f Frame) (name string, err error) {
	if err := f.Request.check(); err != nil {
		return "", err
	}
	page := pageNamed(f.Request.Page)
	if !page.Exports() || f.Ready && !f.Request.Exists(f.Snapshot) {
		return "", ErrNotFound
	}
	b := newBuilder(f.Request, f.Snapshot, f.Now)
	b.recent = &r.recent
	b.makeEvening()
	var s sheet
	if page.Name == "event" {
		if s, err = b.eventSheet(); err != nil {
			return "", err
		}
	} else {
		s = b.revenueSheet()
	}
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return "", err
	}
	table := csv.NewWriter(w)
	table.UseCRLF = true
	table.Comma = b.BetweenColumns()
	return s.name, table.WriteAll(s.rows)
}

// Cell is text from outside as a cell of a spreadsheet, which takes none for a formula.
func Cell(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " \u00a0\n"), "=+-@\t\r＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// head is the head of a column.
func (b *builder) columnHead(name, key string) string {
	return b.Text("export.column", words.Text("name", name), words.Text("key", key))
}

// heads are those of columns that are no figures.
func (b *builder) heads(keys ...string) (heads []string) {
	for _, key := range keys {
		heads = append(heads, b.columnHead(b.Code("export_column", key), key))
	}
	return heads
}

// sheetValue is a figure in one currency, and how sure it is, as cells; the first is empty where it is not known.
func (b *builder) sheetValue(d *figures.Definition, v figures.Value, currency string) (value, quality string) {
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

// The kinds of rows of the export of Revenue.
const (
	sheetTotal       = "total"
	sheetDay         = "day"
	sheetPerformance = "performance"
)

// revenueSheet is the period that Revenue shows: for each currency the sum, the days and the performances,
// with every figure that days of sale have.
func (b *builder) revenueSheet() sheet {
	c := b.comparison()
	codes, byEvent := b.revenueCurrencies(&c), b.evening.ByEvent(c.This.From, c.This.To)
	s := sheet{name: "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)}
	var keys []figures.Key
	head := b.heads("row", "from", "to", "performance", "title", "date", "currency")
	columns := func(d *figures.Definition, _ figures.Value) {
		keys = append(keys, d.Key)
		name := b.figureTitle(d.Key)
		head = append(head, b.columnHead(name, string(d.Key)), b.columnHead(b.Text("export.quality", words.Text("name", name)), string(d.Key)+"_quality"))
	}
	b.evening.Each(figures.Scope{From: c.This.From, To: c.This.To}, columns)
	open := figures.Define(figures.KeyOpenItems)
	columns(open, figures.Value{})
	compared := c.Comparable() && c.KnownFrom == ""
	befores := b.evening.Befores(&c, byEvent)
	if compared {
		name := "column.booked_before"
		if c.Against == figures.LastYear {
			name = "column.last_year"
		}
		head = append(head, b.columnHead(b.Text(name), "booked_before"))
	}
	s.rows = append(s.rows, head)
	for _, code := range codes {
		of := ofPeriod(c.This, code)
		row := func(kind string, of figures.Scope, e *figures.EventFigures, orders figures.Bridge, before *figures.Flow, each func(func(*figures.Definition, figures.Value))) {
			cells := make([]string, len(head))
			copy(cells, []string{kind, string(of.From), string(of.To), "", "", "", code})
			if e != nil {
				copy(cells[3:], []string{Cell(e.Event.ID), Cell(words.Bare(b.title(e))), string(e.Date)})
			} else if kind == sheetPerformance {
				cells[4] = b.Text("revenue.unattributed")
			}
			add := func(d *figures.Definition, v figures.Value) {
				at := 7 + 2*slices.Index(keys, d.Key)
				if d.Unit == figures.Money || len(codes) == 1 { // places are counted over all currencies
					cells[at], cells[at+1] = b.sheetValue(d, v, code)
				}
			}
			each(add)
			add(open, open.OfOrders(&orders))
			if compared && before != nil {
				cells[len(cells)-1] = b.Plain(major(before.Of(figures.Booked).In(code), code).String())
			}
			s.rows = append(s.rows, cells)
		}
		inScope := func(of figures.Scope) func(func(*figures.Definition, figures.Value)) {
			return func(each func(*figures.Definition, figures.Value)) { b.evening.Each(of, each) }
		}
		row(sheetTotal, of, nil, b.evening.Bridge(of.From, of.To), &c.ComparedBefore, inScope(of))
		for i := range c.This.Days {
			day := of
			day.From, day.To = c.This.Days[i].Day, c.This.Days[i].Day
			var before *figures.Flow
			if len(c.Buckets) == len(c.This.Days) { // of a long period they are months
				before = c.Buckets[i].Before
			}
			row(sheetDay, day, nil, b.evening.Bridge(day.From, day.To), before, inScope(day))
		}
		events := b.rankedEvents(code, byEvent, len(codes) == 1)
		for i := range events {
			var before *figures.Flow
			if f, ok := befores[events[i].Event]; ok {
				before = &f
			}
			row(sheetPerformance, of, events[i].Event, b.evening.BridgeOf(events[i].Event, of.From, of.To), before, func(each func(*figures.Definition, figures.Value)) { b.evening.EachOf(&events[i], of, each) })
		}
	}
	return s
}

// rankedEvents are those of which something moved in a currency, or anything where places are shown, most
// booked first.
func (b *builder) rankedEvents(code string, byEvent []figures.EventPeriod, places bool) []figures.EventPeriod {
	events := slices.DeleteFunc(slices.Clone(byEvent), func(p figures.EventPeriod) bool {
		return !places && !p.MovedIn(code)
	})
	slices.SortStableFunc(events, func(x, y figures.EventPeriod) int {
		return cmp.Compare(b.booked(y.Flow).In(code), b.booked(x.Flow).In(code))
	})
	return events
}

// inFileName is an id as a part of the name of a file: in a-z, 0-9 and hyphens.
func inFileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(id))
}

// units name them.
var units = [...]string{figures.Places: "places", figures.People: "people", figures.Share: "share", figures.Money: "money",
	figures.Mean: "mean", figures.OrderCount: "orders", figures.Contact: "contacts", figures.PerMinute: "people_per_minute"}

// eventSheet has a row for every figure that a performance has, within the access; of money one for each
// currency.
func (b *builder) eventSheet() (s sheet, err error) {
	e := b.Event(b.params.Get("event"))
	if e == nil {
		return s, ErrNotFound
	}
	s.name = "housecount-performance-" + string(e.Date) + "-" + inFileName(e.Event.ID)
	s.rows = append(s.rows, b.heads("performance", "title", "date", "figure", "name", "value", "low", "high", "unit", "currency", "quality", "reasons", "as_of"))
	of, asOf := figures.Scope{Event: e.Event.ID}, ""
	if !b.AsOf.IsZero() {
		asOf = b.AsOf.In(b.zone).Format(time.RFC3339)
	}
	b.evening.Each(of, func(d *figures.Definition, v figures.Value) {
		if !b.Access.explains(d, of) {
			return
		}
		reasons := make([]string, len(v.Reasons))
		for i, r := range v.Reasons {
			reasons[i] = b.Code("reason", string(r))
		}
		codes := []string{""}
		if d.Unit == figures.Money {
			codes = currencies(v.Amount)
			if own := currencies(e.Revenue.Of(figures.Booked).Value); len(codes) == 0 {
				codes = append(own, "")[:1]
			}
		}
		for _, code := range codes {
			value, quality := b.sheetValue(d, v, code)
			low, high := "", ""
			if v.Band != (figures.Band{}) {
				low, high = strconv.Itoa(v.Band.Low), strconv.Itoa(v.Band.High)
			}
			s.rows = append(s.rows, []string{Cell(e.Event.ID), Cell(words.Bare(b.title(e))), string(e.Date), string(d.Key), b.figureTitle(d.Key),
				value, low, high, units[d.Unit], code, quality, strings.Join(reasons, "; "), asOf})
		}
	})
	return s, nil
}
