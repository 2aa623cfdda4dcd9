package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"housecount/aggregator/store"
	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/tables"
)

// RestoreOptions is how a backup is restored.
type RestoreOptions struct {
	// WithoutSessions leaves out who was signed in, the keys of programs and who gets letters: what was ended since the
	// backup would live again.
	WithoutSessions bool
	// Progress, if set, is called now and then with how many rows were written or compared, of all that will be.
	Progress func(rows, all int64)
}

// Restore fills an empty database, which may be of the other kind than the one that was backed up, and compares every
// table with the backup. Until Accept has ended, Open refuses the database and names the mend. Restore may be
// called again after it was broken off; then it goes on.
func (b *File) Restore(ctx context.Context, name string, o RestoreOptions) (*store.Restored, error) {
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	return store.OpenForRestore(ctx, name, func(into *store.Target) error {
		r := restore{File: b, into: into, options: o}
		if err := r.prepare(ctx); err != nil {
			return err
		}
		if err := r.fill(ctx); err != nil {
			return fmt.Errorf("restore %s: %w", b.path, err)
		}
		if err := r.compare(ctx); err != nil {
			return fmt.Errorf("restore %s: %w", b.path, err)
		}
		return nil
	})
}

// restore is one restore of a backup.
type restore struct {
	*File
	into    *store.Target
	options RestoreOptions
	// loaded is true if all rows are in the database, and compared if they were found to be those of the backup.
	loaded, compared bool
}

// prepare brings an empty database to the schema of the backup, and marks it.
func (r *restore) prepare(ctx context.Context) error {
	schema, err := r.into.Schema(ctx)
	if err != nil {
		return err
	}
	if schema == 0 {
		if err := r.into.MakeSchema(ctx, r.Schema); err != nil {
			return fmt.Errorf("make the tables: %w", err)
		}
		schema = r.Schema
	}
	before, err := r.into.Unfinished(ctx)
	loaded := before.Rows == store.RestoreLoaded || before.Rows == store.RestoreLoadedWithout
	switch {
	case err != nil:
		return err
	case loaded && before.Sum != r.sum:
		return fmt.Errorf("holds what the backup %s has, whose restore has not ended: run housecount restore again with that file, or name another database", before.Path)
	case loaded: // it is brought up to date when it was compared
		r.loaded, r.compared = true, engine.PortableSchema(schema) > r.Schema
		r.options.WithoutSessions = before.Rows == store.RestoreLoadedWithout
		return nil
	case engine.PortableSchema(schema) != r.Schema:
		return r.refused(fmt.Sprintf("has the tables of another schema (%d, the backup %d)", schema, r.Schema))
	}
	table, n, err := r.into.Held(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		return r.refused(fmt.Sprintf("is not empty (%s has %d rows)", table, n))
	}
	return r.into.Mark(ctx, r.state(store.RestoreLoading))
}

func (r *restore) state(rows store.RestoreRows) store.RestoreState {
	return store.RestoreState{Rows: rows, Sum: r.sum, Path: r.path}
}

// refused returns the refusal of a database, and the mend.
func (r *restore) refused(why string) error {
	mend := "name a file that is not there, and it is made"
	if r.into.Kind() == "PostgreSQL" {
		mend = "name a new one (CREATE DATABASE)"
	}
	return fmt.Errorf("%s: a backup is restored into an empty database only; %s", why, mend)
}

// part is a table of the backup and the database's own.
type part struct {
	of   *Table
	into tables.Table
}

// parts returns the tables that are restored, in the database's order.
func (r *restore) parts(ctx context.Context) (parts []part, rows int64, err error) {
	all, err := r.into.Tables(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range all {
		of := r.table(t.Name)
		if of == nil || !slices.Equal(of.Columns, t.ColumnNames()) {
			return nil, 0, fmt.Errorf("its table %s is not as schema %d has it: %w", t.Name, r.Schema, errAltered)
		}
		if r.options.WithoutSessions && slices.Contains([]string{"session", "api_key", "subscriber"}, t.Name) {
			continue
		}
		parts, rows = append(parts, part{of, t}), rows+of.Rows
	}
	if len(all) != len(r.Tables) {
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
	state := store.RestoreLoaded
	if r.options.WithoutSessions {
		state = store.RestoreLoadedWithout
	}
	return r.into.Fill(ctx, r.state(state), func(into tables.Filling) error {
		done := int64(0)
		for _, p := range parts {
			if err := r.load(ctx, into, p, func() {
				if done++; done%ProgressRows == 0 {
					r.options.Progress(done, 2*rows)
				}
			}); err != nil {
				return fmt.Errorf("table %s: %w", p.of.Name, err)
			}
		}
		return nil
	})
}

// load adds the rows of one table.
func (r *restore) load(ctx context.Context, into tables.Filling, p part, added func()) error {
	next, stop := iter.Pull2(func(yield func([]any, error) bool) {
		values := make([]any, len(p.of.Columns))
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
	return into.Load(ctx, p.into, func() ([]any, error) {
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
	reading, err := r.into.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer reading.Close()
	reading.LeftOut = slices.Clone(r.LeftOut)
	if !slices.Contains(reading.LeftOut, store.RestoreKey) {
		reading.LeftOut = append(reading.LeftOut, store.RestoreKey)
	}
	d := dump{from: reading, progress: func(n int64) { r.options.Progress(rows+n, 2*rows) }}
	for _, p := range parts {
		has, err := d.table(ctx, &p.into, io.Discard)
		if err != nil {
			return fmt.Errorf("table %s: %w", p.of.Name, err)
		}
		if has.Rows != p.of.Rows || has.SHA256 != p.of.SHA256 {
			return fmt.Errorf("the table %s has other rows in the database than in the backup (%d and %d): nothing uses it; restore into another database, and report this", p.of.Name, has.Rows, p.of.Rows)
		}
	}
	return nil
}
