package catalogue

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Explanation is how a figure is computed.
type Explanation struct {
	*Definition
	Scope figures.Scope
	// Event is the performance whose figure it is; nil for others.
	Event *figures.EventFigures
	// From are the kinds of records from which it is counted.
	From []record.Kind
	figures.Value
	// VAT are the sales by source of VAT, if the figure is made of them. Period is the days of these sales, or of a budget; nil if
	// the figure is not of days.
	VAT []figures.VATFigures
	// Refunds are what was refunded, by reason.
	Refunds []figures.RefundsFor
	Period  *evening.Period
	// Terms are the formula; empty for a figure that is counted from records. The terms' figures have the same
	// scope.
	Terms []ExplainedTerm
	// Parts are the performances that a figure of several adds up, without those that add nothing; what belongs to
	// none of them is last.
	Parts []ExplainedPart
	// AsOf is when the service last answered.
	AsOf time.Time
}

// ExplainedTerm is a term with its figure.
type ExplainedTerm struct {
	figures.Term
	figures.Value
}

// ExplainedPart is a performance with its figure and the key and scope of that.
type ExplainedPart struct {
	figures.Key
	Scope figures.Scope
	Event *figures.EventFigures // nil for what belongs to no published performance
	figures.Value
}

// Explain returns how a figure is computed at the evening's moment; ok is false if the scope has no such figure.
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
	if days, ok := of.(ofPeriod); ok && k == figures.KeyBudget {
		x.Period = days.period
	}
	if k == figures.KeyRefunded {
		x.Refunds = refundsOf(of)
	}
	for _, t := range of.terms(d) {
		value, ok := read(of, Define(t.Key), s)
		if !ok { // the scope has no formula
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

// Each calls each with every figure of a scope, in the order of the catalogue, with the value that Explain gives.
func Each(v *evening.Evening, s figures.Scope, each func(*Definition, figures.Value)) {
	if of, ok := subjectOf(v, s); ok {
		eachOf(of, s, each)
	}
}

// Of returns a figure of a scope; ok is false if there is none.
func Of(v *evening.Evening, k figures.Key, s figures.Scope) (value figures.Value, ok bool) {
	of, ok := subjectOf(v, s)
	if !ok {
		return value, false
	}
	return read(of, Define(k), s)
}

// EachOf calls each with every figure of an event, or of what belongs to no event, for the days of a scope.
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

// SumOf returns the sum of the parts, with the worst quality among them.
func SumOf(parts []ExplainedPart) (sum figures.Value) {
	for _, p := range parts {
		sum.Count, sum.Amount, sum.Quality = sum.Count+p.Count, sum.Amount.PlusAll(p.Amount, 1), max(sum.Quality, p.Quality)
	}
	return sum
}

// refundsOf returns the refunds of a subject by reason.
func refundsOf(of Subject) []figures.RefundsFor {
	switch of := of.(type) {
	case ofPeriod:
		return figures.RefundsByReason(of.period.Days)
	case ofShow:
		return of.Refunds()
	}
	return nil
}
