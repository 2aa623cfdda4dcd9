package profile

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"housecount/apiclient/record"
)

// tokenReader reads a JSON text as *jsontext.Decoder does.
type tokenReader interface {
	PeekKind() jsontext.Kind
	ReadToken() (jsontext.Token, error)
	ReadValue() (jsontext.Value, error)
	InputOffset() int64
}

// quickTokens is a tokenReader that is several times faster and refuses with errNotQuick what is not JSON, and some of
// what is. Then the text is to be read again with a jsontext.Decoder, which says what is wrong.
type quickTokens struct {
	text   []byte
	at     int
	levels []level // the objects and arrays that are open
}

// level is an open object or array.
type level struct {
	object bool
	named  bool // the name of the next member was read
	begun  bool // something was read in it
}

var errNotQuick = errors.New("the text is to be read with care")

// next goes to the next token, and reports whether it may be one: commas and colons are taken, and must be where they belong.
func (q *quickTokens) next() bool {
	q.space()
	if len(q.levels) == 0 || q.at == len(q.text) {
		return true
	}
	in := &q.levels[len(q.levels)-1]
	c := q.text[q.at]
	switch {
	case in.object && c == '}', !in.object && c == ']':
		return true
	case in.named:
		if c != ':' {
			return false
		}
	case in.begun:
		if c != ',' {
			return false
		}
	default:
		return true
	}
	q.at++
	q.space()
	// Nothing but a value follows; one that is missing would be taken for the end.
	return q.at < len(q.text) && q.text[q.at] != '}' && q.text[q.at] != ']'
}

func (q *quickTokens) space() {
	for q.at < len(q.text) && (q.text[q.at] == ' ' || q.text[q.at] == '\n' || q.text[q.at] == '\r' || q.text[q.at] == '\t') {
		q.at++
	}
}

// passed notes that a name or a value was read.
func (q *quickTokens) passed() {
	if n := len(q.levels); n > 0 {
		in := &q.levels[n-1]
		in.named = in.object && !in.named
		in.begun = true
	}
}

// PeekKind does not go on, so that ReadToken and ReadValue find the comma that it has seen.
func (q *quickTokens) PeekKind() jsontext.Kind {
	ahead := *q
	if !ahead.next() || ahead.at == len(ahead.text) {
		return 0
	}
	switch c := ahead.text[ahead.at]; c {
	case '[', ']', '{', '}', '"', 'n', 't', 'f':
		return jsontext.Kind(c)
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return '0'
		}
		return 0
	}
}

// ReadToken reads what begins or ends an object or an array, and names.
func (q *quickTokens) ReadToken() (jsontext.Token, error) {
	if !q.next() {
		return jsontext.Token{}, errNotQuick
	}
	if q.at == len(q.text) {
		if len(q.levels) == 0 {
			return jsontext.Token{}, io.EOF
		}
		return jsontext.Token{}, errNotQuick
	}
	n := len(q.levels)
	switch c := q.text[q.at]; {
	case (c == '[' || c == '{') && (n == 0 || !q.levels[n-1].object || q.levels[n-1].named):
		q.at++
		q.passed()
		q.levels = append(q.levels, level{object: c == '{'})
		if c == '[' {
			return jsontext.BeginArray, nil
		}
		return jsontext.BeginObject, nil
	case n > 0 && c == '}' && q.levels[n-1].object && !q.levels[n-1].named:
		q.at++
		q.levels = q.levels[:n-1]
		return jsontext.EndObject, nil
	case n > 0 && c == ']' && !q.levels[n-1].object:
		q.at++
		q.levels = q.levels[:n-1]
		return jsontext.EndArray, nil
	case n > 0 && c == '"' && q.levels[n-1].object && !q.levels[n-1].named:
		begin, end, ok := record.ValueEnd(q.text, q.at)
		if !ok {
			break
		}
		name, err := jsontext.AppendUnquote(nil, q.text[begin:end])
		if err != nil {
			break
		}
		q.at = end
		q.passed()
		return jsontext.String(string(name)), nil
	}
	return jsontext.Token{}, errNotQuick
}

func (q *quickTokens) ReadValue() (jsontext.Value, error) {
	if !q.next() || q.at == len(q.text) {
		return nil, errNotQuick
	}
	if n := len(q.levels); n > 0 && q.levels[n-1].object && !q.levels[n-1].named {
		return nil, errNotQuick
	}
	begin, end, ok := record.ValueEnd(q.text, q.at)
	if !ok {
		return nil, errNotQuick
	}
	q.at = end
	q.passed()
	return q.text[begin:end], nil
}

func (q *quickTokens) InputOffset() int64 { return int64(q.at) }
