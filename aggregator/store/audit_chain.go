package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

const (
	// chainKey is the key of meta with the hash of the newest act, in hexadecimal.
	chainKey = "audit"
	// clearKey is the key of meta with the time before which acts may be deleted. It is there only within a transaction.
	clearKey = "audit_clear"
)

const actColumns = `id, at, actor, name, action, object, object_name, before, after, reason, count, address`

func (act *Act) scan(scan scanner, more ...any) error {
	var at int64
	err := scan(append([]any{&act.ID, &at, &act.Actor, &act.Name, &act.Action, &act.Object, &act.ObjectName,
		&act.Before, &act.After, &act.Reason, &act.Count, &act.Address}, more...)...)
	act.At = time.UnixMilli(at)
	return err
}

// hash returns the hash of an act whose row has the hash of the one before.
func (act *Act) hash(previous []byte) []byte {
	h := sha256.New()
	var number [8]byte
	integer := func(n int64) {
		binary.BigEndian.PutUint64(number[:], uint64(n))
		h.Write(number[:])
	}
	integer(int64(len(previous)))
	h.Write(previous)
	for _, n := range []int64{act.ID, act.At.UnixMilli(), int64(act.Count)} {
		integer(n)
	}
	for _, text := range []string{act.Actor, act.Name, act.Action, act.Object, act.ObjectName, act.Before, act.After, act.Reason, act.Address} {
		integer(int64(len(text)))
		h.Write([]byte(text))
	}
	return h.Sum(nil)
}

// takeActs returns what is to be added at the end of a transaction, once.
func (s *Store) takeActs(tx *sql.Tx) []Act {
	s.actsMu.Lock()
	defer s.actsMu.Unlock()
	acts := s.acts[tx]
	delete(s.acts, tx)
	return acts
}

// chainActs adds acts, each with the hash of the one before. Whoever else adds some waits for the end of the
// transaction.
func (s *Store) chainActs(ctx context.Context, tx *sql.Tx, acts []Act) error {
	if len(acts) == 0 {
		return nil
	}
	last, err := s.lastHash(ctx, tx)
	if err != nil {
		return err
	}
	for _, a := range acts {
		err := s.row(ctx, tx, `INSERT INTO audit (at, actor, name, action, object, object_name, before, after, reason, count, address, previous)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id`,
			a.At.UnixMilli(), a.Actor, a.Name, a.Action, a.Object, a.ObjectName, a.Before, a.After, a.Reason, a.Count, a.Address, last).Scan(&a.ID)
		if err != nil {
			return err
		}
		last = a.hash(last)
	}
	_, err = s.exec(ctx, tx, `UPDATE meta SET value = $1 WHERE key = $2`, hex.EncodeToString(last), chainKey)
	return err
}

// lastHash locks the chain and returns the hash of the newest act. Before the first act with a hash it is that of the
// newest without.
func (s *Store) lastHash(ctx context.Context, tx *sql.Tx) ([]byte, error) {
	var value string
	err := s.row(ctx, tx, `INSERT INTO meta (key, value) VALUES ($1, '') ON CONFLICT (key) DO UPDATE SET value = meta.value RETURNING value`, chainKey).Scan(&value)
	if err != nil || value != "" {
		last, wrong := hex.DecodeString(value)
		return last, errors.Join(err, wrong)
	}
	var newest Act
	err = s.each(ctx, tx, func(scan scanner) error { return newest.scan(scan) }, `SELECT `+actColumns+` FROM audit ORDER BY id DESC LIMIT 1`)
	return newest.hash(nil), err
}

// clearing runs f, which may delete acts before a time, in Unix milliseconds.
func (s *Store) clearing(ctx context.Context, tx *sql.Tx, before int64, f func() error) error {
	if _, err := s.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ($1, $2)`, clearKey, fmt.Sprint(before)); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	_, err := s.exec(ctx, tx, `DELETE FROM meta WHERE key = $1`, clearKey)
	return err
}

// Chain is what Verify has found.
type Chain struct {
	// Acts is how many acts have the hash of the one before, since Since.
	Acts  int
	Since time.Time
	// Broken is true if an act was changed, added or removed by somebody else. BrokenAt is then when the first act was
	// done that does not fit the one before it; zero if those at the end are missing or the last one was changed.
	Broken   bool
	BrokenAt time.Time
}

// Verify compares each act with the hash that the next one has of it.
func (a *Audit) Verify(ctx context.Context) (Chain, error) {
	c, err := a.verify(ctx)
	if err != nil {
		return Chain{}, a.s.wrap("verify the audit", err)
	}
	return c, nil
}

func (a *Audit) verify(ctx context.Context) (c Chain, err error) {
	// One statement, so that what is added meanwhile is in neither. Without an act its row has an ID of 0.
	rows, err := a.s.rows(ctx, a.s.reader, `SELECT coalesce(id, 0), coalesce(at, 0), coalesce(actor, ''), coalesce(name, ''), coalesce(action, ''), coalesce(object, ''),
			coalesce(object_name, ''), coalesce(before, ''), coalesce(after, ''), coalesce(reason, ''), coalesce(count, 0), coalesce(address, ''), previous, m.value
		FROM (SELECT coalesce((SELECT value FROM meta WHERE key = $1), '') AS value) m LEFT JOIN audit ON 1 = 1 ORDER BY id`, chainKey)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	var last []byte // the hash of the act before; nil for none
	var newest string
	for rows.Next() {
		var act Act
		var previous []byte
		if err := act.scan(rows.Scan, &previous, &newest); err != nil {
			return c, err
		}
		if act.ID == 0 {
			break
		}
		if len(previous) > 0 {
			c.Acts++
			if c.Since.IsZero() {
				c.Since = act.At
			}
		}
		if fits := last == nil || bytes.Equal(previous, last) || len(previous) == 0 && c.Acts == 0; !fits && !c.Broken {
			c.Broken, c.BrokenAt = true, act.At
		}
		last = act.hash(previous)
	}
	if newest != "" && newest != hex.EncodeToString(last) || newest == "" && c.Acts > 0 {
		c.Broken = true
	}
	return c, rows.Err()
}
