package engine

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

// fileLease is held by a lock on a file, which the system drops when the process ends,
// however it ends. Its term is in the database.
type fileLease struct {
	service int64
	term    int64
	file    *os.File
	held    *sql.Stmt // asked every second
}

func (d *SQLite) Acquire(ctx context.Context, service int64, begin Begin) (Lease, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	file, err := d.lock(service)
	if file == nil {
		return nil, err
	}
	l := &fileLease{service: service, file: file}
	if l.term, err = d.beginTerm(ctx, service, begin); err == nil {
		l.held, err = d.reader.PrepareContext(ctx, `SELECT term FROM lease WHERE service = ?`)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// beginTerm ends the term before and begins one.
func (d *SQLite) beginTerm(ctx context.Context, service int64, begin Begin) (term int64, err error) {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := tx.QueryRowContext(ctx, `INSERT INTO lease (service, term) VALUES (?, 1)
		ON CONFLICT (service) DO UPDATE SET term = term + 1 RETURNING term`, service).Scan(&term); err != nil {
		return 0, err
	}
	if err := begin(ctx, tx, term); err != nil {
		return 0, err
	}
	return term, tx.Commit()
}

func (l *fileLease) Every() time.Duration { return time.Second }

func (l *fileLease) Renew(ctx context.Context) (held bool, err error) {
	var term int64
	err = l.held.QueryRowContext(ctx, l.service).Scan(&term)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return term == l.term, err
}

func (l *fileLease) Release(context.Context) error {
	return errors.Join(l.held.Close(), l.file.Close())
}
