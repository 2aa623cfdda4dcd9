package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"
)

// hash is what is kept of a token: who reads the database cannot use what they find.
func hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Sessions are the logins. FindCtx, CommitCtx and DeleteCtx (with Find, Commit and Delete)
// are scs's CtxStore. Tokens are kept as SHA-256 only. Commit never brings an ended session
// back: who ends it leaves a tombstone until its expiry. That holds as long as the expiry of
// a session does not move, that is with scs's IdleTimeout at 0. What ends a session
// hints SubjectSessions; a commit does not.
type Sessions struct{ s *Store }

// Sessions are the logins of the database.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// owner is whose session is committed.
type owner struct{ subject, sid string }

type ownerKey struct{}

// WithOwner is a context in which CommitCtx stores whose session it is: the subject that
// signed in, by which all of a person's sessions are found, and the session's id with the
// sign-in service, empty where it gave none. A subject has to say who issued it.
func WithOwner(ctx context.Context, subject, sid string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner{subject, sid})
}

// FindCtx gives a session's bytes, and false when it expired, was ended or never was.
func (ss *Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	if err := ss.s.database.check(); err != nil {
		return nil, false, ss.s.failed("find session", err)
	}
	var data []byte
	err := ss.s.row(ctx, ss.s.reader,
		`SELECT data FROM session WHERE token_hash = $1 AND expiry > $2 AND revoked_at IS NULL`,
		hash(token), ss.s.now().UnixMilli()).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, ss.s.failed("find session", err)
	}
	return data, true, nil
}

// CommitCtx keeps a session, unless it was ended or its expiry has passed; neither is an
// error. Whose it is comes with the context (see WithOwner); without, that stays as it was.
// It also clears away what has expired.
func (ss *Sessions) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	now := ss.s.now()
	if !expiry.After(now) {
		return nil
	}
	if b == nil {
		b = []byte{} // which is not NULL
	}
	of, _ := ctx.Value(ownerKey{}).(owner)
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		if _, err := ss.s.exec(ctx, tx, `DELETE FROM session WHERE expiry <= $1`, now.UnixMilli()); err != nil {
			return err
		}
		_, err := ss.s.exec(ctx, tx, `INSERT INTO session (token_hash, subject, sid, data, expiry)
			VALUES ($1, nullif($2, ''), nullif($3, ''), $4, $5)
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expiry = excluded.expiry,
				subject = coalesce(excluded.subject, session.subject), sid = coalesce(excluded.sid, session.sid)
			WHERE session.revoked_at IS NULL`,
			hash(token), of.subject, of.sid, b, expiry.UnixMilli())
		return err
	})
	if err != nil {
		return ss.s.failed("commit session", err)
	}
	return nil
}

// DeleteCtx ends a session for good. A token that is not known is no error.
func (ss *Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := ss.Revoke(ctx, ByToken(token))
	return err
}

// Which says which sessions are meant.
type Which struct {
	column string
	value  any
}

// ByToken is one session.
func ByToken(token string) Which { return Which{"token_hash", hash(token)} }

// BySubject are all sessions of a person.
func BySubject(subject string) Which { return Which{"subject", subject} }

// BySID are the sessions that the sign-in service gave this id.
func BySID(sid string) Which { return Which{"sid", sid} }

// Revoke ends sessions for good, and returns how many there were.
func (ss *Sessions) Revoke(ctx context.Context, which Which) (ended int, err error) {
	err = ss.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		ended, err = ss.s.exec(ctx, tx, `UPDATE session SET revoked_at = $1, data = $2
			WHERE `+which.column+` = $3 AND revoked_at IS NULL`, ss.s.now().UnixMilli(), []byte{}, which.value)
		return err
	})
	if err != nil {
		return 0, ss.s.failed("revoke sessions", err)
	}
	return ended, nil
}

// Alive holds what those of the tokens hold whose sessions are neither ended nor expired, found
// with one question for all.
func (ss *Sessions) Alive(ctx context.Context, tokens []string) (map[string][]byte, error) {
	byHash := make(map[string]string, len(tokens))
	hashes := make([][]byte, len(tokens))
	for i, token := range tokens {
		hashes[i] = hash(token)
		byHash[string(hashes[i])] = token
	}
	among, list := ss.s.database.among("token_hash", hashes)
	rows, err := ss.s.rows(ctx, ss.s.reader, `SELECT token_hash, data FROM session
		WHERE `+among+` AND expiry > $2 AND revoked_at IS NULL`, list, ss.s.now().UnixMilli())
	if err != nil {
		return nil, ss.s.failed("find sessions", err)
	}
	defer rows.Close()
	alive := make(map[string][]byte, len(tokens))
	for rows.Next() {
		var h, data []byte
		if err := rows.Scan(&h, &data); err != nil {
			return nil, ss.s.failed("find sessions", err)
		}
		alive[byHash[string(h)]] = data
	}
	if err := rows.Err(); err != nil {
		return nil, ss.s.failed("find sessions", err)
	}
	return alive, nil
}

// Find is FindCtx without a context.
func (ss *Sessions) Find(token string) ([]byte, bool, error) {
	return ss.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (ss *Sessions) Commit(token string, b []byte, expiry time.Time) error {
	return ss.CommitCtx(context.Background(), token, b, expiry)
}

// Delete is DeleteCtx without a context.
func (ss *Sessions) Delete(token string) error {
	return ss.DeleteCtx(context.Background(), token)
}
