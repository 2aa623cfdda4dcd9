package admission

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Refusals counts refused logins by address, so that a stranger who is refused very often does not fill the
// database. Its zero value is ready for use, and its methods may be called from any goroutine.
type Refusals struct {
	mu     sync.Mutex
	counts map[Refusal]int
}

// Refusal is the address of a refused login, and the reason.
type Refusal struct{ Address, Reason string }

const (
	// refusalsAtOnce is for how many addresses refusals are returned separately, those refused most often.
	refusalsAtOnce = 20
	// mostRefusals is the most addresses that are counted separately in between.
	mostRefusals = 10_000
)

// Add counts refusals.
func (f *Refusals) Add(of Refusal, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts == nil {
		f.counts = make(map[Refusal]int)
	}
	if _, known := f.counts[of]; !known && len(f.counts) >= mostRefusals {
		of.Address = ""
	}
	f.counts[of] += n
}

// Take returns the refusals since the last call, the most frequent first. Those of the addresses beyond
// refusalsAtOnce are together, one without an address for each reason.
func (f *Refusals) Take() (counts map[Refusal]int, order []Refusal) {
	f.mu.Lock()
	all := f.counts
	f.counts = nil
	f.mu.Unlock()
	order = slices.SortedFunc(maps.Keys(all), func(a, b Refusal) int {
		return cmp.Or(all[b]-all[a], cmp.Compare(a.Address, b.Address), cmp.Compare(a.Reason, b.Reason))
	})
	if len(order) > refusalsAtOnce {
		for _, one := range order[refusalsAtOnce:] {
			of := Refusal{"", one.Reason}
			if _, known := all[of]; !known {
				order = append(order, of)
			}
			if one != of {
				all[of] += all[one]
			}
		}
		order = slices.DeleteFunc(order, func(r Refusal) bool { return r.Address != "" && !slices.Contains(order[:refusalsAtOnce], r) })
	}
	return all, order
}
