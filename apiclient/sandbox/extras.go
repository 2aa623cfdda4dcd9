package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// extra is what is sold in an order beside its tickets.
type extra struct {
	kind     record.ExtraKind
	what     record.TypeRef
	price    int64
	quantity int
}

// extrasOf draws what the buyer of places on the web takes with them.
func extrasOf(places int, c rng) (all []extra) {
	if c.chance(.08) {
		all = append(all, extra{record.ExtraGoods, record.TypeRef{ID: "ext_programme", Name: "Programmaboekje"}, 450, 1 + c.IntN(places)})
	}
	if c.chance(.03) {
		all = append(all, extra{record.ExtraDonation, record.TypeRef{ID: "ext_fund", Name: "Steunfonds"}, 500, 1})
	}
	if c.chance(.05) {
		all = append(all, extra{record.ExtraFee, record.TypeRef{ID: "ext_post", Name: "Verzending"}, 395, 1})
	}
	return all
}

// sellExtras adds the extras of an order and returns what they cost.
func (h *house) sellExtras(w sale, orderID string) (cost int64) {
	for _, x := range w.extras {
		t := &record.Ticket{
			ID: h.id("ext_"), EventID: w.show.event.ID, OrderID: orderID, ContactID: w.contact, Kind: x.kind,
			Type: x.what, Price: &record.Money{Amount: x.price, Currency: w.currency}, Quantity: &x.quantity,
			Status: record.TicketReserved, Scans: []record.Scan{}, Channel: w.channel,
		}
		if w.paid || w.invoiced {
			t.Status, t.SoldAt = record.TicketValid, h.now
		}
		h.tickets.add(t, h.now)
		cost += x.price * int64(x.quantity)
	}
	return cost
}

// eachExtra calls f with each extra of an order.
func (h *house) eachExtra(orderID string, f func(*record.Ticket)) {
	for _, r := range h.tickets.byOrder[orderID] {
		if t := r.record.(*record.Ticket); t.Kind != "" {
			f(t)
		}
	}
}

// planExchange draws whether a ticket of a confirmed order is exchanged for one of another price.
func (h *house) planExchange(o *order) {
	c := h.rng(forExchange, o.key)
	untilDoors := o.show.event.DoorsAt.Sub(h.now)
	if c.chance(.012) && untilDoors > 2*time.Hour && o.payment != nil && o.payment.Amount.Amount > 0 {
		h.at(h.now.Add(c.between(time.Minute, untilDoors-time.Hour)), func() { h.exchange(o, c) })
	}
}

// exchange replaces the last ticket of an order by one of another price, in an order of its own. What it costs more is paid
// at the box office; what it costs less is paid back.
func (h *house) exchange(o *order, c rng) {
	t := o.tickets[len(o.tickets)-1]
	if t.Status != record.TicketValid || len(t.Scans) > 0 || o.payment.Status != record.PaymentPaid || o.show.calledOff() {
		return
	}
	var other *offer
	for _, of := range o.show.offers {
		if !of.complimentary && of.tier != o.offer.tier && of.tier.left > 0 && of.price != t.Price.Amount {
			other = of
			break
		}
	}
	if other == nil {
		return
	}
	h.cancel(t, record.TicketVoid)
	credit := t.Price.Amount + t.Fee.Amount
	next := &order{show: o.show, offer: other, key: mix(o.key)}
	other.tier.left--
	next.tickets, next.payment = h.sell(sale{
		show: o.show, places: 1, kind: other.ref, price: other.price, currency: currency, paid: true, method: "pin", channel: "box_office",
		contact: t.ContactID, replaces: t, credit: credit,
	})
	h.orders[next.tickets[0].OrderID] = next
	if back := credit - other.price; back > 0 {
		h.refundMoney(o, min(back, h.refundable(o.payment)), becauseExchanged, c)
	}
	o.show.orders = append(o.show.orders, next)
	if o.show.open {
		h.planArrival(next)
	}
}

// wholeOrder returns the order that a ticket of an order was first bought in.
func (h *house) wholeOrder(orderID string) string {
	for {
		first := h.exchanged[orderID]
		if first == "" {
			return orderID
		}
		orderID = first
	}
}
