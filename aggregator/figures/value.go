package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// Less returns v less another value of the same unit.
func (v Value) Less(o Value) Value {
	return Value{Count: v.Count - o.Count, Share: v.Share - o.Share, Amount: v.Amount.PlusAll(o.Amount, -1)}
}

// Some reports whether the value is not zero.
func (v Value) Some() bool { return v.Count != 0 || v.Share != 0 || len(v.Amount) > 0 }

// Unit is what a figure counts.
type Unit uint8

// The units.
const (
	Places Unit = iota
	People
	Share // a part of a whole, 1 being all of it
	Money
	Mean // a number of something per one of something else
	OrderCount
	Contact
	PerMinute // people per minute, as a Share
)

// Ratio reports whether figures of the unit are quotients, stored in Value.Share.
func (u Unit) Ratio() bool { return u == Share || u == Mean || u == PerMinute }

// Op is what a term does in a formula.
type Op uint8

// The operations, from left to right.
const (
	Plus Op = iota
	Less
	DividedBy
	Times
)

// Term is a figure in the formula of another figure of the same scope.
type Term struct {
	Op Op
	Key
}

// Value is a figure of any unit: Amount for money, Share for a quotient or rate, Count for what is counted. An
// estimate from comparable performances has a Band.
type Value struct {
	Count   int
	Share   float64
	Amount  Sums
	Band    Band // zero for none
	Quality Quality
	Reasons []Reason
}

// AtMost reports whether an estimate for these reasons can only be too high: people who may have left count as inside, and
// places of an area that others may have taken count as free.
func AtMost(reasons []Reason) bool {
	if slices.Equal(reasons, []Reason{ReasonAreasMayOverlap}) {
		return true
	}
	return slices.Contains(reasons, ReasonNoExits) && !slices.ContainsFunc(reasons, func(r Reason) bool {
		return r != ReasonNoExits && r != ReasonWalkIns
	})
}

// In returns the value with only its amounts in one currency; with all of them for an empty one.
func (v Value) In(currency string) Value {
	if currency != "" {
		v.Amount = slices.DeleteFunc(slices.Clone(v.Amount), func(m record.Money) bool { return m.Currency != currency })
	}
	return v
}

// Known reports whether the figure has a value.
func (v Value) Known() bool { return v.Quality != Unknown }

func CountOf(f Figure[int]) Value {
	return Value{Count: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func ShareOf(f Figure[float64]) Value {
	return Value{Share: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func MoneyOf(f Figure[Sums]) Value {
	return Value{Amount: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

// Band is the 10th percentile, the median and the 90th percentile.
type Band struct{ Low, Median, High int }
