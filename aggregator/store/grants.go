package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Grants are the roles of e-mail addresses and domains. What changes one hints SubjectSessions, because
// sessions mean something else then, and is added to the audit with the change or not done; the object of
// that act is the address.
type Grants struct{ s *Store }

// Grants returns those of the database.
func (s *Store) Grants() *Grants { return &Grants{s} }

// Grant is the role of an address, or of a domain, which begins with @. The store does not read either.
type Grant struct {
	Address, Role string
	Given         time.Time
	By            string // the name of who gave it
}

// List returns all grants, in the order of their addresses.
func (g *Grants) List(ctx context.Context) (all []Grant, err error) {
	err = g.s.each(ctx, g.s.reader, into(&all, scanGrant), `SELECT address, role, given, given_by FROM role_grant ORDER BY address`)
	return all, g.s.wrap("list who has which role", err)
}

func scanGrant(scan scanner) (one Grant, err error) {
	var given int64
	err = scan(&one.Address, &one.Role, &given, &one.By)
	one.Given = time.UnixMilli(given)
	return one, err
}

// Of returns the role of an address and that of its domain; each is empty if there is none.
func (g *Grants) Of(ctx context.Context, address, domain string) (own, common string, err error) {
	err = g.s.row(ctx, g.s.reader, `SELECT coalesce((SELECT role FROM role_grant WHERE address = $1), ''), coalesce((SELECT role FROM role_grant WHERE address = $2), '')`,
		address, domain).Scan(&own, &common)
	return own, common, g.s.wrap("find who has which role", err)
}

// Give gives a role to an address in place of the one that it had. The act gets that one as Before. What is
// so already is no act.
func (g *Grants) Give(ctx context.Context, grant Grant, by Act) error {
	err := g.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		by.Before = ""
		err := g.s.row(ctx, tx, `SELECT role FROM role_grant WHERE address = $1`, grant.Address).Scan(&by.Before)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if by.Before == grant.Role {
			return nil
		}
		_, err = g.s.exec(ctx, tx, `INSERT INTO role_grant (address, role, given, given_by) VALUES ($1, $2, $3, $4)
			ON CONFLICT (address) DO UPDATE SET role = excluded.role, given = excluded.given, given_by = excluded.given_by`,
			grant.Address, grant.Role, g.s.now().UnixMilli(), grant.By)
		if err != nil {
			return err
		}
		by.Object, by.ObjectName, by.After = grant.Address, grant.Address, grant.Role
		g.s.appendAct(tx, by)
		return nil
	})
	if err != nil {
		return g.s.wrap("give a role", err)
	}
	g.s.hints.hint(SubjectAudit)
	return nil
}

// Take takes the role of an address away. An address without one is no error, and no act.
func (g *Grants) Take(ctx context.Context, address string, by Act) error {
	err := g.s.change(ctx, SubjectSessions, func(tx *sql.Tx) error {
		by.Before = ""
		err := g.s.row(ctx, tx, `DELETE FROM role_grant WHERE address = $1 RETURNING role`, address).Scan(&by.Before)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		by.Object, by.ObjectName = address, address
		g.s.appendAct(tx, by)
		return nil
	})
	if err != nil {
		return g.s.wrap("take a role", err)
	}
	g.s.hints.hint(SubjectAudit)
	return nil
}
