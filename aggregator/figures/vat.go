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

// postRates posts tickets anew whose rate of VAT is another. It looks at all of them, since a rate is seldom set, and an event that has tickets seldom
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

// postVAT puts a ticket's VAT in (n = 1) or takes it out (n = −1): of what postPlaces posts, that which goes
// by the rate.
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
			e.parts[d].row(t.terms.part(Dimension(d))).amounts.add(m.vat.vat)
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
		a.move(c, names, t.cancelled, t.vatMovement(-n))
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

// vatMovement is the part of movement that goes by the rate of VAT.
func (t *ticket) vatMovement(n int) movement {
	m := t.movement(n)
	return movement{money: money{m.vat.vat}, vat: m.vat}
}

// VATBasis is where an amount of VAT comes from.
type VATBasis uint8

// The bases.
const (
	NoVAT      VATBasis = iota // of what costs nothing
	VATGiven                   // as the service reports it
	VATByRate                  // from a rate that the venue has set
	VATMissing                 // nobody says
)

// VATSource is a basis, and of VATByRate the rate, in hundredths of a per cent.
type VATSource struct {
	Basis VATBasis
	Rate  int64
}

func (s VATSource) compare(o VATSource) int {
	return cmp.Or(cmp.Compare(s.Basis, o.Basis), cmp.Compare(s.Rate, o.Rate))
}

// VATFigures are what was booked from one source of VAT, and the VAT in it.
type VATFigures struct {
	VATSource
	Amounts
}

// Net is what was booked less the VAT in it.
func (f *VATFigures) Net() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }

// caveat is what keeps the VAT from being exact, given that of what was booked: the VAT of a rate is
// estimated, and where nobody says what VAT there is, it is not known.
func (f *VATFigures) caveat(booked caveat) caveat {
	booked.addIf(f.Basis == VATByRate, Estimated, ReasonVATRate)
	booked.addIf(f.Basis == VATMissing, Unknown, ReasonNoVAT)
	return booked
}

// vatMoved is what moves of one source.
type vatMoved struct {
	VATSource
	booked, vat amount
}

// vatSource is where the VAT of a place comes from.
func (t *terms) vatSource() VATSource {
	switch {
	case t.vatGiven:
		return VATSource{Basis: VATGiven}
	case t.vatRated():
		return VATSource{VATByRate, int64(t.vatRate)}
	case t.costs():
		return VATSource{Basis: VATMissing}
	}
	return VATSource{}
}

// vatOf are the amounts of one source.
type vatOf struct {
	VATSource
	amounts
}

func (of *vatOf) move(m vatMoved) {
	of.add(m.booked)
	of.add(m.vat)
}

func (of *vatOf) figures(n *names) VATFigures { return VATFigures{of.VATSource, of.publish(n)} }

// sellVAT adds what moves of a ticket that may contain VAT.
func (e *eventAccount) sellVAT(m vatMoved) {
	if m.Basis == NoVAT {
		return
	}
	i := slices.IndexFunc(e.vats, func(row vatOf) bool { return row.VATSource == m.VATSource })
	if i < 0 {
		i = len(e.vats)
		e.vats = append(e.vats, vatOf{VATSource: m.VATSource})
	}
	e.vats[i].move(m)
}

// vatFigures are the account's sales by their VAT: what is given first, then by rate.
func (e *eventAccount) vatFigures(n *names) (all []VATFigures) {
	for _, of := range e.vats {
		if f := of.figures(n); len(f.Of(Booked)) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b VATFigures) int { return a.compare(b.VATSource) })
	return all
}

// dayVAT is what moved on one day of one source.
type dayVAT struct {
	vatOf
	minutes timedSums
}

// vat is what moved of a source, to be changed. What nobody says is not held: it is the rest of the day.
func (r *dayRow) vat(s VATSource) *dayVAT {
	i := slices.IndexFunc(r.vats, func(of dayVAT) bool { return of.VATSource == s })
	if i < 0 {
		i = len(r.vats)
		r.vats = append(r.vats, dayVAT{vatOf: vatOf{VATSource: s}})
	}
	return &r.vats[i]
}

func (r *dayRow) moveVAT(m vatMoved, at stamp, names *names) {
	if m.Basis == NoVAT || m.Basis == VATMissing {
		return
	}
	of := r.vat(m.VATSource)
	of.move(m)
	of.minutes.move(movement{money: money{m.booked, m.vat}}, at, names)
}

// dayVATFigures are what moved on one day of one source.
type dayVATFigures struct {
	VATFigures
	minutes []timedRow // what it sums
}

// vatFigures are the day's sales by their VAT, those of which nothing is left left out.
func (r *dayRow) vatFigures(n *names) (all []dayVATFigures) {
	for i := range r.vats {
		of := &r.vats[i]
		if rows := of.minutes.publish(); rows != nil {
			all = append(all, dayVATFigures{of.figures(n), rows})
		}
	}
	slices.SortFunc(all, func(a, b dayVATFigures) int { return a.compare(b.VATSource) })
	return all
}

// upTo is what it came to before a minute.
func (f *dayVATFigures) upTo(minute int64) dayVATFigures {
	n := rowsBefore(f.minutes, minute)
	return dayVATFigures{VATFigures{f.VATSource, flowOf(f.minutes[:n]).Amounts}, f.minutes[:n:n]}
}

// VATOf are the sales of a period by their VAT: what is given first, then by rate, and last those of which
// nobody says it. Their Booked and VAT sum to those of the period. There are none where no VAT is known at all.
func (v *Evening) VATOf(p *Period) (all []VATFigures) {
	if !v.snapshot.Total.Of(VAT).Known() {
		return nil
	}
	rest := p.Of(Booked)
	for i := range p.Days {
		for _, of := range p.Days[i].vats {
			rest = rest.PlusAll(of.Of(Booked), -1)
			at, found := slices.BinarySearchFunc(all, of.VATSource, func(f VATFigures, s VATSource) int { return f.compare(s) })
			if !found {
				all = slices.Insert(all, at, VATFigures{VATSource: of.VATSource})
			}
			all[at].Amounts = all[at].plus(of.Amounts)
		}
	}
	if len(rest) > 0 {
		all = append(all, VATFigures{VATSource{Basis: VATMissing}, amountsOf(Booked, rest)})
	}
	return all
}

// NetOfVAT is what was booked less the VAT in it.
func (r *Revenue) NetOfVAT() Figure[Sums] {
	booked, vat := r.Of(Booked), r.Of(VAT)
	return figure(booked.Value.PlusAll(vat.Value, -1), booked.caveat().and(vat.caveat()).ofDifference())
}

// NetOfVAT is the part of it that moved here.
func (f Flow) NetOfVAT() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }
