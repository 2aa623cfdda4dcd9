package figures

// revenue is the money figures of an account. Where it is part of a whole, payments may
// belong elsewhere as long as the tickets that tell so have not been read.
func (a *account) revenue(k knowledge, refused refusals, isPart bool) Revenue {
	var tickets, payments caveat
	k.tickets.missing(&tickets, ReasonNoTickets, ReasonTicketsIncomplete)
	tickets.addIf(refused.tickets > 0, LowerBound, ReasonRefused)
	tickets.addIf(a.unpriced > 0, LowerBound, ReasonNoPrice)
	tickets.addIf(a.unmappedTickets > 0, LowerBound, ReasonUnknownStatus)
	tickets.addIf(a.undatedTickets > 0, Estimated, ReasonUndated)
	booked := figure(a.sums[moneyBooked].sums(), tickets)
	if !k.payments.offered {
		standsIn := booked.caveat()
		standsIn.add(Estimated, ReasonNoPayments)
		none := unknown[Sums](ReasonNoPayments)
		return Revenue{Booked: booked, Received: none, Refunded: none, Chargebacks: none, Net: figure(booked.Value, standsIn)}
	}
	k.payments.missing(&payments, ReasonNoPayments, ReasonPaymentsPartial)
	payments.addIf(refused.payments > 0, LowerBound, ReasonRefused)
	payments.addIf(a.unmappedPayments > 0, LowerBound, ReasonUnknownStatus)
	payments.addIf(a.undatedPayments > 0, Estimated, ReasonUndated)
	if isPart && k.unattributed {
		payments.addIf(!k.tickets.offered, LowerBound, ReasonNoTickets)
		payments.addIf(k.tickets.offered && !k.tickets.complete, LowerBound, ReasonTicketsIncomplete)
	}
	returns := payments
	returns.addIf(a.guessedReturns > 0, Estimated, ReasonUndated)
	received := a.sums[moneyReceived].sums()
	refunded := a.sums[moneyRefunded].sums()
	chargedBack := a.sums[moneyChargedBack].sums()
	return Revenue{
		Booked:         booked,
		Received:       figure(received, payments),
		Refunded:       figure(refunded, returns),
		Chargebacks:    figure(chargedBack, returns),
		Net:            figure(net(received, refunded, chargedBack), returns),
		RefundsPending: a.sums[moneyPending].sums(),
	}
}

// holdsPayments says that money of payments is in the account.
func (a *account) holdsPayments() bool {
	for _, p := range a.sums[moneyReceived:] {
		if p.sums() != nil {
			return true
		}
	}
	return false
}

// net is received − refunded − chargebacks (which are less reversals).
func net(received, refunded, chargebacks Sums) Sums {
	return Sums(nil).PlusAll(received, 1).PlusAll(refunded, -1).PlusAll(chargebacks, -1)
}
