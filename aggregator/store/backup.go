package store

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A backup is one file for both kinds of database. It is a ZIP archive, which any program can open: a text of JSON
// lines for each table, a row a line, and at its end manifest.json, with the checksum of each. The archive's comment,
// which is the end of the file, is the SHA-256 of the whole file with zeros in the comment's place.

// backupFormat is the number of the format that this program writes, the highest that it reads.
const backupFormat = 1

const (
	manifestName = "manifest.json"
	// sumSize is the length of the comment.
	sumSize = 2 * sha256.Size
)

// noSum is the comment while the file is written.
var noSum = strings.Repeat("0", sumSize)

// Manifest is what a backup contains.
type Manifest struct {
	Format int `json:"format"`
	// Program is the version of the program that made it, and Made when.
	Program string    `json:"program"`
	Made    time.Time `json:"made"`
	// Database is the kind of database that it was made of: SQLite or PostgreSQL.
	Database string `json:"database"`
	// Schema is the version of the schema, by SQLite's count.
	Schema int64 `json:"schema"`
	// LeftOut are the keys of the table meta that are not in it: secret ones.
	LeftOut []string         `json:"left_out"`
	Tables  []BackedUpTable  `json:"tables"`
	Logs    []BackedUpRecord `json:"logs"`
}

// BackedUpTable is one table of a backup.
type BackedUpTable struct {
	Name string `json:"name"`
	// Columns are the names of the values of a row, in their order.
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	// SHA256 is of the JSON lines, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// BackedUpRecord is the log of one service.
type BackedUpRecord struct {
	Service  string `json:"service"`
	Revision int64  `json:"revision"`
}

// Rows returns how many rows all tables have.
func (m *Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// VersionCount returns how many versions all logs have.
func (m *Manifest) VersionCount() int64 {
	if t := m.table("version"); t != nil {
		return t.Rows
	}
	return 0
}

// HasKeys reports whether the database's secret key is in the backup.
func (m *Manifest) HasKeys() bool { return !slices.Contains(m.LeftOut, ownKey) }

func (m *Manifest) table(name string) *BackedUpTable {
	i := slices.IndexFunc(m.Tables, func(t BackedUpTable) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Tables[i]
}

// BackupOptions is how a backup is made.
type BackupOptions struct {
	// Program is the version of the program.
	Program string
	// Keys is true if the database's secret key is to be in it. Whoever has both opens what is sealed.
	Keys bool
	// Progress, if set, is called now and then with how many of all rows are written.
	Progress func(rows, all int64)
}

// OpenForBackup opens a database for nothing but Backup. It changes nothing in it: an older schema stays as it is.
func OpenForBackup(ctx context.Context, name string) (*Store, error) {
	if !isPostgres(name) {
		if _, err := os.Stat(name); err != nil { // connecting makes the file
			return nil, fmt.Errorf("store: %s: %w", name, (&sqliteDB{}).withHint(err))
		}
	}
	return open(ctx, name, func(s *Store) error {
		if err := s.refuseNewer(ctx); err != nil {
			return err
		}
		return s.refuseUnfinished(ctx)
	})
}

// Backup writes all that the database has at one moment to a new file that only its owner may read, and returns
// what that contains. It may be called while the database is in use. The file has its name once it is whole and on
// the disk; if Backup fails, there is no file.
func (s *Store) Backup(ctx context.Context, path string, o BackupOptions) (*Manifest, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is there already: name another file, or move it away", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+PartSuffix)
	if err != nil {
		return nil, err
	}
	m, err := s.backupTo(ctx, file, o)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(s.failed("back up to "+path, err), os.Remove(file.Name()))
	}
	return m, syncDirectory(filepath.Dir(path))
}

// PartSuffix ends the name of a file that is being written: that of the backup, a dot and a number before it.
const PartSuffix = ".part"

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// backupTo writes the archive and its checksum.
func (s *Store) backupTo(ctx context.Context, file *os.File, o BackupOptions) (*Manifest, error) {
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<16)
	w := zip.NewWriter(out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	if err := w.SetComment(noSum); err != nil {
		return nil, err
	}
	m, err := s.archive(ctx, w, o)
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	if _, err := file.Seek(-sumSize, io.SeekEnd); err != nil {
		return nil, err
	}
	_, err = io.WriteString(file, hex.EncodeToString(sum.Sum(nil)))
	return m, err
}

// archive writes all tables, as they are at one moment, and the manifest.
func (s *Store) archive(ctx context.Context, w *zip.Writer, o BackupOptions) (*Manifest, error) {
	schema, err := s.database.schema(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := s.readOnly(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	m := &Manifest{Format: backupFormat, Program: o.Program, Made: s.now().UTC().Truncate(time.Second), Database: s.Kind(), Schema: portableSchema(schema), Tables: []BackedUpTable{}}
	if m.LeftOut, err = s.leftOut(ctx, tx, o.Keys); err != nil {
		return nil, err
	}
	if m.Logs, err = logsOf(ctx, tx); err != nil {
		return nil, err
	}
	tables, err := s.tables(ctx, tx)
	if err != nil {
		return nil, err
	}
	all := int64(0)
	for _, t := range tables {
		n, err := t.count(ctx, tx, m.LeftOut)
		if err != nil {
			return nil, err
		}
		all += n
	}
	d := dump{store: s, tx: tx, leftOut: m.LeftOut, progress: func(rows int64) {
		if o.Progress != nil {
			o.Progress(rows, all)
		}
	}}
	for _, t := range tables {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: entryName(t.name), Method: zip.Deflate, Modified: m.Made})
		if err != nil {
			return nil, err
		}
		written, err := d.table(ctx, t, entry)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		m.Tables = append(m.Tables, written)
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return nil, err
	}
	entry, err := w.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: m.Made})
	if err == nil {
		_, err = entry.Write(append(text, '\n'))
	}
	return m, err
}

