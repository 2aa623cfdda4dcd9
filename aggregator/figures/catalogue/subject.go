package catalogue

import (
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// Subject is what a figure is of: what a figures.Scope names, at a moment. Each kind of subject is a type in this
// file and a case of subjectOf.
type Subject interface {
	// value returns a figure of the subject; ok is false if it has no such figure.
	value(d *Definition) (v figures.Value, ok bool)
	// from returns the kinds of records from which a figure is counted.
	from(d *Definition) []record.Kind
	// terms returns the formula of a figure; nil if it is counted from records.
	terms(d *Definition) []figures.Term
	// vat returns the sales by source of VAT; nil if the subject has none.
	vat() []figures.VATFigures
	// parts returns the performances that a figure adds up, with what belongs to none of them last.
	parts(d *Definition, s figures.Scope) []ExplainedPart
}

// read returns a figure of a subject in the currency of its scope.
func read(of Subject, d *Definition, s figures.Scope) (figures.Value, bool) {
	value, ok := of.value(d)
	return value.In(s.Currency), ok
}

// subjectOf returns the subject of a scope; ok is false if there is none: no such performance or area, no previous
// night, no days up to today, or a currency in which no money ever moved.
func subjectOf(v *evening.Evening, s figures.Scope) (of Subject, ok bool) {
	ofDays := s.Orders || s.Performances || s.From != "" || s.To != ""
	switch {
	case !s.Until.IsZero() && (s.Orders || s.Performances || s.From == "" || s.To >= v.Today):
		return nil, false
	case ofDays && (s.From == "" || s.To < s.From || !s.Performances && s.From > v.Today):
		return nil, false
	case s.Currency != "" && !v.Snapshot.Trades(s.Currency):
		return nil, false
	}
	var e *figures.EventFigures
	if s.Event != "" {
		if e = v.Snapshot.Event(s.Event); e == nil {
			return nil, false
		}
	}
	switch {
	case e != nil && !ofDays:
		of = showSubject(v, e, s)
	case e != nil && (s.Area != "" || s.Gate != ""): // areas and gates have no days of sale
		return nil, false
	case s.Orders && e != nil:
		of = ofOrders{evening: v, bridge: bridge.OfEvent(v, e, s.From, s.To), event: e}
	case e != nil:
		of = periodSubject(v, v.PeriodOf(e, s.From, min(s.To, v.Today), s.Until), s, e)
	case s.Hall != "":
		if l, ok := v.LoadOf(s.Hall); ok {
			of = ofHall{v, l}
		}
	case s.Night:
		shows := v.LastNight
		if s.From != "" {
			shows = v.Night(s.From)
		}
		if len(shows) > 0 && s.From == s.To {
			night, crowd := ofNight{shows, evening.ResultOf(shows)}, v.Crowd(shows)
			licence.AddMost(v, &night.result, &crowd)
			of = night
		}
	case s.Performances:
		of = salesSubject(v, s)
	case s.Orders:
		of = ofOrders{evening: v, bridge: bridge.Of(v, s.From, s.To)}
	case ofDays:
		of = periodSubject(v, housePeriod(v, s), s, nil)
	default:
		of = ofEvening{v}
	}
	if of == nil {
		return nil, false
	}
	// Only some subjects have parts of sales or sources of VAT.
	if _, isPart := of.(ofPart); s.By != "" && !isPart {
		return nil, false
	}
	if _, isVAT := of.(ofVAT); s.VAT != (figures.VATSource{}) && !isVAT {
		return nil, false
	}
	return of, true
}

// counted is what most subjects have in common: records and formula are those of the catalogue's row, and they
// have no VAT and no parts.
type counted struct{}

func (counted) from(d *Definition) []record.Kind                 { return d.From }
func (counted) terms(d *Definition) []figures.Term               { return d.terms }
func (counted) vat() []figures.VATFigures                        { return nil }
func (counted) parts(*Definition, figures.Scope) []ExplainedPart { return nil }

// ofEvening is the performances of the evening.
type ofEvening struct{ *evening.Evening }

func (of ofEvening) value(d *Definition) (figures.Value, bool) {
	return d.OfEvening(of.Evening), d.ofEvening != nil
}

func (of ofEvening) from(d *Definition) []record.Kind { return d.From }
func (of ofEvening) vat() []figures.VATFigures        { return nil }

func (of ofEvening) terms(d *Definition) []figures.Term {
	if d.Key == figures.KeyRevenuePerPlace && slices.ContainsFunc(of.Shows, (*evening.Show).Limitless) {
		return nil // nil because what was booked tonight includes other performances
	}
	return d.terms
}

func (of ofEvening) parts(d *Definition, s figures.Scope) []ExplainedPart {
	if d.Unit.Ratio() || d.within == nil {
		return nil
	}
	return partsOfShows(d.part, of.Shows, d.within, s)
}

// partsOfShows returns the figures of performances.
func partsOfShows(k figures.Key, shows []*evening.Show, within func(*evening.Show) bool, s figures.Scope) (parts []ExplainedPart) {
	for _, show := range shows {
		if d := Define(k); d.ofShow != nil && within(show) {
			parts = append(parts, ExplainedPart{k, figures.Scope{Event: show.Event.ID, Currency: s.Currency}, show.EventFigures, d.ofShow(show)})
		}
	}
	return parts
}

// ofShow is a performance, with its pace, which is computed on first use.
type ofShow struct {
	counted
	*evening.Show
	pace func() *evening.Pace
}

// showSubject returns the performance, or an area, a gate or a part of its sales; nil if it has no such part.
func showSubject(v *evening.Evening, e *figures.EventFigures, s figures.Scope) Subject {
	of := ofShow{Show: v.Show(e)}
	of.pace = sync.OnceValue(func() *evening.Pace { return new(v.Pace(of.Show)) })
	if s.Area != "" {
		area := find(v.AreasOnSale(of.Show), func(a *figures.Area) bool { return a.Name == s.Area })
		if area == nil {
			return nil
		}
		if s.Gate == "" || find(of.GatesNow(), func(g *evening.Gate) bool { return g.Name == s.Gate }) != nil {
			return ofArea{of, area}
		}
		return nil
	}
	if s.Gate != "" {
		gate := find(of.GatesNow(), func(g *evening.Gate) bool { return g.Name == s.Gate })
		if gate == nil {
			return nil
		}
		return ofGate{of, gate}
	}
	if s.By == "" {
		return of
	}
	if part := partNamed(marketing.PartsBy(e, s.By), s.Part); part != nil {
		return ofPart{of, part}
	}
	return nil
}

func (of ofShow) value(d *Definition) (figures.Value, bool) {
	if d.ofShow == nil && d.ofPace != nil {
		return d.OfPace(of.pace()), of.pace().Some()
	}
	return d.OfShow(of.Show), d.ofShow != nil
}

func (of ofShow) from(d *Definition) []record.Kind {
	if d.fromOf != nil {
		return d.fromOf(of.Show)
	}
	return d.From
}

func (of ofShow) terms(d *Definition) []figures.Term {
	if d.termsOf != nil {
		return d.termsOf(of.Show)
	}
	return d.terms
}

func (of ofShow) vat() []figures.VATFigures { return of.VAT }

// ofArea is a price area of a performance that is on sale.
type ofArea struct {
	ofShow
	area *figures.Area
}

func (of ofArea) value(d *Definition) (figures.Value, bool) {
	return d.OfArea(of.area), d.ofArea != nil
}

func (of ofArea) terms(d *Definition) []figures.Term {
	if d.Key == figures.KeyFree {
		return areaFreeTerms(of.area)
	}
	return of.ofShow.terms(d)
}

// ofGate is a gate of a performance.
type ofGate struct {
	ofShow
	gate *evening.Gate
}

func (of ofGate) value(d *Definition) (figures.Value, bool) {
	return d.OfGate(of.gate), d.ofGate != nil
}

// ofPart is a part of the sales of a performance, or of the performances of some days.
type ofPart struct {
	Subject
	part *marketing.Part
}

func (of ofPart) value(d *Definition) (figures.Value, bool) { return OfPart(of.part, d.Key) }

func (of ofPart) parts(d *Definition, s figures.Scope) (parts []ExplainedPart) {
	sales, ok := of.Subject.(ofSales)
	if !ok {
		return nil
	}
	for _, e := range marketing.Performed(sales.evening, s.From, s.To) {
		if part := partNamed(marketing.PartsBy(e, s.By), s.Part); part != nil {
			value, _ := OfPart(part, d.Key)
			parts = append(parts, ExplainedPart{d.Key, figures.Scope{Event: e.Event.ID, By: s.By, Part: s.Part, Currency: s.Currency}, e, value})
		}
	}
	return parts
}

// ofHall is a hall of the evening for which the number of people allowed is set.
type ofHall struct {
	*evening.Evening
	load *evening.Load
}

func (of ofHall) value(d *Definition) (figures.Value, bool) {
	return d.OfHall(of.load), d.ofHall != nil
}

func (of ofHall) from(d *Definition) []record.Kind   { return d.From }
func (of ofHall) terms(d *Definition) []figures.Term { return d.terms }
func (of ofHall) vat() []figures.VATFigures          { return nil }

func (of ofHall) parts(d *Definition, s figures.Scope) []ExplainedPart {
	if d.Key != figures.KeyInside {
		return nil
	}
	return partsOfShows(d.Key, of.Shows, func(show *evening.Show) bool { return show.Event.Hall == of.load.Hall && show.HasPeople() }, s)
}

// ofNight is the performances of a night that are over.
type ofNight struct {
	shows  []*evening.Show
	result evening.Result
}

func (of ofNight) value(d *Definition) (figures.Value, bool) {
	return d.OfNight(&of.result), d.ofNight != nil
}

func (of ofNight) from(d *Definition) []record.Kind   { return d.From }
func (of ofNight) terms(d *Definition) []figures.Term { return d.terms }
func (of ofNight) vat() []figures.VATFigures          { return nil }

func (of ofNight) parts(d *Definition, s figures.Scope) []ExplainedPart {
	if d.Unit.Ratio() {
		return nil
	}
	return partsOfShows(d.Key, of.shows, func(show *evening.Show) bool { return show.Phase == evening.Over }, s)
}

// ofSales is all sales of the performances of some days.
type ofSales struct {
	counted
	evening *evening.Evening
	sales   *marketing.Sales
}

// salesSubject returns the sales of the performances of some days, or a part of them; nil if there is no such
// part.
func salesSubject(v *evening.Evening, s figures.Scope) Subject {
	of := ofSales{evening: v, sales: new(marketing.Of(v, s.From, s.To))}
	if s.By == "" {
		return of
	}
	if part := partNamed(of.sales.PartsBy(s.By), s.Part); part != nil {
		return ofPart{of, part}
	}
	return nil
}

func (of ofSales) value(d *Definition) (figures.Value, bool) {
	return d.OfSales(of.sales), d.ofSales != nil
}

func (of ofSales) terms(d *Definition) []figures.Term {
	if d.termsOfSales != nil {
		return d.termsOfSales(of.sales)
	}
	return d.terms
}

func (of ofSales) parts(d *Definition, s figures.Scope) (parts []ExplainedPart) {
	if !d.sumOfSales {
		return nil
	}
	for _, e := range marketing.Performed(of.evening, s.From, s.To) {
		parts = append(parts, ExplainedPart{d.Key, figures.Scope{Event: e.Event.ID, Currency: s.Currency}, e, d.OfShow(of.evening.Show(e))})
	}
	return parts
}

// ofOrders is the orders placed on some days, in their present state: of a performance, or of all.
type ofOrders struct {
	counted
	evening *evening.Evening
	bridge  bridge.Bridge
	event   *figures.EventFigures // nil for all
}

func (of ofOrders) value(d *Definition) (figures.Value, bool) {
	return d.OfOrders(&of.bridge), d.ofOrders != nil
}

func (of ofOrders) parts(d *Definition, s figures.Scope) (parts []ExplainedPart) {
	if d.Unit.Ratio() || of.event != nil {
		return nil
	}
	for _, e := range append(slices.Clip(of.evening.Snapshot.Events), nil) {
		scope := s
		if e != nil {
			scope.Event = e.Event.ID
		}
		if value, ok := (ofOrders{evening: of.evening, bridge: bridge.OfEvent(of.evening, e, s.From, s.To), event: e}).value(d); ok {
			parts = append(parts, ExplainedPart{d.Key, scope, e, value})
		}
	}
	return parts
}

// ofPeriod is some days of sale of an event, of what belongs to none, or of all.
type ofPeriod struct {
	counted
	evening *evening.Evening
	period  *evening.Period
	event   *figures.EventFigures // nil for all
	cut     bool                  // the last day ends at a minute
}

// housePeriod returns the days of sale of a scope, up to today.
func housePeriod(v *evening.Evening, s figures.Scope) evening.Period {
	to := min(s.To, v.Today)
	first := to
	if days := v.Snapshot.Days; len(days) > 0 {
		first = min(days[0].Day, to)
	}
	until, upTo := v.At, v.Now
	if !s.Until.IsZero() {
		until, upTo = s.Until, s.Until.Add(-time.Minute)
	}
	p := v.Period(max(s.From, first), to, until, upTo) // nothing moved before the first
	p.From = s.From
	return p
}

// periodSubject returns days of sale, or the sales on them from one source of VAT; nil if there are none.
func periodSubject(v *evening.Evening, p evening.Period, s figures.Scope, e *figures.EventFigures) Subject {
	of := ofPeriod{evening: v, period: &p, event: e, cut: !s.Until.IsZero()}
	if s.VAT == (figures.VATSource{}) {
		return of
	}
	if sold := vatFrom(v, &p, s.VAT); sold != nil {
		return ofVAT{of, sold}
	}
	return nil
}

func (of ofPeriod) value(d *Definition) (figures.Value, bool) {
	if of.period.Part && d.ofHouse || of.cut && d.wholeDays {
		return figures.Value{}, false
	}
	return d.OfPeriod(of.evening, of.period), d.ofPeriod != nil
}

func (of ofPeriod) vat() []figures.VATFigures { return marketing.VATOf(of.evening, of.period) }

func (of ofPeriod) parts(d *Definition, s figures.Scope) []ExplainedPart {
	return of.partsBy(d, s, func(p *evening.EventPeriod) Subject { return partOfDays(of.evening, p, s) })
}

// partsBy returns the figure of each event for the days; subject returns nil for an event without it.
func (of ofPeriod) partsBy(d *Definition, s figures.Scope, subject func(*evening.EventPeriod) Subject) (parts []ExplainedPart) {
	if d.Unit.Ratio() || d.ofHouse || of.event != nil {
		return nil
	}
	rows := of.evening.ByEventUntil(of.period.From, of.period.To, s.Until)
	for i := range rows {
		part := subject(&rows[i])
		if part == nil {
			continue
		}
		scope := s
		if e := rows[i].Event; e != nil {
			scope.Event = e.Event.ID
		}
		if value, ok := part.value(d); ok {
			parts = append(parts, ExplainedPart{d.Key, scope, rows[i].Event, value})
		}
	}
	return parts
}

// partOfDays returns an event's part in the days of a scope.
func partOfDays(v *evening.Evening, p *evening.EventPeriod, s figures.Scope) Subject {
	return ofPeriod{evening: v, event: p.Event, cut: !s.Until.IsZero(), period: &evening.Period{From: s.From, To: s.To, Flow: p.Flow, Event: p.Event, Part: true}}
}

// ofVAT is the sales from one source of VAT on some days.
type ofVAT struct {
	ofPeriod
	sold *figures.VATFigures
}

func (of ofVAT) value(d *Definition) (figures.Value, bool) {
	return d.OfVAT(of.evening, of.period, of.sold), d.ofVAT != nil
}

func (of ofVAT) vat() []figures.VATFigures { return nil }

func (of ofVAT) parts(d *Definition, s figures.Scope) []ExplainedPart {
	return of.partsBy(d, s, func(p *evening.EventPeriod) Subject {
		period := of.evening.PeriodOf(p.Event, of.period.From, of.period.To, s.Until)
		if sold := vatFrom(of.evening, &period, s.VAT); sold != nil {
			return ofVAT{ofPeriod{evening: of.evening, period: &period, event: p.Event}, sold}
		}
		return nil
	})
}

// vatFrom returns the sales of a period from one source of VAT; nil if there are none.
func vatFrom(v *evening.Evening, p *evening.Period, source figures.VATSource) *figures.VATFigures {
	return find(marketing.VATOf(v, p), func(f *figures.VATFigures) bool { return f.VATSource == source })
}

// find returns the first element of a list for which is reports true, nil if there is none.
func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}
