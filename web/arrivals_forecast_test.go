package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
)

// rushed is a house at a moment, with past evenings to which a hundred came, seventy of them in the last twenty
// minutes before curtain, and one tonight to which 500 are to come.
func rushed(t testing.TB, now time.Time) *figures.Snapshot {
	t.Helper()
	h := newHouse()
	h.health, h.asOf = healthy(now), now
	for i := range 6 {
		past := h.event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, onDay(-1-i))
		h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 100, scans: true,
			in: []gateIn{{"A", 20, past.StartsAt.Add(-40 * time.Minute), past.StartsAt.Add(-25 * time.Minute)}, {"A", 70, past.StartsAt.Add(-20 * time.Minute), past.StartsAt}}})
	}
	play := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.sell(play, sale{from: showTime.AddDate(0, 0, -4), to: showTime.Add(-time.Hour), paid: 500, scans: true,
		in: []gateIn{{"A", 100, at("19:35"), at("19:50")}, {"A", 12, at("19:50"), at("19:53")}}})
	return h.snapshot()
}

// What is forecast of the arrivals stands on the performance's page, and in a few words on Tonight; and
// where it comes from is explained.
func TestArrivalsForecast(t *testing.T) {
	r := renderer(t)
	explained := func(s *figures.Snapshot, now time.Time, k figures.Key, gate string) string {
		q, err := explainRequest(t, "/explain/"+string(k)+"?event=evt_a"+gate, web.Door)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(page(t, r, q, s, now), `<article id="explanation"`)
		return text(body)
	}
	early, late := at("19:54"), at("20:12")
	s := rushed(t, early)
	c := content(t, r, eventView("evt_a").as(web.Door), s, early)
	wants(t, "gates", text(c.HTML["gates"]), "Gate A: ≈ 142", "waiting around 20:08 if it lets in 7 a minute, the most that it has shown.")
	wants(t, "arrived", text(c.HTML["arrived"]), "22.4% of those expected have come; usual by now is 20.0%, on eight of ten of 6 comparable performances. The last one comes about 20:14.",
		"this was 1 minute off on average")
	if lines := strings.Count(string(c.Charts["chart-arrived"]), `"type":"line"`); lines < 4 {
		t.Errorf("%d lines beside each other", lines)
	}
	row := text(strings.Join(fragmentsOf(content(t, r, view{page: "tonight"}.as(web.Door), s, early).HTML, "shows-"), " "))
	wants(t, "row", row, "Gate A: about 142 waiting at 20:08")
	wants(t, "queue", explained(s, early, figures.KeyWaiting, "&gate=A"), "≈ 142", "Forecast from 6 comparable performances, scaled", "The gate lets in 34 in five minutes at its best")
	wants(t, "coming", explained(s, early, figures.KeyComing, "&gate=A"), "≈ 230", "Forecast from 6 comparable performances")
	s = rushed(t, late)
	c = content(t, r, eventView("evt_a").as(web.Door), s, late)
	reckoned := "outside at 20:15: of 500 expected 112 have come, 0 a minute in the last ten; 10.0% usually stay away, on 6 comparable performances. A hold is advised from 15 on."
	wants(t, "gates", text(c.HTML["gates"]), reckoned)
	wants(t, "verdict", explained(s, late, figures.KeyOutside, ""), reckoned)
	after := at("20:17")
	s = rushed(t, after)
	c = content(t, r, eventView("evt_a").as(web.Door), s, after)
	wants(t, "gates after the curtain", text(c.HTML["gates"]), "of 500 expected 112 have come")
	lacks(t, "gates after the curtain", text(c.HTML["gates"]), "A hold is advised")
	if q, err := explainRequest(t, "/explain/waiting?event=evt_a&gate=Z", web.Door); err != nil {
		t.Fatal(err)
	} else if err := r.Page(new(strings.Builder), web.Frame{Request: q, Snapshot: s, Now: late, Ready: true}); err == nil {
		t.Error("a gate that there is not is explained")
	}
}

// fragmentsOf are those whose names begin so.
func fragmentsOf(all map[string]string, prefix string) (of []string) {
	for name, html := range all {
		if strings.HasPrefix(name, prefix) {
			of = append(of, html)
		}
	}
	return of
}
