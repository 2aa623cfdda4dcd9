package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// hash is what is kept of a token: who reads the database cannot use what they find.
func hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// FindCtx, CommitCtx and DeleteCtx (with Find, Commit and Delete) are scs's CtxStore.
// Tokens are kept as SHA-256 only. Commit never brings a deleted session back: Delete
// leaves a tombstone until the session's expiry. That holds as long as the expiry of a
// session does not move, that is with scs's IdleTimeout at 0.
//
// FindCtx gives a session's bytes, and false when it expired, was deleted or never was.
func (s *Store) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := s.reader.QueryRowContext(ctx,
		`SELECT data FROM session WHERE token_hash = ? AND expiry > ? AND revoked_at IS NULL`,
		hash(token), s.now().UnixMilli()).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("store: find session: %w", err)
	}
	return data, true, nil
}

// CommitCtx keeps a session, unless it was deleted or its expiry has passed; neither is an
// error. It also clears away what has expired.
func (s *Store) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	now := s.now()
	if !expiry.After(now) {
		return nil
	}
	if b == nil {
		b = []byte{} // SQLite would read NULL
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM session WHERE expiry <= ?`, now.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			`INSERT INTO session (token_hash, data, expiry) VALUES (?, ?, ?)
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expiry = excluded.expiry
			WHERE revoked_at IS NULL`,
			hash(token), b, expiry.UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("store: commit session: %w", err)
	}
	return nil
}

// DeleteCtx ends a session for good. A token that is not known is no error.
func (s *Store) DeleteCtx(ctx context.Context, token string) error {
	_, err := s.writer.ExecContext(ctx,
		`UPDATE session SET revoked_at = ?, data = x'' WHERE token_hash = ? AND revoked_at IS NULL`,
		s.now().UnixMilli(), hash(token))
	if err != nil {
		return fmt.Errorf("store: delete session: %w", err)
	}
	return nil
}

// Find is FindCtx without a context.
func (s *Store) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Store) Commit(token string, b []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, b, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Store) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
