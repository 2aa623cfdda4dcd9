package web_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
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

// Whatever changes of a past performance, each page that is made from it is woken, and most of the others are not.
func TestPastWakesWhatIsMadeFromIt(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h, past := longRun()
	before := h.Snapshot()
	now, woken, need, asked := webtest.ShowTime, 0, 0, 0
	for range 60 {
		e := *past[random.IntN(len(past))]
		switch random.IntN(5) {
		case 0:
			e.Status = record.EventCancelled
		case 1:
			e.Hall = fmt.Sprint("Zaal ", random.IntN(3))
		case 2:
			e.Title = fmt.Sprint("Reprise ", random.IntN(20))
		}
		e.UpdatedAt = webtest.ShowTime.Add(time.Duration(asked) * time.Millisecond)
		h.Apply(&e)
		h.Sell(&e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -2), To: e.StartsAt.AddDate(0, 0, -1), Paid: 1, Scans: true})
		s := h.Snapshot()
		was, is := evening.At(before, now), evening.At(s, now)
		subjects := web.Wakes(figures.Changes{Events: []string{e.ID}}, before, s, now)
		for _, f := range s.Events {
			a, b := was.PastOf(before.Event(f.Event.ID)), is.PastOf(f)
			wakes := webtest.Wakes(webtest.EventView(f.Event.ID).As(web.Manager), subjects)
			if !a.Equal(&b) {
				need++
				if !wakes {
					t.Errorf("a change of %s does not wake %s, which is made from it", e.ID, f.Event.ID)
				}
			}
			if asked++; wakes {
				woken++
			}
		}
		before = s
	}
	t.Logf("of %d pages %d are made from what changed, and %d are woken", asked, need, woken)
	if need == 0 || woken > asked/2 {
		t.Error("want some that are made from it, and most others left alone")
	}
}

// Many changes of the past at once wake all pages of performances, as nobody goes through them one by one.
func TestManyPastChangesWakeAll(t *testing.T) {
	h, past := longRun()
	s := h.Snapshot()
	var ids []string
	for _, e := range past {
		ids = append(ids, e.ID)
	}
	if q := webtest.EventView("evt_209").As(web.Manager); !webtest.Wakes(q, web.Wakes(figures.Changes{Events: ids}, s, s, webtest.ShowTime)) {
		t.Error("a page is not woken")
	}
}

// A sale of a past performance renders the pages that are made from it, as from nothing, and leaves the others alone.
func TestPastSaleRendersWhatIsMadeFromIt(t *testing.T) {
	h, past := longRun()
	r, before := webtest.Renderer(t), h.Snapshot()
	h.Sell(past[10], webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -70), To: webtest.ShowTime.AddDate(0, 0, -60), Paid: 1, Scans: true})
	s, fresh := h.Snapshot(), webtest.Renderer(t)
	var rendered []string
	for _, e := range s.Events {
		if e.Event.ID == past[10].ID {
			continue
		}
		q := webtest.EventView(e.Event.ID).As(web.Manager)
		last := webtest.Content(t, r, q, before, webtest.ShowTime)
		taken := last
		taken.HTML = map[string]string{}
		for id, html := range last.HTML {
			taken.HTML[id] = html + "<!-- taken over -->"
		}
		next, err := r.Content(q, s, webtest.ShowTime, taken)
		if err != nil {
			t.Fatal(err)
		}
		if next.HTML["head"] == last.HTML["head"] {
			rendered = append(rendered, e.Event.ID)
		}
		got, err := r.Content(q, s, webtest.ShowTime, last)
		if want := webtest.Content(t, fresh, q, s, webtest.ShowTime); err != nil || got.Token() != want.Token() {
			t.Errorf("%s is not what is rendered from nothing (%v)", e.Event.ID, err)
		}
	}
	if len(rendered) == 0 || len(rendered) > len(s.Events)/2 || slices.Contains(rendered, "evt_209") != mayUse(s, before, "evt_209") {
		t.Errorf("rendered anew: %v", rendered)
	}
}

// mayUse reports whether the past that a page is made from differs.
func mayUse(s, before *figures.Snapshot, id string) bool {
	a, b := evening.At(before, webtest.ShowTime).PastOf(before.Event(id)), evening.At(s, webtest.ShowTime).PastOf(s.Event(id))
	return !a.Equal(&b)
}
