package aggregator

import "time"

// Mark is how far a stream has been read, as a database of before has it.
type Mark struct {
	Stream       string
	Since, Began time.Time
	From         string
	Whole        time.Time
}
