// Package store has what outlives the process, by subject: Records, the log of what a service reported and people entered;
// Sessions; Attempts to sign in; Grants, the roles of e-mail addresses; Keys of programs; Letters and who gets them; Screens and
// their Programmes; Presence, which is who watches what; Credentials at services; Certificates; and the Audit. SQL is nowhere but
// here, in engine, which is what SQLite and PostgreSQL do differently, and in tables, which reads and fills whole tables for a
// backup. Package pages reads the log ahead of who asks. It computes no figure.
//
// A Store is one SQLite file or one PostgreSQL database; one suite of tests runs on both. Any number of
// processes may have it open, read and write at once. Polling a service, which only one may do at a time,
// is guarded by the lease of its Records (see Records.Lead): a lock file next to an SQLite file, a row of a
// PostgreSQL database.
//
// What a method has acknowledged survives the end of the process. A method that fails has changed nothing,
// unless the database was lost while it committed: then it may have changed everything. Repeating the call
// is right in both cases. The revisions of a log come from one counter that is locked first by whoever
// appends, so that a reader that has seen a revision has seen all before it. Watch gives hints that
// something changed, in this process or another. A hint has no content, may be spurious, and may stand for
// several changes.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/store/engine"
)

// UpgradeStep is a step of an upgrade of the schema.
type UpgradeStep = engine.UpgradeStep

// Store is one database. It may be used by several goroutines.
type Store struct {
	// writer is for transactions that write: one connection with SQLite, where writers take
	// turns; with PostgreSQL it is the same pool as reader.
	writer, reader *sql.DB
	database       engine.Engine
	hints          *hints
	// Logger gets the errors that no caller gets: while Run and Lead wait for the database. Open sets one that
	// discards them; it may be replaced before the first use.
	Logger *slog.Logger
	// name is the database as errors may name it, without a password.
	name        string
	unwritten   atomic.Bool  // a transaction failed because the database takes none, and none of Ping has succeeded since
	usedCleared atomic.Int64 // when used states were last deleted, in Unix milliseconds
	// upgrading, if set, is called before each step of an upgrade.
	upgrading func(UpgradeStep)
	// now returns the time, for everything except the log.
	now func() time.Time
	// sharedNow is the time by the clock that all processes with the database share.
	sharedNow func(ctx context.Context, on runner) (time.Time, error)
	// acts are what is to be added to the audit with a transaction, by the transaction.
	actsMu sync.Mutex
	acts   map[*sql.Tx][]Act
}

// Open opens or creates a database: a file by its path, or PostgreSQL by a URL that begins with
// postgres://. It upgrades an older schema; a schema of a newer program is an error, and so is a restore that has not
// ended. Errors name the database, without its password, and what to do.
func Open(ctx context.Context, name string) (*Store, error) {
	return OpenLogged(ctx, name, slog.New(slog.DiscardHandler), nil)
}

// OpenLogged is Open with the store's Logger. It logs when a schema is upgraded, and calls report, if that is not nil,
// before each step: a large database takes minutes.
func OpenLogged(ctx context.Context, name string, log *slog.Logger, report func(UpgradeStep)) (*Store, error) {
	return open(ctx, name, engine.UseAny, func(s *Store) error {
		s.Logger, s.upgrading = log, report
		if err := s.refuseUnfinished(ctx); err != nil {
			return err
		}
		return s.begin(ctx)
	})
}

// OpenHeld is Open for a command beside serve: it makes nothing, and refuses a database that holds no housecount or has an older
// schema, for an older serve may be running with that.
func OpenHeld(ctx context.Context, name string) (*Store, error) {
	if err := missing(name); err != nil {
		return nil, err
	}
	return open(ctx, name, engine.UseHeld, func(s *Store) error { return s.beginCurrent(ctx) })
}

// OpenCurrent is Open for what may come before the first serve: it refuses an older schema as OpenHeld does.
func OpenCurrent(ctx context.Context, name string) (*Store, error) {
	return open(ctx, name, engine.UseAny, func(s *Store) error { return s.beginCurrent(ctx) })
}

// beginCurrent is begin for a schema that is not older.
func (s *Store) beginCurrent(ctx context.Context) error {
	if err := s.database.RefuseOlder(ctx); err != nil {
		return err
	}
	if err := s.refuseUnfinished(ctx); err != nil {
		return err
	}
	return s.begin(ctx)
}

