package store

import (
	"context"
	"database/sql"
	"time"
)

const (
	// clearUsedEvery is how often a process deletes expired states.
	clearUsedEvery = time.Minute
	// usedMargin is how long after its expiry a state is still remembered as used, because the clock of another
	// process may be behind.
	usedMargin = time.Hour
)

// Attempts is what all processes share about the sign-ins in progress: which states have been used. Beginning a
// sign-in writes nothing, so that strangers cannot fill the database. States are stored only as SHA-256.
type Attempts struct{ s *Store }

// Attempts returns the attempts of the database.
func (s *Store) Attempts() *Attempts { return &Attempts{s} }

// Use records that a state, valid until expiry, was used. It returns true once for each state, also for
// concurrent calls.
func (a *Attempts) Use(ctx context.Context, state string, expiry time.Time) (first bool, err error) {
	err = a.s.write(ctx, func(tx *sql.Tx) error {
		first, err = a.s.use(ctx, tx, state, expiry)
		return err
	})
	if err != nil {
		return false, a.s.wrap("use attempt", err)
	}
	return first, nil
}

// use records that something valid until expiry was used; first is true if it was not used before.
func (s *Store) use(ctx context.Context, tx *sql.Tx, what string, expiry time.Time) (first bool, err error) {
	now := s.now()
	cleared := s.usedCleared.Load()
	if now.Sub(time.UnixMilli(cleared)).Abs() >= clearUsedEvery && s.usedCleared.CompareAndSwap(cleared, now.UnixMilli()) {
		if _, err := s.exec(ctx, tx, `DELETE FROM used_state WHERE expiry <= $1`, now.Add(-usedMargin).UnixMilli()); err != nil {
			return false, err
		}
	}
	n, err := s.exec(ctx, tx, `INSERT INTO used_state (state_hash, expiry) VALUES ($1, $2) ON CONFLICT DO NOTHING`, hash(what), expiry.UnixMilli())
	return n == 1, err
}
