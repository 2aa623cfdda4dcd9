package ledger

import (
	"cmp"
	"math/bits"
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
		} else if t := l.tickets.Get(r.TicketID); t != nil {
			ids = append(ids, t.event.id)
		}
	case *record.Planning:
		ids = append(ids, r.EventID)
	case *record.Payment:
		if p := l.payments.Get(r.ID); p != nil {
			for _, w := range l.weightsOf(p, l.payments.Get(p.group.id)) {
				ids = append(ids, w.event.id)
			}
		}
	}
	return ids
}

// ownEvent reports whether a payment itself names its event or tickets.
func (l *Ledger) ownEvent(p *payment) bool {
	return p.event != nil || len(l.sharesOf(p.tickets)) > 0
}

// weightsOf returns how a payment is split over events. The first that applies decides: its own event; its
// tickets; how the payment main is split, for a refund or chargeback of it (main is nil for none); its order's
// tickets, or those that it had. Otherwise it is unattributed. The result is never empty and is sorted by event id.
func (l *Ledger) weightsOf(p, main *payment) []weight {
	if p.event != nil {
		return []weight{{p.event, 1}}
	}
	if w := weigh(l.sharesOf(p.tickets), p.currency); w != nil {
		return w
	}
	if main != nil && main != p {
		return l.weightsOf(main, nil)
	}
	if p.order != nil {
		if w := weigh(l.sharesOfOrder(p.order), p.currency); w != nil {
			return w
		}
	}
	return []weight{{l.noEvent, 1}}
}

// sharesOf returns the shares of those tickets that have arrived and count.
func (l *Ledger) sharesOf(tickets []string) []share {
	var shares []share
	for _, id := range tickets {
		if t := l.tickets.Get(id); t != nil && t.counts {
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

// split divides an amount by weights with the largest-remainder method: each part gets its whole minor units, and
// the remaining units go one each to the largest remainders, the first of equal ones. The parts sum to the amount;
// the parts of −x are those of x, negated.
func split(amount int64, weights []weight) []int64 {
	parts := make([]int64, len(weights))
	if len(weights) == 1 {
		parts[0] = amount
		return parts
	}
	whole, sign := uint64(amount), int64(1)
	if amount < 0 {
		whole, sign = uint64(-amount), -1
	}
	var total uint64
	for _, w := range weights {
		total += w.of
	}
	left := whole
	remainders := make([]uint64, len(weights))
	byRemainder := make([]int, len(weights))
	for i, w := range weights {
		high, low := bits.Mul64(whole, w.of)
		part, remainder := bits.Div64(high, low, total)
		parts[i], remainders[i], byRemainder[i] = int64(part)*sign, remainder, i
		left -= part
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range byRemainder[:left] {
		parts[i] += sign
	}
	return parts
}
