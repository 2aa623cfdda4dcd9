package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
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

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks a SQLite file as ours, so that another program's is left alone.
const applicationID = 0x48436e74 // HCnt

// sqliteDB is a SQLite file.
type sqliteDB struct {
	path   string
	writer *sql.DB // one connection; its transactions begin IMMEDIATE
	reader *sql.DB // query only
	// file is what was at the path when it was opened.
	file os.FileInfo
	// versions and heads insert as many rows as their key says.
	insertVersions, insertHeads map[int]*sql.Stmt
}

// rowsAtOnce are the numbers of rows for which there are prepared statements, descending.
var rowsAtOnce = []int{64, 8, 1}

func newSQLite(path string) (*sqliteDB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // two names of one file have one lock
	}
	return &sqliteDB{path: path}, nil
}

func (d *sqliteDB) open(ctx context.Context) (writer, reader *sql.DB, err error) {
	if err := d.touch(); err != nil {
		return nil, nil, err
	}
	if d.writer, err = d.pool(1, "_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)", "_pragma=foreign_keys(1)"); err != nil {
		return nil, nil, err
	}
	if d.reader, err = d.pool(4, "_pragma=query_only(1)"); err != nil {
		return d.writer, nil, err
	}
	if err := d.claim(ctx); err != nil {
		return d.writer, d.reader, err
	}
	if err := d.migrate(ctx); err != nil {
		return d.writer, d.reader, err
	}
	return d.writer, d.reader, d.prepare(ctx)
}

