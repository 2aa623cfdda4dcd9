package ledger

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/areas"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// countedIn reports whether a record counts in a figure of a performance.
type countedIn func(e *counting, r record.Record) bool

// Counting names a figure of a performance at a moment.
type Counting struct {
	figures.Key
	figures.Scope
	// Window is how far back the figure looks before the minute of the figures; 0 for a figure of all time. OfToday is
	// true for one of the running day of sale.
	Window  time.Duration
	OfToday bool
	// At is the minute of the figures, Now the minute that is shown, and Today its day of sale.
	At, Now time.Time
	Today   figures.Day
}

// Counted returns a function that reports whether a record counts in the figure. It is nil if the figure is not
// counted from single records.
func (l *Ledger) Counted(c Counting) func(record.Record) bool {
	counted := countedFrom[c.Key]
	if counted == nil {
		return nil
	}
	if c.Key == figures.KeyOtherDays { // orders dated ahead are of no day yet
		c.To = min(c.To, c.Today)
	}
	e := &counting{l, l.account(c.Event), c}
	return func(r record.Record) bool { return counted(e, r) }
}

// counting is a Counting together with the ledger and the performance's account.
type counting struct {
	*Ledger
	event *eventAccount
	asked Counting
}

// countedFrom holds, for each figure that is counted from single records, which records of a performance count.
var countedFrom = map[figures.Key]countedIn{
	figures.KeyCapacity:        capacityCounts,
	figures.KeyAvailable:       availableCounts,
	figures.KeyBlocked:         theEvent(givesBlocked),
	figures.KeySold:            soldThat(nil),
	figures.KeyPaid:            costing(true),
	figures.KeyUnpaid:          costing(false),
	figures.KeyComplimentary:   soldThat(func(t *terms) bool { return t.complimentary }),
	figures.KeyFreeTickets:     soldThat((*terms).free),
	figures.KeyReserved:        reservedCounts,
	figures.KeyFree:            availableCounts,
	figures.KeySoldHour:        soldThat(nil),
	figures.KeySold24Hours:     soldThat(nil),
	figures.KeySold7Days:       soldThat(nil),
	figures.KeySoldToday:       soldThat(nil),
	figures.KeyExpected:        expectedTickets,
	figures.KeyCame:            orPassed(entries, scannedThat(func(*ticket, scan) bool { return true })),
	figures.KeyArrived:         orPassed(entries, scannedThat(func(t *ticket, _ scan) bool { return t.state == ticketSold })),
	figures.KeyCameUnsold:      scannedThat(func(t *ticket, _ scan) bool { return t.state != ticketSold }),
	figures.KeyPresent:         orPassed(passages, scannedThat(func(_ *ticket, last scan) bool { return !last.exit })),
	figures.KeyOut:             orPassed(passages, scannedThat(func(_ *ticket, last scan) bool { return last.exit })),
	figures.KeyWalkIns:         walkInsCounted,
	figures.KeyBooked:          moneyThat(figures.Booked),
	figures.KeyBookedToday:     moneyThat(figures.Booked),
	figures.KeyReceived:        paymentsOf(figures.Received),
	figures.KeyRefunded:        paymentsOf(figures.Refunded),
	figures.KeyChargedBack:     paymentsOf(figures.ChargedBack),
	figures.KeyReversed:        paymentsOf(figures.Reversed),
	figures.KeyNet:             paymentsOf(figures.Received, figures.Refunded, figures.ChargedBack, figures.Reversed),
	figures.KeyStandsIn:        moneyThat(figures.Booked),
	figures.KeyRefundsPending:  paymentsOf(figures.RefundsPending),
	figures.KeyFees:            moneyThat(figures.Fees),
	figures.KeyVAT:             moneyThat(figures.VAT),
	figures.KeyNetOfVAT:        moneyThat(figures.Booked),
	figures.KeyToBePaid:        owing(figures.ToBePaid),
	figures.KeyGoodwill:        owing(figures.Goodwill),
	figures.KeyToBePaidBack:    owing(figures.ToBePaidBack),
	figures.KeyOpenItems:       owing(figures.ToBePaid, figures.ToBePaidBack),
	figures.KeyOtherDays:       ofOtherDays,
	figures.KeyForecast:        plansThat(func(p planValues) bool { return p.visits > 0 }),
	figures.KeyPlannedRevenue:  plansThat(func(p planValues) bool { return p.revenue.Currency != "" }),
	figures.KeyMarketingBudget: plansThat(func(p planValues) bool { return p.marketing.Currency != "" }),
	figures.KeyOrdered:         inOrders,
	figures.KeyBuyersNew:       boughtBy(func(first, known bool) bool { return known && first }),
	figures.KeyBuyersReturning: boughtBy(func(first, known bool) bool { return known && !first }),
	figures.KeyBuyersUnknown:   boughtBy(func(_, known bool) bool { return !known }),
	figures.KeyEntries1:        orPassed(entriesLately, enteredLately),
	figures.KeyEntries5:        orPassed(entriesLately, enteredLately),
	figures.KeyEntries15:       orPassed(entriesLately, enteredLately),
}

