// Package model has the two models of what a night and a sale will come to: how visitors arrive, and what is sold until the
// end. They know numbers alone.
package model

import (
	"math"

	"housecount/aggregator/figures"
)

// Arrivals is what is known of how tonight's visitors come: what part of the expected comes at all, how much
// later or earlier than usual, and how much more spread out. Each is one of a few values, and each combination has
// a probability. The probabilities begin as on past nights, or with a wide default if there are none. They are
// updated with the entries of each block of minutes, including blocks without entries. Past nights are no proof
// for tonight, so the prior gives a part of its weight to all shares alike, and a seventh to all shifts alike. Where no past
// nights are known it gives half to all shares: who comes to what was never played here, or is free, nobody knows.
//
// Most combinations soon have no chance. A block is added to the weight of one when its weight is needed again.
type Arrivals struct {
	curves   *Curves
	people   []float64 // the expected who come, by share
	blocks   []block
	cases    []combination // by curve and share
	tops     []float64     // by curve, no combination of it can reach more, but for what the blocks take from all
	least    []float64     // by number of blocks, what they take from any weight at least
	expected float64
	come     float64 // first entries of the blocks

	weighed weighed
}

// block is the entries between two minutes of the curves.
type block struct {
	from, until int
	n           float64
}

// combination is a curve and a share.
type combination struct {
	weight float64 // its logarithm, but for the blocks
	away   float64 // the sum of the first added blocks
	spread float64 // their product
	added  int
	excess float64 // while none is added: what some blocks subtract beyond what they take from any weight
}

// weighed are the weights that were computed last: a minute is asked for more than once.
type weighed struct {
	valid   bool
	until   int
	n       float64
	weights []float64 // no chance is minus infinity
	likely  []int     // the others' indexes, ascending; and a few that have none
	spare   []int
	most    float64
}

const (
	// Block is how many minutes of entries are one piece of evidence.
	Block = 5
	// clusters makes the counts of a block vary more than independent arrivals would: people come in groups,
	// and by tram.
	clusters = 6.
	// trust is the weight of a block as evidence: what delays one block delays the next, too.
	trust = .6

	surpriseShare, surpriseShift, surpriseWidth = .05, .15, .03
	surpriseUnknown                             = .5 // the share's, without past nights
	// partDelayed is how likely a part of the visitors is held up, in a late train or a jam, and comes evenly in the first delay
	// minutes after the curtain. Until they come, nothing tells them from people who do not come at all.
	partDelayed      = .08
	delay            = 20.
	leastShareSpread = .025
	leastShiftSpread = 3. // minutes
	spreadOfWidth    = .15
)

var (
	shares  = []float64{.04, .08, .12, .16, .2, .25, .3, .35, .4, .46, .52, .58, .64, .7, .74, .78, .82, .85, .88, .91, .94, .97, 1}
	shifts  = []float64{-18, -14, -10, -7, -4.5, -2, 0, 2, 4.5, 7, 10, 14, 18, 22, 27, 33, 40}
	widths  = []float64{.55, .75, 1, 1.3}
	delayed = []float64{.15, .3, .45} // the parts
)

// Curves are the courses of arrivals that the model knows: for each shift and width, the part that has come
// by each minute from figures.UsualFrom before curtain to figures.UsualUntil after it.
type Curves struct {
	come   [][]float64
	priors []float64 // logarithms, by curve
	shares []float64 // logarithms, by share
}

// defaultArrivals is the course without past nights: the part that has come by a minute after curtain.
var defaultArrivals = []struct{ minute, part float64 }{
	{-90, 0}, {-60, .03}, {-45, .11}, {-30, .35}, {-20, .6}, {-10, .86}, {-5, .94}, {0, .98}, {5, .992}, {15, 1}, {45, 1},
}

// defaultShareSpread and defaultShiftSpread are how much nights vary from the default.
const (
	defaultShare       = .93
	defaultShareSpread = .07
	defaultShiftSpread = 8.
)

// Usual is how visitors arrive on usual nights.
type Usual struct {
	Course      []float64 // the part that has come, by the minute from figures.UsualFrom before curtain to figures.UsualUntil after it
	Share       float64   // the part of the expected that comes
	ShareSpread float64   // how much nights vary from Share
	ShiftSpread float64   // and from Course, in minutes
	Nights      int       // past nights; 0 with the default
}

