package ledger

import (
	"cmp"
	"slices"
	"sync"

	"housecount/aggregator/figures"
)

// parts are the sales of an event in one dimension, by part. What has been published is never changed; of
// many parts, only those that changed are copied.
type parts struct {
	spans   []partSpan
	at      map[partName]placed // made once there are several spans
	changed bool
	split   bool // payments decide in what was published what is unpaid
}

// partSpan are some parts, in the order in which they came.
type partSpan struct {
	rows      []part
	changed   bool
	published []figures.PartFigures
}

// partsInSpan is how many they are at most.
const partsInSpan = 32

// part is what was sold under one name: places, those of them for which nothing is paid, and money.
type part struct {
	partName
	amounts
	sold                        int
	free, complimentary, unpaid int
	reserved                    int // of no part of what is sold
}

// partName is what a part is listed under: a ticket type by its id and the name that tickets give
// it, anything else by its name.
type partName struct{ id, name ref }

// ofType returns how a ticket type is called: as the event calls it, or else the tickets do.
func (p partName) ofType(n *names, types map[string]string) string {
	id := n.text(p.id)
	return cmp.Or(types[id], n.text(p.name), id)
}

// placed is where a part is.
type placed struct{ span, row int32 }

// row returns the row of a part, to be changed.
func (p *parts) row(name partName) *part {
	at, known := p.find(name)
	if !known {
		at = p.place(name)
	}
	s := &p.spans[at.span]
	p.changed, s.changed = true, true
	return &s.rows[at.row]
}

func (p *parts) find(name partName) (at placed, known bool) {
	switch {
	case p.at != nil:
		at, known = p.at[name]
		return at, known
	case len(p.spans) > 0:
		rows := p.spans[0].rows
		for i := range rows {
			if rows[i].partName == name {
				return placed{0, int32(i)}, true
			}
		}
	}
	return placed{}, false
}

// place makes an empty part.
func (p *parts) place(name partName) placed {
	last := len(p.spans) - 1
	if last < 0 || len(p.spans[last].rows) == partsInSpan {
		p.spans, last = append(p.spans, partSpan{}), last+1
	}
	if last == 1 && p.at == nil {
		p.at = make(map[partName]placed, 2*partsInSpan)
		for i, row := range p.spans[0].rows {
			p.at[row.partName] = placed{0, int32(i)}
		}
	}
	s := &p.spans[last]
	at := placed{int32(last), int32(len(s.rows))}
	s.rows = append(s.rows, part{partName: name})
	if p.at != nil {
		p.at[name] = at
	}
	return at
}

// change marks all of them to be published again.
func (p *parts) change() {
	for i := range p.spans {
		p.changed, p.spans[i].changed = true, true
	}
}

// publish returns the parts in which something was sold or moved; it returns last if none changed. called
// returns the name of a part. split is true if payments decide what is unpaid.
func (p *parts) publish(last figures.Parts, n *names, called func(partName) string, split bool) (out figures.Parts) {
	if split != p.split {
		p.split = split
		p.change()
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

func (s *partSpan) publish(n *names, called func(partName) string, split bool) {
	s.changed, s.published = false, nil
	for i := range s.rows {
		if f := s.rows[i].figures(n, called(s.rows[i].partName), split); f.Moved() {
			if s.published == nil {
				s.published = make([]figures.PartFigures, 0, len(s.rows))
			}
			s.published = append(s.published, f)
		}
	}
	s.published = together(s.published)
}

func (p *part) figures(n *names, name string, split bool) figures.PartFigures {
	f := figures.PartFigures{Name: name, Complimentary: p.complimentary, FreeTickets: p.free, Flow: figures.Flow{Sold: p.sold, Amounts: p.amounts.publish(n)}}
	if split {
		f.Unpaid = p.unpaid
	}
	f.Paid = f.Sold - f.Unpaid - f.Complimentary - f.FreeTickets
	return f
}

// sell adds what moves of a ticket.
func (p *part) sell(t *ticket, m movement) {
	p.sold += m.sold
	switch {
	case t.terms.complimentary:
		p.complimentary += m.sold
	case t.terms.free():
		p.free += m.sold
	}
	for _, a := range m.money {
		p.amounts.add(a)
	}
}

// together puts rows into the order of All, those of one name together. It changes them.
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

// partFigures returns the parts of the sales in every dimension. split is true if payments decide what is
// unpaid.
func (e *eventAccount) partFigures(n *names, split bool) (all [figures.DimensionCount]figures.Parts) {
	if e.published != nil {
		all = e.published.Parts
	}
	called := func(p partName) string { return p.ofType(n, e.types) }
	for d := range e.parts {
		all[d] = e.parts[d].publish(all[d], n, called, split)
		called = func(p partName) string { return n.text(p.name) }
	}
	return all
}
