package figures_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
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
	licensed int            // people in the whole building, 0 where that is not set
	planned  map[string]int // places by event

	places map[[2]string]int
	money  map[entry]int64
}

// entry is where an amount belongs: day is empty for the sum of the event.
type entry struct{ event, what, day, currency string }

func recomputed(calendar figures.Calendar, versions []record.Version) *recompute {
	c := &recompute{cutoff: calendar.Cutoff, zone: calendar.Zone, versions: versions, events: map[string]*record.Event{},
		tickets: map[string]*record.Ticket{}, payments: map[string]*record.Payment{}, places: map[[2]string]int{}, planned: map[string]int{}, money: map[entry]int64{}}
	heads := map[string]record.Version{}
	for _, v := range versions {
		if k := key(v.Record); v.Head && v.Revision > heads[k].Revision {
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
			if n := believed(r.Capacity); n != nil && *n > 0 && !r.Deleted && r.Status != "option" && r.Status != "cancelled" {
				c.planned[r.EventID] += *n
			}
		}
	}
	for _, t := range c.tickets {
		c.ticket(t)
	}
	for _, w := range c.walkIns {
		if w.Count > -1e9 && w.Count < 1e9 {
			c.places[[2]string{w.EventID, "walked in"}] += w.Count
		}
	}
	for _, e := range c.events {
		if n := c.capacity(e); n != nil {
			c.places[[2]string{e.ID, "capacity is known"}] = 1
			c.places[[2]string{e.ID, "capacity"}] = *n
		}
	}
	c.orders()
	return c
}

// believed is a number of places that can be, nil for any other.
func believed(n *int) *int {
	if n == nil || *n > 1e9 || *n < -1e9 {
		return nil
	}
	return n
}

