package sums

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"housecount/aggregator/figures"
)

// Parts are the sales of an event in one dimension, by part. What was published is never changed. If there are
// many parts, publishing copies only the spans that changed.
type Parts struct {
	spans   []partSpan
	at      map[PartName]placed // made once there is more than one span
	changed bool
	split   bool // in what was published, payments decide what is unpaid
}

// partSpan is a run of parts, in the order in which they came.
type partSpan struct {
	rows      []Part
	changed   bool
	published []figures.PartFigures
}

// partsInSpan is the most parts in a span.
const partsInSpan = 32

// Part is what was sold under one name: places, how many of them are unpaid, and money.
type Part struct {
	PartName
	Amounts
	Sold                        int
	Free, Complimentary, Unpaid int
	Reserved                    int // not included in Sold
}

// PartName is what a part is listed under: a ticket type by its id and the name that tickets give
// it, anything else by its name.
type PartName struct{ ID, Name Ref }

// OfType returns the name of a ticket type: as the event names it, or else as the tickets do.
func (p PartName) OfType(n *Names, types map[string]string) string {
	id := n.Text(p.ID)
	return cmp.Or(types[id], n.Text(p.Name), id)
}

// placed is the position of a part.
type placed struct{ span, row int32 }

// Row returns a part for changing, and creates it if there is none.
func (p *Parts) Row(name PartName) *Part {
	at, known := p.find(name)
	if !known {
		at = p.place(name)
	}
	s := &p.spans[at.span]
	p.changed, s.changed = true, true
	return &s.rows[at.row]
}

func (p *Parts) find(name PartName) (at placed, known bool) {
	switch {
	case p.at != nil:
		at, known = p.at[name]
		return at, known
	case len(p.spans) > 0:
		rows := p.spans[0].rows
		for i := range rows {
			if rows[i].PartName == name {
				return placed{0, int32(i)}, true
			}
		}
	}
	return placed{}, false
}

// place appends an empty part.
func (p *Parts) place(name PartName) placed {
	last := len(p.spans) - 1
	if last < 0 || len(p.spans[last].rows) == partsInSpan {
		p.spans, last = append(p.spans, partSpan{}), last+1
	}
	if last == 1 && p.at == nil {
		p.at = make(map[PartName]placed, 2*partsInSpan)
		for i, row := range p.spans[0].rows {
			p.at[row.PartName] = placed{0, int32(i)}
		}
	}
	s := &p.spans[last]
	at := placed{int32(last), int32(len(s.rows))}
	s.rows = append(s.rows, Part{PartName: name})
	if p.at != nil {
		p.at[name] = at
	}
	return at
}

// All returns the parts, in the order in which they came. They are not to be changed.
func (p *Parts) All() iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		for i := range p.spans {
			for j := range p.spans[i].rows {
				if !yield(&p.spans[i].rows[j]) {
					return
				}
			}
		}
	}
}

// Change marks all parts to be published again.
func (p *Parts) Change() {
	for i := range p.spans {
		p.changed, p.spans[i].changed = true, true
	}
}

// Publish returns the parts in which something was sold or moved; if none changed it returns last. called returns
// the name of a part. split is true if payments decide what is unpaid.
func (p *Parts) Publish(last figures.Parts, n *Names, called func(PartName) string, split bool) (out figures.Parts) {
	if split != p.split {
		p.split = split
		p.Change()
	}
	if !p.changed {
		return last
	}
	p.changed = false
	var spans [][]figures.PartFigures
	if len(p.spans) > 1 {
		spans = make([][]figures.PartFigures, 0, len(p.spans))
	}
	for i := range p.spans {
		s := &p.spans[i]
		if s.changed {
			s.publish(n, called, split)
		}
		if out.Few == nil {
			out.Few = s.published
		}
		if len(p.spans) > 1 && len(s.published) > 0 {
			spans = append(spans, s.published)
		}
	}
	if len(spans) > 1 {
		all := sync.OnceValue(func() []figures.PartFigures { return together(slices.Concat(spans...)) })
		out = figures.Parts{Many: &figures.ManyParts{Spans: spans, All: all}}
	}
	return out
}

func (s *partSpan) publish(n *Names, called func(PartName) string, split bool) {
	s.changed, s.published = false, nil
	for i := range s.rows {
		if f := s.rows[i].figures(n, called(s.rows[i].PartName), split); f.Moved() {
			if s.published == nil {
				s.published = make([]figures.PartFigures, 0, len(s.rows))
			}
			s.published = append(s.published, f)
		}
	}
	s.published = together(s.published)
}

func (p *Part) figures(n *Names, name string, split bool) figures.PartFigures {
	f := figures.PartFigures{Name: name, Complimentary: p.Complimentary, FreeTickets: p.Free, Flow: figures.Flow{Sold: p.Sold, Amounts: p.Amounts.Publish(n)}}
	if split {
		f.Unpaid = p.Unpaid
	}
	f.Paid = f.Sold - f.Unpaid - f.Complimentary - f.FreeTickets
	return f
}

// together sorts rows like figures.Parts.All, and adds up rows with the same name. It changes its argument.
func together(rows []figures.PartFigures) []figures.PartFigures {
	if len(rows) < 2 {
		return rows
	}
	slices.SortFunc(rows, func(a, b figures.PartFigures) int { return cmp.Compare(a.Name, b.Name) })
	all := rows[:0]
	for _, row := range rows {
		if last := len(all) - 1; last >= 0 && all[last].Name == row.Name {
			all[last] = all[last].Plus(&row)
		} else {
			all = append(all, row)
		}
	}
	all = slices.DeleteFunc(all, func(p figures.PartFigures) bool { return !p.Moved() })
	slices.SortFunc(all, figures.MostSold)
	return all
}
