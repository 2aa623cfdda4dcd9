package poller_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

func TestRefusedRecords(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		for n := range 25 {
			bad := sale(fmt.Sprint("tkt_bad", n), "evt_big")
			bad.Seat = "bad"
			s.put(bad)
		}
		h := run(t, s, logtest.New())
		refused := func() []string {
			var ids []string
			for _, d := range h.Snapshot().Diagnostics {
				if d.Code == "refused_record" {
					ids = append(ids, d.ID)
				}
			}
			return ids
		}
		if got := refused(); len(got) != 20 || got[19] != "tkt_bad24" {
			t.Errorf("listed %v", got)
		}
		if got := h.sold("evt_big"); got != 6 || !h.health("tickets").Complete {
			t.Errorf("%d places sold, complete %v; a refused record should stop nothing", got, h.health("tickets").Complete)
		}
		pass(time.Minute) // they come again with every poll
		lines := h.logs.String()
		if n := strings.Count(lines, "record refused"); n != 25 || !strings.Contains(lines, `stream=tickets kind=ticket id=tkt_bad7 field=seat why="is bad"`) {
			t.Errorf("%d lines for 25 refused records:\n%s", n, lines)
		}
		if got := h.health("tickets").Refused; got != 25 {
			t.Errorf("%d records refused, want 25", got)
		}
		for n := range 25 {
			s.put(sale(fmt.Sprint("tkt_bad", n), "evt_big"))
		}
		pass(4 * time.Second)
		if got := refused(); len(got) != 0 || h.sold("evt_big") != 56 {
			t.Errorf("listed %v after all were mended; %d places sold, want 56", got, h.sold("evt_big"))
		}
	})
}

// A row that became no record of any kind is reported under its list until a whole read without it.
func TestRefusedRow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "garbled"
		s.put(bad)
		h := run(t, s, logtest.New())
		if got := h.Snapshot().Diagnostics; len(got) != 1 || got[0].Code != "refused_record" || got[0].Text.String() != "a row of tickets is no object" {
			t.Errorf("diagnostics %+v", got)
		}
		s.put(sale("tkt_bad", "evt_big"))
		pass(secondNight)
		if got := h.Snapshot().Diagnostics; len(got) != 0 {
			t.Errorf("diagnostics %+v after it was mended", got)
		}
	})
}

// A service with nothing but invalid records does not fill the log.
func TestRefusedRecordsAreLoggedInBounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		for n := range 1500 {
			bad := sale(fmt.Sprint("tkt_bad", n), "evt_big")
			bad.Seat = "bad"
			s.put(bad)
		}
		h := run(t, s, logtest.New())
		pass(time.Minute)
		lines := h.logs.String()
		if n, more := strings.Count(lines, "record refused"), strings.Count(lines, "not logged"); n != 200 || more != 1 {
			t.Errorf("%d lines, and %d that say there are more", n, more)
		}
	})
}

// refuse makes n tickets of an event that the client refuses, with ids of name and a number, or
// without ids if name is empty.
func (s *service) refuse(event, name string, n int) {
	for i := range n {
		bad := sale("", event)
		if bad.Seat = "bad"; name != "" {
			bad.ID = fmt.Sprint(name, i)
		}
		s.set(func() { s.rows["tickets"] = append(s.rows["tickets"], bad) })
	}
}

// However many tickets are refused, with or without ids, no figure of their events is exact, and
// what is written about them stays small.
func TestManyRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		s.refuse("evt_small", "", 50)
		s.refuse("evt_later", "", 50)
		s.refuse("evt_big", "", 50)
		s.refuse("evt_big", "tkt_bad", 1000)
		s.refuse("evt_past", "tkt_worse", 5)
		s.refuse("evt_past", "", 50)
		h := run(t, s, db)
		check := func(when string) {
			t.Helper()
			if got := h.health("tickets").Refused; got != 1205 {
				t.Errorf("%s: %d refused, want 1205", when, got)
			}
			for _, e := range h.Snapshot().Events {
				if got := say(e.Sold); got != "at least 6 refused" {
					t.Errorf("%s: sold of %s %q", when, e.Event.ID, got)
				}
			}
			if text, err := json.Marshal(db.State("tickets")); err != nil || len(text) > 25_000 {
				t.Errorf("%s: a state of %d bytes; %v", when, len(text), err)
			}
		}
		check("after the first sync")
		pass(time.Minute)
		check("a minute later")
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		h = run(t, s, db)
		check("after a restart")
		s.set(func() {
			s.rows["tickets"] = slices.DeleteFunc(s.rows["tickets"], func(r record.Record) bool { return r.(*record.Ticket).Seat == "bad" })
		})
		pass(secondNight)
		if got := h.health("tickets").Refused; got != 0 {
			t.Errorf("%d refused after they have gone", got)
		}
	})
}

// If tickets of more events are refused than are counted separately, no event is exact.
func TestRefusedOfManyEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		for n := range 2300 {
			s.refuse(fmt.Sprint("evt_", n), fmt.Sprint("tkt_bad", n, "_"), 1)
		}
		s.put(eveningEvent("evt_2", 20*time.Hour), eveningEvent("evt_2299", 20*time.Hour))
		h := run(t, s, logtest.New())
		if got := h.health("tickets").Refused; got != 2300 {
			t.Errorf("%d refused, want 2300", got)
		}
		for _, e := range h.Snapshot().Events {
			if got := say(e.Sold); !strings.HasPrefix(got, "at least") {
				t.Errorf("sold of %s %q", e.Event.ID, got)
			}
		}
	})
}

