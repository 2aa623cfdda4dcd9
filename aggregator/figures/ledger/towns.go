package ledger

import (
	"cmp"

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

// countHome adds places that somebody of a home bought; a negative number removes them.
func (e *eventAccount) countHome(h home, places int) {
	e.towns.Add(h.town, places)
	e.postcodes.Add(h.postcode, places)
}

// homeOfTicket returns where who bought a sold ticket lives; zero if it is not known.
func (l *Ledger) homeOfTicket(t *ticket) home {
	if t.buyer <= returningBuyer || t.sold == 0 || t.places < 0 {
		return home{}
	}
	return l.contacts.rows[t.buyer].home
}
