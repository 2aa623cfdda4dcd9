package ledger

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// contacts are the contacts that tickets or contact records name.
type contacts struct {
	refs    map[string]sums.Ref
	rows    []contact // by ref; the first is unused, the next two stand for deleted contacts
	counted figures.Contacts
}

// contact is what the ledger holds of a contact.
type contact struct {
	revision int64
	sales    []contactSale // by day
	heard    figures.Stamp // the last activity
	answer   answer
	home
}

// contactSale is how many places of an event a contact bought on one day, without those cancelled since.
type contactSale struct {
	event  *eventAccount
	day    figures.DayNumber
	places int32
}

// answer is a contact's answer to whether news may be sent.
type answer uint8

const (
	uncounted answer = iota // its record was not read, or does not count
	notAsked
	optedIn
	optedOut
)

// The refs that stand for all deleted contacts.
const (
	newBuyer sums.Ref = 1 + iota
	returningBuyer
)

func newContacts() contacts {
	return contacts{refs: map[string]sums.Ref{record.NewBuyer: newBuyer, record.ReturningBuyer: returningBuyer}, rows: make([]contact, returningBuyer+1)}
}

// contact returns the ref of an id, 0 if it is empty.
func (c *contacts) contact(id string) sums.Ref {
	if id == "" {
		return 0
	}
	r, known := c.refs[id]
	if !known {
		r = sums.Ref(len(c.rows))
		c.refs[strings.Clone(id)] = r // which may be a part of a row
		c.rows = append(c.rows, contact{})
	}
	return r
}

// applyContact stores a contact in place of its previous version.
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
	l.settle(row, l.homeOf(r))
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

// buy counts a ticket's places under new or returning buyers (n = 1), or removes them (n = −1).
func (l *Ledger) buy(t *ticket, n int) {
	places := n * t.admitting()
	switch {
	case t.state != ticketSold || places == 0 || t.event.test():
	case t.buyer == 0 || t.sold == 0 || t.places < 0: // a return, of which nobody says to whose purchase it belongs
		t.event.buyers.Anonymous += places
	case t.buyer == newBuyer:
		t.event.countBought(l.days.DayOf(t.sold), places, 0)
	case t.buyer == returningBuyer:
		t.event.countBought(l.days.DayOf(t.sold), 0, places)
	default:
		c := &l.contacts.rows[t.buyer]
		first := c.first()
		day := l.days.DayOf(t.sold)
		c.add(t.event, day, int32(places))
		t.event.countHome(c.home, places)
		switch next := c.first(); {
		case day == first && next == first, first == noDay && day == next:
			t.event.countBought(day, places, 0)
		case day > first && next == first:
			t.event.countBought(day, 0, places)
		case day < first: // what was bought on the former first day is now a later purchase
			t.event.countBought(day, places, 0)
			l.turnBuyers(c, first, -1)
		default: // nothing is left of the first day; the next one becomes the first
			t.event.countBought(day, places, 0)
			l.turnBuyers(c, next, 1)
		}
	}
}

// changeBuyersOf is called before an event becomes a test or ceases to be one. It takes out the event's
// buyers; back adds them again. Like changeOrdersOf, it reads every ticket.
func (l *Ledger) changeBuyersOf(e *eventAccount) (back func()) {
	var tickets []ticket
	for row := range l.tickets.All() {
		if row.event == e.number && row.counts {
			tickets = append(tickets, l.ticketIn(row))
		}
	}
	post := func(n int) {
		for i := range tickets {
			l.buy(&tickets[i], n)
		}
	}
	post(-1)
	return func() { post(1) }
}

// first returns the first day on which the contact bought something that is sold; noDay for none.
func (c *contact) first() figures.DayNumber {
	if len(c.sales) == 0 {
		return noDay
	}
	return c.sales[0].day
}

// add adds places to the sales of a day; a negative number removes them.
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

// countBought adds places that new and returning contacts bought on a day; negative numbers remove them.
func (e *eventAccount) countBought(day figures.DayNumber, first, again int) {
	e.buyers.New += first
	e.buyers.Returning += again
	e.bought.Add(day, first, again)
}

// isFirst reports whether who bought a sold ticket did so on the first day; known is false where the ticket names no
// contact or has no time.
func (l *Ledger) isFirst(t *ticket) (first, known bool) {
	switch {
	case t.buyer == 0 || t.sold == 0 || t.places < 0:
		return false, false
	case t.buyer <= returningBuyer:
		return t.buyer == newBuyer, true
	}
	return l.days.DayOf(t.sold) == l.contacts.rows[t.buyer].first(), true
}

// turnBuyers moves what the contact bought on a day from Returning to New (n = 1), or back (n = −1).
func (l *Ledger) turnBuyers(c *contact, day figures.DayNumber, n int) {
	for _, s := range c.sales {
		if s.day == day {
			s.event.countBought(day, n*int(s.places), -n*int(s.places))
			l.touch(s.event)
		}
	}
}

// countOrders adds a ticket to its order (n = 1) or removes it (n = −1), and counts the orders that have sold
// places of its event.
func (l *Ledger) countOrders(t *ticket, n int) {
	before := l.soldIn(t.order, t.event)
	l.share(t, n)
	after := l.soldIn(t.order, t.event)
	t.event.ordered += after - before
	switch {
	case before == 0 && after != 0:
		t.event.holders++
	case before != 0 && after == 0:
		t.event.holders--
	}
}

// soldIn returns how many sold places of an event an order has; none if it is nil.
func (l *Ledger) soldIn(o *order, e *eventAccount) (places int) {
	if o == nil {
		return 0
	}
	for _, row := range l.rowsOf(o) {
		if row.event == e.number && row.holding == standing {
			places += l.sharedTerms[row.terms].admitting(row.places)
		}
	}
	return places
}
