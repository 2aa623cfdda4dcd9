package store

import "time"

// SetNow sets the clock of the sessions.
func (s *Store) SetNow(now func() time.Time) { s.now = now }
