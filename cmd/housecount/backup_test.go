package main

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
)

// runCommand runs a command of the program and returns its exit code and what it printed.
func runCommand(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, faults bytes.Buffer
	code = run(t.Context(), args, nil, &out, &faults)
	return code, out.String(), faults.String()
}

// succeeds is runCommand for one that has to.
func succeeds(t testing.TB, args ...string) string {
	t.Helper()
	code, stdout, stderr := runCommand(t, args...)
	if code != exitOK {
		t.Fatalf("housecount %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

func sameFigures(t testing.TB, what string, got, want *figures.Snapshot) {
	t.Helper()
	if len(got.Events) != len(want.Events) || len(want.Events) == 0 {
		t.Fatalf("%s: %d events, want %d", what, len(got.Events), len(want.Events))
	}
	for i := range want.Events {
		if !reflect.DeepEqual(got.Events[i], want.Events[i]) {
			t.Errorf("%s: event %s differs:\n got %+v\nwant %+v", what, want.Events[i].Event.ID, got.Events[i], want.Events[i])
		}
	}
	if !reflect.DeepEqual(got.Total, want.Total) || !reflect.DeepEqual(got.Days, want.Days) {
		t.Errorf("%s: totals differ: got %+v, want %+v", what, got.Total, want.Total)
	}
}

// A house that is backed up while it is in use moves from SQLite to PostgreSQL and back. Whoever was signed in still is,
// nothing is read from the service again, and the figures are the same.
func TestHouseMoves(t *testing.T) {
	f := newFront(t)
	s := newService(t, loginAt(f))
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	first := file("first.db")

	running := f.start(t, s, first)
	running.out.await(t, "this process polls")
	s.follow(t, first, time.Now).until("the first sync", complete)
	f.to.Store(running.url)
	v := f.visitor(t)
	v.login()
	said := succeeds(t, "backup", file("running.backup"), "--database", first, "--with-keys")
	if !strings.Contains(said, "with its secret key") {
		t.Errorf("backup says %q", said)
	}
	// It has no more time and no new sales, and so the figures stay as they are.
	if err := running.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = running.Wait() // it was killed
	want := s.figures(t, first)
	compareWithTruth(t, want, s.Sandbox)

	if said := succeeds(t, "verify", file("running.backup")); !strings.Contains(said, "can be restored") || !strings.Contains(said, "figures of") || !strings.Contains(said, "acts fits the one before it") {
		t.Errorf("verify says %q", said)
	}
	verifyFindsAChangedAudit(t, first)
	second := pgtest.New(t)
	if said := succeeds(t, "restore", file("running.backup"), "--database", second); !strings.Contains(said, "every row of every table is that of the backup") {
		t.Errorf("restore says %q", said)
	}
	moved := f.start(t, s, second)
	f.to.Store(moved.url)
	if status, at, _ := v.send(http.MethodGet, f.URL+"/revenue", nil); status != http.StatusOK || at != f.URL+"/revenue" {
		t.Errorf("who was signed in before the move is sent to %s: %d", at, status)
	}
	succeeds(t, "backup", file("moved.backup"), "--database", second, "--with-keys")
	if err := moved.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = moved.Wait() // it was killed
	sameFigures(t, "PostgreSQL", s.figures(t, second), want)

	third := file("third.db")
	succeeds(t, "restore", file("moved.backup"), "--database", third)
	before := s.requests.Load()
	back := f.start(t, s, third)
	f.to.Store(back.url)
	if status, at, _ := v.send(http.MethodGet, f.URL+"/revenue", nil); status != http.StatusOK || at != f.URL+"/revenue" {
		t.Errorf("who was signed in before both moves is sent to %s: %d", at, status)
	}
	back.out.await(t, "this process polls")
	if asked := s.requests.Load() - before; asked > 40 {
		t.Errorf("%d requests after the move: everything is read again", asked)
	}
	if err := back.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = back.Wait() // it was killed
	sameFigures(t, "SQLite again", s.figures(t, third), want)

	db, err := store.Open(t.Context(), third)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for action, n := range map[string]int{store.ActBackedUp: 2, store.ActRestored: 2} {
		if found, err := db.Audit().Count(t.Context(), store.ActQuery{Action: action}); err != nil || found != n {
			t.Errorf("the audit has %d of %s (%v), want %d", found, action, err, n)
		}
	}
}

// emptyHouse makes the database of a house before its first record.
func emptyHouse(t testing.TB, database string) {
	t.Helper()
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Records(t.Context(), "default")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Each thing that can be wrong with a backup has an exit code, names what it is about, and leaves nothing behind.
func TestBackupCommandsRefuse(t *testing.T) {
	dir := t.TempDir()
	house, other, path := filepath.Join(dir, "house.db"), filepath.Join(dir, "other.db"), filepath.Join(dir, "house.backup")
	emptyHouse(t, house)
	succeeds(t, "backup", path, "--database", house)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "half.backup")
	if err := os.WriteFile(half, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no database to back up":  {[]string{"backup", filepath.Join(dir, "x"), "--database", other}, exitUsage, "is not there"},
		"a file that is there":    {[]string{"backup", path, "--database", house}, exitFailed, path + " is there already"},
		"no directory":            {[]string{"backup", filepath.Join(dir, "none", "x"), "--database", house}, exitFailed, "none/x cannot be written: no such file or directory: make the directory, or name another"},
		"half a file":             {[]string{"restore", half, "--database", other}, exitFailed, half + ": is truncated or altered"},
		"half a file to verify":   {[]string{"verify", half}, exitFailed, half + ": is truncated or altered"},
		"no file":                 {[]string{"verify", other}, exitFailed, other + ": cannot be read: no such file or directory: name a backup"},
		"no file to restore":      {[]string{"restore", filepath.Join(dir, "none"), "--database", other}, exitFailed, "none: cannot be read: no such file or directory: name a backup"},
		"no room to verify in":    {[]string{"verify", path, "--in", filepath.Join(dir, "none")}, exitFailed, "none: no such file or directory: give a directory that may be written as --in"},
		"no database to restore":  {[]string{"restore", path}, exitUsage, "--database"},
		"a database with records": {[]string{"restore", path, "--database", house}, exitFailed, "is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, c.code, c.want, stdout, stderr)
			}
			if _, err := os.Stat(other); err == nil {
				t.Error("a database was made")
			}
		})
	}
}

// How long it still takes is said once enough is done to tell: the first rows wait until the database is made.
func TestMeter(t *testing.T) {
	var out strings.Builder
	m := &meter{w: &out, what: "rows"}
	for _, done := range []int64{4, 50} {
		m.began, m.said = time.Now().Add(-time.Minute), time.Time{}
		m.tell(done, 100)
	}
	m.tell(60, 100)
	if got := out.String(); got != "rows: 4 of 100\nrows: 50 of 100, 1m0s left\n" {
		t.Errorf("it prints %q", got)
	}
}

// Anybody with a ZIP program can read a backup.
func TestBackupIsAnArchive(t *testing.T) {
	dir := t.TempDir()
	house, path := filepath.Join(dir, "house.db"), filepath.Join(dir, "house.backup")
	emptyHouse(t, house)
	succeeds(t, "backup", path, "--database", house)
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if f := r.File[len(r.File)-1]; f.Name != "manifest.json" {
		t.Errorf("the last file is %s", f.Name)
	}
}

// verifyFindsAChangedAudit changes what was done in a copy of a database, and has a backup of that verified.
func verifyFindsAChangedAudit(t *testing.T, database string) {
	t.Helper()
	changed := filepath.Join(t.TempDir(), "changed.db")
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `VACUUM INTO ?`, changed)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("sqlite", changed); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `DROP TRIGGER audit_never_changes; UPDATE audit SET name = 'Nobody' WHERE id = (SELECT min(id) FROM audit)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	succeeds(t, "backup", changed+".backup", "--database", changed)
	if code, _, said := runCommand(t, "verify", changed+".backup"); code != exitFailed || !strings.Contains(said, "were changed, added or removed") {
		t.Errorf("verify of a changed audit exits %d: %s", code, said)
	}
}
