package apiclient

import (
	"errors"
	"hash/maphash"
	"io"
	"net/http"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// page is a decoded page.
type page struct {
	*profile.Rows
	// seen holds the recognised rows, nil for the others; hashes holds the hash of every row. Both
	// are nil if rows are not to be recognised.
	seen   []*seenRow
	hashes []rowHash
	// keys identify the rows in order, refused ones included.
	keys []uint64
	// last is the cursor of the last row, empty if it has none.
	last string
	pageInfo
}

func (p *page) rows() int { return len(p.keys) }

// changed returns the time of the last change of row i, whose results are given.
func (p *page) changed(i int, results []record.Result) (at time.Time, ok bool) {
	if p.seen != nil && p.seen[i] != nil {
		return p.seen[i].updated, true
	}
	if p.Updated != nil && !p.Updated[i].IsZero() {
		return p.Updated[i], true
	}
	return changed(results)
}

var keySeed = maphash.MakeSeed()

// decodePage decodes one page of a list with the response's header. rows maps its rows; the rest of
// the body says where the next page is. The error means that the body as a whole cannot be read.
func decodePage(s *profile.Stream, header http.Header, body []byte, rows func(*profile.List) (*profile.Rows, error)) (*page, *Error) {
	l, err := s.Find(body)
	if err != nil {
		return nil, bodyError(s.Name, err)
	}
	p := &page{keys: make([]uint64, len(l.Rows)), pageInfo: parsePageInfo(l, header, s.Paging)}
	if p.Rows, err = rows(l); err != nil {
		return nil, bodyError(s.Name, err)
	}
	for i, id := range p.IDs {
		if id == "" {
			p.keys[i] = maphash.Bytes(keySeed, l.Rows[i])
		} else {
			p.keys[i] = maphash.String(keySeed, id)
		}
		p.last = id
	}
	if s.Paging.Last != "" && len(l.Rows) > 0 {
		p.last = scalar(valueAt(object(l.Rows[len(l.Rows)-1]), s.Paging.Last))
	}
	return p, nil
}

// bodyError returns the *Error of a body that cannot be read.
func bodyError(stream string, err error) *Error {
	if e, ok := errors.AsType[profile.SizeError](err); ok {
		return &Error{Kind: TooLarge, Stream: stream, Err: e}
	}
	if e, ok := errors.AsType[*profile.StartError](err); ok {
		return &Error{Kind: Slow, Stream: stream, Err: e, transient: true}
	}
	e := &Error{Kind: Garbage, Stream: stream, Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.transient = true
		e.Err = errors.New("the JSON is cut short")
	}
	return e
}
