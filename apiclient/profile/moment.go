package profile

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// timeFormat is a way to write a time.
type timeFormat struct {
	layout string        // of Go's time package; empty for numbers
	unit   time.Duration // that numbers count since 1970
	zoned  bool          // the layout tells the zone
}

// newTimeFormat makes a format of its word in a profile; why says what is wrong with it
// and how to mend that.
func newTimeFormat(word string) (f timeFormat, why string) {
	switch word {
	case "rfc3339":
		return timeFormat{layout: time.RFC3339, zoned: true}, ""
	case "unix":
		return timeFormat{unit: time.Second}, ""
	case "unix_ms":
		return timeFormat{unit: time.Millisecond}, ""
	}
	// A moment of which every part is told apart from every other.
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

// parseTime reads a time that is written in one of the formats; in is the zone of a text
// that tells none. A time that the clocks show twice, when summer ends, is the first; one
// that they skip is what they show then.
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

// sinceEpoch is the time n units after 1970 began.
func sinceEpoch(n int64, unit time.Duration) time.Time {
	if unit == time.Millisecond {
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}

// firstOf is the first of the two moments at which the clocks show what they show at t;
// t where there is but one. The time package may choose either.
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

// zoneCache keeps the time zones that were asked for, by name; nil for a name that is none.
// It may be used by many goroutines at once.
type zoneCache struct {
	mu     sync.Mutex
	byName map[string]*time.Location
}

// find is the time zone of an IANA name, nil where there is none.
func (z *zoneCache) find(name string) *time.Location {
	const most = 1000 // names come from the service: any number of them
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

// loadZone is the time zone of an IANA name, nil where there is none. The zone of this
// machine has no name.
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

// literalZ says that a layout ends in a Z that the time package takes for a mere letter.
func literalZ(layout string) bool { return strings.HasSuffix(layout, "Z") }
