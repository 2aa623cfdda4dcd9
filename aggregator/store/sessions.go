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
	if err := ss.s.database.check(); err != nil {
		return nil, false, ss.s.failed("find session", err)
	}
	now, seen := ss.bounds()
	var data []byte
	err := ss.s.row(ctx, ss.s.reader, `SELECT data FROM session WHERE token_hash = $1 AND `+live, hash(token), now, seen).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, ss.s.failed("find session", err)
	}
	return data, true, nil
}

// CommitCtx stores a session, unless it was ended or its expiry has passed; neither is an error. Its owner comes
// with the context (see WithOwner); without one the owner stays as it was. It also ends and deletes what has
// expired.
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
		return err
	})
	if err != nil {
		return ss.s.failed("commit session", err)
	}
	return nil
}

// DeleteCtx ends a session without adding an act. An unknown token is no error.
func (ss *Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := ss.Revoke(ctx, ByToken(token), Act{})
	return err
}

// Which selects sessions by a condition.
type Which struct {
	condition string // with the parameters $3 and so on
	values    []any
}

// ByToken returns one session.
func ByToken(token string) Which { return Which{"token_hash = $3", []any{hash(token)}} }

// ByID returns one session by its SessionInfo.ID.
func ByID(id string) Which {
	h, _ := hex.DecodeString(id) // an invalid id finds nothing
	return Which{"token_hash = $3", []any{h}}
}

// BySubject returns all sessions of a person.
func BySubject(subject string) Which { return Which{"subject = $3", []any{subject}} }

// BySID returns the sessions with an id of the sign-in service. With a subject they are those of
// that person, and those of that person without an id as well.
func BySID(sid, subject string) Which {
	if subject == "" {
		return Which{"sid = $3", []any{sid}}
	}
	return Which{"subject = $3 AND coalesce(sid, $4) = $4", []any{subject, sid}}
}

// Everyone returns all sessions.
func Everyone() Which { return Which{"1 = 1", nil} }

// revoke ends sessions and adds an act for each, based on by: the session is its object, with the owner's
// name.
func (ss *Sessions) revoke(ctx context.Context, tx *sql.Tx, which Which, by Act) ([]SessionInfo, error) {
	return ss.end(ctx, tx, which, by, ss.s.now().UnixMilli())
}

// end ends sessions at a time, in Unix milliseconds, and empties their data. With an action in by it adds an act for each.
func (ss *Sessions) end(ctx context.Context, tx *sql.Tx, which Which, by Act, now int64) (ended []SessionInfo, err error) {
	rows, err := ss.s.rows(ctx, tx, `UPDATE session SET revoked_at = $1, data = $2 WHERE `+which.condition+` AND revoked_at IS NULL RETURNING `+infoColumns,
		append([]any{now, []byte{}}, which.values...)...)
	if err != nil {
		return nil, err
	}
	ended, err = ss.scanInfos(rows)
	if err != nil || by.Action == "" || len(ended) == 0 {
		return ended, err
	}
	for _, session := range ended {
		by.Object, by.ObjectName = session.ID, session.Name
		if err := ss.s.appendAct(ctx, tx, by); err != nil {
			return nil, err
		}
	}
	return ended, ss.s.database.changed(ctx, tx, SubjectAudit)
}

// endExpired ends what has expired or was idle, as an act of the program.
func (ss *Sessions) endExpired(ctx context.Context, tx *sql.Tx) (ended []SessionInfo, err error) {
	now, seen := ss.bounds()
	for _, over := range []struct {
		condition, reason string
		bound             int64
	}{{`expiry <= $3`, EndedLimit, now}, {`seen < $3`, EndedIdle, seen}} {
		some, err := ss.end(ctx, tx, Which{over.condition, []any{over.bound}}, Act{Actor: ActorProgram, Action: ActSessionEnded, Reason: over.reason}, now)
		if err != nil {
			return nil, err
		}
		ended = append(ended, some...)
	}
	return ended, nil
}

// EndExpired ends the sessions that have expired, so that the audit has it, and returns them.
func (ss *Sessions) EndExpired(ctx context.Context) (ended []SessionInfo, err error) {
	err = ss.s.write(ctx, func(tx *sql.Tx) error {
		ended, err = ss.endExpired(ctx, tx)
		return err
	})
	if err != nil {
		return nil, ss.s.failed("end expired sessions", err)
	}
	if len(ended) > 0 {
		ss.s.hints.hint(SubjectAudit)
	}
	return ended, nil
}

// Revoke ends sessions for good and returns them, without their contents. by has the actor and the reason
// and is added to the audit for each session, unless it has no action.
func (ss *Sessions) Revoke(ctx context.Context, which Which, by Act) (ended []SessionInfo, err error) {
	err = ss.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		ended, err = ss.revoke(ctx, tx, which, by)
		return err
	})
	if err != nil {
		return nil, ss.s.failed("revoke sessions", err)
	}
	ss.s.hints.hint(SubjectAudit)
	return ended, nil
}

