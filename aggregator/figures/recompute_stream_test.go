package figures_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// inSnapshot are the same figures as a snapshot has them.
func inSnapshot(s *figures.Snapshot) map[entry]int64 {
	out := map[entry]int64{}
	take := func(event, what, day string, sums figures.Sums) {
		for _, m := range sums {
			out[entry{event, what, day, m.Currency}] += m.Amount
		}
	}
	measures := []figures.Measure{figures.Booked, figures.Received, figures.Refunded, figures.ChargedBack, figures.Reversed, figures.RefundsPending, figures.Fees, figures.VAT}
	account := func(event string, r *figures.Revenue, days []*figures.DayFigures, orders figures.OrderDays) {
		for _, m := range append([]figures.Measure{figures.ToBePaid, figures.ToBePaidBack}, measures...) {
			take(event, m.String(), "", r.Of(m).Value)
		}
		for _, d := range days {
			out[entry{event, "places", string(d.Day), ""}] += int64(d.Sold)
			for _, m := range measures {
				take(event, m.String(), string(d.Day), d.Of(m))
			}
		}
		for _, d := range orders.All() {
			take(event, "to be paid", "order of "+string(d.Day), d.Of(figures.ToBePaid))
			take(event, "to be paid back", "order of "+string(d.Day), d.Of(figures.ToBePaidBack))
		}
	}
	account("all", &s.Total, s.Days, s.OrderDays)
	account("", &s.Unattributed, s.UnattributedDays, s.UnattributedOrderDays)
	for _, e := range s.Events {
		account(e.Event.ID, &e.Revenue, e.SaleDays, e.OrderDays)
		walkedIn := 0
		for _, w := range e.WalkIns {
			walkedIn += w.Count
		}
		if e.Capacity.Known() {
			out[entry{event: e.Event.ID, what: "capacity is known"}] = 1
			out[entry{event: e.Event.ID, what: "capacity"}] = int64(e.Capacity.Value)
		}
		booked := e.Revenue.Of(figures.Booked)
		for what, reason := range map[string]figures.Reason{"no price": figures.ReasonNoPrice, "unmapped": figures.ReasonUnknownStatus} {
			if booked.Quality == figures.LowerBound && slices.Contains(booked.Reasons, reason) {
				out[entry{event: e.Event.ID, what: what}] = 1
			}
		}
		for what, n := range map[string]int{"sold": e.Sold.Value, "reserved": e.Reserved.Value, "attendance": e.Attendance.Value, "arrived": e.Arrived.Value,
			"present": e.PresentNow.Value, "exits": e.Exits, "walked in": walkedIn} {
			out[entry{event: e.Event.ID, what: what}] += int64(n)
		}
	}
	maps.DeleteFunc(out, func(_ entry, n int64) bool { return n == 0 })
	return out
}

// checkRecomputed compares the figures of a stream with what they are by the definitions, after each
// quarter of it.
func checkRecomputed(t *testing.T, d dice, length int) {
	t.Helper()
	calendar := amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
	l, log := figures.NewLedger(calendar), newLog()
	var records []record.Record
	for i := range length {
		r := randomRecord(d)
		if len(records) > 0 && oneIn(d, 3) {
			r = variation(d, records[d.IntN(len(records))])
		}
		switch v := r.(type) {
		case *record.Payment:
			if oneIn(d, 2) {
				r = settling(d, *v)
			}
		case *record.Ticket:
			if oneIn(d, 2) {
				r = ofOneOrder(d, *v)
			}
		}
		if k, ok := r.(*record.Ticket); ok { // as every client of a service hands them on
			slices.SortStableFunc(k.Scans, func(a, b record.Scan) int { return a.At.Compare(b.At) })
		}
		records = append(records, r)
		if v, isNew := log.add(r, randomSeen(d)); isNew {
			l.Apply(v)
		}
		if (i+1)%max(1, length/4) != 0 {
			continue
		}
		s := l.Snapshot(figures.Position{}, scansRead)
		anew := recomputed(calendar, log.versions)
		got, want := inSnapshot(s), anew.figures()
		licensed := 0
		if l, ok := s.Evening(halfway).LoadOf(""); ok {
			licensed = l.Licensed
		}
		if licensed != anew.licensed {
			t.Fatalf("after %d records: %d may be inside, by the definitions %d%s", i+1, licensed, anew.licensed, story(log))
		}
		if !s.Total.Of(figures.ToBePaid).Known() { // no ticket names an order
			maps.DeleteFunc(want, func(k entry, _ int64) bool {
				return k.day == "" && (k.what == "to be paid" || k.what == "to be paid back")
			})
		}
		for _, all := range []map[entry]int64{got, want} {
			for k := range all {
				if want[k] != got[k] {
					t.Fatalf("after %d records: %+v is %d, by the definitions %d%s", i+1, k, got[k], want[k], story(log))
				}
			}
		}
	}
}

// settling is a payment as most are: settled, in one currency, of one of two payments or going back
// of it, and of an amount that splits badly.
func settling(d dice, p record.Payment) *record.Payment {
	p.Status, p.Test, p.Deleted, p.ParentID = record.PaymentPaid, false, false, ""
	p.Amount = record.Money{Amount: oneOf(d, int64(1000), 1001, 333, 2), Currency: "EUR"}
	if !oneIn(d, 4) {
		p.OrderID, p.EventID, p.TicketIDs = "ord_0", "", nil
	}
	switch p.ID, p.Kind = randomID(d, "pay_", 2), record.KindOfPayment; d.IntN(4) {
	case 0:
		p.AmountRefunded = new(record.Money{Amount: oneOf(d, int64(1), 400, 5000), Currency: "EUR"})
	case 1, 2:
		p.ID, p.ParentID = randomID(d, "back_", 4), p.ID
		p.Kind = oneOf(d, record.KindOfRefund, record.KindOfRefund, record.KindOfChargeback, record.KindOfReversal)
		p.Status = oneOf(d, record.PaymentPaid, record.PaymentPaid, record.PaymentPending)
	}
	return &p
}

// ofOneOrder is a ticket of an order of several performances, at a price that splits badly.
func ofOneOrder(d dice, t record.Ticket) *record.Ticket {
	t.OrderID, t.EventID, t.Test, t.Deleted, t.Quantity = "ord_0", randomID(d, "evt_", 3), false, false, nil
	t.Price, t.Status = &record.Money{Amount: oneOf(d, int64(700), 100, 333), Currency: "EUR"}, oneOf(d, record.TicketValid, record.TicketValid, record.TicketRefunded)
	return &t
}

// story is every version that came.
func story(log *versionLog) (all string) {
	for _, v := range log.versions {
		one, _ := json.Marshal(v.Record)
		all += fmt.Sprintf("\n%d %v %s %s", v.Revision, v.Head, v.SeenAt.Format(time.DateTime), one)
	}
	return all
}

// TestLedgerEqualsRecompute folds random streams and works their figures out anew.
func TestLedgerEqualsRecompute(t *testing.T) {
	for seed := range uint64(120) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			checkRecomputed(t, rand.New(rand.NewPCG(seed, 11)), 60)
		})
	}
}

// FuzzLedgerEqualsRecompute does so with the stream that the bytes describe.
func FuzzLedgerEqualsRecompute(f *testing.F) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 3))
		stream := make([]byte, 600)
		for i := range stream {
			stream[i] = byte(r.Uint32())
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := byteDice(stream)
		checkRecomputed(t, &d, min(len(stream)/20, 40))
	})
}
