package figures

import (
	"housecount/apiclient/record"
)

// Measure is a kind of amount.
type Measure uint8

// The measures. Amounts are signed: what reduces a measure is negative.
const (
	// Booked is price × places of tickets sold, less that of tickets cancelled.
	Booked Measure = iota
	// Received is settled payments, including those refunded later.
	Received
	Refunded
	// ChargedBack is what banks took back, and Reversed the part of it that was won back.
	ChargedBack
	Reversed
	// Fees is what buyers pay besides the prices of tickets, booked in the same way: fees, and extras
	// (record.ExtraKind).
	Fees
	// VAT is the VAT in the prices of tickets, as reported or else by the venue's rate.
	VAT
	// RefundsPending is refunds that were reported and have not settled. They are never subtracted, and count on
	// the day on which they were requested.
	RefundsPending
	// ToBePaid and ToBePaidBack are the open items of orders: what was booked and the fees, less the net received and
	// Goodwill, which is what was paid back for tickets that stay valid. They are on no day of sale.
	ToBePaid
	ToBePaidBack
	Goodwill
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
	Goodwill:       "goodwill",
}

// String returns the measure's name.
func (m Measure) String() string { return measureNames[m] }

// Extra is what was sold under one name without belonging to a ticket, less what was cancelled.
type Extra struct {
	Kind   record.ExtraKind
	Name   string // empty if it has no name
	Number int
	Amount Sums
}

// Flow is a sum of movements: places, and money by measure. It is immutable.
type Flow struct {
	Sold int // places sold minus those cancelled
	Lacks
	Amounts
}

// Moved reports whether anything moved.
func (f *Flow) Moved() bool { return f.Sold != 0 || f.Rows != nil }

// Plus returns the sum of both flows.
func (f Flow) Plus(o Flow) Flow {
	return Flow{f.Sold + o.Sold, f.Lacks.Plus(o.Lacks, 1), f.Amounts.Plus(o.Amounts)}
}

// Has reports whether a has a row for each row of o.
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

// Places returns Sold with the quality of all that was sold; Estimated if the time of a movement is a guess, or while tickets are
// read: what comes may be a cancellation.
func (f Flow) Places(all Figure[int]) Figure[int] {
	c := all.Caveat()
	c.AddIf(f.Voids > 0, Estimated, ReasonUndated)
	return New(f.Sold, c.OfDifference())
}

// Lacks counts the movements that make the sums of their days inexact.
type Lacks struct {
	Voids    int // tickets whose time of cancellation is a guess, because none was reported
	Returns  int // refunds and chargebacks whose time is a guess
	Unpriced int // tickets sold or cancelled without a price
	Feeless  int // of them, those with a price but without a fee
	VATless  int // of them, those with a price but without VAT or a rate
	VATRated int // of them, those whose VAT is computed from a rate
}

// Plus returns l plus n times o.
func (l Lacks) Plus(o Lacks, n int) Lacks {
	return Lacks{l.Voids + n*o.Voids, l.Returns + n*o.Returns, l.Unpriced + n*o.Unpriced, l.Feeless + n*o.Feeless, l.VATless + n*o.VATless, l.VATRated + n*o.VATRated}
}

// Amounts are sums by measure. They are immutable; the zero value is empty.
type Amounts struct {
	Rows []record.Money       // by measure, then currency; none is zero
	Ends [MeasureCount]uint16 // the end of the rows of each measure
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

// Net returns received − refunded − charged back + won back.
func (a Amounts) Net() Sums {
	return a.Of(Received).PlusAll(a.Of(Refunded), -1).PlusAll(a.Of(ChargedBack), -1).PlusAll(a.Of(Reversed), 1)
}

// AmountsOf returns sums of a single measure.
func AmountsOf(m Measure, s Sums) Amounts {
	a := Amounts{Rows: s}
	for ; m < MeasureCount; m++ {
		a.Ends[m] = uint16(len(s))
	}
	return a
}

// Plus returns the sum of both.
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
