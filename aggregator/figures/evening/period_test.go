package evening_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// lastDays compares the last n days with the same weekdays before.
func lastDays(v *evening.Evening, n int) compare.Comparison {
	return compare.Compare(v, compare.NewSpan(v, v.Today.Add(1-n), v.Today), compare.TheOneBefore)
}

func summary(p evening.Period, compared figures.Flow) string {
	var days []string
	for _, d := range p.Days {
		days = append(days, fmt.Sprintf("%s:%d", d.Day[5:], d.Sold))
	}
	return fmt.Sprintf("%s..%s open %t until %s: %s; sold %d booked %d received %d refunded %d net %d; compared %d %d", p.From, p.To, p.Open,
		p.Until.Format("02 15:04 -07"), strings.Join(days, " "), p.Sold, p.Of(figures.Booked).In("EUR"), p.Of(figures.Received).In("EUR"),
		p.Of(figures.Refunded).In("EUR"), p.Net().In("EUR"), compared.Sold, compared.Of(figures.Booked).In("EUR"))
}

func TestPeriods(t *testing.T) {
	refund := foldtest.Refund("r", "ap0", 500, "07 11:00")
	records := append(foldtest.SellAt("a", foldtest.Clock("07 10:00"), foldtest.Clock("14 20:00"), foldtest.Clock("13 09:00"), foldtest.Clock("13 10:04"), foldtest.Clock("13 10:05"), foldtest.Clock("13 23:00"),
		foldtest.Clock("18 10:00"), foldtest.Clock("20 10:01"), foldtest.Clock("20 10:04")), foldtest.Event("a"), refund)
	for name, c := range map[string]struct {
		now          time.Time
		n            int
		this, before string
	}{
		"running day": {foldtest.Clock("20 10:02"), 3,
			"2026-11-18..2026-11-20 open true until 20 10:02 +00: 11-18:1 11-19:0 11-20:1; sold 2 booked 4000 received 3000 refunded 0 net 3000; compared 2 4000",
			"2026-11-11..2026-11-13 open false until 13 10:02 +00: 11-11:0 11-12:0 11-13:1; sold 1 booked 2000 received 1500 refunded 0 net 1500; compared 1 2000"},
		"a sale in the minute that has begun": {foldtest.Clock("20 10:04"), 3,
			"2026-11-18..2026-11-20 open true until 20 10:04 +00: 11-18:1 11-19:0 11-20:2; sold 3 booked 6000 received 4500 refunded 0 net 4500; compared 2 4000",
			"2026-11-11..2026-11-13 open false until 13 10:04 +00: 11-11:0 11-12:0 11-13:1; sold 1 booked 2000 received 1500 refunded 0 net 1500; compared 1 2000"},
		"a moment later": {foldtest.Clock("20 10:05"), 3,
			"2026-11-18..2026-11-20 open true until 20 10:05 +00: 11-18:1 11-19:0 11-20:2; sold 3 booked 6000 received 4500 refunded 0 net 4500; compared 3 6000",
			"2026-11-11..2026-11-13 open false until 13 10:05 +00: 11-11:0 11-12:0 11-13:2; sold 2 booked 4000 received 3000 refunded 0 net 3000; compared 2 4000"},
		"the end of the day": {foldtest.Clock("20 23:59"), 3,
			"2026-11-18..2026-11-20 open true until 20 23:59 +00: 11-18:1 11-19:0 11-20:2; sold 3 booked 6000 received 4500 refunded 0 net 4500; compared 3 6000",
			"2026-11-11..2026-11-13 open false until 13 23:59 +00: 11-11:0 11-12:0 11-13:4; sold 4 booked 8000 received 6000 refunded 0 net 6000; compared 4 8000"},
		"the refund": {foldtest.Clock("14 11:01"), 1,
			"2026-11-14..2026-11-14 open true until 14 11:01 +00: 11-14:0; sold 0 booked 0 received 0 refunded 0 net 0; compared 0 0",
			"2026-11-07..2026-11-07 open false until 07 11:01 +00: 11-07:1; sold 1 booked 2000 received 1500 refunded 500 net 1000; compared 1 2000"},
		"the minute of the refund": {foldtest.Clock("14 11:00"), 1,
			"2026-11-14..2026-11-14 open true until 14 11:00 +00: 11-14:0; sold 0 booked 0 received 0 refunded 0 net 0; compared 0 0",
			"2026-11-07..2026-11-07 open false until 07 11:00 +00: 11-07:1; sold 1 booked 2000 received 1500 refunded 0 net 1500; compared 1 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lastDays(foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), c.now), c.n)
			if got := summary(got.This, got.Compared); got != c.this {
				t.Errorf("this\n%s\nwant\n%s", got, c.this)
			}
			if got := summary(got.Before, got.ComparedBefore); got != c.before {
				t.Errorf("before\n%s\nwant\n%s", got, c.before)
			}
		})
	}
}

