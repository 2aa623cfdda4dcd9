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
	"housecount/web/webtest"
)

// BenchmarkTonight100 renders an evening of 100 performances: from nothing, and after a sale for
// one of them, as a hub that has rendered the topic before.
func BenchmarkTonight100(b *testing.B) {
	r, h := webtest.Renderer(b), webtest.NewHouse()
	festival(h, 100)
	before := h.Snapshot()
	e := before.Events[40].Event
	h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	after := h.Snapshot()
	b.Run("first", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			webtest.Content(b, r, webtest.Tonight, before, webtest.ShowTime)
		}
	})
	b.Run("sale", func(b *testing.B) {
		defer cpu(b)()
		last, s := webtest.Content(b, r, webtest.Tonight, before, webtest.ShowTime), after
		for b.Loop() {
			var err error
			if last, err = r.Content(webtest.Tonight, s, webtest.ShowTime, last); err != nil {
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
	r, s := webtest.Renderer(b), webtest.Busy(b).Snapshot()
	for _, v := range []webtest.View{{Page: "tonight"}, webtest.EventView("evt_mat"), webtest.RevenueView(30), {Page: "wall"}} {
		b.Run(v.Page, func(b *testing.B) {
			benchmarkPage(b, r, v.As(web.Manager), s)
		})
	}
}

func benchmarkPage(b *testing.B, r *web.Renderer, q web.Request, s *figures.Snapshot) {
	var out bytes.Buffer
	defer cpu(b)()
	for b.Loop() {
		out.Reset()
		if err := r.Page(&out, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, User: "Fatima"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "B/page")
}

// BenchmarkContentAgain is a sale for the event of an open page, and one that Revenue sums.
func BenchmarkContentAgain(b *testing.B) {
	r, h := webtest.Renderer(b), webtest.Busy(b)
	before := h.Snapshot()
	e := before.Event("evt_mat").Event
	h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	snapshots := [2]*figures.Snapshot{before, h.Snapshot()}
	for _, v := range []webtest.View{webtest.EventView("evt_mat"), webtest.RevenueView(30), {Page: "wall"}} {
		b.Run(v.Page, func(b *testing.B) {
			defer cpu(b)()
			var last live.Content
			n := 0
			for b.Loop() {
				var err error
				if last, err = r.Content(v.As(web.Manager), snapshots[n%2], webtest.ShowTime, last); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

// BenchmarkContentOfSales is sale after sale for the event of an open page, none of which was there before.
func BenchmarkContentOfSales(b *testing.B) {
	r, h := webtest.Renderer(b), webtest.Busy(b)
	snapshots := []*figures.Snapshot{h.Snapshot()}
	for range 100 {
		e := snapshots[0].Event("evt_mat").Event
		h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
		snapshots = append(snapshots, h.Snapshot())
	}
	for _, of := range []struct {
		name string
		webtest.View
	}{{"event", webtest.EventView("evt_mat")}, {"overview", webtest.EventPart("evt_mat", "")}, {"wall", webtest.View{Page: "wall"}}} {
		b.Run(of.name, func(b *testing.B) {
			defer cpu(b)()
			var last live.Content
			n := 0
			for b.Loop() {
				var err error
				if last, err = r.Content(of.As(web.Manager), snapshots[n%len(snapshots)], webtest.ShowTime, last); err != nil {
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
	r, h := webtest.Renderer(b), webtest.NewHouse()
	for i := range 2000 {
		e := h.Event(fmt.Sprintf("evt_%04d", i), fmt.Sprintf("Concert %d", i%400), fmt.Sprint("Zaal ", i%3), "19:15", "20:15", 200, webtest.OnDay(i/2-750))
		h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -90), To: earlierOf(e.StartsAt, webtest.ShowTime), Paid: 20, Comp: 1, Scans: true})
	}
	before := h.Snapshot()
	e := before.Events[1510].Event
	h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	snapshots := [2]*figures.Snapshot{before, h.Snapshot()}
	for _, v := range []webtest.View{{Page: "revenue", Params: "against=before&period=season"}, {Page: "revenue", Params: "against=before&period=today"}, {Page: "marketing", Params: "period=season"}, {Page: "marketing", Params: "period=month"}} {
		b.Run(v.Page+" "+string(v.Params), func(b *testing.B) {
			defer cpu(b)()
			var last live.Content
			n := 0
			for b.Loop() {
				var err error
				if last, err = r.Content(v.As(web.Manager), snapshots[n%2], webtest.ShowTime, last); err != nil {
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

// processorTime returns what the process has used of the processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
