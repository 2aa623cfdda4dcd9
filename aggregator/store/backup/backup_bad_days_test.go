package backup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/aggregator/store/backup"
	"housecount/aggregator/store/rowtest"
	"housecount/apiclient/record"
)

// childBackup names the environment variable that makes the test binary a process that backs up or restores, and dies
// of it. The others name its database and its file.
const (
	childBackup   = "TEST_STORE_BACKUP"
	childDatabase = "TEST_STORE"
	childFile     = "TEST_STORE_FILE"
)

// backupChild is that process. It kills itself after a number of rows, or may write no file longer than a limit.
func backupChild(what, database, file string) error {
	ctx := context.Background()
	var n int64
	if _, err := fmt.Sscanf(what[strings.Index(what, " ")+1:], "%d", &n); err != nil {
		return err
	}
	kill := func(rows, _ int64) {
		if rows >= n {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // it takes a moment
		}
	}
	switch what[:strings.Index(what, " ")] {
	case "restore-killed":
		b, err := backup.Open(ctx, file, nil)
		if err != nil {
			return err
		}
		_, err = b.Restore(ctx, database, backup.RestoreOptions{Progress: kill})
		return err
	case "restore-limited":
		limitFiles(n)
		return restore(ctx, file, database, backup.RestoreOptions{})
	case "open-limited":
		limitFiles(n)
		_, err := store.Open(ctx, database)
		return err
	case "backup-killed":
		s, err := store.OpenForBackup(ctx, database)
		if err != nil {
			return err
		}
		_, err = backup.Write(ctx, s, file, backup.Options{Progress: kill})
		return err
	case "backup-limited":
		s, err := store.OpenForBackup(ctx, database)
		if err != nil {
			return err
		}
		limitFiles(n)
		_, err = backup.Write(ctx, s, file, backup.Options{})
		return err
	}
	return errors.New("nothing to do")
}

// limitFiles makes every file as full as a disk is, from a length on.
func limitFiles(n int64) {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}); err != nil {
		panic(err)
	}
}

// dies runs a child that fails or is killed, and returns what it said.
func dies(t testing.TB, what, database, file string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childBackup+"="+what, childDatabase+"="+database, childFile+"="+file)
	out, err := c.CombinedOutput()
	if err == nil || bytes.HasPrefix(out, []byte("<nil>")) {
		t.Fatalf("%s ended well:\n%s", what, out)
	}
	return string(out)
}

// manyTickets makes a database with more rows than it takes to report progress twice.
func manyTickets(t testing.TB, database string) {
	t.Helper()
	l := openLog(t, database)
	l.append(t, tickets(backup.ProgressRows+100)...)
	l.end()
	closed(t, l.Store)
}

// A restore that is killed leaves a database that nobody takes for a whole one: whoever opens it is told what to do,
// and the restore, run again, goes on.
func TestRestoreKilled(t *testing.T) {
	source := rowtest.Kinds["SQLite"](t)
	manyTickets(t, source)
	path := backedUp(t, source, backup.Options{Keys: true})
	want := rowtest.Contents(t, source)
	b, err := backup.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := b.Rows()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for kind, fresh := range rowtest.Kinds {
		for when, at := range map[string]int64{"while it writes": 1, "while it compares": rows} {
			t.Run(kind+" "+when, func(t *testing.T) {
				database := fresh(t)
				dies(t, fmt.Sprint("restore-killed ", at), database, path)
				for _, open := range []func(context.Context, string) (*store.Store, error){store.Open, store.OpenForBackup} {
					if _, err := open(t.Context(), database); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "run housecount restore again") {
						t.Fatalf("a half restored database opens: %v", err)
					}
				}
				if at == rows {
					other := backedUp(t, source, backup.Options{})
					if err := restore(t.Context(), other, database, backup.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), path) {
						t.Errorf("another backup goes on: %v", err)
					}
				}
				restored(t, path, database, backup.RestoreOptions{})
				rowtest.Same(t, rowtest.Contents(t, database), want)
				closed(t, open(t, database))
			})
		}
	}
}

// A backup that is killed, or for which there is no room, leaves no file of its name.
func TestBackupBrokenOff(t *testing.T) {
	for kind, fresh := range rowtest.Kinds {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			manyTickets(t, database)
			dir := t.TempDir()
			path := filepath.Join(dir, "house.backup")
			said := dies(t, "backup-limited 20000", database, path)
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || !strings.Contains(said, path) {
				t.Errorf("a full disk leaves %v (%v) and says:\n%s", left, err, said)
			}
			dies(t, "backup-killed 1", database, path)
			if _, err := os.Stat(path); err == nil {
				t.Error("a killed backup has its name")
			}
			s, err := store.OpenForBackup(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, s)
			if _, err := backup.Write(t.Context(), s, path, backup.Options{}); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Write(t.Context(), s, path, backup.Options{}); err == nil || !strings.Contains(err.Error(), path+" is there already") {
				t.Errorf("a backup is written over: %v", err)
			}
			if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) || after.Size() != before.Size() {
				t.Error("the backup that was there changed")
			}
		})
	}
}

// A restore for which there is no room says so, and goes on when there is.
func TestRestoreFullDisk(t *testing.T) {
	source := rowtest.Kinds["SQLite"](t)
	manyTickets(t, source)
	path := backedUp(t, source, backup.Options{Keys: true})
	database := rowtest.Kinds["SQLite"](t)
	said := dies(t, "restore-limited 1200000", database, path)
	if !strings.Contains(said, database) || !strings.Contains(said, path) {
		t.Errorf("the failure names neither database nor backup:\n%s", said)
	}
	if _, err := store.Open(t.Context(), database); err == nil || !strings.Contains(err.Error(), "run housecount restore again") {
		t.Errorf("a half restored database opens: %v", err)
	}
	restored(t, path, database, backup.RestoreOptions{})
	rowtest.Same(t, rowtest.Contents(t, database), rowtest.Contents(t, source))
}

