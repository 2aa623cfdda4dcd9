package event_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// aNight returns what was known of a performance with doors at 19:30: from the evening before on, with
// people from 19:38 on.
func aNight(event string) (all []figures.MinuteFigures) {
	add := func(at time.Time, available, sold, present int, euros int64) {
		r := figures.MinuteFigures{Minute: at.Unix() / 60, Available: &available, Sold: sold, Present: present}
		r.Net = r.Net.Plus(record.Money{Amount: 100 * euros, Currency: "EUR"}, 1)
		all = append(all, r)
	}
	add(webtest.At("18:00").AddDate(0, 0, -1), 20, 15, 0, 150)
	add(webtest.At("19:10"), 18, 17, 0, 170)
	for i, clock := range []string{"19:38", "19:39", "19:45", "19:51"} {
		add(webtest.At(clock), 18-i, 17+i, 4*i+1, 170)
	}
	return all
}

// A minute of a night shows what was known then, and nothing that came later.
func TestReplay(t *testing.T) {
	r, s := webtest.WithPast(t, aNight("evt_a"), nil), webtest.Small(t).Snapshot()
	for _, test := range []struct {
		at    string
		wants []string
		not   string
	}{
		{"", []string{"What was known at 19:52,", "Inside≤ 13", "20 sold by then", "Sold20", "+3 since the doors opened", "Left to sell15", "−3 since", "€170.00 when the doors opened", "Most inside at 19:51: 13.", "19:45919"}, "+1 min"},
		{"19:38", []string{"What was known at 19:38,", "Inside≤ 1 at most", "17 sold by then", "Sold170 since the doors opened"}, "≤ 13"},
		{"18:30", []string{"What was known at 18:30,", "≤ 0", "Sold15", "Left to sell20", "€150"}, "−1 min"},
		{"19:29", []string{"Sold17", "€170"}, "since the doors"},
		{"23:00", []string{"What was known at 19:52,"}, "23:00"}, // which has not come
	} {
		got := webtest.Text(webtest.Page(t, r, webtest.ReplayView("evt_a", test.at).As(web.Manager), s, webtest.ShowTime))
		for _, want := range test.wants {
			if !strings.Contains(got, want) {
				t.Errorf("at %q: no %q in %s", test.at, want, got)
			}
		}
		if strings.Contains(got, test.not) {
			t.Errorf("at %q: %q in %s", test.at, test.not, got)
		}
	}
	html := webtest.Page(t, r, webtest.ReplayView("evt_a", "19:38").As(web.Manager), s, webtest.ShowTime)
	for _, want := range []string{`href="/events/evt_a/replay?at=2026-11-20T19%3A08%2B01%3A00"`, `href="/events/evt_a/replay?at=2026-11-20T19%3A39%2B01%3A00"`, `href="/events/evt_a"`, `"value":[75,9,"9"]`, `"value":[75,19,"19"]`, `"xAxis":68`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
}

// A night that is over is opened shortly before its curtain, when most come in, and one that is under way at its newest minute.
func TestReplayOpensWherePeopleComeIn(t *testing.T) {
	r, s := webtest.WithPast(t, aNight("evt_a"), nil), webtest.Small(t).Snapshot()
	for clock, want := range map[string]string{"20:40": "What was known at 20:40,", "23:55": "What was known at 20:05,"} {
		webtest.Wants(t, clock, webtest.Text(webtest.Page(t, r, webtest.ReplayView("evt_a", "").As(web.Manager), s, webtest.At(clock))), want)
	}
	webtest.Wants(t, "a minute that is asked for", webtest.Text(webtest.Page(t, r, webtest.ReplayView("evt_a", "19:38").As(web.Manager), s, webtest.At("23:55"))), "What was known at 19:38,")
}

// Of the hour that a clock shows twice, each has its minutes.
func TestReplayOfOtherNights(t *testing.T) {
	h := webtest.NewHouse()
	h.Coverage = ledger.Coverage{TicketsOffered: true, TicketsComplete: true, EventsComplete: true}
	zone := webtest.ShowTime.Location()
	night := func(id string, doors time.Time) (all []figures.MinuteFigures) {
		h.Event(id, "Nacht", "Kelder", "19:30", "20:15", 100, func(e *record.Event) {
			e.DoorsAt, e.StartsAt, e.EndsAt = doors, doors.Add(time.Hour), doors.Add(6*time.Hour)
		})
		for i := range 8 * 12 {
			all = append(all, figures.MinuteFigures{Minute: doors.Unix()/60 + int64(5*i+4), Sold: i})
		}
		return all
	}
	autumn := night("autumn", time.Date(2026, 10, 24, 23, 30, 0, 0, zone))
	s := h.Snapshot()
	look := func(past []figures.MinuteFigures, id, minute string) (html, words string) {
		html = webtest.Page(t, webtest.WithPast(t, past, nil), webtest.ReplayView(id, minute).As(web.Manager), s, webtest.ShowTime)
		return html, webtest.Text(html)
	}
	_, first := look(autumn, "autumn", "2026-10-25T02:40+02:00")
	webtest.Wants(t, "the first 02:40", first, "What was known at 02:40 CEST,", "Sold37")
	html, second := look(autumn, "autumn", "2026-10-25T02:40+01:00")
	webtest.Wants(t, "the second 02:40", second, "What was known at 02:40 CET,", "Sold49")
	for _, want := range []string{`at=2026-10-25T02%3A10%2B01%3A00"`, `"02:05 CEST"`, `"02:05 CET"`, `"03:05"`, `"01:05"`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s on the page of the second 02:40", want)
		}
	}
}

