package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Attempts are sign-ins under way, by their state, so that another process may finish what
// one began. States are kept as SHA-256 only.
type Attempts struct{ s *Store }

// Attempts are the sign-ins under way in the database.
func (s *Store) Attempts() *Attempts { return &Attempts{s} }

// Put keeps an attempt until it is taken or expires. It also clears away what has expired.
func (a *Attempts) Put(ctx context.Context, state string, data []byte, expiry time.Time) error {
	if data == nil {
		data = []byte{} // which is not NULL
	}
	err := a.s.write(ctx, func(tx *sql.Tx) error {
		if _, err := a.s.exec(ctx, tx, `DELETE FROM attempt WHERE expiry <= $1`, a.s.now().UnixMilli()); err != nil {
			return err
		}
		_, err := a.s.exec(ctx, tx, `INSERT INTO attempt (state_hash, data, expiry) VALUES ($1, $2, $3)`,
			hash(state), data, expiry.UnixMilli())
		return err
	})
	if err != nil {
		return a.s.failed("keep attempt", err)
	}
	return nil
}

// Take gives an attempt's bytes to one caller, once; false when it was taken, expired or
// never was.
func (a *Attempts) Take(ctx context.Context, state string) (data []byte, found bool, err error) {
	var expiry int64
	err = a.s.write(ctx, func(tx *sql.Tx) error {
		return a.s.row(ctx, tx, `DELETE FROM attempt WHERE state_hash = $1 RETURNING data, expiry`, hash(state)).Scan(&data, &expiry)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, a.s.failed("take attempt", err)
	case expiry <= a.s.now().UnixMilli():
		return nil, false, nil
	}
	return data, true, nil
}
