package store_test

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"housecount/aggregator/store"
	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/rowtest"
)

// lostByUpgrade are the tables of which an upgrade drops rows, with the schema that does.
var lostByUpgrade = map[string]int64{
	"session": 9,  // what they hold did not say who issued it
	"reading": 18, // they follow from the versions
	"attempt": 8,  // they are in the browser's cookie
}

// A database of each schema that was ever released, with rows in every table, is brought up to date, step by step, and every
// value of every column that is still there is what it was.
func TestUpgradeFromEachSchema(t *testing.T) {
	newest, err := engine.NewestSchema()
	if err != nil {
		t.Fatal(err)
	}
	for kind, fresh := range rowtest.Kinds {
		for schema := int64(7); schema < newest; schema++ {
			t.Run(fmt.Sprint(kind, " ", schema), func(t *testing.T) {
				database := fresh(t)
				if err := store.MakeSchema(t.Context(), database, schema); err != nil {
					t.Fatal(err)
				}
				rowtest.Fill(t, database)
				db := rowtest.Plain(t, database)
				before := rowtest.ColumnsOf(t, database, db)
				rows := map[string][]string{}
				after := store.TablesOfNewest(t)
				shared := func(table string) (columns []string) {
					for _, c := range slices.Sorted(maps.Keys(before[table])) {
						if slices.Contains(after[table], c) {
							columns = append(columns, c)
						}
					}
					return columns
				}
				for table := range before {
					if at := lostByUpgrade[table]; at <= schema && after[table] != nil {
						rows[table] = rowtest.RowsOf(t, db, table, shared(table))
					}
				}
				if len(rows) < 8 {
					t.Fatalf("only %d tables are compared", len(rows))
				}
				var steps []store.UpgradeStep
				s, err := store.OpenLogged(t.Context(), database, slog.New(slog.NewTextHandler(t.Output(), nil)), func(s store.UpgradeStep) { steps = append(steps, s) })
				if err != nil {
					t.Fatal(err)
				}
				closed(t, s)
				if n := int(newest - schema); len(steps) != n || steps[0].Of != n || steps[0].To != schema+1 || steps[n-1].Step != n || steps[n-1].To != newest || steps[0].What == "" {
					t.Errorf("the steps are %+v", steps)
				}
				for table, want := range rows {
					got := rowtest.RowsOf(t, db, table, shared(table))
					if table == "meta" { // two keys are made where there are none
						got = slices.DeleteFunc(got, func(row string) bool { return !slices.Contains(want, row) })
					}
					if !slices.Equal(got, want) {
						t.Errorf("table %s:\n got %.1000q\nwant %.1000q", table, got, want)
					}
				}
			})
		}
	}
}
