package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
)

// A member of staff says that an alert has been seen; nobody else does, and nothing else is.
func TestSeen(t *testing.T) {
	h := newHouse(t, nil)
	l := figures.NewLedger(figures.Calendar{})
	for i, id := range []string{"o:ff", "later"} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: &record.Event{ID: id, Title: id, Date: "2026-11-21", Status: record.EventCancelled}})
	}
	of := l.Snapshot(figures.Position{}, figures.Coverage{})
	read := func() *figures.Snapshot { return of }
	h.snapshot.Store(&read)
	door := h.loggedIn(t, web.Door)
	for _, c := range []struct {
		name         string
		browser      *browser
		alert, event string
		from, to     string
		seen         []string
	}{
		{"nobody", h.browser(t), "cancelled:o:ff", "o:ff", "/tonight", "/login?return=%2Ftonight", nil},
		{"door", door, "cancelled:o:ff", "o:ff", "/events/o:ff", "/events/o:ff", []string{"cancelled:o:ff by Name of the door"}},
		{"an alert that has passed", door, "oversold:off", "o:ff", "/tonight", "/tonight", nil},
		{"another performance's", door, "cancelled:o:ff", "later", "/tonight", "/tonight", nil},
		{"no such performance", door, "cancelled:o:ff", "none", "/tonight", "/tonight", nil},
		{"nothing", door, "", "", "", "/tonight", nil},
	} {
		h.acknowledged = nil
		body := strings.NewReader(url.Values{"alert": {url.QueryEscape(c.alert)}, "event": {url.QueryEscape(c.event)}}.Encode())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+web.SeenPath, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", h.URL+c.from)
		p := c.browser.stay().send(r)
		if to := p.header.Get("Location"); p.status != http.StatusSeeOther || to != c.to {
			t.Errorf("%s: %d to %s, want %s", c.name, p.status, to, c.to)
		}
		if !slices.Equal(h.acknowledged, c.seen) {
			t.Errorf("%s: seen %v, want %v", c.name, h.acknowledged, c.seen)
		}
	}
	if p := door.do("POST", web.SeenPath, http.Header{"Origin": {"https://elsewhere.example"}, "Sec-Fetch-Site": {"cross-site"}}); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
}
