package store

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/tables"
)

// OpenForBackup opens a database for nothing but a backup. It changes nothing in it: an older schema stays as it is.
func OpenForBackup(ctx context.Context, name string) (*Store, error) {
	if err := missing(name); err != nil {
		return nil, err
	}
	return open(ctx, name, engine.UseHeld, func(s *Store) error {
		if err := s.database.RefuseNewer(ctx); err != nil {
			return err
		}
		if err := s.refuseUnfinished(ctx); err != nil {
			return err
		}
		return s.refuseBare(ctx)
	})
}

// refuseBare refuses a database in which nothing but commands ever ran.
func (s *Store) refuseBare(ctx context.Context) error {
	table, _, err := (&Target{s}).Held(ctx, "audit")
	if err == nil && table == "" {
		err = errors.New("holds no housecount, only its empty tables: give the one that serve uses")
	}
	return err
}

// Snapshot is all that a database has at one moment, for a backup.
type Snapshot struct {
	*tables.Snapshot
	store *Store
	// Made is the moment, and Schema the version of the schema, by SQLite's count.
	Made   time.Time
	Schema int64
}

// Snapshot begins to read the database, which may be in use.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	schema, err := s.database.Schema(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.database.Check(); err != nil {
		return nil, err
	}
	reading, err := tables.Begin(ctx, s.reader, s.database.Tables())
	if err != nil {
		return nil, err
	}
	return &Snapshot{Snapshot: reading, store: s, Made: s.now(), Schema: engine.PortableSchema(schema)}, nil
}

// Tables returns the tables of the database, a table after those that it refers to.
func (s *Snapshot) Tables(ctx context.Context) ([]tables.Table, error) {
	return s.store.tables(ctx, s.Tx)
}

func (s *Store) tables(ctx context.Context, on tables.Queryer) ([]tables.Table, error) {
	ours, err := engine.OurTables()
	if err != nil {
		return nil, err
	}
	return tables.Of(ctx, on, s.database.Tables(), ours)
}

// Log is the log of one service.
type Log struct {
	Service  string `json:"service"`
	Revision int64  `json:"revision"`
}

// Logs returns the logs of all services.
func (s *Snapshot) Logs(ctx context.Context) (logs []Log, err error) {
	rows, err := s.Tx.QueryContext(ctx, `SELECT name, revision FROM service ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l Log
		if err := rows.Scan(&l.Service, &l.Revision); err != nil {
			return nil, err
		}
		logs = append(logs, l)
	}
	return logs, rows.Err()
}

// OwnKey is the key of the database's own secret in the table meta.
const OwnKey = "attempt_key"

// Secrets returns the keys of the table meta that a backup does not have; with keys, it has the database's own secret.
// Where the database sealed with that, and it is left out, nobody is to look for it: what it was last sealed with is left out,
// too.
func (s *Snapshot) Secrets(ctx context.Context, keys bool) ([]string, error) {
	left := []string{RestoreKey}
	if keys {
		return left, nil
	}
	left = append(left, OwnKey)
	var own, last string
	err := s.store.row(ctx, s.Tx, `SELECT coalesce((SELECT value FROM meta WHERE key = 'attempt_key'), ''), coalesce((SELECT value FROM meta WHERE key = 'seal_key'), '')`).Scan(&own, &last)
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(own)
	if err != nil || own == "" {
		return left, err
	}
	k, err := newSealKey(secret)
	if k.id == last {
		left = append(left, "seal_key")
	}
	return left, err
}

// Kind returns the kind of database, as the manual names it.
func (s *Store) Kind() string {
	if s.reader == s.writer {
		return "PostgreSQL"
	}
	return "SQLite"
}

// Failed names the database in an error of an operation that another package does with it, and what to do about it
// where that is known.
func (s *Store) Failed(operation string, err error) error { return s.wrap(operation, err) }
