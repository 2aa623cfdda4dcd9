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
	// maxRow bounds, with MaxRows, what a body within its limit can swell to once decoded: a
	// row of two bytes becomes a struct of half a kilobyte.
	maxRow = 1 << 20
	// maxPageOutputs is how many records the rows of a page may become.
	maxPageOutputs = 200_000
)

// Rows are what the rows of a list became.
type Rows struct {
	// IDs name the rows in their order; empty where nothing tells.
	IDs []string
	// Results are what the rows became, in their order; what row i became ends before Ends[i].
	Results []record.Result
	Ends    []int
	// Kept is what other streams need of the rows; Unkept counts those of which nothing could
	// be kept.
	Shared   []SharedRow
	Unusable int
}

// Kept is what other streams need of a row.
type SharedRow struct {
	Key string
	Row map[string]any
	// Size is that of Row as JSON, in bytes.
	Size int
	At   time.Time // of interest until then; zero when it does not tell
	// Sum stands for Row while the process lives.
	Hash uint64
}

var sharedSeed = maphash.MakeSeed()

// Map turns the rows of a list into records. An error means that a row is no JSON, or that
// the rows become too much.
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

// mapInto adds what row i becomes to all.
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

// Keeps says that other streams need something of the rows.
func (s *Stream) SharesRows() bool { return s.keep != nil }

// Keep turns the rows of a list into what other streams need of them. An error means that a
// row is no JSON.
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
		all.IDs[i] = rowID(row)
		key, shared, err := s.mapShared(ctx, row, in)
		switch {
		case err != nil, len(key) > record.MaxID, leavesPath(key):
			all.Unusable++
		case key != "":
			atText, _ := shared["at"].(string)
			at, _ := time.Parse(time.RFC3339, atText) // zero where it is not told
			text, _ := gojq.Marshal(shared)           // cannot fail for what a program makes
			all.Shared = append(all.Shared, SharedRow{key, shared, len(text), at, maphash.Bytes(sharedSeed, text)})
		}
	}
	return all, nil
}

// climbs says that a key, which becomes a part of a path, might lead elsewhere in a service
// that takes an escaped slash for one.
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
