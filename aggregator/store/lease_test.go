package store_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// await waits for a hint, or fails after a time.
func await(t testing.TB, what string, c <-chan struct{}, atMost time.Duration) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(atMost):
		t.Fatalf("no %s within %v", what, atMost)
	}
}

// watching runs a store's watch until the test ends, and waits until it does.
func watching(t testing.TB, s *store.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
}

// A process that gives the lease back is followed at once, well before its term expires; the
// terms of all are different.
func testLeaseHandedOn(t *testing.T, database string) {
	first := openLog(t, database)
	waiting := records(t, open(t, database), "default")
	watching(t, waiting.Store)
	var wg sync.WaitGroup
	wg.Go(func() {
		time.AfterFunc(100*time.Millisecond, first.end)
	})
	began := time.Now()
	second := led(t, waiting)
	wg.Wait()
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the lease was handed on after %v", took)
	}
	if second.term <= first.term {
		t.Errorf("term %d follows %d", second.term, first.term)
	}
	second.put(t, 1, 1, tickets(1)...)
}

// What lead returns is what Lead returns, and gives the lease back.
func testLeadFails(t *testing.T, database string) {
	r := records(t, open(t, database), "default")
	broken := errors.New("broken")
	for range 2 {
		if err := r.Lead(t.Context(), func(context.Context, int64) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("Lead returned %v", err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	if err := r.Lead(ended, func(ctx context.Context, term int64) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}); err != nil {
		t.Errorf("Lead returned %v after its context ended", err)
	}
	led(t, r).put(t, 1, 1, tickets(1)...)
}

// A leader that was paused for longer than its term, or whose term was ended by who renewed
// the log, writes nothing, is told, and leads again only in a term of its own.
func testOldLeaderWakes(t *testing.T, database string) {
	r := records(t, open(t, database), "default")
	other := records(t, open(t, database), "default")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var terms []int64
	err := r.Lead(ctx, func(ctx context.Context, term int64) error {
		terms = append(terms, term)
		b := aggregator.Batch{Term: term, SeenAt: noon, Records: tickets(len(terms))}
		if _, err := r.Append(ctx, b); err != nil {
			return err
		}
		if len(terms) == 2 {
			cancel()
			return nil
		}
		p, err := other.Position(t.Context())
		if err != nil {
			return err
		}
		// It appends all the while: what is under way is in the log when Renew returns, or never.
		begun, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			for n := 0; ; n++ {
				busy := aggregator.Batch{Term: term, SeenAt: noon, Records: []record.Record{ticket("busy", n+1, record.TicketValid)}}
				if _, err := r.Append(t.Context(), busy); err != nil {
					ended <- err
					return
				}
				if n == 5 {
					close(begun)
				}
			}
		}()
		select {
		case <-begun:
		case err := <-ended:
			return err
		}
		if err := other.Renew(t.Context(), p.Epoch); err != nil {
			return err
		}
		if p, err = other.Position(t.Context()); err != nil {
			return err
		}
		if err := <-ended; !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Errorf("an append under way: %v", err)
		}
		if now, err := other.Position(t.Context()); err != nil || now.Revision != p.Revision || now.Epoch != p.Epoch {
			t.Errorf("at %+v, %v; when the term ended it was at %+v", now, err, p)
		}
		b.Records = []record.Record{ticket("late", 0, record.TicketValid)}
		if _, err := r.Append(ctx, b); !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Errorf("an old leader's append: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(30 * time.Second):
			t.Error("the old leader was not told")
		}
		if cause := context.Cause(ctx); !errors.Is(cause, aggregator.ErrLeaseLost) {
			t.Errorf("the old leader's context ended because of %v", cause)
		}
		return nil
	})
	if err != nil || len(terms) != 2 || terms[1] <= terms[0] {
		t.Errorf("terms %v, %v", terms, err)
	}
	if got := heads(t, r, record.KindTicket); got != "busy:valid tkt_00000:valid tkt_00001:valid" {
		t.Errorf("the log has %s", got)
	}
}

