package figures

import (
	"cmp"
	"slices"
)

// accountByDay is an account with its days. Only what is posted changes it, so that any order
// of postings leads to the same.
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
	guessedReturns   int // refunds and chargebacks on a day that is a guess
	fees, vat        given
	vatRated         int // of vat.with, tickets whose VAT is worked out from a rate
	looseItems       int // open items of what names no order
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
	a.guessedReturns += n * o.guessedReturns
	a.fees.addAll(o.fees, n)
	a.vat.addAll(o.vat, n)
	a.vatRated += n * o.vatRated
	a.looseItems += n * o.looseItems
}

// holdsPayments says that money of payments is in the account.
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
	published []*DayFigures
}

// dayRow is what moved on one day.
type dayRow struct {
	flow
	number    dayNumber
	minutes   timedSums
	vats      []dayVAT
	changed   bool
	published *DayFigures // nil where nothing is left of what happened
}

// row is the row of a day, to be changed.
func (d *days) row(n dayNumber) *dayRow {
	i, found := len(d.rows)-1, len(d.rows) > 0 && d.rows[len(d.rows)-1].number == n
	if !found && i >= 0 {
		// On most days something moves, so that a day is often as far from the first as its row.
		i = int(n - d.rows[0].number)
		found = 0 <= i && i < len(d.rows) && d.rows[i].number == n
	}
	if !found {
		i, found = slices.BinarySearchFunc(d.rows, n, func(r *dayRow, n dayNumber) int {
			return cmp.Compare(r.number, n)
		})
	}
	if !found {
		d.rows = slices.Insert(d.rows, i, &dayRow{number: n})
	}
	d.changed, d.rows[i].changed = true, true
	return d.rows[i]
}

func (d *days) move(m movement, n dayNumber, at stamp, names *names) {
	r := d.row(n)
	r.move(m)
	r.minutes.move(m, at, names)
	r.moveVAT(m.vat, at, names)
}

// publish returns the days on which something happened; those that did not change since
// the last call are the same.
func (d *days) publish(n *names) []*DayFigures {
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

func (r *dayRow) figures(n *names) *DayFigures {
	f := DayFigures{Day: r.number.day(), Flow: r.flow.publish(n), minutes: r.minutes.publish(), vats: r.vatFigures(n)}
	if f.minutes == nil && f.vats == nil {
		return nil
	}
	return &f
}
