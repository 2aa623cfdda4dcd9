package figures

import "time"

// stamp is a moment in microseconds since 1970, UTC; 0 means that there is none.
type stamp int64

func stampOf(t time.Time) stamp {
	if t.IsZero() {
		return 0
	}
	return stamp(t.UnixMicro())
}

// firstOf is the first of the times that there is, 0 when there is none.
func firstOf(times ...time.Time) stamp {
	for _, t := range times {
		if s := stampOf(t); s != 0 {
			return s
		}
	}
	return 0
}

func (s stamp) seconds() int64 { return floorDiv(int64(s), 1e6) }

func (s stamp) minute() int64 { return floorDiv(int64(s), 60e6) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
