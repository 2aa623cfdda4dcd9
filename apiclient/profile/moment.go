package profile

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// timeFormat is a format of times.
type timeFormat struct {
	layout string        // of Go's time package; empty for numbers
	unit   time.Duration // of numbers since 1970
	zoned  bool          // the layout includes the zone
}

// newTimeFormat returns the format for its name in a profile. why says what is wrong with it and
// how to fix it.
func newTimeFormat(word string) (f timeFormat, why string) {
	switch word {
	case "rfc3339":
		return timeFormat{layout: time.RFC3339, zoned: true}, ""
	case "unix":
		return timeFormat{unit: time.Second}, ""
	case "unix_ms":
		return timeFormat{unit: time.Millisecond}, ""
	}
	// A moment whose parts all differ.
	at := time.Date(2011, 12, 23, 21, 34, 56, 0, time.UTC)
	text := at.Format(word)
	back, err := time.Parse(word, text)
	switch {
	case err != nil || !back.Equal(at) && !back.Equal(at.Truncate(time.Minute)) && !back.Equal(at.Truncate(time.Hour)) && !back.Equal(at.Truncate(24*time.Hour)):
		return f, fmt.Sprintf("is %.60q, which tells no time; give rfc3339, unix, unix_ms, or the moment 2006-01-02 15:04:05 as the service would write it", word)
	case strings.Contains(word, "MST"):
		return f, "has MST, and a zone's short name tells no offset; leave it out and set the zone, or use -0700"
	}
	elsewhere := at.In(time.FixedZone("", 3600)).Add(-time.Hour)
	return timeFormat{layout: word, zoned: elsewhere.Format(word) != text}, ""
}

// parseTime parses a time in one of the formats; in is the zone of a text without one. Of a time
// that occurs twice when clocks go back, it returns the first occurrence. A time that is skipped
// when clocks go forward is read as the time package does.
func parseTime(s string, formats []timeFormat, in *time.Location) (time.Time, bool) {
	for _, f := range formats {
		switch {
		case f.layout == "":
			if n, err := strconv.ParseInt(s, 10, 64); err == nil {
				return sinceEpoch(n, f.unit), true
			}
		case f.zoned:
			if t, err := time.Parse(f.layout, s); err == nil {
				return t, true
			}
		default:
			if t, err := time.ParseInLocation(f.layout, s, in); err == nil {
				return firstOccurrence(t), true
			}
		}
	}
	return time.Time{}, false
}

// sinceEpoch returns the time n units after the start of 1970.
func sinceEpoch(n int64, unit time.Duration) time.Time {
	if unit == time.Millisecond {
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}

// firstOccurrence returns the first of the two moments with the same local time as t, or t if there
// is only one. The time package may return either.
func firstOccurrence(t time.Time) time.Time {
	begin, _ := t.ZoneBounds()
	if begin.IsZero() {
		return t
	}
	_, before := begin.Add(-time.Nanosecond).Zone()
	_, now := t.Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); before > now && first.Before(begin) {
		return first
	}
	return t
}

// zoneCache caches time zones by name, nil for invalid names. It is safe for concurrent use.
type zoneCache struct {
	mu     sync.Mutex
	byName map[string]*time.Location
}

// find returns the time zone with an IANA name, nil if there is none.
func (z *zoneCache) find(name string) *time.Location {
	const most = 1000 // the service may send any number of names
	z.mu.Lock()
	defer z.mu.Unlock()
	in, known := z.byName[name]
	if known {
		return in
	}
	if len(z.byName) >= most || z.byName == nil {
		z.byName = map[string]*time.Location{}
	}
	in = loadZone(name)
	z.byName[name] = in
	return in
}

// loadZone returns the time zone with an IANA name, nil if there is none. The machine's local zone
// has no name.
func loadZone(name string) *time.Location {
	if name == "" || name == "Local" || len(name) > 100 {
		return nil
	}
	in, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return in
}

// literalZ reports whether a layout ends in a Z, which the time package treats as a literal.
func literalZ(layout string) bool { return strings.HasSuffix(layout, "Z") }
