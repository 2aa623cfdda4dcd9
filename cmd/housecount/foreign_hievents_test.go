package main

import (
	"fmt"
	"math"
	"net/url"
	"time"

	"housecount/aggregator/figures"
)

// hiEvents is a stand-in of Hi.Events with one performance; its orders are worked out as the service does it: taxes on
// prices and fees, on top of both, and rounded once for a line.
type hiEvents struct {
	*foreignHouse
	orders, attendees []object
}

const hiTime = "2006-01-02 15:04:05"

// hiLine is a line of an order: a product, how many, for how much each, and what comes on top of each.
type hiLine struct {
	product  int
	name     string
	count    int
	price    float64
	fee, tax float64 // an amount, and per cent
}

// order adds an order of lines.
func (s *hiEvents) order(id int, status, payment string, lines ...hiLine) object {
	cents := func(v float64) float64 { return math.Floor(v*100+0.5+1e-6) / 100 }
	items, gross, fees, taxes := []object{}, 0.0, 0.0, 0.0
	for i, l := range lines {
		n := float64(l.count)
		fee, tax := l.fee*n, (l.price+l.fee)*l.tax/100*n
		rollup := object{}
		if l.fee > 0 {
			rollup["fees"] = []object{{"name": "Service", "rate": l.fee, "type": "FIXED", "value": fee}}
		}
		if l.tax > 0 {
			rollup["taxes"] = []object{{"name": "VAT", "rate": l.tax, "type": "PERCENTAGE", "value": tax}}
		}
		item := object{"id": id*10 + i, "order_id": id, "product_id": l.product, "item_name": l.name, "quantity": l.count, "price": l.price,
			"total_before_additions": l.price * n, "taxes_and_fees_rollup": rollup}
		if len(rollup) == 0 {
			item["taxes_and_fees_rollup"] = []object{} // as PHP writes what is empty
		}
		items, gross, fees, taxes = append(items, item), gross+cents(l.price*n+fee+tax), fees+fee, taxes+tax
	}
	o := object{"id": id, "status": status, "payment_status": payment, "refund_status": nil, "total_gross": cents(gross), "total_fee": cents(fees), "total_tax": cents(taxes),
		"total_refunded": 0, "currency": "EUR", "is_free_order": gross == 0, "payment_provider": "STRIPE", "promo_code": nil, "created_at": now(hiTime), "order_items": items,
		"taxes_and_fees_rollup": object{"fees": []object{{"name": "Service", "value": fees}}}, "attendees": []object{}}
	s.orders = append(s.orders, o)
	return o
}

// attend adds an attendee to an order.
func (s *hiEvents) attend(order object, id, product, price int, status string) object {
	a := object{"id": id, "order_id": order["id"], "product_id": product, "product_price_id": price, "event_id": 3, "status": status, "check_ins": []object{},
		"created_at": now(hiTime), "updated_at": now(hiTime)}
	order["attendees"] = append(order["attendees"].([]object), a)
	s.attendees = append(s.attendees, a)
	return a
}

func (s *hiEvents) serveAll() {
	wrap := func(page []object, total int, _ bool, _ url.Values) any {
		return object{"data": page, "links": object{"next": nil}, "meta": object{"total": total}}
	}
	s.list("/events", func(url.Values) []object {
		return []object{{"id": 3, "title": "Gala", "start_date": "2000-03-24 20:00:00", "end_date": "2000-03-24T22:30:00.000000Z", "timezone": "UTC", "status": "LIVE", "currency": "EUR",
			"location_details": object{"venue_name": "Great hall"}}}
	}, 2, wrap)
	product := func(id int, title, kind, price string, prices ...object) object {
		return object{"id": id, "title": title, "product_type": kind, "type": price, "prices": prices}
	}
	s.serve("/events/3/product-categories", func(url.Values) any {
		return object{"data": []object{
			{"id": 1, "name": "Tickets", "products": []object{
				product(8, "Standard", "TICKET", "PAID", object{"id": 80, "label": nil}),
				product(9, "Guest", "TICKET", "FREE", object{"id": 90, "label": nil}),
				product(5, "Seat", "TICKET", "TIERED", object{"id": 51, "label": "Stalls"}, object{"id": 52, "label": "Balcony"})}},
			{"id": 2, "name": "More", "products": []object{
				product(7, "T-shirt", "GENERAL", "PAID", object{"id": 70, "label": nil}),
				product(6, "Support us", "GENERAL", "DONATION", object{"id": 60, "label": nil})}},
			{"id": 3, "name": "Nothing yet"}}}
	})
	s.list("/events/3/orders", func(url.Values) []object { return s.orders }, 2, wrap)
	s.list("/events/3/attendees", func(url.Values) []object { return s.attendees }, 2, wrap)
}

