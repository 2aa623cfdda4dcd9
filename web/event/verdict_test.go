package event_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/webtest"
)

// Where many are usually outside at curtain, "On time" stands beside how many will be and are usually, on Tonight as on the page.
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
	if v.Call != evening.OnTime || v.Outside.Value < 20 || v.Usual < 20 {
		t.Fatalf("the verdict is %+v", v)
	}
	figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
	webtest.Wants(t, "its page", figs, fmt.Sprintf("On time ≈ %d (%d–%d) late, usually %d", v.Outside.Value, v.Band.Low, v.Band.High, v.Usual))
	row := webtest.Text(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML, "shows-"), " "))
	webtest.Wants(t, "Tonight", row, fmt.Sprintf("(%d–%d) late, usually %d", v.Band.Low, v.Band.High, v.Usual))
	// After the curtain it is how many of those who are not in still come, as long as a start would be held; so it is beside those to come elsewhere.
	h.Sell(h.Event("evt_b", "Nora", "Foyer", "20:00", "21:00", 90), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "F", N: 3, From: webtest.At("20:05"), To: webtest.At("20:08")}}})
	for clock, says := range map[string]bool{"20:17": true, "20:27": false, "20:28": false} {
		at := webtest.At(clock)
		h.Health, h.AsOf = webtest.Healthy(at), at
		s := h.Snapshot()
		v := evening.At(s, at).Show(s.Event("evt_a")).Verdict
		figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
		row := webtest.FigureText(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML, "shows-"), " "))
		for place, text := range map[string]string{"its page": figs, "Tonight": row} {
			webtest.Wants(t, place, strings.ToLower(text), "not in")
			if said := strings.Contains(text, fmt.Sprintf("≈ %d (%d–%d) will still come", v.Outside.Value, v.Band.Low, v.Band.High)); said != says || says && v.Outside.Value < 10 {
				t.Errorf("%s at %s: how many still come is said %v of %+v: %s", place, clock, said, v.Outside, text)
			}
		}
		beside := " not in where it has begun"
		if says {
			beside = fmt.Sprintf("≈ %d latecomers where it has begun", v.Outside.Value)
		}
		for page, part := range map[string]string{"tonight": "figs", "wall": "wall-main"} {
			webtest.Wants(t, page+" at "+clock, webtest.FigureText(webtest.Content(t, r, webtest.View{Page: page}.As(web.Door), s, at).HTML[part]), "37 ", beside)
		}
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
