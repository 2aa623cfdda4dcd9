package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// BenchmarkRecompute recomputes the figures of a log of 1,300,000 records while a sale comes in every
// tenth of a second, and reports how long that takes, what part of a core, how much more heap, and how long
// a sale then takes to be published beside one without a recompute.
func BenchmarkRecompute(b *testing.B) {
	database := filepath.Join(b.TempDir(), "recompute.db")
	makeLog(b, database)
	f, stop := coldStart(b, database)
	defer stop()
	db, err := store.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	log, err := db.Records(b.Context(), "cold")
	if err != nil {
		b.Fatal(err)
	}
	sales := 0
	sell := func(until <-chan struct{}) (took []time.Duration, most uint64) {
		for {
			select {
			case <-until:
				slices.Sort(took)
				return took, most
			case <-time.After(100 * time.Millisecond):
			}
			sales++
			began := time.Now()
			revision, err := log.Enter(b.Context(), began, &record.WalkIn{ID: fmt.Sprint("walk-in ", sales), EventID: "evt_000001", Count: 1, At: began})
			if err == nil {
				err = f.Await(b.Context(), revision)
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
	quiet := make(chan struct{})
	time.AfterFunc(5*time.Second, func() { close(quiet) })
	alone, before := sell(quiet)
	for b.Loop() {
		var from, to syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &from)
		done, sold := make(chan struct{}), make(chan []time.Duration)
		var most uint64
		go func() {
			took, heap := sell(done)
			most = heap
			sold <- took
		}()
		began := time.Now()
		r, err := f.Recompute(b.Context(), began)
		took := time.Since(began)
		close(done)
		during := <-sold
		if err != nil || r.Differ != 0 {
			b.Fatalf("%+v, %v", r, err)
		}
		syscall.Getrusage(syscall.RUSAGE_SELF, &to)
		cpu := time.Duration(to.Utime.Nano() + to.Stime.Nano() - from.Utime.Nano() - from.Stime.Nano())
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(float64(cpu)/float64(took), "cores")
		b.ReportMetric(float64(most-min(most, before))/(1<<20), "more-heap-MiB")
		b.ReportMetric(float64(before)/(1<<20), "heap-MiB")
		b.ReportMetric(float64(during[len(during)*99/100].Milliseconds()), "p99-ms/sale")
		b.ReportMetric(float64(alone[len(alone)*99/100].Milliseconds()), "p99-ms/sale-alone")
	}
	b.ReportMetric(0, "ns/op")
}
