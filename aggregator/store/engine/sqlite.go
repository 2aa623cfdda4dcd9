package engine

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

	"housecount/aggregator/store/tables"
)

// applicationID marks a SQLite file as ours, so that the file of another program is left alone.
const applicationID = 0x48436e74 // HCnt

// SQLite is a SQLite file; its methods are described at Engine.
type SQLite struct {
	path   string
	writer *sql.DB // one connection; its transactions begin IMMEDIATE
	reader *sql.DB // query only
	// file is the file that was at the path when it was opened.
	file os.FileInfo
	// statements are the prepared statements of the writer: those of every append, by text.
	statements map[string]*sql.Stmt
	// insertVersions has a prepared statement for each of rowsAtOnce.
	insertVersions map[int]*sql.Stmt
}

// NewSQLite returns the database in a file. It does not open it.
func NewSQLite(path string) (*SQLite, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // so that two names of one file have the same lock
	}
	return &SQLite{path: path}, nil
}

// Name returns the absolute path of the file, without symbolic links.
func (d *SQLite) Name() string { return d.path }

func (d *SQLite) Connect(context.Context) (writer, reader *sql.DB, err error) {
	if err := d.touch(); err != nil {
		return nil, nil, err
	}
	// Deleted data are overwritten, so that nothing deleted stays in a free page. The cache holds the heads of
	// half a million records, which change at random places. What a statement may have to undo stays in memory
	// too. The write-ahead log is folded in at every 16 MB.
	if d.writer, err = d.pool(1, "_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)", "_pragma=foreign_keys(1)", "_pragma=secure_delete(1)",
		"_pragma=cache_size(-32768)", "_pragma=temp_store(MEMORY)", "_pragma=wal_autocheckpoint(4000)"); err != nil {
		return nil, nil, err
	}
	if d.reader, err = d.pool(4, "_pragma=query_only(1)"); err != nil {
		return d.writer, nil, err
	}
	return d.writer, d.reader, nil
}

// touch creates the file, readable by its owner only, if there is none, and checks that it can be used. It does
// not open an existing file, because closing it would drop SQLite's locks on it.
func (d *SQLite) touch() error {
	file, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		err = file.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return err
	}
	if d.file, err = os.Stat(d.path); err != nil {
		return err
	}
	if d.file.IsDir() {
		return syscall.EISDIR
	}
	return syscall.Access(d.path, 6) // read and write
}

