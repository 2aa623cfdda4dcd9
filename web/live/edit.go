package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Edit replaces one value within a chart's option. At are the keys that lead to it: names in
// objects, indices in arrays. The index after an array's last adds To at its end.
type Edit struct {
	At []string        `json:"at"`
	To json.RawMessage `json:"to"`
}

// size returns about how many bytes the edit takes when sent.
func (e Edit) size() int {
	n := len(`{"at":[],"to":},`) + len(e.To)
	for _, key := range e.At {
		n += len(key) + len(`"",`)
	}
	return n
}

// edits returns the edits at a place that turn from into to, both of which are JSON; none if they are equal. They are never
// longer than one edit that replaces the whole value.
func edits(at []string, from, to json.RawMessage) []Edit {
	if bytes.Equal(from, to) {
		return nil
	}
	within, ok := editsWithin(at, from, to)
	size := 0
	for _, e := range within {
		size += e.size()
	}
	if whole := (Edit{at, to}); !ok || len(within) == 0 || size > whole.size() {
		return []Edit{{slices.Clone(at), to}}
	}
	return within
}

// editsWithin returns edits of an object's members, or of an array's elements; ok is false if from and to are not objects with
// the same names in one order, nor arrays of which from is neither empty nor the longer one.
func editsWithin(at []string, from, to json.RawMessage) (all []Edit, ok bool) {
	before, after := readValues(from), readValues(to)
	if before.kind == 0 || before.kind != after.kind {
		return nil, false
	}
	for i := 0; ; i++ {
		had, has := before.next(nil), after.next(before.value)
		switch {
		case before.broken || after.broken || i == 0 && !(had && has) || had && !has:
			return nil, false
		case !has:
			return all, true
		case after.kind == '{' && !(had && bytes.Equal(before.name, after.name)):
			return nil, false
		case !had:
			all = append(all, Edit{append(slices.Clone(at), strconv.Itoa(i)), after.value})
		case bytes.Equal(before.value, after.value):
		default:
			key := strconv.Itoa(i)
			if after.kind == '{' && json.Unmarshal(after.name, &key) != nil {
				return nil, false
			}
			all = append(all, edits(append(at, key), before.value, after.value)...)
		}
	}
}

// valueReader goes through the members of an object or the elements of an array.
type valueReader struct {
	text        json.RawMessage
	i           int             // where the next one begins
	kind        byte            // the bracket that begins it; 0 for anything else
	broken      bool            // it is not JSON
	name, value json.RawMessage // of the present one; only those of an object have names
}

func readValues(text json.RawMessage) valueReader {
	i := afterSpace(text, 0)
	if i == len(text) || text[i] != '{' && text[i] != '[' {
		return valueReader{}
	}
	return valueReader{text: text, i: afterSpace(text, i+1), kind: text[i]}
}

// next goes to the next one and reports whether there is one. It is fast where its value is the expected one.
func (m *valueReader) next(expected json.RawMessage) bool {
	m.name, m.value = nil, nil
	if m.i >= len(m.text) || m.text[m.i] == '}' || m.text[m.i] == ']' {
		m.broken = m.broken || m.i >= len(m.text) || afterSpace(m.text, m.i+1) != len(m.text)
		return false
	}
	if m.kind == '{' {
		end := afterValue(m.text, m.i)
		m.name, m.i = m.text[m.i:end], afterSpace(m.text, afterSpace(m.text, end)+1) // a colon
	}
	end := m.i + len(expected)
	if len(expected) == 0 || end >= len(m.text) || !bytes.Equal(m.text[m.i:end], expected) || afterValue(m.text, end) != end { // a number may go on
		end = afterValue(m.text, m.i)
	}
	if end <= m.i {
		m.broken = true
		return false
	}
	m.value = m.text[m.i:end]
	if m.i = afterSpace(m.text, end); m.i < len(m.text) && m.text[m.i] == ',' {
		m.i = afterSpace(m.text, m.i+1)
	}
	return true
}

// afterSpace returns where, from i on, white space ends.
func afterSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// afterValue returns where the value ends that begins at i.
func afterValue(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(text))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return min(i, len(text)) // an escape may be its last byte
}

// apply returns the option after the edit.
func (e Edit) apply(option json.RawMessage) (json.RawMessage, error) {
	from, to, err := locate(option, e.At)
	if err != nil {
		return nil, fmt.Errorf("live: an edit at %q: %w", e.At, err)
	}
	next := e.To
	if from == to { // at the end of an array
		next = append([]byte{','}, next...)
	}
	return slices.Concat(option[:from], next, option[to:]), nil
}

// locate returns where the value at a place is in text. For the index after an array's last element it is the end
// of the array, and empty.
func locate(text json.RawMessage, at []string) (from, to int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for _, key := range at {
		start, err := d.Token()
		if err != nil {
			return 0, 0, err
		}
		for i := 0; ; i++ {
			if !d.More() {
				if start == json.Delim('[') && i > 0 && key == strconv.Itoa(i) {
					end := int(d.InputOffset())
					return end, end, nil
				}
				return 0, 0, errors.New("there is no such place")
			}
			name := json.Token(strconv.Itoa(i))
			if start == json.Delim('{') {
				if name, err = d.Token(); err != nil {
					return 0, 0, err
				}
			}
			if name == key {
				break
			}
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return 0, 0, err
			}
		}
	}
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return 0, 0, err
	}
	end := int(d.InputOffset())
	return end - len(value), end, nil
}
