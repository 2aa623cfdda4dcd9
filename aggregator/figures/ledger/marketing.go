package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// postMethod puts what was received in (n = 1) or takes it out (n = −1).
func (e *eventAccount) postMethod(p posting, n int) {
	if p.measure == figures.Received && !p.unmapped {
		entry(e.methods, p.method).add(p.amount.times(n))
	}
}

// methodFigures returns the account's methods, by name.
func (e *eventAccount) methodFigures(n *names) (all []figures.MethodFigures) {
	for method, received := range e.methods {
		if sums := received.publish(n).Of(figures.Received); len(sums) > 0 {
			all = append(all, figures.MethodFigures{Name: n.text(method), Received: sums})
		}
	}
	slices.SortFunc(all, func(a, b figures.MethodFigures) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// placesOn are places that were sold on a day.
type placesOn struct {
	day    figures.DayNumber
	places int
}

// countSoldOn has places be sold on a day; a negative number takes them out again.
func (e *eventAccount) countSoldOn(day figures.DayNumber, places int) {
	i, found := slices.BinarySearchFunc(e.soldOn, day, func(on placesOn, day figures.DayNumber) int { return cmp.Compare(on.day, day) })
	if !found {
		e.soldOn = slices.Insert(e.soldOn, i, placesOn{day: day})
	}
	if e.soldOn[i].places += places; e.soldOn[i].places == 0 {
		e.soldOn = slices.Delete(e.soldOn, i, i+1)
	}
}

// leads returns the sold places that have a time of sale, by the days from then to the performance.
func (e *eventAccount) leads() (bands [figures.LeadBandCount]int) {
	date, _ := e.day.Number()
	for _, on := range e.soldOn {
		bands[leadBandOf(int(date-on.day))] += on.places
	}
	return bands
}
