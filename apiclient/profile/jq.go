package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"

	"github.com/itchyny/gojq"
)

const (
	// pageTimeFactor times the limit of one row is the limit of all rows of a page.
	pageTimeFactor = 30
	// maxOutputs is the most records that a row may become.
	maxOutputs = 10_000
)

// programVariables are the variables that every program sees.
var programVariables = []string{"$vars", "$over", "$with"}

// maxProgram is the longest program, in bytes.
const maxProgram = 64 << 10

var (
	errReadsEnvironment = errors.New("it reads the environment ($ENV or env), which a profile never sees; give what it needs as vars")
	errProgramTooLarge  = fmt.Errorf("it is longer than %d bytes", maxProgram)
)

// compile compiles a program. It has no access to files, modules, the environment or any input but
// the row.
func compile(text string) (*gojq.Code, error) {
	if len(text) > maxProgram {
		return nil, errProgramTooLarge
	}
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	identity := func(v any, _ []any) any { return v }
	readsEnvironment := false
	code, err := gojq.Compile(q, gojq.WithVariables(programVariables),
		gojq.WithEnvironLoader(func() []string { readsEnvironment = true; return nil }),
		gojq.WithFunction("debug", 0, 0, identity), gojq.WithFunction("stderr", 0, 0, identity))
	if readsEnvironment {
		return nil, errReadsEnvironment
	}
	return code, err
}

// program compiles the program at path, nil if there is none.
func (f *faults) program(path, text string) *gojq.Code {
	if text == "" {
		return nil
	}
	code, err := compile(text)
	if err == nil {
		return code
	}
	line, column := f.line(path), ""
	if e, ok := errors.AsType[*gojq.ParseError](err); ok {
		before := text[:min(max(e.Offset-len(e.Token), 0), len(text))]
		if block := f.blocks[path]; block > 0 {
			line = block + 1 + strings.Count(before, "\n")
		}
		column = fmt.Sprintf(" at column %d", len(before)-strings.LastIndexByte(before, '\n'))
	}
	f.addLine(line, "%.120s is no jq program%s: %s; mend it", path, column, errorText(err))
	return nil
}

// run calls each with every output of a program for a row. It stops at an error of each and returns
// that, or why the program failed.
func (s *Stream) run(ctx context.Context, program *gojq.Code, row any, in Context, each func(any) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.Profile.RowTime)
	defer cancel()
	outputs := program.RunWithContext(ctx, row, s.Profile.vars, in.Over, in.With)
	for n := 0; ; n++ {
		v, more := next(outputs)
		if !more {
			return nil
		}
		if failed, ok := v.(error); ok {
			if ctx.Err() != nil {
				return record.Say("takes the program more than {most}", record.Verbatim("most", s.Profile.RowTime.String()))
			}
			return record.Say("fails the program: {text}", record.Verbatim("text", errorText(errors.New(redactValues(failed)))))
		}
		if n == maxOutputs {
			return record.Say("becomes more than {most} records", record.Number("most", maxOutputs))
		}
		if err := each(v); err != nil {
			return err
		}
	}
}

// typedValue and quotedText match values that gojq quotes in its errors.
var (
	typedValue = regexp.MustCompile(`(?s)\b(boolean|number|string|array|object) \(.*\)`)
	quotedText = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)
)

// redactValues returns the text of a program's error without the values that it quotes, which may
// be personal data.
func redactValues(failed error) string {
	return quotedText.ReplaceAllString(typedValue.ReplaceAllString(failed.Error(), "$1"), "a text")
}

// PageTime returns how long the stream's programs may take for all rows of a page.
func (s *Stream) PageTime() time.Duration { return pageTimeFactor * s.Profile.RowTime }

// next returns the next output of a program. A panic in gojq becomes an error of the program, so
// that only the row is lost.
func next(outputs gojq.Iter) (v any, more bool) {
	defer func() {
		if what := recover(); what != nil {
			v, more = fmt.Errorf("panic: %v", what), true
		}
	}()
	return outputs.Next()
}

// mapRow turns a row into records. id is the row's id, empty if it has none.
func (s *Stream) mapRow(ctx context.Context, row any, in Context) (id string, rows []record.Result) {
	id = s.rowID(row)
	if s.program == nil {
		return id, []record.Result{s.mapOutput(id, row)}
	}
	err := s.run(ctx, s.program, row, in, func(v any) error {
		rows = append(rows, s.mapOutput(id, v))
		return nil
	})
	if why, failed := errors.AsType[record.Message](err); failed {
		rows = append(rows, record.Result{Refused: s.refusal("", id, why)})
	}
	return id, rows
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
	path := strings.Split(s.RowID, ".")
	for _, name := range path[:len(path)-1] {
		m, _ = m[name].(map[string]any)
	}
	return idText(m[path[len(path)-1]])
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

// Context is what programs see in addition to a row.
type Context struct {
	// Over is the parent row that the list was read for, nil for none. With holds the shared rows
	// of the other streams by key.
	Over any
	With map[string]any
	// Known, if set, reports whether row i is known, and its id; known rows are not mapped.
	Known func(i int, raw []byte) (id string, known bool)
}
