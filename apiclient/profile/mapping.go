package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"

	"github.com/itchyny/gojq"
)

const (
	// maxRow is the largest row in bytes. With MaxRows it limits the memory that a body can take
	// once decoded: a row of two bytes becomes a struct of half a kilobyte.
	maxRow = 1 << 20
	// maxPageOutputs is the most records that the rows of a page may become.
	maxPageOutputs = 200_000
)

// Rows is the result of mapping a list.
type Rows struct {
	// IDs are the ids of the rows in order; empty where a row has none.
	IDs []string
	// Updated are the times of the rows by RowUpdated, zero where a row has none; nil without such a rule.
	Updated []time.Time
	// Results are the results of all rows in order; those of row i end before Ends[i].
	Results []record.Result
	Ends    []int
	// Shared holds what other streams need of the rows. Unusable counts the rows for which that
	// failed.
	Shared   []SharedRow
	Unusable int
}

// SharedRow is what other streams need of a row: the output of its stream's program keep.
type SharedRow struct {
	Key string
	Row map[string]any
	// Size is the length of Row as JSON, in bytes.
	Size int
	At   time.Time // from the program; zero if it gives none
	// Hash is a hash of Row, valid in this process only.
	Hash uint64
}

var sharedSeed = maphash.MakeSeed()

// Map turns the rows of a list into records. The error means that a row is not JSON, that the
// rows become too many records, or that their program cannot be run (a *StartError).
func (s *Stream) Map(ctx context.Context, l *List, in Context) (*Rows, error) {
	n := len(l.Rows)
	all := &Rows{IDs: make([]string, n), Results: make([]record.Result, 0, n), Ends: make([]int, n)}
	if s.RowUpdated != "" {
		all.Updated = make([]time.Time, n)
	}
	var decoded []record.Record
	var native *record.Reader
	if s.IsNative {
		native = record.NewReader(s.Gives[0])
	}
	known := make([]bool, n)
	anyKnown := false
	if in.Known != nil {
		for i, raw := range l.Rows {
			all.IDs[i], known[i] = in.Known(i, raw)
			anyKnown = anyKnown || known[i]
		}
	}
	if s.IsNative && !native.IsQuick() && l.Text != nil && !anyKnown && !slices.ContainsFunc(l.Rows, tooLarge) {
		decoded = record.DecodeAll(s.Gives[0], l.Text)
	}
	for i, raw := range l.Rows {
		from := len(all.Results)
		switch {
		case known[i]:
		case decoded != nil:
			var one record.Result
			one, all.IDs[i] = record.Validate(s.Gives[0], decoded[i])
			all.Results = append(all.Results, one)
		case native != nil && !tooLarge(raw):
			one, id, err := native.Decode(raw)
			if err != nil {
				return nil, err
			}
			all.IDs[i], all.Results = id, append(all.Results, one)
		default:
			if err := s.mapInto(ctx, all, i, raw, in); err != nil {
				return nil, err
			}
		}
		for _, one := range all.Results[from:] {
			if one.Refused != nil {
				one.Refused.Stream = s.Name
			}
		}
		all.Ends[i] = len(all.Results)
	}
	return all, nil
}

func tooLarge(raw []byte) bool { return len(raw) > maxRow }

// mapInto appends the results of row i to all.
func (s *Stream) mapInto(ctx context.Context, all *Rows, i int, raw []byte, in Context) error {
	switch {
	case tooLarge(raw):
		e := &record.Refusal{Why: record.Say("is larger than {most} bytes", record.Number("most", maxRow))}
		if len(s.Gives) == 1 {
			e.Kind = s.Gives[0]
		}
		all.Results = append(all.Results, record.Result{Refused: e})
	default:
		row, err := decodeAny(raw)
		if err != nil {
			return err
		}
		if s.RowUpdated != "" {
			all.Updated[i] = s.rowUpdated(row)
		}
		id, results, err := s.mapRow(ctx, row, in)
		if err != nil {
			return err
		}
		all.IDs[i], all.Results = id, append(all.Results, results...)
		if len(all.Results) > maxPageOutputs {
			return SizeError(fmt.Sprintf("the rows of a page become more than %d records", maxPageOutputs))
		}
	}
	return nil
}

// SharesRows reports whether other streams need the rows.
func (s *Stream) SharesRows() bool { return s.keep != nil }

// MapShared runs the program keep on the rows of a list. The error means that a row is not JSON, or is a *StartError.
func (s *Stream) MapShared(ctx context.Context, l *List, in Context) (*Rows, error) {
	all := &Rows{IDs: make([]string, len(l.Rows)), Ends: make([]int, len(l.Rows))}
	for i, raw := range l.Rows {
		if tooLarge(raw) {
			all.Unusable++
			continue
		}
		row, err := decodeAny(raw)
		if err != nil {
			return nil, err
		}
		all.IDs[i] = s.rowID(row)
		key, shared, err := s.mapShared(ctx, row, in)
		if e, ok := errors.AsType[*StartError](err); ok {
			return nil, e
		}
		switch {
		case err != nil, len(key) > record.MaxID, leavesPath(key):
			all.Unusable++
		case key != "":
			atText, _ := shared["at"].(string)
			at, _ := time.Parse(time.RFC3339, atText) // zero if there is none
			text, _ := gojq.Marshal(shared)           // cannot fail for a program's output
			all.Shared = append(all.Shared, SharedRow{key, shared, len(text), at, maphash.Bytes(sharedSeed, text)})
		}
	}
	return all, nil
}

// leavesPath reports whether a key, which becomes part of a path, could lead elsewhere on a service
// that decodes escaped slashes.
func leavesPath(key string) bool {
	parts := strings.FieldsFunc(key, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(parts, ".") || slices.Contains(parts, "..")
}

// decodeAny decodes JSON for a program; numbers keep their literals.
func decodeAny(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, ErrSyntax
	}
	return v, nil
}

// mapRow turns a row into records. id is the row's id, empty if it has none. The error is a *StartError.
func (s *Stream) mapRow(ctx context.Context, row any, in Context) (id string, rows []record.Result, err error) {
	id = s.rowID(row)
	if s.program == nil {
		return id, []record.Result{s.mapOutput(id, row)}, nil
	}
	err = s.run(ctx, s.program, row, in, func(v any) error {
		rows = append(rows, s.mapOutput(id, v))
		return nil
	})
	if why, failed := errors.AsType[record.Message](err); failed {
		rows = append(rows, record.Result{Refused: s.refusal("", id, why)})
		err = nil
	}
	return id, rows, err
}

// refusal returns the Refusal of a record of that kind, or of a row if kind is empty. A row has no
// kind even if the stream gives only one: what its program would have returned is not known.
func (s *Stream) refusal(kind record.Kind, id string, why record.Message) *record.Refusal {
	return &record.Refusal{Stream: s.Name, Kind: kind, ID: record.PrintableID(id), Why: why}
}

// mapOutput turns an output of the program, or a row if there is no program, into a record. A
// refusal uses rowID if the record has no id.
func (s *Stream) mapOutput(rowID string, v any) record.Result {
	r, ok := v.(map[string]any)
	if !ok {
		return record.Result{Refused: s.refusal("", rowID, record.Say("is not an object"))}
	}
	kind, why := s.kindOf(r)
	if !why.IsZero() {
		return record.Result{Refused: s.refusal("", rowID, why)}
	}
	made, field, why := s.Profile.normalize(kind, r, s.program != nil)
	if why.IsZero() {
		one, _ := record.Validate(kind, made)
		return one
	}
	refused := s.refusal("", rowID, why)
	if own, ok := scalarOf(r["id"]); ok {
		refused = s.refusal(kind, own, why)
	}
	refused.Field = field
	if event, ok := scalarOf(r["event_id"]); ok && kind != record.KindEvent {
		refused.EventID = record.PrintableID(event)
	}
	return record.Result{Refused: refused}
}

// kindOf returns the kind of record that r names.
func (s *Stream) kindOf(r map[string]any) (kind record.Kind, why record.Message) {
	if s.program == nil || r["record"] == nil && len(s.Gives) == 1 {
		return s.Gives[0], why
	}
	name, ok := r["record"].(string)
	switch {
	case r["record"] == nil:
		return "", record.Say("says no record; give its kind")
	case !ok:
		return "", record.Say("has a record that is no text")
	case !slices.Contains(s.Gives, record.Kind(name)):
		return "", record.Say("is a record of a kind that the stream does not give: {value}", record.Of("value", record.Describe(name)))
	}
	return record.Kind(name), why
}

// mapShared returns what other streams need of a row, and its key, which is empty if the row is not
// shared. A time "at" is returned in RFC 3339.
func (s *Stream) mapShared(ctx context.Context, row any, in Context) (key string, shared map[string]any, err error) {
	err = s.run(ctx, s.keep, row, in, func(v any) error {
		r, ok := v.(map[string]any)
		if !ok || shared != nil {
			return errors.New("becomes not one object")
		}
		shared = map[string]any{}
		for name, v := range r {
			shared[name] = v
		}
		return nil
	})
	if e, ok := errors.AsType[*StartError](err); ok {
		return "", nil, e
	}
	if err == nil && shared != nil {
		key, err = s.Profile.normalizeShared(shared)
	}
	if err != nil {
		return "", nil, fmt.Errorf("the row %q, to be kept, %s", record.PrintableID(s.rowID(row)), errorText(err))
	}
	return key, shared, nil
}

// normalizeShared checks the key of a shared row and normalizes its time.
func (p *Profile) normalizeShared(shared map[string]any) (key string, err error) {
	s := normalizer{Profile: p}
	s.zoneOf(shared)
	switch v := shared["key"].(type) {
	case string:
		key = v
	default:
		if key, _ = numberText(v); !decimalDigits(key) || isFloat(v) {
			return "", errors.New("has no key that is a text or an integer")
		}
	}
	if why := record.CheckID(key); !why.IsZero() {
		return "", fmt.Errorf("has a key that %s", why)
	}
	shared["key"] = key
	if shared["at"] != nil {
		var at time.Time
		s.timeField("at", shared["at"], &at)
		shared["at"] = at.Format(time.RFC3339Nano)
	}
	if !s.why.IsZero() {
		return "", fmt.Errorf("has %s, which %s", s.field, s.why)
	}
	return key, nil
}

// rowID returns what identifies a row (see StreamRule.RowID), empty if it has nothing of the kind.
func (s *Stream) rowID(row any) string {
	m, _ := row.(map[string]any)
	if s.RowID == "" {
		for _, name := range []string{"id", "code", "key", "slug", "uuid"} {
			if id := idText(m[name]); id != "" {
				return id
			}
		}
		return ""
	}
	return idText(dotted(m, s.RowID))
}

// rowUpdated returns when a row was last changed (see StreamRule.RowUpdated), zero if it does not say so.
func (s *Stream) rowUpdated(row any) (at time.Time) {
	m, _ := row.(map[string]any)
	if v := dotted(m, s.RowUpdated); v != nil {
		n := normalizer{Profile: s.Profile, zone: s.Profile.zone}
		n.timeField("row_updated", v, &at)
	}
	return at
}

// dotted returns the value at a dotted path, nil if there is none.
func dotted(m map[string]any, path string) any {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		m, _ = m[name].(map[string]any)
	}
	return m[names[len(names)-1]]
}

// idText returns a string or a number as a string, empty for anything else.
func idText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
