package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

// Forget deletes a contact from the log, with all versions of its record, and from all versions of the
// tickets and payments that name it; from then on Append leaves it out. It returns the number of versions.
// It begins an epoch and ends the terms, so that followers fold the log again and nobody appends what was
// read before. Backups still have the contact.
func (r *Records) Forget(ctx context.Context, contact string, by Act) (versions int, err error) {
	if contact == "" {
		return 0, r.wrap("forget", errors.New("a contact without an id"))
	}
	var newest int64
	if err := r.row(ctx, r.reader, newestRevision, r.service).Scan(&newest); err != nil {
		return 0, r.wrap("forget", err)
	}
	naming, err := r.naming(ctx, r.reader, contact, 0, newest) // before anybody has to wait
	if err != nil {
		return 0, r.wrap("forget", err)
	}
	err = r.erase(ctx, by, func(tx *sql.Tx) error {
		late, err := r.naming(ctx, tx, contact, newest, math.MaxInt64)
		if err != nil {
			return err
		}
		naming = append(naming, late...)
		for _, v := range naming {
			if err := r.replace(ctx, tx, v, record.WithoutContact(v.Record)); err != nil {
				return err
			}
		}
		_, err = r.exec(ctx, tx, `INSERT INTO forgotten (service, contact) VALUES ($1, $2)
			ON CONFLICT (service, contact) DO UPDATE SET unheard = NULL`, r.service, hash(contact))
		return err
	})
	if err != nil {
		return 0, r.wrap("forget", err)
	}
	return len(naming), nil
}

// ForgetAll deletes everything that a service reported, that people entered, and that is known of people
// and screens: records with all versions, states of streams, sessions, presence, screens, programmes, the
// roles of addresses, letters and who gets them, keys of programs, what services authorized and the audit. What is left are certificates, the
// hashes of forgotten contacts, and the act itself. A running
// housecount signs everybody out and reads the service from the beginning.
func (s *Store) ForgetAll(ctx context.Context, by Act) error {
	err := s.erase(ctx, by, func(tx *sql.Tx) error {
		if _, err := s.exec(ctx, tx, `DELETE FROM meta WHERE key LIKE '`+retirementKey+`%'`); err != nil {
			return err
		}
		for _, table := range []string{"version", "head", "stream", "answer", "session", "sign_in_anew", "used_state", "presence", "pairing", "screen", "programme", "role_grant", "credential", "row_record", "nudge", "hook", "subscriber", "letter", "api_key"} {
			if _, err := s.exec(ctx, tx, `DELETE FROM `+table); err != nil {
				return err
			}
		}
		return s.clearing(ctx, tx, math.MaxInt64, func() error {
			_, err := s.exec(ctx, tx, `DELETE FROM audit`)
			return err
		})
	})
	return s.wrap("forget everything", err)
}

// erase runs f as anew does, and adds the act to the audit without a name.
func (s *Store) erase(ctx context.Context, by Act, f func(*sql.Tx) error) error {
	return s.inNewEpoch(ctx, func(tx *sql.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		s.appendAct(tx, by)
		return nil
	})
}

// inNewEpoch runs f, which deletes what must not be found any more, in a transaction that ends all terms and
// begins an epoch.
func (s *Store) inNewEpoch(ctx context.Context, f func(*sql.Tx) error) error {
	err := s.database.Erasing(ctx, func() error {
		return s.change(ctx, SubjectLog, func(tx *sql.Tx) error {
			if err := s.database.WaitForTerms(ctx, tx); err != nil {
				return err
			}
			if err := f(tx); err != nil {
				return err
			}
			for _, other := range subjects {
				if err := s.database.Changed(ctx, tx, string(other)); err != nil {
					return err
				}
			}
			if _, err := s.exec(ctx, tx, `UPDATE meta SET value = $1 WHERE key = 'epoch'`, rand.Text()); err != nil {
				return err
			}
			_, err := s.exec(ctx, tx, s.database.EndTerms())
			return err
		})
	})
	if err == nil {
		s.hints.hint(subjects...)
	}
	return err
}

// naming returns the versions after a revision, up to another, that are or name a contact.
func (r *Records) naming(ctx context.Context, on runner, contact string, after, last int64) (naming []record.Version, err error) {
	text, err := json.Marshal(contact) // as bodies have it
	if err != nil {
		return nil, err
	}
	pattern := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(string(text))
	rows, err := r.rows(ctx, on, `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
		WHERE service = $1 AND revision > $2 AND revision <= $3 AND kind IN (2, 3, 4) AND body LIKE $4 ESCAPE '\' ORDER BY revision`,
		r.service, after, last, `%`+pattern+`%`)
	if err != nil {
		return nil, err
	}
	p := pages.Read(rows, pages.Page{})
	all, err := p.Decode(bodies.NewParser())
	for _, v := range all {
		if record.ContactOf(v.Record) == contact {
			naming = append(naming, v)
		}
	}
	return naming, err
}