// touch makes the file, for its owner only, if there is none, and sees that it may be used.
// It does not open one that is there: to close it would drop SQLite's locks on it.
func (d *sqliteDB) touch() error {
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
func (d *sqliteDB) pool(n int, parameters ...string) (*sql.DB, error) {
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

// claim refuses a file that is not ours, without a change to it, and marks a new one.
func (d *sqliteDB) claim(ctx context.Context) error {
	var tables, id int
	err := d.reader.QueryRowContext(ctx,
		`SELECT (SELECT count(*) FROM sqlite_master), application_id FROM pragma_application_id`).Scan(&tables, &id)
	switch {
	case err != nil || id == applicationID:
		return err
	case tables > 0 || id != 0:
		return errors.New("is the database of another program: name another file")
	}
	_, err = d.writer.ExecContext(ctx, `PRAGMA application_id = `+strconv.Itoa(applicationID))
	return err
}

func (d *sqliteDB) prepare(ctx context.Context) error {
	d.insertVersions, d.insertHeads = map[int]*sql.Stmt{}, map[int]*sql.Stmt{}
	for _, n := range rowsAtOnce {
		var err error
		if d.insertVersions[n], err = d.writer.PrepareContext(ctx,
			`INSERT INTO version (revision, previous, service, kind, head, updated, seen, hash, id, body) VALUES `+
				values(n, 10)); err != nil {
			return err
		}
		if d.insertHeads[n], err = d.writer.PrepareContext(ctx,
			`INSERT INTO head (service, kind, id, revision, latest, hash, updated, deleted) VALUES `+values(n, 8)+`
			ON CONFLICT (service, kind, id) DO UPDATE SET revision = excluded.revision, latest = excluded.latest,
				hash = excluded.hash, updated = excluded.updated, deleted = excluded.deleted`); err != nil {
			return err
		}
	}
	return nil
}

// values are n rows of parameters.
func values(n, columns int) string {
	row := "(" + strings.Repeat("?,", columns-1) + "?)"
	return strings.Repeat(row+",", n-1) + row
}

// check sees that the file is still at its path: what is written to one that was moved away
// is lost to whoever opens the path next.
func (d *sqliteDB) check() error {
	now, err := os.Stat(d.path)
	if err != nil {
		return fmt.Errorf("was moved away while in use: put it back, or stop and start: %w", err)
	}
	if !os.SameFile(now, d.file) {
		return errors.New("was replaced by another file while in use: stop and start, to use the one that is there")
	}
	return nil
}

func (d *sqliteDB) sql(statement string) string { return strings.ReplaceAll(statement, "$", "?") }

func (d *sqliteDB) locked(ctx context.Context, tx *sql.Tx, service int64) (term int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT term FROM lease WHERE service = ?`, service).Scan(&term)
	return term, err
}

func (d *sqliteDB) heads(ctx context.Context, tx *sql.Tx, service int64, kind int, versions []*version, f func(id string, h head)) error {
	list, err := hashesAndIDs(versions)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT substr(j.value, 21), coalesce(h.revision, 0), coalesce(h.latest, 0),
			coalesce(h.hash, 0), coalesce(h.updated, 0), coalesce(h.deleted, 0)
		FROM json_each(?) j LEFT JOIN head h ON h.service = ? AND h.kind = ? AND h.id = substr(j.value, 21)
		WHERE h.hash IS NOT CAST(substr(j.value, 1, 20) AS INTEGER)`, list, service, kind)
	if err != nil {
		return err
	}
	return scanHeads(rows, f)
}

// hashesAndIDs is a JSON array of hashes, in twenty characters, with ids after them.
func hashesAndIDs(versions []*version) (string, error) {
	text := []byte{'['}
	for _, v := range versions {
		text = fmt.Appendf(text, `"%020d`, v.hash)
		id, err := json.Marshal(v.id)
		if err != nil {
			return "", err
		}
		text = append(append(text, id[1:]...), ',')
	}
	text[max(0, len(text)-1)] = ']'
	return string(text), nil
}

// scanHeads reads and closes rows of id, revision, latest, hash, updated and deleted.
func scanHeads(rows *sql.Rows, f func(id string, h head)) error {
	defer rows.Close()
	for rows.Next() {
		var id string
		var h head
		if err := rows.Scan(&id, &h.revision, &h.latest, &h.hash, &h.updated, &h.deleted); err != nil {
			return err
		}
		f(id, h)
	}
	return rows.Err()
}

func (d *sqliteDB) insert(ctx context.Context, tx *sql.Tx, service int64, versions []*version, heads []*head) error {
	args := make([]any, 0, rowsAtOnce[0]*10)
	if err := inPieces(len(versions), func(from, n int) error {
		args = args[:0]
		for _, v := range versions[from : from+n] {
			args = append(args, v.revision, number64(v.previous), service, v.kind, v.head, number64(v.updated), number64(v.seen), v.hash, v.id, string(v.body))
		}
		_, err := tx.StmtContext(ctx, d.insertVersions[n]).ExecContext(ctx, args...)
		return err
	}); err != nil {
		return err
	}
	return inPieces(len(heads), func(from, n int) error {
		args = args[:0]
		for _, h := range heads[from : from+n] {
			args = append(args, service, h.kind, h.id, h.revision, h.latest, h.hash, number64(h.updated), h.deleted)
		}
		_, err := tx.StmtContext(ctx, d.insertHeads[n]).ExecContext(ctx, args...)
		return err
	})
}

// inPieces calls f with pieces of the rows 0 to n for which there are prepared statements.
func inPieces(n int, f func(from, n int) error) error {
	for from := 0; from < n; {
		for _, piece := range rowsAtOnce {
			if piece <= n-from {
				if err := f(from, piece); err != nil {
					return err
				}
				from += piece
				break
			}
		}
	}
	return nil
}

// number64 is NULL for 0.
func number64(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func (d *sqliteDB) among(column string, hashes [][]byte) (expression string, argument any) {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = hex.EncodeToString(h)
	}
	text, _ := json.Marshal(list) // of strings
	return column + ` IN (SELECT unhex(value) FROM json_each($1))`, string(text)
}

func (d *sqliteDB) endTerms() string { return `UPDATE lease SET term = term + 1` }

// changed does nothing: others find out by themselves.
func (d *sqliteDB) changed(context.Context, *sql.Tx, Subject) error { return nil }

// watch asks once a second whether another connection than the writer's changed the file,
// which is one of another process.
func (d *sqliteDB) watch(ctx context.Context, s *Store) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	known := int64(-1)
	for {
		var now int64
		switch err := d.writer.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now); {
		case err != nil && ctx.Err() == nil:
			s.Logger.Error("the database cannot be watched", "database", s.name, "error", d.mended(err))
		case now != known:
			known = now // at first too: something may have changed before
			s.hints.hint(subjects...)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (d *sqliteDB) close() error { return nil }

// mended adds to an error what to do about it, where that is known.
func (d *sqliteDB) mended(err error) error {
	e, isSQLite := errors.AsType[*sqlite.Error](err)
	mend := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		mend = "the directory does not exist: make it, or name another"
	case errors.Is(err, fs.ErrPermission) || isSQLite && e.Code()&0xff == sqlite3.SQLITE_READONLY:
		mend = "may not be written: give this user the right to read and write the file and its directory"
	case errors.Is(err, syscall.EISDIR):
		mend = "is a directory: name a file in it"
	case isSQLite && e.Code() == sqlite3.SQLITE_NOTADB:
		mend = "is not a database: move the file away, or name another"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_CORRUPT:
		mend = "is damaged: move the file away, and housecount reads everything anew"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_FULL:
		mend = "has no room to grow: make room on its disk"
	case isSQLite && e.Code()&0xff == sqlite3.SQLITE_BUSY:
		mend = "is locked by another program for more than five seconds: end that one's transaction"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", mend, err)
}
