package apiclient

import (
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
	"time"
	"unicode/utf8"
)

const (
	// maxRows and maxRow bound what a body within its limit can swell to once decoded: a
	// row of two bytes becomes a struct of half a kilobyte.
	maxRows = 50_000
	maxRow  = 1 << 20
)

// record is a pointer to a record type that can check itself.
type record[T any] interface {
	*T
	Record
	tidy(*checker)
}

// page is a decoded page.
type page[P any] struct {
	rows []row[P]
	// keys identify the rows in their order, also those that were refused.
	keys []uint64
	// last is the id of the last row, empty when it has none.
	last string
	told
	droppedScans int
}

// row is a record, or why it was refused.
type row[P any] struct {
	record  P
	refused *RecordError
}

var errNoList = errors.New("the answer is JSON, but no object with a list, such as data")

var keySeed = maphash.MakeSeed()

// decodePage decodes a page, of which header is the answer's. Rows are decoded each by
// itself; what else is in the body tells where the next page is. An error means that the
// body as a whole cannot be read.
func decodePage[T any, P record[T]](kind Kind, header http.Header, body []byte) (*page[P], *Error) {
	l, err := find(body)
	if err != nil {
		return nil, unreadable(kind, err)
	}
	p := &page[P]{
		rows: make([]row[P], len(l.entries)),
		keys: make([]uint64, len(l.entries)),
		told: listen(l, header),
	}
	for i, raw := range l.entries {
		id, err := decodeRow[T](kind, raw, &p.rows[i], &p.droppedScans)
		if err != nil {
			return nil, unreadable(kind, err)
		}
		if id == "" {
			p.keys[i] = maphash.Bytes(keySeed, raw)
		} else {
			p.keys[i] = maphash.String(keySeed, id)
		}
		p.last = id
	}
	return p, nil
}

// unreadable is the error of a body that cannot be read.
func unreadable(kind Kind, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Stream = string(kind)
		return e
	}
	e := &Error{Kind: Garbage, Stream: string(kind), Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.passing = true
		e.Err = errors.New("the JSON is cut short")
	}
	return e
}

// decodeRow turns the text of a row into a record, or the reason why not, and tells its
// id as far as there is one. An error means that the text is no JSON.
func decodeRow[T any, P record[T]](kind Kind, raw []byte, into *row[P], droppedScans *int) (id string, err error) {
	if len(raw) > maxRow {
		if !json.Valid(raw) {
			return "", errSyntax
		}
		into.refused = &RecordError{Kind: kind, Why: fmt.Sprintf("is larger than %d bytes", maxRow)}
		return "", nil
	}
	r := P(new(T))
	if err := json.Unmarshal(raw, r); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return "", syntax
		}
		into.refused = blame[T, P](kind, raw, err)
		return into.refused.ID, nil
	}
	var check checker
	r.tidy(&check)
	*droppedScans += check.droppedScans
	if check.why != "" {
		into.refused = &RecordError{Kind: kind, ID: printableID(r.RecordID()), Field: check.field, Why: check.why}
	} else {
		into.record = r
	}
	return r.RecordID(), nil
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
func blame[T any, P record[T]](kind Kind, raw []byte, err error) *RecordError {
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
		if err := json.Unmarshal(one, P(new(T))); err != nil {
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
