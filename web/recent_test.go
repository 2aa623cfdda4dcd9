package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// sameBytes reports whether a text was taken over and not made again.
func sameBytes(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// A sale renders one performance's row, and of the others nothing again; nor when it is the
// turn of the next sale, nor after a poll that found nothing.
func TestSaleRendersOneRow(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	festival(h, 12) // each has a fragment
	last := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	for i := range 12 {
		e := h.Snapshot().Events[i].Event
		h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
		next, err := r.Content(webtest.Tonight, h.Snapshot(), webtest.ShowTime.Add(time.Duration(i)*time.Second), last)
		if err != nil {
			t.Fatal(err)
		}
		var rendered []string
		for n := range 12 {
			if id := fmt.Sprintf("shows-%02d", n); !sameBytes(next.HTML[id], last.HTML[id]) {
				rendered = append(rendered, id)
			}
		}
		if len(rendered) != 1 || !strings.Contains(next.HTML[rendered[0]], `href="/events/`+e.ID+`"`) {
			t.Errorf("a sale for %s rendered %q", e.ID, rendered)
		}
		quiet := *h.Snapshot()
		quiet.Position.Streams++
		if last, err = r.Content(webtest.Tonight, &quiet, webtest.ShowTime.Add(time.Duration(i)*time.Second), next); err != nil {
			t.Fatal(err)
		}
	}
}

// What a sale costs does not grow with the rows that it does not touch.
func TestSaleAllocatesForOneRow(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	festival(h, 100)
	before := h.Snapshot()
	e := before.Events[40].Event
	h.Sell(&e, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
	after, last := h.Snapshot(), webtest.Content(t, r, webtest.Tonight, before, webtest.ShowTime)
	first := testing.AllocsPerRun(5, func() { webtest.Content(t, r, webtest.Tonight, after, webtest.ShowTime) })
	sale := testing.AllocsPerRun(5, func() {
		if _, err := r.Content(webtest.Tonight, after, webtest.ShowTime, last); err != nil {
			t.Fatal(err)
		}
	})
	if sale > first/10 {
		t.Errorf("%.0f allocations after a sale, %.0f from nothing", sale, first)
	}
}

// A row is rendered again where something of it has changed that is not its own performance's.
func TestRowsFollowOtherPerformances(t *testing.T) {
	visitor := func(h *webtest.House, eventID string, in time.Time, out ...time.Time) {
		visit := &record.Ticket{ID: "tkt_of_" + eventID, EventID: eventID, Status: record.TicketValid, SoldAt: in.AddDate(0, 0, -9), CreatedAt: in.AddDate(0, 0, -9), UpdatedAt: in,
			Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}}}
		for _, at := range out {
			visit.Scans, visit.UpdatedAt = append(visit.Scans, record.Scan{At: at, Gate: "A", Direction: record.Exit}), at
		}
		h.Apply(visit)
	}
	past := func(h *webtest.House, name string, n, from, to int) {
		for i := range n {
			e := h.Event(fmt.Sprint("evt_", name, i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
			h.Sell(e, webtest.Sale{From: e.DoorsAt.AddDate(0, 0, -9), To: e.DoorsAt.AddDate(0, 0, -1), Paid: 200, Scans: true,
				In: []webtest.GateIn{{Gate: "A", N: 180, From: e.StartsAt.Add(time.Duration(from) * time.Minute), To: e.StartsAt.Add(time.Duration(to) * time.Minute)}}})
		}
	}
	for _, test := range []struct {
		name   string
		now    time.Time
		house  func(testing.TB) *webtest.House
		change func(h *webtest.House)
		shown  string // then, and not before
	}{
		{"exits are scanned in the hall, so who is inside is no estimate", webtest.ShowTime, webtest.Busy, func(h *webtest.House) {
			for i := range 3 {
				id := fmt.Sprint("evt_past_", i)
				start := h.Snapshot().Event(id).Event.StartsAt
				h.Apply(&record.Ticket{ID: "tkt_of_many_" + id, EventID: id, Quantity: new(4000), Status: record.TicketValid, SoldAt: start.AddDate(0, 0, -9), UpdatedAt: start,
					Scans: []record.Scan{{At: start.Add(-time.Minute), Direction: record.Entry}, {At: start.Add(time.Hour), Direction: record.Exit}}})
			}
		}, "638 inside of 812"},
		{"visitors come later to the hall than was known, as tonight", webtest.At("20:11"), func(testing.TB) *webtest.House {
			h := webtest.NewHouse()
			past(h, "early", 6, -45, -3)
			h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true,
				In: []webtest.GateIn{{Gate: "A", N: 220, From: webtest.At("19:50"), To: webtest.At("20:15")}}})
			return h
		}, func(h *webtest.House) { past(h, "late", 12, -20, 25) }, "Start on time"},
		{"so many that they stand closer together", webtest.ShowTime, webtest.Busy, func(h *webtest.House) {
			for i := range 4 {
				h.Event(fmt.Sprint("evt_more_", i), "Nog een", "Foyer", "22:30", "23:15", 50)
			}
		}, "Nog een"},
		{"after midnight the evening before has ended", webtest.At("00:30").AddDate(0, 0, 1), func(testing.TB) *webtest.House {
			h := webtest.NewHouse()
			h.Event("evt_before", "Nachtconcert", "Grote Zaal", "21:30", "21:45", 50)
			visitor(h, "evt_before", webtest.At("21:40"))
			h.Event("evt_night", "Na middernacht", "Foyer", "00:01", "00:05", 50, webtest.OnDay(1), func(e *record.Event) { e.EndsAt = e.StartsAt.Add(15 * time.Minute) })
			visitor(h, "evt_night", webtest.At("00:03").AddDate(0, 0, 1))
			return h
		}, func(h *webtest.House) {
			visitor(h, "evt_before", webtest.At("21:40"), webtest.At("00:29").AddDate(0, 0, 1))
		}, "over since 00:20"},
	} {
		r, h := webtest.Renderer(t), test.house(t)
		h.Health, h.AsOf = webtest.Healthy(test.now), test.now
		last := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), test.now)
		test.change(h)
		want := webtest.Content(t, webtest.Renderer(t), webtest.Tonight, h.Snapshot(), test.now)
		got, err := r.Content(webtest.Tonight, h.Snapshot(), test.now, last)
		if err != nil || got.Token() != want.Token() {
			t.Errorf("%s: Tonight is not what is rendered from nothing (%v)", test.name, err)
		}
		if before, then := rowsOf(last), rowsOf(want); strings.Contains(before, test.shown) || !strings.Contains(then, test.shown) {
			t.Errorf("%s: %q is not new in the rows:\n%s\nthen\n%s", test.name, test.shown, before, then)
		}
	}
}

