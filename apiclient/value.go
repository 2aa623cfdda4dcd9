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

// pluck is the value that the dotted path leads to in m; nil where there is none.
func valueAt(m map[string]json.RawMessage, path string) json.RawMessage {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return m[name]
	}
	return valueAt(object(m[name]), rest)
}

// scalar is a text or a number as text, empty for anything else.
func scalar(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// count is -1 for what is no count.
func count(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// truth is nil for what is neither true nor false.
func boolean(raw json.RawMessage) *bool {
	var b *bool
	if json.Unmarshal(raw, &b) != nil {
		return nil
	}
	return b
}
