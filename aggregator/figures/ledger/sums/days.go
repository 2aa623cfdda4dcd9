package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// Days holds movements by day of sale, ascending.
type Days struct {
	rows      []*dayRow
	changed   bool
	published []*figures.DayFigures
}

// dayRow is what moved on one day.
type dayRow struct {
	Flow
	number    figures.DayNumber
	minutes   TimedSums
	vats      []dayVAT
	refunds   []dayRefunds
	changed   bool
	published *figures.DayFigures // nil if everything on the day adds up to nothing
}

// row returns the row of a day for changing, and creates it if there is none.
func (d *Days) row(n figures.DayNumber) *dayRow {
	i, found := len(d.rows)-1, len(d.rows) > 0 && d.rows[len(d.rows)-1].number == n
	if !found && i >= 0 {
		// Most days have movements, so the row's index is often the number of days since the first row.
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

func (d *Days) Move(m Movement, n figures.DayNumber, at figures.Stamp, names *Names) {
	r := d.row(n)
	r.move(m)
	r.minutes.move(m, at, names)
	r.moveVAT(m.VAT, at, names)
	r.moveRefund(m, at, names)
}

// AddAll adds other days n times.
func (d *Days) AddAll(o *Days, n int) {
	for _, r := range o.rows {
		row := d.row(r.number)
		row.AddAll(&r.Flow, n)
		row.minutes.AddAll(&r.minutes, n)
		for i := range r.vats {
			of := row.vat(r.vats[i].VATSource)
			of.AddAll(r.vats[i].Amounts, n)
			of.minutes.AddAll(&r.vats[i].minutes, n)
		}
		for i := range r.refunds {
			row.refundsFor(r.refunds[i].reason).minutes.AddAll(&r.refunds[i].minutes, n)
		}
	}
}

// Publish returns the days on which something happened. Those that did not change since the last call are the same
// pointers.
func (d *Days) Publish(n *Names) []*figures.DayFigures {
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

func (r *dayRow) figures(n *Names) *figures.DayFigures {
	f := figures.DayFigures{Day: r.number.Day(), Flow: r.Flow.publish(n), Minutes: r.minutes.publish(), VATs: r.vatFigures(n), Refunds: r.refundFigures(n)}
	if f.Minutes.Empty() && f.VATs == nil && f.Refunds == nil {
		return nil
	}
	return &f
}
