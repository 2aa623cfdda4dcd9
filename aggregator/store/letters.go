package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// Letters are who gets which letters by mail or on a device, and the letters that were due: the outbox. Any process may make and send
// them. A letter is made once, by its id; it is sent by who claimed it, and again by another if that one does not say
// within ClaimTime what became of it. So each is sent at least once, and a second time only after a crash. They wait, and
// are claimed, by the clock of the database server, so that it does not matter how far apart the clocks of machines are; Until is
// by that of the machine where it is set and where a letter is claimed.
type Letters struct{ s *Store }

// Letters returns those of the database.
func (s *Store) Letters() *Letters { return &Letters{s} }

// Changed returns a channel that receives after letters may have changed, until the store is closed.
func (l *Letters) Changed() <-chan struct{} {
	hints, _ := l.s.Watch(SubjectLetters)
	return hints
}

// Subscriber is a person who gets letters by mail, or a device of theirs that gets notifications.
type Subscriber struct {
	Person   string // the issuer and the subject of the sign-in service; of a device DeviceID
	Owner    string // of a device, its person; empty for mail
	Device   string // the browser's subscription to notifications, in JSON; empty for mail
	Address  string // which the sign-in service has verified; of a device it may be empty
	Language string
	Names    []string // of the letters
	// Without are the codes of alerts of which they are not told this way. Letters.Leave sets them, and Subscribe leaves them as they are.
	Without []string
	// Who is what the sign-in service said of the person at Seen. The store does not read it.
	Who  []byte
	Seen time.Time
	// Token is in the address that stops the letters.
	Token string
}

// Way is how letters go to somebody.
type Way string

// The ways of letters.
const (
	ByMail Way = "mail"
	ByPush Way = "push" // to a device; letters to an address of the house go by a way of its own, which is its Person
)

// HousePerson is the Subscriber.Person of the house's own address, and begins, before a slash, those of its further ones. They are
// nobody's at a sign-in service, whose have a space.
const HousePerson = "house"

// IsHouse reports whether a person is an address of the house.
func IsHouse(person string) bool {
	return person == HousePerson || strings.HasPrefix(person, HousePerson+"/")
}

// Subscribe stores which letters a person gets, with a token of its own the first time; without letters the person is
// removed. Letters that wait and are not wanted any more are removed with it. The act is added to the audit with the change.
func (l *Letters) Subscribe(ctx context.Context, one Subscriber, by Act) error {
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		by.Before = ""
		err := l.s.row(ctx, tx, `SELECT letters FROM subscriber WHERE person = $1`, one.Person).Scan(&by.Before)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		without, err := l.withoutOf(ctx, tx, &one, by.Before)
		if err != nil {
			return err
		}
		if by.After = letterChoice(one.Names, without); len(one.Names) == 0 {
			err = l.remove(ctx, tx, one.Person)
		} else if _, err = l.s.exec(ctx, tx, `DELETE FROM letter WHERE person = $1 AND state = $2 AND ' ' || $3 || ' ' NOT LIKE '% ' || name || ' %'`, one.Person, LetterWaiting, by.After); err == nil {
			_, err = l.s.exec(ctx, tx, `INSERT INTO subscriber (person, owner, device, address, language, letters, who, token, seen) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
				ON CONFLICT (person) DO UPDATE SET device = excluded.device, address = excluded.address, language = excluded.language, letters = excluded.letters, who = excluded.who, seen = excluded.seen`,
				one.Person, one.Owner, one.Device, one.Address, one.Language, by.After, one.Who, rand.Text(), l.s.now().UnixMilli())
		}
		if err == nil && one.Owner != "" && len(one.Names) > 0 { // whoever used the device before
			_, err = l.s.exec(ctx, tx, `DELETE FROM subscriber WHERE owner NOT IN ('', $1) AND person = owner || $2`, one.Owner, strings.TrimPrefix(one.Person, one.Owner))
		}
		if err != nil || by.Before == by.After {
			return err
		}
		l.s.appendAct(tx, by)
		return nil
	})
	if err != nil {
		return l.s.wrap("subscribe to letters", err)
	}
	l.s.hints.hint(SubjectAudit)
	return nil
}

// remove removes a person and the letters that wait for them.
func (l *Letters) remove(ctx context.Context, tx *sql.Tx, person string) error {
	if _, err := l.s.exec(ctx, tx, `DELETE FROM letter WHERE person = $1 AND state = $2`, person, LetterWaiting); err != nil {
		return err
	}
	_, err := l.s.exec(ctx, tx, `DELETE FROM subscriber WHERE person = $1`, person)
	return err
}

