package profile_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

var update = flag.Bool("update", false, "write the golden files of the built-in profiles anew")

// golden is the expected result of a sample.
type golden struct {
	Kept    []map[string]any  `json:"kept,omitempty"`
	Records []json.RawMessage `json:"records,omitempty"`
	Refused []refusal         `json:"refused,omitempty"`
}

type refusal struct {
	Kind  record.Kind `json:"kind,omitempty"`
	ID    string      `json:"id,omitempty"`
	Field string      `json:"field,omitempty"`
	Why   string      `json:"why"`
}

// TestBuiltinSamples runs every built-in profile of another service over responses in the service's
// documented form. A sample is named after its stream and, if the list is read for several parent
// rows, after the key of the parent.
func TestBuiltinSamples(t *testing.T) {
	for _, name := range profile.BuiltinNames() {
		if _, err := os.Stat(filepath.Join("builtin", "testdata", name)); err != nil {
			continue // our own records, or one that is tested with a house of its own
		}
		t.Run(name, func(t *testing.T) {
			p, err := profile.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			vars := p.Vars
			for name, value := range vars {
				if value == "" {
					vars[name] = "havendam"
				}
			}
			if p, err = p.With(vars); err != nil {
				t.Fatal(err)
			}
			s := samples{t: t, p: p, dir: filepath.Join("builtin", "testdata", name), shared: map[string][]map[string]any{}}
			for _, rule := range p.Streams {
				s.stream(rule)
			}
			s.reportUnused()
		})
	}
}

// samples maps the samples of one profile, stream by stream.
type samples struct {
	t      *testing.T
	p      *profile.Profile
	dir    string
	shared map[string][]map[string]any // by stream, in the order of the rows
	read   []string
}

func (s *samples) stream(rule *profile.Stream) {
	files, err := filepath.Glob(filepath.Join(s.dir, rule.Name+".*json"))
	if err != nil {
		s.t.Fatal(err)
	}
	given := map[record.Kind]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") {
			continue
		}
		_, key, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), ".")
		got := s.sample(rule, file, key)
		for _, r := range got.Records {
			var report struct{ Record record.Kind }
			if err := json.Unmarshal(r, &report); err != nil {
				s.t.Fatal(err)
			}
			given[report.Record] = true
		}
		want := strings.TrimSuffix(file, ".json") + ".golden.json"
		s.read = append(s.read, file, want)
		s.compare(want, got)
	}
	for _, kind := range rule.Gives {
		if !given[kind] {
			s.t.Errorf("no sample of %s gives a %s", rule.Name, kind)
		}
	}
}

// sample maps the rows of a sample of a list that was read for the parent with key, or for the
// first parent if key is empty.
func (s *samples) sample(rule *profile.Stream, file, key string) (got golden) {
	body, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	var over any
	for _, stored := range s.shared[rule.Over] {
		if key == "" || stored["key"] == key {
			over = stored
			break
		}
	}
	if rule.Over != "" && over == nil {
		s.t.Fatalf("%s: %s keeps no row %q", file, rule.Over, key)
	}
	with := map[string]any{}
	for _, name := range rule.With {
		for _, stored := range s.shared[name] {
			with[stored["key"].(string)] = stored
		}
	}
	for _, row := range rowsAt(s.t, body, rule.List) {
		if rule.SharesRows() {
			key, stored, err := s.p.ShareRow(rule.Name, row, over)
			if err != nil {
				s.t.Errorf("%s: %v", file, err)
			}
			if key != "" {
				s.shared[rule.Name] = append(s.shared[rule.Name], stored)
				got.Kept = append(got.Kept, stored)
			}
		}
		if rule.Gives == nil {
			continue
		}
		m := s.p.MapRow(rule.Name, row, over, with)
		s.checkSpoiled(rule.Name, row, over, with, len(m.Records))
		for _, r := range m.Records {
			b, err := json.Marshal(r)
			if err != nil {
				s.t.Fatal(err)
			}
			got.Records = append(got.Records, append([]byte(`{"record":"`+string(r.RecordKind())+`",`), b[1:]...))
		}
		for _, r := range m.Refused {
			got.Refused = append(got.Refused, refusal{r.Kind, r.ID, r.Field, r.Why.String()})
		}
	}
	return got
}

// checkSpoiled checks that a row with a missing value, or one of another type, still gives as many
// records and refusals as before.
func (s *samples) checkSpoiled(stream, row string, over any, with map[string]any, before int) {
	var whole any
	if err := json.Unmarshal([]byte(row), &whole); err != nil {
		s.t.Fatal(err)
	}
	spoil(whole, func(where string) {
		spoiled, err := json.Marshal(whole)
		if err != nil {
			s.t.Fatal(err)
		}
		if m := s.p.MapRow(stream, string(spoiled), over, with); len(m.Refused) == 0 && len(m.Records) < before {
			s.t.Errorf("%s: with another %s a row gives %d records in place of %d, and no refusal: %s", stream, where, len(m.Records), before, spoiled)
		}
	})
}

// spoil calls f with each value within v replaced, one at a time.
func spoil(v any, f func(where string)) {
	each := func(where string, value any, set func(any)) {
		for _, other := range []any{nil, "x"} {
			set(other)
			f(where)
		}
		set(value)
		spoil(value, func(inner string) { f(where + "." + inner) })
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			each(name, value, func(other any) { v[name] = other })
		}
	case []any:
		for i, value := range v {
			each(strconv.Itoa(i), value, func(other any) { v[i] = other })
		}
	}
}

// compare compares the results with the golden file.
func (s *samples) compare(file string, got golden) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(got); err != nil {
		s.t.Fatal(err)
	}
	if bytes.Contains(text.Bytes(), []byte("@")) {
		s.t.Errorf("%s: an e-mail address came through", file)
	}
	if *update {
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), want) {
		s.t.Errorf("%s: the sample gives\n%s", file, text.Bytes())
	}
}

// reportUnused reports samples that belong to no stream.
func (s *samples) reportUnused() {
	all, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range all {
		if !slices.Contains(s.read, file) {
			s.t.Errorf("%s is a sample of no stream", file)
		}
	}
}

// rowsAt returns the rows of a list at a dotted path.
func rowsAt(t *testing.T, body []byte, path string) (rows []string) {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatal(err)
		}
		body = members[name]
	}
	var all []json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	for _, raw := range all {
		rows = append(rows, string(raw))
	}
	return rows
}

// A ticket that is valid before it is paid is sold once, on the day it was ordered.
func TestPretixValidBeforePayment(t *testing.T) {
	p, err := profile.Builtin("pretix")
	if err == nil {
		p, err = p.With(map[string]string{"organizer": "havendam"})
	}
	if err != nil {
		t.Fatal(err)
	}
	for status, payments := range map[string]string{"n": "", "p": `{"local_id":1,"amount":"27.50","state":"confirmed","payment_date":"2026-10-09T12:00:00Z"}`} {
		got := p.MapRow("orders", `{"code":"OPEN2","event":"e","status":"`+status+`","valid_if_pending":true,"datetime":"2026-10-01T12:00:00Z",
			"positions":[{"id":1,"item":2,"price":"27.50","canceled":false,"checkins":[]}],"fees":[],"refunds":[],"payments":[`+payments+`]}`, nil,
			map[string]any{"e": map[string]any{"currency": "EUR"}})
		if len(got.Refused) > 0 || len(got.Records) == 0 {
			t.Fatal(got.Refused)
		}
		ticket := got.Records[0].(*record.Ticket)
		if want := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC); ticket.Status != record.TicketValid || !ticket.SoldAt.Equal(want) {
			t.Errorf("%s: %s, sold at %v", status, ticket.Status, ticket.SoldAt)
		}
	}
}
