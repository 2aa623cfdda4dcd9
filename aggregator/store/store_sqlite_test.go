package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

func TestOpenNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain.db", "a b.db", "what?mode=memory#x%20y&z.db", "zaal é.db"} {
		path := filepath.Join(dir, name)
		openLog(t, path).put(t, 1, 1, tickets(1)...)
		for _, file := range []string{path, path + "-wal", path + ".lock"} {
			switch info, err := os.Stat(file); {
			case err != nil:
				t.Error(err)
			case info.Mode().Perm() != 0o600:
				t.Errorf("%s has mode %v", filepath.Base(file), info.Mode())
			}
		}
	}
	t.Chdir(dir)
	open(t, "relative.db")
	if _, err := os.Stat(filepath.Join(dir, "relative.db")); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"missing directory", func(t *testing.T, path string) { os.Remove(filepath.Dir(path)) }, "directory does not exist"},
		{"directory", func(t *testing.T, path string) { os.Mkdir(path, 0o700) }, "is a directory"},
		{"text", func(t *testing.T, path string) {
			os.WriteFile(path, bytes.Repeat([]byte("not a database\n"), 500), 0o600)
		}, "is not a database"},
		{"another program's", func(t *testing.T, path string) { run(t, path, `CREATE TABLE songs (title TEXT)`) }, "another program"},
		{"newer schema", func(t *testing.T, path string) {
			closed(t, open(t, path))
			run(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
		}, "newer housecount"},
		{"in use by a housecount of before", func(t *testing.T, path string) {
			copySchema4(t, path)
			hold(t, path+".lock")
		}, "stop that one first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sub")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "house.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := store.Open(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want the path and %q", err, c.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// run executes SQL on a file behind the store's back.
func run(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// copySchema4 makes a database as the last program that stored only the newest version of
// each record left it.
func copySchema4(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile("testdata/schema4.db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A program that brings a database up to date says so before it begins, and once it is done; with one that is new, or is up to
// date, it says nothing.
func TestMigrateIsLogged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	said := func(path string) string {
		var log bytes.Buffer
		s, err := store.OpenLogged(t.Context(), path, slog.New(slog.NewTextHandler(&log, nil)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		return log.String()
	}
	if got := said(path); got != "" {
		t.Errorf("of a new one: %s", got)
	}
	copySchema4(t, path+"4")
	got := said(path + "4")
	begins, ends := strings.Index(got, "is being brought up to date"), strings.Index(got, "is up to date")
	if begins < 0 || ends < begins || !strings.Contains(got, "from=4") || !strings.Contains(got, "took=") {
		t.Errorf("of an old one: %s", got)
	}
	if got := said(path + "4"); got != "" {
		t.Errorf("of one that is up to date: %s", got)
	}
}

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	copySchema4(t, path)
	s := open(t, path)
	if names, err := s.Services(t.Context()); err != nil || !reflect.DeepEqual(names, []string{"a profile"}) {
		t.Fatalf("services %q, %v", names, err)
	}
	l := led(t, records(t, s, "a profile"))
	all := versions(t, l.Records, 0)
	if len(all) != 185 || all[184].Revision != 188 {
		t.Fatalf("%d versions, want 185 up to revision 188", len(all))
	}
	var again []record.Record
	for _, v := range all {
		again = append(again, v.Record)
		want := record.Memory{}
		if v.Record.RecordID() == "evt_1" {
			want.HighestAvailable = new(100)
			if e := v.Record.(*record.Event); *e.Available != 40 {
				t.Errorf("evt_1 has %d left, want 40", *e.Available)
			}
		}
		if !v.Head || !v.SeenAt.IsZero() || !reflect.DeepEqual(v.Memory, want) {
			t.Errorf("version %+v, want a head that nobody knows when was seen, and memory %+v", v, want)
		}
	}
	if got := len(strings.Fields(heads(t, l.Records, record.Kinds...))); got != 184 {
		t.Errorf("%d records, want 184 without the deleted", got)
	}

	states, counter, err := l.Streams(t.Context())
	if want := []aggregator.StreamState{
		{Name: "orders", Began: noon, Resume: "page 9", Total: -1},
		{Name: "tickets", Since: noon.Add(time.Second / 2), Whole: noon.Add(time.Hour), Total: -1},
	}; err != nil || counter != 2 || !reflect.DeepEqual(states, want) {
		t.Errorf("streams %+v at %d, %v; want %+v", states, counter, err, want)
	}
	checkSession(t, s.Sessions(), "in", nil) // it does not say who issued it
	commit(t, s.Sessions(), "out", "back", time.Now().Add(time.Hour))
	checkSession(t, s.Sessions(), "out", nil)

	// What was there is known, older versions come late, and the log goes on.
	l.put(t, 0, 188, again...)
	l.put(t, 1, 189, ticket("tkt_0003", 59, record.TicketValid))
	l.put(t, 1, 190, ticket("tkt_0003", 61, record.TicketValid))
	l.check(t, 188, "189:t:tkt_0003:late 190:t:tkt_0003")
}

// A version that cannot be read is an error that names it, not a hole in the figures; what
// came before it is given.
func TestVersionsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	l := openLog(t, path)
	l.append(t, tickets(3)...)
	run(t, path, `UPDATE version SET body = '{"id":' WHERE revision = 2`)
	var last error
	n := 0
	for _, err := range l.Versions(t.Context(), 0) {
		last = err
		n++
	}
	if n != 2 || last == nil || !strings.Contains(last.Error(), "revision 2") || !strings.Contains(last.Error(), path) {
		t.Errorf("%d versions and %v, want one and an error that names the file and revision 2", n-1, last)
	}
}

// Of two processes that begin with a new database together, one makes it and polls; the other
// finds it made.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	file, err := os.Create(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	opened := make(chan error, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := store.Open(ctx, path)
			if err != nil {
				opened <- err
				return
			}
			defer s.Close()
			r, err := s.Records(ctx, "default")
			opened <- err
			if err != nil {
				return
			}
			if err := r.Lead(ctx, func(ctx context.Context, _ int64) error { <-ctx.Done(); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	time.AfterFunc(300*time.Millisecond, func() { file.Close() }) // both have found no schema
	for range 2 {
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
	stop()
	wg.Wait()
}

// A database may be opened by any name and any number of times; who polls is one.
func TestOpenTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	first := openLog(t, path)
	if err := os.Symlink(path, path+".link"); err != nil {
		t.Fatal(err)
	}
	second := open(t, path+".link")
	first.put(t, 1, 1, tickets(1)...)
	r := records(t, second, "default")
	if got := short(versions(t, r, 0)); got != "1:t:tkt_00000" {
		t.Errorf("the second reads %s", got)
	}
	if err := second.Sessions().Commit("a", []byte("1"), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	checkSession(t, first.Sessions(), "a", []byte("1"))
	if _, err := r.Append(t.Context(), aggregator.Batch{Term: first.term + 1}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append without the lease: %v", err)
	}
}

// A file that is gone is called that, and one that is damaged points to the backup first.
func TestGoneAndDamagedNameTheMend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	l := openLog(t, path)
	l.append(t, tickets(2000)...)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	err := l.Ping(t.Context())
	if err == nil || !strings.Contains(err.Error(), "was deleted or moved away") || !strings.Contains(err.Error(), "housecount restore") || strings.Contains(err.Error(), "directory") {
		t.Errorf("a file that is gone: %v", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	l.end()
	closed(t, l.Store)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 3 * 4096; i < len(text); i++ {
		text[i] = 0xa5
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), path)
	if err == nil {
		defer s.Close()
		var r *store.Records
		if r, err = s.Records(t.Context(), "default"); err == nil {
			for _, failed := range r.Versions(t.Context(), 0) {
				err = failed
			}
		}
	}
	if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "restore a backup (housecount restore)") {
		t.Errorf("a damaged file: %v", err)
	}
}
