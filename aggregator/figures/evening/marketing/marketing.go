// Package marketing adds up the sales of the performances of some days: by part, by day of sale, and by when their buyers first
// came. It is pure.
package marketing

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Sales are the sales of the performances of some days. The rows of each list sum to Sold, those of
// Methods to Received.
type Sales struct {
	Performances int
	Sold         figures.Figure[int]
	Parts        [figures.DimensionCount][]figures.PartFigures // most sold first
	LeadTimes    []figures.LeadBand
	Days         Days
	BuyerDays    BuyerDays
	// Orders is the number of orders with sold places; an order counts once for each of its performances. Ordered
	// is their places.
	Orders, Ordered int
	Buyers          figures.Buyers
	Received        figures.Figure[figures.Sums]
	// RevenuePerPlace is of the performances that are not called off and have a limit of places, UnsoldValue of
	// those that can still be sold.
	RevenuePerPlace, UnsoldValue figures.Figure[figures.Sums]
	// AveragePrice is the average price over all of them.
	AveragePrice figures.Figure[figures.Sums]
	// Forecast is the number of visitors that planning expects and Budget the marketing budget, over the Forecasts
	// and Budgets performances that have one.
	Forecast           figures.Figure[int]
	Budget             figures.Figure[figures.Sums]
	Forecasts, Budgets int
	Methods            []figures.MethodFigures // by name
	// Towns are the places by the town of who bought them, the most first, and those without a known town last.
	Towns []figures.TownFigures
	// Postcodes are the same by postcode area.
	Postcodes []figures.TownFigures

	forecasted, budgeted figures.Figure[int] // places sold for performances with a forecast or a budget
	Contacts             figures.Contacts    // of the whole house
	Paid, Booked         figures.Caveat
}

// Reported reports whether tickets report a dimension at all.
func (m *Sales) Reported(d figures.Dimension) bool {
	return slices.ContainsFunc(m.Parts[d], func(p figures.PartFigures) bool { return p.Name != "" })
}

// PerOrder returns the average number of places in an order.
func (m *Sales) PerOrder() figures.Figure[float64] {
	return figures.PerOrder(m.Sold, m.Ordered, m.Orders)
}

// Of adds up the sales of the performances of the days from..to, without those that are cancelled or postponed.
func Of(v *evening.Evening, from, to figures.Day) (m Sales) {
	var sold figures.Caveat
	total := 0
	received := figures.Caveat{}
	var sums figures.Sums
	parts := [figures.DimensionCount]map[string]*figures.PartFigures{}
	for d := range parts {
		parts[d] = map[string]*figures.PartFigures{}
	}
	methods, towns, postcodes := map[string]figures.Sums{}, map[string]int{}, map[string]int{}
	lead := figures.LeadBands()
	var paid []figures.PaidFor
	var average figures.Caveat
	var toCome []*evening.Show
	var all []*figures.EventFigures
	for _, e := range Performed(v, from, to) {
		if e.Date >= v.Day {
			toCome = append(toCome, v.Show(e))
		}
		m.Performances++
		all = append(all, e)
		sold, m.Paid, m.Booked = sold.And(e.Sold.Caveat()), m.Paid.And(e.Paid.Caveat()), m.Booked.And(e.Revenue.Of(figures.Booked).Caveat())
		total += e.Sold.Value
		for d := range parts {
			for more := range e.Parts[d].Each {
				if p := parts[d][more.Name]; p != nil {
					*p = p.Plus(more)
				} else {
					parts[d][more.Name] = new(*more)
				}
			}
		}
		addLead(e, lead)
		for _, t := range e.Towns {
			towns[t.Name] += t.Sold
		}
		for _, t := range e.Postcodes {
			postcodes[t.Name] += t.Sold
		}
		m.plan(e)
		paid, average = append(paid, e.PaidFor...), average.And(e.AverageCaveat())
		m.Orders, m.Ordered = m.Orders+e.Orders, m.Ordered+e.Ordered
		m.Buyers.New, m.Buyers.Returning, m.Buyers.Anonymous = m.Buyers.New+e.Buyers.New, m.Buyers.Returning+e.Buyers.Returning, m.Buyers.Anonymous+e.Buyers.Anonymous
		of := e.Revenue.Of(figures.Received)
		received, sums = received.And(of.Caveat()), sums.PlusAll(of.Value, 1)
		for _, method := range e.Methods {
			methods[method.Name] = methods[method.Name].PlusAll(method.Received, 1)
		}
	}
	m.planned()
	m.RevenuePerPlace, m.UnsoldValue = RevenuePerPlaceOf(all), UnsoldValue(toCome)
	m.AveragePrice, m.Contacts = figures.AverageOf(paid, average), v.Snapshot.Contacts
	m.Sold, m.Received = figures.New(total, sold), figures.New(sums, received)
	for d := range parts {
		for _, p := range parts[d] {
			if p.Moved() {
				m.Parts[d] = append(m.Parts[d], *p)
			}
		}
		slices.SortFunc(m.Parts[d], figures.MostSold)
	}
	m.Days, m.BuyerDays = daysOf(v, &m, all), buyersByDay(all)
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if len(methods[name]) > 0 {
			m.Methods = append(m.Methods, figures.MethodFigures{Name: name, Received: methods[name]})
		}
	}
	m.Towns, m.Postcodes = townsOf(towns, total), townsOf(postcodes, total)
	m.LeadTimes = slices.DeleteFunc(lead, func(b figures.LeadBand) bool { return b.Sold == 0 })
	return m
}

