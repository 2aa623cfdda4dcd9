package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

func TestHostileNames(t *testing.T) {
	r := webtest.Renderer(t)
	for _, name := range webtest.Hostile {
		h := webtest.NewHouse()
		id, hall := "evt_"+name, name
		if len(name) > 190 { // no page has so long an address
			id, hall = "evt_long", "Zaal"
		}
		e := h.Event(id, name, name, "19:30", "20:15", 40)
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 22, Scans: true, In: []webtest.GateIn{{Gate: name, N: 12, From: webtest.At("19:31"), To: webtest.At("19:46")}}})
		h.Apply(&record.Ticket{ID: "tkt_x", EventID: e.ID, Status: record.TicketValid, Type: record.TypeRef{ID: name, Name: name}, Channel: name,
			Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: webtest.ShowTime.Add(-time.Hour), UpdatedAt: webtest.ShowTime, Scans: []record.Scan{}})
		s := h.Snapshot()
		for _, v := range webtest.Views(t, e.ID, hall) {
			q := v.As(web.Admin)
			c, p := webtest.Content(t, r, q, s, webtest.ShowTime), webtest.Page(t, r, q, s, webtest.ShowTime)
			if got, want := strings.Count(p, "<script"), 1+strings.Count(p, `<script type="application/json" data-option-for="`); got != want {
				t.Errorf("%q in %s: %d scripts, want %d", name, v.Page, got, want)
			}
			for _, bad := range []string{"<img", "<script>alert", ` onerror=alert(1)>`, `href="javascript:`, "ZgotmplZ"} {
				if strings.Contains(p, bad) {
					t.Errorf("%q in %s: the page holds %q", name, v.Page, bad)
				}
			}
			for id, html := range c.HTML {
				if strings.Contains(html, `'`) {
					t.Errorf("%q in %s: %s holds a quote that could end an attribute", name, v.Page, id)
				}
			}
			for id, option := range c.Charts {
				if !json.Valid(option) || strings.ContainsAny(string(option), "<>&") {
					t.Errorf("%q: option of %s is not inert: %.200s", name, id, option)
				}
			}
			if strings.ContainsAny(name, "\u202e") {
				checkIsolated(t, p, name)
			}
		}
	}
}

// checkIsolated wants controls of direction only inside bdi elements, and in what is not shown.
func checkIsolated(t *testing.T, page, name string) {
	t.Helper()
	rest := page
	for {
		i := strings.Index(rest, "\u202e")
		if i < 0 {
			return
		}
		if !strings.HasSuffix(rest[:i], "<bdi>") && !strings.HasSuffix(rest[:i], "<bdi>Gate ") && !strings.HasSuffix(rest[:i], `<option value="`) {
			t.Errorf("%q is not isolated: …%s…", name, rest[max(0, i-60):i])
		}
		rest = rest[i+len("\u202e"):]
	}
}
