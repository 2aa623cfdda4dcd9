package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator/store/engine"
)

// SetNow sets the clock of sessions, attempts and letters.
func (s *Store) SetNow(now func() time.Time) {
	s.now = now
	s.sharedNow = func(context.Context, runner) (time.Time, error) { return now(), nil }
}

// SetMachineClock sets the clock of the machine, and leaves that of a database server as it is.
func (s *Store) SetMachineClock(now func() time.Time) { s.now = now }

// LimitPages limits the size of a SQLite database, as a full disk would.
func (s *Store) LimitPages(ctx context.Context, n int) error {
	_, err := s.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, n))
	return err
}

// MakeSchema makes an empty database with the tables of an older schema, as the program of that time left it.
func MakeSchema(ctx context.Context, name string, schema int64) error {
	s, err := open(ctx, name, engine.UseAny, func(s *Store) error { return s.database.MigrateTo(ctx, schema) })
	if err != nil {
		return err
	}
	return s.Close()
}

// TablesOfNewest returns the columns of all tables of the newest schema.
func TablesOfNewest(t testing.TB) map[string][]string {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "newest.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tables, err := s.tables(t.Context(), s.reader)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, of := range tables {
		all[of.Name] = of.ColumnNames()
	}
	return all
}
