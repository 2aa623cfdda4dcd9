package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Audit is the record of what was done: acts are added, never changed, and go when they are old.
type Audit struct{ s *Store }

// Audit is that of the database.
func (s *Store) Audit() *Audit { return &Audit{s} }

// Act is something that was done. Texts may be empty; they may come from outside, and hold no
// secret.
type Act struct {
	// ID and At are given by the database's process when it is added; acts with a higher ID were
	// added later.
	ID int64
	At time.Time
	// Actor is the subject of the person who did it, as in Owner, with the Name that it had then;
	// or one of the words below.
	Actor, Name string
	// Action and Reason are codes.
	Action, Reason string
	// Object is what it was done to, with the name that people have for it.
	Object, ObjectName string
	// Before and After are what the act changed.
	Before, After string
	// Count is how often it was done, where a stranger could do it too often for an act each; 0
	// is added as 1.
	Count int
	// Address is where it came from.
	Address string
}

// Who does what no person does. A subject is none of these: it has a space after its issuer.
const (
	ActorStranger = "stranger" // an unknown person
	ActorProvider = "provider" // the sign-in service
	ActorCommand  = "command"  // somebody at the program's own command line
	ActorProgram  = "program"  // housecount, when a time is up
)

// The actions that have to do with signing in.
const (
	ActLogin        = "login"
	ActRefused      = "login_refused"
	ActLogout       = "logout"
	ActRoleChanged  = "role_changed"
	ActSessionEnded = "session_ended"
	// Of an e-mail address or a domain; Before and After are roles.
	ActRoleGiven = "role_given"
	ActRoleTaken = "role_taken"
)

// The actions that take what was stored away, or elsewhere.
const (
	ActExported      = "records_exported"
	ActForgotContact = "forgot_contact"
	ActForgotAll     = "forgot_everything"
	// What of which After is how many, and Before the day before which it was.
	ActScansRetired    = "scans_retired"    // performances
	ActContactsRetired = "contacts_retired" // contacts
)

// The actions that have to do with screens.
const (
	ActScreenPaired  = "screen_paired"
	ActScreenRefused = "screen_refused" // a device that showed a code
	ActScreenAdded   = "screen_added"
	ActScreenLinked  = "screen_linked" // a device became the screen by its link
	ActScreenRevoked = "screen_revoked"
	ActScreenTaken   = "screen_copied"  // another device uses its credential now, from the address
	ActScreenChanged = "screen_changed" // its name, place, programme, access or another setting
	ActScreenOff     = "screen_off"     // it is meant to be off
	ActScreenOn      = "screen_on"
	ActScreenDark    = "screen_dark" // it is on and shows nothing
	ActScreenLight   = "screen_light"
	ActScreenTold    = "screen_told" // After is what

	ActProgrammeSaved   = "programme_saved"
	ActProgrammeDeleted = "programme_deleted"
)

// Why the program itself ends sessions.
const (
	EndedIdle  = "idle"
	EndedLimit = "limit"
)

// Append adds an act, now, and hints SubjectAudit.
func (a *Audit) Append(ctx context.Context, act Act) error {
	err := a.s.change(ctx, SubjectAudit, func(tx *sql.Tx) error { return a.s.appendAct(ctx, tx, act) })
	if err != nil {
		return a.s.failed("append to the audit", err)
	}
	return nil
}

// mostText is how much of a text an act keeps, in bytes: all settings of a screen fit, escaped as they
// are.
const mostText = 4000

