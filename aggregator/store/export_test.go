package store

import (
	"context"
	"fmt"
	"time"
)

// SetNow sets the clock of sessions and attempts.
func (s *Store) SetNow(now func() time.Time) { s.now = now }

// LimitPages limits the size of a SQLite database, as a full disk would.
func (s *Store) LimitPages(ctx context.Context, n int) error {
	_, err := s.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, n))
	return err
}

// MakeSchema makes an empty database with the tables of an older schema, as the program of that time left it.
func MakeSchema(ctx context.Context, name string, schema int64) error {
	s, err := open(ctx, name, func(s *Store) error { return s.migrateTo(ctx, schema) })
	if err != nil {
		return err
	}
	return s.Close()
}

// ProgressRows is after how many rows a backup and a restore report their progress.
const ProgressRows = progressRows
