package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// timedRow is what moved within one minute or on one day: places, or money of one measure and
// currency. A minute is a moment, so that the hour that autumn repeats has twice sixty of them.
type timedRow struct {
	timedKey
	value int64
}

// timedKey says what a row is of: a minute, Unix time / 60, or a dayNumber; then a Measure, or one
// of those below; then a currency. Keys ascend as these do, one after the other.
type timedKey uint64

// What rows count that are no money: places, movements that are there by a guess, and orders that
// have an open item.
const (
	placesMoved = measureCount + iota
	voidsGuessed
	returnsGuessed
	ordersOpen
)

// timedKeyOf is the key of a measure without a currency.
func timedKeyOf(at int32, what Measure) timedKey {
	return timedKey(uint32(at)^1<<31)<<32 | timedKey(what)<<24
}

func (k timedKey) at() int32 { return int32(uint32(k>>32) ^ 1<<31) }

func (k timedKey) measure() Measure { return Measure(k >> 24) }

func (k timedKey) currency() string { return string([]byte{byte(k >> 16), byte(k >> 8), byte(k)}) }

// in is the key with a currency.
func (k timedKey) in(currency string) timedKey {
	for i := range min(3, len(currency)) {
		k |= timedKey(currency[i]) << (16 - 8*i)
	}
	return k
}

// timeless is what a row is of whenever it moved: its measure and currency.
func (k timedKey) timeless() uint32 { return uint32(k) }

// timedSums sums by minute or by day. What has been published is never changed: changes wait until
// the next publication.
type timedSums struct {
	rows    []timedRow
	pending []timedRow
}

// put adds a value.
func (s *timedSums) put(k timedKey, value int64) {
	if value == 0 {
		return
	}
	// An order's tickets repeat the keys of one another.
	for i := len(s.pending) - 1; i >= max(0, len(s.pending)-8); i-- {
		if s.pending[i].timedKey == k {
			s.pending[i].value += value
			return
		}
	}
	if len(s.pending) == cap(s.pending) && len(s.pending) >= 64 {
		s.pending = summed(s.pending)
	}
	s.pending = append(s.pending, timedRow{k, value})
}

// summed puts rows into order, those of one key together, in their own room, of which it leaves a half
// or makes more: what is to be summed needs little more room than the sums.
func summed(rows []timedRow) []timedRow {
	slices.SortFunc(rows, func(a, b timedRow) int { return cmp.Compare(a.timedKey, b.timedKey) })
	n := 0
	for _, r := range rows[1:] {
		if rows[n].timedKey == r.timedKey {
			rows[n].value += r.value
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
func (s *timedSums) count(at int32, what Measure, n int) { s.put(timedKeyOf(at, what), int64(n)) }

// add adds money.
func (s *timedSums) add(at int32, a amount, names *names) {
	if a.value != 0 {
		s.put(timedKeyOf(at, a.measure).in(names.text(a.currency)), a.value)
	}
}

// move adds a movement at a moment.
func (s *timedSums) move(m movement, at stamp, names *names) {
	minute := int32(min(max(at.minute(), math.MinInt32), math.MaxInt32))
	s.count(minute, placesMoved, m.sold)
	s.count(minute, voidsGuessed, m.Voids)
	s.count(minute, returnsGuessed, m.Returns)
	for _, a := range m.money {
		s.add(minute, a, names)
	}
}

// addAll adds others n times, but for counts of orders: those are counted where they are posted,
// since one of several events is one in the total.
func (s *timedSums) addAll(o *timedSums, n int) {
	for _, rows := range [][]timedRow{o.rows, o.pending} {
		for _, r := range rows {
			if r.measure() != ordersOpen {
				s.put(r.timedKey, int64(n)*r.value)
			}
		}
	}
}

// publish returns the sums that are not 0, ascending; nil where there are none.
func (s *timedSums) publish() []timedRow {
	if len(s.pending) == 0 {
		return s.rows
	}
	slices.SortFunc(s.pending, func(a, b timedRow) int { return cmp.Compare(a.timedKey, b.timedKey) })
	same, _ := slices.BinarySearchFunc(s.rows, s.pending[0].timedKey, compareTo)
	merged := append(make([]timedRow, 0, len(s.rows)+len(s.pending)), s.rows[:same]...)
	rows, pending := s.rows[same:], s.pending
	for len(pending) > 0 {
		from := &pending
		if len(rows) > 0 && rows[0].timedKey <= pending[0].timedKey {
			from = &rows
		}
		next := (*from)[0]
		*from = (*from)[1:]
		if last := len(merged) - 1; last >= 0 && merged[last].timedKey == next.timedKey {
			merged[last].value += next.value
		} else {
			merged = append(merged, next)
		}
	}
	merged = slices.DeleteFunc(append(merged, rows...), func(r timedRow) bool { return r.value == 0 })
	s.rows, s.pending = nil, nil
	if len(merged) > 0 {
		s.rows = fitted(merged)
	}
	return s.rows
}

// fitted is a list that stays as it is, without room to spare.
func fitted[T any](list []T) []T {
	if spare := cap(list) - len(list); spare > len(list)/4 {
		return slices.Clone(list)
	}
	return slices.Clip(list)
}

// compareTo orders rows by their key.
func compareTo(r timedRow, k timedKey) int { return cmp.Compare(r.timedKey, k) }

// rowsBefore is how many rows are of earlier minutes or days.
func rowsBefore(rows []timedRow, at int64) int {
	if at > math.MaxInt32 {
		return len(rows)
	}
	i, _ := slices.BinarySearchFunc(rows, timedKeyOf(int32(max(at, math.MinInt32)), 0), compareTo)
	return i
}

// UpTo is what the day came to up to the minute of t, that minute included.
func (d *DayFigures) UpTo(t time.Time) DayFigures {
	minute := stampOf(t).minute() + 1
	ahead := rowsBefore(d.minutes, minute)
	if ahead == len(d.minutes) {
		return *d
	}
	part := DayFigures{Day: d.Day, Flow: flowOf(d.minutes[:ahead]), minutes: d.minutes[:ahead:ahead]}
	for i := range d.vats {
		if of := d.vats[i].upTo(minute); len(of.minutes) > 0 {
			part.vats = append(part.vats, of)
		}
	}
	return part
}

// flowOf is the sum of rows.
func flowOf(rows []timedRow) (f Flow) {
	byMeasure := slices.Clone(rows)
	slices.SortFunc(byMeasure, func(a, b timedRow) int { return cmp.Compare(a.timeless(), b.timeless()) })
	for i := 0; i < len(byMeasure); {
		sum := byMeasure[i]
		for i++; i < len(byMeasure) && byMeasure[i].timeless() == sum.timeless(); i++ {
			sum.value += byMeasure[i].value
		}
		measure := sum.measure()
		switch {
		case measure == placesMoved:
			f.Sold = int(sum.value)
			continue
		case measure == voidsGuessed:
			f.Voids = int(sum.value)
			continue
		case measure == returnsGuessed:
			f.Returns = int(sum.value)
			continue
		case measure == ordersOpen:
			continue
		case sum.value != 0:
			f.rows = append(f.rows, record.Money{Amount: sum.value, Currency: sum.currency()})
		}
		f.ends[measure] = uint16(len(f.rows))
	}
	for m := range measureCount - 1 {
		f.ends[m+1] = max(f.ends[m+1], f.ends[m])
	}
	return f
}
