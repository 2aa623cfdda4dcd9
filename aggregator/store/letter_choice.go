package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// withoutMark begins the code of an alert among the names of letters in the database: of that they are not told.
const withoutMark = "-"

// letterChoice returns which letters somebody gets, without some alerts, as the database has it.
func letterChoice(names, without []string) string {
	if len(names) == 0 {
		return ""
	}
	all := slices.Clone(names)
	for _, code := range without {
		all = append(all, withoutMark+code)
	}
	return strings.Join(all, " ")
}

// readLetterChoice is the inverse of letterChoice.
func readLetterChoice(text string) (names, without []string) {
	for _, one := range strings.Fields(text) {
		if code, is := strings.CutPrefix(one, withoutMark); is {
			without = append(without, code)
		} else {
			names = append(names, one)
		}
	}
	return names, without
}

// withoutOf returns the alerts of which somebody is not told, by what is stored of them; a device that is new gets the choice of
// the person's others.
func (l *Letters) withoutOf(ctx context.Context, tx *sql.Tx, one *Subscriber, stored string) (without []string, err error) {
	if stored == "" && one.Owner != "" {
		err = l.s.row(ctx, tx, `SELECT letters FROM subscriber WHERE owner = $1 ORDER BY person LIMIT 1`, one.Owner).Scan(&stored)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	_, without = readLetterChoice(stored)
	return without, nil
}

// LeftOut are the codes of alerts of which somebody is not told in one way, with the act of choosing them.
type LeftOut struct {
	Codes []string
	By    Act
}

// Leave has a person not be told of the alerts of some codes by mail, and of some on their devices; of all others they are, by
// the letters that they chose. The acts are added to the audit with the change, each if something changed.
func (l *Letters) Leave(ctx context.Context, person string, mail, devices LeftOut) error {
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		var before []choiceOf
		if err := l.s.each(ctx, tx, into(&before, scanChoice), `SELECT person, letters FROM subscriber WHERE person = $1 OR owner = $1 ORDER BY person`, person); err != nil {
			return err
		}
		acts := map[bool]*Act{true: &mail.By, false: &devices.By}
		for _, one := range before {
			ofMail, without := one.person == person, devices.Codes
			if ofMail {
				without = mail.Codes
			}
			names, _ := readLetterChoice(one.letters)
			after := letterChoice(names, without)
			if after == one.letters {
				continue
			}
			if _, err := l.s.exec(ctx, tx, `UPDATE subscriber SET letters = $2 WHERE person = $1`, one.person, after); err != nil {
				return err
			}
			if act := acts[ofMail]; act != nil { // once for all devices
				act.Before, act.After, acts[ofMail] = one.letters, after, nil
				l.s.appendAct(tx, *act)
			}
		}
		return nil
	})
	if err != nil {
		return l.s.wrap("choose alerts", err)
	}
	l.s.hints.hint(SubjectAudit)
	return nil
}

// choiceOf is who gets which letters.
type choiceOf struct{ person, letters string }

func scanChoice(scan scanner) (one choiceOf, err error) {
	err = scan(&one.person, &one.letters)
	return one, err
}
