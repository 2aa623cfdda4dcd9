package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// BenchmarkPast folds the past of a performance with 1,000 tickets, each sold and then scanned, and 30 other performances
// in the log, in each database. No past is cached: each is of another minute.
func BenchmarkPast(b *testing.B) {
	const performances, tickets = 31, 1000
	for name, database := range map[string]string{"SQLite": filepath.Join(b.TempDir(), "past.db"), "PostgreSQL": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
			writeLog(b, database, func(add func(time.Time, []record.Record) error) error {
				var records []record.Record
				for i := range performances {
					records = append(records, &record.Event{ID: fmt.Sprint("evt_", i), Title: "One", StartsAt: curtain.AddDate(0, 0, i), Capacity: new(1200), UpdatedAt: curtain})
				}
				if err := add(curtain.AddDate(0, 0, -1), records); err != nil {
					return err
				}
				for n := range 2 * tickets {
					records = records[:0]
					at := curtain.Add(time.Duration(n-2*tickets) * 3 * time.Second)
					for i := range performances {
						t := &record.Ticket{ID: fmt.Sprint("tkt_", i, "_", n%tickets), EventID: fmt.Sprint("evt_", i), Price: &record.Money{Amount: 2450, Currency: "EUR"},
							Status: record.TicketValid, SoldAt: curtain, UpdatedAt: at}
						if n >= tickets {
							t.Scans = []record.Scan{{At: at, Direction: record.Entry}}
						}
						records = append(records, t)
					}
					if err := add(at, records); err != nil {
						return err
					}
				}
				return nil
			})
			f, stop := coldStart(b, database)
			defer stop()
			now := curtain.Add(time.Hour)
			for b.Loop() {
				now = now.Add(time.Minute)
				past, err := f.Past(b.Context(), "evt_7", 0, now)
				if err != nil || len(past) < 90 {
					b.Fatal(len(past), err)
				}
				b.ReportMetric(float64(len(past)), "minutes")
			}
		})
	}
}
