package ledger

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// applyPayment stores a payment in place of its previous version.
func (l *Ledger) applyPayment(r *record.Payment, v *record.Version) {
	p := l.payments.Get(r.ID)
	known := p != nil
	moved := l.seenBack(r.ID, record.Memory{}.With(v))
	if known && !newest(v, p.revision) || !v.Head {
		if known && moved {
			if p.guessed {
				l.change(l.orderAt(p.order))
				p.at = figures.StampOf(l.returns[r.ID].Returned)
			}
			l.repost(l.groupOf(p))
		}
		return
	}
	if r.ContactID != "" {
		l.hear(l.contact(r.ContactID), v)
	}
	next, rare := l.paymentOf(r, v.Revision)
	if known && !moved && p.same(&next) && l.rare(p).same(&rare) {
		p.revision = next.revision
		return
	}
	var changed []*paymentGroup
	var before int32
	if known {
		before = p.order
		changed = append(changed, l.groupOf(p))
		l.unlink(p)
		next.number = p.number
	} else {
		p = l.payments.Entry(r.ID)
		next.number = int32(l.payments.Len())
	}
	*p = next
	if delete(l.rarities, p.number); p.isRare {
		l.rarities[p.number] = new(rare)
	}
	changed = append(changed, l.link(p))
	changed = l.rejoin(changed, l.children[r.ID])
	for _, number := range []int32{before, p.order} {
		if o := l.orderAt(number); o != nil && o.loose > 0 {
			changed = l.rejoin(changed, slices.DeleteFunc(l.appendPayments(nil, l.paymentsOf(o)), func(of *payment) bool { return !of.isLoose() }))
		}
	}
	for i, g := range changed {
		if !slices.Contains(changed[:i], g) {
			l.repost(g)
		}
	}
}

// rejoin moves those of payments, and what names them, that belong to another group by now. It returns changed with the
// groups that it changed.
func (l *Ledger) rejoin(changed []*paymentGroup, payments []*payment) []*paymentGroup {
	for _, p := range payments {
		if l.groupID(l.groupOf(p)) != l.root(p) {
			changed = append(changed, l.groupOf(p))
			l.change(l.orderAt(p.order))
			l.leaveGroup(p)
			changed = append(changed, l.join(p))
			changed = l.rejoin(changed, l.children[l.paymentID(p)])
		}
	}
	return changed
}

// seenBack stores what versions of a payment reported as paid back, and reports whether that is new.
func (l *Ledger) seenBack(id string, m record.Memory) bool {
	if m.IsZero() {
		return false
	}
	held := l.returns[id]
	m = held.Merge(m)
	if m.ChargedBack.Equal(held.ChargedBack) && m.Returned.Equal(held.Returned) && slices.Equal(m.Refunded, held.Refunded) {
		return false
	}
	l.returns[strings.Clone(id)] = m
	return true
}

// link adds a payment to every index, and returns its group.
func (l *Ledger) link(p *payment) *paymentGroup {
	l.enterOrder(p)
	for _, id := range l.rare(p).tickets {
		l.naming[id] = append(l.naming[id], p)
	}
	if parent := l.rare(p).parent; parent != "" {
		l.children[parent] = append(l.children[parent], p)
	}
	l.referPayment(p, 1)
	l.diagnosePayment(p, 1)
	return l.join(p)
}

// unlink removes a payment from every index.
func (l *Ledger) unlink(p *payment) {
	l.referPayment(p, -1)
	l.leaveOrder(p)
	for _, id := range l.rare(p).tickets {
		prune(l.naming, id, p)
	}
	if parent := l.rare(p).parent; parent != "" {
		prune(l.children, parent, p)
	}
	l.diagnosePayment(p, -1)
	l.leaveGroup(p)
}

func (l *Ledger) diagnosePayment(p *payment, n int) {
	if p.absurd {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.Of(figures.CodeAbsurd, record.KindPayment, record.Say("amount out of range")), ID: l.paymentID(p)}, n)
	}
	if p.counts && p.state == paymentUnmapped {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.NotMapped(record.KindPayment, l.names.Text(l.rare(p).word)), ID: l.paymentID(p)}, n)
	}
	if p.counts && p.foreign {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.Of(figures.CodeCurrency, record.KindPayment, record.Say("refunded amount in another currency than the payment")), ID: l.paymentID(p)}, n)
	}
}

// paymentOf converts a record. It creates the accounts of its event and order if the ledger has none.
func (l *Ledger) paymentOf(r *record.Payment, revision int64) (p payment, rare rarities) {
	kind := l.names.Ref(cmp.Or(string(r.Kind), string(record.KindOfPayment)))
	p = payment{
		revision: revision,
		at:       figures.FirstStamp(r.PaidAt, r.CreatedAt),
		amount:   r.Amount.Amount,
		currency: l.names.Ref(r.Amount.Currency),
		method:   l.names.Ref(r.Method),
		reason:   l.names.Ref(r.Reason),
		absurd:   r.Amount.Amount < 0 || r.Amount.Amount > mostAmount || r.Amount.Currency == "" && r.Amount.Amount != 0,
		out:      r.Test || r.Deleted,
	}
	if kind <= sums.Ref(ofReversal) {
		p.kind = paymentKind(kind)
	}
	if p.kind != ofPayment {
		rare.parent = strings.Clone(r.ParentID) // which is a part of a row
		p.hasOwner = r.ParentID != ""
		if p.guessed = p.at == 0; p.guessed {
			p.at = figures.StampOf(l.returns[r.ID].Returned)
		}
	}
	if r.EventID != "" {
		p.event = l.account(r.EventID).number
	}
	if len(r.TicketIDs) > 0 && (r.EventID == "" || r.OrderID == "") { // the tickets lead to the event or order that it does not name
		rare.tickets = slices.Compact(slices.Sorted(slices.Values(r.TicketIDs)))
	}
	own := l.order(r.OrderID)
	p.order, p.ownOrder = l.orderOf(own, rare.tickets).numberOf(), own != nil
	if m := r.AmountRefunded; m != nil && m.Amount > 0 {
		if p.foreign = m.Currency != r.Amount.Currency; !p.foreign {
			rare.refunded = m.Amount
		}
	}
	p.counts = !p.out && !p.absurd
	p.absurd = p.absurd && !p.out
	switch r.Status {
	case record.PaymentOpen, record.PaymentPending, record.PaymentAuthorized:
		p.state = paymentPending
	case record.PaymentPaid:
		p.state = paymentSettled
	case record.PaymentRefunded:
		p.state = paymentRefunded
	case record.PaymentChargedBack:
		p.state = paymentChargedBack
	case record.PaymentFailed, record.PaymentCanceled, record.PaymentExpired:
	default:
		p.state, rare.word = paymentUnmapped, l.names.Ref(string(r.Status))
	}
	if p.kind == notMapped {
		p.state, rare.word = paymentUnmapped, kind
	}
	p.isRare = !rare.same(noRarities)
	return p, rare
}
