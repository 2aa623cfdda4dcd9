package aggregator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// With a real database: what a stopped aggregator had published is what the next one
// publishes before it has asked anybody anything.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	s := newService()
	now := time.Now().UTC().Truncate(time.Second)
	for i := range 3 {
		event := fmt.Sprint("evt_", i)
		s.put(&record.Event{ID: event, Title: event, Date: now.Format(time.DateOnly), StartsAt: now.Add(time.Hour), Capacity: new(900), UpdatedAt: now})
		for n := range 400 {
			s.put(sale(fmt.Sprintf("tkt_%d_%d", i, n), event))
		}
		s.put(paid(fmt.Sprint("pay_", i), event))
	}

	before := snapshotOf(t, s, path, func(s *figures.Snapshot) bool {
		for _, h := range s.Health.Streams {
			if !h.Complete {
				return false
			}
		}
		return true
	})
	if before.Position.Revision != 3*402 || before.Total.Of(figures.Booked).Value.In("EUR") != 3*400*2*2500 {
		t.Fatalf("at %+v %+v were booked", before.Position, before.Total.Of(figures.Booked))
	}

	gone := newService()
	for _, stream := range lists {
		gone.fail[stream] = &apiclient.Error{Kind: apiclient.Unreachable, Stream: stream}
	}
	after := snapshotOf(t, gone, path, func(s *figures.Snapshot) bool { return s.Position.Revision > 0 })
	if after.AsOf.IsZero() || after.AsOf.After(time.Now()) || after.Health.Light() != figures.Starting {
		t.Errorf("as of %v, light %s", after.AsOf, after.Health.Light())
	}
	for _, f := range []struct {
		name      string
		got, want any
	}{
		{"position", after.Position, before.Position},
		{"events", after.Events, before.Events},
		{"days", after.Days, before.Days},
		{"unattributed", after.Unattributed, before.Unattributed},
		{"total", after.Total, before.Total},
		{"diagnostics", after.Diagnostics, before.Diagnostics},
	} {
		if !reflect.DeepEqual(f.got, f.want) {
			t.Errorf("%s after the restart:\n%+v\nbefore:\n%+v", f.name, f.got, f.want)
		}
	}
}

// A service that tells nothing but events: the most places that were ever available are
// the capacity after a restart as well.
func TestRestartKeepsHighestAvailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	now := time.Now().UTC().Truncate(time.Second)
	told := func(available, revision int) *service {
		s := newService()
		for _, stream := range lists[1:] {
			s.fail[stream] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: stream, Status: 404}
		}
		s.put(&record.Event{ID: "evt", Available: new(available), UpdatedAt: now.Add(time.Duration(revision) * time.Second)})
		return s
	}
	for i, available := range []int{100, 5, 5, 7} {
		s := snapshotOf(t, told(available, i), path, func(s *figures.Snapshot) bool {
			e := s.Event("evt")
			return e != nil && s.Position.Revision == int64(i+1) && e.Sold.Quality == figures.Unknown
		})
		e := s.Event("evt")
		if c := e.Capacity; c.Value != 100 || c.Quality != figures.LowerBound || e.Available.Value != available {
			t.Errorf("run %d: available %d, capacity %+v; want at least 100", i, e.Available.Value, c)
		}
	}
}

// snapshotOf runs an aggregator over the database at path until a snapshot is as wanted.
func snapshotOf(t *testing.T, s *service, path string, wanted func(*figures.Snapshot) bool) *figures.Snapshot {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{}, 1)
	a, err := aggregator.New(aggregator.Options{Source: s, Log: db, Published: wakes(told)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	for !wanted(a.Snapshot()) {
		select {
		case <-told:
		case err := <-ended:
			t.Fatalf("Run ended with %v", err)
		}
	}
	snapshot := a.Snapshot()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return snapshot
}

// wakes returns a Published that leaves a token in c, which holds one, and never blocks.
func wakes(c chan struct{}) func() {
	return func() {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
