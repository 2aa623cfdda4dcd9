package store_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// plain opens a database beside the store.
func plain(t testing.TB, database string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(database, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// columnsOf returns the types of the columns of all tables of a database.
func columnsOf(t testing.TB, database string, db *sql.DB) map[string]map[string]string {
	t.Helper()
	list := `SELECT m.name, c.name, lower(c.type) FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`
	if strings.HasPrefix(database, "postgres") {
		list = `SELECT table_name, column_name, data_type FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`
	}
	rows, err := db.QueryContext(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	tables := map[string]map[string]string{}
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			t.Fatal(err)
		}
		if table == "goose_db_version" || table == "lease" && (column == "holder" || column == "expires") {
			continue
		}
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][column] = kind
	}
	return tables
}

// contents returns all rows of all tables as texts that do not depend on the kind of database, without those of some
// keys of the table meta.
func contents(t testing.TB, database string, leftOut ...string) map[string][]string {
	t.Helper()
	db := plain(t, database)
	all := map[string][]string{}
	for table, columns := range columnsOf(t, database, db) {
		all[table] = slices.DeleteFunc(rowsOf(t, db, table, slices.Sorted(maps.Keys(columns))), func(row string) bool {
			return table == "meta" && slices.ContainsFunc(leftOut, func(key string) bool { return strings.HasPrefix(row, "key="+key+"|") })
		})
	}
	return all
}

