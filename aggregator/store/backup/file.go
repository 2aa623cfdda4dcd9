package backup

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"slices"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/engine"
	"housecount/apiclient/record"
)

// File is a backup that was found to be whole.
type File struct {
	Manifest
	path string
	sum  string // of the file
	zip  *zip.ReadCloser
}

// errAltered is returned of a file that is not as it was written.
var errAltered = errors.New("is truncated or altered, or no backup of housecount: take another one")

// maxManifest is the most bytes of a manifest that are read.
const maxManifest = 1 << 20

// Open opens a backup and verifies that it is as it was written, and that this program can read it. progress,
// if set, is called now and then with how many of all bytes were verified. Errors name the file.
func Open(ctx context.Context, path string, progress func(bytes, all int64)) (*File, error) {
	b := &File{path: path}
	err := b.verify(ctx, progress)
	if err == nil {
		if b.zip, err = zip.OpenReader(path); errors.Is(err, zip.ErrFormat) {
			err = errAltered
		}
	}
	if err == nil {
		if err = b.readManifest(); err != nil {
			err = errors.Join(err, b.zip.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Close closes the file.
func (b *File) Close() error { return b.zip.Close() }

// verify compares the file with its checksum.
func (b *File) verify(ctx context.Context, progress func(bytes, all int64)) error {
	file, err := os.Open(b.path)
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot be read: %w: name a backup that this user may read", cause.Err)
	} else if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() < sumSize {
		return errAltered
	}
	sum, read, all := sha256.New(), int64(0), info.Size()-sumSize
	for read < all {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(sum, file, min(1<<22, all-read))
		if err != nil {
			return err
		}
		if read += n; progress != nil {
			progress(read, all)
		}
	}
	written := make([]byte, sumSize)
	if _, err := io.ReadFull(file, written); err != nil {
		return err
	}
	io.WriteString(sum, noSum)
	if b.sum = hex.EncodeToString(sum.Sum(nil)); b.sum != string(written) {
		return errAltered
	}
	return nil
}

// metaKey is what a key of the table meta looks like that a backup may leave out.
var metaKey = regexp.MustCompile(`^[a-z_]+$`)

func (b *File) readManifest() error {
	entry, err := b.zip.Open(manifestName)
	if err != nil {
		return errAltered
	}
	defer entry.Close()
	text, err := io.ReadAll(io.LimitReader(entry, maxManifest))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("its manifest cannot be read: %w", err)
	}
	newest, err := engine.NewestSchema()
	switch {
	case err != nil:
		return err
	case b.Format > format:
		return fmt.Errorf("was made by a newer housecount, %s (format %d, this one reads %d): restore it with that one", b.Program, b.Format, format)
	case b.Schema > newest:
		return fmt.Errorf("was made by a newer housecount, %s (schema %d, this one knows %d): restore it with that one", b.Program, b.Schema, newest)
	case b.Format < 1 || b.Schema < 1 || slices.ContainsFunc(b.LeftOut, func(key string) bool { return !metaKey.MatchString(key) }):
		return errAltered
	case b.Schema < engine.LeastSchema:
		return fmt.Errorf("is of a database of schema %d, which was never opened since: open that with this housecount once, and back it up again", b.Schema)
	}
	return nil
}

// lines calls f with each line of a table, without the line's end, and verifies the checksum of all. The line is
// valid until f returns.
func (b *File) lines(t *Table, f func(line []byte) error) error {
	entry, err := b.zip.Open(entryName(t.Name))
	if err != nil {
		return errAltered
	}
	defer entry.Close()
	sum, rows := sha256.New(), int64(0)
	in := bufio.NewReaderSize(io.TeeReader(entry, sum), 1<<16)
	var long []byte
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if errors.Is(err, io.EOF) && len(line) == 0 && len(long) == 0 {
			break
		}
		if err != nil {
			return errAltered
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		rows++
		if err := f(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return fmt.Errorf("row %d: %w", rows, err)
		}
		long = long[:0]
	}
	if rows != t.Rows || hex.EncodeToString(sum.Sum(nil)) != t.SHA256 {
		return errAltered
	}
	return nil
}

// Versions yields the versions of a service's log, as store.Records.Versions does.
func (b *File) Versions(service string) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		if err := b.versions(service, func(v record.Version) bool { return yield(v, nil) }); err != nil && !errors.Is(err, errStopped) {
			yield(record.Version{}, fmt.Errorf("%s: %w", b.path, err))
		}
	}
}

// errStopped ends the reading of a table.
var errStopped = errors.New("no more is asked for")

func (b *File) versions(service string, yield func(record.Version) bool) error {
	t, id := b.table("version"), int64(-1)
	if t == nil {
		return errAltered
	}
	if err := b.each("service", []string{"id", "name"}, func(v []any) error {
		if v[1] == service {
			id, _ = v[0].(int64)
		}
		return nil
	}); err != nil {
		return err
	}
	parse := bodies.NewParser()
	return b.each("version", []string{"service", "revision", "kind", "head", "seen", "body", "memory"}, func(v []any) error {
		if v[0] != id {
			return nil
		}
		row := bodies.Row{}
		kind, _ := v[2].(int64)
		row.Revision, _ = v[1].(int64)
		row.Kind, row.Head = int(kind), v[3] == int64(1)
		row.Seen, _ = v[4].(int64)
		body, _ := v[5].(string)
		memory, _ := v[6].(string)
		version, err := row.Decode(parse, []byte(body), []byte(memory))
		if err != nil {
			return fmt.Errorf("revision %d: %w", row.Revision, err)
		}
		if !yield(version) {
			return errStopped
		}
		return nil
	})
}

// each calls f with the values of some columns of each row of a table.
func (b *File) each(name string, columns []string, f func(values []any) error) error {
	t := b.table(name)
	if t == nil {
		return errAltered
	}
	all, some := make([]any, len(t.Columns)), make([]any, len(columns))
	places := make([]int, len(columns))
	for i, c := range columns {
		if places[i] = slices.Index(t.Columns, c); places[i] < 0 {
			return fmt.Errorf("its table %s has no column %s", name, c)
		}
	}
	return b.lines(t, func(line []byte) error {
		if err := parseRow(line, all); err != nil {
			return err
		}
		for i, place := range places {
			some[i] = all[place]
		}
		return f(some)
	})
}