// TestPeriodsOverTheChangeOfClocks compares the short night with the same one of the week before: a
// running day is compared up to where as much of the other had passed.
func TestPeriodsOverTheChangeOfClocks(t *testing.T) {
	at := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	l := foldtest.Ledger(foldtest.Amsterdam(t, 0), foldtest.NewLog(foldtest.SellAt("a", at("2026-03-22T03:04:00+01:00"), at("2026-03-22T03:05:00+01:00"), at("2026-03-22T05:00:00+01:00"), at("2026-03-29T03:30:00+02:00"))...).Versions...)
	c := lastDays(foldtest.Evening(l.Snapshot(figures.Position{}, foldtest.Complete), at("2026-03-29T04:05:00+02:00")), 1)
	if got, want := summary(c.This, c.Compared), "2026-03-29..2026-03-29 open true until 29 04:05 +02: 03-29:1; sold 1 booked 2000 received 1500 refunded 0 net 1500; compared 1 2000"; got != want {
		t.Errorf("this\n%s\nwant\n%s", got, want)
	}
	if got, want := summary(c.Before, c.ComparedBefore), "2026-03-22..2026-03-22 open false until 22 03:05 +01: 03-22:1; sold 1 booked 2000 received 1500 refunded 0 net 1500; compared 1 2000"; got != want {
		t.Errorf("before\n%s\nwant\n%s", got, want)
	}
}

func TestByEvent(t *testing.T) {
	dollars := foldtest.Ticket("d", "c", func(t *record.Ticket) { t.Price = &record.Money{Amount: 900000, Currency: "AUD"} })
	records := append(foldtest.SellAt("a", foldtest.Clock("18 10:00"), foldtest.Clock("20 10:00")), foldtest.SellAt("b", foldtest.Clock("19 10:00"), foldtest.Clock("20 10:00"), foldtest.Clock("21 10:00"))...)
	records = append(records, foldtest.Event("a"), foldtest.Event("b"), foldtest.Event("c"), foldtest.Event("d"), dollars, foldtest.Payment("loose", 70))
	s := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("22 10:00"))
	say := func(rows []evening.EventPeriod) string {
		var words []string
		for _, r := range rows {
			name := "nobody"
			if r.Event != nil {
				name = r.Event.Event.ID
			}
			words = append(words, fmt.Sprintf("%s %d booked %v net %v", name, r.Sold, r.Of(figures.Booked), r.Net()))
		}
		return strings.Join(words, "; ")
	}
	for _, c := range []struct {
		from, to figures.Day
		want     string
	}{
		{"2026-11-18", "2026-11-20", "a 2 booked [{4000 EUR}] net [{3000 EUR}]; b 2 booked [{4000 EUR}] net [{3000 EUR}]; c 1 booked [{900000 AUD}] net []; nobody 0 booked [] net [{70 EUR}]"},
		{"2026-11-19", "2026-11-19", "b 1 booked [{2000 EUR}] net [{1500 EUR}]"},
		{"2026-11-21", "2026-12-31", "b 1 booked [{2000 EUR}] net [{1500 EUR}]"},
		{"2026-11-20", "2026-11-18", ""},
		{"2025-01-01", "2025-12-31", ""},
	} {
		if got := say(s.ByEvent(c.from, c.to)); got != c.want {
			t.Errorf("%s..%s\n%s\nwant\n%s", c.from, c.to, got, c.want)
		}
	}
}

