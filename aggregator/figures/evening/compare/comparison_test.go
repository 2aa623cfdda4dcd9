package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

func spanText(c compare.Comparison) string {
	out := fmt.Sprintf("%s..%s against %s..%s until %s", c.This.From, c.This.To, c.Before.From, c.Before.To, c.Before.Until.Format("01-02 15:04"))
	if c.KnownFrom != "" {
		out += ", known from " + string(c.KnownFrom)
	}
	if c.ComparedFrom != "" {
		out += fmt.Sprintf(", compared from %s: %d against %d", c.ComparedFrom, c.Compared.Sold, c.ComparedBefore.Sold)
	}
	return out
}

// What each choice of a period is compared with, up to when, and from when on.
func TestCompare(t *testing.T) {
	sold := func(days ...string) (records []record.Record) {
		records = append(records, foldtest.Event("a"))
		for i, day := range days {
			at, err := time.Parse("2006-01-02 15:04", day)
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, foldtest.Ticket(fmt.Sprint("t", i), "a", func(r *record.Ticket) { r.SoldAt = at }))
		}
		return records
	}
	ages := sold("2020-01-01 10:00", "2020-03-01 10:00", "2021-05-01 10:00", "2025-10-18 18:00", "2025-11-21 09:59", "2025-11-21 10:00", "2026-10-20 09:59", "2026-10-20 10:01", "2026-11-13 09:00", "2026-11-20 09:00", "2026-11-20 10:00")
	young := sold("2025-11-10 10:00", "2025-11-12 10:00", "2026-11-03 10:00", "2026-11-08 10:00", "2026-11-11 10:00")
	at := func(s string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	now := at("2026-11-20 10:00") // a Friday; what is sold in this minute is not compared, nor what was in the one before
	own := func(from, to figures.Day) func(*evening.Evening) compare.Span {
		return func(v *evening.Evening) compare.Span { return compare.NewSpan(v, from, to) }
	}
	choose := func(r compare.Range) func(*evening.Evening) compare.Span {
		return func(v *evening.Evening) compare.Span { return compare.SpanOf(v, r) }
	}
	for _, c := range []struct {
		name    string
		records []record.Record
		now     time.Time
		span    func(*evening.Evening) compare.Span
		against compare.Against
		want    string
	}{
		{"today", ages, now, choose(compare.ThisDay), compare.TheOneBefore, "2026-11-20..2026-11-20 against 2026-11-13..2026-11-13 until 11-13 10:00, compared from 2026-11-20: 1 against 1"},
		{"today last year", ages, now, choose(compare.ThisDay), compare.LastYear, "2026-11-20..2026-11-20 against 2025-11-21..2025-11-21 until 11-21 10:00, compared from 2026-11-20: 1 against 1"},
		{"yesterday", ages, at("2026-11-21 09:00"), choose(compare.Yesterday), compare.TheOneBefore, "2026-11-20..2026-11-20 against 2026-11-13..2026-11-13 until 11-14 00:00, compared from 2026-11-20: 2 against 1"},
		{"yesterday last year", ages, at("2026-11-21 09:00"), choose(compare.Yesterday), compare.LastYear, "2026-11-20..2026-11-20 against 2025-11-21..2025-11-21 until 11-22 00:00, compared from 2026-11-20: 2 against 2"},
		{"week", ages, now, choose(compare.ThisWeek), compare.TheOneBefore, "2026-11-16..2026-11-20 against 2026-11-09..2026-11-13 until 11-13 10:00, compared from 2026-11-16: 1 against 1"},
		{"last week", ages, now, choose(compare.LastWeek), compare.TheOneBefore, "2026-11-09..2026-11-15 against 2026-11-02..2026-11-08 until 11-09 00:00, compared from 2026-11-09: 1 against 0"},
		{"last week, on a Sunday", ages, at("2026-11-22 23:00"), choose(compare.LastWeek), compare.TheOneBefore, "2026-11-09..2026-11-15 against 2026-11-02..2026-11-08 until 11-09 00:00, compared from 2026-11-09: 1 against 0"},
		{"last week, on a Monday", ages, at("2026-11-23 09:00"), choose(compare.LastWeek), compare.LastYear, "2026-11-16..2026-11-22 against 2025-11-17..2025-11-23 until 11-24 00:00, compared from 2026-11-16: 2 against 2"},
		{"month", ages, now, choose(compare.ThisMonth), compare.TheOneBefore, "2026-11-01..2026-11-20 against 2026-09-27..2026-10-16 until 10-16 10:00, compared from 2026-11-01: 2 against 0"},
		{"month of 28 days", ages, at("2026-02-20 10:00"), choose(compare.ThisMonth), compare.TheOneBefore, "2026-02-01..2026-02-20 against 2026-01-04..2026-01-23 until 01-23 10:00, compared from 2026-02-01: 0 against 0"},
		{"month last year", ages, now, choose(compare.ThisMonth), compare.LastYear, "2026-11-01..2026-11-20 against 2025-11-02..2025-11-21 until 11-21 10:00, compared from 2026-11-01: 2 against 1"},
		{"season", ages, now, choose(compare.ThisSeason), compare.TheOneBefore, "2026-09-01..2026-11-20 against 2025-09-02..2025-11-21 until 11-21 10:00, compared from 2026-09-01: 4 against 2"},
		{"a season that began last year", ages, at("2026-07-02 10:00"), choose(compare.ThisSeason), compare.TheOneBefore, "2025-09-01..2026-07-02 against 2024-09-02..2025-07-03 until 07-03 10:00, compared from 2025-09-01: 3 against 0"},
		{"a month that is longer", ages, at("2026-03-31 10:00"), choose(compare.ThisMonth), compare.TheOneBefore, "2026-03-01..2026-03-31 against 2026-01-25..2026-02-24 until 02-24 10:00, compared from 2026-03-01: 0 against 0"},
		{"days that are over", ages, now, own("2026-11-13", "2026-11-14"), compare.TheOneBefore, "2026-11-13..2026-11-14 against 2026-11-06..2026-11-07 until 11-08 00:00, compared from 2026-11-13: 1 against 0"},
		{"the wrong way round, and ahead", ages, now, own("2027-01-01", "2026-11-20"), compare.TheOneBefore, "2026-11-20..2026-11-20 against 2026-11-13..2026-11-13 until 11-13 10:00, compared from 2026-11-20: 1 against 1"},
		{"nothing", ages, now, choose(compare.ThisDay), compare.Nothing, "2026-11-20..2026-11-20 against .. until 01-01 00:00"},
		{"history from the middle", young, now, choose(compare.ThisMonth), compare.LastYear,
			"2026-11-01..2026-11-20 against 2025-11-02..2025-11-21 until 11-21 10:00, known from 2025-11-10, compared from 2026-11-09: 1 against 2"},
		{"no history", young, now, choose(compare.ThisSeason), compare.TheOneBefore,
			"2026-09-01..2026-11-20 against 2025-09-02..2025-11-21 until 11-21 10:00, known from 2025-11-10, compared from 2026-11-09: 1 against 2"},
		{"a date that cannot be, before history", sold("1970-01-01 01:00", "2025-11-10 10:00", "2025-11-12 10:00", "2026-11-03 10:00", "2026-11-08 10:00", "2026-11-11 10:00"), now, choose(compare.ThisMonth), compare.LastYear,
			"2026-11-01..2026-11-20 against 2025-11-02..2025-11-21 until 11-21 10:00, known from 2025-11-10, compared from 2026-11-09: 1 against 2"},
		{"no history at all", sold("2026-11-20 09:00"), now, choose(compare.ThisMonth), compare.LastYear,
			"2026-11-01..2026-11-20 against 2025-11-02..2025-11-21 until 11-21 10:00, known from 2026-11-20"},
	} {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, c.records...), c.now)
		if got := spanText(compare.Compare(v, c.span(v), c.against)); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// Today is compared up to the begin of the running minute on both sides: of the minute itself only a part has happened. All of it is
