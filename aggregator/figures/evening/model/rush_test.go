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
		most, at, dense := 0., 0, 0.
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
			dense = math.Max(dense, sums[now]-sums[max(0, now-rushLength)])
			goesOn := now == held.To && step*rushLength >= RushStep*math.Max(math.Max(rushPeople, rushPart*float64(expected)), rushAgain*dense)
			if held.Begun && is.To > held.To && step <= most && !goesOn {
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

// A rush is not over while people go on to come as they do in it, although fewer than in its busiest minutes; it is once they come
// thinly, and once nearly all are in.
func TestRushGoesOn(t *testing.T) {
	const curtain = figures.UsualFrom
	curves := NewCurves(DefaultUsual())
	for _, c := range []struct {
		name  string
		rates [9]float64 // a minute, in the steps from 30 minutes before the curtain on
		from  int        // minutes after the curtain
		until int
	}{
		{"27 a minute", [9]float64{10, 34, 36, 34, 27, 27, 27, 2, 0}, -25, 5},
		{"far fewer than in its busiest minutes", [9]float64{10, 34, 36, 34, 21, 20, 18, 10, 0}, -25, -5},
		{"fewer than make a rush", [9]float64{4, 15, 16, 15, 12, 12, 12, 12, 12}, -20, -5},
		{"it thins out", [9]float64{10, 34, 36, 34, 12, 10, 4, 2, 0}, -25, -5},
	} {
		come := func(m int) (n float64) {
			for i := range max(0, m-(curtain-30)) {
				if i/RushStep < len(c.rates) {
					n += c.rates[i/RushStep]
				}
			}
			return n
		}
		last := Rush{}
		for now := curtain - 30; now <= curtain+10; now += RushStep {
			last = FindRush(curves, 1000, func(m int) float64 { return come(min(m, now)) }, now, curtain+30)
		}
		if want := (Rush{curtain + c.from, curtain + c.until, true}); last != want {
			t.Errorf("%s: the rush was %+v, want %+v", c.name, last, want)
		}
	}
}
