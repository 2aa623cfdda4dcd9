package ledger

import (
	"time"

	"housecount/aggregator/figures"
)

// firstOf returns the first time that is not zero, 0 if all are.
func firstOf(times ...time.Time) figures.Stamp {
	for _, t := range times {
		if s := figures.StampOf(t); s != 0 {
			return s
		}
	}
	return 0
}
