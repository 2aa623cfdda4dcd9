package foldtest

import (
	"cmp"
	"maps"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// salesByHand are the sold places of a log, counted anew.
type salesByHand struct {
	named, dated     []saleByHand           // those of known buyers and time, and all that have a time, whoever bought them
	orders           map[[2]string]int      // places by event and order
	ordered          map[string]int         // places with an order by event
	first            map[string]figures.Day // on which a contact bought anything
	anonymous        map[string]int         // places of nobody known by event
	contacts         figures.Contacts
	towns, postcodes map[string]string // by contact
}

// saleByHand is the places of one ticket.
type saleByHand struct {
	event, contact string
	day            figures.Day
	places         int
}

// countSales counts what is sold of the newest versions of a log.
func countSales(calendar figures.Calendar, log *Log) *salesByHand {
	c := &salesByHand{orders: map[[2]string]int{}, ordered: map[string]int{}, first: map[string]figures.Day{}, anonymous: map[string]int{},
		towns: map[string]string{}, postcodes: map[string]string{}}
	tests := map[string]bool{}
	for _, r := range log.Heads {
		if e, ok := r.(*record.Event); ok && e.Test {
			tests[e.ID] = true
		}
	}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Contact:
			c.addContact(r)
		case *record.Ticket:
			if CountsTicket(r) && !tests[r.EventID] && r.Status == record.TicketValid && r.IsPlace() && r.Places() != 0 {
				c.addTicket(calendar, r)
			}
		}
	}
	return c
}

func (c *salesByHand) addContact(r *record.Contact) {
	if r.Test || r.Deleted {
		return
	}
	c.towns[r.ID] = cmp.Or(r.City, r.PostalArea)
	if c.postcodes[r.ID] = r.PostalArea[:min(2, len(r.PostalArea))]; r.Country != "" && c.postcodes[r.ID] != "" {
		c.postcodes[r.ID] = r.Country + " " + c.postcodes[r.ID]
	}
	switch {
	case r.OptIn == nil:
		c.contacts.NotAsked++
	case *r.OptIn:
		c.contacts.OptedIn++
	default:
		c.contacts.OptedOut++
	}
}

func (c *salesByHand) addTicket(calendar figures.Calendar, r *record.Ticket) {
	if r.OrderID != "" {
		c.orders[[2]string{r.EventID, r.OrderID}] += r.Places()
		c.ordered[r.EventID] += r.Places()
	}
	at := r.SoldAt
	if at.IsZero() {
		at = r.CreatedAt
	}
	if !at.IsZero() {
		c.dated = append(c.dated, saleByHand{r.EventID, "", calendar.Day(at), r.Places()})
	}
	if r.ContactID == "" || at.IsZero() || r.Places() < 0 {
		c.anonymous[r.EventID] += r.Places()
		return
	}
	day := calendar.Day(at)
	if f, ok := c.first[r.ContactID]; !ok || day < f {
		c.first[r.ContactID] = day
	}
	c.named = append(c.named, saleByHand{r.EventID, r.ContactID, day, r.Places()})
}

// CheckMarketing counts methods, orders, buyers, their towns and contacts anew.
func CheckMarketing(t *testing.T, calendar figures.Calendar, log *Log, s *figures.Snapshot) {
	t.Helper()
	c := countSales(calendar, log)
	if s.Contacts != c.contacts {
		t.Fatalf("contacts %+v, want %+v", s.Contacts, c.contacts)
	}
	for _, e := range s.Events {
		c.checkBuyers(t, e)
		holders := 0
		for of := range c.orders {
			if of[0] == e.Event.ID {
				holders++
			}
		}
		if e.Orders != holders || e.Ordered != c.ordered[e.Event.ID] {
			t.Fatalf("%s: %d places in %d orders, want %d in %d", e.Event.ID, e.Ordered, e.Orders, c.ordered[e.Event.ID], holders)
		}
		checkMethods(t, "received by method", e.Methods, e.Revenue.Of(figures.Received))
	}
	m := marketing.Of(evening.At(s, Halfway), "2026-01-01", "2026-12-31")
	checkParts(t, &m)
	checkSalesDays(t, &m)
	c.checkLeadTimes(t, s, &m)
	checkMethods(t, "received by method in all", m.Methods, m.Received)
}

