package web_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Whatever changes of past performances, an open page that is rendered shows what a new one does. It is woken at once if that is
// something else and the past one's people are in the house before the change or after it.
func TestPagesAfterChangesOfThePast(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h, past := longRun()
	start := webtest.ShowTime.AddDate(0, 0, -3)
	festival := h.Event("evt_festival", "Festival", "Zaal 0", "19:15", "20:15", 500, func(e *record.Event) {
		e.DoorsAt, e.StartsAt, e.EndsAt = start, start.Add(time.Hour), webtest.ShowTime.Add(-2*time.Minute)
		e.Date = start.Format(time.DateOnly)
	})
	h.Sell(festival, webtest.Sale{From: start.AddDate(0, 0, -30), To: start.AddDate(0, 0, -1), Paid: 60, Scans: true,
		In: []webtest.GateIn{{Gate: "0", N: 30, From: festival.StartsAt, To: webtest.ShowTime.Add(-time.Hour)}}})
	later := webtest.ShowTime.Add(40 * time.Minute)
	h.AsOf, h.Health = later, webtest.Healthy(later)
	r := webtest.Renderer(t)
	for n := range 18 {
		before, now := h.Snapshot(), []time.Time{webtest.ShowTime, later}[n%2]
		e := *past[len(past)-1-random.IntN(60)]
		e.UpdatedAt = webtest.ShowTime.Add(time.Duration(n) * time.Millisecond)
		what := changePast(h, &e, random)
		s := h.Snapshot()
		subjects, fresh := web.Wakes(figures.Changes{Events: []string{e.ID}}, before, s, now), webtest.Renderer(t)
		people := func(s *figures.Snapshot) bool { return evening.At(s, now).Show(s.Event(e.ID)).HasPeople() }
		inside := people(before) || people(s)
		for _, id := range []string{"evt_festival", "evt_180", "evt_181", "evt_182", "evt_199", "evt_201"} {
			q := webtest.EventView(id).As(web.Manager)
			switch n % 3 {
			case 1:
				q.Access, q.Locale = web.Access{Money: web.AllMoney, Findings: true}.InHalls("Zaal 0", "Zaal 1", "Zaal 2"), "nl"
			case 2:
				q.Access = web.BoxOffice.Access()
			}
			last := webtest.Content(t, r, q, before, now)
			want, wakes := webtest.Content(t, fresh, q, s, now), webtest.Wakes(q, subjects)
			got, err := r.Content(q, s, now, last)
			if err != nil {
				t.Fatal(err)
			}
			if got.Token() != want.Token() {
				t.Errorf("after %s of %s, %s shows\n%s\nwant\n%s", what, e.ID, id, webtest.Text(webtest.All(t, got)), webtest.Text(webtest.All(t, want)))
			}
			if want.Token() != last.Token() && inside && !wakes {
				t.Errorf("after %s of %s, %s is not woken", what, e.ID, id)
			}
		}
	}
}

// changePast changes a past performance in one of many ways, and returns which.
func changePast(h *webtest.House, e *record.Event, random *rand.Rand) (what string) {
	sold := e.StartsAt.AddDate(0, 0, -2)
	switch random.IntN(8) {
	case 0:
		what, e.Status = "the cancellation", record.EventCancelled
	case 1:
		what, e.Hall = "the hall", fmt.Sprint("Zaal ", random.IntN(3))
	case 2:
		what, e.Title = "the title", fmt.Sprint("Reprise ", random.IntN(20))
	case 3:
		what, e.Capacity = "the capacity", new(50+random.IntN(500))
	case 4:
		what, e.EndsAt = "the end", e.EndsAt.Add(26*time.Hour)
	case 5:
		what, e.DoorsAt, e.StartsAt, e.EndsAt = "the date", e.DoorsAt.AddDate(0, 0, 200), e.StartsAt.AddDate(0, 0, 200), e.EndsAt.AddDate(0, 0, 200)
		e.Date = e.StartsAt.Format(time.DateOnly)
	case 6:
		h.Sell(e, webtest.Sale{From: sold, To: sold.AddDate(0, 0, 1), Paid: 5, Scans: true, In: []webtest.GateIn{{Gate: "9", N: 5, From: e.DoorsAt, To: e.StartsAt.Add(20 * time.Minute)}}})
		return "late entries"
	case 7:
		for range 40 {
			at := e.EndsAt.Add(time.Duration(random.IntN(30)) * time.Minute)
			h.Apply(leaver(h, e, at))
		}
		return "late exits"
	}
	h.Apply(e)
	return what
}

// leaver returns a ticket of a performance whose holder came with the doors and left at a time.
func leaver(h *webtest.House, e *record.Event, at time.Time) *record.Ticket {
	sold := e.StartsAt.AddDate(0, 0, -5)
	return &record.Ticket{ID: h.ID("tkt"), EventID: e.ID, OrderID: h.ID("ord"), Type: record.TypeRef{ID: "x", Name: "x"}, Price: &record.Money{Amount: 100, Currency: "EUR"}, Status: record.TicketValid,
		CreatedAt: sold, SoldAt: sold, UpdatedAt: at, Scans: []record.Scan{{At: e.DoorsAt, Gate: "0", Direction: record.Entry}, {At: at, Gate: "0", Direction: record.Exit}}}
}
