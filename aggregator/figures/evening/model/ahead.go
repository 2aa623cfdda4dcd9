package model

import (
	"math"

	"housecount/aggregator/figures"
)

// Ahead is how the visitors who have not come will come, as the model expects it at a minute: the courses and shares that
// the entries have left possible, each with its probability. It is immutable.
type Ahead struct {
	minute  int     // of the curves
	left    float64 // the expected who have not come
	courses []courseAhead
}

// courseAhead is a course that is possible, with the numbers of people who may come on it over the whole night.
type courseAhead struct {
	come   []float64
	people []float64 // ascending
	roots  []float64 // of people
	parts  []float64 // the probability of each
}

// leastPart is the least probability of a case beside the likeliest, for it to count.
const leastPart = 1e-6

// Ahead returns what is ahead after n more entries until a minute of the curves.
func (m *Arrivals) Ahead(until int, n float64) *Ahead {
	until = m.minute(until)
	w := m.with(until, n)
	a := &Ahead{minute: until, left: math.Max(0, m.expected-m.come-n)}
	people, roots, parts, sum := make([]float64, 0, len(w.likely)), make([]float64, 0, len(w.likely)), make([]float64, 0, len(w.likely)), 0.
	for first, next := 0, 0; first < len(w.likely); first = next {
		i, from := w.likely[first]/len(shares), len(parts)
		for ; next < len(w.likely) && w.likely[next]/len(shares) == i; next++ {
			if p := math.Exp(w.weights[w.likely[next]] - w.most); p >= leastPart {
				of := m.people[w.likely[next]%len(shares)]
				people, roots, parts = append(people, of), append(roots, math.Sqrt(of)), append(parts, p)
				sum += p
			}
		}
		if len(parts) > from {
			a.courses = append(a.courses, courseAhead{m.curves.come[i], people[from:len(parts):len(parts)], roots[from:len(parts):len(parts)], parts[from:len(parts):len(parts)]})
		}
	}
	for i := range parts {
		parts[i] /= sum
	}
	return a
}

// By returns how many come until a minute of the curves.
func (a *Ahead) By(minute int) Count { return a.Through(minute, 1) }

// Through returns how many come until a minute of the curves through a gate that takes a part of the visitors.
func (a *Ahead) Through(minute int, gate float64) Count { return a.count(a.minute, minute, gate) }

// Within returns how many come between two minutes of the curves.
func (a *Ahead) Within(from, to int) Count { return a.count(from, to, 1) }

// After returns how many come from a minute of the curves on.
func (a *Ahead) After(minute int) Count { return a.count(max(minute, a.minute), end, 1) }

// count returns how many come between two minutes of the curves through a gate that takes a part of the visitors.
func (a *Ahead) count(from, to int, gate float64) Count {
	c := newCount(gate * a.left)
	if to < end { // groups even out over a long time
		c.clusters *= math.Max(1, float64(to-from)/evenOver)
	}
	for i := range a.courses {
		course := &a.courses[i]
		c.addAll(gate*(courseAt(course.come, float64(to))-courseAt(course.come, float64(from))), course)
	}
	return c
}

// addAll adds the cases of a course on which a part of the people come. It does what add does with each, without a root of each.
func (c *Count) addAll(part float64, course *courseAhead) {
	if !(part > 0) || c.most <= 0 {
		for _, p := range course.parts {
			c.parts[0] += p
		}
		return
	}
	root := math.Sqrt(part/c.most) * countBins
	roots, parts := course.roots[:len(course.people)], course.parts[:len(course.people)]
	for j, people := range course.people {
		mean, bin, p := part*people, uint(root*roots[j]), parts[j]
		if mean > c.most {
			mean = c.most
		}
		if bin >= countBins {
			bin = countBins - 1
		}
		c.means[bin] += p * mean
		c.parts[bin] += p
	}
}

// With returns the count with other cases, by their means and probabilities, which get a part of the weight.
func (c Count) With(means, parts []float64, weight float64) Count {
	c.scale(1 - weight)
	for i, mean := range means {
		c.add(mean, weight*parts[i])
	}
	return c
}

// Coming is how many will have come by a minute, with the band of eight of ten cases.
type Coming struct{ Low, Median, High float64 }

