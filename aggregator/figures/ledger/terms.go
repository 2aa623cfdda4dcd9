package ledger

import (
	"cmp"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// terms are the terms on which a ticket was sold. The ledger holds each set of terms once, so two tickets have the
// same terms if they have the same pointer.
type terms struct {
	typeID, typeName sums.Ref
	channel          sums.Ref
	referral, code   sums.Ref // the source of the buyer, and the discount code that was used
	word             sums.Ref // the service's status or kind, if it is not mapped
	price, fee, vat  int64    // of a place
	// priceIn, feeIn and vatIn are their currencies.
	priceIn, feeIn, vatIn sums.Ref
	priced                bool // price was reported
	feeGiven              bool
	vatGiven              bool
	complimentary         bool
	extra                 sums.Ref // the kind of an extra, 0 for a ticket
	admits                bool
	// vatRate is the rate from which vat is computed, in hundredths of a per cent, and unrated the same terms
	// without that VAT. unrated is nil if VAT is not computed.
	vatRate int16
	unrated *terms
	// number is that of the copy which is shared.
	number int32
}

// rateOf returns a price per place, and whether it was reported.
func (l *Ledger) rateOf(m *record.Money) (value int64, currency sums.Ref, given bool) {
	if m == nil || m.Currency == "" && m.Amount != 0 {
		return 0, 0, false
	}
	return m.Amount, l.names.Ref(m.Currency), true
}

// termsOf returns the terms of a ticket of an event.
func (l *Ledger) termsOf(r *record.Ticket, e *eventAccount) *terms {
	t := terms{
		typeID: l.names.Ref(r.Type.ID), typeName: l.names.Ref(r.Type.Name), channel: l.names.Ref(r.Channel), referral: l.names.Ref(r.Referral), code: l.names.Ref(r.DiscountCode),
		complimentary: r.Complimentary, admits: r.IsPlace(),
	}
	t.price, t.priceIn, t.priced = l.rateOf(r.Price)
	if unmapped(r.Status) {
		t.word = l.names.Ref(string(r.Status))
	}
	if r.Kind != "" {
		t.extra, t.complimentary = l.names.Ref(string(r.Kind)), false
		if unmappedExtra(r.Kind) {
			t.word = t.extra
		}
		return l.shared(t)
	}
	t.fee, t.feeIn, t.feeGiven = l.rateOf(r.Fee)
	t.vat, t.vatIn, t.vatGiven = l.rateOf(r.VAT)
	return l.rated(l.shared(t), e)
}

// reported returns the terms without computed VAT.
func (t *terms) reported() *terms { return cmp.Or(t.unrated, t) }

// vatRated reports whether the VAT is computed from a rate of the venue.
func (t *terms) vatRated() bool { return t.unrated != nil }

// shared returns the one copy that all tickets with these terms share.
func (l *Ledger) shared(t terms) *terms {
	t.number = 0
	held, known := l.terms[t]
	if !known {
		held = new(t)
		held.number = int32(len(l.sharedTerms))
		l.terms[t], l.sharedTerms = held, append(l.sharedTerms, held)
	}
	return held
}

// absurd reports whether an amount is negative, or too large to be true.
func (t *terms) absurd() bool {
	return min(t.price, t.fee, t.vat) < 0 || max(t.price, t.fee, t.vat) > mostPrice
}

// money returns the amounts of places. Complimentary places book nothing, whatever their price, and so contain no
// VAT; a fee for them is still paid. The price of an extra counts as fees.
func (t *terms) money(places int64) (m sums.Money) {
	if t.extra != 0 {
		m[1] = sums.Amount{Value: t.price * places, Currency: t.priceIn, Measure: figures.Fees}
		return m
	}
	m[1] = sums.Amount{Value: t.fee * places, Currency: t.feeIn, Measure: figures.Fees}
	if !t.complimentary {
		m[0] = sums.Amount{Value: t.price * places, Currency: t.priceIn, Measure: figures.Booked}
		m[2] = sums.Amount{Value: t.vat * places, Currency: t.vatIn, Measure: figures.VAT}
	}
	return m
}

// due returns the price of places without fees, or that of an extra.
func (t *terms) due(places int32) int64 {
	if t.complimentary {
		return 0
	}
	return t.price * int64(places)
}

// free reports whether a place costs nothing without being complimentary.
func (t *terms) free() bool { return t.priced && t.price == 0 && !t.complimentary }

// costs reports whether a place is to be paid for, as far as is known.
func (t *terms) costs() bool { return t.extra == 0 && !t.complimentary && !t.free() }

// unpriced returns n if the price is not known, otherwise 0.
func (t *terms) unpriced(n int) int {
	if t.priced || t.complimentary || t.extra != 0 {
		return 0
	}
	return n
}

func (t *terms) feeless(n int) int {
	if t.feeGiven || !t.costs() {
		return 0
	}
	return n
}

// admitting returns the part of a number of places that count as places.
func (t *terms) admitting(places int32) int {
	if !t.admits {
		return 0
	}
	return int(places)
}

// part returns the name of the part of the sales that a ticket belongs to.
func (t *terms) part(d figures.Dimension) sums.PartName {
	switch d {
	case figures.ByChannel:
		return sums.PartName{Name: t.channel}
	case figures.ByReferral:
		return sums.PartName{Name: t.referral}
	case figures.ByCode:
		return sums.PartName{Name: t.code}
	}
	return sums.PartName{ID: t.typeID, Name: t.typeName}
}

// sellIn adds a movement of a ticket to a part of the sales.
func (t *terms) sellIn(p *sums.Part, m sums.Movement) {
	p.Sold += m.Sold
	switch {
	case t.complimentary:
		p.Complimentary += m.Sold
	case t.free():
		p.Free += m.Sold
	}
	for _, a := range m.Money {
		p.Amounts.Add(a)
	}
}
