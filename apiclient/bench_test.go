package apiclient_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// fullPage is a page of n tickets as the service writes them.
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

// BenchmarkDecodePage reads a page of 1,000 tickets, checks included, beside
// encoding/json of the same bytes into the same structs.
func BenchmarkDecodePage(b *testing.B) {
	const rows = 1000
	body := fullPage(rows)
	perRecord := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/record")
		b.ReportMetric(float64(len(body))/rows, "bytes/record")
	}
	b.Run("apiclient", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d, err := apiclient.DecodeTickets(body)
			if err != nil || len(d.Records) != rows {
				b.Fatal(len(d.Records), err)
			}
		}
		perRecord(b)
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var page struct{ Data []*record.Ticket }
			if err := json.Unmarshal(body, &page); err != nil || len(page.Data) != rows {
				b.Fatal(len(page.Data), err)
			}
		}
		perRecord(b)
	})
}
