package figures

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// Measure is one of the amounts of money that are counted.
type Measure uint8

// The measures. An amount is signed: what takes it away is negative.
const (
	// Booked is price × places when a ticket is sold, less that of tickets cancelled.
	Booked Measure = iota
	// Received are settled payments, those later refunded included.
	Received
	Refunded
	// ChargedBack is what banks took back, and Reversed what was won back of it.
	ChargedBack
	Reversed
	// Fees are what buyers paid on top of the prices of tickets, booked as those are.
	Fees
	// VAT is what the prices of tickets contain of it, as given or else by the rate that the venue has
	// set.
	VAT
	// RefundsPending were reported and have not settled: never subtracted, and on the day on which they
	// were asked for.
	RefundsPending
	// ToBePaid and ToBePaidBack are the open items of orders: what was booked and the fees, less
	// what was received net. They are on no day of sale.
	ToBePaid
	ToBePaidBack
	measureCount
)

// measureNames are the names of the measures.
var measureNames = [measureCount]string{
	Booked:         "booked",
	Received:       "received",
	Refunded:       "refunded",
	ChargedBack:    "charged back",
	Reversed:       "won back",
	Fees:           "fees",
	VAT:            "VAT",
	RefundsPending: "refunds pending",
	ToBePaid:       "to be paid",
	ToBePaidBack:   "to be paid back",
}

// basisOf is what the figures of each measure rest on.
var basisOf = [measureCount]basis{
	Booked:         onTickets,
	Received:       onPayments,
	Refunded:       onReturns,
	ChargedBack:    onReturns,
	Reversed:       onReturns,
	Fees:           onFees,
	VAT:            onVAT,
	RefundsPending: onPayments,
	ToBePaid:       onOrders,
	ToBePaidBack:   onOrders,
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

// String is the measure's name.
func (m Measure) String() string { return measureNames[m] }

// Flow is what moved: places, and money by measure. It is immutable.
type Flow struct {
	Sold int // places sold minus those cancelled
	Guessed
	Amounts
}

// moved says that anything did.
func (f *Flow) moved() bool { return f.Sold != 0 || f.rows != nil }

// plus is both flows together.
func (f Flow) plus(o Flow) Flow {
	return Flow{f.Sold + o.Sold, f.Guessed.plus(o.Guessed, 1), f.Amounts.plus(o.Amounts)}
}

// flowSum sums flows in rows of its own.
type flowSum struct {
	Flow
	own bool
}

func (f *flowSum) add(o Flow) {
	if !f.own || !f.has(o.Amounts) {
		f.Flow, f.own = f.Flow.plus(o), f.Flow.rows != nil && o.rows != nil
		return
	}
	f.Sold += o.Sold
	f.Guessed = f.Guessed.plus(o.Guessed, 1)
	for m := range measureCount {
		rows, i := f.Of(m), 0
		for _, r := range o.Of(m) {
			for rows[i].Currency != r.Currency {
				i++
			}
			rows[i].Amount += r.Amount
		}
	}
}

// has says that there is a row for each of another's.
func (a Amounts) has(o Amounts) bool {
	for m := range measureCount {
		rows := a.Of(m)
		for _, r := range o.Of(m) {
			for len(rows) > 0 && rows[0].Currency != r.Currency {
				rows = rows[1:]
			}
			if len(rows) == 0 {
				return false
			}
		}
	}
	return true
}

// flow is what the flows came to.
func (f *flowSum) flow() Flow {
	if f.own && f.rows != nil { // without those that came to nothing
		f.Amounts = f.Amounts.plus(Amounts{rows: []record.Money{}})
	}
	return f.Flow
}

// Places is Sold with the quality of all that was sold; Estimated where a movement is here by a
// guess.
func (f Flow) Places(all Figure[int]) Figure[int] {
	c := all.caveat()
	c.addIf(f.Voids > 0, Estimated, ReasonUndated)
	return figure(f.Sold, c)
}

// Guessed are the movements whose time is a guess, because none was given.
type Guessed struct {
	Voids   int // tickets that were voided
	Returns int // what went back of payments
}

// plus is both together, the other n times.
func (g Guessed) plus(o Guessed, n int) Guessed {
	return Guessed{g.Voids + n*o.Voids, g.Returns + n*o.Returns}
}

// Amounts are sums by measure. The zero value is nothing. They are immutable.
type Amounts struct {
	rows []record.Money       // by measure, then currency; none is zero
	ends [measureCount]uint16 // where the rows of each measure end
}

// Of are the amounts of one measure.
func (a Amounts) Of(m Measure) Sums {
	start, end := uint16(0), a.ends[m]
	if m > 0 {
		start = a.ends[m-1]
	}
	if start == end {
		return nil
	}
	return Sums(a.rows[start:end:end])
}

// Net is received − refunded − charged back + won back.
func (a Amounts) Net() Sums {
	return a.Of(Received).PlusAll(a.Of(Refunded), -1).PlusAll(a.Of(ChargedBack), -1).PlusAll(a.Of(Reversed), 1)
}

// amountsOf are sums of one measure alone.
func amountsOf(m Measure, s Sums) Amounts {
	a := Amounts{rows: s}
	for ; m < measureCount; m++ {
		a.ends[m] = uint16(len(s))
	}
	return a
}

// plus is both together.
func (a Amounts) plus(o Amounts) Amounts {
	switch {
	case a.rows == nil:
		return o
	case o.rows == nil:
		return a
	}
	sum := Amounts{rows: make([]record.Money, 0, len(a.rows)+len(o.rows))}
	for m := range measureCount {
		sum.rows = appendSum(sum.rows, a.Of(m), o.Of(m))
		sum.ends[m] = uint16(len(sum.rows))
	}
	if len(sum.rows) == 0 {
		sum.rows = nil
	}
	return sum
}

// appendSum appends a + b.
func appendSum(rows []record.Money, a, b Sums) []record.Money {
	for len(a) > 0 || len(b) > 0 {
		var next record.Money
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Currency < b[0].Currency:
			next, a = a[0], a[1:]
		case len(a) == 0 || b[0].Currency < a[0].Currency:
			next, b = b[0], b[1:]
		default:
			next = record.Money{Amount: a[0].Amount + b[0].Amount, Currency: a[0].Currency}
			a, b = a[1:], b[1:]
		}
		if next.Amount != 0 {
			rows = append(rows, next)
		}
	}
	return rows
}

