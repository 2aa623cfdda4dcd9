package web_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
)

// sameBytes says that a text was taken over and not made again.
func sameBytes(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// A sale renders one performance's row, and of the others nothing again; nor when it is the
// turn of the next sale, nor after a poll that found nothing.
func TestSaleRendersOneRow(t *testing.T) {
	r, h := renderer(t), newHouse()
	festival(h, 12) // each has a fragment
	last := content(t, r, tonight, h.snapshot(), showTime)
	for i := range 12 {
		e := h.snapshot().Events[i].Event
		h.sell(&e, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
		next, err := r.Content(tonight, h.snapshot(), showTime.Add(time.Duration(i)*time.Second), last)
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
		quiet := *h.snapshot()
		quiet.Position.Streams++
		if last, err = r.Content(tonight, &quiet, showTime.Add(time.Duration(i)*time.Second), next); err != nil {
			t.Fatal(err)
		}
	}
}

// What a sale costs does not grow with the rows that it does not touch.
func TestSaleAllocatesForOneRow(t *testing.T) {
	r, h := renderer(t), newHouse()
	festival(h, 100)
	before := h.snapshot()
	e := before.Events[40].Event
	h.sell(&e, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
	after, last := h.snapshot(), content(t, r, tonight, before, showTime)
	first := testing.AllocsPerRun(5, func() { content(t, r, tonight, after, showTime) })
	sale := testing.AllocsPerRun(5, func() {
		if _, err := r.Content(tonight, after, showTime, last); err != nil {
			t.Fatal(err)
		}
	})
	if sale > first/10 {
		t.Errorf("%.0f allocations after a sale, %.0f from nothing", sale, first)
	}
}

// A row is rendered again where something of it has changed that is not its own performance's.
func TestRowsFollowOtherPerformances(t *testing.T) {
	visitor := func(h *house, eventID string, in time.Time, out ...time.Time) {
		visit := &record.Ticket{ID: "tkt_of_" + eventID, EventID: eventID, Status: record.TicketValid, SoldAt: in.AddDate(0, 0, -9), CreatedAt: in.AddDate(0, 0, -9), UpdatedAt: in,
			Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}}}
		for _, at := range out {
			visit.Scans, visit.UpdatedAt = append(visit.Scans, record.Scan{At: at, Gate: "A", Direction: record.Exit}), at
		}
		h.apply(visit)
	}
	for _, test := range []struct {
		name   string
		now    time.Time
		house  func(testing.TB) *house
		change func(h *house)
		shown  string // then, and not before
	}{
		{"exits are scanned in the hall, so who is inside is no estimate", showTime, busy, func(h *house) {
			start := h.snapshot().Event("evt_past_0").Event.StartsAt
			visitor(h, "evt_past_0", start.Add(-time.Minute), start.Add(time.Hour))
		}, "638 inside of 812"},
		{"visitors come later to the hall than was known", at("20:05"), busy, func(h *house) {
			for i := range 8 {
				past := h.event(fmt.Sprint("evt_late_", i), "Vroeger", "Grote Zaal", "19:30", "20:15", 100, onDay(-2-i))
				h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 60, scans: true,
					in: []gateIn{{"A", 50, past.StartsAt.Add(-2 * time.Minute), past.StartsAt.Add(10 * time.Minute)}}})
			}
		}, "Hold:"},
		{"so many that they stand closer together", showTime, busy, func(h *house) {
			for i := range 4 {
				h.event(fmt.Sprint("evt_more_", i), "Nog een", "Foyer", "22:30", "23:15", 50)
			}
		}, "Nog een"},
		{"after midnight the evening before has ended", at("00:30").AddDate(0, 0, 1), func(testing.TB) *house {
			h := newHouse()
			h.event("evt_before", "Nachtconcert", "Grote Zaal", "21:30", "21:45", 50)
			visitor(h, "evt_before", at("21:40"))
			h.event("evt_night", "Na middernacht", "Foyer", "00:01", "00:05", 50, onDay(1), func(e *record.Event) { e.EndsAt = e.StartsAt.Add(15 * time.Minute) })
			visitor(h, "evt_night", at("00:03").AddDate(0, 0, 1))
			return h
		}, func(h *house) { visitor(h, "evt_before", at("21:40"), at("00:29").AddDate(0, 0, 1)) }, "over since 00:20"},
	} {
		r, h := renderer(t), test.house(t)
		h.health, h.asOf = healthy(test.now), test.now
		last := content(t, r, tonight, h.snapshot(), test.now)
		test.change(h)
		want := content(t, renderer(t), tonight, h.snapshot(), test.now)
		got, err := r.Content(tonight, h.snapshot(), test.now, last)
		if err != nil || got.Token() != want.Token() {
			t.Errorf("%s: Tonight is not what is rendered from nothing (%v)", test.name, err)
		}
		if before, then := rowsOf(last), rowsOf(want); strings.Contains(before, test.shown) || !strings.Contains(then, test.shown) {
			t.Errorf("%s: %q is not new in the rows:\n%s\nthen\n%s", test.name, test.shown, before, then)
		}
	}
}

