// Package pages reads the log in pages: one after the other, ahead of who asked, each into the room of one that is not used any
// more. Where a page comes from is the store's matter.
package pages

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"sync"

	"housecount/aggregator/store/bodies"
	"housecount/apiclient/record"
)

// Page are versions as they are stored and then as they are decoded, up to a failure.
type Page struct {
	Rows     []Row
	text     []byte // of all bodies and memories, one after the other; records hold nothing of it
	versions []record.Version
	Err      error
	Last     bool // of the log
}

// Row is a version as it is stored.
type Row struct {
	bodies.Row
	body, memory int // their ends in Page.text; a body begins where the memory before it ends
}

// usedPages are pages that are not used any more: who follows the log reads a few versions at a time, again and again.
var usedPages = sync.Pool{New: func() any { return new(Page) }}

// usedPage returns a page with room.
func usedPage() Page { return *usedPages.Get().(*Page) }

// leave lets others use the room of a page. Its versions are cleared, because records hang on them, and so are those that it
// had before.
func (p Page) leave() {
	clear(p.versions[:cap(p.versions)])
	usedPages.Put(&Page{Rows: p.Rows[:0], text: p.text[:0], versions: p.versions[:0]})
}

// ahead is how many pages a reader of the log, its decoder and who asked have between them: one
// each, and one that waits for each of the latter two.
const ahead = 5

// Source reads the versions after a revision into the room of a page.
type Source func(ctx context.Context, after int64, room Page) Page

// All yields the versions after a revision, up to the last page, or one that failed, whose error is the last thing yielded. It reads and
// decodes a few pages ahead of the caller.
func All(ctx context.Context, after int64, source Source) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var others sync.WaitGroup
		used, read, decoded := make(chan Page, ahead), make(chan Page, 1), make(chan Page, 1)
		for range ahead {
			used <- usedPage()
		}
		defer func() {
			cancel()
			others.Wait() // then nobody else has one of them
			for _, pages := range []chan Page{used, read, decoded} {
				close(pages)
				for p := range pages {
					p.leave()
				}
			}
		}()
		others.Go(func() { readAhead(ctx, after, source, used, read) })
		others.Go(func() { decodeAhead(ctx, read, decoded) })
		for {
			var p Page
			select {
			case p = <-decoded:
			case <-ctx.Done():
				p.Err = ctx.Err()
			}
			for _, v := range p.versions {
				if !yield(v, nil) {
					p.leave()
					return
				}
			}
			if p.Err != nil {
				yield(record.Version{}, p.Err)
			}
			if p.Last || p.Err != nil {
				p.leave()
				return
			}
			used <- p
		}
	}
}

// readAhead reads pages into the room of used ones until there is no more, or one failed, or ctx ended.
func readAhead(ctx context.Context, after int64, source Source, used <-chan Page, read chan<- Page) {
	for {
		var p Page
		select {
		case p = <-used:
		case <-ctx.Done():
			return
		}
		p = source(ctx, after, p)
		if n := len(p.Rows); n > 0 {
			after = p.Rows[n-1].Revision
		}
		select {
		case read <- p:
		case <-ctx.Done():
			return
		}
		if p.Err != nil || p.Last {
			return
		}
	}
}

// Read reads and closes rows of revision, kind, head, seen, body and memory.
func Read(rows *sql.Rows, room Page) (p Page) {
	defer rows.Close()
	p = room.emptied()
	var row bodies.Row
	var body, memory sql.RawBytes
	columns := []any{&row.Revision, &row.Kind, &row.Head, &row.Seen, &body, &memory}
	for rows.Next() {
		if p.Err = rows.Scan(columns...); p.Err != nil {
			return p
		}
		add(&p, row, body, memory)
	}
	p.Err = rows.Err()
	return p
}

// emptied returns an empty page in the room of one.
func (p Page) emptied() Page {
	return Page{Rows: p.Rows[:0], text: p.text[:0], versions: p.versions[:0]}
}

// add adds a version with its texts, which are copied.
func add[T string | sql.RawBytes](p *Page, row bodies.Row, body, memory T) {
	p.text = append(p.text, body...)
	end := len(p.text)
	p.text = append(p.text, memory...)
	p.Rows = append(p.Rows, Row{row, end, len(p.text)})
}

// decodeAhead decodes pages until the last one, or one that failed, or ctx ended.
func decodeAhead(ctx context.Context, read <-chan Page, decoded chan<- Page) {
	parse := bodies.NewParser()
	for {
		select {
		case p := <-read:
			_, p.Err = p.Decode(parse)
			select {
			case decoded <- p:
			case <-ctx.Done():
				return
			}
			if p.Last || p.Err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// Decode decodes the rows up to the first that cannot be, or could not be read.
func (p *Page) Decode(parse *bodies.Parser) ([]record.Version, error) {
	from := 0
	for _, row := range p.Rows {
		v, err := row.Decode(parse, p.text[from:row.body], p.text[row.body:row.memory])
		if err != nil {
			return p.versions, fmt.Errorf("revision %d: %w", row.Revision, err)
		}
		from = row.memory
		p.versions = append(p.versions, v)
	}
	return p.versions, p.Err
}
