// Package backup writes a database to a file, once or every so often, verifies such a file, and restores it into a database of
// either kind.
//
// A backup is one file for both kinds of database. It is a ZIP archive, which any program can open: a text of JSON
// lines for each table, a row a line, and at its end manifest.json, with the checksum of each. The archive's comment,
// which is the end of the file, is the SHA-256 of the whole file with zeros in the comment's place.
package backup

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/aggregator/store/tables"
)

// sumSize is the length of the comment.
const sumSize = 2 * sha256.Size

// noSum is the comment while the file is written.
var noSum = strings.Repeat("0", sumSize)

// Options is how a backup is made.
type Options struct {
	// Program is the version of the program.
	Program string
	// Keys is true if the database's secret key is to be in it. Whoever has both opens what is sealed.
	Keys bool
	// Progress, if set, is called now and then with how many of all rows are written.
	Progress func(rows, all int64)
}

// Write writes all that a database has at one moment to a new file that only its owner may read, and returns
// what that contains. It may be called while the database is in use. The file has its name once it is whole and on
// the disk; if Write fails, there is no file.
func Write(ctx context.Context, s *store.Store, path string, o Options) (*Manifest, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is there already: name another file, or move it away", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+partSuffix)
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	m, err := writeTo(ctx, s, file, o)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(s.Failed("back up to "+path, err), os.Remove(file.Name()))
	}
	return m, syncDirectory(filepath.Dir(path))
}

// cannotWrite returns the error about a backup whose file cannot be made, with what to do.
func cannotWrite(path string, err error) error {
	mend := "name another file"
	cause, ok := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		mend = "make the directory, or name another"
	case errors.Is(err, fs.ErrPermission):
		mend = "let this user write in the directory, or name another"
	}
	if ok {
		err = cause.Err
	}
	return fmt.Errorf("%s cannot be written: %w: %s", path, err, mend)
}

// partSuffix ends the name of a file that is being written: that of the backup, a dot and a number before it.
const partSuffix = ".part"

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeTo writes the archive and its checksum.
func writeTo(ctx context.Context, s *store.Store, file *os.File, o Options) (*Manifest, error) {
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<16)
	w := zip.NewWriter(out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	if err := w.SetComment(noSum); err != nil {
		return nil, err
	}
	m, err := archive(ctx, s, w, o)
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
func archive(ctx context.Context, s *store.Store, w *zip.Writer, o Options) (*Manifest, error) {
	reading, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	m := &Manifest{Format: format, Program: o.Program, Made: reading.Made.UTC().Truncate(time.Second), Database: s.Kind(), Schema: reading.Schema, Tables: []Table{}}
	if m.LeftOut, err = reading.Secrets(ctx, o.Keys); err != nil {
		return nil, err
	}
	reading.LeftOut = m.LeftOut
	if m.Logs, err = reading.Logs(ctx); err != nil {
		return nil, err
	}
	all, err := reading.Tables(ctx)
	if err != nil {
		return nil, err
	}
	rows := int64(0)
	for _, t := range all {
		n, err := t.Count(ctx, reading.Tx, m.LeftOut)
		if err != nil {
			return nil, err
		}
		rows += n
	}
	d := dump{from: reading, progress: func(done int64) {
		if o.Progress != nil {
			o.Progress(done, rows)
		}
	}}
	for _, t := range all {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: entryName(t.Name), Method: zip.Deflate, Modified: m.Made})
		if err != nil {
			return nil, err
		}
		written, err := d.table(ctx, &t, entry)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
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

// dump writes tables as JSON lines.
type dump struct {
	from *store.Snapshot
	// progress is called every ProgressRows rows with how many there were of all tables.
	progress func(rows int64)
	rows     int64
}

// ProgressRows is after how many rows Write and Restore report their progress.
const ProgressRows = 5000

// table writes a table and returns what was written. No row but one is in memory at a time.
func (d *dump) table(ctx context.Context, t *tables.Table, w io.Writer) (Table, error) {
	written := Table{Name: t.Name, Columns: t.ColumnNames()}
	sum := sha256.New()
	lines := lineWriter{to: w, sum: sum}
	err := d.from.Read(ctx, t, func(values []any) error {
		if err := lines.row(written.Columns, values); err != nil {
			return err
		}
		written.Rows++
		if d.rows++; d.rows%ProgressRows == 0 {
			d.progress(d.rows)
		}
		return nil
	})
	if err == nil {
		err = lines.flush()
	}
	if err != nil {
		return written, err
	}
	written.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return written, nil
}
