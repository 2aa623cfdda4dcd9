package ledger_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// sold works out what the sold places of performances are made of: by what they cost and whether that is
// paid, by who bought them, and by the parts that sales are split by.
func (c *recompute) sold() {
	type of struct{ order, event string }
	came := map[of]bool{} // an event is empty if the payment names none, or one of which the order has no ticket
	whole, exchanged := wholeOrders(c.tickets)
	held := map[of]bool{}
	for _, t := range c.tickets {
		held[of{t.OrderID, t.EventID}] = held[of{t.OrderID, t.EventID}] || foldtest.CountsTicket(t)
	}
	for _, p := range c.payments {
		if kindOf(p) == record.KindOfPayment && countsPayment(p) && state(p) == moved {
			event := p.EventID
			if !held[of{c.orderOf(p), event}] { // its tickets moved to another
				event = ""
			}
			if came[of{c.orderOf(p), event}] = true; exchanged[c.orderOf(p)] {
				came[of{whole(c.orderOf(p)), "any"}] = true
			}
		}
	}
	first := map[string]string{} // day on which a contact bought anything
	for _, t := range c.tickets {
		if day := c.day(firstTime(t.SoldAt, t.CreatedAt)); c.buys(t) && day != "" && (first[t.ContactID] == "" || day < first[t.ContactID]) {
			first[t.ContactID] = day
		}
	}
	type price struct{ event, currency string }
	paidFor, paidPlaces := map[price]int64{}, map[price]int64{}
	for _, t := range c.tickets {
		if !foldtest.CountsTicket(t) || t.Status != record.TicketValid {
			continue
		}
		count := func(what string, n int) { c.places[[2]string{t.EventID, what}] += n }
		if t.Kind != "" {
			if knownKind(t) {
				name := fmt.Sprintf("%s %q", t.Kind, c.typeName(t))
				m := costs(t, t.Price, false)
				count(name, t.Places())
				count(name+" "+m.Currency, int(m.Amount))
			}
			continue
		}
		places, line := t.Places(), "paid"
		if !admits(t) {
			places = 0
		}
		switch {
		case t.Complimentary:
			line = "complimentary"
		case foldtest.Given(t.Price) && t.Price.Amount == 0:
			line = "free tickets"
		case t.OrderID != "" && !came[of{t.OrderID, ""}] && !came[of{t.OrderID, t.EventID}] && !(exchanged[t.OrderID] && came[of{whole(t.OrderID), "any"}]):
			line = "unpaid"
		}
		count(line, places)
		if line == "paid" && foldtest.Given(t.Price) && places != 0 {
			k := price{t.EventID, t.Price.Currency}
			paidFor[k] += t.Price.Amount * int64(places)
			paidPlaces[k] += int64(places)
		}
		for dimension, name := range map[figures.Dimension]string{figures.ByTicketType: c.typeName(t), figures.ByChannel: t.Channel, figures.ByReferral: t.Referral, figures.ByCode: t.DiscountCode} {
			part := fmt.Sprintf("part %d %s", dimension, name)
			count(part+" "+line, places)
			m := costs(t, t.Price, false)
			count(part+" booked "+m.Currency, int(m.Amount))
		}
		if day := c.day(firstTime(t.SoldAt, t.CreatedAt)); day != "" {
			sold := fmt.Sprintf("sold on %s through %s", day, t.Channel)
			count(sold, places)
			m := costs(t, t.Price, false)
			if count(sold+" booked "+m.Currency, int(m.Amount)); m.Amount != 0 {
				count(sold+" priced "+m.Currency, places)
			}
		}
		switch day := c.day(firstTime(t.SoldAt, t.CreatedAt)); {
		case t.ContactID == "" || day == "" || places < 0:
			count("bought by nobody known", places)
		case first[t.ContactID] == day:
			count("bought first", places)
		default:
			count("bought again", places)
		}
	}
	for k, amount := range paidFor {
		if paidPlaces[k] <= 0 {
			continue
		}
		each := new(big.Rat).Add(big.NewRat(amount, paidPlaces[k]), big.NewRat(1, 2))
		c.places[[2]string{k.event, "average price " + k.currency}] = int(new(big.Int).Quo(each.Num(), each.Denom()).Int64())
	}
}

// buys reports whether a ticket is one that its contact bought.
func (c *recompute) buys(t *record.Ticket) bool {
	e := c.events[t.EventID]
	return foldtest.CountsTicket(t) && t.Status == record.TicketValid && admits(t) && t.Places() > 0 && t.ContactID != "" && (e == nil || !e.Test)
}

