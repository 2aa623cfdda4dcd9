package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// seller is how places of a performance are sold: how many in the end, most of them late, over 90 days.
type seller struct{ finish float64 }

// by returns how many places are sold by the end of the day that is a number of days before the performance.
func (s seller) by(days int) int {
	return int(math.Round(s.finish * (math.Exp(-float64(days)/24) - math.Exp(-91./24)) / (1 - math.Exp(-91./24))))
}

// put adds a performance at 20:00 a number of days after 20 November, with what is sold of it up to that day.
func (s seller) put(h *recordService, id string, in int) {
	e := performanceOn(in, id, "Main")
	h.put(e)
	for days := 90; days >= max(in, 0); days-- {
		if n := s.by(days) - s.by(days+1); n > 0 {
			h.put(foldtest.Ticket(fmt.Sprint(id, " ", days), id, func(k *record.Ticket) {
				k.Quantity, k.SoldAt = &n, e.StartsAt.AddDate(0, 0, -days).Add(-9*time.Hour)
			}))
		}
	}
}

// A seller of half, and one of half as much again as usual, two weeks before: the estimate is near what is sold in the end,
// where what the others sold from there on is far off.
func TestFinishOfWeakAndStrong(t *testing.T) {
	const in = 14
	h := newRecordService(t, foldtest.Clock("22:00"))
	var more []int
	for i := range 14 {
		s := seller{230 * math.Exp(.22*math.Sin(2.1*float64(i)))}
		s.put(h, fmt.Sprint("past ", i), -7*(i+1))
		more = append(more, s.by(0)-s.by(in))
	}
	slices.Sort(more)
	all := map[string]seller{"weak": {115}, "usual": {230}, "strong": {345}}
	for id, s := range all {
		s.put(h, id, in)
	}
	h.read()
	for id, s := range all {
		truth, additive := s.by(0), s.by(in)+more[len(more)/2]
		var kind string
		var finish, low, high int
		if _, err := fmt.Sscanf(h.figure(id, "finish"), "%s %d %d–%d", &kind, &finish, &low, &high); err != nil || kind != "estimated" {
			t.Fatalf("%s: %q", id, h.figure(id, "finish"))
		}
		off := func(n int) float64 { return math.Abs(float64(n-truth)) / float64(truth) }
		if off(finish) > .05 || low > truth || truth > high || id != "usual" && off(additive) < .14 {
			t.Errorf("%s: %d (%d to %d), where %d are sold: off by %.0f %%, additive by %.0f %%", id, finish, low, high, truth, 100*off(finish), 100*off(additive))
		}
	}
}
