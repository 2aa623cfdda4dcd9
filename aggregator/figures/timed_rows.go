package figures

import (
	"encoding/binary"
	"iter"
	"slices"

	"housecount/apiclient/record"
)

// TimedRows are rows in the order of their keys, each key once. They take about four bytes a row, a quarter of a slice's. They
// are immutable; the zero value has none.
//
// Of a row are written: its minute less that of the row before, its measure and how it has a currency, in one uvarint; a
// currency that is not the last one of those before; the value as a varint.
type TimedRows struct {
	coded string
}

// How a row has a currency.
const (
	noCurrency = iota
	sameCurrency
	nextCurrency // three bytes follow
)

const (
	measureBits  = 5
	currencyBits = 2
)

const _ = uint(1<<measureBits - 1 - RefundsRest) // measures fit

// TimedCoder makes TimedRows of rows that are added in the order of their keys.
type TimedCoder struct {
	coded    []byte
	at       uint32
	currency uint32
}

// Reserve makes room for as many rows as another has, and more.
func (c *TimedCoder) Reserve(other TimedRows, more int) {
	c.coded = slices.Grow(c.coded, len(other.coded)+5*more)
}

// Add adds a row, whose key is after that of the last one, unless its value is 0.
func (c *TimedCoder) Add(r TimedRow) {
	if r.Value == 0 {
		return
	}
	at, currency, kind := uint32(r.TimedKey>>32), uint32(r.TimedKey)&0xffffff, uint64(sameCurrency)
	switch currency {
	case 0:
		kind = noCurrency
	case c.currency:
	default:
		kind = nextCurrency
	}
	c.coded = binary.AppendUvarint(c.coded, (uint64(at-c.at)<<measureBits|uint64(r.Measure()))<<currencyBits|kind)
	if c.at = at; kind == nextCurrency {
		c.currency = currency
		c.coded = append(c.coded, byte(currency>>16), byte(currency>>8), byte(currency))
	}
	c.coded = binary.AppendVarint(c.coded, r.Value)
}

// Rows returns the rows that were added.
func (c *TimedCoder) Rows() TimedRows { return TimedRows{string(c.coded)} }

// TimedRowsOf returns rows, which are in the order of their keys.
func TimedRowsOf(rows ...TimedRow) TimedRows {
	var c TimedCoder
	for _, r := range rows {
		c.Add(r)
	}
	return c.Rows()
}

// timedReader reads rows one after another.
type timedReader struct {
	rest         string
	at, currency uint32
}

// next returns the next row; there must be one.
func (s *timedReader) next() TimedRow {
	head := s.uvarint()
	s.at += uint32(head >> (currencyBits + measureBits))
	key := TimedKey(s.at)<<32 | TimedKey(head>>currencyBits&(1<<measureBits-1))<<24
	switch head & (1<<currencyBits - 1) {
	case nextCurrency:
		s.currency = uint32(s.rest[0])<<16 | uint32(s.rest[1])<<8 | uint32(s.rest[2])
		s.rest = s.rest[3:]
		fallthrough
	case sameCurrency:
		key |= TimedKey(s.currency)
	}
	value := s.uvarint()
	return TimedRow{TimedKey: key, Value: int64(value>>1) ^ -int64(value&1)}
}

func (s *timedReader) uvarint() (v uint64) {
	for i := 0; ; i++ {
		b := s.rest[i]
		if v |= uint64(b&0x7f) << (7 * i); b < 0x80 {
			s.rest = s.rest[i+1:]
			return v
		}
	}
}

// Empty reports whether there are no rows.
func (t TimedRows) Empty() bool { return t.coded == "" }

// All yields the rows.
func (t TimedRows) All() iter.Seq[TimedRow] {
	return func(yield func(TimedRow) bool) {
		for s := (timedReader{rest: t.coded}); s.rest != ""; {
			if !yield(s.next()) {
				return
			}
		}
	}
}

// Within yields the rows of the minutes or days from..before.
func (t TimedRows) Within(from, before int64) iter.Seq[TimedRow] {
	return func(yield func(TimedRow) bool) {
		for r := range t.All() {
			if at := int64(r.At()); at >= before || at >= from && !yield(r) {
				return
			}
		}
	}
}

// before returns the rows of earlier minutes or days.
func (t TimedRows) before(at int64) TimedRows {
	for s := (timedReader{rest: t.coded}); s.rest != ""; {
		here := len(t.coded) - len(s.rest)
		if int64(s.next().At()) >= at {
			return TimedRows{t.coded[:here]}
		}
	}
	return t
}

// flow returns the sum of the rows.
func (t TimedRows) flow() Flow { return flowOf(t.All()) }

// flowOf returns the sum of rows.
func flowOf(rows iter.Seq[TimedRow]) (f Flow) {
	var few [8]TimedRow
	sums, last := few[:0], 0 // by measure and currency, ascending
	for r := range rows {
		r.TimedKey = TimedKey(r.timeless())
		if last >= len(sums) || sums[last].TimedKey != r.TimedKey {
			var found bool
			if last, found = slices.BinarySearchFunc(sums, r.TimedKey, CompareTo); !found {
				sums = slices.Insert(sums, last, TimedRow{TimedKey: r.TimedKey})
			}
		}
		sums[last].Value += r.Value
	}
	for _, sum := range sums {
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
