package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// An order's open item is what its tickets that stand cost, with their fees, less what was received
// for it net, whatever became of it in between.
func TestOpenItems(t *testing.T) {
	ticket := func(id string, change ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket(id, "a", append([]func(*record.Ticket){func(t *record.Ticket) { t.OrderID, t.Fee = "o", foldtest.Eur(100) }}, change...)...)
	}
	void := func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketRefunded, foldtest.Clock("11:00") }
	comp := func(t *record.Ticket) { t.Complimentary = true }
	noFee := func(t *record.Ticket) { t.Fee = nil }
	inB := func(t *record.Ticket) { t.EventID = "b" }
	pay := func(id string, amount int64, change ...func(*record.Payment)) *record.Payment {
		return foldtest.Payment(id, amount, append([]func(*record.Payment){func(p *record.Payment) { p.OrderID = "o" }}, change...)...)
	}
	back := func(kind record.PaymentKind) func(*record.Payment) {
		return func(p *record.Payment) { p.Kind, p.ParentID = kind, "p" }
	}
	pending := func(p *record.Payment) { p.Status = record.PaymentPending }
	other := func(p *record.Payment) { p.OrderID = "x" }
	named := func(p *record.Payment) { p.OrderID, p.TicketIDs = "", []string{"gone", "t"} }
	extra := func(id, event string, amount int64) *record.Ticket {
		return ticket(id, func(t *record.Ticket) {
			t.Kind, t.EventID, t.Price, t.Fee = record.ExtraFee, event, foldtest.Eur(amount), nil
		})
	}
	// exchanged is a ticket of another order for 3000 and no fee, in the place of t.
	exchanged := func(t *record.Ticket) {
		t.OrderID, t.Replaces, t.EventID, t.Price, t.Fee = "o2", "t", "b", foldtest.Eur(3000), foldtest.Eur(0)
	}
	second := func(p *record.Payment) { p.OrderID, p.EventID = "o2", "b" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string // to be paid and to be paid back: of a, of b, of what is unattributed
	}{
		"invoice":               {[]record.Record{ticket("t")}, "2100 0, 0 0, 0 0"},
		"payment under way":     {[]record.Record{ticket("t"), pay("p", 2100, pending)}, "2100 0, 0 0, 0 0"},
		"paid":                  {[]record.Record{ticket("t"), pay("p", 2100)}, "0 0, 0 0, 0 0"},
		"deposit":               {[]record.Record{ticket("t"), pay("p", 500)}, "1600 0, 0 0, 0 0"},
		"paid too much":         {[]record.Record{ticket("t"), pay("p", 2500)}, "0 400, 0 0, 0 0"},
		"void, money kept":      {[]record.Record{ticket("t", void), pay("p", 2100)}, "0 2100, 0 0, 0 0"},
		"void, refund pending":  {[]record.Record{ticket("t", void), pay("p", 2100), pay("r", 2100, back(record.KindOfRefund), pending)}, "0 2100, 0 0, 0 0"},
		"void and paid back":    {[]record.Record{ticket("t", void), pay("p", 2100), pay("r", 2100, back(record.KindOfRefund))}, "0 0, 0 0, 0 0"},
		"charged back":          {[]record.Record{ticket("t"), pay("p", 2100), pay("c", 2100, back(record.KindOfChargeback))}, "2100 0, 0 0, 0 0"},
		"complimentary":         {[]record.Record{ticket("t", comp, noFee)}, "0 0, 0 0, 0 0"},
		"complimentary, fee":    {[]record.Record{ticket("t", comp)}, "100 0, 0 0, 0 0"},
		"two events":            {[]record.Record{ticket("t"), ticket("u", inB), pay("p", 4200)}, "0 0, 0 0, 0 0"},
		"one of them void":      {[]record.Record{ticket("t"), ticket("u", inB, void), pay("p", 4200)}, "0 0, 0 2100, 0 0"},
		"one void, paid back":   {[]record.Record{ticket("t"), ticket("u", inB, void), pay("p", 4200), pay("r", 2100, back(record.KindOfRefund))}, "0 0, 0 0, 0 0"},
		"all of one, some back": {[]record.Record{ticket("t"), ticket("u", inB, void), pay("p", 4200), pay("r", 1000, back(record.KindOfRefund))}, "0 0, 0 1100, 0 0"},
		"the payment names one": {[]record.Record{ticket("t"), pay("p", 2100, named)}, "0 0, 0 0, 0 0"},
		"it names the event":    {[]record.Record{ticket("t"), pay("p", 2100, named, func(p *record.Payment) { p.EventID = "a" })}, "0 0, 0 0, 0 0"},
		"tickets of two orders": {[]record.Record{ticket("t"), ticket("u", func(t *record.Ticket) { t.OrderID = "o2" }),
			pay("p", 4200, named, func(p *record.Payment) { p.EventID, p.TicketIDs = "a", []string{"t", "u"} })}, "4200 4200, 0 0, 0 0"},
		"a fee of the order":         {[]record.Record{ticket("t"), extra("f", "a", 250), pay("p", 2350)}, "0 0, 0 0, 0 0"},
		"a fee of no event":          {[]record.Record{ticket("t"), extra("f", "", 250), pay("p", 2350)}, "0 0, 0 0, 0 0"},
		"a fee that is not paid":     {[]record.Record{ticket("t"), extra("f", "a", 250), pay("p", 2100)}, "250 0, 0 0, 0 0"},
		"a fee that is kept":         {[]record.Record{ticket("t", void), extra("f", "a", 500), pay("p", 2100), pay("r", 1600, back(record.KindOfRefund))}, "0 0, 0 0, 0 0"},
		"a fee alone, under way":     {[]record.Record{extra("f", "b", 500), pay("p", 500, pending)}, "0 0, 500 0, 0 0"},
		"exchanged for a dearer one": {[]record.Record{ticket("t", void), ticket("u", exchanged), pay("p", 2100)}, "0 0, 900 0, 0 0"},
		"the difference is paid":     {[]record.Record{ticket("t", void), ticket("u", exchanged), pay("p", 2100), pay("q", 900, second)}, "0 0, 0 0, 0 0"},
		"exchanged twice":            {[]record.Record{ticket("t", void), ticket("u", exchanged, void), ticket("v", exchanged, func(t *record.Ticket) { t.OrderID, t.Replaces = "o3", "u" }), pay("p", 3000)}, "0 0, 0 0, 0 0"},
		"exchanged, never paid":      {[]record.Record{ticket("t", void), ticket("u", exchanged)}, "0 0, 3000 0, 0 0"},
		"no order of ours":           {[]record.Record{ticket("t"), pay("p", 2100, other)}, "2100 0, 0 0, 0 2100"},
	} {
		t.Run(name, func(t *testing.T) {
			s := foldtest.Fold(foldtest.Complete, append(c.records, foldtest.Event("a"), foldtest.Event("b"))...)
			foldtest.CheckBridge(t, s)
			line := func(r *figures.Revenue) string {
				return fmt.Sprint(r.Of(figures.ToBePaid).Value.In("EUR"), " ", r.Of(figures.ToBePaidBack).Value.In("EUR"))
			}
			got := line(&s.Event("a").Revenue) + ", " + line(&s.Event("b").Revenue) + ", " + line(&s.Unattributed)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A ticket that replaces another is paid by what paid for that one, and counts in the average.
func TestExchanged(t *testing.T) {
	first := foldtest.Ticket("t", "a", func(t *record.Ticket) {
		t.OrderID, t.Status, t.CancelledAt, t.Price = "o", record.TicketVoid, foldtest.Clock("11:00"), foldtest.Eur(2000)
	})
	next := foldtest.Ticket("u", "b", func(t *record.Ticket) { t.OrderID, t.Replaces, t.Price = "o2", "t", foldtest.Eur(1000) })
	paid := foldtest.Ticket("v", "b", func(t *record.Ticket) { t.OrderID, t.Price = "x", foldtest.Eur(2000) })
	records := []record.Record{foldtest.Event("a"), foldtest.Event("b"), first, next, paid,
		foldtest.Payment("p", 2000, func(p *record.Payment) { p.OrderID, p.EventID = "o", "a" }), foldtest.Payment("q", 2000, func(p *record.Payment) { p.OrderID = "x" })}
	log := foldtest.NewLog(records...)
	for _, versions := range [][]record.Version{log.Versions, reversed(log.Versions)} {
		b := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete).Event("b")
		if b.Unpaid.Value != 0 || b.Paid.Value != 2 || b.AveragePrice.Value.In("EUR") != 1500 {
			t.Errorf("%d not paid, %d paid, %v on average; want 0, 2 and 15.00", b.Unpaid.Value, b.Paid.Value, b.AveragePrice.Value)
		}
	}
}

// What an order with two events is split by its price; the cents that one event has too much of are
// not owed, since the order is settled.
func TestOpenItemsAreOfOrders(t *testing.T) {
	in := func(event string, fee int64) *record.Ticket {
		return foldtest.Ticket("t_"+event, event, func(t *record.Ticket) { t.OrderID, t.Fee = "o", foldtest.Eur(fee) })
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Event("b"), in("a", 0), in("b", 101), foldtest.Payment("p", 4101, func(p *record.Payment) { p.OrderID = "o" }))
	foldtest.CheckBridge(t, s)
	a, b := s.Event("a").Revenue.Of(figures.ToBePaid), s.Event("b").Revenue.Of(figures.ToBePaid)
	if a.Value != nil || b.Value != nil || s.Total.Of(figures.ToBePaid).Value != nil || s.Total.Of(figures.ToBePaidBack).Value != nil || s.OrderDays.All()[0].Open != 0 {
		t.Errorf("open items %v and %v, %v in all", a, b, s.Total.Of(figures.ToBePaid))
	}
	if got := foldtest.Say(s.Event("a").Revenue.Of(figures.Fees)); got != "" && got != "[]" {
		t.Errorf("fees of a: %s", got)
	}
}

// A large order is folded in time in proportion to it, record by record: one that is paid in parts,
// and one of many performances.
func TestLedgerTakesLargeOrders(t *testing.T) {
	const payments, events = 2000, 1000
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	inParts := func(p *record.Payment) { p.OrderID = "in parts" }
	l.Add(foldtest.Event("a"))
	l.Add(foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID, t.Price = "in parts", foldtest.Eur(100*payments+1) }))
	for i := range payments {
		l.Add(foldtest.Payment(fmt.Sprint("p", i), 100, inParts))
	}
	l.Add(foldtest.Payment("wide", 2000, func(p *record.Payment) { p.OrderID = "wide" }))
	for i := range events {
		id := fmt.Sprint("e", i)
		l.Add(foldtest.Event(id))
		l.Add(foldtest.Ticket("t"+id, id, func(t *record.Ticket) { t.OrderID, t.Price = "wide", foldtest.Eur(int64(i+1)) }))
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	foldtest.CheckBridge(t, s)
	total := int64(events * (events + 1) / 2)
	if in, all := s.Event("a").Revenue.Of(figures.ToBePaid), s.Total.Of(figures.ToBePaid); in.Value.In("EUR") != 1 || all.Value.In("EUR") != 1+total-2000 {
		t.Errorf("to be paid %v, %v in all", in, all)
	}
}

// A refund without a date counts on the day on which it was first seen, even if that version arrives late. If nothing else of
// its order has a date, the order counts on that day, too.
func TestOrderOfRefundSeenEarlier(t *testing.T) {
	refund := func(amount int64, at string) *record.Payment {
		return &record.Payment{ID: "r", Kind: record.KindOfRefund, OrderID: "o", EventID: "a", Amount: *foldtest.Eur(amount), Status: record.PaymentPaid, UpdatedAt: foldtest.Clock(at)}
	}
	versions := []record.Version{
		{Revision: 1, Head: true, Record: foldtest.Event("a")},
		{Revision: 2, SeenAt: foldtest.Clock("17 10:00"), Record: refund(100, "17 10:00")},
		{Revision: 3, SeenAt: foldtest.Clock("19 10:00"), Head: true, Record: refund(200, "19 10:00")},
		{Revision: 4, Head: true, Record: foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID, t.SoldAt = "o", foldtest.Clock("") })},
	}
	late := []record.Version{versions[0], versions[2], versions[3], versions[1]}
	want := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete)
	got := foldtest.Ledger(figures.Calendar{}, late...).Snapshot(figures.Position{}, foldtest.Complete)
	if days := want.Event("a").OrderDays.All(); len(days) != 1 || days[0].Day != "2026-11-17" {
		t.Errorf("orders are of %s", foldtest.Text(t, days))
	}
	if foldtest.Text(t, got.Event("a").OrderDays.All()) != foldtest.Text(t, want.Event("a").OrderDays.All()) {
		t.Errorf("in another order: %s, want %s", foldtest.Text(t, got.Event("a").OrderDays.All()), foldtest.Text(t, want.Event("a").OrderDays.All()))
	}
}

