package model

import (
	"math"
	"slices"
	"sync"

	"housecount/aggregator/figures"
)

// Pickup estimates what will have been sold of a performance from what comparable ones sold from the same distance on (their
// pickup). It combines the two usual methods on the log scale. With x sold, and a comparable that had sold t by then and r from
// there on, the estimate is
//
//	x + r · ((l + k·q)/(m + k))^w, q = (x + c)/(t + c)
//
// which is additive pickup for the weight w = 0 and multiplicative for w = 1. l and m are what both sold lately, which says
// more of what is to come than what was sold at the beginning: a sale with an early rush has had it. c and k keep small
// numbers from making large ratios. The weight is the one that errs least on the comparables, each estimated from the others,
// on the log scale. A sale that is farther from theirs than they are from one another is another kind of night: the farther,
// the more its own ratio counts. The band comes from the same errors.
type Pickup struct {
	weight float64
	scale  float64 // how much comparables vary in what they had sold by then, on the log scale
	usual  float64 // the median of what they had sold by then
	spread float64 // of the finish, on the log scale
	Miss   float64 // the mean error, as a part of the finish
}

// Sale is how many places were sold until some distance from the performance, and how many of them Lately; Lately is NaN
// for a sale that had hardly begun before.
type Sale struct{ Sold, Lately float64 }

// Past is a comparable: its sale at the same distance, and what it sold after that.
type Past struct {
	Sale
	More float64
}

// Equal reports whether both sold the same; neither may know what it sold lately.
func (p Past) Equal(o Past) bool {
	return p.Sold == o.Sold && p.More == o.More && (p.Lately == o.Lately || math.IsNaN(p.Lately) && math.IsNaN(o.Lately))
}

const (
	fewSold       = 4  // c
	soldBefore    = 20 // k
	weights       = 5  // the number of weights tried, from 0 to 1
	preferred     = .6 // the weight that is preferred if others are hardly better
	preference    = .1
	eightOfTen    = 1.2816 // standard deviations that bound eight of ten cases of a normal distribution
	oneInTwenty   = 1.96
	fewer         = 3.5 // divided by the number of comparables: how much wider the band is because there are few errors to go by
	leastSpread   = .02
	leastDistance = .1
)

// NewPickup fits the comparables, of which there must be at least one; most limits what can be sold of each, by
// index. One comparable alone gives no error and no band.
func NewPickup(all []Past, most func(i int, sold float64) float64) (best Pickup) {
	thens := make([]float64, len(all))
	for i, one := range all {
		thens[i] = one.Sold
	}
	base, least := Distances(thens), math.Inf(1)
	if base.weight = preferred; len(all) == 1 {
		return base
	}
	others, e := make([]Past, len(all)-1), new(Estimate)
	for i := range weights {
		p := base
		p.weight = float64(i) / (weights - 1)
		sum, squares, miss := 0., 0., 0.
		for j, one := range all {
			copy(others[copy(others, all[:j]):], all[j+1:])
			p.estimate(e, one.Sale, others)
			estimate := most(j, e.Median(func(i int) float64 { return others[i].More }))
			off := math.Log((estimate + 1) / (one.Sold + one.More + 1))
			sum, squares, miss = sum+math.Abs(off), squares+off*off, miss+math.Abs(estimate-one.Sold-one.More)/math.Max(1, one.Sold+one.More)
		}
		n := float64(len(all))
		if sum *= 1 + preference*math.Abs(p.weight-preferred); sum < least {
			least = sum
			if p.Miss = miss / n; squares > 0 { // zero if all are alike
				p.spread = math.Max(leastSpread, math.Sqrt(squares/n))
			}
			best = p
		}
	}
	return best
}

// Fitted is the Pickup that was last fitted to the same comparables. A sale changes nothing of what they had sold by then, so that
// the next estimate is mostly made from the same. Its zero value is none. It is safe for concurrent use.
type Fitted struct {
	mu     sync.Mutex
	pasts  []Past
	pickup Pickup
}

