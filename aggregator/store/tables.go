package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A backup has every table of the database, found in the database itself, so that a table or a column of a later
// schema is in it without another line of code. Both kinds of database have the same tables and columns, but for
// what belongs to a running process.

// table is a table as a backup reads it, or a restore fills it.
type table struct {
	name    string
	columns []column // by name
	after   []string // the tables that its rows refer to
}

type column struct {
	name string
	// holds is what its values are.
	holds valueKind
	// key is its place in the primary key, from 1; 0 if it is not in it.
	key int
	// identity is true if the database numbers the rows.
	identity bool
}

// valueKind is what the values of a column are. A backup has booleans as the integers 0 and 1.
type valueKind string

const (
	integers valueKind = "integer"
	texts    valueKind = "text"
	blobs    valueKind = "blob"
	booleans valueKind = "boolean"
)

// valueKinds are the kinds by the name that a database has for the type of a column.
var valueKinds = map[string]valueKind{
	"integer": integers, "bigint": integers, "smallint": integers, "text": texts, "blob": blobs, "bytea": blobs, "boolean": booleans,
}

// processColumns are the columns, by their table, that say what a running process has; no backup has them.
var processColumns = map[string]map[string]bool{"lease": {"holder": true, "expires": true}}

// created finds the tables that migrations make.
var created = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// ourTables are the names of the tables that migrations make, of whatever schema. A PostgreSQL database may hold
// tables of others.
var ourTables = sync.OnceValues(func() (map[string]bool, error) {
	names := map[string]bool{}
	err := fs.WalkDir(migrations, "migrations", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations, path)
		for _, found := range created.FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	return names, err
})

// tables returns the tables of the database, a table after those that it refers to.
func (s *Store) tables(ctx context.Context, on runner) ([]table, error) {
	ours, err := ourTables()
	if err != nil {
		return nil, err
	}
	columns, references := s.database.shape()
	rows, err := on.QueryContext(ctx, columns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	byName := map[string]*table{}
	for rows.Next() {
		var name, kind string
		var c column
		if err := rows.Scan(&name, &c.name, &kind, &c.key, &c.identity); err != nil {
			return nil, err
		}
		if !ours[name] || processColumns[name][c.name] {
			continue
		}
		if c.holds = valueKinds[strings.ToLower(kind)]; c.holds == "" {
			return nil, fmt.Errorf("the column %s of %s is of the type %s, which no backup has", c.name, name, kind)
		}
		if byName[name] == nil {
			byName[name] = &table{name: name}
		}
		byName[name].columns = append(byName[name].columns, c)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := addReferences(ctx, on, references, byName); err != nil {
		return nil, err
	}
	return inOrder(byName), nil
}

// addReferences notes which tables refer to which.
func addReferences(ctx context.Context, on runner, statement string, tables map[string]*table) error {
	rows, err := on.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var from, to string
		if err := rows.Scan(&from, &to); err != nil {
			return err
		}
		if t := tables[from]; t != nil && from != to {
			t.after = append(t.after, to)
		}
	}
	return rows.Err()
}

// inOrder returns the tables by name, but each after those that it refers to. None refers to itself through others.
func inOrder(byName map[string]*table) (all []table) {
	var names []string
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		t := byName[name]
		if t == nil || done[name] {
			return
		}
		done[name] = true
		for _, other := range t.after {
			add(other)
		}
		slices.SortFunc(t.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
		all = append(all, *t)
	}
	for _, name := range names {
		add(name)
	}
	return all
}

// columnNames returns the names of the columns.
func (t *table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// read returns the statement that reads the rows that a backup has, in the order of the primary key, which is the
// same in both kinds of database.
func (t *table) read(words func(valueKind, string) (value, order string), leftOut []string) string {
	var values, keys []string
	key := slices.Clone(t.columns)
	slices.SortFunc(key, func(a, b column) int { return a.key - b.key })
	for _, c := range t.columns {
		value, _ := words(c.holds, quoted(c.name))
		values = append(values, value)
	}
	for _, c := range key {
		if c.key > 0 {
			_, order := words(c.holds, quoted(c.name))
			keys = append(keys, order)
		}
	}
	return `SELECT ` + strings.Join(values, ", ") + ` FROM ` + quoted(t.name) + t.condition(leftOut) + ` ORDER BY ` + strings.Join(keys, ", ")
}

// condition is that of the rows which a backup has: in the table meta, all but those of some keys.
func (t *table) condition(leftOut []string) string {
	if t.name != "meta" || len(leftOut) == 0 {
		return ""
	}
	return ` WHERE key NOT IN ('` + strings.Join(leftOut, `', '`) + `')`
}

func quoted(name string) string { return `"` + name + `"` }

// count returns how many rows of a table a backup has.
func (t *table) count(ctx context.Context, on runner, leftOut []string) (n int64, err error) {
	err = on.QueryRowContext(ctx, `SELECT count(*) FROM `+quoted(t.name)+t.condition(leftOut)).Scan(&n)
	return n, err
}

// readOnly begins a transaction that sees the database as it is at one moment, whatever others write meanwhile.
func (s *Store) readOnly(ctx context.Context) (*sql.Tx, error) {
	if err := s.database.check(); err != nil {
		return nil, err
	}
	tx, err := s.reader.BeginTx(ctx, s.database.snapshot())
	if err != nil {
		return nil, err
	}
	// A statement makes the moment that of the beginning. The server must not end a transaction that waits for a slow disk.
	if _, err := tx.ExecContext(ctx, s.database.patience()); err != nil {
		tx.Rollback()
		return nil, err
	}
	var one int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM meta`).Scan(&one); err != nil {
		tx.Rollback()
		return nil, err
	}
	return tx, nil
}
