package web_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/marketing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/planning"
	"housecount/aggregator/figures/evening/search"
	"housecount/web"
	"housecount/web/webtest"
)

var amountShown = regexp.MustCompile(`€([\d,]+\.\d\d)`)

var numberShown = regexp.MustCompile(`(?:^|[\s+−≈≥≤(§])(\d[\d,]*)(?:$|[\s.,;:)/])`)

// noFigures are the numbers of pages that are none: money, which is looked for by itself, shares, the
// time of day, dates, days of the week with theirs, and how long something takes or is ago.
var noFigures = regexp.MustCompile(`€[\d,.]+|[\d.]+ ?%|\d+:\d\d(?::\d\d)?|\b20\d\d\b|` +
	`\b\d+ (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*|\d+ (?:s|min|h|minutes?|hours?|days?|weeks?)\b`)

// fewest is the least number of places that is looked for: smaller ones are on every page by chance.
const fewest = 20

// figuresKnown are the amounts in euros and the numbers that an evening's pages may show, each with
// what it is: a figure of the catalogue, or a row that a table has beside them.
type figuresKnown map[string]string

func (known figuresKnown) add(kind string, all ...figures.Sums) {
	for _, s := range all {
		n := s.In("EUR")
		n = max(n, -n)
		if text := fmt.Sprintf("%d.%02d", n/100, n%100); known[text] == "" {
			known[text] = kind
		}
	}
}

func (known figuresKnown) count(kind string, all ...int) {
	for _, n := range all {
		if text := fmt.Sprint(max(n, -n)); known[text] == "" {
			known[text] = kind
		}
	}
}

// scope adds every figure of the catalogue that there is of a scope.
func (known figuresKnown) scope(v *evening.Evening, kind string, scope figures.Scope) {
	for _, d := range catalogue.All() {
		if x, ok := catalogue.Explain(v, d.Key, scope); ok {
			known.add(kind, x.Amount)
			known.count(kind, x.Count)
		}
	}
}

func (known figuresKnown) part(p *figures.PartFigures) {
	const kind = "a channel, referral, code or ticket type"
	known.flow(kind, &p.Flow)
	known.count(kind, p.Paid, p.Unpaid, p.Complimentary, p.FreeTickets)
}

// gates are who came in at gates, in all and by steps of some minutes.
func (known figuresKnown) gates(e *figures.EventFigures, shown *evening.Show) {
	for _, step := range []int64{1, 5} {
		all := map[int64]int{}
		for i := range e.Gates {
			g, of := &e.Gates[i], map[int64]int{}
			for _, m := range g.Minutes {
				all[m.Minute/step] += m.Count
				of[m.Minute/step] += m.Count
			}
			known.count("a gate", g.Entries, shown.EntriesIn(g, 5*time.Minute).Value)
			known.count("minutes of a gate", slices.Collect(maps.Values(of))...)
		}
		known.count("minutes of all gates", slices.Collect(maps.Values(all))...)
	}
}

// average adds what a place cost on average that was sold on some days with a price.
func (known figuresKnown) average(events []*figures.EventFigures, from, to figures.Day) {
	first, _ := from.Number()
	last, _ := to.Number()
	var sum figures.PaidFor
	sum.Currency = "EUR"
	for _, of := range figures.PricedOn(events, "EUR", first, last) {
		sum.Amount, sum.Places = sum.Amount+of.Amount, sum.Places+of.Places
	}
	if sum.Places > 0 {
		known.add("the average price of days of sale", figures.AverageOf([]figures.PaidFor{sum}, figures.Caveat{}).Value)
	}
}

func (known figuresKnown) flow(kind string, f *figures.Flow) {
	known.add(kind, f.Net(), f.NetOfVAT())
	known.count(kind, f.Sold)
	for m := range figures.RefundsPending {
		known.add(kind, f.Of(m))
	}
}

