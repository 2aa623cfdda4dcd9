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
)

// topics are all views of the house for the roles at both ends.
func topics() []web.Request {
	var all []web.Request
	for _, role := range []web.Role{web.Door, web.Admin} {
		for _, v := range append(views("evt_mat", "Grote Zaal"), eventView("evt_trio"), view{page: "wall"}) {
			if v.seenBy(role) {
				all = append(all, v.as(role))
			}
		}
	}
	return all
}

// A poll that found nothing changes times alone: only the strip and the clock are rendered.
func TestQuietPollRendersOnlyTheStrip(t *testing.T) {
	r, h := renderer(t), busy(t)
	evening := showTime.Add(30 * time.Second) // so that no minute turns
	h.health, h.asOf = healthy(evening), evening
	first := h.snapshot()
	for _, q := range topics() {
		last := content(t, r, q, first, evening)
		for id := range last.HTML {
			last.HTML[id] = "taken over"
		}
		quiet := *first
		quiet.Position.Streams++
		quiet.AsOf = evening.Add(2 * time.Second)
		quiet.Health = healthy(evening.Add(5 * time.Second))
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
	r, s := renderer(t), busy(t).snapshot()
	last := content(t, r, tonight, s, showTime)
	door := view{page: "tonight"}.as(web.Door)
	got, err := r.Content(door, s, showTime, last)
	if err != nil || got.Token() != content(t, r, door, s, showTime).Token() {
		t.Errorf("door is shown another content than alone (error %v)", err)
	}
}

// The same revision shows other figures once it is known that some records were refused.
func TestOtherFiguresAtOneRevision(t *testing.T) {
	r, first := renderer(t), busy(t).snapshot()
	last := content(t, r, tonight, first, showTime)
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
	got, err := r.Content(tonight, &next, showTime, last)
	if err != nil {
		t.Fatal(err)
	}
	if want := content(t, r, tonight, &next, showTime); got.Token() != want.Token() || got.Token() == last.Token() {
		t.Error("the page shows the figures of before")
	}
}

// A sale for one performance leaves the page of another alone.
func TestAnotherEventsPageIsNotRendered(t *testing.T) {
	r, h := renderer(t), busy(t)
	q := eventView("evt_mat").as(web.Manager)
	last := content(t, r, q, h.snapshot(), showTime)
	maps.DeleteFunc(last.HTML, func(id, _ string) bool { return id != "strip" && id != "clock" })
	trio := h.event("evt_trio", "Late Night Trio", "Foyer", "22:15", "23:00", 218, available(8))
	h.sell(trio, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
	next, err := r.Content(q, h.snapshot(), showTime.Add(time.Second), last)
	if err != nil || len(next.HTML) != 2 {
		t.Errorf("%d fragments (%v), want strip and clock alone", len(next.HTML), err)
	}
}

// A scan that came late for a past performance changes what is usual, and with it the verdict on
// another performance's page in the same minute.
func TestPastPerformancesRenewAnEventsPage(t *testing.T) {
	r, h := renderer(t), busy(t)
	q := eventView("evt_mat").as(web.Manager)
	last := content(t, r, q, h.snapshot(), showTime)
	past := h.event("evt_past_9", "Vroeger", "Grote Zaal", "19:30", "20:15", 100, onDay(-2))
	h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 10, scans: true,
		in: []gateIn{{"A", 4, past.DoorsAt, past.StartsAt}}})
	s := h.snapshot()
	last.HTML["head"] = "taken over"
	next, err := r.Content(q, s, showTime.Add(time.Second), last)
	if err != nil || next.HTML["head"] != content(t, r, q, s, showTime.Add(time.Second)).HTML["head"] {
		t.Errorf("the page is not rendered anew (%v)", err)
	}
}

// Whatever happens, content that takes over from the last is what is rendered from nothing.
func TestTakenOverContentIsTheWhole(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r, h := renderer(t), busy(t)
	last := make([]live.Content, len(topics()))
	now := showTime
	s := h.snapshot()
	for step := range 40 {
		now = now.Add([]time.Duration{time.Second, time.Second, 20 * time.Second, 4 * time.Minute, time.Hour}[random.IntN(5)])
		what := random.IntN(10)
		switch what {
		case 0: // only time passes
		case 1, 2: // a poll that found nothing
			next := *s
			next.Position.Streams++
			next.AsOf, next.Health = now, healthy(now)
			h.asOf, h.health, s = next.AsOf, next.Health, &next
		case 3: // a stream that fails
			h.health.Streams = slices.Clone(h.health.Streams)
			failing := &h.health.Streams[random.IntN(len(h.health.Streams))]
			failing.Missed += 2
			failing.Fault = []figures.Fault{figures.FaultSlow, figures.FaultNotOffered}[random.IntN(2)]
			s = h.snapshot()
		case 4: // one that is read for the first time
			h.health.Streams = slices.Clone(h.health.Streams)
			h.health.Streams[1].Complete = !h.health.Streams[1].Complete
			h.coverage.TicketsComplete = h.health.Streams[1].Complete
			s = h.snapshot()
		case 5: // an alarm
			next := *s
			next.Position.Streams++
			next.Diagnostics = append(slices.Clone(s.Diagnostics), figures.Diagnostic{Code: figures.CodeSweepGuard, Kind: record.KindTicket, Count: step})
			s = &next
		case 6: // what is missing becomes known, or the other way round
			if random.IntN(2) == 0 {
				h.coverage.PaymentsComplete = !h.coverage.PaymentsComplete
			} else { // payments of nobody knows which event are refused
				h.coverage.RefusedPayments = map[string]int{"": step}
			}
			s = h.snapshot()
		default: // sales
			id := []string{"evt_mat", "evt_trio"}[random.IntN(2)]
			e := s.Event(id).Event
			h.sell(&e, sale{from: now.Add(-time.Minute), to: now, paid: 1 + random.IntN(2), reserved: random.IntN(2), scans: true,
				in: []gateIn{{"A", 1, now.Add(-time.Minute), now}}})
			s = h.snapshot()
		}
		fresh := renderer(t)
		for i, q := range topics() {
			want := content(t, fresh, q, s, now)
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

// quietSecond is a house of n performances and a second in which nothing came.
func quietSecond(t testing.TB, n int) func() {
	r, h := renderer(t), newHouse()
	festival(h, n)
	s := h.snapshot()
	last := content(t, r, tonight, s, showTime)
	return func() {
		quiet := *s
		quiet.Position.Streams++
		var err error
		if last, err = r.Content(tonight, &quiet, showTime.Add(time.Second), last); err != nil {
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
