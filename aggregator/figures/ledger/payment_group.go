package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

var foreignRefund = diagnoses.Of(figures.CodeCurrency, record.KindPayment, record.Say("in another currency than its payment"))

var overRefunded = diagnoses.Of(figures.CodeOverRefunded, record.KindPayment, record.Say("refunded more than was paid"))

var unfoundedReversal = diagnoses.Of(figures.CodeReversed, record.KindPayment, record.Say("won back more than was charged back"))

var unsettled = diagnoses.Of(figures.CodeUnsettled, record.KindPayment, record.Say("paid back of a payment that has not settled"))

// root returns the id of the payment that p belongs to: p itself, its parent or, if the parent is a refund or
// chargeback, the parent's parent. What went back and names an order alone belongs to the order's only payment.
func (l *Ledger) root(p *payment) string {
	if !p.hasOwner {
		if of := l.only(p); of != nil {
			p = of
		}
		return l.paymentID(p)
	}
	owner := l.rare(p).parent
	if parent := l.payments.Get(owner); parent != nil {
		if parent.hasOwner {
			return l.rare(parent).parent
		}
		if of := l.only(parent); of != nil {
			return l.paymentID(of)
		}
	}
	return owner
}

// isLoose reports whether p went back and names an order, but no payment.
func (p *payment) isLoose() bool { return p.kind != ofPayment && !p.hasOwner && p.ownOrder }

// only returns the payment that a loose p belongs to: the only one of its order, in its currency, of which the money came
// in. It is nil if there is none, or more than one.
func (l *Ledger) only(p *payment) (of *payment) {
	if !p.isLoose() || !p.counts {
		return nil
	}
	for _, number := range l.paymentsOf(l.orderAt(p.order)) {
		o := l.paymentAt(number)
		if o.kind == ofPayment && o.ownOrder && o.counts && o.currency == p.currency && o.settled() {
			if of != nil {
				return nil
			}
			of = o
		}
	}
	return of
}

// join puts p into its group.
func (l *Ledger) join(p *payment) *paymentGroup {
	root := l.root(p)
	main := l.payments.Get(root)
	g := l.apart[root]
	if main != nil && main.group != 0 && l.groupID(l.groupOf(main)) == root {
		g = l.groupOf(main)
	}
	if g == nil {
		g = l.newGroup(root, main)
	}
	if main == p {
		delete(l.apart, root)
	} else if main == nil || main.group != g.number {
		l.apart[root] = g
	}
	g.members = l.paymentLists.Add(g.members, p.number)
	p.group = g.number
	return g
}

// leaveGroup takes p out of its group. What is left of a group without its payment is apart.
func (l *Ledger) leaveGroup(p *payment) {
	g := l.groupOf(p)
	g.members = l.paymentLists.Set(g.members, without(l.membersOf(g), p.number))
	p.group = 0
	if id := l.groupID(g); id == l.paymentID(p) {
		l.apart[id] = g
	}
}

// repost posts the group again, in place of its old postings. The group is gone if it has no members.
func (l *Ledger) repost(g *paymentGroup) {
	if id := l.groupID(g); g.members == 0 && l.apart[id] == g {
		delete(l.apart, id)
	}
	sum := l.sum(g)
	if odd := l.odd[g]; !slices.Equal(odd, sum.odd) {
		for _, o := range odd {
			l.diagnoses.Add(o, -1)
		}
		for _, o := range sum.odd {
			l.diagnoses.Add(o, 1)
		}
		if l.odd[g] = sum.odd; sum.odd == nil {
			delete(l.odd, g)
		}
	}
	if before := l.postings.Get(g.posted); !slices.Equal(before, sum.postings) {
		l.postOrderlessMoney(before, -1)
		for _, p := range before {
			l.change(l.orderAt(p.order))
			l.postMoney(p, -1)
		}
		for _, p := range sum.postings {
			l.change(l.orderAt(p.order))
			l.postMoney(p, 1)
		}
		l.assign(g, sum.postings)
		g.posted = l.postings.Set(g.posted, sum.postings)
		l.postOrderlessMoney(sum.postings, 1)
	}
	if g.members == 0 {
		delete(l.groupIDs, g.number)
		*g = paymentGroup{number: g.number}
		l.spareGroups = append(l.spareGroups, g)
	}
}

