package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/figures"
)

type object = map[string]any

// ordersProfile reads a service whose orders hold what was sold and paid.
const ordersProfile = `
name: orders
base_url: http://house.test/
money: {unit: minor, currency: EUR}
streams:
  - name: events
    path: events
    list: data
    paging: {style: bare}
    gives: [event]
    records: '{id, title: .name, starts_at: .starts, capacity: 100, status: "on_sale"}'
  - name: orders
    path: orders
    list: data
    row_id: number
    paging: {style: bare}
    since: {param: modified_since}
    gives: [ticket, payment]
    records: |
      . as $order
      | (.tickets[] | {record: "ticket", id, event_id: "e", order_id: $order.number, price, status: "valid", sold_at: $order.placed, updated_at: $order.modified}),
        (.payments[] | {record: "payment", id, order_id: $order.number, amount, status: "paid", paid_at: $order.placed,
          amount_refunded: (.refunded // 0), updated_at: $order.modified})
`

// orderBook is a service's orders.
type orderBook struct {
	mu     sync.Mutex
	orders map[string]object
}

// put replaces an order, as modified now unless it is dated.
func (b *orderBook) put(number string, order object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	order["number"] = number
	if order["modified"] == nil {
		order["modified"] = time.Now().UTC().Format(time.RFC3339)
	}
	b.orders[number] = order
}

// list returns the orders that were modified since the time that is asked for.
func (b *orderBook) list(q url.Values) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := []object{}
	for _, o := range b.orders {
		if o["modified"].(string) >= q.Get("modified_since") {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b object) int { return strings.Compare(a["number"].(string), b["number"].(string)) })
	return object{"data": all}
}

// withOrders makes the service one of orders, with a performance tonight.
func withOrders(h *foreignHouse) *orderBook {
	b := &orderBook{orders: map[string]object{}}
	starts := time.Now().Add(8 * time.Hour).UTC().Format(time.RFC3339)
	h.serve("/events", func(url.Values) any {
		return object{"data": []object{{"id": "e", "name": "Tosca", "starts": starts}}}
	})
	h.serve("/orders", b.list)
	return b
}

func tickets(price int, ids ...string) (all []object) {
	for _, id := range ids {
		all = append(all, object{"id": id, "price": price})
	}
	return all
}

// sold returns places sold, with the quality where they are not exact, and what is to be paid and paid back in cents.
func (h *foreignHouse) sold(id string) string {
	h.t.Helper()
	e := h.event(id)
	cents := func(m figures.Measure) int64 {
		f := e.Revenue.Of(m)
		if len(f.Value) == 0 {
			return 0
		}
		return f.Value[0].Amount
	}
	text := fmt.Sprintf("%d sold", e.Sold.Value)
	if e.Sold.Quality != figures.Exact {
		text = fmt.Sprintf("%s %v", text, e.Sold.Reasons)
	}
	return fmt.Sprintf("%s, %d to be paid, %d to be paid back", text, cents(figures.ToBePaid), cents(figures.ToBePaidBack))
}

// A ticket that is taken out of its order is gone with the order's next version, and so is a seat that was exchanged.
func TestARowOwnsItsRecords(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b, placed := withOrders(h), time.Now().UTC().Format(time.RFC3339)
		order := func(refunded int, ids ...string) object {
			return object{"placed": placed, "tickets": tickets(3000, ids...), "payments": []object{{"id": "p", "amount": 18150, "refunded": refunded}}}
		}
		b.put("A", order(0, "1", "2", "3", "4", "5", "6"))
		b.put("B", object{"placed": placed, "tickets": tickets(2000, "b1"), "payments": []object{}})
		h.read(ordersProfile)
		h.want("7 sold, 2000 to be paid, 150 to be paid back")

		b.put("A", order(3000, "1", "2", "3", "4", "5"))
		h.pass(2 * time.Minute)
		h.want("6 sold, 2000 to be paid, 150 to be paid back")

		b.put("B", object{"placed": placed, "tickets": tickets(2000, "b2"), "payments": []object{}})
		h.pass(2 * time.Minute)
		h.want("6 sold, 2000 to be paid, 150 to be paid back")

		b.put("B", object{"placed": placed, "tickets": []object{}, "payments": []object{}})
		h.pass(2 * time.Minute)
		h.want("5 sold, 0 to be paid, 150 to be paid back")

		// It outlives the process.
		h.read(ordersProfile)
		b.put("A", order(6000, "1", "2", "3", "6"))
		h.pass(2 * time.Minute)
		h.want("4 sold, 0 to be paid, 150 to be paid back")
	})
}

