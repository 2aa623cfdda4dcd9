package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"housecount/aggregator/figures"
)

// A night that goes as usual is forecast as usual, one on which everybody is twenty minutes late as late, one on which
// half stay away as usual but smaller, and when all have come nobody is to come.
func TestArrivals(t *testing.T) {
	curves := NewCurves(DefaultUsual())
	outlook := func(part, late float64) Outlook {
		m := NewArrivals(curves, 400)
		come := func(minute float64) float64 {
			return math.Round(part * 400 * defaultAt(minute-late-figures.UsualFrom))
		}
		for minute := Block; minute < figures.UsualFrom; minute += Block {
			m.Arrive(minute, come(float64(minute))-m.come)
		}
		return m.Outlook(figures.UsualFrom, come(figures.UsualFrom)-m.come, figures.UsualFrom, 12, 10)
	}
	usual, late, few, all := outlook(defaultShare, 0), outlook(defaultShare, 20), outlook(defaultShare/2, 0), outlook(1/.98, 0)
	if usual.Mean < 2 || usual.Mean > 20 || usual.Sure > .7 {
		t.Errorf("as usual: %.1f are outside, more than 10 with %.2f", usual.Mean, usual.Sure)
	}
	if want := defaultShare * 400 * (1 - defaultAt(-20)); late.Sure < .9 || math.Abs(late.Mean-want) > want/3 {
		t.Errorf("late: %.1f are outside, want %.1f; more than 10 with %.2f", late.Mean, want, late.Sure)
	}
	if few.Mean > usual.Mean*1.5 || few.Sure > .7 {
		t.Errorf("half stay away: %.1f are outside, more than 10 with %.2f", few.Mean, few.Sure)
	}
	if all.Mean > 1 {
		t.Errorf("all have come, and %.1f are outside", all.Mean)
	}
	for _, o := range []Outlook{usual, late} {
		if b := o.Count.Band(); b.Low > b.Median || b.Median > b.High || float64(b.High) < o.Mean/2 || float64(b.Low) > o.Mean {
			t.Errorf("%.1f in the band %+v", o.Mean, b)
		}
	}
}

// Comparables that all sold as much more give additive pickup, and those that grew alike multiplicative pickup.
func TestPickup(t *testing.T) {
	free := func(_ int, n float64) float64 { return n }
	finish := func(p *Pickup, all []Past) float64 {
		return p.Estimate(Sale{70, math.NaN()}, all).Median(func(i int) float64 { return all[i].More })
	}
	thens := []float64{40, 60, 80, 100, 120}
	var added, grown []Past
	for _, then := range thens {
		added = append(added, Past{Sale{then, math.NaN()}, 50})
		grown = append(grown, Past{Sale{then, math.NaN()}, (then + fewSold) / 2})
	}
	if p := NewPickup(added, free); p.weight != 0 || math.Abs(finish(&p, added)-120) > .01 || p.Miss > .1 {
		t.Errorf("all sold 50 more: weight %v, 70 finish at %v, error %v", p.weight, finish(&p, added), p.Miss)
	}
	if p := NewPickup(grown, free); p.weight != 1 || math.Abs(finish(&p, grown)-107) > .01 {
		t.Errorf("all grew by half: weight %v, 70 finish at %v", p.weight, finish(&p, grown))
	}
	if p := Distances(thens); p.Exceptional(90, 5) || !p.Exceptional(2000, 5) {
		t.Error("2,000 sold are not exceptional beside 40 to 120, or 90 are")
	}
}

// What is ahead adds up: who comes by a minute and after it are all who come, through a gate its part of them; the densest
// minutes are where most come, and nobody is ahead when all have come.
func TestAhead(t *testing.T) {
	m, curtain := NewArrivals(NewCurves(DefaultUsual()), 400), figures.UsualFrom
	come := 0.
	for minute := Block; minute <= curtain-30; minute += Block {
		n := math.Round(defaultShare * 400 * defaultAt(float64(minute-curtain)))
		m.Arrive(minute, n-come)
		come = n
	}
	a := m.Ahead(curtain-30, 0)
	for _, at := range []int{curtain - 20, curtain - 10, curtain} {
		by, after, gate, left := a.By(at), a.After(at), a.Through(at, .25), a.After(0)
		if all, sum := left.Quantile(.5), by.Quantile(.5)+after.Quantile(.5); math.Abs(all-sum) > .1*all {
			t.Errorf("by %d and after it come %.1f, of %.1f", at, sum, all)
		}
		if part := gate.Quantile(.5) / by.Quantile(.5); math.Abs(part-.25) > .02 {
			t.Errorf("%.2f of them come through a gate that takes a quarter", part)
		}
		if b := by.Band(); b.Low >= b.Median || b.Median >= b.High || math.Abs(by.Above(by.Quantile(.5))-.5) > .02 {
			t.Errorf("by %d come %+v", at, b)
		}
	}
	if from, sure := a.Densest(15, curtain+30); from < curtain-30 || from > curtain-20 || sure < .7 {
		t.Errorf("the densest quarter of an hour is from %d on, sure %.2f", from-curtain, sure)
	}
	if _, sure := a.Densest(15, curtain-20); sure > 0 {
		t.Errorf("a quarter of an hour in ten minutes, sure %.2f", sure)
	}
	m = NewArrivals(NewCurves(DefaultUsual()), 400)
	all := m.Ahead(curtain, 400)
	if after := all.After(curtain); after.Quantile(.9) > 1 {
		t.Errorf("all have come, and %.1f are ahead", after.Quantile(.9))
	}
}

