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
	whole := Edit{slices.Clone(at), to}
	within, ok := editsWithin(at, from, to)
	size := 0
	for _, e := range within {
		size += e.size()
	}
	if !ok || len(within) == 0 || size > whole.size() {
		return []Edit{whole}
	}
	return within
}

// editsWithin returns edits of an object's members, or of an array's elements; ok is false if from and to are not objects with
// the same names in one order, nor arrays of which from is neither empty nor the longer one.
func editsWithin(at []string, from, to json.RawMessage) (all []Edit, ok bool) {
	namesBefore, before, kindBefore := split(from)
	names, after, kind := split(to)
	if kind == 0 || kind != kindBefore || len(after) == 0 || len(before) == 0 || len(before) > len(after) || !slices.Equal(namesBefore, names) {
		return nil, false
	}
	for i, value := range after {
		switch {
		case i < len(before) && bytes.Equal(before[i], value):
			continue
		case kind == '{':
			all = append(all, edits(append(at, names[i]), before[i], value)...)
		case i < len(before):
			all = append(all, edits(append(at, strconv.Itoa(i)), before[i], value)...)
		default:
			all = append(all, Edit{append(slices.Clone(at), strconv.Itoa(i)), value})
		}
	}
	return all, true
}

// split returns the values of an object with their names, or of an array, and with which bracket it begins: 0 for anything else.
func split(value json.RawMessage) (names []string, values []json.RawMessage, kind byte) {
	i := afterSpace(value, 0)
	if i == len(value) || value[i] != '{' && value[i] != '[' {
		return nil, nil, 0
	}
	kind = value[i]
	for i = afterSpace(value, i+1); i < len(value) && value[i] != '}' && value[i] != ']'; {
		if kind == '{' {
			end, name := afterValue(value, i), ""
			if json.Unmarshal(value[i:end], &name) != nil {
				return nil, nil, 0
			}
			names = append(names, name)
			i = afterSpace(value, afterSpace(value, end)+1) // a colon
		}
		end := afterValue(value, i)
		if end <= i {
			return nil, nil, 0
		}
		values = append(values, value[i:end])
		if i = afterSpace(value, end); i < len(value) && value[i] == ',' {
			i = afterSpace(value, i+1)
		}
	}
	if i >= len(value) || afterSpace(value, i+1) != len(value) {
		return nil, nil, 0
	}
	return names, values, kind
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
