package apiclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// fullPage returns a page of n tickets as the service writes them.
func fullPage(n int) []byte {
	at := time.Date(2026, 11, 21, 18, 40, 0, 0, time.UTC)
	tickets := make([]record.Ticket, n)
	for i := range tickets {
		tickets[i] = record.Ticket{
			ID: fmt.Sprintf("tkt_%08d", i), EventID: fmt.Sprintf("evt_%04d", i%40), OrderID: fmt.Sprintf("ord_%08d", i/2),
			ContactID: fmt.Sprintf("con_%08d", i/3), Type: record.TypeRef{ID: "typ_1", Name: "Regular"},
			Quantity: new(1), Price: &record.Money{Amount: 2450, Currency: "EUR"}, Fee: &record.Money{Amount: 150, Currency: "EUR"},
			Status: record.TicketValid, Scans: []record.Scan{{At: at, Gate: "Main", Direction: record.Entry, Result: "ok"}},
			Seat: "Row 4 seat 12", Channel: "web", CreatedAt: at.Add(-48 * time.Hour), SoldAt: at.Add(-47 * time.Hour), UpdatedAt: at,
		}
	}
	body, err := json.Marshal(map[string]any{"data": tickets, "meta": map[string]int{"total": n, "page": 1, "per_page": n}})
	if err != nil {
		panic(err)
	}
	return body
}

// cpuTime returns the CPU time of the process, which other processes do not lengthen as they do the time of day.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkDecodePage decodes and validates a page of 1,000 tickets, and compares that with
// encoding/json on the same bytes and structs.
func BenchmarkDecodePage(b *testing.B) {
	const rows = 1000
	body := fullPage(rows)
	perRecord := func(b *testing.B, before time.Duration) {
		b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N)/rows, "cpu-ns/record")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/record")
		b.ReportMetric(float64(len(body))/rows, "bytes/record")
	}
	b.Run("apiclient", func(b *testing.B) {
		b.ReportAllocs()
		before := cpuTime()
		for b.Loop() {
			d, err := apiclient.DecodeTickets(body)
			if err != nil || len(d.Records) != rows {
				b.Fatal(len(d.Records), err)
			}
		}
		perRecord(b, before)
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		before := cpuTime()
		for b.Loop() {
			var page struct{ Data []*record.Ticket }
			if err := json.Unmarshal(body, &page); err != nil || len(page.Data) != rows {
				b.Fatal(len(page.Data), err)
			}
		}
		perRecord(b, before)
	})
}

func TestGarbage(t *testing.T) {
	for name, body := range map[string]string{
		"empty":              ``,
		"not JSON":           `<!doctype html><title>Welcome to the hotel network</title>`,
		"cut in a row":       `{"data":[{"id":"tkt_1","event_id":"evt_1"},{"id":"tk`,
		"cut after the rows": `{"data":[{"id":"tkt_1","event_id":"evt_1"}]`,
		"two values":         `{"data":[]}{"data":[]}`,
		"no list":            `{"meta":{"total":0}}`,
		"null":               `{"data":null}`,
		"an object":          `{"data":{"id":"tkt_1"}}`,
		"no array":           `{"meta":{"total":0},"data":{}}`,
		"several lists":      `{"tickets":[],"scans":[]}`,
		"cut in a bare list": `[{"id":"tkt_1","event_id":"evt_1"},`,
		"a wrong bare list":  `[{"id":"tkt_1","event_id":"evt_1"}}`,
		"a wrong neighbour":  `{"data":[],"meta":{total:1}}`,
		"a wrong bracket":    `{"data":[{"id":"tkt_1","event_id":"evt_1"]]}`,
		"two lists":          `{"data":[],"data":[]}`,
		"a wrong row":        `{"data":[{"id":tkt_1}]}`,
		"deep":               `{"data":` + strings.Repeat("[", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }, apiclient.Options{})
			g := gather(readTickets(t.Context(), c, apiclient.Query{}))
			if e := g.failure(t, apiclient.Garbage); e.Status != 200 || e.Err == nil || len(g.records) != 0 {
				t.Errorf("got %+v after %d records", e, len(g.records))
			}
		})
	}
}

