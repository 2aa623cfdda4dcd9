package ledger

import (
	"cmp"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// terms are what a ticket was sold as. Many tickets share them, and the ledger holds each once,
// so that two tickets have the same terms where they have the same pointer.
type terms struct {
	typeID, typeName ref
	channel          ref
	referral, code   ref   // the source of the buyer, and the discount code that was used
	word             ref   // the status, where it is unmapped
	price, fee, vat  int64 // of a place
	// priceIn, feeIn and vatIn are their currencies.
	priceIn, feeIn, vatIn ref
	priced                bool // price was given
	feeGiven              bool
	vatGiven              bool
	complimentary         bool
	extra                 ref // what else it is, 0 for a ticket
	admits                bool
	// vatRate is the rate that the venue has set, in hundredths of a per cent, where vat is worked out from
	// it; unrated are the terms without that, nil in them themselves.
	vatRate int16
	unrated *terms
}

// rateOf reads a price per place, and reports whether it was given.
func (l *Ledger) rateOf(m *record.Money) (value int64, currency ref, given bool) {
	if m == nil || m.Currency == "" && m.Amount != 0 {
		return 0, 0, false
	}
	return m.Amount, l.names.ref(m.Currency), true
}

// termsOf returns those of a ticket of an event.
func (l *Ledger) termsOf(r *record.Ticket, e *eventAccount) *terms {
	t := terms{
		typeID: l.names.ref(r.Type.ID), typeName: l.names.ref(r.Type.Name), channel: l.names.ref(r.Channel), referral: l.names.ref(r.Referral), code: l.names.ref(r.DiscountCode),
		complimentary: r.Complimentary, admits: r.IsPlace(),
	}
	t.price, t.priceIn, t.priced = l.rateOf(r.Price)
	if unmapped(r.Status) {
		t.word = l.names.ref(string(r.Status))
	}
	if r.Kind != "" {
		t.extra, t.complimentary = l.names.ref(string(r.Kind)), false
		if unmappedExtra(r.Kind) {
			t.word = t.extra
		}
		return l.shared(t)
	}
	t.fee, t.feeIn, t.feeGiven = l.rateOf(r.Fee)
	t.vat, t.vatIn, t.vatGiven = l.rateOf(r.VAT)
	return l.rated(l.shared(t), e)
}

// reported returns the terms as the ticket has them: without VAT that is worked out.
func (t *terms) reported() *terms { return cmp.Or(t.unrated, t) }

// vatRated reports whether the VAT is worked out from a rate that the venue has set.
func (t *terms) vatRated() bool { return t.unrated != nil }

// shared returns the one that all tickets with these terms share.
func (l *Ledger) shared(t terms) *terms {
	held, known := l.terms[t]
	if !known {
		held = new(t)
		l.terms[t] = held
	}
	return held
}

// absurd reports whether an amount cannot be.
func (t *terms) absurd() bool {
	return min(t.price, t.fee, t.vat) < 0 || max(t.price, t.fee, t.vat) > mostPrice
}

// money returns the amounts of places. Complimentary ones book nothing, whatever their price, and so
// contain no VAT; their fee, if any, is paid. What an extra costs is no price of a ticket.
func (t *terms) money(places int64) (m money) {
	if t.extra != 0 {
		m[1] = amount{t.price * places, t.priceIn, figures.Fees}
		return m
	}
	m[1] = amount{t.fee * places, t.feeIn, figures.Fees}
	if !t.complimentary {
		m[0] = amount{t.price * places, t.priceIn, figures.Booked}
		m[2] = amount{t.vat * places, t.vatIn, figures.VAT}
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

// costs reports whether it is a place that is to be paid for, as far as is known.
func (t *terms) costs() bool { return t.extra == 0 && !t.complimentary && !t.free() }

// unpriced returns n if the price is not known, and feeless if the fee is not; otherwise 0.
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

// part returns what the sales by a dimension are listed under.
func (t *terms) part(d figures.Dimension) partName {
	switch d {
	case figures.ByChannel:
		return partName{name: t.channel}
	case figures.ByReferral:
		return partName{name: t.referral}
	case figures.ByCode:
		return partName{name: t.code}
	}
	return partName{t.typeID, t.typeName}
}