// flow is what has moved so far.
type flow struct {
	sold int
	Guessed
	amounts
}

// movement is places, or money, or both, that move at once.
type movement struct {
	sold int
	Guessed
	money
	vat vatMoved // whose money it is of, of a ticket
}

// money is what moves at once: amounts of different measures, some of them 0.
type money [3]amount

func (f *flow) move(m movement) {
	f.sold += m.sold
	f.Guessed = f.Guessed.plus(m.Guessed, 1)
	for _, a := range m.money {
		f.amounts.add(a)
	}
}

// addAll adds another flow n times.
func (f *flow) addAll(o *flow, n int) {
	f.sold += n * o.sold
	f.Guessed = f.Guessed.plus(o.Guessed, n)
	f.amounts.addAll(o.amounts, n)
}

func (f *flow) publish(n *names) Flow { return Flow{f.sold, f.Guessed, f.amounts.publish(n)} }

// amounts are sums that change: a row for each measure and currency that ever moved, without
// pointers, in the order in which they came.
type amounts []amount

// amount is money of one measure, in minor units.
type amount struct {
	value    int64
	currency ref
	measure  Measure
}

// times is the amount n times.
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

// publish is a copy to be read by everybody.
func (a amounts) publish(n *names) (out Amounts) {
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
	out.rows = make([]record.Money, 0, live)
	for _, row := range a {
		if row.value != 0 {
			out.rows = append(out.rows, record.Money{Amount: row.value, Currency: n.text(row.currency)})
		}
		out.ends[row.measure] = uint16(len(out.rows))
	}
	for m := range measureCount - 1 {
		out.ends[m+1] = max(out.ends[m+1], out.ends[m])
	}
	return out
}
