package figures

import "housecount/apiclient/record"

// Strays are tickets of events that no list gave. They count in the totals and are shown with
// no event.
type Strays struct {
	Tickets int // whatever their status
	Places  int // of those that are sold
}

// references count the records that name one event.
type references struct {
	tickets, places int // places of those tickets that are sold
	payments        int // settled
	plans           int // that give it places
}

func (r *references) addAll(o references, n int) {
	r.tickets += n * o.tickets
	r.places += n * o.places
	r.payments += n * o.payments
	r.plans += n * o.plans
}

// missing counts the records that name what no list gave.
type missing struct {
	events  references // to events
	orders  int        // settled payments of orders without tickets
	tickets int        // settled payments of tickets
	scans   int        // scans of tickets
}

// refer counts records that name an event (or takes them out, where they are negative).
func (l *Ledger) refer(e *eventAccount, r references) {
	e.named.addAll(r, 1)
	if e.record == nil {
		l.missing.events.addAll(r, 1)
	}
}

// referTicket counts a ticket (n = 1) or takes it out (n = −1).
func (l *Ledger) referTicket(t *ticket, n int) {
	r := references{tickets: n}
	if t.state == ticketSold {
		r.places = n * t.admitting()
	}
	l.refer(t.event, r)
}

// referPayment counts what a payment names (n = 1) or takes it out (n = −1).
func (l *Ledger) referPayment(p *payment, n int) {
	if !p.counts || !p.settled() {
		return
	}
	if p.event != nil {
		l.refer(p.event, references{payments: n})
	}
	if p.order != nil && len(p.order.shares) == 0 {
		l.missing.orders += n
	}
	if l.lacksTicket(p) {
		l.missing.tickets += n
	}
}

// lacksTicket says that a payment names a ticket that has not arrived.
func (l *Ledger) lacksTicket(p *payment) bool {
	for _, id := range p.tickets {
		if l.tickets[id] == nil {
			return true
		}
	}
	return false
}

// share puts a ticket's share into its order (n = 1) or takes it out (n = −1), and counts the
// payments of an order that now has tickets, or has none any more.
func (l *Ledger) share(t *ticket, n int) {
	o := t.order
	if o == nil {
		return
	}
	had := len(o.shares) > 0
	o.add(t.share(), n)
	if has := len(o.shares) > 0; has != had {
		for _, p := range o.payments {
			if p.counts && p.settled() {
				l.missing.orders -= n
			}
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
	l.tickets[id] = t
	l.missing.tickets -= before
	for _, p := range l.naming[id] {
		if p.counts && p.settled() && l.lacksTicket(p) {
			l.missing.tickets++
		}
	}
}

// eventArrives takes those that name an event, which has just arrived, off the missing.
func (l *Ledger) eventArrives(e *eventAccount) { l.missing.events.addAll(e.named, -1) }

// strays are those of the snapshot: none while events are still being read.
func (m *missing) strays(k *knowledge) Strays {
	if !k.eventsComplete {
		return Strays{}
	}
	return Strays{m.events.tickets, m.events.places}
}

// diagnostics say what names something that no list gave, once those lists have been read.
func (m *missing) diagnostics(k *knowledge) (all []Diagnostic) {
	find := func(kind record.Kind, what string, count int) {
		if count > 0 {
			all = append(all, Diagnostic{Code: CodeUnknownReference, Kind: kind, Text: what, Count: count})
		}
	}
	if k.eventsComplete {
		const what = "names an event that no list gave"
		find(record.KindTicket, what, m.events.tickets)
		find(record.KindPayment, what, m.events.payments)
		find(record.KindPlanning, what, m.events.plans)
	}
	if k.tickets.read() {
		find(record.KindPayment, "names an order of which there is no ticket", m.orders)
		find(record.KindPayment, "names a ticket that no list gave", m.tickets)
		find(record.KindScan, "names a ticket that no list gave", m.scans)
	}
	return all
}