// rowsOf returns the rows of Tonight as they are read.
func rowsOf(c live.Content) string {
	var b strings.Builder
	for n := range 16 {
		b.WriteString(c.HTML[fmt.Sprintf("shows-%02d", n)])
	}
	return webtest.Text(b.String())
}

// Who loads a page that others look at is shown what was rendered for them, for as long as it
// is of the same figures, minute and access.
func TestPageOfWhatOthersLookAt(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	s := h.Snapshot()
	door := webtest.View{Page: "tonight"}.As(web.Door)
	const mark = "<p>rendered for others</p>"
	webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime).HTML["head"] += mark
	for _, test := range []struct {
		name string
		page func() string
		want bool
	}{
		{"another access", func() string { return webtest.Page(t, r, door, s, webtest.ShowTime) }, false},
		{"the same", func() string { return webtest.Page(t, r, webtest.Tonight, s, webtest.ShowTime.Add(10*time.Second)) }, true},
		{"after a sale", func() string {
			mat := s.Event("evt_mat").Event
			h.Sell(&mat, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 1, Scans: true})
			return webtest.Page(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime.Add(11*time.Second))
		}, false},
	} {
		if got := strings.Contains(test.page(), mark); got != test.want {
			t.Errorf("%s: taken over %v, want %v", test.name, got, test.want)
		}
	}
	webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime).HTML["head"] += mark
	later := webtest.ShowTime.Add(time.Hour) // when a performance is on
	if webtest.Page(t, r, webtest.Tonight, s, later) != webtest.Page(t, webtest.Renderer(t), webtest.Tonight, s, later) {
		t.Error("the page of an hour later is not what is rendered from nothing")
	}
}

// What is remembered is of the running minute and of so many requests.
func TestRememberedIsBounded(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Small(t).Snapshot()
	for i := range 3 * web.MostRecent {
		webtest.Content(t, r, webtest.EventView(fmt.Sprint("evt_", i)).As(web.Door), s, webtest.ShowTime)
	}
	if n := r.Remembered(); n != web.MostRecent {
		t.Errorf("%d requests are remembered, want %d", n, web.MostRecent)
	}
	webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime.Add(time.Minute))
	if n := r.Remembered(); n != 1 {
		t.Errorf("a minute later %d requests are remembered", n)
	}
}
