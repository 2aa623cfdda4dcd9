package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// home is where a contact lives; a ref is 0 if that is not known.
type home struct{ town, postcode sums.Ref }

// homeOf returns where a contact lives. Its town is its postal area where it reports none.
func (l *Ledger) homeOf(r *record.Contact) home {
	if r.Test || r.Deleted {
		return home{}
	}
	return home{l.names.Ref(cmp.Or(r.City, r.PostalArea)), l.names.Ref(r.PostcodeArea())}
}

// settle notes where a contact lives, and moves what it bought from its former home.
func (l *Ledger) settle(c *contact, h home) {
	if c.home == h {
		return
	}
	for _, s := range c.sales {
		s.event.countHome(c.home, -int(s.places))
		s.event.countHome(h, int(s.places))
		l.touch(s.event)
	}
	c.home = h
}

// homes are the sold places of an event by where those live who bought them.
type homes struct {
	places    map[sums.Ref]int
	published []figures.TownFigures // nil if they changed
}

// countHome adds places that somebody of a home bought; a negative number removes them.
func (e *eventAccount) countHome(h home, places int) {
	e.towns.count(h.town, places)
	e.postcodes.count(h.postcode, places)
}

func (h *homes) count(of sums.Ref, places int) {
	if of == 0 || places == 0 {
		return
	}
	if h.places == nil {
		h.places = map[sums.Ref]int{}
	}
	if h.places[of] += places; h.places[of] == 0 {
		delete(h.places, of)
	}
	h.published = nil
}

// publish returns the places, the most first. If nothing changed it returns what it returned last.
func (h *homes) publish(n *sums.Names) []figures.TownFigures {
	if h.published != nil || len(h.places) == 0 {
		return h.published
	}
	for of, places := range h.places {
		h.published = append(h.published, figures.TownFigures{Name: n.Text(of), Sold: places})
	}
	slices.SortFunc(h.published, figures.MostFromTown)
	return h.published
}

// homeOfTicket returns where who bought a sold ticket lives; zero if it is not known.
func (l *Ledger) homeOfTicket(t *ticket) home {
	if t.buyer <= returningBuyer || t.sold == 0 || t.places < 0 {
		return home{}
	}
	return l.contacts.rows[t.buyer].home
}
