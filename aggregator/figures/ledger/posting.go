package ledger

import (
	"housecount/aggregator/figures"
)

// postTicket puts a ticket's money and days in (n = 1) or takes them out (n = −1).
func (a *accountByDay) postTicket(c dayCache, names *names, t *ticket, n int) {
	if t.holding() != notSold {
		a.fees.count(t.terms.feeGiven || t.terms.extra != 0, t.terms.costs(), n)
	}
	a.countVAT(t, n)
	switch t.state {
	case ticketUnmapped:
		a.unmappedTickets += n
	case ticketSold:
		for _, sum := range t.money(n) {
			a.amounts.add(sum)
		}
		if !t.terms.priced && !t.terms.complimentary && t.terms.extra == 0 {
			a.unpriced += n
		}
		a.move(c, names, t.sold, t.movement(n))
		if t.sold == 0 {
			a.undatedTickets += n
		}
	case ticketCancelled:
		a.move(c, names, t.sold, t.movement(n))
		a.move(c, names, t.cancelled, t.cancellation(n))
		switch {
		case t.sold == 0 || t.cancelled == 0:
			a.undatedTickets += n
		case t.firstSeenVoid:
			a.guessedVoids += n
		}
	}
}

// postMoney puts a payment's posting in (n = 1) or takes it out (n = −1).
func (a *accountByDay) postMoney(c dayCache, names *names, p posting, n int) {
	if p.unmapped {
		a.unmappedPayments += n
		return
	}
	a.amounts.add(p.amount.times(n))
	m := movement{money: money{p.amount.times(n)}}
	if p.measure == figures.RefundsPending {
		a.move(c, names, p.at, m)
		if p.at == 0 {
			a.undatedPending += n
		}
		return
	}
	if p.guessed {
		m.Returns = n
	}
	a.move(c, names, p.at, m)
	switch {
	case p.guessed:
		a.guessedReturns += n
	case p.at == 0:
		a.undatedPayments += n
	}
}

// move puts a movement on the day that it happened; what is not dated is on no day.
func (a *accountByDay) move(c dayCache, names *names, at figures.Stamp, m movement) {
	if at != 0 {
		a.days.move(m, c.dayOf(at), at, names)
	}
}

// count puts a ticket's places in (n = 1) or takes them out (n = −1).
func (e *eventAccount) count(t *ticket, n int) {
	places := n * t.admitting()
	switch t.state {
	case ticketReserved:
		e.reserved += places
		e.parts[figures.ByTicketType].row(t.terms.part(figures.ByTicketType)).reserved += places
	case ticketSold:
		e.countSold(t, n)
	case ticketCancelled:
		e.minutes.add(t.sold, places)
		e.minutes.add(t.cancelled, -places)
	}
}

func (e *eventAccount) countSold(t *ticket, n int) {
	places := n * t.admitting()
	e.minutes.add(t.sold, places)
	if t.terms.extra != 0 {
		e.sellExtra(t, n)
		return
	}
	m := t.movement(n)
	for d := range e.parts {
		e.parts[d].row(t.terms.part(figures.Dimension(d))).sell(t, m)
	}
	e.sellVAT(m.vat)
	e.sold.add(t.terms, places)
	e.cost(t.terms, places, 0)
	if t.order == nil && t.terms.costs() {
		e.withoutOrder += places
	}
}

// countUnpaid has places of those that cost something be unpaid; a negative number takes them out
// again.
func (e *eventAccount) countUnpaid(t *terms, places int) {
	for d := range e.parts {
		e.parts[d].row(t.part(figures.Dimension(d))).unpaid += places
	}
	e.sold.unpaid += places
	e.cost(t, 0, places)
}

// admit counts scans. A ticket is a visitor from its first entry, whatever its status then and later,
// because somebody was in the house. known is true if anything is known of its scans; moved are those of its people who came in
// later on another ticket.
func (e *eventAccount) admit(t *ticket, scans []scan, known bool, moved []movedOn, n int) {
	e.tickets += n
	if known {
		e.scansReported += n
	}
	if t.strayScan {
		e.strayScans += n
	}
	places := n * t.admitting()
	entered, inside, left := false, false, figures.Stamp(0)
	for _, s := range scans {
		inside = !s.exit
		if s.exit {
			e.exits += n
			left = s.at
			continue
		}
		if !entered && t.state == ticketSold {
			e.arrived += places
			e.arrivals.add(s.at, places)
		}
		entered = true
		g := entry(e.gates, s.gate)
		g.entries += places
		g.minutes.add(s.at, places)
	}
	if entered {
		e.attendance += places
	}
	switch {
	case inside:
		e.present += places
		for _, m := range moved {
			e.present -= n * m.places
			e.departures.add(m.at, n*m.places)
		}
	case entered:
		e.departures.add(left, places)
	}
}
