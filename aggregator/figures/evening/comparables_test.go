package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

func comparableNames(all []evening.Comparable) string {
	var names []string
	for _, c := range all {
		var alike []string
		for _, l := range c.Alike {
			alike = append(alike, l.String())
		}
		names = append(names, fmt.Sprintf("%s %s %d/%d", c.Event.ID, strings.Join(alike, "+"), c.Then, c.Finish()))
	}
	return strings.Join(names, "; ")
}

func leftOutNames(all []*figures.EventFigures) (names string) {
	for _, e := range all {
		names += e.Event.ID + ";"
	}
	return names
}

// Which past performances are comparable, in which order, and why.
func TestComparables(t *testing.T) {
	priced := func(cents int64, more ...func(*record.Event)) func(*record.Event) {
		return func(e *record.Event) {
			e.TicketTypes = []record.TicketType{{ID: "x", Price: &record.Money{Amount: cents, Currency: "EUR"}}, {ID: "y", Price: &record.Money{Amount: 100, Currency: "EUR"}}}
			for _, m := range more {
				m(e)
			}
		}
	}
	series := func(e *record.Event) { e.Series = "cycle" }
	titled := func(e *record.Event) { e.Title = "own" }
	hall := func(name string) func(*record.Event) { return func(e *record.Event) { e.Hall = name } }
	capacity := func(n int) func(*record.Event) { return func(e *record.Event) { e.Capacity = new(n) } }
	at := []int{24*9 + 2, 24*7 + 8, 24*7 + 7, 30, 1}
	var records []record.Record
	for _, more := range [][]record.Record{
		pastSale("own", -7, priced(4000, series, capacity(100))),
		pastSale("same title", 10, priced(9000, titled), at...),
		pastSale("same series elsewhere", 15, priced(9000, series, hall("Other"), capacity(50)), at...),
		pastSale("same series in a small house", 16, priced(4000, series, hall("Other"), capacity(49)), at...),
		pastSale("same weekday and price", 14, priced(5000), at...),
		pastSale("a little dearer", 21, priced(5001), at...),
		pastSale("a little cheaper", 28, priced(3200), at...),
		pastSale("another weekday", 13, priced(4000), at...),
		pastSale("in another hall", 14, priced(4000, hall("Other")), at...),
		pastSale("cancelled", 35, priced(4000, func(e *record.Event) { e.Status = record.EventCancelled }), at...),
		pastSale("nothing sold", 35, priced(4000)),
		pastSale("to come", -14, priced(4000, titled), 24*20),
	} {
		records = append(records, more...)
	}
	// One place of it has no time: how its sale went is not known.
	records = append(records, pastSale("undated", 42, priced(4000, titled), at...)...)
	records = append(records, foldtest.Ticket("no time", "undated", func(t *record.Ticket) { t.SoldAt, t.CreatedAt = time.Time{}, time.Time{} }))
	p := paceOf(records, "own")
	// Seven days before at 12:00 means 24*7+8 hours before curtain: two had been sold, and the place
	// of that very minute not yet.
	want := "same title title+hall 1/5; same series elsewhere series 1/5; same weekday and price hall+weekday+prices 1/5; a little cheaper hall+weekday+prices 1/5"
	if got := comparableNames(p.Comparables); got != want || p.Days != 7 {
		t.Errorf("%d days before, %s\nwant %s", p.Days, got, want)
	}
	if p.Usual.Known() || p.Finish.Known() || p.Error.Known() {
		t.Errorf("four performances make %+v", p)
	}
	p = paceOf(records, "own", "same title", "nobody")
	if leftOutNames(p.LeftOut) != "same title;" || strings.Contains(comparableNames(p.Comparables), "same title") {
		t.Errorf("without one: %s; left out %s", comparableNames(p.Comparables), leftOutNames(p.LeftOut))
	}
	for _, c := range []struct {
		set  *record.Setting
		want string // their names
	}{
		{foldtest.Set(record.SettingComparableBy, "title", "", 0, "09:00"), "same weekday and price, a little cheaper"},
		{foldtest.Set(record.SettingComparableBy, "hall", "", 0, "09:00"), "same title, same series elsewhere, same weekday and price, in another hall, a little cheaper"},
		{foldtest.Set(record.SettingComparableBy, "weekday", "", 0, "09:00"), "same title, same series elsewhere, another weekday, same weekday and price, a little cheaper"},
		{foldtest.Set(record.SettingComparableBy, "prices", "", 0, "09:00"), "same title, same series elsewhere, same weekday and price, a little dearer, a little cheaper"},
		{foldtest.Set(record.SettingComparableDays, "", "", 15, "09:00"), "same title, same series elsewhere, same weekday and price"},
		{foldtest.Set(record.SettingComparableDays, "", "", 14, "09:00"), "same title, same weekday and price"},
		{foldtest.Set(record.SettingComparableLeast, "", "", 4, "09:00"), "same title, same series elsewhere, same weekday and price, a little cheaper"},
	} {
		p := paceOf(append(slices.Clone(records), c.set), "own")
		var names []string
		for _, c := range p.Comparables {
			names = append(names, c.Event.ID)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("by %s of %s %d: %s, want %s", c.set.Name, c.set.Of, *c.set.Value, got, c.want)
		}
		if want := c.set.Name == record.SettingComparableLeast || len(names) >= figures.FewestComparables; p.Usual.Known() != want || p.Error.Known() {
			t.Errorf("by %s of %s %d: usual is %+v, and the error %+v", c.set.Name, c.set.Of, *c.set.Value, p.Usual, p.Error)
		}
	}
	alone := slices.Clone(records)
	for _, l := range []string{"hall", "weekday", "prices"} {
		alone = append(alone, foldtest.Set(record.SettingComparableBy, l, "", 0, "09:00"))
	}
	if p := paceOf(alone, "own"); comparableNames(p.Comparables) != "same title title+hall 1/5; same series elsewhere series 1/5" {
		t.Errorf("by series and title alone: %s", comparableNames(p.Comparables))
	}
	if p := paceOf(records, "same title"); len(p.Comparables) != 0 || p.Days != 0 {
		t.Errorf("a performance that is over has a pace: %+v", p)
	}
}

