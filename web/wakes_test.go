package web_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"housecount/web"
	"housecount/web/live"
)

// wakes says that changes wake a page.
func wakes(q web.Request, subjects []string) bool {
	return slices.ContainsFunc(q.Wakes(), func(s string) bool { return slices.Contains(subjects, s) })
}

func TestWhatWakesAPage(t *testing.T) {
	h := busy(t)
	h.event("evt_yesterday", "Gisteren", "Grote Zaal", "20:15", "22:00", 100, onDay(-1))
	s := h.snapshot()
	today := s.Calendar.Day(showTime)
	manager := web.Manager
	pages := map[string]web.Request{
		"tonight": view{page: "tonight"}.as(manager), "matinee": eventView("evt_mat").as(manager), "trio": eventView("evt_trio").as(manager),
		"wall": view{page: "wall"}.as(manager), "events": eventsView(nil).as(manager).Live(),
	}
	for _, test := range []struct {
		name    string
		changes web.Changes
		want    []string
	}{
		{"a poll that found nothing", web.Changes{}, nil},
		{"a sale", web.Changes{Events: []string{"evt_mat"}, Money: true}, []string{"matinee", "tonight", "wall"}},
		{"money of no performance", web.Changes{Money: true}, []string{"tonight", "wall"}},
		{"a late scan for yesterday", web.Changes{Events: []string{"evt_yesterday"}}, []string{"matinee", "tonight", "trio", "wall"}},
		{"a performance that is gone", web.Changes{Events: []string{"evt_gone"}}, []string{"matinee", "tonight", "trio", "wall"}},
		{"another fault of the service", web.Changes{All: true}, []string{"events", "matinee", "tonight", "trio", "wall"}},
	} {
		var got []string
		for name, q := range pages {
			if wakes(q, test.changes.Wakes(s, today)) {
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
	r, h := renderer(t), busy(t)
	evening := showTime.Add(30 * time.Second)
	h.health, h.asOf = healthy(evening), evening
	first := h.snapshot()
	quiet := *first
	quiet.AsOf, quiet.Health = evening.Add(5*time.Second), healthy(evening.Add(5*time.Second))
	for _, q := range topics() {
		last := content(t, r, q, first, evening)
		if next := content(t, r, q, &quiet, evening.Add(5*time.Second)); next.Token() != last.Token() {
			t.Errorf("%s: another token", q.Topic())
		}
		late := *first
		late.Health = h.health
		late.Health.Streams = slices.Clone(late.Health.Streams)
		for i := range late.Health.Streams {
			late.Health.Streams[i].Missed = 5
		}
		if next := content(t, r, q, &late, evening.Add(5*time.Second)); next.Token() == last.Token() {
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
	h := busy(t)
	s := h.snapshot()
	inTheHall := web.Door.Access().InHalls("Grote Zaal")
	for _, test := range []struct {
		request web.Request
		want    bool
	}{
		{view{page: "tonight"}.as(web.Door), true},
		{eventView("evt_mat").as(web.Door), true},
		{eventView("evt_gone").as(web.Door), false},
		{hallView("Foyer").as(web.Door), true},
		{hallView("Zolder").as(web.Door), false},
		{view{page: "wall"}.as(web.Door), true},
		{web.Request{Page: "event", Params: "event=evt_trio", Access: inTheHall, Locale: web.English}, false},
	} {
		if got := test.request.Exists(s); got != test.want {
			t.Errorf("%s exists: %v, want %v", test.request.Topic(), got, test.want)
		}
	}
}