// RevokeAnew is Revoke, and the owners of the sessions then have to enter their password again.
func (ss *Sessions) RevokeAnew(ctx context.Context, which Which, by Act) (ended []SessionInfo, err error) {
	err = ss.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		if ended, err = ss.revoke(ctx, tx, which, by); err != nil {
			return err
		}
		for _, e := range ended {
			if _, err := ss.s.exec(ctx, tx, `INSERT INTO sign_in_anew (subject, since) VALUES ($1, $2)
				ON CONFLICT (subject) DO UPDATE SET since = excluded.since`, e.Subject, ss.s.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, ss.s.failed("revoke sessions", err)
	}
	ss.s.hints.hint(SubjectAudit)
	return ended, nil
}

// Anew returns since when a person has to enter the password again; zero for not. It holds until ClearAnew removes
// it.
func (ss *Sessions) Anew(ctx context.Context, subject string) (since time.Time, err error) {
	var at int64
	err = ss.s.row(ctx, ss.s.reader, `SELECT since FROM sign_in_anew WHERE subject = $1`, subject).Scan(&at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, ss.s.failed("find who has to sign in anew", err)
	}
	return time.UnixMilli(at), nil
}

// ClearAnew removes what Anew returns, if it is before a time.
func (ss *Sessions) ClearAnew(ctx context.Context, before time.Time) error {
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		_, err := ss.s.exec(ctx, tx, `DELETE FROM sign_in_anew WHERE since < $1`, before.UnixMilli())
		return err
	})
	if err != nil {
		return ss.s.failed("forget who has to sign in anew", err)
	}
	return nil
}

// RevokeOnce is Revoke for an order that is valid until expiry. An order is carried out once: the next time first
// is false and nothing is ended.
func (ss *Sessions) RevokeOnce(ctx context.Context, order string, expiry time.Time, which Which, by Act) (ended []SessionInfo, first bool, err error) {
	err = ss.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		if first, err = ss.s.use(ctx, tx, order, expiry); err != nil || !first {
			return err
		}
		ended, err = ss.revoke(ctx, tx, which, by)
		return err
	})
	if err != nil {
		return nil, false, ss.s.failed("revoke sessions", err)
	}
	ss.s.hints.hint(SubjectAudit)
	return ended, first, nil
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
	among, list := ss.s.database.among("token_hash", hashes)
	rows, err := ss.s.rows(ctx, ss.s.reader, `SELECT token_hash, data FROM session WHERE `+among+` AND `+live, list, now, seen)
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

// Touch stores, in one statement, that the sessions of the tokens are in use. One that has ended stays ended.
func (ss *Sessions) Touch(ctx context.Context, tokens []string) error {
	hashes := make([][]byte, len(tokens))
	for i, token := range tokens {
		hashes[i] = hash(token)
	}
	now, seen := ss.bounds()
	among, list := ss.s.database.among("token_hash", hashes)
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		_, err := ss.s.exec(ctx, tx, `UPDATE session SET seen = $2 WHERE `+among+` AND `+live, list, now, seen)
		return err
	})
	if err != nil {
		return ss.s.failed("touch sessions", err)
	}
	return nil
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

func (ss *Sessions) scanInfos(rows *sql.Rows) (all []SessionInfo, err error) {
	defer rows.Close()
	for rows.Next() {
		var s SessionInfo
		var h []byte
		var started, seen, expiry, checked int64
		if err := rows.Scan(&h, &s.Subject, &s.SID, &s.Name, &s.Address, &s.Agent, &started, &seen, &expiry, &checked, &s.Data); err != nil {
			return nil, err
		}
		s.ID = hex.EncodeToString(h)
		s.Started, s.Seen, s.Expiry = time.UnixMilli(started), time.UnixMilli(seen), time.UnixMilli(expiry)
		s.Ends = s.Expiry
		if idle := s.Seen.Add(ss.Idle); ss.Idle > 0 && idle.Before(s.Ends) {
			s.Ends = idle
		}
		if checked != 0 {
			s.Checked = time.UnixMilli(checked)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// List returns the sessions that have not ended, the newest first.
func (ss *Sessions) List(ctx context.Context) ([]SessionInfo, error) {
	now, seen := ss.bounds()
	rows, err := ss.s.rows(ctx, ss.s.reader, sessionInfo+`WHERE started <= $1 AND `+live+` ORDER BY started DESC, token_hash`,
		int64(math.MaxInt64), now, seen)
	if err != nil {
		return nil, ss.s.failed("list sessions", err)
	}
	all, err := ss.scanInfos(rows)
	if err != nil {
		return nil, ss.s.failed("list sessions", err)
	}
	return all, nil
}

// Claim claims up to n sessions in use about which the sign-in service was last asked before a time. The caller
// must ask; nobody else can claim them until that much time has passed again.
func (ss *Sessions) Claim(ctx context.Context, before time.Time, n int) (claimed []SessionInfo, err error) {
	now, seen := ss.bounds()
	// Read first, because usually there is nothing to write.
	rows, err := ss.s.rows(ctx, ss.s.reader, sessionInfo+`WHERE checked <= $1 AND `+live+` AND seen > checked ORDER BY checked LIMIT $4`,
		before.UnixMilli(), now, seen, n)
	if err != nil {
		return nil, ss.s.failed("claim sessions", err)
	}
	due, err := ss.scanInfos(rows)
	if err != nil {
		return nil, ss.s.failed("claim sessions", err)
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
	if err != nil {
		return nil, ss.s.failed("claim sessions", err)
	}
	return claimed, nil
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
	if err != nil {
		return ss.s.failed("replace session", err)
	}
	return nil
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
