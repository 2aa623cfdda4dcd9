package event_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Where many are usually outside at curtain, "Start on time" stands beside how many will be and are usually, on Tonight as on the page.
func TestOnTimeSaysWhoIsOutsideAsUsual(t *testing.T) {
	r, h, at := webtest.Renderer(t), webtest.NewHouse(), webtest.At("20:09")
	h.Health, h.AsOf = webtest.Healthy(at), at
	come := func(curtain time.Time, early int, until time.Duration) []webtest.GateIn {
		in := []webtest.GateIn{{Gate: "A", N: 120, From: curtain.Add(-40 * time.Minute), To: curtain.Add(-20 * time.Minute)}, {Gate: "A", N: early, From: curtain.Add(-20 * time.Minute), To: curtain.Add(-6 * time.Minute)}}
		if until > 0 {
			in = append(in, webtest.GateIn{Gate: "A", N: 40, From: curtain.Add(-6 * time.Minute), To: curtain.Add(until)})
		}
		return in
	}
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 400, Scans: true, In: come(past.StartsAt, 140, 10*time.Minute)})
	}
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true, In: come(e.StartsAt, 165, 0)})
	s := h.Snapshot()
	v := evening.At(s, at).Show(s.Event("evt_a")).Verdict
	if v.Call != arriving.OnTime || v.Outside.Value < 20 || v.Usual < 20 {
		t.Fatalf("the verdict is %+v", v)
	}
	figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
	webtest.Wants(t, "its page", figs, fmt.Sprintf("Start on time ≈ %d latecomers, usually %d", v.Outside.Value, v.Usual))
	row := webtest.Text(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML, "shows-"), " "))
	webtest.Wants(t, "Tonight", row, fmt.Sprintf("latecomers, usually %d", v.Usual))
	// Their band is one tap away, from either.
	for name, html := range map[string]string{"its page": webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"], "Tonight": webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at))} {
		webtest.Wants(t, name, html, "/explain/outside?event=evt_a")
	}
	q, err := webtest.ExplainRequest(t, "/explain/outside?event=evt_a", web.Door)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Wants(t, "the explanation", webtest.Text(webtest.Page(t, r, q, s, at)), fmt.Sprintf("in eight of ten cases %d to %d", v.Band.Low, v.Band.High))
	// After the curtain it is how many of those who are not in still come, as long as a start would be held; so it is beside those to come elsewhere.
	h.Sell(h.Event("evt_b", "Nora", "Foyer", "20:00", "21:00", 90), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "F", N: 3, From: webtest.At("20:05"), To: webtest.At("20:08")}}})
	// Where it is about 0 nobody is told so: some may come, and it is said how many.
	for clock, many := range map[string]bool{"20:17": true, "20:27": false, "20:28": false} {
		at := webtest.At(clock)
		h.Health, h.AsOf = webtest.Healthy(at), at
		s := h.Snapshot()
		v := evening.At(s, at).Show(s.Event("evt_a")).Verdict
		figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
		row := webtest.FigureText(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML, "shows-"), " "))
		for place, text := range map[string]string{"its page": figs, "Tonight": row} {
			says := fmt.Sprintf("≈ 0–%d will still come", v.Band.High)
			if many {
				says = fmt.Sprintf("≈ %d will still come, ≈ %d will not", v.Outside.Value, 115-v.Outside.Value)
			}
			webtest.Wants(t, place+" at "+clock, text, says)
			if webtest.Wants(t, place, strings.ToLower(text), "not in"); (v.Outside.Value >= 10) != many || v.Band.High == 0 || !many && v.Outside.Value > 0 {
				t.Errorf("%s at %s: %+v %+v still come: %s", place, clock, v.Outside, v.Band, text)
			}
		}
		beside := fmt.Sprintf("115 not in where it has begun, ≈ 0–%d will still come", v.Band.High)
		if many {
			beside = fmt.Sprintf("≈ %d latecomers where it has begun, ≈ %d will not", v.Outside.Value, 115-v.Outside.Value)
		}
		for page, part := range map[string]string{"tonight": "figs", "wall": "wall-main"} {
			html := webtest.Content(t, r, webtest.View{Page: page}.As(web.Door), s, at).HTML[part]
			webtest.Wants(t, page+" at "+clock, strings.ToLower(webtest.FigureText(html)), "152", "not in")
			if page == "tonight" {
				webtest.Wants(t, page+" at "+clock, strings.ToLower(webtest.FigureText(html)), "37 at open doors", beside)
			} else { // one short line
				webtest.Lacks(t, page+" at "+clock, strings.ToLower(webtest.FigureText(html)), "open doors", "has begun", "still come")
			}
			if page == "tonight" && many {
				webtest.Wants(t, "what they are", html, `href="/explain/outside?event=evt_a"`)
			}
		}
	}
}

