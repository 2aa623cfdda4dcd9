package sandbox

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// happening is something that is going to be.
type happening struct {
	at time.Time
	// call says that this is a control call from the journal: it was made when all else of
	// its moment had happened.
	call bool
	seq  uint64 // keeps those of one moment in the order in which they were planned
	run  func()
}

// diary is a heap of happenings, the next one first.
type diary []happening

func (d diary) Len() int      { return len(d) }
func (d diary) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *diary) Push(x any)   { *d = append(*d, x.(happening)) }

func (d diary) Less(i, j int) bool {
	a, b := &d[i], &d[j]
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	if a.call != b.call {
		return b.call
	}
	return a.seq < b.seq
}

func (d *diary) Pop() any {
	last := len(*d) - 1
	h := (*d)[last]
	(*d)[last] = happening{}
	*d = (*d)[:last]
	return h
}

// at plans run for t, or for now when t has passed.
func (h *house) at(t time.Time, run func()) {
	h.seq++
	heap.Push(&h.diary, happening{at: h.moment(t), seq: h.seq, run: run})
}

// atCall plans a control call for t, after everything else of that moment.
func (h *house) atCall(t time.Time, run func()) {
	h.seq++
	heap.Push(&h.diary, happening{at: h.moment(t), call: true, seq: h.seq, run: run})
}

func (h *house) moment(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Millisecond)
	if t.Before(h.now) {
		return h.now
	}
	return t
}

// next lets the next happening be, if it is due by until.
func (h *house) next(until time.Time) bool {
	if len(h.diary) == 0 || h.diary[0].at.After(until) {
		return false
	}
	due := heap.Pop(&h.diary).(happening)
	h.now = due.at
	due.run()
	return true
}

// What a randomness is for; part of its key.
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
)

// chance is the randomness of one happening.
type chance struct{ *rand.Rand }

// chance returns the randomness that belongs to the key: the same for the same house, and
// unrelated to every other.
func (h *house) chance(key ...uint64) chance {
	x := mix(h.seed)
	for _, k := range key {
		x = mix(x ^ k)
	}
	return chance{rand.New(rand.NewPCG(x, mix(x+1)))}
}

// mix is the finalizer of splitmix64: a bijection that spreads its input.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// in says yes with probability p.
func (c chance) in(p float64) bool { return c.Float64() < p }

// between is uniform in [lo, hi).
func (c chance) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(c.Float64()*float64(hi-lo))
}

// wait is exponential with the given mean.
func (c chance) wait(mean time.Duration) time.Duration {
	return time.Duration(c.ExpFloat64() * float64(mean))
}

// pick chooses an index with probability in proportion to its weight.
func (c chance) pick(weights []float64) int {
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

// idLetters leaves out what is mistaken for something else.
const idLetters = "0123456789abcdefghjkmnpqrstvwxyz"

// id makes the next identifier, opaque and never repeated.
func (h *house) id(prefix string) string {
	h.serial++
	return prefix + h.opaque(h.serial)
}

// opaque maps n one to one to twelve letters.
func (h *house) opaque(n uint64) string {
	const mask = 1<<60 - 1
	x := (n ^ mix(h.seed)) & mask
	x = x * 0x5851f42d4c957f2d & mask
	x ^= x >> 29
	x = x * 0x14057b7ef767814f & mask
	x ^= x >> 31
	var b [12]byte
	for i := range b {
		b[i] = idLetters[x>>(5*i)&31]
	}
	return string(b[:])
}
