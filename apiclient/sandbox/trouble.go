package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// trouble is what befalls a performance that does not simply sell and play.
type trouble int

const (
	noTrouble  trouble = iota
	nearlyFull         // a few places are left until the day itself
	oversold           // an agency sells places that were gone
	cancelled          // tickets are void, and the money goes back order by order
	postponed          // tickets stay good for a day that is not known yet
)

// troubleAt is the performance of a hall so many days after the start.
type troubleAt struct {
	hall string
	day  int
}

// troubles are in the days after the start. Each of them is on the programme whatever its
// weekday.
var troubles = map[troubleAt]trouble{
	{"Grote Zaal", 1}:  nearlyFull,
	{"Kleine Zaal", 2}: postponed,
	{"Kleine Zaal", 3}: cancelled,
	{"Grote Zaal", 5}:  oversold,
}

// troubledDemand is how much of such a performance is wanted; as usual where none is given.
var troubledDemand = map[trouble]float64{nearlyFull: 1.5, postponed: .6, cancelled: .55, oversold: 2.6}

const (
	// poorPlaces are behind a pillar: they are sold on the day itself, from poorFrom.
	restrictedPlaces, restrictedSaleHour = 7, 9
	// agencyPlaces is how many an agency sells beyond the last, when no more than so many are left.
	agencyPlaces = 6
	// payBackDays is within how many days of a cancellation all have their money back.
	refundDays = 6
)

// heldBack is how many places of s nobody can buy yet.
func (h *house) heldBack(s *show) int {
	y, m, d := s.event.StartsAt.In(h.zone).Date()
	if s.trouble == nearlyFull && h.now.Before(time.Date(y, m, d, restrictedSaleHour, 0, 0, 0, h.zone)) {
		return restrictedPlaces
	}
	return 0
}

// oversell lets the agency sell what it took for its own of a performance that is as good as
// sold out.
func (h *house) oversell(s *show) {
	if s.left() > agencyPlaces {
		return
	}
	places := max(s.left(), 0) + agencyPlaces
	best := s.offers[0]
	o := &order{show: s, key: mix(s.key ^ mix(1<<40)), offer: best}
	best.tier.left -= places
	o.tickets, o.payment = h.sell(sale{
		show: s, places: places, kind: best.ref, price: best.price, currency: currency, paid: true,
		method: "banktransfer", channel: "agency", referral: "partner", contact: h.contact(h.rng(forOrder, o.key)),
	})
	h.orders[o.tickets[0].OrderID] = o
	h.confirm(o)
}

// planTrouble plans when the trouble of a performance begins: in the days before the start.
func (h *house) planTrouble(s *show) {
	switch s.trouble {
	case oversold:
		h.at(h.day(0, 10, 5), func() { h.oversell(s) })
	case cancelled:
		h.at(h.day(-2, 11, 20), func() { h.cancelShow(s) })
	case postponed:
		h.at(h.day(-1, 15, 5), func() { h.setStatus(s, record.EventPostponed) })
	}
}

// cancelShow calls s off. Its tickets are void at once; the box office gives the money back
// order by order.
func (h *house) cancelShow(s *show) {
	h.setStatus(s, record.EventCancelled)
	c := h.rng(forAftermath, s.key)
	for _, o := range s.orders {
		for _, t := range o.tickets {
			if t.Status == record.TicketValid {
				h.cancel(t, record.TicketVoid)
			}
		}
		if o.payment != nil {
			h.at(h.now.Add(c.between(time.Hour, refundDays*24*time.Hour)), func() { h.refundMoney(o, h.refundable(o.payment), c) })
		}
	}
}