// While some are forecast to come to what has begun it is said how many, one or more, and then how many are not in.
func TestLatecomersEnd(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	come := func(curtain time.Time) []webtest.GateIn {
		return []webtest.GateIn{{Gate: "A", N: 285, From: curtain.Add(-40 * time.Minute), To: curtain.Add(-6 * time.Minute)}, {Gate: "A", N: 40, From: curtain.Add(-6 * time.Minute), To: curtain.Add(8 * time.Minute)}}
	}
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 400, Scans: true, In: come(past.StartsAt)})
	}
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true, In: come(e.StartsAt)})
	h.Sell(h.Event("evt_b", "Nora", "Foyer", "20:00", "21:00", 90), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "F", N: 3, From: webtest.At("20:05"), To: webtest.At("20:08")}}})
	some, none := 0, 0
	for at := webtest.At("20:17"); at.Before(webtest.At("20:27")); at = at.Add(time.Minute) {
		h.Health, h.AsOf = webtest.Healthy(at), at
		s := h.Snapshot()
		text := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML["figs"])
		switch n := evening.At(s, at).House.WillCome; {
		case !n.Known():
			t.Errorf("%s: no forecast", at.Format("15:04"))
		case n.Value == 0:
			none++
			webtest.Wants(t, at.Format("15:04"), text, "75 not in where it has begun")
		case n.Value == 1:
			webtest.Wants(t, at.Format("15:04"), text, "≈ 1 latecomer where it has begun")
		default:
			some++
			webtest.Wants(t, at.Format("15:04"), text, fmt.Sprintf("≈ %d latecomers where it has begun", n.Value))
		}
	}
	if some == 0 || none == 0 {
		t.Errorf("some come in %d minutes, nobody in %d", some, none)
	}
	// Where nobody is to come elsewhere, it stands under who is not in.
	h.Apply(&record.Event{ID: "evt_b", Title: "Nora", Status: record.EventCancelled, Date: "2026-11-20", UpdatedAt: webtest.ShowTime})
	at := webtest.At("20:17")
	h.Health, h.AsOf = webtest.Healthy(at), at
	s := h.Snapshot()
	texts := func() map[string]string {
		return map[string]string{"tonight": webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML["figs"]), "wall": webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), s, at).HTML["wall-main"])}
	}
	n := evening.At(s, at).House.WillCome.Value
	for page, text := range texts() {
		webtest.Wants(t, page+", all have begun", text, fmt.Sprintf("≈ %d will still come, ≈ %d will not", n, evening.At(s, at).House.Latecomers.Value-n))
	}
	// In every minute until nobody is awaited they are all who are not in, also when no start would be held any more; then they did not come.
	for at = webtest.At("20:15"); at.Before(webtest.At("20:55")); at = at.Add(time.Minute) {
		h.Health, h.AsOf = webtest.Healthy(at), at
		s = h.Snapshot()
		v := evening.At(s, at)
		if show := v.Show(s.Event("evt_a")); !v.House.WillCome.Known() && !show.LateOver || v.House.Latecomers.Value+v.House.Away.Value != show.Still.Value || v.House.WillCome.Value+v.House.WillNot().Value != v.House.Latecomers.Value {
			t.Errorf("%s: %+v %v; %+v will come, %+v will not, %+v are late, %+v did not come", at.Format("15:04"), show.Verdict, show.Phase, v.House.WillCome, v.House.WillNot(), v.House.Latecomers, v.House.Away)
		}
	}
	for page, text := range texts() {
		webtest.Wants(t, page+", nobody is awaited", text, "75 did not come")
		webtest.Lacks(t, page+", nobody is awaited", text, "not in", "will")
	}
}

// Who was scanned before the doors, as in a test of the scanners, stands on Tonight as in what is explained, and is not in the building.
func TestScannedBeforeTheDoors(t *testing.T) {
	r, h, at := webtest.Renderer(t), webtest.NewHouse(), webtest.At("18:30")
	h.Health, h.AsOf = webtest.Healthy(at), at
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.Sell(e, webtest.Sale{From: at.AddDate(0, 0, -4), To: at.Add(-time.Hour), Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 2, From: webtest.At("18:10"), To: webtest.At("18:20")}}})
	s := h.Snapshot()
	tonight := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), s, at).HTML
	row := webtest.Text(strings.Join(webtest.FragmentsOf(tonight, "shows-"), " "))
	webtest.Wants(t, "Tonight", row, "2 scanned before doors")
	v := evening.At(s, at)
	if show := v.Show(s.Event("evt_a")); show.Attendance.Value != 2 || show.HasPeople() || v.House.Inside.Value != 0 {
		t.Errorf("%d came, %d are in the building", show.Attendance.Value, v.House.Inside.Value)
	}
}
