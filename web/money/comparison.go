package money

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// ranges are the choices of a period, in the order of the page. customRange has two days of its own; the
// default is defaultRange.
var ranges = []string{"today", "yesterday", "week", lastWeek, "month", "season", customRange}

const (
	defaultRange = "month"
	lastWeek     = "last_week"
	customRange  = web.CustomPeriod
)

// versus are the choices of what to compare a period with; the first is the default.
var versus = []string{againstBefore, againstLastYear, againstBudget, "nothing"}

const (
	againstBefore   = "before"
	againstLastYear = "last_year"
	againstBudget   = "budget"
)

// exceptionalDays asks for a comparison without them.
const exceptionalDays = "exceptional"

func withDays(values url.Values) bool {
	return values.Get("against") == againstBefore || values.Get("against") == againstLastYear
}

// withoutVAT asks for booked amounts without VAT. It has no effect on a comparison with the budget, which
// includes VAT.
const withoutVAT = "excl"

func notBudget(values url.Values) bool { return values.Get("against") != againstBudget }

// periodParams are the parameters of a page that shows a period.
var periodParams = []query.Param{
	{Name: "period", Default: defaultRange, Read: query.OneOf(ranges...)},
	{Name: "from", HasEffect: custom, Read: query.ReadDay}, {Name: "to", HasEffect: custom, Read: query.ReadDay},
}

// custom reports whether the days of the period are given.
func custom(values url.Values) bool { return values.Get("period") == customRange }

// chosenSpan returns the period that the request asks for.
func (b builder) chosenSpan() compare.Span { return b.spanOf(b.Values.Get("period")) }

