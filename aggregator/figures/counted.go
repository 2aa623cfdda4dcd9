package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// countedIn says that a record is counted in a figure of a performance, by what the ledger holds of
// both.
type countedIn func(e *counting, r record.Record) bool

// counting is a performance in a ledger that has been folded, at a moment.
type counting struct {
	*Ledger
	event *eventAccount
	*Definition
	evening *Evening
	scope   Scope
}

// ticketsThat are those of the performance that count and of which something holds.
func ticketsThat(hold func(e *counting, id string, t *ticket) bool) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindTicket {
			return false
		}
		t := e.tickets[r.RecordID()]
		return t != nil && t.counts && t.event == e.event && e.inArea(t) && e.inPart(t) && hold(e, r.RecordID(), t)
	}
}

func (e *counting) inArea(t *ticket) bool {
	id := e.names.text(t.terms.typeID)
	return e.scope.Area == "" || areaOf(id, e.event.types[id]) == e.scope.Area
}

// soldThat are places that are sold of terms that say something; nil for all. In a figure of a window
// or of days it is what was sold or taken back in it, also where that comes to nothing.
func soldThat(hold func(*terms) bool) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		return e.sells(t) && t.admitting() > 0 && (hold == nil || hold(t.terms))
	})
}

// moneyThat are the tickets that bring money of a measure.
func moneyThat(m Measure) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		brings := t.terms.money(int64(t.places))
		if e.scope.VAT != (VATSource{}) && t.terms.vatSource() != e.scope.VAT {
			return false
		}
		return e.sells(t) && slices.ContainsFunc(brings[:], func(a amount) bool { return a.measure == m && a.value != 0 })
	})
}

// sells says that a ticket is sold or, in a figure that looks back so far, was sold or taken back.
func (e *counting) sells(t *ticket) bool {
	if !e.looksBack() && e.scope.From == "" {
		return t.state == ticketSold
	}
	return (t.state == ticketSold || t.state == ticketCancelled) && (e.lately(t.sold) || e.lately(t.cancelled))
}

// looksBack says that the figure is of a window or of days of sale.
func (d *Definition) looksBack() bool { return d.Today || d.days != 0 || d.window != 0 }

// lately says that a moment is within what the figure looks back to.
func (e *counting) lately(at stamp) bool {
	if at == 0 {
		return false
	}
	if e.window != 0 {
		until := stampOf(e.evening.At).minute()
		return at.minute() >= until-int64(e.window/time.Minute) && at.minute() < until
	}
	day := e.Ledger.days.dayOf(at).day()
	if until := e.scope.Until; !until.IsZero() && day == e.scope.To && at.minute() >= stampOf(until).minute() {
		return false
	}
	if e.scope.From != "" {
		return day >= e.scope.From && day <= e.scope.To && day <= e.evening.Today && at.minute() <= stampOf(e.evening.Now).minute()
	}
	return day > e.evening.Today.Add(-max(1, e.Definition.days)) && day <= e.evening.Today && at.minute() <= stampOf(e.evening.Now).minute()
}

// costing are sold places that cost something and are paid or not. Until payments have been read all
// of them count as paid.
func costing(paid bool) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		if t.state != ticketSold || t.admitting() == 0 || !t.terms.costs() {
			return false
		}
		isPaid := true
		if t.order != nil && e.known.payments.read() {
			came := t.order.receipts()
			isPaid = came.of(t.event)
		}
		return isPaid == paid
	})
}

// reservedPlaces are those that are held.
func reservedPlaces(e *counting, _ string, t *ticket) bool {
	return t.state == ticketReserved && t.admitting() > 0
}

// scannedThat are tickets of people who were scanned in, of which something holds.
func scannedThat(hold func(t *ticket, last scan) bool) countedIn {
	return ticketsThat(func(e *counting, id string, t *ticket) bool {
		scans, _ := e.scansOf(id, t)
		return t.admitting() > 0 && slices.ContainsFunc(scans, func(s scan) bool { return !s.exit }) && hold(t, scans[len(scans)-1])
	})
}

