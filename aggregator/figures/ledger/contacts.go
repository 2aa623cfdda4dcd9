package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// contacts are those that tickets or records name.
type contacts struct {
	refs    map[string]ref
	rows    []contact // by ref; the first is none, and the next two are no one
	counted figures.Contacts
}

// contact is what the ledger holds of one.
type contact struct {
	revision int64
	sales    []contactSale // by day
	heard    figures.Stamp // when anything was last heard of it
	answer   answer
}

// contactSale is sold places of an event that a contact bought on one day.
type contactSale struct {
	event  *eventAccount
	day    figures.DayNumber
	places int32
}

// answer is what a contact said when asked whether news may be sent.
type answer uint8

const (
	uncounted answer = iota // its record was not read, or does not count
	notAsked
	optedIn
	optedOut
)

// The refs of what stands in the place of contacts that were forgotten.
const (
	newBuyer ref = 1 + iota
	returningBuyer
)

func newContacts() contacts {
	return contacts{refs: map[string]ref{record.NewBuyer: newBuyer, record.ReturningBuyer: returningBuyer}, rows: make([]contact, returningBuyer+1)}
}

// contact returns the ref of an id, 0 if it is empty.
func (c *contacts) contact(id string) ref {
	if id == "" {
		return 0
	}
	r, known := c.refs[id]
	if !known {
		r = ref(len(c.rows))
		c.refs[id] = r
		c.rows = append(c.rows, contact{})
	}
	return r
}

// applyContact puts a contact in the place of what was held of it.
func (l *Ledger) applyContact(r *record.Contact, v *record.Version) {
	c := l.contact(r.ID)
	l.hear(c, v)
	row := &l.contacts.rows[c]
	if !newest(v, row.revision) {
		return
	}
	row.revision = v.Revision
	l.contacts.count(row.answer, -1)
	switch {
	case r.Test || r.Deleted:
		row.answer = uncounted
	case r.OptIn == nil:
		row.answer = notAsked
	case *r.OptIn:
		row.answer = optedIn
	default:
		row.answer = optedOut
	}
	l.contacts.count(row.answer, 1)
}

func (c *contacts) count(a answer, n int) {
	switch a {
	case notAsked:
		c.counted.NotAsked += n
	case optedIn:
		c.counted.OptedIn += n
	case optedOut:
		c.counted.OptedOut += n
	}
}

// buy counts a ticket's places by who bought them (n = 1), or takes them out (n = −1).
func (l *Ledger) buy(t *ticket, n int) {
	places := n * t.admitting()
	switch {
	case t.state != ticketSold || places == 0 || t.event.test():
	case t.buyer == 0 || t.sold == 0 || t.places < 0: // a return, of which nobody says to whose purchase it belongs
		t.event.buyers.Anonymous += places
	case t.buyer == newBuyer:
		t.event.buyers.New += places
	case t.buyer == returningBuyer:
		t.event.buyers.Returning += places
	default:
		c := &l.contacts.rows[t.buyer]
		first := c.first()
		day := l.days.dayOf(t.sold)
		c.add(t.event, day, int32(places))
		switch next := c.first(); {
		case day == first && next == first, first == noDay && day == next:
			t.event.buyers.New += places
		case day > first && next == first:
			t.event.buyers.Returning += places
		case day < first: // what was bought on the first day was bought later now
			t.event.buyers.New += places
			l.turnBuyers(c, first, -1)
		default: // nothing is left of the first day
			t.event.buyers.New += places
			l.turnBuyers(c, next, 1)
		}
	}
}

// changeBuyersOf is called before an event becomes a test or ceases to be one. It takes out the event's
// buyers; back adds them again. Like changeOrdersOf, it reads every ticket.
func (l *Ledger) changeBuyersOf(e *eventAccount) (back func()) {
	var tickets []*ticket
	for _, t := range l.tickets {
		if t.event == e && t.counts {
			tickets = append(tickets, t)
		}
	}
	post := func(n int) {
		for _, t := range tickets {
			l.buy(t, n)
		}
	}
	post(-1)
	return func() { post(1) }
}

// first returns the first day on which the contact bought anything, noDay where it did not.
func (c *contact) first() figures.DayNumber {
	if len(c.sales) == 0 {
		return noDay
	}
	return c.sales[0].day
}

// add adds places.
func (c *contact) add(e *eventAccount, day figures.DayNumber, places int32) {
	i, _ := slices.BinarySearchFunc(c.sales, day, func(s contactSale, day figures.DayNumber) int { return cmp.Compare(s.day, day) })
	for i < len(c.sales) && c.sales[i].day == day && c.sales[i].event != e {
		i++
	}
	if i == len(c.sales) || c.sales[i].day != day {
		c.sales = slices.Insert(c.sales, i, contactSale{e, day, places})
		return
	}
	if c.sales[i].places += places; c.sales[i].places == 0 {
		c.sales = slices.Delete(c.sales, i, i+1)
	}
}

// turnBuyers has what the contact bought on a day count as New (n = 1), or as Returning (n = −1).
func (l *Ledger) turnBuyers(c *contact, day figures.DayNumber, n int) {
	for _, s := range c.sales {
		if s.day == day {
			s.event.buyers.New += n * int(s.places)
			s.event.buyers.Returning -= n * int(s.places)
			l.touch(s.event)
		}
	}
}

// countOrders shares a ticket with its order, and counts the orders that hold sold places of its
// event.
func (l *Ledger) countOrders(t *ticket, n int) {
	before := t.order.soldOf(t.event)
	l.share(t, n)
	after := t.order.soldOf(t.event)
	t.event.ordered += after - before
	switch {
	case before == 0 && after != 0:
		t.event.holders++
	case before != 0 && after == 0:
		t.event.holders--
	}
}

// soldOf returns how many sold places of an event the order holds.
func (o *order) soldOf(e *eventAccount) (places int) {
	if o == nil {
		return 0
	}
	for i := range o.rows {
		if row := &o.rows[i]; row.event == e && row.holding == standing {
			places += row.terms.admitting(row.places)
		}
	}
	return places
}
