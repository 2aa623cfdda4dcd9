package figures

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"housecount/apiclient/record"
)

// Rows are what was put in, whatever their minutes, measures, currencies and values, and parts of them and their sum are what a
// slice would give.
func TestTimedRows(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...int64) int64 { return of[dice.IntN(len(of))] }
	for range 2000 {
		sums := map[TimedKey]int64{}
		base := pick(29_800_000, 0, math.MinInt32, math.MaxInt32-500, -100, 20_000)
		for range dice.IntN(60) {
			at := base + dice.Int64N(pick(1, 4, 200, 500))
			key := TimedKeyOf(int32(at), Measure(dice.IntN(int(RefundsRest)+1)))
			if dice.IntN(3) > 0 {
				key = key.In([]string{"EUR", "USD", "ÿ\xff", "A"}[dice.IntN(4)])
			}
			sums[key] = pick(0, 1, -1, 63, -64, 64, 4500, -4500, dice.Int64(), math.MaxInt64, math.MinInt64)
		}
		var rows []TimedRow
		var coder TimedCoder
		for _, key := range slices.Sorted(maps.Keys(sums)) {
			row := TimedRow{TimedKey: key, Value: sums[key]}
			if coder.Add(row); row.Value != 0 {
				rows = append(rows, row)
			}
		}
		coded := coder.Rows()
		if got := slices.Collect(coded.All()); !slices.Equal(got, rows) || coded.Empty() != (len(rows) == 0) || coded != TimedRowsOf(rows...) {
			t.Fatalf("%v, want %v", got, rows)
		}
		from := base + dice.Int64N(300) - 50
		before := from + dice.Int64N(100) - 20
		if got, want := slices.Collect(coded.Within(from, before)), within(rows, from, before); !slices.Equal(got, want) {
			t.Fatalf("from %d before %d: %v, want %v", from, before, got, want)
		}
		part := coded.before(before)
		if got, want := slices.Collect(part.All()), within(rows, math.MinInt64, before); !slices.Equal(got, want) {
			t.Fatalf("before %d: %v, want %v", before, got, want)
		}
		if got, want := fmt.Sprint(coded.flow()), fmt.Sprint(flowBySorting(rows)); got != want {
			t.Fatalf("%v add up to %s, want %s", rows, got, want)
		}
		for range coded.All() {
			break // it may be left
		}
	}
}

func within(rows []TimedRow, from, before int64) (some []TimedRow) {
	for _, r := range rows {
		if at := int64(r.At()); at >= from && at < before {
			some = append(some, r)
		}
	}
	return some
}

// flowBySorting is the slow and clear sum of rows.
func flowBySorting(rows []TimedRow) (f Flow) {
	sums := map[uint32]int64{}
	for _, r := range rows {
		sums[r.timeless()] += r.Value
	}
	ends := map[Measure]uint16{}
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		key := TimedKey(k)
		if key.Measure() >= MeasureCount {
			f.count(key.Measure(), int(sums[k]))
		} else if sums[k] != 0 {
			f.Rows = append(f.Rows, record.Money{Amount: sums[k], Currency: key.currency()})
			ends[key.Measure()] = uint16(len(f.Rows))
		}
	}
	end := uint16(0)
	for m := range MeasureCount {
		end = max(end, ends[m])
		f.Ends[m] = end
	}
	return f
}

// Sales of a day take four bytes a row.
func TestTimedRowsAreSmall(t *testing.T) {
	var coder TimedCoder
	n := 0
	for minute := int32(29_800_000); minute < 29_801_440; minute += 3 {
		coder.Add(TimedRow{TimedKeyOf(minute, Booked).In("EUR"), 4500})
		coder.Add(TimedRow{TimedKeyOf(minute, PlacesMoved), 2})
		n += 2
	}
	if size := len(coder.coded); size > 4*n {
		t.Errorf("%d bytes for %d rows", size, n)
	}
}