func TestReplayOfNothing(t *testing.T) {
	r, s := webtest.WithPast(t, nil, nil), webtest.Small(t).Snapshot()
	webtest.Wants(t, "no past", webtest.Text(webtest.Page(t, r, webtest.ReplayView("evt_a", "").As(web.Manager), s, webtest.ShowTime)), "Nothing of this night is stored.")
	r = webtest.WithPast(t, aNight("evt_b"), nil)
	webtest.Wants(t, "tomorrow", webtest.Text(webtest.Page(t, r, webtest.ReplayView("evt_b", "").As(web.Manager), s, webtest.ShowTime)), "Nothing of this night is stored.")
	var b strings.Builder
	if err := r.Page(&b, web.Frame{Request: webtest.ReplayView("evt_none", "").As(web.Manager), Snapshot: s, Now: webtest.ShowTime}); !errors.Is(err, web.ErrNotFound) {
		t.Errorf("a performance that is not: %v", err)
	}
	failed := errors.New("no database")
	if err := webtest.WithPast(t, nil, failed).Page(&b, web.Frame{Request: webtest.ReplayView("evt_a", "").As(web.Manager), Snapshot: s, Now: webtest.ShowTime}); !errors.Is(err, failed) || b.Len() > 0 {
		t.Errorf("without a database: %v", err)
	}
	for _, role := range []web.Role{web.Door, web.BoxOffice} {
		if webtest.ReplayView("evt_a", "").SeenBy(role) || strings.Contains(webtest.Page(t, r, webtest.EventView("evt_a").As(role), s, webtest.ShowTime), "/replay") {
			t.Errorf("%s may see the night, or is led to it", role)
		}
	}
	linked := func(from time.Time, event string) bool {
		r := webtest.RendererWith(t, web.Sources{PastFrom: func() time.Time { return from }})
		return strings.Contains(webtest.Page(t, r, webtest.EventView(event).As(web.Manager), s, webtest.ShowTime), "/replay")
	}
	if linked(webtest.At("12:00"), "evt_b") {
		t.Error("a performance to come links to its night")
	}
	if !linked(webtest.At("12:00"), "evt_a") || linked(time.Time{}, "evt_a") || linked(webtest.ShowTime.Add(time.Minute), "evt_a") {
		t.Error("a performance links to its night where nothing of that is known, or does not where it is")
	}
}

// Of a house that reports only what is left, the night is of that.
func TestReplayOfWhatIsLeft(t *testing.T) {
	h := webtest.NewHouse()
	h.Coverage = ledger.Coverage{EventsComplete: true}
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 0, webtest.Available(12), func(e *record.Event) { e.Capacity = nil })
	html := webtest.Page(t, webtest.WithPast(t, aNight("evt_a"), nil), webtest.ReplayView("evt_a", "19:38").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "the night", webtest.Text(html), "Left to sell18", "15 places left to sell at last.", "19:4516")
	if !strings.Contains(html, `"value":[81,15,"15"]`) {
		t.Error("what is left at the end is not drawn")
	}
	look := webtest.LookForWords(t)
	look("a night of what is left", webtest.Page(t, webtest.WithPast(t, aNight("evt_a"), nil), webtest.In(words.Pseudo, webtest.ReplayView("evt_a", "19:40").As(web.Manager)), h.Snapshot(), webtest.ShowTime))
}

