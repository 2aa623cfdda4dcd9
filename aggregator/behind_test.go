package aggregator_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// What is behind a figure is read from the versions of its performance alone: the records, and what
// changed it last, of a payment that waits for its order, one over two performances, a refund, and a
// ticket that was moved away.
func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		all := append(slices.Clone(streams), aggregator.Stream{Name: "payments", Kinds: []record.Kind{record.KindPayment}})
		h := followStreams(t, db, all)
		defer h.stop()
		ticketOf := func(id, event, order string) *record.Ticket {
			r := ticket(id, event)
			r.OrderID = order
			return r
		}
		pay := func(id, order string, amount int64) *record.Payment {
			return &record.Payment{ID: id, OrderID: order, Amount: record.Money{Amount: amount, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began}
		}
		states := []aggregator.StreamState{synced("events"), synced("tickets"), synced("payments")}
		h.append(states, event("a", 10, 0), event("b", 10, 0))
		h.append(nil, pay("early", "o1", 2500)) // before its order
		h.append(nil, ticketOf("t1", "a", "o1"))
		h.append(nil, ticketOf("t2", "a", "o2"), ticketOf("t3", "b", "o2"))
		h.append(nil, pay("both", "o2", 5000)) // half of it is for b
		h.append(nil, ticketOf("t4", "a", "o3"))
		moved := ticketOf("t4", "b", "o3")
		moved.UpdatedAt = began.Add(time.Minute)
		h.append(nil, moved)
		back := pay("back", "o1", 1000)
		back.ParentID, back.Kind = "early", record.KindOfRefund
		h.append(nil, back)
		for i := range 3 { // of no consequence for a
			h.append(nil, ticketOf(fmt.Sprint("b", i), "b", "o9"))
		}
		look := func(k figures.Key, event string) (changes, records []string, n int) {
			b, err := h.Behind(t.Context(), h.explain(k, figures.Scope{Event: event}), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range b.Changes {
				change := fmt.Sprintf("%s %+d", c.ID, c.By.Count)
				if len(c.By.Amount) > 0 {
					change = fmt.Sprintf("%s %+d", c.ID, c.By.Amount.In("EUR"))
				}
				changes = append(changes, change)
			}
			for _, r := range b.Records {
				records = append(records, r.ID)
			}
			return changes, records, b.All
		}
		for _, c := range []struct {
			key     figures.Key
			event   string
			changes []string
			records []string
		}{
			{figures.KeyNet, "a", []string{"back -1000", "both +2500", "t1 +2500"}, []string{"back", "both", "early"}},
			{figures.KeyRefunded, "a", []string{"back +1000"}, []string{"back"}},
			{figures.KeySold, "a", []string{"t4 -1", "t4 +1", "t2 +1", "t1 +1"}, []string{"t2", "t1"}},
			{figures.KeySold, "b", []string{"b2 +1", "b1 +1", "b0 +1", "t4 +1", "t3 +1"}, []string{"b2", "b1", "b0", "t4", "t3"}},
			{figures.KeyGoodwill, "a", []string{"back +1000"}, []string{"back", "t1", "early"}},
			{figures.KeyReserved, "a", nil, nil},
			{figures.KeyNet, "none", nil, nil},
		} {
			changes, records, n := look(c.key, c.event)
			if !slices.Equal(changes, c.changes) || !slices.Equal(records, c.records) || n != len(c.records) {
				t.Errorf("%s of %s: changed by %v, want %v; %d records %v, want %v", c.key, c.event, changes, c.changes, n, records, c.records)
			}
		}
		// Of all performances together it is what changed last of any.
		day := figures.Day(began.Format(time.DateOnly))
		for _, scope := range []figures.Scope{{From: day, To: day}, {From: day, To: day, Currency: "EUR"}} {
			b, err := h.Behind(t.Context(), h.explain(figures.KeyReceived, scope), time.Now())
			var ids []string
			for _, r := range b.Records {
				ids = append(ids, r.ID)
			}
			if err != nil || b.Parts != 2 || b.Read != 2 || !slices.Equal(ids, []string{"both", "early"}) || b.All != 2 || b.Changes[0].ID != "both" || b.Changes[0].By.Amount.In("EUR") != 5000 {
				t.Errorf("behind %+v: %+v, %v", scope, b, err)
			}
		}
		_, want, _ := look(figures.KeySold, "a")
		other := followStreams(t, db, all) // one that has just begun knows as much
		defer other.stop()
		b, err := other.Behind(t.Context(), other.explain(figures.KeySold, figures.Scope{Event: "a"}), time.Now())
		if err != nil || len(b.Records) != len(want) || len(b.Changes) != 4 {
			t.Errorf("after a restart: %+v, %v", b, err)
		}
		if b.Today != nil {
			t.Errorf("on the first day it is known what there was when it began: %+v", b.Today)
		}
		time.Sleep(24 * time.Hour)
		h.append(nil, ticketOf("t9", "a", "o9"))
		for event, by := range map[string]int{"a": 1, "b": 0} {
			b, err := h.Behind(t.Context(), h.explain(figures.KeySold, figures.Scope{Event: event}), time.Now())
			if err != nil || b.Today == nil || b.Today.Count != by {
				t.Errorf("%s changed today by %+v, want %d; %v", event, b.Today, by, err)
			}
		}
	})
}

