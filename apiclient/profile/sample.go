package profile

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// Sample is a saved response with a list.
type Sample struct {
	Stream string
	Body   []byte
}

// Sample runs the profile over saved responses without any call, and yields what Client.Read would.
// Variables without a value are replaced by their own names. A list that needs the rows of another
// sees those of its samples; a list that is read once per parent row is taken to belong to the
// first.
func (p *Profile) Sample(vars map[string]string, samples []Sample) iter.Seq2[record.Record, error] {
	return p.sampleOf(vars, samples, "")
}

// sampleOf is Sample with the records of one list only, of all if that is empty.
func (p *Profile) sampleOf(vars map[string]string, samples []Sample, list string) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		all := map[string]string{}
		maps.Copy(all, p.Vars)
		for name, value := range all {
			if value == "" {
				all[name] = name
			}
		}
		maps.Copy(all, vars)
		ready, err := p.With(all)
		if err != nil {
			yield(nil, err)
			return
		}
		place := func(sample Sample) int {
			return slices.IndexFunc(ready.Streams, func(s *Stream) bool { return s.Name == sample.Stream })
		}
		// Lists that others need come first.
		samples = slices.Clone(samples)
		slices.SortStableFunc(samples, func(a, b Sample) int { return place(a) - place(b) })
		rows := map[*Stream][]SharedRow{}
		for _, sample := range samples {
			s := ready.Stream(sample.Stream)
			if s == nil {
				yield(nil, fmt.Errorf("%s: the profile %s has no such list; it has %s", sample.Stream, p.Name, strings.Join(p.Lists(), ", ")))
				return
			}
			gave, err := s.sample(sample.Body, rows)
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", s.Name, err))
				return
			}
			if list != "" && s.Name != list {
				continue
			}
			for _, m := range gave {
				if m.Refused != nil && !yield(nil, m.Refused) || m.Record != nil && !yield(m.Record, nil) {
					return
				}
			}
		}
	}
}

// sample maps a saved response and adds its shared rows to rows.
func (s *Stream) sample(body []byte, rows map[*Stream][]SharedRow) ([]record.Result, error) {
	in := Context{With: map[string]any{}}
	if shared := rows[s.OverStream]; s.OverStream != nil && len(shared) > 0 {
		in.Over = shared[0].Row
	}
	for _, other := range s.WithStreams {
		for _, k := range rows[other] {
			in.With[k.Key] = k.Row
		}
	}
	l, err := s.Find(body)
	if err != nil {
		return nil, err
	}
	if s.SharesRows() {
		shared, err := s.MapShared(context.Background(), l, in)
		if err != nil {
			return nil, err
		}
		rows[s] = append(rows[s], shared.Shared...)
	}
	if len(s.Gives) == 0 {
		return nil, nil
	}
	all, err := s.Map(context.Background(), l, in)
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}

// Lists returns the names of the profile's streams, including those that give no records.
func (p *Profile) Lists() (names []string) {
	for _, s := range p.Streams {
		names = append(names, s.Name)
	}
	return names
}

// Needs returns, by stream, the names of the streams whose rows it needs.
func (p *Profile) Needs() map[string][]string {
	needs := map[string][]string{}
	for _, s := range p.Rules.Streams {
		if s.Over != "" {
			needs[s.Name] = append(needs[s.Name], s.Over)
		}
		needs[s.Name] = append(needs[s.Name], s.With...)
	}
	return needs
}

// Fields returns the JSON names of the fields of a kind of record.
func Fields(kind record.Kind) (names []string) {
	for _, f := range shapes[kind].fields {
		if f.name != "postal_code" { // the record has postal_area instead
			names = append(names, f.name)
		}
	}
	return names
}
