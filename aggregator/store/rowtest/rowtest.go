// Package rowtest reads and fills every table of a database beside the store, whatever the tables mean. Only tests import it.
package rowtest

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store/pgtest"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// Plain opens a database beside the store.
func Plain(t testing.TB, database string) *sql.DB {
	t.Helper()
	driver, source := "sqlite", database+"?_pragma=busy_timeout(60000)" // a program may be writing
	if strings.HasPrefix(database, "postgres") {
		driver, source = "pgx", database
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// ColumnsOf returns the types of the columns of all tables of a database.
func ColumnsOf(t testing.TB, database string, db *sql.DB) map[string]map[string]string {
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

// Contents returns all rows of all tables as texts that do not depend on the kind of database, without those of some
// keys of the table meta.
func Contents(t testing.TB, database string, leftOut ...string) map[string][]string {
	t.Helper()
	db := Plain(t, database)
	all := map[string][]string{}
	for table, columns := range ColumnsOf(t, database, db) {
		all[table] = slices.DeleteFunc(RowsOf(t, db, table, slices.Sorted(maps.Keys(columns))), func(row string) bool {
			return table == "meta" && slices.ContainsFunc(leftOut, func(key string) bool { return strings.HasPrefix(row, "key="+key+"|") })
		})
	}
	return all
}

// RowsOf returns the values of some columns of all rows of a table, sorted.
func RowsOf(t testing.TB, db *sql.DB, table string, names []string) (all []string) {
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

// Same fails a test if two databases have different contents.
func Same(t testing.TB, got, want map[string][]string) {
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

// Fill adds rows of odd values to every table that a database has, whatever those mean.
func Fill(t testing.TB, database string) {
	t.Helper()
	db := Plain(t, database)
	tables := ColumnsOf(t, database, db)
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

// Kinds make an empty database of each kind, that does not exist yet where that is possible.
var Kinds = map[string]func(t testing.TB) string{
	"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "house.db") },
	"PostgreSQL": pgtest.New,
}