// figuresOf returns those of an evening, and of the spans that its pages compare.
func figuresOf(s *figures.Snapshot, v *evening.Evening, spans []compare.Span) figuresKnown {
	known := figuresKnown{}
	scopes := []figures.Scope{{}, {Night: true}, {Night: true, From: v.Day, To: v.Day}}
	for _, e := range s.Events {
		scopes = append(scopes, figures.Scope{Event: e.Event.ID})
	}
	for _, span := range spans {
		scopes = append(scopes, figures.Scope{From: span.From, To: span.To}, figures.Scope{From: span.From, To: span.To, Orders: true})
	}
	for _, scope := range scopes {
		known.scope(v, "figure", scope)
	}
	for _, e := range s.Events {
		for _, band := range bridge.OpenItems(v, e) {
			known.add("open items of an age", band.ToBePaid, band.ToBePaidBack)
		}
		for _, parts := range e.Parts {
			for _, p := range parts.All() {
				known.part(&p)
			}
		}
		known.gates(e, v.Show(e))
		for _, p := range v.Arrivals(v.Show(e)).Points {
			known.count("more or fewer than usual by a minute", int(math.Abs(math.Round((p.Came-p.Median)*float64(e.Expected.Value)))))
		}
		days, ahead := v.SaleDays(e)
		var before [3]figures.Sums // on all days up to one, of which a page folds the first away
		sold := 0
		for i := range days {
			known.flow("a day of sale of a performance", &days[i].Flow)
			for n, m := range []figures.Measure{figures.Booked, figures.Received, figures.Refunded} {
				before[n] = before[n].PlusAll(days[i].Of(m), 1)
			}
			sold += days[i].Sold
			known.add("the first days of a sale together", before[:]...)
			known.count("the first days of a sale together", sold)
		}
		known.flow("what is dated ahead", &ahead)
		for i := range days {
			known.average([]*figures.EventFigures{e}, days[i].Day, days[i].Day)
		}
	}
	for _, span := range spans {
		for _, against := range []compare.Against{compare.TheOneBefore, compare.LastYear, compare.Nothing} {
			c := compare.Compare(v, span, against)
			for _, p := range []*evening.Period{&c.This, &c.Before} {
				known.flow("a period that is compared", &p.Flow)
				for i := range p.Days {
					known.flow("a day of sale", &p.Days[i].Flow)
					known.average(s.Events, p.Days[i].Day, p.Days[i].Day)
				}
			}
			known.flow("a period as far as it is compared", &c.Compared)
			known.flow("a period as far as it is compared", &c.ComparedBefore)
			for m := range figures.RefundsPending {
				known.add("a difference to another period", c.Compared.Of(m).PlusAll(c.ComparedBefore.Of(m), -1))
			}
			known.add("a difference to another period", c.Compared.Net().PlusAll(c.ComparedBefore.Net(), -1))
		}
		rows, c, lastYear := v.ByEvent(span.From, span.To), compare.Compare(v, span, compare.TheOneBefore), compare.Compare(v, span, compare.LastYear)
		for i := range rows {
			known.flow("a performance in a period", &rows[i].Flow)
			open := rows[i].Orders
			known.add("the open items of a performance in a period", open.Of(figures.ToBePaid).PlusAll(open.Of(figures.ToBePaidBack), -1))
		}
		for _, against := range []*compare.Comparison{&c, &lastYear} {
			befores := compare.Befores(v, against, rows)
			compare.OnlyBefore(v, against, rows, befores)
			for _, f := range befores {
				known.flow("a performance in what a period is compared with", &f.Flow)
			}
		}
		open := s.OrderDays.Between(span.From, span.To)
		known.add("the open items of a period", open.Of(figures.ToBePaid).PlusAll(open.Of(figures.ToBePaidBack), -1))
	}
	for _, r := range []compare.Range{compare.ThisDay, compare.Yesterday, compare.ThisWeek, compare.LastWeek, compare.ThisMonth, compare.ThisSeason} {
		from, to := compare.Whole(v, r)
		m := marketing.Of(v, from, to)
		for _, d := range catalogue.All() {
			known.add("figure", d.OfSales(&m).Amount)
			known.count("figure", d.OfSales(&m).Count)
		}
		known.add("received in all", m.Received.Value)
		known.count("places of performances", m.Sold.Value, m.Orders, m.Ordered, m.Buyers.New, m.Buyers.Returning, m.Buyers.Anonymous)
		for i := range m.Days.Buckets {
			known.count("places by day of sale", append(m.Days.Buckets[i].Sold, m.Days.Buckets[i].All())...)
		}
		for _, band := range m.LeadTimes {
			known.count("places by lead time", band.Sold)
		}
		for _, method := range m.Methods {
			known.add("received by a method", method.Received)
		}
		for _, parts := range m.Parts {
			for i := range parts {
				known.part(&parts[i])
			}
		}
	}
	for monday := figures.Day("2026-10-26"); monday < "2026-12-07"; monday = monday.Add(7) {
		sold, capacity := planning.Occupied(search.Find(v, search.Query{From: monday, To: monday.Add(6)}))
		known.count("the places of a week", sold.Value, capacity.Value)
	}
	if day := v.LastFinished(); day != "" {
		all, _ := catalogue.Of(v, figures.KeyBooked, figures.Scope{From: day, To: day})
		rest := all.Amount
		for _, e := range s.Events {
			if e.Date == day {
				rest = rest.PlusAll(v.PeriodOf(e, day, day, time.Time{}).Of(figures.Booked), -1)
			}
		}
		known.add("booked on a day for others", rest)
	}
	for _, d := range v.Findings() {
		known.count("the size of a finding", d.Count)
		for _, number := range regexp.MustCompile(`\d+`).FindAllString(d.Text.String(), -1) {
			known[number] = cmp.Or(known[number], "a number of a finding's text")
		}
	}
	known.count("payments", s.Payments, s.Payments-1) // one belongs to no performance
	return known
}

