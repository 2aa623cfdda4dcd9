package main

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/services"
)

// mollieAccount is a stand-in of Mollie behind a shop.
type mollieAccount struct{ payments, refunds []object }

func (a *mollieAccount) serve(h *foreignHouse) {
	list := func(name string, rows func() []object) {
		h.serve("/"+name, func(url.Values) any {
			all := append([]object{}, rows()...)
			return object{"count": len(all), "_embedded": object{name: all}, "_links": object{"next": nil}}
		})
	}
	list("payments", func() []object { return a.payments })
	list("refunds", func() []object { return a.refunds })
	list("chargebacks", func() []object { return nil })
}

func euros(value string) object { return object{"value": value, "currency": "EUR"} }

// pay adds a payment of an order of the shop.
func (a *mollieAccount) pay(id, order, value string) {
	a.payments = append(a.payments, object{"id": id, "mode": "live", "amount": euros(value), "status": "paid", "method": "ideal",
		"metadata": object{"order_id": order}, "createdAt": now("2006-01-02T15:04:05+00:00"), "paidAt": now("2006-01-02T15:04:05+00:00")})
}

// paid adds what pretix tells of a payment.
func paid(order object, provider, amount string) {
	at := now(time.RFC3339)
	payments := order["payments"].([]object)
	order["payments"] = append(payments, object{"local_id": len(payments) + 1, "amount": amount, "state": "confirmed", "provider": provider, "created": at, "payment_date": at})
	order["last_modified"] = at
}

// builtin returns a built-in profile with variables.
func (h *foreignHouse) builtin(name string, vars map[string]string) *profile.Profile {
	h.t.Helper()
	p, err := profile.Builtin(name)
	if err == nil {
		p, err = p.With(vars)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// money returns what came in and went back for a performance, in words.
func (s *pretixShop) money() string {
	s.t.Helper()
	e := s.event("gala")
	text := s.sold("gala")
	for _, m := range []figures.Measure{figures.Received, figures.Refunded} {
		text += fmt.Sprintf(", %s %s", m, sums(e.Revenue.Of(m)))
	}
	return text
}

// A shop whose payments Mollie tells, too, counts them once, those in cash as well: from the first reading, and where Mollie
// is added to a shop that was read alone.
func TestMollieBesidePretix(t *testing.T) {
	for _, c := range []struct {
		name     string
		alone    bool // the shop is read alone first
		payments services.Payments
		first    string
		then     string
	}{
		{"together", false, services.ReadPayments([]string{"cash"}),
			"3 sold, 0 to be paid, 0 to be paid back, received 6000 EUR, refunded ",
			"2 sold, 0 to be paid, 0 to be paid back, received 6000 EUR, refunded 2000 EUR"},
		{"added", true, services.ReadPayments([]string{"cash"}),
			"3 sold, 0 to be paid, 0 to be paid back, received 6000 EUR, refunded ",
			"2 sold, 0 to be paid, 0 to be paid back, received 6000 EUR, refunded 2000 EUR"},
		{"without cash", true, services.ReadPayments([]string{"none"}),
			"3 sold, 2000 to be paid, 0 to be paid back, received 4000 EUR, refunded ",
			"2 sold, 2000 to be paid, 0 to be paid back, received 4000 EUR, refunded 2000 EUR"},
		{"twice, if nothing is said", true, services.Payments{},
			"3 sold, 0 to be paid, 4000 to be paid back, received 10000 EUR, refunded ",
			"2 sold, 0 to be paid, 2000 to be paid back, received 10000 EUR, refunded 4000 EUR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inPretix(t, func(s *pretixShop) {
				account := &mollieAccount{}
				account.serve(s.foreignHouse)
				for i, provider := range []string{"mollie", "mollie", "cash"} {
					code := string(rune('A' + i))
					paid(s.order(code, map[int]string{1: "20.00"}), provider, "20.00")
					if provider == "mollie" {
						account.pay("tr_"+code, code, "20.00")
					}
				}
				if c.alone {
					s.start()
				}
				shop := s.service(s.builtin("pretix", map[string]string{"organizer": "havendam"}), apiclient.Options{})
				shop.Payments = c.payments
				s.readAll(shop, s.service(s.builtin("mollie", nil), apiclient.Options{}))
				s.pass(20 * time.Minute)
				if got := s.money(); got != c.first {
					t.Errorf("at first: %s\nwant %s", got, c.first)
				}

				a, at := s.orders[0], now(time.RFC3339)
				a["positions"].([]object)[0]["canceled"], a["last_modified"] = true, at
				a["refunds"] = []object{{"local_id": 1, "payment": 1, "amount": "20.00", "state": "done", "provider": "mollie", "created": at, "execution_date": at}}
				account.refunds = append(account.refunds, object{"id": "re_1", "mode": "live", "paymentId": "tr_A", "amount": euros("20.00"), "status": "refunded", "createdAt": now("2006-01-02T15:04:05+00:00")})
				s.pass(40 * time.Minute)
				if got := s.money(); got != c.then {
					t.Errorf("after a refund: %s\nwant %s", got, c.then)
				}
			})
		})
	}
}

// While one service is away, what the other one gives goes on, and the pages say which is away.
func TestOneOfTwoServicesIsAway(t *testing.T) {
	inPretix(t, func(s *pretixShop) {
		account := &mollieAccount{}
		account.serve(s.foreignHouse)
		away := ""
		s.auth = func(r *http.Request) string {
			if away != "" && (r.URL.Path == "/payments" || r.URL.Path == "/refunds" || r.URL.Path == "/chargebacks") == (away == "mollie") {
				return "anything"
			}
			return ""
		}
		s.order("A", map[int]string{1: "20.00"})
		account.pay("tr_A", "A", "20.00")
		shop := s.service(s.builtin("pretix", map[string]string{"organizer": "havendam"}), apiclient.Options{})
		shop.Payments = services.Payments{None: true}
		both := func() { s.readAll(shop, s.service(s.builtin("mollie", nil), apiclient.Options{})) }
		faults := func() string {
			text := ""
			for _, h := range s.figures.Snapshot().Health.Streams {
				if h.Fault != "" {
					text += fmt.Sprintf("%s %s, ", h.Name, h.Fault)
				}
			}
			return text
		}

		away = "mollie"
		both() // the first reading of one does not wait for the other
		s.pass(30 * time.Minute)
		if e := s.event("gala"); counts(e.Sold) != "1" || e.Revenue.Of(figures.Received).Known() && e.Revenue.Of(figures.Received).Quality == figures.Exact {
			t.Errorf("with Mollie away: sold %s, received %v", counts(e.Sold), e.Revenue.Of(figures.Received))
		}
		if got, want := faults(), "mollie/payments unauthorized, mollie/refunds unauthorized, mollie/chargebacks unauthorized, "; got != want {
			t.Errorf("with Mollie away: %s\nwant %s", got, want)
		}

		away = ""
		s.pass(2 * time.Hour)
		if got, want := s.money(), "1 sold, 0 to be paid, 0 to be paid back, received 2000 EUR, refunded "; got != want || faults() != "" {
			t.Errorf("with both: %s%s\nwant %s", faults(), got, want)
		}

		away = "pretix"
		account.pay("tr_B", "B", "20.00")
		s.pass(2 * time.Hour)
		if e := s.event("gala"); counts(e.Sold) != "1" {
			t.Errorf("with the shop away: sold %s", counts(e.Sold))
		}
		if got := sums(s.figures.Snapshot().Total.Of(figures.Received)); got != "4000 EUR" {
			t.Errorf("with the shop away: received %s in all, want 4000 EUR", got)
		}
	})
}
