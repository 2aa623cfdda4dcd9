package catalogue

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Explanation says how a figure comes about.
type Explanation struct {
	*Definition
	Scope figures.Scope
	// Event is the performance that it is of; nil for others.
	Event *figures.EventFigures
	// From are the kinds of records that it is counted from within the scope.
	From []record.Kind
	figures.Value
	// VAT are the sales by their VAT, where the figure is made of that.
	VAT []figures.VATFigures
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

// Explain says how a figure comes about at the evening's moment; ok is false where the scope has no
// such figure.
func Explain(v *evening.Evening, k figures.Key, s figures.Scope) (x Explanation, ok bool) {
	of, ok := subjectOf(v, s)
	d := Define(k)
	if !ok || d == nil {
		return x, false
	}
	if x.Value, ok = of.read(d); !ok {
		return x, false
	}
	x.Definition, x.Scope, x.AsOf, x.From = d, s, v.Snapshot.AsOf, d.From
	terms := d.terms
	x.Event = of.event
	if of.show != nil {
		if d.fromOf != nil {
			x.From = d.fromOf(of.show)
		}
		if d.termsOf != nil {
			terms = d.termsOf(of.show)
		}
	}
	if k == figures.KeyVAT || k == figures.KeyNetOfVAT {
		x.VAT = of.vats()
	}
	if of.area != nil && k == figures.KeyFree {
		terms = areaFreeTerms(of.area)
	}
	if of.sales != nil && d.termsOfSales != nil {
		terms = d.termsOfSales(of.sales)
	}
	if k == figures.KeyRevenuePerPlace && of.ofEvening() && slices.ContainsFunc(v.Shows, (*evening.Show).Limitless) {
		terms = nil // what was booked of the evening is of those too
	}
	for _, t := range terms {
		value, ok := of.read(Define(t.Key))
		if !ok { // there is no formula within this scope
			x.Terms = nil
			break
		}
		x.Terms = append(x.Terms, ExplainedTerm{t, value})
	}
	x.Parts = parts(v, d, &of, s)
	return x, true
}

// parts are the performances that a figure of several adds up.
func parts(v *evening.Evening, d *Definition, of *subject, s figures.Scope) (parts []ExplainedPart) {
	add := func(k figures.Key, scope figures.Scope, e *figures.EventFigures, value figures.Value) {
		if value = value.In(s.Currency); !value.Known() || value.Some() {
			parts = append(parts, ExplainedPart{k, scope, e, value})
		}
	}
	shows := func(k figures.Key, all []*evening.Show, within func(*evening.Show) bool) {
		for _, show := range all {
			if read := Define(k).ofShow; read != nil && within(show) {
				add(k, figures.Scope{Event: show.Event.ID, Currency: s.Currency}, show.EventFigures, read(show))
			}
		}
	}
	switch {
	case of.part != nil && of.event == nil:
		for _, e := range v.Snapshot.Events {
			if e.Date < s.From || e.Date > s.To {
				continue
			}
			if part := partNamed(evening.PartsBy(e, s.By), s.Part); part != nil {
				value, _ := OfPart(part, d.Key)
				add(d.Key, figures.Scope{Event: e.Event.ID, By: s.By, Part: s.Part, Currency: s.Currency}, e, value)
			}
		}
	case d.Unit.Ratio() || of.event != nil || of.sales != nil:
	case of.orders != nil:
		for _, e := range append(slices.Clip(v.Snapshot.Events), nil) {
			scope := s
			if e != nil {
				scope.Event = e.Event.ID
			}
			part := subject{event: e, orders: new(v.BridgeOf(e, s.From, s.To)), currency: s.Currency}
			if value, ok := part.read(d); ok {
				add(d.Key, scope, e, value)
			}
		}
	case of.night != nil:
		shows(d.Key, v.LastNight, func(s *evening.Show) bool { return s.Phase == evening.Over })
	case of.hall != nil:
		if d.Key == figures.KeyInside {
			shows(d.Key, v.Shows, func(show *evening.Show) bool { return show.Event.Hall == of.hall.Hall && show.Peopled() })
		}
	case of.period != nil:
		if d.ofHouse {
			break
		}
		rows := v.ByEventUntil(of.period.From, of.period.To, s.Until)
		for i := range rows {
			part := partOf(v, &rows[i], s)
			if of.vat != nil {
				part.period = new(v.PeriodOf(rows[i].Event, of.period.From, of.period.To, s.Until))
				if part.vat = vatFrom(v, part.period, s.VAT); part.vat == nil {
					continue
				}
			}
			scope := s
			if part.event != nil {
				scope.Event = part.event.Event.ID
			}
			if value, ok := part.read(d); ok {
				add(d.Key, scope, part.event, value)
			}
		}
	case d.within != nil:
		shows(d.part, v.Shows, d.within)
	}
	return parts
}

// partOf is what an event did in the days of a scope.
func partOf(v *evening.Evening, p *evening.EventPeriod, s figures.Scope) subject {
	return subject{evening: v, event: p.Event, currency: s.Currency, period: &evening.Period{From: s.From, To: s.To, Flow: p.Flow, Event: p.Event, Part: true}}
}

// Each calls with every figure that a scope has, in the order of the catalogue, each as Explain has it.
func Each(v *evening.Evening, s figures.Scope, each func(*Definition, figures.Value)) {
	if of, ok := subjectOf(v, s); ok {
		of.each(each)
	}
}

// EachOf does so with what an event did in the days of a scope, or what belongs to none.
func EachOf(v *evening.Evening, p *evening.EventPeriod, s figures.Scope, each func(*Definition, figures.Value)) {
	of := partOf(v, p, s)
	of.each(each)
}

func (of *subject) each(each func(*Definition, figures.Value)) {
	for i := range catalogue {
		if value, ok := of.read(&catalogue[i]); ok {
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
