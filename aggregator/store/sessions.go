package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"time"
)

// hash returns what is stored of a token, so that reading the database gives nobody a usable token.
func hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Sessions are the logins. FindCtx, CommitCtx and DeleteCtx (with Find, Commit and Delete)
// are scs's CtxStore. Tokens are kept as SHA-256 only. Commit never brings an ended session
// back: who ends it leaves a tombstone until its expiry. That holds as long as the expiry of
// a session does not move, that is with scs's IdleTimeout at 0: Idle is the limit instead. What
// ends or changes a session hints SubjectSessions; a commit and Touch do not. Whatever ends a
// session is an act of the Audit, added in the same transaction.
type Sessions struct {
	s *Store
	// Idle is how long after it was last seen a session ends; 0 for never.
	Idle time.Duration
}

// Sessions returns the logins of the database.
func (s *Store) Sessions() *Sessions { return &Sessions{s: s} }

// Owner is the owner of a session.
type Owner struct {
	// Subject is the person who signed in, including the issuer.
	Subject string
	// SID is the session's id at the sign-in service, including the issuer; empty if it gave none.
	SID string
	// Name, Address and Agent (the browser) are shown to administrators.
	Name, Address, Agent string
	// Checked is when the sign-in service was asked about it; zero if it cannot be asked again.
	Checked time.Time
}

type ownerKey struct{}

// WithOwner returns a context in which CommitCtx stores whose session it is.
func WithOwner(ctx context.Context, o Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, o)
}

// live is the condition for a session that has not ended, with the parameters $2 and $3 of bounds.
const live = `expiry > $2 AND seen >= $3 AND revoked_at IS NULL`

// bounds returns the present time, and the time since which a session must have been used.
func (ss *Sessions) bounds() (now, seen int64) {
	now = ss.s.now().UnixMilli()
	if ss.Idle > 0 {
		seen = now - ss.Idle.Milliseconds()
	}
	return now, seen
}

// FindCtx returns a session's data; false if it expired, was idle, was ended or never existed.
func (ss *Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	if err := ss.s.database.Check(); err != nil {
		return nil, false, ss.s.wrap("find session", err)
	}
	now, seen := ss.bounds()
	var data []byte
	err := ss.s.row(ctx, ss.s.reader, `SELECT data FROM session WHERE token_hash = $1 AND `+live, hash(token), now, seen).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, ss.s.wrap("find session", err)
	}
	return data, true, nil
}

// CommitCtx stores a session, unless it was ended or its expiry has passed; neither is an error. Its owner comes
// with the context (see WithOwner); without one the owner stays as it was. It also ends and deletes what has
// expired, and ends the oldest sessions of an owner who has more than MostSessions.
func (ss *Sessions) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	now := ss.s.now()
	if !expiry.After(now) {
		return nil
	}
	if b == nil {
		b = []byte{} // so that it is not NULL
	}
	of, _ := ctx.Value(ownerKey{}).(Owner)
	var checked any
	if !of.Checked.IsZero() {
		checked = of.Checked.UnixMilli()
	}
	var ended []SessionInfo
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		if _, err := ss.endExpired(ctx, tx); err != nil {
			return err
		}
		if _, err := ss.s.exec(ctx, tx, `DELETE FROM session WHERE expiry <= $1`, now.UnixMilli()); err != nil {
			return err
		}
		_, err := ss.s.exec(ctx, tx, `INSERT INTO session (token_hash, subject, sid, data, expiry, name, address, agent, checked, started, seen)
			VALUES ($1, nullif($2, ''), nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, $10)
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expiry = excluded.expiry,
				subject = coalesce(excluded.subject, session.subject), sid = coalesce(excluded.sid, session.sid)
			WHERE session.revoked_at IS NULL`,
			hash(token), of.Subject, of.SID, b, expiry.UnixMilli(), of.Name, of.Address, of.Agent, checked, now.UnixMilli())
		if err != nil || of.Subject == "" {
			return err
		}
		if ended, err = ss.endOldest(ctx, tx, of.Subject, token); err != nil || len(ended) == 0 {
			return err
		}
		return ss.s.database.Changed(ctx, tx, string(SubjectSessions))
	})
	if err != nil {
		return ss.s.wrap("commit session", err)
	}
	if len(ended) > 0 {
		ss.s.hints.hint(SubjectSessions)
		ss.s.hints.hint(SubjectAudit)
	}
	return nil
}

// DeleteCtx ends a session without adding an act. An unknown token is no error.
func (ss *Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := ss.Revoke(ctx, ByToken(token), Act{})
	return err
}

