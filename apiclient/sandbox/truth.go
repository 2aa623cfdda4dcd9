package sandbox

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Truth holds the figures computed from the sandbox's own records, by code that shares nothing with the
// aggregator. Money is in minor units by currency; currencies with a total of zero are left out.
type Truth struct {
	AsOf   time.Time             `json:"as_of"` // the sandbox's clock
	Events map[string]EventTruth `json:"events"`
	Total  Totals                `json:"total"`
	// Records counts the records of the three streams.
	Records struct {
		Events   int `json:"events"`
		Tickets  int `json:"tickets"`
		Payments int `json:"payments"`
	} `json:"records"`
}

// EventTruth holds the figures of one event.
type EventTruth struct {
	Title  string             `json:"title"`
	Date   string             `json:"date"`
	Status record.EventStatus `json:"status"`
	Totals
	// ScansExits reports whether the hall scans people who leave. If so, Present equals Inside.
	ScansExits bool `json:"scans_exits"`
	// Gates counts successful entries by gate in places, including re-entries.
	Gates map[string]int `json:"gates"`
	// Forecast, PlannedRevenue and MarketingBudget leave out plans that are an option or cancelled.
	Forecast       int              `json:"forecast"`
	PlannedRevenue map[string]int64 `json:"planned_revenue"`
	// Night is what is unlike other nights, and OutsideAtCurtain how many of those sold then had not come in at the curtain;
	// nil before it.
	Night            string           `json:"night,omitempty"`
	OutsideAtCurtain *int             `json:"outside_at_curtain,omitempty"`
	MarketingBudget  map[string]int64 `json:"marketing_budget"`
}

// Totals are figures that can be summed over events. Counts of tickets and visitors are in places.
type Totals struct {
	Capacity      int `json:"capacity"`
	Blocked       int `json:"blocked"`
	Available     int `json:"available"`
	Sold          int `json:"sold"` // paid + unpaid + complimentary + free
	Paid          int `json:"paid"` // tickets with a price whose order has a settled payment
	Unpaid        int `json:"unpaid"`
	Complimentary int `json:"complimentary"`
	FreeTickets   int `json:"free_tickets"`
	Reserved      int `json:"reserved"`
	Attendance    int `json:"attendance"`
	Present       int `json:"present"` // the last successful scan is an entry

	// Inside counts the people who are in the building, scanned or not. ToCome counts sold places that have not
	// been scanned in, at any time of the day. OnTheWay counts those of ToCome whose arrival is already planned.
	Inside   int `json:"inside"`
	ToCome   int `json:"to_come"`
	OnTheWay int `json:"on_the_way"`

	Booked      map[string]int64 `json:"booked"`
	BookedPaid  map[string]int64 `json:"booked_paid"` // of Paid
	Fees        map[string]int64 `json:"fees"`
	VAT         map[string]int64 `json:"vat"`
	Received    map[string]int64 `json:"received"`
	Refunded    map[string]int64 `json:"refunded"`
	Chargebacks map[string]int64 `json:"chargebacks"`
	Reversals   map[string]int64 `json:"reversals"`
	Net         map[string]int64 `json:"net"`
	// RefundsPending are refunds that have not been paid out; Refunded does not include them.
	RefundsPending map[string]int64 `json:"refunds_pending"`
	// ToBePaid sums what buyers still owe: per order, tickets and fees less net payments, and less Goodwill, which is what went
	// back for tickets that stay valid. ToBePaidBack sums what the house owes. All are computed order by order within one event.
	ToBePaid     map[string]int64 `json:"to_be_paid"`
	ToBePaidBack map[string]int64 `json:"to_be_paid_back"`
	Goodwill     map[string]int64 `json:"goodwill"`
}

func newTotals() Totals {
	return Totals{
		Booked: map[string]int64{}, Received: map[string]int64{}, Refunded: map[string]int64{},
		Chargebacks: map[string]int64{}, Reversals: map[string]int64{}, Net: map[string]int64{}, Fees: map[string]int64{}, VAT: map[string]int64{},
		Goodwill: map[string]int64{}, ToBePaid: map[string]int64{}, ToBePaidBack: map[string]int64{}, BookedPaid: map[string]int64{}, RefundsPending: map[string]int64{},
	}
}

// truth runs all due tasks and computes the figures.
func (s *service) truth() Truth {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	return s.house.truth()
}

