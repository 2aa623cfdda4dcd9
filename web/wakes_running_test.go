package web_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Shortly after midnight people of last night's show are inside; those who may enter the next one depend on them.
func TestLastNightsPeopleWakeTheNext(t *testing.T) {
	now := webtest.At("00:30")
	h := webtest.NewHouse()
	h.AsOf, h.Health = now.Add(-3*time.Second), webtest.Healthy(now)
	most := int64(100)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &most, At: now.AddDate(0, 0, -9)})
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Club", Value: &most, At: now.AddDate(0, 0, -9)})
	x := h.Event("evt_x", "Laat", "Kelder", "22:00", "23:00", 200, webtest.OnDay(-1), func(e *record.Event) { e.EndsAt = webtest.At("03:00") })
	h.Sell(x, webtest.Sale{From: now.AddDate(0, 0, -9), To: now.AddDate(0, 0, -1), Paid: 70, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 60, From: now.Add(-2 * time.Hour), To: now.Add(-time.Hour)}}})
	y := h.Event("evt_y", "Nacht", "Club", "00:15", "00:45", 200)
	h.Sell(y, webtest.Sale{From: now.AddDate(0, 0, -9), To: now.AddDate(0, 0, -1), Paid: 80, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 12, From: now.Add(-10 * time.Minute), To: now.Add(-3 * time.Minute)}}})
	r, before := webtest.Renderer(t), h.Snapshot()
	q := webtest.EventView("evt_y").As(web.Manager)
	last := webtest.Content(t, r, q, before, now)
	h.Sell(x, webtest.Sale{From: now.AddDate(0, 0, -9), To: now.AddDate(0, 0, -1), Paid: 45, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 45, From: now.Add(-50 * time.Minute), To: now.Add(-20 * time.Minute)}}})
	s := h.Snapshot()
	got, err := r.Content(q, s, now, last)
	if err != nil {
		t.Fatal(err)
	}
	want := webtest.Content(t, webtest.Renderer(t), q, s, now)
	woken := webtest.Wakes(q, web.Wakes(figures.Changes{Events: []string{"evt_x"}}, before, s, now))
	if !woken {
		t.Error("the page is not woken")
	}
	for f := range want.HTML {
		if want.HTML[f] != got.HTML[f] {
			t.Errorf("stale %s:\n%s\nwant\n%s", f, webtest.Text(got.HTML[f]), webtest.Text(want.HTML[f]))
		}
	}
}

// A festival of several days is made from the last nights of the house, too.
func TestFestivalIsMadeFromPastNights(t *testing.T) {
	h := webtest.NewHouse()
	exits := func(e *record.Event, n int, after time.Duration) {
		for range n {
			h.Apply(leaver(h, e, e.EndsAt.Add(after)))
		}
	}
	var b []*record.Event
	for i := range 6 {
		e := h.Event(fmt.Sprint("evt_a", i), fmt.Sprint("A", i), "Park", "19:15", "20:15", 200, webtest.OnDay(-10-i))
		h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -30), To: e.DoorsAt, Paid: 60, Scans: true, In: []webtest.GateIn{{Gate: "0", N: 50, From: e.DoorsAt, To: e.StartsAt}}})
		f := h.Event(fmt.Sprint("evt_b", i), fmt.Sprint("B", i), "Zaal", "19:15", "20:15", 200, webtest.OnDay(-10-i))
		exits(f, 40, 3*time.Minute)
		b = append(b, f)
	}
	end := webtest.ShowTime.Add(-8 * time.Minute)
	fest := h.Event("evt_fest", "Festival", "Park", "19:15", "20:15", 500, func(e *record.Event) {
		e.StartsAt = webtest.ShowTime.AddDate(0, 0, -3)
		e.DoorsAt = e.StartsAt.Add(-time.Hour)
		e.EndsAt, e.Date = end, e.StartsAt.Format(time.DateOnly)
	})
	h.Sell(fest, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.AddDate(0, 0, -4), Paid: 200, Scans: true, In: []webtest.GateIn{{Gate: "0", N: 150, From: webtest.ShowTime.Add(-5 * time.Hour), To: webtest.ShowTime.Add(-3 * time.Hour)}}})
	r := webtest.Renderer(t)
	before := h.Snapshot()
	q := webtest.EventView("evt_fest").As(web.Manager)
	last := webtest.Content(t, r, q, before, webtest.ShowTime)
	changed := false
	for _, e := range b {
		was := h.Snapshot()
		exits(e, 60, 19*time.Minute) // late scans: they left later than was known
		s := h.Snapshot()
		want := webtest.Content(t, webtest.Renderer(t), q, s, webtest.ShowTime)
		got, err := r.Content(q, s, webtest.ShowTime, last)
		if err != nil {
			t.Fatal(err)
		}
		woken := webtest.Wakes(q, web.Wakes(figures.Changes{Events: []string{e.ID}}, was, s, webtest.ShowTime))
		if got.Token() != want.Token() || woken {
			t.Errorf("after late scans of %s: rendered right %t, woken before the minute %t", e.ID, got.Token() == want.Token(), woken)
		}
		changed = changed || want.Token() != last.Token()
		last = got
	}
	if !changed {
		t.Error("nothing changed")
	}
}
