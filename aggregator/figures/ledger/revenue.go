package ledger

import (
	"housecount/aggregator/figures"
)

// revenue returns the money figures of an account. Where it is part of a whole, payments may
// belong elsewhere as long as the tickets that show it have not been read.
func (a *account) revenue(n *names, k *Knowledge, refused refusals, isPart bool) (r figures.Revenue) {
	on := a.caveats(k, refused, isPart)
	sums := a.amounts.publish(n)
	for m := range figures.MeasureCount {
		r.Measures[m] = figures.New(sums.Of(m), on[basisOf[m]])
	}
	r.Net = figures.New(sums.Net(), on[onReturns].OfDifference())
	if !k.payments.offered {
		booked := r.Of(figures.Booked)
		standsIn := booked.Caveat()
		standsIn.Add(figures.Estimated, figures.ReasonNoPayments)
		r.Net = figures.New(booked.Value, standsIn)
	}
	return r
}

// caveats returns what keeps the figures of each basis from being exact.
func (a *account) caveats(k *Knowledge, refused refusals, isPart bool) (on [basisCount]figures.Caveat) {
	tickets := &on[onTickets]
	k.tickets.missing(tickets, figures.ReasonNoTickets, figures.ReasonTicketsIncomplete)
	tickets.AddIf(refused.tickets > 0, figures.LowerBound, figures.ReasonRefused)
	tickets.AddIf(a.unpriced > 0, figures.LowerBound, figures.ReasonNoPrice)
	tickets.AddIf(a.unmappedTickets > 0, figures.LowerBound, figures.ReasonUnknownStatus)
	tickets.AddIf(a.undatedTickets > 0, figures.Estimated, figures.ReasonUndated)

	on[onFees], on[onVAT] = *tickets, *tickets
	on[onFees].AddIf(a.fees.without > 0, figures.LowerBound, figures.ReasonNoFees)
	on[onFees].AddIf(!k.fees, figures.Unknown, figures.ReasonNoFees)
	on[onVAT].AddIf(a.vat.without > 0, figures.LowerBound, figures.ReasonNoVAT)
	on[onVAT].AddIf(a.vatRated > 0, figures.Estimated, figures.ReasonVATRate)
	on[onVAT].AddIf(!k.vat, figures.Unknown, figures.ReasonNoVAT)

	payments := &on[onPayments]
	k.payments.missing(payments, figures.ReasonNoPayments, figures.ReasonPaymentsPartial)
	if k.payments.offered {
		payments.AddIf(refused.payments > 0, figures.LowerBound, figures.ReasonRefused)
		payments.AddIf(a.unmappedPayments > 0, figures.LowerBound, figures.ReasonUnknownStatus)
		payments.AddIf(a.undatedPayments > 0, figures.Estimated, figures.ReasonUndated)
		if isPart && k.unattributed {
			payments.AddIf(!k.tickets.offered, figures.LowerBound, figures.ReasonNoTickets)
			payments.AddIf(k.tickets.offered && !k.tickets.complete, figures.LowerBound, figures.ReasonTicketsIncomplete)
			payments.AddIf(k.tickets.behind, figures.Estimated, figures.ReasonBehind)
		}
	}
	on[onReturns] = *payments
	on[onReturns].AddIf(k.payments.offered && a.guessedReturns > 0, figures.Estimated, figures.ReasonUndated)
	orders := tickets.And(on[onReturns]).OfDifference()
	orders.AddIf(!k.fees || a.fees.without > 0, figures.Estimated, figures.ReasonNoFees)
	orders.AddIf(a.orderlessItems > 0, figures.Estimated, figures.ReasonNoOrder)
	orders.AddIf(!k.orders, figures.Unknown, figures.ReasonNoOrder)
	on[onOrders] = orders
	return on
}
