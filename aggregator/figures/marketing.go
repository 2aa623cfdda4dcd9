package figures

import (
	"cmp"
	"maps"
	"slices"
)

// MethodFigures are what was Received in one way of paying.
type MethodFigures struct {
	Name     string
	Received Sums
}

// postMethod puts what was received in (n = 1) or takes it out (n = −1).
func (e *eventAccount) postMethod(p posting, n int) {
	if p.measure == Received && !p.unmapped {
		entry(e.methods, p.method).add(p.amount.times(n))
	}
}

// methodFigures are the account's methods, by name.
func (e *eventAccount) methodFigures(n *names) (all []MethodFigures) {
	for method, received := range e.methods {
		if sums := received.publish(n).Of(Received); len(sums) > 0 {
			all = append(all, MethodFigures{n.text(method), sums})
		}
	}
	slices.SortFunc(all, func(a, b MethodFigures) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Marketing is how the performances of some days were sold, by day of performance. The rows of each
// list sum to Sold, those of Methods to Received.
type Marketing struct {
	Performances int
	Sold         Figure[int]
	Parts        [dimensionCount][]PartFigures // most sold first
	LeadTimes    []LeadBand
	// Orders are those that hold sold places of a performance, an order of several once for each;
	// Ordered are their places.
	Orders, Ordered int
	Buyers          Buyers
	Received        Figure[Sums]
	// RevenuePerPlace is that of those together that are not called off and have a limit of places, UnsoldValue that
	// of those that can still be sold.
	RevenuePerPlace, UnsoldValue Figure[Sums]
	// AveragePrice is that of all of them together, as of an event.
	AveragePrice Figure[Sums]
	// Forecast and Budget are what planning expects and sets aside to sell them, over the Forecasts and
	// Budgets performances of which it says that.
	Forecast           Figure[int]
	Budget             Figure[Sums]
	Forecasts, Budgets int
	Methods            []MethodFigures // in the order of their names

	forecasted, budgeted Figure[int] // places sold of those
	contacts             Contacts    // of the whole house
	paid, booked         caveat
}

// Reported says that a dimension, or a method of payment, was given for any.
func (m *Marketing) Reported(d Dimension) bool {
	return slices.ContainsFunc(m.Parts[d], func(p PartFigures) bool { return p.Name != "" })
}

// PerOrder is how many places an order holds, on average.
func (m *Marketing) PerOrder() Figure[float64] { return perOrder(m.Sold, m.Ordered, m.Orders) }

func perOrder(sold Figure[int], ordered, orders int) Figure[float64] {
	if orders == 0 {
		return unknown[float64](ReasonNoOrder)
	}
	c := sold.caveat()
	c.addIf(ordered != sold.Value, Estimated, ReasonNoOrder)
	return figure(float64(ordered)/float64(orders), c)
}

// LeadBand are places that are sold, and were From to under Under days before the performance. Under is 0
// in the last band; both are −1 for what was sold without a time.
type LeadBand struct{ From, Under, Sold int }

// undatedLead is the band of what was sold without a time.
var undatedLead = LeadBand{From: -1, Under: -1}

// leadEnds are the days before a performance at which a band of lead times ends and the next begins.
var leadEnds = [...]int{1, 7, 30, 90}

// leadBands are how many bands of lead times those ends make.
const leadBands = len(leadEnds) + 1

// Marketing is that of the performances of the days from..to.
func (v *Evening) Marketing(from, to Day) (m Marketing) {
	var sold caveat
	total := 0
	received := caveat{}
	var sums Sums
	parts := [dimensionCount]map[string]*PartFigures{}
	for d := range parts {
		parts[d] = map[string]*PartFigures{}
	}
	methods := map[string]Sums{}
	lead := LeadBands()
	var paid []paidFor
	var average caveat
	var toCome []*Show
	var ahead []*EventFigures
	for _, e := range v.snapshot.Events {
		if e.Date < from || e.Date > to || e.Date == "" {
			continue
		}
		if e.Date >= v.Day {
			toCome = append(toCome, v.Show(e))
		}
		if v.phase(e).GoesAhead() {
			ahead = append(ahead, e)
		}
		m.Performances++
		sold, m.paid, m.booked = sold.and(e.Sold.caveat()), m.paid.and(e.Paid.caveat()), m.booked.and(e.Revenue.Of(Booked).caveat())
		total += e.Sold.Value
		for d := range parts {
			for more := range e.Parts[d].each {
				if p := parts[d][more.Name]; p != nil {
					*p = p.plus(more)
				} else {
					parts[d][more.Name] = new(*more)
				}
			}
		}
		e.addLead(lead)
		m.plan(e)
		paid, average = append(paid, e.paidFor...), average.and(e.averageCaveat())
		m.Orders, m.Ordered = m.Orders+e.Orders, m.Ordered+e.Ordered
		m.Buyers.New, m.Buyers.Returning, m.Buyers.Anonymous = m.Buyers.New+e.Buyers.New, m.Buyers.Returning+e.Buyers.Returning, m.Buyers.Anonymous+e.Buyers.Anonymous
		of := e.Revenue.Of(Received)
		received, sums = received.and(of.caveat()), sums.PlusAll(of.Value, 1)
		for _, method := range e.Methods {
			methods[method.Name] = methods[method.Name].PlusAll(method.Received, 1)
		}
	}
	m.planned()
	m.RevenuePerPlace, m.UnsoldValue = revenuePerPlace(ahead), unsoldValue(toCome)
	m.AveragePrice, m.contacts = averageOf(paid, average), v.snapshot.Contacts
	m.Sold, m.Received = figure(total, sold), figure(sums, received)
	for d := range parts {
		for _, p := range parts[d] {
			if p.moved() {
				m.Parts[d] = append(m.Parts[d], *p)
			}
		}
		slices.SortFunc(m.Parts[d], mostSold)
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if len(methods[name]) > 0 {
			m.Methods = append(m.Methods, MethodFigures{name, methods[name]})
		}
	}
	m.LeadTimes = slices.DeleteFunc(lead, func(b LeadBand) bool { return b.Sold == 0 })
	return m
}

// LeadBands are the bands of lead times, empty: the nearest first, and what has no time last.
func LeadBands() []LeadBand {
	bands := []LeadBand{{}}
	for _, end := range leadEnds {
		bands[len(bands)-1].Under = end
		bands = append(bands, LeadBand{From: end})
	}
	return append(bands, undatedLead)
}

// addLead adds the event's places by how long before it they were sold; what was sold after its day
// is in the first band.
func (e *EventFigures) addLead(bands []LeadBand) {
	undated := e.Sold.Value
	for i, places := range e.leads {
		bands[i].Sold += places
		undated -= places
	}
	bands[len(bands)-1].Sold += undated
}

// placesOn are places that were sold on a day.
type placesOn struct {
	day    dayNumber
	places int
}

// countSoldOn has places be sold on a day; a negative number takes them out again.
func (e *eventAccount) countSoldOn(day dayNumber, places int) {
	i, found := slices.BinarySearchFunc(e.soldOn, day, func(on placesOn, day dayNumber) int { return cmp.Compare(on.day, day) })
	if !found {
		e.soldOn = slices.Insert(e.soldOn, i, placesOn{day: day})
	}
	if e.soldOn[i].places += places; e.soldOn[i].places == 0 {
		e.soldOn = slices.Delete(e.soldOn, i, i+1)
	}
}

// leads are the places that are sold and have a time, by how many days before the performance that was.
func (e *eventAccount) leads() (bands [leadBands]int) {
	date, _ := e.day.number()
	for _, on := range e.soldOn {
		bands[leadBandOf(int(date-on.day))] += on.places
	}
	return bands
}
