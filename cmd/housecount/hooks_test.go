package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
)

// TestWebhookBringsASale sells while polls are an hour apart: only the service's message can bring the sale.
func TestWebhookBringsASale(t *testing.T) {
	t.Parallel()
	h := startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t).Add(-8 * time.Hour), Past: 8, Coming: 8}) // before the doors
	const secret = "0123456789abcdef0123456789abcdef"
	h.demo.settings.HookSecret = secret
	h.demo.settings.PollBusy, h.demo.settings.PollOnSale, h.demo.settings.PollIdle = time.Second, time.Hour, time.Hour
	h.restart()
	e := h.grote()
	before := e.Sold.Value
	h.control("sell", map[string]any{"event_id": e.Event.ID, "quantity": 2}, nil)
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
	began := time.Now()
	h.until("the sale is shown", func(s *figures.Snapshot) bool { return s.Event(e.Event.ID).Sold.Value == before+2 })
	t.Logf("shown %s after the message", time.Since(began).Round(time.Millisecond))
}
