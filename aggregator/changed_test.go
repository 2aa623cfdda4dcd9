package aggregator_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// What changed since a moment or a position: the places sold and cancelled, the figures of each performance
// that is not what it was, also of one that only shares a payment, and the records that made it.
func TestChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := followStreams(t, db, append(slices.Clone(streams), aggregator.Stream{Name: "payments", Kinds: []record.Kind{record.KindPayment}}))
		defer h.stop()
		ticketOf := func(id, event, order string) *record.Ticket {
			r := ticket(id, event)
			r.OrderID = order
			return r
		}
		later := func(r *record.Ticket, s record.TicketStatus) *record.Ticket {
			r.Status, r.UpdatedAt = s, began.Add(time.Minute)
			return r
		}
		pay := func(id, order string, amount int64) *record.Payment {
			return &record.Payment{ID: id, OrderID: order, Amount: record.Money{Amount: amount, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began}
		}
		line := func(c catalogue.Changed, err error) string {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, e := range c.Events {
				name := "none"
				if e.After != nil {
					name = e.After.ID
				}
				if e.Before == nil {
					name = "new " + name
				}
				line := fmt.Sprintf("%s +%d −%d", name, e.Sold, e.Cancelled)
				for _, k := range []figures.Key{figures.KeySold, figures.KeyReserved, figures.KeyBooked, figures.KeyNet} {
					if by := e.Of(k); len(by.Amount) > 0 {
						line += fmt.Sprintf(" %s %+d", k, by.Amount.In("EUR"))
					} else if by.Count != 0 {
						line += fmt.Sprintf(" %s %+d", k, by.Count)
					}
				}
				lines = append(lines, line)
			}
			var ids []string
			for _, r := range c.Records {
				ids = append(ids, r.ID)
			}
			if c.Aside > 0 {
				ids = append(ids, fmt.Sprint("aside ", c.Aside))
			}
			return fmt.Sprintf("after %d: %s; %d %q", c.After, strings.Join(lines, ", "), c.All, ids)
		}
		states := []aggregator.StreamState{read("events"), read("tickets"), read("payments")}
		h.append(states, event("a", 10, 0), event("b", 10, 0), ticketOf("t1", "a", "o1"), ticketOf("t2", "a", "o2"), later(ticketOf("t3", "b", "o2"), record.TicketReserved), ticketOf("t6", "b", "o6"))
		first := time.Now()
		time.Sleep(time.Hour)
		h.append(nil, ticketOf("t4", "a", "o4"), pay("p", "o2", 4000), event("c", 5, 0))
		second := time.Now()
		time.Sleep(time.Hour)
		refunded := ticketOf("t1", "a", "o1")
		refunded.UpdatedAt = began.Add(time.Hour)
		refunded.Status, refunded.CancelledAt = record.TicketRefunded, began.Add(time.Hour)
		moved := event("b", 10, time.Hour)
		moved.Date = "2000-01-08"
		h.append(nil, refunded, moved)
		between := func(since, until catalogue.Moment, kept time.Duration) string {
			return line(h.Changed(t.Context(), since, until, kept, time.Now()))
		}
		since := func(at time.Time, after int64, kept time.Duration) string {
			return between(catalogue.Moment{At: at, Revision: after}, catalogue.Moment{}, kept)
		}
		for _, c := range []struct{ name, got, want string }{
			{"since the second", since(second, 0, 0), `after 9: a +0 −1 sold -1 booked -2500, b +0 −0; 2 ["b" "t1"]`},
			{"since the first", since(first, 0, 0), `after 6: a +1 −1 net +4000, new c +0 −0, b +0 −0; 5 ["b" "t1" "c" "p" "t4"]`},
			{"since a position", since(time.Time{}, 7, 0), `after 7: a +0 −1 sold -1 booked -2500 net +4000, new c +0 −0, b +0 −0; 4 ["b" "t1" "c" "p"]`},
			{"since now", since(time.Now(), 0, 0), `after 11: ; 0 []`},
			{"since the newest position", since(time.Time{}, 11, time.Hour), `after 11: ; 0 []`},
			{"between the two", between(catalogue.Moment{At: first}, catalogue.Moment{At: second}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000, new c +0 −0; 3 ["c" "p" "t4"]`},
			{"between two positions", between(catalogue.Moment{Revision: 6}, catalogue.Moment{Revision: 8}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000; 2 ["p" "t4"]`},
			{"up to what is not there yet", between(catalogue.Moment{At: second}, catalogue.Moment{Revision: 99}, 0), `after 9: a +0 −1 sold -1 booked -2500, b +0 −0; 2 ["b" "t1"]`},
			{"two moments, the later first", between(catalogue.Moment{At: second}, catalogue.Moment{At: first}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000, new c +0 −0; 3 ["c" "p" "t4"]`},
			{"two positions, the later first", between(catalogue.Moment{Revision: 8}, catalogue.Moment{Revision: 6}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000; 2 ["p" "t4"]`},
			{"a position after a moment", between(catalogue.Moment{Revision: 9}, catalogue.Moment{At: first}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000, new c +0 −0; 3 ["c" "p" "t4"]`},
			{"a moment after a position", between(catalogue.Moment{At: second}, catalogue.Moment{Revision: 6}, 0), `after 6: a +1 −0 sold +1 booked +2500 net +4000, new c +0 −0; 3 ["c" "p" "t4"]`},
			{"a position before what is stored, the later first", between(catalogue.Moment{At: time.Now()}, catalogue.Moment{Revision: 6}, time.Hour), `after 9: a +0 −1 sold -1 booked -2500, b +0 −0; 2 ["b" "t1"]`},
			{"since before it is stored", since(first, 0, time.Hour), `after 9: a +0 −1 sold -1 booked -2500, b +0 −0; 2 ["b" "t1"]`},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
			}
		}
		stored, kept := first.Truncate(time.Minute).Add(time.Minute), time.Now().Add(-90*time.Minute)
		for _, c := range []struct {
			name         string
			since, until time.Time
			keep         time.Duration
			from         time.Time // when it begins instead, zero if nothing is known
			want         string
		}{
			{"before anything was stored", first.Add(-time.Hour), time.Time{}, 0, stored, `after 6: a +1 −1 net +4000, new c +0 −0, b +0 −0; 5 ["b" "t1" "c" "p" "t4"]`},
			{"of what is stored no more", first, time.Time{}, 90 * time.Minute, kept, `after 6: a +1 −1 net +4000, new c +0 −0, b +0 −0; 5 ["b" "t1" "c" "p" "t4"]`},
			{"until what is stored no more", first, first.Add(time.Minute), time.Hour, time.Time{}, "after 6: ; 0 []"},
		} {
			got, err := h.Changed(t.Context(), catalogue.Moment{At: c.since}, catalogue.Moment{At: c.until}, c.keep, time.Now())
			if said := line(got, err); said != c.want {
				t.Errorf("%s: %s, want %s", c.name, said, c.want)
			}
			if known := !c.from.IsZero(); got.Gone == known || got.Cut != known || known && (!got.From.Equal(c.from) || !got.StoredFrom.Equal(c.from)) {
				t.Errorf("%s: %+v, want from %s", c.name, got, c.from)
			}
		}
		for name, asked := range map[string]struct {
			until catalogue.Moment
			now   time.Time
		}{"in the first minute of the log": {now: first.Add(time.Second)}, "until a position that is stored no more": {catalogue.Moment{Revision: 7}, time.Now()}} {
			keep := time.Duration(0)
			if asked.until.Revision > 0 {
				keep = time.Hour
			}
			if c, err := h.Changed(t.Context(), catalogue.Moment{At: first.Add(-time.Hour)}, asked.until, keep, asked.now); err != nil || !c.Gone || c.Cut || c.All > 0 {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
		}
		if c, err := h.Changed(t.Context(), catalogue.Moment{At: second}, catalogue.Moment{}, 0, time.Now()); err != nil || c.Events[1].Before.Date != "2000-01-01" || c.Events[1].After.Date != "2000-01-08" {
			t.Errorf("b was moved: %+v, %v", c.Events, err)
		}
	})
}

// What is read while a list is read for the first time is what there was: it is no change, however long that takes. Until it
// has ended nothing is said.
func TestChangedSinceAFirstRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		visit, reading := time.Now(), read("tickets")
		reading.Since = time.Time{}
		h.append([]aggregator.StreamState{read("events"), reading, read("payments")}, event("a", 10, 0))
		time.Sleep(30 * time.Minute)
		h.append(nil, ticket("t1", "a"), ticket("t2", "a"))
		time.Sleep(30 * time.Minute)
		since := func() catalogue.Changed {
			t.Helper()
			c, err := h.Changed(t.Context(), catalogue.Moment{At: visit}, catalogue.Moment{}, 0, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if c := since(); !c.Gone || !c.Reading || c.All > 0 || !c.StoredFrom.Equal(time.Now()) {
			t.Errorf("while it is read: %+v", c)
		}
		done := read("tickets")
		done.Synced = time.Now()
		h.append([]aggregator.StreamState{done}, ticket("t3", "a"))
		time.Sleep(time.Hour)
		h.append(nil, ticket("t4", "a"))
		if c := since(); c.Gone || c.Reading || !c.Cut || c.All != 1 || len(c.Events) != 1 || c.Events[0].Sold != 1 || !c.From.Equal(done.Synced.Truncate(time.Minute).Add(time.Minute)) {
			t.Errorf("after it was read: %+v", c)
		}
	})
}

// slowLog is a log of which versions are read by their revisions in some time, and those after one in some other.
type slowLog struct {
	*logtest.Log
	took, search time.Duration
}

func (l *slowLog) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	select {
	case <-time.After(l.search):
		return l.Log.Versions(ctx, after)
	case <-ctx.Done():
		return func(yield func(record.Version, error) bool) { yield(record.Version{}, ctx.Err()) }
	}
}

func (l *slowLog) At(ctx context.Context, revisions []int64) ([]record.Version, error) {
	select {
	case <-time.After(l.took):
		return l.Log.At(ctx, revisions)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// However much changed, and however long reading takes, there is an answer: the performances that changed last
// are compared, as many as there is time for, and the newest records are listed. A log that cannot be read is an
// error.
func TestChangedOfMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		log := &slowLog{Log: db.Open()}
		h := followLog(t, db, log.Log, log, streams)
		defer h.stop()
		var events, sales []record.Record
		for i := range 8 {
			events = append(events, event(fmt.Sprint("e", i), 10, 0))
			sales = append(sales, ticket(fmt.Sprint("t", i), fmt.Sprint("e", (i+3)%8)))
		}
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, events...)
		time.Sleep(time.Minute)
		before := time.Now()
		time.Sleep(time.Minute)
		h.append(nil, sales...)
		changed := func() string {
			t.Helper()
			c, err := h.Changed(t.Context(), catalogue.Moment{Revision: 8}, catalogue.Moment{}, 0, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if c.Late {
				return "late"
			}
			line := fmt.Sprintf("%d of %d, at most %v:", len(c.Records), c.All, c.AllAtMost)
			for _, e := range c.Events {
				line += " " + e.After.ID
			}
			return fmt.Sprint(line, ", aside ", c.Aside)
		}
		if got, want := changed(), "8 of 8, at most false: e0 e1 e2 e3 e4 e5 e6 e7, aside 0"; got != want {
			t.Errorf("in time: %s, want %s", got, want)
		}
		log.took = 1400 * time.Millisecond
		if got, want := changed(), "8 of 8, at most false: e0 e1 e2 e7, aside 4"; got != want {
			t.Errorf("slowly: %s, want %s", got, want)
		}
		log.took = 4 * time.Second
		if got, want := changed(), "0 of 8, at most true: e2, aside 7"; got != want {
			t.Errorf("more slowly: %s, want %s", got, want)
		}
		log.took = 7 * time.Second
		if got, want := changed(), "0 of 8, at most true:, aside 8"; got != want {
			t.Errorf("where the positions take most of the time: %s, want %s", got, want)
		}
		log.took = 10 * time.Second
		if got := changed(); got != "late" {
			t.Errorf("where the positions are not found in time: %s", got)
		}
		// A moment is found by a few revisions at a time: reading the log from there on takes too long to do it often.
		log.took, log.search = 100*time.Millisecond, 4*time.Second
		if c, err := h.Changed(t.Context(), catalogue.Moment{At: before}, catalogue.Moment{}, 0, time.Now()); err != nil || c.Late || c.After != 8 || len(c.Events) != 8 {
			t.Errorf("by a moment, where the log takes long: late %v, after %d, %d performances, %v", c.Late, c.After, len(c.Events), err)
		}
		log.took, log.search = 0, 0
		var more []record.Record
		for i := range 6000 {
			more = append(more, ticket(fmt.Sprint("more", i), "e5"))
		}
		h.append(nil, more...)
		if got, want := changed(), fmt.Sprint(catalogue.RecordsChanged, " of 6008, at most true: e0 e1 e2 e3 e4 e5 e6 e7, aside 0"); got != want {
			t.Errorf("much: %s, want %s", got, want)
		}
		db.Set(func() { db.FailRead = errors.New("the disk has a hole") })
		if _, err := h.Changed(t.Context(), catalogue.Moment{Revision: 8}, catalogue.Moment{}, 0, time.Now()); err == nil {
			t.Error("a log that cannot be read is no error")
		}
		db.Set(func() { db.FailRead = nil })
	})
}