// unknown returns the amounts in a text that are not figures and, if numbers is set, the larger numbers. seen counts the
// others by what they are.
func (known figuresKnown) unknown(said string, numbers bool, seen map[string]int) (all []string) {
	found := amountShown.FindAllStringSubmatch(said, -1)
	if numbers {
		found = append(found, numberShown.FindAllStringSubmatch(strings.ReplaceAll(noFigures.ReplaceAllString(said, " "), " ", "  "), -1)...)
	}
	for _, m := range found {
		number := strings.ReplaceAll(m[1], ",", "")
		if n, err := strconv.Atoi(number); err == nil && n < fewest {
			continue
		}
		kind := known[number]
		if seen[kind]++; kind == "" {
			all = append(all, m[1])
		}
	}
	return all
}

// Every amount and every larger number on every page, in every letter and in every workbook is a figure of the catalogue, or of
// a table whose rows are named here.
func TestEveryFigureOnPagesIsKnown(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	kinds := map[string]int{}
	for _, now := range []time.Time{webtest.At("19:52"), webtest.At("23:20"), webtest.At("09:00").AddDate(0, 0, 1)} {
		for i := range h.Health.Streams {
			h.Health.Streams[i].LastGood = now
		}
		h.AsOf = now
		s := h.Snapshot()
		v := evening.At(s, now)
		known := figuresOf(s, v, []compare.Span{compare.NewSpan(v, "2026-11-14", v.Today), compare.SpanOf(v, compare.ThisDay), compare.SpanOf(v, compare.Yesterday), compare.SpanOf(v, compare.ThisWeek), compare.SpanOf(v, compare.LastWeek), compare.SpanOf(v, compare.ThisMonth), compare.SpanOf(v, compare.ThisSeason)})
		shown := append(webtest.Views(t, "evt_mat", "Grote Zaal", webtest.SeenBy(web.Manager)), webtest.View{Page: "revenue", Params: "against=last_year&period=month"})
		for _, show := range slices.Concat(v.Shows, v.LastNight) {
			shown = append(shown, webtest.EventView(show.Event.ID))
		}
		for _, page := range shown {
			c := webtest.Content(t, r, page.As(web.Manager), s, now)
			for id, html := range c.HTML {
				for _, number := range known.unknown(webtest.FigureText(html), id != "strip", kinds) {
					t.Errorf("%s at %s: %s in %s is no figure", page.As(web.Manager).Topic(), now.Format("15:04"), number, id)
				}
			}
		}
		out := map[string]int{}
		for where, said := range outOfThePage(t, r, s, now) {
			for _, number := range known.withNights(v).unknown(said, true, out) {
				t.Errorf("%s at %s: %s is no figure", where, now.Format("15:04"), number)
			}
		}
		if out["figure"] < 20 {
			t.Errorf("at %s only %d figures were found in letters and workbooks", now.Format("15:04"), out["figure"])
		}
	}
	for _, kind := range []string{"figure", "a day of sale", "a day of sale of a performance", "the first days of a sale together", "a performance in a period", "a channel, referral, code or ticket type",
		"places by lead time", "minutes of a gate"} {
		if kinds[kind] == 0 {
			t.Errorf("%s stands on no page", kind)
		}
	}
}
