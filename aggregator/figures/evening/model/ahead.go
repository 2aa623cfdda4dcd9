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
	parts  []float64 // the probability of each
}

// leastPart is the least probability of a case beside the likeliest, for it to count.
const leastPart = 1e-6

// Ahead returns what is ahead after n more entries until a minute of the curves.
func (m *Arrivals) Ahead(until int, n float64) *Ahead {
	until = m.minute(until)
	w := m.with(until, n)
	a := &Ahead{minute: until, left: math.Max(0, m.expected-m.come-n)}
	people, parts, sum := make([]float64, 0, len(w.likely)), make([]float64, 0, len(w.likely)), 0.
	for first, next := 0, 0; first < len(w.likely); first = next {
		i, from := w.likely[first]/len(shares), len(parts)
		for ; next < len(w.likely) && w.likely[next]/len(shares) == i; next++ {
			if p := math.Exp(w.weights[w.likely[next]] - w.most); p >= leastPart {
				people, parts = append(people, m.people[w.likely[next]%len(shares)]), append(parts, p)
				sum += p
			}
		}
		if len(parts) > from {
			a.courses = append(a.courses, courseAhead{m.curves.come[i], people[from:len(parts):len(parts)], parts[from:len(parts):len(parts)]})
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
		part := gate * (courseAt(course.come, float64(to)) - courseAt(course.come, float64(from)))
		for j, people := range course.people {
			c.add(part*people, course.parts[j])
		}
	}
	return c
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

// Above returns the probability that it is more than n.
func (c *Count) Above(n float64) (above float64) {
	for i, p := range c.parts {
		if p > 0 {
			mean := c.means[i] / p
			above += p * math.Erfc((n-mean)/math.Sqrt(2*(mean+mean*mean/c.clusters+.25))) / 2
		}
	}
	return above
}

// Quantile returns the number below which it is with a probability.
func (c *Count) Quantile(part float64) float64 {
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

// Band returns the band that holds in eight of ten cases.
func (c *Count) Band() figures.Band {
	at := func(part float64) int { return int(math.Round(c.Quantile(part))) }
	return figures.Band{Low: at(.1), Median: at(.5), High: at(.9)}
}
