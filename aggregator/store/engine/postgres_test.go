package engine_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/pgtest"
)

// An error of a connection says its cause once, however many ways to connect were tried.
func TestConnectionSaysItsCauseOnce(t *testing.T) {
	there := pgtest.New(t)
	absent, err := url.Parse(there)
	if err != nil {
		t.Fatal(err)
	}
	absent.Path = "/nobody_made_it"
	for _, c := range []struct{ name, database, want, not string }{
		{"no server", "postgres://u@localhost:1/house", "cannot be reached: start PostgreSQL, or correct the address in --database: connection refused", "failed to connect"},
		{"no database", absent.String(), "does not exist", "failed to connect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := engine.NewPostgres(c.database)
			if err != nil {
				t.Fatal(err)
			}
			pool, _, err := d.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			defer d.Close()
			err = d.WithHint(pool.PingContext(t.Context()))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.not) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, ok := errors.AsType[*pgconn.ConnectError](err); !ok {
				t.Errorf("the driver's error is lost: %v", err)
			}
		})
	}
}

// A page of the log is read from where it begins, without what follows being read and sorted, also while PostgreSQL has no statistics
// of a log that was just written.
func TestPageOfLogIsReadFromItsBeginning(t *testing.T) {
	d, err := engine.NewPostgres(pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	pool, _, err := d.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	defer d.Close()
	if err := d.Migrate(t.Context(), engine.Progress{}); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(t.Context(), `ALTER TABLE version SET (autovacuum_enabled = false);
		INSERT INTO version (revision, service, hash, kind, head, id, body) SELECT n, 1, n, 2, true, n, repeat('x', 400) FROM generate_series(1, 50000) n`); err != nil {
		t.Fatal(err)
	}
	rows, err := pool.QueryContext(t.Context(), `EXPLAIN `+engine.VersionsAfter, 20_000, 1, 500)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil || !strings.Contains(plan.String(), "Index Scan using version_pkey") || strings.Contains(plan.String(), "Sort") {
		t.Errorf("%v\n%s", err, &plan)
	}
}
