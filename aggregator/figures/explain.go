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
	// Performances says that the days are those of performances: the figure is of all sales for them.
	Performances bool
	// VAT is a source of VAT in the days of sale; the zero value for all that was sold.
	VAT VATSource
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
	case d.Unit.Ratio() || of.event != nil || of.sales != nil:
	case of.orders != nil:
		one := func(e *EventFigures, scope Scope, days OrderDays, total *Revenue) {
			part := subject{event: e, orders: new(bridgeOf(days, total, s.From, s.To)), currency: s.Currency}
			if value, ok := part.read(d); ok {
				add(d.Key, scope, e, value)
			}
		}
		for _, e := range v.snapshot.Events {
			scope := s
			scope.Event = e.Event.ID
			one(e, scope, e.OrderDays, &e.Revenue)
		}
		one(nil, s, v.snapshot.UnattributedOrderDays, &v.snapshot.Unattributed)
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
		rows := v.ByEvent(of.period.From, of.period.To)
		for i := range rows {
			part := v.partOf(&rows[i], s)
			if of.vat != nil {
				part.period = new(v.periodOf(rows[i].Event, of.period.From, of.period.To))
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

func anyPhase(*Show) bool     { return true }
func goingAhead(s *Show) bool { return s.Phase.GoesAhead() }

// subject is what a scope names.
type subject struct {
	evening  *Evening
	event    *EventFigures
	show     *Show // of event, where it is not of days of sale
	pace     *Pace // of show, as far as asked for
	area     *Area // of show
	gate     *Gate // of show
	hall     *Load
	night    *Result
	period   *Period
	vat      *VATFigures // of period
	orders   *Bridge
	sales    *Marketing // of the performances of days
	currency string
}

// subject finds it; ok is false where there is none: no such performance or area, no night before, no days up to
// the running one, or a currency in which no money ever moved.
func (v *Evening) subject(s Scope) (of subject, ok bool) {
	of = subject{evening: v, currency: s.Currency}
	ofDays := s.Orders || s.Performances || s.From != "" || s.To != ""
	if ofDays && (s.From == "" || s.To < s.From || !s.Performances && s.From > v.Today) || s.Currency != "" && !v.snapshot.trades(s.Currency) {
		return of, false
	}
	switch {
	case s.Event != "":
		e := v.snapshot.Event(s.Event)
		if e == nil {
			return of, false
		}
		of.event = e
		switch {
		case s.Orders:
			of.orders = new(bridgeOf(e.OrderDays, &e.Revenue, s.From, s.To))
		case ofDays:
			of.period = new(v.periodOf(e, s.From, min(s.To, v.Today)))
		default:
			of.show = v.Show(e)
		}
		if s.Area != "" {
			if of.show == nil {
				return of, false
			}
			areas := of.show.AreasOnSale()
			i := slices.IndexFunc(areas, func(a Area) bool { return a.Name == s.Area })
			if i < 0 {
				return of, false
			}
			of.area = &areas[i]
		}
		if s.Gate != "" {
			if of.show == nil {
				return of, false
			}
			gates := of.show.GatesNow()
			i := slices.IndexFunc(gates, func(g Gate) bool { return g.Name == s.Gate })
			if i < 0 {
				return of, false
			}
			of.gate = &gates[i]
		}
	case s.Hall != "":
		if of.hall, ok = v.LoadOf(s.Hall); !ok {
			return of, false
		}
	case s.Night:
		if len(v.LastNight) == 0 {
			return of, false
		}
		of.night = new(ResultOf(v.LastNight))
	case s.Performances:
		of.sales = new(v.Marketing(s.From, s.To))
	case s.Orders:
		of.orders = new(v.Bridge(s.From, s.To))
	case ofDays:
		to := min(s.To, v.Today)
		first := to
		if days := v.snapshot.Days; len(days) > 0 {
			first = min(days[0].Day, to)
		}
		of.period = new(v.period(max(s.From, first), to, v.At, v.Now)) // nothing moved before the first
		of.period.From = s.From
	}
	if s.VAT == (VATSource{}) {
		return of, true
	}
	if of.period != nil {
		of.vat = v.vatFrom(of.period, s.VAT)
	}
	return of, of.vat != nil
}

// vatFrom is what was sold in a period from one source of VAT, nil where that is nothing.
func (v *Evening) vatFrom(p *Period, source VATSource) *VATFigures {
	all := v.VATOf(p)
	if i := slices.IndexFunc(all, func(f VATFigures) bool { return f.VATSource == source }); i >= 0 {
		return &all[i]
	}
	return nil
}

// vats are its sales by their VAT.
func (of *subject) vats() []VATFigures {
	switch {
	case of.vat != nil:
		return nil
	case of.show != nil:
		return of.show.VAT
	case of.period != nil:
		return of.evening.VATOf(of.period)
	}
	return nil
}

// trades says that money of a currency ever moved.
func (s *Snapshot) trades(currency string) bool {
	is := func(m record.Money) bool { return m.Currency == currency }
	return slices.ContainsFunc(s.Total.Measures[:], func(f Figure[Sums]) bool { return slices.ContainsFunc(f.Value, is) }) ||
		slices.ContainsFunc(s.Days, func(d *DayFigures) bool { return slices.ContainsFunc(d.rows, is) })
}

// paceOf is the pace of its performance.
func (of *subject) paceOf() *Pace {
	if of.pace == nil {
		of.pace = new(of.evening.Pace(of.show))
	}
	return of.pace
}

// read is the figure of the subject.
func (of *subject) read(d *Definition) (value Value, ok bool) {
	switch {
	case of.area != nil:
		if d.ofArea == nil {
			return value, false
		}
		value, ok = d.ofArea(of.area), true
	case of.gate != nil:
		if d.ofGate == nil {
			return value, false
		}
		value, ok = d.ofGate(of.gate), true
	case of.show != nil && d.ofShow != nil:
		value, ok = d.ofShow(of.show), true
	case of.show != nil && d.ofPace != nil:
		value, ok = d.OfPace(of.paceOf()), of.paceOf().Some()
	case of.sales != nil && d.ofSales != nil:
		value, ok = d.ofSales(of.sales), true
	case of.hall != nil && d.ofHall != nil:
		value, ok = d.ofHall(of.hall), true
	case of.night != nil && d.ofNight != nil:
		value, ok = d.ofNight(of.night), true
	case of.orders != nil && d.ofOrders != nil:
		value, ok = d.ofOrders(of.orders), true
	case of.vat != nil:
		value, ok = d.OfVAT(of.evening, of.vat), d.ofVAT != nil
	case of.period != nil && d.ofPeriod != nil && !of.period.lacks(d):
		value, ok = d.ofPeriod(of.evening, of.period), true
	case of.ofEvening() && d.ofEvening != nil:
		value, ok = d.ofEvening(of.evening), true
	}
	return value.In(of.currency), ok
}

func (of *subject) ofEvening() bool {
	return of.event == nil && of.hall == nil && of.night == nil && of.orders == nil && of.sales == nil && of.period == nil
}

func countOf(f Figure[int]) Value {
	return Value{Count: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func shareOf(f Figure[float64]) Value {
	return Value{Share: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func moneyOf(f Figure[Sums]) Value {
	return Value{Amount: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

// moneyIn is a part of an amount, with the quality of all of it.
func moneyIn(part Sums, all Figure[Sums]) Value { return moneyOf(figure(part, all.caveat())) }

// placesOf are the places that moved in a period, as well known as what was booked.
func (v *Evening) placesOf(p *Period) Value {
	return countOf(p.Places(figure(0, v.revenueOf(p).Of(Booked).caveat())))
}

// lacks says that a part of a period has no such figure.
func (p *Period) lacks(d *Definition) bool {
	return p.part && d.ofHouse
}

// revenueOf is the money of all days of what a period is of, by which that of the period is known.
func (v *Evening) revenueOf(p *Period) *Revenue {
	if p.event != nil {
		return &p.event.Revenue
	}
	return &v.snapshot.Total
}

// showOf and periodOf read a measure.
func showOf(m Measure) func(*Show) Value {
	return func(s *Show) Value { return moneyOf(s.Revenue.Of(m)) }
}

func periodOf(m Measure) func(*Evening, *Period) Value {
	return func(v *Evening, p *Period) Value { return moneyIn(p.Of(m), v.revenueOf(p).Of(m)) }
}

// standsIn is what was booked where that stands in for what was received.
func (s *Show) standsIn() Value {
	if !s.Revenue.BookedStandsIn() {
		return Value{Quality: Unknown}
	}
	return moneyOf(s.Revenue.Net)
}

// sumOf is a formula that adds up.
func sumOf(keys ...Key) []Term {
	terms := make([]Term, len(keys))
	for i, k := range keys {
		terms[i].Key = k
	}
	return terms
}

// capacityTerms are the parts of a capacity that was added up because nothing gives it.
func (s *Show) capacityTerms() []Term {
	if _, given := within(s.Event.Capacity); given || !s.Capacity.Known() || slices.ContainsFunc(s.Capacity.Reasons, func(r Reason) bool {
		return r == ReasonTypesMayOverlap || r == ReasonPlanning || r == ReasonHighestAvailable
	}) {
		return nil
	}
	if s.Available.Value+s.Sold.Value+s.Reserved.Value+s.Blocked.Value < 0 {
		return nil
	}
	terms := sumOf(KeyAvailable, KeySold, KeyReserved)
	if s.Blocked.Known() {
		terms = append(terms, Term{Plus, KeyBlocked})
	}
	return terms
}

// freeTerms are what free places are counted from: what the service says is left, or else the
// capacity. Where nothing is sold they are neither. A formula that came to fewer than no places would
// not be that of the figure, here as in those below: there is none.
func (s *Show) freeTerms() []Term {
	switch {
	case s.Sale != SaleOpen || s.SoldOut || !s.Free.Known():
		return nil
	case s.Available.Known() && s.Available.Value < 0:
		return nil
	case s.Available.Known():
		return sumOf(KeyAvailable)
	case s.Capacity.Value-s.Sold.Value-s.Reserved.Value-s.Blocked.Value < 0:
		return nil
	}
	terms := []Term{{Plus, KeyCapacity}, {Less, KeySold}, {Less, KeyReserved}}
	if s.Blocked.Known() {
		terms = append(terms, Term{Less, KeyBlocked})
	}
	return terms
}

// freeFrom are the records that free places are counted from: the event where the service says what
// is left, or else all that a capacity and what is taken of it come from.
func (s *Show) freeFrom() []record.Kind {
	if s.Available.Known() {
		return fromEvents
	}
	return fromPlaces
}

// insideTerms and stillTerms are formulas while people come or leave.
func (s *Show) insideTerms() []Term {
	if !s.peopled() {
		return nil
	}
	return sumOf(KeyPresent, KeyWalkIns)
}

func (s *Show) stillTerms() []Term {
	if !s.Phase.Open() {
		return nil
	}
	return s.awayTerms()
}

func (s *Show) awayTerms() []Term {
	if s.Expected.Value < s.Arrived.Value {
		return nil
	}
	return []Term{{Plus, KeyExpected}, {Less, KeyArrived}}
}

// toPayBackTerms is a formula of what is cancelled.
func (s *Show) toPayBackTerms() []Term {
	if s.Phase != Cancelled {
		return nil
	}
	return sumOf(KeyNet)
}
