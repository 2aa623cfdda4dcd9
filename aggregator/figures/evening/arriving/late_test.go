package arriving

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Who comes late comes in groups: where four came from ten minutes after the curtain on each night before, the band of tonight is as wide as
// twos and threes make it, and not as that of people who come one by one.
func TestFewComeInGroups(t *testing.T) {
	night := func(curtain time.Time) *figures.EventFigures {
		e := figures.EventFigures{Event: record.Event{ID: "a", StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour)}, Expected: figures.Figure[int]{Value: 200}}
		first := figures.StampOf(curtain).Minute()
		e.ArrivalMinutes = []figures.MinuteCount{{Minute: first - 30, Count: 90}, {Minute: first - 10, Count: 90}, {Minute: first + 5, Count: 4}}
		return &e
	}
	curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	u := new(Usual)
	for back := range 6 {
		past := night(curtain.AddDate(0, 0, -1-back))
		past.ArrivalMinutes = append(past.ArrivalMinutes, figures.MinuteCount{Minute: past.ArrivalMinutes[2].Minute + 10, Count: 4})
		u.Nights = append(u.Nights, &Night{EventFigures: past})
	}
	e := night(curtain)
	late := u.late(e, 10, u.aheadAt(e, 10).After(10+figures.UsualFrom), 1)
	if band := late.Band(); band.Low != 0 || band.High != 9 {
		t.Errorf("of four who come on each night the band is %+v", band)
	}
}