// DefaultUsual returns what is usual where no past nights are known.
func DefaultUsual() Usual {
	u := Usual{make([]float64, figures.UsualFrom+figures.UsualUntil+1), defaultShare, defaultShareSpread, defaultShiftSpread, 0}
	for i := range u.Course {
		u.Course[i] = defaultAt(float64(i - figures.UsualFrom))
	}
	return u
}

// NewCurves computes the courses from what is usual.
func NewCurves(u Usual) *Curves {
	share, shareSpread, shiftSpread := u.Share, math.Max(leastShareSpread, u.ShareSpread), math.Max(leastShiftSpread, u.ShiftSpread)
	center := MedianMinute(u.Course)
	surpriseOfWidth, surpriseOfShare := surpriseWidth, surpriseShare
	if u.Nights == 0 {
		surpriseOfWidth, surpriseOfShare = 0, surpriseUnknown
	}
	c := &Curves{}
	add := func(course []float64, prior float64) {
		c.come, c.priors = append(c.come, course), append(c.priors, math.Log(prior))
	}
	for _, shift := range shifts {
		for _, width := range widths {
			course := make([]float64, len(u.Course))
			for i := range course {
				course[i] = courseAt(u.Course, center+(float64(i)-center-shift)/width)
			}
			prior := ((1-surpriseShift)*bell(shift, 0, shiftSpread) + surpriseShift/float64(len(shifts))) *
				((1-surpriseOfWidth)*bell(math.Log(width), 0, spreadOfWidth) + surpriseOfWidth/float64(len(widths)))
			add(course, prior)
			for _, part := range delayed {
				if u.Nights == 0 || width != 1 || math.Abs(shift) > 5 {
					continue
				}
				later := make([]float64, len(course))
				for i := range later {
					later[i] = (1-part)*course[i] + part*math.Min(1, math.Max(0, float64(i-figures.UsualFrom)/delay))
				}
				add(later, prior*partDelayed/float64(len(delayed)))
			}
		}
	}
	alike, sum := make([]float64, len(shares)), 0. // how much of all shares each stands for
	for i, of := range shares {
		below, above := 0., 1.
		if i > 0 {
			below = (shares[i-1] + of) / 2
		}
		if i < len(shares)-1 {
			above = (of + shares[i+1]) / 2
		}
		alike[i] = above - below
		sum += alike[i] * bell(of, share, shareSpread)
	}
	for i, of := range shares {
		rare := 1.
		if u.Nights > 0 {
			rare = 3 * of * of
		}
		c.shares = append(c.shares, math.Log(alike[i]*((1-surpriseOfShare)*bell(of, share, shareSpread)/sum+surpriseOfShare*rare)))
	}
	return c
}

func defaultAt(minute float64) float64 {
	for i, to := range defaultArrivals[1:] {
		if from := defaultArrivals[i]; minute <= to.minute {
			return from.part + (to.part-from.part)*math.Max(0, minute-from.minute)/(to.minute-from.minute)
		}
	}
	return 1
}

// MedianMinute returns the minute by which half have come.
func MedianMinute(course []float64) float64 {
	for i, part := range course {
		if part >= .5 {
			if i == 0 || part == course[i-1] {
				return float64(i)
			}
			return float64(i) - (part-.5)/(part-course[i-1])
		}
	}
	return float64(len(course))
}

// courseAt interpolates a course. Nobody has come before its first minute, and all have after its last.
func courseAt(course []float64, at float64) float64 {
	i := int(math.Floor(at))
	switch {
	case i < 0:
		return 0
	case i >= len(course)-1:
		return 1
	}
	return course[i] + (course[i+1]-course[i])*(at-float64(i))
}

// bell returns the density of a normal distribution, without a factor that is the same for all x.
func bell(x, mean, spread float64) float64 {
	return math.Exp(-(x - mean) * (x - mean) / (2 * spread * spread))
}

