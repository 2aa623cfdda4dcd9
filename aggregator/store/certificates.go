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
	rows, err := s.rows(ctx, s.reader, `SELECT name FROM certificate WHERE seal_key <> $1`, seal.keys[0].id)
	if err != nil {
		return nil, s.failed("certificates", err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, s.failed("certificates", err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, s.failed("certificates", err)
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
	rows, err := c.s.rows(ctx, c.s.reader, `SELECT value FROM certificate WHERE name = $1 ORDER BY seal_key = $2 DESC`, name, c.seal.keys[0].id)
	if err != nil {
		return nil, false, c.s.failed("get certificate", err)
	}
	defer rows.Close()
	for rows.Next() {
		var sealed []byte
		if err := rows.Scan(&sealed); err != nil {
			return nil, false, c.s.failed("get certificate", err)
		}
		if data, err := c.seal.Open(certificatePurpose(name), sealed); err == nil {
			return data, true, nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, false, c.s.failed("get certificate", err)
	}
	return nil, false, nil
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
	if err != nil {
		return c.s.failed("put certificate", err)
	}
	return nil
}

// Delete deletes what is stored under a name. It is no error if there is nothing.
func (c *Certificates) Delete(ctx context.Context, name string) error {
	if err := c.s.write(ctx, func(tx *sql.Tx) error { return c.remove(ctx, tx, name) }); err != nil {
		return c.s.failed("delete certificate", err)
	}
	return nil
}

func (c *Certificates) remove(ctx context.Context, tx *sql.Tx, name string) error {
	for _, k := range c.seal.keys {
		if _, err := c.s.exec(ctx, tx, `DELETE FROM certificate WHERE name = $1 AND seal_key = $2`, name, k.id); err != nil {
			return err
		}
	}
	return nil
}
