package foldtest

import (
	"fmt"
	"time"

	"housecount/apiclient/record"
)

// Dice decides what a random stream of records holds.
type Dice interface{ IntN(n int) int }

func OneOf[T any](d Dice, from ...T) T { return from[d.IntN(len(from))] }

// OneIn reports true once in n throws. A 0 is false, so that exhausted dice change nothing.
func OneIn(d Dice, n int) bool { return d.IntN(n) == n-1 }

func RandomID(d Dice, prefix string, n int) string { return fmt.Sprint(prefix, d.IntN(n)) }

// randomTime is around the night on which the clocks go back, or not told.
func randomTime(d Dice) time.Time {
	if OneIn(d, 9) {
		return time.Time{}
	}
	return time.Date(2026, 10, 24, 20, 0, 0, 0, time.UTC).Add(time.Duration(d.IntN(250)) * 17 * time.Minute)
}

func randomMoney(d Dice) record.Money {
	return record.Money{
		Amount:   OneOf(d, int64(1000), 0, 1, 333, 2550, 10001, 99999, -5, 1<<60),
		Currency: OneOf(d, "EUR", "EUR", "EUR", "EUR", "USD", "JPY", ""),
	}
}

// RandomSeen returns when a version was read, often before the service says that it changed.
func RandomSeen(d Dice) time.Time {
	return time.Date(2026, 10, 25, 0, d.IntN(60), 0, 0, time.UTC)
}

func maybe[T any](d Dice, v T) *T {
	if OneIn(d, 4) {
		return nil
	}
	return &v
}

func RandomUpdate(d Dice) time.Time {
	if OneIn(d, 10) {
		return time.Time{}
	}
	return time.Date(2026, 10, 25, 0, d.IntN(30), 0, 0, time.UTC)
}

// randomScan repeats itself often enough for a ticket and a list of scans to tell the same.
func randomScan(d Dice) record.Scan {
	again := time.Date(2026, 10, 24, 20, d.IntN(2), 0, 0, time.UTC)
	return record.Scan{At: OneOf(d, randomTime(d), again, again), Gate: OneOf(d, "North", "North", "South", ""), Direction: OneOf(d, record.Entry, record.Entry, record.Exit, "aside"),
		Result: OneOf(d, "", "ok", "refused"), Undone: OneIn(d, 5)}
}

// randomCommon is what all records have.
type randomCommon struct {
	updated       time.Time
	test, deleted bool
}

// RandomRecord returns a record of any kind.
func RandomRecord(d Dice) record.Record {
	c := randomCommon{RandomUpdate(d), OneIn(d, 12), OneIn(d, 12)}
	switch d.IntN(12) {
	case 0:
		return c.event(d)
	case 1, 2:
		return c.ticket(d)
	case 5, 6:
		return c.scan(d)
	case 7:
		return c.planning(d)
	case 8:
		return &record.WalkIn{ID: RandomID(d, "walk_", 6), EventID: OneOf(d, "evt_0", "evt_1", "evt_4"), Gate: OneOf(d, "North", "South", ""),
			Count: OneOf(d, 1, 2, -1, -4, 1<<40), At: c.updated}
	case 9:
		return c.alert(d)
	case 10:
		if OneIn(d, 2) {
			return c.contact(d)
		}
		return &record.ScreenMessage{ID: RandomID(d, "msg_", 3), Text: OneOf(d, "late", "bar"), Urgent: OneIn(d, 2), Until: c.updated, At: c.updated, Withdrawn: OneIn(d, 3)}
	case 11:
		return c.setting(d)
	}
	return c.payment(d)
}

func (c randomCommon) setting(d Dice) record.Record {
	s := &record.Setting{Name: record.SettingVATRate, Of: OneOf(d, "", "Stalls", "Box", "type_0"), From: OneOf(d, "", "", "2026-10-24", "2026-10-26"),
		Value: maybe(d, OneOf(d, int64(900), 2100, 0, 700, -1, 1<<40)), At: c.updated, By: OneOf(d, "Mia", "Joost")}
	switch d.IntN(9) {
	case 7:
		s.Name, s.Of, s.From = OneOf(d, record.SettingLicensed, record.SettingFewLeft, "odd"), "", ""
	case 8:
		s.Name, s.Of, s.From = record.SettingBudget, "EUR", "2026-10"
	}
	return s
}

