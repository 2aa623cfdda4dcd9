package figures

import "slices"

// revenue is the money figures of an account. Where it is part of a whole, payments may
// belong elsewhere as long as the tickets that show it have not been read.
func (a *account) revenue(n *names, k *Knowledge, refused refusals, isPart bool) (r Revenue) {
	on := a.caveats(k, refused, isPart)
	sums := a.amounts.publish(n)
	for m := range measureCount {
		r.Measures[m] = figure(sums.Of(m), on[basisOf[m]])
	}
	r.Net = figure(sums.Net(), on[onReturns].ofDifference())
	if !k.payments.offered {
		booked := r.Of(Booked)
		standsIn := booked.caveat()
		standsIn.add(Estimated, ReasonNoPayments)
		r.Net = figure(booked.Value, standsIn)
	}
	return r
}

// caveats are what keeps the figures of each basis from being exact.
func (a *account) caveats(k *Knowledge, refused refusals, isPart bool) (on [basisCount]caveat) {
	tickets := &on[onTickets]
	k.tickets.missing(tickets, ReasonNoTickets, ReasonTicketsIncomplete)
	tickets.addIf(refused.tickets > 0, LowerBound, ReasonRefused)
	tickets.addIf(a.unpriced > 0, LowerBound, ReasonNoPrice)
	tickets.addIf(a.unmappedTickets > 0, LowerBound, ReasonUnknownStatus)
	tickets.addIf(a.undatedTickets > 0, Estimated, ReasonUndated)

	on[onFees], on[onVAT] = *tickets, *tickets
	on[onFees].addIf(a.fees.without > 0, LowerBound, ReasonNoFees)
	on[onFees].addIf(!k.fees, Unknown, ReasonNoFees)
	on[onVAT].addIf(a.vat.without > 0, LowerBound, ReasonNoVAT)
	on[onVAT].addIf(a.vatRated > 0, Estimated, ReasonVATRate)
	on[onVAT].addIf(!k.vat, Unknown, ReasonNoVAT)

	payments := &on[onPayments]
	k.payments.missing(payments, ReasonNoPayments, ReasonPaymentsPartial)
	if k.payments.offered {
		payments.addIf(refused.payments > 0, LowerBound, ReasonRefused)
		payments.addIf(a.unmappedPayments > 0, LowerBound, ReasonUnknownStatus)
		payments.addIf(a.undatedPayments > 0, Estimated, ReasonUndated)
		if isPart && k.unattributed {
			payments.addIf(!k.tickets.offered, LowerBound, ReasonNoTickets)
			payments.addIf(k.tickets.offered && !k.tickets.complete, LowerBound, ReasonTicketsIncomplete)
			payments.addIf(k.tickets.behind, Estimated, ReasonBehind)
		}
	}
	on[onReturns] = *payments
	on[onReturns].addIf(k.payments.offered && a.guessedReturns > 0, Estimated, ReasonUndated)
	orders := tickets.and(on[onReturns]).ofDifference()
	orders.addIf(!k.fees || a.fees.without > 0, Estimated, ReasonNoFees)
	orders.addIf(a.looseItems > 0, Estimated, ReasonNoOrder)
	orders.addIf(!k.orders, Unknown, ReasonNoOrder)
	on[onOrders] = orders
	return on
}

// ofDifference is the caveat of a difference whose terms have c: where one of them may be more
// than is known, it may be less or more, and while payments are being read for the first time
// it says nothing.
func (c caveat) ofDifference() caveat {
	switch {
	case slices.Contains(c.reasons, ReasonPaymentsPartial):
		c.quality = Unknown
	case c.quality == LowerBound:
		c.quality = Estimated
	}
	return c
}

// BookedStandsIn says that Net is what was booked, because the service offers no payments. It is
// to be shown under a name of its own.
func (r *Revenue) BookedStandsIn() bool {
	return r.Net.Known() && slices.Contains(r.Net.Reasons, ReasonNoPayments)
}

// NetReceived is what was received net. It is Unknown where receipts are; what was booked never
// stands in for it.
func (r *Revenue) NetReceived() Figure[Sums] {
	if received := r.Of(Received); !received.Known() {
		return received
	}
	return r.Net
}
