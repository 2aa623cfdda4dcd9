package ledger

import (
	"cmp"
	"math"
	"slices"

	"housecount/aggregator/figures"
)

// timedSums sums by minute or by day. What has been published is never changed: changes wait until
// the next publication.
type timedSums struct {
	rows    []figures.TimedRow
	pending []figures.TimedRow
}

// put adds a value.
func (s *timedSums) put(k figures.TimedKey, value int64) {
	if value == 0 {
		return
	}
	// An order's tickets repeat the keys of one another.
	for i := len(s.pending) - 1; i >= max(0, len(s.pending)-8); i-- {
		if s.pending[i].TimedKey == k {
			s.pending[i].Value += value
			return
		}
	}
	if len(s.pending) == cap(s.pending) && len(s.pending) >= 64 {
		s.pending = summed(s.pending)
	}
	s.pending = append(s.pending, figures.TimedRow{TimedKey: k, Value: value})
}

// summed puts rows into order, those of one key together, in their own room, of which it leaves a half
// or makes more: what is to be summed needs little more room than the sums.
func summed(rows []figures.TimedRow) []figures.TimedRow {
	slices.SortFunc(rows, func(a, b figures.TimedRow) int { return cmp.Compare(a.TimedKey, b.TimedKey) })
	n := 0
	for _, r := range rows[1:] {
		if rows[n].TimedKey == r.TimedKey {
			rows[n].Value += r.Value
		} else {
			n++
			rows[n] = r
		}
	}
	if rows = rows[:n+1]; len(rows) > cap(rows)/2 {
		rows = slices.Grow(rows, cap(rows))
	}
	return rows
}

// count adds a number of what is no money.
func (s *timedSums) count(at int32, what figures.Measure, n int) {
	s.put(figures.TimedKeyOf(at, what), int64(n))
}

// add adds money.
func (s *timedSums) add(at int32, a amount, names *names) {
	if a.value != 0 {
		s.put(figures.TimedKeyOf(at, a.measure).In(names.text(a.currency)), a.value)
	}
}

// move adds a movement at a moment.
func (s *timedSums) move(m movement, at figures.Stamp, names *names) {
	minute := int32(min(max(at.Minute(), math.MinInt32), math.MaxInt32))
	s.count(minute, figures.PlacesMoved, m.sold)
	if m.Lacks != (figures.Lacks{}) {
		s.count(minute, figures.VoidsGuessed, m.Voids)
		s.count(minute, figures.ReturnsGuessed, m.Returns)
		s.count(minute, figures.UnpricedMoved, m.Unpriced)
		s.count(minute, figures.FeelessMoved, m.Feeless)
		s.count(minute, figures.VATlessMoved, m.VATless)
		s.count(minute, figures.VATRatedMoved, m.VATRated)
	}
	for _, a := range m.money {
		s.add(minute, a, names)
	}
}

// addAll adds others n times, but for counts of orders: those are counted where they are posted,
// since one of several events is one in the total.
func (s *timedSums) addAll(o *timedSums, n int) {
	for _, rows := range [][]figures.TimedRow{o.rows, o.pending} {
		for _, r := range rows {
			if r.Measure() != figures.OrdersOpen {
				s.put(r.TimedKey, int64(n)*r.Value)
			}
		}
	}
}

// publish returns the sums that are not 0, ascending; nil if there are none.
func (s *timedSums) publish() []figures.TimedRow {
	if len(s.pending) == 0 {
		return s.rows
	}
	slices.SortFunc(s.pending, func(a, b figures.TimedRow) int { return cmp.Compare(a.TimedKey, b.TimedKey) })
	same, _ := slices.BinarySearchFunc(s.rows, s.pending[0].TimedKey, figures.CompareTo)
	merged := append(make([]figures.TimedRow, 0, len(s.rows)+len(s.pending)), s.rows[:same]...)
	rows, pending := s.rows[same:], s.pending
	for len(pending) > 0 {
		from := &pending
		if len(rows) > 0 && rows[0].TimedKey <= pending[0].TimedKey {
			from = &rows
		}
		next := (*from)[0]
		*from = (*from)[1:]
		if last := len(merged) - 1; last >= 0 && merged[last].TimedKey == next.TimedKey {
			merged[last].Value += next.Value
		} else {
			merged = append(merged, next)
		}
	}
	merged = slices.DeleteFunc(append(merged, rows...), func(r figures.TimedRow) bool { return r.Value == 0 })
	s.rows, s.pending = nil, nil
	if len(merged) > 0 {
		s.rows = fitted(merged)
	}
	return s.rows
}

// fitted returns a list that stays as it is, without room to spare.
func fitted[T any](list []T) []T {
	if spare := cap(list) - len(list); spare > len(list)/4 {
		return slices.Clone(list)
	}
	return slices.Clip(list)
}
