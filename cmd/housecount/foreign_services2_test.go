package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// headerKey asks for a key in a header, without anything before it.
func headerKey(header, key string) func(*http.Request) string {
	return func(r *http.Request) string {
		if got := r.Header.Get(header); got != key {
			return "a key " + got
		}
		return ""
	}
}

func playVoordeMensen(h *foreignHouse) {
	h.serve("/event", func(url.Values) any {
		return []object{{"eventId": 95, "productionId": 94, "eventName": "Gala", "eventType": nil, "eventTags": nil, "start": "2000-03-24T20:00:00+00:00", "end": "2000-03-24T22:30:00+00:00", "hallId": 1,
			"prices": []object{{"rankId": 42, "amount": 24.5}}}}
	})
	seat := func(id int, amount float64) object {
		return object{"seatId": id, "eventId": 95, "rankId": 42, "rowNr": 5, "seatNr": id, "amount": amount, "priceId": "2ePdA8q3BN", "priceName": "Standard"}
	}
	order := func(id int, status, payment string, seats ...object) object {
		return object{"orderId": id, "orderKey": fmt.Sprint("key", id), "customerId": 800 + id, "orderStatus": status, "orderPaymentStatus": payment, "orderChannel": "www",
			"orderDate": now(time.RFC3339), "timeOut": nil, "lastChanged": now(time.RFC3339), "amount": 49.0, "fee": 0.5, "donation": 0, "handlingTextPayment": "iDEAL", "discountName": nil,
			"seats": seats, "deletedSeats": []object{}, "user": object{"customerId": 800 + id, "email": "visitor@example.com"}}
	}
	orders := []object{order(1, "ord", "paid", seat(12, 24.5), seat(13, 24.5)), order(2, "res", "none", seat(14, 20)), order(3, "pros", "none", seat(15, 24.5), seat(16, 24.5)), order(4, "ord", "paid", seat(17, 19.95))}
	orders[0]["donation"], orders[1]["fee"] = 5.0, 0
	h.serve("/export/orders", func(url.Values) any { return orders })
	h.begin()
	h.has("95", "at first", "sold 3; reserved 1; booked 6895 EUR; fees 600 EUR; received 7495 EUR")
	if e := h.event("95"); len(e.Extras) != 2 {
		h.t.Errorf("the extras are %v", e.Extras)
	}

	// A seat is taken out of an order, a reservation is paid, another order is cancelled.
	h.pass(time.Minute)
	orders[0]["seats"], orders[0]["deletedSeats"] = []object{seat(12, 24.5)}, []object{seat(13, 24.5)}
	orders[1]["orderStatus"], orders[1]["orderPaymentStatus"] = "ord", "paid"
	orders[3]["orderStatus"] = "cancel"
	for _, o := range orders {
		o["lastChanged"] = now(time.RFC3339)
	}
	h.pass(10 * time.Minute)
	h.has("95", "after changes", "sold 2; reserved 0; booked 4450 EUR; fees 550 EUR; received 7045 EUR")
	// The order that was a reservation is removed.
	orders = slices.Delete(orders, 1, 2)
	h.pass(100 * time.Hour)
	h.has("95", "without an order", "sold 1; reserved 0; booked 2450 EUR; fees 550 EUR; received 5045 EUR")
}

