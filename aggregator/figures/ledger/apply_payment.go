package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
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
				l.change(p.order)
				p.at = figures.StampOf(l.returns[r.ID].Returned)
			}
			l.repost(p.group)
		}
		return
	}
	if r.ContactID != "" {
		l.hear(l.contact(r.ContactID), v)
	}
	next := l.paymentOf(r, v.Revision)
	if known && !moved && p.same(&next) {
		p.revision = next.revision
		return
	}
	var changed []*paymentGroup
	var before *order
	if known {
		before = p.order
		changed = append(changed, p.group)
		l.unlink(p)
		next.id = p.id
	} else {
		p, next.id = l.payments.Entry(r.ID)
	}
	*p = next
	changed = append(changed, l.link(p))
	changed = l.rejoin(changed, l.children[p.id])
	for _, o := range []*order{before, p.order} {
		if o != nil && o.loose > 0 {
			changed = l.rejoin(changed, slices.DeleteFunc(slices.Clone(o.payments.All()), func(of *payment) bool { return !of.isLoose() }))
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
		if p.group.id != l.root(p) {
			changed = append(changed, p.group)
			l.change(p.order)
			l.leaveGroup(p)
			changed = append(changed, l.join(p))
			changed = l.rejoin(changed, l.children[p.id])
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
	l.returns[id] = m
	return true
}

// link adds a payment to every index, and returns its group.
func (l *Ledger) link(p *payment) *paymentGroup {
	l.enterOrder(p)
	for _, id := range p.tickets {
		l.naming[id] = append(l.naming[id], p)
	}
	if p.parent != "" {
		l.children[p.parent] = append(l.children[p.parent], p)
	}
	l.referPayment(p, 1)
	l.diagnosePayment(p, 1)
	return l.join(p)
}

// unlink removes a payment from every index.
func (l *Ledger) unlink(p *payment) {
	l.referPayment(p, -1)
	l.leaveOrder(p)
	for _, id := range p.tickets {
		prune(l.naming, id, p)
	}
	if p.parent != "" {
		prune(l.children, p.parent, p)
	}
	l.diagnosePayment(p, -1)
	l.leaveGroup(p)
}

func (l *Ledger) diagnosePayment(p *payment, n int) {
	if p.absurd {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.Of(figures.CodeAbsurd, record.KindPayment, record.Say("amount out of range")), ID: p.id}, n)
	}
	if p.counts && p.state == paymentUnmapped {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.NotMapped(record.KindPayment, l.names.Text(p.word)), ID: p.id}, n)
	}
	if p.counts && p.foreign {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.Of(figures.CodeCurrency, record.KindPayment, record.Say("refunded amount in another currency than the payment")), ID: p.id}, n)
	}
}

// paymentOf converts a record. It creates the accounts of its event and order if the ledger has none.
func (l *Ledger) paymentOf(r *record.Payment, revision int64) payment {
	p := payment{
		id:       r.ID,
		revision: revision,
		at:       firstOf(r.PaidAt, r.CreatedAt),
		amount:   r.Amount.Amount,
		currency: l.names.Ref(r.Amount.Currency),
		method:   l.names.Ref(r.Method),
		reason:   l.names.Ref(r.Reason),
		kind:     l.names.Ref(cmp.Or(string(r.Kind), string(record.KindOfPayment))),
		absurd:   r.Amount.Amount < 0 || r.Amount.Amount > mostAmount || r.Amount.Currency == "" && r.Amount.Amount != 0,
		out:      r.Test || r.Deleted,
	}
	var rare rarities
	if p.kind != ofPayment {
		rare.parent = r.ParentID
		if p.guessed = p.at == 0; p.guessed {
			p.at = figures.StampOf(l.returns[r.ID].Returned)
		}
	}
	if r.EventID != "" {
		p.event = l.account(r.EventID)
	}
	if len(r.TicketIDs) > 0 && (r.EventID == "" || r.OrderID == "") { // the tickets lead to the event or order that it does not name
		rare.tickets = slices.Compact(slices.Sorted(slices.Values(r.TicketIDs)))
	}
	own := l.order(r.OrderID)
	p.order, p.ownOrder = l.orderOf(own, rare.tickets), own != nil
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
	switch p.kind {
	case ofPayment, ofRefund, ofChargeback, ofReversal:
	default:
		p.state, rare.word = paymentUnmapped, p.kind
	}
	if p.rarities = noRarities; rare.parent != "" || rare.tickets != nil || rare.refunded != 0 || rare.word != 0 {
		p.rarities = new(rare)
	}
	return p
}