// Records that come before what they hang on are behind its figures all the same, and so is the
// payment of an order that another performance joins.
func TestBehindWhatCameEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := followStreams(t, logtest.New(), append(slices.Clone(streams), aggregator.Stream{Name: "payments", Kinds: []record.Kind{record.KindPayment}}, aggregator.Stream{Name: "scans", Kinds: []record.Kind{record.KindScan}}))
		defer h.stop()
		pay := func(id, parent, order string, kind record.PaymentKind) *record.Payment {
			return &record.Payment{ID: id, ParentID: parent, OrderID: order, Kind: kind, Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began}
		}
		ticketOf := func(id, event, order string) *record.Ticket {
			r := ticket(id, event)
			r.OrderID = order
			return r
		}
		h.append([]aggregator.StreamState{synced("events"), synced("tickets"), synced("payments"), synced("scans")}, event("a", 10, 0), event("b", 10, 0), event("c", 10, 0))
		h.append(nil, &record.TicketScan{ID: "scan", TicketID: "t1", Scan: record.Scan{At: began, Direction: record.Entry}})
		h.append(nil, pay("back", "paid", "", record.KindOfRefund))
		h.append(nil, pay("paid", "", "o1", record.KindOfPayment))
		h.append(nil, ticketOf("t1", "a", "o1"))
		h.append(nil, pay("back2", "paid2", "", record.KindOfRefund))
		h.append(nil, ticketOf("t2", "a", "o2"))
		h.append(nil, pay("paid2", "", "o2", record.KindOfPayment))
		h.append(nil, ticketOf("t3", "b", "o2"))
		h.append(nil, ticketOf("t4", "c", "o3"), pay("paid4", "", "o4", record.KindOfPayment))
		other := ticketOf("t4", "c", "o4") // which is of another order after all
		other.UpdatedAt = began.Add(time.Minute)
		h.append(nil, other)
		for _, c := range []struct {
			key     figures.Key
			event   string
			records []string
		}{
			{figures.KeyCame, "a", []string{"t1"}},
			{figures.KeyReceived, "a", []string{"paid2", "paid"}},
			{figures.KeyRefunded, "a", []string{"back2", "back"}},
			{figures.KeyReceived, "b", []string{"paid2"}},
			{figures.KeyRefunded, "b", []string{"back2"}},
			{figures.KeyPaid, "b", []string{"t3"}},
			{figures.KeyReceived, "c", []string{"paid4"}},
		} {
			b, err := h.Behind(t.Context(), h.explain(c.key, figures.Scope{Event: c.event}), time.Now())
			var records []string
			for _, r := range b.Records {
				records = append(records, r.ID)
			}
			if err != nil || !slices.Equal(records, c.records) || len(b.Changes) == 0 {
				t.Errorf("%s of %s: %q, want %q, changed by %v; %v", c.key, c.event, records, c.records, b.Changes, err)
			}
		}
	})
}

