package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// BenchmarkPushesBesideCustomPeriods sells a ticket each 40 ms to 50 open pages of performances, and reports after how many
// milliseconds a page has what was sold: without and with 1,024 open pages of Revenue, each of other days, which every sale
// wakes. frames are those that these pages got, a second.
func BenchmarkPushesBesideCustomPeriods(b *testing.B) {
	const performances, pages, periods, sales, apart = 2000, 50, 1024, 150, 40 * time.Millisecond
	r, h := webtest.Renderer(b), webtest.NewHouse()
	var events []*record.Event
	for i := range performances {
		e := h.Event(fmt.Sprintf("evt_%04d", i), fmt.Sprintf("Concert %d", i%400), fmt.Sprint("Zaal ", i%5), "19:15", "20:15", 200, webtest.OnDay(i/5))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -60), To: webtest.ShowTime.Add(-2 * time.Hour), Paid: 10, Scans: true})
		events = append(events, e)
	}
	events = events[:pages]
	var snapshot atomic.Pointer[figures.Snapshot]
	snapshot.Store(h.Snapshot())
	var given atomic.Int64
	frames := make(chan struct{}, pages)
	hub, open := openHub(b, r, snapshot.Load, func() time.Time { return webtest.ShowTime })
	for _, e := range events {
		open(webtest.EventView(e.ID), func() { frames <- struct{}{} })
	}
	for range pages {
		<-frames
	}
	next := time.NewTicker(apart)
	defer next.Stop()
	sell := func() (took []time.Duration) {
		for n := range sales {
			e := events[n%pages]
			h.Sell(e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
			before := snapshot.Swap(h.Snapshot())
			began := time.Now()
			hub.Wake(web.Wakes(figures.Changes{Events: []string{e.ID}}, before, snapshot.Load(), webtest.ShowTime)...)
			<-frames
			took = append(took, time.Since(began))
			<-next.C
		}
		slices.Sort(took)
		return took
	}
	percentile := func(of []time.Duration, n int) float64 { return float64(of[len(of)*n/100]) / float64(time.Millisecond) }
	for b.Loop() {
		alone := sell()
		if given.Load() == 0 { // they stay open
			for n := range periods {
				from := webtest.ShowTime.AddDate(0, 0, -n-1).Format(time.DateOnly)
				open(webtest.View{Page: "revenue", Params: query.Params(url.Values{"period": {web.CustomPeriod}, "from": {from}, "against": {"before"}}.Encode())}, func() { given.Add(1) })
			}
		}
		before, began := given.Load(), time.Now()
		beside := sell()
		b.ReportMetric(percentile(alone, 50), "p50-ms")
		b.ReportMetric(percentile(beside, 50), "p50-ms-beside")
		b.ReportMetric(percentile(alone, 99), "p99-ms")
		b.ReportMetric(percentile(beside, 99), "p99-ms-beside")
		b.ReportMetric(percentile(beside, 50)/percentile(alone, 50), "ratio")
		b.ReportMetric(float64(given.Load()-before)/time.Since(began).Seconds(), "frames/s")
	}
	b.ReportMetric(0, "ns/op")
}
