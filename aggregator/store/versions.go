package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"housecount/apiclient/record"
)

// versionsPage is how many versions are read at once.
const versionsPage = 500

// page are versions as they are stored, or why they cannot be read.
type page struct {
	rows []storedVersion
	text []byte // of all bodies and memories, one after the other
	err  error
}

type storedVersion struct {
	revision     int64
	kind         int
	head         bool
	seen         int64
	body, memory int // their ends in page.text; a body begins where the memory before it ends
}

// Versions yields the versions after a revision, ascending by revision. It reads and decodes
// ahead of the caller, a few thousand versions at most, and keeps no transaction open: what
// is appended meanwhile comes too. An error is the last thing yielded.
func (r *Records) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var ahead sync.WaitGroup
		defer ahead.Wait()
		defer cancel()
		read, used := make(chan page, 1), make(chan page, 2)
		decoded := make(chan decodedPage, 2)
		ahead.Go(func() { r.readAhead(ctx, after, read, used) })
		ahead.Go(func() { decodeAhead(ctx, read, used, decoded) })
		for {
			var p decodedPage
			select {
			case p = <-decoded:
			case <-ctx.Done():
				p.err = ctx.Err()
			}
			for _, v := range p.versions {
				if !yield(v, nil) {
					return
				}
				after = v.Revision
			}
			if p.err != nil {
				yield(record.Version{}, r.failed(fmt.Sprintf("versions after revision %d", after), p.err))
			}
			if p.last || p.err != nil {
				return
			}
		}
	}
}

// At are the versions of revisions, which ascend; those that Fold took away are left out.
func (r *Records) At(ctx context.Context, revisions []int64) ([]record.Version, error) {
	versions, err := r.at(ctx, r.reader, revisions)
	if err != nil {
		return nil, r.failed("versions at revisions", err)
	}
	return versions, nil
}

func (r *Records) at(ctx context.Context, on runner, revisions []int64) ([]record.Version, error) {
	versions := make([]record.Version, 0, len(revisions))
	parse, room := newParser(), page{}
	for some := range slices.Chunk(revisions, versionsPage) {
		list := make([]byte, 0, 8*len(some))
		for i, revision := range some {
			if i > 0 {
				list = append(list, ',')
			}
			list = strconv.AppendInt(list, revision, 10)
		}
		rows, err := r.rows(ctx, on, `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
			WHERE revision IN (`+string(list)+`) AND service = $1 ORDER BY revision`, r.service)
		if err != nil {
			return nil, err
		}
		p := readPage(rows, room)
		decoded, err := p.decode(parse)
		if err = cmp.Or(p.err, err); err != nil {
			return nil, err
		}
		versions, room = append(versions, decoded...), p
	}
	return versions, nil
}

// decodedPage are the versions of a page up to a failure.
type decodedPage struct {
	versions []record.Version
	err      error
	last     bool
}

// readAhead sends pages until there is no more, or one failed, or ctx ended. It uses the room
// of used ones again.
func (r *Records) readAhead(ctx context.Context, after int64, pages chan<- page, used <-chan page) {
	for {
		var room page
		select {
		case room = <-used:
		default:
		}
		p := r.page(ctx, after, room)
		if n := len(p.rows); n > 0 {
			after = p.rows[n-1].revision
		}
		select {
		case pages <- p:
		case <-ctx.Done():
			return
		}
		if p.err != nil || len(p.rows) < versionsPage {
			return
		}
	}
}

// page reads the versions after a revision into the room of a page that is not used any more.
func (r *Records) page(ctx context.Context, after int64, room page) page {
	rows, err := r.rows(ctx, r.reader, `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
		WHERE revision > $1 AND service = $2 ORDER BY revision LIMIT $3`, after, r.service, versionsPage)
	if err != nil {
		return page{err: err}
	}
	return readPage(rows, room)
}

// readPage reads and closes rows of revision, kind, head, seen, body and memory.
func readPage(rows *sql.Rows, room page) (p page) {
	defer rows.Close()
	p.rows, p.text = room.rows[:0], room.text[:0]
	var v storedVersion
	var body, memory sql.RawBytes
	columns := []any{&v.revision, &v.kind, &v.head, &v.seen, &body, &memory}
	for rows.Next() {
		if p.err = rows.Scan(columns...); p.err != nil {
			return p
		}
		p.text = append(p.text, body...)
		v.body = len(p.text)
		p.text = append(p.text, memory...)
		v.memory = len(p.text)
		p.rows = append(p.rows, v)
	}
	p.err = rows.Err()
	return p
}

// decodeAhead decodes pages until the last one, or one that failed, or ctx ended.
func decodeAhead(ctx context.Context, pages <-chan page, used chan<- page, decoded chan<- decodedPage) {
	parse := newParser()
	for {
		select {
		case p := <-pages:
			versions, err := p.decode(parse)
			d := decodedPage{versions, cmp.Or(err, p.err), len(p.rows) < versionsPage}
			select {
			case used <- p: // records hold nothing of its text
			default:
			}
			select {
			case decoded <- d:
			case <-ctx.Done():
				return
			}
			if d.last || d.err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (p page) decode(parse *parser) ([]record.Version, error) {
	versions := make([]record.Version, 0, len(p.rows))
	from := 0
	for _, row := range p.rows {
		v := record.Version{Revision: row.revision, Head: row.head}
		if row.seen != 0 {
			v.SeenAt = time.UnixMicro(row.seen).UTC()
		}
		if row.kind <= 0 || row.kind >= len(kinds) {
			return versions, fmt.Errorf("revision %d: a record of the unknown kind %d", row.revision, row.kind)
		}
		var err error
		if v.Record, err = parse.record(kinds[row.kind], p.text[from:row.body]); err != nil {
			return versions, fmt.Errorf("revision %d: %w", row.revision, err)
		}
		if row.memory > row.body {
			if err := json.Unmarshal(p.text[row.body:row.memory], &v.Memory); err != nil {
				return versions, fmt.Errorf("revision %d: what is remembered cannot be read: %w", row.revision, err)
			}
		}
		from = row.memory
		versions = append(versions, v)
	}
	return versions, nil
}
