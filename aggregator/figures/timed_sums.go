package figures

import (
	"cmp"
	"math"
	"time"
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

// minuteAfter returns the minute after that of t.
func minuteAfter(t time.Time) int64 { return StampOf(t).Minute() + 1 }

// UpTo returns the part of the day up to and including the minute of t.
func (d *DayFigures) UpTo(t time.Time) DayFigures {
	minute := minuteAfter(t)
	rows := d.Minutes.before(minute)
	if rows == d.Minutes {
		return *d
	}
	part := DayFigures{Day: d.Day, Flow: rows.flow(), Minutes: rows}
	for i := range d.VATs {
		if of := d.VATs[i].upTo(minute); !of.Minutes.Empty() {
			part.VATs = append(part.VATs, of)
		}
	}
	for _, of := range d.Refunds {
		if rows := of.Minutes.before(minute); !rows.Empty() {
			part.Refunds = append(part.Refunds, DayRefunds{of.Reason, rows})
		}
	}
	return part
}

// After returns what UpTo leaves out.
func (d *DayFigures) After(t time.Time) Flow {
	return flowOf(d.Minutes.Within(minuteAfter(t), math.MaxInt64))
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
