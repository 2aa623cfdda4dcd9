package web_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// longRun is a house of three halls, each with a past of 60 performances and ten to come; to every third past one nobody was
// scanned, and two titles come back.
func longRun() (h *webtest.House, past []*record.Event) {
	h = webtest.NewHouse()
	for i := range 210 {
		title, day := fmt.Sprint("Avond ", i), i/3-60
		if i%10 == 0 {
			title = fmt.Sprint("Reprise ", i%20)
		}
		e := h.Event(fmt.Sprintf("evt_%03d", i), title, fmt.Sprint("Zaal ", i%3), "19:15", "20:15", 200, webtest.OnDay(day))
		sale := webtest.Sale{From: e.StartsAt.AddDate(0, 0, -30), To: earlierOf(e.DoorsAt, webtest.ShowTime.Add(-time.Hour)), Paid: 8, Scans: true}
		if day < 0 && i%9 > 2 {
			sale.In = []webtest.GateIn{{Gate: fmt.Sprint(i % 2), N: 6, From: e.DoorsAt, To: e.StartsAt}}
		}
		h.Sell(e, sale)
		if day < 0 {
			past = append(past, e)
		}
	}
	return h, past
}

// A change of a past performance wakes no page of another one, however many are made from it: with the minute each shows what is
// rendered from nothing.
func TestPastWaitsForTheMinute(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h, past := longRun()
	r, fresh, now, others := webtest.Renderer(t), webtest.Renderer(t), webtest.ShowTime, 0
	for n := range 12 {
		before := h.Snapshot()
		e := *past[random.IntN(len(past)-3)] // yesterday's people may still be in the building
		switch n % 4 {
		case 0:
			e.Status = record.EventCancelled
		case 1:
			e.Hall = fmt.Sprint("Zaal ", random.IntN(3))
		case 2:
			e.Title = fmt.Sprint("Reprise ", random.IntN(20))
		}
		e.UpdatedAt = webtest.ShowTime.Add(time.Duration(n) * time.Millisecond)
		h.Apply(&e)
		h.Sell(&e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -2), To: e.StartsAt.AddDate(0, 0, -1), Paid: 1, Scans: true})
		s := h.Snapshot()
		subjects := web.Wakes(figures.Changes{Events: []string{e.ID}}, before, s, now)
		for _, f := range s.Events {
			q := webtest.EventView(f.Event.ID).As(web.Manager)
			if wakes := webtest.Wakes(q, subjects); wakes != (f.Event.ID == e.ID) {
				t.Errorf("a change of %s wakes %s: %t", e.ID, f.Event.ID, wakes)
			}
			if f.Date < "2026-11-20" && f.Event.ID != e.ID || random.IntN(4) > 0 {
				continue
			}
			got, err := r.Content(q, s, now.Add(time.Minute), webtest.Content(t, r, q, before, now))
			if want := webtest.Content(t, fresh, q, s, now.Add(time.Minute)); err != nil || got.Token() != want.Token() {
				t.Errorf("%s is not what is rendered from nothing (%v)", f.Event.ID, err)
			}
			others++
		}
	}
	if others < 10 {
		t.Errorf("%d pages were looked at", others)
	}
}

// A page that is rendered for another reason shows the past as it is: a change of it, and of what performances are compared by.
func TestPastAndItsRuleRenderAnew(t *testing.T) {
	h, past := longRun()
	r, fresh, q := webtest.Renderer(t), webtest.Renderer(t), webtest.EventView("evt_209").As(web.Manager)
	last := webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)
	for what, change := range map[string]func(){
		"a past performance": func() {
			h.Sell(past[len(past)-10], webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -70), To: webtest.ShowTime.AddDate(0, 0, -60), Paid: 60, Scans: true})
		},
		"the rule": func() {
			most := int64(figures.MostComparables)
			h.Apply(&record.Setting{Name: record.SettingComparableLeast, Value: &most, At: webtest.ShowTime.Add(-time.Hour)})
		},
	} {
		change()
		s := h.Snapshot()
		got, err := r.Content(q, s, webtest.ShowTime, last)
		want := webtest.Content(t, fresh, q, s, webtest.ShowTime)
		if err != nil || got.Token() != want.Token() {
			t.Errorf("after a change of %s the page is not what is rendered from nothing (%v)", what, err)
		}
		if want.Token() == last.Token() {
			t.Errorf("a change of %s changes nothing", what)
		}
		last = got
	}
}