// An older version of an order, as a server of the service gives it that lags, does not bring a ticket back; a newer one does.
func TestAnOldRowBringsNothingBack(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b, placed := withOrders(h), time.Now().UTC().Format(time.RFC3339)
		order := func(ids ...string) object {
			return object{"placed": placed, "tickets": tickets(3000, ids...), "payments": []object{}}
		}
		h.read(ordersProfile)
		old := order("1", "2")
		b.put("A", old)
		h.pass(30 * time.Second)
		b.put("A", order("2"))
		h.pass(30 * time.Second)
		h.want("1 sold, 3000 to be paid, 0 to be paid back")
		b.put("A", old)
		h.pass(30 * time.Second)
		h.want("1 sold, 3000 to be paid, 0 to be paid back")
		b.put("A", order("1", "2"))
		h.pass(30 * time.Second)
		h.want("2 sold, 6000 to be paid, 0 to be paid back")
	})
}

// Where tickets have times of their own, which do not change as another is taken out of the order, the profile says when
// the order was changed.
func TestARowChangesBesideItsRecords(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b, placed := withOrders(h), time.Now().UTC().Format(time.RFC3339)
		order := func(ids ...string) object {
			return object{"placed": placed, "tickets": tickets(3000, ids...), "payments": []object{}}
		}
		b.put("A", order("1", "2"))
		h.read(strings.NewReplacer("row_id: number", "row_id: number\n    row_updated: modified", "$order.modified", "$order.placed").Replace(ordersProfile))
		h.pass(time.Minute)
		b.put("A", order("2"))
		h.pass(5 * time.Minute)
		h.want("1 sold, 3000 to be paid, 0 to be paid back")
	})
}

// An order that lacks a ticket although it was not modified is damaged: the ticket stays, and the figures say that
// something was refused, until the order is sound.
func TestADamagedRowTakesNothingOut(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b := withOrders(h)
		h.read(ordersProfile)
		at := time.Now().UTC().Format(time.RFC3339)
		order := func(ids ...string) object {
			return object{"placed": at, "modified": at, "tickets": tickets(3000, ids...), "payments": []object{{"id": "p", "amount": 6000}}}
		}
		b.put("A", order("1", "2"))
		h.pass(30 * time.Second)
		h.want("2 sold, 0 to be paid, 0 to be paid back")
		b.put("A", order("2"))
		h.pass(5 * time.Minute) // longer than changes are read again
		h.want("2 sold [refused], 0 to be paid, 0 to be paid back")
		b.put("A", order("1", "2"))
		h.pass(5 * time.Minute)
		h.want("2 sold, 0 to be paid, 0 to be paid back")
	})
}

