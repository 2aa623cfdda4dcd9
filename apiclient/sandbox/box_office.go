package sandbox

import (
	"fmt"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// addShow adds a performance and its record, and plans it.
func (h *house) addShow(s *show) {
	h.shows[s.event.ID] = s
	s.event.Available = new(s.left())
	h.events.add(s.event, h.now)
	h.planShow(s)
}

// updateAvailability updates the available places of s, switches it between on sale and sold out, and marks its
// record as changed.
func (h *house) updateAvailability(s *show) {
	s.event.Available = new(s.left())
	switch {
	case s.event.Status == record.EventOnSale && s.left() <= 0:
		s.event.Status = record.EventSoldOut
	case s.event.Status == record.EventSoldOut && s.left() > 0:
		s.event.Status = record.EventOnSale
	}
	h.events.touch(s.event, h.now)
}

// setStatus changes the status of s, unless it was called off.
func (h *house) setStatus(s *show, status record.EventStatus) {
	if s.calledOff() {
		return
	}
	s.event.Status = status
	h.updateAvailability(s)
	h.updatePlanning(s)
}

// sale describes an order to be made.
type sale struct {
	show          *show
	places        int
	kind          record.TypeRef
	price         int64 // per place
	fee           int64 // per place, in addition to price
	currency      string
	complimentary bool
	paid          bool // otherwise reserved, with an open payment
	invoiced      bool // valid though its payment is open
	method        string
	contact       string
	channel       string
	referral      string
	discount      string
	extras        []extra
	replaces      *record.Ticket // the ticket that was exchanged for its only one
	credit        int64          // what that one cost
}

// vatPercent is the VAT rate included in all prices, but for those of a house of two seasons whose hall has
// another one.
const vatPercent = 9

// vatIn returns the VAT included in a price for a show, rounded to the nearest cent.
func (h *house) vatIn(s *show, price int64) int64 {
	percent := int64(vatPercent)
	if h.seasons > 1 && s.hall != nil && s.hall.vatPercent > 0 {
		percent = s.hall.vatPercent
	}
	return (price*percent + (100+percent)/2) / (100 + percent)
}

// sell makes the tickets of an order, one per place, and its payment, which is nil for a complimentary order.
func (h *house) sell(w sale) ([]*record.Ticket, *record.Payment) {
	orderID := h.id("ord_")
	h.recordContact(w.contact)
	money := record.Money{Amount: w.price, Currency: w.currency}
	fee := record.Money{Amount: w.fee, Currency: w.currency}
	vat := record.Money{Amount: h.vatIn(w.show, w.price), Currency: w.currency}
	tickets := make([]*record.Ticket, w.places)
	ids := make([]string, w.places)
	for i := range tickets {
		t := &record.Ticket{
			ID: h.id("tkt_"), EventID: w.show.event.ID, OrderID: orderID, ContactID: w.contact,
			Type: w.kind, Price: &money, Fee: &fee, VAT: &vat, Complimentary: w.complimentary,
			Status: record.TicketReserved, Scans: []record.Scan{},
			Channel: w.channel, Referral: w.referral, DiscountCode: w.discount,
		}
		if w.paid || w.invoiced {
			t.Status, t.SoldAt = record.TicketValid, h.now
		}
		if w.replaces != nil {
			t.Replaces = w.replaces.ID
			h.exchanged[orderID] = w.replaces.OrderID
		}
		tickets[i], ids[i] = t, t.ID
		h.tickets.add(t, h.now)
	}
	w.show.taken += w.places
	h.updateAvailability(w.show)
	amount := max(0, (w.price+w.fee)*int64(w.places)+h.sellExtras(w, orderID)-w.credit)
	if w.complimentary || w.credit > 0 && amount == 0 {
		return tickets, nil
	}
	p := &record.Payment{
		ID: h.id("pay_"), OrderID: orderID, EventID: w.show.event.ID, ContactID: w.contact, TicketIDs: ids,
		Kind: record.KindOfPayment, Amount: record.Money{Amount: amount, Currency: w.currency},
		Status: record.PaymentOpen, Method: w.method,
	}
	if w.paid {
		p.Status, p.PaidAt = record.PaymentPaid, h.now
	}
	h.payments.add(p, h.now)
	return tickets, p
}

// pay marks a payment as paid and makes its reserved tickets valid.
func (h *house) pay(p *record.Payment, tickets []*record.Ticket) {
	p.Status, p.PaidAt = record.PaymentPaid, h.now
	h.payments.touch(p, h.now)
	for _, t := range tickets {
		switch {
		case t.Status == record.TicketReserved:
			t.Status, t.SoldAt, t.HeldUntil = record.TicketValid, h.now, time.Time{}
			h.tickets.touch(t, h.now)
		case !t.HeldUntil.IsZero():
			t.HeldUntil = time.Time{}
			h.tickets.touch(t, h.now)
		}
	}
	h.eachExtra(p.OrderID, func(t *record.Ticket) {
		if t.Status == record.TicketReserved {
			t.Status, t.SoldAt = record.TicketValid, h.now
			h.tickets.touch(t, h.now)
		}
	})
}

// expire ends an unpaid order with the given payment status and frees its places.
func (h *house) expire(p *record.Payment, tickets []*record.Ticket, end record.PaymentStatus) {
	p.Status = end
	h.payments.touch(p, h.now)
	for _, t := range tickets {
		if t.Status == record.TicketReserved {
			h.cancel(t, record.TicketExpired)
		}
	}
	h.eachExtra(p.OrderID, func(t *record.Ticket) {
		if t.Status == record.TicketReserved {
			h.cancel(t, record.TicketExpired)
		}
	})
}

// cancel sets the final status of a ticket and frees its place.
func (h *house) cancel(t *record.Ticket, end record.TicketStatus) {
	t.Status, t.CancelledAt = end, h.now
	h.tickets.touch(t, h.now)
	if t.Kind != "" {
		return
	}
	s := h.shows[t.EventID]
	s.taken -= t.Places()
	if o := h.orders[t.OrderID]; o != nil {
		o.offer.tier.left += t.Places()
	}
	h.updateAvailability(s)
}

// void voids a valid or reserved ticket; any other is a conflict.
func (h *house) void(t *record.Ticket) error {
	if t.Status != record.TicketValid && t.Status != record.TicketReserved {
		return idp.Conflict(fmt.Sprintf("The ticket is %s already.", t.Status))
	}
	h.cancel(t, record.TicketVoid)
	return nil
}

// refund refunds the asked amount, or everything refundable if asked is nil. Without an amount it also cancels the
// valid tickets of the payment.
func (h *house) refund(p *record.Payment, asked *amountInput, reason string) (*record.Payment, error) {
	left := h.refundable(p)
	if left <= 0 {
		return nil, idp.Conflict(fmt.Sprintf("Nothing can be given back on this %s, which is %s.", p.Kind, p.Status))
	}
	amount := left
	if asked != nil {
		amount = asked.Amount
		switch {
		case asked.Currency != "" && asked.Currency != p.Amount.Currency:
			return nil, idp.BadRequest("The payment is in " + p.Amount.Currency + ".")
		case amount < 1:
			return nil, idp.BadRequest("amount must be at least 1.")
		case amount > left:
			return nil, idp.Conflict(fmt.Sprintf("Only %d can still be given back.", left))
		}
	}
	if asked == nil {
		for _, id := range p.TicketIDs {
			if t, err := find[*record.Ticket](h.tickets, id); err == nil && t.Status == record.TicketValid {
				h.cancel(t, record.TicketRefunded)
			}
		}
		h.eachExtra(p.OrderID, func(t *record.Ticket) {
			if t.Status == record.TicketValid {
				h.cancel(t, record.TicketRefunded)
			}
		})
	}
	back := h.newRefund(p, amount, reason)
	h.settleRefund(p, back)
	return back, nil
}

// refundable returns the amount of a payment less its refunds, including pending ones. It is 0 unless the payment
// is paid.
func (h *house) refundable(p *record.Payment) int64 {
	if p.Kind != record.KindOfPayment || p.Status != record.PaymentPaid {
		return 0
	}
	left := p.Amount.Amount
	for _, r := range h.payments.byOrder[p.OrderID] {
		if back := r.record.(*record.Payment); back.Kind == record.KindOfRefund && back.ParentID == p.ID {
			left -= back.Amount.Amount
		}
	}
	return left
}

// newRefund adds a pending refund of a payment.
func (h *house) newRefund(p *record.Payment, amount int64, reason string) *record.Payment {
	back := h.newMovement(p, record.KindOfRefund, amount)
	back.Status, back.Reason = record.PaymentPending, reason
	h.payments.add(back, h.now)
	return back
}

// settleRefund completes a refund. The sandbox reports it three times, as many services do: in the refund's own
// record, in the payment's AmountRefunded and, after a full refund, in the payment's status.
func (h *house) settleRefund(p, back *record.Payment) {
	back.Status, back.PaidAt = record.PaymentPaid, h.now
	h.payments.touch(back, h.now)
	total := back.Amount
	if p.AmountRefunded != nil {
		total.Amount += p.AmountRefunded.Amount
	}
	p.AmountRefunded = &total
	if total.Amount == p.Amount.Amount && p.Status == record.PaymentPaid {
		p.Status = record.PaymentRefunded
	}
	h.payments.touch(p, h.now)
}

// chargeBack adds a chargeback of the whole payment.
func (h *house) chargeBack(p *record.Payment) {
	taken := h.newMovement(p, record.KindOfChargeback, p.Amount.Amount)
	taken.Status, taken.PaidAt = record.PaymentPaid, h.now
	h.payments.add(taken, h.now)
	p.Status = record.PaymentChargedBack
	h.payments.touch(p, h.now)
}

// reverse adds a reversal of the chargeback and marks the payment as paid again.
func (h *house) reverse(p *record.Payment) {
	won := h.newMovement(p, record.KindOfReversal, p.Amount.Amount)
	won.Status, won.PaidAt = record.PaymentPaid, h.now
	h.payments.add(won, h.now)
	p.Status = record.PaymentPaid
	h.payments.touch(p, h.now)
}

// newMovement returns a payment record with p as its parent; the caller adds it to the stream.
func (h *house) newMovement(p *record.Payment, kind record.PaymentKind, amount int64) *record.Payment {
	return &record.Payment{
		ID: h.id("pay_"), OrderID: p.OrderID, EventID: p.EventID, ParentID: p.ID, ContactID: p.ContactID,
		Kind: kind, Amount: record.Money{Amount: amount, Currency: p.Amount.Currency}, Method: p.Method,
	}
}

// scan adds a scan to a ticket and moves its holder if the scan succeeded. It never changes a slice of scans that
// was served before.
func (h *house) scan(t *record.Ticket, s record.Scan) {
	s.At = h.now
	t.Scans = append(t.Scans[:len(t.Scans):len(t.Scans)], s)
	h.tickets.touch(t, h.now)
	switch of := h.shows[t.EventID]; {
	case s.Result != "" || s.Undone:
	case s.Direction == record.Entry:
		of.moveTo(t, indoors)
	default:
		of.moveTo(t, elsewhere)
	}
}
