package aggregator_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

var streams = []aggregator.Stream{
	{Name: "events", Kinds: []record.Kind{record.KindEvent}},
	{Name: "tickets", Kinds: []record.Kind{record.KindTicket}},
}

// began is before the clock of every bubble.
var began = time.Date(1999, 12, 31, 20, 0, 0, 0, time.UTC)

func event(id string, available int, updated time.Duration) *record.Event {
	return &record.Event{ID: id, Date: "2000-01-01", Available: new(available), UpdatedAt: began.Add(updated)}
}

func ticket(id, event string) *record.Ticket {
	return &record.Ticket{ID: id, EventID: event, Status: record.TicketValid, SoldAt: began, UpdatedAt: began,
		Price: &record.Money{Amount: 2500, Currency: "EUR"}}
}

// synced returns the state of a stream that was read a moment ago.
func synced(name string) aggregator.StreamState {
	return aggregator.StreamState{Name: name, Since: began, Whole: began, LastGood: time.Now(), Next: time.Now().Add(time.Second), Wait: time.Second, Took: time.Millisecond}
}

// house is figures that follow a database which the test appends to.
type house struct {
	*aggregator.Figures
	t    *testing.T
	db   *logtest.Database
	log  *logtest.Log
	stop func()

	mu      sync.Mutex
	changes []figures.Changes
}

func follow(t *testing.T, db *logtest.Database) *house { return followStreams(t, db, streams) }

func followStreams(t *testing.T, db *logtest.Database, streams []aggregator.Stream) *house {
	log := db.Open()
	return followLog(t, db, log, log, streams)
}

// followLog appends to its own log and follows it as another reads it.
func followLog(t *testing.T, db *logtest.Database, own *logtest.Log, log aggregator.Log, streams []aggregator.Stream) *house {
	h := &house{t: t, db: db, log: own}
	var err error
	h.Figures, err = aggregator.New(aggregator.Options{Log: log, Streams: streams, Published: func(c figures.Changes) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.changes = append(h.changes, c)
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	h.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
	return h
}

// append appends as the process that polls does, and returns what was published.
func (h *house) append(states []aggregator.StreamState, records ...record.Record) []figures.Changes {
	h.t.Helper()
	h.mu.Lock()
	h.changes = nil
	h.mu.Unlock()
	if _, err := h.log.Append(h.t.Context(), aggregator.Batch{SeenAt: time.Now(), Records: records, Streams: states}); err != nil {
		h.t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // for what is held back while much comes
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changes
}

func TestNew(t *testing.T) {
	if _, err := aggregator.New(aggregator.Options{}); err == nil {
		t.Error("figures without a log")
	}
	f, err := aggregator.New(aggregator.Options{Log: logtest.New().Open(), Streams: streams})
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Snapshot(); s == nil || len(s.Health.Streams) != 2 || f.Ready() {
		t.Errorf("before Run: %+v, ready %v", s, f.Ready())
	}
}

// A log that cannot be read at first is tried until it can; only the context ends Run.
func TestUnreadableLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		db.FailRead = errors.New("the disk has a hole")
		h := follow(t, db)
		time.Sleep(10 * time.Second)
		if h.Ready() {
			t.Error("ready without a log")
		}
		db.Set(func() { db.FailRead = nil })
		time.Sleep(3 * time.Second)
		if !h.Ready() {
			t.Error("not ready though the log can be read")
		}
		h.stop()

		db.Set(func() { db.FailRead = errors.New("the disk has a hole") })
		never := follow(t, db)
		never.stop() // in the middle of it: no error
		if never.Ready() {
			t.Error("ready without a log")
		}
	})
}

