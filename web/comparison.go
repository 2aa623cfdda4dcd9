package web

import (
	"net/url"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// ranges are the choices of a period in the order of the page; custom is the one with days of its
// own. The default is defaultRange.
var ranges = []string{"today", "yesterday", "week", "month", "season", customRange}

const (
	defaultRange = "month"
	customRange  = "custom"
)

// versus are the choices of what a period is compared with; the first is the default.
var versus = []string{againstBefore, againstLastYear, againstBudget, "nothing"}

const (
	againstBefore   = "before"
	againstLastYear = "last_year"
	againstBudget   = "budget"
)

// withoutVAT asks for what was booked without its VAT, which has no effect where it is compared with the budget:
// that has VAT in it.
const withoutVAT = "excl"

func notBudget(values url.Values) bool { return values.Get("against") != againstBudget }

// periodParams are the parameters of a page that shows a period.
var periodParams = []Param{
	{Name: "period", Default: defaultRange, read: oneOf(ranges...)},
	{Name: "from", with: custom, read: readDay}, {Name: "to", with: custom, read: readDay},
}

// custom says that the days of a period are given.
func custom(values url.Values) bool { return values.Get("period") == customRange }

// chosenSpan is the period that the request asks for.
func (b *builder) chosenSpan() evening.Span { return b.spanOf(b.params.Get("period")) }

// spanOf is a choice of a period. One of its own begins a month before its end unless the request says
// when, and ends today.
func (b *builder) spanOf(period string) evening.Span {
	switch period {
	case "today":
		return b.evening.Range(evening.ThisDay)
	case "yesterday":
		return b.evening.Range(evening.Yesterday)
	case "week":
		return b.evening.Range(evening.ThisWeek)
	case "season":
		return b.evening.Range(evening.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return b.evening.Span(from, to)
	}
	return b.evening.Range(evening.ThisMonth)
}

// performanceDays are the days of the performances that the request asks for, those to come as well.
func (b *builder) performanceDays() (from, to figures.Day) {
	switch b.params.Get("period") {
	case "today":
		return b.evening.Whole(evening.ThisDay)
	case "yesterday":
		return b.evening.Whole(evening.Yesterday)
	case "week":
		return b.evening.Whole(evening.ThisWeek)
	case "season":
		return b.evening.Whole(evening.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return min(from, to), max(from, to)
	}
	return b.evening.Whole(evening.ThisMonth)
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

// against is what the request compares with.
func (b *builder) against(choice string) evening.Against {
	switch choice {
	case againstBefore:
		return evening.TheOneBefore
	case againstLastYear:
		return evening.LastYear
	case againstBudget:
		return evening.TheBudget
	}
	return evening.Nothing
}

// comparison is the period that the request asks for, and what it is compared with.
func (b *builder) comparison() evening.Comparison {
	return b.evening.Compare(b.chosenSpan(), b.against(b.params.Get("against")))
}

// exclVAT says that what was booked is shown without its VAT, which the request asks for where it is known.
func (b *builder) exclVAT() bool {
	return b.params.Get("vat") == withoutVAT && b.Total.NetOfVAT().Known()
}

// booked is what was booked, as the request asks for it; bookedTotal is all of it, and bookedKey its name in
// the catalogue.
func (b *builder) booked(f figures.Flow) figures.Sums {
	if b.exclVAT() {
		return f.NetOfVAT()
	}
	return f.Of(figures.Booked)
}

func (b *builder) bookedTotal() figures.Figure[figures.Sums] { return b.bookedOf(&b.Total) }

func (b *builder) bookedOf(all *figures.Revenue) figures.Figure[figures.Sums] {
	if b.exclVAT() {
		return all.NetOfVAT()
	}
	return all.Of(figures.Booked)
}

func (b *builder) bookedKey() figures.Key {
	if b.exclVAT() {
		return figures.KeyNetOfVAT
	}
	return figures.KeyBooked
}

// bookedWord heads what booked gives.
func (b *builder) bookedWord() string {
	if b.exclVAT() {
		return b.Text("revenue.booked_excl")
	}
	return b.Text("revenue.booked")
}

// missingHistory says from when on anything is known, where a comparison reaches back further.
func (b *builder) missingHistory(c *evening.Comparison) []notice {
	if c.KnownFrom == "" {
		return nil
	}
	known := words.Text("known", b.day(c.KnownFrom))
	text := b.Say("revenue.history_none", known)
	if c.Comparable() {
		text = b.Say("revenue.history_from", known, words.Text("from", b.day(c.ComparedFrom)))
	}
	return []notice{{Level: evening.Warn, Text: text}}
}

// missingBudget says which months have no budget, where the period is compared with that.
func (b *builder) missingBudget(c *evening.Comparison, codes []string) (all []notice) {
	if c.Against != evening.TheBudget {
		return nil
	}
	compared := false
	for _, code := range codes {
		a, ok := b.evening.AgainstBudget(&c.This, code)
		if compared = compared || ok; !ok || len(a.Without) == 0 {
			continue
		}
		var months []string
		for _, month := range a.Without {
			months = append(months, b.month(month))
		}
		all = append(all, notice{Level: evening.Warn, Text: b.Say("revenue.budget_months", words.Text("months", b.List(months)), words.Text("currency", code))})
	}
	if !compared {
		return []notice{{Level: evening.Info, Text: b.Say("revenue.budget_none")}}
	}
	return all
}

// choices are the links to other periods and to what is in the amounts, with a form for days of its own.
type choices struct {
	Path            string
	Ranges, Amounts []link
	Custom          bool // the page shows days of its own
	CustomText      string
	From, To        string
	Kept            []field // what the form keeps
}

// field is a hidden one of a form.
type field struct{ Name, Value string }

// choices are those of the page at a path that shows the days from..to.
func (b *builder) choices(path string, from, to figures.Day) choices {
	out := choices{Path: path, From: string(from), To: string(to), Custom: b.params.Get("period") == customRange, CustomText: b.Code("range", customRange)}
	for _, r := range ranges {
		if r != customRange {
			out.Ranges = append(out.Ranges, link{b.chosenHref(path, "period", r), b.Code("range", r), r == b.params.Get("period")})
		}
	}
	return out
}

// chosenHref is the address of a page of a period with other choices: names and values in turn.
func (b *builder) chosenHref(path string, choice ...string) string {
	values := url.Values{}
	for key := range b.params {
		values.Set(key, b.params.Get(key))
	}
	for i := 0; i < len(choice); i += 2 {
		if values.Set(choice[i], choice[i+1]); choice[i+1] == "" {
			values.Del(choice[i])
		}
	}
	if !custom(values) {
		values.Del("from")
		values.Del("to")
	}
	return path + "?" + values.Encode()
}

// revenueChoices are those of Revenue, where the periods are in the glance.
func (b *builder) revenueChoices(c *evening.Comparison) choices {
	out := b.choices(revenuePath, c.This.From, c.This.To)
	out.Ranges = nil
	for _, name := range []string{"against", "vat"} {
		if value := b.params.Get(name); value != "" {
			out.Kept = append(out.Kept, field{name, value})
		}
	}
	if b.Total.NetOfVAT().Known() {
		excl := []string{"vat", withoutVAT}
		if c.Against == evening.TheBudget {
			excl = append(excl, "against", versus[0])
		}
		out.Amounts = []link{{b.chosenHref(revenuePath, "vat", ""), b.Text("amounts.incl"), !b.exclVAT()}, {b.chosenHref(revenuePath, excl...), b.Text("amounts.excl"), b.exclVAT()}}
	}
	return out
}

// glance is every period beside everything that it may be compared with, which what is without VAT and the
// budget are not: each leads to the page that says more.
type glance struct {
	Booked string
	Heads  []string
	Rows   []glanceRow
}

type glanceRow struct {
	Name  string
	Cells []glanceCell
}

// glanceCell is an amount, or how it has changed.
type glanceCell struct {
	link
	Label string
}

func (b *builder) glance() (g glance) {
	g.Booked = b.bookedWord()
	total := b.bookedTotal()
	for _, period := range ranges {
		if period == customRange && b.params.Get("period") != customRange {
			continue
		}
		span, row := b.spanOf(period), glanceRow{Name: b.Code("range_short", period)}
		add := func(against, what, text string) {
			row.Cells = append(row.Cells, glanceCell{
				link{b.chosenHref(revenuePath, "period", period, "against", against), text, period == b.params.Get("period") && against == b.params.Get("against")},
				b.Text("glance.label", words.Text("period", row.Name), words.Text("what", what), words.Text("value", text)),
			})
		}
		for i, against := range versus[:len(versus)-1] {
			if against == againstBudget && b.exclVAT() {
				continue
			}
			c := b.evening.Compare(span, b.against(against))
			if i == 0 {
				add(versus[len(versus)-1], g.Booked, b.qualified(total.Quality, total.Reasons, b.sums(b.booked(c.This.Flow))).Text)
			}
			if len(g.Heads) <= i {
				g.Heads = append(g.Heads, b.Code("versus", against))
			}
			add(against, b.Code("versus", against), b.changeOf(&c))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// changeOf is by what part a period is more than what it is compared with; a dash where that cannot be told.
func (b *builder) changeOf(c *evening.Comparison) string {
	now, was, code := b.compared(c)
	if code == "" || now < 0 || was <= 0 || b.bookedTotal().Quality >= figures.LowerBound {
		return dash
	}
	return b.Change(now, was)
}

// compared is what was booked, and what it is compared with, where both are of one currency; the code is
// empty where they are not.
func (b *builder) compared(c *evening.Comparison) (now, was int64, code string) {
	if c.Against == evening.TheBudget {
		codes := b.withBudgeted(c, currencies(c.This.Of(figures.Booked)))
		if len(codes) != 1 {
			return 0, 0, ""
		}
		a, ok := b.evening.AgainstBudget(&c.This, codes[0])
		if !ok {
			return 0, 0, ""
		}
		return a.Booked, a.Budget, codes[0]
	}
	codes := currencies(b.booked(c.Compared), b.booked(c.ComparedBefore))
	if !c.Comparable() || len(codes) != 1 {
		return 0, 0, ""
	}
	return b.booked(c.Compared).In(codes[0]), b.booked(c.ComparedBefore).In(codes[0]), codes[0]
}

// withBudgeted are currencies and, where a period is compared with its budget, those that have one, in which
// nothing may be booked yet.
func (b *builder) withBudgeted(c *evening.Comparison, codes []string) []string {
	if c.Against != evening.TheBudget {
		return codes
	}
	codes = slices.Concat(codes, evening.Budgeted(b.Snapshot, c.This.From, c.This.To))
	slices.Sort(codes)
	return slices.Compact(codes)
}
