package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

func TestSQLite(t *testing.T) {
	testStore(t, func(t *testing.T) func() *store.Store {
		path := filepath.Join(t.TempDir(), "house.db")
		return func() *store.Store { return open(t, path) }
	})
}

func open(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A test may have closed it; the lock is then gone already.
		if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return s
}

func TestOpenNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain.db", "a b.db", "what?mode=memory#x%20y&z.db", "zaal é.db"} {
		path := filepath.Join(dir, name)
		s := open(t, path)
		mustAppend(t, s, tickets(1), "tkt_00000", 1)
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

func TestOpenInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	first := open(t, path)
	if err := os.Symlink(path, path+".link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".link"} {
		_, err := store.Open(t.Context(), name)
		if !errors.Is(err, store.ErrInUse) || !strings.Contains(err.Error(), path) {
			t.Errorf("opening %s twice gives %v", name, err)
		}
	}
	mustAppend(t, first, tickets(1), "tkt_00000", 1) // the refusal disturbed nothing
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(replay(t, open(t, path), 0)); n != 1 {
		t.Errorf("%d records, want 1", n)
	}
}

func TestOpenRefuses(t *testing.T) {
	foreign := func(t *testing.T, path string) {
		run(t, path, `CREATE TABLE songs (title TEXT)`)
	}
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
		{"another program's", foreign, "another program"},
		{"newer schema", func(t *testing.T, path string) {
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			run(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
		}, "newer housecount"},
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

// A database of an earlier version has no highest of events, and marks of kinds of record,
// also of such as were never read to the end.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	s := open(t, path)
	mustAppend(t, s, []record.Record{
		&record.Event{ID: "a", Available: new(40)}, &record.Event{ID: "b"}, &record.Event{ID: "c", Available: new(40), Unlimited: true},
		&record.Event{ID: "d", Available: new(1 << 60)}, ticket("e", 0, record.TicketValid),
	}, "a b c d e", 5)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, path, `ALTER TABLE record DROP COLUMN highest_available;
		DROP TABLE mark;
		CREATE TABLE mark (kind TEXT NOT NULL PRIMARY KEY, since TEXT NOT NULL, complete INTEGER NOT NULL) STRICT, WITHOUT ROWID;
		INSERT INTO mark (kind, since, complete) VALUES ('event', '2026-11-21T12:00:00Z', 1), ('ticket', '2026-11-21T12:00:00Z', 0), ('payment', '2026-11-21T12:00:00.5Z', 1);
		DELETE FROM goose_db_version WHERE version_id >= 3`)
	s = open(t, path)
	for _, e := range replay(t, s, 0) {
		if id := e.Record.RecordID(); (e.Memory.HighestAvailable != nil) != (id == "a") || id == "a" && *e.Memory.HighestAvailable != 40 {
			t.Errorf("%s: highest available %v", id, e.Memory.HighestAvailable)
		}
	}
	marks, err := s.Marks(t.Context())
	want := map[string]aggregator.Mark{"events": {Stream: "events", Since: noon}, "payments": {Stream: "payments", Since: noon.Add(time.Second / 2)}}
	if err != nil || !maps.Equal(marks, want) {
		t.Errorf("marks %v, %v; want %v", marks, err, want)
	}
	if got, err := s.Source(t.Context(), "another"); err != nil || got != "default" {
		t.Errorf("source %q, %v; want default", got, err)
	}
}

func TestSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	for _, now := range []string{"one", "one", "another"} {
		s := open(t, path)
		if got, err := s.Source(t.Context(), now); err != nil || got != "one" {
			t.Errorf("source %q, %v; want one", got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A record that cannot be read is an error that names it, not a hole in the figures.
func TestReplayDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	s := open(t, path)
	mustAppend(t, s, tickets(3), "tkt_00000 tkt_00001 tkt_00002", 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, path, `UPDATE record SET body = '{"id":' WHERE revision = 2`)
	var last error
	for _, err := range open(t, path).Replay(t.Context(), 0) {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "revision 2") {
		t.Errorf("got %v, want an error that names revision 2", last)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name   string
		minute int // added per call
	}{{"changed", 1}, {"unchanged", 0}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "house.db"))
			records := make([]record.Record, 1000)
			n := 0
			for b.Loop() {
				n += c.minute
				for i := range records {
					r := ticket(fmt.Sprintf("tkt_%05d", i), n, record.TicketValid)
					r.Price = &record.Money{Amount: 2500, Currency: "EUR"}
					r.Scans = []record.Scan{{At: noon, Gate: "Noord", Direction: record.Entry}}
					records[i] = r
				}
				if _, _, err := s.Append(b.Context(), records, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*len(records))/float64(time.Nanosecond), "ns/record")
		})
	}
}