// paymentsOf are the records of which money of some measures comes.
func paymentsOf(measures ...Measure) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindPayment {
			return false
		}
		p := e.payments[r.RecordID()]
		if p == nil || !p.counts || !slices.ContainsFunc(e.weightsOf(p, e.payments[p.group.id]), func(w weight) bool { return w.event == e.event }) {
			return false
		}
		return slices.ContainsFunc(measures, func(m Measure) bool {
			posted := slices.ContainsFunc(p.group.posted, func(of posting) bool {
				return of.event == e.event && of.measure == m && !of.unmapped && (e.scope.From == "" || e.lately(of.at))
			})
			// What a payment itself says has gone back did so later than it came.
			own := e.scope.From == "" || p.kind == ofPayment && m != Received || e.lately(p.at)
			paidBy := e.scope.By != OfMethods || e.names.text(p.method) == e.scope.Part
			return posted && own && paidBy && p.brings(m)
		})
	}
}

// owing are the tickets that stand, and the payments, of orders that have an open item of one of the measures.
func owing(measures ...Measure) countedIn {
	return func(e *counting, r record.Record) bool {
		var o *order
		switch r.RecordKind() {
		case record.KindTicket:
			t := e.tickets[r.RecordID()]
			if t == nil || !t.counts || t.event != e.event || t.state != ticketSold {
				return false
			}
			if o = t.order; o == nil { // an order of its own
				return slices.Contains(measures, ToBePaid) && t.terms.costs()
			}
		case record.KindPayment:
			p := e.payments[r.RecordID()]
			if p == nil || !p.counts || !p.settled() || p.order == nil {
				return false
			}
			o = p.order
		}
		return o != nil && slices.ContainsFunc(e.appendPostings(nil, o), func(p orderPosting) bool {
			return p.event == e.event && slices.Contains(measures, p.measure) && p.value != 0
		})
	}
}

// brings says that money of a measure comes of the payment itself, and not of another of its group.
func (p *payment) brings(m Measure) bool {
	switch m {
	case Received:
		return p.kind == ofPayment && p.settled()
	case Refunded:
		if p.kind == ofPayment {
			return p.paidBack() > p.group.recordedBack(p)
		}
		return p.kind == ofRefund && p.settled()
	case RefundsPending:
		return p.kind == ofRefund && p.state == paymentPending
	case ChargedBack:
		if p.kind == ofPayment {
			return p.state == paymentChargedBack && !slices.ContainsFunc(p.group.members, func(o *payment) bool {
				return o.counts && o.kind == ofChargeback && o.settled()
			})
		}
		return p.kind == ofChargeback && p.settled()
	case Reversed:
		return p.kind == ofReversal && p.settled()
	}
	return false
}

// paidBack is what a payment itself reports as paid back.
func (p *payment) paidBack() int64 {
	if p.state == paymentRefunded {
		return p.amount
	}
	return min(p.refunded, p.amount)
}

// recordedBack is what refunds in the currency of their payment come to.
func (g *paymentGroup) recordedBack(of *payment) (sum int64) {
	for _, p := range g.members {
		if p.counts && p.kind == ofRefund && p.settled() && p.currency == of.currency {
			sum += p.amount
		}
	}
	return sum
}

// theEvent is the event itself, where it gives what the figure is read from: of a price area it does.
func theEvent(gives func(*record.Event) bool) countedIn {
	return func(e *counting, r record.Record) bool {
		event, ok := r.(*record.Event)
		return ok && event.ID == e.event.id && (e.scope.Area != "" || gives(event))
	}
}

func givesAvailable(r *record.Event) bool { _, ok := within(r.Available); return ok }
func givesBlocked(r *record.Event) bool   { _, ok := within(r.Blocked); return ok }

// givesCapacity says that an event's capacity, or that of its ticket types, is its own word.
func givesCapacity(r *record.Event) bool {
	if n, ok := within(r.Capacity); ok && n >= 0 {
		return true
	}
	_, ok := ofTypes(r.TicketTypes)
	return ok
}

// capacityCounts are the event or else its planning, whichever gives the capacity.
func capacityCounts(e *counting, r record.Record) bool {
	if r.RecordKind() != record.KindPlanning {
		return theEvent(givesCapacity)(e, r)
	}
	return e.event.record != nil && !givesCapacity(e.event.record) && plansThat(func(p planValues) bool { return p.places > 0 })(e, r)
}

// walkInsCounted are the notes of people without a ticket.
func walkInsCounted(e *counting, r record.Record) bool {
	w, ok := r.(*record.WalkIn)
	return ok && w.EventID == e.event.id
}
