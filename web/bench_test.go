package web_test

import (
	"bytes"
	"fmt"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/live"
)

// BenchmarkTonight100 renders an evening of 100 performances: from nothing, and after a sale for
// one of them, as a hub that has rendered the topic before.
func BenchmarkTonight100(b *testing.B) {
	r, h := renderer(b), newHouse()
	festival(h, 100)
	before := h.snapshot()
	e := before.Events[40].Event
	h.sell(&e, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
	after := h.snapshot()
	b.Run("first", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			content(b, r, tonight, before, showTime)
		}
	})
	b.Run("sale", func(b *testing.B) {
		defer cpu(b)()
		last, s := content(b, r, tonight, before, showTime), after
		for b.Loop() {
			var err error
			if last, err = r.Content(tonight, s, showTime, last); err != nil {
				b.Fatal(err)
			}
			if s == after {
				s = before
			} else {
				s = after
			}
		}
	})
}

// BenchmarkPage loads each page of a busy evening.
func BenchmarkPage(b *testing.B) {
	r, s := renderer(b), busy(b).snapshot()
	for _, v := range []view{{page: "tonight"}, eventView("evt_mat"), revenueView(30), {page: "wall"}} {
		b.Run(v.page, func(b *testing.B) {
			benchmarkPage(b, r, v.as(web.Manager), s)
		})
	}
}

func benchmarkPage(b *testing.B, r *web.Renderer, q web.Request, s *figures.Snapshot) {
	var out bytes.Buffer
	defer cpu(b)()
	for b.Loop() {
		out.Reset()
		if err := r.Page(&out, web.Frame{Request: q, Snapshot: s, Now: showTime, User: "Fatima"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "B/page")
}

// BenchmarkContentAgain is a sale for the event of an open page, and one that Revenue sums.
func BenchmarkContentAgain(b *testing.B) {
	r, h := renderer(b), busy(b)
	before := h.snapshot()
	e := before.Event("evt_mat").Event
	h.sell(&e, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
	snapshots := [2]*figures.Snapshot{before, h.snapshot()}
	for _, v := range []view{eventView("evt_mat"), revenueView(30), {page: "wall"}} {
		b.Run(v.page, func(b *testing.B) {
			defer cpu(b)()
			var last live.Content
			n := 0
			for b.Loop() {
				var err error
				if last, err = r.Content(v.as(web.Manager), snapshots[n%2], showTime, last); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

// BenchmarkYears renders Revenue and Marketing of a season anew after a sale, in a house of 2,000
// performances of three years.
func BenchmarkYears(b *testing.B) {
	r, h := renderer(b), newHouse()
	for i := range 2000 {
		e := h.event(fmt.Sprintf("evt_%04d", i), fmt.Sprintf("Concert %d", i%400), fmt.Sprint("Zaal ", i%3), "19:15", "20:15", 200, onDay(i/2-750))
		h.sell(e, sale{from: e.StartsAt.AddDate(0, 0, -90), to: earlierOf(e.StartsAt, showTime), paid: 20, comp: 1, scans: true})
	}
	before := h.snapshot()
	e := before.Events[1510].Event
	h.sell(&e, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
	snapshots := [2]*figures.Snapshot{before, h.snapshot()}
	for _, v := range []view{{"revenue", "against=before&period=season"}, {"revenue", "against=before&period=today"}, {"marketing", "period=season"}, {"marketing", "period=month"}} {
		b.Run(v.page+" "+string(v.params), func(b *testing.B) {
			defer cpu(b)()
			var last live.Content
			n := 0
			for b.Loop() {
				var err error
				if last, err = r.Content(v.as(web.Manager), snapshots[n%2], showTime, last); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// cpu reports what the process takes of the processors, its collector with it: on a machine that
// others use, time says little.
func cpu(b *testing.B) (report func()) {
	b.ReportAllocs()
	start := processorTime(b)
	return func() { b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op") }
}

// processorTime is what the process has used of the processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