func admits(t *record.Ticket) bool { return t.Kind == "" && (t.Admits == nil || *t.Admits) }

// typeName returns how the type of a ticket is called.
func (c *recompute) typeName(t *record.Ticket) string {
	name := cmp.Or(t.Type.Name, t.Type.ID)
	if e := c.events[t.EventID]; e != nil {
		for _, k := range e.TicketTypes {
			if k.ID == t.Type.ID && k.Name != "" {
				name = k.Name
			}
		}
	}
	return name
}

// capacityIsGiven reports whether the capacity of an event is a number above 0 of the event, of its ticket types or of its planning:
// not of limits, and not made from what is left.
func (c *recompute) capacityIsGiven(e *record.Event) bool {
	n := c.capacity(e)
	if n == nil || *n == 0 {
		return false
	}
	if given := believed(e.Capacity); given != nil && *given >= 0 {
		return true
	}
	if leastOf(c.limits[e.ID], func(p *record.Planning) *int { return places(p.Capacity) }) != nil {
		return false
	}
	return c.planned[e.ID] > 0 || len(e.TicketTypes) > 0 && !slices.ContainsFunc(e.TicketTypes, func(t record.TicketType) bool { return places(t.Capacity) == nil })
}

// left works out what can still be sold of an event before its day, of all places and of its price areas.
func (c *recompute) left(e *record.Event) {
	note := func(what string, n int) {
		c.places[[2]string{e.ID, what + " is known"}] = 1
		c.places[[2]string{e.ID, what}] = n
	}
	of := func(what string) int { return c.places[[2]string{e.ID, what}] }
	blocked := 0
	if n := believed(e.Blocked); n != nil {
		blocked = max(0, *n)
	}
	leaves := max(0, of("capacity")-of("sold")-of("reserved")-blocked)
	switch available := c.available(e); {
	case e.Status == record.EventCancelled:
		note("free", 0)
	case e.Unlimited:
	case available != nil:
		free := max(0, *available)
		if c.capacityIsGiven(e) {
			// Without a time of the figures: some of the blocked may be sold, so only a number that is too high without them is an old one.
			if of("capacity")-of("sold")-of("reserved") < free {
				free = leaves
			}
		}
		note("free", free)
	case of("capacity is known") == 1:
		note("free", leaves)
	}
	limited := false
	for _, p := range c.limits[e.ID] {
		capacity := places(p.Capacity)
		if capacity == nil {
			continue
		}
		limited = true
		sold, reserved := c.soldOf(p)
		note("area "+p.ID+" capacity", *capacity)
		note("area "+p.ID+" sold", sold)
		note("area "+p.ID+" reserved", reserved)
		if left := c.leftOf(p); left != nil {
			note("area "+p.ID+" free", *left)
		} else {
			note("area "+p.ID+" free", max(0, *capacity-sold-reserved))
		}
	}
	if limited {
		return
	}
	areas := map[string]int{}
	for _, k := range e.TicketTypes {
		if n := believed(k.Capacity); n != nil && *n >= 0 {
			areas[cmp.Or(k.Name, k.ID)] += *n
		}
	}
	for name, capacity := range areas {
		sold, reserved := 0, 0
		for _, t := range c.tickets {
			if t.EventID != e.ID || !foldtest.CountsTicket(t) || !admits(t) || c.areaOf(t) != name {
				continue
			}
			switch t.Status {
			case record.TicketValid:
				sold += t.Places()
			case record.TicketReserved:
				reserved += t.Places()
			}
		}
		note("area "+name+" capacity", capacity)
		note("area "+name+" sold", sold)
		note("area "+name+" reserved", reserved)
		note("area "+name+" free", max(0, capacity-sold-reserved))
	}
}

// areaOf returns the area of a ticket: what its type is called by the event, or else its type's id.
func (c *recompute) areaOf(t *record.Ticket) string {
	name := t.Type.ID
	for _, k := range c.events[t.EventID].TicketTypes {
		if k.ID == t.Type.ID && k.Name != "" {
			name = k.Name
		}
	}
	return name
}

// plan adds what planning says of a performance.
func (c *recompute) plan(p *record.Planning) {
	if p.EventID == "" || p.Deleted || p.Status == "option" || p.Status == "cancelled" {
		return
	}
	if p.Kind == record.PlanningLimit && len(p.TicketTypes) > 0 {
		c.limits[p.EventID] = append(c.limits[p.EventID], p)
	}
	if n := believed(p.Capacity); n != nil && *n > 0 && p.Kind != record.PlanningLimit {
		c.planned[p.EventID] += *n
	}
	if n := believed(p.ExpectedVisitors); n != nil && *n > 0 {
		c.places[[2]string{p.EventID, "forecast"}] += *n
	}
	for what, m := range map[string]*record.Money{"planned revenue": p.BudgetRevenue, "marketing budget": p.BudgetMarketing} {
		if m != nil && m.Currency != "" && m.Amount >= 0 && m.Amount <= 1e15 {
			c.places[[2]string{p.EventID, what + " " + m.Currency}] += int(m.Amount)
		}
	}
}

