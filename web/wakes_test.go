package web_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

func TestWhatWakesAPage(t *testing.T) {
	h := webtest.Busy(t)
	h.Event("evt_yesterday", "Gisteren", "Grote Zaal", "20:15", "22:00", 100, webtest.OnDay(-1))
	s := h.Snapshot()
	without := *s
	without.Events = slices.DeleteFunc(slices.Clone(s.Events), func(e *figures.EventFigures) bool { return e.Event.ID == "evt_past_0" })
	manager := web.Manager
	pages := map[string]web.Request{
		"tonight": webtest.View{Page: "tonight"}.As(manager), "matinee": webtest.EventView("evt_mat").As(manager), "trio": webtest.EventView("evt_trio").As(manager),
		"wall": webtest.View{Page: "wall"}.As(manager), "events": webtest.EventsView(t, nil).As(manager).Live(),
	}
	for _, test := range []struct {
		name          string
		changes       figures.Changes
		before, after *figures.Snapshot
		want          []string
	}{
		{"a poll that found nothing", figures.Changes{}, s, s, nil},
		{"a sale", figures.Changes{Events: []string{"evt_mat"}}, s, s, []string{"matinee", "tonight", "wall"}},
		{"money of no performance", figures.Changes{Unattributed: true}, s, s, []string{"tonight", "wall"}},
		{"a change of yesterday's, to which nobody came", figures.Changes{Events: []string{"evt_yesterday"}}, s, s, []string{"tonight", "wall"}},
		{"a late scan for one of the five that say what is usual", figures.Changes{Events: []string{"evt_past_0"}}, s, s, []string{"tonight", "wall"}},
		{"that one is gone", figures.Changes{Events: []string{"evt_past_0"}}, s, &without, []string{"tonight", "wall"}},
		{"that one is back", figures.Changes{Events: []string{"evt_past_0"}}, &without, s, []string{"tonight", "wall"}},
		{"a sale that one list has and another does not yet", figures.Changes{Events: []string{"evt_mat"}, Findings: true}, s, s, []string{"matinee", "tonight", "wall"}},
		{"a finding that is about nothing shown", figures.Changes{Findings: true}, s, s, []string{"tonight", "wall"}},
		{"another fault of the service", figures.Changes{All: true}, s, s, []string{"events", "matinee", "tonight", "trio", "wall"}},
	} {
		var got []string
		for name, q := range pages {
			if webtest.Wakes(q, web.Wakes(test.changes, test.before, test.after, webtest.ShowTime)) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s wakes %v, want %v", test.name, got, test.want)
		}
	}
	for name, q := range pages {
		if !slices.Contains(q.Wakes(), live.Minute) {
			t.Errorf("%s does not wake with the minute, which its clock shows", name)
		}
	}
}

// A poll that found nothing is no new content, and the times that beats carry are right after it.
func TestQuietPollIsNoNewContent(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	evening := webtest.ShowTime.Add(30 * time.Second)
	h.Health, h.AsOf = webtest.Healthy(evening), evening
	first := h.Snapshot()
	quiet := *first
	quiet.AsOf, quiet.Health = evening.Add(5*time.Second), webtest.Healthy(evening.Add(5*time.Second))
	for _, q := range topics(t, hasNoAnswers) {
		last := webtest.Content(t, r, q, first, evening)
		if next := webtest.Content(t, r, q, &quiet, evening.Add(5*time.Second)); next.Token() != last.Token() {
			t.Errorf("%s: another token", q.Topic())
		}
		late := *first
		late.Health = h.Health
		late.Health.Streams = slices.Clone(late.Health.Streams)
		for i := range late.Health.Streams {
			late.Health.Streams[i].Missed = 5
		}
		if next := webtest.Content(t, r, q, &late, evening.Add(5*time.Second)); next.Token() == last.Token() {
			t.Errorf("%s: the same token though the service is not heard any more", q.Topic())
		}
		var times struct {
			AsOf   int64 `json:"as_of"`
			Next   int64
			Detail []string
		}
		if err := json.Unmarshal(r.Times(q, &quiet, evening.Add(6*time.Second)), &times); err != nil {
			t.Fatal(err)
		}
		if times.AsOf != quiet.AsOf.UnixMilli() || times.Next != quiet.Health.Next().UnixMilli() ||
			!slices.Equal(times.Detail, []string{"figures as of " + quiet.AsOf.In(first.Calendar.Zone).Format("15:04:05"), "service answered in 0.2\u00a0s"}) {
			t.Errorf("%s: times %+v", q.Topic(), times)
		}
	}
}

