package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"housecount/apiclient/sandbox/idp"
)

// unalteredFields are in the records of every service, so no fault removes them.
var unalteredFields = []string{"id", "title", "date", "available", "event_id", "status", "kind", "amount"}

// altersAnswer reports whether the fault changes a finished response.
func (h hit) altersAnswer() bool {
	switch h.kind {
	case "truncate", "reset-body", "clock-skew", "vanish", "test-record", "unknown-status", "absent", "null":
		return true
	}
	return false
}

// alterAnswer changes a response with status 200.
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
		b.header.Del("ETag")
		b.header.Set("Cache-Control", "no-store")
	}
}

// alterBody changes the rows of a list, or a single record. If found is false, the response must be 404 instead.
func (h hit) alterBody(body []byte) (altered []byte, found bool) {
	var envelope map[string]json.RawMessage
	data := json.RawMessage(body)
	if !bytes.HasPrefix(body, []byte("[")) {
		if json.Unmarshal(body, &envelope) != nil {
			return body, true // not a JSON object: leave it unchanged
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

// alterRows changes one row of a page with at least one row. The faults of fields also change about one in eight
// of the others.
func (h hit) alterRows(rows []json.RawMessage) []json.RawMessage {
	n := h.rng.IntN(len(rows))
	switch h.kind {
	case "vanish":
		if h.chance(.5) {
			var parts []json.RawMessage
			rows[n] = withChange(rows[n], func(row map[string]json.RawMessage) {
				if parts = ticketsOf(row); len(parts) > 1 {
					row["tickets"] = toJSON(parts[1:]) // of an order, a ticket
				}
			})
			if len(parts) > 1 {
				return rows
			}
		}
		return slices.Delete(rows, n, n+1)
	case "test-record":
		return slices.Insert(rows, n, withChange(rows[n], func(row map[string]json.RawMessage) {
			var id string
			_ = json.Unmarshal(row["id"], &id) // cannot fail: every id is a string
			row["id"], row["test"] = toJSON(id+"_test"), json.RawMessage("true")
		}))
	}
	for i := range rows {
		if i == n || h.chance(.125) {
			rows[i] = withChange(rows[i], h.alterRow)
		}
	}
	return rows
}

// alterRow changes a field of a row; of an order, half of the time one of a ticket in it.
func (h hit) alterRow(row map[string]json.RawMessage) {
	if parts := ticketsOf(row); len(parts) > 0 && h.chance(.5) {
		i := h.rng.IntN(len(parts))
		parts[i] = withChange(parts[i], h.alterRow)
		row["tickets"] = toJSON(parts)
		return
	}
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

// ticketsOf returns the tickets of an order; nil for another row.
func ticketsOf(row map[string]json.RawMessage) (parts []json.RawMessage) {
	_ = json.Unmarshal(row["tickets"], &parts) // of another row, there are none
	return parts
}

// withChange returns a record after a change.
func withChange(record json.RawMessage, change func(map[string]json.RawMessage)) json.RawMessage {
	var row map[string]json.RawMessage
	if json.Unmarshal(record, &row) != nil {
		return record
	}
	change(row)
	return toJSON(row)
}

// toJSON encodes v, which consists of decoded JSON and cannot fail.
func toJSON(v any) json.RawMessage {
	body, _ := json.Marshal(v)
	return body
}

// buffered is a ResponseWriter that stores the response.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header { return b.header }

func (b *buffered) WriteHeader(status int) { b.status = status }

func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }
