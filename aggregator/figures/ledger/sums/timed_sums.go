package sums

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"housecount/aggregator/figures"
)

// TimedSums holds sums by minute or by day. What was published is never changed: changes wait in pending until the
// next publication.
type TimedSums struct {
	rows    figures.TimedRows
	pending []figures.TimedRow
}

// put adds a value to the sum of a key.
func (s *TimedSums) put(k figures.TimedKey, value int64) {
	if value == 0 {
		return
	}
	// Tickets of one order have the same keys one after another.
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

// summed sorts rows and adds up those with the same key, in place. At least half of the result's capacity is free,
// so that pending needs little more room than its sums.
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

// Count adds a number that is not money.
func (s *TimedSums) Count(at int32, what figures.Measure, n int) {
	s.put(figures.TimedKeyOf(at, what), int64(n))
}

// Add adds money.
func (s *TimedSums) Add(at int32, a Amount, names *Names) {
	if a.Value != 0 {
		s.put(figures.TimedKeyOf(at, a.Measure).In(names.Text(a.Currency)), a.Value)
	}
}

func minuteOf(at figures.Stamp) int32 {
	return int32(min(max(at.Minute(), math.MinInt32), math.MaxInt32))
}

// move adds a movement at a moment.
func (s *TimedSums) move(m Movement, at figures.Stamp, names *Names) {
	minute := minuteOf(at)
	s.Count(minute, figures.PlacesMoved, m.Sold)
	if m.Lacks != (figures.Lacks{}) {
		s.Count(minute, figures.VoidsGuessed, m.Voids)
		s.Count(minute, figures.ReturnsGuessed, m.Returns)
		s.Count(minute, figures.UnpricedMoved, m.Unpriced)
		s.Count(minute, figures.FeelessMoved, m.Feeless)
		s.Count(minute, figures.VATlessMoved, m.VATless)
		s.Count(minute, figures.VATRatedMoved, m.VATRated)
	}
	for _, a := range m.Money {
		s.Add(minute, a, names)
	}
}

// AddAll adds other sums n times, except counts of open orders: an order of several events is one order in the
// total, so those are counted where they are posted.
func (s *TimedSums) AddAll(o *TimedSums, n int) {
	for _, rows := range []iter.Seq[figures.TimedRow]{o.rows.All(), slices.Values(o.pending)} {
		for r := range rows {
			if r.Measure() != figures.OrdersOpen {
				s.put(r.TimedKey, int64(n)*r.Value)
			}
		}
	}
}

// publish returns the sums that are not 0.
func (s *TimedSums) publish() figures.TimedRows {
	if len(s.pending) == 0 {
		return s.rows
	}
	var merged figures.TimedCoder
	merged.Reserve(s.rows, len(s.pending))
	pending := summed(s.pending)
	for r := range s.rows.All() {
		for ; len(pending) > 0 && pending[0].TimedKey < r.TimedKey; pending = pending[1:] {
			merged.Add(pending[0])
		}
		if len(pending) > 0 && pending[0].TimedKey == r.TimedKey {
			r.Value += pending[0].Value
			pending = pending[1:]
		}
		merged.Add(r)
	}
	for _, r := range pending {
		merged.Add(r)
	}
	s.rows, s.pending = merged.Rows(), nil
	return s.rows
}

// fitted returns a list without much spare capacity, for a list that will not change.
func fitted[T any](list []T) []T {
	if spare := cap(list) - len(list); spare > len(list)/4 {
		return slices.Clone(list)
	}
	return slices.Clip(list)
}
