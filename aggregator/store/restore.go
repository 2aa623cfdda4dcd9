package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// restoreKey is the key of the table meta whose value says that a restore has not ended: whether its rows are all there,
// the checksum of the backup, and its path. Nobody but a restore opens the database meanwhile.
const restoreKey = "restore"

const (
	restoreLoading = "loading"
	restoreLoaded  = "loaded"
	// restoreLoadedWithout is restoreLoaded without sessions.
	restoreLoadedWithout = "loaded_without_sessions"
)

// RestoreOptions is how a backup is restored.
type RestoreOptions struct {
	// WithoutSessions leaves out who was signed in.
	WithoutSessions bool
	// Progress, if set, is called now and then with how many rows were written or compared, of all that will be.
	Progress func(rows, all int64)
}

// Restored is a database that has what a backup has. Nobody else opens it before Accept.
type Restored struct{ *Store }

// Restore fills an empty database, which may be of the other kind than the one that was backed up, and compares every
// table with the backup. Until Accept has ended, Open refuses the database and names the mend. Restore may be
// called again after it was broken off; then it goes on.
func (b *BackupFile) Restore(ctx context.Context, name string, o RestoreOptions) (*Restored, error) {
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	s, err := open(ctx, name, func(s *Store) error {
		if err := s.refuseNewer(ctx); err != nil {
			return err
		}
		r := restore{BackupFile: b, store: s, options: o}
		if err := r.prepare(ctx); err != nil {
			return err
		}
		if err := r.fill(ctx); err != nil {
			return fmt.Errorf("restore %s: %w", b.path, err)
		}
		if err := r.compare(ctx); err != nil {
			return fmt.Errorf("restore %s: %w", b.path, err)
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
		_, err := r.exec(ctx, tx, `DELETE FROM meta WHERE key = '`+restoreKey+`'`)
		return err
	})
	if err != nil {
		return r.failed("end the restore", err)
	}
	return nil
}

// refuseNewer refuses a schema of a newer program.
func (s *Store) refuseNewer(ctx context.Context) error {
	current, err := s.database.schema(ctx)
	if err != nil {
		return err
	}
	p, err := s.database.provider()
	if err != nil {
		return err
	}
	return refuseNewer(current, newest(p))
}

// refuseUnfinished refuses a database into which a restore has not ended.
func (s *Store) refuseUnfinished(ctx context.Context) error {
	if schema, err := s.database.schema(ctx); err != nil || schema == 0 {
		return err
	}
	_, _, path, err := s.unfinished(ctx)
	if err != nil || path == "" {
		return err
	}
	return fmt.Errorf("holds a part of the backup %s, whose restore has not ended: run housecount restore again with that file and this database", path)
}

// unfinished returns what is known of the restore that has not ended; path is empty if there is none.
func (s *Store) unfinished(ctx context.Context) (state, sum, path string, err error) {
	var value string
	err = s.reader.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = '`+restoreKey+`'`).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", "", nil
	}
	state, value, _ = strings.Cut(value, " ")
	sum, path, _ = strings.Cut(value, " ")
	return state, sum, path, err
}

// restore is one restore of a backup.
type restore struct {
	*BackupFile
	store   *Store
	options RestoreOptions
	// loaded is true if all rows are in the database, and compared if they were found to be those of the backup.
	loaded, compared bool
}

// prepare brings an empty database to the schema of the backup, and marks it.
func (r *restore) prepare(ctx context.Context) error {
	s := r.store
	schema, err := s.database.schema(ctx)
	if err != nil {
		return err
	}
	if schema == 0 {
		if err := s.migrateTo(ctx, r.Schema); err != nil {
			return fmt.Errorf("make the tables: %w", err)
		}
		schema = r.Schema
	}
	state, sum, path, err := s.unfinished(ctx)
	loaded := state == restoreLoaded || state == restoreLoadedWithout
	switch {
	case err != nil:
		return err
	case loaded && sum != r.sum:
		return fmt.Errorf("holds what the backup %s has, whose restore has not ended: run housecount restore again with that file, or name another database", path)
	case loaded: // it is brought up to date when it was compared
		r.loaded, r.compared = true, portableSchema(schema) > r.Schema
		r.options.WithoutSessions = state == restoreLoadedWithout
		return nil
	case portableSchema(schema) != r.Schema:
		return r.refused(fmt.Sprintf("has the tables of another schema (%d, the backup %d)", schema, r.Schema))
	}
	if err := r.refuseNonEmpty(ctx); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return r.mark(restoreLoading, execIn(ctx, s, tx)) })
}

func execIn(ctx context.Context, s *Store, tx *sql.Tx) func(statement string, args ...any) error {
	return func(statement string, args ...any) error {
		_, err := s.exec(ctx, tx, statement, args...)
		return err
	}
}

// mark notes how far the restore is.
func (r *restore) mark(state string, exec func(statement string, args ...any) error) error {
	return exec(`INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
		restoreKey, strings.Join([]string{state, r.sum, r.path}, " "))
}