// rowsOf are the rows of Tonight as they are read.
func rowsOf(c live.Content) string {
	var b strings.Builder
	for n := range 16 {
		b.WriteString(c.HTML[fmt.Sprintf("shows-%02d", n)])
	}
	return text(b.String())
}

// Who loads a page that others look at is shown what was rendered for them, for as long as it
// is of the same figures, minute and access.
func TestPageOfWhatOthersLookAt(t *testing.T) {
	r, h := renderer(t), busy(t)
	s := h.snapshot()
	door := view{page: "tonight"}.as(web.Door)
	const mark = "<p>rendered for others</p>"
	content(t, r, tonight, s, showTime).HTML["head"] += mark
	for _, test := range []struct {
		name string
		page func() string
		want bool
	}{
		{"another access", func() string { return page(t, r, door, s, showTime) }, false},
		{"the same", func() string { return page(t, r, tonight, s, showTime.Add(10*time.Second)) }, true},
		{"after a sale", func() string {
			mat := s.Event("evt_mat").Event
			h.sell(&mat, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
			return page(t, r, tonight, h.snapshot(), showTime.Add(11*time.Second))
		}, false},
	} {
		if got := strings.Contains(test.page(), mark); got != test.want {
			t.Errorf("%s: taken over %v, want %v", test.name, got, test.want)
		}
	}
	content(t, r, tonight, s, showTime).HTML["head"] += mark
	later := showTime.Add(time.Hour) // when a performance is on
	if page(t, r, tonight, s, later) != page(t, renderer(t), tonight, s, later) {
		t.Error("the page of an hour later is not what is rendered from nothing")
	}
}

// What is remembered is of the running minute and of so many requests.
func TestRememberedIsBounded(t *testing.T) {
	r, s := renderer(t), small(t).snapshot()
	for i := range 3 * web.MostRecent {
		content(t, r, eventView(fmt.Sprint("evt_", i)).as(web.Door), s, showTime)
	}
	if n := r.Remembered(); n != web.MostRecent {
		t.Errorf("%d requests are remembered, want %d", n, web.MostRecent)
	}
	content(t, r, tonight, s, showTime.Add(time.Minute))
	if n := r.Remembered(); n != 1 {
		t.Errorf("a minute later %d requests are remembered", n)
	}
}

// Pages are loaded while the hub renders, before and after sales, and each is of its figures.
func TestPagesWhileTheHubRenders(t *testing.T) {
	r, h := renderer(t), busy(t)
	var group sync.WaitGroup
	last := live.Content{}
	for range 8 {
		mat := h.snapshot().Event("evt_mat").Event
		h.sell(&mat, sale{from: showTime.Add(-time.Minute), to: showTime, paid: 1, scans: true})
		s := h.snapshot()
		want := page(t, renderer(t), tonight, s, showTime)
		group.Go(func() {
			for range 5 {
				var b bytes.Buffer
				if err := r.Page(&b, web.Frame{Request: tonight, Snapshot: s, Now: showTime, User: "Fatima <b>"}); err != nil || b.String() != want {
					t.Errorf("another page than from nothing (%v)", err)
				}
			}
		})
		var err error
		if last, err = r.Content(tonight, s, showTime, last); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
}