// missing returns an error if a database is a file that is not there: connecting would make it.
func missing(name string) error {
	if isPostgres(name) {
		return nil
	}
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("store: %s: %w", name, (&engine.SQLite{}).WithHint(err))
	}
	return nil
}

// open connects to a database and calls f, after which it is a Store, or closed again.
func open(ctx context.Context, name string, use engine.Use, f func(s *Store) error) (*Store, error) {
	if err := CheckName(name); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db, err := engineOf(name)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	name = db.Name()
	s := &Store{database: db, hints: newHints(), name: name, now: time.Now, acts: make(map[*sql.Tx][]Act), Logger: slog.New(slog.DiscardHandler)}
	s.sharedNow = s.databaseNow
	if s.writer, s.reader, err = db.Connect(ctx); err == nil {
		err = db.Claim(ctx, use)
	}
	if err == nil {
		err = f(s)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", name, db.WithHint(err)), s.Close())
	}
	return s, nil
}

// engineOf returns the database of a name, not connected.
func engineOf(name string) (engine.Engine, error) {
	if isPostgres(name) {
		return engine.NewPostgres(name)
	}
	return engine.NewSQLite(name)
}

// begin brings the schema up to date and makes what every database has.
func (s *Store) begin(ctx context.Context) error {
	if err := s.database.Migrate(ctx, engine.Progress{Log: s.Logger, Report: s.upgrading}); err != nil {
		return err
	}
	if err := s.database.Prepare(ctx, appendStatements); err != nil {
		return err
	}
	return s.ensureMeta(ctx)
}

func isPostgres(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// connectionString matches PostgreSQL's other form of an address.
var connectionString = regexp.MustCompile(`(?i)\b(host|hostaddr|user|password|dbname|sslmode|service)\s*=`)

// CheckName returns what is wrong with a name that Open would not accept, or would take for a file though it is an
// address. The error does not repeat the name, which may contain a password.
func CheckName(name string) error {
	switch {
	case isPostgres(name):
		return nil
	case strings.Contains(name, "://"):
		return errors.New("the database is neither a path nor a PostgreSQL address: give one like postgres://user@host/name")
	case connectionString.MatchString(name):
		return errors.New("the database is no path: write a PostgreSQL address as postgres://user:password@host/name")
	}
	return nil
}

// ensureMeta names a new log, and creates its secret key.
func (s *Store) ensureMeta(ctx context.Context) error {
	key := make([]byte, 32)
	rand.Read(key) // it never fails
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ('epoch', $1), ('attempt_key', $2) ON CONFLICT DO NOTHING`,
			rand.Text(), hex.EncodeToString(key))
		return err
	})
}

// Close releases the database. Nothing may be called after it; Run and Lead must have returned.
func (s *Store) Close() error {
	var errs []error
	// The writer is closed last, so that SQLite can fold the write-ahead log in.
	if s.reader != nil && s.reader != s.writer {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(append(errs, s.database.Close())...)
}

// ErrUnwritable is returned by Ping, and by what writes, if the database answers and cannot be written: its disk is full, for
// example.
var ErrUnwritable = errors.New("the database cannot be written")

// probeSize is how much Ping writes, in bytes. It is more than most transactions, so that a disk with room for some of them
// counts as full until there is room for all.
const probeSize = 1 << 17

// Ping returns an error if the database does not answer. After a transaction that could not be written it tries to write, too,
// until that succeeds.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.database.Check(); err != nil {
		return s.wrap("ping", err)
	}
	var one int
	if err := s.reader.QueryRowContext(ctx, `SELECT 1 FROM meta LIMIT 1`).Scan(&one); err != nil {
		return s.wrap("ping", err)
	}
	if !s.unwritten.Load() {
		return nil
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		// A row that only gets the values that it has would be written by no database.
		random := make([]byte, base64.RawStdEncoding.DecodedLen(probeSize)) // which no database makes smaller
		rand.Read(random)
		if _, err := s.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ('probe', $1)`, base64.RawStdEncoding.EncodeToString(random)); err != nil {
			return err
		}
		_, err := s.exec(ctx, tx, `DELETE FROM meta WHERE key = 'probe'`)
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, s.wrap("ping", err))
	}
	s.unwritten.Store(false)
	return nil
}

// Stats returns the connection pools by name.
func (s *Store) Stats() map[string]sql.DBStats {
	if s.reader == s.writer {
		return map[string]sql.DBStats{"both": s.reader.Stats()}
	}
	return map[string]sql.DBStats{"reader": s.reader.Stats(), "writer": s.writer.Stats()}
}