// shown, and the change says of how much it is.
func TestTheRunningMinuteIsNotCompared(t *testing.T) {
	sold := func(day string, euros ...int64) (all []record.Record) {
		for i, n := range euros { // at 20:08, 20:09, and so on
			all = append(all, foldtest.Ticket(fmt.Sprint(day, i), "a", func(t *record.Ticket) {
				t.SoldAt, t.Price = foldtest.Clock(fmt.Sprintf("%s 20:%02d", day, 8+i)), foldtest.Eur(n*100)
			}))
		}
		return all
	}
	records := slices.Concat([]record.Record{foldtest.Event("a")}, sold("12", 1), sold("13", 100, 900, 400), sold("14", 1), sold("20", 30, 500, 7))
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("20 20:10"))
	c := compare.Compare(v, compare.SpanOf(v, compare.ThisDay), compare.TheOneBefore)
	booked := func(f figures.Flow) int64 { return f.Of(figures.Booked).In("EUR") / 100 }
	if got := fmt.Sprint(booked(c.This.Flow), booked(c.Compared), booked(c.ComparedBefore), c.Before.Until.Format(" 02 15:04")); got != "537 530 1000 13 20:10" {
		t.Errorf("booked, compared, with: %s", got)
	}
	x, ok := catalogue.Explain(v, figures.KeyBooked, c.ScopeBefore(c.BeforeFrom, c.Before.To))
	if !ok || x.Amount.In("EUR") != 1000_00 {
		t.Errorf("what it is compared with is explained as %v", x.Value)
	}
}

