package catalogue_test

import (
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

// Behind a figure of the orders of some days are the tickets and payments of these orders alone; behind what moved for orders of other
// days those that moved on the days while their order is of others, or the other way round.
func TestRecordsBehindOrdersOfDays(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 30, 40, 0, time.UTC)
	early, today := now.AddDate(0, 0, -20), now.Add(-10*time.Minute)
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: now, Record: r})
	}
	add(&record.Event{ID: "e", Date: "2026-12-21"})
	ticket := func(id, order string, sold, cancelled time.Time) {
		r := record.Ticket{ID: id, EventID: "e", OrderID: order, Status: record.TicketValid, Price: foldtest.Eur(1000), SoldAt: sold, CancelledAt: cancelled}
		if !cancelled.IsZero() {
			r.Status = record.TicketVoid
		}
		add(&r)
	}
	pay := func(id, order, of string, amount int64, at time.Time) {
		r := record.Payment{ID: id, OrderID: order, ParentID: of, Status: record.PaymentPaid, Amount: *foldtest.Eur(amount), PaidAt: at}
		if of != "" {
			r.Kind = record.KindOfRefund
		}
		add(&r)
	}
	ticket("paid late", "o1", early, time.Time{})
	pay("late", "o1", "", 1000, today)
	ticket("given back", "o2", early, today)
	pay("of it", "o2", "", 1000, early)
	pay("back", "o2", "of it", 1000, today)
	ticket("open", "o3", today, time.Time{})
	ticket("done", "o4", today, time.Time{})
	pay("at once", "o4", "", 1000, today)
	ticket("goodwill", "o5", today, time.Time{})
	pay("whole", "o5", "", 1000, today)
	pay("a part", "o5", "whole", 300, today)
	ticket("dear", "o6", today, time.Time{})
	pay("too much", "o6", "", 1500, today)
	ticket("old goodwill", "o7", early, time.Time{})
	pay("old", "o7", "", 1000, early)
	pay("old part", "o7", "old", 100, early)
	ticket("alone", "", today, time.Time{})
	l := ledger.New(figures.Calendar{})
	for i := range versions {
		l.Apply(versions[i])
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	s.AsOf = now
	v := evening.At(s, now)
	for _, c := range []struct {
		key    figures.Key
		days   int // ago, of both
		orders bool
		amount int64
		want   []string
	}{
		{figures.KeyGoodwill, 0, true, 300, []string{"a part", "whole", "goodwill"}},
		{figures.KeyGoodwill, 20, true, 100, []string{"old part", "old", "old goodwill"}},
		{figures.KeyGoodwill, 3, true, 0, nil},
		{figures.KeyToBePaidBack, 0, true, 500, []string{"too much", "dear"}},
		{figures.KeyToBePaidBack, 20, true, 0, nil},
		{figures.KeyToBePaid, 0, true, 2000, []string{"alone", "open"}},
		{figures.KeyToBePaid, 20, true, 0, nil},
		{figures.KeyOpenItems, 0, true, 1500, []string{"alone", "too much", "dear", "open"}},
		{figures.KeyBooked, 20, true, 2000, []string{"old goodwill", "paid late"}},
		{figures.KeyNet, 20, true, 1900, []string{"old part", "old", "back", "of it", "late"}},
		{figures.KeyOtherDays, 0, false, 1000, []string{"back", "given back", "late"}},
		{figures.KeyOtherDays, 20, false, -1000, []string{"back", "given back", "late"}},
		{figures.KeyOtherDays, 3, false, 0, nil},
	} {
		day := figures.Day("2026-11-21").Add(-c.days)
		scope := figures.Scope{Event: "e", From: day, To: day, Orders: c.orders, Currency: "EUR"}
		b := behindOf(s, versions, now, c.key, scope)
		var got []string
		for _, r := range b.Records {
			got = append(got, r.ID)
		}
		x, ok := catalogue.Explain(v, c.key, scope)
		if !ok || x.Amount.In("EUR") != c.amount || !slices.Equal(got, c.want) || b.All != len(c.want) {
			t.Errorf("behind %s of %s, %d, are %q, want %d of %q", c.key, day, x.Amount.In("EUR"), got, c.amount, c.want)
		}
	}
	// What a first sync read changed nothing: it is only the order in which it came. What came since is told, with what was before.
	versions[len(versions)-1].SeenAt = now.Add(time.Minute)
	for synced, want := range map[time.Time]int{{}: 2, now: 2, now.Add(time.Second): 2, now.Add(2 * time.Minute): 0} {
		h := catalogue.History{Snapshot: s, Coverage: foldtest.Complete, Versions: versions, Now: now, Synced: synced}
		if b := h.Behind(figures.KeyToBePaid, figures.Scope{Event: "e"}); len(b.Changes) < want || want == 0 && len(b.Changes) > 0 || len(b.Records) == 0 {
			t.Errorf("read until %v: %d changes, %d records", synced, len(b.Changes), len(b.Records))
		}
	}
	scope := figures.Scope{From: "2026-11-01", To: "2026-11-01", Until: early.Truncate(time.Minute)}
	if x, ok := catalogue.Explain(v, figures.KeyOtherDays, scope); ok {
		t.Errorf("of a part of a day, whose orders are whole, it is %v", x.Value)
	}
}

