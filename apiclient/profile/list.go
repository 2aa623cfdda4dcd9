package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"housecount/apiclient/record"
)

// MaxRows is the most rows that a list may have.
const MaxRows = 200_000

// textReader reads the values of a JSON text and returns them as slices of it.
type textReader struct {
	text []byte
	tokenReader
}

// readQuickly returns a reader of text that gives up where readText may not.
func readQuickly(text []byte) textReader { return textReader{text, &quickTokens{text: text}} }

// readText returns a reader of text. Invalid UTF-8 and duplicate names are left to the decoder of
// the rows.
func readText(text []byte) textReader {
	return textReader{text, jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// readError returns io.ErrUnexpectedEOF for a text that is cut short, else ErrSyntax.
func (r textReader) readError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return ErrSyntax
}

// value returns the text of the next value.
func (r textReader) value() ([]byte, error) {
	v, err := r.ReadValue()
	if err != nil {
		return nil, r.readError(err)
	}
	end := r.InputOffset()
	return r.text[end-int64(len(v)) : end], nil
}

// entries calls each for every entry of the next array or object and returns the text of the whole.
func (r textReader) entries(closing jsontext.Kind, each func() error) ([]byte, error) {
	if _, err := r.ReadToken(); err != nil {
		return nil, r.readError(err)
	}
	begin := r.InputOffset() - 1
	for r.PeekKind() != closing {
		if err := each(); err != nil {
			return nil, err
		}
	}
	if _, err := r.ReadToken(); err != nil {
		return nil, r.readError(err)
	}
	return r.text[begin:r.InputOffset()], nil
}

// array returns the entries of the next array, at most MaxRows+1, and its text.
func (r textReader) array() (entries [][]byte, text []byte, err error) {
	entries = [][]byte{} // an empty list is not nil
	text, err = r.entries(']', func() error {
		v, err := r.value()
		if len(entries) <= MaxRows {
			entries = append(entries, v)
		}
		return err
	})
	return entries, text, err
}

// member is a member of an object: its text and, if it is an array, its entries.
type member struct {
	name    string
	text    []byte
	entries [][]byte // nil if it is not an array
}

// maxMembers is the most members of an object that are read.
const maxMembers = 1000

// members returns the members of the next object, or a SizeError if there are more than most.
func (r textReader) members(most int) (all []member, err error) {
	_, err = r.entries('}', func() error {
		if len(all) == most {
			return SizeError(fmt.Sprintf("more than %d members around the list", most))
		}
		name, err := r.ReadToken()
		if err != nil {
			return r.readError(err)
		}
		m := member{name: name.String()}
		if r.PeekKind() == '[' {
			m.entries, m.text, err = r.array()
		} else {
			m.text, err = r.value()
		}
		all = append(all, m)
		return err
	})
	return all, err
}

// List is a JSON document with a list of rows in it.
type List struct {
	Name     string // of the member that is the list; empty for a bare array
	Embedded bool   // the list is a member of _embedded
	Rows     [][]byte
	// Text is the list itself, nil if it is not an array.
	Text     []byte
	Envelope map[string]json.RawMessage // the other members; nil for a bare array
}

var errNoList = errors.New("the answer is JSON, but no object with a list, such as data")

// ListNames are the usual names of a list, likeliest first.
var ListNames = []string{"data", "results", "items", "content", "records"}

// Find finds the list in body: at path or, if that is empty, a bare array, the member with one of
// the usual names, the only array in _embedded, or the only array in the document. With eachKey the
// list is an object each of whose members is a row. The rows are not decoded; everything else is
// checked to be JSON. The error is ErrSyntax, io.ErrUnexpectedEOF for a text that is cut short, a
// SizeError, or says why there is no list.
func Find(body []byte, path string, eachKey bool) (*List, error) {
	if l, err := findIn(readQuickly(body), path, eachKey); err == nil {
		return l, nil
	}
	return findIn(readText(body), path, eachKey)
}

func findIn(r textReader, path string, eachKey bool) (*List, error) {
	var l List
	var all []member
	var err error
	switch kind := r.PeekKind(); {
	case path == "." && !eachKey:
		l.Rows = make([][]byte, 1)
		l.Rows[0], err = r.value()
		err = cmp.Or(err, r.end())
	case path == "." || path == "" && eachKey:
		l.Rows, err = r.eachMember()
		err = cmp.Or(err, r.end())
	case kind == '[' && path == "":
		l.Rows, l.Text, err = r.array()
		err = cmp.Or(err, r.end())
	case kind == '{':
		all, err = r.members(maxMembers)
		if err = cmp.Or(err, r.end()); err != nil {
			break
		}
		switch {
		case all == nil: // an empty object
			err = errNoList
		case path != "":
			err = l.findAt(all, strings.Split(path, "."), eachKey)
		default:
			err = l.findUsual(all)
		}
	default:
		_, err = r.value()
		err = cmp.Or(err, errNoList)
	}
	if err == nil && len(l.Rows) > MaxRows {
		err = SizeError(fmt.Sprintf("more than %d rows on a page", MaxRows))
	}
	if err != nil {
		return nil, err
	}
	return &l, nil
}

// Find finds the list in the body of a response, as the stream's rules say.
func (s *StreamRule) Find(body []byte) (*List, error) {
	if s.Format == FormatLines {
		return findLines(body)
	}
	return Find(body, s.List, s.EachKey)
}

// findLines returns the rows of a body with a row of JSON on each line. Empty lines are skipped.
func findLines(body []byte) (*List, error) {
	l := &List{Rows: [][]byte{}}
	for line := range bytes.Lines(body) {
		row := bytes.TrimSpace(line)
		if len(row) == 0 {
			continue
		}
		if len(l.Rows) == MaxRows {
			return nil, SizeError(fmt.Sprintf("more than %d rows on a page", MaxRows))
		}
		r := readText(row)
		if _, err := r.value(); err != nil {
			return nil, err
		}
		if err := r.end(); err != nil {
			return nil, err
		}
		l.Rows = append(l.Rows, row)
	}
	return l, nil
}

// end returns an error if more text follows.
func (r textReader) end() error {
	if _, err := r.ReadToken(); err != io.EOF {
		return errors.New("something follows the JSON")
	}
	return nil
}

// eachMember returns the values of the next object's members as rows. A value that is an object
// gets the member's name as its "key".
func (r textReader) eachMember() (rows [][]byte, err error) {
	if r.PeekKind() != '{' {
		_, err := r.value()
		return nil, cmp.Or(err, errNoList)
	}
	all, err := r.members(MaxRows + 1)
	rows = make([][]byte, len(all))
	for i, m := range all {
		rows[i] = m.text
		if len(m.text) == 0 || m.text[0] != '{' {
			continue // mapping the row reports what is wrong
		}
		name, _ := json.Marshal(m.name) // cannot fail for a string
		row := append([]byte{}, m.text[:len(m.text)-1]...)
		if len(bytes.TrimSpace(row)) > 1 {
			row = append(row, ',')
		}
		row = append(row, `"key":`...) // the decoder uses the last of duplicate names
		rows[i] = append(append(row, name...), '}')
	}
	return rows, err
}

// findAt finds the list at a path.
func (l *List) findAt(all []member, path []string, eachKey bool) error {
	l.Envelope = map[string]json.RawMessage{}
	for depth, name := range path {
		at := slices.IndexFunc(all, func(m member) bool { return m.name == name })
		if at < 0 {
			return fmt.Errorf("the answer has nothing at %s", strings.Join(path[:depth+1], "."))
		}
		for i, m := range all {
			switch {
			case i == at:
			case m.name == name:
				return fmt.Errorf("the answer has two members named %s", record.PrintableID(name))
			}
			if depth == 0 && (i != at || len(path) > 1) {
				l.Envelope[m.name] = m.text // with the member that contains the list, for dotted paths
			}
		}
		found, last := all[at], depth == len(path)-1
		var err error
		switch {
		case string(found.text) == "null":
			l.Rows = [][]byte{}
		case last && eachKey:
			l.Rows, err = readText(found.text).eachMember()
		case last && found.entries != nil:
			l.Rows, l.Text = found.entries, found.text
		case !last && found.text[0] == '{':
			all, err = readText(found.text).members(maxMembers)
		default:
			return fmt.Errorf("the answer has no list at %s", strings.Join(path, "."))
		}
		if err != nil || l.Rows != nil {
			l.Name, l.Embedded = path[len(path)-1], path[0] == "_embedded"
			return err
		}
	}
	return nil
}

// findUsual finds the list by the usual names and sets the envelope around it.
func (l *List) findUsual(all []member) error {
	var inner []member // of _embedded
	for _, m := range all {
		if m.name == "_embedded" && m.text[0] == '{' {
			if inner != nil {
				return errors.New("the answer has _embedded twice")
			}
			var err error
			if inner, err = readText(m.text).members(maxMembers); err != nil {
				return err
			}
		}
	}
	at, in := -1, all
	for _, name := range ListNames {
		if at = slices.IndexFunc(all, func(m member) bool { return m.name == name && m.entries != nil }); at >= 0 {
			break
		}
	}
	if at < 0 {
		if at = onlyArray(inner); at >= 0 {
			in = inner
		} else {
			at = onlyArray(all)
		}
	}
	if at < 0 {
		return ambiguousList(append(arrays(all, ""), arrays(inner, "_embedded.")...))
	}
	l.Name, l.Rows, l.Text, l.Envelope = in[at].name, in[at].entries, in[at].text, map[string]json.RawMessage{}
	nested := &in[0] != &all[0]
	for i, m := range in {
		switch {
		case i == at:
		case m.name == l.Name && m.entries != nil:
			return fmt.Errorf("the answer has two lists named %s", record.PrintableID(l.Name))
		case !nested:
			l.Envelope[m.name] = m.text
		}
	}
	if !nested {
		return nil
	}
	l.Embedded = true
	for _, m := range all {
		if m.name == "_embedded" {
			continue // its other members are not part of the envelope
		}
		l.Envelope[m.name] = m.text
	}
	return nil
}

// onlyArray returns the index of the only array among all, -1 if there are none or several.
func onlyArray(all []member) int {
	at := -1
	for i, m := range all {
		if m.entries == nil {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// arrays returns the names of the arrays among all.
func arrays(all []member, before string) (names []string) {
	for _, m := range all {
		if m.entries != nil {
			names = append(names, before+m.name)
		}
	}
	return names
}

// ambiguousList returns the error of a document with several possible lists, or none.
func ambiguousList(candidates []string) error {
	if len(candidates) == 0 {
		return errNoList
	}
	const most = 10
	more := ""
	if len(candidates) > most {
		candidates, more = candidates[:most], " and more"
	}
	shown := make([]string, len(candidates))
	for i, name := range candidates {
		shown[i] = record.Cut(record.PrintableID(name), 40)
	}
	return fmt.Errorf("the answer has several lists, none with a usual name: %s%s", strings.Join(shown, ", "), more)
}

// ErrSyntax is returned for a text that is not JSON.
var ErrSyntax = errors.New("the answer is not JSON")

// SizeError is returned for a list, or the records it becomes, that exceed a limit.
type SizeError string

func (e SizeError) Error() string { return string(e) }
