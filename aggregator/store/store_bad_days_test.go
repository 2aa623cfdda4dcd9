package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// Disk full: the append fails whole and says so; what was there can be read, and the next
// append after there is room again goes on. Until then Ping says that the database cannot be written, also where there is
// room for something small.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	l := openLog(t, path)
	l.put(t, 10, 10, tickets(10)...)
	if err := l.LimitPages(t.Context(), 1); err != nil { // fewer than there are: no more than there are
		t.Fatal(err)
	}
	b := aggregator.Batch{Term: l.term, SeenAt: noon, Records: tickets(5000), Streams: []aggregator.StreamState{{Name: "tickets"}}}
	if err := l.Ping(t.Context()); err != nil {
		t.Errorf("ping before anything was written to the full disk: %v", err)
	}
	if _, err := l.Append(t.Context(), b); !errors.Is(err, store.ErrUnwritable) || !strings.Contains(err.Error(), "room") || !strings.Contains(err.Error(), path) {
		t.Errorf("append to a full disk: %v", err)
	}
	cannotBeWritten := func() {
		t.Helper()
		if err := l.Ping(t.Context()); !errors.Is(err, store.ErrUnwritable) || !strings.Contains(err.Error(), "room") {
			t.Errorf("ping of a full disk: %v", err)
		}
	}
	cannotBeWritten()
	cannotBeWritten()
	commit(t, l.Sessions(), "small", "in", time.Now().Add(time.Hour))
	cannotBeWritten()
	if n := len(versions(t, l.Records, 0)); n != 10 {
		t.Errorf("%d versions, want 10", n)
	}
	if states, _, err := l.Streams(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("streams %v, %v", states, err)
	}
	if err := l.LimitPages(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	if err := l.Ping(t.Context()); err != nil {
		t.Errorf("ping with room again: %v", err)
	}
	if a, err := l.Append(t.Context(), b); err != nil || a.New != 4990 || a.Revision != 5000 {
		t.Errorf("append with room again: %+v, %v", a, err)
	}
}

// Database locked by another program for longer than we wait: the write fails and says so,
// reading goes on, and so does writing afterwards.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	l := openLog(t, path)
	l.put(t, 1, 1, tickets(1)...)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`BEGIN IMMEDIATE`)
	began := time.Now()
	_, err = l.Append(t.Context(), aggregator.Batch{Term: l.term, Records: tickets(2)})
	if err == nil || !strings.Contains(err.Error(), "locked by another program") || !strings.Contains(err.Error(), path) {
		t.Errorf("append to a locked database: %v", err)
	}
	if took := time.Since(began); took < 4*time.Second || took > 9*time.Second {
		t.Errorf("append gave up after %v, want five seconds", took)
	}
	l.check(t, 0, "1:t:tkt_00000")
	exec(`ROLLBACK`)
	l.put(t, 1, 2, tickets(2)...)
}

// File replaced, by a backup for example, while a process has it open: the process writes
// nothing more, to neither, and says so; opened again, the log is the one that is there.
func TestFileReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "house.db"), filepath.Join(dir, "backup.db")
	l := openLog(t, path)
	watching(t, l.Store)
	l.put(t, 1, 1, tickets(1)...)
	run(t, path, `VACUUM INTO '`+backup+`'`)
	l.put(t, 1, 2, tickets(2)...)
	for _, suffix := range []string{"-wal", "-shm"} {
		rename(t, path+suffix, filepath.Join(dir, "old"+suffix))
	}
	rename(t, backup, path)
	_, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, Records: tickets(3)})
	if err == nil || !strings.Contains(err.Error(), "replaced") || !strings.Contains(err.Error(), path) {
		t.Errorf("append after the file was replaced: %v", err)
	}
	if err := l.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("ping after the file was replaced: %v", err)
	}
	if _, err := l.Position(t.Context()); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("position after the file was replaced: %v", err)
	}
	if _, err := l.Attempts().Use(t.Context(), "state", noon); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("an attempt used after the file was replaced: %v", err)
	}
	l.end()
	l.Close()
	again := openLog(t, path)
	again.check(t, 0, "1:t:tkt_00000")
	again.put(t, 2, 3, tickets(3)...)
}