// An append that is under way when the log is renewed ends first: none commits in a term that
// has ended.
func TestRenewWaitsForAppend(t *testing.T) {
	database := pgtest.New(t)
	l := openLog(t, database)
	l.put(t, 1, 1, tickets(1)...)
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	waiting := func(n int) {
		t.Helper()
		deadline := time.After(30 * time.Second)
		for {
			var found int
			if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&found); err != nil {
				t.Fatal(err)
			}
			if found == n {
				return
			}
			select {
			case <-deadline:
				t.Fatalf("%d wait for a lock, want %d", found, n)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`UPDATE counter SET revision = revision`); err != nil {
		t.Fatal(err)
	}
	appended, renewed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: tickets(2)})
		appended <- err
	}()
	waiting(1) // the append, after its look at the term
	go func() { renewed <- l.Renew(t.Context(), before.Epoch) }()
	waiting(2)
	if len(renewed) > 0 {
		t.Error("the log was renewed beside an append in the term that this ends")
	}
	tx.Rollback()
	if err := <-appended; err != nil {
		t.Errorf("the append that was under way: %v", err)
	}
	if err := <-renewed; err != nil {
		t.Error(err)
	}
	if p, err := l.Position(t.Context()); err != nil || p.Epoch == before.Epoch || p.Revision != 2 {
		t.Errorf("at %+v, %v", p, err)
	}
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: tickets(3)}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append in the term that ended: %v", err)
	}
}

// What one process writes, another that watches hears of within a second or so.
func testWatch(t *testing.T, database string) {
	writer := openLog(t, database)
	reader := open(t, database)
	watching(t, reader)
	sessions, stop := reader.Watch(store.SubjectSessions)
	defer stop()
	r := records(t, reader, "default")

	heard := func(what string, hints <-chan struct{}, is func() bool) {
		t.Helper()
		deadline := time.Now().Add(3 * time.Second)
		for !is() {
			await(t, what, hints, time.Until(deadline))
		}
	}
	heard("version", r.Changed(), func() bool {
		if p, err := r.Position(t.Context()); err == nil && p.Revision == 0 {
			writer.append(t, tickets(1)...)
			return false
		}
		return true
	})
	expiry := time.Now().Add(time.Hour)
	commit(t, writer.Sessions(), "a", "in", expiry)
	heard("login", sessions, func() bool { alive, _ := reader.Sessions().Alive(t.Context(), []string{"a"}); return alive["a"] != nil })
	if _, err := writer.Sessions().Revoke(t.Context(), store.ByToken("a"), store.Act{}); err != nil {
		t.Fatal(err)
	}
	heard("logout", sessions, func() bool { alive, _ := reader.Sessions().Alive(t.Context(), []string{"a"}); return alive["a"] == nil })

	// Own writes are heard of at once, also where nobody runs the watch.
	for len(writer.Changed()) > 0 {
		<-writer.Changed()
	}
	writer.append(t, ticket("own", 0, record.TicketValid))
	await(t, "hint of an own write", writer.Changed(), time.Second)

	// A touch of a session ends none.
	own, stopOwn := writer.Watch(store.SubjectSessions)
	defer stopOwn()
	commit(t, writer.Sessions(), "b", "in", expiry)
	if len(own) > 0 {
		t.Error("a commit of a session hinted")
	}
}

// A process of which nothing is heard any more is followed when its term has expired: after
// 8 s, and well within 10.
func TestLeaseExpires(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	frozen := openLog(t, database)
	frozen.put(t, 1, 1, tickets(1)...)
	// As if it froze: it gives nothing back and renews nothing.
	pgtest.Exec(t, database, `UPDATE lease SET holder = 'frozen', expires = clock_timestamp() + interval '8 s'`)
	frozen.end()
	began := time.Now()
	second := led(t, records(t, open(t, database), "default"))
	if took := time.Since(began); took < 5*time.Second || took > 10*time.Second {
		t.Errorf("the lease was taken over after %v", took)
	}
	if _, err := frozen.Append(t.Context(), aggregator.Batch{Term: frozen.term, Records: tickets(2)}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("the old leader's append: %v", err)
	}
	second.put(t, 1, 2, tickets(2)...)
}
