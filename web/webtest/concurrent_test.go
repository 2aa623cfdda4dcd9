package webtest_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// Pages are rendered by many handlers while the hub renders frames. (These two tests are not in package web, whose other
// tests render in one goroutine and take many times as long with the race detector.)
func TestConcurrentRendering(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Small(t).Snapshot()
	var group sync.WaitGroup
	for _, v := range webtest.Views(t, "evt_a", "Kleine Zaal") {
		q := v.As(web.Admin)
		want := webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime))
		for range 4 {
			group.Go(func() {
				c, err := r.Content(q, s, webtest.ShowTime, live.Content{})
				if err != nil || webtest.All(t, c) != want {
					t.Errorf("%s: error %v, or another content than alone", q.Topic(), err)
				}
			})
		}
	}
	group.Wait()
}

// Pages are loaded while the hub renders, before and after sales, and each is of its figures.
func TestPagesWhileTheHubRenders(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	var group sync.WaitGroup
	last := live.Content{}
	for range 8 {
		mat := h.Snapshot().Event("evt_mat").Event
		h.Sell(&mat, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
		s := h.Snapshot()
		want := webtest.Page(t, webtest.Renderer(t), webtest.Tonight, s, webtest.ShowTime)
		group.Go(func() {
			for range 5 {
				var b bytes.Buffer
				if err := r.Page(&b, web.Frame{Request: webtest.Tonight, Snapshot: s, Now: webtest.ShowTime, User: "Fatima <b>"}); err != nil || b.String() != want {
					t.Errorf("another page than from nothing (%v)", err)
				}
			}
		})
		var err error
		if last, err = r.Content(webtest.Tonight, s, webtest.ShowTime, last); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
}
