package arriving

import (
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// A hold that stands for its first minutes alone still has a time to wait for: where crowds come late, in bursts, no advice before the
// curtain is to hold until the curtain.
func TestYoungHoldHasATimeToWaitFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	u, holds := new(Usual), 0
	for n := range 100 {
		e := figures.EventFigures{Event: record.Event{ID: "a", StartsAt: curtain}, Expected: figures.Figure[int]{Value: 200}}
		first, burst, total := figures.StampOf(curtain).Minute()-40, 20+r.IntN(25), 0
		for m := range 55 {
			c := r.IntN(3)
			if m >= burst && m < burst+4 {
				c = 30 + r.IntN(40)
			}
			c = min(c, 200-total)
			if total += c; c > 0 {
				e.ArrivalMinutes = append(e.ArrivalMinutes, figures.MinuteCount{Minute: first + int64(m), Count: c})
			}
		}
		for tau := -VerdictFrom; tau < 0; tau++ {
			v, _ := u.Judge(&e, tau)
			if v.Call != Hold {
				continue
			}
			holds++
			if !v.Until.After(curtain) || v.Band.Median == 0 {
				t.Errorf("evening %d, %d min after the curtain: held until %s for %d", n, tau, v.Until.Format("15:04"), v.Band.Median)
			}
		}
	}
	if holds == 0 {
		t.Error("nobody was told to wait")
	}
}