// PostgreSQL restarted while somebody appends, and all connections cut: what was
// acknowledged is there, nothing twice, and the same leader goes on without being told.
func TestPostgreSQLRestarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cut  func(t *testing.T, server *pgtest.Server, database string)
	}{
		{"restarted", func(t *testing.T, server *pgtest.Server, _ string) { server.Restart(t) }},
		{"connections cut", func(t *testing.T, _ *pgtest.Server, database string) {
			pgtest.Exec(t, database, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'housecount'`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := pgtest.Start(t)
			database := server.URL("postgres")
			l := openLog(t, database)
			watching(t, l.Store)
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			progress := make(chan int)
			var acknowledged int
			wg.Go(func() {
				for n := 0; ctx.Err() == nil; {
					batch := []record.Record{ticket(fmt.Sprint(n), 0, record.TicketValid), ticket(fmt.Sprint(n+1), 0, record.TicketValid)}
					if _, err := l.Append(ctx, aggregator.Batch{Term: l.term, SeenAt: noon, Records: batch}); err != nil {
						if errors.Is(err, aggregator.ErrLeaseLost) {
							t.Error(err)
							return
						}
						continue // as the poller would at its next poll
					}
					n++
					acknowledged = n + 1
					select {
					case progress <- n:
					case <-ctx.Done():
					}
				}
			})
			reach := func(n int) {
				t.Helper()
				deadline := time.After(30 * time.Second)
				for {
					select {
					case got := <-progress:
						if got >= n {
							return
						}
					case <-deadline:
						t.Fatalf("no progress to %d", n)
					}
				}
			}
			reach(20)
			cut := make(chan struct{})
			wg.Go(func() {
				defer close(cut)
				c.cut(t, server, database)
			})
			for waiting := true; waiting; {
				select {
				case <-progress:
				case <-cut:
					waiting = false
				}
			}
			n := 0
			select {
			case n = <-progress:
			case <-time.After(30 * time.Second):
				t.Fatal("nobody appends any more")
			}
			reach(n + 20)
			stop()
			wg.Wait()
			all := versions(t, l.Records, 0)
			if len(all) < acknowledged {
				t.Errorf("%d versions, %d were acknowledged", len(all), acknowledged)
			}
			for i, v := range all {
				if v.Record.RecordID() != fmt.Sprint(i) {
					t.Fatalf("version %d is of %s, want %d", i, v.Record.RecordID(), i)
				}
			}
		})
	}
}

// NOTIFY lost: a follower hears of a change all the same, within five seconds.
func TestNotifyLost(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	s := open(t, database)
	commit(t, s.Sessions(), "a", "in", time.Now().Add(time.Hour))
	watching(t, s)
	hints, stop := s.Watch(store.SubjectSessions)
	defer stop()
	await(t, "first hint", hints, 5*time.Second)
	pgtest.Exec(t, database, `UPDATE session SET revoked_at = 1`) // and no word of it
	deadline := time.Now().Add(5 * time.Second)
	for alive := true; alive; {
		await(t, "hint", hints, time.Until(deadline))
		found, err := s.Sessions().Alive(t.Context(), []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		alive = found["a"] != nil
	}
}

// figuresOf returns the figures of versions, of a ledger that knows some already.
func figuresOf(folded *ledger.Ledger, all []record.Version) *figures.Snapshot {
	for _, v := range all {
		folded.Apply(v)
	}
	return folded.Snapshot(figures.Position{}, ledger.Coverage{EventsComplete: true, TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true, PaymentsComplete: true})
}

// Clocks of two processes apart by a minute: the lease goes by the database's clock, and the
// log by revisions, so that nothing is lost; each version tells when its own process saw it. Folded, a
// version goes by the clock of who saw it, and no figure changes.
func testClocksApart(t *testing.T, database string) {
	first := openLog(t, database)
	first.append(t, ticket("a", 0, record.TicketVoid), &record.Event{ID: "evt_1", Available: new(50), UpdatedAt: noon})
	first.end()
	second := led(t, records(t, open(t, database), "default"))
	if _, err := second.Append(t.Context(), aggregator.Batch{Term: second.term, SeenAt: noon.Add(-time.Minute), Records: []record.Record{
		ticket("a", 1, record.TicketVoid), &record.Event{ID: "evt_1", UpdatedAt: noon.Add(time.Minute)}}}); err != nil {
		t.Fatal(err)
	}
	second.check(t, 0, "1:t:a 2:e:evt_1 3:t:a 4:e:evt_1")
	all := versions(t, second.Records, 0)
	if !all[0].SeenAt.Equal(noon) || !all[2].SeenAt.Equal(noon.Add(-time.Minute)) {
		t.Errorf("seen at %v and %v", all[0].SeenAt, all[2].SeenAt)
	}
	calendar := figures.Calendar{Zone: time.FixedZone("", 12*3600-30)} // a day begins half a minute after noon
	before := figuresOf(ledger.New(calendar), all)
	if n, err := second.fold(t, noon.Add(-time.Second)); err != nil || n != 0 {
		t.Errorf("folded %d, %v: the older versions were seen later", n, err)
	}
	if n, err := second.fold(t, noon.Add(time.Second)); err != nil || n != 2 {
		t.Errorf("folded %d, %v, want the two older", n, err)
	}
	second.check(t, 0, "3:t:a 4:e:evt_1")
	if after := figuresOf(ledger.New(calendar), versions(t, second.Records, 0)); !reflect.DeepEqual(after, before) {
		t.Errorf("folding changes figures:\n%+v\nbefore\n%+v", after.Events[0], before.Events[0])
	}
	// A session expires by the clock of who asks, for all at the latest when another is begun by
	// the clock that is ahead; one that was ended is so for all.
	other, now := open(t, database), noon
	second.SetNow(func() time.Time { return now })
	other.SetNow(func() time.Time { return now.Add(-time.Minute) })
	commit(t, second.Sessions(), "a", "in", now.Add(30*time.Second))
	checkSession(t, second.Sessions(), "a", []byte("in"))
	checkSession(t, other.Sessions(), "a", []byte("in"))
	now = noon.Add(45 * time.Second)
	checkSession(t, second.Sessions(), "a", nil)
	checkSession(t, other.Sessions(), "a", []byte("in"))
	commit(t, second.Sessions(), "b", "in", now.Add(time.Hour))
	checkSession(t, other.Sessions(), "a", nil)
	checkSession(t, other.Sessions(), "b", []byte("in"))
	if _, err := other.Sessions().Revoke(t.Context(), store.ByToken("b"), store.Act{}); err != nil {
		t.Fatal(err)
	}
	checkSession(t, second.Sessions(), "b", nil)
}

// A follower three hours behind reads everything that it missed, once and in order, where what it
// missed was folded meanwhile: its figures are those of all versions, and those of who begins.
func testFarBehind(t *testing.T, database string) {
	l := openLog(t, database)
	follower := records(t, open(t, database), "default")
	const steps, each = 18, 10 * time.Minute
	put := func(step int) {
		t.Helper()
		at := noon.Add(time.Duration(step) * each)
		batch := []record.Record{&record.Event{ID: "evt_1", Available: new([]int{40, 90, 7}[step%3] - step), UpdatedAt: at}}
		for i := range 50 {
			id, status := fmt.Sprint(i), record.TicketValid
			if (step+i)%6 == 0 {
				status = record.TicketVoid
			}
			batch = append(batch, &record.Ticket{ID: id, EventID: "evt_1", Status: status, SoldAt: noon, Price: &record.Money{Amount: 1000, Currency: "EUR"}, UpdatedAt: at},
				&record.Payment{ID: id, EventID: "evt_1", Status: record.PaymentPaid, Amount: record.Money{Amount: 1000, Currency: "EUR"},
					AmountRefunded: &record.Money{Amount: int64(step / (1 + i%4)), Currency: "EUR"}, PaidAt: noon, UpdatedAt: at})
		}
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: at, Records: batch}); err != nil {
			t.Fatal(err)
		}
	}
	calendar := figures.Calendar{Zone: time.FixedZone("", 10*3600)} // midnight comes after two hours
	folded := ledger.New(calendar)
	var after int64
	follow := func() *figures.Snapshot {
		t.Helper()
		missed := versions(t, follower, after)
		for _, v := range missed {
			if v.Revision <= after {
				t.Fatalf("revision %d after %d", v.Revision, after)
			}
			after = v.Revision
		}
		return figuresOf(folded, missed)
	}
	put(0)
	follow()
	for step := range steps {
		put(step + 1)
	}
	all := versions(t, l.Records, 0)
	want := figuresOf(ledger.New(calendar), all)
	if n, err := l.fold(t, noon.Add(steps*each)); err != nil || n != steps*101 || len(all) != n+101 {
		t.Errorf("%d of %d versions were folded, %v: all but the newest are old enough", n, len(all), err)
	}
	got := follow()
	if p, err := follower.Position(t.Context()); err != nil || p.Revision != after || after != int64(len(all)) {
		t.Errorf("followed to %d, the log is at %+v, %v", after, p, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the follower has other figures:\n%+v\nwant\n%+v", got.Events[0], want.Events[0])
	}
	if begun := figuresOf(ledger.New(calendar), versions(t, follower, 0)); !reflect.DeepEqual(begun, want) {
		t.Errorf("who begins has other figures:\n%+v\nwant\n%+v", begun.Events[0], want.Events[0])
	}
}

// A schema newer than the program: it refuses the database and leaves it as it is.
func TestNewerSchema(t *testing.T) {
	database := pgtest.New(t)
	closed(t, open(t, database))
	pgtest.Exec(t, database, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)`)
	if _, err := store.Open(t.Context(), database); err == nil || !strings.Contains(err.Error(), "newer housecount") {
		t.Errorf("opened a newer schema: %v", err)
	}
}

// An error names the database and what to do, and never the password.
func TestPostgreSQLRefuses(t *testing.T) {
	t.Parallel()
	reachable := pgtest.New(t)
	for _, c := range []struct{ name, url, want string }{
		{"nobody there", "postgres://anna:geheim@127.0.0.1:1/house", "cannot be reached"},
		{"no such database", strings.Replace(reachable, "/housecount_", "/no_housecount_", 1), "does not exist"},
		{"no address", "postgres://anna:geheim@127.0.0.1:port/house", "address of the database"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := store.Open(t.Context(), c.url)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("got %v, want %q and no password", err, c.want)
			}
		})
	}
}

