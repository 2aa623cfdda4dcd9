package handlers_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/web"
)

// A figure is explained as a page or as data, by what is asked for, to those who may see it.
func TestExplain(t *testing.T) {
	h := newHouse(t, nil)
	door, manager := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	data := http.Header{"Accept": {"application/json"}}
	p := manager.do("GET", "/explain/capacity?event="+eventID, data)
	var got struct {
		Figure, Name, Of, Text, Quality, Definition string
		Value, Position                             int
		Terms                                       []any
	}
	if err := json.Unmarshal([]byte(p.body), &got); err != nil || p.header.Get("Content-Type") != "application/json" || p.header.Get("Vary") != "Accept" {
		t.Fatalf("%v: %v %s", err, p.header, p.body)
	}
	if got.Figure != "capacity" || got.Name != "Capacity" || got.Of != "An evening" || got.Text != "100" || got.Quality != "exact" || got.Value != 100 || got.Position != 1 ||
		!strings.HasPrefix(got.Definition, "Places that can be sold.") {
		t.Errorf("as data: %s", p.body)
	}
	if p := manager.do("GET", "/explain/net?event="+eventID, data); !strings.Contains(p.body, `"value":null,"quality":"unknown","reasons":[{"code":"no_payments"`) ||
		!strings.Contains(p.body, `{"op":"+","figure":"received","name":"Received before refunds","text":"—","value":null}`) {
		t.Errorf("what is not known, as data: %s", p.body)
	}
	for _, c := range []struct {
		browser *browser
		path    string
		accept  string
		status  int
	}{
		{manager, "/explain/net?event=" + eventID, "text/html,application/json", http.StatusOK},
		{door, "/explain/sold", "", http.StatusOK},
		{door, "/explain/net?event=" + eventID, "", http.StatusForbidden},
		{door, "/explain/net?event=" + eventID, "application/json", http.StatusForbidden},
		{door, "/explain/booked?from=2026-11-15&to=2026-11-21", "application/json", http.StatusForbidden},
		{manager, "/explain/nothing", "", http.StatusNotFound},
		{manager, "/explain/net?event=none", "application/json", http.StatusNotFound},
		{manager, "/explain/net", "application/json", http.StatusNotFound}, // the evening has none
		{manager, "/explain/sold?of=everything", "", http.StatusBadRequest},
		{h.browser(t), "/explain/sold", "", http.StatusSeeOther},
	} {
		header := http.Header{}
		if c.accept != "" {
			header.Set("Accept", c.accept)
		}
		p := c.browser.stay().do("GET", c.path, header)
		if p.status != c.status || c.status == http.StatusOK && !strings.Contains(p.body, `<article id="explanation"`) || c.status != http.StatusOK && strings.Contains(p.body, "explanation") {
			t.Errorf("%s with %q: %d, want %d: %s", c.path, c.accept, p.status, c.status, p.body)
		}
	}
}

// Figures are exported to those who may see their page, and that is recorded.
func TestExportFigures(t *testing.T) {
	h := newHouse(t, nil)
	door, manager := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	event := "/events/" + eventID + web.ExportName
	for _, c := range []struct {
		browser *browser
		path    string
		status  int
		has     string
	}{
		{manager, "/revenue" + web.ExportName + "?period=week", http.StatusOK, "Booked (booked),"},
		{manager, event, http.StatusOK, ",capacity,Capacity,100,,,places,,exact,"},
		{door, event, http.StatusOK, ",capacity,"},
		{door, "/revenue" + web.ExportName, http.StatusForbidden, ""},
		{manager, "/revenue" + web.ExportName + "?period=ever", http.StatusBadRequest, ""},
		{manager, "/events/none" + web.ExportName, http.StatusNotFound, ""},
		{manager, "/tonight" + web.ExportName, http.StatusOK, ",booked,"},
		{door, "/tonight" + web.ExportName, http.StatusOK, ",sold,"},
		{manager, "/marketing" + web.ExportName + "?period=week", http.StatusOK, ",sold,"},
		{door, "/marketing" + web.ExportName, http.StatusForbidden, ""},
		{manager, "/events" + web.ExportName, http.StatusNotFound, ""},
		{h.browser(t), event, http.StatusSeeOther, ""},
	} {
		p := c.browser.stay().do("GET", c.path, nil)
		if p.status != c.status || !strings.Contains(p.body, c.has) || (p.header.Get("Content-Type") == "text/csv; charset=utf-8; header=present") != (c.status == http.StatusOK) ||
			strings.HasPrefix(p.header.Get("Content-Disposition"), `attachment; filename="housecount-`) != (c.status == http.StatusOK) {
			t.Errorf("%s: %d, want %d: %v %s", c.path, p.status, c.status, p.header, p.body)
		}
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: "figures_exported"}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, act := range acts {
		of[act.Object+" "+act.ObjectName[:min(len(act.ObjectName), len("housecount-revenue"))]]++
	}
	if want := map[string]int{" housecount-revenue": 1, " housecount-tonight": 2, " housecount-marketi": 1, eventID + " An evening": 2}; !maps.Equal(of, want) {
		t.Errorf("recorded %v, want %v", of, want)
	}
}
