package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"housecount/aggregator/figures"
)

// Over whole evenings, step by step and each from its own scans alone, a rush is named in steps of five minutes. Its begin never
// moves once it has begun, its end never comes nearer, and at the end it lasts through the five minutes that had most people.
func TestRushIsHeld(t *testing.T) {
	r, curves, until := rand.New(rand.NewPCG(7, 19)), NewCurves(DefaultUsual()), figures.UsualFrom+30
	begun, stretched, late := 0, 0, 0
	for range 60 {
		expected, shift := 200+r.IntN(600), 20*r.Float64()-8 // minutes late
		first := r.IntN(RushStep)                            // a curtain at any minute of the hour
		sums := make([]float64, until+1)
		for m := 1; m <= until; m++ {
			course := func(m int) float64 { return defaultAt(float64(m-figures.UsualFrom) - shift) }
			mean := .93 * float64(expected) * (course(m) - course(m-1))
			sums[m] = sums[m-1] + math.Max(0, math.Round(mean+1.5*math.Sqrt(mean)*r.NormFloat64()))
		}
		var held Rush
		most, at := 0., 0
		for now := first; now <= until; now += RushStep {
			step := sums[now] - sums[max(0, now-RushStep)]
			come := func(m int) float64 { return sums[min(now, max(0, m))] }
			is := FindRush(curves, float64(expected), come, now, until)
			switch {
			case is.From != is.To && ((is.From-first)%RushStep != 0 || (is.To-first)%RushStep != 0):
				t.Fatalf("at %d the rush is %+v, not in steps from %d", now, is, first)
			case held.Begun && (!is.Begun || is.From != held.From || is.To < held.To):
				t.Fatalf("at %d the rush that was %+v is %+v", now, held, is)
			case is.From != is.To && is.From < now && !is.Begun:
				t.Fatalf("at %d the rush %+v has not begun", now, is)
			}
			if held.Begun && is.To > held.To && step <= most {
				t.Fatalf("at %d the rush %+v is %+v after %.0f people, where %.0f came before", now, held, is, step, most)
			}
			if held = is; step > most {
				most, at = step, now-RushStep
			}
		}
		if !held.Begun {
			continue
		}
		begun++
		if held.To-held.From > rushLength {
			stretched++
		}
		if at < held.From || at+RushStep > held.To {
			late++
			t.Logf("the busiest minutes from %d on are outside %+v", at, held)
		}
	}
	if begun < 50 || stretched == 0 || late > 0 {
		t.Errorf("%d of 60 had a rush, %d of them stretched, %d without the busiest minutes", begun, stretched, late)
	}
}