// A log that cannot be read for a while leaves the last figures, and says so.
func TestLogUnreadableForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		h.append([]aggregator.StreamState{synced("events"), synced("tickets")}, event("evt", 5, 0))
		h.db.Set(func() { h.db.FailRead = errors.New("connection refused") })
		h.append([]aggregator.StreamState{synced("events"), synced("tickets")}, event("evt_2", 5, 0))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		s := h.Snapshot()
		if got := s.Health.Streams[0]; len(s.Events) != 1 || s.Health.Light() != figures.Red || got.Fault != figures.FaultStale {
			t.Errorf("%d events, health %+v", len(s.Events), got)
		}
		h.db.Set(func() { h.db.FailRead = nil })
		time.Sleep(2 * time.Second)
		h.append([]aggregator.StreamState{synced("events"), synced("tickets")})
		if s := h.Snapshot(); len(s.Events) != 2 || s.Health.Light() != figures.Green {
			t.Errorf("%d events, light %s", len(s.Events), s.Health.Light())
		}
	})
}

// While news is not overdue nothing is published; when it is, that is said at once, and again
// with every poll that counts as missed.
func TestOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		events, tickets := synced("events"), synced("tickets")
		events.Wait, tickets.Wait = 15*time.Minute, time.Hour
		events.Next = time.Now().Add(-time.Hour) // by another clock
		h.append([]aggregator.StreamState{events, tickets})
		began := time.Now()
		count := func() int {
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			return len(h.changes)
		}
		for _, c := range []struct {
			at             time.Duration
			missed, beyond int // publications beyond the first
		}{{15*time.Minute + 19*time.Second, 0, 0}, {15*time.Minute + 20*time.Second, 2, 1}, {15*time.Minute + 39*time.Second, 2, 1}, {16*time.Minute + time.Second, 4, 3}} {
			time.Sleep(time.Until(began.Add(c.at)))
			if n, health := count(), h.Snapshot().Health.Streams; n != 1+c.beyond || health[0].Missed != c.missed || health[1].Missed != 0 {
				t.Errorf("after %v: %d publications, missed %d and %d; want %d, %d and 0", c.at, n, health[0].Missed, health[1].Missed, 1+c.beyond, c.missed)
			}
		}
		events.Next, events.Wait = time.Now().Add(time.Hour), time.Hour
		h.append([]aggregator.StreamState{events})
		if got := h.Snapshot().Health.Streams[0].Missed; got != 0 {
			t.Errorf("with news: missed %d", got)
		}
	})
}

// A first sync that goes on is news, however long it takes.
func TestFirstSyncIsNotOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		tickets := synced("tickets")
		tickets.Since, tickets.Whole = time.Time{}, time.Time{}
		for i, missed := range []int{0, 0, 0, 0, 2} {
			if missed == 0 {
				tickets.Read = 500 * (i + 1)
			}
			h.append([]aggregator.StreamState{tickets})
			time.Sleep(15 * time.Second)
			synctest.Wait()
			if got := h.Snapshot().Health.Streams[1]; got.Missed != missed {
				t.Errorf("after %d pages: missed %d, want %d", i+1, got.Missed, missed)
			}
		}
	})
}

// A publication says what changed.
func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		both := func() []aggregator.StreamState { return []aggregator.StreamState{synced("events"), synced("tickets")} }
		failed := synced("tickets")
		failed.Missed, failed.Fault = 1, figures.FaultServer
		refused := synced("tickets")
		refused.Refused = []aggregator.RefusedRecord{{Kind: record.KindTicket, ID: "tkt_bad", EventID: "evt_a", Field: "status", Why: record.Say("is missing")}}
		for _, c := range []struct {
			name    string
			states  []aggregator.StreamState
			records []record.Record
			want    figures.Changes
		}{
			{"first", both(), []record.Record{event("evt_a", 5, 0), event("evt_b", 5, 0)}, figures.Changes{Events: []string{"evt_a", "evt_b"}, All: true}},
			{"nothing found", both(), nil, figures.Changes{}},
			{"a sale", both(), []record.Record{ticket("tkt_1", "evt_b")}, figures.Changes{Events: []string{"evt_b"}}},
			// No list gave its event: that is a finding.
			{"a sale for no event", both(), []record.Record{ticket("tkt_2", "")}, figures.Changes{Unattributed: true, Findings: true}},
			{"a fault", []aggregator.StreamState{failed}, nil, figures.Changes{All: true}},
			{"a refused record", []aggregator.StreamState{refused}, nil, figures.Changes{Findings: true, All: true}},
		} {
			time.Sleep(time.Second)
			for i := range c.states { // each is of a poll of its own
				c.states[i].Next = time.Now().Add(time.Second)
			}
			if got := h.append(c.states, c.records...); len(got) != 1 || !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("%s: published %+v, want %+v", c.name, got, c.want)
			}
		}
	})
}