func playTicketSource(h *foreignHouse) {
	const layout = "2006-01-02T15:04:05-07:00"
	list := func(path string, rows func() []object) {
		h.serve(path, func(url.Values) any {
			return object{"data": append([]object{}, rows()...), "links": object{"first": "http://house.test" + path + "?page=1", "last": nil, "prev": nil, "next": nil}, "meta": object{"current_page": 1, "per_page": 100}}
		})
	}
	list("/events", func() []object {
		return []object{{"id": "evt-1", "type": "event", "attributes": object{"name": "Gala", "activated": true, "archived": false, "public": true, "created_at": "2000-01-01T09:00:00+00:00", "updated_at": nil}}}
	})
	date := object{"id": "dat-1", "type": "date", "attributes": object{"doors_open": "2000-03-24T19:00:00+00:00", "start": "2000-03-24T20:00:00+00:00", "end": "2000-03-24T22:30:00+00:00", "on_sale": true, "public": true, "cancelled": false,
		"created_at": "2000-01-01T09:00:00+00:00", "updated_at": nil}}
	list("/events/evt-1/dates", func() []object { return []object{date} })
	line := func(kind string, gross float64) object {
		return object{"line_type": kind, "payment_method": "STRIPE", "is_refund": gross < 0, "amount": object{"gross": gross, "fee": gross * .06, "fee_vat": gross * .01, "net": gross * .93}, "created_at": now(layout), "updated_at": nil}
	}
	booking := func(id string, lines ...object) object {
		return object{"id": id, "type": "booking", "attributes": object{"ref": "ABC123", "lines": lines, "created_at": now(layout), "updated_at": now(layout)},
			"links": object{"customer": "https://api.ticketsource.io/customers/cst-" + id, "date": "https://api.ticketsource.io/dates/dat-1"}}
	}
	bookings := []object{booking("bkg-1", line("TICKETS", 30), line("DONATION", 2.5)), booking("bkg-2", line("TICKETS", 0))}
	list("/dates/dat-1/bookings", func() []object { return bookings })
	seat := func(id string) object {
		return object{"id": "sea-" + id, "type": "seat", "attributes": object{"is_booked": true, "is_cancelled": false, "reference": object{"row": "A", "seat": id}, "price_category": "Adult", "created_at": now(layout), "updated_at": nil}}
	}
	seats := []object{seat("1"), seat("2"), seat("3")}
	list("/bookings/bkg-1/seats", func() []object { return seats })
	list("/bookings/bkg-2/seats", func() []object { return []object{seat("4")} })
	h.begin()
	h.has("dat-1", "at first", "sold 4; reserved 0; booked [no_price]; fees 250 GBP [no_price no_fees]; received 3250 GBP")

	// A seat is cancelled and its money goes back; the booking of another person comes.
	h.pass(time.Minute)
	attributes := bookings[0]["attributes"].(object)
	attributes["lines"], attributes["updated_at"] = append(attributes["lines"].([]object), line("TICKETS", -10)), now(layout)
	cancelled := seats[2]["attributes"].(object)
	cancelled["is_cancelled"], cancelled["updated_at"] = true, now(layout)
	bookings = append(bookings, booking("bkg-3", line("TICKETS", 12.5)))
	five := seat("5")
	list("/bookings/bkg-3/seats", func() []object { return []object{five} })
	h.pass(20 * time.Minute)
	h.has("dat-1", "after a refund", "sold 4; reserved 0; booked [no_price]; fees 250 GBP [no_price no_fees]; received 4500 GBP; refunded 1000 GBP")
	// A seat is removed from its booking.
	seats = slices.Delete(seats, 1, 2)
	h.pass(100 * time.Hour)
	h.has("dat-1", "without a seat", "sold 3; reserved 0; booked [no_price]; fees 250 GBP [no_price no_fees]; received 4500 GBP; refunded 1000 GBP")

	date["attributes"].(object)["cancelled"] = true
	h.pass(time.Hour)
	if got := h.event("dat-1").Event.Status; got != "cancelled" {
		h.t.Errorf("the date is %q", got)
	}
}

