package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// Moved returns, by event, the changes from a time until before another: places sold less those given back, and
// money. All other fields of Totals are zero.
func (s *Sandbox) Moved(from, before time.Time) map[string]Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	return s.house.moved(from, before)
}

func (h *house) moved(from, before time.Time) map[string]Totals {
	all := make(map[string]Totals, len(h.events.rows))
	for id := range h.events.rows {
		of := newTotals()
		in := func(at time.Time) bool { return !at.IsZero() && !at.Before(from) && at.Before(before) }
		for _, row := range h.tickets.byEvent[id] {
			t := row.record.(*record.Ticket)
			if t.SoldAt.IsZero() { // never sold
				continue
			}
			if in(t.SoldAt) {
				of.addTicket(t, 1)
			}
			if t.Status != record.TicketValid && in(t.CancelledAt) {
				of.addTicket(t, -1)
			}
		}
		for _, row := range h.payments.byEvent[id] {
			p := row.record.(*record.Payment)
			if p.Kind == record.KindOfRefund && p.Status == record.PaymentPending && in(p.CreatedAt) {
				of.RefundsPending[p.Amount.Currency] += p.Amount.Amount
			}
			if !settledStatus(p.Status) || !in(p.PaidAt) {
				continue
			}
			c := p.Amount.Currency
			switch p.Kind {
			case record.KindOfPayment:
				of.Received[c] += p.Amount.Amount
			case record.KindOfRefund:
				of.Refunded[c] += p.Amount.Amount
			case record.KindOfChargeback:
				of.Chargebacks[c] += p.Amount.Amount
			case record.KindOfReversal:
				of.Reversals[c] += p.Amount.Amount
			}
		}
		of.finish()
		all[id] = of
	}
	return all
}

// addTicket adds a sold ticket with sign 1, or subtracts a cancelled one with sign -1.
func (t *Totals) addTicket(k *record.Ticket, sign int64) {
	if k.Kind != "" {
		t.Fees[k.Price.Currency] += sign * k.Price.Amount * int64(k.Places())
		return
	}
	t.Sold += int(sign) * k.Places()
	if k.Complimentary {
		return
	}
	places := sign * int64(k.Places())
	t.Booked[k.Price.Currency] += k.Price.Amount * places
	t.Fees[k.Fee.Currency] += k.Fee.Amount * places
	t.VAT[k.VAT.Currency] += k.VAT.Amount * places
}
