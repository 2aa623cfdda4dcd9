package sandbox

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Keys for random numbers by purpose.
const (
	forProgramme uint64 = iota + 1
	forShow
	forPlan
	forOrder
	forAftermath
	forArrival
	forInterval
	forLeaving
	forBulk
	forInvoice
	forExtras
	forExchange
	forNight
	forCampaign
)

// rng draws the random numbers of one task.
type rng struct{ *rand.Rand }

// mix returns the finalizer of splitmix64: a bijection that spreads its input.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// drawFault returns the random numbers of faults, which depend on nothing but the seed, the fault and the number of the request.
func drawFault(seed uint64) func(name string, n int) *rand.Rand {
	return func(name string, n int) *rand.Rand {
		h := fnv.New64a()
		h.Write([]byte(name))
		k := mix(mix(seed^h.Sum64()) ^ uint64(n))
		return rand.New(rand.NewPCG(k, mix(k+1)))
	}
}

// chance returns true with probability p.
func (c rng) chance(p float64) bool { return c.Float64() < p }

// between draws from the uniform distribution on [lo, hi).
func (c rng) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(c.Float64()*float64(hi-lo))
}

// exponential draws from the exponential distribution with the given mean.
func (c rng) exponential(mean time.Duration) time.Duration {
	return time.Duration(c.ExpFloat64() * float64(mean))
}

// pick draws an index with probability proportional to its weight.
func (c rng) pick(weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	u := c.Float64() * sum
	for i, w := range weights {
		if u < w {
			return i
		}
		u -= w
	}
	return len(weights) - 1
}