// ticketsThat counts the tickets of the performance that satisfy hold and are neither tests nor deleted.
func ticketsThat(hold func(e *counting, id string, t *ticket) bool) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindTicket {
			return false
		}
		t, known := e.ticket(r.RecordID())
		return known && t.counts && t.event == e.event && e.inArea(&t) && e.inPart(&t) && hold(e, r.RecordID(), &t)
	}
}

func (e *counting) inArea(t *ticket) bool {
	id := e.names.Text(t.terms.typeID)
	return e.asked.Area == "" || areas.NameOf(id, e.event.types[id]) == e.asked.Area
}

// soldThat counts the sold places whose terms satisfy hold; nil for all. For a figure of a window or of days it
// counts those sold or cancelled in that time, even if they add up to zero.
func soldThat(hold func(*terms) bool) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		return e.sells(t) && t.admitting() != 0 && (hold == nil || hold(t.terms))
	})
}

// expectedTickets counts the sold tickets of a performance that is not cancelled.
func expectedTickets(e *counting, r record.Record) bool {
	return !e.event.cancelled() && soldThat(nil)(e, r)
}

// moneyThat counts the tickets that contribute to a measure.
func moneyThat(m figures.Measure) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		brings := t.terms.money(int64(t.places))
		if e.asked.VAT != (figures.VATSource{}) && t.terms.vatSource() != e.asked.VAT {
			return false
		}
		return e.sells(t) && slices.ContainsFunc(brings[:], func(a sums.Amount) bool { return a.Measure == m && a.Value != 0 })
	})
}

// sells reports whether a ticket is sold or, in a figure of a window or of days, was sold or cancelled in that
// time.
func (e *counting) sells(t *ticket) bool {
	if e.asked.Orders {
		return t.state == ticketSold && e.placed(t.order, t.made)
	}
	if !e.asked.looksBack() && e.asked.From == "" {
		return t.state == ticketSold
	}
	return (t.state == ticketSold || t.state == ticketCancelled) && (e.lately(t.sold) || e.lately(t.cancelled))
}

// looksBack reports whether the figure is of a window or of days of sale.
func (c *Counting) looksBack() bool { return c.OfToday || c.Window != 0 }

// lately reports whether a moment is in the window, on the days, or on the day of the figure.
func (e *counting) lately(at figures.Stamp) bool {
	if at == 0 {
		return false
	}
	if e.asked.Window != 0 {
		until := figures.StampOf(e.asked.At).Minute()
		return at.Minute() >= until-int64(e.asked.Window/time.Minute) && at.Minute() < until
	}
	day := e.Ledger.days.DayOf(at).Day()
	if until := e.asked.Until; !until.IsZero() && day == e.asked.To && at.Minute() >= figures.StampOf(until).Minute() {
		return false
	}
	if e.asked.From != "" {
		return day >= e.asked.From && day <= e.asked.To && day <= e.asked.Today && at.Minute() <= figures.StampOf(e.asked.Now).Minute()
	}
	return day == e.asked.Today && at.Minute() <= figures.StampOf(e.asked.Now).Minute()
}

