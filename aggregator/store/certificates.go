package store

import (
	"context"
	"database/sql"
)

// Certificates are the certificates from an authority that all replicas share: the account's key, the
// certificates with their keys, and the answers to challenges. All are sealed. What was sealed with an
// unknown key stays stored, next to its replacement.
type Certificates struct {
	s    *Store
	seal *Seal
}

// Certificates returns the certificates of the database. What an older key sealed is sealed again.
func (s *Store) Certificates(ctx context.Context, seal *Seal) (*Certificates, error) {
	c := &Certificates{s, seal}
	var names []string
	if err := s.each(ctx, s.reader, into(&names, scanText), `SELECT name FROM certificate WHERE seal_key <> $1`, seal.keys[0].id); err != nil {
		return nil, s.wrap("certificates", err)
	}
	for _, name := range names {
		data, ok, err := c.Get(ctx, name)
		if err == nil && ok {
			err = c.Put(ctx, name, data)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// certificatePurpose returns what a certificate is sealed for: its name keeps it from passing for
// another.
func certificatePurpose(name string) string { return "certificate " + name }

// Get returns what is stored under a name; ok is false if there is nothing, or nothing that can be opened.
func (c *Certificates) Get(ctx context.Context, name string) (data []byte, ok bool, err error) {
	err = c.s.each(ctx, c.s.reader, func(scan scanner) error {
		var sealed []byte
		if err := scan(&sealed); err != nil || ok {
			return err
		}
		opened, wrong := c.seal.Open(certificatePurpose(name), sealed)
		if wrong == nil {
			data, ok = opened, true
		}
		return nil
	}, `SELECT value FROM certificate WHERE name = $1 ORDER BY seal_key = $2 DESC`, name, c.seal.keys[0].id)
	return data, ok, c.s.wrap("get certificate", err)
}

// Put stores data under a name, in place of what was there.
func (c *Certificates) Put(ctx context.Context, name string, data []byte) error {
	err := c.s.write(ctx, func(tx *sql.Tx) error {
		if err := c.remove(ctx, tx, name); err != nil {
			return err
		}
		_, err := c.s.exec(ctx, tx, `INSERT INTO certificate (name, seal_key, value) VALUES ($1, $2, $3)
			ON CONFLICT (name, seal_key) DO UPDATE SET value = excluded.value`,
			name, c.seal.keys[0].id, c.seal.Seal(certificatePurpose(name), data))
		return err
	})
	return c.s.wrap("put certificate", err)
}

// Delete deletes what is stored under a name. It is no error if there is nothing.
func (c *Certificates) Delete(ctx context.Context, name string) error {
	return c.s.wrap("delete certificate", c.s.write(ctx, func(tx *sql.Tx) error { return c.remove(ctx, tx, name) }))
}

func (c *Certificates) remove(ctx context.Context, tx *sql.Tx, name string) error {
	for _, k := range c.seal.keys {
		if _, err := c.s.exec(ctx, tx, `DELETE FROM certificate WHERE name = $1 AND seal_key = $2`, name, k.id); err != nil {
			return err
		}
	}
	return nil
}
