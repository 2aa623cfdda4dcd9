package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// Less returns the figure less another of its unit.
func (v Value) Less(o Value) Value {
	return Value{Count: v.Count - o.Count, Share: v.Share - o.Share, Amount: v.Amount.PlusAll(o.Amount, -1)}
}

// Some reports whether it is not nothing.
func (v Value) Some() bool { return v.Count != 0 || v.Share != 0 || len(v.Amount) > 0 }

// Unit is what a figure counts.
type Unit uint8

// The units.
const (
	Places Unit = iota
	People
	Share // a part of a whole, 1 being all of it
	Money
	Mean // how many of something for one of something else
	OrderCount
	Contact
	PerMinute // people a minute, as a Share
)

// Ratio reports whether a figure of the unit is a quotient, a Value's Share.
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

// Term is a figure in the formula of another, of the same scope.
type Term struct {
	Op Op
	Key
}

// Value is a figure of any unit: Amount of money, Share of a quotient and of a rate, Count of what is
// counted. An estimate from comparable performances has a Band.
type Value struct {
	Count   int
	Share   float64
	Amount  Sums
	Band    Band // zero for none
	Quality Quality
	Reasons []Reason
}

// In returns the value with its amounts in one currency alone; an empty one leaves all of them.
func (v Value) In(currency string) Value {
	if currency != "" {
		v.Amount = slices.DeleteFunc(slices.Clone(v.Amount), func(m record.Money) bool { return m.Currency != currency })
	}
	return v
}

// Known reports whether the figure has a value at all.
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

// Band is where eight of ten lie, from the 10th to the 90th percentile, and the median.
type Band struct{ Low, Median, High int }