// An order of two performances is one in the total, and one of each.
func TestOpenOrdersAreCountedOnce(t *testing.T) {
	in := func(event string, price *record.Money) *record.Ticket {
		return foldtest.Ticket("t_"+event+price.Currency, event, func(t *record.Ticket) { t.OrderID, t.Price = "o", price })
	}
	records := []record.Record{foldtest.Event("a"), foldtest.Event("b"), in("a", foldtest.Eur(2000)), in("a", &record.Money{Amount: 1, Currency: "USD"}), in("b", foldtest.Eur(2000))}
	s := foldtest.Fold(foldtest.Complete, records...)
	if got := fmt.Sprint(s.OrderDays.All()[0].Open, s.Event("a").OrderDays.All()[0].Open, s.Event("b").OrderDays.All()[0].Open); got != "1 1 1" {
		t.Errorf("open orders in all, of a and of b: %s", got)
	}
	records = append(records, foldtest.Ticket("without order", "a"))
	s = foldtest.Fold(foldtest.Complete, append(records, foldtest.Event("a", func(e *record.Event) { e.Test, e.UpdatedAt = true, foldtest.Clock("11:00") }), foldtest.Event("b", func(e *record.Event) { e.Test, e.UpdatedAt = true, foldtest.Clock("11:00") }))...)
	if len(s.OrderDays.All()) != 0 {
		t.Errorf("of tests: %s", foldtest.Text(t, s.OrderDays.All()))
	}
}

