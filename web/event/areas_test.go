package event

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Areas share places where they have more than there are in all. Where only the least that there may be is known, nothing follows from their sum.
func TestAreasWithABoundAreNotShared(t *testing.T) {
	n := func(value int, q figures.Quality) figures.Figure[int] {
		return figures.New(value, figures.Caveat{Quality: q})
	}
	for _, c := range []struct {
		name                string
		all, first, another figures.Figure[int]
		shared              bool
	}{
		{"more than there are", n(100, figures.Exact), n(80, figures.Exact), n(30, figures.Exact), true},
		{"more than there are by an estimate", n(100, figures.Estimated), n(80, figures.Exact), n(30, figures.Exact), true},
		{"as many as there are", n(110, figures.Exact), n(80, figures.Exact), n(30, figures.Exact), false},
		{"more than the least that there may be", n(100, figures.LowerBound), n(80, figures.Exact), n(30, figures.Exact), false},
		{"of one the most ever seen, which may be places of the other now", n(100, figures.Exact), n(80, figures.LowerBound), n(30, figures.Exact), false},
		{"nobody knows how many there are", figures.NotKnown[int](), n(80, figures.Exact), n(30, figures.Exact), false},
	} {
		s := &evening.Show{EventFigures: &figures.EventFigures{Capacity: c.all, Areas: []figures.Area{{Name: "Parket", Capacity: c.first}, {Name: "Balkon", Capacity: c.another}}}}
		if got := sharing(s, &s.Areas[0]); got != c.shared {
			t.Errorf("%s: shared is %t", c.name, got)
		}
	}
	if s := (&evening.Show{EventFigures: &figures.EventFigures{}}); !sharing(s, &figures.Area{Shared: true}) {
		t.Error("an area that its limit says shares places does not")
	}
}
