package evening_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// seenAs returns the acknowledgement of the only alert of a key, by Mia at a time.
func seenAs(t *testing.T, alerts []evening.Alert, key, at string) record.Record {
	t.Helper()
	i := slices.IndexFunc(alerts, func(a evening.Alert) bool { return a.Key == key })
	if i < 0 {
		t.Fatalf("no %s in %s", key, alertLine(alerts))
	}
	return alerts[i].Acknowledgement(evening.Seen{By: "Mia", At: foldtest.Clock(at)})
}

// ownAlerts returns those of one performance, with * where somebody has seen them.
func ownAlerts(v *evening.Evening, s *figures.Snapshot, id string) string {
	line := ""
	for _, a := range v.AlertsOf(v.Show(s.Event(id))) {
		if a.Seen != nil {
			line += "*"
		}
		line += alertLine([]evening.Alert{a}) + ";"
	}
	return line
}

// Of a cancelled performance of any day there is an alert for as long as money is owed, and on its
// evening that it is cancelled. Who has seen it sees it again when more is owed, and not when less is.
func TestOwed(t *testing.T) {
	off := func(id, day string) []record.Record {
		return []record.Record{foldtest.Tonight(id, "Zaal", day+" 19:00", day+" 20:00", day+" 22:00", foldtest.Status(record.EventCancelled)),
			foldtest.Ticket("t"+id, id, func(r *record.Ticket) { r.OrderID = "o" + id }), foldtest.Payment("p"+id, 2000, func(p *record.Payment) { p.OrderID, p.EventID = "o"+id, id })}
	}
	all := foldtest.Together(off("past", "10"), off("now", "20"), off("ahead", "25"), []record.Record{foldtest.Tonight("free", "Zaal", "26 19:00", "26 20:00", "26 22:00", foldtest.Status(record.EventCancelled))})
	back := func(amount int64) []record.Record {
		return append(slices.Clone(all), foldtest.Refund("r", "pahead", amount, "11:00"))
	}
	of := func(records []record.Record, id string) string {
		s := foldtest.Fold(foldtest.Complete, records...)
		return ownAlerts(foldtest.Evening(s, foldtest.Clock("18:00")), s, id)
	}
	v := foldtest.At("18:00", all...)
	if got, want := alertLine(v.OtherDays()), "owed:past warn 2000; owed:ahead warn 2000"; got != want {
		t.Errorf("other days: %s, want %s", got, want)
	}
	if got := alertLine(v.Alerts); got != "cancelled:now warn 1" {
		t.Errorf("this evening: %s", got)
	}
	if got := of(back(2000), "ahead"); got != "" {
		t.Errorf("paid back, and %s", got)
	}
	seen := seenAs(t, foldtest.At("18:00", back(500)...).OtherDays(), "owed:ahead", "17:00")
	for amount, want := range map[int64]string{0: "owed:ahead warn 2000;", 500: "*owed:ahead warn 1500;", 900: "*owed:ahead warn 1100;"} {
		records := append(back(amount), seen)
		if amount == 0 {
			records = append(slices.Clone(all), seen)
		}
		if got := of(records, "ahead"); got != want {
			t.Errorf("%d paid back: %s, want %s", amount, got, want)
		}
	}
	// On its evening what was seen before is not forgotten.
	s := foldtest.Fold(foldtest.Complete, append(slices.Clone(all), seen)...)
	s.AsOf = foldtest.Clock("25 18:00")
	s.Health.Streams = []figures.StreamHealth{{Kinds: record.Kinds, LastGood: s.AsOf, Complete: true}}
	if passed := evening.At(s, s.AsOf).Passed(); len(passed) != 0 {
		t.Errorf("%+v has passed", passed[0])
	}
	s = foldtest.Fold(foldtest.Complete, append(back(2000), seen)...)
	s.AsOf = foldtest.Clock("18:00")
	s.Health.Streams = []figures.StreamHealth{{Kinds: record.Kinds, LastGood: s.AsOf, Complete: true}}
	if passed := evening.At(s, s.AsOf).Passed(); len(passed) != 1 || passed[0].(*record.Acknowledgement).Alert != "owed:ahead" {
		t.Errorf("%v has passed where all is paid back", passed)
	}
}

