package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// States of a letter.
const (
	LetterWaiting = "waiting"
	LetterSent    = "sent"
	LetterRefused = "refused" // by the mail server, for good
	LetterLate    = "late"    // it could not be sent in time
	LetterVoid    = "void"    // there is nothing in it, or the person may not get it any more
)

// LetterStates are those of letters that wait no more.
var LetterStates = []string{LetterSent, LetterRefused, LetterLate, LetterVoid}

const (
	// ClaimTime is how long a letter is with the process that claimed it.
	ClaimTime = 5 * time.Minute
	// keepLetters is how long letters are kept that are done.
	keepLetters = 40 * 24 * time.Hour
)

// Letter is one letter to one person. About is what it is about: a day, or an alert.
type Letter struct {
	Person, Name, About string
	Made, Until         time.Time
	Tries               int
	State, Failure      string
	Done                time.Time // zero while it waits
	// Apart is how long after the last letter of this name to the person it may be sent.
	Apart time.Duration
}

// ID distinguishes a letter from all others.
func (l *Letter) ID() string { return l.Name + "/" + l.About + "/" + l.Person }

// Make adds letters to the outbox that are not in it, to be sent until their Until, and forgets old ones. It writes only if
// one is missing.
func (l *Letters) Make(ctx context.Context, all []Letter) error {
	var missing []Letter
	for _, one := range all {
		var made bool
		if err := l.s.row(ctx, l.s.reader, `SELECT EXISTS (SELECT 1 FROM letter WHERE id = $1)`, one.ID()).Scan(&made); err != nil {
			return l.s.wrap("make letters", err)
		}
		if !made {
			missing = append(missing, one)
		}
	}
	if missing == nil {
		return nil
	}
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		now, err := l.s.sharedNow(ctx, tx)
		if err != nil {
			return err
		}
		ahead := now.Sub(l.s.now()) // of this machine's clock
		for _, one := range missing {
			var last int64
			if one.Apart > 0 {
				if err := l.s.row(ctx, tx, `SELECT COALESCE(MAX(done), 0) FROM letter WHERE person = $1 AND name = $2 AND state = $3`, one.Person, one.Name, LetterSent).Scan(&last); err != nil {
					return err
				}
			}
			next := max(now.UnixMilli(), time.UnixMilli(last).Add(one.Apart).UnixMilli())
			if _, err := l.s.exec(ctx, tx, `INSERT INTO letter (id, person, name, day, made, next, until, tries, state, failure, done)
				VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, '', 0) ON CONFLICT DO NOTHING`,
				one.ID(), one.Person, one.Name, one.About, now.UnixMilli(), next, one.Until.Add(ahead).UnixMilli(), LetterWaiting); err != nil {
				return err
			}
		}
		_, err = l.s.exec(ctx, tx, `DELETE FROM letter WHERE made < $1`, now.Add(-keepLetters).UnixMilli()) // also those to what the house has no more
		return err
	})
	return l.s.wrap("make letters", err)
}

// Claim claims for ClaimTime the letters that are now to be sent by a way to one person and have one name, and returns them,
// oldest first; none if there are none. They may be sent as one letter.
func (l *Letters) Claim(ctx context.Context, by Way) (all []Letter, err error) {
	var ahead time.Duration // is the shared clock, of this machine's
	err = l.s.write(ctx, func(tx *sql.Tx) error {
		all = nil
		now, err := l.s.sharedNow(ctx, tx)
		if err != nil {
			return err
		}
		ahead = now.Sub(l.s.now())
		for len(all) == 0 { // until none is left that another has not claimed meanwhile
			var person, name string
			err := l.s.row(ctx, tx, `SELECT l.person, l.name FROM letter l LEFT JOIN subscriber s ON s.person = l.person WHERE l.state = $1 AND l.next <= $2
				AND CASE WHEN l.person = $3 OR l.person LIKE $3 || '/%' THEN l.person WHEN coalesce(s.device, '') <> '' THEN $4 ELSE $5 END = $6 ORDER BY l.next, l.id LIMIT 1`,
				LetterWaiting, now.UnixMilli(), HousePerson, string(ByPush), string(ByMail), string(by)).Scan(&person, &name)
			if err != nil {
				return err
			}
			err = l.s.each(ctx, tx, into(&all, scanLetter), `UPDATE letter SET tries = tries + 1, next = $3 WHERE state = $1 AND next <= $2 AND person = $4 AND name = $5
				RETURNING `+letterColumns, LetterWaiting, now.UnixMilli(), now.Add(ClaimTime).UnixMilli(), person, name)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, l.s.wrap("claim letters", err)
	}
	for i := range all {
		all[i].Until = all[i].Until.Add(-ahead)
	}
	slices.SortFunc(all, func(a, b Letter) int { return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.About, b.About)) })
	return all, nil
}

