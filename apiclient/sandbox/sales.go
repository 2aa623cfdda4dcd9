package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// orderSizeWeights are the weights of orders of 1, 2, 3 … tickets. meanOrderSize is the mean number of tickets of
// an order that remain after expiries and refunds.
var orderSizeWeights = []float64{.17, .52, .1, .14, .03, .04}

const meanOrderSize = 2.46 * .93

// planSales draws the time of each order for a show.
func (h *house) planSales(s *show) {
	c := h.rng(forPlan, s.key)
	for k := range int(s.demand/meanOrderSize + c.Float64()) {
		at := h.orderTime(s, c)
		h.at(at, func() { h.makeOrder(s, uint64(k)) })
	}
}

// orderTime draws the time of an order: many when the sale opens, fewer in the middle, more in the last weeks and
// hours, and few at night.
func (h *house) orderTime(s *show, c rng) time.Time {
	curtain := s.event.StartsAt
	for {
		var at time.Time
		byHour := true
		switch c.pick([]float64{s.rush, .09, .2, .2, .11, .05}) {
		case 0:
			at, byHour = s.onSale.Add(c.exponential(90*time.Minute)), false
		case 1:
			at = s.onSale.Add(c.exponential(3 * 24 * time.Hour))
		case 2:
			at = s.onSale.Add(c.between(0, curtain.Sub(s.onSale)))
		case 3:
			at = curtain.Add(-c.exponential(8 * 24 * time.Hour))
		case 4:
			at = curtain.Add(-c.exponential(10 * time.Hour))
		default:
			at, byHour = curtain.Add(saleAfterStart/2-c.exponential(40*time.Minute)), false
		}
		if at.Before(s.onSale) || at.After(curtain.Add(saleAfterStart)) {
			continue
		}
		if !byHour || c.chance(hourlyDemand[at.In(h.zone).Hour()]) {
			return at
		}
	}
}

// hourlyDemand is the demand in each hour of the day, relative to the busiest.
var hourlyDemand = [24]float64{
	.1, .05, .03, .02, .02, .04, .08, .2, .4, .65, .75, .8,
	.95, .85, .7, .7, .75, .8, .8, .9, 1, .95, .6, .25,
}

// makeOrder makes order k of a show from the places that are left.
func (h *house) makeOrder(s *show, k uint64) {
	if s.calledOff() {
		return
	}
	c := h.rng(forOrder, s.key, k)
	o := &order{show: s, key: mix(s.key ^ mix(k))}
	o.offer = pickOffer(s.offers, c)
	left := s.left() - h.heldBack(s)
	places := min(c.pick(orderSizeWeights)+1, left, o.offer.tier.left)
	if places <= 0 { // this tier is full: try the emptiest one
		if o.offer = emptiestOffer(s.offers); o.offer.tier.left <= 0 || left <= 0 {
			return
		}
		places = min(2, left, o.offer.tier.left)
	}
	w := sale{
		show: s, places: places, kind: o.offer.ref, price: o.offer.price, currency: currency,
		complimentary: o.offer.complimentary, contact: h.contact(c),
	}
	h.setChannel(&w, c, s.event.StartsAt.Sub(h.now))
	if k >= campaignOrders {
		w.byCampaign()
	}
	outcome := c.Float64()
	untilCurtain := s.event.StartsAt.Sub(h.now)
	abandoned := outcome < .04 && w.channel == "web" && w.price > 0
	held := outcome >= .04 && outcome < .11 && untilCurtain > 2*time.Hour && w.price > 0
	w.invoiced = w.channel == "agency" && !held && w.price > 0 && h.rng(forInvoice, o.key).chance(.6)
	w.paid = !abandoned && !held && !w.invoiced

	if w.channel == "web" && w.price > 0 {
		w.extras = extrasOf(places, h.rng(forExtras, o.key))
	}
	o.offer.tier.left -= places
	o.tickets, o.payment = h.sell(w)
	h.orders[o.tickets[0].OrderID] = o
	switch {
	case abandoned:
		end := []record.PaymentStatus{record.PaymentExpired, record.PaymentCanceled, record.PaymentFailed}[c.IntN(3)]
		o.hold(h.now.Add(15 * time.Minute))
		h.at(h.now.Add(15*time.Minute), func() { h.expire(o.payment, o.tickets, end) })
	case held:
		h.reserve(o, untilCurtain, c)
	case w.invoiced:
		o.hold(s.event.StartsAt)
		h.confirm(o)
		h.invoice(o)
	default:
		h.confirm(o)
	}
}

