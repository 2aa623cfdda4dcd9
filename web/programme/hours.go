package programme

import (
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// Hours are a part of every day by the venue's wall clock, such as 23:30-08:00; empty for none.
type Hours string

// Valid reports whether the hours are none, or from one time of day to another.
func (h Hours) Valid() bool {
	_, _, ok := h.minutes()
	return ok || h == ""
}

// Has reports whether a moment is within the hours.
func (h Hours) Has(s *figures.Snapshot, now time.Time) bool {
	from, to, ok := h.minutes()
	if !ok {
		return false
	}
	zone := s.Calendar.Zone
	if zone == nil {
		zone = time.UTC
	}
	local := now.In(zone)
	return between(from, to, local.Hour()*60+local.Minute())
}

// minutes returns those of the day at which the hours begin and end.
func (h Hours) minutes() (from, to int, ok bool) {
	first, last, _ := strings.Cut(string(h), "-")
	from, okFrom := Moment(first).clock()
	to, okTo := Moment(last).clock()
	return from, to, okFrom && okTo && from != to
}

// between reports whether a minute of the day is within two others, over midnight where the one comes
// after the other.
func between(from, to, minute int) bool {
	if from < to {
		return from <= minute && minute < to
	}
	return from <= minute || minute < to
}