func TestExists(t *testing.T) {
	h := webtest.Busy(t)
	s := h.Snapshot()
	inTheHall := web.Door.Access().InHalls("Grote Zaal")
	for _, test := range []struct {
		request web.Request
		want    bool
	}{
		{webtest.View{Page: "tonight"}.As(web.Door), true},
		{webtest.EventView("evt_mat").As(web.Door), true},
		{webtest.EventView("evt_gone").As(web.Door), false},
		{webtest.HallView("Foyer").As(web.Door), true},
		{webtest.HallView("Zolder").As(web.Door), false},
		{webtest.View{Page: "wall"}.As(web.Door), true},
		{web.Request{Page: "event", Params: "event=evt_trio", Access: inTheHall, Locale: web.English}, false},
	} {
		if got := test.request.Exists(s); got != test.want {
			t.Errorf("%s exists: %v, want %v", test.request.Topic(), got, test.want)
		}
	}
}

// A page that shows figures wakes when they change: of one performance at a time, or money of none. A still page is of the
// moment of its request, and what the page of a performance shows of past ones waits for the minute.
func TestWhatChangesAPageWakesIt(t *testing.T) {
	r := webtest.Renderer(t)
	changed := map[string]bool{}
	for name, change := range map[string]struct {
		figures.Changes
		apply func(*webtest.House, *figures.Snapshot)
	}{
		"a sale for tonight":        {figures.Changes{Events: []string{"evt_vader"}}, sellOne("evt_vader")},
		"a sale for a coming night": {figures.Changes{Events: []string{"evt_next_0"}}, sellOne("evt_next_0")},
		"a scan for a past night":   {figures.Changes{Events: []string{"evt_past_0"}}, sellOne("evt_past_0")},
		"another performance": {figures.Changes{Events: []string{"evt_new"}}, func(h *webtest.House, _ *figures.Snapshot) {
			h.Event("evt_new", "Nieuw", "Kleine Zaal", "19:30", "20:05", 100, webtest.Available(100))
		}},
		"an alert": {figures.Changes{All: true}, func(h *webtest.House, _ *figures.Snapshot) {
			h.Apply(&record.RaisedAlert{Alert: "oversold:evt_vader", Number: 1, Level: "bad", EventID: "evt_vader", Raised: webtest.ShowTime})
		}},
		"money of no performance": {figures.Changes{Unattributed: true}, func(h *webtest.House, _ *figures.Snapshot) {
			h.Apply(&record.Payment{ID: h.ID("pay"), Amount: record.Money{Amount: 12300, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.ShowTime.Add(-time.Hour), UpdatedAt: webtest.ShowTime})
		}},
	} {
		h := webtest.Busy(t)
		before := h.Snapshot()
		change.apply(h, before)
		after := h.Snapshot()
		subjects := web.Wakes(change.Changes, before, after, webtest.ShowTime)
		for _, v := range webtest.Views(t, "evt_vader", "Kleine Zaal", func(p *web.Page) bool { return !p.Still }) {
			q := v.As(web.Admin)
			if webtest.Content(t, r, q, before, webtest.ShowTime).Token() == webtest.Content(t, r, q, after, webtest.ShowTime).Token() {
				continue
			}
			usual := v.Page == "event" && name == "a scan for a past night"
			if changed[v.Page] = true; webtest.Wakes(q, subjects) == usual {
				t.Errorf("%s changes the page %s; woken: %t. A page's row in the table of pages needs WokenBy: web.ByFigures", name, v, usual)
			}
		}
	}
	for _, p := range web.Pages() {
		if figures := len(p.WokenBy("")) > 0; figures && p.LeastRole() != web.Admin && !changed[p.Name] {
			t.Errorf("nothing here changes the page %s, which figures wake: add a change that does", p.Name)
		}
	}
}

// sellOne sells a place of a performance a minute ago, and lets its buyer in.
func sellOne(id string) func(*webtest.House, *figures.Snapshot) {
	return func(h *webtest.House, s *figures.Snapshot) {
		e := s.Event(id).Event
		h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 1, From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime}}})
	}
}
