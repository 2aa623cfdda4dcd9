package evening_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
)

// atGate has everybody of a night come through one gate.
func atGate(e *figures.EventFigures) *figures.EventFigures {
	e.Gates = []figures.GateFigures{{Gate: "A", Entries: e.Attendance.Value, Minutes: e.ArrivalMinutes}}
	return e
}

// aheadScore sums up what was forecast of one kind of night at one minute.
type aheadScore struct {
	nights, curtain, coming, queues, rushes, rushOff int // how often each band held, and a queue or a rush was said
	off, of, wide, waiting                           float64
}

func (s *aheadScore) String() string {
	n := float64(s.nights)
	return fmt.Sprintf("in by the curtain: band held %3.0f %%, off by %5.1f, %5.1f wide; in 15 minutes %3.0f %% of %5.1f; %2d queues of %4.0f; %3d rushes, %2d elsewhere",
		100*float64(s.curtain)/n, s.off/n, s.wide/n, 100*float64(s.coming)/n, s.of/n, s.queues, s.waiting/math.Max(1, float64(s.queues)), s.rushes, s.rushOff)
}

// What is forecast of made-up nights without any queue holds in eight of ten cases, at the curtain and for the next quarter of
// an hour; the chart agrees with the verdict, no queue is seen, and a rush is where people come:
//
//	go test ./aggregator/figures/evening -run AheadOfNights -v
func TestAheadOfNights(t *testing.T) {
	const today = figures.Day("2026-11-20")
	r := rand.New(rand.NewPCG(16, 23))
	usual := func() crowd {
		return crowd{expected: 420 + r.IntN(120), share: math.Min(1, .93+.025*r.NormFloat64()), shift: 2.5 * r.NormFloat64(), wide: math.Exp(.08 * r.NormFloat64())}
	}
	kinds := []struct {
		name   string
		knows  bool // the model has such nights
		change func(*crowd)
	}{
		{"normal", true, func(*crowd) {}},
		{"12 minutes late", true, func(c *crowd) { c.shift += 12 }},
		{"20 minutes late", true, func(c *crowd) { c.shift += 20 }},
		{"40 % do not come", false, func(c *crowd) { c.share -= .33 }},
	}
	minutes := []int{-25, -15, -8}
	scores := make([]map[int]*aheadScore, len(kinds))
	for range 4 { // houses with a past of their own, which the evenings of a minute share
		var past []*figures.EventFigures
		for i := range 16 {
			c := usual()
			past = append(past, atGate(c.night(fmt.Sprint("past", i), today.Add(-7*(16-i)), c.arrive(r), 100)))
		}
		last := map[int]*evening.Evening{}
		for k, kind := range kinds {
			if scores[k] == nil {
				scores[k] = map[int]*aheadScore{-25: {}, -15: {}, -8: {}}
			}
			for range 10 {
				c := usual()
				kind.change(&c)
				come := c.arrive(r)
				for _, m := range minutes {
					at := time.Date(2026, 11, 20, 20, m, 0, 0, time.UTC)
					tonight := atGate(c.night("tonight", today, come, m))
					tonight.Capacity.Value = 600 // what is usual goes by it
					v := evening.After(&figures.Snapshot{Events: append(slices.Clip(past), tonight), AsOf: at}, last[m], at)
					last[m] = v
					scores[k][m].add(t, v, v.Show(tonight), come, m)
				}
			}
		}
	}
	for k, kind := range kinds {
		for _, m := range minutes {
			score := scores[k][m]
			t.Logf("%-17s %3d: %v", kind.name, m, score)
			for name, held := range map[string]int{"in by the curtain": score.curtain, "in 15 minutes": score.coming} {
				part := float64(held) / float64(score.nights)
				if kind.knows && part < .7 || m >= -15 && part < .5 {
					t.Errorf("%s, %d: %s, the band held in %.0f %%", kind.name, m, name, 100*part)
				}
			}
			if kind.name == "normal" && m == -8 && score.rushes == score.nights {
				t.Errorf("a rush is said of the last few: %v", score)
			}
			if score.queues > 0 || score.rushOff > 1 {
				t.Errorf("%s, %d: %v", kind.name, m, score)
			}
		}
	}
}

func (s *aheadScore) add(t *testing.T, v *evening.Evening, show *evening.Show, minutes map[int]int, m int) {
	between := func(from, to int) (n int) {
		for at, people := range minutes {
			if from <= at && at < to {
				n += people
			}
		}
		return n
	}
	expected := float64(show.Expected.Value)
	a := v.Arrivals(show)
	curtain := show.Event.StartsAt
	p := a.Points[slices.IndexFunc(a.Points, func(p evening.ArrivalPoint) bool { return p.At.Equal(curtain) })]
	in := float64(between(-90, 0))
	s.nights++
	if math.Round(p.AheadLow*expected) <= in && in <= math.Round(p.AheadHigh*expected) {
		s.curtain++
	}
	s.off, s.wide = s.off+math.Abs(p.Ahead*expected-in), s.wide+(p.AheadHigh-p.AheadLow)*expected
	q, coming := show.Queues[0], between(m, m+15)
	if s.of += float64(coming); q.ComingBand.Low <= coming && coming <= q.ComingBand.High {
		s.coming++
	}
	if q.Waiting.Known() {
		s.queues++
		s.waiting += float64(q.Waiting.Value)
	}
	// The chart ends half an hour after the curtain, and a few may come later still.
	if outside := math.Round((a.Points[len(a.Points)-1].Ahead - p.Ahead) * expected); show.Verdict.Call != arriving.NoCall && math.Abs(outside-float64(show.Verdict.Outside.Value)) > 1+.03*outside {
		t.Errorf("%d minutes after curtain the chart has %v outside, the verdict %d %v", m, outside, show.Verdict.Outside.Value, show.Verdict.Band)
	}
	if !a.RushFrom.IsZero() {
		s.rushes++
		from, most := int(a.RushFrom.Sub(curtain).Minutes()), 0
		for at := m; at <= 15; at++ {
			most = max(most, between(at, at+15))
		}
		if between(from, from+15)*2 < most {
			s.rushOff++
		}
	}
}
