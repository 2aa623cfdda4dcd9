package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// Keys are the keys with which programs read figures. A key is known only when it is made: the store has its hash. What
// makes or revokes one is added to the audit with the change or not done, and hints SubjectSessions.
type Keys struct{ s *Store }

// Keys returns those of the database.
func (s *Store) Keys() *Keys { return &Keys{s} }

// Key is a key without its secret. The store does not read the role.
type Key struct {
	ID, Name, Role string
	Made           time.Time
	By             string    // the name of who made it
	Used           time.Time // when it was used last, to usedEvery; zero if it never was
}

const (
	// keyPrefix begins every key, so that one that has leaked is recognised.
	keyPrefix = "hc_"
	// usedEvery is how often it is noted at most that a key is used.
	usedEvery = time.Hour
)

// Make makes a key and returns it. The object of the act is its id.
func (k *Keys) Make(ctx context.Context, name, role, by string, act Act) (secret string, err error) {
	secret = keyPrefix + rand.Text()
	sum := hash(secret)
	act.Object, act.ObjectName, act.After = hex.EncodeToString(sum[:6]), name, role
	err = k.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		_, err := k.s.exec(ctx, tx, `INSERT INTO api_key (id, hash, name, role, made, made_by, used) VALUES ($1, $2, $3, $4, $5, $6, 0)`,
			act.Object, sum, name, role, k.s.now().UnixMilli(), by)
		if err != nil {
			return err
		}
		k.s.appendAct(tx, act)
		return nil
	})
	if err != nil {
		return "", k.s.wrap("make a key", err)
	}
	k.s.hints.hint(SubjectAudit)
	return secret, nil
}

// Revoke revokes a key. One that is not there is no error, and no act.
func (k *Keys) Revoke(ctx context.Context, id string, act Act) error {
	err := k.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		err := k.s.row(ctx, tx, `DELETE FROM api_key WHERE id = $1 RETURNING name, role`, id).Scan(&act.ObjectName, &act.Before)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		act.Object = id
		k.s.appendAct(tx, act)
		return nil
	})
	if err != nil {
		return k.s.wrap("revoke a key", err)
	}
	k.s.hints.hint(SubjectAudit)
	return nil
}

const selectKeys = `SELECT id, name, role, made, made_by, used FROM api_key`

// List returns all keys, in the order of their names.
func (k *Keys) List(ctx context.Context) (all []Key, err error) {
	err = k.s.each(ctx, k.s.reader, into(&all, scanKey), selectKeys+` ORDER BY name, id`)
	return all, k.s.wrap("list keys", err)
}

// Of returns the key of a secret, and notes that it is used; nil if there is none.
func (k *Keys) Of(ctx context.Context, secret string) (*Key, error) {
	if !strings.HasPrefix(secret, keyPrefix) {
		return nil, nil
	}
	one, err := scanKey(k.s.row(ctx, k.s.reader, selectKeys+` WHERE hash = $1`, hash(secret)).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, k.s.wrap("find a key", err)
	}
	if k.s.now().Sub(one.Used) >= usedEvery {
		// What is read does not wait for a database that cannot be written: the next use notes it.
		_ = k.s.write(ctx, func(tx *sql.Tx) error {
			_, err := k.s.exec(ctx, tx, `UPDATE api_key SET used = $2 WHERE id = $1`, one.ID, k.s.now().UnixMilli())
			return err
		})
	}
	return &one, nil
}

func scanKey(scan scanner) (one Key, err error) {
	var made, used int64
	if err := scan(&one.ID, &one.Name, &one.Role, &made, &one.By, &used); err != nil {
		return one, err
	}
	one.Made = time.UnixMilli(made)
	if used != 0 {
		one.Used = time.UnixMilli(used)
	}
	return one, nil
}