// Where the service reports only what is left, what is taken is the most that was ever left less that.
func TestTaken(t *testing.T) {
	h := webtest.NewHouse()
	h.Coverage = ledger.Coverage{EventsComplete: true}
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 0, webtest.Available(12), func(e *record.Event) { e.Capacity = nil })
	var past []figures.MinuteFigures
	for days, left := range []int{12, 30, 25, 40} { // today, and before
		past = append([]figures.MinuteFigures{{Minute: webtest.At("12:00").AddDate(0, 0, -2*days).Unix() / 60, Available: new(left)}}, past...)
	}
	r := webtest.RendererWith(t, web.Sources{PastSoon: func(string) []figures.MinuteFigures { return past }})
	s := h.Snapshot()
	got := webtest.Page(t, r, webtest.EventView("evt_a").As(web.Door), s, webtest.ShowTime)
	webtest.Wants(t, "the sales", webtest.Text(got), "At least 28 places taken since Saturday 14 November, by what the service reports as left: now 12.", "Fri 20 Nov1228", "Wed 18 Nov3010", "Mon 16 Nov2515", "Sat 14 Nov400")
	for _, want := range []string{`"value":[0,0,"0"]`, `"value":[3,15,"15"]`, `"value":[6,28,"28"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if got := webtest.Text(webtest.Page(t, webtest.Renderer(t), webtest.EventView("evt_a").As(web.Door), s, webtest.ShowTime)); !strings.Contains(got, "What has been sold is") || strings.Contains(got, "taken since") {
		t.Errorf("without past: %s", got)
	}
	before := webtest.ShowTime.AddDate(0, 0, -30)
	h.Event("evt_past", "De Vader", "Kleine Zaal", "19:30", "20:15", 0, webtest.Available(12), func(e *record.Event) {
		e.Capacity, e.DoorsAt, e.StartsAt, e.EndsAt = nil, time.Time{}, before, before.Add(2*time.Hour)
	})
	for i := range past {
		past[i].Minute -= 30 * 24 * 60
	}
	got = webtest.Page(t, r, webtest.EventView("evt_past").As(web.Door), h.Snapshot(), webtest.ShowTime)
	if webtest.Wants(t, "a past one", webtest.Text(got), "At least 28 places taken since Thursday 15 October"); !strings.Contains(got, `"value":[6,28,"28"]`) || strings.Contains(got, `"value":[7,`) {
		t.Errorf("the curve of a past performance does not end with it: %s", got)
	}
	look := webtest.LookForWords(t)
	look("what is taken", webtest.Page(t, r, webtest.In(words.Pseudo, webtest.EventView("evt_a").As(web.Manager)), s, webtest.ShowTime))
	look("a night", webtest.Page(t, webtest.WithPast(t, aNight("evt_a"), nil), webtest.In(words.Pseudo, webtest.ReplayView("evt_a", "19:40").As(web.Manager)), webtest.Small(t).Snapshot(), webtest.ShowTime))
	look("no night", webtest.Page(t, webtest.WithPast(t, nil, nil), webtest.In(words.Pseudo, webtest.ReplayView("evt_a", "").As(web.Manager)), webtest.Small(t).Snapshot(), webtest.ShowTime))
}

// A night of a large house in full, from the past to the page.
func BenchmarkReplay(b *testing.B) {
	s := webtest.Small(b).Snapshot()
	var night []figures.MinuteFigures
	for minute := webtest.At("12:00").AddDate(0, -1, 0).Unix() / 60; minute <= webtest.ShowTime.Unix()/60; minute += 3 {
		night = append(night, figures.MinuteFigures{Minute: minute, Available: new(9), Sold: len(night), Present: len(night)})
	}
	r := webtest.WithPast(b, night, nil)
	for b.Loop() {
		var out strings.Builder
		if err := r.Page(&out, web.Frame{Request: webtest.ReplayView("evt_a", "").As(web.Manager), Snapshot: s, Now: webtest.ShowTime}); err != nil {
			b.Fatal(err)
		}
	}
}