// Any input is decoded or refused, and every record yielded is valid.
func FuzzDecodePage(f *testing.F) {
	f.Add(fullPage(2))
	f.Add(pageOf(`{"id":"evt_1","date":"2026-11-21","title":"a\u0000","capacity":3,"ticket_types":[{"id":"a","price":{"amount":1,"currency":"eur"}}]}`))
	f.Add(pageOf(`{"id":"pay_1","kind":"payment","amount":{"amount":-5,"currency":"EUR"}}`, `null`, `7`, `{"id":"x","amount":{}}`))
	f.Add([]byte(`{"data":[{"id":"a","event_id":"b","scans":[{"at":"2026-11-21T19:00:00Z","direction":"sideways"}]}],"meta":{"total":1.5}}`))
	f.Add(pageOf(`{"id":"con_1","postal_code":"1012 AB","types":["a"]}`, `{"id":"pln_1","kind":"show","budget_revenue":{"amount":1,"currency":"eur"}}`))
	f.Add([]byte(`[{"id":"con_1"},"a\"]",{"a":[{}]}]`))
	f.Add([]byte(`{"data":[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		money := func(m *record.Money) {
			if m != nil && (m.Amount < 0 || m.Amount > 1e13 || len(m.Currency) != 3 || strings.ToUpper(m.Currency) != m.Currency) {
				t.Errorf("money %+v", m)
			}
		}
		id := func(s string) {
			if s == "" || len(s) > 200 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("id %q", s)
			}
		}
		at := func(times ...time.Time) {
			for _, at := range times {
				if !at.IsZero() && (at.Year() < 1970 || at.Year() > 2200 || at.Location() != time.UTC) {
					t.Errorf("time %v", at)
				}
			}
		}
		list := json.Valid(body)
		if d, err := apiclient.DecodeEvents(body); err == nil {
			if !list {
				t.Errorf("read %q, which is no JSON", body)
			}
			for _, e := range d.Records {
				id(e.ID)
				at(e.DoorsAt, e.StartsAt, e.EndsAt, e.IntervalStartsAt, e.IntervalEndsAt, e.CreatedAt, e.UpdatedAt)
				if _, err := time.Parse(time.DateOnly, e.Date); err != nil || utf8.RuneCountInString(e.Title) > 500 {
					t.Errorf("date %q, title %q", e.Date, e.Title)
				}
				if e.Capacity != nil && (*e.Capacity < 0 || *e.Capacity > 1e7) {
					t.Errorf("capacity %d", *e.Capacity)
				}
				for _, p := range e.TicketTypes {
					money(p.Price)
				}
			}
		}
		if d, err := apiclient.DecodeTickets(body); err == nil {
			for _, k := range d.Records {
				id(k.ID)
				id(k.EventID)
				money(k.Price)
				money(k.Fee)
				money(k.VAT)
				at(k.CreatedAt, k.SoldAt, k.CancelledAt, k.UpdatedAt)
				if k.Places() < 0 || k.Places() > 100_000 {
					t.Errorf("quantity %d", k.Places())
				}
				for i, s := range k.Scans {
					at(s.At)
					if s.Direction == "" || i > 0 && s.At.Before(k.Scans[i-1].At) {
						t.Errorf("scans %+v", k.Scans)
					}
				}
			}
			// A record that was yielded decodes to itself.
			again, err := json.Marshal(map[string]any{"data": d.Records})
			if err != nil {
				t.Fatalf("%+v cannot be written: %v", d.Records, err)
			}
			if len(d.Records) > 0 {
				if twice, err := apiclient.DecodeTickets(again); err != nil || len(twice.Refused) > 0 || len(twice.Records) != len(d.Records) {
					t.Errorf("%s does not come through a second time: %+v, %v", again, twice, err)
				}
			}
		}
		if d, err := apiclient.DecodeContacts(body); err == nil {
			for _, c := range d.Records {
				id(c.ID)
				at(c.CreatedAt, c.UpdatedAt)
				if utf8.RuneCountInString(c.PostalArea) > 4 || len(c.Types) > 10_000 {
					t.Errorf("postal area %q, %d types", c.PostalArea, len(c.Types))
				}
			}
		}
		if d, err := apiclient.DecodePlanning(body); err == nil {
			for _, p := range d.Records {
				id(p.ID)
				at(p.StartsAt, p.EndsAt, p.CreatedAt, p.UpdatedAt)
				money(p.BudgetRevenue)
				money(p.BudgetMarketing)
			}
		}
		if d, err := apiclient.DecodePayments(body); err == nil {
			for _, p := range d.Records {
				id(p.ID)
				money(&p.Amount)
				money(p.AmountRefunded)
				at(p.CreatedAt, p.PaidAt, p.UpdatedAt)
			}
			for _, r := range d.Refused {
				if r.Why.String() == "" || len(r.ID) > 200 || len(r.Field) > 200 || len(r.Why.String()) > 1000 {
					t.Errorf("refused with %+v", r)
				}
			}
		} else if err.Kind != apiclient.Garbage && err.Kind != apiclient.TooLarge {
			t.Errorf("ended with %v", err)
		}
	})
}