// capacity is the number of places of an event, from the first that says it: the event, its ticket
// types, planning, what is left and what is gone of it, and the most that were ever left.
func (c *recompute) capacity(e *record.Event) *int {
	if e.Unlimited {
		return nil
	}
	if n := believed(e.Capacity); n != nil && *n >= 0 {
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
	if left := believed(e.Available); left != nil {
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

// seen is when a version of a record was first as is asked.
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

// day is the venue day of a moment, empty where there is none.
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

func given(m *record.Money) bool { return m != nil && (m.Currency != "" || m.Amount == 0) }

func countsTicket(t *record.Ticket) bool {
	for _, m := range []*record.Money{t.Price, t.Fee, t.VAT} {
		if given(m) && (m.Amount < 0 || m.Amount > 1e11) {
			return false
		}
	}
	return !t.Test && !t.Deleted && t.Places() >= 0 && t.Places() <= 100_000
}

func everSold(t *record.Ticket) bool {
	return t.Status == record.TicketValid || t.Status == record.TicketRefunded || t.Status == record.TicketVoid && !t.SoldAt.IsZero()
}

// costs is what a ticket's places cost of price, fee or VAT.
func costs(t *record.Ticket, m *record.Money, complimentary bool) record.Money {
	if !given(m) || t.Complimentary && !complimentary {
		return record.Money{}
	}
	return record.Money{Amount: m.Amount * int64(t.Places()), Currency: m.Currency}
}

func (c *recompute) ticket(t *record.Ticket) {
	if !countsTicket(t) {
		return
	}
	count := func(what string, n int) { c.places[[2]string{t.EventID, what}] += n }
	admitting := t.Places()
	if t.Admits != nil && !*t.Admits {
		admitting = 0
	}
	standing := t.Status == record.TicketValid
	if standing && !given(t.Price) && !t.Complimentary {
		count("no price", 1)
	}
	switch t.Status {
	case record.TicketValid, record.TicketReserved, record.TicketVoid, record.TicketRefunded, record.TicketExpired:
	default:
		count("unmapped", 1)
	}
	switch {
	case standing:
		count("sold", admitting)
	case t.Status == record.TicketReserved:
		count("reserved", admitting)
	}
	if t.Admits == nil || *t.Admits {
		c.visits(t, standing, count)
	}
	if !everSold(t) {
		return
	}
	sold, back := firstTime(t.SoldAt, t.CreatedAt), t.CancelledAt
	if !standing && back.IsZero() {
		back = c.seen(t, func(r record.Record) bool {
			s := r.(*record.Ticket).Status
			return s == record.TicketVoid || s == record.TicketRefunded
		})
	}
	for what, m := range map[string]record.Money{"booked": costs(t, t.Price, false), "fees": costs(t, t.Fee, true), "VAT": c.vat(t),
		"places": {Amount: int64(admitting)}} {
		c.add(t.EventID, what, standing && what != "places", sold, m, 1)
		if !standing {
			c.add(t.EventID, what, false, back, m, -1)
		}
	}
}

// vat is what a ticket's places contain: as given, or else at the rate of its type, or of all types,
// that began last by the day of the performance.
func (c *recompute) vat(t *record.Ticket) record.Money {
	event := c.events[t.EventID]
	if given(t.VAT) || !given(t.Price) || t.Complimentary || event == nil {
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

// visits counts who came in on a ticket, who went out, and who is inside.
func (c *recompute) visits(t *record.Ticket, standing bool, count func(string, int)) {
	type pass struct {
		at   int64
		gate string
		way  record.Direction
	}
	var passes []pass
	take := func(s record.Scan, again bool) {
		p := pass{0, s.Gate, s.Direction}
		if !s.At.IsZero() {
			p.at = s.At.UnixMicro()
		}
		if (s.Result == "" || s.Result == "ok") && !s.Undone && (p.way == record.Entry || p.way == record.Exit) && (again || !slices.Contains(passes, p)) {
			passes = append(passes, p)
		}
	}
	for _, s := range t.Scans {
		take(s, true)
	}
	slices.SortFunc(c.scans, func(a, b *record.TicketScan) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, s := range c.scans {
		if s.TicketID == t.ID && !s.Deleted {
			take(s.Scan, false)
		}
	}
	slices.SortStableFunc(passes, func(a, b pass) int { return cmp.Compare(a.at, b.at) })
	entered := false
	for _, p := range passes {
		if p.way == record.Exit {
			count("exits", 1)
		}
		entered = entered || p.way == record.Entry
	}
	if !entered {
		return
	}
	count("attendance", t.Places())
	if standing {
		count("arrived", t.Places())
	}
	if passes[len(passes)-1].way == record.Entry {
		count("present", t.Places())
	}
}

// Which money moved, by the status of its record.
const (
	moved   = "moved"
	waiting = "waiting"
	never   = "never"
	nobody  = "nobody knows"
)

func kindOf(p *record.Payment) record.PaymentKind { return cmp.Or(p.Kind, record.KindOfPayment) }

func state(p *record.Payment) string {
	switch kindOf(p) {
	case record.KindOfPayment, record.KindOfRefund, record.KindOfChargeback, record.KindOfReversal:
	default:
		return nobody
	}
	switch p.Status {
	case record.PaymentPaid, record.PaymentRefunded, record.PaymentChargedBack:
		return moved
	case record.PaymentOpen, record.PaymentPending, record.PaymentAuthorized:
		return waiting
	case record.PaymentFailed, record.PaymentCanceled, record.PaymentExpired:
		return never
	}
	return nobody
}

func countsPayment(p *record.Payment) bool {
	return !p.Test && !p.Deleted && p.Amount.Amount >= 0 && p.Amount.Amount <= 1e15 && (p.Amount.Currency != "" || p.Amount.Amount == 0)
}

// named are the tickets that count of those that a payment names, where it does not name both an
// event and an order.
func (c *recompute) named(p *record.Payment) (tickets []*record.Ticket) {
	if p.EventID != "" && p.OrderID != "" {
		return nil
	}
	ids := slices.Sorted(slices.Values(p.TicketIDs))
	for _, id := range slices.Compact(ids) {
		if t := c.tickets[id]; t != nil && countsTicket(t) {
			tickets = append(tickets, t)
		}
	}
	return tickets
}

// orderOf is the order of a payment: its own, or the one that all of its tickets are of.
func (c *recompute) orderOf(p *record.Payment) string {
	orders := map[string]bool{}
	for _, t := range c.named(p) {
		orders[t.OrderID] = true
	}
	if p.OrderID == "" && len(orders) == 1 {
		return slices.Collect(maps.Keys(orders))[0]
	}
	return p.OrderID
}

// when money moved; where a return says no time, when it was first seen to have.
func (c *recompute) when(p *record.Payment) time.Time {
	at := firstTime(p.PaidAt, p.CreatedAt)
	if at.IsZero() && kindOf(p) != record.KindOfPayment {
		at = c.seen(p, func(r record.Record) bool {
			v := r.(*record.Payment)
			return v.Kind != "" && v.Kind != record.KindOfPayment && state(v) == moved && v.PaidAt.IsZero() && v.CreatedAt.IsZero()
		})
	}
	return at
}

// belongs says how a payment is split over events.
func (c *recompute) belongs(p, main *record.Payment) map[string]*big.Int {
	if p.EventID != "" {
		return map[string]*big.Int{p.EventID: big.NewInt(1)}
	}
	if w := byPrice(c.named(p), p.Amount.Currency); w != nil {
		return w
	}
	if main != nil && main != p {
		return c.belongs(main, nil)
	}
	var tickets []*record.Ticket
	for _, t := range c.tickets {
		if order := c.orderOf(p); order != "" && t.OrderID == order && countsTicket(t) {
			tickets = append(tickets, t)
		}
	}
	if w := byPrice(tickets, p.Amount.Currency); w != nil {
		return w
	}
	return map[string]*big.Int{"": big.NewInt(1)}
}

// byPrice splits by what tickets cost in a currency, those that were ever sold if any was; where
// nothing costs anything in it, by their number.
func byPrice(tickets []*record.Ticket, currency string) map[string]*big.Int {
	if slices.ContainsFunc(tickets, everSold) {
		tickets = slices.DeleteFunc(tickets, func(t *record.Ticket) bool { return !everSold(t) })
	}
	price, number := map[string]*big.Int{}, map[string]*big.Int{}
	for _, t := range tickets {
		if number[t.EventID] == nil {
			number[t.EventID] = new(big.Int)
		}
		number[t.EventID].Add(number[t.EventID], big.NewInt(1))
		if m := costs(t, t.Price, false); given(t.Price) && t.Price.Currency == currency && m.Amount > 0 {
			if price[t.EventID] == nil {
				price[t.EventID] = new(big.Int)
			}
			price[t.EventID].Add(price[t.EventID], big.NewInt(m.Amount))
		}
	}
	switch {
	case len(price) > 0:
		return price
	case len(number) > 0:
		return number
	}
	return nil
}

// parts splits an amount by the method of the largest remainder.
func parts(amount int64, by map[string]*big.Int) map[string]int64 {
	sign := int64(1)
	if amount < 0 {
		sign, amount = -1, -amount
	}
	all := new(big.Int)
	for _, w := range by {
		all.Add(all, w)
	}
	out, rest, left := map[string]int64{}, map[string]*big.Int{}, amount
	for event, w := range by {
		part, r := new(big.Int).DivMod(new(big.Int).Mul(big.NewInt(amount), w), all, new(big.Int))
		out[event], rest[event] = sign*part.Int64(), r
		left -= part.Int64()
	}
	events := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(rest[b].Cmp(rest[a]), cmp.Compare(a, b)) })
	for _, event := range events[:left] {
		out[event] += sign
	}
	return out
}

// orders goes over all payments, each with what went back of it, and over the open items of orders.
func (c *recompute) orders() {
	groups := map[string][]*record.Payment{}
	for _, p := range c.payments {
		root := p.ID
		if kindOf(p) != record.KindOfPayment && p.ParentID != "" {
			root = p.ParentID
			if parent := c.payments[root]; parent != nil && kindOf(parent) != record.KindOfPayment && parent.ParentID != "" {
				root = parent.ParentID
			}
		}
		groups[root] = append(groups[root], p)
	}
	type account struct {
		days []string
		dues map[[2]string]int64 // by event and currency
	}
	accounts := map[string]*account{}
	named := func(name string) *account {
		if accounts[name] == nil {
			accounts[name] = &account{dues: map[[2]string]int64{}}
		}
		return accounts[name]
	}
	for id, t := range c.tickets {
		if !countsTicket(t) || t.OrderID == "" && t.Status != record.TicketValid {
			continue
		}
		name := "order " + t.OrderID
		if t.OrderID == "" {
			name = "ticket " + id
		}
		a := named(name)
		a.days = append(a.days, c.day(firstTime(t.CreatedAt, t.SoldAt)))
		if t.Status == record.TicketValid {
			for _, m := range []record.Money{costs(t, t.Price, false), costs(t, t.Fee, true)} {
				a.dues[[2]string{t.EventID, m.Currency}] += m.Amount
			}
		}
	}
	for _, p := range c.payments {
		if order := c.orderOf(p); order != "" && countsPayment(p) {
			a := named("order " + order)
			a.days = append(a.days, c.day(c.when(p)))
		}
	}
	for root, members := range groups {
		c.group(root, members, func(order, event, what, currency string, at time.Time, amount int64) {
			if amount == 0 {
				return
			}
			c.add(event, what, true, at, record.Money{Amount: amount, Currency: currency}, 1)
			name := "order " + order
			if order == "" {
				name = "payment " + root
			}
			a := named(name)
			if order == "" {
				a.days = append(a.days, c.day(at))
			}
			if what == "received" {
				amount = -amount
			}
			a.dues[[2]string{event, currency}] += amount
		}, func(event, currency string, amount int64) {
			c.money[entry{event, "refunds pending", "", currency}] += amount
		})
	}
	for _, a := range accounts {
		days := slices.DeleteFunc(a.days, func(d string) bool { return d == "" })
		day := ""
		if len(days) > 0 {
			day = slices.Min(days)
		}
		type side struct {
			currency string
			test     bool
		}
		sums := map[side]int64{}
		of := func(k [2]string) side { return side{k[1], c.events[k[0]] != nil && c.events[k[0]].Test} }
		for k, n := range a.dues {
			sums[of(k)] += n
		}
		for s, sum := range sums {
			by, what := map[string]*big.Int{}, "to be paid"
			if sum < 0 {
				what = "to be paid back"
			}
			for k, n := range a.dues {
				if of(k) == s && (n > 0 && sum > 0 || n < 0 && sum < 0) {
					by[k[0]] = big.NewInt(max(n, -n))
				}
			}
			if sum == 0 {
				continue
			}
			for event, part := range parts(max(sum, -sum), by) {
				c.money[entry{event, what, "", s.currency}] += part
				if day != "" {
					c.money[entry{event, what, "order of " + day, s.currency}] += part
				}
			}
		}
	}
}

// group books a payment and all that went back of it.
func (c *recompute) group(root string, members []*record.Payment, book func(order, event, what, currency string, at time.Time, amount int64),
	pending func(event, currency string, amount int64)) {
	if p := c.payments[root]; p != nil && (kindOf(p) == record.KindOfPayment || p.ParentID == "") && (p.Test || p.Deleted) {
		return
	}
	members = slices.DeleteFunc(slices.Clone(members), func(p *record.Payment) bool { return !countsPayment(p) })
	slices.SortFunc(members, func(a, b *record.Payment) int { return cmp.Or(c.when(a).Compare(c.when(b)), cmp.Compare(a.ID, b.ID)) })
	var main *record.Payment
	for _, p := range members {
		if kindOf(p) == record.KindOfPayment {
			main = p
		}
	}
	spread := func(p *record.Payment, what string, amount int64) {
		order := c.orderOf(p)
		if main != nil {
			order = c.orderOf(main)
		}
		for event, part := range parts(amount, c.belongs(p, main)) {
			if what == "refunds pending" {
				pending(event, p.Amount.Currency, part)
			} else {
				book(order, event, what, p.Amount.Currency, c.when(p), part)
			}
		}
	}
	if main != nil {
		switch state(main) {
		case moved:
			spread(main, "received", main.Amount.Amount)
		case waiting, never:
			return // what never came cannot go back
		}
	}
	// All that went back of a payment is split as their sum is.
	gone := int64(0)
	back := func(what, currency string, at time.Time, amount int64) {
		before, after := parts(gone, c.belongs(main, nil)), parts(gone+amount, c.belongs(main, nil))
		gone += amount
		for event := range after {
			book(c.orderOf(main), event, what, currency, at, after[event]-before[event])
		}
	}
	went := func(p *record.Payment, what string, amount int64) {
		if main != nil && p.EventID == "" && len(c.named(p)) == 0 && p.Amount.Currency == main.Amount.Currency {
			back(what, p.Amount.Currency, c.when(p), amount)
		} else {
			spread(p, what, amount)
		}
	}
	recorded := int64(0)
	for _, p := range members {
		switch amount := p.Amount.Amount; {
		case kindOf(p) != record.KindOfRefund:
		case state(p) == waiting:
			spread(p, "refunds pending", amount)
		case state(p) == moved:
			if main != nil && p.Amount.Currency == main.Amount.Currency {
				amount = min(amount, main.Amount.Amount-recorded)
				recorded += amount
			}
			went(p, "refunded", amount)
		}
	}
	if main != nil && state(main) == moved {
		reports := func(r record.Record) (most int64) {
			p := r.(*record.Payment)
			if m := p.AmountRefunded; m != nil && m.Currency == p.Amount.Currency {
				most = max(m.Amount, 0)
			}
			if p.Status == record.PaymentRefunded {
				most = max(most, p.Amount.Amount)
			}
			return most
		}
		steps := map[int64]time.Time{} // what versions reported, and since when that or more
		for _, v := range c.versions {
			if p, ok := v.Record.(*record.Payment); ok && p.ID == main.ID && reports(p) > 0 {
				amount := reports(p)
				steps[amount] = c.seen(main, func(r record.Record) bool { return reports(r) >= amount })
			}
		}
		most := min(reports(main), main.Amount.Amount)
		for _, amount := range slices.Sorted(maps.Keys(steps)) {
			if part := min(amount, most) - recorded; part > 0 {
				back("refunded", main.Amount.Currency, steps[amount], part)
				recorded += part
			}
		}
	}
	charged := false
	for _, p := range members {
		if kindOf(p) == record.KindOfChargeback && state(p) == moved {
			went(p, "charged back", p.Amount.Amount)
			charged = true
		}
	}
	if main != nil && state(main) == moved && main.Status == record.PaymentChargedBack && !charged {
		at := c.seen(main, func(r record.Record) bool { return r.(*record.Payment).Status == record.PaymentChargedBack })
		back("charged back", main.Amount.Currency, at, main.Amount.Amount)
	}
	for _, p := range members {
		if kindOf(p) == record.KindOfReversal && state(p) == moved {
			went(p, "charged back", -p.Amount.Amount)
		}
	}
}

// figures are the sums by event, those of events that are not shown under an empty one, and the
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

// inSnapshot are the same figures as a snapshot has them.
func inSnapshot(s *figures.Snapshot) map[entry]int64 {
	out := map[entry]int64{}
	take := func(event, what, day string, sums figures.Sums) {
		for _, m := range sums {
			out[entry{event, what, day, m.Currency}] += m.Amount
		}
	}
	measures := []figures.Measure{figures.Booked, figures.Received, figures.Refunded, figures.ChargedBack, figures.Fees, figures.VAT}
	account := func(event string, r *figures.Revenue, days []*figures.DayFigures, orders figures.OrderDays) {
		for _, m := range append([]figures.Measure{figures.RefundsPending, figures.ToBePaid, figures.ToBePaidBack}, measures...) {
			take(event, m.String(), "", r.Of(m).Value)
		}
		for _, d := range days {
			out[entry{event, "places", string(d.Day), ""}] += int64(d.Sold)
			for _, m := range measures {
				take(event, m.String(), string(d.Day), d.Of(m))
			}
		}
		for _, d := range orders.All() {
			take(event, "to be paid", "order of "+string(d.Day), d.Of(figures.ToBePaid))
			take(event, "to be paid back", "order of "+string(d.Day), d.Of(figures.ToBePaidBack))
		}
	}
	account("all", &s.Total, s.Days, s.OrderDays)
	account("", &s.Unattributed, s.UnattributedDays, s.UnattributedOrderDays)
	for _, e := range s.Events {
		account(e.Event.ID, &e.Revenue, e.SaleDays, e.OrderDays)
		walkedIn := 0
		for _, w := range e.WalkIns {
			walkedIn += w.Count
		}
		if e.Capacity.Known() {
			out[entry{event: e.Event.ID, what: "capacity is known"}] = 1
			out[entry{event: e.Event.ID, what: "capacity"}] = int64(e.Capacity.Value)
		}
		booked := e.Revenue.Of(figures.Booked)
		for what, reason := range map[string]figures.Reason{"no price": figures.ReasonNoPrice, "unmapped": figures.ReasonUnknownStatus} {
			if booked.Quality == figures.LowerBound && slices.Contains(booked.Reasons, reason) {
				out[entry{event: e.Event.ID, what: what}] = 1
			}
		}
		for what, n := range map[string]int{"sold": e.Sold.Value, "reserved": e.Reserved.Value, "attendance": e.Attendance.Value, "arrived": e.Arrived.Value,
			"present": e.PresentNow.Value, "exits": e.Exits, "walked in": walkedIn} {
			out[entry{event: e.Event.ID, what: what}] += int64(n)
		}
	}
	maps.DeleteFunc(out, func(_ entry, n int64) bool { return n == 0 })
	return out
}

// checkRecomputed compares the figures of a stream with what they are by the definitions, after each
// quarter of it.
func checkRecomputed(t *testing.T, d dice, length int) {
	t.Helper()
	calendar := amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
	l, log := figures.NewLedger(calendar), newLog()
	var records []record.Record
	for i := range length {
		r := randomRecord(d)
		if len(records) > 0 && oneIn(d, 3) {
			r = variation(d, records[d.IntN(len(records))])
		}
		switch v := r.(type) {
		case *record.Payment:
			if oneIn(d, 2) {
				r = settling(d, *v)
			}
		case *record.Ticket:
			if oneIn(d, 2) {
				r = ofOneOrder(d, *v)
			}
		}
		if k, ok := r.(*record.Ticket); ok { // as every client of a service hands them on
			slices.SortStableFunc(k.Scans, func(a, b record.Scan) int { return a.At.Compare(b.At) })
		}
		records = append(records, r)
		if v, isNew := log.add(r, randomSeen(d)); isNew {
			l.Apply(v)
		}
		if (i+1)%max(1, length/4) != 0 {
			continue
		}
		s := l.Snapshot(figures.Position{}, scansRead)
		anew := recomputed(calendar, log.versions)
		got, want := inSnapshot(s), anew.figures()
		licensed := 0
		if l, ok := s.Evening(halfway).LoadOf(""); ok {
			licensed = l.Licensed
		}
		if licensed != anew.licensed {
			t.Fatalf("after %d records: %d may be inside, by the definitions %d%s", i+1, licensed, anew.licensed, story(log))
		}
		if !s.Total.Of(figures.ToBePaid).Known() { // no ticket names an order
			maps.DeleteFunc(want, func(k entry, _ int64) bool {
				return k.day == "" && (k.what == "to be paid" || k.what == "to be paid back")
			})
		}
		for _, all := range []map[entry]int64{got, want} {
			for k := range all {
				if want[k] != got[k] {
					t.Fatalf("after %d records: %+v is %d, by the definitions %d%s", i+1, k, got[k], want[k], story(log))
				}
			}
		}
	}
}

// settling is a payment as most are: settled, in one currency, of one of two payments or going back
// of it, and of an amount that splits badly.
func settling(d dice, p record.Payment) *record.Payment {
	p.Status, p.Test, p.Deleted, p.ParentID = record.PaymentPaid, false, false, ""
	p.Amount = record.Money{Amount: oneOf(d, int64(1000), 1001, 333, 2), Currency: "EUR"}
	if !oneIn(d, 4) {
		p.OrderID, p.EventID, p.TicketIDs = "ord_0", "", nil
	}
	switch p.ID, p.Kind = randomID(d, "pay_", 2), record.KindOfPayment; d.IntN(4) {
	case 0:
		p.AmountRefunded = new(record.Money{Amount: oneOf(d, int64(1), 400, 5000), Currency: "EUR"})
	case 1, 2:
		p.ID, p.ParentID = randomID(d, "back_", 4), p.ID
		p.Kind = oneOf(d, record.KindOfRefund, record.KindOfRefund, record.KindOfChargeback, record.KindOfReversal)
		p.Status = oneOf(d, record.PaymentPaid, record.PaymentPaid, record.PaymentPending)
	}
	return &p
}

// ofOneOrder is a ticket of an order of several performances, at a price that splits badly.
func ofOneOrder(d dice, t record.Ticket) *record.Ticket {
	t.OrderID, t.EventID, t.Test, t.Deleted, t.Quantity = "ord_0", randomID(d, "evt_", 3), false, false, nil
	t.Price, t.Status = &record.Money{Amount: oneOf(d, int64(700), 100, 333), Currency: "EUR"}, oneOf(d, record.TicketValid, record.TicketValid, record.TicketRefunded)
	return &t
}

// story is every version that came.
func story(log *versionLog) (all string) {
	for _, v := range log.versions {
		one, _ := json.Marshal(v.Record)
		all += fmt.Sprintf("\n%d %v %s %s", v.Revision, v.Head, v.SeenAt.Format(time.DateTime), one)
	}
	return all
}

// TestLedgerEqualsRecompute folds random streams and works their figures out anew.
func TestLedgerEqualsRecompute(t *testing.T) {
	for seed := range uint64(120) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			checkRecomputed(t, rand.New(rand.NewPCG(seed, 11)), 60)
		})
	}
}

// FuzzLedgerEqualsRecompute does so with the stream that the bytes describe.
func FuzzLedgerEqualsRecompute(f *testing.F) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 3))
		stream := make([]byte, 600)
		for i := range stream {
			stream[i] = byte(r.Uint32())
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := byteDice(stream)
		checkRecomputed(t, &d, min(len(stream)/20, 40))
	})
}