// spanOf returns the days of a choice. A custom period begins a month before its end and ends today, unless
// the request gives these days.
func (b builder) spanOf(period string) compare.Span {
	switch period {
	case "today":
		return compare.SpanOf(b.Evening, compare.ThisDay)
	case "yesterday":
		return compare.SpanOf(b.Evening, compare.Yesterday)
	case "week":
		return compare.SpanOf(b.Evening, compare.ThisWeek)
	case lastWeek:
		return compare.SpanOf(b.Evening, compare.LastWeek)
	case "season":
		return compare.SpanOf(b.Evening, compare.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return compare.NewSpan(b.Evening, from, to)
	}
	return compare.SpanOf(b.Evening, compare.ThisMonth)
}

// performanceDays returns the days of the performances that the request asks for, including days to come.
func (b builder) performanceDays() (from, to figures.Day) {
	switch b.Values.Get("period") {
	case "today":
		return compare.Whole(b.Evening, compare.ThisDay)
	case "yesterday":
		return compare.Whole(b.Evening, compare.Yesterday)
	case "week":
		return compare.Whole(b.Evening, compare.ThisWeek)
	case lastWeek:
		return compare.Whole(b.Evening, compare.LastWeek)
	case "season":
		return compare.Whole(b.Evening, compare.ThisSeason)
	case customRange:
		from, to := b.ownDays()
		return min(from, to), max(from, to)
	}
	return compare.Whole(b.Evening, compare.ThisMonth)
}

// ownDays returns the days of a custom period.
func (b builder) ownDays() (from, to figures.Day) {
	from, to = figures.Day(b.Values.Get("from")), figures.Day(b.Values.Get("to"))
	if to == "" {
		to = b.Evening.Today
	}
	if from == "" {
		from = to.Add(-30)
	}
	return from, to
}

// against returns what the request compares with.
func (b builder) against(choice string) compare.Against {
	switch choice {
	case againstBefore:
		return compare.TheOneBefore
	case againstLastYear:
		return compare.LastYear
	case againstBudget:
		return compare.TheBudget
	}
	return compare.Nothing
}

// comparison returns the requested period and what it is compared with.
func (b builder) comparison() compare.Comparison {
	return b.compare(b.chosenSpan(), b.Values.Get("against"))
}

// compare compares a span with a choice, with or without exceptional days as the request asks.
func (b builder) compare(s compare.Span, against string) compare.Comparison {
	if b.Values.Get("without") == exceptionalDays {
		return compare.CompareUsual(b.Evening, s, b.against(against))
	}
	return compare.Compare(b.Evening, s, b.against(against))
}

// exclVAT reports whether booked amounts are shown without VAT: if the request asks for it and VAT is
// known.
func (b builder) exclVAT() bool {
	return b.Values.Get("vat") == withoutVAT && b.Total.NetOfVAT().Known()
}

// booked returns the booked amounts of a flow, with or without VAT as the request asks; bookedOf returns
// those of an account, and bookedKey the key of the figure.
func (b builder) booked(f figures.Flow) figures.Sums {
	if b.exclVAT() {
		return f.NetOfVAT()
	}
	return f.Of(figures.Booked)
}

func (b builder) bookedOf(all *figures.Revenue) figures.Figure[figures.Sums] {
	if b.exclVAT() {
		return all.NetOfVAT()
	}
	return all.Of(figures.Booked)
}

func (b builder) bookedKey() figures.Key {
	if b.exclVAT() {
		return figures.KeyNetOfVAT
	}
	return figures.KeyBooked
}

// bookedWord returns the heading for amounts of booked.
func (b builder) bookedWord() string {
	if b.exclVAT() {
		return b.Text("revenue.booked_excl")
	}
	return b.Text("revenue.booked")
}

// missingHistory returns a notice with the first known day, if a comparison reaches further back.
func (b builder) missingHistory(c *compare.Comparison) []web.Notice {
	if c.KnownFrom == "" {
		return nil
	}
	known := words.Text("known", b.DayOf(c.KnownFrom))
	text := b.Say("revenue.history_none", known)
	if c.Comparable() {
		text = b.Say("revenue.history_from", known, words.Text("from", b.DayOf(c.ComparedFrom)))
	}
	return []web.Notice{{Level: evening.Warn, Text: text}}
}

// missingBudget returns notices with the months that have no budget, if the period is compared with the
// budget.
func (b builder) missingBudget(c *compare.Comparison, codes []string) (all []web.Notice) {
	if c.Against != compare.TheBudget {
		return nil
	}
	compared := false
	for _, code := range codes {
		a, ok := compare.CompareBudget(b.Evening, &c.This, code)
		if compared = compared || ok; !ok || len(a.Without) == 0 {
			continue
		}
		var months []string
		for _, month := range a.Without {
			months = append(months, b.MonthOf(month))
		}
		all = append(all, web.Notice{Level: evening.Warn, Text: b.Say("revenue.budget_months", words.Text("months", b.List(months)), words.Text("currency", code))})
	}
	if !compared {
		return []web.Notice{{Level: evening.Info, Text: b.Say("revenue.budget_none")}}
	}
	return all
}

// choices are the links to other periods and to amounts with or without VAT, and a form for a custom
// period.
type choices struct {
	Path            string
	Ranges, Amounts []web.Link
	Custom          bool // the page shows given days
	CustomText      string
	From, To        string
	Hidden          []field // what the form keeps
}

// field is a hidden field of a form.
type field struct{ Name, Value string }

// choices returns the choices of the page at a path that shows the days from..to.
func (b builder) choices(path string, from, to figures.Day) choices {
	out := choices{Path: path, From: string(from), To: string(to), Custom: b.Values.Get("period") == customRange, CustomText: b.Code("range", customRange)}
	for _, r := range ranges {
		if r != customRange {
			out.Ranges = append(out.Ranges, web.Link{Href: b.chosenHref(path, "period", r), Text: b.Code("range", r), Current: r == b.Values.Get("period")})
		}
	}
	return out
}

// chosenHref returns the address of a page with some choices changed, given as names and values in turn, and its lists from
// their beginning.
func (b builder) chosenHref(path string, choice ...string) string {
	values := url.Values{}
	for key := range b.Values {
		values.Set(key, b.Values.Get(key))
	}
	values.Del("skip")
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

// revenueChoices returns the choices of Revenue, where the periods are links in the glance.
func (b builder) revenueChoices(c *compare.Comparison) choices {
	out := b.choices(web.RevenuePath, c.This.From, c.This.To)
	out.Ranges = nil
	for _, name := range []string{"against", "vat", "without"} {
		if value := b.Values.Get(name); value != "" {
			out.Hidden = append(out.Hidden, field{name, value})
		}
	}
	if b.Total.NetOfVAT().Known() {
		excl := []string{"vat", withoutVAT}
		if c.Against == compare.TheBudget {
			excl = append(excl, "against", versus[0])
		}
		out.Amounts = []web.Link{{Href: b.chosenHref(web.RevenuePath, "vat", ""), Text: b.Text("amounts.incl"), Current: !b.exclVAT()}, {Href: b.chosenHref(web.RevenuePath, excl...), Text: b.Text("amounts.excl"), Current: b.exclVAT()}}
	}
	return out
}

// glance is every period with what was booked in it and its change, as tabs, and what the chosen one may be compared with.
// Amounts without VAT are not compared with the budget.
type glance struct {
	Tabs    []periodTab
	Against []web.Link
}

// periodTab leads to a period, with what was booked in it as text. The chosen one is no link: it has the figure itself, and
// what it is compared with.
type periodTab struct {
	web.Link
	Name, Change string
	Figure       words.Num
	On           words.Sentence
	Line         string // what was booked by day as the path of a line; empty for a few days
}

// tabPoints is the most points of a tab's line.
const tabPoints = 60

// tabLine returns the path of a line through what was booked on each day, or on some days in a long period, in a box of
// 100 by 100; none if there are fewer than five days, or more than one currency.
func (b builder) tabLine(p *evening.Period) string {
	codes := figures.Currencies(b.booked(p.Flow))
	if len(p.Days) < 5 || len(codes) != 1 || b.Unread() {
		return ""
	}
	least, most := int64(0), int64(1)
	var amounts []int64
	for days := range slices.Chunk(p.Days, (len(p.Days)+tabPoints-1)/tabPoints) {
		var sum int64
		for i := range days {
			sum += b.booked(days[i].Flow).In(codes[0])
		}
		amounts = append(amounts, sum)
		least, most = min(least, sum), max(most, sum)
	}
	var d strings.Builder
	for i, amount := range amounts {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%d %d", command, 100*i/(len(amounts)-1), 100-100*(amount-least)/(most-least))
	}
	return d.String()
}

func (b builder) glance(c *compare.Comparison) (g glance) {
	chosen, against := b.Values.Get("period"), b.Values.Get("against")
	for _, period := range ranges {
		if period == customRange && chosen != customRange {
			continue
		}
		if period == chosen {
			g.Tabs = append(g.Tabs, b.chosenTab(c))
			continue
		}
		other := b.compare(b.spanOf(period), against)
		total := b.bookedOf(b.Evening.RevenueOf(&other.This))
		tab := periodTab{Name: b.Code("range_short", period), Link: web.Link{Href: b.chosenHref(web.RevenuePath, "period", period),
			Text: b.QualifiedSums(total.Quality, total.Reasons, b.Sums(b.booked(other.This.Flow))).Text}}
		if change := b.changeOf(&other); change != words.Dash {
			tab.Change = change
		}
		tab.Line = b.tabLine(&other.This)
		g.Tabs = append(g.Tabs, tab)
	}
	for _, other := range versus {
		if other == againstBudget && b.exclVAT() {
			continue
		}
		l := web.Link{Href: b.chosenHref(web.RevenuePath, "against", other), Text: b.Code("versus", other), Current: other == against}
		c := b.compare(b.spanOf(chosen), other)
		if change := b.changeOf(&c); change != words.Dash {
			l.Text = b.Text("glance.against", words.Text("what", l.Text), words.Text("change", change))
		}
		g.Against = append(g.Against, l)
	}
	if c.Exceptional > 0 {
		without := exceptionalDays
		if c.LeftOut {
			without = ""
		}
		g.Against = append(g.Against, web.Link{Href: b.chosenHref(web.RevenuePath, "without", without), Text: b.Text("glance.without", words.Int("n", c.Exceptional)), Current: c.LeftOut})
	}
	return g
}

// chosenTab returns the tab of the chosen period, with its days.
func (b builder) chosenTab(c *compare.Comparison) periodTab {
	of, total := web.PeriodScope(c.This, ""), b.bookedOf(b.Evening.RevenueOf(&c.This))
	return periodTab{Link: web.Link{Current: true}, On: b.comparedOn(c), Line: b.tabLine(&c.This),
		Name:   b.Text("glance.days", words.Text("what", b.Code("range_short", b.Values.Get("period"))), words.Text("days", b.PeriodOf(c.This.From, c.This.To))),
		Figure: b.Explained(b.bookedKey(), of, b.QualifiedSums(total.Quality, total.Reasons, b.Sums(b.booked(c.This.Flow))))}
}

// comparedOn returns how what was booked changed, and on what; empty if that is not known.
func (b builder) comparedOn(c *compare.Comparison) words.Sentence {
	now, was, code := b.compared(c)
	if code == "" {
		return nil
	}
	changed := b.Changed(c, figures.Booked, b.bookedOf, now, was)
	if changed == "" {
		return nil
	}
	change := words.Text("change", changed)
	if c.Against == compare.TheBudget {
		return b.Say("glance.on_budget", change, words.Text("amount", b.Money(now, code)), words.Fig("budget", b.budgetFigure(&c.This, code)))
	}
	before := words.Fig("before", b.beforeFigure(b.bookedKey(), c, code, b.bookedOf(b.Evening.RevenueOf(&c.Before)).Caveat(), b.Money(was, code)))
	days := words.Text("days", b.PeriodOf(c.BeforeFrom, c.Before.To))
	if c.EndsEarly() && !b.At.IsZero() {
		days = words.Text("days", b.Text("glance.until", days, words.Text("time", b.Clock(c.Before.Until, b.Zone))))
	}
	if c.KnownFrom != "" {
		return b.Say("glance.on_from", change, words.Text("day", b.DayOf(c.ComparedFrom)), words.Text("amount", b.Money(now, code)), before, days)
	}
	if c.LeftOut || now != b.booked(c.This.Flow).In(code) { // the change is of less than what stands above it
		return b.Say("glance.on_usual", change, words.Text("amount", b.Money(now, code)), before, days)
	}
	return b.Say("glance.on", change, before, days)
}

// budgetFigure returns the budget that a period is compared with, with its explanation unless that is of months without one, too.
func (b builder) budgetFigure(p *evening.Period, code string) words.Num {
	of, _ := compare.CompareBudget(b.Evening, p, code)
	n := b.Qualified(of.Quality, of.Reasons, b.Money(of.Budget, code))
	if len(of.Without) > 0 {
		return n
	}
	return b.Explained(figures.KeyBudget, web.PeriodScope(*p, code), n)
}

// changeOf returns the relative change of a period against what it is compared with; a dash if that is not
// known.
func (b builder) changeOf(c *compare.Comparison) string {
	now, was, code := b.compared(c)
	if code == "" || now < 0 {
		return words.Dash
	}
	return cmp.Or(b.changedShort(c, figures.Booked, b.bookedOf, now, was), words.Dash)
}

// compared returns what was booked in a period and in what it is compared with, if both are in one
// currency; otherwise the code is empty.
func (b builder) compared(c *compare.Comparison) (now, was int64, code string) {
	if b.Unread() {
		return 0, 0, ""
	}
	if c.Against == compare.TheBudget {
		codes := b.withBudgeted(c, figures.Currencies(c.This.Of(figures.Booked)))
		if len(codes) != 1 {
			return 0, 0, ""
		}
		a, ok := compare.CompareBudget(b.Evening, &c.This, codes[0])
		if !ok {
			return 0, 0, ""
		}
		return a.Booked, a.Budget, codes[0]
	}
	codes := figures.Currencies(b.booked(c.Compared), b.booked(c.ComparedBefore))
	if !c.Comparable() || len(codes) != 1 {
		return 0, 0, ""
	}
	return b.booked(c.Compared).In(codes[0]), b.booked(c.ComparedBefore).In(codes[0]), codes[0]
}

// withBudgeted adds the currencies that have a budget, if a period is compared with its budget: nothing may
// be booked in them yet.
func (b builder) withBudgeted(c *compare.Comparison, codes []string) []string {
	if c.Against != compare.TheBudget {
		return codes
	}
	codes = slices.Concat(codes, compare.Budgeted(b.Snapshot, c.This.From, c.This.To))
	slices.Sort(codes)
	return slices.Compact(codes)
}

// changedShort is Changed as one number.
func (b builder) changedShort(c *compare.Comparison, m figures.Measure, of func(*figures.Revenue) figures.Figure[figures.Sums], now, was int64) string {
	change, ok := c.Changed(b.Evening, m, of, now, was)
	if !ok {
		return ""
	}
	return b.Qualified(change.Quality, change.Reasons, b.Change(now, was)).Text
}
