package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/limits"
)

// The log of a large house.
const (
	coldEvents   = 20_000
	coldTickets  = 1_000_000
	coldPayments = 280_000
)

// BenchmarkColdStart opens a log of 1,300,000 records as a process does that begins, and
// reports how long it takes until the figures are there and what time of processors that costs,
// for each record and beside a bare scan of the same rows. It takes a minute or two, most of it to make the log.
func BenchmarkColdStart(b *testing.B) {
	database := filepath.Join(b.TempDir(), "cold.db")
	records := float64(makeLog(b, database))
	var scan, fold, scanCPU, foldCPU time.Duration
	var heap uint64
	for b.Loop() {
		runtime.GC()
		began, used := time.Now(), cpuTime(b)
		if n := scanLog(b, database); float64(n) != records {
			b.Fatalf("%d rows, want %.0f", n, records)
		}
		scan, scanCPU = scan+time.Since(began), scanCPU+cpuTime(b)-used
		runtime.GC()
		began, used = time.Now(), cpuTime(b)
		f, stop := coldStart(b, database)
		fold, foldCPU = fold+time.Since(began), foldCPU+cpuTime(b)-used
		if got := len(f.Snapshot().Events); got != coldEvents {
			b.Fatalf("%d events, want %d", got, coldEvents)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = m.HeapAlloc
		runtime.KeepAlive(f)
		stop()
	}
	n := records * float64(b.N)
	b.ReportMetric(float64(scan.Nanoseconds())/n, "scan-ns/record")
	b.ReportMetric(float64(fold.Nanoseconds())/n, "figures-ns/record")
	b.ReportMetric(float64(fold)/float64(scan), "ratio")
	b.ReportMetric(float64(foldCPU.Nanoseconds())/n, "figures-cpu-ns/record")
	b.ReportMetric(float64(foldCPU)/float64(scanCPU), "cpu-ratio")
	b.ReportMetric(float64(heap)/(1<<20), "heap-MiB")
	b.ReportMetric(0, "ns/op")
}

// cpuTime returns the time of processors that the process has used.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// coldStart follows the log until its figures are there.
func coldStart(b *testing.B, database string) (_ *aggregator.Figures, stop func()) {
	db, err := store.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	log, err := db.Records(b.Context(), "cold")
	if err != nil {
		b.Fatal(err)
	}
	ready := make(chan struct{}, 1)
	f, err := aggregator.New(aggregator.Options{Log: log, Calendar: figures.Calendar{Zone: time.UTC},
		Streams: []aggregator.Stream{
			{Name: "events", Kinds: []record.Kind{record.KindEvent}}, {Name: "tickets", Kinds: []record.Kind{record.KindTicket}},
			{Name: "payments", Kinds: []record.Kind{record.KindPayment}},
		},
		Published: func(figures.Changes) {
			select {
			case ready <- struct{}{}:
			default:
			}
		}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	if err := limits.FoldWithGarbage(ctx, func(context.Context) error { <-ready; return nil }); err != nil {
		b.Fatal(err)
	}
	return f, func() {
		cancel()
		if err := errors.Join(<-ended, db.Close()); err != nil {
			b.Error(err)
		}
	}
}

// scanLog reads the rows that a cold start reads and does nothing with them.
func scanLog(b *testing.B, database string) (rows int) {
	db, err := sql.Open("sqlite", database)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	result, err := db.QueryContext(b.Context(), `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version ORDER BY revision`)
	if err != nil {
		b.Fatal(err)
	}
	defer result.Close()
	for result.Next() {
		var revision, kind, seen int64
		var head bool
		var body, memory sql.RawBytes
		if err := result.Scan(&revision, &kind, &head, &seen, &body, &memory); err != nil {
			b.Fatal(err)
		}
		rows++
	}
	if err := result.Err(); err != nil {
		b.Fatal(err)
	}
	return rows
}

// makeLog makes the log: seasons of performances with their tickets, of which half were
// scanned, and the payments for them.
func makeLog(b *testing.B, database string) (records int) {
	writeLog(b, database, func(add func(seen time.Time, batch []record.Record) error) error {
		var batch []record.Record
		for r := range coldRecords {
			if batch = append(batch, r); len(batch) < 500 && records+len(batch) < coldEvents+coldTickets+coldPayments {
				continue
			}
			if err := add(time.Now(), batch); err != nil {
				return err
			}
			records += len(batch)
			batch = batch[:0]
		}
		return nil
	})
	return records
}

// writeLog appends what fill adds to the log of a database.
func writeLog(b *testing.B, database string, fill func(add func(seen time.Time, batch []record.Record) error) error) {
	b.Helper()
	db, err := store.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	log, err := db.Records(b.Context(), "cold")
	if err != nil {
		b.Fatal(err)
	}
	done := errors.New("done")
	if err := log.Lead(b.Context(), func(ctx context.Context, term int64) error {
		return cmp.Or(fill(func(seen time.Time, batch []record.Record) error {
			_, err := log.Append(ctx, aggregator.Batch{Term: term, SeenAt: seen, Records: batch})
			return err
		}), done)
	}); !errors.Is(err, done) {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}

// coldRecords yields the records.
func coldRecords(yield func(record.Record) bool) {
	opening := time.Date(2024, 1, 1, 20, 0, 0, 0, time.UTC)
	at := func(event int) time.Time { return opening.Add(time.Duration(event) * time.Hour) }
	id := func(event int) string { return fmt.Sprintf("evt_%06d", event) }
	for n := range coldEvents {
		if !yield(&record.Event{ID: id(n), Title: fmt.Sprintf("Performance %d", n), Date: at(n).Format(time.DateOnly),
			DoorsAt: at(n).Add(-time.Hour), StartsAt: at(n), EndsAt: at(n).Add(2 * time.Hour), Hall: fmt.Sprintf("Hall %d", n%4),
			Capacity: new(400), Available: new(350), UpdatedAt: at(n).Add(-24 * time.Hour)}) {
			return
		}
	}
	for n := range coldTickets {
		event := n % coldEvents
		sold := at(event).Add(-time.Duration(n%90) * 24 * time.Hour)
		t := &record.Ticket{ID: fmt.Sprintf("tkt_%08d", n), EventID: id(event), OrderID: fmt.Sprintf("ord_%08d", n/4), ContactID: fmt.Sprintf("con_%07d", n/8),
			Type: record.TypeRef{ID: fmt.Sprintf("typ_%d", n%3), Name: "Stalls"}, Price: &record.Money{Amount: 2450, Currency: "EUR"},
			Status: record.TicketValid, Seat: fmt.Sprintf("%d-%d", n%20, n%31), Channel: "online", CreatedAt: sold, SoldAt: sold, UpdatedAt: sold}
		if n%2 == 0 {
			in := at(event).Add(-time.Duration(n%50) * time.Minute)
			t.Scans, t.UpdatedAt = []record.Scan{{At: in, Gate: "A", Direction: record.Entry, Result: "ok"}}, in
		}
		if !yield(t) {
			return
		}
	}
	for n := range coldPayments {
		event := n % coldEvents
		paid := at(event).Add(-time.Duration(n%90) * 24 * time.Hour)
		if !yield(&record.Payment{ID: fmt.Sprintf("pay_%08d", n), OrderID: fmt.Sprintf("ord_%08d", n), EventID: id(event), ContactID: fmt.Sprintf("con_%07d", n/2),
			Kind: record.KindOfPayment, Status: record.PaymentPaid, Method: "ideal", Amount: record.Money{Amount: 7350, Currency: "EUR"},
			CreatedAt: paid, PaidAt: paid, UpdatedAt: paid}) {
			return
		}
	}
}