// summing computes the postings of a group.
type summing struct {
	l    *Ledger
	main *payment // nil if the payment is unknown or absurd
	// shares are main's. gone is how much of main has been paid back so far. Each next part is split so that all
	// parts together are split as their sum would be.
	shares   []weight
	gone     int64
	postings []posting
	odd      []diagnoses.Oddity
}

// sum computes the postings of a group.
func (l *Ledger) sum(g *paymentGroup) summing {
	s := summing{l: l}
	var refunds, chargebacks, reversals []*payment
	members, id := l.appendPayments(l.summed[:0], l.membersOf(g)), l.groupID(g)
	l.summed = members
	if len(members) > 1 {
		slices.SortFunc(members, func(a, b *payment) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(l.paymentID(a), l.paymentID(b)))
		})
	}
	for _, p := range members {
		if p.out && !p.hasOwner && l.paymentID(p) == id {
			return summing{l: l}
		}
		switch {
		case !p.counts:
		case p.kind == ofPayment:
			s.main, s.shares = p, l.weightsOf(p, nil)
		case p.kind == ofRefund:
			refunds = append(refunds, p)
		case p.kind == ofChargeback:
			chargebacks = append(chargebacks, p)
		case p.kind == ofReversal:
			reversals = append(reversals, p)
		default:
			s.unmapped(p)
		}
	}
	if p := s.main; p != nil {
		switch {
		case p.state == paymentUnmapped:
			s.unmapped(p)
		case p.settled():
			s.spread(p, figures.Received, p.amount, p.at, s.shares)
		case p.unsettled(): // what never came in cannot be paid back
			for _, p := range slices.Concat(refunds, chargebacks, reversals) {
				if p.settled() {
					s.odd = append(s.odd, diagnoses.Oddity{What: unsettled, ID: l.paymentID(p)})
				}
			}
			return s
		}
	}
	s.refund(refunds)
	s.chargeBack(chargebacks, reversals)
	return s
}

// refund posts the refund records in order, up to the amount of the payment, and then what only the payment itself
// reports. It diagnoses what exceeds the payment.
func (s *summing) refund(refunds []*payment) {
	reported, left, recorded, above := int64(0), int64(0), int64(0), int64(0)
	if s.main != nil {
		left = s.main.amount
		if s.main.settled() {
			refunded := s.l.rare(s.main).refunded
			reported = min(refunded, left)
			above = refunded - left
		}
		if s.main.state == paymentRefunded {
			reported = left
		}
	}
	records := int64(0) // their sum, without the limit
	for _, p := range refunds {
		amount := p.amount
		capped := s.main != nil && p.currency == s.main.currency
		switch {
		case p.state == paymentUnmapped:
			s.unmapped(p)
		case p.state == paymentPending:
			s.back(p, figures.RefundsPending, amount)
		case p.settled() && capped:
			records += amount
			amount = min(amount, left)
			left -= amount
			recorded += amount
			s.back(p, figures.Refunded, amount)
		case p.settled():
			s.back(p, figures.Refunded, amount)
		}
		if s.main != nil && !capped {
			s.odd = append(s.odd, diagnoses.Oddity{What: foreignRefund, ID: s.l.paymentID(p)})
		}
	}
	if s.main != nil {
		if above = max(above, records-s.main.amount); above > 0 {
			s.odd = append(s.odd, diagnoses.Oddity{What: overRefunded, ID: s.l.paymentID(s.main), Amount: record.Money{Amount: above, Currency: s.l.names.Text(s.main.currency)}})
		}
	}
	if reported > recorded {
		s.unrecorded(recorded, reported)
	}
}

// unrecorded posts what only the payment reports as paid back, between two amounts. Each increase that its
// versions reported is posted on the day of the version that first reported it.
func (s *summing) unrecorded(from, to int64) {
	for _, step := range s.l.returns[s.l.paymentID(s.main)].Refunded {
		if part := min(step.Amount, to) - from; part > 0 {
			s.returned(posting{Amount: sums.Amount{Value: part, Currency: s.main.currency, Measure: figures.Refunded}, at: figures.StampOf(step.At), listed: s.main.reason, guessed: true})
			from += part
		}
	}
}