// A performance to come that is sold out or nearly full says so calmly.
func TestFull(t *testing.T) {
	full := func(available int, day string, more ...record.Record) []record.Record {
		return append([]record.Record{foldtest.Tonight("a", "Zaal", day+" 19:00", day+" 20:00", day+" 22:00", func(e *record.Event) { e.Capacity, e.Available = new(10), &available })}, more...)
	}
	late := func(r *record.Ticket) { r.SoldAt = foldtest.Clock("17:30") }
	threshold := foldtest.Set(record.SettingNearlyFull, "", "", 95_00, "10:00")
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"eight of ten", full(2, "25", foldtest.Many(8, "t", "a")...), ""},
		{"nine of ten", full(1, "25", append(foldtest.Many(8, "t", "a"), foldtest.Many(1, "l", "a", late)...)...), "nearly_full:a info 0 since 17:30;"},
		{"nine of ten, of 95 %", full(1, "25", append(foldtest.Many(9, "t", "a"), threshold)...), ""},
		{"all", full(0, "25", append(foldtest.Many(9, "t", "a"), foldtest.Many(1, "l", "a", late)...)...), "sold_out:a info 0 since 17:30;"},
		{"tonight", full(1, "20", foldtest.Many(9, "t", "a")...), "nearly_full:a info 0 since 10:00;"},
		{"nearly full was seen", full(0, "25", append(foldtest.Many(10, "t", "a"), &record.Acknowledgement{Alert: "nearly_full:a", At: foldtest.Clock("12:00"), By: "Mia"})...), "sold_out:a info 0 since 10:00;"},
		{"no limit", []record.Record{foldtest.Tonight("a", "Zaal", "25 19:00", "25 20:00", "25 22:00", func(e *record.Event) { e.Unlimited, e.Capacity = true, new(1) }), foldtest.Ticket("t", "a")}, ""},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		v := foldtest.Evening(s, foldtest.Clock("18:00"))
		if got := ownAlerts(v, s, "a"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Unusual is what is over the part that is set, and the worth of as many places, in a day.
func TestUnusualRefunds(t *testing.T) {
	sale := func(refunded ...int64) (all []record.Record) {
		all = append(all, foldtest.Tonight("a", "Zaal", "25 19:00", "25 20:00", "25 22:00"))
		for i := range 100 {
			order := fmt.Sprint("o", i)
			all = append(all, foldtest.Ticket(fmt.Sprint("t", i), "a", func(r *record.Ticket) { r.OrderID = order; r.SoldAt = foldtest.Clock("15 10:00") }),
				foldtest.Payment(fmt.Sprint("p", i), 2000, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = order, "a", foldtest.Clock("15 10:00") }))
		}
		for i, amount := range refunded {
			all = append(all, foldtest.Refund(fmt.Sprint("r", i), fmt.Sprint("p", i), amount, "12:00"))
		}
		return all
	}
	as := func(kind record.PaymentKind, all []record.Record) []record.Record {
		for _, r := range all {
			if p, ok := r.(*record.Payment); ok && p.ParentID != "" {
				p.Kind = kind
			}
		}
		return all
	}
	part := func(value int64) record.Record { return foldtest.Set(record.SettingRefundPart, "", "", value, "10:00") }
	places := func(value int64) record.Record {
		return foldtest.Set(record.SettingRefundPlaces, "", "", value, "10:00")
	}
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"ten of a hundred", sale(slices.Repeat([]int64{2000}, 10)...), ""},
		{"a cent more", sale(append(slices.Repeat([]int64{2000}, 10), 1)...), "refunds:a warn 20001 since 12:00;"},
		{"of twice as many", append(sale(append(slices.Repeat([]int64{2000}, 10), 1)...), part(20_00)), ""},
		{"of more places", append(sale(append(slices.Repeat([]int64{2000}, 10), 1)...), places(11)), ""},
		{"of fewer, and less", append(sale(2000, 1), part(1_00), places(1)), "refunds:a warn 2001 since 12:00;"},
		{"charged back", as(record.KindOfChargeback, sale(append(slices.Repeat([]int64{2000}, 10), 1)...)), "refunds:a warn 20001 since 12:00;"},
		{"won back", append(as(record.KindOfChargeback, sale(append(slices.Repeat([]int64{2000}, 10), 1)...)),
			as(record.KindOfReversal, []record.Record{foldtest.Refund("won", "p1", 1, "13:00")})...), ""},
		{"the day before", func() []record.Record {
			all := sale(slices.Repeat([]int64{2000}, 20)...)
			for _, r := range all {
				if p, ok := r.(*record.Payment); ok && p.ParentID != "" {
					p.PaidAt = foldtest.Clock("19 12:00")
				}
			}
			return all
		}(), ""},
		{"cancelled", func() []record.Record {
			all := sale(slices.Repeat([]int64{2000}, 100)...)
			all[0].(*record.Event).Status = record.EventCancelled
			return all
		}(), ""},
		{"seen", append(sale(slices.Repeat([]int64{2000}, 12)...), &record.Acknowledgement{Alert: "refunds:a", At: foldtest.Clock("13:00"), By: "Mia", Count: 20000}), "*refunds:a warn 24000 since 12:00;"},
		{"grown by half", append(sale(slices.Repeat([]int64{2000}, 16)...), &record.Acknowledgement{Alert: "refunds:a", At: foldtest.Clock("13:00"), By: "Mia", Count: 20000}), "refunds:a warn 32000 since 12:00;"},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		v := foldtest.Evening(s, foldtest.Clock("18:00"))
		if got := ownAlerts(v, s, "a"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		a, ok := v.Refunds()
		if wanted := c.want != ""; ok != wanted || ok && a.Count.Value == 0 {
			t.Errorf("%s: in the house %v %+v", c.name, ok, a)
		}
	}
}

