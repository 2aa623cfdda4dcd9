package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// townOf returns the town of a contact or, if it does not say one, its postal area; empty if neither is known.
func townOf(r *record.Contact) string {
	switch {
	case r.Test || r.Deleted:
		return ""
	case r.City != "":
		return r.City
	}
	return r.PostalArea
}

// settle notes where a contact lives, and moves what it bought from its former town.
func (l *Ledger) settle(c *contact, town sums.Ref) {
	if c.town == town {
		return
	}
	for _, s := range c.sales {
		s.event.countTown(c.town, -int(s.places))
		s.event.countTown(town, int(s.places))
		l.touch(s.event)
	}
	c.town = town
}

// countTown adds places that somebody of a town bought; a negative number removes them.
func (e *eventAccount) countTown(town sums.Ref, places int) {
	if town == 0 || places == 0 {
		return
	}
	if e.towns == nil {
		e.towns = map[sums.Ref]int{}
	}
	if e.towns[town] += places; e.towns[town] == 0 {
		delete(e.towns, town)
	}
	e.townsChanged = true
}

// townFigures returns the sold places by town. If nothing changed it returns what it returned last.
func (e *eventAccount) townFigures(n *sums.Names) []figures.TownFigures {
	if !e.townsChanged && e.published != nil {
		return e.published.Towns
	}
	e.townsChanged = false
	var all []figures.TownFigures
	for town, places := range e.towns {
		all = append(all, figures.TownFigures{Name: n.Text(town), Sold: places})
	}
	slices.SortFunc(all, figures.MostFromTown)
	return all
}

// townOfTicket returns the town of who bought a sold ticket, empty if it is not known.
func (l *Ledger) townOfTicket(t *ticket) string {
	if t.buyer <= returningBuyer || t.sold == 0 || t.places < 0 {
		return ""
	}
	if town := l.contacts.rows[t.buyer].town; town != 0 {
		return l.names.Text(town)
	}
	return ""
}
