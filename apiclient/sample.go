package apiclient

import (
	"cmp"
	"context"
	"fmt"
	"housecount/apiclient/record"
	"iter"
	"maps"
	"slices"
	"strings"
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
		all := p.Vars()
		for name, value := range all {
			if value == "" {
				all[name] = name
			}
		}
		maps.Copy(all, vars)
		ready, err := p.with(all)
		if err != nil {
			yield(nil, err)
			return
		}
		place := func(sample Sample) int {
			return slices.IndexFunc(ready.streams, func(s *stream) bool { return s.Name == sample.Stream })
		}
		// Others are read before those that need their rows.
		samples = slices.Clone(samples)
		slices.SortStableFunc(samples, func(a, b Sample) int { return place(a) - place(b) })
		rows := map[*stream][]kept{}
		for _, sample := range samples {
			s := ready.stream(sample.Stream)
			if s == nil {
				yield(nil, &Error{Kind: Rejected, Stream: sample.Stream, Err: fmt.Errorf("the profile %s has no such list; it has %s", p.Name(), strings.Join(p.Lists(), ", "))})
				return
			}
			page, failed := s.sample(sample.Body, rows)
			if failed != nil {
				yield(nil, failed)
				return
			}
			for _, m := range page.gave {
				if m.Refused != nil && !yield(nil, m.Refused) || m.Record != nil && !yield(m.Record, nil) {
					return
				}
			}
		}
	}
}

// sample decodes a saved answer, and adds what its rows keep for others to rows.
func (s *stream) sample(body []byte, rows map[*stream][]kept) (*page, *Error) {
	var over any
	if s.over != nil && len(rows[s.over]) > 0 {
		over = rows[s.over][0].row
	}
	with := map[string]any{}
	for _, k := range rows[s.with] {
		with[k.key] = k.row
	}
	if s.keep != nil {
		p, err := decodePage(s, nil, body, func(p *page, raw []byte) (string, error) { return p.keep(context.Background(), s, raw, over) })
		if err != nil {
			return nil, err
		}
		rows[s] = append(rows[s], p.kept...)
		if len(s.Gives) == 0 {
			return p, nil
		}
	}
	return decodePage(s, nil, body, func(p *page, raw []byte) (string, error) { return p.become(context.Background(), s, raw, over, with) })
}

// Lists are the names of the profile's streams, those included that give no records.
func (p *Profile) Lists() (names []string) {
	for _, s := range p.streams {
		names = append(names, s.Name)
	}
	return names
}

// Needs says of the streams that need the rows of another which that is.
func (p *Profile) Needs() map[string]string {
	needs := map[string]string{}
	for _, s := range p.rules.Streams {
		if other := cmp.Or(s.Over, s.With); other != "" {
			needs[s.Name] = other
		}
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
