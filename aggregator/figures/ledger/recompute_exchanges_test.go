package ledger_test

import (
	"cmp"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// wholeOrders returns the name of all orders that tickets were exchanged between, with one of them, and which these are.
func wholeOrders(tickets map[string]*record.Ticket) (whole func(string) string, exchanged map[string]bool) {
	name := map[string]string{}
	whole = func(order string) string { return cmp.Or(name[order], order) }
	exchanged = map[string]bool{}
	for _, t := range tickets {
		first := tickets[t.Replaces]
		if t.Replaces == t.ID || first == nil || !foldtest.CountsTicket(first) || !foldtest.CountsTicket(t) || first.OrderID == "" || t.OrderID == "" {
			continue
		}
		a, b := whole(first.OrderID), whole(t.OrderID)
		exchanged[first.OrderID], exchanged[t.OrderID] = true, true
		name[a], name[b] = a, a
		for order, of := range name {
			if of == b {
				name[order] = a
			}
		}
	}
	return whole, exchanged
}

// inCurrencies returns what a buyer owes for a ticket.
func inCurrencies(t *record.Ticket) map[string]int64 {
	of := map[string]int64{}
	for _, m := range []record.Money{pricesOf(t), feesOf(t)} {
		of[m.Currency] += m.Amount
	}
	return of
}

// paysFor returns what the tickets cost that were sold in the place of one: as it, they are tests or not.
func (c *recompute) paysFor(t *record.Ticket) map[string]int64 {
	all := map[string]int64{}
	isTest := func(event string) bool { return c.events[event] != nil && c.events[event].Test }
	for id, next := range c.tickets {
		if id == t.ID || next.Replaces != t.ID || t.OrderID == "" || next.OrderID == "" || isTest(next.EventID) != isTest(t.EventID) {
			continue
		}
		if foldtest.CountsTicket(next) && everSold(next) {
			for currency, amount := range inCurrencies(next) {
				all[currency] += amount
			}
		}
	}
	return all
}
