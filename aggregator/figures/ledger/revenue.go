package ledger

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// revenue returns the money figures of an account. isPart is true for a part of the total: its payments may belong
// elsewhere until the tickets that decide this have been read.
func (a *account) revenue(n *sums.Names, k *Knowledge, refused refusals, isPart bool) figures.Revenue {
	sums := a.Amounts.Publish(n)
	r := revenueOf(sums, a.withoutTimes().caveats(k, refused, isPart), k)
	if days := a.withoutLacks(); days != nil {
		r.Timeless = new(revenueOf(sums, days.caveats(k, refused, isPart), k))
	}
	r.DaylessOrders = a.dayless != 0
	return r
}

// revenueOf returns sums, each with its caveat.
func revenueOf(sums figures.Amounts, on [basisCount]figures.Caveat, k *Knowledge) (r figures.Revenue) {
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

// withoutTimes returns the account without the counts of unknown times: a sum over all days does not depend on when
// something moved.
func (a *account) withoutTimes() *account {
	all := *a
	all.undatedTickets, all.undatedPayments = 0, 0
	return &all
}

// withoutLacks returns the account, for its days, without the counts that its days of sale have too (figures.Lacks); nil if its
// days lack nothing that all of it does not lack.
func (a *account) withoutLacks() *account {
	if a.unpriced == 0 && a.undatedTickets == 0 && a.undatedPayments == 0 && a.fees.without == 0 && a.vat.without == 0 && a.vatRated == 0 {
		return nil
	}
	days := *a
	days.unpriced, days.fees.without, days.vat.without, days.vatRated = 0, 0, 0, 0
	return &days
}

// caveats returns the caveat of each basis.
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
		if isPart && k.unattributed {
			payments.AddIf(!k.tickets.offered, figures.LowerBound, figures.ReasonNoTickets)
			payments.AddIf(k.tickets.offered && !k.tickets.complete, figures.LowerBound, figures.ReasonTicketsIncomplete)
			k.tickets.mark(payments)
		}
	}
	orders := tickets.And(*payments).OfDifference() // a refund may have been made at any time
	orders.AddIf(!k.fees || a.fees.without > 0, figures.Estimated, figures.ReasonNoFees)
	orders.AddIf(a.orderlessItems > 0, figures.Estimated, figures.ReasonNoOrder)
	orders.AddIf(!k.orders, figures.Unknown, figures.ReasonNoOrder)
	on[onOrders] = orders
	payments.AddIf(k.payments.offered && a.undatedPayments > 0, figures.Estimated, figures.ReasonUndated) // what is open does not depend on when
	on[onReturns] = *payments
	return on
}
