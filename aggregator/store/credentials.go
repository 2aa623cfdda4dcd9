package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// claimLife is how long a process has a credential for itself; one that dies lets go after it.
	claimLife = time.Minute
	// claimPause is how long a process waits before it asks again for a credential that another has.
	claimPause = 250 * time.Millisecond
	// keepTimeout is how long storing a new credential is tried, also when the program is stopping.
	keepTimeout = 10 * time.Second
)

// ErrNoCredential means that nothing was put under a name.
var ErrNoCredential = errors.New("nobody has authorized housecount there yet: run housecount authorize")

// Credentials are what services gave to be asked with, where it changes with each use. All are
// sealed, and one process at a time may change one. It is safe for concurrent use.
type Credentials struct {
	s    *Store
	seal *Seal

	mu sync.Mutex
	// unsaved are values that could not be stored, by name. They are the only ones that still hold.
	unsaved map[string][]byte
}

// Credentials returns the credentials of the database.
func (s *Store) Credentials(seal *Seal) *Credentials {
	return &Credentials{s: s, seal: seal, unsaved: map[string][]byte{}}
}

// credentialPurpose returns what a credential is sealed for: its name keeps it from passing for
// another.
func credentialPurpose(name string) string { return "credential " + name }

// Put puts a value under a name, in place of what was there, whoever is using that.
func (c *Credentials) Put(ctx context.Context, name string, value []byte) error {
	c.mu.Lock()
	delete(c.unsaved, name)
	c.mu.Unlock()
	err := c.s.write(ctx, func(tx *sql.Tx) error {
		_, err := c.s.exec(ctx, tx, `INSERT INTO credential (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value, claim = '', claimed_until = 0`, name, c.seal.Seal(credentialPurpose(name), value))
		return err
	})
	return c.s.wrap("put credential", err)
}

// Renew calls renew with the value under a name and stores what it returns, nil for the value as it
// is. No other process renews it meanwhile; Renew waits for one that does. The new value is stored
// even if ctx ends, and an error of that is not returned: the value is used, and stored with the
// next call. The error is ErrNoCredential, ErrSealed, or what renew returned.
func (c *Credentials) Renew(ctx context.Context, name string, renew func(value []byte) ([]byte, error)) error {
	claim := rand.Text()
	value, err := c.claim(ctx, name, claim)
	if err != nil {
		return err
	}
	c.mu.Lock()
	unsaved := c.unsaved[name]
	c.mu.Unlock()
	if unsaved != nil {
		value = unsaved
	}
	next, err := renew(value)
	if err != nil || next == nil {
		next = unsaved
	}
	c.release(ctx, name, claim, next)
	return err
}

// claim waits until nobody else uses a credential, and returns its value. Machines whose clocks differ agree on who does: a claim
// ends by the clock of the database.
func (c *Credentials) claim(ctx context.Context, name, claim string) (value []byte, err error) {
	for {
		var sealed []byte
		claimed := 0
		err := c.s.write(ctx, func(tx *sql.Tx) error {
			now, err := c.s.sharedNow(ctx, tx)
			if err != nil {
				return err
			}
			err = c.s.row(ctx, tx, `SELECT value FROM credential WHERE name = $1`, name).Scan(&sealed)
			if err != nil {
				return err
			}
			claimed, err = c.s.exec(ctx, tx, `UPDATE credential SET claim = $1, claimed_until = $2 WHERE name = $3 AND claimed_until <= $4`,
				claim, now.Add(claimLife).UnixMilli(), name, now.UnixMilli())
			if err != nil || claimed == 0 {
				return err
			}
			// What another process has just put comes with the claim.
			return c.s.row(ctx, tx, `SELECT value FROM credential WHERE name = $1`, name).Scan(&sealed)
		})
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil, ErrNoCredential
		case err != nil:
			return nil, c.s.wrap("claim credential", err)
		}
		if claimed > 0 {
			if value, err = c.seal.Open(credentialPurpose(name), sealed); err != nil {
				c.release(ctx, name, claim, nil)
				return nil, fmt.Errorf("the credential cannot be opened: %w", err)
			}
			return value, nil
		}
		select {
		case <-time.After(claimPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// release lets go of a credential and stores its value, nil for none.
func (c *Credentials) release(ctx context.Context, name, claim string, value []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err := c.s.write(ctx, func(tx *sql.Tx) error {
		if value == nil {
			_, err := c.s.exec(ctx, tx, `UPDATE credential SET claim = '', claimed_until = 0 WHERE name = $1 AND claim = $2`, name, claim)
			return err
		}
		// One whose claim has run out stores its value only if nobody else has claimed it since.
		_, err := c.s.exec(ctx, tx, `UPDATE credential SET value = $1, claim = '', claimed_until = 0 WHERE name = $2 AND claim = $3`,
			c.seal.Seal(credentialPurpose(name), value), name, claim)
		return err
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && value != nil {
		c.unsaved[name] = value
		c.s.Logger.Error("a credential that the service changed could not be stored; it is tried again, and lost if housecount stops before", "name", name, "err", err)
		return
	}
	delete(c.unsaved, name)
}
