package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
)

// payment is what the ledger holds of a movement of money.
type payment struct {
	id       string
	revision int64
	at       figures.Stamp // when it settled
	amount   int64
	event    *eventAccount // its own event, nil without
	order    *order
	group    *paymentGroup
	*rarities
	currency sums.Ref
	method   sums.Ref
	reason   sums.Ref // why it was refunded
	kind     sums.Ref // 0 if the kind is not mapped
	state    paymentState

	counts  bool // neither a test nor deleted nor absurd
	absurd  bool
	out     bool // a test, or deleted, and so is what belongs to it
	foreign bool // the refunded amount is in another currency
	guessed bool // at is only when a version first reported that it had settled

	ownOrder bool // order is named by the payment, not derived from its tickets
}

// rarities is what few payments have. They share noRarities otherwise.
type rarities struct {
	parent   string   // empty for a payment
	tickets  []string // only if the event or the order is not named
	refunded int64    // as the payment itself reports it, in its currency
	word     sums.Ref // the status, where it is unmapped
}

var noRarities = new(rarities)

// The refs of the kinds of payments: the ledger's names begin with them.
const (
	ofPayment sums.Ref = 1 + iota
	ofRefund
	ofChargeback
	ofReversal
)

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

// same reports whether two versions of a payment give the same figures.
func (p *payment) same(o *payment) bool {
	return p.at == o.at && p.amount == o.amount && p.refunded == o.refunded &&
		p.event == o.event && p.order == o.order && p.ownOrder == o.ownOrder && p.parent == o.parent && slices.Equal(p.tickets, o.tickets) &&
		p.currency == o.currency && p.word == o.word && p.method == o.method && p.reason == o.reason && p.kind == o.kind && p.state == o.state &&
		p.counts == o.counts && p.absurd == o.absurd && p.out == o.out && p.foreign == o.foreign && p.guessed == o.guessed
}

// settled reports whether the money moved.
func (p *payment) settled() bool {
	return p.state == paymentSettled || p.state == paymentRefunded || p.state == paymentChargedBack
}

// unsettled reports whether the status is mapped and the money did not move.
func (p *payment) unsettled() bool { return p.state == paymentVoid || p.state == paymentPending }

// paymentGroup is a payment with its refunds, chargebacks and reversals, or only the latter if the payment has not
// arrived. Its postings depend only on its members and on the tickets by which the money is split.
type paymentGroup struct {
	id      string // of the payment
	members rows.Few[*payment]
	posted  rows.Few[posting]
	// gathered is the value of changing.gathered when posted was last collected for an order, or when the group
	// was last listed by splitBy. It keeps a group from being taken twice.
	gathered uint64
}

// share is the part of a ticket, or of several that are alike, in splitting a payment.
type share struct {
	event    *eventAccount
	currency sums.Ref
	sold     bool // was sold at some time: not reserved, expired or unmapped
	gross    int64
	tickets  int
}

// posting is the part of a payment that belongs to one event.
type posting struct {
	event *eventAccount
	order *order // the order that the money belongs to; nil for none
	sums.Amount
	at       figures.Stamp
	listed   sums.Ref // what it is listed under: the method of money received, the reason of money refunded
	guessed  bool     // at is a guess
	rest     bool     // another posting has the first part of the same money
	unmapped bool     // not money: the payment's status is not mapped
}
