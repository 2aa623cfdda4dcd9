package ledger_test

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
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

// named returns the tickets that count of those that a payment names, where it does not name both an
// event and an order.
func (c *recompute) named(p *record.Payment) (tickets []*record.Ticket) {
	if p.EventID != "" && p.OrderID != "" {
		return nil
	}
	ids := slices.Sorted(slices.Values(p.TicketIDs))
	for _, id := range slices.Compact(ids) {
		if t := c.tickets[id]; t != nil && foldtest.CountsTicket(t) {
			tickets = append(tickets, t)
		}
	}
	return tickets
}

// orderOf returns the order of a payment: its own, or the one that all of its tickets are of.
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

// belongs returns how a payment is split over events.
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
	var tickets, gone []*record.Ticket
	for _, t := range c.tickets {
		if order := c.orderOf(p); order != "" && t.OrderID == order {
			switch {
			case foldtest.CountsTicket(t):
				tickets = append(tickets, t)
			case wasGone(t):
				gone = append(gone, t)
			}
		}
	}
	if gone != nil && !slices.ContainsFunc(tickets, func(t *record.Ticket) bool { return t.EventID != "" }) {
		tickets = gone // an order that was cancelled whole
	}
	if w := byPrice(tickets, p.Amount.Currency); w != nil {
		return w
	}
	return map[string]*big.Int{"": big.NewInt(1)}
}

// wasGone reports whether a ticket of a performance was deleted that counted before.
func wasGone(t *record.Ticket) bool {
	was := *t
	was.Deleted = false
	return t.Deleted && t.EventID != "" && foldtest.CountsTicket(&was)
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
		if m := costs(t, t.Price, false); foldtest.Given(t.Price) && t.Price.Currency == currency && m.Amount > 0 {
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
		if parent := c.payments[root]; parent != nil { // with which nothing else is known than the order
			root = c.onlyOf(parent)
		}
		groups[root] = append(groups[root], p)
	}
	type account struct {
		days  []string            // on which its tickets were sold
		other []string            // of what else it has
		dues  map[[2]string]int64 // by event and currency
		back  map[[2]string]int64 // what was refunded of it
	}
	accounts := map[string]*account{}
	named := func(name string) *account {
		if accounts[name] == nil {
			accounts[name] = &account{dues: map[[2]string]int64{}, back: map[[2]string]int64{}}
		}
		return accounts[name]
	}
	whole, _ := wholeOrders(c.tickets)
	for id, t := range c.tickets {
		if wasGone(t) && t.OrderID != "" && everSold(t) { // what went back for it is no goodwill of another
			a := named("order " + whole(t.OrderID))
			for _, m := range []record.Money{pricesOf(t), feesOf(t)} {
				a.back[[2]string{t.EventID, m.Currency}] -= m.Amount
			}
		}
		if !foldtest.CountsTicket(t) || t.OrderID == "" && !knownKind(t) || t.OrderID == "" && t.Status != record.TicketValid {
			continue
		}
		name := "order " + whole(t.OrderID)
		if t.OrderID == "" {
			name = "ticket " + id
		}
		a := named(name)
		if everSold(t) {
			a.days = append(a.days, c.day(firstTime(t.SoldAt, t.CreatedAt)))
		} else {
			a.other = append(a.other, c.day(firstTime(t.CreatedAt, t.SoldAt)))
		}
		if t.Status != record.TicketValid && knownKind(t) && everSold(t) {
			goesBack := inCurrencies(t)
			for currency, stays := range c.paysFor(t) { // what replaces it is paid by it, so that does not go back
				goesBack[currency] -= max(0, min(goesBack[currency], stays))
			}
			for currency, amount := range goesBack { // what went back for it is no goodwill
				a.back[[2]string{t.EventID, currency}] -= amount
			}
		}
		if t.Status == record.TicketValid && knownKind(t) {
			for _, m := range []record.Money{pricesOf(t), feesOf(t)} {
				a.dues[[2]string{t.EventID, m.Currency}] += m.Amount
			}
		}
	}
	for _, p := range c.payments {
		if order := c.orderOf(p); order != "" && countsPayment(p) {
			a := named("order " + whole(order))
			a.other = append(a.other, c.day(c.when(p)))
		}
	}
	for root, members := range groups {
		c.group(root, members, func(order, event, what, currency string, at time.Time, amount int64) {
			if amount == 0 {
				return
			}
			c.add(event, what, true, at, record.Money{Amount: amount, Currency: currency}, 1)
			name := "order " + whole(order)
			if order == "" {
				name = "payment " + root
			}
			a := named(name)
			if order == "" {
				a.other = append(a.other, c.day(at))
			}
			if what == "refunded" {
				a.back[[2]string{event, currency}] += amount
			}
			if what == "received" || what == "won back" {
				amount = -amount
			}
			a.dues[[2]string{event, currency}] += amount
		}, func(event, currency string, at time.Time, amount int64) {
			c.add(event, "refunds pending", true, at, record.Money{Amount: amount, Currency: currency}, 1)
		})
	}
	for _, a := range accounts {
		day := ""
		for _, days := range [][]string{a.days, a.other} {
			if days = slices.DeleteFunc(days, func(d string) bool { return d == "" }); day == "" && len(days) > 0 {
				day = slices.Min(days)
			}
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
			post := func(event, what string, part int64) {
				c.money[entry{event, what, "", s.currency}] += part
				if day != "" {
					c.money[entry{event, what, "order of " + day, s.currency}] += part
				}
			}
			// What was paid back for tickets that stay valid is goodwill: of what is missing, as much as went back.
			goodwill, of := int64(0), of
			for k, n := range a.back {
				if of(k) == s {
					goodwill += n
				}
			}
			goodwill = max(0, min(goodwill, sum))
			split := parts(max(sum, -sum), by)
			given := map[string]int64{}
			for _, own := range []bool{true, false} {
				for _, event := range slices.Sorted(maps.Keys(split)) {
					most := split[event] - given[event]
					if own {
						most = min(most, a.back[[2]string{event, s.currency}])
					}
					most = max(0, min(most, goodwill))
					given[event], goodwill = given[event]+most, goodwill-most
				}
			}
			for event, part := range split {
				post(event, what, part-given[event])
				post(event, "goodwill", given[event])
			}
		}
	}
}

