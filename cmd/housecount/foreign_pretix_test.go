package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// pretixShop is a stand-in of pretix with one performance; its payloads are as pretix documents them.
type pretixShop struct {
	*foreignHouse
	items  []object
	orders []object
	quotas []pretixQuota
}

// pretixQuota is how many of some items can be sold together.
type pretixQuota struct {
	id    int
	name  string
	size  int
	items []int
}

func (s *pretixShop) results(path string, rows func() []object) {
	s.serve("/organizers/havendam/"+path, func(url.Values) any {
		all := rows()
		return object{"count": len(all), "next": nil, "previous": nil, "results": append([]object{}, all...)}
	})
}

// inPretix runs test with a shop whose hall of 100 has 30 places that members may buy too, whose dinner is for 40 and that
// sells shirts.
func inPretix(t *testing.T, test func(*pretixShop)) {
	inForeignHouse(t, func(h *foreignHouse) {
		s := &pretixShop{foreignHouse: h}
		s.results("events/", func() []object {
			return []object{{"slug": "gala", "name": object{"en": "Gala"}, "live": true, "testmode": false, "currency": "EUR", "timezone": "UTC",
				"date_from": "2000-03-24T20:00:00Z", "date_to": "2000-03-24T22:30:00Z", "date_admission": "2000-03-24T19:00:00Z", "has_subevents": false,
				"location": object{"en": "Great hall"}}}
		})
		s.results("subevents/", func() []object { return nil })
		s.results("customers/", func() []object { return nil })
		s.items = []object{s.item(1, "Regular", true), s.item(2, "Member", true), s.item(3, "T-shirt", false), s.item(4, "Dinner", false)}
		s.results("events/gala/items/", func() []object { return s.items })
		s.quotas = []pretixQuota{{1, "Hall", 100, []int{1, 2}}, {2, "Members", 30, []int{2}}, {3, "T-shirts", 500, []int{3}}, {4, "Dinner", 40, []int{4}}}
		s.results("events/gala/quotas/", func() (all []object) {
			sold := map[int]int{}
			for _, o := range s.orders {
				for _, p := range o["positions"].([]object) {
					if p["canceled"] == false {
						sold[p["item"].(int)]++
					}
				}
			}
			for _, q := range s.quotas {
				left := q.size
				for _, item := range q.items {
					left -= sold[item]
				}
				all = append(all, object{"id": q.id, "name": q.name, "size": q.size, "items": q.items, "variations": []int{}, "subevent": nil,
					"available": left > 0, "available_number": left})
			}
			return all
		})
		s.results("orders/", func() []object { return s.orders })
		test(s)
	})
}

func (s *pretixShop) item(id int, name string, admission bool) object {
	return object{"id": id, "name": object{"en": name}, "admission": admission, "has_variations": false, "variations": []object{}}
}

// order adds a paid order with one position for each item.
func (s *pretixShop) order(code string, prices map[int]string, fees ...object) object {
	positions := []object{}
	for item := 1; item <= len(s.items); item++ {
		if price := prices[item]; price != "" {
			positions = append(positions, object{"id": len(s.orders)*10 + item, "positionid": item, "item": item, "variation": nil, "price": price,
				"tax_value": "0.00", "canceled": false, "addon_to": nil, "subevent": nil, "checkins": []object{}, "seat": nil, "voucher": nil})
		}
	}
	now := time.Now().UTC().Format(time.RFC3339)
	o := object{"code": code, "event": "gala", "status": "p", "testmode": false, "datetime": now, "last_modified": now, "sales_channel": "web",
		"customer": nil, "valid_if_pending": false, "cancellation_date": nil, "positions": positions, "fees": append([]object{}, fees...),
		"payments": []object{}, "refunds": []object{}}
	s.orders = append(s.orders, o)
	return o
}