// pool opens up to n connections.
func (d *SQLite) pool(n int, parameters ...string) (*sql.DB, error) {
	parameters = append(parameters, "_pragma=busy_timeout(5000)")
	name := (&url.URL{Scheme: "file", Path: d.path}).String() + "?" + strings.Join(parameters, "&")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// Claim is as in Engine.
func (d *SQLite) Claim(ctx context.Context, use Use) error {
	var tables, id int
	err := d.reader.QueryRowContext(ctx,
		`SELECT (SELECT count(*) FROM sqlite_master), application_id FROM pragma_application_id`).Scan(&tables, &id)
	switch {
	case err != nil:
		return err
	case use == UseHeld && (id != applicationID || tables == 0):
		return errNoHouse
	case id == applicationID:
		return nil
	case tables > 0 || id != 0:
		return errors.New("is the database of another program: name another file")
	}
	_, err = d.writer.ExecContext(ctx, `PRAGMA application_id = `+strconv.Itoa(applicationID))
	return err
}

// Prepare prepares the statements of every append, so that they are parsed only once.
func (d *SQLite) Prepare(ctx context.Context, statements []string) (err error) {
	d.statements, d.insertVersions = map[string]*sql.Stmt{}, map[int]*sql.Stmt{}
	for _, text := range append([]string{selectTerm, differentHeads, newHeads, copyHeads, setHead}, statements...) {
		if d.statements[text], err = d.writer.PrepareContext(ctx, d.SQL(text)); err != nil {
			return err
		}
	}
	for _, n := range rowsAtOnce {
		if d.insertVersions[n], err = d.writer.PrepareContext(ctx, insertVersions(n)); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if the file is no longer at its path. Whatever is written to a file that was moved away
// is lost to the next one who opens the path.
func (d *SQLite) Check() error {
	now, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) { // said here, because the hint would be about its directory
		return errors.New("was deleted or moved away while in use: stop; put it back, or restore a backup (housecount restore); start")
	}
	if err != nil {
		return err
	}
	if !os.SameFile(now, d.file) {
		return errors.New("was replaced by another file while in use: stop and start, to use the one that is there")
	}
	return nil
}

func (d *SQLite) Clock() string { return "" }

func (d *SQLite) SQL(statement string) string { return strings.ReplaceAll(statement, "$", "?") }

func (d *SQLite) Prepared(statement string) *sql.Stmt { return d.statements[statement] }

func (d *SQLite) Locked(ctx context.Context, tx *sql.Tx, service int64) (term int64, tenure string, err error) {
	err = tx.StmtContext(ctx, d.statements[selectTerm]).QueryRowContext(ctx, service).Scan(&term, &tenure)
	return term, tenure, err
}

func (d *SQLite) Heads(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, f func(i int, h Head)) error {
	var different sql.NullString
	if err := tx.StmtContext(ctx, d.statements[differentHeads]).QueryRowContext(ctx, hashesByID(versions), service, versions[0].Kind).Scan(&different); err != nil {
		return err
	}
	return parseHeads(different.String, f)
}

func (d *SQLite) Insert(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, heads []*Head) error {
	simple, fresh := len(heads) == len(versions), true // each version becomes the head of its record; each record is new
	args := make([]any, 0, 5+5*rowsAtOnce[0])
	for rest := versions; len(rest) > 0; {
		piece := rest[:alike(rest)]
		rest = rest[len(piece):]
		first := piece[0]
		args = append(args[:0], first.Revision, service, first.Kind, first.Head, number64(first.Seen))
		for _, v := range piece {
			args = append(args, number64(v.Previous), number64(v.Updated), v.Hash, v.ID, v.Body)
			simple, fresh = simple && v.Head && !v.Deleted, fresh && v.Previous == 0
		}
		if _, err := tx.StmtContext(ctx, d.insertVersions[len(piece)]).ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	if simple {
		statement := copyHeads
		if fresh {
			statement = newHeads
		}
		_, err := tx.StmtContext(ctx, d.statements[statement]).ExecContext(ctx, versions[0].Revision)
		return err
	}
	set := tx.StmtContext(ctx, d.statements[setHead])
	for _, h := range heads {
		if _, err := set.ExecContext(ctx, service, h.Kind, h.ID, h.Revision, h.Latest, h.Hash, h.Updated, h.Deleted); err != nil {
			return err
		}
	}
	return nil
}

func (d *SQLite) Among(column string, hashes [][]byte) (expression string, argument any) {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = hex.EncodeToString(h)
	}
	text, _ := json.Marshal(list) // of strings
	return column + ` IN (SELECT unhex(value) FROM json_each($1))`, string(text)
}

func (d *SQLite) Tables() tables.Dialect { return tables.SQLite(d.writer) }

func (d *SQLite) Elements() string { return `json_each($1)` }

// WaitForTerms does nothing: writers take turns.
func (d *SQLite) WaitForTerms(context.Context, *sql.Tx) error { return nil }

func (d *SQLite) EndTerms() string { return `UPDATE lease SET term = term + 1` }

// Erasing folds the write-ahead log in, unless somebody is reading an earlier state; then SQLite does it at the
// next chance.
func (d *SQLite) Erasing(ctx context.Context, f func() error) error {
	if err := f(); err != nil {
		return err
	}
	_, err := d.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}

// Changed does nothing: other processes find out by watch.
func (d *SQLite) Changed(context.Context, *sql.Tx, string) error { return nil }

// Watch checks once a second whether another process changed the file.
func (d *SQLite) Watch(ctx context.Context, h Hints, log *slog.Logger) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	known, fault := int64(-1), "" // the last failure's text, so that it is logged once
	for {
		var now int64
		err := d.writer.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now)
		before := fault
		if fault = ""; err != nil {
			fault = err.Error()
		}
		switch {
		case err != nil && ctx.Err() == nil:
			if fault != before {
				log.Error("the database cannot be watched", "database", d.path, "error", d.WithHint(err))
			}
		case now != known:
			known = now // at first too, because something may have changed before
			h.HintAll()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (d *SQLite) Close() error { return nil }

func (d *SQLite) Unwritable(err error) bool {
	e, isSQLite := errors.AsType[*sqlite.Error](err)
	if !isSQLite {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR:
		return true
	}
	return false
}

// WithHint adds to an error what to do about it, where that is known.
func (d *SQLite) WithHint(err error) error {
	e, isSQLite := errors.AsType[*sqlite.Error](err)
	mend := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		mend = "the directory does not exist: make it, or name another"
	case errors.Is(err, fs.ErrPermission) || isSQLite && e.Code()&0xff == sqlite3.SQLITE_READONLY:
		mend = "may not be written: give this user the right to read and write the file and its directory"
	case errors.Is(err, syscall.EROFS):
		mend = "is on a file system that is mounted read only: mount it for writing, or name another file"
	case errors.Is(err, syscall.EISDIR):
		mend = "is a directory: name a file in it"
	case isSQLite && e.Code() == sqlite3.SQLITE_NOTADB:
		mend = "is not a database, or damaged: if it was one, restore a backup (housecount restore) into another file; or name another"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_CORRUPT:
		mend = "is damaged: restore a backup (housecount restore) into another file; without one move the file away, and housecount reads everything anew"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_FULL:
		mend = "has no room to grow: make room on its disk"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_IOERR:
		mend = "or a file beside it (-wal, -shm) cannot be read or written: is its disk full, or does it fail?"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_BUSY:
		mend = "is locked by another program for more than five seconds: end that one's transaction"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", mend, err)
}

// Migrate holds the poller's lock while it changes the schema, because an older housecount holds that lock as long
// as it runs.
func (d *SQLite) Migrate(ctx context.Context, to Progress) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	current, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	return upgrade(ctx, p, current, to, func(f func() error) error {
		for tries := 0; ; tries++ {
			lock, err := d.lock(1)
			switch {
			case err == nil && lock != nil:
				return errors.Join(f(), lock.Close())
			case err != nil:
				return err
			}
			// The process that has the lock may be upgrading the schema, and poll afterwards.
			if now, err := d.Schema(ctx); err == nil && now == newest(p) {
				return nil
			}
			if tries == 50 { // ten seconds
				return errors.New("is in use by another housecount, and has to be brought up to date: stop that one first")
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second / 5):
			}
		}
	})
}

// MigrateTo is as in Engine.
func (d *SQLite) MigrateTo(ctx context.Context, schema int64) error { return migrateTo(ctx, d, schema) }

// RefuseNewer is as in Engine.
func (d *SQLite) RefuseNewer(ctx context.Context) error { return refuseNewerOf(ctx, d) }

// RefuseOlder is as in Engine.
func (d *SQLite) RefuseOlder(ctx context.Context) error { return refuseOlderOf(ctx, d) }

func (d *SQLite) provider() (*goose.Provider, error) {
	return provider(goose.DialectSQLite3, d.writer, "sqlite",
		goose.WithGoMigrations(goose.NewGoMigration(6, &goose.GoFunc{RunTx: fillHeads}, nil)))
}

func (d *SQLite) Schema(ctx context.Context) (version int64, err error) {
	var tables int
	if err := d.reader.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`).Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	err = d.reader.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&version)
	return version, err
}

// lock takes a service's lock file; nil if another process has it. The file is not removed when it is closed,
// because a third process could then lock another file of the same name.
func (d *SQLite) lock(service int64) (*os.File, error) {
	path := d.path + ".lock"
	if service != 1 {
		path = fmt.Sprintf("%s.%d.lock", d.path, service)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return file, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, file.Close()
	}
	return nil, errors.Join(fmt.Errorf("cannot be locked (%w): put the database on a local disk", err), file.Close())
}
