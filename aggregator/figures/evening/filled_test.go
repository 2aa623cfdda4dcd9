package evening_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

func TestForecastShare(t *testing.T) {
	show := func(forecast, sold, capacity int) *figures.EventFigures {
		return &figures.EventFigures{Forecast: figures.Figure[int]{Value: forecast}, Sold: figures.Figure[int]{Value: sold}, Capacity: figures.Figure[int]{Value: capacity}}
	}
	unknown := show(50, 10, 100)
	unknown.Forecast = figures.NotKnown[int]()
	for _, c := range []struct {
		e    *figures.EventFigures
		want float64
	}{{show(50, 10, 100), .5}, {show(50, 50, 100), .5}, {show(50, 51, 100), 0}, {show(50, 10, 0), 0}, {unknown, 0}} {
		if got := evening.ForecastShare(c.e); got != c.want {
			t.Errorf("%d of %d with %d sold: %v, want %v", c.e.Forecast.Value, c.e.Capacity.Value, c.e.Sold.Value, got, c.want)
		}
	}
}

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
