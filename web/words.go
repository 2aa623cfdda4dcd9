package web

import (
	"strings"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// Parts of views.
type (
	num      = words.Num
	sentence = words.Sentence
)

const (
	nbsp = words.NBSP
	dash = words.Dash
)

// Locale is the language that a page is written in.
type Locale = words.Locale

// English is the default.
const English = words.English

// Choice is an option of a form.
type Choice struct {
	ID, Name string
	Chosen   bool
}

// Plain returns an exact number.
func Plain(text string) num { return num{Text: text} }

func Plains(texts ...string) (all []num) {
	for _, text := range texts {
		all = append(all, Plain(text))
	}
	return all
}

// Qualified returns a figure as text with its quality: an em dash, never 0, if it is unknown.
func (b *Builder) Qualified(q figures.Quality, reasons []figures.Reason, text string) num {
	if q == figures.Exact {
		return num{Text: text}
	}
	code := QualityCode(q, reasons)
	n := num{Text: dash, Why: b.Because(code, reasons)}
	if q != figures.Unknown {
		n.Text = marks[code] + nbsp + text
	}
	return n
}

// marks precede a number that is not exact.
var marks = map[string]string{"at_most": "≤", "estimated": "≈", "at_least": "≥"}

// QualityCode returns the catalogue code of a quality that is not exact.
func QualityCode(q figures.Quality, reasons []figures.Reason) string {
	switch {
	case q == figures.Estimated && figures.AtMost(reasons):
		return "at_most"
	case q == figures.Estimated:
		return "estimated"
	case q == figures.LowerBound:
		return "at_least"
	}
	return "unknown"
}

// Because returns a quality in words, with its reasons.
func (b *Builder) Because(quality string, reasons []figures.Reason) string {
	word := b.Code("quality", quality)
	if len(reasons) == 0 {
		return word
	}
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = b.Code("reason", string(r))
	}
	return b.Text("quality.because", words.Text("quality", word), words.Text("reasons", strings.Join(texts, "; ")))
}

// Number, Percentage and AmountOf return figures as text.
func (b *Builder) Number(f figures.Figure[int]) num {
	n := b.Qualified(f.Quality, f.Reasons, b.Count(f.Value))
	n.N = f.Value
	return n
}

// PartOf returns a number with the quality of the figure that it is a part of.
func (b *Builder) PartOf(f figures.Figure[int], n int) num {
	part := b.Qualified(f.Quality, f.Reasons, b.Count(n))
	part.N = n
	return part
}

// ShareOf returns a share of a figure: if the figure may be larger, the share may be smaller.
func (b *Builder) ShareOf(f figures.Figure[int], share float64) num {
	q := f.Quality
	if q == figures.LowerBound {
		q = figures.Estimated
	}
	return b.Qualified(q, f.Reasons, b.Percent(share))
}

// AmountOf returns an amount of an event; a zero is in the event's currency.
func (b *Builder) AmountOf(e *figures.EventFigures, f figures.Figure[figures.Sums]) num {
	return b.QualifiedSums(f.Quality, f.Reasons, b.Amounts(e, f.Value))
}

// QualifiedSums is Qualified for the text of sums: at least nothing, of no currency, is nothing known.
func (b *Builder) QualifiedSums(q figures.Quality, reasons []figures.Reason, text string) num {
	if q == figures.LowerBound && text == noSums {
		q = figures.Unknown
	}
	return b.Qualified(q, reasons, text)
}

// Changed returns how a measure changed between the two sides of a comparison, with its mark, and between what where amounts
// are missing; empty if that is not known.
func (b *Builder) Changed(c *compare.Comparison, m figures.Measure, of func(*figures.Revenue) figures.Figure[figures.Sums], now, was int64) string {
	change, ok := c.Changed(b.Evening, m, of, now, was)
	if !ok {
		return ""
	}
	text, least, most := b.Change(now, was), b.Change(now, change.MostWas), b.Change(change.MostNow, was)
	if least != most {
		text = b.Text("revenue.change_range", words.Text("least", least), words.Text("most", most))
	}
	return b.Qualified(change.Quality, change.Reasons, text).Text
}

// DayOf and DayShortOf return a day in words, with its year only if that is not this year.
func (b *Builder) DayOf(d figures.Day) string      { return b.Day(string(d), string(b.Today)) }
func (b *Builder) DayShortOf(d figures.Day) string { return b.DayShort(string(d), string(b.Today)) }

// DayZone returns the venue's time zone and, unless it is midnight, the time at which its days begin.
func (b *Builder) DayZone() string {
	zone := b.Zone.String()
	if b.Calendar.Cutoff == 0 {
		return zone
	}
	return b.Text("date.zone_from", words.Text("time", b.Clock(time.Time{}.Add(b.Calendar.Cutoff), time.UTC)), words.Text("zone", zone))
}

// DayNear returns today, tomorrow or yesterday, or otherwise for any other day. Before the running day of
// sale has begun, and after midnight while the evening goes on, two days could be called today.
func (b *Builder) DayNear(d figures.Day, otherwise string) string {
	switch {
	case b.Date != b.Today, b.Evening.Day == b.Date.Add(-1) && len(b.Evening.Shows) > 0:
	case d == b.Date:
		return b.Text("date.today")
	case d == b.Date.Add(1):
		return b.Text("date.tomorrow")
	case d == b.Date.Add(-1):
		return b.Text("date.yesterday")
	}
	return otherwise
}

// PeriodOf returns days from..to in words.
func (b *Builder) PeriodOf(from, to figures.Day) string {
	if from == to {
		return b.DayShortOf(from)
	}
	return b.Text("date.period", words.Text("from", b.DayShortOf(from)), words.Text("to", b.DayShortOf(to)))
}

// DateOf returns the calendar date of a moment.
func (b *Builder) DateOf(t time.Time) string { return t.In(b.Zone).Format(time.DateOnly) }

// MonthOf returns a month, such as 2026-11, in words, with its year if that is not the running one.
func (b *Builder) MonthOf(month string) string { return b.MonthShort(month+"-01", string(b.Today)) }

// TitleOf returns the title of a performance.
func (b *Builder) TitleOf(e *figures.EventFigures) string {
	if e.Event.Title == "" {
		return b.Text("show.untitled")
	}
	return e.Event.Title
}

// rows returns the name of what a stream gives: the plural of its kind, or the stream's own name if it
// gives several kinds or shares its kind with another.
func (b *Builder) rows(h figures.StreamHealth) string {
	if len(h.Kinds) != 1 || h.Shared {
		return h.Name
	}
	return b.Code("rows", string(h.Kinds[0]))
}

// FaultText returns why a poll failed, with the status of the answer if that adds something.
func (b *Builder) FaultText(h figures.StreamHealth) string {
	if h.Fault == "" {
		return b.Text("fault.none")
	}
	fault := b.Code("fault", string(h.Fault))
	if h.FaultStatus < 400 {
		return fault
	}
	return b.Text("strip.fault_status", words.Text("fault", fault), words.Int("status", h.FaultStatus))
}

// End makes a sentence of phrases that stand side by side.
func (b *Builder) End(s sentence) sentence {
	if len(s) == 0 {
		return nil
	}
	return b.Say("sentence.end", words.Part("text", s))
}

// strong returns a figure that stands out.
func (b *Builder) strong(n num) sentence { return sentence{{Num: &n, Strong: true}} }
