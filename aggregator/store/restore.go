package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/tables"
)

// RestoreKey is the key of the table meta whose value is the RestoreState of a restore that has not ended. Nobody but a
// restore opens the database meanwhile.
const RestoreKey = "restore"

// RestoreState is how far a restore is.
type RestoreState struct {
	// Rows is whether its rows are all there; empty if no restore has begun.
	Rows RestoreRows
	// Sum is the checksum of the backup, and Path its path.
	Sum, Path string
}

// RestoreRows is whether the rows of a restore are all there.
type RestoreRows string

const (
	RestoreLoading RestoreRows = "loading"
	RestoreLoaded  RestoreRows = "loaded"
	// RestoreLoadedWithout is RestoreLoaded without sessions.
	RestoreLoadedWithout RestoreRows = "loaded_without_sessions"
)

// Restored is a database that has what a backup has. Nobody else opens it before Accept.
type Restored struct{ *Store }

// OpenForRestore opens a database that is empty, or into which a restore has not ended, fills it with fill and brings it up
// to date. From the first Mark until Accept has ended, Open refuses the database and names the mend.
func OpenForRestore(ctx context.Context, name string, fill func(t *Target) error) (*Restored, error) {
	s, err := open(ctx, name, engine.UseEmpty, func(s *Store) error {
		if err := s.database.RefuseNewer(ctx); err != nil {
			return err
		}
		if err := fill(&Target{s}); err != nil {
			return err
		}
		return s.begin(ctx)
	})
	if err != nil {
		return nil, err
	}
	return &Restored{s}, nil
}

// Accept ends the restore: from now on the database is one like any other.
func (r *Restored) Accept(ctx context.Context) error {
	err := r.write(ctx, func(tx *sql.Tx) error {
		_, err := r.exec(ctx, tx, `DELETE FROM meta WHERE key = '`+RestoreKey+`'`)
		return err
	})
	return r.wrap("end the restore", err)
}

// refuseUnfinished refuses a database into which a restore has not ended.
func (s *Store) refuseUnfinished(ctx context.Context) error {
	if schema, err := s.database.Schema(ctx); err != nil || schema == 0 {
		return err
	}
	unfinished, err := s.unfinished(ctx)
	if err != nil || unfinished.Path == "" {
		return err
	}
	if unfinished.Rows == RestoreLoading { // rows come in one transaction
		return fmt.Errorf("is empty: the restore of the backup %s was broken off before it had any row: run housecount restore again with this database", unfinished.Path)
	}
	return fmt.Errorf("holds what the backup %s has, whose restore has not ended: run housecount restore again with that file and this database", unfinished.Path)
}

// unfinished returns what is known of the restore that has not ended; its path is empty if there is none.
func (s *Store) unfinished(ctx context.Context) (RestoreState, error) {
	var value string
	err := s.reader.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = '`+RestoreKey+`'`).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return RestoreState{}, nil
	}
	rows, rest, _ := strings.Cut(value, " ")
	sum, path, _ := strings.Cut(rest, " ")
	return RestoreState{RestoreRows(rows), sum, path}, err
}

// Target is a database that a restore fills.
type Target struct{ store *Store }

// Schema returns the version of the schema; 0 if there is none yet.
func (t *Target) Schema(ctx context.Context) (int64, error) { return t.store.database.Schema(ctx) }

// MakeSchema makes the tables of a schema in an empty database.
func (t *Target) MakeSchema(ctx context.Context, schema int64) error {
	return t.store.database.MigrateTo(ctx, schema)
}

// Kind returns the kind of database.
func (t *Target) Kind() string { return t.store.Kind() }

// Tables returns the tables, a table after those that it refers to.
func (t *Target) Tables(ctx context.Context) ([]tables.Table, error) {
	return t.store.tables(ctx, t.store.reader)
}

// Snapshot begins to read what was filled.
func (t *Target) Snapshot(ctx context.Context) (*Snapshot, error) { return t.store.Snapshot(ctx) }

// Unfinished returns how far the restore is that was begun before.
func (t *Target) Unfinished(ctx context.Context) (RestoreState, error) {
	return t.store.unfinished(ctx)
}

// ofEveryDatabase are the tables that have rows in a database that holds nothing.
var ofEveryDatabase = []string{"meta", "counter"}

// Held returns a table that has rows in a database that holds something, and how many; "" if it holds nothing. Tables of which
// the rows do not count may be given.
func (t *Target) Held(ctx context.Context, but ...string) (table string, rows int64, err error) {
	all, err := t.Tables(ctx)
	if err != nil {
		return "", 0, err
	}
	for _, of := range all {
		if slices.Contains(ofEveryDatabase, of.Name) || slices.Contains(but, of.Name) {
			continue
		}
		n, err := of.Count(ctx, t.store.reader, nil)
		if err != nil || n > 0 {
			return of.Name, n, err
		}
	}
	return "", 0, nil
}

// Mark stores how far the restore is.
func (t *Target) Mark(ctx context.Context, state RestoreState) error {
	return t.store.write(ctx, func(tx *sql.Tx) error {
		return mark(state, func(statement string, args ...any) error {
			_, err := t.store.exec(ctx, tx, statement, args...)
			return err
		})
	})
}

func mark(state RestoreState, exec func(statement string, args ...any) error) error {
	return exec(`INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
		RestoreKey, strings.Join([]string{string(state.Rows), state.Sum, state.Path}, " "))
}

// Fill adds the rows that f adds, and stores how far the restore is, in one transaction.
func (t *Target) Fill(ctx context.Context, state RestoreState, f func(into tables.Filling) error) error {
	into, err := t.store.database.Tables().BeginFill(ctx)
	if err != nil {
		return err
	}
	defer into.Rollback(ctx) // does nothing after Commit
	for _, name := range ofEveryDatabase {
		if err := into.Exec(ctx, `DELETE FROM `+name); err != nil {
			return err
		}
	}
	if err := f(into); err != nil {
		return err
	}
	if err := mark(state, func(statement string, args ...any) error { return into.Exec(ctx, statement, args...) }); err != nil {
		return err
	}
	return into.Commit(ctx)
}