// Of more performances than are read at once it is not said by how much their figure changed today.
func TestBehindSome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		var events, sales []record.Record
		for i := range 10 {
			id := fmt.Sprint("e", i)
			events, sales = append(events, event(id, 10, 0)), append(sales, ticket("of "+id, id))
		}
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, events...)
		time.Sleep(24 * time.Hour)
		h.append(nil, sales...)
		day := figures.Day(began.Format(time.DateOnly))
		b, err := h.Behind(t.Context(), h.explain(figures.KeySold, figures.Scope{From: day, To: day}), time.Now())
		if err != nil || b.Parts != 10 || b.Read != 6 || b.All != 6 || b.Today != nil {
			t.Errorf("%d of %d are read, with %d records, and changed today by %+v; %v", b.Read, b.Parts, b.All, b.Today, err)
		}
	})
}

// explain explains a figure as it is now, also of a performance that there is none of.
func (h *house) explain(k figures.Key, scope figures.Scope) catalogue.Explanation {
	x, _ := catalogue.Explain(evening.At(h.Snapshot(), time.Now()), k, scope)
	x.Definition, x.Scope = catalogue.Define(k), scope
	return x
}

// Which records new and returning contacts bought, and where those live, is asked of the whole house: the versions of one
// performance do not say it.
func TestBehindContacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := followStreams(t, logtest.New(), append(slices.Clone(streams), aggregator.Stream{Name: "contacts", Kinds: []record.Kind{record.KindContact}}))
		defer h.stop()
		sold := func(id, event, contact string, days int) *record.Ticket {
			r := ticket(id, event)
			r.ContactID, r.SoldAt = contact, began.AddDate(0, 0, -days)
			return r
		}
		h.append([]aggregator.StreamState{synced("events"), synced("tickets"), synced("contacts")}, event("a", 10, 0), event("b", 10, 0), sold("t1", "a", "anna", 3), sold("t2", "b", "anna", 2), sold("t3", "b", "anna", 3), sold("t4", "a", "ben", 5), sold("t5", "b", "ben", 4),
			&record.Contact{ID: "anna", PostalArea: "3511", Country: "NL", UpdatedAt: began})
		for _, c := range []struct {
			key   figures.Key
			scope figures.Scope
			want  []string
		}{
			{figures.KeyBuyersNew, figures.Scope{Event: "a"}, []string{"t4", "t1"}},
			{figures.KeyBuyersNew, figures.Scope{Event: "b"}, []string{"t3"}},
			{figures.KeyBuyersReturning, figures.Scope{Event: "b"}, []string{"t5", "t2"}},
			{figures.KeySold, figures.Scope{Event: "b", By: figures.OfPostcodes, Part: "NL 35"}, []string{"t3", "t2"}},
			{figures.KeyBuyersNew, figures.Scope{From: "2000-01-01", To: "2000-01-01", Performances: true}, []string{"t4", "t3", "t1"}},
		} {
			b, err := h.Behind(t.Context(), h.explain(c.key, c.scope), time.Now())
			var ids []string
			for _, r := range b.Records {
				ids = append(ids, r.ID)
			}
			if err != nil || !slices.Equal(ids, c.want) || b.Changes != nil || b.Today != nil {
				t.Errorf("%s of %+v: %q, want %q; %+v, %v", c.key, c.scope, ids, c.want, b, err)
			}
		}
	})
}