// What earlier versions reported stays known, in whatever process.
func TestHighestAvailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		for i, available := range []int{100, 5, 7} {
			h.append(nil, event("evt", available, time.Duration(i)*time.Second))
		}
		h.stop()
		again := follow(t, db)
		defer again.stop()
		for _, h := range []*house{h, again} {
			e := h.Snapshot().Event("evt")
			if c := e.Capacity; c.Value != 100 || c.Quality != figures.LowerBound || e.Available.Value != 7 {
				t.Errorf("available %d, capacity %+v; want at least 100", e.Available.Value, c)
			}
		}
		if !reflect.DeepEqual(h.Snapshot(), again.Snapshot()) {
			t.Error("a process that begins shows something else")
		}
	})
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		reached := make(chan error)
		go func() { reached <- h.Await(t.Context(), 2) }()
		h.append(nil, event("evt_1", 5, 0))
		select {
		case err := <-reached:
			t.Fatalf("at revision 1: %v", err)
		default:
		}
		h.append(nil, event("evt_2", 5, 0))
		if err := <-reached; err != nil || h.Snapshot().Position.Revision < 2 {
			t.Errorf("%v at %+v", err, h.Snapshot().Position)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Await(ctx, 3); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v for what never comes", err)
		}
	})
}

func TestEventsOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		h.append(nil, event("evt", 5, 0), ticket("tkt", "evt"))
		if got := h.EventsOf(&record.TicketScan{ID: "scn", TicketID: "tkt"}); !slices.Equal(got, []string{"evt"}) {
			t.Errorf("a scan belongs to %q", got)
		}
	})
}

// The last twenty refused records are listed, those of all streams.
func TestRefusedAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		s := synced("tickets")
		for i := range 25 {
			s.Refused = append(s.Refused, aggregator.RefusedRecord{Kind: record.KindTicket, ID: fmt.Sprint("tkt_", i), Field: "price", Why: record.Say("is missing")})
		}
		s.Refused = append(s.Refused, aggregator.RefusedRecord{Why: record.Say("is no object")})
		h.append([]aggregator.StreamState{s})
		got := h.Snapshot().Diagnostics
		if len(got) != 20 || got[18].ID != "tkt_24" || got[18].Text.String() != "price is missing" || got[19].Text.String() != "a row of tickets is no object" {
			t.Errorf("listed %+v", got)
		}
		if got := h.Snapshot().Health.Streams[1].Refused; got != 26 {
			t.Errorf("%d refused, want 26", got)
		}
	})
}

// A log that was restored, and has grown to where it was before a follower looked, is noticed:
// another tenure began before what the follower has.
func TestLogRestoredUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		defer h.stop()
		lead := func(r record.Record) {
			ended := errors.New("ended")
			if err := h.log.Lead(t.Context(), func(ctx context.Context, term int64) error {
				_, err := h.log.Append(ctx, aggregator.Batch{Term: term, SeenAt: time.Now(), Records: []record.Record{r}})
				return errors.Join(err, ended)
			}); !errors.Is(err, ended) {
				t.Fatal(err)
			}
		}
		lead(event("a", 1, 0))
		backup := db.Copy()
		lead(event("lost", 1, 0))
		time.Sleep(time.Second)
		before := h.Snapshot()
		if before.Event("lost") == nil {
			t.Fatal("the event is not shown")
		}
		db.Set(func() { db.FailRead = errors.New("the database is being restored") })
		db.Restore(backup)
		lead(event("b", 1, 0))
		db.Set(func() { db.FailRead = nil })
		time.Sleep(3 * time.Second)
		after := h.Snapshot()
		if after.Event("b") == nil || after.Event("lost") != nil {
			t.Errorf("at %+v the figures are not those of the log", after.Position)
		}
		if after.Position.Epoch == before.Position.Epoch {
			t.Errorf("the epoch is still %s", after.Position.Epoch)
		}
	})
}