func (c randomCommon) contact(d Dice) record.Record {
	r := &record.Contact{ID: RandomID(d, "con_", 4), OptIn: maybe(d, OneIn(d, 2)), UpdatedAt: c.updated, Test: c.test, Deleted: c.deleted}
	switch c.updated.Second() % 4 {
	case 0:
		r.City, r.PostalArea, r.Country = "Utrecht", "3511", "NL"
	case 1:
		r.City = "Ede"
	case 2:
		r.PostalArea = "1011"
	}
	return r
}

func (c randomCommon) alert(d Dice) record.Record {
	if OneIn(d, 3) {
		return &record.RaisedAlert{Alert: OneOf(d, "oversold:evt_0", "streams"), Number: 1 + d.IntN(2), Level: OneOf(d, "bad", "warn"), EventID: OneOf(d, "evt_0", ""), Raised: c.updated,
			Cleared: OneOf(d, time.Time{}, c.updated.Add(time.Hour))}
	}
	a := &record.Acknowledgement{Alert: OneOf(d, "cancelled:evt_0", "cancelled:evt_1", "oversold:evt_0"), At: c.updated, By: OneOf(d, "Mia", "Joost"), Count: d.IntN(9)}
	a.Personal = a.Count > 4
	return a
}

func (c randomCommon) scan(d Dice) record.Record {
	s := &record.TicketScan{
		ID: RandomID(d, "scn_", 9), TicketID: RandomID(d, "tkt_", 3), Scan: randomScan(d), UpdatedAt: c.updated, Deleted: c.deleted,
	}
	if OneIn(d, 4) {
		s.TicketID, s.EventID = "", OneOf(d, "evt_0", "evt_1", "evt_4")
	}
	return s
}

func (c randomCommon) planning(d Dice) record.Record {
	p := &record.Planning{
		ID: RandomID(d, "pln_", 6), EventID: OneOf(d, "evt_0", "evt_1", "evt_4", ""), Capacity: maybe(d, OneOf(d, 100, 250, 0, -1, 1<<40)),
		ExpectedVisitors: maybe(d, OneOf(d, 40, 0, 7, -1, 1<<40)), BudgetRevenue: maybe(d, randomMoney(d)), BudgetMarketing: maybe(d, randomMoney(d)),
		Status: OneOf(d, "confirmed", "completed", "option", "cancelled", "odd", ""), UpdatedAt: c.updated, Deleted: c.deleted,
	}
	if OneIn(d, 3) {
		p.Kind, p.Available = record.PlanningLimit, maybe(d, OneOf(d, 50, 3, 0, -2, 90, 1<<40))
		for _, of := range []string{"type_0", "type_1", "type_2"} {
			if OneIn(d, 2) {
				p.TicketTypes = append(p.TicketTypes, of)
			}
		}
	}
	return p
}

func (c randomCommon) event(d Dice) record.Record {
	e := &record.Event{
		ID: RandomID(d, "evt_", 4), Title: RandomID(d, "Night ", 3), Date: OneOf(d, "2026-10-25", "2026-10-24", "soon"),
		Available: maybe(d, d.IntN(200)-5), StartsAt: randomTime(d), EndsAt: randomTime(d),
		Capacity: maybe(d, d.IntN(200)), Unlimited: OneIn(d, 9), Blocked: maybe(d, d.IntN(9)-1), Reserved: maybe(d, d.IntN(5)-1),
		Status:    OneOf(d, record.EventOnSale, record.EventCancelled, "odd"),
		UpdatedAt: c.updated, Test: c.test, Deleted: c.deleted,
	}
	for range d.IntN(3) {
		e.TicketTypes = append(e.TicketTypes, record.TicketType{
			ID: RandomID(d, "type_", 2), Name: OneOf(d, "Stalls", "Circle"), Capacity: maybe(d, d.IntN(90))})
	}
	return e
}