// owes compares what is owed, VAT, the average price and what was sold beside tickets with the books.
func (s *hiEvents) owes(what, want string) {
	s.t.Helper()
	e := s.event("3")
	got := ""
	for _, m := range []figures.Measure{figures.ToBePaid, figures.ToBePaidBack, figures.Goodwill, figures.VAT} {
		got += fmt.Sprintf("%s %s; ", m, sums(e.Revenue.Of(m)))
	}
	got += "average " + sums(e.AveragePrice)
	for _, x := range e.Extras {
		got += fmt.Sprintf("; %d %s %s %v", x.Number, x.Kind, x.Name, x.Amount)
	}
	if got != want {
		s.t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

func playHiEvents(h *foreignHouse) {
	s := &hiEvents{foreignHouse: h}
	standard := func(n int) hiLine { return hiLine{8, "Standard", n, 20, 1.5, 9} } // 21.80 with VAT, and 1.635 more of a fee
	two := s.order(1, "COMPLETED", "PAYMENT_RECEIVED", standard(2))                // 46.87: 43.60 and 3.27
	first, second := s.attend(two, 11, 8, 80, "ACTIVE"), s.attend(two, 12, 8, 80, "ACTIVE")
	offline := s.order(2, "AWAITING_OFFLINE_PAYMENT", "AWAITING_OFFLINE_PAYMENT", standard(1)) // 23.44
	unpaid := s.attend(offline, 21, 8, 80, "AWAITING_PAYMENT")
	shirt := hiLine{7, "T-shirt", 1, 15, 0, 21} // 18.15
	guest := s.order(4, "COMPLETED", "PAYMENT_RECEIVED", hiLine{9, "Guest", 1, 0, 0, 0}, shirt)
	s.attend(guest, 41, 9, 90, "ACTIVE")
	shirts := shirt
	shirts.count = 2
	s.order(5, "COMPLETED", "PAYMENT_RECEIVED", shirts, hiLine{6, "Support us", 1, 10, 0, 0}) // 36.30 + 10.00
	// The lines of a product with several prices are told apart by their labels, in whatever order the attendees come.
	tiers := s.order(6, "COMPLETED", "PAYMENT_RECEIVED", hiLine{5, "Seat - Stalls", 1, 30, 0, 0}, hiLine{5, "Seat - Balcony", 1, 18, 0, 0})
	s.attend(tiers, 61, 5, 52, "ACTIVE")
	stalls := s.attend(tiers, 62, 5, 51, "ACTIVE")
	gone := s.order(7, "COMPLETED", "PAYMENT_RECEIVED", standard(1)) // 23.44: 21.80 and 1.64
	cancelled := s.attend(gone, 71, 8, 80, "ACTIVE")
	s.order(9, "COMPLETED", "NO_PAYMENT_REQUIRED", hiLine{9, "Guest", 2, 0, 0, 0})
	s.attend(s.orders[6], 91, 9, 90, "ACTIVE")
	s.attend(s.orders[6], 92, 9, 90, "ACTIVE")
	s.serveAll()
	h.begin()
	// Booked are 2 × 21.80 + 30 + 18 + 21.80 of five paid tickets; beside them 3.27 + 1.64 of fees, 3 × 18.15 and 10.
	h.has("3", "at first", "sold 8; reserved 1; came 0; inside 0; booked 11340 EUR; fees 6936 EUR; received 18276 EUR")
	s.owes("at first", "to be paid ; to be paid back ; goodwill ; VAT 540 EUR [no_vat]; average 2268 EUR; "+
		"1 donation Support us [{1000 EUR}]; 2 fee Service [{491 EUR}]; 3 goods T-shirt [{5445 EUR}]")

	// A ticket of the first order is cancelled and refunded with its fee, one comes, an order is cancelled and refunded, a shirt is
	// refunded, a seat in the stalls is cancelled and not refunded, and a free ticket is deleted.
	h.pass(time.Minute)
	second["status"], second["updated_at"] = "CANCELLED", now(hiTime)
	two["total_refunded"], two["refund_status"] = 23.43, "PARTIALLY_REFUNDED"
	first["check_ins"], first["updated_at"] = []object{{"id": 1, "check_in_list_id": 2, "created_at": now(hiTime)}}, now(hiTime)
	gone["status"], gone["total_refunded"], cancelled["status"], cancelled["updated_at"] = "CANCELLED", 23.44, "CANCELLED", now(hiTime)
	guest["total_refunded"] = 18.15
	stalls["status"], stalls["updated_at"] = "CANCELLED", now(hiTime)
	s.orders[6]["attendees"] = s.orders[6]["attendees"].([]object)[:1]
	s.attendees = s.attendees[:len(s.attendees)-1]
	h.pass(10 * time.Minute)
	h.has("3", "after refunds", "sold 4; reserved 1; came 1; inside 1; booked 3980 EUR; fees 6772 EUR; received 18276 EUR; "+
		"refunded 6502 EUR")
	// To be paid back are the 30.00 of the seat alone. Of a fee and a shirt that are paid back nothing is owed.
	s.owes("after refunds", "to be paid ; to be paid back 3000 EUR; goodwill 1978 EUR; VAT 180 EUR [no_vat]; average 1990 EUR; "+
		"1 donation Support us [{1000 EUR}]; 1 fee Service [{327 EUR}]; 3 goods T-shirt [{5445 EUR}]")

	// The unpaid order is paid; the check-in is taken back.
	offline["status"], offline["payment_status"], unpaid["status"], unpaid["updated_at"] = "COMPLETED", "PAYMENT_RECEIVED", "ACTIVE", now(hiTime)
	first["check_ins"] = []object{}
	h.pass(2 * time.Hour)
	h.has("3", "after payment", "sold 5; reserved 0; came 0; inside 0; booked 6160 EUR; fees 6936 EUR; received 20620 EUR; "+
		"refunded 6502 EUR")
	s.owes("after payment", "to be paid ; to be paid back 3000 EUR; goodwill 1978 EUR; VAT 360 EUR [no_vat]; average 2053 EUR; "+
		"1 donation Support us [{1000 EUR}]; 2 fee Service [{491 EUR}]; 3 goods T-shirt [{5445 EUR}]")
}