// Course returns how many will have come by each minute of the curves from one by which some have come on. Of all who will have
// come in the end, those are outside at the curtain whom an Outlook says are.
func (a *Ahead) Course(come float64, from, until int) []Coming {
	after, last := a.After(from), Coming{come, come, come}
	all, points := come+after.Quantile(.5), append(make([]Coming, 0, max(1, until-from+1)), last)
	for minute := from + 1; minute <= until; minute++ {
		by, after := a.By(minute), a.After(minute)
		p := Coming{Median: math.Max(last.Median, all-after.QuantileNear(.5, all-last.Median))}
		low, high := by.QuantilesNear(.1, last.Low-come, .9, last.High-come)
		p.Low = math.Max(last.Low, math.Min(p.Median, come+low))
		p.High = math.Max(last.High, math.Max(p.Median, come+high))
		points, last = append(points, p), p
	}
	return points
}

// ShortestHalf returns the places between which half of a course lies, as close to each other as they can be; of several the first.
// ok is false where nobody comes, and where more than half have come at its beginning.
func ShortestHalf(course []float64) (from, to int, ok bool) {
	if len(course) < 2 || course[len(course)-1] <= 0 {
		return 0, 0, false
	}
	half, first := course[len(course)-1]/2, 0
	for last := range course {
		for ; course[last]-course[first+1] >= half; first++ {
		}
		if course[last]-course[first] >= half && (!ok || last-first < to-from) {
			from, to, ok = first, last, true
		}
	}
	return from, to, ok
}

// end is a minute by which all have come.
const end = figures.UsualFrom + figures.UsualUntil

// evenOver is the minutes over which a count varies as that of a block does.
const evenOver = 15.

// Densest returns the first minute of the length minutes in which most come, of those that end by a minute of the curves,
// and how sure that is: how likely a course has nearly as many in them as in its own densest.
func (a *Ahead) Densest(length, until int) (from int, sure float64) {
	from = a.minute
	if from+length > until {
		return from, 0
	}
	weights := make([]float64, len(a.courses)) // the mean number of people on each course
	for i := range a.courses {
		for j, people := range a.courses[i].people {
			weights[i] += a.courses[i].parts[j] * people
		}
	}
	within := func(come []float64, from int) float64 {
		return courseAt(come, float64(from+length)) - courseAt(come, float64(from))
	}
	for most, at := 0., a.minute; at+length <= until; at++ {
		mean := 0.
		for i := range a.courses {
			mean += weights[i] * within(a.courses[i].come, at)
		}
		if mean > most {
			most, from = mean, at
		}
	}
	for i := range a.courses {
		most, come := 0., a.courses[i].come
		for at := a.minute; at+length <= until; at++ {
			most = math.Max(most, within(come, at))
		}
		if within(come, from) >= nearlyDensest*most {
			for _, p := range a.courses[i].parts {
				sure += p
			}
		}
	}
	return from, sure
}

// nearlyDensest is the part of the people of the densest minutes that is nearly as many.
const nearlyDensest = .7

// Count is the distribution of a number of people, over the cases that are possible.
type Count struct {
	most         float64 // none are more than that
	clusters     float64
	means, parts [countBins]float64
}

// countBins is how many bins the cases are put into by their mean, each of which stands for its own mean.
const countBins = 64

func newCount(most float64) Count { return Count{most: most, clusters: clusters} }

// add adds a case with a mean and a probability.
func (c *Count) add(mean, p float64) {
	if mean = math.Min(mean, c.most); !(mean > 0) {
		mean = 0
	}
	// The bins are finer where the means are small: one person more is much there.
	bin := 0
	if c.most > 0 {
		bin = min(countBins-1, int(math.Sqrt(mean/c.most)*countBins))
	}
	c.means[bin] += p * mean
	c.parts[bin] += p
}

// scale multiplies the probabilities of all cases.
func (c *Count) scale(by float64) {
	for i := range c.parts {
		c.means[i], c.parts[i] = by*c.means[i], by*c.parts[i]
	}
}

// cases are the cases of a count that are possible, by their mean.
type cases struct {
	all [countBins]struct{ mean, spread, narrow, part float64 } // narrow is 1/spread
	n   int
}

func (c *Count) cases() (of cases) {
	for i, p := range c.parts {
		if p > 0 {
			mean, at := c.means[i]/p, &of.all[of.n]
			at.mean, at.spread, at.part = mean, math.Sqrt(2*(mean+mean*mean/c.clusters+.25)), p
			at.narrow = 1 / at.spread
			of.n++
		}
	}
	return of
}

