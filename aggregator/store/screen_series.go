package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// The credentials that a screen's device has one after another are a series: it gets the next each time that it loads its
// page. So a credential that somebody has copied is used twice, and that is noticed.
//
// A credential that was sent may not have arrived, or not be stored when the device loses power. So the one before it stays
// valid until the device is known to have the new one: it loads the page with that, or has had a socket with it for a while.
// Until then the one before it may load the page once more; what was sent first ends by that unless two tabs load the page at
// once, whose answers may come in any order. Afterwards, and when the one
// before it comes a third time, whoever comes with it is another device: it is recorded and gets nothing.

const (
	// keyStored is how long a device needs at most to store a cookie for good: browsers write theirs every half a minute.
	keyStored = time.Minute
	// spareStored is that for the one of two credentials that was not the last to open a socket.
	spareStored = 10 * time.Minute
	// loadsAtOnce is the longest time between two loads of the page by one device at once.
	loadsAtOnce = 10 * time.Second
	// copyAgain is how long the same copy is not recorded again.
	copyAgain = time.Hour
)

// keyEnded is the hash of no credential. As key_hash it is that of a series of which none is valid any more.
var keyEnded = []byte{0}

// Series returns what the credentials of one device share: what is before the second full stop.
func Series(credential string) string {
	first := strings.IndexByte(credential, '.')
	if second := strings.IndexByte(credential[first+1:], '.'); second >= 0 {
		return credential[:first+1+second]
	}
	return credential
}

// ScreenKey is a credential of a series.
type ScreenKey struct {
	Credential string
	// Number is which of the series it is, by what its maker is certain of; 0 if nobody is. A number that the database does
	// not know yet is that of a database which was set back to a backup.
	Number int64
}

// seriesKeys are the credentials of a screen's series that are known.
type seriesKeys struct {
	now, next, spare []byte // hashes; see migration 29
	issued           int64
	at               time.Time // of the last that was issued
}

// seriesRow is what is locked while the credential of a screen changes.
type seriesRow struct {
	seriesKeys
	id, name   string
	copied     int64
	copiedHash []byte
}

// sent reports whether a credential is one of those that were sent in place of the present one.
func (k *seriesKeys) sent(hash []byte) bool {
	return bytes.Equal(hash, k.next) || bytes.Equal(hash, k.spare)
}

// begins reports whether the series goes on with a credential whatever was before: because it is the first that comes, or the
// database was set back.
func (k *seriesKeys) begins(key ScreenKey) bool { return k.now == nil || key.Number > k.issued }

// valid reports whether a credential is valid.
func (k *seriesKeys) valid(key ScreenKey) bool {
	h := hash(key.Credential)
	return k.begins(key) || bytes.Equal(h, k.now) || k.sent(h)
}

// Valid reports whether a credential of the screen's series is valid. That of a device that shows a code is.
func (h *Holds) Valid(key ScreenKey) bool { return h.Screen == nil || h.keys.valid(key) }

// Presented reports whether Present has something to store of a credential.
func (h *Holds) Presented(key ScreenKey) bool {
	return h.Screen != nil && (!h.keys.valid(key) || h.keys.now != nil && (h.keys.begins(key) || bytes.Equal(hash(key.Credential), h.keys.spare)))
}

// Ended reports whether the credential with a HolderID was valid and is not any more.
func (h *Holds) Ended(holder string) bool {
	if h.Screen == nil || h.keys.now == nil {
		return false
	}
	id, err := hex.DecodeString(holder)
	return err == nil && !bytes.Equal(id, h.keys.now) && !h.keys.sent(id)
}

// Settles reports whether Settle has something to store of the credential with a HolderID.
func (h *Holds) Settles(holder string, now time.Time) bool {
	id, err := hex.DecodeString(holder)
	return h.Screen != nil && err == nil && (bytes.Equal(id, h.keys.next) && now.Sub(h.keys.at) >= keyStored ||
		bytes.Equal(id, h.keys.spare) && now.Sub(h.keys.at) >= spareStored)
}

// lockSeries returns the screen of a credential's series; sql.ErrNoRows if there is none.
func (c *Screens) lockSeries(ctx context.Context, tx *sql.Tx, credential string) (r seriesRow, err error) {
	series := hash(Series(credential))
	if _, err := c.s.exec(ctx, tx, `UPDATE screen SET name = name WHERE credential_hash = $1`, series); err != nil {
		return r, err
	}
	var at int64
	err = c.s.row(ctx, tx, `SELECT id, name, key_hash, next_hash, spare_hash, issued, issued_at, copied, copied_hash FROM screen WHERE credential_hash = $1 AND revoked_at IS NULL`,
		series).Scan(&r.id, &r.name, &r.now, &r.next, &r.spare, &r.issued, &at, &r.copied, &r.copiedHash)
	r.at = time.UnixMilli(at)
	return r, err
}

// storeKeys stores the credentials of a locked screen.
func (c *Screens) storeKeys(ctx context.Context, tx *sql.Tx, r *seriesRow) error {
	_, err := c.s.exec(ctx, tx, `UPDATE screen SET key_hash = $1, next_hash = $2, spare_hash = $3, issued = $4, issued_at = $5 WHERE id = $6`,
		orNull(r.now), orNull(r.next), orNull(r.spare), r.issued, c.s.now().UnixMilli(), r.id)
	return err
}