// What a performance is compared with is found once for all sales, and anew when the performance is another, when something of the
// past that it is or may be compared with is, when somebody leaves one out, and when one more is over.
func TestComparablesBesideSales(t *testing.T) {
	priced := func(cents int64, more ...func(*record.Event)) func(*record.Event) {
		return func(e *record.Event) {
			e.TicketTypes = []record.TicketType{{ID: "x", Price: &record.Money{Amount: cents, Currency: "EUR"}}}
			for _, m := range more {
				m(e)
			}
		}
	}
	var versions []record.Version
	of := func(records ...record.Record) []record.Version {
		versions = versions[:0]
		for _, r := range records {
			versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, Record: r})
		}
		return versions
	}
	own := func(change func(*record.Event)) record.Record {
		return pastSale("own", -7, priced(4000, func(e *record.Event) { e.Capacity = new(100) }, change))[0]
	}
	nothing := func(*record.Event) {}
	records := []record.Record{own(nothing)}
	for i, change := range []func(*record.Event){priced(4000), priced(4800), priced(9000), priced(4000, func(e *record.Event) { e.Hall = "Other" }), priced(4000, func(e *record.Event) { e.Title, e.Hall, e.Capacity = "kin", "Other", new(300) })} {
		records = append(records, pastSale(fmt.Sprint("past", i), 14+7*i, change, 24*9+2, 24*7+8, 30)...)
	}
	lasting := func(e *record.Event) { e.EndsAt = foldtest.Clock("20 12:30") } // from the evening before
	records = append(records, pastSale("lasts", 1, priced(4000, func(e *record.Event) { e.Title = "own" }, lasting), 24*8, 30)...)
	l := foldtest.Ledger(figures.Calendar{}, of(records...)...)
	sold := func(id, event string, at time.Time) record.Record {
		return foldtest.Ticket(id, event, func(t *record.Ticket) { t.SoldAt = at })
	}
	var last *evening.Evening
	var held any
	before, revision := "", int64(len(versions))
	for _, step := range []struct {
		name   string
		change record.Record // nil for none
		now    string
		other  bool
	}{
		{"at first", nil, "20 12:00", true},
		{"a sale", sold("s1", "own", foldtest.Clock("20 11:50")), "20 12:00", false},
		{"another sale", sold("s2", "own", foldtest.Clock("20 11:55")), "20 12:00", false},
		{"dearer", own(func(e *record.Event) {
			e.TicketTypes = []record.TicketType{{ID: "x", Price: &record.Money{Amount: 9500, Currency: "EUR"}}}
		}), "20 12:01", true},
		{"in another hall", own(func(e *record.Event) { e.Hall = "Other" }), "20 12:01", true},
		{"of another title", own(func(e *record.Event) { e.Title = "kin" }), "20 12:01", true},
		{"and larger", own(func(e *record.Event) { e.Title, e.Capacity = "kin", new(200) }), "20 12:01", true},
		{"on another weekday", own(func(e *record.Event) {
			e.StartsAt = e.StartsAt.AddDate(0, 0, 1)
			e.EndsAt, e.Date = e.EndsAt.AddDate(0, 0, 1), "2026-11-28"
		}), "20 12:01", true},
		{"as at first", own(nothing), "20 12:01", true},
		{"one is left out", foldtest.Set(record.SettingLeftOut, record.LeftOutOf("own", "past0"), "", 1, "09:00"), "20 12:01", true},
		{"a sale of the past", sold("s3", "past1", foldtest.Clock("20 20:00").AddDate(0, 0, -40)), "20 12:01", true},
		{"a sale of the past in another hall", sold("s5", "past3", foldtest.Clock("20 20:00").AddDate(0, 0, -60)), "20 12:01", false},
		{"a sale of the past of other prices", sold("s6", "past2", foldtest.Clock("20 20:00").AddDate(0, 0, -60)), "20 12:01", false},
		{"one of the past costs as much now", pastSale("past2", 28, priced(4100))[0], "20 12:01", true},
		{"and no more", pastSale("past2", 28, priced(9000))[0], "20 12:01", true},
		{"unasked: dearer, and a sale of the past", own(func(e *record.Event) {
			e.TicketTypes = []record.TicketType{{ID: "x", Price: &record.Money{Amount: 20000, Currency: "EUR"}}}
		}), "20 12:01", false},
		{"and as at first", own(nothing), "20 12:01", true},
		{"unasked: a sale of the past in another hall", sold("s8", "past3", foldtest.Clock("20 20:00").AddDate(0, 0, -60)), "20 12:01", false},
		{"one more is over", nil, "20 12:30", true},
		{"and a sale", sold("s4", "own", foldtest.Clock("20 12:29")), "20 12:30", false},
		{"a sale long before", sold("s9", "own", foldtest.Clock("20 12:29").AddDate(0, 0, -90)), "20 12:30", false},
		{"and one longer before", sold("s10", "own", foldtest.Clock("20 12:29").AddDate(0, 0, -120)), "20 12:30", false},
	} {
		if step.change != nil {
			revision++
			l.Apply(record.Version{Revision: revision, Head: true, Record: step.change})
		}
		if strings.HasSuffix(step.name, "and a sale of the past") {
			revision++
			l.Apply(record.Version{Revision: revision, Head: true, Record: sold("s7", "past1", foldtest.Clock("20 20:00").AddDate(0, 0, -40))})
		}
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		s.AsOf = foldtest.Clock(step.now)
		v := evening.After(s, last, foldtest.Clock(step.now))
		if strings.HasPrefix(step.name, "unasked") {
			last = v
			continue
		}
		anew := evening.At(s, foldtest.Clock(step.now))
		p, want := v.Pace(v.Show(s.Event("own"))), anew.Pace(anew.Show(s.Event("own")))
		got := comparableNames(p.Comparables)
		if got != comparableNames(want.Comparables) || fmt.Sprint(p.Points, p.FinishBand) != fmt.Sprint(want.Points, want.FinishBand) {
			t.Errorf("%s: compared with %s\nanew with %s", step.name, got, comparableNames(want.Comparables))
		}
		if comparing := v.Comparing(s.Event("own")); (comparing != held) != step.other {
			t.Errorf("%s: found anew: %v", step.name, !step.other)
		} else {
			held = comparing
		}
		if (got != before) != step.other {
			t.Errorf("%s: compared with %s, before with %s", step.name, got, before)
		}
		last, before = v, got
	}
}

