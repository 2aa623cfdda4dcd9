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
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// comers is how one kind of crowd comes: in groups of up to most people around a time before the curtain, some of them late.
type comers struct {
	crowd
	most int     // people of a group
	late float64 // the part that comes within lateFor minutes after the curtain
	over float64 // minutes
	vary float64 // how much that part varies from night to night: its shape, the less the more; 0 for not at all
	at   []float64
}

// come returns the first entries by the minute after curtain. Nights differ by more than chance in how many are late.
func (c comers) come(r *rand.Rand) map[int]int {
	minutes, late := map[int]int{}, c.late
	if c.vary > 0 {
		late *= gamma(r, c.vary) / c.vary
	}
	for left := int(math.Round(float64(c.expected) * c.share)); left > 0; {
		group := min(left, 1+r.IntN(c.most))
		left -= group
		at := min(-26+12*c.wide*r.NormFloat64()+c.shift, 6+3*r.NormFloat64())
		switch {
		case r.Float64() < late:
			at = 1 + c.over*r.Float64()
		case len(c.at) > 0 && r.Float64() < .6: // off a train
			at = c.at[r.IntN(len(c.at))] + c.shift + 4*r.Float64()
		case at > -2:
			at -= 10 * r.Float64()
		}
		minutes[max(-59, int(math.Floor(at)))] += group
	}
	return minutes
}

// gamma returns a random number of mean shape, by the sum of exponentials and of a part of one.
func gamma(r *rand.Rand, shape float64) (sum float64) {
	for ; shape >= 1; shape-- {
		sum += r.ExpFloat64()
	}
	if shape > 0 {
		n := r.NormFloat64()
		sum += shape * n * n
	}
	return sum
}

// lateKinds are the crowds of which is scored how many are told to come.
func lateKinds(r *rand.Rand) map[string]func() comers {
	usual := func() comers {
		return comers{crowd: crowd{expected: 300 + r.IntN(240), share: math.Min(1, .93+.025*r.NormFloat64()), shift: 2.5 * r.NormFloat64(), wide: math.Exp(.08 * r.NormFloat64())}, most: 4, late: .012, over: 15, vary: 2}
	}
	with := func(change func(*comers)) func() comers {
		return func() comers { c := usual(); change(&c); return c }
	}
	return map[string]func() comers{
		"usual":            usual,
		"a premiere":       usual,
		"early":            with(func(c *comers) { c.shift -= 12; c.late = .004 }),
		"late":             with(func(c *comers) { c.shift += 9; c.late = .03; c.over = 20 }),
		"two trains":       with(func(c *comers) { c.at = []float64{-32, -9} }),
		"rain":             with(func(c *comers) { c.shift += 4 + 4*r.NormFloat64(); c.wide *= 1.2; c.late, c.vary = .025, 1 }),
		"groups":           with(func(c *comers) { c.most = 14 }),
		"sandbox":          with(func(c *comers) { c.shift, c.wide, c.late, c.over, c.vary = 11+r.NormFloat64(), .75, .025, 17, 0 }),
		"small":            with(func(c *comers) { c.expected = 60 + r.IntN(60); c.late = .03 }),
		"club":             with(func(c *comers) { c.late, c.over, c.vary = .4, 150, 8; c.shift = 5 }),
		"with an interval": with(func(c *comers) { c.over = 75 }),
	}
}

// lateScore is how often the band of those who still come held what it says.
type lateScore struct {
	n, none, held, below, above, zero, width int
}

func (s *lateScore) String() string {
	n := math.Max(1, float64(s.n))
	return fmt.Sprintf("%4d, %3d without; held %3.0f %%, fewer %3.0f %%, more %3.0f %%; %4.1f wide; about 0 said and some came %d", s.n, s.none, 100*float64(s.held)/n, 100*float64(s.below)/n, 100*float64(s.above)/n, float64(s.width)/n, s.zero)
}

