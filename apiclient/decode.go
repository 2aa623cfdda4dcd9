package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// maxRows and maxRow bound what a body within its limit can swell to once decoded: a
	// row of two bytes becomes a struct of half a kilobyte.
	maxRows = 200_000
	maxRow  = 1 << 20
)

// checked is a record that can check itself.
type checked interface {
	Record
	tidy(*checker)
}

// newRecord returns an empty record of a kind, nil for a kind that there is not.
func newRecord(kind Kind) checked {
	switch kind {
	case KindEvent:
		return new(Event)
	case KindTicket:
		return new(Ticket)
	case KindPayment:
		return new(Payment)
	case KindContact:
		return new(Contact)
	case KindPlanning:
		return new(Planning)
	case KindScan:
		return new(TicketScan)
	}
	return nil
}

// NewRecord returns an empty record of a kind, nil for a kind that there is not.
func NewRecord(kind Kind) Record {
	if r := newRecord(kind); r != nil {
		return r
	}
	return nil
}

// page is a decoded page.
type page struct {
	rows int // of the service
	// keys identify the rows in their order, also those that were refused.
	keys []uint64
	// last is where the list goes on after the last row; empty when that is not told.
	last string
	told
	// gave is what the rows became, in their order; what row i became ends before ends[i].
	gave []mapped
	ends []int
	// decoded are the rows as records of the stream's kind, while the page is being decoded;
	// nil where each has to be decoded by itself.
	decoded func() []checked
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
		rows: n, keys: make([]uint64, n), gave: make([]mapped, 0, n), ends: make([]int, 0, n),
		told: listen(l, header, s.Paging),
	}
	p.decoded = sync.OnceValue(func() []checked { return decodeList(s.Gives[0], l) })
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
		e := &RecordError{Why: fmt.Sprintf("is larger than %d bytes", maxRow)}
		if len(s.Gives) == 1 {
			e.Kind = s.Gives[0]
		}
		p.gave = append(p.gave, mapped{refused: e})
	case s.plain:
		var m mapped
		if r := p.decodedRow(len(p.ends)); r != nil {
			m, id = settled(s.Gives[0], r)
		} else if m, id, err = decodeRow(s.Gives[0], raw); err != nil {
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
		var rows []mapped
		id, rows = s.mapRow(ctx, row, over, with)
		p.gave = append(p.gave, rows...)
		if len(p.gave) > maxPageOutputs {
			return "", &Error{Kind: TooLarge, Err: fmt.Errorf("the rows of a page become more than %d records", maxPageOutputs)}
		}
	}
	for _, m := range p.gave[from:] {
		if m.refused != nil {
			m.refused.Stream = s.Name
		}
	}
	p.ends = append(p.ends, len(p.gave))
	return id, nil
}

// decodedRow is row i as decodeList has decoded it, nil where it has not.
func (p *page) decodedRow(i int) checked {
	if p.decoded == nil {
		return nil
	}
	if all := p.decoded(); all != nil {
		return all[i]
	}
	return nil
}

// decodeRow turns the text of a row into a record, or the reason why not, and tells its
// id as far as there is one. An error means that the text is no JSON.
func decodeRow(kind Kind, raw []byte) (m mapped, id string, err error) {
	r := newRecord(kind)
	if err := json.Unmarshal(raw, r); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return mapped{}, "", syntax
		}
		m.refused = blame(kind, raw, err)
		return m, m.refused.ID, nil
	}
	m, id = settled(kind, r)
	return m, id, nil
}

// settled is a record that was decoded, or the reason why it is refused, and its id.
func settled(kind Kind, r checked) (m mapped, id string) {
	var check checker
	r.tidy(&check)
	m.droppedScans = check.droppedScans
	if check.why != "" {
		m.refused = &RecordError{Kind: kind, ID: printableID(r.RecordID()), Field: check.field, Why: check.why}
	} else {
		m.record = r
	}
	return m, r.RecordID()
}

// decodeList decodes all rows of a list at once, which costs less than one by one. It is nil
// where that cannot be, as when one of them is refused: then each is looked at by itself.
func decodeList(kind Kind, l *list) []checked {
	if l.text == nil || slices.ContainsFunc(l.entries, func(raw []byte) bool { return len(raw) > maxRow }) {
		return nil
	}
	switch kind {
	case KindEvent:
		return decodeAll[Event](l.text)
	case KindTicket:
		return decodeAll[Ticket](l.text)
	case KindPayment:
		return decodeAll[Payment](l.text)
	case KindContact:
		return decodeAll[Contact](l.text)
	case KindPlanning:
		return decodeAll[Planning](l.text)
	}
	return decodeAll[TicketScan](l.text)
}

func decodeAll[T any, P interface {
	*T
	checked
}](text []byte) []checked {
	var rows []P
	if json.Unmarshal(text, &rows) != nil {
		return nil
	}
	all := make([]checked, len(rows))
	for i, r := range rows {
		if r == nil { // null
			return nil
		}
		all[i] = r
	}
	return all
}

// count is -1 for what is no count.
func count(raw []byte) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// blame finds the field that made Unmarshal refuse a row with err. It decodes the fields
// one by one, which costs time only where something is wrong: the json package does not
// name the field when a time or an amount refuses itself.
func blame(kind Kind, raw []byte, err error) *RecordError {
	e := &RecordError{Kind: kind}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		e.Why = "is not an object"
		return e
	}
	var id string
	if json.Unmarshal(fields["id"], &id) == nil {
		e.ID = printableID(id)
	}
	e.Why = reason(err)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, _ := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err := json.Unmarshal(one, newRecord(kind)); err != nil {
			e.Field, e.Why = name, reason(err)
			if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
				e.Field = t.Field
			}
			break
		}
	}
	e.Field = printableID(e.Field)
	return e
}

// reason says in words why a value was refused.
func reason(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "is " + jsonValue(t.Value) + ", not " + goType(t.Type.Kind().String())
	}
	if t, ok := errors.AsType[*time.ParseError](err); ok {
		return fmt.Sprintf("is no RFC 3339 time: %.60q", t.Value)
	}
	if m, ok := errors.AsType[moneyError](err); ok {
		return string(m)
	}
	return "cannot be read"
}

// jsonValue puts the json package's description of a value into words.
func jsonValue(value string) string {
	kind, literal, _ := strings.Cut(value, " ")
	switch {
	case kind == "bool":
		return "true or false"
	case literal != "":
		return "the number " + cut(literal, 40)
	case kind == "array" || kind == "object":
		return "an " + kind
	}
	return "a " + kind
}

// goType is a JSON word for the kind of a Go type.
func goType(kind string) string {
	switch kind {
	case "int", "int64":
		return "an integer"
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "an array"
	}
	return "an object"
}

// moneyError is why an amount of money was refused.
type moneyError string

func (e moneyError) Error() string { return string(e) }

// UnmarshalJSON accepts only what says an amount: an integer of minor units and a
// currency. Zero is an amount, nothing is not.
func (m *Money) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	type plain Money // without this method
	said := plain{Amount: math.MinInt64}
	switch err := json.Unmarshal(b, &said); {
	case err != nil:
		return moneyError("is no amount of money: an integer of minor units and a currency")
	case said.Amount == math.MinInt64: // not there, or null
		return moneyError("says no amount")
	}
	*m = Money(said)
	return nil
}

// printableID is as much of an identifier as may be shown.
func printableID(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
	return cut(s, maxID)
}