// counts returns numbers, those that are not exact with why.
func counts(all ...figures.Figure[int]) string {
	var texts []string
	for _, f := range all {
		text := fmt.Sprint(f.Value)
		if f.Quality != figures.Exact {
			text += fmt.Sprint(" ", f.Reasons)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// start reads the shop.
func (s *pretixShop) start() {
	s.t.Helper()
	p, err := profile.Builtin("pretix")
	if err == nil {
		p, err = p.With(map[string]string{"organizer": "havendam"})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.readAs(p, apiclient.Options{})
}

// Of pretix' quotas those count that admit, and a quota within another counts nothing twice: 94 of 100 are free, where all four
// quotas together have 664 places.
func TestPretixQuotas(t *testing.T) {
	inPretix(t, func(s *pretixShop) {
		s.order("A", map[int]string{1: "20.00", 2: "15.00", 3: "25.00"})
		s.order("B", map[int]string{1: "20.00", 4: "35.00"})
		for i := range 3 {
			s.order(fmt.Sprint("C", i), map[int]string{1: "20.00"})
		}
		s.start()
		e := s.event("gala")
		if got := counts(e.Sold, e.Capacity, e.Available); got != "6, 100, 94" {
			t.Errorf("sold, capacity and available: %s", got)
		}
		areas := ""
		for _, a := range e.Areas {
			areas += fmt.Sprintf("%s: %s, shared %v\n", a.Name, counts(a.Sold, a.Capacity, a.Free), a.Shared)
		}
		if want := "Hall: 6, 100, 94, shared true\nMembers: 1, 30, 29, shared true\n"; areas != want {
			t.Errorf("areas:\n%swant\n%s", areas, want)
		}

		s.order("D", map[int]string{2: "15.00"})
		s.pass(10 * time.Minute)
		if e = s.event("gala"); counts(e.Sold, e.Available, e.Areas[1].Free) != "7, 93, 28" {
			t.Errorf("after another member came: %v sold, %v free, %v for members", e.Sold, e.Available, e.Areas[1].Free)
		}
	})
}

// Where quotas overlap and none is within the other, what can be sold is at most the least sum that covers everybody. Here
// 60 seats are for whoever pays the full price or is a member, 50 places for members and students, 20 for students alone:
// seats and students cover all. A shirt, a dinner and a fee bring money and take no place.
func TestPretixOverlappingQuotas(t *testing.T) {
	inPretix(t, func(s *pretixShop) {
		s.items = append(s.items, s.item(5, "Student", true))
		s.quotas = []pretixQuota{{1, "Seats", 60, []int{1, 2}}, {2, "Reduced", 50, []int{2, 5}}, {3, "Students", 20, []int{5}}, {4, "Shirts and dinner", 540, []int{3, 4}}}
		a := s.order("A", map[int]string{1: "20.00", 2: "15.00", 3: "25.00"}, object{"id": 1, "fee_type": "payment", "value": "1.50", "description": "", "canceled": false})
		a["payments"] = []object{{"local_id": 1, "amount": "60.00", "state": "confirmed", "provider": "mollie", "created": a["datetime"], "payment_date": a["datetime"]}}
		s.order("B", map[int]string{4: "35.00", 5: "10.00"})
		s.start()
		e := s.event("gala")
		// 60 + 20 are fewer than 60 + 50, and 58 + 19 than 58 + 48.
		if got := counts(e.Sold, e.Capacity, e.Available); got != "3, 80 [areas_may_overlap], 77 [areas_may_overlap]" {
			t.Errorf("sold, capacity and available: %s", got)
		}
		areas := ""
		for _, a := range e.Areas {
			areas += fmt.Sprintf("%s: %s, shared %v\n", a.Name, counts(a.Sold, a.Capacity, a.Free), a.Shared)
		}
		if want := "Reduced: 2, 50, 48, shared true\nSeats: 2, 60, 58, shared true\nStudents: 1, 20, 19, shared true\n"; areas != want {
			t.Errorf("areas:\n%swant\n%s", areas, want)
		}
		// Booked are 20 + 15 + 10, and 25 + 35 + 1.50 besides; 60 of 61.50 and nothing of 45 were paid.
		booked, fees, due := e.Revenue.Of(figures.Booked).Value, e.Revenue.Of(figures.Fees).Value, e.Revenue.Of(figures.ToBePaid).Value
		if got := fmt.Sprint(booked, fees, due, e.Revenue.Of(figures.ToBePaidBack).Value); got != "[{4500 EUR}] [{6150 EUR}] [{4650 EUR}] []" {
			t.Errorf("booked, fees and goods, to be paid and paid back: %s", got)
		}
	})
}

// A fee of an order and merchandise are booked and received apart from the tickets: nothing of them is to be paid back. A fee
// that is kept when a ticket is refunded is one, too.
func TestPretixFees(t *testing.T) {
	inPretix(t, func(s *pretixShop) {
		a := s.order("A", map[int]string{1: "20.00", 3: "25.00"}, object{"id": 1, "fee_type": "service", "value": "2.50", "description": "", "canceled": false})
		a["payments"] = []object{{"local_id": 1, "amount": "47.50", "state": "confirmed", "provider": "mollie", "created": a["datetime"], "payment_date": a["datetime"]}}
		s.start()
		money := func() string {
			e := s.event("gala")
			text := s.sold("gala")
			for _, m := range []figures.Measure{figures.Booked, figures.Fees, figures.Received, figures.Refunded} {
				text += fmt.Sprintf(", %s %v", m, e.Revenue.Of(m).Value)
			}
			for _, x := range e.Extras {
				text += fmt.Sprintf(", %d %s %s %v", x.Number, x.Kind, x.Name, x.Amount)
			}
			return text
		}
		if got, want := money(), "1 sold, 0 to be paid, 0 to be paid back, booked [{2000 EUR}], fees [{2750 EUR}], received [{4750 EUR}], refunded [], "+
			"1 fee service [{250 EUR}], 1 goods T-shirt [{2500 EUR}]"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}

		// The ticket is refunded but for 5.00.
		s.pass(time.Hour)
		now := time.Now().UTC().Format(time.RFC3339)
		a["positions"].([]object)[0]["canceled"], a["last_modified"] = true, now
		a["fees"] = append(a["fees"].([]object), object{"id": 2, "fee_type": "cancellation", "value": "5.00", "description": "", "canceled": false})
		a["refunds"] = []object{{"local_id": 1, "payment": 1, "amount": "15.00", "state": "done", "provider": "mollie", "created": now, "execution_date": now}}
		s.pass(10 * time.Minute)
		if got, want := money(), "0 sold, 0 to be paid, 0 to be paid back, booked [], fees [{3250 EUR}], received [{4750 EUR}], refunded [{1500 EUR}], "+
			"1 fee cancellation [{500 EUR}], 1 fee service [{250 EUR}], 1 goods T-shirt [{2500 EUR}]"; got != want {
			t.Errorf("after the refund: %s\nwant %s", got, want)
		}
	})
}
