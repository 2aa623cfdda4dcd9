package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

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
	err = ss.s.each(ctx, tx, into(&ended, ss.scanInfo), `UPDATE session SET revoked_at = $1, data = $2 WHERE `+which.condition+` AND revoked_at IS NULL RETURNING `+infoColumns,
		append([]any{now, []byte{}}, which.values...)...)
	if err != nil || by.Action == "" || len(ended) == 0 {
		return ended, err
	}
	for _, session := range ended {
		by.Object, by.ObjectName = session.ID, session.Name
		ss.s.appendAct(tx, by)
	}
	return ended, ss.s.database.Changed(ctx, tx, string(SubjectAudit))
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

// MostSessions is how many sessions a person has: the oldest ends when one more begins.
const MostSessions = 20

// endOldest ends what a person has beyond MostSessions, as an act of the program, but not the session with a token.
func (ss *Sessions) endOldest(ctx context.Context, tx *sql.Tx, subject, token string) (ended []SessionInfo, err error) {
	oldest := Which{`token_hash IN (SELECT token_hash FROM session WHERE subject = $3 AND token_hash <> $4 AND revoked_at IS NULL
		ORDER BY started DESC, token_hash LIMIT 1000000 OFFSET $5)`, []any{subject, hash(token), MostSessions - 1}}
	return ss.revoke(ctx, tx, oldest, Act{Actor: ActorProgram, Action: ActSessionEnded, Reason: EndedMany})
}

// EndExpired ends the sessions that have expired, so that the audit has it, and returns them.
func (ss *Sessions) EndExpired(ctx context.Context) (ended []SessionInfo, err error) {
	err = ss.s.write(ctx, func(tx *sql.Tx) error {
		ended, err = ss.endExpired(ctx, tx)
		return err
	})
	if err != nil {
		return nil, ss.s.wrap("end expired sessions", err)
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
		return nil, ss.s.wrap("revoke sessions", err)
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
		return nil, ss.s.wrap("revoke sessions", err)
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
		return time.Time{}, ss.s.wrap("find who has to sign in anew", err)
	}
	return time.UnixMilli(at), nil
}

// ClearAnew removes what Anew returns, if it is before a time.
func (ss *Sessions) ClearAnew(ctx context.Context, before time.Time) error {
	err := ss.s.write(ctx, func(tx *sql.Tx) error {
		_, err := ss.s.exec(ctx, tx, `DELETE FROM sign_in_anew WHERE since < $1`, before.UnixMilli())
		return err
	})
	return ss.s.wrap("forget who has to sign in anew", err)
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
		return nil, false, ss.s.wrap("revoke sessions", err)
	}
	ss.s.hints.hint(SubjectAudit)
	return ended, first, nil
}
