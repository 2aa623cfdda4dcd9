package apiclient_test

import (
	"reflect"
	"testing"
	"time"

	"housecount/apiclient"
)

// orders is a profile of a service whose orders hold what they sold and what was paid.
const orders = `
name: orders
vars: {organizer: ""}
base_url: https://{organizer}.example.com/api
money: {unit: major}
time: {formats: [rfc3339, unix], zone: Europe/Amsterdam}
words:
  ticket.status: {p: valid, c: void, n: reserved}
  payment.status: {Confirmed: paid}
  scan.direction: {in: entry}
streams:
  - name: events
    path: events
    keep: '{key: .slug, currency}'
    gives: [event]
    records: '{id: .slug, title: .name, starts_at: .date_from, timezone, available: .left}'
  - name: orders
    path: orders
    gives: [ticket, payment]
    with: events
    records: |
      . as $order
      | (.positions[] | {
          record: "ticket", id, event_id: $order.event, order_id: $order.code,
          type: {id: .item, name: .item_name}, price, currency: $with[$order.event].currency,
          status: $order.status, seat: .seat.name?, sold_at: $order.datetime,
          scans: [.checkins[] | {at: .datetime, gate, direction: .type}]
        }),
        (.payments[] | {
          record: "payment", id: "\($order.code)-P-\(.local_id)", order_id: $order.code, event_id: $order.event,
          kind: "payment", amount, currency: $with[$order.event].currency,
          status: .state, method: .provider, paid_at: .payment_date
        })
`

const order = `{"code":"A3X9","event":"hamlet","status":"p","email":"jan@example.com","datetime":"2026-11-20T10:11:12+01:00","locale":"nl",
	"positions":[
		{"id":23442,"item":100345,"item_name":"Parket","price":"24.50","attendee_name":"Jan","seat":{"name":"Rij 4 stoel 12"},
		 "checkins":[{"list":44,"datetime":"2026-11-21T19:32:47+01:00","type":"entry","gate":"Main"}],"answers":[],"downloads":[{"output":"pdf","url":"https://example.com/a.pdf"}]},
		{"id":23443,"item":100345,"item_name":"Parket","price":"24.50","attendee_name":"Piet","seat":null,"checkins":[],"answers":[],"downloads":[]}],
	"payments":[{"local_id":1,"state":"confirmed","amount":"49.00","created":"2026-11-20T10:11:00+01:00","payment_date":"2026-11-20T10:11:12+01:00","provider":"ideal"}]}`

func profile(t testing.TB, text string) *apiclient.Profile {
	t.Helper()
	p, err := apiclient.ParseProfile("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkMapRow maps orders of two tickets and a payment.
func BenchmarkMapRow(b *testing.B) {
	p, err := profile(b, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		b.Fatal(err)
	}
	with := map[string]any{"hamlet": map[string]any{"key": "hamlet", "currency": "EUR"}}
	records := 0
	b.ReportAllocs()
	for b.Loop() {
		m := p.MapRow("orders", order, nil, with)
		if len(m.Records) != 3 {
			b.Fatal(m.Refused)
		}
		records += len(m.Records)
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}

// One row becomes the records that the profile's program makes of it.
func TestMapRow(t *testing.T) {
	p, err := profile(t, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 9, 11, 12, 0, time.UTC)
	ticket := apiclient.Ticket{
		EventID: "hamlet", OrderID: "A3X9", Type: apiclient.TypeRef{ID: "100345", Name: "Parket"},
		Price: &apiclient.Money{Amount: 2450, Currency: "EUR"}, Status: apiclient.TicketValid, SoldAt: at,
	}
	first, second := ticket, ticket
	first.ID, first.Seat = "23442", "Rij 4 stoel 12"
	first.Scans = []apiclient.Scan{{At: time.Date(2026, 11, 21, 18, 32, 47, 0, time.UTC), Gate: "Main", Direction: apiclient.Entry}}
	second.ID, second.Scans = "23443", []apiclient.Scan{}
	want := apiclient.Mapped{ID: "A3X9", Records: []apiclient.Record{&first, &second, &apiclient.Payment{
		ID: "A3X9-P-1", OrderID: "A3X9", EventID: "hamlet", Kind: apiclient.KindOfPayment,
		Amount: apiclient.Money{Amount: 4900, Currency: "EUR"}, Status: apiclient.PaymentPaid, Method: "ideal", PaidAt: at,
	}}}

	key, kept, err := p.KeepRow("events", `{"slug":"hamlet","currency":"EUR","name":"Hamlet"}`, nil)
	if err != nil || key != "hamlet" {
		t.Fatal(key, err)
	}
	got := p.MapRow("orders", order, nil, map[string]any{key: kept})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
