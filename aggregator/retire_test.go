package aggregator_test

import (
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
)

// What is retired is told by the venue's day, wherever the clock is.
func TestRetirementIsOfTheVenue(t *testing.T) {
	f, err := aggregator.New(aggregator.Options{Log: logtest.New().Open(), Calendar: figures.Calendar{Zone: time.FixedZone("", -10*60*60)}})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	r := f.Retirement(at, at, at)
	for _, got := range []time.Time{r.At, r.Over, r.Unheard} {
		if !got.Equal(at) || got.Day() != 19 {
			t.Errorf("%s of %s", got, at)
		}
	}
	if r := f.Retirement(at, time.Time{}, time.Time{}); !r.Over.IsZero() || !r.Unheard.IsZero() {
		t.Errorf("of no time %+v", r)
	}
}
