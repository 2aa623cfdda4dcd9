package figures

import (
	"time"
)

// Stamp is a moment in microseconds since 1970, UTC; 0 for none.
type Stamp int64

func StampOf(t time.Time) Stamp {
	if t.IsZero() {
		return 0
	}
	return Stamp(t.UnixMicro())
}

// FirstStamp returns the first time that is not zero, 0 if all are.
func FirstStamp(times ...time.Time) Stamp {
	for _, t := range times {
		if s := StampOf(t); s != 0 {
			return s
		}
	}
	return 0
}

func (s Stamp) Seconds() int64 { return FloorDiv(int64(s), 1e6) }

func (s Stamp) Minute() int64 { return FloorDiv(int64(s), 60e6) }

func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
