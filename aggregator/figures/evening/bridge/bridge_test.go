package bridge_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Open items are listed by the age of their order, which is that of its sale, whenever it was reserved or a deposit was paid, and
// the bridge of a period is that of the orders that were sold in it: of a part of them not the day is known.
func TestOpenItemsByAge(t *testing.T) {
	now := time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	placed := func(order string, at time.Time, price int64) *record.Ticket {
		return foldtest.Ticket("t_"+order, "a", func(t *record.Ticket) {
			t.OrderID, t.Price, t.CreatedAt, t.SoldAt = order, foldtest.Eur(price), ago(60), at
		})
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"),
		placed("today", now, 1), placed("six", ago(6), 20), placed("seven", ago(7), 300), placed("month", ago(29), 4000), placed("old", ago(30), 50000),
		placed("deposit", now, 700000), foldtest.Payment("p", 100000, func(p *record.Payment) { p.OrderID, p.PaidAt = "deposit", ago(40) }),
		foldtest.Payment("too much", 9, func(p *record.Payment) { p.OrderID, p.PaidAt = "six", now }),
		placed("paid twice", ago(8), 600), foldtest.Payment("twice", 1200, func(p *record.Payment) { p.OrderID, p.PaidAt = "paid twice", now }),
		foldtest.Payment("for nothing", 90, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = "for nothing", "a", time.Time{} }),
		foldtest.Ticket("no day", "a", func(t *record.Ticket) {
			t.OrderID, t.SoldAt, t.CreatedAt, t.Price = "no day", time.Time{}, time.Time{}, foldtest.Eur(8000000)
		}))
	foldtest.CheckBridge(t, s)
	v, got := evening.At(s, now), ""
	for _, b := range bridge.OpenItems(v, s.Event("a")) {
		got += fmt.Sprint(b.From, "-", b.Under, " ", b.Open, " ", b.ToBePaid.In("EUR"), " ", b.ToBePaidBack.In("EUR"), "; ")
	}
	if want := "0-7 3 600012 0; 7-30 3 4300 600; 30-0 1 50000 0; 0-0 0 8000000 90; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	day := figures.Calendar{}.Day(now)
	b := bridge.Of(v, day.Add(-7), day)
	if got, want := fmt.Sprint(b.Booked.Value, b.ToBePaid.Value, b.ToBePaidBack.Value, b.Net.Value, b.Open), "[{700321 EUR}] [{600312 EUR}] [] [{100009 EUR}] 4"; got != want {
		t.Errorf("bridge %s, want %s", got, want)
	}
	for name, f := range map[string]figures.Figure[figures.Sums]{"booked": b.Booked, "to be paid": b.ToBePaid, "to be paid back": b.ToBePaidBack, "net": b.Net} {
		if f.Quality != figures.Estimated || !slices.Contains(f.Reasons, figures.ReasonUndated) {
			t.Errorf("%s beside orders without a day is %v %v", name, f.Quality, f.Reasons)
		}
	}
}

