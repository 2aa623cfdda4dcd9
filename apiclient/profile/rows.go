package profile

import (
	"bytes"
	"context"
	"encoding/json"
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

// Map turns the rows of a list into records. The error means that a row is not JSON or that the
// rows become too many records.
func (s *Stream) Map(ctx context.Context, l *List, in Context) (*Rows, error) {
	n := len(l.Rows)
	all := &Rows{IDs: make([]string, n), Results: make([]record.Result, 0, n), Ends: make([]int, n)}
	var decoded []record.Record
	known := make([]bool, n)
	anyKnown := false
	if in.Known != nil {
		for i, raw := range l.Rows {
			all.IDs[i], known[i] = in.Known(i, raw)
			anyKnown = anyKnown || known[i]
		}
	}
	if s.IsNative && l.Text != nil && !anyKnown && !slices.ContainsFunc(l.Rows, tooLarge) {
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
	case s.IsNative:
		one, id, err := record.Decode(s.Gives[0], raw)
		if err != nil {
			return err
		}
		all.IDs[i], all.Results = id, append(all.Results, one)
	default:
		row, err := decodeAny(raw)
		if err != nil {
			return err
		}
		id, results := s.mapRow(ctx, row, in)
		all.IDs[i], all.Results = id, append(all.Results, results...)
		if len(all.Results) > maxPageOutputs {
			return SizeError(fmt.Sprintf("the rows of a page become more than %d records", maxPageOutputs))
		}
	}
	return nil
}

// SharesRows reports whether other streams need the rows.
func (s *Stream) SharesRows() bool { return s.keep != nil }

// MapShared runs the program keep on the rows of a list. The error means that a row is not JSON.
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
