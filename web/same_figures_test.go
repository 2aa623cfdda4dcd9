package web_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// hasNoAnswers is a filter of the pages that do not show when each list answered, which every poll changes.
func hasNoAnswers(p *web.Page) bool { return p.Name != "services" }

// topics returns all views of the house that have a strip and pass the filters, for the roles at both ends.
func topics(t testing.TB, filters ...func(*web.Page) bool) []web.Request {
	t.Helper()
	var all []web.Request
	for _, role := range []web.Role{web.Door, web.Admin} {
		for _, v := range append(webtest.Views(t, "evt_mat", "Grote Zaal", append(filters, webtest.HasStrip)...), webtest.EventView("evt_trio")) {
			if v.SeenBy(role) {
				all = append(all, v.As(role))
			}
		}
	}
	return all
}

// A poll that found nothing changes times alone: only the strip and the clock are rendered.
func TestQuietPollRendersOnlyTheStrip(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	evening := webtest.ShowTime.Add(30 * time.Second) // so that no minute turns
	h.Health, h.AsOf = webtest.Healthy(evening), evening
	first := h.Snapshot()
	for _, q := range topics(t, hasNoAnswers) {
		last := webtest.Content(t, r, q, first, evening)
		for id := range last.HTML {
			last.HTML[id] = "taken over"
		}
		quiet := *first
		quiet.Position.Streams++
		quiet.AsOf = evening.Add(2 * time.Second)
		quiet.Health = webtest.Healthy(evening.Add(5 * time.Second))
		next, err := r.Content(q, &quiet, evening.Add(5*time.Second), last)
		if err != nil {
			t.Fatal(err)
		}
		if len(next.HTML) != len(last.HTML) {
			t.Errorf("%s: %d fragments, then %d", q.Topic(), len(last.HTML), len(next.HTML))
		}
		for id, html := range next.HTML {
			if rendered := html != "taken over"; rendered != (id == "strip" || id == "clock") {
				t.Errorf("%s: fragment %s rendered: %v", q.Topic(), id, rendered)
			}
		}
	}
}

// What was rendered for one access is never taken over for another.
func TestLastOfAnotherAccess(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Busy(t).Snapshot()
	last := webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime)
	door := webtest.View{Page: "tonight"}.As(web.Door)
	got, err := r.Content(door, s, webtest.ShowTime, last)
	if err != nil || got.Token() != webtest.Content(t, r, door, s, webtest.ShowTime).Token() {
		t.Errorf("door is shown another content than alone (error %v)", err)
	}
}

// The same revision shows other figures once it is known that some records were refused.
func TestOtherFiguresAtOneRevision(t *testing.T) {
	r, first := webtest.Renderer(t), webtest.Busy(t).Snapshot()
	last := webtest.Content(t, r, webtest.Tonight, first, webtest.ShowTime)
	next := *first
	next.Position.Streams++
	next.Events = slices.Clone(first.Events)
	for i, e := range next.Events {
		if e.Event.ID == "evt_mat" {
			changed := *e
			changed.Sold.Quality, changed.Sold.Reasons = figures.LowerBound, []figures.Reason{figures.ReasonRefused}
			next.Events[i] = &changed
		}
	}
	got, err := r.Content(webtest.Tonight, &next, webtest.ShowTime, last)
	if err != nil {
		t.Fatal(err)
	}
	if want := webtest.Content(t, r, webtest.Tonight, &next, webtest.ShowTime); got.Token() != want.Token() || got.Token() == last.Token() {
		t.Error("the page shows the figures of before")
	}
}

// A sale for one performance leaves the page of another alone.
func TestAnotherEventsPageIsNotRendered(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	q := webtest.EventView("evt_mat").As(web.Manager)
	last := webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)
	maps.DeleteFunc(last.HTML, func(id, _ string) bool { return id != "strip" && id != "clock" })
	trio := h.Event("evt_trio", "Late Night Trio", "Foyer", "22:15", "23:00", 218, webtest.Available(8))
	h.Sell(trio, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	next, err := r.Content(q, h.Snapshot(), webtest.ShowTime.Add(time.Second), last)
	if err != nil || len(next.HTML) != 2 {
		t.Errorf("%d fragments (%v), want strip and clock alone", len(next.HTML), err)
	}
}

