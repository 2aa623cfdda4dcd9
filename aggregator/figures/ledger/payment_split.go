package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// weight is how much of a payment belongs to an event.
type weight struct {
	event *eventAccount
	of    uint64
}

// EventsOf returns the ids of the events that a record belongs to: several for a payment that is split, and an
// empty id for an unattributed part.
func (l *Ledger) EventsOf(r record.Record) (ids []string) {
	switch r := r.(type) {
	case *record.Event:
		ids = append(ids, r.ID)
	case *record.Ticket:
		ids = append(ids, r.EventID)
	case *record.TicketScan:
		if r.TicketID == "" {
			ids = append(ids, r.EventID)
		} else if t, known := l.ticket(r.TicketID); known {
			ids = append(ids, t.event.id)
		}
	case *record.Planning:
		ids = append(ids, r.EventID)
	case *record.Payment:
		if p := l.payments.Get(r.ID); p != nil {
			for _, w := range l.weightsOf(p, l.mainOf(p)) {
				ids = append(ids, w.event.id)
			}
		}
	}
	return ids
}

// ownEvent reports whether a payment itself names its event or tickets.
func (l *Ledger) ownEvent(p *payment) bool {
	return p.event != 0 || len(l.sharesOf(l.rare(p).tickets)) > 0
}

// mainOf returns the payment that p belongs to, which may be itself; nil if it has not arrived.
func (l *Ledger) mainOf(p *payment) *payment { return l.payments.Get(l.groupID(l.groupOf(p))) }

// weightsOf returns how a payment is split over events. The first that applies decides: its own event; its
// tickets; how the payment main is split, for a refund or chargeback of it (main is nil for none); its order's
// tickets, or those that it had. Otherwise it is unattributed. The result is never empty and is sorted by event id.
func (l *Ledger) weightsOf(p, main *payment) []weight {
	if p.event != 0 {
		return []weight{{l.numbered[p.event], 1}}
	}
	if w := weigh(l.sharesOf(l.rare(p).tickets), p.currency); w != nil {
		return w
	}
	if main != nil && main != p {
		return l.weightsOf(main, nil)
	}
	if o := l.orderAt(p.order); o != nil {
		if w := weigh(l.sharesOfOrder(o), p.currency); w != nil {
			return w
		}
	}
	return []weight{{l.noEvent, 1}}
}

// sharesOf returns the shares of those tickets that have arrived and count.
func (l *Ledger) sharesOf(tickets []string) []share {
	var shares []share
	for _, id := range tickets {
		if t, known := l.ticket(id); known && t.counts {
			shares = append(shares, t.share())
		}
	}
	return shares
}

// weigh sums shares by event. If any ticket was sold, only sold ones count. The weight is price × places
// if anything of that costs money in the currency, else the number of tickets. What was returned belongs to what it was
// bought with as before, so lines of returns take nothing off.
func weigh(shares []share, currency sums.Ref) []weight {
	anySold := slices.ContainsFunc(shares, func(s share) bool { return s.sold })
	of := func(value func(share) int64) (weights []weight) {
		byEvent := map[*eventAccount]int64{}
		for _, s := range shares {
			if s.sold == anySold {
				byEvent[s.event] += value(s)
			}
		}
		for event, sum := range byEvent {
			if sum > 0 {
				weights = append(weights, weight{event, uint64(sum)})
			}
		}
		slices.SortFunc(weights, byEventID)
		return weights
	}
	priced := of(func(s share) int64 {
		if s.currency != currency {
			return 0
		}
		return max(0, s.gross)
	})
	if priced != nil {
		return priced
	}
	return of(func(s share) int64 { return int64(s.tickets) })
}

func byEventID(a, b weight) int { return cmp.Compare(a.event.id, b.event.id) }

// split divides an amount by weights.
func split(amount int64, weights []weight) []int64 {
	return sums.Split(amount, weights, func(w weight) uint64 { return w.of })
}