// Settle notes what became of letters that were claimed. Those that wait are claimed again after a time. failure may be any
// bytes, as a mail server sends them.
func (l *Letters) Settle(ctx context.Context, all []Letter, state, failure string, again time.Duration) error {
	failure = strings.ReplaceAll(strings.ToValidUTF8(failure, "\ufffd"), "\x00", "")
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		now, err := l.s.sharedNow(ctx, tx)
		if err != nil {
			return err
		}
		done := int64(0)
		if state != LetterWaiting {
			done = now.UnixMilli()
		}
		for _, one := range all {
			if _, err := l.s.exec(ctx, tx, `UPDATE letter SET state = $2, failure = $3, next = $4, done = $5 WHERE id = $1`,
				one.ID(), state, failure, now.Add(again).UnixMilli(), done); err != nil {
				return err
			}
		}
		return nil
	})
	return l.s.wrap("note what became of letters", err)
}

// To returns the letters to a person, in the order in which they were made.
func (l *Letters) To(ctx context.Context, person string) (all []Letter, err error) {
	err = l.s.each(ctx, l.s.reader, into(&all, scanLetter), `SELECT `+letterColumns+` FROM letter WHERE person = $1 ORDER BY made, id`, person)
	return all, l.s.wrap("list letters", err)
}

const letterColumns = `person, name, day, made, until, tries, state, failure, done`

func scanLetter(scan scanner) (one Letter, err error) {
	var made, until, done int64
	err = scan(&one.Person, &one.Name, &one.About, &made, &until, &one.Tries, &one.State, &one.Failure, &done)
	one.Made, one.Until = time.UnixMilli(made), time.UnixMilli(until)
	if done != 0 {
		one.Done = time.UnixMilli(done)
	}
	return one, err
}

// Told is a letter about an alert, with who it is to as far as they get letters still.
type Told struct {
	Letter
	Owner, Address, Device string // as of the Subscriber; empty if they get none any more
}

// againMark stands in Letter.About between the id of an alert and the time from which it is told again.
const againMark = " @"

// AboutAgain is Letter.About of a letter about an alert that is told again from a time on.
func AboutAgain(alert string, from time.Time) string {
	return alert + againMark + strconv.FormatInt(from.Unix(), 10)
}

// IsAbout reports whether the letter is about an alert with an id in the log.
func (l *Letter) IsAbout(alert string) bool {
	rest, of := strings.CutPrefix(l.About, alert)
	return of && (rest == "" || strings.HasPrefix(rest, againMark))
}

// Told returns the letters about an alert with an id in the log, in the order in which they were made.
func (l *Letters) Told(ctx context.Context, alert string) (all []Told, err error) {
	err = l.s.each(ctx, l.s.reader, func(scan scanner) error {
		var one Told
		letter, err := scanLetter(func(to ...any) error { return scan(append(to, &one.Owner, &one.Address, &one.Device)...) })
		if one.Letter = letter; letter.IsAbout(alert) { // a day is not
			all = append(all, one)
		}
		return err
	}, `SELECT l.person, l.name, l.day, l.made, l.until, l.tries, l.state, l.failure, l.done, coalesce(s.owner, ''), coalesce(s.address, ''), coalesce(s.device, '')
		FROM letter l LEFT JOIN subscriber s ON s.person = l.person WHERE substr(l.day, 1, length($1)) = $1 ORDER BY l.made, l.id`, alert)
	return all, l.s.wrap("list who was told", err)
}

// Newest returns the newest letter of each person, by person.
func (l *Letters) Newest(ctx context.Context) (map[string]Letter, error) {
	newest := map[string]Letter{}
	err := l.s.each(ctx, l.s.reader, func(scan scanner) error {
		one, err := scanLetter(scan)
		newest[one.Person] = one
		return err
	}, `SELECT `+letterColumns+` FROM letter ORDER BY made, id`)
	return newest, l.s.wrap("list letters", err)
}
