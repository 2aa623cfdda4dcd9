package catalogue_test

import (
	"fmt"
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

// behindOf returns what is behind a figure when all is known.
func behindOf(s *figures.Snapshot, versions []record.Version, now time.Time, k figures.Key, scope figures.Scope) catalogue.Behind {
	h := catalogue.History{Snapshot: s, Coverage: foldtest.Complete, Versions: versions, Now: now}
	return h.Behind(k, scope)
}

// The records behind a figure are those that it counts and no others: their places, or their money,
// are what it comes to.
func TestRecordsBehind(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 30, 40, 0, time.UTC)
	early, today := now.AddDate(0, 0, -20), now.Add(-10*time.Minute)
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: now, Record: r})
	}
	eur := func(amount int64) *record.Money { return &record.Money{Amount: amount, Currency: "EUR"} }
	ticket := func(id, order string, status record.TicketStatus, price int64, sold, cancelled time.Time, change func(*record.Ticket)) {
		r := record.Ticket{ID: id, EventID: "e", OrderID: order, Status: status, Price: eur(price), SoldAt: sold, CancelledAt: cancelled, Scans: []record.Scan{}}
		if change != nil {
			change(&r)
		}
		add(&r)
	}
	in := record.Scan{At: now, Direction: record.Entry}
	out := record.Scan{At: now, Direction: record.Exit}
	scanned := func(scans ...record.Scan) func(*record.Ticket) { return func(r *record.Ticket) { r.Scans = scans } }
	add(&record.Event{ID: "e", Date: "2026-11-21", Capacity: new(20), Available: new(7)})
	add(&record.Event{ID: "other", Date: "2026-11-21"})
	ticket("paid", "o1", record.TicketValid, 1000, early, time.Time{}, scanned(in, out))
	ticket("unpaid", "o2", record.TicketValid, 1000, today, time.Time{}, scanned(in))
	ticket("gift", "o1", record.TicketValid, 1000, early, time.Time{}, func(r *record.Ticket) { r.Complimentary = true })
	ticket("free", "o1", record.TicketValid, 0, early, time.Time{}, nil)
	ticket("parking", "o1", record.TicketValid, 500, early, time.Time{}, func(r *record.Ticket) { r.Admits = new(false) })
	ticket("held", "o3", record.TicketReserved, 1000, time.Time{}, time.Time{}, scanned(in))
	ticket("void", "o1", record.TicketVoid, 1000, early, today, nil)
	ticket("left", "o1", record.TicketValid, 1000, early, time.Time{}, scanned(out))
	ticket("test", "o1", record.TicketValid, 1000, early, time.Time{}, func(r *record.Ticket) { r.Test = true })
	pay := func(id, parent string, kind record.PaymentKind, status record.PaymentStatus, amount int64) *record.Payment {
		r := &record.Payment{ID: id, ParentID: parent, Kind: kind, Status: status, Amount: *eur(amount), OrderID: "o1", PaidAt: early}
		add(r)
		return r
	}
	pay("came", "", record.KindOfPayment, record.PaymentPaid, 3000)
	pay("back", "came", record.KindOfRefund, record.PaymentPaid, 100)
	pay("pending", "came", record.KindOfRefund, record.PaymentPending, 200)
	pay("failed", "came", record.KindOfRefund, record.PaymentFailed, 300)
	pay("disputed", "came", record.KindOfChargeback, record.PaymentPaid, 400)
	pay("by word", "", record.KindOfPayment, record.PaymentRefunded, 500)
	pay("taken", "", record.KindOfPayment, record.PaymentChargedBack, 600)
	pay("recorded", "", record.KindOfPayment, record.PaymentRefunded, 700)
	pay("of it", "recorded", record.KindOfRefund, record.PaymentPaid, 700)
	pay("other's", "", record.KindOfPayment, record.PaymentPaid, 800).EventID = "other"
	pay("open", "", record.KindOfPayment, record.PaymentOpen, 900)
	l := ledger.New(figures.Calendar{})
	for i := range versions {
		l.Apply(versions[i])
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	s.AsOf = now
	for k, want := range map[figures.Key][]string{
		figures.KeyCapacity:       {"e"},
		figures.KeyAvailable:      {"e"},
		figures.KeyBlocked:        nil,
		figures.KeySold:           {"left", "free", "gift", "unpaid", "paid"},
		figures.KeyPaid:           {"left", "paid"},
		figures.KeyUnpaid:         {"unpaid"},
		figures.KeyComplimentary:  {"gift"},
		figures.KeyFreeTickets:    {"free"},
		figures.KeyReserved:       {"held"},
		figures.KeySoldToday:      {"void", "unpaid"},
		figures.KeySoldHour:       {"void", "unpaid"},
		figures.KeySold7Days:      {"void", "unpaid"},
		figures.KeyBookedToday:    {"void", "unpaid"},
		figures.KeyCame:           {"held", "unpaid", "paid"},
		figures.KeyArrived:        {"unpaid", "paid"},
		figures.KeyPresent:        {"held", "unpaid"},
		figures.KeyBooked:         {"left", "parking", "unpaid", "paid"},
		figures.KeyReceived:       {"recorded", "taken", "by word", "came"},
		figures.KeyRefunded:       {"of it", "by word", "back"},
		figures.KeyChargedBack:    {"taken", "disputed"},
		figures.KeyNet:            {"of it", "recorded", "taken", "by word", "disputed", "back", "came"},
		figures.KeyRefundsPending: {"pending"},
		figures.KeyFees:           nil,
		figures.KeyOversold:       nil,
		figures.KeyAveragePrice:   nil,
		figures.KeyToBePaid:       {"unpaid"},
		figures.KeyCameUnsold:     {"held"},
	} {
		b := behindOf(s, versions, now, k, figures.Scope{Event: "e"})
		var got []string
		for _, r := range b.Records {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) || b.All != len(want) {
			t.Errorf("behind %s are %d %q, want %q", k, b.All, got, want)
		}
	}
	// Of days of sale it is what moved on them.
	for _, c := range []struct {
		key  figures.Key
		days int // ago, of both
		want []string
	}{
		{figures.KeySold, 20, []string{"left", "void", "free", "gift", "paid"}},
		{figures.KeySold, 0, []string{"void", "unpaid"}},
		{figures.KeySold, 3, nil},
		{figures.KeyBooked, 20, []string{"left", "void", "parking", "paid"}},
		{figures.KeyReceived, 20, []string{"recorded", "taken", "by word", "came"}},
		{figures.KeyReceived, 0, nil},
	} {
		day := figures.Day("2026-11-21").Add(-c.days)
		b := behindOf(s, versions, now, c.key, figures.Scope{Event: "e", From: day, To: day})
		var got []string
		for _, r := range b.Records {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, c.want) || b.All != len(c.want) {
			t.Errorf("behind %s of %s are %q, want %q", c.key, day, got, c.want)
		}
	}
	// Of orders it is what stands of them, and what changed them.
	orders := figures.Scope{Event: "e", From: figures.Day("2026-11-21").Add(-20), To: "2026-11-21", Orders: true}
	if b := behindOf(s, versions, now, figures.KeyBooked, orders); b.All != 4 || len(b.Changes) == 0 {
		t.Errorf("behind the orders of days are %d records and %d changes", b.All, len(b.Changes))
	}
	// Where the last day ends at a minute, that minute is not in it.
	for until, want := range map[time.Time]int{early.Truncate(time.Minute): 0, early.Truncate(time.Minute).Add(time.Minute): 5} {
		scope := figures.Scope{Event: "e", From: "2026-11-01", To: "2026-11-01", Until: until}
		if b, x := behindOf(s, versions, now, figures.KeySold, scope), explainedBy(t, s, now, scope); b.All != want || x.Count != want {
			t.Errorf("until %v %d places are sold, of %d records", until, x.Count, b.All)
		}
	}
	// What looks back counted other hours when the day began.
	for i := range versions {
		versions[i].SeenAt = now.AddDate(0, 0, -1)
	}
	for k, want := range map[figures.Key]bool{figures.KeySold: true, figures.KeySoldHour: false, figures.KeySold24Hours: false, figures.KeySold7Days: false, figures.KeySoldToday: false} {
		if b := behindOf(s, versions, now, k, figures.Scope{Event: "e"}); (b.Today != nil) != want {
			t.Errorf("%s since the day began: %+v", k, b.Today)
		}
	}
}

