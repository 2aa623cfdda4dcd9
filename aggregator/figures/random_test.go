package figures_test

import (
	"fmt"
	"reflect"
	"time"

	"housecount/apiclient/record"
)

// dice decides what a random stream of records holds.
type dice interface{ IntN(n int) int }

// byteDice throws what a fuzzer wrote; after that always 0.
type byteDice []byte

func (d *byteDice) IntN(n int) int {
	if len(*d) == 0 {
		return 0
	}
	v := int((*d)[0]) % n
	*d = (*d)[1:]
	return v
}

func oneOf[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// oneIn says yes once in n throws, and no to a 0, so that an exhausted byteDice is calm.
func oneIn(d dice, n int) bool { return d.IntN(n) == n-1 }

func randomID(d dice, prefix string, n int) string { return fmt.Sprint(prefix, d.IntN(n)) }

// randomTime is around the night on which the clocks go back, or not told.
func randomTime(d dice) time.Time {
	if oneIn(d, 9) {
		return time.Time{}
	}
	return time.Date(2026, 10, 24, 20, 0, 0, 0, time.UTC).Add(time.Duration(d.IntN(250)) * 17 * time.Minute)
}

func randomMoney(d dice) record.Money {
	return record.Money{
		Amount:   oneOf(d, int64(1000), 0, 1, 333, 2550, 10001, 99999, -5, 1<<60),
		Currency: oneOf(d, "EUR", "EUR", "EUR", "EUR", "USD", "JPY", ""),
	}
}

// randomSeen is when a version was read, often before the service says that it changed.
func randomSeen(d dice) time.Time {
	return time.Date(2026, 10, 25, 0, d.IntN(60), 0, 0, time.UTC)
}

// randomRefusals are of events, known and unknown.
func randomRefusals(d dice) map[string]int {
	refused := map[string]int{}
	for range max(0, d.IntN(4)-1) {
		refused[oneOf(d, "evt_0", "evt_1", "evt_9", "", "*")] = 1 + d.IntN(2)
	}
	return refused
}

func maybe[T any](d dice, v T) *T {
	if oneIn(d, 4) {
		return nil
	}
	return &v
}

func randomUpdate(d dice) time.Time {
	if oneIn(d, 10) {
		return time.Time{}
	}
	return time.Date(2026, 10, 25, 0, d.IntN(30), 0, 0, time.UTC)
}

// randomScan repeats itself often enough for a ticket and a list of scans to tell the same.
func randomScan(d dice) record.Scan {
	again := time.Date(2026, 10, 24, 20, d.IntN(2), 0, 0, time.UTC)
	return record.Scan{At: oneOf(d, randomTime(d), again, again), Gate: oneOf(d, "North", "North", "South", ""), Direction: oneOf(d, record.Entry, record.Entry, record.Exit, "aside"),
		Result: oneOf(d, "", "ok", "refused"), Undone: oneIn(d, 5)}
}

func randomRecord(d dice) record.Record {
	updated := randomUpdate(d)
	test, deleted := oneIn(d, 12), oneIn(d, 12)
	switch d.IntN(12) {
	case 11:
		s := &record.Setting{Name: record.SettingVATRate, Of: oneOf(d, "", "Stalls", "Box", "type_0"), From: oneOf(d, "", "", "2026-10-24", "2026-10-26"),
			Value: maybe(d, oneOf(d, int64(900), 2100, 0, 700, -1, 1<<40)), At: updated, By: oneOf(d, "Mia", "Joost")}
		switch d.IntN(9) {
		case 7:
			s.Name, s.Of, s.From = oneOf(d, record.SettingLicensed, record.SettingFewLeft, "odd"), "", ""
		case 8:
			s.Name, s.Of, s.From = record.SettingBudget, "EUR", "2026-10"
		}
		return s
	case 10:
		if oneIn(d, 2) {
			return &record.Contact{ID: randomID(d, "con_", 4), OptIn: maybe(d, oneIn(d, 2)), UpdatedAt: updated, Test: test, Deleted: deleted}
		}
		return &record.ScreenMessage{ID: randomID(d, "msg_", 3), Text: oneOf(d, "late", "bar"), Urgent: oneIn(d, 2), Until: updated, At: updated, Withdrawn: oneIn(d, 3)}
	case 8:
		return &record.WalkIn{ID: randomID(d, "walk_", 6), EventID: oneOf(d, "evt_0", "evt_1", "evt_4"), Gate: oneOf(d, "North", "South", ""),
			Count: oneOf(d, 1, 2, -1, -4, 1<<40), At: updated}
	case 9:
		return &record.Acknowledgement{Alert: oneOf(d, "cancelled:evt_0", "cancelled:evt_1", "oversold:evt_0"), At: updated, By: oneOf(d, "Mia", "Joost"), Count: d.IntN(9)}
	case 5, 6:
		return &record.TicketScan{
			ID: randomID(d, "scn_", 9), TicketID: randomID(d, "tkt_", 3), Scan: randomScan(d), UpdatedAt: updated, Deleted: deleted,
		}
	case 7:
		return &record.Planning{
			ID: randomID(d, "pln_", 6), EventID: oneOf(d, "evt_0", "evt_1", "evt_4", ""), Capacity: maybe(d, oneOf(d, 100, 250, 0, -1, 1<<40)),
			ExpectedVisitors: maybe(d, oneOf(d, 40, 0, 7, -1, 1<<40)), BudgetRevenue: maybe(d, randomMoney(d)), BudgetMarketing: maybe(d, randomMoney(d)),
			Status: oneOf(d, "confirmed", "completed", "option", "cancelled", "odd", ""), UpdatedAt: updated, Deleted: deleted,
		}
	case 0:
		e := &record.Event{
			ID: randomID(d, "evt_", 4), Title: randomID(d, "Night ", 3), Date: oneOf(d, "2026-10-25", "2026-10-24", "soon"),
			Available: maybe(d, d.IntN(200)-5), StartsAt: randomTime(d), EndsAt: randomTime(d),
			Capacity: maybe(d, d.IntN(200)), Unlimited: oneIn(d, 9), Blocked: maybe(d, d.IntN(9)-1),
			Status:    oneOf(d, record.EventOnSale, record.EventCancelled, "odd"),
			UpdatedAt: updated, Test: test, Deleted: deleted,
		}
		for range d.IntN(3) {
			e.TicketTypes = append(e.TicketTypes, record.TicketType{
				ID: randomID(d, "type_", 2), Name: oneOf(d, "Stalls", "Circle"), Capacity: maybe(d, d.IntN(90))})
		}
		return e
	case 1, 2:
		t := &record.Ticket{
			ID: randomID(d, "tkt_", 12), EventID: oneOf(d, "evt_0", "evt_1", "evt_2", "evt_3", ""),
			OrderID:       oneOf(d, "ord_0", "ord_1", "ord_2", ""),
			Type:          record.TypeRef{ID: randomID(d, "type_", 3), Name: oneOf(d, "", "Stalls", "Box")},
			Complimentary: oneIn(d, 5), Channel: oneOf(d, "web", "door", ""), Referral: oneOf(d, "", "newsletter", "poster"), DiscountCode: oneOf(d, "", "", "FRIEND"),
			ContactID: oneOf(d, "", "con_0", "con_1", "con_2"), Seat: randomID(d, "A", 2),
			Status: oneOf(d, record.TicketValid, record.TicketValid, record.TicketReserved, record.TicketVoid,
				record.TicketRefunded, record.TicketExpired, "", "odd"),
			SoldAt: randomTime(d), CreatedAt: randomTime(d), CancelledAt: randomTime(d),
			UpdatedAt: updated, Test: test, Deleted: deleted,
		}
		if !oneIn(d, 4) {
			t.Quantity = new(oneOf(d, 1, 2, 3, 0, -2, 1<<40))
		}
		if !oneIn(d, 6) {
			t.Price = new(randomMoney(d))
		}
		if oneIn(d, 4) {
			t.Fee = &record.Money{Amount: oneOf(d, int64(0), 150, 333, 150, 333, -5), Currency: oneOf(d, "EUR", "EUR", "USD", "")}
			t.VAT = maybe(d, record.Money{Amount: oneOf(d, int64(0), 83, 174, 83, 174, -1), Currency: "EUR"})
		}
		if oneIn(d, 6) {
			t.Admits = new(oneIn(d, 2))
		}
		if oneIn(d, 3) { // as many others are, made on any day
			t.EventID, t.Type, t.Channel, t.Price, t.Quantity, t.Fee, t.VAT = "evt_0", record.TypeRef{}, "", new(record.Money{Amount: 1000, Currency: "EUR"}), nil, nil, nil
			t.CreatedAt = time.Date(2026, 10, 20+d.IntN(5), 12, 0, 0, 0, time.UTC)
		}
		if !oneIn(d, 4) {
			t.Scans = []record.Scan{}
			for range d.IntN(4) {
				t.Scans = append(t.Scans, randomScan(d))
			}
		}
		return t
	}
	p := &record.Payment{
		ID: randomID(d, "pay_", 9), OrderID: oneOf(d, "ord_0", "ord_1", "ord_2", ""),
		EventID: oneOf(d, "", "", "", "evt_0", "evt_2"), ParentID: oneOf(d, "", randomID(d, "pay_", 9)),
		Kind: oneOf(d, record.KindOfPayment, "", record.KindOfRefund, record.KindOfChargeback,
			record.KindOfReversal, record.KindOfRefund, "odd"),
		Amount: randomMoney(d), Method: oneOf(d, "", "ideal", "card"),
		Status: oneOf(d, record.PaymentPaid, record.PaymentPaid, record.PaymentRefunded,
			record.PaymentChargedBack, record.PaymentPending, record.PaymentFailed, "odd"),
		PaidAt: randomTime(d), CreatedAt: randomTime(d), UpdatedAt: updated, Test: test, Deleted: deleted,
	}
	if oneIn(d, 3) {
		p.AmountRefunded = new(randomMoney(d))
	}
	for range max(0, d.IntN(5)-2) {
		p.TicketIDs = append(p.TicketIDs, randomID(d, "tkt_", 12))
	}
	return p
}

// variation is an earlier record with one field as a random record of its kind has it,
// mostly at another time.
func variation(d dice, r record.Record) record.Record {
	other := randomRecord(d)
	for range 8 {
		if other.RecordKind() == r.RecordKind() {
			break
		}
		other = randomRecord(d)
	}
	if was, ok := r.(*record.Setting); ok { // whose id is of its fields
		next := *was
		if o, ok := other.(*record.Setting); ok {
			next.Value, next.At = o.Value, o.At
		}
		return &next
	}
	v := reflect.New(reflect.TypeOf(r).Elem())
	v.Elem().Set(reflect.ValueOf(r).Elem())
	if from := reflect.ValueOf(other).Elem(); from.Type() == v.Elem().Type() {
		field := d.IntN(from.NumField())
		v.Elem().Field(field).Set(from.Field(field))
	}
	id, updated := "ID", "UpdatedAt"
	switch r.(type) {
	case *record.Acknowledgement:
		id, updated = "Alert", "At"
	case *record.WalkIn, *record.ScreenMessage:
		updated = "At"
	}
	v.Elem().FieldByName(id).SetString(r.RecordID())
	if !oneIn(d, 3) {
		v.Elem().FieldByName(updated).Set(reflect.ValueOf(randomUpdate(d)))
	}
	return v.Interface().(record.Record)
}
