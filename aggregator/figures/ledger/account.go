package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// accountByDay is an account together with what moved on each day. It is changed only by adding, so the order of
// additions does not matter.
type accountByDay struct {
	account
	days   sums.Days
	orders sums.OrderDays
}

// addAll adds another account n times.
func (a *accountByDay) addAll(o *accountByDay, n int) {
	a.account.addAll(&o.account, n)
	a.days.AddAll(&o.days, n)
	a.orders.AddAll(&o.orders, n)
}

// account holds sums, and counts of what makes them inexact.
type account struct {
	sums.Amounts
	unpriced         int // tickets sold without a price
	unmappedTickets  int
	unmappedPayments int
	undatedTickets   int
	undatedPayments  int
	undatedPending   int // refunds pending without a time
	fees, vat        given
	vatRated         int // tickets of vat.with whose VAT is computed from a rate
	orderlessItems   int // open items of tickets and payments without an order
	dayless          int // amounts of orders of which no day is known
}

// given counts sold tickets with and without an amount; tickets that cost nothing need no amount.
type given struct{ with, without int }

func (g *given) count(with, costs bool, n int) {
	switch {
	case with:
		g.with += n
	case costs:
		g.without += n
	}
}

func (g *given) addAll(o given, n int) {
	g.with += n * o.with
	g.without += n * o.without
}

// addAll adds another account n times.
func (a *account) addAll(o *account, n int) {
	a.Amounts.AddAll(o.Amounts, n)
	a.unpriced += n * o.unpriced
	a.unmappedTickets += n * o.unmappedTickets
	a.unmappedPayments += n * o.unmappedPayments
	a.undatedTickets += n * o.undatedTickets
	a.undatedPayments += n * o.undatedPayments
	a.undatedPending += n * o.undatedPending
	a.fees.addAll(o.fees, n)
	a.vat.addAll(o.vat, n)
	a.vatRated += n * o.vatRated
	a.orderlessItems += n * o.orderlessItems
	a.dayless += n * o.dayless
}

// holdsPayments reports whether money of payments is in the account.
func (a *account) holdsPayments() bool {
	return slices.ContainsFunc(a.Amounts, func(row sums.Amount) bool {
		basis := basisOf[row.Measure]
		return row.Value != 0 && (basis == onPayments || basis == onReturns)
	})
}

// cost is what the priced places that were sold in one currency cost, and how much of it is unpaid.
type cost struct {
	currency             sums.Ref
	amount, places       int64
	unpaid, unpaidPlaces int64
}

// cost adds places that were sold and places that are unpaid; negative numbers remove them.
func (e *eventAccount) cost(t *terms, places, unpaid int) {
	if !t.costs() || !t.priced || !t.admits {
		return
	}
	i := slices.IndexFunc(e.costs, func(c cost) bool { return c.currency == t.priceIn })
	if i < 0 {
		i = len(e.costs)
		e.costs = append(e.costs, cost{currency: t.priceIn})
	}
	c := &e.costs[i]
	c.amount, c.places = c.amount+t.price*int64(places), c.places+int64(places)
	c.unpaid, c.unpaidPlaces = c.unpaid+t.price*int64(unpaid), c.unpaidPlaces+int64(unpaid)
}

// paidFor returns the amounts booked for paid tickets, without fees. If split is false, payments are not known and
// every ticket with a price counts as paid.
func (e *eventAccount) paidFor(n *sums.Names, split bool) (all []figures.PaidFor) {
	for _, c := range e.costs {
		if split {
			c.amount, c.places = c.amount-c.unpaid, c.places-c.unpaidPlaces
		}
		if c.places > 0 {
			all = append(all, figures.PaidFor{Money: record.Money{Amount: c.amount, Currency: n.Text(c.currency)}, Places: c.places})
		}
	}
	slices.SortFunc(all, func(a, b figures.PaidFor) int { return cmp.Compare(a.Currency, b.Currency) })
	return all
}