// A database that is opened where its disk has no room says so, and is sound afterwards.
func TestOpenFullDisk(t *testing.T) {
	database := rowtest.Kinds["SQLite"](t)
	closed(t, open(t, database))
	if said := dies(t, "open-limited 1", database, ""); !strings.Contains(said, database) || !strings.Contains(said, "is its disk full") {
		t.Errorf("it says:\n%s", said)
	}
	closed(t, open(t, database))
}

// What is written during a backup is in it with all that belongs to it, or not at all.
func TestBackupIsOneMoment(t *testing.T) {
	for kind, fresh := range rowtest.Kinds {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			l := openLog(t, database)
			ctx, cancel := context.WithCancel(t.Context())
			var writing sync.WaitGroup
			var once sync.Once
			began := make(chan struct{})
			writing.Go(func() {
				for last := int64(0); ctx.Err() == nil; {
					var batch []record.Record
					for i := range int64(40) {
						batch = append(batch, ticket(fmt.Sprintf("tkt_%d", last+i)))
					}
					a, err := l.Append(ctx, aggregator.Batch{Term: l.term, SeenAt: noon, Records: batch,
						Streams: []aggregator.StreamState{{Name: "tickets", Since: noon, Read: int(last) + 40}}})
					if err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					if last = a.Revision; last > 2000 {
						once.Do(func() { close(began) })
					}
				}
			})
			<-began
			var paths []string
			for range 5 {
				paths = append(paths, backedUp(t, database, backup.Options{}))
			}
			cancel()
			writing.Wait()
			revisions := map[int64]bool{}
			for _, path := range paths {
				other := rowtest.Kinds["SQLite"](t)
				restored(t, path, other, backup.RestoreOptions{})
				var newest, versions, heads, service, counter, state int64
				if err := rowtest.Plain(t, other).QueryRow(`SELECT (SELECT max(revision) FROM version), (SELECT count(*) FROM version), (SELECT count(*) FROM head),
					(SELECT revision FROM service), (SELECT revision FROM counter), (SELECT state ->> '$.Read' FROM stream)`).
					Scan(&newest, &versions, &heads, &service, &counter, &state); err != nil {
					t.Fatal(err)
				}
				if newest != versions || heads != newest || service != newest || counter != newest || state != newest {
					t.Errorf("newest %d, versions %d, heads %d, of the service %d, of the counter %d, of the stream %d", newest, versions, heads, service, counter, state)
				}
				revisions[newest] = true
			}
			if len(revisions) < 2 {
				t.Error("nothing was written between the backups")
			}
		})
	}
}

// rewritten returns a backup with a changed manifest, and its checksum for that.
func rewritten(t testing.TB, path string, change func(m map[string]any)) string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "manifest.json" {
			var m map[string]any
			if err := json.Unmarshal(content, &m); err != nil {
				t.Fatal(err)
			}
			change(m)
			if content, err = json.Marshal(m); err != nil {
				t.Fatal(err)
			}
		}
		to, err := w.Create(f.Name)
		if err == nil {
			_, err = to.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.SetComment(strings.Repeat("0", 64)), w.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(out.Bytes())
	copy(out.Bytes()[out.Len()-64:], hex.EncodeToString(sum[:]))
	other := filepath.Join(t.TempDir(), "rewritten.backup")
	if err := os.WriteFile(other, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return other
}

// A backup that this program cannot read whole is refused before anything is written, and the refusal names the mend.
func TestRestoreRefusesWhatItDoesNotKnow(t *testing.T) {
	source := rowtest.Kinds["SQLite"](t)
	l := openLog(t, source)
	l.append(t, tickets(3)...)
	path := backedUp(t, source, backup.Options{Program: "v9"})
	tables := func(m map[string]any) []any { return m["tables"].([]any) }
	for name, c := range map[string]struct {
		change func(m map[string]any)
		want   string
	}{
		"a newer schema":   {func(m map[string]any) { m["schema"] = 1000 }, "made by a newer housecount, v9 (schema 1000"},
		"a newer format":   {func(m map[string]any) { m["format"] = 2 }, "made by a newer housecount, v9 (format 2"},
		"an ancient one":   {func(m map[string]any) { m["schema"] = 4 }, "back it up again"},
		"a key to inject":  {func(m map[string]any) { m["left_out"] = []string{"x' OR 'a'='a"} }, "altered"},
		"a table less":     {func(m map[string]any) { m["tables"] = tables(m)[1:] }, "altered"},
		"other rows":       {func(m map[string]any) { tables(m)[len(tables(m))-1].(map[string]any)["rows"] = 7 }, "altered"},
		"another checksum": {func(m map[string]any) { tables(m)[len(tables(m))-1].(map[string]any)["sha256"] = "00" }, "altered"},
		"another column":   {func(m map[string]any) { tables(m)[0].(map[string]any)["columns"].([]any)[0] = "other" }, "altered"},
	} {
		t.Run(name, func(t *testing.T) {
			database := rowtest.Kinds["SQLite"](t)
			other := rewritten(t, path, c.change)
			err := restore(t.Context(), other, database, backup.RestoreOptions{})
			if err == nil || !strings.Contains(err.Error(), other) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			restored(t, path, rowtest.Kinds["SQLite"](t), backup.RestoreOptions{})
		})
	}
	restored(t, rewritten(t, path, func(map[string]any) {}), rowtest.Kinds["SQLite"](t), backup.RestoreOptions{})
}