// costing counts the sold places with a price that are paid, or those that are not. Until payments have been read,
// all of them count as paid.
func costing(paid bool) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		if t.state != ticketSold || t.admitting() == 0 || !t.terms.costs() {
			return false
		}
		isPaid := true
		if t.order != nil && e.known.payments.read() {
			whole, _ := e.whole(t.order)
			came := e.receipts(&whole)
			isPaid = came.of(t.event.number)
		}
		return isPaid == paid
	})
}

// reservedCounts returns the tickets that are held, or the event where none is and it says how many are.
func reservedCounts(e *counting, r record.Record) bool {
	if r.RecordKind() == record.KindEvent {
		n, ok := figures.Within(r.(*record.Event).Reserved)
		return r.RecordID() == e.event.id && e.asked.Area == "" && ok && n > 0 && e.event.reserved == 0
	}
	return ticketsThat(reservedPlaces)(e, r)
}

// reservedPlaces counts the reserved tickets.
func reservedPlaces(e *counting, _ string, t *ticket) bool {
	return t.state == ticketReserved && t.admitting() != 0
}

// scannedThat counts the tickets that were scanned in and satisfy hold.
func scannedThat(hold func(t *ticket, last scan) bool) countedIn {
	return ticketsThat(func(e *counting, id string, t *ticket) bool {
		scans, _ := e.scansOf(id, t)
		return t.admitting() > 0 && slices.ContainsFunc(scans, func(s scan) bool { return !s.exit }) && hold(t, scans[len(scans)-1])
	})
}

// paymentsOf counts the payment records that contribute to one of the measures.
func paymentsOf(measures ...figures.Measure) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindPayment {
			return false
		}
		p := e.payments.Get(r.RecordID())
		if p == nil || !p.counts || !slices.ContainsFunc(e.weightsOf(p, e.mainOf(p)), func(w weight) bool { return w.event == e.event }) {
			return false
		}
		all := e.postings.Get(e.groupOf(p).posted)
		_, alone := e.orderless(all)
		return slices.ContainsFunc(measures, func(m figures.Measure) bool {
			posted := slices.ContainsFunc(all, func(of posting) bool {
				return of.event == e.event.number && of.Measure == m && !of.unmapped && (e.asked.From == "" || e.asked.Orders && e.placed(e.orderAt(of.order), alone) || !e.asked.Orders && e.lately(of.at))
			})
			// What a payment reports itself as paid back went back later than it came in.
			own := e.asked.From == "" || e.asked.Orders || p.kind == ofPayment && m != figures.Received || e.lately(p.at)
			paidBy := e.asked.By != figures.OfMethods || e.names.Text(p.method) == e.asked.Part
			return posted && own && paidBy && e.brings(p, m)
		})
	}
}

// owing counts the sold tickets and the payments of orders that have an open item of one of the measures.
func owing(measures ...figures.Measure) countedIn {
	return func(e *counting, r record.Record) bool {
		var o *order
		switch r.RecordKind() {
		case record.KindTicket:
			t, known := e.ticket(r.RecordID())
			if !known || !t.counts || t.event != e.event || t.state != ticketSold {
				return false
			}
			if o = t.order; o == nil { // it counts as an order of its own
				return slices.Contains(measures, figures.ToBePaid) && t.terms.costs() && (!e.asked.Orders || e.placed(nil, t.made))
			}
		case record.KindPayment:
			p := e.payments.Get(r.RecordID())
			if p == nil || !p.counts || !p.settled() || p.order == 0 {
				return false
			}
			o = e.orderAt(p.order)
		}
		if o == nil {
			return false
		}
		whole, _ := e.whole(o)
		return slices.ContainsFunc(e.appendPostingsOf(nil, &whole), func(p orderPosting) bool {
			return p.event == e.event && slices.Contains(measures, p.Measure) && p.Value != 0 && (!e.asked.Orders || e.placed(nil, p.day))
		})
	}
}

// placed reports whether an order was placed on the days of the figure; without an order it is what has the day alone.
func (e *counting) placed(o *order, alone figures.DayNumber) bool {
	if o != nil {
		whole, _ := e.whole(o)
		alone = e.dayOf(&whole)
	}
	return alone != noDay && alone.Day() >= e.asked.From && alone.Day() <= e.asked.To
}

