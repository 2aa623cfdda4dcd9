package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/engine"
	"housecount/apiclient/record"
)

// versionsPage is how many versions are read at once.
const versionsPage = 500

// page are versions as they are stored and then as they are decoded, up to a failure.
type page struct {
	rows     []storedVersion
	text     []byte // of all bodies and memories, one after the other; records hold nothing of it
	versions []record.Version
	err      error
	last     bool // of the log
}

// usedPages are pages that are not used any more: who follows the log reads a few versions at a time, again and again.
var usedPages = sync.Pool{New: func() any { return new(page) }}

// usedPage returns a page with room.
func usedPage() page { return *usedPages.Get().(*page) }

// leave lets others use the room of a page. Its versions are cleared, because records hang on them, and so are those that it
// had before.
func (p page) leave() {
	clear(p.versions[:cap(p.versions)])
	usedPages.Put(&page{rows: p.rows[:0], text: p.text[:0], versions: p.versions[:0]})
}

// pagesAhead is how many pages a reader of the log, its decoder and who asked have between them: one
// each, and one that waits for each of the latter two.
const pagesAhead = 5

type storedVersion struct {
	bodies.Row
	body, memory int // their ends in page.text; a body begins where the memory before it ends
}

// Versions yields the versions after a revision, ascending by revision. It reads and decodes
// ahead of the caller, a few thousand versions at most, and keeps no transaction open: what
// is appended meanwhile comes too. An error is the last thing yielded.
func (r *Records) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var ahead sync.WaitGroup
		used, read, decoded := make(chan page, pagesAhead), make(chan page, 1), make(chan page, 1)
		for range pagesAhead {
			used <- usedPage()
		}
		defer func() {
			cancel()
			ahead.Wait() // then nobody else has one of them
			for _, pages := range []chan page{used, read, decoded} {
				close(pages)
				for p := range pages {
					p.leave()
				}
			}
		}()
		ahead.Go(func() { r.readAhead(ctx, after, used, read) })
		ahead.Go(func() { decodeAhead(ctx, read, decoded) })
		for {
			var p page
			select {
			case p = <-decoded:
			case <-ctx.Done():
				p.err = ctx.Err()
			}
			for _, v := range p.versions {
				if !yield(v, nil) {
					p.leave()
					return
				}
				after = v.Revision
			}
			if p.err != nil {
				yield(record.Version{}, r.wrap(fmt.Sprintf("versions after revision %d", after), p.err))
			}
			if p.last || p.err != nil {
				p.leave()
				return
			}
			used <- p
		}
	}
}

// At returns the versions of revisions, which ascend; those that Fold took away are left out.
func (r *Records) At(ctx context.Context, revisions []int64) ([]record.Version, error) {
	versions, err := r.at(ctx, r.reader, revisions)
	return versions, r.wrap("versions at revisions", err)
}

func (r *Records) at(ctx context.Context, on runner, revisions []int64) ([]record.Version, error) {
	versions := make([]record.Version, 0, len(revisions))
	parse, room := bodies.NewParser(), page{}
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
		if err != nil {
			return nil, err
		}
		versions, room = append(versions, decoded...), p
	}
	return versions, nil
}

// readAhead reads pages into the room of used ones until there is no more, or one failed, or ctx ended.
func (r *Records) readAhead(ctx context.Context, after int64, used <-chan page, read chan<- page) {
	for {
		var p page
		select {
		case p = <-used:
		case <-ctx.Done():
			return
		}
		p = r.page(ctx, after, p)
		if n := len(p.rows); n > 0 {
			after = p.rows[n-1].Revision
		}
		p.last = len(p.rows) < versionsPage
		select {
		case read <- p:
		case <-ctx.Done():
			return
		}
		if p.err != nil || p.last {
			return
		}
	}
}

// page reads the versions after a revision into the room of a page that is not used any more.
func (r *Records) page(ctx context.Context, after int64, room page) page {
	rows, err := r.rows(ctx, r.reader, engine.VersionsAfter, after, r.service, versionsPage)
	if err != nil {
		return page{err: err}
	}
	return readPage(rows, room)
}

// readPage reads and closes rows of revision, kind, head, seen, body and memory.
func readPage(rows *sql.Rows, room page) (p page) {
	defer rows.Close()
	p.rows, p.text, p.versions = room.rows[:0], room.text[:0], room.versions[:0]
	var v storedVersion
	var body, memory sql.RawBytes
	columns := []any{&v.Revision, &v.Kind, &v.Head, &v.Seen, &body, &memory}
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
func decodeAhead(ctx context.Context, read <-chan page, decoded chan<- page) {
	parse := bodies.NewParser()
	for {
		select {
		case p := <-read:
			_, p.err = p.decode(parse)
			select {
			case decoded <- p:
			case <-ctx.Done():
				return
			}
			if p.last || p.err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// decode decodes the rows up to the first that cannot be, or could not be read.
func (p *page) decode(parse *bodies.Parser) ([]record.Version, error) {
	from := 0
	for _, row := range p.rows {
		v, err := row.Decode(parse, p.text[from:row.body], p.text[row.body:row.memory])
		if err != nil {
			return p.versions, fmt.Errorf("revision %d: %w", row.Revision, err)
		}
		from = row.memory
		p.versions = append(p.versions, v)
	}
	return p.versions, p.err
}