// certain is the number of spreads from the mean beyond which a case adds all of its probability or nothing.
const certain = 6.

// above returns the probability that it is more than n.
func (c *cases) above(n float64) (above float64) {
	for i := range c.all[:c.n] {
		at := &c.all[i]
		switch away := n - at.mean; {
		case away > certain*at.spread:
		case away < -certain*at.spread:
			above += at.part
		default:
			above += at.part * math.Erfc(away/at.spread) / 2
		}
	}
	return above
}

// Tails are values of half the complementary error function, from -certain to certain. Between two of them it is nearly a line.
const (
	tailsBy = 64   // tails per 1
	nearly  = 5e-5 // more than what any value between is away from the line
)

var tails = func() (of [2*certain*tailsBy + 2]float64) {
	for i := range of {
		of[i] = math.Erfc(float64(i)/tailsBy-certain) / 2
	}
	return of
}()

// nearlyAbove returns what above does, at most nearly more or less, at a tenth of the cost.
func (c *cases) nearlyAbove(n float64) (above float64) {
	for i := range c.all[:c.n] {
		at := &c.all[i]
		switch away := (n - at.mean) * at.narrow; {
		case away >= certain:
		case away <= -certain:
			above += at.part
		default:
			away = (away + certain) * tailsBy
			k := uint(away)
			above += at.part * (tails[k] + (away-float64(k))*(tails[k+1]-tails[k]))
		}
	}
	return above
}

// Above returns the probability that it is more than n.
func (c *Count) Above(n float64) float64 {
	of := c.cases()
	return of.above(n)
}

// Quantile returns the number below which it is with a probability.
func (c *Count) Quantile(part float64) float64 {
	q := c.quantiles()
	return q.find(part)
}

// QuantileNear returns what Quantile does. It is faster if that is near a number.
func (c *Count) QuantileNear(part, near float64) float64 {
	q := c.quantiles()
	return q.findNear(part, near)
}

// QuantilesNear returns two quantiles as QuantileNear does each.
func (c *Count) QuantilesNear(lowPart, lowNear, highPart, highNear float64) (low, high float64) {
	q := c.quantiles()
	return q.findNear(lowPart, lowNear), q.findNear(highPart, highNear)
}

// findNear returns what find does.
func (q *quantiles) findNear(part, near float64) float64 {
	if !(near > 0 && near < q.most) {
		return q.find(part)
	}
	above := q.moreThan(near, 1-part)
	for step := 1.; ; step *= 2 {
		next := near - step
		if above {
			next = near + step
		}
		if next <= 0 || next >= q.most || q.moreThan(next, 1-part) != above {
			return q.find(part)
		}
	}
}

// quantiles finds numbers below which a count is with a probability. It asks for no probability that follows from one that was
// asked for before.
type quantiles struct {
	cases  cases
	most   float64
	probes [maxProbes]probe // ascending
	n      int
}

// probe is nearly how likely it is more than a number.
type probe struct{ n, above float64 }

// maxProbes is how many probes are kept.
const maxProbes = 32

func (c *Count) quantiles() quantiles { return quantiles{cases: c.cases(), most: c.most} }

func (q *quantiles) find(part float64) float64 {
	low, high := 0., q.most
	for high-low > .5 {
		if middle := (low + high) / 2; q.moreThan(middle, 1-part) {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// moreThan reports whether the probability that it is more than n is more than a part.
func (q *quantiles) moreThan(n, part float64) bool {
	next := 0
	for ; next < q.n && q.probes[next].n < n; next++ {
	}
	switch {
	case next < q.n && q.probes[next].above-nearly > part:
		return true
	case next > 0 && q.probes[next-1].above+nearly <= part:
		return false
	}
	above := q.cases.nearlyAbove(n)
	if q.n < maxProbes {
		copy(q.probes[next+1:q.n+1], q.probes[next:q.n])
		q.probes[next] = probe{n, above}
		q.n++
	}
	if math.Abs(above-part) <= nearly {
		above = q.cases.above(n)
	}
	return above > part
}

// Band returns the band that holds in eight of ten cases.
func (c *Count) Band() figures.Band {
	q := c.quantiles()
	at := func(part float64) int { return int(math.Round(q.find(part))) }
	return figures.Band{Low: at(.1), Median: at(.5), High: at(.9)}
}
