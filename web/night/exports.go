package night

import (
	"bytes"
	"net/url"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// File is a file that goes with a letter.
type File struct {
	Name    string
	Content []byte
}

// IsExport reports whether a letter brings the workbook of Revenue.
func IsExport(name string) bool { return name == RevenueWeek || name == RevenueMonth }

// MayChoose reports whether somebody who has an access may choose a letter: one that is about a page only with that page.
func MayChoose(name string, a web.Access) bool { return !IsExport(name) || a.SeesMarketing() }

// exportDays returns the days of the week, or of the month, before the day on which the next one began.
func exportDays(name string, begins figures.Day) (from, to figures.Day) {
	to = begins.Add(-1)
	if name == RevenueWeek {
		return begins.Add(-7), to
	}
	return to[:len(to)-len("02")] + "01", to
}

// revenueOf are the choices of Revenue that show some days.
func revenueOf(from, to figures.Day) url.Values {
	return url.Values{"period": {"custom"}, "from": {string(from)}, "to": {string(to)}}
}

// export adds what Revenue shows of the last week or month; it returns nil if the reader does not see that, or nothing was
// sold or paid then.
func (b builder) export(l *letter) *letter {
	from, to := exportDays(l.Name, l.Day)
	if !MayChoose(l.Name, b.Access) || len(b.Evening.ByEvent(from, to)) == 0 {
		return nil
	}
	l.Title = b.Text("letter.revenue", words.Text("days", b.PeriodOf(from, to)))
	l.table = revenueOf(from, to)
	l.Page = l.Public + web.RevenuePath + "?" + l.table.Encode()
	for _, key := range []figures.Key{figures.KeyBooked, figures.KeyReceived, figures.KeySold} {
		l.Figs = append(l.Figs, web.Fig{Term: b.FigureTitle(key), Main: b.OfDays(nil, from, to, key)})
	}
	l.Note = b.Text("letter.workbook")
	return l
}

// workbook returns the workbook of a letter, by the figures of the letter; nil if it has none.
func (l *letter) workbook(r *web.Renderer, f web.Frame) (*File, error) {
	if l.table == nil {
		return nil, nil
	}
	q, err := web.NewRequest("revenue", l.table, f.Request.Access, f.Request.Locale)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	name, err := r.Sheets(&content, web.Frame{Request: q, Snapshot: f.Snapshot, Now: f.Now, Ready: f.Ready}, web.Workbook)
	return &File{name + web.WorkbookExtension, content.Bytes()}, err
}
