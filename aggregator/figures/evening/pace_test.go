package evening_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// pastSale returns a performance so many days before 20 November 2026, sold by one place so many hours before
// its curtain at 20:00.
func pastSale(id string, daysAgo int, change func(*record.Event), hours ...int) []record.Record {
	curtain := foldtest.Clock("20 20:00").AddDate(0, 0, -daysAgo)
	e := foldtest.Event(id, func(e *record.Event) {
		e.Date, e.StartsAt, e.EndsAt, e.Title, e.Hall = curtain.Format(time.DateOnly), curtain, curtain.Add(2*time.Hour), id, "Hall"
		if change != nil {
			change(e)
		}
	})
	records := []record.Record{e}
	for i, h := range hours {
		records = append(records, foldtest.Ticket(fmt.Sprint(id, "-", i), id, func(t *record.Ticket) { t.SoldAt = curtain.Add(-time.Duration(h) * time.Hour) }))
	}
	return records
}

func paceOf(records []record.Record, id string, without ...string) evening.Pace {
	for _, past := range without {
		records = append(records, foldtest.Set(record.SettingLeftOut, record.LeftOutOf(id, past), "", 1, "09:00"))
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	v := foldtest.Evening(s, foldtest.Clock("20 12:00"))
	return v.Pace(v.Show(s.Event(id)))
}

// The figures of a pace that are estimates are explained with their bands.
func TestPaceIsExplainedWithItsBand(t *testing.T) {
	records := pastSale("own", -7, nil, 24*7+9)
	for i := range 7 {
		records = append(records, pastSale(fmt.Sprint("past ", i), 7*(i+1), nil, slices.Repeat([]int{24 * 8, 3}, i+1)...)...)
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	v := foldtest.Evening(s, foldtest.Clock("12:00"))
	p := v.Pace(v.Show(s.Event("own")))
	for k, want := range map[figures.Key]figures.Band{figures.KeyUsual: {Low: 2, Median: 4, High: 6}, figures.KeyUsualFinish: {Low: 4, Median: 8, High: 12}, figures.KeyFinish: {Low: 2, Median: 4, High: 7}, figures.KeySoldSoFar: {}} {
		x, ok := catalogue.Explain(v, k, figures.Scope{Event: "own"})
		if middle := want.Median; !ok || x.Band != want || k != figures.KeySoldSoFar && x.Count != middle {
			t.Errorf("%s is %+v, want %+v of %+v", k, x.Value, want, p)
		}
	}
}

// A performance that is over, or called off, has no pace to explain.
func TestNoPaceIsNone(t *testing.T) {
	off := foldtest.Event("off", func(e *record.Event) { e.Status = record.EventCancelled })
	s := foldtest.Fold(foldtest.Complete, append(pastSale("over", 10, func(*record.Event) {}, 24*9), off, foldtest.Ticket("t", "off"))...)
	v := foldtest.Evening(s, foldtest.Clock("12:00"))
	for _, k := range []figures.Key{figures.KeySoldSoFar, figures.KeyUsual, figures.KeyUsualFinish, figures.KeyFinish, figures.KeyFinishError} {
		for _, id := range []string{"over", "off"} {
			if x, ok := catalogue.Explain(v, k, figures.Scope{Event: id}); ok {
				t.Errorf("%s of %s is %+v", k, id, x.Value)
			}
		}
	}
}

// Median, band, estimate and error, worked out by hand: of the five performances one, two, three,
// four and ten places had been sold by now, and five, four, six, eight and ten in the end, so that
// four, two, three, four and none were to come.
func TestPaceByHand(t *testing.T) {
	early, late := 24*8, 3
	sold := func(then, after int) (hours []int) {
		return append(slices.Repeat([]int{early}, then), slices.Repeat([]int{late}, after)...)
	}
	own := func(capacity int) []record.Record {
		return pastSale("own", -7, func(e *record.Event) { e.Title, e.Capacity = "run", new(capacity) }, 24*7+9, 24*7+9)
	}
	records := own(100)
	run := func(e *record.Event) { e.Title = "run" }
	for i, n := range [][2]int{{1, 4}, {2, 2}, {3, 3}, {4, 4}, {10, 0}} {
		records = append(records, pastSale(fmt.Sprint("past", i), 7*(i+1), run, sold(n[0], n[1])...)...)
	}
	p := paceOf(records, "own")
	if p.Sold.Value != 2 || p.UsualBand != (figures.Band{Low: 1, Median: 3, High: 10}) || p.Usual.Value != 3 ||
		p.UsualFinish != (figures.Band{Low: 4, Median: 6, High: 10}) {
		t.Errorf("%d sold, usual %+v, in the end %+v", p.Sold.Value, p.UsualBand, p.UsualFinish)
	}
	// 2 sold, and about 3 to come; those of before differ so much that nothing to eight are.
	if p.Finish.Value != 5 || p.Finish.Quality != figures.Estimated || p.FinishBand != (figures.Band{Low: 2, Median: 5, High: 10}) {
		t.Errorf("finish %+v %+v", p.Finish, p.FinishBand)
	}
	if p.Error.Known() {
		t.Error("four others are enough to estimate one")
	}
	if first, last := p.Points[0], p.Points[len(p.Points)-1]; first.Days != 7 || last.Days != 0 || last.Usual != p.UsualFinish || last.Ahead != p.FinishBand {
		t.Errorf("points from %+v to %+v", first, last)
	}
	// No more than there are places.
	records[0] = own(4)[0]
	if p := paceOf(records, "own"); p.FinishBand != (figures.Band{Low: 2, Median: 4, High: 4}) {
		t.Errorf("with four places: %+v", p.FinishBand)
	}
	records[0] = pastSale("own", -7, func(e *record.Event) { e.Title, e.Capacity, e.Blocked = "run", new(9), new(5) })[0]
	if p := paceOf(records, "own"); p.FinishBand != (figures.Band{Low: 2, Median: 4, High: 4}) {
		t.Errorf("with four places that are not blocked: %+v", p.FinishBand)
	}
}

// What is usual is no surer than what the comparables sold: while their tickets are read anew, because what they mean has
// changed, and where one was refused.
func TestUsualIsAsSureAsWhatWasSold(t *testing.T) {
	run := func(e *record.Event) { e.Title = "run" }
	records := pastSale("own", -7, run, 24*7+9, 24*7+9)
	for i := range 6 {
		records = append(records, pastSale(fmt.Sprint("past", i), 7*(i+1), run, 24*8, 24*8, 3)...)
	}
	anew, refused := foldtest.Complete, foldtest.Complete
	anew.TicketsBehind, refused.RefusedTickets = true, map[string]int{"past3": 1}
	for name, c := range map[string]struct {
		coverage ledger.Coverage
		want     string
	}{
		"all read":    {foldtest.Complete, "2, in the end 3, off by 0"},
		"read anew":   {anew, "estimated 2 behind, in the end estimated 3 behind, off by estimated 0 behind"},
		"one refused": {refused, "estimated 2 refused, in the end estimated 3 refused, off by estimated 0 refused"},
	} {
		v := foldtest.Evening(foldtest.Fold(c.coverage, records...), foldtest.Clock("20 12:00"))
		got := ""
		for i, k := range []figures.Key{figures.KeyUsual, figures.KeyUsualFinish, figures.KeyFinishError} {
			x, ok := catalogue.Explain(v, k, figures.Scope{Event: "own"})
			if !ok {
				t.Fatalf("%s: no %s", name, k)
			}
			number := figures.New(x.Count, figures.Caveat{Quality: x.Quality, Reasons: x.Reasons})
			got += [...]string{"", ", in the end ", ", off by "}[i] + foldtest.Say(number)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What is sold is not estimated away: neither where comparable performances lost places from there on, nor where there are
// fewer places than were sold.
func TestFinishIsNotBelowSold(t *testing.T) {
	run := func(places int) func(*record.Event) {
		return func(e *record.Event) { e.Title, e.Capacity = "run", &places }
	}
	for _, c := range []struct {
		name   string
		places int
		more   []int // of each of the comparables, which had sold 20 by then
		want   func(b figures.Band) bool
	}{
		{"all lost places", 100, []int{-5, -5, -5, -5, -5, -5}, func(b figures.Band) bool { return b.Low == 20 && b.Median == 20 && b.High > 20 }},
		{"half lost places", 100, []int{-10, 10, -10, 10, -10, 10}, func(b figures.Band) bool { return b.Low == 20 && b.Median == 25 && b.High > 25 }},
		{"oversold", 10, []int{5, 5, 5, 5, 5, 5}, func(b figures.Band) bool { return b == figures.Band{Low: 20, Median: 20, High: 20} }},
	} {
		records := pastSale("own", -7, run(c.places), slices.Repeat([]int{24*7 + 9}, 20)...)
		for i, more := range c.more {
			id := fmt.Sprint("past", i)
			past := pastSale(id, 7*(i+1), run(100), append(slices.Repeat([]int{24 * 8}, 20), slices.Repeat([]int{3}, max(0, more))...)...)
			for _, r := range past[1 : 1+max(0, -more)] {
				lost := r.(*record.Ticket)
				lost.Status, lost.CancelledAt = record.TicketVoid, lost.SoldAt.Add(7*24*time.Hour+12*time.Hour)
			}
			records = append(records, past...)
		}
		if p := paceOf(records, "own"); p.Sold.Value != 20 || !c.want(p.FinishBand) || p.Finish.Value != p.FinishBand.Median {
			t.Errorf("%s: %d sold, finish %+v %+v", c.name, p.Sold.Value, p.Finish, p.FinishBand)
		}
	}
}

// Where all sold as many from there on, so will this one; where all sold as much again, this one sells as much again. Then each
// of them is estimated without an error from the others, and the band is narrow.
func TestAdditiveAndMultiplicative(t *testing.T) {
	run := func(e *record.Event) { e.Title, e.Capacity = "run", new(1000) }
	for _, c := range []struct {
		name   string
		sold   int
		more   func(then int) int
		finish int
		off    float64 // the error, at most
	}{
		{"additive", 40, func(int) int { return 20 }, 60, .02},
		{"additive, and few sold", 20, func(int) int { return 20 }, 31, .02}, // it is nothing like them, and believed
		{"multiplicative", 40, func(then int) int { return then + 4 }, 84, .001},
		{"multiplicative, and few sold", 20, func(then int) int { return then + 4 }, 44, .001},
	} {
		records := pastSale("own", -7, run, slices.Repeat([]int{24*7 + 9}, c.sold)...)
		for i, then := range []int{34, 36, 40, 44, 46, 50} {
			hours := append(slices.Repeat([]int{24 * 8}, then), slices.Repeat([]int{3}, c.more(then))...)
			records = append(records, pastSale(fmt.Sprint("past", i), 7*(i+1), run, hours...)...)
		}
		p := paceOf(records, "own")
		if p.Finish.Value != c.finish || !p.Error.Known() || p.Error.Value > c.off || (p.FinishBand.Low < p.Finish.Value) != (p.Error.Value > 0) || (p.FinishBand.High > p.Finish.Value) != (p.Error.Value > 0) {
			t.Errorf("%s: finish %+v %+v, off by %+v, want %d", c.name, p.Finish, p.FinishBand, p.Error, c.finish)
		}
	}
}

// Paths counted anew from the sales, for random ones.
func TestPaceRandom(t *testing.T) {
	d := rand.New(rand.NewPCG(3, 5))
	for range 25 {
		calendar := foldtest.Amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
		now := time.Date(2026, time.Month(1+d.IntN(12)), 1+d.IntN(28), d.IntN(24), d.IntN(60), 0, 0, calendar.Zone)
		sales := map[string][]time.Time{}
		var records []record.Record
		for i := range 9 {
			id := fmt.Sprint("e", i)
			curtain := now.AddDate(0, 0, -2-d.IntN(300))
			if i == 0 {
				curtain = now.AddDate(0, 0, 1+d.IntN(60))
			}
			records = append(records, foldtest.Event(id, func(e *record.Event) {
				e.StartsAt, e.Date, e.Series, e.Hall = curtain, curtain.Format(time.DateOnly), "cycle", "Hall"
			}))
			for k := range 20 + d.IntN(60) {
				at := curtain.Add(-time.Duration(d.Int64N(int64(90 * 24 * time.Hour)))).Truncate(time.Minute)
				if i == 0 {
					at = at.AddDate(0, 0, -60)
				}
				sales[id] = append(sales[id], at)
				records = append(records, foldtest.Ticket(fmt.Sprint(id, "-", k), id, func(r *record.Ticket) { r.SoldAt = at }))
			}
		}
		s := foldtest.Ledger(calendar, foldtest.NewLog(records...).Versions...).Snapshot(figures.Position{}, foldtest.Complete)
		v := foldtest.Evening(s, now)
		p := v.Pace(v.Show(s.Event("e0")))
		count := func(e *figures.EventFigures, until time.Time) (n int) {
			for _, at := range sales[e.Event.ID] {
				if at.Before(until) {
					n++
				}
			}
			return n
		}
		if len(p.Comparables) != 8 {
			t.Fatalf("%d comparables", len(p.Comparables))
		}
		band := func(until func(evening.Comparable) time.Time) (all []int) {
			for _, c := range p.Comparables {
				all = append(all, count(c.EventFigures, until(c)))
			}
			slices.Sort(all)
			return all
		}
		elapsed := now.Sub(calendar.Start(v.Today))
		then := band(func(c evening.Comparable) time.Time { return calendar.Start(c.Date.Add(-p.Days)).Add(elapsed) })
		if p.UsualBand != (figures.Band{Low: then[1], Median: then[4], High: then[6]}) {
			t.Fatalf("usual %+v of %v", p.UsualBand, then)
		}
		for _, point := range p.Points {
			at := band(func(c evening.Comparable) time.Time {
				if point.Days == 0 {
					return now
				}
				return calendar.Start(c.Date.Add(1 - point.Days))
			})
			if point.Usual != (figures.Band{Low: at[1], Median: at[4], High: at[6]}) {
				t.Fatalf("%d days before: usual %+v of %v", point.Days, point.Usual, at)
			}
		}
		paceStays(t, v, "e0")
	}
}

// paceStays checks that evenings made one after another, from one on, have the pace that is computed anew.
func paceStays(t *testing.T, v *evening.Evening, id string) {
	t.Helper()
	for range 12 {
		last, s := v, *v.Snapshot
		s.AsOf = last.Now.Add(97 * time.Minute)
		v = evening.After(&s, last, s.AsOf)
		fresh := evening.At(&s, s.AsOf)
		got, want := v.Pace(v.Show(s.Event(id))), fresh.Pace(fresh.Show(s.Event(id)))
		if got.UsualBand != want.UsualBand || got.FinishBand != want.FinishBand || !reflect.DeepEqual(got.Error, want.Error) || !slices.Equal(got.Points, want.Points) {
			t.Fatalf("at %v it finishes at %+v, off by %+v, want %+v, off by %+v", v.Now, got.FinishBand, got.Error, want.FinishBand, want.Error)
		}
	}
}

// BenchmarkPace is the pace of one performance after a change of it, beside 2,000 past ones that are
// all alike.
func BenchmarkPace(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	start := foldtest.Clock("20 20:00")
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	n := 0
	for i := range 2001 {
		curtain := start.AddDate(0, 0, 30-i)
		id := fmt.Sprint("evt_", i)
		l.Add(&record.Event{ID: id, Title: "Night", Date: curtain.Format(time.DateOnly), StartsAt: curtain, Hall: "Hall", Capacity: new(800), UpdatedAt: start})
		for range 40 {
			n++
			at := curtain.Add(-time.Duration(r.ExpFloat64() * float64(20*24*time.Hour)))
			l.Add(&record.Ticket{ID: fmt.Sprint("tkt_", n), EventID: id, Price: &record.Money{Amount: 2000, Currency: "EUR"}, Status: record.TicketValid, SoldAt: at, UpdatedAt: at})
		}
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	v := foldtest.Evening(s, start)
	show := v.Show(s.Event("evt_0"))
	b.ReportAllocs()
	for b.Loop() {
		if p := v.Pace(show); !p.Finish.Known() {
			b.Fatal("no estimate")
		}
	}
}
