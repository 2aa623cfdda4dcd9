package apiclient

import (
	"encoding/json"
	"strconv"
	"strings"
)

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

func object(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// valueAt returns the value at the dotted path in m, nil if there is none.
func valueAt(m map[string]json.RawMessage, path string) json.RawMessage {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return m[name]
	}
	return valueAt(object(m[name]), rest)
}

// scalar returns a string or an integer as a string, empty for anything else.
func scalar(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// count returns a non-negative integer, -1 for anything else.
func count(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// boolean returns nil for anything but true and false.
func boolean(raw json.RawMessage) *bool {
	var b *bool
	if json.Unmarshal(raw, &b) != nil {
		return nil
	}
	return b
}