// orNull returns NULL for a hash that there is not.
func orNull(hash []byte) any {
	if hash == nil {
		return nil
	}
	return hash
}

// Renew returns the next credential of a screen's device, which loads its page with key; issue makes it of its number.
// renewed is false if the credential is not valid: then another device has it, which is recorded with the act.
func (c *Screens) Renew(ctx context.Context, key ScreenKey, issue func(number int64) string, by Act) (credential string, renewed bool, err error) {
	err = c.s.write(ctx, func(tx *sql.Tx) error {
		r, err := c.lockSeries(ctx, tx, key.Credential)
		if err != nil {
			return err
		}
		h := hash(key.Credential)
		begins := r.begins(key)
		r.issued = max(r.issued, key.Number) + 1
		credential = issue(r.issued)
		switch next := hash(credential); {
		case begins || r.sent(h):
			r.now, r.next, r.spare = h, next, nil
		case bytes.Equal(h, r.now) && r.next == nil:
			r.next = next
		case bytes.Equal(h, r.now) && r.spare == nil: // the first did not arrive, or was not stored
			r.spare = next
			if c.s.now().Sub(r.at) > loadsAtOnce {
				r.next, r.spare = next, keyEnded
			}
		default:
			return sql.ErrNoRows
		}
		return c.storeKeys(ctx, tx, &r)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, c.refuse(ctx, key, true, by)
	case err != nil:
		return "", false, c.s.wrap("renew the credential of a screen", err)
	}
	return credential, true, nil
}

// Present stores that a device has opened a socket with a credential; valid is false if that is not valid, which is recorded
// with the act.
func (c *Screens) Present(ctx context.Context, key ScreenKey, by Act) (valid bool, err error) {
	err = c.s.write(ctx, func(tx *sql.Tx) error {
		r, err := c.lockSeries(ctx, tx, key.Credential)
		if err != nil {
			return err
		}
		h := hash(key.Credential)
		switch {
		case r.now != nil && r.begins(key):
			r.now, r.next, r.spare, r.issued = h, nil, nil, key.Number
		case bytes.Equal(h, r.spare):
			r.next, r.spare = r.spare, r.next
		case r.valid(key):
			return nil
		default:
			return sql.ErrNoRows
		}
		return c.storeKeys(ctx, tx, &r)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, c.refuse(ctx, key, false, by)
	case err != nil:
		return false, c.s.wrap("note the credential of a screen", err)
	}
	return true, nil
}

// refuse records that another device came with a credential which is not valid, or loads the page with one once too often. In
// that case two have the same, and nobody knows which is the screen's device: the series ends. It does nothing if the screen was
// revoked.
func (c *Screens) refuse(ctx context.Context, key ScreenKey, loads bool, by Act) error {
	_, err := c.act(ctx, func(tx *sql.Tx) error {
		r, err := c.lockSeries(ctx, tx, key.Credential)
		if err != nil {
			return err
		}
		h := hash(key.Credential)
		ends := loads && bytes.Equal(h, r.now) && r.next != nil && r.spare != nil
		if r.valid(key) && !ends { // another request has changed that
			return sql.ErrNoRows
		}
		if ends {
			r.now, r.next, r.spare = keyEnded, nil, nil
			if err := c.storeKeys(ctx, tx, &r); err != nil {
				return err
			}
		}
		now := c.s.now()
		if !ends && bytes.Equal(h, r.copiedHash) && now.Sub(time.UnixMilli(r.copied)) < copyAgain {
			return sql.ErrNoRows
		}
		if _, err := c.s.exec(ctx, tx, `UPDATE screen SET copied = $1, copied_hash = $2 WHERE id = $3`, now.UnixMilli(), h, r.id); err != nil {
			return err
		}
		by.Object, by.ObjectName = r.id, r.name
		c.s.appendAct(tx, by)
		return nil
	})
	return c.s.wrap("note the device of a screen", err)
}

// Settle ends the credentials before those with these HolderIDs, with which sockets are open, where they were sent long enough
// ago for their devices to have stored them (see Holds.Settles).
func (c *Screens) Settle(ctx context.Context, holders []string) error {
	if len(holders) == 0 {
		return nil
	}
	err := c.s.change(ctx, SubjectScreens, func(tx *sql.Tx) error {
		now := c.s.now()
		for _, holder := range holders {
			id, err := hex.DecodeString(holder)
			if err != nil {
				continue // it is no HolderID, and nobody's
			}
			if _, err := c.s.exec(ctx, tx, `UPDATE screen SET key_hash = $1, next_hash = NULL, spare_hash = NULL
				WHERE next_hash = $1 AND issued_at <= $2 OR spare_hash = $1 AND issued_at <= $3`,
				id, now.Add(-keyStored).UnixMilli(), now.Add(-spareStored).UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	return c.s.wrap("end former credentials of screens", err)
}

// forgetKeys has every series that has not ended go on with the first of its credentials that comes: the devices may have been
// sent others since a backup, whose numbers nobody can be certain of without the key that sealed them.
func (s *Store) forgetKeys(ctx context.Context, tx *sql.Tx) error {
	_, err := s.exec(ctx, tx, `UPDATE screen SET key_hash = NULL, next_hash = NULL, spare_hash = NULL WHERE key_hash <> $1`, keyEnded)
	return err
}
