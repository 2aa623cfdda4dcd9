package evening_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Who is still to come in before the curtain and who is late are added up, as far as each is known and there are such performances.
func TestHouseToCome(t *testing.T) {
	h := evening.House{Arriving: 1, Running: 1, Still: figures.Figure[int]{Value: 30}, Latecomers: figures.Figure[int]{Value: 4}}
	late, none, unknown := h, h, h
	late.Arriving, none.Arriving, none.Running = 0, 0, 0
	unknown.Latecomers = figures.NotKnown[int]()
	for i, c := range []struct {
		h    evening.House
		want int
	}{{h, 34}, {late, 4}, {none, 0}, {unknown, 30}} {
		if got := c.h.ToCome(); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
	}
}