// What goes back in the house is worth so many places at the mean price of its performances, also where
// all of a performance's went back; what is called off takes no part in it, nor in since when it is.
func TestUnusualRefundsInTheHouse(t *testing.T) {
	sale := func(event string, n int, price int64, currency string) (all []record.Record) {
		all = append(all, foldtest.Tonight(event, "Zaal", "25 19:00", "25 20:00", "25 22:00"))
		for i := range n {
			id := fmt.Sprint(event, i)
			all = append(all, foldtest.Ticket(id, event, func(r *record.Ticket) {
				r.OrderID, r.SoldAt, r.Price = id, foldtest.Clock("15 10:00"), &record.Money{Amount: price, Currency: currency}
			}), foldtest.Payment("p"+id, price, func(p *record.Payment) {
				p.OrderID, p.EventID, p.PaidAt, p.Amount.Currency = id, event, foldtest.Clock("15 10:00"), currency
			}))
		}
		return all
	}
	refund := func(event string, i int, amount int64, at string) []record.Record {
		payment := fmt.Sprint("p", event, i)
		return []record.Record{foldtest.Refund("r"+payment, payment, amount, at)}
	}
	void := func(event string) record.Record {
		return foldtest.Ticket(event+"0", event, func(r *record.Ticket) {
			r.OrderID, r.SoldAt, r.Status, r.CancelledAt = event+"0", foldtest.Clock("15 10:00"), record.TicketRefunded, foldtest.Clock("12:00")
		})
	}
	off := func(event string) []record.Record {
		return []record.Record{foldtest.Tonight(event, "Zaal", "25 19:00", "25 20:00", "25 22:00", foldtest.Status(record.EventCancelled))}
	}
	earlier := func(all []record.Record) []record.Record { // paid a day before the last seven
		for _, r := range all {
			if p, ok := r.(*record.Payment); ok {
				p.PaidAt = foldtest.Clock("13 10:00")
			}
		}
		return all
	}
	places := foldtest.Set(record.SettingRefundPlaces, "", "", 2, "10:00")
	for _, c := range []struct {
		name    string
		records [][]record.Record
		others  string
		house   string
	}{
		{"the only ticket of a performance", [][]record.Record{sale("a", 1, 2000, "EUR"), {void("a")}, refund("a", 0, 2000, "12:00"), sale("b", 1, 2000, "EUR")}, "", ""},
		{"the worth of two places, at the price of others", [][]record.Record{sale("a", 1, 4000, "EUR"), {void("a")}, refund("a", 0, 4000, "12:00"), sale("b", 1, 1000, "EUR"), sale("c", 1, 3000, "EUR")},
			"refunds:a warn 4000 since 12:00", "refunds warn 4000 since 12:00 [{4000 EUR}]"},
		{"of no known worth", [][]record.Record{sale("a", 1, 4000, "EUR"), {void("a")}, refund("a", 0, 4000, "12:00"), sale("b", 1, 1000, "USD")}, "", ""},
		{"two performances", [][]record.Record{sale("a", 2, 2000, "EUR"), refund("a", 0, 2000, "13:00"), sale("b", 2, 2000, "EUR"), refund("b", 0, 2000, "12:30"), refund("b", 1, 1500, "14:00")},
			"", "refunds warn 5500 since 12:30 [{5500 EUR}]"},
		{"beside what came in longer ago", [][]record.Record{sale("a", 2, 2000, "EUR"), refund("a", 0, 2000, "13:00"), refund("a", 1, 2000, "14:00"), earlier(sale("b", 100, 2000, "EUR"))},
			"refunds:a warn 4000 since 13:00", "refunds warn 4000 since 13:00 [{4000 EUR}]"},
		{"beside what came in this week", [][]record.Record{sale("a", 2, 2000, "EUR"), refund("a", 0, 2000, "13:00"), refund("a", 1, 2000, "14:00"), sale("b", 100, 2000, "EUR")},
			"refunds:a warn 4000 since 13:00", ""},
		{"and one that is called off", [][]record.Record{sale("a", 2, 2000, "EUR"), refund("a", 0, 2000, "13:00"), refund("a", 1, 2000, "14:00"), sale("b", 2, 2000, "EUR"), refund("b", 0, 2000, "12:30"), off("b")},
			"refunds:a warn 4000 since 13:00", "refunds warn 4000 since 13:00 [{4000 EUR}]"},
	} {
		s := foldtest.Fold(foldtest.Complete, append(foldtest.Together(c.records...), places)...)
		v := foldtest.Evening(s, foldtest.Clock("18:00"))
		others := slices.DeleteFunc(slices.Clone(v.OtherDays()), func(a evening.Alert) bool { return a.Code != evening.AlertRefunds })
		if got := alertLine(others); got != c.others {
			t.Errorf("%s: %q, want %q", c.name, got, c.others)
		}
		house := ""
		if a, ok := v.Refunds(); ok {
			house = fmt.Sprint(alertLine([]evening.Alert{a}), " ", a.Amount)
		}
		if house != c.house {
			t.Errorf("%s: in the house %q, want %q", c.name, house, c.house)
		}
	}
}

