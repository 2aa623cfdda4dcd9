package bridge

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// CheckSum adds up the checks. Old open items do not count as differences: the figures are right, and somebody has yet to pay.
type CheckSum struct {
	Compared, Differ, Checks, Open int
	Due, Back                      int // of Open, those with something to be paid, and to be paid back
	InDue, InBack                  figures.Figure[figures.Sums]
	Nothing                        int // checks that have nothing to compare
	Newest                         time.Time
}

// SumChecks returns the sum of checks.
func SumChecks(all []evening.Reconciled) (sum CheckSum) {
	for i := range all {
		r := &all[i]
		sum.Compared += r.Compared
		if r.Compared == 0 {
			sum.Nothing++
		}
		switch {
		case r.Check == figures.CheckOpenItems:
			sum.Open = r.Differ
			for i := range r.Differences {
				d := &r.Differences[i]
				sum.Due += addOpen(&sum.InDue, d.Due)
				sum.Back += addOpen(&sum.InBack, d.Back)
			}
			continue
		case r.Differ > 0:
			sum.Differ, sum.Checks = sum.Differ+r.Differ, sum.Checks+1
		}
		for _, d := range r.Differences {
			if d.Since.After(sum.Newest) {
				sum.Newest = d.Since
			}
		}
	}
	return sum
}

// addOpen adds what is open of a performance to a sum, and returns of how many it is more than nothing.
func addOpen(sum *figures.Figure[figures.Sums], open figures.Figure[figures.Sums]) int {
	if len(open.Value) == 0 {
		return 0
	}
	*sum = figures.New(sum.Value.PlusAll(open.Value, 1), sum.Caveat().And(open.Caveat()))
	return 1
}
