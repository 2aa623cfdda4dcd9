package main

import (
	"regexp"
	"slices"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Where a service reports no scans, no page has arrivals or a number of those who came or stayed away.
func TestServiceWithoutScans(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("19:40"), foldtest.Together(
		[]record.Record{foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00")}, foldtest.Many(50, "p", "play"))...)
	h.read()
	for _, clock := range []string{"19:40", "20:30", "22:10", "21 09:00"} {
		h.at(foldtest.Clock(clock))
		for _, path := range []string{"/tonight", "/events/play", "/events/play?part=all", "/events?status=over", "/night?day=2026-11-20", "/calendar"} {
			if path[:6] == "/night" && clock[:2] != "21" {
				continue
			}
			lacks(t, clock+" "+path, h.page(path), "part=arrivals", "SalesArrivals", "0 came", "Came 0", "came 0", " 0.0%", " 0 visitors", "No-show 0", " 0 of 50")
		}
	}
}

// Payments of which nobody knows the performance are said in one way, with their number, and lead to their list.
func TestPaymentsWithoutAPerformance(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("18:00"), foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00"), foldtest.Ticket("t", "play"),
		foldtest.Payment("p1", 1000), foldtest.Payment("p2", 500), foldtest.Payment("p3", 250, func(p *record.Payment) { p.EventID = "elsewhere" }))
	h.read()
	found := evening.At(h.served.figures.Snapshot(), h.Now()).Found(h.Now())
	if _, err := h.served.records.Enter(t.Context(), h.Now(), found...); err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	h.polled()
	wants(t, "Tonight", h.page("/tonight"), "Payments without a performance: 3.")
	_, _, tonight := h.staff.send("GET", h.front.URL+"/tonight", nil)
	bold := regexp.MustCompile(`<b>[^<]*</b>`).FindAllString(tonight, -1) // which stands alone where the line is folded
	if !slices.Contains(bold, "<b>Payments without a performance: 3</b>") {
		t.Errorf("Tonight's lines begin with %q", bold)
	}
	wants(t, "Reconciliation", h.page("/reconcile"), "Payments without a performance Each payment", "Without a performance 2 payments, €15.00 net", "1 payment, €2.50 net")
	wants(t, "Revenue", h.page("/revenue?period=today"), "Without a performance", "€17.50")
	_, _, body := h.staff.send("GET", h.front.URL+"/revenue?period=today", nil)
	wants(t, "Revenue", body, `<a href="/reconcile#check-payments"><bdi>Without a performance</bdi></a>`)
}