// invoice plans the payment of an order some weeks after its tickets were issued. If the show has been called off
// by then, the payment is cancelled.
func (h *house) invoice(o *order) {
	c := h.rng(forInvoice, o.key+1)
	due := c.between(6*24*time.Hour, 21*24*time.Hour)
	if c.chance(.1) {
		due += 30 * 24 * time.Hour
	}
	h.at(h.now.Add(due), func() {
		if o.show.calledOff() {
			o.payment.Status = record.PaymentCanceled
			h.payments.touch(o.payment, h.now)
			return
		}
		h.pay(o.payment, o.tickets)
	})
}

// reserve plans the payment or expiry of unpaid tickets. With at most 72 hours to go, they are kept until shortly
// before the start.
func (h *house) reserve(o *order, untilCurtain time.Duration, c rng) {
	due := untilCurtain - 15*time.Minute
	paid := due - c.between(0, 75*time.Minute)
	if untilCurtain > 72*time.Hour {
		due = c.between(24*time.Hour, 60*time.Hour)
		paid = c.between(0, due)
	}
	o.hold(h.now.Add(due))
	if c.chance(.25) {
		h.at(h.now.Add(due), func() { h.expire(o.payment, o.tickets, record.PaymentExpired) })
		return
	}
	h.at(h.now.Add(paid), func() {
		h.pay(o.payment, o.tickets)
		h.confirm(o)
	})
}

// hold sets until when the places of an order that is not paid are held.
func (o *order) hold(until time.Time) {
	for _, t := range o.tickets {
		t.HeldUntil = until.Truncate(time.Millisecond)
	}
}

// confirm adds an order whose tickets have become valid to its show, and plans what follows.
func (h *house) confirm(o *order) {
	o.show.orders = append(o.show.orders, o)
	if o.show.open {
		h.planArrival(o)
	}
	h.planAftermath(o)
	h.planExchange(o)
}

// pickOffer draws an offer, weighted by popularity.
func pickOffer(offers []*offer, c rng) *offer {
	weights := make([]float64, len(offers))
	for i, o := range offers {
		weights[i] = o.popularity
	}
	return offers[c.pick(weights)]
}

// emptiestOffer returns the offer with the most places left, ignoring complimentary ones.
func emptiestOffer(offers []*offer) *offer {
	best := offers[0]
	for _, o := range offers {
		if !o.complimentary && o.tier.left > best.tier.left {
			best = o
		}
	}
	return best
}

// setChannel fills in the channel, payment method, referral, discount and fee of an order.
func (h *house) setChannel(w *sale, c rng, untilCurtain time.Duration) {
	weights := []float64{.8, .09, .05, .06}
	if untilCurtain < 3*time.Hour {
		weights = []float64{.55, .42, .02, .01}
	}
	if w.complimentary {
		weights = []float64{0, 1, 0, 0}
	}
	switch c.pick(weights) {
	case 0:
		w.channel = "web"
		w.method = []string{"ideal", "creditcard", "bancontact", "paypal", "giftcard"}[c.pick([]float64{.72, .12, .06, .06, .04})]
		w.referral = []string{"newsletter", "google", "instagram", "uitladder", ""}[c.pick([]float64{.2, .18, .1, .08, .44})]
		if c.chance(.09) && w.price > 0 {
			var off int64
			switch {
			case untilCurtain < 24*time.Hour:
				w.discount, off = "LASTMINUTE25", 25
			case h.now.Sub(w.show.onSale) < 7*24*time.Hour:
				w.discount, off = "VROEGBOEK15", 15
			default:
				w.discount, off = "VRIENDEN10", 10
			}
			w.price -= w.price * off / 100
		}
	case 1:
		w.channel, w.method = "box_office", []string{"pin", "cash"}[c.pick([]float64{.82, .18})]
		if c.chance(.4) {
			w.contact = ""
		}
	case 2:
		w.channel, w.method = "phone", "creditcard"
	case 3:
		w.channel, w.method, w.referral = "agency", "banktransfer", "partner"
	}
	if w.price == 0 {
		w.method = "free"
	}
	if w.channel == "web" && w.price > 0 {
		w.fee = webFee
	}
}

