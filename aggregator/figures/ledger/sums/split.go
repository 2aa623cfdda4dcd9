package sums

import (
	"cmp"
	"math/bits"
	"slices"
)

// Split divides an amount by weights with the largest-remainder method: each part gets its whole minor units, and
// the remaining units go one each to the largest remainders, the first of equal ones. The parts sum to the amount;
// the parts of −x are those of x, negated.
func Split[W any](amount int64, weights []W, of func(W) uint64) []int64 {
	parts := make([]int64, len(weights))
	if len(weights) == 1 {
		parts[0] = amount
		return parts
	}
	whole, sign := uint64(amount), int64(1)
	if amount < 0 {
		whole, sign = uint64(-amount), -1
	}
	var total uint64
	for _, w := range weights {
		total += of(w)
	}
	left := whole
	remainders := make([]uint64, len(weights))
	byRemainder := make([]int, len(weights))
	for i, w := range weights {
		high, low := bits.Mul64(whole, of(w))
		part, remainder := bits.Div64(high, low, total)
		parts[i], remainders[i], byRemainder[i] = int64(part)*sign, remainder, i
		left -= part
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range byRemainder[:left] {
		parts[i] += sign
	}
	return parts
}
