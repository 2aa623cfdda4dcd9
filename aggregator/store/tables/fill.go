package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Filling fills an empty database in one transaction.
type Filling interface {
	// Load adds the rows that next returns until it returns io.EOF. A row has a value for each column of the table:
	// nil, an int64, a string or a []byte. The values are not used after the next call.
	Load(ctx context.Context, t Table, next func() ([]any, error)) error
	// Exec executes a statement in the transaction.
	Exec(ctx context.Context, statement string, args ...any) error
	Commit(ctx context.Context) error
	// Rollback undoes what was not committed, and releases the connection.
	Rollback(ctx context.Context)
}

type sqliteDialect struct{ writer *sql.DB }

// SQLite is the dialect of SQLite; the database is filled through writer.
func SQLite(writer *sql.DB) Dialect { return sqliteDialect{writer} }

func (d sqliteDialect) shape() (columns, references string) {
	return `SELECT m.name, c.name, c.type, c.pk, 0 FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`,
		`SELECT m.name, f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`
}

func (d sqliteDialect) snapshot() *sql.TxOptions { return nil }

func (d sqliteDialect) patience() string { return `SELECT 1` }

// portable leaves everything as it is: texts are compared byte by byte, and booleans are integers.
func (d sqliteDialect) portable(_ valueKind, column string) (value, order string) {
	return column, column
}

// sqliteFilling inserts row by row.
type sqliteFilling struct{ tx *sql.Tx }

func (d sqliteDialect) BeginFill(ctx context.Context) (Filling, error) {
	tx, err := d.writer.BeginTx(ctx, nil)
	return sqliteFilling{tx}, err
}

func (l sqliteFilling) Load(ctx context.Context, t Table, next func() ([]any, error)) error {
	names := t.ColumnNames()
	for i := range names {
		names[i] = quoted(names[i])
	}
	insert, err := l.tx.PrepareContext(ctx, `INSERT INTO `+quoted(t.Name)+` (`+strings.Join(names, ", ")+`) VALUES (?`+strings.Repeat(", ?", len(names)-1)+`)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
}

func (l sqliteFilling) Exec(ctx context.Context, statement string, args ...any) error {
	_, err := l.tx.ExecContext(ctx, strings.ReplaceAll(statement, "$", "?"), args...)
	return err
}

func (l sqliteFilling) Commit(context.Context) error { return l.tx.Commit() }

func (l sqliteFilling) Rollback(context.Context) { _ = l.tx.Rollback() }

type postgresDialect struct{ config *pgx.ConnConfig }

// Postgres is the dialect of PostgreSQL; the database is filled through a connection of its own.
func Postgres(config *pgx.ConnConfig) Dialect { return postgresDialect{config} }

func (d postgresDialect) shape() (columns, references string) {
	return `SELECT c.table_name, c.column_name, c.data_type, coalesce(k.ordinal_position, 0), c.is_identity = 'YES'
			FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
			LEFT JOIN information_schema.table_constraints p ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
			LEFT JOIN information_schema.key_column_usage k ON k.constraint_schema = p.constraint_schema AND k.constraint_name = p.constraint_name
				AND k.table_name = c.table_name AND k.column_name = c.column_name
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`,
		`SELECT f.relname, t.relname FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
			WHERE c.contype = 'f' AND f.relnamespace = current_schema()::regnamespace`
}

func (d postgresDialect) snapshot() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

func (d postgresDialect) patience() string {
	return `SET LOCAL idle_in_transaction_session_timeout = 0`
}

// portable makes integers of booleans, and compares texts byte by byte, as SQLite does.
func (d postgresDialect) portable(holds valueKind, column string) (value, order string) {
	switch holds {
	case booleans:
		return column + `::int`, column
	case texts:
		return column, column + ` COLLATE "C"`
	}
	return column, column
}

// postgresFilling copies into a table all rows at once.
type postgresFilling struct {
	conn *pgx.Conn
	tx   pgx.Tx
}

func (d postgresDialect) BeginFill(ctx context.Context) (Filling, error) {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return nil, err
	}
	l := &postgresFilling{conn: conn}
	if l.tx, err = conn.Begin(ctx); err == nil {
		_, err = l.tx.Exec(ctx, d.patience())
	}
	if err != nil {
		l.Rollback(ctx)
		return nil, err
	}
	return l, nil
}

// leaseDefaults are the values of the columns of the lease that no backup has: nobody holds it.
var leaseDefaults = []any{"", pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}}

func (l *postgresFilling) Load(ctx context.Context, t Table, next func() ([]any, error)) error {
	names := t.ColumnNames()
	if t.Name == "lease" {
		names = append(names, "holder", "expires")
	}
	var row []any
	source := pgx.CopyFromFunc(func() ([]any, error) {
		values, err := next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		row = append(row[:0], values...)
		for i, c := range t.columns {
			if n, ok := row[i].(int64); ok && c.holds == booleans {
				row[i] = n != 0
			}
		}
		if t.Name == "lease" {
			row = append(row, leaseDefaults...)
		}
		return row, nil
	})
	if _, err := l.tx.CopyFrom(ctx, pgx.Identifier{t.Name}, names, source); err != nil {
		return err
	}
	for _, c := range t.columns {
		if !c.identity {
			continue
		}
		if _, err := l.tx.Exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%[1]s', '%[2]s'), coalesce(max(%[2]s), 0) + 1, false) FROM %[1]s`,
			t.Name, c.name)); err != nil {
			return err
		}
	}
	return nil
}

func (l *postgresFilling) Exec(ctx context.Context, statement string, args ...any) error {
	_, err := l.tx.Exec(ctx, statement, args...)
	return err
}

// Commit also lets the database count what is in its tables, for its plans.
func (l *postgresFilling) Commit(ctx context.Context) error {
	err := l.tx.Commit(ctx)
	if err == nil {
		_, err = l.conn.Exec(ctx, `ANALYZE`)
	}
	return err
}

func (l *postgresFilling) Rollback(ctx context.Context) {
	orderly, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = l.conn.Close(orderly) // what is not committed goes with it
}