// rowsOf returns the values of some columns of all rows of a table, sorted.
func rowsOf(t testing.TB, db *sql.DB, table string, names []string) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT "`+strings.Join(names, `", "`)+`" FROM "`+table+`"`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for i, v := range values {
			switch x := v.(type) {
			case bool:
				v = 0
				if x {
					v = 1
				}
			case []byte:
				v = "x" + hex.EncodeToString(x)
			}
			fmt.Fprintf(&b, "%s=%v|", names[i], v)
		}
		all = append(all, b.String())
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func sameContents(t testing.TB, got, want map[string][]string) {
	t.Helper()
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if !slices.Equal(got[table], want[table]) {
			t.Errorf("table %s:\n got %.2000q\nwant %.2000q", table, got[table], want[table])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tables, want %d", len(got), len(want))
	}
}

var (
	oddTexts = []string{"", "plain", "it's \"quoted\" \\ back", "line\nbreak\ttab\x01\x7f", "Zoë, 日本, 🎭, \u2028", "<b>&amp;</b>", `{"a":"\u0000"}`, strings.Repeat("long ", 30000)}
	oddBlobs = [][]byte{{}, {0}, {255, 254, 0, 10}, []byte(strings.Repeat("\x00\xff", 5000))}
	numbers  = []int64{0, 1, -1, 1<<62 + 1, -1 << 63, 1<<63 - 1}
)

// fillAll adds rows of odd values to every table that a database has, whatever those mean.
func fillAll(t testing.TB, database string) {
	t.Helper()
	db := plain(t, database)
	tables := columnsOf(t, database, db)
	order := append([]string{"service"}, slices.Sorted(maps.Keys(tables))...)
	for _, table := range order[1:] {
		if table == "service" {
			order = slices.Delete(order, slices.Index(order[1:], table)+1, slices.Index(order[1:], table)+2)
		}
	}
	for _, table := range order {
		if table == "counter" {
			continue
		}
		names := slices.Sorted(maps.Keys(tables[table]))
		for row := range len(oddTexts) {
			values, places := make([]any, len(names)), make([]string, len(names))
			for i, name := range names {
				switch kind := tables[table][name]; {
				case name == "id" && kind != "text" || name == "revision" || name == "service" && table != "event":
					values[i] = int64(row + 1)
				case kind == "smallint", kind == "integer" && name == "kind":
					values[i] = row
				case kind == "boolean":
					values[i] = row%2 == 1
				case kind == "integer" && (name == "head" || name == "deleted"):
					values[i] = row % 2
				case kind == "text":
					values[i] = oddTexts[(row+i)%len(oddTexts)]
					if len(values[i].(string)) > 2000 && (i == 0 || name != "body" && name != "document" && name != "after") {
						values[i] = "short"
					}
					if name == "id" || name == "key" || name == "name" || name == "holder" || name == "stream" {
						values[i] = fmt.Sprint(values[i], " ", row)
					}
				case kind == "blob", kind == "bytea":
					values[i] = oddBlobs[row%len(oddBlobs)]
					if strings.HasSuffix(name, "hash") || name == "contact" {
						values[i] = fmt.Appendf(nil, "%d %s", row, name)
					}
				default:
					values[i] = numbers[(row+i)%len(numbers)]
				}
				places[i] = fmt.Sprintf("$%d", i+1)
			}
			overriding := ""
			if strings.HasPrefix(database, "postgres") {
				if table == "lease" {
					names, values, places = append(names, "holder", "expires"), append(values, "somebody", "2026-11-21 12:00Z"), append(places, "$98", "$99")
					places[len(places)-2], places[len(places)-1] = fmt.Sprintf("$%d", len(values)-1), fmt.Sprintf("$%d", len(values))
				}
				overriding = " OVERRIDING SYSTEM VALUE"
			}
			if _, err := db.ExecContext(t.Context(), `INSERT INTO "`+table+`" ("`+strings.Join(names, `", "`)+`")`+overriding+` VALUES (`+strings.Join(places, ", ")+`)`, values...); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			names = names[:len(tables[table])]
		}
	}
}

// kindsOfDatabase make an empty database of each kind, that does not exist yet where that is possible.
var kindsOfDatabase = map[string]func(t testing.TB) string{
	"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "house.db") },
	"PostgreSQL": pgtest.New,
}

// backedUp backs a database up.
func backedUp(t testing.TB, database string, o store.BackupOptions) string {
	t.Helper()
	s, err := store.OpenForBackup(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	path := filepath.Join(t.TempDir(), "house.backup")
	if _, err := s.Backup(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func restored(t testing.TB, path, database string, o store.RestoreOptions) {
	t.Helper()
	if err := restore(t.Context(), path, database, o); err != nil {
		t.Fatal(err)
	}
}

func restore(ctx context.Context, path, database string, o store.RestoreOptions) error {
	b, err := store.OpenBackup(ctx, path, nil)
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
	for from, fresh := range kindsOfDatabase {
		for to, freshOther := range kindsOfDatabase {
			t.Run(from+" to "+to, func(t *testing.T) {
				first, other := fresh(t), freshOther(t)
				closed(t, open(t, first))
				fillAll(t, first)
				want := contents(t, first)
				restored(t, backedUp(t, first, store.BackupOptions{Keys: true}), other, store.RestoreOptions{})
				sameContents(t, contents(t, other), want)

				back := fresh(t)
				restored(t, backedUp(t, other, store.BackupOptions{Keys: true}), back, store.RestoreOptions{})
				sameContents(t, contents(t, back), want)

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
	for kind, fresh := range kindsOfDatabase {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			s := open(t, database)
			if _, err := s.Seal(t.Context(), "", ""); err != nil {
				t.Fatal(err)
			}
			secrets := map[string]string{}
			db := plain(t, database)
			for _, key := range []string{"attempt_key", "seal_key"} {
				var value string
				if err := db.QueryRow(`SELECT value FROM meta WHERE key = '` + key + `'`).Scan(&value); err != nil {
					t.Fatal(err)
				}
				secrets[key] = value
			}
			without := backedUp(t, database, store.BackupOptions{})
			if info, err := os.Stat(without); err != nil || info.Mode() != 0o600 {
				t.Errorf("the backup is %v (%v), want 0600", info.Mode(), err)
			}
			other := fresh(t)
			restored(t, without, other, store.RestoreOptions{})
			sameContents(t, contents(t, other, "attempt_key"), contents(t, database, "attempt_key", "seal_key")) // it has made a key of its own
			again := open(t, other)
			if seal, err := again.Seal(t.Context(), "", ""); err != nil || seal.Foreign {
				t.Errorf("a database without the key looks for another's: %v", err)
			}
			if now := contents(t, other)["meta"]; slices.ContainsFunc(now, func(row string) bool { return strings.Contains(row, secrets["attempt_key"]) }) {
				t.Error("the key was in the backup")
			}

			with := backedUp(t, database, store.BackupOptions{Keys: true})
			third := fresh(t)
			restored(t, with, third, store.RestoreOptions{})
			sameContents(t, contents(t, third), contents(t, database))
		})
	}
}

// A key of the table meta is known here, so that a new one that is secret is left out of backups.
func TestBackupKnowsEveryKey(t *testing.T) {
	database := kindsOfDatabase["SQLite"](t)
	s := open(t, database)
	if _, err := s.Seal(t.Context(), strings.Repeat("x", 40), ""); err != nil {
		t.Fatal(err)
	}
	for _, row := range contents(t, database)["meta"] {
		key, _, _ := strings.Cut(strings.TrimPrefix(row, "key="), "|")
		if !slices.Contains([]string{"attempt_key", "epoch", "seal_key"}, key) {
			t.Errorf("is %s secret? Then leftOut has to have it", key)
		}
	}
}

// A backup without sessions signs everybody out, and has all else.
func TestRestoreWithoutSessions(t *testing.T) {
	database := kindsOfDatabase["SQLite"](t)
	closed(t, open(t, database))
	fillAll(t, database)
	want := contents(t, database)
	want["session"] = nil
	for kind, fresh := range kindsOfDatabase {
		t.Run(kind, func(t *testing.T) {
			other := fresh(t)
			restored(t, backedUp(t, database, store.BackupOptions{Keys: true}), other, store.RestoreOptions{WithoutSessions: true})
			sameContents(t, contents(t, other), want)
		})
	}
}

// Every byte of a backup counts.
func TestAlteredBackupIsRefused(t *testing.T) {
	database := kindsOfDatabase["SQLite"](t)
	l := openLog(t, database)
	l.append(t, tickets(50)...)
	path := backedUp(t, database, store.BackupOptions{})
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
		_, err := store.OpenBackup(t.Context(), other, nil)
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
	if _, err := store.OpenBackup(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("a directory is a backup")
	}
	if _, err := store.OpenBackup(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A backup is restored into nothing that holds something, and the refusal names the mend.
func TestRestoreRefusesWhatIsNotEmpty(t *testing.T) {
	for kind, fresh := range kindsOfDatabase {
		t.Run(kind, func(t *testing.T) {
			database := fresh(t)
			l := openLog(t, database)
			l.append(t, tickets(3)...)
			path := backedUp(t, database, store.BackupOptions{})
			before := contents(t, database)
			err := restore(t.Context(), path, database, store.RestoreOptions{})
			if err == nil || !strings.Contains(err.Error(), "is not empty") || !strings.Contains(err.Error(), "name a") {
				t.Errorf("restored into a database with records: %v", err)
			}
			sameContents(t, contents(t, database), before)
		})
	}
}
