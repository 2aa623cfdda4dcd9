package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// accountByDay is an account with its days. Only postings change it, so their order does not matter.
type accountByDay struct {
	account
	days   days
	orders orderDays
}

// addAll adds another account n times.
func (a *accountByDay) addAll(o *accountByDay, n int) {
	a.account.addAll(&o.account, n)
	for _, r := range o.days.rows {
		row := a.days.row(r.number)
		row.addAll(&r.flow, n)
		row.minutes.addAll(&r.minutes, n)
		for i := range r.vats {
			of := row.vat(r.vats[i].VATSource)
			of.addAll(r.vats[i].amounts, n)
			of.minutes.addAll(&r.vats[i].minutes, n)
		}
	}
	a.orders.addAll(&o.orders, n)
}

// account holds sums and what keeps them from being exact.
type account struct {
	amounts
	unpriced         int // tickets sold without a price
	unmappedTickets  int
	unmappedPayments int
	undatedTickets   int
	undatedPayments  int
	undatedPending   int // refunds pending, on no day
	guessedVoids     int // tickets that were voided on a day that is a guess
	guessedReturns   int // refunds and chargebacks on a day that is a guess
	fees, vat        given
	vatRated         int // of vat.with, tickets whose VAT is worked out from a rate
	orderlessItems   int // open items of what names no order
}

// given counts tickets that were sold, by whether they give an amount; those that cost nothing
// need not.
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
	a.amounts.addAll(o.amounts, n)
	a.unpriced += n * o.unpriced
	a.unmappedTickets += n * o.unmappedTickets
	a.unmappedPayments += n * o.unmappedPayments
	a.undatedTickets += n * o.undatedTickets
	a.undatedPayments += n * o.undatedPayments
	a.undatedPending += n * o.undatedPending
	a.guessedVoids += n * o.guessedVoids
	a.guessedReturns += n * o.guessedReturns
	a.fees.addAll(o.fees, n)
	a.vat.addAll(o.vat, n)
	a.vatRated += n * o.vatRated
	a.orderlessItems += n * o.orderlessItems
}

// holdsPayments reports whether money of payments is in the account.
func (a *account) holdsPayments() bool {
	return slices.ContainsFunc(a.amounts, func(row amount) bool {
		basis := basisOf[row.measure]
		return row.value != 0 && (basis == onPayments || basis == onReturns)
	})
}

// days holds movements by day of sale, ascending.
type days struct {
	rows      []*dayRow
	changed   bool
	published []*figures.DayFigures
}

// dayRow is what moved on one day.
type dayRow struct {
	flow
	number    figures.DayNumber
	minutes   timedSums
	vats      []dayVAT
	changed   bool
	published *figures.DayFigures // nil if nothing is left of what happened
}

// row returns the row of a day, to be changed.
func (d *days) row(n figures.DayNumber) *dayRow {
	i, found := len(d.rows)-1, len(d.rows) > 0 && d.rows[len(d.rows)-1].number == n
	if !found && i >= 0 {
		// On most days something moves, so that a day is often as far from the first as its row.
		i = int(n - d.rows[0].number)
		found = 0 <= i && i < len(d.rows) && d.rows[i].number == n
	}
	if !found {
		i, found = slices.BinarySearchFunc(d.rows, n, func(r *dayRow, n figures.DayNumber) int {
			return cmp.Compare(r.number, n)
		})
	}
	if !found {
		d.rows = slices.Insert(d.rows, i, &dayRow{number: n})
	}
	d.changed, d.rows[i].changed = true, true
	return d.rows[i]
}

func (d *days) move(m movement, n figures.DayNumber, at figures.Stamp, names *names) {
	r := d.row(n)
	r.move(m)
	r.minutes.move(m, at, names)
	r.moveVAT(m.vat, at, names)
}

// publish returns the days on which something happened; those that did not change since
// the last call are the same.
func (d *days) publish(n *names) []*figures.DayFigures {
	if !d.changed {
		return d.published
	}
	d.changed, d.published = false, nil
	for _, r := range d.rows {
		if r.changed {
			r.changed, r.published = false, r.figures(n)
		}
		if r.published != nil {
			d.published = append(d.published, r.published)
		}
	}
	return d.published
}

func (r *dayRow) figures(n *names) *figures.DayFigures {
	f := figures.DayFigures{Day: r.number.Day(), Flow: r.flow.publish(n), Minutes: r.minutes.publish(), VATs: r.vatFigures(n)}
	if f.Minutes == nil && f.VATs == nil {
		return nil
	}
	return &f
}

// cost is what places of one currency cost that are sold for a price, and of these what is unpaid.
type cost struct {
	currency             ref
	amount, places       int64
	unpaid, unpaidPlaces int64
}

// cost adds places that were sold, and places that are unpaid; negative numbers take them out.
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

// paidFor returns the amounts booked for paid tickets, without fees. split is true if payments decide what
// is unpaid; without it, every ticket with a price counts as paid.
func (e *eventAccount) paidFor(n *names, split bool) (all []figures.PaidFor) {
	for _, c := range e.costs {
		if split {
			c.amount, c.places = c.amount-c.unpaid, c.places-c.unpaidPlaces
		}
		if c.places > 0 {
			all = append(all, figures.PaidFor{Money: record.Money{Amount: c.amount, Currency: n.text(c.currency)}, Places: c.places})
		}
	}
	slices.SortFunc(all, func(a, b figures.PaidFor) int { return cmp.Compare(a.Currency, b.Currency) })
	return all
}