func TestHealth(t *testing.T) {
	good := func(missed int, f figures.Fault) figures.StreamHealth {
		return figures.StreamHealth{Kinds: []record.Kind{record.KindTicket}, LastGood: foldtest.Clock("10:00"), Missed: missed, Fault: f}
	}
	never := func(missed int, f figures.Fault) figures.StreamHealth {
		return figures.StreamHealth{Kinds: []record.Kind{record.KindEvent}, Missed: missed, Fault: f}
	}
	of := func(h figures.StreamHealth, kinds ...record.Kind) figures.StreamHealth {
		h.Kinds = kinds
		return h
	}
	for _, c := range []struct {
		name    string
		streams []figures.StreamHealth
		want    figures.Light
	}{
		{"no streams", nil, figures.Starting},
		{"not asked yet", []figures.StreamHealth{never(0, ""), never(0, "")}, figures.Starting},
		{"one miss", []figures.StreamHealth{never(1, figures.FaultSlow), never(0, "")}, figures.Starting},
		{"never good", []figures.StreamHealth{never(2, figures.FaultSlow)}, figures.Amber},
		{"never good for long", []figures.StreamHealth{never(5, figures.FaultSlow)}, figures.Red},
		{"good", []figures.StreamHealth{good(0, ""), never(0, "")}, figures.Green},
		{"one missed", []figures.StreamHealth{good(1, figures.FaultServer), good(0, "")}, figures.Green},
		{"two missed", []figures.StreamHealth{good(0, ""), good(2, figures.FaultServer)}, figures.Amber},
		{"four missed", []figures.StreamHealth{good(4, figures.FaultServer)}, figures.Amber},
		{"five missed", []figures.StreamHealth{good(5, figures.FaultServer), good(2, figures.FaultServer)}, figures.Red},
		{"asked to wait", []figures.StreamHealth{good(0, ""), good(0, figures.FaultRateLimited)}, figures.Amber},
		{"asked to wait before the first answer", []figures.StreamHealth{never(1, figures.FaultRateLimited)}, figures.Amber},
		{"asked to wait for long", []figures.StreamHealth{good(5, figures.FaultRateLimited)}, figures.Red},
		{"contacts are asked to wait", []figures.StreamHealth{good(0, ""), of(good(1, figures.FaultRateLimited), record.KindContact)}, figures.Green},
		{"refused", []figures.StreamHealth{good(0, ""), good(5, figures.FaultRefused)}, figures.Red},
		{"not offered", []figures.StreamHealth{good(0, ""), never(9, figures.FaultNotOffered), never(9, figures.FaultForbidden)}, figures.Green},
		{"only not offered has answered", []figures.StreamHealth{never(0, ""), good(9, figures.FaultNotOffered)}, figures.Starting},
		{"contacts missed", []figures.StreamHealth{good(0, ""), of(good(9, figures.FaultServer), record.KindContact, record.KindPlanning)}, figures.Green},
		{"contacts alone have answered", []figures.StreamHealth{never(0, ""), of(good(0, ""), record.KindContact)}, figures.Starting},
		{"scans missed", []figures.StreamHealth{good(0, ""), of(good(2, figures.FaultServer), record.KindScan)}, figures.Amber},
		{"orders missed", []figures.StreamHealth{good(0, ""), of(good(5, figures.FaultServer), record.KindContact, record.KindTicket)}, figures.Red},
		{"nothing offered", []figures.StreamHealth{never(9, figures.FaultForbidden), never(3, figures.FaultNotOffered)}, figures.Red},
	} {
		if got := (figures.Health{Streams: c.streams}).Light(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	seats, contacts := []record.Kind{record.KindTicket}, []record.Kind{record.KindContact}
	h := figures.Health{Streams: []figures.StreamHealth{
		{Kinds: seats, Took: time.Second}, {Kinds: seats, Next: foldtest.Clock("10:05"), Took: 3 * time.Second}, {Kinds: seats, Next: foldtest.Clock("10:02"), Took: 2 * time.Second},
		{Kinds: contacts, Next: foldtest.Clock("10:01"), Took: 9 * time.Second}}}
	if h.Took() != 3*time.Second || !h.Next().Equal(foldtest.Clock("10:02")) {
		t.Errorf("took %v, next %v", h.Took(), h.Next())
	}
	if h := (figures.Health{}); h.Took() != 0 || !h.Next().IsZero() {
		t.Errorf("took %v, next %v without streams", h.Took(), h.Next())
	}
}

// Refunds pending are of the days on which they were asked for, until they settle; where of one nobody says
// when, those of a period are a least.
func TestRefundsPendingOfAPeriod(t *testing.T) {
	asked := func(id, at string) record.Record {
		return foldtest.Refund(id, "p", 300, at, func(p *record.Payment) {
			p.Status, p.CreatedAt, p.PaidAt = record.PaymentPending, foldtest.Clock(at), time.Time{}
		})
	}
	settled := foldtest.Refund("b", "p", 300, "23 10:00", func(p *record.Payment) { p.UpdatedAt = foldtest.Clock("23 10:00") })
	records := []record.Record{foldtest.Event("a"), foldtest.Payment("p", 1000, func(p *record.Payment) { p.EventID = "a" }), asked("a", "21 10:00"), asked("b", "22 10:00")}
	for _, c := range []struct {
		records  []record.Record
		from, to figures.Day
		want     string
	}{
		{records, "2026-11-21", "2026-11-21", "[{300 EUR}]"},
		{records, "2026-11-21", "2026-11-22", "[{600 EUR}]"},
		{records, "2026-11-20", "2026-11-20", "[]"},
		{append(records, settled), "2026-11-21", "2026-11-23", "[{300 EUR}]"},
		{append(records, asked("c", "")), "2026-11-21", "2026-11-21", "at least [{300 EUR}] undated"},
	} {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, c.records...), foldtest.Clock("23 12:00"))
		x, ok := catalogue.Explain(v, figures.KeyRefundsPending, figures.Scope{From: c.from, To: c.to})
		if got := foldtest.Say(figures.Figure[figures.Sums]{Value: x.Amount, Quality: x.Quality, Reasons: x.Reasons}); !ok || strings.Replace(got, "<nil>", "[]", 1) != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// What is sold on some days of a period and taken back on another is nothing of it.
func TestPeriodComesToNothing(t *testing.T) {
	var records []record.Record
	for i, day := range []string{"17", "18"} {
		records = append(records, &record.Ticket{ID: day, EventID: "e", Price: &record.Money{Amount: int64(1000 + i), Currency: "EUR"}, Status: record.TicketVoid,
			SoldAt: foldtest.Clock(day + " 10:00"), CancelledAt: foldtest.Clock("19 10:00")})
	}
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, append(records, &record.Event{ID: "e", Title: "E"})...), foldtest.Clock("20 12:00"))
	c := compare.Compare(v, compare.NewSpan(v, "2026-11-17", "2026-11-20"), compare.TheOneBefore)
	for _, f := range []figures.Flow{c.This.Flow, compare.Compare(v, compare.NewSpan(v, "2025-09-01", "2026-11-20"), compare.Nothing).Buckets[14].Flow} {
		if f.Sold != 0 || f.Of(figures.Booked) != nil {
			t.Errorf("%+v is left", f)
		}
	}
	if got := c.This.Days[1].Of(figures.Booked); len(got) != 1 || got.In("EUR") != 1001 {
		t.Errorf("on the second day %v", got)
	}
}
