package admin_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Each list stands with its service, with what it gives, what is wrong with it and when it answered; figures name the lists
// that they are made of, and not those that the service does not offer.
func TestServices(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	s := *h.Snapshot()
	at := webtest.ShowTime
	s.Records = map[record.Kind]int{record.KindEvent: 94, record.KindTicket: 18206, record.KindPayment: 17984}
	s.Health.Streams = []figures.StreamHealth{
		{Name: "performances", Kinds: []record.Kind{record.KindEvent}, LastGood: at.Add(-5 * time.Second), Took: 200 * time.Millisecond, Complete: true},
		{Name: "orders", Kinds: []record.Kind{record.KindTicket}, LastGood: at.Add(-26 * time.Hour), Complete: true, Missed: 7, Fault: figures.FaultServer, FaultStatus: 503},
		{Name: "checkins", Kinds: []record.Kind{record.KindScan}, Fault: figures.FaultNotOffered},
		{Name: "mollie/payments", Service: "mollie", Shared: true, Kinds: []record.Kind{record.KindPayment}, LastGood: at.Add(-65 * time.Second), Complete: true, Refused: 3},
		{Name: "mollie/refunds", Service: "mollie", Shared: true, Kinds: []record.Kind{record.KindPayment}, LastGood: at.Add(-9 * time.Second), Read: 40, Total: 90},
	}
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(webtest.Page(t, r, webtest.View{Page: "services"}.As(web.Admin), &s, at), " ")), " ")
	webtest.Wants(t, "services", text,
		"Ticketing service",
		"performances events complete 94 19:51:56 0.2 s no performances",
		"orders tickets the service reports an internal error (503) 18,206 Thu 19 Nov 17:52 under 0.1 s no sales, nothing booked",
		"checkins scans the service does not offer this — — no arrivals",
		"mollie List State Records Last answer Took Without it mollie/payments",
		"mollie/payments payments 3 records cannot be used — 19:50:56 under 0.1 s not all received and paid back",
		"mollie/refunds payments reading mollie/refunds, 40 of 90; history is incomplete — 19:51:52",
		"Sold, free, occupancy performances and orders Thu 19 Nov 17:52",
		"Came, in the building orders Thu 19 Nov 17:52",
		"Received, refunded, charged back mollie/payments and mollie/refunds 19:50:56",
	)
	if strings.Contains(text, "Expected, budget") {
		t.Error("plans are said to be made of no list")
	}
}
