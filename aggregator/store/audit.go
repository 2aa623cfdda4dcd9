package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Audit is the record of what was done. Acts are added and never changed, and are deleted when they are old; the database
// refuses everything else. Each act has a hash of the one before, so that Verify finds what somebody changed, added or
// removed beside that.
type Audit struct{ s *Store }

// Audit returns the audit of the database.
func (s *Store) Audit() *Audit { return &Audit{s} }

// Act is something that was done. Texts may be empty. They may come from outside and contain no secrets.
type Act struct {
	// ID and At are set when the act is added; later acts have higher IDs.
	ID int64
	At time.Time
	// Actor is the subject of the person who did it, as in Owner, with their Name at that time; or one of the
	// words below.
	Actor, Name string
	// Action and Reason are codes.
	Action, Reason string
	// Object is what it was done to, with its name.
	Object, ObjectName string
	// Before and After are what the act changed.
	Before, After string
	// Count is how often it was done, for acts that a stranger could repeat too often for an act each; 0 is stored
	// as 1.
	Count int
	// Address is where it came from.
	Address string
}

// The actors that are not persons. No subject equals one of them, because it has a space after its issuer.
const (
	ActorStranger = "stranger" // an unknown person
	ActorProvider = "provider" // the sign-in service
	ActorCommand  = "command"  // somebody at the program's own command line
	ActorProgram  = "program"  // housecount itself, when a time has passed
)

// The actions about signing in.
const (
	ActLogin        = "login"
	ActRefused      = "login_refused"
	ActLogout       = "logout"
	ActRoleChanged  = "role_changed"
	ActSessionEnded = "session_ended"
	// Of an e-mail address or a domain; Before and After are roles.
	ActRoleGiven = "role_given"
	ActRoleTaken = "role_taken"
	// Of a key of a program; Before and After are roles.
	// Before and After are addresses and the names of secrets, never those themselves.
	ActServiceChanged = "service_changed"
	ActSignInChanged  = "sign_in_changed"

	ActKeyMade    = "key_made"
	ActKeyRevoked = "key_revoked"
	// Of letters by mail; Before and After are their names, and the object is the address.
	ActLettersChosen  = "letters_chosen"
	ActLettersStopped = "letters_stopped" // by the link in a letter
)

// The actions that delete stored records, or move the store.
const (
	ActExported      = "records_exported"
	ActBackedUp      = "backed_up"
	ActRestored      = "restored" // Before is when the backup was made
	ActForgotContact = "forgot_contact"
	ActForgotAll     = "forgot_everything"
	// After is how many, and Before the day before which they were.
	ActScansRetired    = "scans_retired"    // performances
	ActContactsRetired = "contacts_retired" // contacts
)

// The actions about screens.
const (
	ActScreenPaired    = "screen_paired"
	ActScreenRefused   = "screen_refused" // a device that showed a code
	ActScreenAdded     = "screen_added"
	ActScreenLinked    = "screen_linked" // a device became the screen by its link
	ActScreenRevoked   = "screen_revoked"
	ActScreenTaken     = "screen_copied"  // another device, from the address, uses its credential, or came with a former one
	ActScreenKnown     = "screen_known"   // somebody has dealt with that
	ActScreenChanged   = "screen_changed" // its name, place, programme, access or another setting
	ActScreenOff       = "screen_off"     // it is switched off on purpose
	ActScreenOn        = "screen_on"
	ActScreenDark      = "screen_dark" // it is on and shows nothing
	ActScreenLight     = "screen_light"
	ActScreenCommanded = "screen_told" // After is what

	ActProgrammeSaved   = "programme_saved"
	ActProgrammeDeleted = "programme_deleted"
)

// The reasons for which the program ends sessions.
const (
	EndedIdle  = "idle"
	EndedLimit = "limit"
	EndedMany  = "many" // the person has begun MostSessions since
)

// Append adds an act with the present time, and hints SubjectAudit.
func (a *Audit) Append(ctx context.Context, act Act) error {
	err := a.s.change(ctx, SubjectAudit, func(tx *sql.Tx) error {
		a.s.appendAct(tx, act)
		return nil
	})
	return a.s.wrap("append to the audit", err)
}

// mostText is the most bytes of a text that an act keeps: enough for all settings of a screen.
const mostText = 4000