// Behind what moved for orders of other days are also goods and the fee of a free ticket; an order that is dated ahead is of no day
// yet, also where the days go on until after today.
func TestRecordsBehindOtherDaysAreWhatMoved(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 30, 40, 0, time.UTC)
	early, today, ahead := now.AddDate(0, 0, -20), now.Add(-10*time.Minute), now.AddDate(0, 0, 2)
	var versions []record.Version
	for i, r := range []record.Record{&record.Event{ID: "e", Date: "2026-12-21"},
		&record.Ticket{ID: "old", EventID: "e", OrderID: "o", Status: record.TicketValid, Price: foldtest.Eur(1000), SoldAt: early},
		&record.Payment{ID: "paid", OrderID: "o", Status: record.PaymentPaid, Amount: *foldtest.Eur(1000), PaidAt: early},
		&record.Ticket{ID: "programme", EventID: "e", OrderID: "o", Kind: record.ExtraGoods, Status: record.TicketValid, Price: foldtest.Eur(500), SoldAt: today},
		&record.Ticket{ID: "free", EventID: "e", OrderID: "o", Status: record.TicketValid, Price: foldtest.Eur(0), SoldAt: today},
		&record.Ticket{ID: "free with a fee", EventID: "e", OrderID: "o", Status: record.TicketValid, Price: foldtest.Eur(0), Fee: foldtest.Eur(70), SoldAt: today},
		&record.Ticket{ID: "ahead", EventID: "e", OrderID: "a", Status: record.TicketValid, Price: foldtest.Eur(2000), SoldAt: ahead},
		&record.Payment{ID: "deposit", OrderID: "a", Status: record.PaymentPaid, Amount: *foldtest.Eur(300), PaidAt: today},
	} {
		versions = append(versions, record.Version{Revision: int64(i + 1), Head: true, SeenAt: now, Record: r})
	}
	l := ledger.New(figures.Calendar{})
	for _, v := range versions {
		l.Apply(v)
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	s.AsOf = now
	for _, to := range []figures.Day{"2026-11-21", "2026-11-30"} {
		scope := figures.Scope{Event: "e", From: "2026-11-21", To: to, Currency: "EUR"}
		var got []string
		for _, r := range behindOf(s, versions, now, figures.KeyOtherDays, scope).Records {
			got = append(got, r.ID)
		}
		x, ok := catalogue.Explain(evening.At(s, now), figures.KeyOtherDays, scope)
		if want := []string{"deposit", "free with a fee", "programme"}; !ok || x.Amount.In("EUR") != 300-570 || !slices.Equal(got, want) {
			t.Errorf("until %s %d, behind it are %q, want %q", to, x.Amount.In("EUR"), got, want)
		}
	}
}
