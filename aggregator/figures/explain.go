package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Scope is what a figure is of. The zero value is the performances of the evening.
type Scope struct {
	// Event is the id of a performance, and Area a price area of it that is on sale. With days of
	// sale it is what moved of the performance on these.
	Event, Area string
	// Gate is a gate of the performance.
	Gate string
	// Hall is a hall of the evening in which how many people may be is set.
	Hall string
	// Night says: the performances of the night before that are over.
	Night bool
	// From and To are days of sale, both included; Orders says that the figure is of the orders
	// that were placed on them, as they stand now.
	From, To Day
	Orders   bool
	// Until ends the last of the days of sale, which is before the running one, at a minute that is not in it; zero for
	// all of the day.
	Until time.Time
	// Performances says that the days are those of performances: the figure is of all sales for them.
	Performances bool
	// VAT is a source of VAT in the days of sale; the zero value for all that was sold.
	VAT VATSource
	// By and Part are a part of the sales of the performance or of Performances: by what they are split, empty for
	// all of them, and its name, which is empty for what was not reported.
	By   Split
	Part string
	// Currency leaves out the amounts in others; empty for none of that.
	Currency string
}

// Explanation says how a figure comes about.
type Explanation struct {
	*Definition
	Scope Scope
	// Event is the performance that it is of; nil for others.
	Event *EventFigures
	// From are the kinds of records that it is counted from within the scope.
	From []record.Kind
	Value
	// VAT are the sales by their VAT, where the figure is made of that.
	VAT []VATFigures
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
	Term
	Value
}

// ExplainedPart is a performance with its figure, of the key and the scope that are given.
type ExplainedPart struct {
	Key
	Scope Scope
	Event *EventFigures // nil for what belongs to no performance that is listed
	Value
}

// Explain says how a figure comes about at the evening's moment; ok is false where the scope has no
// such figure.
func (v *Evening) Explain(k Key, s Scope) (x Explanation, ok bool) {
	of, ok := v.subject(s)
	d := Define(k)
	if !ok || d == nil {
		return x, false
	}
	if x.Value, ok = of.read(d); !ok {
		return x, false
	}
	x.Definition, x.Scope, x.AsOf, x.From = d, s, v.snapshot.AsOf, d.From
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
	if k == KeyVAT || k == KeyNetOfVAT {
		x.VAT = of.vats()
	}
	if of.area != nil && k == KeyFree {
		terms = of.area.freeTerms()
	}
	if of.sales != nil && d.termsOfSales != nil {
		terms = d.termsOfSales(of.sales)
	}
	if k == KeyRevenuePerPlace && of.ofEvening() && slices.ContainsFunc(v.Shows, (*Show).limitless) {
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
	x.Parts = v.parts(d, &of, s)
	return x, true
}

// parts are the performances that a figure of several adds up.
func (v *Evening) parts(d *Definition, of *subject, s Scope) (parts []ExplainedPart) {
	add := func(k Key, scope Scope, e *EventFigures, value Value) {
		if value = value.In(s.Currency); !value.Known() || value.Some() {
			parts = append(parts, ExplainedPart{k, scope, e, value})
		}
	}
	shows := func(k Key, all []*Show, within func(*Show) bool) {
		for _, show := range all {
			if read := Define(k).ofShow; read != nil && within(show) {
				add(k, Scope{Event: show.Event.ID, Currency: s.Currency}, show.EventFigures, read(show))
			}
		}
	}
	switch {
	case of.part != nil && of.event == nil:
		for _, e := range v.snapshot.Events {
			if e.Date < s.From || e.Date > s.To {
				continue
			}
			if part := partNamed(e.PartsBy(s.By), s.Part); part != nil {
				value, _ := part.Figure(d.Key)
				add(d.Key, Scope{Event: e.Event.ID, By: s.By, Part: s.Part, Currency: s.Currency}, e, value)
			}
		}
	case d.Unit.Ratio() || of.event != nil || of.sales != nil:
	case of.orders != nil:
		for _, e := range append(slices.Clip(v.snapshot.Events), nil) {
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
		shows(d.Key, v.LastNight, func(s *Show) bool { return s.Phase == Over })
	case of.hall != nil:
		if d.Key == KeyInside {
			shows(d.Key, v.Shows, func(show *Show) bool { return show.Event.Hall == of.hall.Hall && show.peopled() })
		}
	case of.period != nil:
		if d.ofHouse {
			break
		}
		rows := v.byEventUntil(of.period.From, of.period.To, s.Until)
		for i := range rows {
			part := v.partOf(&rows[i], s)
			if of.vat != nil {
				part.period = new(v.periodOf(rows[i].Event, of.period.From, of.period.To, s.Until))
				if part.vat = v.vatFrom(part.period, s.VAT); part.vat == nil {
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
func (v *Evening) partOf(p *EventPeriod, s Scope) subject {
	return subject{evening: v, event: p.Event, currency: s.Currency, period: &Period{From: s.From, To: s.To, Flow: p.Flow, event: p.Event, part: true}}
}

// Each calls with every figure that a scope has, in the order of the catalogue, each as Explain has it.
func (v *Evening) Each(s Scope, each func(*Definition, Value)) {
	if of, ok := v.subject(s); ok {
		of.each(each)
	}
}

// EachOf does so with what an event did in the days of a scope, or what belongs to none.
func (v *Evening) EachOf(p *EventPeriod, s Scope, each func(*Definition, Value)) {
	of := v.partOf(p, s)
	of.each(each)
}

func (of *subject) each(each func(*Definition, Value)) {
	for i := range catalogue {
		if value, ok := of.read(&catalogue[i]); ok {
			each(&catalogue[i], value)
		}
	}
}
