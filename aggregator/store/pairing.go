package store

import (
	"context"
	"database/sql"
	"errors"
	"net/netip"
	"time"
)

// Pairing is a device that shows a code.
type Pairing struct {
	Device
	Asked, Expiry time.Time
}

// The most codes of one network, and of all networks, at a time.
const (
	mostCodesOfNetwork = 20
	mostCodes          = 1000
	// Where there are so many, a code gives way to another after codeForAll; after codeForPages if its device has
	// never shown a page, as what strangers send with programs has not.
	codeForAll   = 2 * time.Minute
	codeForPages = 10 * time.Second
)

// Network returns the network of an address: for IPv6 the first 64 bits, which belong to one customer. It is the
// zero Prefix without an address.
func Network(a netip.Addr) netip.Prefix {
	network, _ := a.Prefix(min(64, a.BitLen())) // it fails only without an address
	return network
}

// The errors of Ask.
var (
	// ErrCodeTaken is returned if another device shows that code.
	ErrCodeTaken = errors.New("another device shows this code")
	// ErrTooManyCodes is returned if too many devices show a code, in this network or in all.
	ErrTooManyCodes = errors.New("too many devices show a code")
)

// Ask stores that the device with a credential shows a code until expiry, in place of its previous code. It also
// deletes codes that have expired, and one that gives way where there are too many.
func (c *Screens) Ask(ctx context.Context, credential, code string, d Device, expiry time.Time) error {
	now := c.s.now().UnixMilli()
	address, _ := netip.ParseAddr(d.Address) // devices without an address share a network
	network := Network(address).String()
	// No hint: a device that asks changes nothing for others.
	err := c.s.write(ctx, func(tx *sql.Tx) error {
		if _, err := c.s.exec(ctx, tx, `DELETE FROM pairing WHERE expiry <= $1 OR credential_hash = $2`, now, hash(credential)); err != nil {
			return err
		}
		var all, here int
		if err := c.s.row(ctx, tx, `SELECT (SELECT count(*) FROM pairing), (SELECT count(*) FROM pairing WHERE network = $1)`, network).Scan(&all, &here); err != nil {
			return err
		}
		if all >= mostCodes || here >= mostCodesOfNetwork {
			gone, err := c.s.exec(ctx, tx, `DELETE FROM pairing WHERE credential_hash IN (SELECT credential_hash FROM pairing
				WHERE ($1 = 0 OR network = $2) AND (asked <= $3 OR size = '' AND asked <= $4) ORDER BY CASE size WHEN '' THEN 0 ELSE 1 END, asked LIMIT 1)`,
				min(here/mostCodesOfNetwork, 1), network, now-codeForAll.Milliseconds(), now-codeForPages.Milliseconds())
			if err != nil {
				return err
			}
			if gone == 0 {
				return ErrTooManyCodes
			}
		}
		n, err := c.s.exec(ctx, tx, `INSERT INTO pairing (credential_hash, code_hash, expiry, asked, kind, size, address, network)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
			hash(credential), hash(code), expiry.UnixMilli(), now, d.Kind, d.Size, d.Address, network)
		if err == nil && n == 0 {
			err = ErrCodeTaken
		}
		return err
	})
	return c.s.wrap("ask for a screen", err)
}

// Asked returns the device that shows a code; shown is false if there is none.
func (c *Screens) Asked(ctx context.Context, code string) (p Pairing, shown bool, err error) {
	var asked, expiry int64
	err = c.s.row(ctx, c.s.reader, `SELECT kind, size, address, asked, expiry FROM pairing WHERE code_hash = $1 AND expiry > $2`,
		hash(code), c.s.now().UnixMilli()).Scan(&p.Kind, &p.Size, &p.Address, &asked, &expiry)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Pairing{}, false, nil
	case err != nil:
		return Pairing{}, false, c.s.wrap("find a code", err)
	}
	p.Asked, p.Expiry = time.UnixMilli(asked), time.UnixMilli(expiry)
	return p, true, nil
}

// Pair turns the device that shows a code into a screen, once: paired is false if no device shows it any more. The
// device's credential is then the screen's.
func (c *Screens) Pair(ctx context.Context, code string, screen Screen, by Act) (id string, paired bool, err error) {
	paired, err = c.act(ctx, func(tx *sql.Tx) error {
		var credential []byte
		err := c.s.row(ctx, tx, `DELETE FROM pairing WHERE code_hash = $1 AND expiry > $2 RETURNING credential_hash, kind, size, address`,
			hash(code), c.s.now().UnixMilli()).Scan(&credential, &screen.Kind, &screen.Size, &screen.Address)
		if err != nil {
			return err
		}
		id, err = c.insert(ctx, tx, screen, deviceHash{credential: credential}, by)
		return err
	})
	return id, paired, c.s.wrap("pair a screen", err)
}

// Refuse ends a code; refused is false if no device shows it.
func (c *Screens) Refuse(ctx context.Context, code string, by Act) (refused bool, err error) {
	refused, err = c.act(ctx, func(tx *sql.Tx) error {
		err := c.s.row(ctx, tx, `DELETE FROM pairing WHERE code_hash = $1 RETURNING address`, hash(code)).Scan(&by.ObjectName)
		if err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return refused, c.s.wrap("refuse a screen", err)
}

// Link turns the device with a credential into the screen of a link; the screen's previous device loses it. linked
// is false if no screen has that link.
func (c *Screens) Link(ctx context.Context, link, credential string, d Device, by Act) (linked bool, err error) {
	linked, err = c.act(ctx, func(tx *sql.Tx) error {
		err := c.s.row(ctx, tx, `UPDATE screen SET credential_hash = $1, kind = $2, size = $3, address = $4, device = '', key_hash = NULL, next_hash = NULL, spare_hash = NULL
			WHERE link_hash = $5 AND revoked_at IS NULL RETURNING id, name`,
			hash(credential), d.Kind, d.Size, d.Address, hash(link)).Scan(&by.Object, &by.ObjectName)
		if err != nil {
			return err
		}
		if _, err = c.s.exec(ctx, tx, `DELETE FROM pairing WHERE credential_hash = $1`, hash(credential)); err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return linked, c.s.wrap("link a screen", err)
}
