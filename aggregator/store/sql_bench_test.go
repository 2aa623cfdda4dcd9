package store_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// placesBySQL are places sold and reserved, and what was booked, of each performance, by a view that the
// manual describes.
const placesBySQL = `SELECT event_id, coalesce(sum(CASE WHEN status = 'valid' THEN quantity END), 0), coalesce(sum(CASE WHEN status = 'reserved' THEN quantity END), 0),
		coalesce(sum(CASE WHEN status = 'valid' THEN price * quantity END), 0)
	FROM ticket WHERE NOT test GROUP BY event_id`

// BenchmarkChangeAgainstSQL applies one ticket that was sold and publishes all figures, in a house of a
// million tickets, and asks each database for three of them. The ratio is that of the times; the answers
// are the same.
func BenchmarkChangeAgainstSQL(b *testing.B) {
	const tickets, perEvent, page = 1_000_000, 300, 5000
	const events = (tickets + perEvent - 1) / perEvent
	coverage := ledger.Coverage{EventsComplete: true, TicketsOffered: true, TicketsComplete: true}
	sold := func(i int) *record.Ticket {
		t := benchTicket(i, 0)
		if i%10 == 0 {
			t.Status = record.TicketReserved
		}
		return t
	}
	for _, d := range databases {
		b.Run(d.name, func(b *testing.B) {
			database := d.fresh(b)
			l := openLog(b, database)
			var all []record.Record
			for i := range events {
				at := noon.AddDate(0, 0, i%300)
				all = append(all, &record.Event{ID: fmt.Sprintf("evt_%d", i), StartsAt: at, EndsAt: at.Add(time.Hour), Capacity: new(400), UpdatedAt: noon})
			}
			ledger := ledger.New(figures.Calendar{Zone: time.UTC})
			revision := int64(0)
			for at := 0; at < tickets; at += page {
				for i := range page {
					all = append(all, sold(at+i))
				}
				if _, err := l.Append(b.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: all}); err != nil {
					b.Fatal(err)
				}
				for _, r := range all {
					revision++
					ledger.Apply(record.Version{Revision: revision, SeenAt: noon, Head: true, Record: r})
				}
				all = all[:0]
			}
			now := ledger.Snapshot(figures.Position{}, coverage)
			db, err := sql.Open(map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[d.name], database)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if d.name == "postgres" {
				if _, err := db.Exec(`ANALYZE`); err != nil {
					b.Fatal(err)
				}
			}
			var bySQL time.Duration
			for range 3 {
				began := time.Now()
				rows, err := db.QueryContext(b.Context(), placesBySQL)
				if err != nil {
					b.Fatal(err)
				}
				for rows.Next() {
					var id string
					var sold, reserved int
					var booked int64
					if err := rows.Scan(&id, &sold, &reserved, &booked); err != nil {
						b.Fatal(err)
					}
					e := now.Event(id)
					if e.Sold.Value != sold || e.Reserved.Value != reserved || e.Revenue.Of(figures.Booked).Value.In("EUR") != booked {
						b.Fatalf("%s: %d sold, %d reserved, %d booked by SQL; %v, %v, %v", id, sold, reserved, booked, e.Sold, e.Reserved, e.Revenue.Of(figures.Booked))
					}
				}
				if err := rows.Err(); err != nil {
					b.Fatal(err)
				}
				if took := time.Since(began); bySQL == 0 || took < bySQL {
					bySQL = took // with what the database has in memory by then
				}
			}
			i := 0
			for b.Loop() {
				t := sold(i * 10 % tickets)
				if t.Status = record.TicketValid; i%2 == 1 {
					t.Status = record.TicketReserved
				}
				revision++
				ledger.Apply(record.Version{Revision: revision, SeenAt: noon, Head: true, Record: t})
				ledger.Snapshot(figures.Position{}, coverage)
				i++
			}
			change := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(bySQL.Seconds()*1e3, "ms-by-SQL")
			b.ReportMetric(float64(bySQL)/float64(change), "times")
		})
	}
}