// A day or month is compared with the days before it if all of them are known, and with nothing otherwise.
func TestBucketsAreComparedWithWhatIsKnown(t *testing.T) {
	records := append(foldtest.SellAt("a", foldtest.Clock("04 10:00"), foldtest.Clock("05 10:00"), foldtest.Clock("06 10:00"), foldtest.Clock("10 10:00"), foldtest.Clock("12 10:00")), foldtest.Event("a"))
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("13 09:59"))
	c := compare.Compare(v, compare.NewSpan(v, "2026-11-09", "2026-11-13"), compare.TheOneBefore)
	got := ""
	for _, b := range c.Buckets {
		before := "nothing"
		if b.Before != nil {
			before = fmt.Sprint(b.Before.Sold)
		}
		got += fmt.Sprintf("%s: %d and %s; ", b.From, b.Sold, before)
	}
	if want := "2026-11-09: 0 and nothing; 2026-11-10: 1 and nothing; 2026-11-11: 0 and 1; 2026-11-12: 1 and 1; 2026-11-13: 0 and 0; "; got != want || c.KnownFrom != "2026-11-04" {
		t.Errorf("known from %s: %s, want %s", c.KnownFrom, got, want)
	}
}

// A comparison may leave out the days that a note calls exceptional, with the days that they are compared with.
func TestCompareUsual(t *testing.T) {
	records := []record.Record{foldtest.Event("a")}
	sell := func(day string, n int) {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			records = append(records, foldtest.Ticket(fmt.Sprint("t", len(records)), "a", func(r *record.Ticket) { r.SoldAt = at.Add(9 * time.Hour) }))
		}
	}
	for i, n := range []int{1, 20, 300, 4000, 5} { // from Monday on
		sell(fmt.Sprintf("2026-11-%02d", 9+i), n)
		sell(fmt.Sprintf("2026-11-%02d", 16+i), 2*n)
	}
	note := func(day, event string, exceptional int64) {
		records = append(records, &record.Setting{Name: record.SettingNote, Of: record.NoteOf(event, "Storm"), From: day, Value: &exceptional})
	}
	note("2026-11-18", "", 1)
	note("2026-11-10", "", 1)
	note("2026-11-16", "", 0)
	note("2026-11-19", "a", 1) // the day of others is not exceptional
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))
	week := compare.SpanOf(v, compare.ThisWeek)
	all, usual := compare.Compare(v, week, compare.TheOneBefore), compare.CompareUsual(v, week, compare.TheOneBefore)
	if all.LeftOut || all.Exceptional != 2 || all.Compared.Sold != 8652 || all.ComparedBefore.Sold != 4326 {
		t.Errorf("all days: %d exceptional pairs, %s", all.Exceptional, spanText(all))
	}
	if !usual.LeftOut || usual.Exceptional != 2 || usual.Compared.Sold != 8012 || usual.ComparedBefore.Sold != 4006 || usual.This.Sold != 8652 {
		t.Errorf("without the 10th and 17th, and the 11th and 18th: %d pairs, %s", usual.Exceptional, spanText(usual))
	}
	if none := compare.CompareUsual(v, compare.SpanOf(v, compare.ThisDay), compare.TheOneBefore); none.LeftOut || none.Exceptional != 0 {
		t.Errorf("on a day that is not exceptional: %+v", none.Exceptional)
	}
	if budget := compare.CompareUsual(v, week, compare.TheBudget); budget.LeftOut || budget.Exceptional != 0 {
		t.Error("a budget has exceptional days")
	}
}