func (h *house) truth() Truth {
	truth := Truth{AsOf: h.now, Events: map[string]EventTruth{}, Total: newTotals()}
	truth.Records.Events, truth.Records.Tickets, truth.Records.Payments = h.events.len(), h.tickets.len(), h.payments.len()
	for id, row := range h.events.rows {
		e := row.record.(*record.Event)
		of := EventTruth{Title: e.Title, Date: e.Date, Status: e.Status, Totals: newTotals(), Gates: map[string]int{}}
		of.Capacity, of.Blocked, of.Available = *e.Capacity, *e.Blocked, *e.Available
		s := h.shows[id]
		of.Night, of.OutsideAtCurtain = string(s.night), s.outside
		of.ScansExits = s.hall == nil || s.hall.scansExits
		for _, row := range h.tickets.byEvent[id] {
			t := row.record.(*record.Ticket)
			of.countTicket(t, s.where[t], h.isPaid(t.OrderID) || h.isPaid(h.wholeOrder(t.OrderID)))
		}
		h.countMoney(id, of.Totals)
		h.countOpenItems(id, of.Totals)
		h.countPlans(id, &of)
		of.finish()
		truth.Total.add(of.Totals)
		truth.Events[id] = of
	}
	truth.Total.finish()
	return truth
}

// countPlans adds the plans of an event, except options and cancelled ones.
func (h *house) countPlans(id string, e *EventTruth) {
	e.PlannedRevenue, e.MarketingBudget = map[string]int64{}, map[string]int64{}
	for _, row := range h.planning.byEvent[id] {
		p := row.record.(*record.Planning)
		if p.Status == "option" || p.Status == "cancelled" {
			continue
		}
		if p.ExpectedVisitors != nil {
			e.Forecast += *p.ExpectedVisitors
		}
		if m := p.BudgetRevenue; m != nil {
			e.PlannedRevenue[m.Currency] += m.Amount
		}
		if m := p.BudgetMarketing; m != nil {
			e.MarketingBudget[m.Currency] += m.Amount
		}
	}
}

// isPaid reports whether an order has a settled payment.
func (h *house) isPaid(order string) bool {
	return slices.ContainsFunc(h.payments.byOrder[order], func(row *row) bool {
		p := row.record.(*record.Payment)
		return p.Kind == record.KindOfPayment && settledStatus(p.Status)
	})
}

func (e *EventTruth) countTicket(t *record.Ticket, where whereabouts, isPaid bool) {
	if t.Kind != "" {
		if t.Status == record.TicketValid {
			e.addTicket(t, 1)
		}
		return
	}
	places := t.Places()
	switch t.Status {
	case record.TicketReserved:
		e.Reserved += places
	case record.TicketValid:
		e.addTicket(t, 1)
		switch {
		case t.Complimentary:
			e.Complimentary += places
		case t.Price.Amount == 0:
			e.FreeTickets += places
		case isPaid:
			e.Paid += places
			e.BookedPaid[t.Price.Currency] += t.Price.Amount * int64(places)
		default:
			e.Unpaid += places
		}
	}
	in, last := false, record.Direction("")
	for _, s := range t.Scans {
		if s.Undone || s.Result != "" && s.Result != "ok" {
			continue
		}
		if last = s.Direction; last == record.Entry {
			in = true
			e.Gates[s.Gate] += places
		}
	}
	switch {
	case in:
		e.Attendance += places
	case t.Status == record.TicketValid:
		e.ToCome += places
		if where == onTheWay {
			e.OnTheWay += places
		}
	}
	if where == indoors {
		e.Inside += places
	}
	if last == record.Entry {
		e.Present += places
	}
}

// countMoney adds the payments of an event. Every payment of the sandbox has an event id.
func (h *house) countMoney(event string, into Totals) {
	back := map[string]int64{} // settled refunds by parent payment
	for _, row := range h.payments.byEvent[event] {
		switch p := row.record.(*record.Payment); {
		case p.Kind == record.KindOfRefund && settledStatus(p.Status):
			back[p.ParentID] += p.Amount.Amount
		case p.Kind == record.KindOfRefund && p.Status == record.PaymentPending:
			into.RefundsPending[p.Amount.Currency] += p.Amount.Amount
		}
	}
	for _, row := range h.payments.byEvent[event] {
		p := row.record.(*record.Payment)
		if !settledStatus(p.Status) {
			continue
		}
		c := p.Amount.Currency
		switch p.Kind {
		case record.KindOfPayment:
			into.Received[c] += p.Amount.Amount
			refunded := back[p.ID]
			if p.AmountRefunded != nil {
				refunded = max(refunded, p.AmountRefunded.Amount)
			}
			if p.Status == record.PaymentRefunded {
				refunded = p.Amount.Amount
			}
			into.Refunded[c] += min(refunded, p.Amount.Amount)
		case record.KindOfChargeback:
			into.Chargebacks[c] += p.Amount.Amount
		case record.KindOfReversal:
			into.Reversals[c] += p.Amount.Amount
		}
	}
}

