package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// vatWithin returns the VAT in a price at a rate, in minor units, half a unit rounded up.
func vatWithin(price, rate int64) int64 {
	whole := figures.WholeRate + rate
	return (price*rate + whole/2) / whole
}

// rated returns the terms with computed VAT, if the ticket does not report it and the venue has set a rate for the
// ticket's type on the day of the performance.
func (l *Ledger) rated(t *terms, e *eventAccount) *terms {
	t = t.reported()
	if t.vatGiven || !t.priced || !t.costs() || t.absurd() {
		return t
	}
	rate, ok := l.Settings.VATRate(t.part(figures.ByTicketType).OfType(&l.names, e.types), e.day)
	if !ok {
		return t
	}
	anew := *t
	anew.unrated, anew.vat, anew.vatIn, anew.vatRate = t, vatWithin(t.price, rate), t.priceIn, int16(rate)
	return l.shared(anew)
}

// rerating marks the events with tickets whose rate of VAT may have changed since they were posted.
type rerating struct{ some, all bool }

// rateAll marks all tickets to be rated again, and rateEvent those of one event.
func (l *Ledger) rateAll() { l.rerating = rerating{true, true} }

func (l *Ledger) rateEvent(e *eventAccount) { e.rerated, l.rerating.some = true, true }

// postRates posts tickets again whose rate of VAT has changed. It reads all tickets, because rates are seldom set
// and events with tickets seldom move to a day with another rate. It is not delayed until publication, so that
// every process has the same figures at the same revision.
func (l *Ledger) postRates() {
	if !l.rerating.some {
		return
	}
	all := l.rerating.all
	l.rerating = rerating{}
	type of struct {
		*terms
		*eventAccount
	}
	rated := map[of]*terms{}
	for row := range l.tickets.All() {
		if !all && !l.numbered[row.event].rerated {
			continue
		}
		of := of{l.sharedTerms[row.terms], l.numbered[row.event]}
		anew, known := rated[of]
		if !known {
			anew = l.rated(of.terms, of.eventAccount)
			rated[of] = anew
		}
		if anew != of.terms {
			t := l.ticketIn(row)
			l.postVAT(&t, -1)
			t.terms, row.terms = anew, anew.number
			l.postVAT(&t, 1)
		}
	}
	for _, e := range l.accounts {
		e.rerated = false
	}
}

// postVAT adds a ticket's VAT (n = 1) or removes it (n = −1). It is the part of postPlaces that depends on the
// rate.
func (l *Ledger) postVAT(t *ticket, n int) {
	if !t.counts {
		return
	}
	e := t.event
	l.touch(e)
	e.postVAT(l.days, &l.names, t, n)
	if e.unattributed() {
		l.unattributed.postVAT(l.days, &l.names, t, n)
	}
	if e.inTotal {
		l.total.postVAT(l.days, &l.names, t, n)
	}
	if t.state == ticketSold {
		m := t.vatMovement(n)
		for d := range e.parts {
			e.parts[d].Row(t.terms.part(figures.Dimension(d))).Amounts.Add(m.VAT.VAT)
		}
		e.sellVAT(m.VAT)
	}
}

func (a *accountByDay) postVAT(c sums.DayCache, names *sums.Names, t *ticket, n int) {
	a.countVAT(t, n)
	switch t.state {
	case ticketSold:
		a.Amounts.Add(t.vatMovement(n).VAT.VAT)
		a.move(c, names, t.sold, t.vatMovement(n))
	case ticketCancelled:
		a.move(c, names, t.sold, t.vatMovement(n))
		a.move(c, names, t.cancelled, vatPart(t.cancellation(n)))
	}
}

// countVAT counts a sold ticket by whether its VAT is known, and from what.
func (a *account) countVAT(t *ticket, n int) {
	if t.holding() == notSold {
		return
	}
	rated := t.terms.vatRated()
	a.vat.count(t.terms.vatGiven || rated, t.terms.costs(), n)
	if rated {
		a.vatRated += n
	}
}

// vatMovement returns the part of movement that depends on the rate of VAT.
func (t *ticket) vatMovement(n int) sums.Movement { return vatPart(t.movement(n)) }

func vatPart(m sums.Movement) sums.Movement {
	return sums.Movement{Money: sums.Money{m.VAT.VAT}, VAT: m.VAT, Lacks: figures.Lacks{VATless: m.VATless, VATRated: m.VATRated}}
}

// vatSource returns where the VAT of a place comes from.
func (t *terms) vatSource() figures.VATSource {
	switch {
	case t.vatGiven && t.vatIn == t.priceIn:
		return figures.VATSource{Basis: figures.VATGiven, Rate: figures.GivenRate(t.price, t.vat)}
	case t.vatGiven:
		return figures.VATSource{Basis: figures.VATGiven}
	case t.vatRated():
		return figures.VATSource{Basis: figures.VATByRate, Rate: int64(t.vatRate)}
	case t.costs():
		return figures.VATSource{Basis: figures.VATMissing}
	}
	return figures.VATSource{}
}

// sellVAT adds what a ticket moves to its source of VAT.
func (e *eventAccount) sellVAT(m sums.VATMoved) {
	if m.Basis == figures.NoVAT {
		return
	}
	i := slices.IndexFunc(e.vats, func(row sums.VATOf) bool { return row.VATSource == m.VATSource })
	if i < 0 {
		i = len(e.vats)
		e.vats = append(e.vats, sums.VATOf{VATSource: m.VATSource})
	}
	e.vats[i].Move(m)
}

// vatFigures returns the account's sales by source of their VAT: reported VAT first, then by rate.
func (e *eventAccount) vatFigures(n *sums.Names) (all []figures.VATFigures) {
	for _, of := range e.vats {
		if f := of.Figures(n); len(f.Of(figures.Booked)) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b figures.VATFigures) int { return a.Compare(b.VATSource) })
	return all
}
