package ledger

import (
	"slices"

	"housecount/aggregator/figures"
)

// payment is what the ledger holds of a movement of money.
type payment struct {
	id       string
	revision int64
	at       figures.Stamp // when it settled
	amount   int64
	refunded int64         // as the payment itself reports it, in its currency
	event    *eventAccount // its own event, nil without
	order    *order
	group    *paymentGroup
	parent   string   // "" on a payment
	tickets  []string // empty where the event and the order are named
	currency ref
	word     ref // the status, where it is unmapped
	method   ref
	kind     ref // no payment without one
	state    paymentState

	counts  bool // neither a test nor deleted nor absurd
	absurd  bool
	out     bool // a test, or deleted: so is what belongs to it
	foreign bool // the refunded amount is in another currency
	guessed bool // at is when a version first said that it settled, for want of better

	ownOrder bool // order is named by the payment itself, and not that of its tickets
}

// paymentState is what a payment's status means for the figures.
type paymentState uint8

const (
	paymentVoid        paymentState = iota // failed, cancelled or expired: no money
	paymentPending                         // not settled yet
	paymentSettled                         // the money came in
	paymentRefunded                        // and all of it went back
	paymentChargedBack                     // and was charged back
	paymentUnmapped                        // a status that nobody has mapped
)

// same reports whether two readings of a payment make the same figures.
func (p *payment) same(o *payment) bool {
	return p.at == o.at && p.amount == o.amount && p.refunded == o.refunded &&
		p.event == o.event && p.order == o.order && p.ownOrder == o.ownOrder && p.parent == o.parent && slices.Equal(p.tickets, o.tickets) &&
		p.currency == o.currency && p.word == o.word && p.method == o.method && p.kind == o.kind && p.state == o.state &&
		p.counts == o.counts && p.absurd == o.absurd && p.out == o.out && p.foreign == o.foreign && p.guessed == o.guessed
}

// settled reports whether the money moved.
func (p *payment) settled() bool {
	return p.state == paymentSettled || p.state == paymentRefunded || p.state == paymentChargedBack
}

// unsettled says that it has not, as far as its status is mapped.
func (p *payment) unsettled() bool { return p.state == paymentVoid || p.state == paymentPending }

// paymentGroup is a payment with the refunds, chargebacks and reversals that belong to it, or
// those alone whose payment has not come. Its postings are a pure function of its
// members, of the tickets that the money is split by, and of nothing else.
type paymentGroup struct {
	id      string // of the payment
	members []*payment
	posted  []posting
	// gathered is when posted was last gathered for an order, or the group listed among those that a
	// ticket has a part in splitting: what changing.gathered was then.
	gathered uint64
}

func (g *paymentGroup) remove(p *payment) { g.members = without(g.members, p) }

// share is a ticket's part in the splitting of payments, or the sum of such parts that
// differ in nothing but the number.
type share struct {
	event    *eventAccount
	currency ref
	sold     bool // was ever sold: not reserved, expired or unmapped
	gross    int64
	tickets  int
}

// posting is a part of a payment on one event.
type posting struct {
	event *eventAccount
	order *order // that the money belongs to, nil without
	amount
	at       figures.Stamp
	method   ref  // how it was paid, of what was received
	guessed  bool // at is a guess
	unmapped bool // no money: a payment with a status that nobody has mapped
}
