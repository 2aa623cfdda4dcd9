package ledger_test

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// recompute works figures out from the newest version of every record, and from what older versions
// saw first. It is written from the definitions and goes over everything for every question; nothing
// of the ledger is in it.
type recompute struct {
	cutoff   time.Duration
	zone     *time.Location
	versions []record.Version
	events   map[string]*record.Event
	tickets  map[string]*record.Ticket
	payments map[string]*record.Payment
	scans    []*record.TicketScan
	walkIns  []*record.WalkIn
	rates    []*record.Setting
	licensed int            // people in the whole building, 0 if that is not set
	planned  map[string]int // places by event
	limits   map[string][]*record.Planning

	places map[[2]string]int
	money  map[entry]int64
}

// entry is where an amount belongs: day is empty for the sum of the event.
type entry struct{ event, what, day, currency string }

func recomputed(calendar figures.Calendar, versions []record.Version) *recompute {
	c := &recompute{cutoff: calendar.Cutoff, zone: calendar.Zone, versions: versions, events: map[string]*record.Event{},
		tickets: map[string]*record.Ticket{}, payments: map[string]*record.Payment{}, places: map[[2]string]int{}, planned: map[string]int{}, limits: map[string][]*record.Planning{}, money: map[entry]int64{}}
	heads := map[string]record.Version{}
	for _, v := range versions {
		if k := foldtest.Key(v.Record); v.Head && v.Revision > heads[k].Revision {
			heads[k] = v
		}
	}
	for _, v := range heads {
		switch r := v.Record.(type) {
		case *record.Event:
			c.events[r.ID] = r
		case *record.Ticket:
			c.tickets[r.ID] = r
		case *record.Payment:
			c.payments[r.ID] = r
		case *record.TicketScan:
			c.scans = append(c.scans, r)
		case *record.WalkIn:
			c.walkIns = append(c.walkIns, r)
		case *record.Setting:
			if r.Name == record.SettingVATRate && r.Value != nil && *r.Value >= 0 && *r.Value <= 10000 {
				c.rates = append(c.rates, r)
			}
			if r.Name == record.SettingLicensed && r.Of == "" && r.Value != nil && *r.Value >= 1 && *r.Value <= 1_000_000 {
				c.licensed = int(*r.Value)
			}
		case *record.Planning:
			c.plan(r)
		}
	}
	for _, t := range c.tickets {
		c.ticket(t)
	}
	c.passed()
	for _, w := range c.walkIns {
		if w.Count > -1e9 && w.Count < 1e9 {
			c.places[[2]string{w.EventID, "walked in"}] += w.Count
		}
	}
	for _, e := range c.events {
		if n := believed(e.Reserved); n != nil && *n > 0 && c.places[[2]string{e.ID, "reserved"}] == 0 {
			c.places[[2]string{e.ID, "reserved"}] = *n
		}
		if n := c.capacity(e); n != nil {
			c.places[[2]string{e.ID, "capacity is known"}] = 1
			c.places[[2]string{e.ID, "capacity"}] = *n
		}
		c.left(e)
	}
	c.sold()
	c.orders()
	return c
}

// believed returns a number of places that can be, nil for any other.
func believed(n *int) *int {
	if n == nil || *n > 1e9 || *n < -1e9 {
		return nil
	}
	return n
}

