package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// serviceHouse is a house at a stand-in of a service, of the shape that the head of its profile names.
type serviceHouse struct {
	vars map[string]string
	key  string
	// auth returns what is wrong with a request's credential, empty for nothing.
	auth func(*http.Request) string
	// play serves the house and goes through its evening, comparing it with the books.
	play func(*foreignHouse)
}

// serviceHouses are the houses by the names of the built-in profiles.
var serviceHouses = map[string]serviceHouse{
	"ticketmatic":  {map[string]string{"account": "havendam", "access_key": "ak", "zone": "UTC"}, "secret", signedForTicketmatic, playTicketmatic},
	"tito":         {map[string]string{"account": "havendam", "checkin_url": "http://house.test/checkin"}, "key", keyedForTito, playTito},
	"hievents":     {nil, "jwt", bearer("jwt"), playHiEvents},
	"tixly":        {map[string]string{"begin": "2000-01-01", "zone": "UTC"}, "key", bearer("key"), playTixly},
	"voordemensen": {map[string]string{"client": "havendam"}, "key", headerKey("Authorization", "key"), playVoordeMensen},
	"ticketsource": {nil, "key", bearer("key"), playTicketSource},
	"humanitix":    {nil, "key", headerKey("X-Api-Key", "key"), playHumanitix},
	"mollie":       {nil, "live_key", bearer("live_key"), playMollie},
	"stripe":       {nil, "rk_live", bearer("rk_live"), playStripe},
	"weeztix":      {nil, "", nil, playWeeztix},
	"alfio":        {nil, "key", headerKey("Authorization", "ApiKey key"), playAlfio},
	"spektrix":     {map[string]string{"client": "havendam", "login": "house", "begin": "2000-01-01", "zone": "UTC"}, spektrixSecret, signedForSpektrix, playSpektrix},
}

// bearer asks for a key as a bearer token.
func bearer(key string) func(*http.Request) string {
	return func(r *http.Request) string {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			return got
		}
		return ""
	}
}

