package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/web"
)

// BenchmarkExplain reads what is behind figures of a performance of 2,000 tickets, each of which has
// been scanned since, in a log of 1,300,000 records, and answers with the whole page of figures of it and
// of two months, in which some thousand performances were sold.
func BenchmarkExplain(b *testing.B) {
	database := filepath.Join(b.TempDir(), "cold.db")
	makeLog(b, database)
	appendLarge(b, database)
	f, stop := coldStart(b, database)
	defer stop()
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for _, k := range []figures.Key{figures.KeySold, figures.KeyPresent} {
		b.Run(string(k), func(b *testing.B) {
			for b.Loop() {
				behind, err := f.Behind(b.Context(), catalogue.Explanation{Definition: catalogue.Define(k), Scope: figures.Scope{Event: "evt_large"}}, now)
				if err != nil || behind.All != 2000 {
					b.Fatal(behind.All, len(behind.Changes), err)
				}
			}
		})
	}
	bundle, err := assets.Load()
	if err != nil {
		b.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle, Sources: process{figures: f}.sources(b.Context(), now)})
	if err != nil {
		b.Fatal(err)
	}
	for name, of := range map[string]url.Values{
		"page/performance": {"figure": {"booked"}, "event": {"evt_large"}},
		"page/period":      {"figure": {"booked"}, "from": {"2026-02-01"}, "to": {"2026-03-31"}, "currency": {"EUR"}},
	} {
		b.Run(name, func(b *testing.B) {
			q, err := web.NewRequest("explain", of, web.Manager.Access(), web.English)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				var page strings.Builder
				if err := renderer.Page(&page, web.Frame{Request: q, Snapshot: f.Snapshot(), Now: now, Ready: true}); err != nil || !strings.Contains(page.String(), `<table class="records">`) {
					b.Fatal(err, page.Len())
				}
			}
		})
	}
}

// appendLarge appends a performance of 2,000 tickets, which come in.
func appendLarge(b *testing.B, database string) {
	curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	records := []record.Record{&record.Event{ID: "evt_large", Title: "Large", StartsAt: curtain, Capacity: new(2500), Available: new(500), UpdatedAt: curtain.Add(-time.Hour)}}
	for n := range 2000 {
		sold := curtain.Add(-time.Duration(n) * time.Hour)
		t := record.Ticket{ID: fmt.Sprint("large_", n), EventID: "evt_large", OrderID: fmt.Sprint("large_", n/4), Price: &record.Money{Amount: 2450, Currency: "EUR"},
			Status: record.TicketValid, Channel: "online", SoldAt: sold, UpdatedAt: sold, Scans: []record.Scan{}}
		in := t
		in.UpdatedAt = curtain.Add(-time.Duration(n%60) * time.Minute)
		in.Scans = []record.Scan{{At: in.UpdatedAt, Gate: "A", Direction: record.Entry}}
		records = append(records, &t, &in)
		if n%4 == 3 {
			records = append(records, &record.Payment{ID: fmt.Sprint("large_", n), OrderID: t.OrderID, Status: record.PaymentPaid,
				Amount: record.Money{Amount: 9800, Currency: "EUR"}, PaidAt: sold, UpdatedAt: sold})
		}
	}
	writeLog(b, database, func(add func(time.Time, []record.Record) error) error {
		for i := range records { // one at a time, as versions of one record do not come at once
			if err := add(curtain, records[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	})
}