func entryName(table string) string { return "tables/" + table + ".jsonl" }

// Kind returns the kind of database, as the manual names it.
func (s *Store) Kind() string {
	if s.reader == s.writer {
		return "PostgreSQL"
	}
	return "SQLite"
}

// ownKey is the key of the database's own secret in the table meta.
const ownKey = "attempt_key"

// leftOut returns the keys of the table meta that a backup does not have. Where the database sealed with its own
// secret, and that is left out, nobody is to look for it: what it was last sealed with is left out, too.
func (s *Store) leftOut(ctx context.Context, on runner, keys bool) ([]string, error) {
	left := []string{restoreKey}
	if keys {
		return left, nil
	}
	left = append(left, ownKey)
	var own, last string
	err := s.row(ctx, on, `SELECT coalesce((SELECT value FROM meta WHERE key = 'attempt_key'), ''), coalesce((SELECT value FROM meta WHERE key = 'seal_key'), '')`).Scan(&own, &last)
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(own)
	if err != nil || own == "" {
		return left, err
	}
	k, err := newSealKey(secret)
	if k.id == last {
		left = append(left, "seal_key")
	}
	return left, err
}

// logsOf returns the logs of all services.
func logsOf(ctx context.Context, on runner) (logs []BackedUpRecord, err error) {
	rows, err := on.QueryContext(ctx, `SELECT name, revision FROM service ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l BackedUpRecord
		if err := rows.Scan(&l.Service, &l.Revision); err != nil {
			return nil, err
		}
		logs = append(logs, l)
	}
	return logs, rows.Err()
}

// dump writes tables as JSON lines.
type dump struct {
	store   *Store
	tx      *sql.Tx
	leftOut []string
	// progress is called every progressRows rows with how many there were of all tables.
	progress func(rows int64)
	rows     int64
}

// progressRows is after how many rows progress is told.
const progressRows = 5000

// table writes a table and returns what was written. No row but one is in memory at a time.
func (d *dump) table(ctx context.Context, t table, w io.Writer) (BackedUpTable, error) {
	written := BackedUpTable{Name: t.name, Columns: t.columnNames()}
	rows, err := d.tx.QueryContext(ctx, t.read(d.store.database.portable, d.leftOut))
	if err != nil {
		return written, err
	}
	defer rows.Close()
	sum := sha256.New()
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	lines := lineWriter{to: w, sum: sum}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return written, err
		}
		if err := lines.row(t.columns, values); err != nil {
			return written, err
		}
		written.Rows++
		if d.rows++; d.rows%progressRows == 0 {
			d.progress(d.rows)
		}
	}
	if err := errors.Join(rows.Err(), lines.flush()); err != nil {
		return written, err
	}
	written.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return written, nil
}

// lineWriter writes rows, many at once.
type lineWriter struct {
	to  io.Writer
	sum io.Writer
	b   bodyWriter
}

// row writes a row: an array of its values. A blob is an object with its bytes in base64.
func (l *lineWriter) row(columns []column, values []any) error {
	l.b.b = append(l.b.b, '[')
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			l.b.b = append(l.b.b, "null,"...)
		case int64:
			l.b.b = append(strconv.AppendInt(l.b.b, v, 10), ',')
		case string:
			l.b.portableText(v)
		case []byte:
			l.b.bytes("x", v)
		default:
			return fmt.Errorf("a value of the column %s is of the type %T", columns[i].name, v)
		}
	}
	l.b.b = append(l.b.close(']'), '\n')
	if len(l.b.b) < 1<<16 {
		return nil
	}
	return l.flush()
}

func (l *lineWriter) flush() error {
	l.sum.Write(l.b.b)
	_, err := l.to.Write(l.b.b)
	l.b.b = l.b.b[:0]
	return err
}
