package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"housecount/apiclient/record"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

const (
	// maxRows and maxRow bound what a body within its limit can swell to once decoded: a
	// row of two bytes becomes a struct of half a kilobyte.
	maxRows = 200_000
	maxRow  = 1 << 20
)

// page is a decoded page.
type page struct {
	rows int // of the service
	// keys identify the rows in their order, also those that were refused.
	keys []uint64
	// last is where the list goes on after the last row; empty when that is not told.
	last string
	told
	// gave is what the rows became, in their order; what row i became ends before ends[i].
	gave []record.Result
	ends []int
	// decoded are the rows as records of the stream's kind, while the page is being decoded;
	// nil where each has to be decoded by itself.
	decoded func() []record.Record
	// kept is what other streams need of the rows, where the page is read for them.
	kept   []kept
	unkept int // rows of which nothing could be kept
}

var errNoList = errors.New("the answer is JSON, but no object with a list, such as data")

var keySeed = maphash.MakeSeed()

// decodePage decodes a page of a list, of which header is the answer's. Each row is handed
// to row, which returns its id as far as there is one; what else is in the body tells where
// the next page is. An error means that the body as a whole cannot be read.
func decodePage(s *stream, header http.Header, body []byte, row func(p *page, raw []byte) (id string, err error)) (*page, *Error) {
	l, err := find(body, s.List, s.EachKey)
	if err != nil {
		return nil, unreadable(s.Name, err)
	}
	n := len(l.entries)
	p := &page{
		rows: n, keys: make([]uint64, n), gave: make([]record.Result, 0, n), ends: make([]int, 0, n),
		told: listen(l, header, s.Paging),
	}
	p.decoded = sync.OnceValue(func() []record.Record { return decodeList(s.Gives[0], l) })
	defer func() { p.decoded = nil }()
	for i, raw := range l.entries {
		if len(raw) > maxRow && !json.Valid(raw) {
			return nil, unreadable(s.Name, errSyntax)
		}
		id, err := row(p, raw)
		if err != nil {
			return nil, unreadable(s.Name, err)
		}
		if id == "" {
			p.keys[i] = maphash.Bytes(keySeed, raw)
		} else {
			p.keys[i] = maphash.String(keySeed, id)
		}
		p.last = id
	}
	if s.Paging.Last != "" && p.rows > 0 {
		p.last = scalar(pluck(object(l.entries[p.rows-1]), s.Paging.Last))
	}
	return p, nil
}

// unreadable is the error of a body that cannot be read.
func unreadable(stream string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Stream = stream
		return e
	}
	e := &Error{Kind: Garbage, Stream: stream, Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.passing = true
		e.Err = errors.New("the JSON is cut short")
	}
	return e
}

// become adds to p what a row of s became; over and with are what programs see so called.
// An error means that the text is no JSON, or that the page becomes too much.
func (p *page) become(ctx context.Context, s *stream, raw []byte, over any, with map[string]any) (id string, err error) {
	from := len(p.gave)
	switch {
	case len(raw) > maxRow:
		e := &record.Refusal{Why: fmt.Sprintf("is larger than %d bytes", maxRow)}
		if len(s.Gives) == 1 {
			e.Kind = s.Gives[0]
		}
		p.gave = append(p.gave, record.Result{Refused: e})
	case s.plain:
		var m record.Result
		if r := p.decodedRow(len(p.ends)); r != nil {
			m, id = record.Validate(s.Gives[0], r)
		} else if m, id, err = record.Decode(s.Gives[0], raw); err != nil {
			return "", err
		}
		p.gave = append(p.gave, m)
	case !json.Valid(raw):
		return "", errSyntax
	default:
		row, err := decodeAny(raw)
		if err != nil {
			return "", errSyntax
		}
		var rows []record.Result
		id, rows = s.mapRow(ctx, row, over, with)
		p.gave = append(p.gave, rows...)
		if len(p.gave) > maxPageOutputs {
			return "", &Error{Kind: TooLarge, Err: fmt.Errorf("the rows of a page become more than %d records", maxPageOutputs)}
		}
	}
	for _, m := range p.gave[from:] {
		if m.Refused != nil {
			m.Refused.Stream = s.Name
		}
	}
	p.ends = append(p.ends, len(p.gave))
	return id, nil
}

// decodedRow is row i as decodeList has decoded it, nil where it has not.
func (p *page) decodedRow(i int) record.Record {
	if p.decoded == nil {
		return nil
	}
	if all := p.decoded(); all != nil {
		return all[i]
	}
	return nil
}

// decodeList decodes all rows of a list at once, which costs less than one by one. It is nil
// where that cannot be, as when one of them is refused: then each is looked at by itself.
func decodeList(kind record.Kind, l *list) []record.Record {
	if l.text == nil || slices.ContainsFunc(l.entries, func(raw []byte) bool { return len(raw) > maxRow }) {
		return nil
	}
	return record.DecodeAll(kind, l.text)
}

// count is -1 for what is no count.
func count(raw []byte) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}