func playHumanitix(h *foreignHouse) {
	const layout = "2006-01-02T15:04:05.000Z"
	wrap := func(name string) func([]object, int, bool, url.Values) any {
		return func(page []object, total int, _ bool, q url.Values) any {
			return object{"total": total, "pageSize": 2, "page": q.Get("page"), name: page}
		}
	}
	events := []object{{"_id": "e1", "name": "Gala", "currency": "AUD", "startDate": "2000-03-24T20:00:00.000Z", "endDate": "2000-03-25T22:30:00.000Z", "published": true, "markedAsSoldOut": false, "suspendSales": false,
		"eventLocation": object{"venueName": "Great hall"}, "totalCapacity": 100, "createdAt": "2000-01-01T09:00:00.000Z", "updatedAt": "2000-01-01T09:00:00.000Z",
		"ticketTypes": []object{{"_id": "t1", "name": "Adult", "price": 20, "quantity": 100, "deleted": false}},
		"dates": []object{{"_id": "d1", "startDate": "2000-03-24T20:00:00.000Z", "endDate": "2000-03-24T22:30:00.000Z", "deleted": false, "disabled": false},
			{"_id": "d0", "startDate": "2000-03-23T20:00:00.000Z", "endDate": "2000-03-23T22:30:00.000Z", "deleted": true}}}}
	h.list("/events", func(url.Values) []object { return events }, 2, wrap("events"))
	since := func(all *[]object) func(url.Values) []object {
		return func(q url.Values) []object {
			var in []object
			for _, r := range *all {
				if r["updatedAt"].(string) >= q.Get("since") {
					in = append(in, r)
				}
			}
			return in
		}
	}
	ticket := func(id, order string, total, fee float64) object {
		return object{"_id": id, "eventId": "e1", "eventDateId": "d1", "orderId": order, "ticketTypeId": "t1", "ticketTypeName": "Adult", "price": 20, "netPrice": total - fee, "fee": fee, "passedOnFee": fee, "taxes": 1.5, "total": total,
			"currency": "AUD", "status": "complete", "salesChannel": "online", "isDonation": false, "firstName": "Ada", "checkInHistory": []object{}, "createdAt": now(layout), "updatedAt": now(layout)}
	}
	order := func(id string, total float64) object {
		return object{"_id": id, "eventId": "e1", "eventDateId": "d1", "currency": "AUD", "status": "complete", "financialStatus": "paid", "paymentGateway": "stripe", "purchaseTotals": object{"total": total, "grossSales": total},
			"totals": object{"total": total, "refunds": 0}, "createdAt": now(layout), "completedAt": now(layout), "updatedAt": now(layout), "email": "ada@example.com"}
	}
	tickets := []object{ticket("1", "o1", 21.5, 1.5), ticket("2", "o1", 21.5, 1.5), ticket("3", "o2", 0, 0)}
	orders := []object{order("o1", 43), order("o2", 0)}
	h.list("/events/e1/tickets", since(&tickets), 2, wrap("tickets"))
	h.list("/events/e1/orders", since(&orders), 2, wrap("orders"))
	h.begin()
	h.has("d1", "at first", "sold 3; reserved 0; of 100; booked 4000 AUD; fees 300 AUD; received 4300 AUD")

	// One is cancelled and paid back; another person comes.
	h.pass(time.Minute)
	tickets[1]["status"], tickets[1]["cancelledAt"], tickets[1]["updatedAt"] = "cancelled", now(layout), now(layout)
	orders[0]["totals"], orders[0]["financialStatus"], orders[0]["updatedAt"] = object{"total": 21.5, "refunds": 21.5}, "partiallyRefunded", now(layout)
	tickets, orders = append(tickets, ticket("4", "o3", 16.5, 1.5)), append(orders, order("o3", 16.5))
	h.pass(20 * time.Minute)
	h.has("d1", "after a refund", "sold 3; reserved 0; of 100; booked 3500 AUD; fees 300 AUD; received 5950 AUD; refunded 2150 AUD")
	// The last ticket is removed, and its order stays.
	tickets = tickets[:3]
	h.pass(100 * time.Hour)
	h.has("d1", "without the last ticket", "sold 2; reserved 0; of 100; booked 2000 AUD; fees 150 AUD; received 5950 AUD; refunded 2150 AUD")
}
