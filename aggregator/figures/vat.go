package figures

import (
	"cmp"
	"slices"
)

// vatWithin is what a price contains at a rate, in minor units, half a unit rounded up.
func vatWithin(price, rate int64) int64 {
	whole := WholeRate + rate
	return (price*rate + whole/2) / whole
}

// rated are the terms with the VAT that a place contains, where the ticket does not give it and the venue
// has set a rate for the ticket's type on the day of the performance.
func (l *Ledger) rated(t *terms, e *eventAccount) *terms {
	t = t.reported()
	if t.vatGiven || !t.priced || !t.costs() || t.absurd() {
		return t
	}
	rate, ok := l.set.VATRate(t.part(ByTicketType).ofType(&l.names, e.types), e.day)
	if !ok {
		return t
	}
	anew := *t
	anew.unrated, anew.vat, anew.vatIn, anew.vatRate = t, vatWithin(t.price, rate), t.priceIn, int16(rate)
	return l.shared(anew)
}

// rerating says which events have tickets whose rate of VAT may be another than that which they were
// posted with.
type rerating struct{ some, all bool }

// rateAll has every ticket rated anew, and rateEvent those of an event.
func (l *Ledger) rateAll() { l.rerating = rerating{true, true} }

func (l *Ledger) rateEvent(e *eventAccount) { e.rerated, l.rerating.some = true, true }

// postRates posts what tickets contain whose rate of VAT is another: that alone, since nothing else of
// them changes. It looks at all of them, since a rate is seldom set, and an event that has tickets seldom
// moves to a day with another; and it does so at once, since figures are those of a revision, whichever
// process folds it.
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

// postVAT puts the VAT that a ticket contains in (n = 1) or takes it out (n = −1), and leaves the rest of
// it where it is.
func (l *Ledger) postVAT(t *ticket, n int) {
	if !t.counts {
		return
	}
	alone := *t
	alone.vatAlone = true
	t.event.count(&alone, n)
	l.postTicket(&alone, n)
}

// VATBasis is where an amount of VAT comes from.
type VATBasis uint8

// The bases.
const (
	VATGiven   VATBasis = iota // as the service reports it
	VATByRate                  // from a rate that the venue has set
	VATMissing                 // nobody says
)

// VATFigures are what was booked of an event on one basis, at one rate.
type VATFigures struct {
	Basis VATBasis
	// Rate is in hundredths of a per cent, of VATByRate alone.
	Rate int64
	Amounts
}

// Net is what was booked less the VAT in it.
func (f *VATFigures) Net() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }

// vatOf are the amounts of an account on one basis, at one rate.
type vatOf struct {
	basis VATBasis
	rate  int16
	amounts
}

// sellVAT puts what is booked of a ticket that may contain VAT in (n = 1) or takes it out (n = −1).
func (e *eventAccount) sellVAT(ticket *ticket, n int) {
	t := ticket.terms
	of := vatOf{basis: VATMissing}
	switch {
	case t.vatGiven:
		of.basis = VATGiven
	case t.vatRated():
		of.basis, of.rate = VATByRate, t.vatRate
	case !t.costs():
		return
	}
	i := slices.IndexFunc(e.vats, func(row vatOf) bool { return row.basis == of.basis && row.rate == of.rate })
	if i < 0 {
		i = len(e.vats)
		e.vats = append(e.vats, of)
	}
	for _, a := range t.money(int64(n) * int64(ticket.places)) {
		e.vats[i].add(a)
	}
}

// vatFigures are the account's sales by their VAT: what is given first, then by rate.
func (e *eventAccount) vatFigures(n *names) (all []VATFigures) {
	for _, of := range e.vats {
		if f := (VATFigures{of.basis, int64(of.rate), of.publish(n)}); len(f.Of(Booked)) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b VATFigures) int {
		return cmp.Or(cmp.Compare(a.Basis, b.Basis), cmp.Compare(a.Rate, b.Rate))
	})
	return all
}

// NetOfVAT is what was booked less the VAT in it.
func (r *Revenue) NetOfVAT() Figure[Sums] {
	booked, vat := r.Of(Booked), r.Of(VAT)
	return figure(booked.Value.PlusAll(vat.Value, -1), booked.caveat().and(vat.caveat()).ofDifference())
}

// NetOfVAT is the part of it that moved here.
func (f Flow) NetOfVAT() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }
