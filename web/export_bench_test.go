package web_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// BenchmarkPushesBesideExport sells 25 tickets a second to 50 open pages of performances, and reports after how many milliseconds a page
// has what was sold: half of the time while nothing else is asked for, and half of it while a workbook of 5,000 performances is
// asked for again and again. Both take turns every two seconds, so that what else the machine does is in both.
func BenchmarkPushesBesideExport(b *testing.B) {
	const performances, pages, turn, apart = 5000, 50, 2 * time.Second, 40 * time.Millisecond
	r, h := webtest.Renderer(b), webtest.NewHouse()
	var events []*record.Event
	for i := range performances {
		e := h.Event(fmt.Sprintf("evt_%04d", i), fmt.Sprintf("Concert %d", i%400), fmt.Sprint("Zaal ", i%5), "19:15", "20:15", 200, webtest.OnDay(i/5))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.Add(-2 * time.Hour), Paid: 10, Scans: true})
		events = append(events, e)
	}
	events = events[:pages]
	snapshots := [2]*figures.Snapshot{h.Snapshot()}
	for _, e := range events {
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	}
	snapshots[1] = h.Snapshot()
	var snapshot atomic.Pointer[figures.Snapshot]
	snapshot.Store(snapshots[0])
	frames := make(chan struct{}, pages)
	hub := eventSockets(b, r, snapshot.Load, func() time.Time { return webtest.ShowTime }, events, frames)
	for range pages {
		<-frames
	}
	export := func() {
		var out bytes.Buffer
		if _, err := r.Sheets(&out, web.Frame{Request: webtest.EventsView(b, nil).As(web.Manager), Snapshot: snapshots[0], Now: webtest.ShowTime.Add(time.Second), Ready: true}, web.Workbook); err != nil || out.Len() < 100_000 {
			b.Errorf("%d bytes: %v", out.Len(), err)
		}
	}
	var took [2][]time.Duration
	exports, n := 0, 0
	next := time.NewTicker(apart)
	defer next.Stop()
	for b.Loop() {
		for beside := range took {
			var exporting sync.WaitGroup
			var over atomic.Bool
			if beside == 1 {
				exporting.Go(func() {
					for !over.Load() {
						export()
						exports++
					}
				})
			}
			for end := time.Now().Add(turn); time.Now().Before(end); n++ {
				before := snapshot.Swap(snapshots[(n/pages+1)%2])
				begin := time.Now()
				hub.Wake(web.Wakes(figures.Changes{Events: []string{events[n%pages].ID}}, before, snapshot.Load(), webtest.ShowTime)...)
				<-frames
				took[beside] = append(took[beside], time.Since(begin))
				<-next.C
			}
			over.Store(true)
			exporting.Wait()
		}
	}
	p99 := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)*99/100]) / float64(time.Millisecond)
	}
	b.ReportMetric(p99(took[0]), "p99-ms")
	b.ReportMetric(p99(took[1]), "p99-ms-beside")
	b.ReportMetric(p99(took[1])/p99(took[0]), "ratio")
	b.ReportMetric(float64(exports)/float64(b.N), "exports/op")
	b.ReportMetric(0, "ns/op")
}
