package catalogue

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Explanation is how a figure comes about.
type Explanation struct {
	*Definition
	Scope figures.Scope
	// Event is the performance that it is of; nil for others.
	Event *figures.EventFigures
	// From are the kinds of records that it is counted from within the scope.
	From []record.Kind
	figures.Value
	// VAT are the sales by their VAT, where the figure is made of that; Period are the days of these, nil where it is of no
	// days.
	VAT    []figures.VATFigures
	Period *evening.Period
	// Terms are its formula, empty for one that is counted from records. The figures are of the
	// same scope.
	Terms []ExplainedTerm
	// Parts are the performances that a figure of several adds up, those that add nothing left out;
	// what belongs to none of them comes last.
	Parts []ExplainedPart
	// AsOf is when the service last answered.
	AsOf time.Time
}

// ExplainedTerm is a term with its figure.
type ExplainedTerm struct {
	figures.Term
	figures.Value
}

// ExplainedPart is a performance with its figure, of the key and the scope that are given.
type ExplainedPart struct {
	figures.Key
	Scope figures.Scope
	Event *figures.EventFigures // nil for what belongs to no performance that is listed
	figures.Value
}

// Explain returns how a figure comes about at the evening's moment; ok is false if the scope has no
// such figure.
func Explain(v *evening.Evening, k figures.Key, s figures.Scope) (x Explanation, ok bool) {
	of, ok := subjectOf(v, s)
	d := Define(k)
	if !ok || d == nil {
		return x, false
	}
	if x.Value, ok = read(of, d, s); !ok {
		return x, false
	}
	x.Definition, x.Scope, x.AsOf, x.From = d, s, v.Snapshot.AsOf, of.from(d)
	x.Event = v.Snapshot.Event(s.Event)
	if k == figures.KeyVAT || k == figures.KeyNetOfVAT {
		x.VAT = of.vat()
		if days, ok := of.(ofPeriod); ok {
			x.Period = days.period
		}
	}
	for _, t := range of.terms(d) {
		value, ok := read(of, Define(t.Key), s)
		if !ok { // there is no formula within this scope
			x.Terms = nil
			break
		}
		x.Terms = append(x.Terms, ExplainedTerm{t, value})
	}
	for _, part := range of.parts(d, s) {
		if part.Value = part.Value.In(s.Currency); !part.Value.Known() || part.Value.Some() {
			x.Parts = append(x.Parts, part)
		}
	}
	return x, true
}

// Each calls with every figure that a scope has, in the order of the catalogue, each as Explain has it.
func Each(v *evening.Evening, s figures.Scope, each func(*Definition, figures.Value)) {
	if of, ok := subjectOf(v, s); ok {
		eachOf(of, s, each)
	}
}

// EachOf calls with every figure of what an event did in the days of a scope, or of what belongs to no event.
func EachOf(v *evening.Evening, p *evening.EventPeriod, s figures.Scope, each func(*Definition, figures.Value)) {
	eachOf(partOfDays(v, p, s), s, each)
}

func eachOf(of Subject, s figures.Scope, each func(*Definition, figures.Value)) {
	for i := range catalogue {
		if value, ok := read(of, &catalogue[i], s); ok {
			each(&catalogue[i], value)
		}
	}
}

// SumOf returns the sum of the parts, of the least certain quality among them.
func SumOf(parts []ExplainedPart) (sum figures.Value) {
	for _, p := range parts {
		sum.Count, sum.Amount, sum.Quality = sum.Count+p.Count, sum.Amount.PlusAll(p.Amount, 1), max(sum.Quality, p.Quality)
	}
	return sum
}
