package figures

import (
	"sort"
	"sync"
	"time"
)

// Since returns how many days d is after another day.
func (d Day) Since(before Day) int {
	to, _ := d.Number()
	from, _ := before.Number()
	return int(to - from)
}

// Day is a venue day, YYYY-MM-DD: from the cut-off to the next, in the venue's zone.
type Day string

const DaySeconds = 24 * 60 * 60

// Calendar decides which day a moment belongs to; nothing else does. A day begins at the first moment at which the
// venue's clocks show the cut-off; if they are put forward over it, at the moment of the change. It ends where the
// next day begins, so it has 23 to 25 hours, and every moment is in exactly one day.
type Calendar struct {
	// Zone is the venue's zone; nil means UTC.
	Zone *time.Location
	// Cutoff is when a day begins, as wall-clock time after midnight, from 0 to under 24 h; a club uses 6 h.
	Cutoff time.Duration
	// Grace is how long after the end of a performance people who were not scanned out count as inside; 30 minutes
	// if zero.
	Grace time.Duration
	// HalfLeft is how long after an end half of the people have left, where exits are not scanned; 6 minutes if
	// zero.
	HalfLeft time.Duration
	// Season is the month on whose first day a season starts; September when zero.
	Season time.Month
}

// Day returns the venue day that t belongs to.
func (c Calendar) Day(t time.Time) Day {
	return DayNumber(c.NumberOf(t.Unix(), c.StartOf)).Day()
}

// Start returns the moment at which d begins; the zero time when d is no date.
func (c Calendar) Start(d Day) time.Time {
	n, ok := d.Number()
	if !ok {
		return time.Time{}
	}
	return time.Unix(c.StartOf(n), 0).In(c.Location())
}

// Add returns the day n days after d, and d itself when it is no date.
func (d Day) Add(n int) Day {
	number, ok := d.Number()
	if !ok {
		return d
	}
	return (number + DayNumber(n)).Day()
}

// DayNumber counts days since 1 January 1970.
type DayNumber int32

// Month returns the month of the day, YYYY-MM.
func (d Day) Month() string { return string(d)[:min(len(d), len("2006-01"))] }

// AddMonths returns the date n months later; if that month is shorter, a date in the month after it.
func (d Day) AddMonths(n int) Day {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return Day(t.AddDate(0, n, 0).Format(time.DateOnly))
}

// Number returns the number of the day; ok is false if it is no date. It does what time.Parse does, twenty times as fast: a page
// asks for thousands.
func (d Day) Number() (n DayNumber, ok bool) {
	if len(d) != len(time.DateOnly) || d[4] != '-' || d[7] != '-' {
		return 0, false
	}
	var parts [3]int // year, month and day
	part := 0
	for i := range len(d) {
		switch c := int(d[i]) - '0'; {
		case i == 4 || i == 7:
			part++
		case c < 0 || c > 9:
			return 0, false
		default:
			parts[part] = 10*parts[part] + c
		}
	}
	year, month, day := parts[0], parts[1], parts[2]
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	if month -= 3; month < 0 { // years begin with March, so that the day of a leap year is their last
		year, month = year-1, month+12
	}
	year += 400 // the calendar repeats itself after as many, and so there is none below 0
	return DayNumber(365*year + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 1 - daysToEpoch), true
}

// daysToEpoch is the number of days from 1 March of the year -400 to 1 January 1970.
const daysToEpoch = 719468 + 146097

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4, month == 6, month == 9, month == 11:
		return 30
	}
	return 31
}

// commonDays is the text of thirty years of days, one after the other. Days share it.
var commonDays = sync.OnceValue(func() string {
	var all []byte
	for n := range DayNumber(CommonCount) {
		all = time.Unix(int64(FirstCommon+n)*DaySeconds, 0).UTC().AppendFormat(all, time.DateOnly)
	}
	return string(all)
})

const (
	FirstCommon DayNumber = 14_610 // 1 January 2010
	CommonCount           = 30 * 366
)

func (n DayNumber) Day() Day {
	if i := int64(n) - int64(FirstCommon); 0 <= i && i < CommonCount {
		return Day(commonDays()[i*int64(len(time.DateOnly)):][:len(time.DateOnly)])
	}
	return Day(time.Unix(int64(n)*DaySeconds, 0).UTC().Format(time.DateOnly))
}

func (c Calendar) Location() *time.Location {
	if c.Zone == nil {
		return time.UTC
	}
	return c.Zone
}

func (c Calendar) cutoffSeconds() int64 { return int64(c.Cutoff / time.Second) }

// NumberOf returns the day of a moment in Unix seconds; start returns when a day begins.
func (c Calendar) NumberOf(at int64, start func(DayNumber) int64) DayNumber {
	n := DayNumber(FloorDiv(at-c.cutoffSeconds(), DaySeconds))
	for at < start(n) {
		n--
	}
	for at >= start(n+1) {
		n++
	}
	return n
}

// StartOf returns when a day begins, in Unix seconds.
func (c Calendar) StartOf(n DayNumber) int64 {
	return c.Moment(int64(n)*DaySeconds + c.cutoffSeconds())
}

// Moment returns the first moment, in Unix seconds, at which the venue's clocks show a wall time (seconds since 1
// January 1970), or the moment at which they are put forward over it.
func (c Calendar) Moment(wall int64) int64 {
	before, after := wall-c.offset(wall-DaySeconds), wall-c.offset(wall+DaySeconds)
	first, second := min(before, after), max(before, after)
	switch {
	case c.wall(first) == wall:
		return first
	case c.wall(second) == wall:
		return second
	}
	// Between the two the clocks are put forward: find the moment.
	return first + int64(sort.Search(int(second-first), func(i int) bool {
		return c.wall(first+int64(i)) > wall
	}))
}

// wall returns what the venue's clocks show at a moment, in seconds since 1 January 1970.
func (c Calendar) wall(at int64) int64 { return at + c.offset(at) }

func (c Calendar) offset(at int64) int64 {
	_, offset := time.Unix(at, 0).In(c.Location()).Zone()
	return int64(offset)
}

// Between reports whether t is at least from and less than until after the beginning of its day,
// by the wall clock.
func (c Calendar) Between(t time.Time, from, until time.Duration) bool {
	n := c.NumberOf(t.Unix(), c.StartOf)
	since := time.Duration(c.wall(t.Unix())-int64(n)*DaySeconds-c.cutoffSeconds()) * time.Second
	return from <= since && since < until
}

// Earlier returns the earlier of two moments.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Later returns the later of two moments.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
