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

// onTrain has n of the people of a night who would come from half an hour before the curtain on come together on a late train.
func onTrain(r *rand.Rand, minutes map[int]int, n, delay int) {
	window, all := 0, n
	for m := -30; m < -8; m++ {
		window += minutes[m]
	}
	for m := -30; m < -8; m++ {
		for range minutes[m] {
			if r.IntN(window) < n {
				minutes[m]--
				n--
				minutes[-18+delay+r.IntN(6)]++
			}
			window--
		}
	}
	if n > 0 {
		panic(fmt.Sprint("a train of ", all, " is longer than the night"))
	}
}

// trainScore sums up what was forecast of those outside at the curtain, at one minute of one kind of night.
type trainScore struct {
	nights, banded, onTime, unsure, hold, told int
	off, outside, wide, sure                   float64
}

func (s *trainScore) String() string {
	n := float64(s.nights)
	return fmt.Sprintf("off by %5.1f of %5.1f, band %5.1f wide held %3.0f %%; on time %2d, unsure %2d, hold %2d, told %2d, sure %.2f",
		s.off/n, s.outside/n, s.wide/n, 100*float64(s.banded)/n, s.onTime, s.unsure, s.hold, s.told, s.sure/n)
}

// Fewer who are in than usual are late or stay away, and before they come nothing tells which: nights of both, by the minute before the
// curtain. On each somebody is told, on ordinary nights nobody is, and nobody waits for people at home.
//
//	go test ./aggregator/figures/evening -run LateOrAway -v
func TestLateOrAway(t *testing.T) {
	const today, nights = figures.Day("2026-11-20"), 12
	type kind struct {
		name                string
		away                float64
		early, train, delay int
		sameTrain           bool // a quarter of all, whenever they would come, is in from 12 minutes after the curtain on
		soldOut, young      bool
		past                string // kind of two of its past nights: away or train
	}
	kinds := []kind{
		{name: "usual"}, {name: "sold out", soldOut: true}, {name: "early", early: 15}, {name: "young", young: true},
		{name: "10 % away", away: .1}, {name: "20 % away", away: .2}, {name: "30 % away", away: .3},
		{name: "20 % away as before", away: .2, past: "away"}, {name: "quarter late", sameTrain: true},
		{name: "quarter late as before", sameTrain: true, past: "train"},
	}
	for _, train := range []int{50, 120, 250} {
		for _, delay := range []int{10, 20, 40} {
			kinds = append(kinds, kind{name: fmt.Sprintf("train of %d, %d late", train, delay), train: train, delay: delay})
		}
	}
	at := []int{-20, -10, -5, -2}
	total := map[int]*trainScore{-20: {}, -10: {}, -5: {}, -2: {}}
	for i, of := range kinds {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		come := func(k *kind) (crowd, map[int]int) {
			c := crowd{expected: 870, share: .95 + .012*r.NormFloat64(), shift: 2.5 * r.NormFloat64(), wide: math.Exp(.08 * r.NormFloat64())}
			if k == nil {
				return c, c.arrive(r)
			}
			c.share, c.shift = math.Min(1, c.share-k.away), c.shift-float64(k.early)
			if k.soldOut {
				c.share = .99
			}
			if k.sameTrain {
				c.train, c.delay = .25, 24
			}
			minutes := c.arrive(r)
			onTrain(r, minutes, k.train, k.delay)
			return c, minutes
		}
		scores := map[int]*trainScore{-20: {}, -10: {}, -5: {}, -2: {}}
		for range nights {
			var past []*figures.EventFigures
			for i := range 16 {
				c, minutes := come(nil)
				if i == 5 || i == 11 {
					switch of.past {
					case "away":
						c, minutes = come(&kinds[5])
					case "train":
						c, minutes = come(&kinds[8])
					}
				}
				if !of.young {
					past = append(past, c.night(fmt.Sprint("past", i), today.Add(-7*(16-i)), minutes, 100))
				}
			}
			c, minutes := come(&of)
			outside := 0
			for m, n := range minutes {
				if m >= 0 {
					outside += n
				}
			}
			for _, m := range at {
				now := time.Date(2026, 11, 20, 20, m, 0, 0, time.UTC)
				tonight := c.night("tonight", today, minutes, m)
				if of.soldOut {
					tonight.Capacity.Value = c.expected
				}
				at := evening.At(&figures.Snapshot{Events: append(slices.Clip(past), tonight), AsOf: now}, now)
				show := at.Show(tonight)
				v, told := show.Verdict, slices.ContainsFunc(at.AlertsOf(show), func(a evening.Alert) bool { return a.Code == evening.AlertFewerIn })
				for _, s := range []*trainScore{scores[m], total[m]} {
					s.nights++
					s.off, s.outside = s.off+math.Abs(float64(v.Outside.Value-outside)), s.outside+float64(outside)
					s.wide, s.sure = s.wide+float64(v.Band.High-v.Band.Low), s.sure+v.Sure
					if v.Band.Low <= outside && outside <= v.Band.High {
						s.banded++
					}
					if told {
						s.told++
					}
					switch v.Call {
					case arriving.OnTime:
						s.onTime++
					case arriving.Unsure:
						s.unsure++
					case arriving.Hold:
						s.hold++
					}
				}
			}
		}
		for _, m := range at {
			t.Logf("%-23s %3d: %v", of.name, m, scores[m])
		}
		last, near, ordinary := scores[-2], scores[-5], of.away+float64(of.train) == 0 && !of.sameTrain
		if of.away > 0 && scores[-10].hold+near.hold+last.hold > 0 {
			t.Errorf("%s: a hold for nobody: %v", of.name, last)
		}
		if ordinary && (last.onTime+last.hold < nights-1 && !of.soldOut || scores[-10].told+near.told+last.told > 0) {
			t.Errorf("%s: %v, want it on time and nobody told of fewer than usual", of.name, last)
		}
		if far := of.away >= .2 || of.sameTrain || of.train == 250 && of.delay > 10; far && min(near.told, last.told) < nights {
			t.Errorf("%s: told %d and %d times of %d that far fewer are in than usual", of.name, near.told, last.told, nights)
		}
	}
	for _, m := range at {
		t.Logf("%-23s %3d: %v", "all", m, total[m])
	}
	if all := total[-2]; all.off > 73*float64(all.nights) || all.banded*100 < 45*all.nights {
		t.Errorf("all nights: %v", all)
	}
}
