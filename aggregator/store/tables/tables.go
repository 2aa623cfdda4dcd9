// Package tables reads and fills the tables of a database, whatever they mean: what a backup has. The tables are found in
// the database itself, so that a table or a column of a later schema is in a backup without another line of code.
// Both kinds of database have the same tables and columns, but for what belongs to a running process.
package tables

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Dialect is what SQLite and PostgreSQL do differently.
type Dialect interface {
	// shape returns the statements that list the columns of all tables, with their table, name, type, place in the primary
	// key and whether the database numbers rows by it, and which tables refer to which.
	shape() (columns, references string)
	// snapshot returns the options of a transaction that reads the database as it is at one moment, and patience
	// a statement that keeps the server from ending it for being slow.
	snapshot() *sql.TxOptions
	patience() string
	// portable returns expressions for a column's value as a backup has it, and for its place in an order that both kinds
	// of database have.
	portable(holds valueKind, column string) (value, order string)
	// BeginFill begins to fill the database.
	BeginFill(ctx context.Context) (Filling, error)
}

// Queryer is *sql.DB and *sql.Tx.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Table is a table as a backup reads it, or a restore fills it.
type Table struct {
	Name    string
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

// Of returns those tables of a database that are ours, by name, a table after those that it refers to.
func Of(ctx context.Context, on Queryer, d Dialect, ours map[string]bool) ([]Table, error) {
	columns, references := d.shape()
	rows, err := on.QueryContext(ctx, columns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	byName := map[string]*Table{}
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
			byName[name] = &Table{Name: name}
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
func addReferences(ctx context.Context, on Queryer, statement string, tables map[string]*Table) error {
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
func inOrder(byName map[string]*Table) (all []Table) {
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

// ColumnNames returns the names of the columns.
func (t *Table) ColumnNames() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// read returns the statement that reads the rows that a backup has, in the order of the primary key, which is the
// same in both kinds of database.
func (t *Table) read(words func(valueKind, string) (value, order string), leftOut []string) string {
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
	return `SELECT ` + strings.Join(values, ", ") + ` FROM ` + quoted(t.Name) + t.condition(leftOut) + ` ORDER BY ` + strings.Join(keys, ", ")
}

// condition is that of the rows which a backup has: in the table meta, all but those of some keys.
func (t *Table) condition(leftOut []string) string {
	if t.Name != "meta" || len(leftOut) == 0 {
		return ""
	}
	return ` WHERE key NOT IN ('` + strings.Join(leftOut, `', '`) + `')`
}

func quoted(name string) string { return `"` + name + `"` }

// Count returns how many rows of a table a backup has, which lacks some keys of the table meta.
func (t *Table) Count(ctx context.Context, on Queryer, leftOut []string) (n int64, err error) {
	err = on.QueryRowContext(ctx, `SELECT count(*) FROM `+quoted(t.Name)+t.condition(leftOut)).Scan(&n)
	return n, err
}

// Snapshot reads the tables of a database as they are at one moment, whatever others write meanwhile.
type Snapshot struct {
	// Tx is its transaction.
	Tx *sql.Tx
	// LeftOut are the keys of the table meta whose rows are not read.
	LeftOut []string
	dialect Dialect
}

// Begin begins to read.
func Begin(ctx context.Context, db *sql.DB, d Dialect) (*Snapshot, error) {
	tx, err := db.BeginTx(ctx, d.snapshot())
	if err != nil {
		return nil, err
	}
	// A statement makes the moment that of the beginning. The server must not end a transaction that waits for a slow disk.
	if _, err := tx.ExecContext(ctx, d.patience()); err != nil {
		tx.Rollback()
		return nil, err
	}
	var one int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM meta`).Scan(&one); err != nil {
		tx.Rollback()
		return nil, err
	}
	return &Snapshot{Tx: tx, dialect: d}, nil
}

// Close ends the reading.
func (s *Snapshot) Close() { _ = s.Tx.Rollback() }

// Read calls f with each row of a table, by its primary key: a value for each column. The values are not used after the next
// call, and no row but one is in memory at a time.
func (s *Snapshot) Read(ctx context.Context, t *Table, f func(values []any) error) error {
	rows, err := s.Tx.QueryContext(ctx, t.read(s.dialect.portable, s.LeftOut))
	if err != nil {
		return err
	}
	defer rows.Close()
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
