// Package store keeps what outlives the process: records in revision order, the marks of
// how far they were read, and sessions. It is the only package with SQL; it computes no
// figure and asks nobody anything.
//
// A Store is one SQLite file. One process has it at a time: Open takes a lock that the
// system drops when the process ends, however it ends. Writers take turns on a single
// connection; readers have a pool of their own and never wait for a writer, nor a writer
// for them. What a method has acknowledged survives the end of the process.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrInUse says that another process has the database.
var ErrInUse = errors.New("database is in use by another housecount: stop that one, or name another database")

// applicationID marks a SQLite file as ours, so that another program's is left alone.
const applicationID = 0x48436e74 // HCnt

//go:embed migrations
var migrations embed.FS

// Store is one SQLite database. It may be used by many goroutines.
type Store struct {
	writer *sql.DB // one connection; its transactions begin IMMEDIATE
	reader *sql.DB // query only
	lock   *os.File
	epoch  string
	// now is the clock of sessions.
	now func() time.Time

	highest, oldBody, newBody, setMark *sql.Stmt
}

// Open opens or makes the database at path, locks it against other processes
// (ErrInUse) and migrates it. A new file can be read by its owner only. Errors name the
// path and what to do about it.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // two names of one file have one lock
	}
	s := &Store{now: time.Now}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", path, err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, path string) (err error) {
	// The lock comes first: closing a file of our own drops SQLite's locks on it.
	if s.lock, err = lock(path + ".lock"); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return mended(err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	if s.writer, err = pool(path, 1, "_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)", "_pragma=foreign_keys(1)"); err != nil {
		return err
	}
	if s.reader, err = pool(path, 4, "_pragma=query_only(1)"); err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil {
		return mended(err)
	}
	if err := s.migrate(ctx); err != nil {
		return mended(err)
	}
	return s.prepare(ctx)
}

// lock takes the lock file at path until it is closed or the process ends. The file
// stays: to remove it would let a third process lock another of the same name.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, mended(err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrInUse
	default:
		err = fmt.Errorf("cannot be locked (%w): put the database on a local disk", err)
	}
	return nil, errors.Join(err, file.Close())
}

// pool opens up to n connections.
func pool(path string, n int, parameters ...string) (*sql.DB, error) {
	parameters = append(parameters, "_pragma=busy_timeout(5000)")
	name := (&url.URL{Scheme: "file", Path: path}).String() + "?" + strings.Join(parameters, "&")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// claim refuses a file that is not ours, without a change to it, and marks a new one.
func (s *Store) claim(ctx context.Context) error {
	var tables, id int
	err := s.reader.QueryRowContext(ctx,
		`SELECT (SELECT count(*) FROM sqlite_master), application_id FROM pragma_application_id`).Scan(&tables, &id)
	switch {
	case err != nil || id == applicationID:
		return err
	case tables > 0 || id != 0:
		return errors.New("is the database of another program: name another file")
	}
	_, err = s.writer.ExecContext(ctx, `PRAGMA application_id = `+strconv.Itoa(applicationID))
	return err
}

func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.writer, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	current, known, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > known {
		return fmt.Errorf("was made by a newer housecount (schema %d, this one knows %d): use that one, or name another file", current, known)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := s.writer.ExecContext(ctx,
		`INSERT INTO meta (key, value) VALUES ('epoch', ?) ON CONFLICT DO NOTHING`, rand.Text()); err != nil {
		return err
	}
	return s.writer.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'epoch'`).Scan(&s.epoch)
}

func (s *Store) prepare(ctx context.Context) error {
	for text, stmt := range map[string]**sql.Stmt{
		selectHighest: &s.highest,
		selectBody:    &s.oldBody,
		upsertBody:    &s.newBody,
		upsertMark:    &s.setMark,
	} {
		var err error
		if *stmt, err = s.writer.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// mended adds to an error what to do about it, where that is known.
func mended(err error) error {
	e, isSQLite := errors.AsType[*sqlite.Error](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the directory does not exist: make it, or name another: %w", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("may not be written: give this user the right to read and write the file and its directory: %w", err)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("is a directory: name a file in it: %w", err)
	case isSQLite && e.Code() == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("is not a database: move the file away, or name another: %w", err)
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("is damaged: move the file away, and housecount reads everything anew: %w", err)
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_READONLY:
		return fmt.Errorf("may not be written: give this user the right to read and write the file and its directory: %w", err)
	}
	return err
}

// Close releases the database. Nothing may be called after it.
func (s *Store) Close() error {
	var errs []error
	// The writer closes last of the two, so that it can fold the write-ahead log in.
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// write runs f in a transaction that begins at once and commits when f gives no error.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.reader.QueryRowContext(ctx, `SELECT 1 FROM meta LIMIT 1`).Scan(&one); err != nil {
		return fmt.Errorf("store: ping: %w", err)
	}
	return nil
}
