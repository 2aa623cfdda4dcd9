package record_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
)

// A version with the same time that only lacks parts is damaged; one with any other value is another state,
// and so is one that has more. With a later time only the parts that every version has to have count.
func TestDamage(t *testing.T) {
	at := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	ticket := func(change func(*record.Ticket)) *record.Ticket {
		k := &record.Ticket{ID: "t", EventID: "e", OrderID: "o", Price: &record.Money{Amount: 2500, Currency: "EUR"}, Status: record.TicketValid,
			Scans: []record.Scan{{At: at, Gate: "A", Direction: record.Entry}}, SoldAt: at.Add(-time.Hour), UpdatedAt: at}
		change(k)
		return k
	}
	event := func(change func(*record.Event)) *record.Event {
		e := &record.Event{ID: "e", Title: "Woyzeck", Date: "2026-11-21", Available: new(5), TicketTypes: []record.TicketType{{ID: "a", Capacity: new(10)}}, Status: record.EventOnSale}
		change(e)
		return e
	}
	payment := func(change func(*record.Payment)) *record.Payment {
		p := &record.Payment{ID: "p", Amount: record.Money{Amount: 2500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at}
		change(p)
		return p
	}
	sound, onSale, paid := ticket(func(*record.Ticket) {}), event(func(*record.Event) {}), payment(func(*record.Payment) {})
	for _, c := range []struct {
		name           string
		next, held     record.Record
		sameTime       bool
		field          string // empty for a sound version
		laterIsDamaged bool
	}{
		{"the same", ticket(func(*record.Ticket) {}), sound, true, "", false},
		{"no price", ticket(func(k *record.Ticket) { k.Price = nil }), sound, true, "price", false},
		{"no scans", ticket(func(k *record.Ticket) { k.Scans = nil }), sound, true, "scans", true},
		{"a scan without its gate", ticket(func(k *record.Ticket) { k.Scans = []record.Scan{{At: at, Direction: record.Entry}} }), sound, true, "scans.gate", false},
		{"no time of its change", ticket(func(k *record.Ticket) { k.UpdatedAt = time.Time{} }), sound, true, "updated_at", false},
		{"a status that nobody has mapped", ticket(func(k *record.Ticket) { k.Status = "under_review" }), sound, true, "status", false},
		{"no status", payment(func(p *record.Payment) { p.Status = "" }), paid, true, "status", true},
		{"no order, and voided", ticket(func(k *record.Ticket) { k.OrderID, k.Status = "", record.TicketVoid }), sound, true, "", false},
		{"another price", ticket(func(k *record.Ticket) { k.Price = &record.Money{Currency: "EUR"} }), sound, true, "", false},
		{"one more scan", ticket(func(k *record.Ticket) { k.Scans = append(k.Scans, record.Scan{At: at, Direction: record.Exit}) }), sound, true, "", false},
		{"the parts that were missing", sound, ticket(func(k *record.Ticket) { k.Price, k.OrderID = nil, "" }), true, "", false},
		{"sold out", event(func(e *record.Event) { e.Available = new(0) }), onSale, true, "", false},
		{"no places left told", event(func(e *record.Event) { e.Available = nil }), onSale, true, "available", false},
		{"no longer unlimited", event(func(e *record.Event) { e.Unlimited = false }), event(func(e *record.Event) { e.Unlimited = true }), true, "", false},
		{"a type without its capacity", event(func(e *record.Event) { e.TicketTypes = []record.TicketType{{ID: "a"}} }), onSale, true, "ticket_types.capacity", false},
		{"nothing paid", payment(func(p *record.Payment) { p.Amount.Amount = 0 }), paid, true, "", false},
		{"deleted", ticket(func(k *record.Ticket) { *k = record.Ticket{ID: "t", Deleted: true} }), sound, true, "", false},
		{"back after a deletion", ticket(func(k *record.Ticket) { k.Price = nil }), &record.Ticket{ID: "t", Deleted: true}, true, "", false},
	} {
		got := record.Damage(c.next, c.held, c.sameTime)
		if (got == nil) != (c.field == "") || got != nil && (got.Field != c.field || got.ID != c.held.RecordID() || got.Updated.IsZero() && !c.held.RecordUpdated().IsZero()) {
			t.Errorf("%s: %v, want %q", c.name, got, c.field)
		}
		if later := record.Damage(c.next, c.held, false); (later != nil) != c.laterIsDamaged || later != nil && !record.MayLackRequired(c.next) {
			t.Errorf("%s, at a later time: %v", c.name, later)
		}
	}
}