func (s *summing) chargeBack(chargebacks, reversals []*payment) {
	recorded, charged := false, int64(0) // charged is in main's currency
	for _, p := range chargebacks {
		if p.state == paymentUnmapped {
			s.unmapped(p)
		} else if p.settled() {
			if recorded = true; s.main != nil && p.currency == s.main.currency {
				charged += p.amount
			}
			s.back(p, figures.ChargedBack, p.amount)
		}
	}
	if s.main == nil {
		recorded = true // it may be, by the payment
	}
	for _, p := range reversals {
		if p.state == paymentUnmapped {
			s.unmapped(p)
		}
	}
	won := slices.DeleteFunc(slices.Clone(reversals), func(p *payment) bool { return !p.settled() })
	// A payment that was won back may be paid again, as it says: it was charged back before.
	if at := figures.StampOf(s.l.returnsOf(s.main).ChargedBack); !recorded && s.main.settled() && (s.main.state == paymentChargedBack || at != 0 && len(won) > 0) {
		recorded, charged = true, s.main.amount
		s.returned(posting{Amount: sums.Amount{Value: s.main.amount, Currency: s.main.currency, Measure: figures.ChargedBack}, at: at, guessed: true})
	}
	for _, p := range won {
		amount := p.amount
		if s.main != nil && p.currency == s.main.currency {
			if amount = min(amount, charged); amount < p.amount {
				s.odd = append(s.odd, diagnoses.Oddity{What: unfoundedReversal, ID: s.l.paymentID(p), Amount: record.Money{Amount: p.amount - amount, Currency: s.l.names.Text(p.currency)}})
			}
			charged -= amount
		}
		s.back(p, figures.Reversed, amount)
	}
}

// returnsOf returns what versions of a payment reported as paid back; p may be nil.
func (l *Ledger) returnsOf(p *payment) record.Memory {
	if p == nil {
		return record.Memory{}
	}
	return l.returns[l.paymentID(p)]
}

// back posts what a refund, chargeback or reversal reports, to its own event or else to the events of its payment.
func (s *summing) back(p *payment, measure figures.Measure, value int64) {
	follows := s.main != nil && !s.l.ownEvent(p)
	if follows && p.currency == s.main.currency && measure != figures.RefundsPending {
		s.returned(posting{Amount: sums.Amount{Value: value, Currency: p.currency, Measure: measure}, at: p.at, listed: s.listed(p, measure), guessed: p.guessed})
		return
	}
	s.spread(p, measure, value, p.at, s.l.weightsOf(p, s.main))
}

// returned posts money of the payment that was paid back, or that came in again if its measure is Reversed, split as
// the payment is.
func (s *summing) returned(p posting) {
	sign := int64(1)
	if p.Measure == figures.Reversed {
		sign = -1
	}
	before, after := split(s.gone, s.shares), split(s.gone+sign*p.Value, s.shares)
	s.gone += sign * p.Value
	p.order = s.main.order
	for i, w := range s.shares {
		p.event, p.Value = w.event.number, sign*(after[i]-before[i])
		s.add(p)
		p.rest = p.rest || p.Value != 0
	}
}

// listed returns what an amount of p is listed under. A refund without a reason has that of its payment.
func (s *summing) listed(p *payment, measure figures.Measure) sums.Ref {
	switch measure {
	case figures.Received:
		return p.method
	case figures.Refunded:
		if p.reason == 0 && s.main != nil {
			return s.main.reason
		}
		return p.reason
	}
	return 0
}

// spread posts an amount, split by shares.
func (s *summing) spread(p *payment, measure figures.Measure, value int64, at figures.Stamp, shares []weight) {
	o := p.order
	if s.main != nil {
		o = s.main.order
	}
	next := posting{order: o, at: at, listed: s.listed(p, measure), guessed: p.guessed}
	for i, part := range split(value, shares) {
		next.event, next.Amount = shares[i].event.number, sums.Amount{Value: part, Currency: p.currency, Measure: measure}
		s.add(next)
		next.rest = next.rest || part != 0
	}
}

// unmapped marks the events of a payment whose status is not mapped.
func (s *summing) unmapped(p *payment) {
	for _, w := range s.l.weightsOf(p, s.main) {
		s.postings = append(s.postings, posting{event: w.event.number, unmapped: true})
	}
}

func (s *summing) add(p posting) {
	if p.Value != 0 {
		s.postings = append(s.postings, p)
	}
}