// capacity returns the number of places of an event, from the first that says it: the event, its ticket
// types, planning, what is left and what is gone of it, and the most that were ever left.
func (c *recompute) capacity(e *record.Event) *int {
	if e.Unlimited {
		return nil
	}
	if n := believed(e.Capacity); n != nil && *n >= 0 {
		return n
	}
	if n := leastOf(c.limits[e.ID], func(p *record.Planning) *int { return places(p.Capacity) }); n != nil {
		return n
	}
	sum := 0
	for _, t := range e.TicketTypes {
		n := believed(t.Capacity)
		if n == nil || *n < 0 {
			sum = -1
			break
		}
		sum += *n
	}
	if sum >= 0 && len(e.TicketTypes) > 0 {
		return &sum
	}
	if n := c.planned[e.ID]; n > 0 {
		return &n
	}
	if left := c.available(e); left != nil {
		all := *left + c.places[[2]string{e.ID, "sold"}] + c.places[[2]string{e.ID, "reserved"}]
		if n := believed(e.Blocked); n != nil {
			all += *n
		}
		return new(max(0, all))
	}
	var most *int
	for _, v := range c.versions {
		if was, ok := v.Record.(*record.Event); ok && was.ID == e.ID && !was.Unlimited {
			if n := believed(was.Available); n != nil && (most == nil || *n > *most) {
				most = n
			}
		}
	}
	if most != nil {
		return new(max(0, *most))
	}
	return nil
}

// places returns a number of places that a limit can have, nil for any other.
func places(n *int) *int {
	if n = believed(n); n == nil || *n < 0 {
		return nil
	}
	return n
}

// leastOf returns the least sum of limits that together cover every ticket type of them; nil if none do.
func leastOf(limits []*record.Planning, of func(*record.Planning) *int) (least *int) {
	every := map[string]bool{}
	for _, p := range limits {
		for _, id := range p.TicketTypes {
			every[id] = true
		}
	}
	if len(every) == 0 {
		return nil
	}
	for chosen := range 1 << len(limits) {
		sum, covers := 0, map[string]bool{}
		for i, p := range limits {
			if n := of(p); chosen&(1<<i) != 0 {
				if n == nil {
					covers = nil
					break
				}
				sum += *n
				for _, id := range p.TicketTypes {
					covers[id] = true
				}
			}
		}
		if len(covers) == len(every) && (least == nil || sum < *least) {
			least = new(sum)
		}
	}
	return least
}

// soldOf returns how many places of a limit's ticket types of its event are sold, and how many are reserved.
func (c *recompute) soldOf(p *record.Planning) (sold, reserved int) {
	for _, t := range c.tickets {
		if t.EventID != p.EventID || !foldtest.CountsTicket(t) || !admits(t) || !slices.Contains(p.TicketTypes, t.Type.ID) {
			continue
		}
		switch t.Status {
		case record.TicketValid:
			sold += t.Places()
		case record.TicketReserved:
			reserved += t.Places()
		}
	}
	return sold, reserved
}

// leftOf returns how many places of a limit are left.
func (c *recompute) leftOf(p *record.Planning) *int {
	left, capacity := believed(p.Available), places(p.Capacity)
	if left == nil {
		return nil
	}
	n := max(0, *left)
	if capacity != nil {
		sold, reserved := c.soldOf(p)
		n = max(0, min(n, *capacity-sold-reserved))
	}
	return &n
}

// available returns what is left of an event: as it says, or else as its limits do.
func (c *recompute) available(e *record.Event) *int {
	if left := believed(e.Available); e.Available != nil || e.Unlimited {
		return left
	}
	return leastOf(c.limits[e.ID], c.leftOf)
}