// Both sides counted anew from the sales themselves, and buckets that sum to them, for random sales,
// moments, spans and venues.
func TestCompareRandom(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 11))
	for range 60 {
		calendar := foldtest.Amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
		calendar.Season = time.Month(1 + d.IntN(12))
		now := time.Date(2026, time.Month(1+d.IntN(12)), 1+d.IntN(31), d.IntN(24), d.IntN(60), 0, 0, calendar.Zone)
		var sales []time.Time
		records := []record.Record{foldtest.Event("a")}
		for i := range 300 {
			at := now.Add(-time.Duration(d.Int64N(int64(800 * 24 * time.Hour)))).Truncate(time.Minute)
			sales = append(sales, at)
			records = append(records, foldtest.Ticket(fmt.Sprint("t", i), "a", func(r *record.Ticket) { r.SoldAt = at }))
		}
		v := foldtest.Evening(foldtest.Ledger(calendar, foldtest.NewLog(records...).Versions...).Snapshot(figures.Position{}, foldtest.Complete), now)
		count := func(from, until time.Time) (n int) {
			for _, at := range sales {
				if !at.Before(from) && at.Before(until) {
					n++
				}
			}
			return n
		}
		span := compare.SpanOf(v, compare.Range(d.IntN(5)))
		if d.IntN(3) == 0 {
			span = compare.NewSpan(v, v.Today.Add(-d.IntN(900)), v.Today.Add(-d.IntN(30)))
		}
		c := compare.Compare(v, span, compare.Against(d.IntN(2)))
		if got, want := c.This.Sold, count(calendar.Start(c.This.From), calendar.Start(c.This.To.Add(1))); got != want {
			t.Fatalf("%s at %s: %d sold, want %d", spanText(c), now, got, want)
		}
		sum := 0
		for _, b := range c.Buckets {
			sum += b.Sold
			if b.Before != nil && b.Before.Sold != count(calendar.Start(b.BeforeFrom), figures.Earlier(calendar.Start(b.BeforeTo.Add(1)), c.Before.Until)) {
				t.Fatalf("%s at %s: bucket %s..%s is compared with %d", spanText(c), now, b.From, b.To, b.Before.Sold)
			}
		}
		if sum != c.This.Sold || c.Buckets[0].From != c.This.From || c.Buckets[len(c.Buckets)-1].To != c.This.To {
			t.Fatalf("%s at %s: the buckets sum to %d", spanText(c), now, sum)
		}
		if !c.Comparable() {
			continue
		}
		if got, want := c.Compared.Sold, count(calendar.Start(c.ComparedFrom), c.This.Until); got != want {
			t.Fatalf("%s at %s: %d compared, want %d", spanText(c), now, got, want)
		}
		known := max(c.Before.From, c.KnownFrom)
		if got, want := c.ComparedBefore.Sold, count(calendar.Start(known), c.Before.Until); got != want {
			t.Fatalf("%s at %s: compared with %d, want %d", spanText(c), now, got, want)
		}
		parts := 0
		before, ok := catalogue.Explain(v, figures.KeySold, c.ScopeBefore(c.BeforeFrom, c.Before.To))
		for _, part := range before.Parts {
			parts += part.Count
		}
		if !ok || before.Count != c.ComparedBefore.Sold || parts != before.Count {
			t.Fatalf("%s at %s: what it is compared with, %d, is explained as %d, its parts as %d", spanText(c), now, c.ComparedBefore.Sold, before.Count, parts)
		}
	}
}

// The last half an hour of the day that autumn makes longer is compared with all of the day before, and with no more.
func TestCompareTheLongDay(t *testing.T) {
	calendar := foldtest.Amsterdam(t, 0)
	at := func(day, hour, minute int) time.Time {
		return time.Date(2026, 10, day, hour, minute, 0, 0, calendar.Zone)
	}
	s := foldtest.Ledger(calendar, foldtest.NewLog(append(foldtest.SellAt("a", at(18, 10, 0), at(18, 23, 59), at(25, 0, 1), at(25, 23, 0)), foldtest.Event("a"))...).Versions...).Snapshot(figures.Position{}, foldtest.Complete)
	v := foldtest.Evening(s, at(25, 23, 30))
	c := compare.Compare(v, compare.NewSpan(v, "2026-10-25", "2026-10-25"), compare.TheOneBefore)
	if c.Compared.Sold != 2 || c.ComparedBefore.Sold != 2 || !c.Before.Until.Equal(at(19, 0, 0)) {
		t.Errorf("%d against %d until %v", c.Compared.Sold, c.ComparedBefore.Sold, c.Before.Until)
	}
}