// The bounds of what costs about as much and of what is about as large; what is not known stands in nobody's
// way, and without prices of types the average of what was sold is the price.
func TestBoundsOfComparables(t *testing.T) {
	typed := func(money record.Money) func(*record.Event) {
		return func(e *record.Event) { e.TicketTypes = []record.TicketType{{ID: "x", Price: &money}} }
	}
	cents := func(n int64) func(*record.Event) { return typed(record.Money{Amount: n, Currency: "EUR"}) }
	run := func(capacity int, hall string) func(*record.Event) {
		return func(e *record.Event) {
			if e.Title, e.Hall = "run", hall; capacity > 0 {
				e.Capacity = &capacity
			}
		}
	}
	for _, c := range []struct {
		name      string
		own, past func(*record.Event)
		is        bool
	}{
		{"a quarter dearer", cents(4000), cents(5000), true}, {"more than that", cents(4000), cents(5001), false},
		{"a fifth cheaper", cents(4000), cents(3200), true}, {"cheaper than that", cents(4000), cents(3199), false},
		{"in dollars", cents(4000), typed(record.Money{Amount: 4000, Currency: "USD"}), false},
		{"on average", cents(2500), nil, true}, {"on average, too cheap", cents(2501), nil, false},
		{"a price against none", nil, cents(9000), true},
		{"twice as large", run(100, "Hall"), run(200, "Other"), true}, {"larger than that", run(100, "Hall"), run(201, "Other"), false},
		{"half as large", run(100, "Hall"), run(50, "Other"), true}, {"smaller than that", run(100, "Hall"), run(49, "Other"), false},
		{"larger in this hall", run(100, "Hall"), run(900, "Hall"), true},
		{"as large as is known", run(100, "Hall"), run(0, "Other"), true}, {"of a size that is not known", run(0, "Hall"), run(900, "Other"), true},
	} {
		p := paceOf(append(pastSale("own", -7, c.own), pastSale("past", 14, c.past, 30, 1)...), "own")
		if is := len(p.Comparables) == 1; is != c.is {
			t.Errorf("%s is comparable: %v", c.name, is)
		}
	}
	var records []record.Record
	for i := range figures.MostComparables + 3 {
		records = append(records, pastSale(fmt.Sprint("past ", i), i+1, run(0, "Hall"), 1)...)
	}
	p := paceOf(append(records, pastSale("own", -7, run(0, "Hall"))...), "own")
	if n := len(p.Comparables); n != figures.MostComparables || p.Comparables[0].Event.ID != "past 0" || p.Comparables[n-1].Event.ID != fmt.Sprint("past ", n-1) {
		t.Errorf("of more, these are comparable: %s", comparableNames(p.Comparables))
	}
}