// appendAct adds an act within a transaction, which hints it. Of texts it leaves out what
// PostgreSQL does not store.
func (s *Store) appendAct(ctx context.Context, tx *sql.Tx, a Act) error {
	for _, text := range []*string{&a.Actor, &a.Name, &a.Action, &a.Object, &a.ObjectName, &a.Before, &a.After, &a.Reason, &a.Address} {
		short := (*text)[:min(len(*text), mostText)]
		*text = strings.ReplaceAll(strings.ToValidUTF8(short, ""), "\x00", "")
	}
	_, err := s.exec(ctx, tx, `INSERT INTO audit (at, actor, name, action, object, object_name, before, after, reason, count, address)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		s.now().UnixMilli(), a.Actor, a.Name, a.Action, a.Object, a.ObjectName, a.Before, a.After, a.Reason, max(a.Count, 1), a.Address)
	return err
}

// ActQuery selects acts: those since a time that match every field that is set.
type ActQuery struct {
	Since         time.Time
	Actor, Action string
	Object        string
	Before        int64 // the ID of an act that was added later, 0 for none
}

const fitting = ` WHERE at >= $1 AND ($2 = '' OR actor = $2) AND ($3 = '' OR action = $3) AND ($4 = 0 OR id < $4) AND ($5 = '' OR object = $5)`

func (q ActQuery) args(more ...any) []any {
	return append([]any{q.Since.UnixMilli(), q.Actor, q.Action, q.Before, q.Object}, more...)
}

// Acts are n of those that a query means, the newest first, after skip newer ones.
func (a *Audit) Acts(ctx context.Context, q ActQuery, skip, n int) (acts []Act, err error) {
	rows, err := a.s.rows(ctx, a.s.reader, `SELECT id, at, actor, name, action, object, object_name, before, after, reason, count, address
		FROM audit`+fitting+` ORDER BY id DESC LIMIT $6 OFFSET $7`, q.args(n, skip)...)
	if err != nil {
		return nil, a.s.failed("read the audit", err)
	}
	defer rows.Close()
	for rows.Next() {
		var act Act
		var at int64
		if err := rows.Scan(&act.ID, &at, &act.Actor, &act.Name, &act.Action, &act.Object, &act.ObjectName,
			&act.Before, &act.After, &act.Reason, &act.Count, &act.Address); err != nil {
			return nil, a.s.failed("read the audit", err)
		}
		act.At = time.UnixMilli(at)
		acts = append(acts, act)
	}
	if err := rows.Err(); err != nil {
		return nil, a.s.failed("read the audit", err)
	}
	return acts, nil
}

// Count returns how many acts a query means.
func (a *Audit) Count(ctx context.Context, q ActQuery) (n int, err error) {
	if err := a.s.row(ctx, a.s.reader, `SELECT count(*) FROM audit`+fitting, q.args()...).Scan(&n); err != nil {
		return 0, a.s.failed("count the audit", err)
	}
	return n, nil
}

// Actors returns those who did anything since a time, each with the last of their names, in no order.
func (a *Audit) Actors(ctx context.Context, since time.Time) (names map[string]string, err error) {
	rows, err := a.s.rows(ctx, a.s.reader, `SELECT actor, name FROM audit WHERE id IN (SELECT max(id) FROM audit WHERE at >= $1 GROUP BY actor)`, since.UnixMilli())
	if err != nil {
		return nil, a.s.failed("read who acted", err)
	}
	defer rows.Close()
	names = make(map[string]string)
	for rows.Next() {
		var actor, name string
		if err := rows.Scan(&actor, &name); err != nil {
			return nil, a.s.failed("read who acted", err)
		}
		names[actor] = name
	}
	if err := rows.Err(); err != nil {
		return nil, a.s.failed("read who acted", err)
	}
	return names, nil
}

// clearAtOnce is how many rows one statement deletes, so that nobody waits long for it.
const clearAtOnce = 200

// Clear deletes the acts from before a time, few at once, and returns how many there were.
func (a *Audit) Clear(ctx context.Context, before time.Time) (cleared int, err error) {
	for more := true; more; {
		err = a.s.write(ctx, func(tx *sql.Tx) error {
			n, err := a.s.exec(ctx, tx, `DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)`, before.UnixMilli(), clearAtOnce)
			more = n == clearAtOnce
			cleared += n
			return err
		})
		if err != nil {
			return cleared, a.s.failed("clear the audit", err)
		}
	}
	return cleared, nil
}
