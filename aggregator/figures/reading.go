package figures

import (
	"slices"
	"time"
)

// Reading is what a performance came to at the end of a minute in which that changed, as far as was
// known then: by when versions were seen, not by what they say happened.
type Reading struct {
	Event     string
	Minute    int64 // Unix time / 60
	Available *int  // as the service reports it; nil where it does not
	Sold      int   // places
	Present   int   // places, with people who were counted by hand
	Net       Sums  // received less refunded and charged back
}

// Same says that two readings are of the same figures, whenever they were made.
func (r Reading) Same(o Reading) bool {
	if (r.Available == nil) != (o.Available == nil) || r.Available != nil && *r.Available != *o.Available {
		return false
	}
	return r.Sold == o.Sold && r.Present == o.Present && slices.Equal(r.Net, o.Net)
}

// thinning is how readings are thinned out with age: a minute for five weeks, so that a night of last
// month can be seen again as it went, then a quarter, an hour, and in the end a day.
var thinning = []struct {
	days  int
	every time.Duration // 0 for a day, however long it is
}{{400, 0}, {100, time.Hour}, {35, 15 * time.Minute}}

// ReadingsEvery is of how long a time, from the start of a day on, one reading of each event is left
// today, the last: a minute at first, and in the end 0 for the whole day.
func ReadingsEvery(day, today Day) time.Duration {
	for _, t := range thinning {
		if day < today.Add(-t.days) {
			return t.every
		}
	}
	return time.Minute
}