// A payment without an order is as old as the first of its money that moved, whatever is pending.
func TestPendingRefundMakesNoOpenItemOlder(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Payment("p", 1000, func(p *record.Payment) { p.EventID = "a" }),
		foldtest.Refund("r", "p", 400, "10 10:00", func(p *record.Payment) { p.Status = record.PaymentPending }))
	if days := s.Event("a").OrderDays.All(); len(days) != 1 || days[0].Day != "2026-11-20" {
		t.Errorf("open items are of %s", foldtest.Text(t, days))
	}
}

// What went back for a ticket that was taken back is no goodwill: what was sold anew in its order is still to be paid.
func TestGoodwill(t *testing.T) {
	sold := func(event string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.OrderID, t.EventID, t.Price, t.Fee = "o", event, foldtest.Eur(2000), foldtest.Eur(0)
		}
	}
	gone := func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketRefunded, foldtest.Clock("12:00") }
	deleted := func(t *record.Ticket) { t.Deleted = true }
	reserved := func(t *record.Ticket) { t.Status, t.SoldAt = record.TicketReserved, time.Time{} }
	first := foldtest.Ticket("t", "a", sold("a"), gone)
	// inPlace is a ticket of another order in the place of that one.
	inPlace := func(of string, price int64, change ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket("for "+of, "a", append([]func(*record.Ticket){sold("a"), func(t *record.Ticket) {
			t.OrderID, t.Replaces, t.Price = "o2", of, foldtest.Eur(price)
		}}, change...)...)
	}
	back := func(id string, amount int64) *record.Payment { return foldtest.Refund(id, "p", amount, "12:00") }
	more := func(amount int64) *record.Payment {
		return foldtest.Payment("q", amount, func(p *record.Payment) { p.OrderID = "o2" })
	}
	keptFee := func(t *record.Ticket) { t.Kind, t.ID, t.OrderID = record.ExtraFee, "kept", "o" }
	ofTest := func(t *record.Ticket) { t.EventID = "test" }
	for name, c := range map[string]struct {
		records  []record.Record
		due      int64
		goodwill int64
	}{
		"a ticket that stays":       {[]record.Record{foldtest.Ticket("t", "a", sold("a")), foldtest.Refund("r", "p", 2000, "12:00")}, 0, 2000},
		"a part of its price":       {[]record.Record{foldtest.Ticket("t", "a", sold("a")), foldtest.Refund("r", "p", 300, "12:00")}, 0, 300},
		"of a ticket that is gone":  {[]record.Record{foldtest.Ticket("t", "a", sold("a"), deleted), foldtest.Ticket("u", "a", sold("a")), foldtest.Refund("r", "p", 2000, "12:00")}, 2000, 0},
		"of one gone that was kept": {[]record.Record{foldtest.Ticket("t", "a", sold("a"), deleted, reserved), foldtest.Ticket("u", "a", sold("a")), foldtest.Refund("r", "p", 2000, "12:00")}, 0, 2000},
		"of a ticket taken back":    {[]record.Record{foldtest.Ticket("t", "a", sold("a"), gone), foldtest.Ticket("u", "a", sold("a")), foldtest.Refund("r", "p", 2000, "12:00")}, 2000, 0},
		"and another's, of another": {[]record.Record{foldtest.Ticket("t", "a", sold("a"), gone), foldtest.Ticket("u", "b", sold("b")), foldtest.Refund("r", "p", 2000, "12:00")}, 2000, 0},
		"taken back and more":       {[]record.Record{foldtest.Ticket("t", "a", sold("a"), gone), foldtest.Ticket("u", "a", sold("a")), foldtest.Payment("q", 2000, func(p *record.Payment) { p.OrderID = "o" }), foldtest.Refund("r", "p", 2000, "12:00"), foldtest.Refund("s", "q", 500, "12:00")}, 0, 500},
		// By hand: 20.00 received, 4.68 of it paid back. What is missing of the new ticket beyond that was never paid.
		"exchanged":                          {[]record.Record{first, inPlace("t", 2000), back("r", 468)}, 0, 468},
		"exchanged for a dearer one":         {[]record.Record{first, inPlace("t", 2500), back("r", 468)}, 500, 468},
		"and the difference is paid":         {[]record.Record{first, inPlace("t", 2500), more(500), back("r", 468)}, 0, 468},
		"for a cheaper one, difference back": {[]record.Record{first, inPlace("t", 1500), back("r", 500), back("s", 468)}, 0, 468},
		"for a cheaper one, difference kept": {[]record.Record{first, inPlace("t", 1500), back("r", 468)}, 0, 0},
		"exchanged, and a fee is kept":       {[]record.Record{first, inPlace("t", 1500), inPlace("t", 500, keptFee), back("r", 468)}, 0, 468},
		"exchanged twice":                    {[]record.Record{first, inPlace("t", 2500, gone), inPlace("for t", 1800), more(500), back("r", 700), back("s", 468)}, 0, 468},
		"exchanged, and both are valid":      {[]record.Record{foldtest.Ticket("t", "a", sold("a")), inPlace("t", 2000), back("r", 468)}, 2000, 468},
		"exchanged, and taken back":          {[]record.Record{first, inPlace("t", 2000, gone), foldtest.Ticket("u", "a", sold("a")), back("r", 2000)}, 2000, 0},
		"exchanged, another one taken back": {[]record.Record{first, inPlace("t", 3000), foldtest.Ticket("u", "a", sold("a"), gone), foldtest.Ticket("v", "a", sold("a")),
			more(2000), back("r", 2000)}, 3000, 0},
		"exchanged for one of a test":    {[]record.Record{foldtest.Event("test", func(e *record.Event) { e.Test = true }), first, inPlace("t", 2000, ofTest), foldtest.Ticket("u", "a", sold("a")), back("r", 2000)}, 2000, 0},
		"exchanged for one not yet sold": {[]record.Record{first, inPlace("t", 2000, reserved), foldtest.Ticket("u", "a", sold("a")), back("r", 2000)}, 2000, 0},
		"exchanged for other money":      {[]record.Record{first, inPlace("t", 2000, func(t *record.Ticket) { t.Price = &record.Money{Amount: 2000, Currency: "USD"} }), foldtest.Ticket("u", "a", sold("a")), back("r", 2000)}, 2000, 0},
	} {
		s := foldtest.Fold(foldtest.Complete, append([]record.Record{foldtest.Event("a"), foldtest.Event("b"), foldtest.Payment("p", 2000, func(p *record.Payment) { p.OrderID = "o" })}, c.records...)...)
		if due, good := s.Total.Of(figures.ToBePaid).Value.In("EUR"), s.Total.Of(figures.Goodwill).Value.In("EUR"); due != c.due || good != c.goodwill {
			t.Errorf("%s: %d to be paid and %d goodwill, want %d and %d", name, due, good, c.due, c.goodwill)
		}
	}
}