// wrap names the operation and the database in an error; nil stays nil.
func (s *Store) wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %s: %w", s.name, operation, s.database.WithHint(err))
}

// unwritable is an error that is ErrUnwritable, in the database's own words.
type unwritable struct{ error }

func (unwritable) Is(target error) bool { return target == ErrUnwritable }

func (e unwritable) Unwrap() error { return e.error }

// write runs f in a transaction that commits when f gives no error.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	err := s.transaction(ctx, f)
	if err != nil && s.database.Unwritable(err) {
		s.unwritten.Store(true)
		return unwritable{err}
	}
	return err
}

func (s *Store) transaction(ctx context.Context, f func(*sql.Tx) error) error {
	if err := s.database.Check(); err != nil {
		return err
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	defer s.takeActs(tx)
	if err := f(tx); err != nil {
		return err
	}
	if err := s.chainActs(ctx, tx, s.takeActs(tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// change runs f in a transaction as write does, and hints the subject to this process and
// others.
func (s *Store) change(ctx context.Context, subject Subject, f func(*sql.Tx) error) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return s.database.Changed(ctx, tx, string(subject))
	})
	if err == nil {
		s.hints.hint(subject)
	}
	return err
}

// runner is *sql.DB and *sql.Tx.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) exec(ctx context.Context, on runner, statement string, args ...any) (changed int, err error) {
	var result sql.Result
	if prepared := s.prepared(ctx, on, statement); prepared != nil {
		result, err = prepared.ExecContext(ctx, args...)
	} else {
		result, err = on.ExecContext(ctx, s.database.SQL(statement), args...)
	}
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

func (s *Store) row(ctx context.Context, on runner, statement string, args ...any) *sql.Row {
	if prepared := s.prepared(ctx, on, statement); prepared != nil {
		return prepared.QueryRowContext(ctx, args...)
	}
	return on.QueryRowContext(ctx, s.database.SQL(statement), args...)
}

// prepared returns a statement of a transaction, nil if it was not prepared.
func (s *Store) prepared(ctx context.Context, on runner, statement string) *sql.Stmt {
	tx, ok := on.(*sql.Tx)
	if !ok {
		return nil
	}
	if prepared := s.database.Prepared(statement); prepared != nil {
		return tx.StmtContext(ctx, prepared)
	}
	return nil
}

// scanner is Scan of sql.Rows and of sql.Row.
type scanner func(into ...any) error

// each calls f for each row that a statement returns, with its Scan, until f returns an error.
func (s *Store) each(ctx context.Context, on runner, f func(scanner) error, statement string, args ...any) error {
	rows, err := s.rows(ctx, on, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// into returns a function for each that appends to all what read makes of a row.
func into[T any](all *[]T, read func(scanner) (T, error)) func(scanner) error {
	return func(scan scanner) error {
		one, err := read(scan)
		if err == nil {
			*all = append(*all, one)
		}
		return err
	}
}

// scanText reads a row of one text.
func scanText(scan scanner) (text string, err error) {
	err = scan(&text)
	return text, err
}

func (s *Store) rows(ctx context.Context, on runner, statement string, args ...any) (*sql.Rows, error) {
	return on.QueryContext(ctx, s.database.SQL(statement), args...)
}

// databaseNow returns the time of the database server, and where there is none that of the machine.
func (s *Store) databaseNow(ctx context.Context, on runner) (time.Time, error) {
	clock := s.database.Clock()
	if clock == "" {
		return s.now(), nil
	}
	var now int64
	err := s.row(ctx, on, `SELECT `+clock).Scan(&now)
	return time.UnixMilli(now), err
}

// Watch returns a channel that receives after one of the subjects may have changed: at once when
// this process changes it, and while Run runs also when another does. stop ends it; the
// channel is never closed.
func (s *Store) Watch(subjects ...Subject) (hints <-chan struct{}, stop func()) {
	return s.hints.watch(subjects)
}

// Run watches for what other processes change, until ctx ends; then it returns nil. With
// SQLite it notices within a second; with PostgreSQL at once, and where its notifications are
// lost within two seconds, or four for sessions and screens. While the database cannot be reached it tries again, and hints
// everything once it can.
func (s *Store) Run(ctx context.Context) error {
	if err := s.database.Watch(ctx, engineHints{s.hints}, s.Logger); err != nil && ctx.Err() == nil {
		return s.wrap("watch", err)
	}
	return nil
}
