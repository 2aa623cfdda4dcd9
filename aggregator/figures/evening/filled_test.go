package evening_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
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

// The best and the least filled are of those that are over; of one performance, or several that are alike, there is neither.
func TestBestAndLeastFilled(t *testing.T) {
	night := func(sold ...int) (all []*evening.Show) {
		var records []record.Record
		for i, n := range sold {
			id := fmt.Sprint("e", i)
			records = append(append(records, foldtest.Tonight(id, "Zaal", "10:00", "11:00", "12:00", func(e *record.Event) { e.Capacity = new(10) })), foldtest.Many(n, id, id)...)
		}
		records = append(records, foldtest.Tonight("later", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) }))
		return foldtest.At("18:00", records...).Shows
	}
	best, least, ok := evening.BestAndLeastFilled(night(5, 8, 3, 8))
	if !ok || best.Event.ID != "e1" || least.Event.ID != "e2" {
		t.Errorf("%v, %v, %v", best, least, ok)
	}
	for _, sold := range [][]int{{}, {5}, {5, 5}} {
		if _, _, ok := evening.BestAndLeastFilled(night(sold...)); ok {
			t.Errorf("%v have a best and a least", sold)
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
