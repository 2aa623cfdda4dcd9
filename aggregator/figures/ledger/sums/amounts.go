package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Flow is the sum of movements.
type Flow struct {
	sold int
	figures.Lacks
	Amounts
}

// Movement is a change of places, money or both at one moment.
type Movement struct {
	Sold int
	figures.Lacks
	Money
	VAT    VATMoved    // of a ticket, the part of money by source of its VAT
	Refund RefundMoved // of money refunded
}

// Money is amounts of different measures; some of them may be 0.
type Money [3]Amount

// DueIn returns what a buyer owes for it in a currency: all but the VAT, which the price contains.
func (m Money) DueIn(currency Ref) (sum int64) {
	for _, a := range m {
		if a.Currency == currency && a.Measure != figures.VAT {
			sum += a.Value
		}
	}
	return sum
}

func (f *Flow) move(m Movement) {
	f.sold += m.Sold
	f.Lacks = f.Lacks.Plus(m.Lacks, 1)
	for _, a := range m.Money {
		f.Amounts.Add(a)
	}
}

// AddAll adds another flow n times.
func (f *Flow) AddAll(o *Flow, n int) {
	f.sold += n * o.sold
	f.Lacks = f.Lacks.Plus(o.Lacks, n)
	f.Amounts.AddAll(o.Amounts, n)
}

func (f *Flow) publish(n *Names) figures.Flow {
	return figures.Flow{Sold: f.sold, Lacks: f.Lacks, Amounts: f.Amounts.Publish(n)}
}

// Amounts are sums that change: one row for each measure and currency that ever moved, in the order in which they
// first moved.
type Amounts []Amount

// Amount is money of one measure, in minor units.
type Amount struct {
	Value    int64
	Currency Ref
	Measure  figures.Measure
}

// Times returns n times the amount.
func (a Amount) Times(n int) Amount {
	a.Value *= int64(n)
	return a
}

func (a *Amounts) Add(b Amount) {
	if b.Value == 0 {
		return
	}
	for i := range *a {
		if row := &(*a)[i]; row.Measure == b.Measure && row.Currency == b.Currency {
			row.Value += b.Value
			return
		}
	}
	*a = append(*a, b)
}

// AddAll adds others n times.
func (a *Amounts) AddAll(o Amounts, n int) {
	for _, row := range o {
		a.Add(row.Times(n))
	}
}

// Publish returns a copy, sorted by measure and currency, without rows that are 0.
func (a Amounts) Publish(n *Names) (out figures.Amounts) {
	live := 0
	for _, row := range a {
		if row.Value != 0 {
			live++
		}
	}
	if live == 0 {
		return out
	}
	slices.SortFunc(a, func(a, b Amount) int {
		return cmp.Or(cmp.Compare(a.Measure, b.Measure), cmp.Compare(n.Text(a.Currency), n.Text(b.Currency)))
	})
	out.Rows = make([]record.Money, 0, live)
	for _, row := range a {
		if row.Value != 0 {
			out.Rows = append(out.Rows, record.Money{Amount: row.Value, Currency: n.Text(row.Currency)})
		}
		out.Ends[row.Measure] = uint16(len(out.Rows))
	}
	for m := range figures.MeasureCount - 1 {
		out.Ends[m+1] = max(out.Ends[m+1], out.Ends[m])
	}
	return out
}

// Open returns what the amount adds to the open item of its order: money received reduces it.
func (a Amount) Open() int64 {
	switch a.Measure {
	case figures.Received, figures.Reversed:
		return -a.Value
	}
	return a.Value
}