// Every built-in profile of a service gives the figures of a constructed house, over HTTP, through changes, refunds,
// removed tickets and scans that arrive later.
func TestHousesOfServices(t *testing.T) {
	elsewhere := []string{"default", "pretix", "ticket-tailor", "eventbrite", "eventgoose"} // which have tests of their own
	for _, name := range profile.BuiltinNames() {
		of, ok := serviceHouses[name]
		if !ok {
			if !slices.Contains(elsewhere, name) {
				t.Errorf("no house sells with %s", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			inForeignHouse(t, func(h *foreignHouse) {
				h.auth = of.auth
				p, err := profile.Builtin(name)
				if err != nil {
					t.Fatal(err)
				}
				h.begin = func() { h.readAs(p, apiclient.Options{Vars: of.vars, APIKey: of.key}) }
				of.play(h)
			})
		})
	}
}

// has compares a performance with the books.
func (h *foreignHouse) has(id, what, want string) {
	h.t.Helper()
	e := h.event(id)
	got := "sold " + counts(e.Sold) + "; reserved " + counts(e.Reserved)
	if e.Capacity.Known() {
		got += "; of " + counts(e.Capacity)
	}
	if e.Available.Known() {
		got += "; free " + counts(e.Available)
	}
	if e.Attendance.Known() {
		got += "; came " + counts(e.Attendance) + "; inside " + strconv.Itoa(e.PresentNow.Value)
	}
	for _, m := range []figures.Measure{figures.Booked, figures.Fees, figures.Received, figures.Refunded, figures.ChargedBack} {
		if text := sums(e.Revenue.Of(m)); e.Revenue.Of(m).Known() && text != "" {
			got += fmt.Sprintf("; %s %s", m, text)
		}
	}
	if got != want {
		h.t.Errorf("%s: %s\n got %s\nwant %s", id, what, got, want)
	}
}

// hasMoney compares the money of no performance with the books.
func (h *foreignHouse) hasMoney(what, want string) {
	h.t.Helper()
	s, got := h.figures.Snapshot(), ""
	for _, m := range []figures.Measure{figures.Received, figures.Refunded, figures.RefundsPending, figures.ChargedBack, figures.Reversed} {
		for _, one := range s.Unattributed.Of(m).Value { // there are no tickets to say of what it is
			got += fmt.Sprintf("; %s %d %s", m, one.Amount, one.Currency)
		}
	}
	if got = strings.TrimPrefix(got, "; "); got != want {
		h.t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

// list serves a list that is cut by page number, offset or the last row's id, in an envelope that wrap makes of a page's
// rows, their number in all, and whether more follow.
func (h *foreignHouse) list(path string, rows func(url.Values) []object, size int, wrap func(page []object, total int, more bool, q url.Values) any) {
	h.serve(path, func(q url.Values) any {
		all, from := rows(q), 0
		for _, name := range []string{"page", "page[number]"} {
			if n, err := strconv.Atoi(q.Get(name)); err == nil {
				from = (n - 1) * size
			}
		}
		if n, err := strconv.Atoi(q.Get("offset")); err == nil {
			from = n
		}
		if after := q.Get("starting_after"); after != "" {
			from = 1 + slices.IndexFunc(all, func(r object) bool { return r["id"] == after })
		}
		from = min(from, len(all))
		to := min(from+size, len(all))
		return wrap(append([]object{}, all[from:to]...), len(all), to < len(all), q)
	})
}

// now returns the clock of the house in a layout, in UTC.
func now(layout string) string { return time.Now().UTC().Format(layout) }

func signedForTicketmatic(r *http.Request) string {
	got := r.Header.Get("Authorization")
	var key, ts, sign string
	fmt.Sscanf(got, "TM-HMAC-SHA256 key=%s ts=%s sign=%s", &key, &ts, &sign)
	mac := hmac.New(sha256.New, []byte("secret"))
	fmt.Fprint(mac, "ak", "havendam", ts)
	at, err := time.Parse("2006-01-02T15:04:05", ts)
	if key != "ak" || sign != fmt.Sprintf("%x", mac.Sum(nil)) || err != nil || time.Since(at).Abs() > time.Minute {
		return got
	}
	return ""
}

func playTicketmatic(h *foreignHouse) {
	const layout = "2006-01-02 15:04:05"
	event := object{"id": 7, "name": "Gala", "startts": "2000-03-24 20:00:00", "endts": "2000-03-24T22:30:00", "locationname": "Great hall", "currentstatus": 19002,
		"createdts": "2000-01-01 10:00:00", "lastupdatets": now(layout), "availability": []object{
			{"free": 60, "locked_hard": 3, "locked_soft": 2, "reserved": 1, "sold_paid": 4, "sold_unpaid": 0, "complimentary": 0, "total": 70, "tickettypeid": 1},
			{"free": 30, "locked_hard": 0, "locked_soft": 0, "reserved": 0, "sold_paid": 0, "sold_unpaid": 0, "complimentary": 0, "total": 30, "tickettypeid": 2}}}
	ticket := func(id int, price float64) object {
		return object{"id": id, "eventid": 7, "orderid": 1, "tickettypeid": 1, "tickettypename": "Stalls", "price": price, "servicecharge": 1.5, "seatname": "A", "accesscontrolstatus": 0}
	}
	order := func(id, status int, tickets ...object) object {
		return object{"orderid": id, "status": status, "createdts": now(layout), "lastupdatets": now(layout), "saleschannelid": 3, "tickets": tickets,
			"ordercosts": []object{}, "products": []object{}, "payments": []object{}}
	}
	paid := func(id int, amount float64) object {
		return object{"id": id, "amount": amount, "paidts": now(layout), "paymentmethodid": 5}
	}
	first := order(1, 21002, ticket(11, 20), ticket(12, 20.25), ticket(13, 15))
	first["payments"] = []object{paid(91, 61.75)}
	first["ordercosts"] = []object{{"orderid": 1, "amount": 2, "servicechargedefinitionid": 4}}
	orders := []object{first, order(2, 21001, ticket(21, 20)), order(3, 21003, ticket(31, 0))}
	changed := func(all *[]object) func(url.Values) []object {
		return func(q url.Values) []object {
			since := strings.Replace(q.Get("lastupdatesince"), "T", " ", 1)
			return slices.DeleteFunc(slices.Clone(*all), func(r object) bool { return r["lastupdatets"].(string) < since })
		}
	}
	wrap := func(page []object, total int, _ bool, _ url.Values) any {
		return object{"data": page, "nbrofresults": total}
	}
	events := []object{event}
	// The places of the event: those of an order are its tickets, and only the last entry and exit of each are told.
	places := []object{{"id": 11, "orderid": 1}, {"id": 12, "orderid": 1}, {"id": 13, "orderid": 1}, {"id": 21, "orderid": 2}, {"id": 31, "orderid": 3}, {"id": 99, "orderid": nil}}
	h.list("/havendam/events", changed(&events), 2, wrap)
	h.list("/havendam/orders", changed(&orders), 2, wrap)
	h.serve("/havendam/events/7/tickets", func(url.Values) any {
		if start, _ := time.Parse(layout, event["startts"].(string)); start.After(time.Now().Add(18 * time.Hour)) {
			h.t.Error("the tickets of a performance that is far ahead are asked for")
		}
		return lines(places)
	})
	h.begin()
	h.has("7", "at first", "sold 4; reserved 1; of 100; free 90; came 0; inside 0; booked 5525 EUR; fees 800 EUR; received 6175 EUR")

	// The order loses a ticket and is paid back 20; the reservation is confirmed.
	first["tickets"] = []object{ticket(12, 20.25), ticket(13, 15)}
	refund := paid(92, -20)
	refund["refundpaymentid"] = 91
	first["payments"] = append(first["payments"].([]object), refund)
	orders[1]["status"] = 21002
	for _, o := range orders[:2] {
		o["lastupdatets"] = now(layout)
	}
	h.pass(10 * time.Minute)
	h.has("7", "after a refund", "sold 4; reserved 0; of 100; free 90; came 0; inside 0; booked 5525 EUR; fees 800 EUR; received 6175 EUR; refunded 2000 EUR")

	// The place that was given back is sold to another, before either order is asked for again.
	first["tickets"] = []object{ticket(13, 15)}
	orders = append(orders, order(4, 21002, ticket(12, 30)))
	first["lastupdatets"] = now(layout)
	h.pass(10 * time.Minute)
	h.has("7", "with a place sold again", "sold 4; reserved 0; of 100; free 90; came 0; inside 0; booked 6500 EUR; fees 800 EUR; received 6175 EUR; refunded 2000 EUR")

	// An order is cancelled whole: it has no tickets any more, and is paid back but for its costs. Its money stays that of the
	// performance that it was for.
	fourth := orders[3]
	fourth["payments"], fourth["ordercosts"] = []object{paid(94, 32)}, []object{{"orderid": 4, "amount": 2, "servicechargedefinitionid": 4}}
	fourth["lastupdatets"] = now(layout)
	h.pass(10 * time.Minute)
	h.has("7", "with a paid order", "sold 4; reserved 0; of 100; free 90; came 0; inside 0; booked 6500 EUR; fees 1000 EUR; received 9375 EUR; refunded 2000 EUR")
	back := paid(95, -30)
	back["refundpaymentid"] = 94
	fourth["tickets"], fourth["payments"], fourth["lastupdatets"] = []object{}, []object{paid(94, 32), back}, now(layout)
	h.pass(10 * time.Minute)
	h.has("7", "with a cancelled order", "sold 3; reserved 0; of 100; free 90; came 0; inside 0; booked 3500 EUR; fees 650 EUR; received 9375 EUR; refunded 5000 EUR")
	h.hasMoney("of no performance", "")
	fourth["tickets"], fourth["payments"], fourth["ordercosts"], fourth["lastupdatets"] = []object{ticket(12, 30)}, []object{}, []object{}, now(layout)
	h.pass(10 * time.Minute)

	// The evening comes: two came in, one of them went out. Scans do not change their orders.
	start := time.Now().UTC().Add(time.Hour)
	event["startts"], event["endts"], event["lastupdatets"] = start.Format(layout), start.Add(2*time.Hour).Format(layout), now(layout)
	places[1]["orderid"] = 4
	h.pass(20 * time.Minute)
	places[1]["accesscontrollastenteredts"], places[1]["accesscontrollastenteredscandeviceid"] = now(layout), 238
	places[2]["accesscontrollastenteredts"], places[2]["accesscontrollastexitts"] = now(layout), time.Now().UTC().Add(time.Minute).Format(layout)
	h.pass(2 * time.Minute)
	h.has("7", "while people come", "sold 4; reserved 0; of 100; free 90; came 2; inside 1; booked 6500 EUR; fees 800 EUR; received 6175 EUR; refunded 2000 EUR")
	if a := h.event("7").ArrivalMinutes; len(a) == 0 {
		h.t.Error("nobody knows when they came")
	}
}

func keyedForTito(r *http.Request) string {
	got := r.Header.Get("Authorization")
	switch checkin := strings.HasPrefix(r.URL.Path, "/checkin/"); {
	case checkin && got != "", !checkin && got != "Token token=key":
		return r.URL.Path + " " + got
	}
	return ""
}

func playTito(h *foreignHouse) {
	const layout = "2006-01-02T15:04:05.000Z"
	none := func(path, name string) func(rows func(url.Values) []object) {
		return func(rows func(url.Values) []object) {
			h.list(path, rows, 2, func(page []object, total int, more bool, q url.Values) any {
				return object{name: append([]any{}, anys(page)...), "meta": object{"total_count": total, "next_page": nil}}
			})
		}
	}
	none("/havendam/events", "events")(func(url.Values) []object {
		return []object{{"id": 1, "slug": "conf", "title": "Conf", "currency": "EUR", "start_date": "2000-03-24", "end_date": nil, "live": true, "archived": false, "test_mode": false,
			"created_at": "2000-01-01T09:00:00.000Z", "updated_at": "2000-01-01T09:00:00.000Z"},
			{"id": 2, "slug": "later", "title": "To be announced", "currency": "EUR", "start_date": nil, "end_date": nil, "live": true, "archived": false, "test_mode": false,
				"created_at": "2000-01-01T09:00:00.000Z", "updated_at": "2000-01-01T09:00:00.000Z"}}
	})
	ticket := func(id, order int, price float64) object {
		return object{"id": id, "registration_id": order, "release_id": 3, "release_title": "Standard", "price": price, "state": "complete", "void": false, "test_mode": false,
			"discount_code_used": nil, "created_at": now(layout), "updated_at": now(layout)}
	}
	tickets := []object{ticket(11, 5, 50), ticket(12, 5, 50), ticket(13, 6, 0), ticket(14, 5, 25.5)}
	registrations := []object{
		{"id": 5, "total": 125.5, "free": false, "payment_complete": true, "cancelled": false, "payment_option_name": "card", "created_at": now(layout), "completed_at": now(layout), "updated_at": now(layout), "test_mode": false},
		{"id": 6, "total": 0.0, "free": true, "payment_complete": true, "cancelled": false, "created_at": now(layout), "completed_at": now(layout), "updated_at": now(layout), "test_mode": false}}
	refunds, checkins := []object{}, []object{}
	newer := func(all *[]object, void bool) func(url.Values) []object {
		return func(q url.Values) []object {
			since, err := time.Parse("2006-01-02 15:04:05 UTC", q.Get("search[updated_at][gt]"))
			return slices.DeleteFunc(slices.Clone(*all), func(r object) bool {
				at, _ := time.Parse(layout, r["updated_at"].(string))
				return err == nil && !at.After(since) || r["void"] != nil && r["void"] != (q.Get("search[states][]") == "void" && void)
			})
		}
	}
	empty := func(url.Values) []object { return nil }
	none("/havendam/conf/tickets", "tickets")(newer(&tickets, true))
	none("/havendam/conf/registrations", "registrations")(newer(&registrations, false))
	none("/havendam/conf/refunds", "refunds")(func(url.Values) []object { return refunds })
	none("/havendam/conf/checkin_lists", "checkin_lists")(func(url.Values) []object { return []object{{"id": 1, "slug": "chk_secret", "title": "North"}} })
	for _, name := range []string{"tickets", "registrations", "refunds", "checkin_lists"} {
		none("/havendam/later/"+name, name)(empty)
	}
	h.serve("/checkin/checkin_lists/chk_secret/checkins", func(url.Values) any { return append([]object{}, checkins...) })
	h.begin()
	h.has("1", "at first", "sold 4; reserved 0; came 0; inside 0; booked 12550 EUR; received 12550 EUR")
	if e := h.event("1"); e.Date != "2000-03-24" || !e.Event.StartsAt.IsZero() || h.event("2").Date != "" {
		t := h.event("2")
		h.t.Errorf("known by its day: %q; not at all: %q", e.Date, t.Date)
	}

	// A ticket is voided and paid back in part; two are scanned, one of them by mistake.
	h.pass(time.Minute)
	tickets[1]["void"], tickets[1]["state"], tickets[1]["updated_at"] = true, "void", now(layout)
	refunds = append(refunds, object{"id": 19, "amount": "-45.0", "created_at": now(layout), "registration": object{"id": 5}})
	checkins = append(checkins, object{"id": 1, "ticket_id": 11, "created_at": now(layout), "updated_at": now(layout), "deleted_at": nil},
		object{"id": 2, "ticket_id": 13, "created_at": now(layout), "updated_at": now(layout), "deleted_at": nil})
	h.pass(20 * time.Minute)
	h.has("1", "after scans", "sold 3; reserved 0; came 2; inside 2; booked 7550 EUR; received 12550 EUR; refunded 4500 EUR")
	checkins[1]["deleted_at"], checkins[1]["updated_at"] = now(layout), now(layout)
	h.pass(20 * time.Minute)
	h.has("1", "after one was taken back", "sold 3; reserved 0; came 1; inside 1; booked 7550 EUR; received 12550 EUR; refunded 4500 EUR")
	// The last ticket is removed.
	tickets = tickets[:3]
	h.pass(100 * time.Hour)
	h.has("1", "without the last ticket", "sold 2; reserved 0; came 1; inside 1; booked 5000 EUR; received 12550 EUR; refunded 4500 EUR")
}

func anys(rows []object) (all []any) {
	for _, r := range rows {
		all = append(all, r)
	}
	return all
}

func playTixly(h *foreignHouse) {
	event := object{"Id": 5, "Name": "Gala", "StartDate": "2000-03-24T20:00:00", "EndDate": "2000-03-24T22:30:00", "Hall": "Great hall", "Capacity": 100, "BlockedAllocated": 4, "Sold": 3, "Reserved": 6}
	sale := func(ticket, count int, price float64, at string) object {
		return object{"TicketId": ticket, "EventId": 5, "OrderId": 1, "CustomerId": 9, "IsAnonymousSale": false, "TicketTypeId": 2, "TicketType": "Full", "TicketCount": count, "Price": price,
			"Fee": 1.5, "Online": true, "Scanned": false, "Section": "A", "Row": "1", "Seat": fmt.Sprint(ticket), "Created": at}
	}
	sales := []object{sale(1, 1, 20, "2000-01-15T10:00:00"), sale(2, 1, 20, "2000-02-20T10:00:00"), sale(3, 1, 17.5, "2000-03-24T11:00:00")}
	h.serve("/events", func(url.Values) any { return object{"Data": []object{event}, "Next": nil} })
	h.serve("/events/sales", func(q url.Values) any {
		if q.Get("SoldFrom") == "" || q.Get("SoldTo") == "" {
			h.t.Errorf("sales are asked for without days: %v", q)
		}
		in := slices.DeleteFunc(slices.Clone(sales), func(r object) bool {
			day := r["Created"].(string)[:10]
			return day < q.Get("SoldFrom") || day > q.Get("SoldTo")
		})
		from, _ := strconv.Atoi(q.Get("cursor"))
		to, next := min(from+1, len(in)), any(nil)
		if to < len(in) {
			next = fmt.Sprintf("http://house.test/events/sales?SoldFrom=%s&SoldTo=%s&cursor=%d", q.Get("SoldFrom"), q.Get("SoldTo"), to)
		}
		return object{"Data": append([]object{}, in[min(from, len(in)):to]...), "Next": next}
	})
	h.begin()
	h.has("5", "at first", "sold 3; reserved 6; of 100; came 0; inside 0; booked 5750 EUR; fees 450 EUR")
	// One is returned, one is sold, one is scanned; the reservations lapse.
	back := sale(2, -1, -20, now("2006-01-02T15:04:05"))
	sales = append(sales, back, sale(4, 1, 20, now("2006-01-02T15:04:05")))
	sales[2]["Scanned"] = true
	event["Reserved"] = 0
	h.pass(26 * time.Hour)
	h.has("5", "the day after", "sold 3; reserved 0; of 100; came 1; inside 1; booked 5750 EUR; fees 450 EUR")
	// The last line is removed.
	sales = sales[:4]
	h.pass(100 * time.Hour)
	h.has("5", "without the last line", "sold 2; reserved 0; of 100; came 1; inside 1; booked 3750 EUR; fees 300 EUR")
}

func playMollie(h *foreignHouse) {
	const layout = "2006-01-02T15:04:05+00:00"
	euros := func(value string) object { return object{"value": value, "currency": "EUR"} }
	payment := func(id, value, status string) object {
		p := object{"id": id, "mode": "live", "amount": euros(value), "status": status, "method": "ideal", "metadata": object{"order_id": "O-" + id}, "createdAt": now(layout)}
		if status == "paid" {
			p["paidAt"] = now(layout)
		}
		return p
	}
	payments := []object{payment("tr_1", "75.00", "paid"), payment("tr_2", "20.50", "paid"), payment("tr_3", "10.00", "open"), payment("tr_4", "5.00", "expired")}
	refunds, chargebacks := []object{}, []object{}
	list := func(name string, all *[]object) {
		h.list("/"+name, func(url.Values) []object { return *all }, 100, func(page []object, total int, _ bool, q url.Values) any {
			from, next := 0, any(nil)
			if id := q.Get("from"); id != "" {
				from = slices.IndexFunc(page, func(r object) bool { return r["id"] == id })
			}
			to := min(from+2, len(page))
			if to < len(page) {
				next = object{"href": fmt.Sprintf("http://house.test/%s?from=%s&limit=2", name, page[to]["id"]), "type": "application/hal+json"}
			}
			return object{"count": to - from, "_embedded": object{name: page[from:to]}, "_links": object{"next": next}}
		})
	}
	list("payments", &payments)
	list("refunds", &refunds)
	list("chargebacks", &chargebacks)
	h.begin()
	h.hasMoney("at first", "received 9550 EUR")

	payments[2]["status"], payments[2]["paidAt"] = "paid", now(layout)
	payments[0]["amountRefunded"] = euros("25.00")
	refunds = append(refunds, object{"id": "re_1", "mode": "live", "paymentId": "tr_1", "amount": euros("25.00"), "status": "refunded", "createdAt": now(layout)},
		object{"id": "re_2", "mode": "live", "paymentId": "tr_2", "amount": euros("20.50"), "status": "queued", "createdAt": now(layout)})
	chargebacks = append(chargebacks, object{"id": "chb_1", "paymentId": "tr_3", "amount": euros("10.00"), "createdAt": now(layout), "reversedAt": nil})
	h.pass(40 * time.Minute) // longer than the longest wait between two polls
	h.hasMoney("after refunds and a chargeback", "received 10550 EUR; refunded 2500 EUR; refunds pending 2050 EUR; charged back 1000 EUR")

	chargebacks[0]["reversedAt"], refunds[1]["status"] = now(layout), "refunded"
	h.pass(40 * time.Minute) // longer than the longest wait between two polls
	h.hasMoney("after it was won back", "received 10550 EUR; refunded 4550 EUR; charged back 1000 EUR; won back 1000 EUR")
}

func playStripe(h *foreignHouse) {
	charge := func(id string, amount int, status string) object {
		return object{"id": id, "amount": amount, "amount_refunded": 0, "currency": "eur", "status": status, "captured": true, "livemode": true, "created": time.Now().Unix(),
			"metadata": object{"order_id": "O-" + id}, "payment_method_details": object{"type": "card"}}
	}
	charges := []object{charge("ch_4", 500, "failed"), charge("ch_3", 1000, "succeeded"), charge("ch_2", 2050, "succeeded"), charge("ch_1", 7500, "succeeded")}
	charges[1]["captured"] = false
	refunds, disputes := []object{}, []object{}
	list := func(name string, all *[]object) {
		h.list("/"+name, func(q url.Values) []object {
			since, _ := strconv.ParseInt(q.Get("created[gte]"), 10, 64)
			return slices.DeleteFunc(slices.Clone(*all), func(r object) bool { return r["created"].(int64) < since })
		}, 2, func(page []object, _ int, more bool, _ url.Values) any {
			return object{"object": "list", "data": page, "has_more": more, "url": "/v1/" + name}
		})
	}
	list("charges", &charges)
	list("refunds", &refunds)
	list("disputes", &disputes)
	h.begin()
	h.hasMoney("at first", "received 9550 EUR")

	h.pass(time.Minute)
	charges[3]["amount_refunded"] = 2500
	refunds = append(refunds, object{"id": "re_1", "charge": "ch_1", "amount": 2500, "currency": "eur", "status": "succeeded", "created": time.Now().Unix()})
	charges = append([]object{charge("ch_5", 300, "succeeded")}, charges...)
	disputes = append(disputes, object{"id": "dp_1", "charge": "ch_2", "amount": 2050, "currency": "eur", "status": "needs_response", "livemode": true, "created": time.Now().Unix()},
		object{"id": "dp_2", "charge": "ch_1", "amount": 100, "currency": "eur", "status": "warning_needs_response", "livemode": true, "created": time.Now().Unix()})
	h.pass(40 * time.Minute)
	h.hasMoney("after a refund and a dispute", "received 9850 EUR; refunded 2500 EUR; charged back 2050 EUR")
	disputes[0]["status"] = "won"
	h.pass(3 * time.Hour)
	h.hasMoney("after it was won", "received 9850 EUR; refunded 2500 EUR; charged back 2050 EUR; won back 2050 EUR")
}
