package web

import (
	"net/url"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// ranges are the choices of a period in the order of the page; custom is the one with days of its
// own. The default is defaultRange.
var ranges = []string{"today", "week", "month", "season", customRange}

const (
	defaultRange = "month"
	customRange  = "custom"
)

// versus are the choices of what a period is compared with; the first is the default.
var versus = []string{"before", "last_year", "nothing"}

// periodParams are the parameters of a page that shows a period.
var periodParams = []Param{
	{Name: "period", Default: defaultRange, read: oneOf(ranges...)},
	{Name: "from", with: custom, read: readDay}, {Name: "to", with: custom, read: readDay},
}

// custom says that the days of a period are given.
func custom(values url.Values) bool { return values.Get("period") == customRange }

// chosenSpan is the period that the request asks for. One of its own begins a month before its end unless
// it says when, and ends today.
func (b *builder) chosenSpan() figures.Span {
	switch b.params.Get("period") {
	case "today":
		return b.evening.Range(figures.ThisDay)
	case "week":
		return b.evening.Range(figures.ThisWeek)
	case "season":
		return b.evening.Range(figures.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return b.evening.Span(from, to)
	}
	return b.evening.Range(figures.ThisMonth)
}

// performanceDays are the days of the performances that the request asks for, those to come as well.
func (b *builder) performanceDays() (from, to figures.Day) {
	switch b.params.Get("period") {
	case "today":
		return b.evening.Whole(figures.ThisDay)
	case "week":
		return b.evening.Whole(figures.ThisWeek)
	case "season":
		return b.evening.Whole(figures.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return min(from, to), max(from, to)
	}
	return b.evening.Whole(figures.ThisMonth)
}

// ownDays are the days that a period of its own asks for.
func (b *builder) ownDays() (from, to figures.Day) {
	from, to = figures.Day(b.params.Get("from")), figures.Day(b.params.Get("to"))
	if to == "" {
		to = b.evening.Today
	}
	if from == "" {
		from = to.Add(-30)
	}
	return from, to
}

// comparison is the period that the request asks for, and what it is compared with.
func (b *builder) comparison() figures.Comparison {
	against := figures.TheOneBefore
	switch b.params.Get("against") {
	case "last_year":
		against = figures.LastYear
	case "nothing":
		against = figures.Nothing
	}
	return b.evening.Compare(b.chosenSpan(), against)
}

// missingHistory says from when on anything is known, where a comparison reaches back further.
func (b *builder) missingHistory(c *figures.Comparison) []notice {
	if c.KnownFrom == "" {
		return nil
	}
	known := words.Text("known", b.day(c.KnownFrom))
	text := b.Say("revenue.history_none", known)
	if c.Comparable() {
		text = b.Say("revenue.history_from", known, words.Text("from", b.day(c.ComparedFrom)))
	}
	return []notice{{Level: figures.Warn, Text: text}}
}

// choices are the links to other periods and other comparisons, with a form for days of its own.
type choices struct {
	Path            string
	Ranges, Against []link
	Custom          bool // the page shows days of its own
	CustomText      string
	From, To        string
	Versus          string // what is compared with; empty where the page compares nothing
}

// choices are those of the page at a path that shows the days from..to.
func (b *builder) choices(path string, from, to figures.Day) choices {
	out := choices{Path: path, From: string(from), To: string(to), Custom: b.params.Get("period") == customRange, Versus: b.params.Get("against")}
	href := func(name, value string) string {
		values := url.Values{}
		for key := range b.params {
			values.Set(key, b.params.Get(key))
		}
		if values.Set(name, value); !custom(values) {
			values.Del("from")
			values.Del("to")
		}
		return out.Path + "?" + values.Encode()
	}
	for _, r := range ranges {
		if r == customRange {
			out.CustomText = b.Code("range", r)
			continue
		}
		out.Ranges = append(out.Ranges, link{href("period", r), b.Code("range", r), r == b.params.Get("period")})
	}
	if out.Versus != "" {
		for _, a := range versus {
			out.Against = append(out.Against, link{href("against", a), b.Code("versus", a), a == out.Versus})
		}
	}
	return out
}