// countOpenItems adds the open amounts of an event's orders. Refunds are read from their own records, because
// AmountRefunded repeats them.
func (h *house) countOpenItems(event string, into Totals) {
	type item struct{ order, currency string }
	open, refunded := map[item]int64{}, map[item]int64{}
	for _, row := range h.tickets.byEvent[event] {
		t := row.record.(*record.Ticket)
		if t.Complimentary || t.Status == record.TicketReserved || t.SoldAt.IsZero() {
			continue
		}
		of := item{h.wholeOrder(t.OrderID), t.Price.Currency}
		if t.Status == record.TicketValid {
			open[of] += due(t)
		} else {
			refunded[of] -= due(t) // what went back for it is no goodwill
		}
		if first := h.tickets.rows[t.Replaces]; first != nil {
			refunded[of] += min(due(t), due(first.record.(*record.Ticket))) // it stays for the ticket in its place
		}
	}
	for _, row := range h.payments.byEvent[event] {
		p := row.record.(*record.Payment)
		if of := (item{h.wholeOrder(p.OrderID), p.Amount.Currency}); settledStatus(p.Status) {
			switch p.Kind {
			case record.KindOfPayment, record.KindOfReversal:
				open[of] -= p.Amount.Amount
			case record.KindOfRefund:
				refunded[of] += p.Amount.Amount
				open[of] += p.Amount.Amount
			default:
				open[of] += p.Amount.Amount
			}
		}
	}
	for of, amount := range open {
		goodwill := max(0, min(amount, refunded[of]))
		into.Goodwill[of.currency] += goodwill
		into.ToBePaid[of.currency] += max(0, amount-goodwill)
		into.ToBePaidBack[of.currency] += max(0, -amount)
	}
}

// due returns the price and fees of a ticket.
func due(t *record.Ticket) int64 {
	each := t.Price.Amount
	if t.Fee != nil {
		each += t.Fee.Amount
	}
	return each * int64(t.Places())
}

func settledStatus(s record.PaymentStatus) bool {
	return s == record.PaymentPaid || s == record.PaymentRefunded || s == record.PaymentChargedBack
}

func (t *Totals) add(o Totals) {
	t.Capacity += o.Capacity
	t.Blocked += o.Blocked
	t.Available += o.Available
	t.Sold += o.Sold
	t.Paid += o.Paid
	t.Unpaid += o.Unpaid
	t.Complimentary += o.Complimentary
	t.FreeTickets += o.FreeTickets
	t.Reserved += o.Reserved
	t.Attendance += o.Attendance
	t.Present += o.Present
	t.Inside += o.Inside
	t.ToCome += o.ToCome
	t.OnTheWay += o.OnTheWay
	for _, m := range []struct{ into, from map[string]int64 }{
		{t.Booked, o.Booked}, {t.BookedPaid, o.BookedPaid}, {t.RefundsPending, o.RefundsPending}, {t.Fees, o.Fees}, {t.VAT, o.VAT}, {t.ToBePaid, o.ToBePaid}, {t.Goodwill, o.Goodwill}, {t.ToBePaidBack, o.ToBePaidBack}, {t.Received, o.Received}, {t.Refunded, o.Refunded}, {t.Chargebacks, o.Chargebacks}, {t.Reversals, o.Reversals},
	} {
		for c, amount := range m.from {
			m.into[c] += amount
		}
	}
}

// finish computes Net and deletes amounts of zero.
func (t *Totals) finish() {
	clear(t.Net)
	for c, amount := range t.Received {
		t.Net[c] = amount
	}
	for c, amount := range t.Refunded {
		t.Net[c] -= amount
	}
	for c, amount := range t.Chargebacks {
		t.Net[c] -= amount
	}
	for c, amount := range t.Reversals {
		t.Net[c] += amount
	}
	for _, m := range []map[string]int64{t.Booked, t.BookedPaid, t.RefundsPending, t.Fees, t.VAT, t.ToBePaid, t.Goodwill, t.ToBePaidBack, t.Received, t.Refunded, t.Chargebacks, t.Reversals, t.Net} {
		for c, amount := range m {
			if amount == 0 {
				delete(m, c)
			}
		}
	}
}
