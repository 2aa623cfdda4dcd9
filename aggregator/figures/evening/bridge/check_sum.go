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
	InDue, InBack                  figures.Sums
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
				due, back := r.Differences[i].Due, r.Differences[i].Back
				sum.InDue, sum.InBack = sum.InDue.PlusAll(due, 1), sum.InBack.PlusAll(back, 1)
				if len(due) > 0 {
					sum.Due++
				}
				if len(back) > 0 {
					sum.Back++
				}
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