// A scan that came late for a past performance changes what is usual, and with it the verdict on
// another performance's page in the same minute.
func TestPastPerformancesRenewAnEventsPage(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	q := webtest.EventView("evt_mat").As(web.Manager)
	last := webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)
	past := h.Event("evt_past_9", "Vroeger", "Grote Zaal", "19:30", "20:15", 100, webtest.OnDay(-2))
	h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 10, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 4, From: past.DoorsAt, To: past.StartsAt}}})
	s := h.Snapshot()
	last.HTML["head"] = "taken over"
	next, err := r.Content(q, s, webtest.ShowTime.Add(time.Second), last)
	if err != nil || next.HTML["head"] != webtest.Content(t, r, q, s, webtest.ShowTime.Add(time.Second)).HTML["head"] {
		t.Errorf("the page is not rendered anew (%v)", err)
	}
}

// Whatever happens, content that takes over from the last is what is rendered from nothing.
func TestTakenOverContentIsTheWhole(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r, h := webtest.Renderer(t), webtest.Busy(t)
	last := make([]live.Content, len(topics(t)))
	now := webtest.ShowTime
	s := h.Snapshot()
	for step := range 40 {
		now = now.Add([]time.Duration{time.Second, time.Second, 20 * time.Second, 4 * time.Minute, time.Hour}[random.IntN(5)])
		what := random.IntN(10)
		switch what {
		case 0: // only time passes
		case 1, 2: // a poll that found nothing
			next := *s
			next.Position.Streams++
			next.AsOf, next.Health = now, webtest.Healthy(now)
			h.AsOf, h.Health, s = next.AsOf, next.Health, &next
		case 3: // a stream that fails
			h.Health.Streams = slices.Clone(h.Health.Streams)
			failing := &h.Health.Streams[random.IntN(len(h.Health.Streams))]
			failing.Missed += 2
			failing.Fault = []figures.Fault{figures.FaultSlow, figures.FaultNotOffered}[random.IntN(2)]
			s = h.Snapshot()
		case 4: // one that is read for the first time
			h.Health.Streams = slices.Clone(h.Health.Streams)
			h.Health.Streams[1].Complete = !h.Health.Streams[1].Complete
			h.Coverage.TicketsComplete = h.Health.Streams[1].Complete
			s = h.Snapshot()
		case 5: // an alarm
			next := *s
			next.Position.Streams++
			next.Diagnostics = append(slices.Clone(s.Diagnostics), figures.Diagnostic{Code: figures.CodeSweepGuard, Kind: record.KindTicket, Count: step})
			s = &next
		case 6: // what is missing becomes known, or the other way round
			if random.IntN(2) == 0 {
				h.Coverage.PaymentsComplete = !h.Coverage.PaymentsComplete
			} else { // payments of nobody knows which event are refused
				h.Coverage.RefusedPayments = map[string]int{"": step}
			}
			s = h.Snapshot()
		default: // sales
			id := []string{"evt_mat", "evt_trio"}[random.IntN(2)]
			e := s.Event(id).Event
			h.Sell(&e, webtest.Sale{From: now.Add(-time.Minute), To: now, Paid: 1 + random.IntN(2), Reserved: random.IntN(2), Scans: true,
				In: []webtest.GateIn{{Gate: "A", N: 1, From: now.Add(-time.Minute), To: now}}})
			s = h.Snapshot()
		}
		fresh := webtest.Renderer(t)
		for i, q := range topics(t) {
			want := webtest.Content(t, fresh, q, s, now)
			got, err := r.Content(q, s, now, last[i])
			if err != nil {
				t.Fatal(err)
			}
			if got.Token() != want.Token() {
				for id := range want.HTML {
					if got.HTML[id] != want.HTML[id] {
						t.Errorf("step %d (%d), %s, fragment %s:\n%s\nwant\n%s", step, what, q.Topic(), id, got.HTML[id], want.HTML[id])
					}
				}
				t.Fatalf("step %d (%d): %s is not what is rendered from nothing", step, what, q.Topic())
			}
			last[i] = got
		}
	}
}

// quietSecond returns a house of n performances and a second in which nothing came.
func quietSecond(t testing.TB, n int) func() {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	festival(h, n)
	s := h.Snapshot()
	last := webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime)
	return func() {
		quiet := *s
		quiet.Position.Streams++
		var err error
		if last, err = r.Content(webtest.Tonight, &quiet, webtest.ShowTime.Add(time.Second), last); err != nil {
			t.Fatal(err)
		}
	}
}

// What a quiet second costs does not grow with the programme: the evening is not built for it.
func TestQuietSecondBuildsNoEvening(t *testing.T) {
	few, many := testing.AllocsPerRun(20, quietSecond(t, 10)), testing.AllocsPerRun(20, quietSecond(t, 100))
	if many > few+20 {
		t.Errorf("%.0f allocations with 10 performances and %.0f with 100", few, many)
	}
}

func BenchmarkQuietSecond100(b *testing.B) {
	second := quietSecond(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		second()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/performance")
}
