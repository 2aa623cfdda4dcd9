package apiclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
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
	// total and perPage are -1 when the service did not say.
	total, perPage int
	droppedScans   int
}

// row is a record, or why it was refused.
type row[P any] struct {
	record  P
	refused *RecordError
}

var errNoList = errors.New("the answer is JSON, but no object with a list named data")

var keySeed = maphash.MakeSeed()

// decodePage decodes {"data": […], "meta": {…}}. Rows are decoded each by itself; what
// else is in the body is skipped. An error means that the body as a whole cannot be read.
func decodePage[T any, P record[T]](kind Kind, body []byte) (*page[P], *Error) {
	p := &page[P]{total: -1, perPage: -1}
	err := p.decode(kind, json.NewDecoder(bytes.NewReader(body)), func(raw []byte) (P, *RecordError, uint64) {
		r := P(new(T))
		if err := json.Unmarshal(raw, r); err != nil {
			e := blame[T, P](kind, raw, err)
			if e.ID == "" {
				return nil, e, maphash.Bytes(keySeed, raw)
			}
			return nil, e, maphash.String(keySeed, e.ID)
		}
		var check checker
		r.tidy(&check)
		p.droppedScans += check.droppedScans
		key := maphash.String(keySeed, r.RecordID())
		if check.why != "" {
			return nil, &RecordError{Kind: kind, ID: printableID(r.RecordID()), Field: check.field, Why: check.why}, key
		}
		return r, nil, key
	})
	if err == nil {
		return p, nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Stream = kind
		return nil, e
	}
	e := &Error{Kind: Garbage, Stream: kind, Err: err}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.passing = true
		e.Err = errors.New("the JSON is cut short")
	}
	return nil, e
}

// decode walks through the body; each turns the text of a row into a record, or the
// reason why not, and its key.
func (p *page[P]) decode(kind Kind, d *json.Decoder, each func(raw []byte) (P, *RecordError, uint64)) error {
	if open, err := d.Token(); err != nil {
		return err
	} else if open != json.Delim('{') {
		return errNoList
	}
	found := false
	var raw json.RawMessage // reused from row to row
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name != "data" {
			if err := d.Decode(&raw); err != nil {
				return err
			}
			if name == "meta" {
				p.readMeta(raw)
			}
			continue
		}
		if open, err := d.Token(); err != nil {
			return err
		} else if open != json.Delim('[') || found {
			return errNoList
		}
		found = true
		for d.More() {
			if len(p.rows) == maxRows {
				return &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d rows on a page", maxRows)}
			}
			if err := d.Decode(&raw); err != nil {
				return err
			}
			var r row[P]
			var key uint64
			if len(raw) > maxRow {
				r.refused = &RecordError{Kind: kind, Why: fmt.Sprintf("is larger than %d bytes", maxRow)}
				key = maphash.Bytes(keySeed, raw)
			} else {
				r.record, r.refused, key = each(raw)
			}
			p.rows, p.keys = append(p.rows, r), append(p.keys, key)
		}
		if _, err := d.Token(); err != nil { // ]
			return err
		}
	}
	if _, err := d.Token(); err != nil { // }
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON")
	}
	if !found {
		return errNoList
	}
	return nil
}

// readMeta takes what can be read of meta; a count that is none was not told.
func (p *page[P]) readMeta(raw []byte) {
	var meta struct {
		Total   json.RawMessage `json:"total"`
		PerPage json.RawMessage `json:"per_page"`
	}
	_ = json.Unmarshal(raw, &meta) // what is no object tells nothing
	p.total, p.perPage = count(meta.Total), count(meta.PerPage)
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
