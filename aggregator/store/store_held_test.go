package store_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/rowtest"
)

// Who opens a database for what, and what a refusal says. A refused database is left as it was.
func TestOpenRefusesWhatIsNotItsOwn(t *testing.T) {
	newest, err := engine.NewestSchema()
	if err != nil {
		t.Fatal(err)
	}
	type opening = func(context.Context, string) (*store.Store, error)
	const noHouse = "holds no housecount"
	nothing := func(*testing.T, string) {}
	foreign := func(t *testing.T, database string) { execute(t, database, `CREATE TABLE person (name TEXT)`) }
	older := func(t *testing.T, database string) {
		if err := store.MakeSchema(t.Context(), database, newest-1); err != nil {
			t.Fatal(err)
		}
	}
	bare := func(t *testing.T, database string) { closed(t, open(t, database)) }
	for kind, fresh := range rowtest.Kinds {
		for _, c := range []struct {
			name string
			open opening
			made func(t *testing.T, database string)
			want string // of PostgreSQL if the kinds differ
		}{
			{"serve of another program's", store.Open, foreign, "is the database of another program"},
			{"a command that may make one, of another program's", store.OpenCurrent, foreign, "is the database of another program"},
			{"a command, of another program's", store.OpenHeld, foreign, noHouse},
			{"a backup of another program's", store.OpenForBackup, foreign, noHouse},
			{"a command, of nothing", store.OpenHeld, nothing, noHouse},
			{"a backup of nothing", store.OpenForBackup, nothing, noHouse},
			{"a backup of tables without a house", store.OpenForBackup, bare, noHouse},
			{"a command, of an older schema", store.OpenHeld, older, "start serve of this version first"},
			{"a command that may make one, of an older schema", store.OpenCurrent, older, "start serve of this version first"},
			{"a command, of its own", store.OpenHeld, bare, ""},
			{"a command that may make one, of nothing", store.OpenCurrent, nothing, ""},
			{"serve of an older schema", store.Open, older, ""},
		} {
			t.Run(kind+" "+c.name, func(t *testing.T) {
				database := fresh(t)
				if kind == "SQLite" {
					if err := os.WriteFile(database, nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				c.made(t, database)
				has := func() (tables []string) {
					return slices.Sorted(maps.Keys(rowtest.ColumnsOf(t, database, rowtest.Plain(t, database))))
				}
				before := has()
				s, err := c.open(t.Context(), database)
				if c.want == "" {
					if err != nil {
						t.Fatal(err)
					}
					closed(t, s)
					return
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				if after := has(); !slices.Equal(before, after) {
					t.Errorf("it has the tables %q, before %q", after, before)
				}
				if info, err := os.Stat(database); kind == "SQLite" && len(before) == 0 && (err != nil || info.Size() > 0) {
					t.Errorf("the file has %d bytes (%v)", info.Size(), err)
				}
			})
		}
	}
}

// A database with a table of others beside the house's own, as an extension or an operator makes it, is still that of the house.
func TestHouseBesideOthers(t *testing.T) {
	database := rowtest.Kinds["PostgreSQL"](t)
	closed(t, open(t, database))
	execute(t, database, `CREATE TABLE sizes (day DATE)`)
	for _, opens := range []func(context.Context, string) (*store.Store, error){store.Open, store.OpenHeld} {
		s, err := opens(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		closed(t, s)
	}
}
