package catalogue_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// BenchmarkLookBehind looks behind a figure of a performance of 2,000 tickets, each of which came in
// after it was sold.
func BenchmarkLookBehind(b *testing.B) {
	curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: r.RecordUpdated(), Record: r})
	}
	add(&record.Event{ID: "e", StartsAt: curtain, Capacity: new(2500), Available: new(500), UpdatedAt: curtain.Add(-90 * 24 * time.Hour)})
	for n := range 4000 {
		sold := curtain.Add(time.Duration(n%2000-2000) * time.Hour)
		r := record.Ticket{ID: fmt.Sprint(n % 2000), EventID: "e", OrderID: fmt.Sprint(n % 2000 / 4), Price: &record.Money{Amount: 2450, Currency: "EUR"},
			Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold, Scans: []record.Scan{}}
		if n >= 2000 {
			r.UpdatedAt = curtain.Add(time.Duration(n-4000) * time.Second)
			r.Scans = []record.Scan{{At: r.UpdatedAt, Gate: "A", Direction: record.Entry}}
		}
		add(&r)
	}
	l := ledger.New(figures.Calendar{})
	for _, v := range versions {
		l.Apply(v)
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	for b.Loop() {
		if behind := behindOf(s, versions, curtain, figures.KeyCame, figures.Scope{Event: "e"}); len(behind.Changes) != 10 || behind.All != 2000 {
			b.Fatal(len(behind.Changes), behind.All)
		}
	}
}
