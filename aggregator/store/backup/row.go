package backup

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// lineWriter writes rows, many at once.
type lineWriter struct {
	to  io.Writer
	sum io.Writer
	b   []byte
}

// row writes a row: an array of its values. A blob is an object with its bytes in base64.
func (l *lineWriter) row(columns []string, values []any) error {
	l.b = append(l.b, '[')
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			l.b = append(l.b, "null,"...)
		case int64:
			l.b = append(strconv.AppendInt(l.b, v, 10), ',')
		case string:
			l.text(v)
		case []byte:
			l.bytes("x", v)
		default:
			return fmt.Errorf("a value of the column %s is of the type %T", columns[i], v)
		}
	}
	l.b[len(l.b)-1] = ']' // replaces the last comma
	l.b = append(l.b, '\n')
	if len(l.b) < 1<<16 {
		return nil
	}
	return l.flush()
}

func (l *lineWriter) flush() error {
	l.sum.Write(l.b)
	_, err := l.to.Write(l.b)
	l.b = l.b[:0]
	return err
}

// text writes a text, of any bytes: JSON has no place for those that are no UTF-8.
func (l *lineWriter) text(s string) {
	if !utf8.ValidString(s) {
		l.bytes("t", []byte(s))
		return
	}
	l.b = append(l.b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		l.b = append(l.b, s[from:i]...)
		from = i + 1
		if c >= ' ' {
			l.b = append(l.b, '\\', c)
		} else {
			const digits = "0123456789abcdef"
			l.b = append(l.b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	l.b = append(append(l.b, s[from:]...), '"', ',')
}

// bytes writes an object with one field: bytes in base64.
func (l *lineWriter) bytes(name string, b []byte) {
	l.b = append(append(append(l.b, `{"`...), name...), `":"`...)
	l.b = append(base64.StdEncoding.AppendEncode(l.b, b), `"},`...)
}

var errNoRow = errors.New("is no row of a backup")

// parseRow reads a line that lineWriter wrote into values, one for each column.
func parseRow(line []byte, values []any) error {
	rest, ok := bytes.CutPrefix(line, []byte("["))
	if !ok {
		return errNoRow
	}
	for i := range values {
		var err error
		if values[i], rest, err = parseValue(rest); err != nil {
			return err
		}
		end := byte(',')
		if i == len(values)-1 {
			end = ']'
		}
		if len(rest) == 0 || rest[0] != end {
			return errNoRow
		}
		rest = rest[1:]
	}
	if len(rest) != 0 {
		return errNoRow
	}
	return nil
}

// parseValue reads a value from the beginning of b and returns it as an int64, string, []byte or nil.
func parseValue(b []byte) (value any, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, errNoRow
	}
	switch b[0] {
	case 'n':
		rest, ok := bytes.CutPrefix(b, []byte("null"))
		if !ok {
			return nil, nil, errNoRow
		}
		return nil, rest, nil
	case '"':
		return parseText(b)
	case '{':
		end := bytes.IndexByte(b, '}')
		if end < 0 {
			return nil, nil, errNoRow
		}
		var of struct{ X, T *[]byte }
		if err := json.Unmarshal(b[:end+1], &of); err != nil {
			return nil, nil, err
		}
		switch {
		case of.X != nil:
			return *of.X, b[end+1:], nil
		case of.T != nil:
			return string(*of.T), b[end+1:], nil
		}
		return nil, nil, errNoRow
	}
	end := bytes.IndexAny(b, ",]")
	if end < 0 {
		return nil, nil, errNoRow
	}
	n, err := strconv.ParseInt(string(b[:end]), 10, 64)
	return n, b[end:], err
}

// parseText reads a JSON string.
func parseText(b []byte) (value any, rest []byte, err error) {
	escaped := false
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			if !escaped {
				return string(b[1:i]), b[i+1:], nil
			}
			var s string
			err := json.Unmarshal(b[:i+1], &s)
			return s, b[i+1:], err
		}
	}
	return nil, nil, errNoRow
}
