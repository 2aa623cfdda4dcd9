package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
)

// payment is what the ledger holds of a movement of money. It has no pointers, like ticketRow.
type payment struct {
	revision int64
	at       figures.Stamp // when it settled
	amount   int64
	number   int32 // by which others refer to it
	event    int32 // the number of its own event, 0 without
	order    int32 // the number of its order
	group    int32 // the number of its group, 0 for none yet
	currency sums.Ref
	method   sums.Ref
	reason   sums.Ref // why it was refunded
	kind     paymentKind
	state    paymentState

	counts  bool // neither a test nor deleted nor absurd
	absurd  bool
	out     bool // a test, or deleted, and so is what belongs to it
	foreign bool // the refunded amount is in another currency
	guessed bool // at is only when a version first reported that it had settled

	ownOrder bool // order is named by the payment, not derived from its tickets
	hasOwner bool // it names the payment that it belongs to, its parent
	isRare   bool // it has rarities
}

// rarities is what few payments have.
type rarities struct {
	parent   string   // empty for a payment
	tickets  []string // only if the event or the order is not named
	refunded int64    // as the payment itself reports it, in its currency
	word     sums.Ref // the status, where it is unmapped
}

var noRarities = new(rarities)

// rare returns the rarities of a payment.
func (l *Ledger) rare(p *payment) *rarities {
	if !p.isRare {
		return noRarities
	}
	return l.rarities[p.number]
}

// paymentID returns the id of a payment.
func (l *Ledger) paymentID(p *payment) string { return l.payments.ID(int(p.number) - 1) }

// paymentKind is the ref of the kind of a payment: the ledger's names begin with those that are mapped.
type paymentKind uint8

const (
	notMapped paymentKind = iota
	ofPayment
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

// same reports whether two versions of a payment give the same figures, as far as it is not in their rarities.
func (p *payment) same(o *payment) bool {
	version := *o
	version.revision, version.number, version.group = p.revision, p.number, p.group
	return *p == version
}

func (r *rarities) same(o *rarities) bool {
	return r.parent == o.parent && r.refunded == o.refunded && r.word == o.word && slices.Equal(r.tickets, o.tickets)
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
	number  int32     // by which others refer to it
	main    int32     // the number of the payment with the group's id; 0 if there was none yet: it is in groupIDs
	members rows.List // of Ledger.paymentLists
	posted  rows.List // of Ledger.postings
	// gathered is the value of changing.gathered when posted was last collected for an order, or when the group
	// was last listed by splitBy. It keeps a group from being taken twice.
	gathered uint64
}

// groupOf returns the group of a payment.
func (l *Ledger) groupOf(p *payment) *paymentGroup { return l.groups.At(int(p.group) - 1) }

// groupID returns the id of a group, which is that of its payment.
func (l *Ledger) groupID(g *paymentGroup) string {
	if g.main == 0 {
		return l.groupIDs[g.number]
	}
	return l.paymentID(l.paymentAt(g.main))
}

// newGroup returns a group without members. main is its payment, nil if that has not arrived.
func (l *Ledger) newGroup(id string, main *payment) *paymentGroup {
	var g *paymentGroup
	if last := len(l.spareGroups) - 1; last >= 0 {
		g, l.spareGroups = l.spareGroups[last], l.spareGroups[:last]
	} else {
		g = l.groups.Add()
		g.number = int32(l.groups.Len())
	}
	if main != nil {
		g.main = main.number
	} else {
		l.groupIDs[g.number] = id
	}
	return g
}

// membersOf returns the numbers of the payments of a group.
func (l *Ledger) membersOf(g *paymentGroup) []int32 { return l.paymentLists.Get(g.members) }

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
	event int32 // its number
	order int32 // the number of the order that the money belongs to; 0 for none
	sums.Amount
	at       figures.Stamp
	listed   sums.Ref // what it is listed under: the method of money received, the reason of money refunded
	guessed  bool     // at is a guess
	rest     bool     // another posting has the first part of the same money
	unmapped bool     // not money: the payment's status is not mapped
}