// webFee is the fee for each place sold on the web, in cents.
const webFee = 150

// planAftermath draws whether a confirmed order is refunded, voided or charged back later.
func (h *house) planAftermath(o *order) {
	c := h.rng(forAftermath, o.key)
	untilDoors := o.show.event.DoorsAt.Sub(h.now)
	outcome := c.Float64()
	if o.payment == nil || o.payment.Amount.Amount == 0 {
		if outcome < .015 && untilDoors > time.Hour { // a guest who cannot come after all
			h.at(h.now.Add(c.between(0, untilDoors)), func() { h.voidLast(o) })
		}
		return
	}
	before := func(d time.Duration) time.Time { return h.now.Add(c.between(time.Minute, max(d, 2*time.Minute))) }
	switch {
	case outcome < .022 && untilDoors > time.Hour:
		h.at(before(untilDoors), func() { h.refundTickets(o, len(o.tickets), c) })
	case outcome < .032 && untilDoors > time.Hour && len(o.tickets) > 1:
		h.at(before(untilDoors), func() { h.refundTickets(o, 1, c) })
	case outcome < .037:
		h.at(before(untilDoors+72*time.Hour), func() { h.partialRefund(o, c) })
	case outcome < .041 && untilDoors > time.Hour:
		h.at(before(untilDoors), func() { h.voidLast(o) })
	case outcome > .997:
		h.at(h.now.Add(c.between(5*24*time.Hour, 40*24*time.Hour)), func() { h.dispute(o, c) })
	}
}

// refundTickets cancels up to n valid tickets and refunds their price and fee, often with a delay.
func (h *house) refundTickets(o *order, n int, c rng) {
	reasons := becauseReturned
	if n < len(o.tickets) {
		reasons = becauseFewer
	}
	if o.payment.Status != record.PaymentPaid {
		return
	}
	var sum int64
	for _, t := range o.tickets {
		if n > 0 && t.Status == record.TicketValid {
			h.cancel(t, record.TicketRefunded)
			sum += t.Price.Amount + t.Fee.Amount
			n--
		}
	}
	h.refundMoney(o, min(sum, h.refundable(o.payment)), reasonFor(reasons, o.key), c)
}

// partialRefund refunds 20 to 50 per cent of the refundable amount; the tickets stay valid.
func (h *house) partialRefund(o *order, c rng) {
	h.refundMoney(o, h.refundable(o.payment)*int64(20+c.IntN(31))/100, reasonFor(becauseGoodwill, o.key), c)
}

func (h *house) refundMoney(o *order, amount int64, reason string, c rng) {
	if amount <= 0 {
		return
	}
	back := h.newRefund(o.payment, amount, reason)
	if c.chance(.6) {
		h.settleRefund(o.payment, back)
		return
	}
	h.at(h.now.Add(c.between(2*time.Hour, 60*time.Hour)), func() { h.settleRefund(o.payment, back) })
}

// voidLast voids the last ticket of an order without a refund, unless it was scanned.
func (h *house) voidLast(o *order) {
	if t := o.tickets[len(o.tickets)-1]; t.Status == record.TicketValid && len(t.Scans) == 0 {
		h.cancel(t, record.TicketVoid)
	}
}

// dispute charges back a payment of which nothing was refunded. Some chargebacks are reversed later.
func (h *house) dispute(o *order, c rng) {
	if h.refundable(o.payment) != o.payment.Amount.Amount {
		return
	}
	h.chargeBack(o.payment)
	if c.chance(.35) {
		h.at(h.now.Add(c.between(7*24*time.Hour, 20*24*time.Hour)), func() { h.reverse(o.payment) })
	}
}
