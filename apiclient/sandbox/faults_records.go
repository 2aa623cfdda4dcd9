package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"housecount/apiclient/sandbox/idp"
)

// steadyFields are reported by all services, in every record that has them.
var unalteredFields = []string{"id", "title", "date", "available", "event_id", "status", "kind", "amount"}

// alters says that the fault changes an answer once it is there.
func (h hit) altersAnswer() bool {
	switch h.kind {
	case "truncate", "reset-body", "clock-skew", "vanish", "test-record", "unknown-status", "absent", "null":
		return true
	}
	return false
}

// alter changes a good answer.
func (h hit) alterAnswer(b *buffered, stream string) {
	switch h.kind {
	case "clock-skew":
		if date, err := http.ParseTime(b.header.Get("Date")); err == nil {
			b.header.Set("Date", date.Add(cmp.Or(h.delay, defaultSkew)).Format(http.TimeFormat))
		}
	case "vanish", "test-record", "unknown-status", "absent", "null":
		body, found := h.alterBody(b.body.Bytes())
		if !found {
			b.status = http.StatusNotFound
			b.header.Set("Content-Type", "application/problem+json")
			body = idp.ProblemBody(b.status, stream+" has no such record.")
		}
		b.body.Reset()
		b.body.Write(body)
		b.header.Del("ETag") // which is that of the true answer
		b.header.Set("Cache-Control", "no-store")
	}
}

// alterBody changes the rows of a list or the one record of an answer; found is false
// when that record shall be gone.
func (h hit) alterBody(body []byte) (altered []byte, found bool) {
	var envelope map[string]json.RawMessage
	data := json.RawMessage(body)
	if !bytes.HasPrefix(body, []byte("[")) {
		if json.Unmarshal(body, &envelope) != nil {
			return body, true // not an answer of ours to change
		}
		data = envelope["data"]
	}
	var rows []json.RawMessage
	single := json.Unmarshal(data, &rows) != nil
	if single {
		if h.kind == "vanish" {
			return nil, false
		}
		if h.kind == "test-record" {
			return body, true
		}
		rows = []json.RawMessage{data}
	}
	if len(rows) == 0 {
		return body, true
	}
	rows = h.alterRows(rows)
	data = toJSON(rows)
	if single {
		data = rows[0]
	}
	if envelope == nil {
		return data, true
	}
	envelope["data"] = data
	return toJSON(envelope), true
}

// alterRows changes the rows of a page, of which there is at least one: one of them, or
// for the faults of fields about one in eight.
func (h hit) alterRows(rows []json.RawMessage) []json.RawMessage {
	n := h.rng.IntN(len(rows))
	switch h.kind {
	case "vanish":
		return slices.Delete(rows, n, n+1)
	case "test-record":
		return slices.Insert(rows, n, withChange(rows[n], func(row map[string]json.RawMessage) {
			var id string
			_ = json.Unmarshal(row["id"], &id) // it is ours, and a text
			row["id"], row["test"] = toJSON(id+"_test"), json.RawMessage("true")
		}))
	}
	for i := range rows {
		if i == n || h.rng.chance(.125) {
			rows[i] = withChange(rows[i], h.alterRow)
		}
	}
	return rows
}

func (h hit) alterRow(row map[string]json.RawMessage) {
	if h.kind == "unknown-status" {
		row["status"] = json.RawMessage(`"under_review"`)
		return
	}
	fields := slices.DeleteFunc(slices.Sorted(maps.Keys(row)), func(name string) bool { return slices.Contains(unalteredFields, name) })
	if len(fields) == 0 {
		return
	}
	name := fields[h.rng.IntN(len(fields))]
	if h.kind == "null" {
		row[name] = json.RawMessage("null")
	} else {
		delete(row, name)
	}
}

// edited is a record with a change.
func withChange(record json.RawMessage, change func(map[string]json.RawMessage)) json.RawMessage {
	var row map[string]json.RawMessage
	if json.Unmarshal(record, &row) != nil {
		return record
	}
	change(row)
	return toJSON(row)
}

// encoded is v as JSON; v is made of what was JSON before.
func toJSON(v any) json.RawMessage {
	body, _ := json.Marshal(v)
	return body
}

// buffered holds an answer back.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header { return b.header }

func (b *buffered) WriteHeader(status int) { b.status = status }

func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }
