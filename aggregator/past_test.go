package aggregator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// seen appends records that were seen so long after began.
func seen(t *testing.T, db *logtest.Database, after time.Duration, records ...record.Record) {
	t.Helper()
	if _, err := db.Open().Append(t.Context(), aggregator.Batch{SeenAt: began.Add(after), Records: records}); err != nil {
		t.Fatal(err)
	}
}

// sayPast returns a past in short: minutes after began, available, sold, present and net.
func sayPast(past []figures.MinuteFigures) string {
	var texts []string
	for _, m := range past {
		available := "-"
		if m.Available != nil {
			available = fmt.Sprint(*m.Available)
		}
		texts = append(texts, fmt.Sprintf("%d:%s/%d/%d/%d", m.Minute-began.Unix()/60, available, m.Sold, m.Present, m.Net.In("EUR")))
	}
	return strings.Join(texts, " ")
}

// The past of a performance has each minute in which its figures changed, as they were at the end of it.
func TestPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		paid := &record.Payment{ID: "p", EventID: "a", Amount: record.Money{Amount: 2500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began}
		seen(t, db, 0, event("a", 90, 0), event("b", 50, 0))
		seen(t, db, 10*time.Second, ticket("1", "a"))
		seen(t, db, time.Minute, paid)
		seen(t, db, 3*time.Minute, event("a", 89, time.Minute), event("b", 50, time.Minute)) // b has the same figures
		seen(t, db, 2*time.Minute, ticket("2", "a"))                                         // by a clock that went back
		in := ticket("2", "a")
		in.Scans, in.UpdatedAt = []record.Scan{{At: began, Direction: record.Entry}}, began.Add(time.Minute)
		seen(t, db, 5*time.Minute, in, &record.WalkIn{ID: "w", EventID: "b", Count: 3, At: began})
		h := follow(t, db)
		defer h.stop()
		at := func(event string, kept, now time.Duration) string {
			t.Helper()
			past, err := h.Past(t.Context(), event, kept, began.Add(now))
			if err != nil {
				t.Fatal(err)
			}
			return sayPast(past)
		}
		for _, c := range []struct {
			event     string
			kept, now time.Duration
			want      string
		}{
			{"a", 0, 5*time.Minute + 30*time.Second, "0:90/1/0/0 1:90/1/0/2500 3:89/2/0/2500"}, // the fifth minute is still running
			{"a", 0, 6 * time.Minute, "0:90/1/0/0 1:90/1/0/2500 3:89/2/0/2500 5:89/2/1/2500"},
			{"a", 3 * time.Minute, 5*time.Minute + 30*time.Second, "3:89/2/0/2500"}, // what was before is in the first minute that is known
			{"a", 4 * time.Minute, 6 * time.Minute, "3:89/2/0/2500 5:89/2/1/2500"},
			{"b", 0, 9 * time.Minute, "0:50/0/0/0 5:50/0/3/0"},
			{"none", 0, 9 * time.Minute, ""},
		} {
			if got := at(c.event, c.kept, c.now); got != c.want {
				t.Errorf("the past of %s at %v, stored for %v, is %s, want %s", c.event, c.now, c.kept, got, c.want)
			}
		}
		seen(t, db, 7*time.Minute, event("a", 80, 2*time.Minute))
		time.Sleep(2 * time.Second) // it is published
		if got, want := at("a", 0, 8*time.Minute), "0:90/1/0/0 1:90/1/0/2500 3:89/2/0/2500 5:89/2/1/2500 7:80/2/1/2500"; got != want {
			t.Errorf("after another version the past is %s, want %s", got, want)
		}
	})
}

// A version that was seen by a clock far ahead, or far behind, hides no minute after it.
func TestPastOfWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		seen(t, db, 0, event("a", 90, 0))
		seen(t, db, 400*24*time.Hour, event("a", 89, time.Minute))
		seen(t, db, 2*time.Minute, event("a", 88, 2*time.Minute))
		seen(t, db, 3*time.Minute, event("a", 87, 3*time.Minute))
		h := follow(t, db)
		defer h.stop()
		past, err := h.Past(t.Context(), "a", 0, began.Add(time.Hour))
		if got, want := sayPast(past), "0:90/0/0/0 2:88/0/0/0 3:87/0/0/0"; err != nil || got != want {
			t.Errorf("the past is %s (%v), want %s", got, err, want)
		}
	})
}

// While the log does not answer, the past that was last known stays, and the log is left alone for a minute.
func TestPastSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		seen(t, db, 0, event("a", 90, 0))
		h := follow(t, db)
		defer h.stop()
		soon := func(now time.Duration) string {
			return sayPast(h.PastSoon(t.Context(), "a", 0, began.Add(now), time.Second))
		}
		if got := soon(time.Minute); got != "0:90/0/0/0" {
			t.Fatalf("the past is %s", got)
		}
		seen(t, db, time.Minute, event("a", 80, time.Minute))
		time.Sleep(2 * time.Second) // it is published
		db.Set(func() { db.FailRead = errors.New("no database") })
		if got := soon(2 * time.Minute); got != "0:90/0/0/0" {
			t.Errorf("without the log the past is %s", got)
		}
		db.Set(func() { db.FailRead = nil })
		if got := soon(2 * time.Minute); got != "0:90/0/0/0" {
			t.Errorf("the log was asked again at once: %s", got)
		}
		time.Sleep(time.Minute)
		if got := soon(2 * time.Minute); got != "0:90/0/0/0 1:80/0/0/0" {
			t.Errorf("a minute later the past is %s", got)
		}
	})
}

// What is known in part, while a list is first read, is not of the moment: the past begins when the last list was read. A list
// that only fails is not waited for.
func TestPastFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		now := began.Add(time.Hour)
		synced := func(name string, minutes int) aggregator.StreamState {
			at := began.Add(time.Duration(minutes) * time.Minute)
			return aggregator.StreamState{Name: name, Since: at, Synced: at}
		}
		h := follow(t, db)
		defer h.stop()
		check := func(when string, want string, states []aggregator.StreamState, records ...record.Record) {
			t.Helper()
			if _, err := db.Open().Append(t.Context(), aggregator.Batch{SeenAt: began, Records: records, Streams: states}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second) // it is published
			restarted := follow(t, db)
			defer restarted.stop()
			for name, h := range map[string]*house{"live": h, "restarted": restarted} {
				got := "never"
				if from := h.PastFrom(0, now); !from.IsZero() {
					got = fmt.Sprint(int(from.Sub(began.Truncate(time.Minute)).Minutes()))
				}
				past, err := h.Past(t.Context(), "a", 0, now)
				if got != want || err != nil || (past == nil) != (want == "never") {
					t.Errorf("%s, %s: the past is known from %s (%s, %v), want %s", when, name, got, sayPast(past), err, want)
				}
			}
		}
		check("under way", "never", []aggregator.StreamState{synced("events", 0), {Name: "tickets", Read: 1, Total: 3}}, event("a", 90, 0))
		check("missed once", "never", []aggregator.StreamState{{Name: "tickets", Read: 2, Total: 3, Missed: 1}})
		check("ended", "3", []aggregator.StreamState{synced("tickets", 3)}, ticket("1", "a"))
		check("a list that only fails", "0", []aggregator.StreamState{{Name: "tickets", Read: 2, Total: 3, Missed: figures.FailingPolls, Fault: figures.FaultStale}})
		if from := h.PastFrom(10*time.Minute, now); from.Before(now.Add(-10*time.Minute)) || from.After(now) {
			t.Errorf("versions are stored for ten minutes, and the past is known from %v", from)
		}
	})
}

// A payment that is split over more performances than are folded for one of them makes the amounts of its past unknown, and
// nothing else.
func TestPastOfSplitPayment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			performances int
			unknown      bool
		}{{3, false}, {20, true}} {
			db := logtest.New()
			var ids []string
			for i := range c.performances {
				id := fmt.Sprint(i)
				sold := ticket(id, "e"+id)
				sold.OrderID, sold.Price = "o", &record.Money{Amount: 1000, Currency: "EUR"}
				seen(t, db, 0, event("e"+id, 90, 0), sold)
				ids = append(ids, id)
			}
			amount := record.Money{Amount: int64(1000 * c.performances), Currency: "EUR"}
			seen(t, db, time.Minute, &record.Payment{ID: "p", OrderID: "o", TicketIDs: ids, Amount: amount, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began})
			var states []aggregator.StreamState
			lists := slices.Concat(streams, []aggregator.Stream{{Name: "payments", Kinds: []record.Kind{record.KindPayment}}})
			for _, stream := range lists {
				states = append(states, aggregator.StreamState{Name: stream.Name, Since: began, Synced: began, LastGood: began.Add(time.Minute)})
			}
			if _, err := db.Open().Append(t.Context(), aggregator.Batch{SeenAt: began, Streams: states}); err != nil {
				t.Fatal(err)
			}
			h := followStreams(t, db, lists)
			past, err := h.Past(t.Context(), "e1", 0, began.Add(time.Hour))
			h.stop()
			if err != nil || len(past) == 0 {
				t.Fatalf("%d performances: %s (%v)", c.performances, sayPast(past), err)
			}
			last := past[len(past)-1]
			if last.NetUnknown != c.unknown || !c.unknown && last.Net.In("EUR") != 1000 || last.Sold != 1 {
				t.Errorf("%d performances: the last minute is %+v", c.performances, last)
			}
		}
	})
}
