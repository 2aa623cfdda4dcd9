package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"
)

// newID returns a random id.
func newID() string { return rand.Text()[:16] }

// Programmes are what screens show at which time. Every change hints SubjectScreens and is added to the audit in
// the same transaction; the act's object is the programme.
type Programmes struct{ s *Store }

// Programmes returns the programmes of the database.
func (s *Store) Programmes() *Programmes { return &Programmes{s} }

// Programme is a document about what screens show at which time. The store does not interpret it.
type Programme struct {
	ID       string // made by Save
	Name     string
	Document string
	// Version is how often it was saved.
	Version int
	Changed time.Time
	By      string
}

// ErrChanged is returned if somebody else has changed or deleted the thing in the meantime.
var ErrChanged = errors.New("it was changed by somebody else")

func scanProgramme(scan scanner) (p Programme, err error) {
	var changed int64
	err = scan(&p.ID, &p.Name, &p.Document, &p.Version, &changed, &p.By)
	p.Changed = time.UnixMilli(changed)
	return p, err
}

// List returns all programmes by name.
func (ps *Programmes) List(ctx context.Context) (all []Programme, err error) {
	err = ps.s.each(ctx, ps.s.reader, into(&all, scanProgramme), `SELECT id, name, document, version, changed, changed_by FROM programme ORDER BY name, id`)
	return all, ps.s.wrap("list programmes", err)
}

// Save stores a programme: a new one if it has no id, otherwise the next version. It returns it as stored, or
// ErrChanged if the stored version is not p's.
func (ps *Programmes) Save(ctx context.Context, p Programme, by Act) (Programme, error) {
	p.Changed = time.UnixMilli(ps.s.now().UnixMilli())
	err := ps.s.change(ctx, SubjectScreens, func(tx *sql.Tx) error {
		if p.ID == "" {
			p.ID, p.Version = newID(), 1
			_, err := ps.s.exec(ctx, tx, `INSERT INTO programme (id, name, document, version, changed, changed_by) VALUES ($1, $2, $3, $4, $5, $6)`,
				p.ID, p.Name, p.Document, p.Version, p.Changed.UnixMilli(), p.By)
			if err != nil {
				return err
			}
			return ps.saved(ctx, tx, p, by)
		}
		n, err := ps.s.exec(ctx, tx, `UPDATE programme SET name = $1, document = $2, version = version + 1, changed = $3, changed_by = $4 WHERE id = $5 AND version = $6`,
			p.Name, p.Document, p.Changed.UnixMilli(), p.By, p.ID, p.Version)
		if err == nil && n == 0 {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		p.Version++
		return ps.saved(ctx, tx, p, by)
	})
	if err != nil {
		return Programme{}, ps.s.wrap("save a programme", err)
	}
	ps.s.hints.hint(SubjectAudit)
	return p, nil
}

// saved adds the act to the audit.
func (ps *Programmes) saved(ctx context.Context, tx *sql.Tx, p Programme, by Act) error {
	by.Object, by.ObjectName = p.ID, p.Name
	ps.s.appendAct(tx, by)
	return nil
}

// Delete deletes a programme; ErrChanged if its version is another. Screens that show it keep its id.
func (ps *Programmes) Delete(ctx context.Context, id string, version int, by Act) error {
	err := ps.s.change(ctx, SubjectScreens, func(tx *sql.Tx) error {
		err := ps.s.row(ctx, tx, `DELETE FROM programme WHERE id = $1 AND version = $2 RETURNING id, name`, id, version).Scan(&by.Object, &by.ObjectName)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrChanged
		}
		if err != nil {
			return err
		}
		ps.s.appendAct(tx, by)
		return nil
	})
	if err != nil {
		return ps.s.wrap("delete a programme", err)
	}
	ps.s.hints.hint(SubjectAudit)
	return nil
}
