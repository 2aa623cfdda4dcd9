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