// paced are performances of one title: past ones of which so many were sold ten days before, and one in a
// week.
func paced(own int, past ...int) (all []record.Record) { return pacedIn(7, own, past...) }

// pacedIn is paced with the one in so many days, and the past ones sold three days before they were as far off.
func pacedIn(days, own int, past ...int) (all []record.Record) {
	run := func(e *record.Event) { e.Title = "run" }
	all = pastSale("own", -days, run, slices.Repeat([]int{24 * (days + 13)}, own)...)
	for i, n := range past {
		all = append(all, pastSale(fmt.Sprint("past", i), 7*(i+1), run, slices.Repeat([]int{24 * (days + 3)}, n)...)...)
	}
	return all
}

// A sale is far off where it is outside the band of its comparables, by a quarter of their median, and farther than
// one in twenty of their kind.
func TestOffPace(t *testing.T) {
	usual := []int{20, 22, 24, 26, 28}
	// Twenty nights of one hall, some of which sold badly.
	badly, well := []int{40, 40, 42, 44, 46, 48}, []int{94, 97, 105, 145, 146, 146, 152, 153, 153, 160, 168, 168, 202, 258}
	part := func(value int64) record.Record { return foldtest.Set(record.SettingOffPace, "", "", value, "10:00") }
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"as usual", paced(24, usual...), ""},
		{"a little under the band", paced(19, usual...), ""},
		{"a quarter behind, as one in ten", paced(18, usual...), ""},
		{"far behind", paced(14, usual...), "behind_pace:own warn 10;"},
		{"far behind, three weeks before", pacedIn(21, 14, usual...), "behind_pace:own warn 10;"},
		{"far behind, a day more", pacedIn(22, 14, usual...), ""},
		{"far ahead, a day more", pacedIn(22, 39, usual...), "ahead_of_pace:own info 15;"},
		{"a quarter ahead, as one in ten", paced(30, usual...), ""},
		{"far ahead", paced(39, usual...), "ahead_of_pace:own info 15;"},
		{"a little over the band", paced(29, usual...), ""},
		{"by another part", append(paced(14, usual...), part(45_00)), ""},
		{"within a wide band", paced(10, 8, 12, 24, 26, 28), ""},
		{"lower than all of twenty, and under half", paced(39, slices.Concat(badly, well)...), "behind_pace:own warn 107;"},
		{"lower than all but one of twenty", paced(39, slices.Concat([]int{38}, badly[1:], well)...), ""},
		{"lower than all of twenty, and half", paced(73, slices.Concat([]int{74, 75, 76, 77, 78, 79}, well)...), ""},
		{"lower than all of eighteen", paced(39, slices.Concat(badly[2:], well)...), ""},
		{"lower than all of twenty, in another hall", elsewhere(paced(39, slices.Concat(badly, well)...)), ""},
		{"four comparables", paced(5, 20, 22, 24, 26), ""},
		{"few are usual", paced(1, 9, 9, 9, 9, 9), ""},
		{"ten are usual", paced(1, 10, 10, 10, 10, 10), "behind_pace:own warn 9;"},
		{"sold today is not counted", append(paced(14, usual...), foldtest.Many(9, "now", "own")...), "behind_pace:own warn 10;"},
		{"a sale that has just begun", pacedSince(14, 24*13+10, usual...), ""},
		{"seen", append(paced(14, usual...), &record.Acknowledgement{Alert: "behind_pace:own", At: foldtest.Clock("09:00"), By: "Mia", Count: 8}), "*behind_pace:own warn 10;"},
		{"grown by half", append(paced(11, usual...), &record.Acknowledgement{Alert: "behind_pace:own", At: foldtest.Clock("09:00"), By: "Mia", Count: 8}), "behind_pace:own warn 13;"},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		v := foldtest.Evening(s, foldtest.Clock("20 12:00"))
		got := ownAlerts(v, s, "own")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if n := len(v.OtherDays()); (n > 0) != (c.want != "") {
			t.Errorf("%s: %d alerts of other days", c.name, n)
		}
	}
}