// NewArrivals returns the model before anybody has come.
func NewArrivals(c *Curves, expected float64) *Arrivals {
	m := &Arrivals{curves: c, expected: expected, people: make([]float64, len(shares)), cases: make([]combination, 0, len(c.priors)*len(shares)),
		tops: make([]float64, len(c.priors)), least: []float64{0}}
	for i, share := range shares {
		m.people[i] = expected * share
	}
	for i, prior := range c.priors {
		m.tops[i] = prior // a probability of the share is at most 1
		for _, share := range c.shares {
			m.cases = append(m.cases, combination{weight: prior + share, spread: 1})
		}
	}
	return m
}

// Arrive adds n first entries between the last block and a minute of the curves.
func (m *Arrivals) Arrive(until int, n float64) {
	until = m.minute(until)
	m.blocks = append(m.blocks, block{m.counted(), until, n})
	m.least = append(m.least, m.least[len(m.least)-1]+leastEvidence(n))
	m.come, m.weighed.valid = m.come+n, false
}

// minute returns the minute of the curves that is next to one.
func (m *Arrivals) minute(until int) int { return min(max(until, 0), len(m.curves.come[0])-1) }

// counted returns the minute of the curves before which blocks were added.
func (m *Arrivals) counted() int {
	if len(m.blocks) == 0 {
		return 0
	}
	return m.blocks[len(m.blocks)-1].until
}

// hopeless is the difference of logarithms from the likeliest below which a combination has less than leastPart for certain.
const hopeless = 14.

// logOfLeast is the logarithm of the least spread.
var logOfLeast = math.Log(.5)

// away returns how far a block is from what a combination expects, in the square, and its spread, which together are evidence.
func (b *block) away(course []float64, people float64) (away, spread float64) {
	part := course[b.until]
	if b.from != 0 {
		part -= course[b.from]
	}
	mean := people * part
	spread = mean + mean*mean/clusters + .5
	return (b.n - mean) * (b.n - mean) / spread, spread
}

// evidence returns what blocks subtract from the weight of a combination: away is their sum, log the logarithm of the product of
// their spreads.
func evidence(away, log float64) float64 { return trust * (away + log) / 2 }

// logBelow returns at most the logarithm of x, and hardly less, without computing it.
func logBelow(x float64) float64 { return float64(int(math.Float64bits(x)>>52)-1023) * math.Ln2 }

// leastEvidence returns no more than what a block with n entries subtracts from the weight of any combination. A mean above n
// has the greater spread; below n, both parts are bounded between two means at a time.
func leastEvidence(n float64) float64 {
	spread := func(mean float64) float64 { return mean + mean*mean/clusters + .5 }
	least := math.Log(spread(n))
	for above := n; above > 0; {
		far := (n - above) * (n - above) / spread(above)
		if far+logOfLeast >= least {
			break
		}
		below := above / 1.15
		if below < .1 {
			below = 0
		}
		least = math.Min(least, far+math.Log(spread(below)))
		above = below
	}
	return evidence(0, least)
}

// weigh returns the weight of a combination after the blocks and one more; minus infinity as soon as it cannot reach a weight.
// All that the blocks and the one more take from any weight at least is taken. Of the blocks, the last say the most.
func (m *Arrivals) weigh(k int, last *block, taken, least float64) float64 {
	course, people, c := m.curves.come[k/len(shares)], m.people[k%len(shares)], &m.cases[k]
	least += taken
	if c.reach(m) < least {
		return math.Inf(-1)
	}
	if c.added == 0 && c.excess == 0 {
		for i := len(m.blocks) - 1; i >= max(0, len(m.blocks)-looked); i-- {
			away, spread := m.blocks[i].away(course, people)
			if c.excess += evidence(away, logBelow(spread)) - (m.least[i+1] - m.least[i]); c.reach(m) < least {
				return math.Inf(-1)
			}
		}
	}
	for c.excess = 0; ; c.added++ {
		switch {
		case c.reach(m) < least:
			return math.Inf(-1)
		case c.added == len(m.blocks):
			away, spread := last.away(course, people)
			return c.weight - evidence(c.away+away, math.Log(c.spread*spread))
		}
		away, spread := m.blocks[c.added].away(course, people)
		c.away, c.spread = c.away+away, c.spread*spread
	}
}

// looked is how many of the last blocks are looked at before all are added.
const looked = 3

// reach returns the most that a combination's weight can be, but for what the blocks take from any weight.
func (c *combination) reach(m *Arrivals) float64 {
	return c.weight - evidence(c.away, logBelow(c.spread)) + m.least[c.added] - c.excess
}