// What looks like an address is never taken for a file's name, and no error has any part of the
// password.
func TestOpenHidesPasswords(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"postgres://hc:geheim#wort@127.0.0.1:1/db", "postgres://hc:geheim/wort@127.0.0.1:1/db", "postgres://hc:geheim?wort@127.0.0.1:1/db",
		"postgres://hc:geheim%zzwort@127.0.0.1:1/db", "postgres://hc:x:geheim%zzwort@127.0.0.1:1/db", "postgres://hc:geheim@%zzwort@127.0.0.1:1/db",
		"postgres://hc:geheim wort@127.0.0.1:1/db", "postgres://127.0.0.1:1/db?user=hc&password=geheimwort",
		"postgres://127.0.0.1:1/db?user=hc&password=geheimwort&sslmode=nonsense", "postgres://hc@127.0.0.1:1/db?password=geheimwort&connect_timeout=x",
		"POSTGRES://hc:geheimwort@127.0.0.1:1/db", " postgres://hc:geheimwort@127.0.0.1:1/db", "mysql://hc:geheimwort@127.0.0.1:1/db",
		"host=127.0.0.1 port=1 password=geheimwort dbname=x", "/srv/host=127.0.0.1 password = geheimwort", "PASSWORD=geheimwort",
	} {
		_, err := store.Open(t.Context(), name)
		if err == nil || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), "wort") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("files were made: %v, %v", left, err)
	}
}