// Refused records that are then deleted, or were corrected too long ago for a poll to bring them,
// are forgotten with the next whole read; those refused in it again stay. The same holds if other
// lists give the kind too, and after a restart.
func TestRefusedAndGone(t *testing.T) {
	for name, lists := range map[string][]string{"the only list": {"tickets"}, "one of two": {"tickets", "transfers"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				all := []apiclient.Stream{{Name: "events", Gives: []record.Kind{record.KindEvent}}}
				for _, list := range lists {
					all = append(all, apiclient.Stream{Name: list, Gives: []record.Kind{record.KindTicket}})
				}
				s, db := withLists(all...), logtest.New()
				for _, id := range []string{"evt_big", "evt_small", "evt_later"} {
					s.put(eveningEvent(id, 20*time.Hour))
				}
				gone, stays := sale("tkt_gone", "evt_big"), sale("tkt_stays", "evt_small")
				gone.Seat, stays.Seat = "bad", "bad"
				s.put(gone, stays)
				s.refuse("evt_later", "", 7)
				s.refuse("evt_small", "", 2)
				h := run(t, s, db)
				if got := h.health("tickets").Refused; got != 11 {
					t.Fatalf("%d refused, want 11", got)
				}
				s.drop(gone)
				s.set(func() { // one of each event is left
					seen := map[string]bool{}
					s.rows["tickets"] = slices.DeleteFunc(s.rows["tickets"], func(r record.Record) bool {
						k := r.(*record.Ticket)
						twice := k.ID == "" && (k.EventID == "evt_later" || seen[k.EventID])
						seen[k.EventID] = seen[k.EventID] || k.ID == ""
						return twice
					})
				})
				pass(time.Hour)
				if err := h.stop(); err != nil {
					t.Fatal(err)
				}
				h = run(t, s, db)
				if got := h.health("tickets").Refused; got != 11 {
					t.Errorf("%d refused before a whole read, want 11", got)
				}
				pass(secondNight)
				if got := h.health("tickets").Refused; got != 2 {
					t.Errorf("%d refused after it, want the one that stays and one without an id", got)
				}
				for event, refused := range map[string]bool{"evt_big": false, "evt_small": true, "evt_later": false} {
					if got := say(h.Snapshot().Event(event).Sold); strings.Contains(got, "refused") != refused {
						t.Errorf("sold of %s %q", event, got)
					}
				}
			})
		})
	}
}

// What was forgotten by a whole read and is then refused again is listed again.
func TestRefusedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		h := run(t, s, logtest.New())
		pass(secondNight) // from then on no changes are asked for on its account
		s.drop(bad)
		pass(secondNight)
		if got := h.health("tickets").Refused; got != 0 {
			t.Errorf("%d refused after a whole read without it, want none", got)
		}
		again := sale("tkt_bad", "evt_big")
		again.Seat = "bad"
		s.put(again)
		pass(time.Hour)
		if got := h.health("tickets").Refused; got != 1 {
			t.Errorf("%d refused, want the one that is back", got)
		}
	})
}

// A whole read with fewer rows than its total forgets nothing.
func TestRefusedAndShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.refuse("evt_big", "tkt_bad", 1)
		h := run(t, s, logtest.New())
		s.set(func() { s.most = 5 })
		pass(secondNight)
		if got := h.health("tickets").Refused; got != 1 {
			t.Errorf("%d refused, want 1", got)
		}
	})
}

// Refusals are known after a restart until the records come in a valid form.
func TestRefusedAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		h := run(t, s, db)
		want := h.Snapshot().Diagnostics
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour) // outside the overlap, so it does not come again
		h = run(t, s, db)
		if got, want := say(h.Snapshot().Event("evt_big").Sold), "at least 6 refused"; got != want {
			t.Errorf("sold %q, want %q", got, want)
		}
		if got := h.Snapshot().Diagnostics; !reflect.DeepEqual(got, want) || len(got) != 1 || h.health("tickets").Refused != 1 {
			t.Errorf("diagnostics %+v after the restart, want %+v", got, want)
		}
		if got := db.State("tickets").Refused; len(got) != 1 || got[0].Since.IsZero() {
			t.Errorf("the log has %+v", got)
		} else if got[0].Since = (time.Time{}); !reflect.DeepEqual(got[0], aggregator.RefusedRecord{Kind: "ticket", ID: "tkt_bad", EventID: "evt_big", Field: "seat", Why: record.Say("is bad")}) {
			t.Errorf("the log has %+v", got)
		}
		s.put(sale("tkt_bad", "evt_big"))
		pass(4 * time.Second)
		if got := h.Snapshot().Diagnostics; len(got) != 0 || len(db.State("tickets").Refused) != 0 {
			t.Errorf("diagnostics %+v after it was mended", got)
		}
		if got := say(h.Snapshot().Event("evt_big").Sold); got != "8" {
			t.Errorf("sold %q, want 8", got)
		}
	})
}
