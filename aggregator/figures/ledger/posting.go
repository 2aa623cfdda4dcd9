package ledger

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// postTicket adds a ticket's money and days (n = 1) or removes them (n = −1).
func (a *accountByDay) postTicket(c sums.DayCache, names *sums.Names, t *ticket, n int) {
	if t.holding() != notSold {
		a.fees.count(t.terms.feeGiven || t.terms.extra != 0, t.terms.costs(), n)
		if !t.staysSold {
			a.move(c, names, t.sold, t.movement(n))
		}
		if t.sold == 0 || t.state == ticketCancelled && t.cancelled == 0 {
			a.undatedTickets += n
		}
	}
	a.countVAT(t, n)
	switch t.state {
	case ticketUnmapped:
		a.unmappedTickets += n
	case ticketSold:
		for _, sum := range t.money(n) {
			a.Amounts.Add(sum)
		}
		a.unpriced += t.terms.unpriced(n)
	case ticketCancelled:
		a.move(c, names, t.cancelled, t.cancellation(n))
	}
}

// postMoney adds a payment's posting (n = 1) or removes it (n = −1).
func (a *accountByDay) postMoney(c sums.DayCache, names *sums.Names, p posting, n int) {
	if p.unmapped {
		a.unmappedPayments += n
		return
	}
	a.Amounts.Add(p.Amount.Times(n))
	m := sums.Movement{Money: sums.Money{p.Amount.Times(n)}}
	if p.Measure == figures.Refunded {
		m.Refund = sums.RefundMoved{Reason: p.listed, Number: n, Rest: p.rest}
	}
	if p.Measure == figures.RefundsPending {
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
	if p.at == 0 && !p.guessed {
		a.undatedPayments += n
	}
}

// move adds a movement to its day; one without a time is on no day.
func (a *accountByDay) move(c sums.DayCache, names *sums.Names, at figures.Stamp, m sums.Movement) {
	if at != 0 {
		a.days.Move(m, c.DayOf(at), at, names)
	}
}

// count adds a ticket's places (n = 1) or removes them (n = −1).
func (e *eventAccount) count(t *ticket, n int) {
	places := n * t.admitting()
	if t.holding() != notSold && !t.staysSold {
		e.minutes.Add(t.sold, places)
	}
	switch t.state {
	case ticketReserved:
		e.reserved += places
		e.parts[figures.ByTicketType].Row(t.terms.part(figures.ByTicketType)).Reserved += places
	case ticketSold:
		e.countSold(t, n)
	case ticketCancelled:
		e.minutes.Add(t.cancelled, -places)
	}
}

func (e *eventAccount) countSold(t *ticket, n int) {
	places := n * t.admitting()
	if t.terms.extra != 0 {
		e.extras.Sell(sums.ExtraName{Kind: t.terms.extra, PartName: t.terms.part(figures.ByTicketType)}, n*int(t.places), t.money(n))
		return
	}
	m := t.movement(n)
	for d := range e.parts {
		t.terms.sellIn(e.parts[d].Row(t.terms.part(figures.Dimension(d))), m)
	}
	e.sellVAT(m.VAT)
	e.sold.add(t.terms, places)
	e.cost(t.terms, places, 0)
	if t.order == nil && t.terms.costs() {
		e.withoutOrder += places
	}
}

// countUnpaid adds unpaid places; a negative number removes them.
func (e *eventAccount) countUnpaid(t *terms, places int) {
	for d := range e.parts {
		e.parts[d].Row(t.part(figures.Dimension(d))).Unpaid += places
	}
	e.sold.unpaid += places
	e.cost(t, 0, places)
}

// pass counts a scan that names no ticket (n = 1) or takes it out (n = −1): one person who came in, or who went
// out.
func (e *eventAccount) pass(p *listedScan, n int) {
	e.scansReported += n
	switch {
	case !p.through:
	case p.exit:
		e.exits += n
		e.passing -= n
		entry(e.gates, p.gate).left += n
		e.departures.Add(p.at, n)
	default:
		e.attendance += n
		e.arrived += n
		e.passing += n
		e.arrivals.Add(p.at, n)
		g := entry(e.gates, p.gate)
		g.entries += n
		g.admitted += n
		g.minutes.Add(p.at, n)
	}
}

// admit adds a ticket's scans (n = 1) or removes them (n = −1). A ticket is a visitor from its first entry,
// whatever its status is then or later, because somebody was in the house. known is true if the ticket's scans
// were reported at all. moved are the people on it who came in later on a ticket that replaces it.
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
		if entered && !inside && !s.exit {
			e.outs.Add(left, places)
			e.outs.Add(s.at, -places)
		}
		inside = !s.exit
		if s.exit {
			e.exits += n
			left = s.at
			continue
		}
		if !entered && t.state == ticketSold {
			e.arrived += places
			e.arrivals.Add(s.at, places)
		}
		g := entry(e.gates, s.gate)
		g.entries += places
		if !entered {
			g.admitted += places
		}
		entered = true
		g.minutes.Add(s.at, places)
	}
	if entered {
		e.attendance += places
	}
	switch {
	case inside:
		e.present += places
		for _, m := range moved {
			e.present -= n * m.places
			e.departures.Add(m.at, n*m.places)
		}
	case entered:
		e.departures.Add(left, places)
		entry(e.gates, scans[len(scans)-1].gate).left += places
	}
}