// A quantile that is looked for from near is the one that is found from anywhere, and it is where the probability passes its part.
func TestQuantileNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		c := newCount(float64(r.IntN(900)))
		for range 1 + r.IntN(200) {
			c.add(c.most*r.Float64(), 1)
		}
		c.scale(1 / sumOf(c.parts[:]))
		part, near := .05+.9*r.Float64(), c.most*(1.2*r.Float64()-.1)
		want := c.Quantile(part)
		if got := c.QuantileNear(part, near); got != want {
			t.Fatalf("the quantile %v of at most %v is %v from near %v, want %v", part, c.most, got, near, want)
		}
		if want > .5 && want < c.most-.5 && (c.Above(want-.5) < 1-part || c.Above(want+.5) > 1-part) {
			t.Fatalf("the quantile %v is %v, above which it is with %v", part, want, c.Above(want))
		}
		if plain := plainQuantile(&c, part); want != plain {
			t.Fatalf("the quantile %v of at most %v is %v, want %v", part, c.most, want, plain)
		}
		of := c.cases()
		if at := c.most * r.Float64(); math.Abs(of.nearlyAbove(at)-of.above(at)) > nearly {
			t.Fatalf("above %v it is with nearly %v, want %v", at, of.nearlyAbove(at), of.above(at))
		}
		exact := 0.
		for i, p := range c.parts {
			if p > 0 {
				mean := c.means[i] / p
				exact += p * math.Erfc((want-mean)/math.Sqrt(2*(mean+mean*mean/c.clusters+.25))) / 2
			}
		}
		if math.Abs(c.Above(want)-exact) > 1e-12 {
			t.Fatalf("above %v it is with %v, want %v", want, c.Above(want), exact)
		}
	}
}

// plainQuantile halves with the exact probability at every step.
func plainQuantile(c *Count, part float64) float64 {
	low, high := 0., c.most
	for high-low > .5 {
		if middle := (low + high) / 2; c.Above(middle) > 1-part {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// Where nearly a probability is the one that is asked for, the exact one decides, and of two quantiles neither takes from the other
// what does not follow.
func TestQuantileAtItsPart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		c := newCount(float64(20 + r.IntN(900)))
		for range 1 + r.IntN(40) {
			c.add(c.most*r.Float64(), 1)
		}
		c.scale(1 / sumOf(c.parts[:]))
		q := c.quantiles()
		at := c.most / float64(int(1)<<(1+r.IntN(3))) // a number that is asked about on the way
		part := c.Above(at)
		for _, off := range []float64{0, nearly / 3, -nearly / 3, 1e-9, -1e-9, 2 * nearly, -2 * nearly} {
			if got, want := q.find(1-part-off), plainQuantile(&c, 1-part-off); got != want {
				t.Fatalf("the quantile %v of at most %v is %v, want %v", 1-part-off, c.most, got, want)
			}
		}
		for range 40 { // close to each other
			n, than := at+r.NormFloat64()/500, part+nearly*r.NormFloat64()/3
			if got, want := q.moreThan(n, than), c.Above(n) > than; got != want {
				t.Fatalf("above %v with more than %v is %v, want %v", n, than, got, want)
			}
		}
	}
}

// The cases of a course are added as each would be.
func TestCountOfCourse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		expected := float64(r.IntN(1000))
		got, want := newCount(expected*r.Float64()), Count{}
		want = got
		for range 20 {
			course, part := courseAhead{}, max(0, 1.2*r.Float64()-.2)
			for _, share := range shares {
				course.people, course.roots, course.parts = append(course.people, expected*share), append(course.roots, math.Sqrt(expected*share)), append(course.parts, r.Float64())
				want.add(part*expected*share, course.parts[len(course.parts)-1])
			}
			got.addAll(part, &course)
		}
		for i := range want.parts {
			if math.Abs(got.parts[i]-want.parts[i]) > 1e-9 || math.Abs(got.means[i]-want.means[i]) > 1e-9*(1+want.means[i]) {
				t.Fatalf("of %v expected, bin %d is %v of mean %v, want %v of %v", expected, i, got.parts[i], got.means[i], want.parts[i], want.means[i])
			}
		}
	}
}

func sumOf(parts []float64) (sum float64) {
	for _, p := range parts {
		sum += p
	}
	return sum
}

// What comparables sold is the same only if all of it is; that of late may not be known.
func TestPastsThatAreEqual(t *testing.T) {
	unknown := math.NaN()
	for _, c := range []struct {
		a, b Past
		want bool
	}{
		{Past{Sale{7, 3}, 5}, Past{Sale{7, 3}, 5}, true}, {Past{Sale{7, unknown}, 5}, Past{Sale{7, unknown}, 5}, true}, {Past{Sale{7, 3}, 5}, Past{Sale{8, 3}, 5}, false},
		{Past{Sale{7, 3}, 5}, Past{Sale{7, 4}, 5}, false}, {Past{Sale{7, 3}, 5}, Past{Sale{7, unknown}, 5}, false}, {Past{Sale{7, 3}, 5}, Past{Sale{7, 3}, 6}, false},
	} {
		if got := c.a.Equal(c.b); got != c.want || c.b.Equal(c.a) != got {
			t.Errorf("%v and %v are equal: %v", c.a, c.b, got)
		}
	}
}

// Each comparable is estimated from the others, never from itself: of those that sold 10, 30 and 50 more after 10, the first is
// expected at 50, the second at 40, and the last at 30.
func TestPickupIsFittedToTheOthers(t *testing.T) {
	var all []Past
	for _, more := range []float64{10, 30, 50} {
		all = append(all, Past{Sale{10, math.NaN()}, more})
	}
	want := (30./20 + 0./40 + 30./60) / 3
	if p := NewPickup(all, func(_ int, sold float64) float64 { return sold }); math.Abs(p.Miss-want) > 1e-9 {
		t.Errorf("the mean error is %v, want %v", p.Miss, want)
	}
}