// What the orders of some days lack makes the bridge of these days inexact, in all and of their performance, and no other.
func TestBridgeLacksWhatItsOrdersLack(t *testing.T) {
	placed := func(id, event, at string, of ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket(id, event, append(of, func(t *record.Ticket) {
			t.OrderID, t.SoldAt, t.CreatedAt = "o "+id, foldtest.Clock(at), foldtest.Clock(at)
		})...)
	}
	fee := func(t *record.Ticket) { t.Fee = foldtest.Eur(100) }
	unpriced := func(t *record.Ticket) { t.Price = nil }
	returned := foldtest.Payment("p", 500, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = "o sound", "a", foldtest.Clock("10 10:00") })
	undated := foldtest.Refund("r", "p", 500, "", func(p *record.Payment) { p.PaidAt, p.CreatedAt = time.Time{}, time.Time{} })
	records := []record.Record{foldtest.Event("a"), foldtest.Event("b"), placed("sound", "a", "10 10:00", fee), placed("unpriced", "a", "11 10:00", fee, unpriced), placed("feeless", "b", "12 10:00"),
		placed("void", "a", "13 10:00", unpriced, func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, foldtest.Clock("14 10:00") }), placed("dated", "a", "13 11:00", fee), returned, undated}
	s := foldtest.Fold(foldtest.Complete, records...)
	v := foldtest.Evening(s, foldtest.Clock("20 12:00"))
	said := func(b bridge.Bridge) (all string) {
		for _, f := range []figures.Figure[figures.Sums]{b.Booked, b.Fees, b.ToBePaid, b.ToBePaidBack, b.Net} {
			all += []string{"=", "≈", "≥", "?"}[f.Quality] + fmt.Sprint(f.Reasons)
		}
		return all
	}
	for _, c := range []struct{ from, to, all, a, b string }{
		{"10", "10", "=[]=[]=[]=[]=[]", "=[]=[]=[]=[]=[]", "=[]=[]=[]=[]=[]"},
		{"11", "11", "≥[no_price]≥[no_price]≈[no_price]≈[no_price]=[]", "≥[no_price]≥[no_price]≈[no_price]≈[no_price]=[]", "=[]=[]=[]=[]=[]"},
		{"12", "12", "=[]≥[no_fees]≈[no_fees]≈[no_fees]=[]", "=[]=[]=[]=[]=[]", "=[]≥[no_fees]≈[no_fees]≈[no_fees]=[]"},
		{"13", "13", "=[]=[]=[]=[]=[]", "=[]=[]=[]=[]=[]", "=[]=[]=[]=[]=[]"},
		{"10", "12", "≥[no_price]≥[no_price no_fees]≈[no_price no_fees]≈[no_price no_fees]=[]", "≥[no_price]≥[no_price]≈[no_price]≈[no_price]=[]", "=[]≥[no_fees]≈[no_fees]≈[no_fees]=[]"},
	} {
		from, to := figures.Day("2026-11-"+c.from), figures.Day("2026-11-"+c.to)
		if got, want := fmt.Sprint(said(bridge.Of(v, from, to)), " ", said(bridge.OfEvent(v, s.Event("a"), from, to)), " ", said(bridge.OfEvent(v, s.Event("b"), from, to))), fmt.Sprint(c.all, " ", c.a, " ", c.b); got != want {
			t.Errorf("%s to %s:\n%s, want\n%s", c.from, c.to, got, want)
		}
	}
	again := foldtest.Fold(foldtest.Complete, append(records, placed("unpriced", "a", "11 10:00", fee, func(t *record.Ticket) { t.UpdatedAt = foldtest.Clock("20 11:00") }))...)
	if got := said(bridge.Of(foldtest.Evening(again, foldtest.Clock("20 12:00")), "2026-11-11", "2026-11-11")); got != "=[]=[]=[]=[]=[]" {
		t.Errorf("with its price: %s", got)
	}
}

// An order belongs to the day of its sale, also one that is dated ahead: its payments are of that day's orders, and the bridge
// holds for it. What was booked by the minute has it from that minute on.
func TestBridgeHasOrdersDatedAhead(t *testing.T) {
	at := foldtest.Clock("20 12:00")
	dated := func(id, at string) *record.Ticket {
		return foldtest.Ticket(id, "a", func(t *record.Ticket) {
			t.OrderID, t.Price, t.CreatedAt, t.SoldAt = id, foldtest.Eur(1000), foldtest.Clock(at), foldtest.Clock(at)
		})
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), dated("now", "20 11:00"), dated("tonight", "20 21:00"), dated("tomorrow", "21 09:00"),
		foldtest.Payment("p", 1000, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = "tonight", "a", foldtest.Clock("20 11:30") }))
	foldtest.CheckBridge(t, s)
	v := foldtest.Evening(s, at)
	b := bridge.Of(v, "2026-11-20", "2026-11-20")
	if got, want := fmt.Sprint(b.Booked.Value, b.ToBePaid.Value, b.Net.Value), "[{2000 EUR}] [{1000 EUR}] [{1000 EUR}]"; got != want {
		t.Errorf("bridge %s, want %s", got, want)
	}
}
