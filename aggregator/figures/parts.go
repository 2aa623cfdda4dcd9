package figures

import (
	"cmp"
	"slices"
	"sync"
)

// PartFigures are a part of an event's sales: places sold, which are those of EventFigures under
// the same names, and what was Booked.
type PartFigures struct {
	Name                                     string
	Paid, Unpaid, Complimentary, FreeTickets int
	Flow
}

// Dimension is what sales are split by.
type Dimension uint8

// The dimensions.
const (
	ByTicketType Dimension = iota
	ByChannel              // an empty name is one that was not reported
	ByReferral             // so it is here
	ByCode                 // of discount; an empty one is none
	dimensionCount
)

// Parts are an event's sales by one dimension. They are immutable; the zero value is none.
type Parts struct {
	few  []PartFigures // most sold first
	many *manyParts    // in their place
}

// manyParts are put in order when that is first asked for.
type manyParts struct {
	spans [][]PartFigures // a name may be in several
	all   func() []PartFigures
}

// All are the parts, most sold first.
func (p Parts) All() []PartFigures {
	if p.many != nil {
		return p.many.all()
	}
	return p.few
}

// each yields the parts in any order; a name may come several times.
func (p Parts) each(yield func(*PartFigures) bool) {
	spans := [][]PartFigures{p.few}
	if p.many != nil {
		spans = p.many.spans
	}
	for _, span := range spans {
		for i := range span {
			if !yield(&span[i]) {
				return
			}
		}
	}
}

// parts are what an event sold by one dimension, each part with what it comes to. What has been
// published is never changed, and of many parts only those that changed are copied.
type parts struct {
	spans   []partSpan
	at      map[partName]placed // made once there are several spans
	changed bool
	split   bool // what was published says what is unpaid
}

// partSpan are some parts, in the order in which they came.
type partSpan struct {
	rows      []part
	changed   bool
	published []PartFigures
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

// ofType is how a ticket type is called: as the event calls it, or else the tickets do.
func (p partName) ofType(n *names, types map[string]string) string {
	id := n.text(p.id)
	return cmp.Or(types[id], n.text(p.name), id)
}

// placed is where a part is.
type placed struct{ span, row int32 }

// row is the row of a part, to be changed.
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

// change has all of them be published anew.
func (p *parts) change() {
	for i := range p.spans {
		p.changed, p.spans[i].changed = true, true
	}
}

// publish returns the parts of which something was sold or moved, last where none changed. Called says
// how one is called, and split that payments tell what is unpaid.
func (p *parts) publish(last Parts, n *names, called func(partName) string, split bool) (out Parts) {
	if split != p.split {
		p.split = split
		p.change()
	}
	if !p.changed {
		return last
	}
	p.changed = false
	var spans [][]PartFigures
	if len(p.spans) > 1 {
		spans = make([][]PartFigures, 0, len(p.spans))
	}
	for i := range p.spans {
		s := &p.spans[i]
		if s.changed {
			s.publish(n, called, split)
		}
		if out.few == nil {
			out.few = s.published
		}
		if len(p.spans) > 1 && len(s.published) > 0 {
			spans = append(spans, s.published)
		}
	}
	if len(spans) > 1 {
		all := sync.OnceValue(func() []PartFigures { return together(slices.Concat(spans...)) })
		out = Parts{many: &manyParts{spans, all}}
	}
	return out
}

func (s *partSpan) publish(n *names, called func(partName) string, split bool) {
	s.changed, s.published = false, nil
	for i := range s.rows {
		if f := s.rows[i].figures(n, called(s.rows[i].partName), split); f.moved() {
			if s.published == nil {
				s.published = make([]PartFigures, 0, len(s.rows))
			}
			s.published = append(s.published, f)
		}
	}
	s.published = together(s.published)
}

func (p *part) figures(n *names, name string, split bool) PartFigures {
	f := PartFigures{Name: name, Complimentary: p.complimentary, FreeTickets: p.free, Flow: Flow{Sold: p.sold, Amounts: p.amounts.publish(n)}}
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
func together(rows []PartFigures) []PartFigures {
	if len(rows) < 2 {
		return rows
	}
	slices.SortFunc(rows, func(a, b PartFigures) int { return cmp.Compare(a.Name, b.Name) })
	all := rows[:0]
	for _, row := range rows {
		if last := len(all) - 1; last >= 0 && all[last].Name == row.Name {
			all[last] = all[last].plus(&row)
		} else {
			all = append(all, row)
		}
	}
	all = slices.DeleteFunc(all, func(p PartFigures) bool { return !p.moved() })
	slices.SortFunc(all, mostSold)
	return all
}

func mostSold(a, b PartFigures) int {
	return cmp.Or(cmp.Compare(b.Sold, a.Sold), cmp.Compare(a.Name, b.Name))
}

// plus is both together, under the name of the other.
func (p *PartFigures) plus(o *PartFigures) PartFigures {
	return PartFigures{o.Name, p.Paid + o.Paid, p.Unpaid + o.Unpaid, p.Complimentary + o.Complimentary, p.FreeTickets + o.FreeTickets, p.Flow.plus(o.Flow)}
}

// partFigures are the parts of the sales in every dimension. Split says that payments tell what is
// unpaid.
func (e *eventAccount) partFigures(n *names, split bool) (all [dimensionCount]Parts) {
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
