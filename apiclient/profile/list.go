package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// These walk through JSON by its brackets and strings alone, which costs a tenth of
// reading it. What is between is not looked at: json.Unmarshal or json.Valid has to see
// every value that they find, and does.

// space returns the first place in b at or after i that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// value returns the end of the value that begins at b[i].
func value(b []byte, i int) (int, error) {
	if i >= len(b) {
		return 0, io.ErrUnexpectedEOF
	}
	switch b[i] {
	case '"':
		return quoted(b, i)
	case '{', '[':
	default:
		start := i
		for i < len(b) && strings.IndexByte(",]} \n\t\r", b[i]) < 0 {
			i++
		}
		if i == start {
			return 0, ErrSyntax
		}
		return i, nil
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, err := quoted(b, i)
			if err != nil {
				return 0, err
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
		i++
	}
	return 0, io.ErrUnexpectedEOF
}

// quoted returns the end of the string that begins at b[i].
func quoted(b []byte, i int) (int, error) {
	for i++; i < len(b); i++ {
		if b[i] == '"' {
			return i + 1, nil
		}
		if b[i] == '\\' {
			i++
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// sequence calls each with the place of every entry of the array or object that begins
// at b[i], and returns its end; each returns the end of the entry.
func sequence(b []byte, i int, closing byte, each func(i int) (int, error)) (int, error) {
	if i = space(b, i+1); i < len(b) && b[i] == closing {
		return i + 1, nil
	}
	for {
		end, err := each(i)
		if err != nil {
			return 0, err
		}
		i = space(b, end)
		switch {
		case i >= len(b):
			return 0, io.ErrUnexpectedEOF
		case b[i] == closing:
			return i + 1, nil
		case b[i] != ',':
			return 0, ErrSyntax
		}
		i = space(b, i+1)
	}
}

// array returns the entries of the array that begins at b[i], at most MaxRows+1 of them,
// and its end.
func array(b []byte, i int) (entries [][]byte, end int, err error) {
	entries = [][]byte{} // an empty list is one
	end, err = sequence(b, i, ']', func(i int) (int, error) {
		end, err := value(b, i)
		if err == nil && len(entries) <= MaxRows {
			entries = append(entries, b[i:end])
		}
		return end, err
	})
	return entries, end, err
}

// member is one member of an object: its text, and its entries if it is an array.
type member struct {
	name    string
	text    []byte
	entries [][]byte // nil for what is no array
}

// maxMembers is the number of members of an object that are looked at.
const maxMembers = 1000

// members returns the members of the object that begins at b[i], at most as many as most,
// and its end.
func members(b []byte, i, most int) (all []member, end int, err error) {
	end, err = sequence(b, i, '}', func(i int) (int, error) {
		if len(all) == most {
			return 0, SizeError(fmt.Sprintf("more than %d members around the list", most))
		}
		if i >= len(b) {
			return 0, io.ErrUnexpectedEOF
		}
		if b[i] != '"' {
			return 0, ErrSyntax
		}
		end, err := quoted(b, i)
		if err != nil {
			return 0, err
		}
		var m member
		if json.Unmarshal(b[i:end], &m.name) != nil {
			return 0, ErrSyntax
		}
		if i = space(b, end); i >= len(b) {
			return 0, io.ErrUnexpectedEOF
		}
		if b[i] != ':' {
			return 0, ErrSyntax
		}
		i = space(b, i+1)
		if i < len(b) && b[i] == '[' {
			m.entries, end, err = array(b, i)
		} else {
			end, err = value(b, i)
		}
		if err != nil {
			return 0, err
		}
		m.text = b[i:end]
		all = append(all, m)
		return end, nil
	})
	return all, end, err
}

// List is a JSON document with a list of records in it.
type List struct {
	Name     string // of the member that is the list; empty for a bare array
	Embedded bool   // it is a member of _embedded
	Rows     [][]byte
	// Text is the list itself, nil for one that is not an array.
	Text   []byte
	Around map[string]json.RawMessage // the other members; nil for a bare array
}

var errNoList = errors.New("the answer is JSON, but no object with a list, such as data")

// ListNames are the names that a list usually has, the likeliest first.
var ListNames = []string{"data", "results", "items", "content", "records"}

// Find reads body as a document with a list in it, and finds the list: where path says, or
// else a bare array, the member with one of the usual names, the only array in _embedded,
// or the only array there is. With eachKey it is an object of which every member is a row.
// The rows have not been looked at; all else is JSON. The error is ErrSyntax,
// io.ErrUnexpectedEOF for a text that is cut short, a SizeError, or says why there is no list.
func Find(body []byte, path string, eachKey bool) (*List, error) {
	i := space(body, 0)
	if i >= len(body) {
		return nil, io.ErrUnexpectedEOF
	}
	var l List
	var all []member
	var end int
	var err error
	switch {
	case path == "." && !eachKey:
		if end, err = value(body, i); err == nil {
			l.Rows = [][]byte{body[i:end]}
		}
	case path == "." || path == "" && eachKey:
		l.Rows, end, err = eachMember(body, i)
	case body[i] == '[' && path == "":
		if l.Rows, end, err = array(body, i); err == nil {
			l.Text = body[i:end]
		}
	case body[i] == '{':
		all, end, err = members(body, i, maxMembers)
	default:
		if !json.Valid(body) {
			return nil, ErrSyntax
		}
		return nil, errNoList
	}
	if err != nil {
		return nil, err
	}
	if space(body, end) != len(body) {
		return nil, errors.New("something follows the JSON")
	}
	switch {
	case all == nil && l.Rows == nil: // an empty object
		return nil, errNoList
	case all == nil:
	case path != "":
		err = l.descend(all, strings.Split(path, "."), eachKey)
	default:
		err = l.choose(all)
	}
	if err != nil {
		return nil, err
	}
	if len(l.Rows) > MaxRows {
		return nil, SizeError(fmt.Sprintf("more than %d rows on a page", MaxRows))
	}
	return &l, nil
}

// eachMember makes a row of every member of the object that begins at b[i]: its value, if
// that is an object, with the member's name as its key.
func eachMember(b []byte, i int) (entries [][]byte, end int, err error) {
	if b[i] != '{' {
		return nil, 0, errNoList
	}
	all, end, err := members(b, i, MaxRows+1)
	entries = make([][]byte, len(all))
	for i, m := range all {
		entries[i] = m.text
		if m.text[0] != '{' || m.text[len(m.text)-1] != '}' {
			continue // what it is, is seen when it is read
		}
		name, _ := json.Marshal(m.name) // cannot fail for a string
		row := append([]byte{}, m.text[:len(m.text)-1]...)
		if space(row, 1) < len(row) {
			row = append(row, ',')
		}
		row = append(row, `"key":`...) // the last one of a name is the one that counts
		entries[i] = append(append(row, name...), '}')
	}
	return entries, end, err
}

// descend finds the list among all by the names that lead to it.
func (l *List) descend(all []member, path []string, eachKey bool) error {
	l.Around = map[string]json.RawMessage{}
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
			case !json.Valid(m.text):
				return ErrSyntax
			}
			if depth == 0 && (i != at || len(path) > 1) {
				l.Around[m.name] = m.text // object looks at the part around the list
			}
		}
		found, last := all[at], depth == len(path)-1
		var err error
		switch {
		case string(found.text) == "null":
			l.Rows = [][]byte{}
		case last && eachKey:
			l.Rows, _, err = eachMember(found.text, 0)
		case last && found.entries != nil:
			l.Rows, l.Text = found.entries, found.text
		case !last && found.text[0] == '{':
			all, _, err = members(found.text, 0, maxMembers)
		default:
			if !json.Valid(found.text) {
				return ErrSyntax
			}
			return fmt.Errorf("the answer has no list at %s", strings.Join(path, "."))
		}
		if err != nil || l.Rows != nil {
			l.Name, l.Embedded = path[len(path)-1], path[0] == "_embedded"
			return err
		}
	}
	return nil
}

// choose takes the list and what is around it from the members of the document.
func (l *List) choose(all []member) error {
	var inner []member // of _embedded
	for _, m := range all {
		if m.name == "_embedded" && m.text[0] == '{' {
			if inner != nil {
				return errors.New("the answer has _embedded twice")
			}
			var err error
			if inner, _, err = members(m.text, 0, maxMembers); err != nil {
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
		return noList(append(arrays(all, ""), arrays(inner, "_embedded.")...))
	}
	l.Name, l.Rows, l.Text, l.Around = in[at].name, in[at].entries, in[at].text, map[string]json.RawMessage{}
	nested := &in[0] != &all[0]
	for i, m := range in {
		switch {
		case i == at:
		case m.name == l.Name && m.entries != nil:
			return fmt.Errorf("the answer has two lists named %s", record.PrintableID(l.Name))
		case !json.Valid(m.text):
			return ErrSyntax
		case !nested:
			l.Around[m.name] = m.text
		}
	}
	if !nested {
		return nil
	}
	l.Embedded = true
	for _, m := range all {
		if m.name == "_embedded" {
			continue // its members have been looked at, and the rows will be
		}
		if !json.Valid(m.text) {
			return ErrSyntax
		}
		l.Around[m.name] = m.text
	}
	return nil
}

// onlyArray is the place of the only array among all, -1 when there is none or several.
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

// arrays names the arrays among all.
func arrays(all []member, before string) (names []string) {
	for _, m := range all {
		if m.entries != nil {
			names = append(names, before+m.name)
		}
	}
	return names
}

// noList says which arrays might have been meant.
func noList(candidates []string) error {
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
