package figures

import (
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
	// Fees are what buyers pay beside the prices of tickets, booked as those are: fees, and what belongs to no ticket
	// (record.ExtraKind).
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
	MeasureCount
)

// measureNames are the names of the measures.
var measureNames = [MeasureCount]string{
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

// String returns the measure's name.
func (m Measure) String() string { return measureNames[m] }

// Extra is what was sold under one name of what belongs to no ticket, less what was cancelled.
type Extra struct {
	Kind   record.ExtraKind
	Name   string // empty if it has none
	Number int
	Amount Sums
}

// Flow is what moved: places, and money by measure. It is immutable.
type Flow struct {
	Sold int // places sold minus those cancelled
	Lacks
	Amounts
}

// Moved reports whether anything did.
func (f *Flow) Moved() bool { return f.Sold != 0 || f.Rows != nil }

// Plus is both flows together.
func (f Flow) Plus(o Flow) Flow {
	return Flow{f.Sold + o.Sold, f.Lacks.Plus(o.Lacks, 1), f.Amounts.Plus(o.Amounts)}
}

// Has reports whether there is a row for each of another's.
func (a Amounts) Has(o Amounts) bool {
	for m := range MeasureCount {
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

// Places is Sold with the quality of all that was sold; Estimated where a movement is here by a
// guess.
func (f Flow) Places(all Figure[int]) Figure[int] {
	c := all.Caveat()
	c.AddIf(f.Voids > 0, Estimated, ReasonUndated)
	return New(f.Sold, c)
}

// Lacks counts the movements that keep the sums of their days from being exact.
type Lacks struct {
	Voids    int // tickets that were voided at a time that is a guess, because none was given
	Returns  int // what went back of payments at such a time
	Unpriced int // tickets sold or cancelled without a price
	Feeless  int // those of them that cost something and give no fee
	VATless  int // likewise no VAT, without a rate
	VATRated int // whose VAT is worked out from a rate
}

// Plus is both together, the other n times.
func (l Lacks) Plus(o Lacks, n int) Lacks {
	return Lacks{l.Voids + n*o.Voids, l.Returns + n*o.Returns, l.Unpriced + n*o.Unpriced, l.Feeless + n*o.Feeless, l.VATless + n*o.VATless, l.VATRated + n*o.VATRated}
}

// Amounts are sums by measure. The zero value is nothing. They are immutable.
type Amounts struct {
	Rows []record.Money       // by measure, then currency; none is zero
	Ends [MeasureCount]uint16 // where the rows of each measure end
}

// Of returns the amounts of one measure.
func (a Amounts) Of(m Measure) Sums {
	start, end := uint16(0), a.Ends[m]
	if m > 0 {
		start = a.Ends[m-1]
	}
	if start == end {
		return nil
	}
	return Sums(a.Rows[start:end:end])
}

// Net is received − refunded − charged back + won back.
func (a Amounts) Net() Sums {
	return a.Of(Received).PlusAll(a.Of(Refunded), -1).PlusAll(a.Of(ChargedBack), -1).PlusAll(a.Of(Reversed), 1)
}

// AmountsOf are sums of one measure alone.
func AmountsOf(m Measure, s Sums) Amounts {
	a := Amounts{Rows: s}
	for ; m < MeasureCount; m++ {
		a.Ends[m] = uint16(len(s))
	}
	return a
}

// Plus is both together.
func (a Amounts) Plus(o Amounts) Amounts {
	switch {
	case a.Rows == nil:
		return o
	case o.Rows == nil:
		return a
	}
	sum := Amounts{Rows: make([]record.Money, 0, len(a.Rows)+len(o.Rows))}
	for m := range MeasureCount {
		sum.Rows = appendSum(sum.Rows, a.Of(m), o.Of(m))
		sum.Ends[m] = uint16(len(sum.Rows))
	}
	if len(sum.Rows) == 0 {
		sum.Rows = nil
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