// placesOf are the same figures as a snapshot has them.
func placesOf(out map[entry]int64, v *evening.Evening, e *figures.EventFigures) {
	id := e.Event.ID
	count := func(what string, n int) { out[entry{event: id, what: what}] += int64(n) }
	note := func(what string, f figures.Figure[int]) {
		if f.Known() {
			count(what+" is known", 1)
			count(what, f.Value)
		}
	}
	count("paid", e.Paid.Value)
	count("unpaid", e.Unpaid.Value)
	count("complimentary", e.Complimentary.Value)
	count("free tickets", e.FreeTickets.Value)
	count("bought first", e.Buyers.New)
	count("bought again", e.Buyers.Returning)
	count("bought by nobody known", e.Buyers.Anonymous)
	count("forecast", e.Forecast.Value)
	for what, f := range map[string]figures.Figure[figures.Sums]{"average price": e.AveragePrice, "planned revenue": e.PlannedRevenue, "marketing budget": e.MarketingBudget} {
		for _, m := range f.Value {
			count(what+" "+m.Currency, int(m.Amount))
		}
	}
	for _, d := range e.ChannelDays {
		sold := fmt.Sprintf("sold on %s through %s", d.Day.Day(), d.Channel)
		count(sold, int(d.Places))
		count(sold+" booked "+d.Currency, int(d.Booked))
		count(sold+" priced "+d.Currency, int(d.Priced))
	}
	for dimension, parts := range e.Parts {
		for _, p := range parts.All() {
			part := fmt.Sprintf("part %d %s", dimension, p.Name)
			for line, n := range map[string]int{"paid": p.Paid, "unpaid": p.Unpaid, "complimentary": p.Complimentary, "free tickets": p.FreeTickets} {
				count(part+" "+line, n)
			}
			for _, m := range p.Of(figures.Booked) {
				count(part+" booked "+m.Currency, int(m.Amount))
			}
		}
	}
	for _, x := range e.Extras {
		name := fmt.Sprintf("%s %q", x.Kind, x.Name)
		count(name, x.Number)
		for _, m := range x.Amount {
			count(name+" "+m.Currency, int(m.Amount))
		}
	}
	for _, g := range e.Gates {
		count("gate "+g.Gate, g.Entries)
		count("admitted at "+g.Gate, g.Admitted)
		count("left by "+g.Gate, g.Left)
		for _, m := range g.Minutes {
			count(fmt.Sprintf("gate %s at %d", g.Gate, m.Minute), m.Count)
		}
	}
	for _, m := range e.ArrivalMinutes {
		count(fmt.Sprintf("arrived at %d", m.Minute), m.Count)
	}
	for _, m := range e.DepartureMinutes {
		count(fmt.Sprintf("departed at %d", m.Minute), m.Count)
	}
	for _, a := range e.Areas {
		note("area "+a.Name+" capacity", a.Capacity)
		note("area "+a.Name+" sold", a.Sold)
		note("area "+a.Name+" reserved", a.Reserved)
		note("area "+a.Name+" free", a.Free)
	}
	note("free", v.Show(e).Free)
}

// beforeAll is before the performances of the random records.
var beforeAll = time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC)

// perPlace returns what was booked in euros for each place of performances together: of those that go ahead and have a
// limit of places. It is not known where not all of their places are, or they have none.
func (c *recompute) perPlace(ids []string) (cents int64, known, limitless bool) {
	booked, places := new(big.Rat), int64(0)
	for _, id := range ids {
		e := c.events[id]
		if e.Status == record.EventCancelled || e.Status == record.EventPostponed {
			continue
		}
		if e.Unlimited {
			limitless = true
			continue
		}
		n := c.capacity(e)
		if n == nil {
			return 0, false, limitless
		}
		places += int64(*n)
		booked.Add(booked, new(big.Rat).SetInt64(c.money[entry{id, "booked", "", "EUR"}]))
	}
	if places <= 0 {
		return 0, false, limitless
	}
	text := booked.Quo(booked, new(big.Rat).SetInt64(places)).FloatString(0) // halves away from 0
	fmt.Sscan(text, &cents)
	return cents, true, limitless
}