// group books a payment and all that went back of it.
func (c *recompute) group(root string, members []*record.Payment, book func(order, event, what, currency string, at time.Time, amount int64),
	pending func(event, currency string, at time.Time, amount int64)) {
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
				pending(event, p.Amount.Currency, c.when(p), part)
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
		sign := int64(1)
		if what == "won back" {
			sign = -1
		}
		before, after := parts(gone, c.belongs(main, nil)), parts(gone+sign*amount, c.belongs(main, nil))
		gone += sign * amount
		for event := range after {
			book(c.orderOf(main), event, what, currency, at, sign*(after[event]-before[event]))
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
	charged, won, limit := false, false, int64(0)
	for _, p := range members {
		won = won || kindOf(p) == record.KindOfReversal && state(p) == moved
		if kindOf(p) == record.KindOfChargeback && state(p) == moved {
			went(p, "charged back", p.Amount.Amount)
			charged = true
			if main != nil && p.Amount.Currency == main.Amount.Currency {
				limit += p.Amount.Amount
			}
		}
	}
	if main != nil && state(main) == moved && !charged {
		at := c.seen(main, func(r record.Record) bool { return r.(*record.Payment).Status == record.PaymentChargedBack })
		if main.Status == record.PaymentChargedBack || won && !at.IsZero() {
			back("charged back", main.Amount.Currency, at, main.Amount.Amount)
			limit = main.Amount.Amount
		}
	}
	for _, p := range members { // what was never charged back cannot be won back
		if kindOf(p) == record.KindOfReversal && state(p) == moved {
			amount := p.Amount.Amount
			if main != nil && p.Amount.Currency == main.Amount.Currency {
				amount = min(amount, limit)
				limit -= amount
			}
			went(p, "won back", amount)
		}
	}
}

// onlyOf returns the id of the payment that p belongs to if it went back and names an order but no payment: the only one of
// the order, in its currency, that came in. Of others it returns the id of p.
func (c *recompute) onlyOf(p *record.Payment) string {
	if kindOf(p) == record.KindOfPayment || p.ParentID != "" || p.OrderID == "" || !countsPayment(p) {
		return p.ID
	}
	var all []string
	for id, o := range c.payments {
		if kindOf(o) == record.KindOfPayment && o.OrderID == p.OrderID && o.Amount.Currency == p.Amount.Currency && countsPayment(o) && state(o) == moved {
			all = append(all, id)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return p.ID
}
