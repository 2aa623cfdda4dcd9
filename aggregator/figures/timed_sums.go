package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// TimedRow is what moved within one minute or on one day: places, or money of one measure and currency. A minute
// is a moment in time, so the hour that is repeated in autumn has 120 of them.
type TimedRow struct {
	TimedKey
	Value int64
}

// TimedKey identifies a row: a minute (Unix time / 60) or a DayNumber, then a Measure or one of those below, then
// a currency. Keys sort in this order.
type TimedKey uint64

// The counts that rows may have instead of money: places, movements that lack something (see Lacks), and orders
// with an open item, and refunds.
const (
	PlacesMoved = MeasureCount + iota
	VoidsGuessed
	ReturnsGuessed
	UnpricedMoved
	FeelessMoved
	VATlessMoved
	VATRatedMoved
	OrdersOpen
	RefundsMoved // with a currency
	RefundsRest  // of RefundsMoved those that are counted at another performance too; with a currency
)

// TimedKeyOf returns the key of a measure without a currency.
func TimedKeyOf(at int32, what Measure) TimedKey {
	return TimedKey(uint32(at)^1<<31)<<32 | TimedKey(what)<<24
}

func (k TimedKey) At() int32 { return int32(uint32(k>>32) ^ 1<<31) }

func (k TimedKey) Measure() Measure { return Measure(k >> 24) }

func (k TimedKey) currency() string { return string([]byte{byte(k >> 16), byte(k >> 8), byte(k)}) }

// In returns the key with a currency.
func (k TimedKey) In(currency string) TimedKey {
	for i := range min(3, len(currency)) {
		k |= TimedKey(currency[i]) << (16 - 8*i)
	}
	return k
}

// timeless returns the measure and currency of the key.
func (k TimedKey) timeless() uint32 { return uint32(k) }

// CompareTo orders rows by their key.
func CompareTo(r TimedRow, k TimedKey) int { return cmp.Compare(r.TimedKey, k) }

// rowsBefore returns how many rows are of earlier minutes or days.
func rowsBefore(rows []TimedRow, at int64) int {
	if at > math.MaxInt32 {
		return len(rows)
	}
	i, _ := slices.BinarySearchFunc(rows, TimedKeyOf(int32(max(at, math.MinInt32)), 0), CompareTo)
	return i
}

// UpTo returns the part of the day up to and including the minute of t.
func (d *DayFigures) UpTo(t time.Time) DayFigures {
	minute := StampOf(t).Minute() + 1
	ahead := rowsBefore(d.Minutes, minute)
	if ahead == len(d.Minutes) {
		return *d
	}
	part := DayFigures{Day: d.Day, Flow: FlowOf(d.Minutes[:ahead]), Minutes: d.Minutes[:ahead:ahead]}
	for i := range d.VATs {
		if of := d.VATs[i].upTo(minute); len(of.Minutes) > 0 {
			part.VATs = append(part.VATs, of)
		}
	}
	for _, of := range d.Refunds {
		if n := rowsBefore(of.Minutes, minute); n > 0 {
			part.Refunds = append(part.Refunds, DayRefunds{of.Reason, of.Minutes[:n:n]})
		}
	}
	return part
}

// count sets the field for a count that is not money.
func (f *Flow) count(what Measure, n int) {
	switch what {
	case PlacesMoved:
		f.Sold = n
	case VoidsGuessed:
		f.Voids = n
	case ReturnsGuessed:
		f.Returns = n
	case UnpricedMoved:
		f.Unpriced = n
	case FeelessMoved:
		f.Feeless = n
	case VATlessMoved:
		f.VATless = n
	case VATRatedMoved:
		f.VATRated = n
	}
}

// FlowOf returns the sum of rows.
func FlowOf(rows []TimedRow) (f Flow) {
	byMeasure := slices.Clone(rows)
	slices.SortFunc(byMeasure, func(a, b TimedRow) int { return cmp.Compare(a.timeless(), b.timeless()) })
	for i := 0; i < len(byMeasure); {
		sum := byMeasure[i]
		for i++; i < len(byMeasure) && byMeasure[i].timeless() == sum.timeless(); i++ {
			sum.Value += byMeasure[i].Value
		}
		measure := sum.Measure()
		if measure >= MeasureCount {
			f.count(measure, int(sum.Value))
			continue
		}
		if sum.Value != 0 {
			f.Rows = append(f.Rows, record.Money{Amount: sum.Value, Currency: sum.currency()})
		}
		f.Ends[measure] = uint16(len(f.Rows))
	}
	for m := range MeasureCount - 1 {
		f.Ends[m+1] = max(f.Ends[m+1], f.Ends[m])
	}
	return f
}