// Alive returns the data of those of the tokens whose sessions have not ended, with one query for all.
func (ss *Sessions) Alive(ctx context.Context, tokens []string) (map[string][]byte, error) {
	byHash := make(map[string]string, len(tokens))
	hashes := make([][]byte, len(tokens))
	for i, token := range tokens {
		hashes[i] = hash(token)
		byHash[string(hashes[i])] = token
	}
	now, seen := ss.bounds()
	among, list := ss.s.database.Among("token_hash", hashes)
	alive := make(map[string][]byte, len(tokens))
	err := ss.s.each(ctx, ss.s.reader, func(scan scanner) error {
		var h, data []byte
		err := scan(&h, &data)
		alive[byHash[string(h)]] = data
		return err
	}, `SELECT token_hash, data FROM session WHERE `+among+` AND `+live, list, now, seen)
	return alive, ss.s.wrap("find sessions", err)
}

// Touch stores, in one statement, that the sessions of the tokens are in use. One that has ended stays ended.
func (ss *Sessions) Touch(ctx context.Context, tokens []string) error {
	hashes := make([][]byte, len(tokens))
	for i, token := range tokens {
		hashes[i] = hash(token)
	}
	now, seen := ss.bounds()
	among, list := ss.s.database.Among("token_hash", hashes)
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		_, err := ss.s.exec(ctx, tx, `UPDATE session SET seen = $2 WHERE `+among+` AND `+live, list, now, seen)
		return err
	})
	return ss.s.wrap("touch sessions", err)
}

// SessionInfo is a session as administrators see it.
type SessionInfo struct {
	// ID identifies the session; nobody can log in with it.
	ID string
	Owner
	Started, Seen, Expiry time.Time
	// Ends is when it ends if nobody uses it.
	Ends time.Time
	// Data is what the session holds.
	Data []byte
}

const (
	infoColumns = `token_hash, coalesce(subject, ''), coalesce(sid, ''), name, address, agent, started, seen, expiry, coalesce(checked, 0), data`
	sessionInfo = `SELECT ` + infoColumns + ` FROM session `
)

func (ss *Sessions) scanInfo(scan scanner) (s SessionInfo, err error) {
	var h []byte
	var started, seen, expiry, checked int64
	err = scan(&h, &s.Subject, &s.SID, &s.Name, &s.Address, &s.Agent, &started, &seen, &expiry, &checked, &s.Data)
	s.ID = hex.EncodeToString(h)
	s.Started, s.Seen, s.Expiry = time.UnixMilli(started), time.UnixMilli(seen), time.UnixMilli(expiry)
	s.Ends = s.Expiry
	if idle := s.Seen.Add(ss.Idle); ss.Idle > 0 && idle.Before(s.Ends) {
		s.Ends = idle
	}
	if checked != 0 {
		s.Checked = time.UnixMilli(checked)
	}
	return s, err
}

// List returns the sessions that have not ended, the newest first.
func (ss *Sessions) List(ctx context.Context) (all []SessionInfo, err error) {
	now, seen := ss.bounds()
	err = ss.s.each(ctx, ss.s.reader, into(&all, ss.scanInfo), sessionInfo+`WHERE started <= $1 AND `+live+` ORDER BY started DESC, token_hash`,
		int64(math.MaxInt64), now, seen)
	return all, ss.s.wrap("list sessions", err)
}

// Claim claims up to n sessions in use about which the sign-in service was last asked before a time. The caller
// must ask; nobody else can claim them until that much time has passed again.
func (ss *Sessions) Claim(ctx context.Context, before time.Time, n int) (claimed []SessionInfo, err error) {
	now, seen := ss.bounds()
	// Read first, because usually there is nothing to write.
	var due []SessionInfo
	err = ss.s.each(ctx, ss.s.reader, into(&due, ss.scanInfo), sessionInfo+`WHERE checked <= $1 AND `+live+` AND seen > checked ORDER BY checked LIMIT $4`,
		before.UnixMilli(), now, seen, n)
	if err != nil {
		return nil, ss.s.wrap("claim sessions", err)
	}
	if len(due) == 0 {
		return nil, nil
	}
	err = ss.s.write(ctx, func(tx *sql.Tx) error {
		claimed = nil
		for _, s := range due {
			h, _ := hex.DecodeString(s.ID) // it is one of our own
			n, err := ss.s.exec(ctx, tx, `UPDATE session SET checked = $1 WHERE token_hash = $2 AND checked = $3 AND revoked_at IS NULL`,
				now, h, s.Checked.UnixMilli())
			if err != nil {
				return err
			}
			if n == 1 {
				claimed = append(claimed, s)
			}
		}
		return nil
	})
	return claimed, ss.s.wrap("claim sessions", err)
}

// Replace changes a session's data, unless it was ended, which is no error.
func (ss *Sessions) Replace(ctx context.Context, id string, data []byte) error {
	h, err := hex.DecodeString(id)
	if err == nil {
		err = ss.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
			_, err := ss.s.exec(ctx, tx, `UPDATE session SET data = $1 WHERE token_hash = $2 AND revoked_at IS NULL`, data, h)
			return err
		})
	}
	return ss.s.wrap("replace session", err)
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