// ofEveryDatabase are the tables that have rows in a database that holds nothing.
var ofEveryDatabase = []string{"meta", "counter"}

// refuseNonEmpty refuses a database that holds something.
func (r *restore) refuseNonEmpty(ctx context.Context) error {
	tables, err := r.store.tables(ctx, r.store.reader)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if slices.Contains(ofEveryDatabase, t.name) {
			continue
		}
		n, err := t.count(ctx, r.store.reader, nil)
		if err != nil {
			return err
		}
		if n > 0 {
			return r.refused(fmt.Sprintf("is not empty (%s has %d rows)", t.name, n))
		}
	}
	return nil
}

// refused returns the refusal of a database, and the mend.
func (r *restore) refused(why string) error {
	mend := "name a file that is not there, and it is made"
	if r.store.Kind() == "PostgreSQL" {
		mend = "name a new one (CREATE DATABASE)"
	}
	return fmt.Errorf("%s: a backup is restored into an empty database only; %s", why, mend)
}

// part is a table of the backup and the database's own.
type part struct {
	of   *BackedUpTable
	into table
}

// parts returns the tables that are restored, in the database's order.
func (r *restore) parts(ctx context.Context) (parts []part, rows int64, err error) {
	tables, err := r.store.tables(ctx, r.store.reader)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range tables {
		of := r.table(t.name)
		if of == nil || !slices.Equal(of.Columns, t.columnNames()) {
			return nil, 0, fmt.Errorf("its table %s is not as schema %d has it: %w", t.name, r.Schema, errAltered)
		}
		if r.options.WithoutSessions && t.name == "session" {
			continue
		}
		parts, rows = append(parts, part{of, t}), rows+of.Rows
	}
	if len(tables) != len(r.Tables) {
		return nil, 0, fmt.Errorf("it has tables that schema %d has not: %w", r.Schema, errAltered)
	}
	return parts, rows, nil
}

// fill adds all rows in one transaction.
func (r *restore) fill(ctx context.Context) error {
	if r.loaded {
		return nil
	}
	parts, rows, err := r.parts(ctx)
	if err != nil {
		return err
	}
	into, err := r.store.database.beginLoad(ctx)
	if err != nil {
		return err
	}
	defer into.rollback(ctx) // does nothing after commit
	for _, name := range ofEveryDatabase {
		if err := into.exec(ctx, `DELETE FROM `+name); err != nil {
			return err
		}
	}
	done := int64(0)
	for _, p := range parts {
		if err := r.load(ctx, into, p, func() {
			if done++; done%progressRows == 0 {
				r.options.Progress(done, 2*rows)
			}
		}); err != nil {
			return fmt.Errorf("table %s: %w", p.of.Name, err)
		}
	}
	state := restoreLoaded
	if r.options.WithoutSessions {
		state = restoreLoadedWithout
	}
	if err := r.mark(state, func(statement string, args ...any) error { return into.exec(ctx, statement, args...) }); err != nil {
		return err
	}
	return into.commit(ctx)
}

// load adds the rows of one table.
func (r *restore) load(ctx context.Context, into loader, p part, added func()) error {
	next, stop := iter.Pull2(func(yield func([]any, error) bool) {
		values := make([]any, len(p.into.columns))
		err := r.lines(p.of, func(line []byte) error {
			if err := parseRow(line, values); err != nil {
				return err
			}
			if !yield(values, nil) {
				return errStopped
			}
			added()
			return nil
		})
		if !errors.Is(err, errStopped) {
			yield(nil, cmp.Or(err, io.EOF))
		}
	})
	defer stop()
	return into.load(ctx, p.into, func() ([]any, error) {
		values, err, _ := next()
		return values, err
	})
}

// compare compares every table of the database with the backup.
func (r *restore) compare(ctx context.Context) error {
	if r.compared {
		return nil
	}
	parts, rows, err := r.parts(ctx)
	if err != nil {
		return err
	}
	tx, err := r.store.readOnly(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	leftOut := slices.Clone(r.LeftOut)
	if !slices.Contains(leftOut, restoreKey) {
		leftOut = append(leftOut, restoreKey)
	}
	d := dump{store: r.store, tx: tx, leftOut: leftOut, progress: func(n int64) { r.options.Progress(rows+n, 2*rows) }}
	for _, p := range parts {
		has, err := d.table(ctx, p.into, io.Discard)
		if err != nil {
			return fmt.Errorf("table %s: %w", p.of.Name, err)
		}
		if has.Rows != p.of.Rows || has.SHA256 != p.of.SHA256 {
			return fmt.Errorf("the table %s has other rows in the database than in the backup (%d and %d): nothing uses it; restore into another database, and report this", p.of.Name, has.Rows, p.of.Rows)
		}
	}
	return nil
}
