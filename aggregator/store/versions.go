package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

// versionsPage is how many versions are read at once.
const versionsPage = 500

// Versions yields the versions after a revision, ascending by revision. It reads and decodes
// ahead of the caller, a few thousand versions at most, and keeps no transaction open: what
// is appended meanwhile comes too. An error is the last thing yielded.
func (r *Records) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	source := r.page
	if after > 0 { // who reads all of it wants what Fold made of old versions
		source = r.newest
	}
	return func(yield func(record.Version, error) bool) {
		for v, err := range pages.All(ctx, after, source) {
			if err != nil {
				err = r.wrap(fmt.Sprintf("versions after revision %d", after), err)
			}
			if !yield(v, err) {
				return
			}
			after = v.Revision
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
	parse, room := bodies.NewParser(), pages.Page{}
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
		p := pages.Read(rows, room)
		decoded, err := p.Decode(parse)
		if err != nil {
			return nil, err
		}
		versions, room = append(versions, decoded...), p
	}
	return versions, nil
}

// page reads the versions after a revision into the room of a page that is not used any more.
func (r *Records) page(ctx context.Context, after int64, room pages.Page) pages.Page {
	rows, err := r.rows(ctx, r.reader, engine.VersionsAfter, after, r.service, versionsPage)
	if err != nil {
		return pages.Page{Err: err}
	}
	p := pages.Read(rows, room)
	p.Last = len(p.Rows) < versionsPage
	return p
}

// newest is page, but takes from memory what this process appended and nobody has taken yet.
func (r *Records) newest(ctx context.Context, after int64, room pages.Page) pages.Page {
	p, here := r.appended.Take(after, versionsPage, room)
	if here {
		return p
	}
	return r.page(ctx, after, room)
}