// Of the visitors who still come, the band of what is told holds in eight of ten cases: from a quarter of an hour before the curtain
// on, and as long as somebody comes:
//
//	go test ./aggregator/figures/evening -run LateOfNights -v
func TestLateOfNights(t *testing.T) {
	const today = figures.Day("2026-11-20")
	names := []string{"a premiere", "usual", "early", "late", "two trains", "rain", "groups", "sandbox", "small", "club", "with an interval"}
	minutes := []int{-15, -8, -2, 0, 2, 5, 9, 12, 14, 20, 27}
	all := map[int]*lateScore{}
	for k, name := range names {
		r := rand.New(rand.NewPCG(10, uint64(k+9)%10))
		kind := lateKinds(r)[name]
		scores, before, after := map[int]*lateScore{}, &lateScore{}, &lateScore{}
		for range 6 {
			var past []*figures.EventFigures
			for i := range 8 + r.IntN(9) {
				if name == "a premiere" {
					break
				}
				c := kind()
				past = append(past, c.night(fmt.Sprint("past", i), today.Add(-7*(16-i)), c.come(r), 200))
			}
			last := map[int]*evening.Evening{}
			for range 6 {
				c := kind()
				come := c.come(r)
				for _, m := range minutes {
					at := time.Date(2026, 11, 20, 20, m, 0, 0, time.UTC)
					tonight := c.night("tonight", today, come, m)
					tonight.Capacity.Value = 600
					v := evening.After(&figures.Snapshot{Events: append(slices.Clip(past), tonight), AsOf: at}, last[m], at)
					last[m] = v
					truth := 0
					for at, n := range come {
						if at >= max(m, 0) {
							truth += n
						}
					}
					if scores[m] == nil {
						scores[m] = &lateScore{}
					}
					if all[m] == nil {
						all[m] = &lateScore{}
					}
					s := v.Show(tonight)
					of := []*lateScore{scores[m], all[m], before}
					if m >= 0 {
						of[2] = after
					}
					for _, of := range of {
						of.add(s, truth)
					}
				}
			}
		}
		for _, m := range minutes {
			t.Logf("%-16s %3d: %v", name, m, scores[m])
		}
		t.Logf("%-16s before: %v", name, before)
		t.Logf("%-16s after: %v", name, after)
		for when, s := range map[string]*lateScore{"before": before, "after": after} {
			if s.part() < .78 || s.none > 0 {
				t.Errorf("%s, %s the curtain: %v", name, when, s)
			}
		}
	}
	for _, m := range minutes {
		if t.Logf("all %3d: %v", m, all[m]); all[m].part() < .82 {
			t.Errorf("%d minutes after the curtain: %v", m, all[m])
		}
	}
}

// part is the part of the cases in which the band held.
func (s *lateScore) part() float64 { return float64(s.held) / math.Max(1, float64(s.n)) }

func (s *lateScore) add(show *evening.Show, truth int) {
	v := show.Verdict
	if v.Call == arriving.NoCall {
		if truth > 0 && !show.LateOver {
			s.none++
		}
		return
	}
	s.n++
	s.width += v.Band.High - v.Band.Low
	switch {
	case truth < v.Band.Low:
		s.below++
	case truth > v.Band.High:
		s.above++
	default:
		s.held++
	}
	if v.Outside.Value == 0 && truth > 0 {
		s.zero++
	}
}

// Nothing is forecast of who still comes where it would count those who came without a scan: in a house with a hall where nobody is
// scanned, and where fewer than half were.
func TestNothingIsForecastOfTheUnscanned(t *testing.T) {
	hall := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "23:00")}, past("Zaal"))
	for name, c := range map[string]struct {
		records []record.Record
		known   bool
	}{
		"all are scanned":              {foldtest.Together(foldtest.Come(80, "e", "a", "A", "19:30", 5), foldtest.Many(20, "x", "a", foldtest.Passes())), true},
		"a hall where nobody is":       {foldtest.Together(foldtest.Come(80, "e", "a", "A", "19:30", 5), foldtest.Many(20, "x", "a", foldtest.Passes()), []record.Record{foldtest.Tonight("b", "Foyer", "19:00", "20:00", "22:00")}, foldtest.Many(60, "y", "b")), false},
		"fewer than half were scanned": {foldtest.Together(foldtest.Come(40, "e", "a", "A", "19:30", 2), foldtest.Many(60, "x", "a", foldtest.Passes())), false},
	} {
		v := foldtest.At("20:10", foldtest.Together(hall, c.records)...)
		if got := v.House.WillCome.Known(); got != c.known {
			t.Errorf("%s: how many still come is known: %v; %s not in", name, got, foldtest.Say(v.House.Latecomers))
		}
	}
	v := foldtest.At("21:00", foldtest.Together(hall, foldtest.Come(40, "e", "a", "A", "19:30", 2), foldtest.Many(60, "x", "a", foldtest.Passes()))...)
	if s := foldtest.ShowOf(t, v, "a"); s.Verdict.Call != arriving.NoCall || s.Still.Value == 0 {
		t.Errorf("an hour after the curtain: %d, %s not in", s.Verdict.Call, foldtest.Say(s.Still))
	}
}
