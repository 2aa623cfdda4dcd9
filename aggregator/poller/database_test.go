package poller_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// process is one of several with a real database open.
type process struct {
	*aggregator.Figures
	log       *store.Records
	published chan struct{}
	stop      func()
}

// open follows a database until stop or the end of the test.
func open(t *testing.T, s *service, database string) *process {
	t.Helper()
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{published: make(chan struct{}, 1)}
	if p.log, err = db.Records(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	p.Figures, err = aggregator.New(aggregator.Options{Log: p.log, Streams: streamsOf(s), Published: func(figures.Changes) {
		select {
		case p.published <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- db.Run(ctx) }()
	go func() { ended <- p.Run(ctx) }()
	done := false
	p.stop = func() {
		if done {
			return
		}
		done = true
		cancel()
		if err := errors.Join(<-ended, <-ended, db.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(p.stop)
	return p
}

// poll polls s until stop, which waits for its end.
func (p *process) poll(t *testing.T, s *service) (stop func()) {
	t.Helper()
	quick := 20 * time.Millisecond
	one, err := poller.New(poller.Options{Source: s, Log: p.log, Figures: p, Cadence: poller.Cadence{Busy: quick, OnSale: quick, Idle: quick}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- one.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// until waits for a snapshot that is wanted and returns it.
func (p *process) until(t *testing.T, wanted func(*figures.Snapshot) bool) *figures.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		if s := p.Snapshot(); p.Ready() && wanted(s) {
			return s
		}
		select {
		case <-p.published:
		case <-ctx.Done():
			t.Fatalf("waited in vain; at %+v", p.Snapshot())
		}
	}
}

// With real databases, the process that polls, a follower and a new process show the same at one
// position, and a process that takes over continues from there.
func TestProcessesOfOneDatabase(t *testing.T) {
	for _, c := range []struct{ name, database string }{
		{"SQLite", filepath.Join(t.TempDir(), "house.db")},
		{"PostgreSQL", pgtest.New(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, now := newService(), time.Now().UTC().Truncate(time.Second)
			for i := range 3 {
				id := fmt.Sprint("evt_", i)
				s.put(&record.Event{ID: id, Title: id, Date: now.Format(time.DateOnly), StartsAt: now.Add(time.Hour), Capacity: new(900), UpdatedAt: now})
				for n := range 400 {
					s.put(sale(fmt.Sprintf("tkt_%d_%d", i, n), id))
				}
				s.put(paid(fmt.Sprint("pay_", i), id))
			}
			bad := sale("tkt_bad", "evt_1")
			bad.Seat = "bad"
			s.put(bad)
			s.fail["payments"] = &apiclient.Error{Kind: apiclient.Forbidden, Stream: "payments", Status: 403}

			leader, follower := open(t, s, c.database), open(t, s, c.database)
			stop := leader.poll(t, s)
			leader.until(t, func(s *figures.Snapshot) bool {
				return s.Position.Revision == 3*401 && s.Health.Streams[1].Complete && s.Health.Streams[2].Missed > 0
			})
			stop()
			at, err := leader.log.Position(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			at.Tenure = "" // a Snapshot has none
			there := func(s *figures.Snapshot) bool { return s.Position == at }
			shown := leader.until(t, there)
			if e := shown.Event("evt_1"); say(e.Sold) != "at least 800 refused" || len(shown.Diagnostics) != 1 || shown.AsOf.IsZero() {
				t.Errorf("sold %s, %+v as of %v", say(e.Sold), shown.Diagnostics, shown.AsOf)
			}
			compare(t, "the follower", follower.until(t, there), shown)
			leader.stop()
			compare(t, "a process that begins", open(t, s, c.database).until(t, there), shown)

			s.put(sale("tkt_new", "evt_0"))
			defer follower.poll(t, s)()
			follower.until(t, func(s *figures.Snapshot) bool { return s.Event("evt_0").Sold.Value == 802 })
		})
	}
}
