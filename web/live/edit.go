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

// edits returns the edits at a place that turn from into to; none if they are equal. They are never longer than
// one edit that replaces the whole value.
func edits(at []string, from, to json.RawMessage) []Edit {
	if bytes.Equal(from, to) {
		return nil
	}
	whole := Edit{slices.Clone(at), to}
	size := 0
	within, ok := editsOfMembers(at, from, to)
	if !ok {
		within, ok = editsOfElements(at, from, to)
	}
	for _, e := range within {
		size += e.size()
	}
	if !ok || len(within) == 0 || size > whole.size() {
		return []Edit{whole}
	}
	return within
}

// editsOfMembers returns edits of an object's members; ok is false if from and to are not objects with the same
// names.
func editsOfMembers(at []string, from, to json.RawMessage) (all []Edit, ok bool) {
	a, namesBefore := parseObject(from)
	b, names := parseObject(to)
	if len(names) == 0 || !slices.Equal(namesBefore, names) {
		return nil, false
	}
	for _, name := range names {
		all = append(all, edits(append(at, name), a[name], b[name])...)
	}
	return all, true
}

// parseObject returns an object's values, and their names in order; both nil for anything else.
func parseObject(value json.RawMessage) (map[string]json.RawMessage, []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, nil
	}
	values, names := make(map[string]json.RawMessage), []string(nil)
	for d.More() {
		name, err := d.Token()
		var v json.RawMessage
		if err != nil || d.Decode(&v) != nil {
			return nil, nil
		}
		names = append(names, name.(string)) // the decoder ensures that it is a string
		values[name.(string)] = v
	}
	if _, err := d.Token(); err != nil || int(d.InputOffset()) != len(value) {
		return nil, nil
	}
	return values, names
}

// editsOfElements returns edits of an array's elements; ok is false if from and to are not arrays, or from is
// empty or the longer one.
func editsOfElements(at []string, from, to json.RawMessage) (all []Edit, ok bool) {
	var a, b []json.RawMessage
	if json.Unmarshal(from, &a) != nil || json.Unmarshal(to, &b) != nil || len(a) == 0 || len(a) > len(b) {
		return nil, false
	}
	for i := range b {
		var before json.RawMessage
		if i < len(a) {
			before = a[i]
		}
		all = append(all, edits(append(at, strconv.Itoa(i)), before, b[i])...)
	}
	return all, true
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