// seen returns when a version of a record was first as is asked.
func (c *recompute) seen(of record.Record, is func(record.Record) bool) (first time.Time) {
	for _, v := range c.versions {
		if v.Record.RecordKind() != of.RecordKind() || v.Record.RecordID() != of.RecordID() || !is(v.Record) {
			continue
		}
		at := v.Record.RecordUpdated()
		if !v.SeenAt.IsZero() && (at.IsZero() || at.After(v.SeenAt.Add(24*time.Hour))) {
			at = v.SeenAt
		}
		switch r := v.Record.(type) { // nothing was seen before it happened
		case *record.Ticket:
			at = slices.MaxFunc([]time.Time{at, r.CreatedAt, r.SoldAt}, time.Time.Compare)
		case *record.Payment:
			at = slices.MaxFunc([]time.Time{at, r.CreatedAt, r.PaidAt}, time.Time.Compare)
		}
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// voided returns when a ticket was voided, as far as its versions show it. One that was read as void from the
// beginning, of which the service gives no time, was voided at a time that nobody knows.
func (c *recompute) voided(t *record.Ticket) time.Time {
	void := func(r *record.Ticket) bool { return r.Status == record.TicketVoid || r.Status == record.TicketRefunded }
	var dated, read, stood []time.Time
	for _, v := range c.versions {
		r, ok := v.Record.(*record.Ticket)
		if !ok || r.ID != t.ID {
			continue
		}
		updated := r.UpdatedAt
		given := !updated.IsZero() && (v.SeenAt.IsZero() || !updated.After(v.SeenAt.Add(24*time.Hour)))
		switch {
		case void(r) && given:
			dated = append(dated, slices.MaxFunc([]time.Time{updated, r.CreatedAt, r.SoldAt}, time.Time.Compare))
		case void(r):
			read = append(read, slices.MaxFunc([]time.Time{v.SeenAt, r.CreatedAt, r.SoldAt}, time.Time.Compare))
		case !void(r):
			stood = append(stood, v.SeenAt)
		}
	}
	first := func(all []time.Time) time.Time {
		all = slices.DeleteFunc(all, time.Time.IsZero)
		if len(all) == 0 {
			return time.Time{}
		}
		return slices.MinFunc(all, time.Time.Compare)
	}
	service, ours, standing := first(dated), first(read), first(stood)
	switch {
	case ours.IsZero() || !service.IsZero() && !service.After(ours):
		return service
	case !standing.IsZero() && standing.Before(ours):
		return ours
	}
	return time.Time{}
}

// day returns the venue day of a moment, empty if there is none.
func (c *recompute) day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(c.zone)
	hour, minute, second := at.Clock()
	date := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	if time.Duration(hour)*time.Hour+time.Duration(minute)*time.Minute+time.Duration(second)*time.Second < c.cutoff {
		date = date.AddDate(0, 0, -1)
	}
	return date.Format(time.DateOnly)
}

// add books an amount of an event, in its sum where whole, and on the day of a moment.
func (c *recompute) add(event, what string, whole bool, at time.Time, m record.Money, sign int64) {
	if whole {
		c.money[entry{event, what, "", m.Currency}] += sign * m.Amount
	}
	if day := c.day(at); day != "" {
		c.money[entry{event, what, day, m.Currency}] += sign * m.Amount
	}
}

func everSold(t *record.Ticket) bool {
	return knownKind(t) && (t.Status == record.TicketValid || t.Status == record.TicketRefunded || t.Status == record.TicketVoid && !t.SoldAt.IsZero())
}

func knownKind(t *record.Ticket) bool {
	return slices.Contains([]record.ExtraKind{"", "fee", "goods", "donation"}, t.Kind)
}

// feesOf returns what a ticket's fee or an extra costs, and pricesOf what its places do.
func feesOf(t *record.Ticket) record.Money {
	if t.Kind != "" {
		return costs(t, t.Price, false)
	}
	return costs(t, t.Fee, true)
}

func pricesOf(t *record.Ticket) record.Money {
	if t.Kind != "" {
		return record.Money{}
	}
	return costs(t, t.Price, false)
}

// costs returns what a ticket's places cost of price, fee or VAT.
func costs(t *record.Ticket, m *record.Money, complimentary bool) record.Money {
	if !foldtest.Given(m) || t.Complimentary && !complimentary && t.Kind == "" {
		return record.Money{}
	}
	return record.Money{Amount: m.Amount * int64(t.Places()), Currency: m.Currency}
}

func (c *recompute) ticket(t *record.Ticket) {
	if !foldtest.CountsTicket(t) {
		return
	}
	count := func(what string, n int) { c.places[[2]string{t.EventID, what}] += n }
	admitting := t.Places()
	if !admits(t) {
		admitting = 0
	}
	standing := t.Status == record.TicketValid && knownKind(t)
	if standing && !foldtest.Given(t.Price) && !t.Complimentary && t.Kind == "" {
		count("no price", 1)
	}
	switch t.Status {
	case record.TicketValid, record.TicketReserved, record.TicketVoid, record.TicketRefunded, record.TicketExpired:
		if !knownKind(t) {
			count("unmapped", 1)
		}
	default:
		count("unmapped", 1)
	}
	switch {
	case standing:
		count("sold", admitting)
	case t.Status == record.TicketReserved:
		count("reserved", admitting)
	}
	if admits(t) {
		c.visits(t, standing, count)
	}
	if !everSold(t) {
		return
	}
	sold, back := firstTime(t.SoldAt, t.CreatedAt), t.CancelledAt
	if !standing && back.IsZero() {
		if back = c.voided(t); back.IsZero() {
			back = sold
		}
	}
	for what, m := range map[string]record.Money{"booked": pricesOf(t), "fees": feesOf(t), "VAT": c.vat(t),
		"places": {Amount: int64(admitting)}} {
		c.add(t.EventID, what, standing && what != "places", sold, m, 1)
		if !standing {
			c.add(t.EventID, what, false, back, m, -1)
		}
	}
}

// vat returns what a ticket's places contain: as given, or else at the rate of its type, or of all types,
// that began last by the day of the performance.
func (c *recompute) vat(t *record.Ticket) record.Money {
	event := c.events[t.EventID]
	if t.Kind != "" {
		return record.Money{}
	}
	if foldtest.Given(t.VAT) || !foldtest.Given(t.Price) || t.Complimentary || event == nil {
		return costs(t, t.VAT, false)
	}
	day := c.day(event.StartsAt)
	if _, err := time.Parse(time.DateOnly, event.Date); day == "" && err == nil {
		day = event.Date
	}
	if day == "" {
		return record.Money{}
	}
	name := cmp.Or(t.Type.Name, t.Type.ID)
	for _, k := range event.TicketTypes {
		if k.ID == t.Type.ID && k.Name != "" {
			name = k.Name
		}
	}
	var rate *record.Setting
	for _, of := range []string{name, ""} {
		for _, r := range c.rates {
			if rate == nil || rate.Of == of && r.From > rate.From {
				if r.Of == of && r.From <= day {
					rate = r
				}
			}
		}
	}
	if rate == nil {
		return record.Money{}
	}
	exact := new(big.Rat).Mul(big.NewRat(t.Price.Amount, 1), big.NewRat(*rate.Value, 10000+*rate.Value))
	exact.Add(exact, big.NewRat(1, 2))
	rounded := new(big.Int).Quo(exact.Num(), exact.Denom()) // no price that counts is negative
	return record.Money{Amount: rounded.Int64() * int64(t.Places()), Currency: t.Price.Currency}
}

func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// Which money moved, by the status of its record.
const (
	moved   = "moved"
	waiting = "waiting"
	never   = "never"
	nobody  = "nobody knows"
)

// figures returns the sums by event, those of events that are not shown under an empty one, and the
// total, which is "all".
func (c *recompute) figures() map[entry]int64 {
	out := map[entry]int64{}
	for k, n := range c.money {
		event := c.events[k.event]
		if event != nil && event.Test {
			continue
		}
		total := k
		total.event = "all"
		if event == nil || event.Deleted {
			k.event = ""
		}
		out[k] += n
		out[total] += n
	}
	for k, n := range c.places {
		if event := c.events[k[0]]; event != nil && !event.Test && !event.Deleted {
			if k[1] == "no price" || k[1] == "unmapped" { // what is booked is as much or more, however many there are
				n = min(n, 1)
			}
			out[entry{event: k[0], what: k[1]}] += int64(n)
		}
	}
	maps.DeleteFunc(out, func(_ entry, n int64) bool { return n == 0 })
	return out
}
