package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/web/words"
)

// TestWebhookBringsASale sells while a poll comes once a minute: with the service's message a page that is open shows the
// sale within two seconds. The quickest of three counts, as the machine may be busy.
func TestWebhookBringsASale(t *testing.T) {
	t.Parallel()
	h := startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t).Add(-8 * time.Hour), Past: 8, Coming: 8}) // before the doors
	const secret = "0123456789abcdef0123456789abcdef"
	h.demo.settings.HookSecret = secret
	h.demo.settings.PollOnSale, h.demo.settings.PollIdle = time.Minute, time.Minute
	h.restart()
	e := h.grote()
	manager := (&front{Server: &httptest.Server{URL: h.url}}).visitor(t)
	manager.login()
	page := manager.watch("view=event&event=" + e.Event.ID)
	sold, quickest := e.Sold.Value, time.Hour
	for range 3 {
		h.control("sell", map[string]any{"event_id": e.Event.ID, "quantity": 2}, nil)
		began := time.Now()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/hooks/default/"+secret, strings.NewReader(`{"type":"order.created"}`))
		if err != nil {
			t.Fatal(err)
		}
		a, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != http.StatusNoContent {
			t.Fatal(a.Status)
		}
		sold += 2
		for !strings.Contains(page.shows.HTML["figs"], `/explain/sold?event=`+e.Event.ID+`">`+words.Of(words.English).Count(sold)+"</a>") {
			if err := page.next(); err != nil {
				t.Fatalf("the page of %d sold: %v", sold, err)
			}
		}
		quickest = min(quickest, time.Since(began))
	}
	if t.Logf("shown %s after the sale", quickest.Round(time.Millisecond)); quickest > 2*time.Second {
		t.Errorf("the quickest of three sales is on the page after %s", quickest)
	}
}
