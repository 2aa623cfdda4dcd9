package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/limits"
)

// BenchmarkRecompute recomputes the figures of a log of 1,300,000 records while people are counted in every
// tenth of a second, and reports how long that takes, how many cores, how much heap beside that of before,
// and how long one count takes to be published then and without a recompute.
func BenchmarkRecompute(b *testing.B) {
	database := filepath.Join(b.TempDir(), "recompute.db")
	makeLog(b, database)
	db, err := store.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	log, err := db.Records(b.Context(), "cold")
	if err != nil {
		b.Fatal(err)
	}
	f, err := aggregator.New(aggregator.Options{Log: log, Calendar: figures.Calendar{Zone: time.UTC}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	defer func() {
		cancel()
		if err := errors.Join(<-ended, db.Close()); err != nil {
			b.Error(err)
		}
	}()
	if err := limits.FoldWithGarbage(ctx, func(ctx context.Context) error { return f.Await(ctx, 1) }); err != nil {
		b.Fatal(err)
	}
	counts := 0
	count := func(until <-chan struct{}) (took []time.Duration, most uint64) {
		for {
			select {
			case <-until:
				slices.Sort(took)
				return took, most
			case <-time.After(100 * time.Millisecond):
			}
			counts++
			began := time.Now()
			revision, err := log.Enter(ctx, began, &record.WalkIn{ID: fmt.Sprint("walk-in ", counts), EventID: "evt_000001", Count: 1, At: began})
			if err == nil {
				err = f.Await(ctx, revision)
			}
			if err != nil {
				b.Error(err)
				return took, most
			}
			took = append(took, time.Since(began))
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	p99 := func(took []time.Duration) float64 { return float64(took[len(took)*99/100].Microseconds()) / 1000 }
	runtime.GC()
	quiet := make(chan struct{})
	time.AfterFunc(10*time.Second, func() { close(quiet) })
	alone, before := count(quiet)
	if len(alone) == 0 {
		b.Fatal("nobody was counted")
	}
	for b.Loop() {
		var from, to syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &from)
		done, counted := make(chan struct{}), make(chan []time.Duration)
		var most uint64
		go func() {
			took, heap := count(done)
			most = heap
			counted <- took
		}()
		began := time.Now()
		var r *record.Reconciliation
		limits.LowMemory(func() { r, err = f.Recompute(ctx, began) })
		took := time.Since(began)
		close(done)
		during := <-counted
		if err != nil || r.Differ != 0 || len(during) == 0 {
			b.Fatalf("%+v, %v", r, err)
		}
		syscall.Getrusage(syscall.RUSAGE_SELF, &to)
		cpu := time.Duration(to.Utime.Nano() + to.Stime.Nano() - from.Utime.Nano() - from.Stime.Nano())
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(float64(cpu)/float64(took), "cores")
		b.ReportMetric(float64(before)/(1<<20), "heap-MiB")
		b.ReportMetric(float64(most-min(most, before))/(1<<20), "more-heap-MiB")
		b.ReportMetric(p99(during), "p99-ms")
		b.ReportMetric(p99(alone), "p99-ms-alone")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSlice recomputes a twelfth of the performances of a log of 1,300,000 records without rests, and
// reports what the process takes of the processors for that and how often it reads the log. It is done 16
// times a day.
func BenchmarkSlice(b *testing.B) {
	database := filepath.Join(b.TempDir(), "slice.db")
	makeLog(b, database)
	db, err := store.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	log, err := db.Records(b.Context(), "cold")
	if err != nil {
		b.Fatal(err)
	}
	reads := 0
	var from, to syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &from)
	for b.Loop() {
		slice := replay.NewSlice(figures.Calendar{Zone: time.UTC}, 0, 12)
		for again := true; again; again = !slice.Whole() {
			for v, err := range log.Versions(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
				slice.Offer(v)
			}
			reads++
		}
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &to)
	cpu := time.Duration(to.Utime.Nano() + to.Stime.Nano() - from.Utime.Nano() - from.Stime.Nano())
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(reads)/float64(b.N), "reads")
	b.ReportMetric(0, "ns/op")
}
