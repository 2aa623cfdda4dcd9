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
