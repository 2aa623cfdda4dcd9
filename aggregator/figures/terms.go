package figures

import (
	"cmp"

	"housecount/apiclient/record"
)

// terms are what a ticket was sold as. Many tickets share them, and the ledger holds each once,
// so that two tickets have the same terms where they have the same pointer.
type terms struct {
	typeID, typeName ref
	channel          ref
	currency         ref
	price            int64 // a place
	priced           bool
	complimentary    bool
	admits           bool
}

// termsOf are a ticket's.
func (l *Ledger) termsOf(r *record.Ticket) *terms {
	t := terms{
		typeID: l.names.ref(r.Type.ID), typeName: l.names.ref(r.Type.Name), channel: l.names.ref(r.Channel),
		complimentary: r.Complimentary, admits: r.Admits == nil || *r.Admits,
	}
	if m := r.Price; m != nil && (m.Currency != "" || m.Amount == 0) {
		t.priced, t.price, t.currency = true, m.Amount, l.names.ref(m.Currency)
	}
	held, known := l.terms[t]
	if !known {
		held = &t
		l.terms[t] = held
	}
	return held
}

// absurd says that the price cannot be.
func (t *terms) absurd() bool { return t.price < 0 || t.price > mostPrice }

// due is what a place costs: nothing where it is complimentary, whatever its face says.
func (t *terms) due() int64 {
	if t.complimentary {
		return 0
	}
	return t.price
}

// free says that a place costs nothing without being complimentary.
func (t *terms) free() bool { return t.priced && t.price == 0 && !t.complimentary }

// costs says that a place is to be paid for, as far as is known.
func (t *terms) costs() bool { return !t.complimentary && !t.free() }

// admitting is the part of a number of places that count as places.
func (t *terms) admitting(places int32) int {
	if !t.admits {
		return 0
	}
	return int(places)
}

// part is what the sales by a dimension are listed under; types are the names that the event
// gives its ticket types, by id.
func (t *terms) part(d Dimension, n *names, types map[string]string) string {
	if d == ByChannel {
		return n.text(t.channel)
	}
	id := n.text(t.typeID)
	return cmp.Or(types[id], n.text(t.typeName), id)
}
