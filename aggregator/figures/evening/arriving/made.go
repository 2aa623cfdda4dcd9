package arriving

import (
	"slices"
	"sync"

	"housecount/aggregator/figures"
)

// Made holds what is usual by the figures of past performances that it was computed from, which never change. So performances
// with the same past share it, and it outlives changes of others: how right it was on each of those nights is found out once. What
// nobody has asked for since the day before is dropped, as each night makes other nights the last ones. Its zero value is empty.
type Made struct {
	mu  sync.Mutex
	of  map[*figures.EventFigures][]*Usual // by the first of its nights; nil for what is usual without any
	n   int
	day figures.Day
	// clean is the number of them from which those that no snapshot can ask for any more are dropped.
	clean int
}

// leastMade is the least number of Made.clean.
const leastMade = 128

// Of returns how visitors came to past performances: with NoBasis to none.
func (m *Made) Of(basis Basis, nights []*figures.EventFigures) *Usual {
	m.mu.Lock()
	defer m.mu.Unlock()
	var first *figures.EventFigures
	if basis != NoBasis {
		first = nights[0]
	}
	for _, u := range m.of[first] {
		if u.Basis == basis && slices.EqualFunc(u.Nights, nights, func(n *Night, e *figures.EventFigures) bool { return n.EventFigures == e }) {
			u.asked = m.day
			return u
		}
	}
	u := new(Usual)
	if basis != NoBasis {
		u = usualOf(basis, nights)
	}
	u.asked = m.day
	if m.of == nil {
		m.of = map[*figures.EventFigures][]*Usual{}
	}
	m.of[first] = append(m.of[first], u)
	m.n++
	return u
}

// Drop begins a day, and drops, once there are many, those that nobody asked for since the day before and those that were computed
// from figures that a snapshot of the whole house no longer has.
func (m *Made) Drop(s *figures.Snapshot, today figures.Day) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.day = today; m.n < max(m.clean, leastMade) {
		return
	}
	m.n = 0
	gone := func(e *figures.EventFigures) bool { return s.Event(e.Event.ID) != e }
	for first, all := range m.of {
		all = slices.DeleteFunc(all, func(u *Usual) bool {
			return u.asked < today.Add(-1) || slices.ContainsFunc(u.Nights, func(n *Night) bool { return gone(n.EventFigures) })
		})
		if m.of[first] = all; len(all) == 0 {
			delete(m.of, first)
		}
		m.n += len(all)
	}
	m.clean = 2 * m.n
}
