package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// basisOf is what the figures of each measure rest on.
var basisOf = [figures.MeasureCount]basis{
	figures.Booked:         onTickets,
	figures.Received:       onPayments,
	figures.Refunded:       onReturns,
	figures.ChargedBack:    onReturns,
	figures.Reversed:       onReturns,
	figures.Fees:           onFees,
	figures.VAT:            onVAT,
	figures.RefundsPending: onPayments,
	figures.ToBePaid:       onOrders,
	figures.ToBePaidBack:   onOrders,
}

// basis is what the figures of a measure are computed from.
type basis uint8

const (
	onTickets  basis = iota // prices of tickets
	onFees                  // what tickets give of them
	onVAT                   // what tickets give of it, or the venue's rates
	onPayments              // payments and refund records
	onReturns               // these, and what payments themselves report as gone back
	onOrders                // all of these
	basisCount
)

// flow is what has moved so far.
type flow struct {
	sold int
	figures.Lacks
	amounts
}

// movement is places, or money, or both, that move at once.
type movement struct {
	sold int
	figures.Lacks
	money
	vat vatMoved // whose money it is of, of a ticket
}

// money is what moves at once: amounts of different measures, some of them 0.
type money [3]amount

func (f *flow) move(m movement) {
	f.sold += m.sold
	f.Lacks = f.Lacks.Plus(m.Lacks, 1)
	for _, a := range m.money {
		f.amounts.add(a)
	}
}

// addAll adds another flow n times.
func (f *flow) addAll(o *flow, n int) {
	f.sold += n * o.sold
	f.Lacks = f.Lacks.Plus(o.Lacks, n)
	f.amounts.addAll(o.amounts, n)
}

func (f *flow) publish(n *names) figures.Flow {
	return figures.Flow{Sold: f.sold, Lacks: f.Lacks, Amounts: f.amounts.publish(n)}
}

// amounts are sums that change: a row for each measure and currency that ever moved, without
// pointers, in the order in which they came.
type amounts []amount

// amount is money of one measure, in minor units.
type amount struct {
	value    int64
	currency ref
	measure  figures.Measure
}

// times returns the amount n times.
func (a amount) times(n int) amount {
	a.value *= int64(n)
	return a
}

func (a *amounts) add(b amount) {
	if b.value == 0 {
		return
	}
	for i := range *a {
		if row := &(*a)[i]; row.measure == b.measure && row.currency == b.currency {
			row.value += b.value
			return
		}
	}
	*a = append(*a, b)
}

// addAll adds others n times.
func (a *amounts) addAll(o amounts, n int) {
	for _, row := range o {
		a.add(row.times(n))
	}
}

// publish returns a copy to be read by everybody.
func (a amounts) publish(n *names) (out figures.Amounts) {
	live := 0
	for _, row := range a {
		if row.value != 0 {
			live++
		}
	}
	if live == 0 {
		return out
	}
	slices.SortFunc(a, func(a, b amount) int {
		return cmp.Or(cmp.Compare(a.measure, b.measure), cmp.Compare(n.text(a.currency), n.text(b.currency)))
	})
	out.Rows = make([]record.Money, 0, live)
	for _, row := range a {
		if row.value != 0 {
			out.Rows = append(out.Rows, record.Money{Amount: row.value, Currency: n.text(row.currency)})
		}
		out.Ends[row.measure] = uint16(len(out.Rows))
	}
	for m := range figures.MeasureCount - 1 {
		out.Ends[m+1] = max(out.Ends[m+1], out.Ends[m])
	}
	return out
}
