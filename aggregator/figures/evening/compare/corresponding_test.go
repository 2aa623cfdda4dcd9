package compare_test

import (
	"maps"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Beside a performance stands the one of a year before: the matinee beside the matinee, none that was cancelled,
// and each at most once, beside the one that is nearest.
func TestYearBefore(t *testing.T) {
	const year = -364
	type show struct {
		day    int // from today
		time   string
		change func(*record.Event)
	}
	at := func(s show) time.Time { return foldtest.Clock(s.time).AddDate(0, 0, s.day) }
	series := func(e *record.Event) { e.Series, e.Title = "s", e.ID }
	for _, c := range []struct {
		name  string
		shows map[string]show
		want  map[string]string
	}{
		{"two on a day", map[string]show{"a-late": {0, "20:00", nil}, "early": {0, "14:00", nil}, "was-early": {year, "14:30", nil}, "was-late": {year, "20:30", nil}},
			map[string]string{"a-late": "was-late", "early": "was-early"}},
		{"one of two on a day", map[string]show{"a-early": {0, "14:00", nil}, "late": {0, "20:00", nil}, "was": {year, "20:30", nil}}, map[string]string{"late": "was"}},
		{"cancelled or postponed", map[string]show{"now": {0, "20:00", nil}, "off": {year, "20:00", foldtest.Status(record.EventCancelled)}, "put off": {year, "20:00", foldtest.Status(record.EventPostponed)}, "on": {year + 9, "20:00", nil}}, map[string]string{"now": "on"}},
		{"once", map[string]show{"a-far": {-3, "20:00", nil}, "near": {-1, "20:00", nil}, "was": {year, "20:00", nil}}, map[string]string{"near": "was"}},
		{"the next nearest", map[string]show{"a": {-3, "20:00", nil}, "b": {-1, "20:00", nil}, "was": {year, "20:00", nil}, "was-earlier": {year - 60, "20:00", nil}}, map[string]string{"a": "was-earlier", "b": "was"}},
		{"not about a year", map[string]show{"a": {0, "20:00", nil}, "was": {year - 61, "20:00", nil}, "is": {year + 61, "20:00", nil}}, map[string]string{}},
		{"before and after", map[string]show{"a": {0, "14:00", nil}, "before": {year - 2, "20:00", nil}, "after": {year + 2, "15:00", nil}}, map[string]string{"a": "after"}},
		{"series before title", map[string]show{"a": {0, "20:00", series}, "was": {year + 5, "20:00", series}}, map[string]string{"a": "was"}},
	} {
		records := []record.Record{foldtest.Event("other"), foldtest.Ticket("first", "other", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("10:00").AddDate(-2, 0, 0) })}
		prices, names := map[string]int64{}, map[int64]string{}
		for id, s := range c.shows {
			prices[id] = int64(len(prices) + 1)
			names[prices[id]] = id
			records = append(records, foldtest.Event(id, func(e *record.Event) {
				e.Title, e.StartsAt, e.Date = "Messiah", at(s), at(s).Format(time.DateOnly)
				if s.change != nil {
					s.change(e)
				}
			}))
			sold := foldtest.Clock("10:00")
			if s.day < -300 {
				sold = sold.AddDate(0, 0, year-1)
			}
			records = append(records, foldtest.Ticket("t-"+id, id, func(t *record.Ticket) { t.SoldAt, t.Price = sold, foldtest.Eur(prices[id]) }))
		}
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("12:00"))
		against := compare.Compare(v, compare.NewSpan(v, v.Today.Add(-6), v.Today), compare.LastYear)
		got := map[string]string{}
		for e, f := range compare.Befores(v, &against, v.ByEvent(against.This.From, against.This.To)) {
			got[e.Event.ID] = names[f.Of(figures.Booked).In("EUR")]
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
