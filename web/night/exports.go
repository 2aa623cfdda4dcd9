package night

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// The letters that bring the table of a page: of the day each morning, of a week on Monday, and of a month on the first.
const (
	TonightDay   = "tonight_day"
	NightDay     = "night_day" // of the evening before
	RevenueDay   = "revenue_day"
	RevenueWeek  = "revenue_week"
	RevenueMonth = "revenue_month"
	EventsWeek   = "events_week" // the performances from now on
)

// CSV ends the name of a letter whose table is CSV and not a workbook.
const CSV = ".csv"

// Every is how often a table is sent.
type Every uint8

// A table is sent each day, on Mondays, or on the first.
const (
	EveryDay Every = iota
	EveryWeek
	EveryMonth
)

// Export is a letter that brings the table of a page.
type Export struct {
	Name  string
	Every Every
	page  string
	// of returns the choices of the page on the day on which the letter is due, and the days that they show.
	of func(due figures.Day) (choices url.Values, from, to figures.Day)
}

// Exports are all, in the order of the page.
var Exports = []Export{
	{TonightDay, EveryDay, "tonight", func(due figures.Day) (url.Values, figures.Day, figures.Day) { return nil, due, due }},
	{NightDay, EveryDay, "night", func(due figures.Day) (url.Values, figures.Day, figures.Day) {
		return url.Values{"day": {string(due.Add(-1))}}, due.Add(-1), due.Add(-1)
	}},
	{EventsWeek, EveryWeek, "events", func(due figures.Day) (url.Values, figures.Day, figures.Day) {
		return url.Values{"from": {string(due)}}, due, due
	}},
	{RevenueDay, EveryDay, "revenue", func(due figures.Day) (url.Values, figures.Day, figures.Day) {
		return revenueOf(due.Add(-1), due.Add(-1))
	}},
	{RevenueWeek, EveryWeek, "revenue", func(due figures.Day) (url.Values, figures.Day, figures.Day) {
		return revenueOf(due.Add(-7), due.Add(-1))
	}},
	{RevenueMonth, EveryMonth, "revenue", func(due figures.Day) (url.Values, figures.Day, figures.Day) {
		to := due.Add(-1)
		return revenueOf(to[:len(to)-len("02")]+"01", to)
	}},
}

// revenueOf returns the choices of Revenue that show some days, and the days.
func revenueOf(from, to figures.Day) (choices url.Values, _, _ figures.Day) {
	return url.Values{"period": {"custom"}, "from": {string(from)}, "to": {string(to)}}, from, to
}

// ExportOf returns the export that a letter brings; nil if it brings none.
func ExportOf(letter string) *Export {
	name := strings.TrimSuffix(letter, CSV)
	if i := slices.IndexFunc(Exports, func(e Export) bool { return e.Name == name }); i >= 0 {
		return &Exports[i]
	}
	return nil
}

// MayChoose reports whether there is a letter that somebody who has an access may choose: one that is about a page only with that page.
func MayChoose(name string, a web.Access) bool {
	if e := ExportOf(name); e != nil {
		return web.PageNamed(e.page).Visible(a, query.Params(""))
	}
	return slices.Contains(LetterNames, name)
}

// LetterTitle returns how a letter is called.
func LetterTitle(t *words.Words, name string) string {
	title := t.Code("letter_name", strings.TrimSuffix(name, CSV))
	if strings.HasSuffix(name, CSV) {
		title = t.Text("letters.as", words.Text("name", title), words.Text("format", t.Text("letters.csv")))
	}
	return title
}

// export adds what a table has; it returns nil if the reader does not see its page, or nothing is in it.
func (b builder) export(l *letter) *letter {
	e := ExportOf(l.Name)
	choices, from, to := e.of(l.Day)
	if !MayChoose(l.Name, b.Access) {
		return nil
	}
	days := b.DayOf(from)
	switch e.page {
	case "revenue":
		if len(b.Evening.ByEvent(from, to)) == 0 {
			return nil
		}
		for _, key := range []figures.Key{figures.KeyBooked, figures.KeyReceived, figures.KeySold} {
			l.Figs = append(l.Figs, web.Fig{Term: b.FigureTitle(key), Main: b.ofDays(nil, from, to, key)})
		}
	case "events":
	default:
		if len(b.Evening.Night(from)) == 0 {
			return nil
		}
	}
	if from != to {
		days = b.PeriodOf(from, to)
	}
	l.Title = b.Text("letter.table", words.Text("page", b.Code("nav", e.page)), words.Text("days", days))
	l.table, l.choices = e, choices
	if l.Page = l.Public + web.PageNamed(e.page).Path; len(choices) > 0 {
		l.Page += "?" + choices.Encode()
	}
	return l
}

// mostBytes is the most that a file in a letter has: mail servers take messages of 10 MB and more, and the file is a third longer in one.
var mostBytes = 6 << 20

// file returns the table of a letter, by the figures of the letter, and what the letter says of it; nil if it has none, or one that is
// too long for mail.
func (l *letter) file(r *web.Renderer, f web.Frame) (*File, error) {
	if l.table == nil {
		return nil, nil
	}
	q, err := web.NewRequest(l.table.page, l.choices, f.Request.Access, f.Request.Locale)
	if err != nil {
		return nil, err
	}
	format, extension, content := web.Workbook, web.WorkbookExtension, web.WorkbookType
	if strings.HasSuffix(l.Name, CSV) {
		format, extension, content = web.SheetOfCSV, CSV, "text/csv; charset=utf-8"
	}
	var out bytes.Buffer
	name, err := r.Sheets(&out, web.Frame{Request: q, Snapshot: f.Snapshot, Now: f.Now, Ready: f.Ready}, format)
	if err != nil {
		return nil, err
	}
	if out.Len() > mostBytes {
		l.Note = l.words.Text("letter.too_long")
		return nil, nil
	}
	l.Note = l.words.Text("letter.attached", words.Text("file", name+extension))
	return &File{name + extension, content, out.Bytes()}, nil
}
