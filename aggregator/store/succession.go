package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// successionKey is the key of meta with the Succession that is noted.
const successionKey = "succession"

// Succession lets the next start read another log than those that the database has.
type Succession struct {
	// To is the log that is read then.
	To string `json:"to"`
	// From is the log that it is from then on: what was read stays in it, and is read again. It is empty where To begins
	// with nothing.
	From string `json:"from,omitempty"`
}

// SetSuccession notes a succession in place of the one before; that of no log is none.
func (s *Store) SetSuccession(ctx context.Context, next Succession) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		if next.To == "" {
			_, err := s.exec(ctx, tx, `DELETE FROM meta WHERE key = $1`, successionKey)
			return err
		}
		_, err := s.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, successionKey, string(text))
		return err
	})
	return s.wrap("note succession", err)
}

// Succession returns the one that is noted; that of no log for none.
func (s *Store) Succession(ctx context.Context) (noted Succession, err error) {
	var text string
	err = s.row(ctx, s.reader, `SELECT value FROM meta WHERE key = $1`, successionKey).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return noted, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &noted)
	}
	if err != nil {
		return Succession{}, s.wrap("succession", err)
	}
	return noted, nil
}

// Succeed carries out the noted succession and reports whether there is one to a log. It does both in one transaction.
func (s *Store) Succeed(ctx context.Context, log string) (ok bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		ok = false
		var text string
		err := s.row(ctx, tx, `SELECT value FROM meta WHERE key = $1`, successionKey).Scan(&text)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		var next Succession
		if err := json.Unmarshal([]byte(text), &next); err != nil || next.To != log {
			return err
		}
		renamed := 0
		if next.From != "" {
			if renamed, err = s.exec(ctx, tx, `UPDATE service SET name = $1 WHERE name = $2 AND NOT EXISTS (SELECT 1 FROM service WHERE name = $1)`, next.To, next.From); err != nil {
				return err
			}
		}
		if renamed == 0 {
			if _, err := s.exec(ctx, tx, `INSERT INTO service (name) VALUES ($1) ON CONFLICT DO NOTHING`, next.To); err != nil {
				return err
			}
		}
		ok = true
		_, err = s.exec(ctx, tx, `DELETE FROM meta WHERE key = $1`, successionKey)
		return err
	})
	if err != nil {
		return false, s.wrap("succeed", err)
	}
	return ok, nil
}
