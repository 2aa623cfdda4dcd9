package web

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/web/words"
)

// ExportName is the last part of the address of an export, after the address of the page.
const ExportName = "/figures.csv"

// Exports reports whether the page has an export.
func (p *Page) Exports() bool { return p.Export != nil }

// ExportTable is a table for a spreadsheet; its first row has the heads.
type ExportTable struct {
	Name string // of the file
	Rows [][]string
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
	b.MakeEvening()
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
	return s.Name, table.WriteAll(s.Rows)
}

// Cell returns text from outside as a cell that no spreadsheet takes for a formula.
func Cell(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " \u00a0\n"), "=+-@\t\r＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// RefundReason returns the reason of refunds as a cell.
func (b *Builder) RefundReason(reason string) string {
	if reason == "" {
		return b.Text("refunds.none")
	}
	return Cell(words.Bare(reason))
}

// ColumnHead returns the head of a column.
func (b *Builder) ColumnHead(name, key string) string {
	return b.Text("export.column", words.Text("name", name), words.Text("key", key))
}

// Heads returns the heads of columns that are not figures.
func (b *Builder) Heads(keys ...string) (heads []string) {
	for _, key := range keys {
		heads = append(heads, b.ColumnHead(b.Code("export_column", key), key))
	}
	return heads
}

// ExportValue returns a figure in one currency and its quality as cells; the value is empty if it is not known.
func (b *Builder) ExportValue(d *catalogue.Definition, v figures.Value, currency string) (value, quality string) {
	quality = QualityOf(v)
	switch {
	case !v.Known():
	case d.Unit.Ratio():
		value = b.Plain(strconv.FormatFloat(v.Share, 'f', 4, 64))
	case d.Unit != figures.Money:
		value = strconv.Itoa(v.Count)
	default:
		value = b.Plain(Major(v.Amount.In(currency), currency).String())
	}
	return value, quality
}

// units are the names of the units of figures.
var units = [...]string{figures.Places: "places", figures.People: "people", figures.Share: "share", figures.Money: "money",
	figures.Mean: "mean", figures.OrderCount: "orders", figures.Contact: "contacts", figures.PerMinute: "people_per_minute"}

// Heads of the columns of figures, which follow the columns of their subject.
var (
	FigureHeads      = []string{"figure", "name", "value", "low", "high", "unit", "currency", "quality", "reasons", "as_of"}
	PerformanceHeads = slices.Concat([]string{"performance", "title", "date"}, FigureHeads)
)

// AddFigures adds a row for each figure of a scope that the access includes; an amount has one for each
// currency. subject has the leading cells, which name what the figures are of.
func (b *Builder) AddFigures(s *ExportTable, subject []string, of figures.Scope, each func(func(*catalogue.Definition, figures.Value))) {
	asOf, all := "", b.Total.Of(figures.Booked).Value
	if !b.AsOf.IsZero() {
		asOf = b.AsOf.In(b.Zone).Format(time.RFC3339)
	}
	if of.Event != "" {
		all = b.Event(of.Event).Revenue.Of(figures.Booked).Value
	}
	each(func(d *catalogue.Definition, v figures.Value) {
		if !b.Access.Explains(d, of) {
			return
		}
		reasons := make([]string, len(v.Reasons))
		for i, r := range v.Reasons {
			reasons[i] = b.Code("reason", string(r))
		}
		codes := []string{""}
		if d.Unit == figures.Money {
			if codes = figures.Currencies(v.Amount); len(codes) == 0 {
				codes = append(figures.Currencies(all), "")[:1]
			}
		}
		for _, code := range codes {
			value, quality := b.ExportValue(d, v, code)
			low, high := "", ""
			if v.Band != (figures.Band{}) {
				low, high = strconv.Itoa(v.Band.Low), strconv.Itoa(v.Band.High)
			}
			s.Rows = append(s.Rows, append(slices.Clip(subject), string(d.Key), b.FigureTitle(d.Key), value, low, high, units[d.Unit], code, quality, strings.Join(reasons, "; "), asOf))
		}
	})
}

// AddScope adds every figure of a scope.
func (b *Builder) AddScope(s *ExportTable, subject []string, of figures.Scope) {
	b.AddFigures(s, subject, of, func(each func(*catalogue.Definition, figures.Value)) { catalogue.Each(b.Evening, of, each) })
}

// AddPerformance adds every figure of a performance.
func (b *Builder) AddPerformance(s *ExportTable, e *figures.EventFigures) {
	b.AddScope(s, []string{Cell(e.Event.ID), Cell(words.Bare(b.TitleOf(e))), string(e.Date)}, figures.Scope{Event: e.Event.ID})
}

// exportTonight returns last night's figures while Tonight shows them, those of the evening, and those of the performances of both.
func (b *Builder) exportTonight() (s ExportTable, err error) {
	v := b.Evening
	s.Name = "housecount-tonight-" + string(v.Day)
	s.Rows = append(s.Rows, b.Heads(PerformanceHeads...))
	if len(v.LastNight) > 0 {
		b.AddScope(&s, []string{"", b.Text("revenue.all"), string(v.Day.Add(-1))}, figures.Scope{Night: true, From: v.Day.Add(-1), To: v.Day.Add(-1)})
	}
	b.AddScope(&s, []string{"", b.Text("revenue.all"), string(v.Day)}, figures.Scope{})
	for _, show := range slices.Concat(v.LastNight, v.Shows) {
		b.AddPerformance(&s, show.EventFigures)
	}
	return s, nil
}

// tonightSheets returns the performances that Tonight shows, those of last night first.
func (b *Builder) tonightSheets() ([]Sheet, error) {
	s := b.PerformanceSheet("housecount-tonight-"+string(b.Evening.Day), slices.Concat(b.Evening.LastNight, b.Evening.Shows))
	if last := len(b.Evening.LastNight); last > 0 { // the page adds up the evening alone
		ahead := s.inSum
		s.sum, s.inSum = b.Text("sheet.sum_on_day", words.Text("day", b.DayShortOf(b.Evening.Day))), func(i int) bool { return i >= last && ahead(i) }
	}
	return []Sheet{s}, nil
}

// qualities are the qualities of figures as exports and JSON name them.
var qualities = [...]string{figures.Exact: "exact", figures.Estimated: "estimated", figures.LowerBound: "lower_bound", figures.Unknown: "unknown"}

// QualityOf returns the quality of a figure as exports and JSON name it. As on pages, an estimate that can only be too high is at_most.
func QualityOf(v figures.Value) string {
	if v.Quality == figures.Estimated && figures.AtMost(v.Reasons) {
		return "at_most"
	}
	return qualities[v.Quality]
}
