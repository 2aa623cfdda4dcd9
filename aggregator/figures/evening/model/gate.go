package model

import (
	"time"

	"housecount/aggregator/figures"
)

const (
	// FastestOver is the time over which a gate's fastest rate is measured. A shorter rush is not a rate that it
	// can sustain.
	FastestOver = 5 * time.Minute
	// leastFastest is the least number of entries within FastestOver for a rate to be known.
	leastFastest = 5
	// NearlyFastest is the part of its fastest rate from which a gate is at its limit.
	NearlyFastest = .9
)

// Fastest returns the most entries within FastestOver.
func Fastest(minutes []figures.MinuteCount) int { return figures.MostIn(minutes, FastestOver) }

// AtLimit returns since which minute a gate has let in nearly as many as it ever did, and how many that were; now and 0 if it
// does not.
func AtLimit(minutes []figures.MinuteCount, now int64, fastest int) (since int64, passed int) {
	since = now
	if fastest < leastFastest {
		return since, 0
	}
	over := int64(FastestOver / time.Minute)
	in := func(from, to int64) int {
		return figures.Total(minutes[figures.IndexOf(minutes, from):figures.IndexOf(minutes, to)])
	}
	for end := now; float64(in(end-over, end)) >= NearlyFastest*float64(fastest); end-- {
		since = end - over
	}
	return since, in(since, now)
}

// UsualGate is a gate on past evenings.
type UsualGate struct {
	Share   float64 // of the entries around curtain
	Fastest int     // entries in its best FastestOver
}

// UsualGates returns the gates of past evenings, by name.
func UsualGates(past []*figures.EventFigures) map[string]UsualGate {
	gates, sum := map[string]UsualGate{}, 0.0
	for _, e := range past {
		curtain := figures.StampOf(e.Hours().Curtain).Minute()
		for i := range e.Gates {
			g := &e.Gates[i]
			minutes := g.Minutes[figures.IndexOf(g.Minutes, curtain-figures.UsualFrom):figures.IndexOf(g.Minutes, curtain+figures.UsualUntil)]
			u := gates[g.Gate]
			u.Share += float64(figures.Total(minutes))
			u.Fastest = max(u.Fastest, Fastest(minutes))
			gates[g.Gate] = u
			sum += float64(figures.Total(minutes))
		}
	}
	for name, u := range gates {
		u.Share /= max(1, sum)
		gates[name] = u
	}
	return gates
}
