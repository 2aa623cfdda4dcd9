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
	value    int64
	at       int32 // a minute, Unix time / 60; or a dayNumber
	currency [3]byte
	measure  Measure // or one of those below
}

// What rows count that are no money: places, movements that are there by a guess, and orders that
// have an open item.
const (
	placesMoved = measureCount + iota
	voidsGuessed
	returnsGuessed
	ordersOpen
)

func compareRows(a, b timedRow) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.measure, b.measure),
		slices.Compare(a.currency[:], b.currency[:]))
}

// timedSums sums by minute or by day. What has been published is never changed: changes wait until
// the next publication.
type timedSums struct {
	rows    []timedRow
	pending []timedRow
}

// count adds a number of what is no money.
func (s *timedSums) count(at int32, what Measure, n int) {
	if n != 0 {
		s.pending = append(s.pending, timedRow{value: int64(n), at: at, measure: what})
	}
}

// add adds money.
func (s *timedSums) add(at int32, a amount, names *names) {
	if a.value != 0 {
		row := timedRow{value: a.value, at: at, measure: a.measure}
		copy(row.currency[:], names.text(a.currency))
		s.pending = append(s.pending, row)
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
			if r.measure != ordersOpen {
				r.value *= int64(n)
				s.pending = append(s.pending, r)
			}
		}
	}
}

// publish returns the sums that are not 0, ascending; nil where there are none.
func (s *timedSums) publish() []timedRow {
	if len(s.pending) == 0 {
		return s.rows
	}
	slices.SortFunc(s.pending, compareRows)
	same, _ := slices.BinarySearchFunc(s.rows, s.pending[0], compareRows)
	merged := append(make([]timedRow, 0, len(s.rows)+len(s.pending)), s.rows[:same]...)
	rows, pending := s.rows[same:], s.pending
	for len(pending) > 0 {
		from := &pending
		if len(rows) > 0 && compareRows(rows[0], pending[0]) <= 0 {
			from = &rows
		}
		next := (*from)[0]
		*from = (*from)[1:]
		if last := len(merged) - 1; last >= 0 && compareRows(merged[last], next) == 0 {
			merged[last].value += next.value
		} else {
			merged = append(merged, next)
		}
	}
	merged = slices.DeleteFunc(append(merged, rows...), func(r timedRow) bool { return r.value == 0 })
	s.rows, s.pending = nil, nil
	if len(merged) > 0 {
		s.rows = slices.Clip(merged)
		if spare := cap(merged) - len(merged); spare > len(merged)/4 {
			s.rows = slices.Clone(merged)
		}
	}
	return s.rows
}

// UpTo is what the day came to up to the minute of t, that minute included.
func (d *DayFigures) UpTo(t time.Time) DayFigures {
	ahead, _ := slices.BinarySearchFunc(d.minutes, stampOf(t).minute()+1, func(r timedRow, minute int64) int {
		return cmp.Compare(int64(r.at), minute)
	})
	if ahead == len(d.minutes) {
		return *d
	}
	return DayFigures{Day: d.Day, Flow: flowOf(d.minutes[:ahead]), minutes: d.minutes[:ahead:ahead]}
}

// flowOf is the sum of rows.
func flowOf(rows []timedRow) (f Flow) {
	byMeasure := slices.Clone(rows)
	slices.SortFunc(byMeasure, func(a, b timedRow) int {
		return cmp.Or(cmp.Compare(a.measure, b.measure), slices.Compare(a.currency[:], b.currency[:]))
	})
	for i := 0; i < len(byMeasure); {
		sum := byMeasure[i]
		for i++; i < len(byMeasure) && byMeasure[i].measure == sum.measure && byMeasure[i].currency == sum.currency; i++ {
			sum.value += byMeasure[i].value
		}
		switch {
		case sum.measure == placesMoved:
			f.Sold = int(sum.value)
			continue
		case sum.measure == voidsGuessed:
			f.Voids = int(sum.value)
			continue
		case sum.measure == returnsGuessed:
			f.Returns = int(sum.value)
			continue
		case sum.measure == ordersOpen:
			continue
		case sum.value != 0:
			f.rows = append(f.rows, record.Money{Amount: sum.value, Currency: string(sum.currency[:])})
		}
		f.ends[sum.measure] = uint16(len(f.rows))
	}
	for m := range measureCount - 1 {
		f.ends[m+1] = max(f.ends[m+1], f.ends[m])
	}
	return f
}
