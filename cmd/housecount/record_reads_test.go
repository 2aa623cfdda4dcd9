package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// longSeason returns two performances of tonight with n paid tickets each, and one that is over with many more.
func longSeason(old, n int) []record.Record {
	all := []record.Record{foldtest.Tonight("past", "Main", "06 19:00", "06 20:00", "06 22:00"),
		foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00"), foldtest.Tonight("b", "Small", "19:30", "20:30", "22:30")}
	for _, of := range []struct {
		event string
		n     int
	}{{"past", old}, {"a", n}, {"b", n}} {
		for i := range of.n {
			id := fmt.Sprintf("%s%03d", of.event, i)
			all = append(all, foldtest.Ticket("t"+id, of.event, func(t *record.Ticket) { t.OrderID, t.SoldAt = id, foldtest.Clock("05 10:00") }),
				foldtest.Payment("p"+id, 2000, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = id, of.event, foldtest.Clock("05 10:00") }))
		}
	}
	return all
}

// ofAll reports whether a request asks for a list as a whole, and not for what changed or for one performance.
func ofAll(r *http.Request) bool {
	q := r.URL.Query()
	return q.Get("event_id") == "" && q.Get("updated_since") == ""
}

// What is sold and what is received tonight is there while the other pages of a long list are still to come.
func TestTonightIsReadFirst(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("18:00"), longSeason(300, 60)...)
	slow := make(chan struct{})
	h.answering = func(_ http.ResponseWriter, r *http.Request, list string) bool {
		if (list == "tickets" || list == "payments") && ofAll(r) && pageOf(r.URL) > 2 { // two are asked for to see how the list is cut
			select {
			case <-slow:
			case <-r.Context().Done():
			}
		}
		return false
	}
	h.start("--page-size", "40")
	h.house().until("tonight's payments", func(s *figures.Snapshot) bool {
		e := s.Event("b")
		return e != nil && e.Sold.Value == 60 && e.Revenue.Of(figures.Received).Value.In("EUR") == 120000
	})
	for _, event := range []string{"a", "b"} {
		for key, want := range map[string]string{"sold": "lower_bound 60", "received": "lower_bound 1200.00"} {
			if got := h.figure(event, key); got != want {
				t.Errorf("%s of %s is %q while the rest is read, want %q", key, event, got, want)
			}
		}
	}
	partly := []string{"reading tickets, 80 of 420; history is incomplete", "reading payments, 80 of 420; history is incomplete"}
	page := h.page("/tonight")
	for end := time.Now().Add(patience); time.Now().Before(end) && (!strings.Contains(page, partly[0]) || !strings.Contains(page, partly[1])); page = h.page("/tonight") {
		time.Sleep(recordPoll / 4) // the rest of one list may have been begun a moment later than that of the other
	}
	wants(t, "tonight", page, partly...)
	close(slow)
	h.house().awaitFirstSync()
	h.polled()
	for key, want := range map[string]string{"sold": "exact 60", "received": "exact 1200.00"} {
		if got := h.figure("a", key); got != want {
			t.Errorf("%s of a is %q in the end, want %q", key, got, want)
		}
	}
	if got := h.figure("past", "received"); got != "exact 6000.00" {
		t.Errorf("received of what is over is %q", got)
	}
}

// A service that cannot be asked for one performance has its lists of tickets and payments read beside each other: the third
// page of either, and each after it, is answered once the other list was asked for the page two before it.
func TestListsTakeTurns(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("18:00"), longSeason(500, 60)...)
	h.ignores = true
	other, pages := map[string]string{"tickets": "payments", "payments": "tickets"}, map[string]int{}
	h.answering = func(_ http.ResponseWriter, r *http.Request, list string) bool {
		if other[list] == "" || !ofAll(r) {
			return false
		}
		asked := func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			pages[list] = max(pages[list], pageOf(r.URL))
			return pages[other[list]] >= pageOf(r.URL)-2
		}
		for !asked() {
			if r.Context().Err() != nil { // it is given up
				t.Errorf("page %d of %s waited for %s", pageOf(r.URL), list, other[list])
				break
			}
			time.Sleep(time.Millisecond)
		}
		return false
	}
	h.read("--page-size", "40")
	if got := h.figure("b", "received"); got != "exact 1200.00" {
		t.Errorf("received %q", got)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if pages["tickets"] < 15 || pages["payments"] < 15 {
		t.Errorf("%v pages were read", pages)
	}
}

// Another housecount on the database goes on in the middle of tonight's: no page that was stored is asked for again. A page is
// stored when the next one comes.
func TestTonightGoesOnAfterARestart(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("18:00"), longSeason(200, 100)...)
	gone := make(chan struct{})
	h.answering = func(_ http.ResponseWriter, r *http.Request, list string) bool {
		if q := r.URL.Query(); list == "tickets" && q.Get("event_id") == "b" && q.Get("page") == "3" {
			select {
			case <-gone:
			case <-r.Context().Done():
			}
		}
		return false
	}
	h.start("--page-size", "40")
	h.house().until("the first page of b", func(s *figures.Snapshot) bool { return s.Event("b") != nil && s.Event("b").Sold.Value == 40 })
	h.served.stop()
	close(gone)
	before := len(h.requests("tickets"))
	h.read("--page-size", "40")
	var asked []string
	for _, u := range h.requests("tickets")[before:] {
		asked = append(asked, fmt.Sprintf("%s %d", u.Query().Get("event_id"), pageOf(&u)))
	}
	if want := []string{"b 2", "b 3"}; !slices.Equal(asked[:2], want) {
		t.Errorf("asked %q, want to begin with %q", asked, want)
	}
	if got := h.figure("b", "sold") + ", " + h.figure("a", "received"); got != "exact 100, exact 2000.00" {
		t.Errorf("in the end: %s", got)
	}
}
