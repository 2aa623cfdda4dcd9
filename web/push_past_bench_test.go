package web_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// BenchmarkPastSale is a sale of a past performance, of 600, while the pages of 200 to come are open: it is folded, and
// the pages that it wakes are rendered. pages are those that it wakes, and rendered those of them that show something else.
func BenchmarkPastSale(b *testing.B) {
	const pages, past = 200, 600
	r, h := webtest.Renderer(b), webtest.NewHouse()
	var over []*record.Event
	var open []web.Request
	for i := range past {
		e := h.Event(fmt.Sprintf("evt_old_%03d", i), fmt.Sprintf("Avond %03d", i), fmt.Sprint("Zaal ", i%5), "19:15", "20:15", 200, webtest.OnDay(-1-i/5))
		h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -30), To: e.DoorsAt, Paid: 10, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 8, From: e.DoorsAt, To: e.StartsAt}}})
		over = append(over, e)
	}
	for i := range pages {
		e := h.Event(fmt.Sprintf("evt_%03d", i), fmt.Sprintf("Concert %03d", i), fmt.Sprint("Zaal ", i%5), "19:15", "20:15", 200, webtest.OnDay(i/5))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.Add(-2 * time.Hour), Paid: 10, Scans: true})
		open = append(open, webtest.EventView(e.ID).As(web.Manager))
	}
	s := h.Snapshot()
	last, wakes := make([]live.Content, pages), map[string][]int{}
	for i, q := range open {
		last[i] = webtest.Content(b, r, q, s, webtest.ShowTime)
		for _, subject := range q.Wakes() {
			wakes[subject] = append(wakes[subject], i)
		}
	}
	next, woken, rendered := 0, 0, 0
	defer cpu(b)()
	for b.Loop() {
		e := over[next*7%past]
		next++
		h.Sell(e, webtest.Sale{From: e.StartsAt.Add(-time.Minute), To: e.StartsAt, Paid: 1, Scans: true})
		before := s
		s = h.Snapshot()
		due := map[int]bool{}
		for _, subject := range web.Wakes(figures.Changes{Events: []string{e.ID}}, before, s, webtest.ShowTime) {
			for _, i := range wakes[subject] {
				due[i] = true
			}
		}
		for i := range due {
			content, err := r.Content(open[i], s, webtest.ShowTime, last[i])
			if err != nil {
				b.Fatal(err)
			}
			if woken++; content.Token() != last[i].Token() {
				rendered++
			}
			last[i] = content
		}
	}
	b.ReportMetric(float64(woken)/float64(b.N), "pages")
	b.ReportMetric(float64(rendered)/float64(b.N), "rendered")
}
