package backup_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/aggregator/store/backup"
	"housecount/aggregator/store/rowtest"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// backedUp backs a database up.
func backedUp(t testing.TB, database string, o backup.Options) string {
	t.Helper()
	s, err := store.OpenForBackup(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	path := filepath.Join(t.TempDir(), "house.backup")
	if _, err := backup.Write(t.Context(), s, path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func restored(t testing.TB, path, database string, o backup.RestoreOptions) {
	t.Helper()
	if err := restore(t.Context(), path, database, o); err != nil {
		t.Fatal(err)
	}
}

func restore(ctx context.Context, path, database string, o backup.RestoreOptions) error {
	b, err := backup.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	s, err := b.Restore(ctx, database, o)
	if err != nil {
		return err
	}
	return errors.Join(s.Accept(ctx), s.Close())
}

// A database of either kind moves to the other and back, and every row of every table is the same.
func TestBackupMovesBothWays(t *testing.T) {
	for from, fresh := range rowtest.Kinds {
		for to, freshOther := range rowtest.Kinds {
			t.Run(from+" to "+to, func(t *testing.T) {
				first, other := fresh(t), freshOther(t)
				closed(t, open(t, first))
				rowtest.Fill(t, first)
				want := rowtest.Contents(t, first)
				restored(t, backedUp(t, first, backup.Options{Keys: true}), other, backup.RestoreOptions{})
				rowtest.Same(t, rowtest.Contents(t, other), want)

				back := fresh(t)
				restored(t, backedUp(t, other, backup.Options{Keys: true}), back, backup.RestoreOptions{})
				rowtest.Same(t, rowtest.Contents(t, back), want)

				// The database numbers its rows on from there.
				s := open(t, back)
				if err := s.Audit().Append(t.Context(), store.Act{Actor: "x", Action: "y"}); err != nil {
					t.Error(err)
				}
				if _, err := s.Records(t.Context(), "another service"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Nobody but the owner may read a backup, and what opens what is sealed is in it only if that was asked for.
func TestBackupKeepsSecrets(t *testing.T) {
	for kind, fresh := range rowtest.Kinds {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			s := open(t, database)
			if _, err := s.Records(t.Context(), "default"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Seal(t.Context(), "", ""); err != nil {
				t.Fatal(err)
			}
			secrets := map[string]string{}
			db := rowtest.Plain(t, database)
			for _, key := range []string{"attempt_key", "seal_key"} {
				var value string
				if err := db.QueryRow(`SELECT value FROM meta WHERE key = '` + key + `'`).Scan(&value); err != nil {
					t.Fatal(err)
				}
				secrets[key] = value
			}
			without := backedUp(t, database, backup.Options{})
			if info, err := os.Stat(without); err != nil || info.Mode() != 0o600 {
				t.Errorf("the backup is %v (%v), want 0600", info.Mode(), err)
			}
			other := fresh(t)
			restored(t, without, other, backup.RestoreOptions{})
			rowtest.Same(t, rowtest.Contents(t, other, "attempt_key"), rowtest.Contents(t, database, "attempt_key", "seal_key")) // it has made a key of its own
			again := open(t, other)
			if seal, err := again.Seal(t.Context(), "", ""); err != nil || seal.Foreign {
				t.Errorf("a database without the key looks for another's: %v", err)
			}
			if now := rowtest.Contents(t, other)["meta"]; slices.ContainsFunc(now, func(row string) bool { return strings.Contains(row, secrets["attempt_key"]) }) {
				t.Error("the key was in the backup")
			}

			with := backedUp(t, database, backup.Options{Keys: true})
			third := fresh(t)
			restored(t, with, third, backup.RestoreOptions{})
			rowtest.Same(t, rowtest.Contents(t, third), rowtest.Contents(t, database))
		})
	}
}

// A key of the table meta is known here, so that a new one that is secret is left out of backups.
func TestBackupKnowsEveryKey(t *testing.T) {
	database := rowtest.Kinds["SQLite"](t)
	s := open(t, database)
	if _, err := s.Seal(t.Context(), strings.Repeat("x", 40), ""); err != nil {
		t.Fatal(err)
	}
	for _, row := range rowtest.Contents(t, database)["meta"] {
		key, _, _ := strings.Cut(strings.TrimPrefix(row, "key="), "|")
		if !slices.Contains([]string{"attempt_key", "epoch", "seal_key"}, key) {
			t.Errorf("is %s secret? Then leftOut has to have it", key)
		}
	}
}

// A backup without sessions signs everybody out, and has all else.
func TestRestoreWithoutSessions(t *testing.T) {
	database := rowtest.Kinds["SQLite"](t)
	closed(t, open(t, database))
	rowtest.Fill(t, database)
	want := rowtest.Contents(t, database)
	for _, table := range []string{"session", "api_key", "subscriber"} {
		if len(want[table]) == 0 {
			t.Fatalf("the backup has no %s", table)
		}
		want[table] = nil
	}
	for kind, fresh := range rowtest.Kinds {
		t.Run(kind, func(t *testing.T) {
			other := fresh(t)
			restored(t, backedUp(t, database, backup.Options{Keys: true}), other, backup.RestoreOptions{WithoutSessions: true})
			rowtest.Same(t, rowtest.Contents(t, other), want)
		})
	}
}

// Every byte of a backup counts.
func TestAlteredBackupIsRefused(t *testing.T) {
	database := rowtest.Kinds["SQLite"](t)
	l := openLog(t, database)
	l.append(t, tickets(50)...)
	path := backedUp(t, database, backup.Options{})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, content []byte) {
		t.Helper()
		other := filepath.Join(t.TempDir(), "altered.backup")
		if err := os.WriteFile(other, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := backup.Open(t.Context(), other, nil)
		if err == nil || !strings.Contains(err.Error(), other) || !strings.Contains(err.Error(), "truncated or altered") {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for i := 0; i < len(whole); i += 1 + len(whole)/500 {
		altered := slices.Clone(whole)
		altered[i] ^= 0x20
		refused(fmt.Sprintf("byte %d of %d altered", i, len(whole)), altered)
	}
	for _, n := range []int{0, 1, 63, 64, 65, len(whole) / 2, len(whole) - 1} {
		refused(fmt.Sprintf("the first %d bytes", n), whole[:n])
	}
	refused("more at the end", append(slices.Clone(whole), 0))
	if _, err := backup.Open(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("a directory is a backup")
	}
	if _, err := backup.Open(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A backup is restored into nothing that holds something, and the refusal names the mend.
func TestRestoreRefusesWhatIsNotEmpty(t *testing.T) {
	for kind, fresh := range rowtest.Kinds {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			l := openLog(t, database)
			l.append(t, tickets(3)...)
			path := backedUp(t, database, backup.Options{})
			before := rowtest.Contents(t, database)
			err := restore(t.Context(), path, database, backup.RestoreOptions{})
			if err == nil || !strings.Contains(err.Error(), "is not empty") || !strings.Contains(err.Error(), "name a") {
				t.Errorf("restored into a database with records: %v", err)
			}
			rowtest.Same(t, rowtest.Contents(t, database), before)
			foreign := fresh(t)
			plain := rowtest.Plain(t, foreign)
			if _, err := plain.ExecContext(t.Context(), `CREATE TABLE person (name TEXT)`); err != nil {
				t.Fatal(err)
			}
			if err := restore(t.Context(), path, foreign, backup.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), "is the database of another program") || !strings.Contains(err.Error(), "name a") {
				t.Errorf("restored into the database of another program: %v", err)
			}
			if tables := rowtest.ColumnsOf(t, foreign, plain); len(tables) > 0 && tables["person"] == nil || tables["meta"] != nil {
				t.Errorf("the database of another program has %v", tables)
			}
			bare := fresh(t)
			closed(t, open(t, bare))
			if _, err := rowtest.Plain(t, bare).ExecContext(t.Context(), `CREATE TABLE person (name TEXT)`); err != nil {
				t.Fatal(err)
			}
			if err := restore(t.Context(), path, bare, backup.RestoreOptions{}); kind == "PostgreSQL" && (err == nil || !strings.Contains(err.Error(), "with a table person")) {
				t.Errorf("restored beside the table of another program: %v", err)
			}
		})
	}
}

// makeSchema makes an empty database with the tables of an older schema, as the program of that time left it.
func makeSchema(t testing.TB, database string, schema int64) {
	t.Helper()
	s, err := store.OpenForRestore(t.Context(), database, func(into *store.Target) error { return cmp.Or(into.MakeSchema(t.Context(), schema), errLeftOld) })
	if err == nil {
		closed(t, s.Store)
		t.Fatal("the schema was brought up to date")
	}
	if !errors.Is(err, errLeftOld) {
		t.Fatal(err)
	}
}

// errLeftOld keeps a database from being brought up to date.
var errLeftOld = errors.New("the schema is left as it is")

// A backup of an older schema is restored as it was into either kind of database, and then brought up to date.
func TestRestoreOfAnOlderSchema(t *testing.T) {
	for from, fresh := range rowtest.Kinds {
		database := fresh(t)
		makeSchema(t, database, 12)
		rowtest.Fill(t, database)
		path := backedUp(t, database, backup.Options{Keys: true})
		closed(t, open(t, database))
		want := rowtest.Contents(t, database, "attempt_key", "epoch")
		for to, fresh := range rowtest.Kinds {
			t.Run(from+" to "+to, func(t *testing.T) {
				other := fresh(t)
				restored(t, path, other, backup.RestoreOptions{})
				rowtest.Same(t, rowtest.Contents(t, other, "attempt_key", "epoch"), want)
			})
		}
		made := fresh(t)
		closed(t, open(t, made))
		if err := restore(t.Context(), path, made, backup.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), "another schema") {
			t.Errorf("restored into tables of another schema: %v", err)
		}
	}
}