// A ticket without a price does not make the rates of VAT of other days inexact.
func TestOneGapIsNotInTheRatesOfOtherDays(t *testing.T) {
	sold := func(id, at string, price *record.Money) *record.Ticket {
		return foldtest.Ticket(id, "a", func(t *record.Ticket) { t.Price, t.VAT, t.SoldAt = price, foldtest.Eur(180), foldtest.Clock(at) })
	}
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, foldtest.Event("a"), sold("gap", "13 11:00", nil), sold("beside", "13 12:00", foldtest.Eur(2180)), sold("after", "14 11:00", foldtest.Eur(2180))), foldtest.Clock("16 10:00"))
	given, atNine := figures.VATSource{Basis: figures.VATGiven}, figures.VATSource{Basis: figures.VATGiven, Rate: 900}
	for _, k := range []figures.Key{figures.KeyBooked, figures.KeyVAT} {
		for _, c := range []struct {
			day  figures.Day
			from figures.VATSource
			want figures.Quality
		}{{"2026-11-13", given, figures.LowerBound}, {"2026-11-14", atNine, figures.Exact}} {
			x, ok := catalogue.Explain(v, k, figures.Scope{From: c.day, To: c.day, VAT: c.from})
			if !ok || x.Quality != c.want {
				t.Errorf("%s of %s from %v: %v %+v, want the quality %v", k, c.day, c.from, ok, x.Value, c.want)
			}
		}
	}
}

// A ticket without a price makes the sums inexact that it is in, and no other; a change that is larger than what it may
// hide is told.
func TestOneGapStaysWhereItIs(t *testing.T) {
	noPrice := foldtest.Ticket("gap", "a", func(t *record.Ticket) { t.Price, t.SoldAt = nil, foldtest.Clock("06 11:00") })
	var times []time.Time
	for i := range 9 {
		times = append(times, foldtest.Clock(fmt.Sprintf("06 1%d:00", i)))
	}
	for range 20 {
		times = append(times, foldtest.Clock("13 10:00"), foldtest.Clock("20 10:00"))
	}
	records := append(foldtest.SellAt("a", times...), foldtest.Event("a"), noPrice)
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("21 10:00"))
	booked := func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Of(figures.Booked) }
	for _, c := range []struct {
		from, to figures.Day
		want     figures.Quality
		told     bool // the change from the days before
	}{
		{"2026-11-06", "2026-11-06", figures.LowerBound, false}, // nothing before it
		{"2026-11-13", "2026-11-13", figures.Exact, true},       // twice as much
		{"2026-11-20", "2026-11-20", figures.Exact, true},
		{"2026-11-06", "2026-11-08", figures.LowerBound, false},
	} {
		cmp := compare.Compare(v, compare.NewSpan(v, c.from, c.to), compare.TheOneBefore)
		if got := booked(v.RevenueOf(&cmp.This)); got.Quality != c.want || (got.Quality == figures.LowerBound) != slices.Contains(got.Reasons, figures.ReasonNoPrice) {
			t.Errorf("booked %s..%s: %+v, want the quality %v", c.from, c.to, got, c.want)
		}
		now, was := cmp.Compared.Of(figures.Booked).In("EUR"), cmp.ComparedBefore.Of(figures.Booked).In("EUR")
		change, told := cmp.Changed(v, figures.Booked, booked, now, was)
		if told != c.told || told && c.from == "2026-11-13" && (change.Quality != figures.Estimated || !slices.Contains(change.Reasons, figures.ReasonNoPrice) || change.MostNow != now || change.MostWas != was*10/9) {
			t.Errorf("from %d to %d on %s..%s: told %v with %+v, want %v", was, now, c.from, c.to, told, change, c.told)
		}
		if c.from == "2026-11-13" {
			if _, told := cmp.Changed(v, figures.Booked, booked, 190, 180); told {
				t.Error("a change of 6 % is told, where 1 in 10 has no price")
			}
		}
	}
	// While tickets are being read, any day may lack some.
	reading := foldtest.Complete
	reading.TicketsComplete = false
	partial := foldtest.Evening(foldtest.Fold(reading, records...), foldtest.Clock("16 10:00"))
	whole := compare.Compare(partial, compare.NewSpan(partial, "2026-11-14", "2026-11-14"), compare.TheOneBefore)
	if change, told := whole.Changed(partial, figures.Booked, booked, 400, 180); told {
		t.Errorf("a change is told while tickets are being read, with %+v", change)
	}
	// All of the performance, and all of the house, is at least what it is.
	if e := v.Snapshot.Event("a"); booked(&e.Revenue).Quality != figures.LowerBound || booked(&v.Snapshot.Total).Quality != figures.LowerBound {
		t.Error("all that was booked is exact")
	}
}
