package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const spektrixSecret = "c3Bla3RyaXgtc2VjcmV0" // base64

func signedForSpektrix(r *http.Request) string {
	secret, _ := base64.StdEncoding.DecodeString(spektrixSecret)
	mac := hmac.New(sha1.New, secret)
	fmt.Fprintf(mac, "%s\nhttp://%s%s\n%s", r.Method, r.Host, r.RequestURI, r.Header.Get("Date"))
	at, err := http.ParseTime(r.Header.Get("Date"))
	want := "SpektrixAPI3 house:" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got := r.Header.Get("Authorization"); got != want || err != nil || time.Since(at).Abs() > time.Minute {
		return got
	}
	return ""
}

// inWindow returns the rows with a day within a window of at most so many days, both of its ends included. Any other
// parameter than the window's is a fault.
func (h *foreignHouse) inWindow(q url.Values, from, to string, most int, rows []object, days func(object) []string) []object {
	first, err := time.Parse(time.DateOnly, q.Get(from))
	last, errLast := time.Parse(time.DateOnly, q.Get(to))
	if err != nil || errLast != nil || len(q) != 2 || last.Sub(first) > time.Duration(most)*24*time.Hour {
		h.t.Errorf("asked for %v", q)
	}
	return append([]object{}, slices.DeleteFunc(slices.Clone(rows), func(r object) bool {
		return !slices.ContainsFunc(days(r), func(day string) bool { return day[:10] >= q.Get(from) && day[:10] <= q.Get(to) })
	})...)
}

func playSpektrix(h *foreignHouse) {
	const layout = "2006-01-02T15:04:05"
	h.serve("/events", func(url.Values) any {
		return []object{{"id": "7ABC", "name": "Gala", "duration": 150, "isOnSale": true, "firstInstanceDateTime": "2000-03-24T20:00:00", "lastInstanceDateTime": "2000-03-25T20:00:00"}}
	})
	instance := func(id, start string) object {
		return object{"id": id, "event": object{"id": "7ABC"}, "start": start, "startUtc": start + "Z", "isOnSale": true, "cancelled": false, "planId": "1P"}
	}
	instances := []object{instance("21A", "2000-03-24T20:00:00"), instance("22B", "2000-03-25T20:00:00")}
	h.serve("/instances", func(q url.Values) any {
		return h.inWindow(q, "startFrom", "startTo", 92, instances, func(r object) []string { return []string{r["start"].(string)} })
	})
	places := func(sold, scanned int) object {
		return object{"name": "Stalls", "capacity": 200, "available": 183 - sold - scanned, "locked": 15, "reserved": 2, "sold": sold, "scanned": scanned, "inBasket": 0, "unavailable": 0}
	}
	gala := places(5, 0)
	h.serve("/instances/21A/status", func(url.Values) any { return gala })
	h.serve("/instances/22B/status", func(url.Values) any { return places(0, 0) })
	ticket := func(id string, price, discount, total float64) object {
		return object{"id": id, "event": object{"id": "7ABC"}, "instance": object{"id": "21A"}, "type": object{"id": "1T", "name": "Adult"}, "seatName": "A1",
			"originalPrice": price, "price": price, "discount": discount, "total": total, "offer": nil, "delivered": false}
	}
	order := func(id, day string, tickets ...object) object {
		return object{"id": id, "customer": object{"id": "I-" + id, "firstName": "Ada"}, "firstTransactionDate": day, "lastTransactionDate": day, "tickets": tickets}
	}
	orders := []object{
		order("O1", "2000-02-10T11:00:00", ticket("T1", 30, 3, 28.5), ticket("T2", 30, 3, 28.5)),
		order("O2", now(layout), ticket("T3", 30, 0, 30), ticket("T4", 0, 0, 0)),
		order("O3", "2000-03-01T23:59:30.5", ticket("T5", 25.5, 0, 25.5)),
	}
	h.serve("/orders", func(q url.Values) any {
		return h.inWindow(q, "DateFrom", "DateTo", 4, orders, func(r object) []string {
			return []string{r["firstTransactionDate"].(string), r["lastTransactionDate"].(string)}
		})
	})
	h.begin()
	h.has("21A", "at first", "sold 5; reserved 2; of 200; free 178; came 0; inside 0; booked 10950 GBP; fees 300 GBP")
	if e := h.event("21A").Event; e.Title != "Gala" || e.EndsAt.Format(layout) != "2000-03-24T22:30:00" || *e.Blocked != 15 || h.event("22B").Sold.Value != 0 {
		h.t.Errorf("the gala is %+v", e)
	}
	reads := func(path string) (n int) {
		for _, asked := range h.requests() {
			if strings.HasPrefix(asked, path) {
				n++
			}
		}
		return n
	}
	if n := reads("/orders?"); n < 21 { // four days each since the first of January
		h.t.Errorf("the orders were read by %d windows", n)
	}

	// A ticket is returned and another sold; then two come in, one of them by mistake.
	h.pass(time.Minute)
	orders[0]["tickets"], orders[0]["lastTransactionDate"] = []object{ticket("T1", 30, 3, 28.5)}, now(layout)
	orders = append(orders, order("O4", now(layout), ticket("T6", 20, 0, 20)))
	h.pass(10 * time.Minute)
	h.has("21A", "after a return", "sold 5; reserved 2; of 200; free 178; came 0; inside 0; booked 10250 GBP; fees 150 GBP")
	gala = places(3, 2)
	h.pass(10 * time.Minute)
	h.has("21A", "after scans", "sold 5; reserved 2; of 200; free 178; came 2; inside 2; booked 10250 GBP; fees 150 GBP")
	gala = places(4, 1)
	h.pass(10 * time.Minute)
	h.has("21A", "after one was taken back", "sold 5; reserved 2; of 200; free 178; came 1; inside 1; booked 10250 GBP; fees 150 GBP")
	instances[0]["cancelled"] = true
	h.pass(20 * time.Minute)
	if got := h.event("21A").Event.Status; got != "cancelled" {
		h.t.Errorf("the performance is %q", got)
	}
}
