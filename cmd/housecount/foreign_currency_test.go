package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/services"
)

// branchProfile reads one of several box offices that are alike in everything but their currency; money is a provider of
// payments alone.
const branchProfile = `
name: BRANCH
base_url: http://house.test/
money: {unit: minor, currency: CURRENCY}
streams:
`

const branchLists = `
  - {name: events, path: BRANCH/events, list: data, paging: {style: bare}, gives: [event]}
  - {name: tickets, path: BRANCH/tickets, list: data, paging: {style: bare}, gives: [ticket]}
`

const branchPayments = `
  - {name: payments, path: BRANCH/payments, list: data, paging: {style: bare}, gives: [payment]}
`

// branch is what such a box office has.
type branch struct{ tickets, payments []object }

// open serves a branch, and returns it with the service that reads it.
func (b *branch) open(h *foreignHouse, name, currency, lists string) services.Service {
	h.t.Helper()
	h.serve("/"+name+"/events", func(url.Values) any {
		return object{"data": []object{{"id": "e1", "title": "Gala " + name, "starts_at": "2000-03-24T20:00:00Z", "ends_at": "2000-03-24T22:30:00Z", "capacity": 100, "status": "on_sale"}}}
	})
	h.serve("/"+name+"/tickets", func(url.Values) any { return object{"data": b.tickets} })
	h.serve("/"+name+"/payments", func(url.Values) any { return object{"data": b.payments} })
	p, err := profile.Parse(name+".yaml", []byte(strings.NewReplacer("BRANCH", name, "CURRENCY", currency).Replace(branchProfile+lists)))
	if err != nil {
		h.t.Fatal(err)
	}
	return h.service(p, apiclient.Options{})
}

func (b *branch) sell(id, order string, price int) object {
	at := now(time.RFC3339)
	b.tickets = append(b.tickets, object{"id": id, "event_id": "e1", "order_id": order, "price": price, "status": "valid", "sold_at": at, "updated_at": at})
	return b.tickets[len(b.tickets)-1]
}

func (b *branch) pay(id, order string, amount int) object {
	at := now(time.RFC3339)
	b.payments = append(b.payments, object{"id": id, "order_id": order, "amount": amount, "status": "paid", "paid_at": at, "updated_at": at})
	return b.payments[len(b.payments)-1]
}

// Two box offices give the same ids of performances, tickets, orders and payments, in two currencies, and a provider tells a
// payment with the same id again, of the first one's order in the second one's currency. Nothing is taken for the same, and no
// amount of one currency is in a sum of the other: every figure is that of the books.
func TestTwoServicesInTwoCurrencies(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		paris, london, money := &branch{}, &branch{}, &branch{}
		paris.sell("t1", "o1", 2000)
		gone := paris.sell("t2", "o1", 1500)
		back := paris.pay("p1", "o1", 3500)
		london.sell("t1", "o1", 1800)
		taken := london.pay("p1", "o1", 1800)
		money.pay("p1", "o1", 500)
		h.readAll(paris.open(h, "paris", "EUR", branchLists+branchPayments), london.open(h, "london", "GBP", branchLists+branchPayments),
			money.open(h, "money", "GBP", branchPayments))

		books := func(what, first, second string, total map[figures.Measure]string) {
			t := h.t
			t.Helper()
			h.has("e1", what, first)
			h.has("london:e1", what, second)
			s := h.figures.Snapshot()
			if len(s.Events) != 2 {
				t.Errorf("%s: %d performances, want 2", what, len(s.Events))
			}
			for m, want := range total {
				if got := sums(s.Total.Of(m)); got != want {
					t.Errorf("%s: %s %s in all, want %s", what, m, got, want)
				}
			}
		}
		// The order of Paris was paid 35.00 EUR, and 5.00 GBP on top, which is no part of what it cost.
		books("at first", "sold 2; reserved 0; of 100; booked 3500 EUR; received 3500 EUR 500 GBP", "sold 1; reserved 0; of 100; booked 1800 GBP; received 1800 GBP",
			map[figures.Measure]string{figures.Booked: "3500 EUR 1800 GBP", figures.Received: "3500 EUR 2300 GBP"})
		for m, want := range map[figures.Measure]string{figures.ToBePaid: "[no_fees]", figures.ToBePaidBack: "500 GBP [no_fees]"} {
			if got := sums(h.event("e1").Revenue.Of(m)); got != want {
				h.t.Errorf("at first: %s %s, want %s", m, got, want)
			}
		}

		// The same ticket is taken back in Paris and another sold in London, under the id that the first has.
		h.pass(time.Hour)
		at := now(time.RFC3339)
		gone["status"], gone["updated_at"] = "refunded", at
		back["amount_refunded"], back["updated_at"] = 1500, at
		london.sell("t2", "o2", 900)
		london.pay("p2", "o2", 400)
		taken["amount_refunded"], taken["updated_at"] = 300, at
		h.pass(time.Hour)
		books("after changes", "sold 1; reserved 0; of 100; booked 2000 EUR; received 3500 EUR 500 GBP; refunded 1500 EUR", "sold 2; reserved 0; of 100; booked 2700 GBP; received 2200 GBP; refunded 300 GBP",
			map[figures.Measure]string{figures.Booked: "2000 EUR 2700 GBP", figures.Received: "3500 EUR 2700 GBP", figures.Refunded: "1500 EUR 300 GBP"})
	})
}