// What a list that is read whole at every poll no longer holds is gone; if it is more than a fifth of it, once no poll of 20
// hours has had it, and never if nothing is left.
func TestAListThatIsReadWhole(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		starts := time.Now().Add(8 * time.Hour).UTC().Format(time.RFC3339)
		placed := time.Now().UTC().Format(time.RFC3339)
		h.serve("/events", func(url.Values) any { return object{"data": []object{{"id": "e", "name": "Tosca", "starts": starts}}} })
		var mu sync.Mutex
		gone := map[int]bool{}
		h.serve("/tickets", func(url.Values) any {
			mu.Lock()
			defer mu.Unlock()
			all := []object{}
			for i := range 20 {
				if !gone[i] {
					all = append(all, object{"id": fmt.Sprint(i), "event": "e", "price": 1000, "sold": placed, "changed": placed})
				}
			}
			return object{"data": all}
		})
		h.read(`
name: tickets
base_url: http://house.test/
money: {unit: minor, currency: EUR}
streams:
  - name: events
    path: events
    list: data
    paging: {style: bare}
    gives: [event]
    records: '{id, title: .name, starts_at: .starts, capacity: 100, status: "on_sale"}'
  - name: tickets
    path: tickets
    list: data
    paging: {style: bare}
    gives: [ticket]
    records: '{id, event_id: .event, price, status: "valid", sold_at: .sold, updated_at: .changed}'
`)
		lose := func(ids ...int) {
			mu.Lock()
			for _, id := range ids {
				gone[id] = true
			}
			mu.Unlock()
			h.pass(2 * time.Minute)
		}
		sold := func(want string, alarms int) {
			h.t.Helper()
			if got := fmt.Sprint(h.event("e").Sold.Value); got != want {
				t.Errorf("%s sold, want %s", got, want)
			}
			n := 0
			for _, d := range h.figures.Snapshot().Diagnostics {
				if d.Code == figures.CodeSweepGuard {
					n++
				}
			}
			if n != alarms {
				t.Errorf("%d alarms, want %d", n, alarms)
			}
		}
		sold("20", 0)
		lose(3)
		sold("19", 0)
		lose(10, 11, 12, 13, 14, 15)
		sold("19", 1)
		if got := counts(h.event("e").Sold); got != "19 [doubted]" {
			t.Errorf("%s sold while that is doubted", got)
		}
		h.pass(19 * time.Hour)
		sold("19", 1)
		h.pass(2 * time.Hour)
		sold("13", 0)
		lose(0, 1, 2, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19)
		h.pass(21 * time.Hour)
		sold("13", 1)
		mu.Lock()
		clear(gone)
		gone[4] = true
		mu.Unlock()
		h.pass(40 * time.Minute) // longer than the longest wait between two polls
		sold("19", 0)
	})
}

func (h *foreignHouse) want(sold string) {
	h.t.Helper()
	if got := h.sold("e"); got != sold {
		h.t.Errorf("%s, want %s", got, sold)
	}
}

// Rows that nothing identifies are not taken for one and the same, also where there is a list for each row of another.
func TestRowsWithoutAnID(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		h.serve("/events", func(url.Values) any {
			return object{"data": []object{{"_id": "e", "name": "Gala", "starts": "2000-03-24T20:00:00Z"}}}
		})
		tickets := []object{{"_id": "1", "modified": now(time.RFC3339)}, {"_id": "2", "modified": now(time.RFC3339)}}
		h.serve("/events/e/tickets", func(url.Values) any { return object{"data": tickets} })
		h.read(`
name: nested
base_url: http://house.test/
money: {unit: minor, currency: EUR}
streams:
  - {name: events, path: events, list: data, keep: "{key: ._id}", gives: [event], paging: {style: bare}, records: '{id: ._id, title: .name, starts_at: .starts, status: "on_sale"}'}
  - {name: tickets, path: "events/{key}/tickets", over: events, list: data, gives: [ticket], paging: {style: bare}, since: {param: since}, records: '{id: ._id, event_id: $over.key, price: 2000, status: "valid", updated_at: .modified}'}
`)
		if got := counts(h.event("e").Sold); got != "2" {
			t.Errorf("%s sold, want 2", got)
		}
		tickets = append(tickets, object{"_id": "3", "modified": now(time.RFC3339)})
		h.pass(5 * time.Minute)
		if got := counts(h.event("e").Sold); got != "3" {
			t.Errorf("after one more: %s sold, want 3", got)
		}
	})
}
