package figures

import (
	"cmp"
)

// PartFigures are a part of an event's sales: places, named as in EventFigures, and what was Booked.
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
	ByChannel              // an empty name means that no channel was reported
	ByReferral             // an empty name means that none was reported
	ByCode                 // discount code; empty for none
	DimensionCount
)

// Parts are an event's sales by one dimension. They are immutable; the zero value has none.
type Parts struct {
	Few  []PartFigures // most sold first
	Many *ManyParts    // instead of Few
}

// ManyParts are many parts, which are sorted on first use.
type ManyParts struct {
	Spans [][]PartFigures // a name may be in several spans
	All   func() []PartFigures
}

// All returns the parts, most sold first.
func (p Parts) All() []PartFigures {
	if p.Many != nil {
		return p.Many.All()
	}
	return p.Few
}

// Each yields the parts in any order; a name may come several times.
func (p Parts) Each(yield func(*PartFigures) bool) {
	spans := [][]PartFigures{p.Few}
	if p.Many != nil {
		spans = p.Many.Spans
	}
	for _, span := range spans {
		for i := range span {
			if !yield(&span[i]) {
				return
			}
		}
	}
}

func MostSold(a, b PartFigures) int {
	return cmp.Or(cmp.Compare(b.Sold, a.Sold), cmp.Compare(a.Name, b.Name))
}

// Plus returns the sum of both under the name of o.
func (p *PartFigures) Plus(o *PartFigures) PartFigures {
	return PartFigures{o.Name, p.Paid + o.Paid, p.Unpaid + o.Unpaid, p.Complimentary + o.Complimentary, p.FreeTickets + o.FreeTickets, p.Flow.Plus(o.Flow)}
}