// elsewhere has all but our performance in a hall of another name, which may sell more.
func elsewhere(all []record.Record) []record.Record {
	for _, r := range all {
		if e, ok := r.(*record.Event); ok && e.ID != "own" {
			e.Hall = "Large"
		}
	}
	return all
}

// While the tickets are read for the first time nobody knows how many are missing.
func TestOffPaceWaitsForAllTickets(t *testing.T) {
	s := foldtest.Fold(ledger.Coverage{TicketsOffered: true}, paced(9, 20, 22, 24, 26, 28)...)
	if got := ownAlerts(foldtest.Evening(s, foldtest.Clock("20 12:00")), s, "own"); got != "" {
		t.Errorf("with some of the tickets: %q", got)
	}
}

// pacedSince is paced, with the first place sold so many hours before curtain.
func pacedSince(own, hours int, past ...int) []record.Record {
	all := paced(own, past...)
	for _, r := range all {
		if p, ok := r.(*record.Ticket); ok && p.EventID == "own" {
			p.SoldAt = foldtest.Clock("20 20:00").AddDate(0, 0, 7).Add(-time.Duration(hours) * time.Hour)
		}
	}
	return all
}

// What was found out of a pace is used for as long as it holds: an evening that goes on from another
// says the same as one that is made anew, whatever changed between them.
func TestPaceIsKept(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	for _, r := range paced(9, 20, 22, 24, 26, 28) {
		l.Add(r)
	}
	// One that has been left out, as it is not over yet, is nothing like the others.
	l.Add(pastSale("long", 1, func(e *record.Event) { e.Title, e.EndsAt = "run", foldtest.Clock("13:00") })[0])
	for i := range 40 {
		l.Add(foldtest.Ticket(fmt.Sprint("long", i), "long", func(r *record.Ticket) { r.SoldAt = foldtest.Clock("01 10:00") }))
	}
	var last *evening.Evening
	var held any
	seen := map[string]bool{}
	for i, step := range []struct {
		at     string
		change func()
	}{
		{"12:00", func() {}},
		{"12:10", func() {}},
		{"12:10", func() { l.Add(&record.Acknowledgement{Alert: "x", At: foldtest.Clock("12:00"), By: "Mia"}) }},
		{"12:30", func() {
			l.Add(foldtest.Ticket("more", "own", func(r *record.Ticket) { r.SoldAt = foldtest.Clock("15 10:00") }))
		}},
		{"13:00", func() {}}, // now it is over
		{"13:01", func() { l.Add(foldtest.Set(record.SettingOffPace, "", "", 50_00, "13:01")) }},
		{"13:02", func() { l.Add(foldtest.Set(record.SettingOffPace, "", "", 10_00, "13:02")) }},
		{"13:03", func() {
			l.Add(pastSale("past4", 35, func(e *record.Event) { e.Title, e.Status = "run", record.EventCancelled })[0])
		}},
		{"21 00:10", func() {}},
	} {
		step.change()
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		s.AsOf = foldtest.Clock(step.at)
		before := last
		last = evening.After(s, last, s.AsOf)
		if before != nil {
			now := evening.HeldPace(last, s.Event("own"))
			if kept, want := now == held, i <= 2; kept != want {
				t.Errorf("step %d: the pace of before is used: %t", i, kept)
			}
			held = now
			if a, b := before.OtherDays(), last.OtherDays(); len(a) > 0 && len(b) > 0 && (a[0].Show() == b[0].Show()) != (i == 2) {
				t.Errorf("step %d: the show is that of before: %t", i, i != 2)
			}
		}
		if before == nil {
			held = evening.HeldPace(last, s.Event("own"))
		}
		got, want := alertLine(last.OtherDays()), alertLine(evening.At(s, s.AsOf).OtherDays())
		if got != want {
			t.Errorf("step %d: %s, made anew %s", i, got, want)
		}
		seen[got] = true
	}
	if len(seen) < 4 {
		t.Errorf("all the while it was %v", seen)
	}
}

