package ledger

import (
	"slices"

	"housecount/aggregator/figures"
)

// vatWithin returns what a price contains at a rate, in minor units, half a unit rounded up.
func vatWithin(price, rate int64) int64 {
	whole := figures.WholeRate + rate
	return (price*rate + whole/2) / whole
}

// rated returns the terms with the VAT that a place contains, where the ticket does not give it and the venue
// has set a rate for the ticket's type on the day of the performance.
func (l *Ledger) rated(t *terms, e *eventAccount) *terms {
	t = t.reported()
	if t.vatGiven || !t.priced || !t.costs() || t.absurd() {
		return t
	}
	rate, ok := l.Settings.VATRate(t.part(figures.ByTicketType).ofType(&l.names, e.types), e.day)
	if !ok {
		return t
	}
	anew := *t
	anew.unrated, anew.vat, anew.vatIn, anew.vatRate = t, vatWithin(t.price, rate), t.priceIn, int16(rate)
	return l.shared(anew)
}

// rerating is which events have tickets whose rate of VAT may have changed since they were posted.
type rerating struct{ some, all bool }

// rateAll has every ticket rated again, rateEvent those of one event.
func (l *Ledger) rateAll() { l.rerating = rerating{true, true} }

func (l *Ledger) rateEvent(e *eventAccount) { e.rerated, l.rerating.some = true, true }

// postRates posts tickets again whose rate of VAT has changed. It reads all tickets, because a rate is
// seldom set and an event with tickets seldom moves to a day with another rate. It does so at once, because
// every process has to have the same figures at the same revision.
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
	for _, t := range l.tickets {
		if !all && !t.event.rerated {
			continue
		}
		of := of{t.terms, t.event}
		anew, known := rated[of]
		if !known {
			anew = l.rated(t.terms, t.event)
			rated[of] = anew
		}
		if anew != t.terms {
			l.postVAT(t, -1)
			t.terms = anew
			l.postVAT(t, 1)
		}
	}
	for _, e := range l.accounts {
		e.rerated = false
	}
}

// postVAT adds (n = 1) or removes (n = −1) a ticket's VAT: the part of what postPlaces posts that depends
// on the rate.
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
			e.parts[d].row(t.terms.part(figures.Dimension(d))).amounts.add(m.vat.vat)
		}
		e.sellVAT(m.vat)
	}
}

func (a *accountByDay) postVAT(c dayCache, names *names, t *ticket, n int) {
	a.countVAT(t, n)
	switch t.state {
	case ticketSold:
		m := t.vatMovement(n)
		a.amounts.add(m.vat.vat)
		a.move(c, names, t.sold, m)
	case ticketCancelled:
		a.move(c, names, t.sold, t.vatMovement(n))
		a.move(c, names, t.cancelled, vatPart(t.cancellation(n)))
	}
}

// countVAT counts a ticket that was sold by whether its VAT is known, and from what.
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
func (t *ticket) vatMovement(n int) movement { return vatPart(t.movement(n)) }

func vatPart(m movement) movement {
	return movement{money: money{m.vat.vat}, vat: m.vat, Lacks: figures.Lacks{VATless: m.VATless, VATRated: m.VATRated}}
}

// vatMoved is what moves of one source.
type vatMoved struct {
	figures.VATSource
	booked, vat amount
}

// vatSource returns where the VAT of a place comes from.
func (t *terms) vatSource() figures.VATSource {
	switch {
	case t.vatGiven:
		return figures.VATSource{Basis: figures.VATGiven}
	case t.vatRated():
		return figures.VATSource{Basis: figures.VATByRate, Rate: int64(t.vatRate)}
	case t.costs():
		return figures.VATSource{Basis: figures.VATMissing}
	}
	return figures.VATSource{}
}

// vatOf are the amounts of one source.
type vatOf struct {
	figures.VATSource
	amounts
}

func (of *vatOf) move(m vatMoved) {
	of.add(m.booked)
	of.add(m.vat)
}

func (of *vatOf) figures(n *names) figures.VATFigures {
	return figures.VATFigures{VATSource: of.VATSource, Amounts: of.publish(n)}
}

// sellVAT adds what moves of a ticket that may contain VAT.
func (e *eventAccount) sellVAT(m vatMoved) {
	if m.Basis == figures.NoVAT {
		return
	}
	i := slices.IndexFunc(e.vats, func(row vatOf) bool { return row.VATSource == m.VATSource })
	if i < 0 {
		i = len(e.vats)
		e.vats = append(e.vats, vatOf{VATSource: m.VATSource})
	}
	e.vats[i].move(m)
}

// vatFigures returns the account's sales by their VAT: what is given first, then by rate.
func (e *eventAccount) vatFigures(n *names) (all []figures.VATFigures) {
	for _, of := range e.vats {
		if f := of.figures(n); len(f.Of(figures.Booked)) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b figures.VATFigures) int { return a.Compare(b.VATSource) })
	return all
}

// dayVAT is what moved on one day of one source.
type dayVAT struct {
	vatOf
	minutes timedSums
}

// vat returns the movements of a source, to be changed. Unknown VAT is not stored: it is the rest of the
// day.
func (r *dayRow) vat(s figures.VATSource) *dayVAT {
	i := slices.IndexFunc(r.vats, func(of dayVAT) bool { return of.VATSource == s })
	if i < 0 {
		i = len(r.vats)
		r.vats = append(r.vats, dayVAT{vatOf: vatOf{VATSource: s}})
	}
	return &r.vats[i]
}

func (r *dayRow) moveVAT(m vatMoved, at figures.Stamp, names *names) {
	if m.Basis == figures.NoVAT || m.Basis == figures.VATMissing {
		return
	}
	of := r.vat(m.VATSource)
	of.move(m)
	of.minutes.move(movement{money: money{m.booked, m.vat}}, at, names)
}

// vatFigures returns the day's sales by their VAT, those of which nothing is left left out.
func (r *dayRow) vatFigures(n *names) (all []figures.DayVATFigures) {
	for i := range r.vats {
		of := &r.vats[i]
		if rows := of.minutes.publish(); rows != nil {
			all = append(all, figures.DayVATFigures{VATFigures: of.figures(n), Minutes: rows})
		}
	}
	slices.SortFunc(all, func(a, b figures.DayVATFigures) int { return a.Compare(b.VATSource) })
	return all
}
