package ledger

import (
	"time"

	"housecount/aggregator/figures"
)

// firstOf returns the first of the times that there is, 0 when there is none.
func firstOf(times ...time.Time) figures.Stamp {
	for _, t := range times {
		if s := figures.StampOf(t); s != 0 {
			return s
		}
	}
	return 0
}
