package charts

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Most of an option is the points of its series, which are numbers and short texts. They are written here, and the rest by
// json.Marshal; the whole is what json.Marshal would make of it.

// dataless is how a series without points is written, up to what follows them.
var dataless = []byte(`"data":null,"dimensions":`)

// encode returns an option as JSON.
func encode(o map[string]any) (json.RawMessage, error) {
	series := o["series"].([]Series)
	bare, size := slices.Clone(series), 0
	for i := range bare {
		bare[i].Data = nil
		size += len(series[i].Data) * 32
	}
	o["series"] = bare
	rest, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	all := make([]byte, 0, len(rest)+size)
	for i := range series {
		before, after, _ := bytes.Cut(rest, dataless)
		all = append(append(all, before...), `"data":`...)
		if all, err = appendPoints(all, series[i].Data); err != nil {
			return nil, err
		}
		all, rest = append(all, `,"dimensions":`...), after
	}
	return append(all, rest...), nil
}

func appendPoints(b []byte, points []Point) (_ []byte, err error) {
	if points == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i := range points {
		if i > 0 {
			b = append(b, ',')
		}
		p := &points[i]
		if p.ItemStyle != nil || p.Label != nil || p.Symbol != "" || p.SymbolSize != 0 {
			if b, err = appendJSON(b, p); err != nil {
				return nil, err
			}
			continue
		}
		b = append(b, `{"value":[`...)
		for k, v := range p.Value {
			if k > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, v); err != nil {
				return nil, err
			}
		}
		b = append(b, "]}"...)
	}
	return append(b, ']'), nil
}

// appendValue appends a value of a point.
func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case float64:
		if of := math.Abs(v); of == 0 || 1e-6 <= of && of < 1e21 {
			return strconv.AppendFloat(b, v, 'f', -1, 64), nil
		}
	case string:
		if plainText(v) {
			return append(append(append(b, '"'), v...), '"'), nil
		}
	}
	return appendJSON(b, v)
}

// plainText reports whether a text is JSON as it is.
func plainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&', c == 0xe2: // 0xe2 begins the separators of lines
			return false
		}
	}
	return utf8.ValidString(s)
}

func appendJSON(b []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(b, text...), err
}
