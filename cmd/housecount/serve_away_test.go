package main

import (
	"context"
	"database/sql"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store/pgtest"
)

// waysToBeAway take the database away from a program; back brings it back.
var waysToBeAway = map[string]func(t *testing.T) (database string, away func() (back func())){
	"PostgreSQL is stopped": func(t *testing.T) (string, func() func()) {
		server := pgtest.Start(t)
		return server.URL("postgres"), func() func() { return server.Stop(t) }
	},
	"PostgreSQL is frozen": func(t *testing.T) (string, func() func()) {
		server := pgtest.Start(t)
		return server.URL("postgres"), func() func() { return server.Freeze(t) }
	},
	"SQLite cannot be written": func(t *testing.T) (string, func() func()) {
		path := filepath.Join(t.TempDir(), "house.db")
		return path, func() func() {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			conn, err := db.Conn(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.ExecContext(t.Context(), `PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE`); err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, err := conn.ExecContext(t.Context(), `ROLLBACK`); err != nil {
					t.Error(err)
				}
			}
		}
	},
}

// While the database is away, whoever was signed in sees the last figures and a red strip that says so, everything else
// is refused with when to come back, and all of it ends when the database is back.
func TestDatabaseAway(t *testing.T) {
	for name, way := range waysToBeAway {
		t.Run(name, func(t *testing.T) {
			database, away := way(t)
			f := newFront(t)
			s := newService(t, loginAt(f))
			f.serve(t, s, database)
			v := f.visitor(t)
			v.login()
			open := v.watch("view=tonight")
			strip := func(has bool) {
				t.Helper()
				for strings.Contains(open.shows.HTML["strip"], "Read only") != has {
					if err := open.next(); err != nil {
						t.Fatal(err)
					}
				}
			}
			ready := func(query string) (int, string) {
				status, _, text := f.visitor(t).send(http.MethodGet, f.URL+"/readyz"+query, nil)
				return status, text
			}
			if status, _ := ready(""); status != http.StatusOK {
				t.Fatalf("readyz answers %d", status)
			}

			back := away()
			strip(true)
			began := time.Now()
			status, at, page := v.send(http.MethodGet, f.URL+"/tonight", nil)
			if took := time.Since(began); status != http.StatusOK || at != f.URL+"/tonight" || !strings.Contains(page, "Read only") || took > 3*time.Second {
				t.Errorf("who was signed in gets %d at %s in %s", status, at, took)
			}
			for _, c := range []struct {
				who          *visitor
				method, path string
			}{{v, http.MethodPost, "/logout"}, {v, http.MethodGet, "/settings"}, {v, http.MethodPost, "/seen"}, {f.visitor(t), http.MethodGet, "/tonight"}, {f.visitor(t), http.MethodGet, "/login"}} {
				q, err := http.NewRequestWithContext(t.Context(), c.method, f.URL+c.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.who.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				a, err := c.who.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				a.Body.Close()
				c.who.CheckRedirect = nil
				// Who somebody is can be read, but not written.
				if strings.HasPrefix(name, "SQLite") && c.method == http.MethodGet && c.path == "/tonight" && a.StatusCode == http.StatusSeeOther || c.path == "/settings" && a.StatusCode == http.StatusForbidden {
					continue
				}
				if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
					t.Errorf("%s %s is answered with %d and Retry-After %q", c.method, c.path, a.StatusCode, a.Header.Get("Retry-After"))
				}
			}
			if status, text := ready(""); status != http.StatusServiceUnavailable || !strings.Contains(text, "the database") || !strings.Contains(text, "read only") {
				t.Errorf("readyz answers %d: %s", status, text)
			}
			if status, text := ready("?pages"); status != http.StatusOK {
				t.Errorf("readyz?pages answers %d: %s", status, text)
			}
			if _, text := ready("?verbose"); !regexp.MustCompile(`(?m)^database: (does not answer|cannot be written) since \d`).MatchString(text) {
				t.Errorf("readyz?verbose answers %s", text)
			}

			back()
			strip(false)
			if status, at, page := v.send(http.MethodGet, f.URL+"/tonight", nil); status != http.StatusOK || at != f.URL+"/tonight" || strings.Contains(page, "Read only") {
				t.Errorf("afterwards who was signed in gets %d at %s", status, at)
			}
			if status, text := ready(""); status != http.StatusOK {
				t.Errorf("afterwards readyz answers %d: %s", status, text)
			}
			if _, text := ready("?verbose"); !regexp.MustCompile(`(?m)^database: ok since \d`).MatchString(text) {
				t.Errorf("afterwards readyz?verbose answers %s", text)
			}
		})
	}
}