// with returns the weights after n entries until a minute. They hold until the next call.
func (m *Arrivals) with(until int, n float64) *weighed {
	w := &m.weighed
	if w.valid && w.until == until && w.n == n {
		return w
	}
	last := block{m.counted(), until, n}
	taken, best := m.least[len(m.blocks)]+leastEvidence(n), math.Inf(-1) // best is what the likeliest weighs at least
	try := func(k int) {
		w.weights[k] = m.weigh(k, &last, taken, best-hopeless)
		best = math.Max(best, w.weights[k])
	}
	if w.weights == nil {
		w.weights = make([]float64, len(m.cases))
		m.tryFirst(try)
	}
	for _, k := range w.likely {
		try(k)
	}
	likely := w.spare[:0]
	for i, top := range m.tops {
		if top-taken < best-hopeless {
			continue
		}
		m.tops[i] = math.Inf(-1)
		for k := i * len(shares); k < (i+1)*len(shares); k++ {
			try(k)
			m.tops[i] = math.Max(m.tops[i], m.cases[k].reach(m))
			if w.weights[k] >= best-hopeless {
				likely = append(likely, k)
			}
		}
	}
	w.likely, w.spare = likely, w.likely
	w.valid, w.until, w.n, w.most = true, until, n, best
	return w
}

// tryFirst tries the shares on the course that is the likeliest before anybody has come, and the courses with the likeliest of
// these shares, so that the others soon have no chance beside them.
func (m *Arrivals) tryFirst(try func(k int)) {
	course, first := 0, 0
	for i, prior := range m.curves.priors {
		if prior > m.curves.priors[course] {
			course = i
		}
	}
	first = course * len(shares)
	for k := first; k < first+len(shares); k++ {
		if try(k); m.weighed.weights[k] > m.weighed.weights[first] {
			first = k
		}
	}
	for k := first % len(shares); k < len(m.cases); k += len(shares) {
		try(k)
	}
}

// Outlook is the model's forecast at a minute of the visitors who come after it and after the curtain.
type Outlook struct {
	Sure   float64 // the probability that they are more than a limit
	Mean   float64 // their mean number
	Within float64 // the part of them that comes while the curtain can be held

	Count Count     // of them
	later []float64 // the mean number who come later still, by the minutes for which the curtain is held
}

// FallsTo returns for how many minutes to hold the curtain until the mean number of those outside has fallen to a limit;
// at most for as long as it can be held.
func (o *Outlook) FallsTo(limit float64) int {
	for i, mean := range o.later {
		if mean <= limit {
			return i
		}
	}
	return len(o.later) - 1
}

// Outlook returns the forecast after n more entries until a minute of the curves, for the visitors who come after
// that minute and after the minute from.
func (m *Arrivals) Outlook(until int, n float64, from, hold int, limit float64) (o Outlook) {
	until = m.minute(until)
	w := m.with(until, n)
	left := math.Max(0, m.expected-m.come-n)
	from, sum := max(from, until), 0.
	o.Count, o.later = newCount(left), make([]float64, hold+1)
	for first, next := 0, 0; first < len(w.likely); first = next {
		i := w.likely[first] / len(shares)
		course := m.curves.come[i]
		after, held := 1-courseAt(course, float64(from)), courseAt(course, float64(from+hold))-courseAt(course, float64(from))
		people := 0.
		for ; next < len(w.likely) && w.likely[next]/len(shares) == i; next++ {
			p := math.Exp(w.weights[w.likely[next]] - w.most)
			if p < leastPart {
				continue
			}
			share := w.likely[next] % len(shares)
			of := m.people[share]
			mean := math.Min(left, of*after)
			sum += p
			o.Mean += p * mean
			o.Within += p * math.Min(mean, of*held)
			people += p * m.expected * shares[share]
			o.Count.add(mean, p)
		}
		for k := range o.later {
			o.later[k] += people * (1 - courseAt(course, float64(from+k)))
		}
	}
	if o.Mean > 0 {
		o.Within /= o.Mean
	}
	o.Mean /= sum
	o.Count.scale(1 / sum)
	for k := range o.later {
		o.later[k] = math.Min(left, o.later[k]/sum)
	}
	o.Sure = o.Count.Above(limit + .5)
	return o
}