// ofOtherDays counts the tickets and payments that moved money on the days of the figure for orders of others, or on others for
// orders of these.
func ofOtherDays(e *counting, r record.Record) bool {
	if r.RecordKind() == record.KindTicket {
		return ticketsThat(func(e *counting, _ string, t *ticket) bool {
			placed, m := e.placed(t.order, t.made), t.terms.money(int64(t.places))
			return (m[0].Value != 0 || m[1].Value != 0) && (t.state == ticketSold || t.state == ticketCancelled) &&
				(e.lately(t.sold) != placed || t.state == ticketCancelled && e.lately(t.cancelled) != placed)
		})(e, r)
	}
	p := e.payments.Get(r.RecordID())
	if r.RecordKind() != record.KindPayment || p == nil || !p.counts {
		return false
	}
	all := e.postings.Get(e.groupOf(p).posted)
	_, alone := e.orderless(all)
	return slices.ContainsFunc(all, func(of posting) bool {
		placed := e.placed(e.orderAt(of.order), alone)
		return of.event == e.event.number && !of.unmapped && of.Measure != figures.RefundsPending && e.brings(p, of.Measure) && e.lately(of.at) != placed &&
			(p.kind == ofPayment && of.Measure != figures.Received || e.lately(p.at) != placed)
	})
}

// brings reports whether money of a measure comes from the payment itself, rather than from another of its group.
func (l *Ledger) brings(p *payment, m figures.Measure) bool {
	switch m {
	case figures.Received:
		return p.kind == ofPayment && p.settled()
	case figures.Refunded:
		if p.kind == ofPayment {
			return l.paidBack(p) > l.recordedBack(p)
		}
		return p.kind == ofRefund && p.settled()
	case figures.RefundsPending:
		return p.kind == ofRefund && p.state == paymentPending
	case figures.ChargedBack:
		if p.kind == ofPayment {
			return p.state == paymentChargedBack && !slices.ContainsFunc(l.appendPayments(nil, l.membersOf(l.groupOf(p))), func(o *payment) bool {
				return o.counts && o.kind == ofChargeback && o.settled()
			})
		}
		return p.kind == ofChargeback && p.settled()
	case figures.Reversed:
		return p.kind == ofReversal && p.settled()
	}
	return false
}

// paidBack returns what a payment itself reports as paid back.
func (l *Ledger) paidBack(p *payment) int64 {
	if p.state == paymentRefunded {
		return p.amount
	}
	return min(l.rare(p).refunded, p.amount)
}

// recordedBack returns the sum of the refunds of a payment in its currency.
func (l *Ledger) recordedBack(of *payment) (sum int64) {
	for _, number := range l.membersOf(l.groupOf(of)) {
		p := l.paymentAt(number)
		if p.counts && p.kind == ofRefund && p.settled() && p.currency == of.currency {
			sum += p.amount
		}
	}
	return sum
}

// theEvent counts the event itself if its record gives the figure. For a price area it always does.
func theEvent(gives func(*record.Event) bool) countedIn {
	return func(e *counting, r record.Record) bool {
		event, ok := r.(*record.Event)
		return ok && event.ID == e.event.id && (e.asked.Area != "" || gives(event))
	}
}

func givesAvailable(r *record.Event) bool { _, ok := figures.Within(r.Available); return ok }

func givesBlocked(r *record.Event) bool { _, ok := figures.Within(r.Blocked); return ok }

// availableCounts counts the event if its record gives the places available, else its limits.
func availableCounts(e *counting, r record.Record) bool {
	if r.RecordKind() != record.KindPlanning {
		return theEvent(givesAvailable)(e, r)
	}
	return e.event.record != nil && e.event.record.Available == nil && e.limits(r)
}

// limits reports whether a record limits what can be sold of the performance.
func (e *counting) limits(r record.Record) bool {
	p := e.plans[r.RecordID()]
	return p.event == e.event && p.limit != nil
}

// givesCapacity reports whether an event's record gives the capacity, directly or by its ticket types.
func givesCapacity(r *record.Event) bool {
	if n, ok := figures.Within(r.Capacity); ok && n >= 0 {
		return true
	}
	_, ok := ofTypes(r.TicketTypes)
	return ok
}

