package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// BenchmarkChanged finds what changed in a window of 114,000 versions, of 400 performances, in each database.
func BenchmarkChanged(b *testing.B) {
	const performances, tickets = 400, 285
	for name, database := range map[string]string{"SQLite": filepath.Join(b.TempDir(), "changed.db"), "PostgreSQL": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
			writeLog(b, database, func(add func(time.Time, []record.Record) error) error {
				var records []record.Record
				for i := range performances {
					records = append(records, &record.Event{ID: fmt.Sprint("evt_", i), Title: "One", StartsAt: curtain.AddDate(0, 0, i), Capacity: new(500), UpdatedAt: curtain})
				}
				for n := range tickets + 1 {
					if err := add(curtain, records); err != nil {
						return err
					}
					records = records[:0]
					for i := range performances {
						records = append(records, &record.Ticket{ID: fmt.Sprint("tkt_", i, "_", n), EventID: fmt.Sprint("evt_", i), Price: &record.Money{Amount: 2450, Currency: "EUR"},
							Status: record.TicketValid, SoldAt: curtain, UpdatedAt: curtain})
					}
				}
				return nil
			})
			f, stop := coldStart(b, database)
			defer stop()
			for b.Loop() {
				c, err := f.Changed(b.Context(), catalogue.Moment{Revision: performances}, catalogue.Moment{}, 0, curtain)
				if err != nil || c.All != performances*tickets || len(c.Events)+c.Aside != performances {
					b.Fatal(c.All, len(c.Events), c.Aside, err)
				}
				b.ReportMetric(float64(len(c.Events)), "compared")
			}
		})
	}
}
