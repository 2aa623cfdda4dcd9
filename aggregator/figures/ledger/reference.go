package ledger

// refer counts records that name an event; negative counts remove them.
func (l *Ledger) refer(e *eventAccount, r references) {
	e.named.addAll(r, 1)
	if e.record == nil {
		l.missing.events.addAll(r, 1)
	}
}

// referTicket counts the reference of a ticket to its event (n = 1) or removes it (n = −1).
func (l *Ledger) referTicket(t *ticket, n int) {
	if t.terms.extra != 0 && t.event.id == "" {
		return
	}
	r := references{tickets: n}
	if t.state == ticketSold {
		r.places = n * t.admitting()
	}
	l.refer(t.event, r)
}

// referPayment counts the references of a payment (n = 1) or removes them (n = −1).
func (l *Ledger) referPayment(p *payment, n int) {
	if !p.counts || !p.settled() {
		return
	}
	if p.event != 0 {
		l.refer(l.numbered[p.event], references{payments: n})
	}
	if p.ownOrder && !l.hasTickets(l.orderAt(p.order)) {
		l.missing.orders += n
	}
	if l.lacksTicket(p) {
		l.missing.tickets += n
	}
}

// lacksTicket reports whether a payment names a ticket that has not arrived.
func (l *Ledger) lacksTicket(p *payment) bool {
	for _, id := range l.rare(p).tickets {
		if l.tickets.Get(id) == nil {
			return true
		}
	}
	return false
}

// share adds a ticket to its order (n = 1) or removes it (n = −1). It also updates the count of payments whose
// order has no tickets.
func (l *Ledger) share(t *ticket, n int) {
	o := t.order
	if o == nil {
		l.postOrderlessTicket(t, n)
		return
	}
	l.ordered += n
	l.change(o)
	l.changeRows(o, func() { l.addToOrder(o, t, int32(n)) })
}

// shareGone adds a deleted ticket to what its order had (n = 1) or removes it (n = −1).
func (l *Ledger) shareGone(t *ticket, n int) {
	l.change(t.order)
	l.changeRows(t.order, func() {
		if l.gone[t.order] = addTo(l.gone[t.order], t, int32(n)); len(l.gone[t.order]) == 0 {
			delete(l.gone, t.order)
		}
	})
}

// hasTickets reports whether an order has tickets, or had.
func (l *Ledger) hasTickets(o *order) bool { return o.rows != 0 || len(l.gone[o]) > 0 }

// changeRows changes the rows of an order, and with them the count of payments whose order has no tickets.
func (l *Ledger) changeRows(o *order, change func()) {
	had := l.hasTickets(o)
	change()
	has := l.hasTickets(o)
	if has == had {
		return
	}
	n := 1
	if had {
		n = -1
	}
	for _, number := range l.paymentsOf(o) {
		p := l.paymentAt(number)
		if p.ownOrder && p.counts && p.settled() {
			l.missing.orders -= n
		}
	}
}

// ticketArrives holds a ticket for the first time.
func (l *Ledger) ticketArrives(id string, t *ticket) {
	l.missing.scans -= len(l.byTicket[id])
	before := 0
	for _, p := range l.naming[id] {
		if p.counts && p.settled() {
			before++
		}
	}
	l.hold(t, l.tickets.Entry(id))
	l.missing.tickets -= before
	for _, p := range l.naming[id] {
		if p.counts && p.settled() && l.lacksTicket(p) {
			l.missing.tickets++
		}
	}
}
