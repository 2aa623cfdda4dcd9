package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// BenchmarkEventPages is a minute of 1,000 open pages, each of another performance, in which 20
// tickets are sold a second: they are folded, published, rendered and sent over real sockets, and
// then the minute turns. It reports which part of a processor that takes, with the pages' ends of the
// sockets, and not how long: sales follow each other at once. That of the whole program is beside the program.
func BenchmarkEventPages(b *testing.B) {
	const pages, sales, minute = 1000, 20, 60
	r, h := webtest.Renderer(b), webtest.NewHouse()
	var events []*record.Event
	for i := range pages {
		e := h.Event(fmt.Sprintf("evt_%03d", i), fmt.Sprintf("Concert %03d", i), fmt.Sprint("Zaal ", i%5), "19:15", "20:15", 200, webtest.OnDay(i/5))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.Add(-2 * time.Hour), Paid: 30, Scans: true})
		events = append(events, e)
	}
	var snapshot atomic.Pointer[figures.Snapshot]
	var passed atomic.Int64 // minutes
	snapshot.Store(h.Snapshot())
	now := func() time.Time { return webtest.ShowTime.Add(time.Duration(passed.Load()) * time.Minute) }
	frames := make(chan struct{}, pages)
	hub := eventSockets(b, r, snapshot.Load, now, events, frames)
	await := func(n int) {
		for range n {
			<-frames
		}
	}
	await(pages) // each has the whole page
	used, next := processorTime(b), 0
	for b.Loop() {
		for range minute {
			var sold []string
			for range sales {
				e := events[next%pages]
				next++
				h.Sell(e, webtest.Sale{From: now().Add(-time.Minute), To: now(), Paid: 1, Scans: true})
				before := snapshot.Swap(h.Snapshot())
				hub.Wake(web.Wakes(figures.Changes{Events: []string{e.ID}, Findings: true}, before, snapshot.Load(), webtest.ShowTime)...) // one list has it before another
				sold = append(sold, e.ID)
			}
			await(len(sold))
		}
		passed.Add(1)
		hub.Wake(live.Minute)
		await(pages)
	}
	b.ReportMetric(100*float64(processorTime(b)-used)/float64(b.N)/float64(minute*time.Second), "%-of-a-core")
	b.ReportMetric(0, "ns/op")
}

// eventSockets opens a socket of each performance's page, and says of each frame that one got.
func eventSockets(b *testing.B, r *web.Renderer, snapshot func() *figures.Snapshot, now func() time.Time, events []*record.Event, frames chan<- struct{}) *live.Hub {
	hub, open := openHub(b, r, snapshot, now)
	for _, e := range events {
		open(webtest.EventView(e.ID), func() { frames <- struct{}{} })
	}
	return hub
}

// openHub returns a running hub of pages, and a function that opens a socket of a page and calls frame for each frame that
// it gets.
func openHub(b *testing.B, r *web.Renderer, snapshot func() *figures.Snapshot, now func() time.Time) (_ *live.Hub, open func(v webtest.View, frame func())) {
	server := httptest.NewUnstartedServer(nil)
	server.Listener = live.Listen(server.Listener)
	hub, err := live.New(live.Options{Origin: "http://" + server.Listener.Addr().String(), Now: now, MaxOfHolder: live.MostWatchers, Open: func(topic string) (live.Topic, error) {
		q, err := web.ParseTopic(topic)
		return live.Topic{Wakes: q.Wakes(), Aside: q.Custom(), Render: func(last live.Content) (live.Content, error) { return r.Content(q, snapshot(), now(), last) }}, err
	}})
	if err != nil {
		b.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hub.Serve(w, r, live.Watcher{Topics: map[string]string{r.URL.Query().Get("topic"): ""}})
	})
	server.Start()
	b.Cleanup(server.Close)
	var running sync.WaitGroup
	b.Cleanup(running.Wait)
	ctx, stop := context.WithCancel(context.Background())
	b.Cleanup(stop)
	running.Go(func() { hub.Run(ctx) })
	return hub, func(v webtest.View, frame func()) {
		socket, err := live.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http")+"/?topic="+url.QueryEscape(v.As(web.Manager).Topic()), server.URL, nil)
		if err != nil {
			b.Fatal(err)
		}
		running.Go(func() {
			for {
				if _, err := socket.Next(); err != nil {
					return
				}
				frame()
			}
		})
		b.Cleanup(func() { socket.Close() })
	}
}