// Performed returns the performances of the days from..to that Of adds up.
func Performed(v *evening.Evening, from, to figures.Day) (all []*figures.EventFigures) {
	for _, e := range v.Snapshot.Events {
		if e.Date >= from && e.Date <= to && e.Date != "" && v.GoesAhead(e) {
			all = append(all, e)
		}
	}
	return all
}

// townsOf returns the places by town, with the rest of those sold last.
func townsOf(places map[string]int, sold int) (all []figures.TownFigures) {
	rest := sold
	for name, n := range places {
		all, rest = append(all, figures.TownFigures{Name: name, Sold: n}), rest-n
	}
	slices.SortFunc(all, figures.MostFromTown)
	if rest != 0 {
		all = append(all, figures.TownFigures{Sold: rest})
	}
	return all
}

// addLead adds the event's places by how long before the event they were sold; places sold after its day are in
// the first band.
func addLead(e *figures.EventFigures, bands []figures.LeadBand) {
	undated := e.Sold.Value
	for i, places := range e.Leads {
		bands[i].Sold += places
		undated -= places
	}
	bands[len(bands)-1].Sold += undated
}

// OfForecast returns sold / forecast of the performances with a forecast.
func (m *Sales) OfForecast() figures.Figure[float64] {
	return figures.New(float64(m.forecasted.Value)/float64(max(1, m.Forecast.Value)), m.forecasted.Caveat().And(m.Forecast.Caveat()).OfDifference())
}

// CostPerTicket returns the marketing budget per place sold, over the performances that have one.
func (m *Sales) CostPerTicket() figures.Figure[figures.Sums] {
	return figures.CostPerTicket(m.Budget, m.budgeted)
}

// plan adds a performance's planning.
func (m *Sales) plan(e *figures.EventFigures) {
	if e.Forecast.Known() {
		m.Forecasts++
		m.Forecast = figures.New(m.Forecast.Value+e.Forecast.Value, m.Forecast.Caveat().And(e.Forecast.Caveat()))
		m.forecasted = figures.New(m.forecasted.Value+e.Sold.Value, m.forecasted.Caveat().And(e.Sold.Caveat()))
	}
	if e.MarketingBudget.Known() {
		m.Budgets++
		m.Budget = figures.New(m.Budget.Value.PlusAll(e.MarketingBudget.Value, 1), m.Budget.Caveat().And(e.MarketingBudget.Caveat()))
		m.budgeted = figures.New(m.budgeted.Value+e.Sold.Value, m.budgeted.Caveat().And(e.Sold.Caveat()))
	}
}

// planned completes the sums. They are not exact if the planning of some performances is missing.
func (m *Sales) planned() {
	for _, of := range []struct {
		caveat *figures.Quality
		why    *[]figures.Reason
		plans  int
	}{{&m.Forecast.Quality, &m.Forecast.Reasons, m.Forecasts}, {&m.Budget.Quality, &m.Budget.Reasons, m.Budgets}} {
		c := figures.Caveat{Quality: *of.caveat, Reasons: *of.why}
		c.AddIf(of.plans < m.Performances, figures.LowerBound, figures.ReasonNotPlanned)
		c.AddIf(of.plans == 0, figures.Unknown, figures.ReasonNotPlanned)
		*of.caveat, *of.why = c.Quality, c.Reasons
	}
}