// Streams that do not answer are one alert, from the second miss on, until all answer; it grows when
// another falls silent.
func TestFailing(t *testing.T) {
	events := figures.StreamHealth{Name: "events", Kinds: []record.Kind{record.KindEvent}, LastGood: foldtest.Clock("17:00")}
	tickets := figures.StreamHealth{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, LastGood: foldtest.Clock("17:30")}
	never := figures.StreamHealth{Name: "payments", Kinds: []record.Kind{record.KindPayment}}
	contacts := figures.StreamHealth{Name: "contacts", Kinds: []record.Kind{record.KindContact}, LastGood: foldtest.Clock("16:30")}
	missed := func(h figures.StreamHealth, n int, f figures.Fault) figures.StreamHealth {
		h.Missed, h.Fault = n, f
		return h
	}
	ack := func(at string, count int) record.Record {
		return &record.Acknowledgement{Alert: evening.AlertStreams, At: foldtest.Clock(at), By: "Mia", Count: count}
	}
	for _, c := range []struct {
		name    string
		streams []figures.StreamHealth
		seen    []record.Record
		want    string
		by      bool
	}{
		{"all answer", []figures.StreamHealth{events, tickets, contacts}, nil, "", false},
		{"one miss", []figures.StreamHealth{missed(events, 1, figures.FaultServer), tickets}, nil, "", false},
		{"two", []figures.StreamHealth{events, missed(tickets, 2, figures.FaultServer)}, nil, "streams warn 1 since 17:30", false},
		{"contacts alone", []figures.StreamHealth{events, missed(contacts, 9, figures.FaultServer)}, nil, "streams info 1 since 16:30", false},
		{"not offered", []figures.StreamHealth{events, missed(tickets, 9, figures.FaultNotOffered)}, nil, "", false},
		{"all forbidden", []figures.StreamHealth{missed(events, 9, figures.FaultForbidden), missed(tickets, 9, figures.FaultForbidden)}, nil, "streams warn 2 since 17:00", false},
		{"two, the last silent for longer", []figures.StreamHealth{missed(tickets, 2, figures.FaultServer), missed(events, 2, figures.FaultServer)}, nil, "streams warn 2 since 17:00", false},
		{"one that never answered", []figures.StreamHealth{missed(never, 2, figures.FaultServer), missed(events, 2, figures.FaultServer)}, nil, "streams warn 2", false},
		{"the last never answered", []figures.StreamHealth{missed(events, 2, figures.FaultServer), missed(never, 2, figures.FaultServer)}, nil, "streams warn 2", false},
		{"seen", []figures.StreamHealth{events, missed(tickets, 8, figures.FaultServer)}, []record.Record{ack("17:40", 1)}, "streams warn 1 since 17:30", true},
		{"another", []figures.StreamHealth{missed(events, 2, figures.FaultServer), missed(tickets, 8, figures.FaultServer)}, []record.Record{ack("17:40", 1)}, "streams warn 2 since 17:00", false},
		{"anew", []figures.StreamHealth{events, missed(tickets, 2, figures.FaultServer)}, []record.Record{ack("17:20", 1)}, "streams warn 1 since 17:30", false},
	} {
		s := foldtest.Fold(foldtest.Complete, append(c.seen, foldtest.Event("a"))...)
		s.AsOf, s.Health.Streams = foldtest.Clock("17:50"), c.streams
		a, streams := evening.At(s, foldtest.Clock("18:00")).Failing(func(figures.StreamHealth) bool { return true })
		got := ""
		if len(streams) > 0 {
			got = alertLine([]evening.Alert{a})
		}
		if got != c.want || len(streams) > 0 && (a.Seen != nil) != c.by {
			t.Errorf("%s: %q seen by %v, want %q %v", c.name, got, a.Seen, c.want, c.by)
		}
	}
}
