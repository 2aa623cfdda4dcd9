package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// The views for analysts have the newest of each record that is not deleted, in typed columns.
func TestViews(t *testing.T) {
	for _, d := range []struct{ driver, database, at string }{
		{"sqlite", filepath.Join(t.TempDir(), "house.db"), "2026-11-20T19:32:07.123456789Z"},
		{"pgx", pgtest.New(t), "2026-11-20 19:32:07.123457+00"},
	} {
		t.Run(d.driver, func(t *testing.T) {
			l := openLog(t, d.database)
			all := fullRecords()
			l.append(t, all...)
			for _, r := range all { // those are deleted; here they are again
				switch r := r.(type) {
				case *record.Event:
					r.Deleted = false
				case *record.Ticket:
					r.Deleted = false
				case *record.Payment:
					r.Deleted = false
				case *record.TicketScan:
					r.Deleted = false
				}
			}
			l.append(t, append(all, record.Tombstone(all[2]))...)
			db, err := sql.Open(d.driver, d.database)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, c := range []struct{ query, want string }{
				{`SELECT id, capacity, available, status, unlimited FROM event ORDER BY id`, "evt_bare <nil> <nil> <nil> false|evt_full 0 -3 on_sale true"},
				{`SELECT id, quantity, price, currency, admits, type_name, complimentary FROM ticket ORDER BY id`,
					"tkt_full 2 1250 EUR false Rang 1 true|tkt_unscanned 1 <nil> <nil> true <nil> false"},
				{`SELECT id, kind, amount, currency, amount_refunded, test FROM payment`, "pay_full refund 1250 EUR 1250 true"},
				{`SELECT id, ticket_id, gate, direction, undone FROM scan ORDER BY direction, coalesce(gate, 'z')`,
					"<nil> tkt_full Noord entry true|scn_full tkt_full Noord exit true|<nil> tkt_full <nil> exit false"},
				{`SELECT reason FROM payment`, "Ziekte"},
				{`SELECT CAST(paid_at AS text) FROM payment`, d.at},
				{`SELECT count(*) FROM event WHERE date = '2026-11-21' AND service = 'default'`, "2"},
			} {
				if d.driver == "sqlite" { // which has no booleans
					c.want = strings.NewReplacer("false", "0", "true", "1").Replace(c.want)
				}
				if got := table(t, db, c.query); got != c.want {
					t.Errorf("%s: %s, want %s", c.query, got, c.want)
				}
			}
		})
	}
}

// table returns what a query gives, with spaces between columns and bars between rows.
func table(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return ""
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		row, cells := make([]any, len(columns)), make([]string, len(columns))
		for i := range row {
			row[i] = new(any)
		}
		if err := rows.Scan(row...); err != nil {
			t.Fatal(err)
		}
		for i := range row {
			cells[i] = fmt.Sprint(*row[i].(*any))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return strings.Join(lines, "|")
}
