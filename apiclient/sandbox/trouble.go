package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// trouble is a special course of a performance, for demonstration.
type trouble int

const (
	noTrouble  trouble = iota
	nearlyFull         // a few places are held back until the day itself
	oversold           // an agency sells more places than are left
	cancelled          // tickets are voided and refunded order by order
	postponed          // tickets stay valid for a new date, not yet known
)

// troubleAt identifies a performance by its hall and the number of days after the start.
type troubleAt struct {
	hall string
	day  int
}

// troubles are the performances with trouble. They take place whatever their weekday.
var troubles = map[troubleAt]trouble{
	{"Grote Zaal", 1}:  nearlyFull,
	{"Kleine Zaal", 2}: postponed,
	{"Kleine Zaal", 3}: cancelled,
	{"Grote Zaal", 5}:  oversold,
}

// troubledDemand is their demand as a share of the capacity; others have the usual demand.
var troubledDemand = map[trouble]float64{nearlyFull: 1.5, postponed: .6, cancelled: .55, oversold: 2.6}

const (
	// restrictedPlaces is the number of places with a restricted view. They are sold only on the day itself, from
	// hour restrictedSaleHour.
	restrictedPlaces, restrictedSaleHour = 7, 9
	// agencyPlaces is the number of places more than the hall has that the agency sells. It does so only if no more places than that
	// are left.
	agencyPlaces = 6
	// refundDays is the number of days after a cancellation within which all orders are refunded.
	refundDays = 6
)

// heldBack returns the number of places of s that are not on sale yet.
func (h *house) heldBack(s *show) int {
	y, m, d := s.event.StartsAt.In(h.zone).Date()
	if s.trouble == nearlyFull && h.now.Before(time.Date(y, m, d, restrictedSaleHour, 0, 0, 0, h.zone)) {
		return restrictedPlaces
	}
	return 0
}

// oversell sells what is left, what is blocked, and agencyPlaces more, if the show is almost sold out.
func (h *house) oversell(s *show) {
	if s.left() > agencyPlaces {
		return
	}
	places := max(s.left(), 0) + *s.event.Blocked + agencyPlaces
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

// planTrouble plans when the trouble of a performance begins.
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

// cancelShow cancels s. Its tickets are voided at once, and its orders are refunded over the next days.
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
			h.at(h.now.Add(c.between(time.Hour, refundDays*24*time.Hour)), func() { h.refundMoney(o, h.refundable(o.payment), becauseCancelled, c) })
		}
	}
}