// Stop removes the person whose letters have a token, and returns the address; it is empty if there is none.
func (l *Letters) Stop(ctx context.Context, token string, by Act) (address string, err error) {
	err = l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		var person string
		err := l.s.row(ctx, tx, `SELECT person, address, letters FROM subscriber WHERE token = $1`, token).Scan(&person, &address, &by.Before)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = l.remove(ctx, tx, person)
		}
		if err != nil {
			return err
		}
		by.Actor = person
		l.s.appendAct(tx, by)
		return nil
	})
	if err != nil {
		return "", l.s.wrap("stop letters", err)
	}
	l.s.hints.hint(SubjectAudit)
	return address, nil
}

// AddressOf returns the address of the person whose letters have a token; it is empty if there is none.
func (l *Letters) AddressOf(ctx context.Context, token string) (address string, err error) {
	err = l.s.row(ctx, l.s.reader, `SELECT address FROM subscriber WHERE token = $1`, token).Scan(&address)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", l.s.wrap("find who gets letters", err)
	}
	return address, nil
}

// DeviceID returns who a device of a person is to the store, by the address to which its notifications are sent.
func DeviceID(person, endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return person + deviceMark + hex.EncodeToString(sum[:8])
}

// deviceMark stands in DeviceID after the person.
const deviceMark = " device "

// OwnerOf returns whose device somebody is to the store, and empty if that is no device.
func OwnerOf(device string) string {
	if i := strings.LastIndex(device, deviceMark); i > 0 && len(device) == i+len(deviceMark)+16 {
		return device[:i]
	}
	return ""
}

// Lapse has a person get no letters, nor their devices, until the sign-in service says anew who they are.
func (l *Letters) Lapse(ctx context.Context, person string) error {
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		_, err := l.s.exec(ctx, tx, `UPDATE subscriber SET seen = 0 WHERE person = $1 OR owner = $1`, person)
		return err
	})
	return l.s.wrap("hold letters back", err)
}

// Refresh stores what the sign-in service says now of a person who gets letters, and of their devices; of others it stores
// nothing. Without an address, which the service has to have verified, the person gets no more mail. Seen is now if they have
// just signed in.
func (l *Letters) Refresh(ctx context.Context, one Subscriber, signedIn bool) error {
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error {
		if one.Address == "" {
			if err := l.remove(ctx, tx, one.Person); err != nil {
				return err
			}
		}
		_, err := l.s.exec(ctx, tx, `UPDATE subscriber SET address = $2, who = $3 WHERE person = $1 OR owner = $1`, one.Person, one.Address, one.Who)
		if err == nil && signedIn {
			_, err = l.s.exec(ctx, tx, `UPDATE subscriber SET seen = $2 WHERE person = $1 OR owner = $1`, one.Person, l.s.now().UnixMilli())
		}
		return err
	})
	return l.s.wrap("note who gets letters", err)
}

// Gone removes a device to which no notifications can be sent any more.
func (l *Letters) Gone(ctx context.Context, device string) error {
	err := l.s.change(ctx, SubjectLetters, func(tx *sql.Tx) error { return l.remove(ctx, tx, device) })
	return l.s.wrap("remove a device", err)
}

const selectSubscribers = `SELECT person, owner, device, address, language, letters, who, token, seen FROM subscriber`

// Subscribers returns all persons who get letters, in the order of their addresses.
func (l *Letters) Subscribers(ctx context.Context) (all []Subscriber, err error) {
	err = l.s.each(ctx, l.s.reader, into(&all, scanSubscriber), selectSubscribers+` ORDER BY address, person`)
	return all, l.s.wrap("list who gets letters", err)
}

// Of returns a person who gets letters; nil if they get none.
func (l *Letters) Of(ctx context.Context, person string) (*Subscriber, error) {
	one, err := scanSubscriber(l.s.row(ctx, l.s.reader, selectSubscribers+` WHERE person = $1`, person).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, l.s.wrap("find who gets letters", err)
	}
	return &one, nil
}

func scanSubscriber(scan scanner) (one Subscriber, err error) {
	var names string
	var seen int64
	err = scan(&one.Person, &one.Owner, &one.Device, &one.Address, &one.Language, &names, &one.Who, &one.Token, &seen)
	one.Names, one.Without = readLetterChoice(names)
	one.Seen = time.UnixMilli(seen)
	return one, err
}
