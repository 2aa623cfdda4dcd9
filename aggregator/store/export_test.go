package store

import "time"

// SetNow sets the clock of sessions and attempts.
func (s *Store) SetNow(now func() time.Time) { s.now = now }