// To returns NewPickup of the comparables, of which most is always the same.
func (f *Fitted) To(all []Past, most func(i int, sold float64) float64) Pickup {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pasts == nil || !slices.EqualFunc(f.pasts, all, Past.Equal) {
		f.pasts, f.pickup = all, NewPickup(all, most)
	}
	return f.pickup
}

// Distances returns a Pickup with only usual and scale set, from what comparables had sold.
func Distances(sold []float64) (p Pickup) {
	p.usual = median(slices.Clone(sold))
	for _, n := range sold {
		far := p.far(n)
		p.scale += far * far
	}
	p.scale = math.Max(leastDistance, math.Sqrt(p.scale/float64(len(sold))))
	return p
}

// Exceptional reports whether a sale is farther from those of n comparables than 19 of 20 such sales are.
func (p Pickup) Exceptional(sold float64, n int) bool {
	return p.far(sold) > oneInTwenty*(1+fewer/float64(n))*p.scale
}

// mostByChance is how many sales must all be higher for one to be the lowest by chance in one case of twenty at most.
const mostByChance = 19

// LowestOfMany reports whether a sale is lower than that of each comparable, of which there are enough to go by that alone, and under
// half of their median. Where some comparables sold badly too, Exceptional takes them for a wide spread and finds nothing strange.
func LowestOfMany(sold float64, of []float64) bool {
	return len(of) >= mostByChance && sold < slices.Min(of) && 2*sold < median(slices.Clone(of))
}

// far returns how far a sale is from those of the comparables, on the log scale.
func (p Pickup) far(sold float64) float64 {
	return math.Abs(math.Log((math.Max(0, sold) + fewSold) / (p.usual + fewSold)))
}

// Estimate is what Pickup makes of a sale at one distance, whatever the comparables sold from there until some day.
type Estimate struct {
	sold   float64
	growth []float64 // of each comparable, by what factor more or fewer will be sold
	values []float64
}

// Estimate returns the estimate of a sale from comparables.
func (p Pickup) Estimate(own Sale, all []Past) *Estimate {
	e := new(Estimate)
	p.estimate(e, own, all)
	return e
}

// estimate makes e what Estimate returns.
func (p Pickup) estimate(e *Estimate, own Sale, all []Past) {
	weight := p.weight
	if far := p.far(own.Sold); far > p.scale {
		weight = math.Max(weight, 1-(p.scale/far)*(p.scale/far))
	}
	e.sold, e.growth, e.values = own.Sold, slices.Grow(e.growth[:0], len(all))[:len(all)], slices.Grow(e.values[:0], len(all))[:len(all)]
	for i, one := range all {
		ratio := (math.Max(0, own.Sold) + fewSold) / (math.Max(0, one.Sold) + fewSold)
		if lately := (math.Max(0, own.Lately) + soldBefore*ratio) / (math.Max(0, one.Lately) + soldBefore); !math.IsNaN(lately) {
			ratio = lately
		}
		e.growth[i] = math.Pow(ratio, weight)
	}
}

// Median returns the median of the estimates where each comparable sold so many more.
func (e *Estimate) Median(more func(i int) float64) float64 {
	for i, growth := range e.growth {
		e.values[i] = math.Max(e.sold, e.sold+more(i)*growth)
	}
	return median(e.values)
}

// Band returns an estimate with its band, for n comparables. part is the part of what is still to come that the
// estimate covers. The band is wider if sold is less than what comparables had sold.
func (p Pickup) Band(sold, estimate, part float64, n int) figures.Band {
	rest := math.Max(0, estimate-sold) / math.Max(1, estimate)
	chance := math.Max(0, 1/(math.Max(0, sold)+fewSold)-1/(p.usual+fewSold))
	width := math.Exp(eightOfTen * (1 + fewer/float64(n)) * math.Sqrt(p.spread*p.spread*part+rest*rest*chance))
	if p.spread == 0 {
		width = 1
	}
	round := func(x float64) int { return int(math.Round(math.Max(sold, x))) }
	return figures.Band{Low: round((estimate+1)/width - 1), Median: round(estimate), High: round((estimate+1)*width - 1)}
}

// median returns the median. It sorts its argument.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