func (c randomCommon) ticket(d Dice) record.Record {
	t := &record.Ticket{
		ID: RandomID(d, "tkt_", 12), EventID: OneOf(d, "evt_0", "evt_1", "evt_2", "evt_3", ""),
		OrderID:       OneOf(d, "ord_0", "ord_1", "ord_2", ""),
		Type:          record.TypeRef{ID: RandomID(d, "type_", 3), Name: OneOf(d, "", "Stalls", "Box")},
		Complimentary: OneIn(d, 5), Channel: OneOf(d, "web", "door", ""), Referral: OneOf(d, "", "newsletter", "poster"), DiscountCode: OneOf(d, "", "", "FRIEND"),
		ContactID: OneOf(d, "", "con_0", "con_1", "con_2"), Seat: RandomID(d, "A", 2),
		Status: OneOf(d, record.TicketValid, record.TicketValid, record.TicketReserved, record.TicketVoid,
			record.TicketRefunded, record.TicketExpired, "", "odd"),
		SoldAt: randomTime(d), CreatedAt: randomTime(d), CancelledAt: randomTime(d),
		UpdatedAt: c.updated, Test: c.test, Deleted: c.deleted,
	}
	if !OneIn(d, 4) {
		t.Quantity = new(OneOf(d, 1, 2, 3, 0, -2, 1<<40))
	}
	if !OneIn(d, 6) {
		t.Price = new(randomMoney(d))
	}
	if OneIn(d, 4) {
		t.Fee = &record.Money{Amount: OneOf(d, int64(0), 150, 333, 150, 333, -5), Currency: OneOf(d, "EUR", "EUR", "USD", "")}
		t.VAT = maybe(d, record.Money{Amount: OneOf(d, int64(0), 83, 174, 83, 174, -1), Currency: "EUR"})
	}
	if OneIn(d, 6) {
		t.Admits = new(OneIn(d, 2))
	}
	if OneIn(d, 9) {
		t.Kind = OneOf(d, record.ExtraFee, record.ExtraGoods, record.ExtraDonation, "odd")
	}
	if OneIn(d, 9) {
		t.Replaces = RandomID(d, "tkt_", 12)
	}
	if OneIn(d, 3) { // as many others are, made on any day
		t.EventID, t.Type, t.Channel, t.Price, t.Quantity, t.Fee, t.VAT = "evt_0", record.TypeRef{}, "", new(record.Money{Amount: 1000, Currency: "EUR"}), nil, nil, nil
		t.CreatedAt = time.Date(2026, 10, 20+d.IntN(5), 12, 0, 0, 0, time.UTC)
	}
	if !OneIn(d, 4) {
		t.Scans = []record.Scan{}
		for range d.IntN(4) {
			t.Scans = append(t.Scans, randomScan(d))
		}
	}
	return t
}

func (c randomCommon) payment(d Dice) record.Record {
	p := &record.Payment{
		ID: RandomID(d, "pay_", 9), OrderID: OneOf(d, "ord_0", "ord_1", "ord_2", ""),
		EventID: OneOf(d, "", "", "", "evt_0", "evt_2"), ParentID: OneOf(d, "", RandomID(d, "pay_", 9)),
		Kind: OneOf(d, record.KindOfPayment, "", record.KindOfRefund, record.KindOfChargeback,
			record.KindOfReversal, record.KindOfRefund, "odd"),
		Amount: randomMoney(d), Method: OneOf(d, "", "ideal", "card"), Reason: OneOf(d, "", "Illness", "Wrong date"),
		Status: OneOf(d, record.PaymentPaid, record.PaymentPaid, record.PaymentRefunded,
			record.PaymentChargedBack, record.PaymentPending, record.PaymentFailed, "odd"),
		PaidAt: randomTime(d), CreatedAt: randomTime(d), UpdatedAt: c.updated, Test: c.test, Deleted: c.deleted,
	}
	if OneIn(d, 3) {
		p.AmountRefunded = new(randomMoney(d))
	}
	for range max(0, d.IntN(5)-2) {
		p.TicketIDs = append(p.TicketIDs, RandomID(d, "tkt_", 12))
	}
	return p
}
