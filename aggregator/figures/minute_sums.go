package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// minuteRow is what moved within one minute: places, or money of one measure and currency. A
// minute is a moment, so that the hour that autumn repeats has twice sixty of them.
type minuteRow struct {
	value    int64
	minute   int32 // Unix time / 60
	currency [3]byte
	measure  Measure // or one of those below
}

// What rows count that are no money: places, and movements that are there by a guess.
const (
	placesMoved = measureCount + iota
	voidsGuessed
	returnsGuessed
)

func compareRows(a, b minuteRow) int {
	return cmp.Or(cmp.Compare(a.minute, b.minute), cmp.Compare(a.measure, b.measure),
		slices.Compare(a.currency[:], b.currency[:]))
}

// minuteSums sums movements by minute. What has been published is never changed: changes wait
// until the next publication.
type minuteSums struct {
	rows    []minuteRow
	pending []minuteRow
}

// move adds a movement at a moment.
func (s *minuteSums) move(m movement, at stamp, names *names) {
	minute := int32(min(max(at.minute(), math.MinInt32), math.MaxInt32))
	count := func(what Measure, n int) {
		if n != 0 {
			s.pending = append(s.pending, minuteRow{value: int64(n), minute: minute, measure: what})
		}
	}
	count(placesMoved, m.sold)
	count(voidsGuessed, m.Voids)
	count(returnsGuessed, m.Returns)
	for _, a := range m.money {
		if a.value != 0 {
			row := minuteRow{value: a.value, minute: minute, measure: a.measure}
			copy(row.currency[:], names.text(a.currency))
			s.pending = append(s.pending, row)
		}
	}
}

// addAll adds others n times.
func (s *minuteSums) addAll(o *minuteSums, n int) {
	for _, rows := range [][]minuteRow{o.rows, o.pending} {
		for _, r := range rows {
			r.value *= int64(n)
			s.pending = append(s.pending, r)
		}
	}
}

// publish returns the sums that are not 0, ascending; nil where there are none.
func (s *minuteSums) publish() []minuteRow {
	if len(s.pending) == 0 {
		return s.rows
	}
	slices.SortFunc(s.pending, compareRows)
	merged := make([]minuteRow, 0, len(s.rows)+len(s.pending))
	rows, pending := s.rows, s.pending
	for len(rows) > 0 || len(pending) > 0 {
		from := &pending
		if len(pending) == 0 || len(rows) > 0 && compareRows(rows[0], pending[0]) <= 0 {
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
	merged = slices.DeleteFunc(merged, func(r minuteRow) bool { return r.value == 0 })
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
	ahead, _ := slices.BinarySearchFunc(d.minutes, stampOf(t).minute()+1, func(r minuteRow, minute int64) int {
		return cmp.Compare(int64(r.minute), minute)
	})
	if ahead == len(d.minutes) {
		return *d
	}
	return DayFigures{Day: d.Day, Flow: flowOf(d.minutes[:ahead]), minutes: d.minutes[:ahead:ahead]}
}

// flowOf is the sum of rows.
func flowOf(rows []minuteRow) (f Flow) {
	byMeasure := slices.Clone(rows)
	slices.SortFunc(byMeasure, func(a, b minuteRow) int {
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