func explainedBy(t *testing.T, s *figures.Snapshot, now time.Time, scope figures.Scope) catalogue.Explanation {
	t.Helper()
	x, ok := catalogue.Explain(evening.At(s, now), figures.KeySold, scope)
	if !ok {
		t.Fatalf("%+v is not explained", scope)
	}
	return x
}

// Until when places are held that are not paid is said of reserved and of unpaid places, over all of them, also of those that are not
// listed, and of no other figure: what is paid may still have the time that it had.
func TestHeldUntil(t *testing.T) {
	now := foldtest.Clock("20:30")
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: now, Record: r})
	}
	add(&record.Event{ID: "e", Date: "2026-11-21"})
	for i := range 60 {
		add(&record.Ticket{ID: fmt.Sprint("r", i), EventID: "e", Status: record.TicketReserved, HeldUntil: now.Add(time.Duration(i) * time.Minute)})
	}
	add(&record.Ticket{ID: "r60", EventID: "e", Status: record.TicketReserved}) // nobody says
	price := &record.Money{Amount: 1000, Currency: "EUR"}
	add(&record.Ticket{ID: "unpaid", OrderID: "o", EventID: "e", Status: record.TicketValid, Price: price, HeldUntil: now.Add(2 * time.Hour)})
	add(&record.Ticket{ID: "paid", OrderID: "p", EventID: "e", Status: record.TicketValid, Price: price, HeldUntil: now.Add(3 * time.Hour)})
	add(&record.Payment{ID: "p", OrderID: "p", Amount: *price, Status: record.PaymentPaid})
	l := ledger.New(figures.Calendar{})
	for i := range versions {
		l.Apply(versions[i])
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	for k, want := range map[figures.Key][2]time.Time{
		figures.KeyReserved: {now, now.Add(59 * time.Minute)},
		figures.KeyUnpaid:   {now.Add(2 * time.Hour), now.Add(2 * time.Hour)},
		figures.KeySold:     {},
	} {
		b := behindOf(s, versions, now, k, figures.Scope{Event: "e"})
		if len(b.Records) == 0 || !b.HeldFirst.Equal(want[0]) || !b.HeldLast.Equal(want[1]) {
			t.Errorf("%s: %d records, held until %v to %v, want %v", k, len(b.Records), b.HeldFirst, b.HeldLast, want)
		}
		for _, r := range b.Records {
			if k == figures.KeySold && !r.Held.IsZero() {
				t.Errorf("%s of what is sold is held until %v", r.ID, r.Held)
			}
		}
	}
}
