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

// Sample is a saved answer of a list.
type Sample struct {
	Stream string
	Body   []byte
}

// Sample runs the profile over saved answers, without any call, and yields what Read would
// yield of them. Variables that are not given stand for themselves. A list that needs the
// rows of another sees those of that other's samples; one that is read for each of them is
// taken to be that of the first.
func (p *Profile) Sample(vars map[string]string, samples []Sample) iter.Seq2[record.Record, error] {
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
		// Others are read before those that need their rows.
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
			for _, m := range gave {
				if m.Refused != nil && !yield(nil, m.Refused) || m.Record != nil && !yield(m.Record, nil) {
					return
				}
			}
		}
	}
}

// sample maps a saved answer, and adds what its rows keep for others to rows.
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
	l, err := Find(body, s.List, s.EachKey)
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

// Lists are the names of the profile's streams, those included that give no records.
func (p *Profile) Lists() (names []string) {
	for _, s := range p.Streams {
		names = append(names, s.Name)
	}
	return names
}

// Needs says of the streams that need the rows of others which those are.
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

// Fields are the names of the fields of a kind of record, as they are written in JSON.
func Fields(kind record.Kind) (names []string) {
	for _, f := range shapes[kind].fields {
		if f.name != "postal_code" { // of which postal_area is what is kept
			names = append(names, f.name)
		}
	}
	return names
}