// appendAct adds an act with a transaction: at its end, because all others who add one wait from then on. It removes from
// texts what PostgreSQL cannot store.
func (s *Store) appendAct(tx *sql.Tx, a Act) {
	for _, text := range []*string{&a.Actor, &a.Name, &a.Action, &a.Object, &a.ObjectName, &a.Before, &a.After, &a.Reason, &a.Address} {
		short := (*text)[:min(len(*text), mostText)]
		*text = strings.ReplaceAll(strings.ToValidUTF8(short, ""), "\x00", "")
	}
	a.At, a.Count = s.now(), max(a.Count, 1)
	s.actsMu.Lock()
	defer s.actsMu.Unlock()
	s.acts[tx] = append(s.acts[tx], a)
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

// Acts returns n of the acts that match the query, the newest first, after skipping some.
func (a *Audit) Acts(ctx context.Context, q ActQuery, skip, n int) (acts []Act, err error) {
	err = a.s.each(ctx, a.s.reader, into(&acts, func(scan scanner) (act Act, err error) {
		err = act.scan(scan)
		return act, err
	}), `SELECT `+actColumns+` FROM audit`+fitting+` ORDER BY id DESC LIMIT $6 OFFSET $7`, q.args(n, skip)...)
	return acts, a.s.wrap("read the audit", err)
}

// Count returns how many acts match the query.
func (a *Audit) Count(ctx context.Context, q ActQuery) (n int, err error) {
	err = a.s.row(ctx, a.s.reader, `SELECT count(*) FROM audit`+fitting, q.args()...).Scan(&n)
	return n, a.s.wrap("count the audit", err)
}

// Actors returns everybody who did anything since a time, with their last name, unsorted.
func (a *Audit) Actors(ctx context.Context, since time.Time) (names map[string]string, err error) {
	names = make(map[string]string)
	err = a.s.each(ctx, a.s.reader, func(scan scanner) error {
		var actor, name string
		err := scan(&actor, &name)
		names[actor] = name
		return err
	}, `SELECT actor, name FROM audit WHERE id IN (SELECT max(id) FROM audit WHERE at >= $1 GROUP BY actor)`, since.UnixMilli())
	return names, a.s.wrap("read who acted", err)
}

// Refused returns the last refusal for a reason of everybody of whom there is one since a time, the latest first.
func (a *Audit) Refused(ctx context.Context, reason string, since time.Time) (acts []Act, err error) {
	err = a.s.each(ctx, a.s.reader, into(&acts, func(scan scanner) (act Act, err error) {
		err = act.scan(scan)
		return act, err
	}), `SELECT `+actColumns+` FROM audit WHERE id IN (SELECT max(id) FROM audit WHERE action = $1 AND reason = $2 AND at >= $3 GROUP BY actor) ORDER BY id DESC`, ActRefused, reason, since.UnixMilli())
	return acts, a.s.wrap("read who was refused", err)
}

// SignIns returns the last sign-in of everybody of whom there is one, the latest first. After is the role of each, as it was changed since.
func (a *Audit) SignIns(ctx context.Context) (acts []Act, err error) {
	err = a.s.each(ctx, a.s.reader, into(&acts, func(scan scanner) (act Act, err error) {
		err = act.scan(scan)
		return act, err
	}), `SELECT `+actColumns+` FROM audit WHERE id IN (SELECT max(id) FROM audit WHERE action = $1 GROUP BY actor) ORDER BY id DESC`, ActLogin)
	if err != nil {
		return nil, a.s.wrap("read who signed in", err)
	}
	changed := make(map[string]Act)
	err = a.s.each(ctx, a.s.reader, func(scan scanner) (err error) {
		var act Act
		err = act.scan(scan)
		changed[act.Object] = act
		return err
	}, `SELECT `+actColumns+` FROM audit WHERE id IN (SELECT max(id) FROM audit WHERE action = $1 GROUP BY object)`, ActRoleChanged)
	for i := range acts {
		if c, ok := changed[acts[i].Actor]; ok && c.ID > acts[i].ID {
			acts[i].After = c.After
		}
	}
	return acts, a.s.wrap("read whose role was changed", err)
}

// clearAtOnce is how many rows one statement deletes, so that nobody has to wait long for it.
const clearAtOnce = 200

// Clear deletes the acts before a time, but for the newest act, a few at once, and returns how many there were. An act
// that is dated after a later one goes with that.
func (a *Audit) Clear(ctx context.Context, before time.Time) (cleared int, err error) {
	for more := true; more; {
		err = a.s.write(ctx, func(tx *sql.Tx) error {
			n := 0
			err := a.s.clearing(ctx, tx, before.UnixMilli(), func() (err error) {
				n, err = a.s.exec(ctx, tx, `DELETE FROM audit WHERE id IN (SELECT id FROM audit
					WHERE id < (SELECT coalesce(min(id), (SELECT max(id) FROM audit)) FROM audit WHERE at >= $1) ORDER BY id LIMIT $2)`, before.UnixMilli(), clearAtOnce)
				return err
			})
			more = n == clearAtOnce
			cleared += n
			return err
		})
		if err != nil {
			return cleared, a.s.wrap("clear the audit", err)
		}
	}
	return cleared, nil
}
