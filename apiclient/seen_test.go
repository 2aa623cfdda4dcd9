package apiclient_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// A changed record that comes again with each poll of the overlap is yielded once; another change yields
// it again. Its row is reported each time.
func TestAChangedRowIsReadOnce(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	seat := "A1"
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":"a","event_id":"e","status":"valid","seat":%q,"updated_at":%q},{"id":"b","event_id":"e","status":"valid","updated_at":%q}],"meta":{"total":2}}`,
			seat, at.Format(time.RFC3339), at.Add(-time.Minute).Format(time.RFC3339))
	}, apiclient.Options{})
	seen := apiclient.NewSeenRows()
	poll := func(stored bool) []string {
		t.Helper()
		var rows []record.Row
		q := apiclient.Query{UpdatedSince: at.Add(-2 * time.Minute), Seen: seen, OnRow: func(r record.Row) { rows = append(rows, r) }}
		g := gather(readTickets(t.Context(), c, q))
		if g.err != nil {
			t.Fatal(g.err)
		}
		if stored {
			seen.Commit()
		}
		want := []record.Row{
			{List: "tickets", Records: []record.Key{{Kind: record.KindTicket, ID: "a"}}},
			{List: "tickets", Records: []record.Key{{Kind: record.KindTicket, ID: "b"}}},
		}
		if !reflect.DeepEqual(rows, want) {
			t.Fatalf("rows %v", rows)
		}
		return g.ids()
	}
	if got := poll(false); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("first: %v", got)
	}
	if got := poll(true); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after one that was not stored: %v", got)
	}
	for range 118 {
		if got := poll(true); len(got) != 0 {
			t.Fatalf("again: %v", got)
		}
	}
	seat = "A2"
	if got := poll(true); !slices.Equal(got, []string{"a"}) {
		t.Errorf("changed: %v", got)
	}
	seat = "A1" // and back
	if got := poll(true); !slices.Equal(got, []string{"a"}) {
		t.Errorf("changed back: %v", got)
	}
	seen.Forget(record.KindTicket, "b")
	if got := poll(true); !slices.Equal(got, []string{"b"}) {
		t.Errorf("after b was forgotten: %v", got)
	}
	// A whole read recognises rows too.
	g := gather(readTickets(t.Context(), c, apiclient.Query{Seen: seen}))
	if g.err != nil || len(g.records) != 0 {
		t.Errorf("whole: %v; %v", g.ids(), g.err)
	}
}

// A row that was refused, or is older than asked for, is not remembered, nor is one whose program
// sees different rows of other streams.
func TestRowsThatAreNotRecognised(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":"a","status":"valid","updated_at":%q},{"id":"b","event_id":"e","status":"valid","updated_at":%q}],"meta":{"total":2}}`,
			at.Format(time.RFC3339), at.Add(-time.Hour).Format(time.RFC3339))
	}, apiclient.Options{})
	seen := apiclient.NewSeenRows()
	c.Use("tickets", apiclient.Answer{Found: true, Prefix: "v2", Path: "tickets", IgnoresSince: true})
	for range 2 {
		g := gather(readTickets(t.Context(), c, apiclient.Query{UpdatedSince: at.Add(-time.Minute), Seen: seen}))
		seen.Commit()
		if g.err != nil || len(g.refused) != 1 || len(g.records) != 0 || seen.Len() != 0 {
			t.Errorf("%v, %v, %d rows known; %v", g.ids(), g.refused, seen.Len(), g.err)
		}
	}

	currency := "EUR"
	profile := profileOf(t, `
name: a
money: {unit: major}
streams:
  - {name: shows, path: shows, keep: "{key: .id, currency}"}
  - {name: tickets, path: tickets, with: shows, gives: [ticket], records: ". + {currency: $with[.event_id].currency}"}
`)
	for range 2 { // each client uses shared rows for a minute
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/shows" {
				fmt.Fprintf(w, `[{"id":"e","currency":%q}]`, currency)
				return
			}
			fmt.Fprint(w, `[{"id":"t","event_id":"e","status":"valid","price":1}]`)
		}, apiclient.Options{Profile: profile})
		g := gather(probing(t.Context(), c, "tickets", apiclient.Query{UpdatedSince: at, Seen: seen}))
		seen.Commit()
		if g.err != nil || len(g.records) != 1 || g.records[0].(*record.Ticket).Price.Currency != currency {
			t.Errorf("%v; %v", g.ids(), g.err)
		}
		currency = "GBP"
	}
}

// BenchmarkSeenRows reads a page of 1,000 changed tickets that are all recognised, and compares
// that with one of unknown rows.
func BenchmarkSeenRows(b *testing.B) {
	const rows = 1000
	body := fullPage(rows)
	for _, known := range []bool{false, true} {
		b.Run(map[bool]string{true: "known", false: "new"}[known], func(b *testing.B) {
			c := newClient(b, apiclient.Options{BaseURL: "http://api.test"})
			c.SetTransport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(body)), Request: r, ContentLength: int64(len(body))}, nil
			})
			at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
			q := apiclient.Query{UpdatedSince: at}
			if known {
				q.Seen = apiclient.NewSeenRows()
				for range probing(b.Context(), c, "tickets", q) {
				}
				q.Seen.Commit()
			}
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range probing(b.Context(), c, "tickets", q) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if known != (n == 0) {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/record")
		})
	}
}