// capacityCounts counts the event or else its planning records, whichever gives the capacity.
func capacityCounts(e *counting, r record.Record) bool {
	if r.RecordKind() != record.KindPlanning {
		return theEvent(givesCapacity)(e, r)
	}
	if e.event.record == nil || e.event.record.Capacity != nil {
		return false
	}
	return e.limits(r) || !givesCapacity(e.event.record) && plansThat(func(p planValues) bool { return p.places > 0 })(e, r)
}

// walkInsCounted counts the records of people without a ticket.
func walkInsCounted(e *counting, r record.Record) bool {
	w, ok := r.(*record.WalkIn)
	return ok && w.EventID == e.event.id
}

// plansThat counts the planning records of the performance that satisfy give.
func plansThat(give func(planValues) bool) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindPlanning {
			return false
		}
		p := e.plans[r.RecordID()]
		return p.event == e.event && give(p.planValues)
	}
}

// inOrders counts the sold places that name an order.
func inOrders(e *counting, r record.Record) bool {
	return soldThat(nil)(e, r) && e.tickets.Get(r.RecordID()).order != 0
}

// boughtBy counts the sold places by what is known of who bought them: whether it was on their first day.
func boughtBy(hold func(first, known bool) bool) countedIn {
	return ticketsThat(func(e *counting, _ string, t *ticket) bool {
		return t.state == ticketSold && t.admitting() != 0 && hold(e.isFirst(t))
	})
}

// enteredLately counts the tickets that were scanned in within the window, through the gate if one is given.
var enteredLately = ticketsThat(func(e *counting, id string, t *ticket) bool {
	scans, _ := e.scansOf(id, t)
	return t.admitting() > 0 && slices.ContainsFunc(scans, func(s scan) bool {
		return !s.exit && e.lately(s.at) && (e.asked.Gate == "" || e.names.Text(s.gate) == e.asked.Gate)
	})
})

// orPassed returns also the scans that name no ticket and of which something holds.
func orPassed(hold func(e *counting, p *listedScan) bool, tickets countedIn) countedIn {
	return func(e *counting, r record.Record) bool {
		if r.RecordKind() != record.KindScan {
			return tickets(e, r)
		}
		p := e.scans[r.RecordID()]
		return p != nil && p.counts && p.through && p.event == e.event && hold(e, p)
	}
}

func passages(*counting, *listedScan) bool { return true }

func entries(_ *counting, p *listedScan) bool { return !p.exit }

func entriesLately(e *counting, p *listedScan) bool {
	return !p.exit && e.lately(p.at) && (e.asked.Gate == "" || e.names.Text(p.gate) == e.asked.Gate)
}

// inPart reports whether a ticket belongs to the part of the sales that the scope names.
func (e *counting) inPart(t *ticket) bool {
	d, isSold := e.asked.By.Dimension()
	switch {
	case e.asked.By == "":
		return true
	case isSold && d == figures.ByTicketType:
		return t.terms.part(d).OfType(&e.names, e.event.types) == e.asked.Part
	case isSold:
		return e.names.Text(t.terms.part(d).Name) == e.asked.Part
	case e.asked.By == figures.OfTowns:
		return e.names.Text(e.homeOfTicket(t).town) == e.asked.Part
	case e.asked.By == figures.OfPostcodes:
		return e.names.Text(e.homeOfTicket(t).postcode) == e.asked.Part
	case e.asked.By == figures.OfSaleDays && t.sold == 0:
		return e.asked.Part == ""
	case e.asked.By == figures.OfSaleDays:
		return string(e.Ledger.days.DayOf(t.sold).Day()) == e.asked.Part
	case e.asked.By == figures.OfLeadTimes && t.sold == 0:
		return e.asked.Part == figures.UndatedLead.Part()
	case e.asked.By == figures.OfLeadTimes:
		date, _ := e.event.day.Number()
		from := 0
		if i := sums.LeadBandOf(int(date - e.Ledger.days.DayOf(t.sold))); i > 0 {
			from = figures.LeadEnds[i-1]
		}
		return figures.LeadBand{From: from}.Part() == e.asked.Part
	}
	return false
}