// checkBuyers compares who bought the places of a performance, on which day and from where.
func (c *salesByHand) checkBuyers(t *testing.T, e *figures.EventFigures) {
	t.Helper()
	want, bought, boughtIn := figures.Buyers{Anonymous: c.anonymous[e.Event.ID]}, map[string]int{}, map[string]int{}
	byDay := map[figures.Day]figures.Buyers{}
	for _, sale := range c.named {
		if sale.event != e.Event.ID {
			continue
		}
		bought[c.towns[sale.contact]] += sale.places
		boughtIn[c.postcodes[sale.contact]] += sale.places
		day := byDay[sale.day]
		if sale.day == c.first[sale.contact] {
			want.New += sale.places
			day.New += sale.places
		} else {
			want.Returning += sale.places
			day.Returning += sale.places
		}
		byDay[sale.day] = day
	}
	for _, d := range e.BuyerDays {
		if got := (figures.Buyers{New: int(d.New), Returning: int(d.Returning)}); byDay[d.Day.Day()] != got {
			t.Fatalf("%s on %s: %+v, want %+v", e.Event.ID, d.Day.Day(), got, byDay[d.Day.Day()])
		}
		delete(byDay, d.Day.Day())
	}
	if len(byDay) > 0 {
		t.Fatalf("%s: what was bought on %v is missing", e.Event.ID, byDay)
	}
	if e.Buyers != want || want.New+want.Returning+want.Anonymous != e.Sold.Value {
		t.Fatalf("%s: %+v of %d sold, want %+v", e.Event.ID, e.Buyers, e.Sold.Value, want)
	}
	checkHomes(t, e.Event.ID, e.Towns, bought)
	checkHomes(t, e.Event.ID, e.Postcodes, boughtIn)
}

// checkMethods compares the sum of what was received by each method with all that was.
func checkMethods(t *testing.T, what string, methods []figures.MethodFigures, all figures.Figure[figures.Sums]) {
	t.Helper()
	var received figures.Sums
	for _, m := range methods {
		received = received.PlusAll(m.Received, 1)
	}
	EqualSums(t, what, received, all.Value)
}

// checkParts compares the sums of all parts of the sales with what is sold.
func checkParts(t *testing.T, m *marketing.Sales) {
	t.Helper()
	for d, parts := range m.Parts {
		sum := 0
		for _, p := range parts {
			sum += p.Sold
		}
		if sum != m.Sold.Value {
			t.Fatalf("dimension %d sums to %d of %d", d, sum, m.Sold.Value)
		}
	}
	for _, homes := range [][]figures.TownFigures{m.Towns, m.Postcodes} {
		places := 0
		for _, home := range homes {
			places += home.Sold
		}
		if places != m.Sold.Value {
			t.Fatalf("%v sum to %d of %d", homes, places, m.Sold.Value)
		}
	}
}

// checkSalesDays compares the sums by day of sale with what is sold and who bought it.
func checkSalesDays(t *testing.T, m *marketing.Sales) {
	t.Helper()
	placed, buyers := m.Days.Undated, m.Days.UndatedBuyers
	for i := range m.Days.Buckets {
		b := &m.Days.Buckets[i]
		placed += b.All()
		if n := b.Buyers.Known() + b.Buyers.Anonymous; n != b.All() {
			t.Fatalf("buyers of %s are %+v of %d", b.From, b.Buyers, b.All())
		}
		buyers = figures.Buyers{New: buyers.New + b.Buyers.New, Returning: buyers.Returning + b.Buyers.Returning, Anonymous: buyers.Anonymous + b.Buyers.Anonymous}
	}
	if buyers != m.Buyers {
		t.Fatalf("buyers by day of sale sum to %+v of %+v", buyers, m.Buyers)
	}
	if placed != m.Sold.Value {
		t.Fatalf("places by day of sale sum to %d of %d", placed, m.Sold.Value)
	}
}

// checkLeadTimes compares how long before their performances places were sold.
func (c *salesByHand) checkLeadTimes(t *testing.T, s *figures.Snapshot, m *marketing.Sales) {
	t.Helper()
	lead := map[int]int{-1: m.Sold.Value}
	for _, sold := range c.dated {
		if e := s.Event(sold.event); e != nil && e.Date >= "2026-01-01" && e.Date <= "2026-12-31" && e.Event.Status != record.EventCancelled && e.Event.Status != record.EventPostponed {
			from, before := 0, e.Date.Since(sold.day)
			for _, end := range []int{1, 7, 30, 90} {
				if before >= end {
					from = end
				}
			}
			lead[from] += sold.places
			lead[-1] -= sold.places
		}
	}
	sum := 0
	for _, b := range m.LeadTimes {
		sum += b.Sold
		if b.Sold != lead[b.From] {
			t.Fatalf("lead times %v, want %v", m.LeadTimes, lead)
		}
	}
	if b := m.Buyers; sum != m.Sold.Value || b.New+b.Returning+b.Anonymous != m.Sold.Value {
		t.Fatalf("lead times sum to %d, buyers are %+v, of %d", sum, b, m.Sold.Value)
	}
}

// checkHomes compares the places of a performance by where those live who bought them.
func checkHomes(t *testing.T, event string, got []figures.TownFigures, want map[string]int) {
	t.Helper()
	maps.DeleteFunc(want, func(name string, places int) bool { return name == "" || places == 0 })
	listed := map[string]int{}
	for _, home := range got {
		listed[home.Name] += home.Sold
	}
	if !maps.Equal(listed, want) || len(listed) != len(got) {
		t.Fatalf("%s: bought from %v, want %v", event, got, want)
	}
}
