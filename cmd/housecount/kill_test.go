package main

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// gate is another way to a service, on which requests are counted.
type gate struct {
	*httptest.Server
	requests atomic.Int64
	// reached receives at the request whose number is target.
	target  atomic.Int64
	reached chan struct{}
}

func (s *countedService) gate(t *testing.T) *gate {
	g := &gate{reached: make(chan struct{}, 1)}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.requests.Add(1) == g.target.Load() {
			g.reached <- struct{}{}
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// run runs a housecount on the database in this process until its figures are those of the
// books, and returns them with the log's versions.
func (s *countedService) run(t *testing.T, database string, arguments ...string) (*figures.Snapshot, []record.Version) {
	t.Helper()
	ready, err := serveCommandFor(t, nil, append(s.arguments(database), arguments...)[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	ready.now = s.Now
	p, err := newProgram(t.Context(), ready, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	ln := listen(t, "127.0.0.1:0")
	go func() { ended <- p.run(ctx, listeners{pages: ln}) }()
	var last disagreements
	defer func() {
		if t.Failed() {
			t.Log(strings.Join(last, "\n"))
		}
	}()
	var before *figures.Snapshot
	shown := (&testHouse{t: t, demo: &demo{program: p}}).until("the truth", func(shown *figures.Snapshot) bool {
		if shown == before || !complete(shown) { // the house stands still: the same figures need no second look
			return false
		}
		before, last = shown, differences(shown, s.Sandbox)
		return len(last) == 0
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log, err := openRecords(t.Context(), db, ready)
	if err != nil {
		t.Fatal(err)
	}
	return shown, versionsOf(t, log)
}

// versionsOf returns the versions of a log, which must not have one twice, nor two heads in the
// wrong order.
func versionsOf(t *testing.T, log *store.Records) (all []record.Version) {
	t.Helper()
	newest := map[string]record.Record{}
	for v, err := range log.Versions(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 && v.Revision <= all[len(all)-1].Revision {
			t.Errorf("revision %d after %d", v.Revision, all[len(all)-1].Revision)
		}
		all = append(all, v)
		if !v.Head {
			continue
		}
		key := keyOf(v.Record)
		if before := newest[key]; before != nil {
			if text(t, before) == text(t, v.Record) {
				t.Errorf("%s was stored twice: %s", key, text(t, before))
			}
			if v.Record.RecordUpdated().Before(before.RecordUpdated()) {
				t.Errorf("%s of %s was replaced by that of %s", key, before.RecordUpdated(), v.Record.RecordUpdated())
			}
		}
		newest[key] = v.Record
	}
	return all
}

// heads returns the newest records, by kind and id.
func heads(t *testing.T, versions []record.Version) map[string]string {
	newest := map[string]string{}
	for _, v := range versions {
		if v.Head {
			newest[keyOf(v.Record)] = text(t, v.Record)
		}
	}
	return newest
}

// TestKilledAHundredTimes kills the program at a hundred random points, half of them with each database, of its first sync
// and of the polls after it, while the house sells. Then nothing is missing, nothing is there
// twice, and the figures are those of a database that was never killed, and the truth.
func TestKilledAHundredTimes(t *testing.T) {
	t.Parallel()
	const kills = 50 // with each database
	s := newService(t)
	house := &testHouse{t: t, demo: &demo{sandboxURL: s.url}}
	postgres := pgtest.New(t)
	databases := []struct {
		name, database string
		// free lets the lease go that a killed process had, as eight seconds would.
		free func(t *testing.T)
	}{
		{"SQLite", filepath.Join(t.TempDir(), "killed.db"), func(*testing.T) {}},
		{"PostgreSQL", postgres, func(t *testing.T) {
			// The first start may be killed before it has made the table.
			pgtest.Exec(t, postgres, `DO $$ BEGIN IF to_regclass('lease') IS NOT NULL THEN UPDATE lease SET expires = '-infinity'; END IF; END $$`)
		}},
	}
	// Tonight's alone: of one that has ended it would be remembered when it was first seen so.
	truth := s.Truth()
	events := slices.Sorted(func(yield func(string) bool) {
		for id, e := range truth.Events {
			if e.Date == truth.AsOf.Format(time.DateOnly) && !yield(id) {
				return
			}
		}
	})
	t.Run("kills", func(t *testing.T) {
		for i, c := range databases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(i)))
				g := s.gate(t)
				began, polled := time.Now(), 0
				for n := range kills {
					if n%2 == i {
						house.sell(events[n%len(events)], 1)
					}
					if n > 0 {
						c.free(t)
					}
					out := newOutput()
					g.requests.Store(0)
					g.target.Store(1 + random.Int64N(12))
					one := child(t, out, append(s.arguments(c.database), "--api-url", g.URL, "--page-size", "20")...)
					select {
					case <-g.reached:
						polled++
					case <-time.After(3 * time.Second): // everything was read; it waits for the next poll
					}
					<-time.After(time.Duration(random.Int64N(int64(30 * time.Millisecond))))
					if err := one.Process.Kill(); err != nil {
						t.Fatal(err)
					}
					_ = one.Wait() // it was killed
					select {
					case <-g.reached:
					default:
					}
					if strings.Contains(out.String(), "ERROR") {
						t.Fatalf("%s", out)
					}
				}
				t.Logf("%d kills in %s, %d of them at a request", kills, time.Since(began).Round(time.Second), polled)
			})
		}
	})
	want, whole := s.run(t, filepath.Join(t.TempDir(), "whole.db"))
	for _, c := range databases {
		got, versions := s.run(t, c.database)
		t.Logf("%s: %d versions, %d where never killed", c.name, len(versions), len(whole))
		for i := range want.Events {
			if !reflect.DeepEqual(got.Events[i], want.Events[i]) {
				t.Errorf("%s: event %s differs after the kills:\n got %+v\nwant %+v", c.name, want.Events[i].Event.ID, got.Events[i], want.Events[i])
			}
		}
		if !reflect.DeepEqual(got.Total, want.Total) || !reflect.DeepEqual(got.Days, want.Days) {
			t.Errorf("%s: totals differ after the kills: got %+v, want %+v", c.name, got.Total, want.Total)
		}
		if !reflect.DeepEqual(heads(t, versions), heads(t, whole)) {
			t.Errorf("%s: the records differ after the kills", c.name)
		}
	}
}

// TestPausedLeader stops the process that polls in the middle of a poll, as a frozen machine
// does. Another takes over; the one that wakes up writes nothing and waits for the lease.
func TestPausedLeader(t *testing.T) {
	database := pgtest.New(t)
	s := newService(t)
	var hold atomic.Bool
	held, release := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free() // also after a failure: the stand-in waits for it
	s.stand(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/tickets") || !hold.CompareAndSwap(true, false) {
			s.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		close(held)
		<-release
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()) // an error here says that nobody waits for it any more
	})
	first, second := newOutput(), newOutput()
	one := child(t, first, s.arguments(database)...)
	first.await(t, "this process polls")
	shown := s.follow(t, database, time.Now)
	before := shown.until("the first sync", complete).Position
	child(t, second, s.arguments(database)...)
	second.await(t, "msg=listening")
	house := &testHouse{t: t, demo: &demo{sandboxURL: s.url}}
	event := shown.Snapshot().Events[0].Event.ID

	house.sell(event, 2) // the answer that is held back has it
	hold.Store(true)
	<-held
	began := time.Now()
	if err := one.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second.await(t, "this process polls")
	t.Logf("the other polled %s after the stop", time.Since(began).Round(time.Millisecond))
	house.sell(event, 2)
	shown.truth(s)
	free()
	if err := one.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	first.await(t, "another process polls")
	house.sell(event, 2)
	after := shown.truth(s).Position
	if after.Epoch != before.Epoch {
		t.Errorf("the epoch is %s, it was %s", after.Epoch, before.Epoch)
	}
	versionsOf(t, shown.log)
	for name, c := range map[string]struct {
		out  *output
		term string
	}{"the one that was paused": {first, "term=1"}, "the other": {second, "term=2"}} {
		text := c.out.String()
		if strings.Count(text, "this process polls") != 1 || !strings.Contains(text, `"this process polls" `+c.term) {
			t.Errorf("%s polled in other terms than %s:\n%s", name, c.term, text)
		}
	}
}
