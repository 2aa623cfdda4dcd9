package evening

import (
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

const (
	// QueueAhead is for how long queues at the gates are forecast.
	QueueAhead = 15 * time.Minute
	// MinQueueShown is the least number of people waiting for which a queue is shown.
	MinQueueShown = 10
	// fastestOver is the time over which a gate's fastest rate is measured. A shorter rush is not a rate that it
	// can sustain.
	fastestOver = 5 * time.Minute
	// leastFastest is the least number of entries within fastestOver for a rate to be known.
	leastFastest = 5
	// gateEntries is how many entries of tonight weigh as much as past evenings in a gate's share of the visitors.
	gateEntries = 50
	// leastShare is the least usual part of the visitors that must still be to come for a forecast: if there are
	// fewer, one visitor more on a past evening would make a crowd.
	leastShare = .02
)

// Queue is what is forecast at a gate for QueueAhead from the minute of the figures.
//
// It is a deterministic fluid queue (Newell, Applications of Queueing Theory, 1971): what waits is what
// has come less what the gate has let in, and the gate lets in as fast as it can while anybody waits. People
// come as they did on each of the past evenings, scaled to those who are to come tonight, by the gate's
// part of them; each past evening makes one course, and the bands are over these. A gate can do what it
// has shown in its best five minutes, tonight or on one of these evenings: one that was never pressed can do
// better, and then fewer wait. Because people are counted as they are let in, a past queue hides some of its
// own crowd, and one that stands already is not known: of these more wait.
type Queue struct {
	Gate string
	// Coming is the number of visitors still to come to the gate.
	Coming     figures.Figure[int]
	ComingBand figures.Band
	// Fastest is the most entries in five minutes.
	Fastest int
	// Waiting is the most people that will wait, at Peak; Unknown if the gate's rate is not known.
	Waiting     figures.Figure[int]
	WaitingBand figures.Band
	Peak        time.Time
}

// usualGate is a gate on past evenings.
type usualGate struct {
	share   float64 // of the entries around curtain
	fastest int     // entries in its best fastestOver
}

// usualGates returns the gates of past evenings, by name.
func usualGates(past []*figures.EventFigures) map[string]usualGate {
	gates, sum := map[string]usualGate{}, 0.0
	for _, e := range past {
		curtain := figures.StampOf(e.Hours().Curtain).Minute()
		for i := range e.Gates {
			g := &e.Gates[i]
			minutes := g.Minutes[figures.IndexOf(g.Minutes, curtain-figures.UsualFrom):figures.IndexOf(g.Minutes, curtain+figures.UsualUntil)]
			u := gates[g.Gate]
			u.share += float64(figures.Total(minutes))
			u.fastest = max(u.fastest, fastest(minutes))
			gates[g.Gate] = u
			sum += float64(figures.Total(minutes))
		}
	}
	for name, u := range gates {
		u.share /= max(1, sum)
		gates[name] = u
	}
	return gates
}

// fastest returns the most entries within fastestOver.
func fastest(minutes []figures.MinuteCount) (most int) {
	sum, first := 0, 0
	for _, m := range minutes {
		sum += m.Count
		for ; minutes[first].Minute <= m.Minute-int64(fastestOver/time.Minute); first++ {
			sum -= minutes[first].Count
		}
		most = max(most, sum)
	}
	return most
}

// queues forecasts the gates of a performance whose doors are open, by name: the gates of past evenings, and those
// through which people came tonight. There are none if nothing is usual, or if nearly all visitors have come.
func (v *Evening) queues(s *Show) []Queue {
	if s.Phase != Arriving || !s.Still.Known() || !s.Hours().CurtainReported || v.Now.Sub(v.At) > answersWithin {
		return nil
	}
	u := v.usualArrivals(s.EventFigures)
	from := int(v.At.Sub(s.Hours().Curtain.Truncate(time.Minute)).Minutes())
	if !u.known() || from < -figures.UsualFrom || u.after(from) < leastShare {
		return nil
	}
	courses := u.courses(s.EventFigures, from, v.At)
	gates := map[string]int{}
	for name := range u.gates {
		gates[name] = 0
	}
	entries := 0
	for i := range s.Gates {
		n := figures.CountBefore(s.Gates[i].Minutes, v.At)
		gates[s.Gates[i].Gate] = n
		entries += n
	}
	c := s.Still.Caveat()
	c.Add(figures.Estimated, figures.ReasonArrivals)
	queues := make([]Queue, 0, len(gates))
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		usual, known := u.gates[name]
		share := (float64(gates[name]) + gateEntries*usual.share) / float64(entries+gateEntries)
		q := Queue{Gate: name, Fastest: usual.fastest}
		if i := slices.IndexFunc(s.Gates, func(g figures.GateFigures) bool { return g.Gate == name }); i >= 0 {
			minutes := s.Gates[i].Minutes
			q.Fastest = max(q.Fastest, fastest(minutes[:figures.IndexOf(minutes, figures.StampOf(v.At).Minute())]))
		}
		q.forecast(courses, share, c, v.At)
		if !known && entries < gateEntries { // the first visitors of a new gate say little about its share
			q.Coming, q.Waiting = figures.NotKnown[int](figures.ReasonNoHistory), figures.NotKnown[int](figures.ReasonNoHistory)
		}
		queues = append(queues, q)
	}
	return queues
}

// courses returns the arrivals in each minute of QueueAhead, starting a number of minutes after curtain: one list
// for each past evening, scaled to the visitors still to come.
func (u *usual) courses(e *figures.EventFigures, from int, at time.Time) [][int(QueueAhead / time.Minute)]float64 {
	left := u.toCome(float64(figures.CountBefore(e.ArrivalMinutes, at)), float64(e.Expected.Value), from)
	all := left / max(leastShare, u.after(from))
	courses := make([][int(QueueAhead / time.Minute)]float64, len(u.nights))
	for i, n := range u.nights {
		rest := left
		for k := range courses[i] {
			come := min(rest, all*(n.arrived[usualAt(from+k+1)]-n.arrived[usualAt(from+k)]))
			courses[i][k] = come
			rest -= come
		}
	}
	return courses
}

// forecast simulates the queue for every course.
func (q *Queue) forecast(courses [][int(QueueAhead / time.Minute)]float64, share float64, c figures.Caveat, at time.Time) {
	type course struct{ coming, waiting, peak int }
	all := make([]course, len(courses))
	letsIn := float64(q.Fastest) / fastestOver.Minutes()
	for i := range courses {
		coming, waiting, most := 0.0, 0.0, 0.0
		for k, come := range courses[i] {
			coming += share * come
			if waiting = max(0, waiting+share*come-letsIn); waiting > most {
				most, all[i].peak = waiting, k+1
			}
		}
		all[i].coming, all[i].waiting = int(coming+.5), int(most+.5)
	}
	band := func(of func(course) int) (figures.Band, course) {
		slices.SortFunc(all, func(a, b course) int { return of(a) - of(b) })
		at := func(part float64) course { return all[int(part*float64(len(all)-1)+.5)] }
		return figures.Band{Low: of(at(.1)), Median: of(at(.5)), High: of(at(.9))}, at(.5)
	}
	q.ComingBand, _ = band(func(c course) int { return c.coming })
	q.Coming = figures.New(q.ComingBand.Median, c)
	if q.Fastest < leastFastest {
		q.Waiting = figures.NotKnown[int](figures.ReasonNoRate)
		return
	}
	var median course
	q.WaitingBand, median = band(func(c course) int { return c.waiting })
	q.Waiting = figures.New(q.WaitingBand.Median, c)
	if q.WaitingBand.Median > 0 {
		q.Peak = at.Add(time.Duration(median.peak) * time.Minute)
	}
}

// LongestQueue returns the forecast of the gate with the longest queue; nil for none.
func (s *Show) LongestQueue() (longest *Queue) {
	for i := range s.Queues {
		if q := &s.Queues[i]; q.Waiting.Known() && (longest == nil || q.Waiting.Value > longest.Waiting.Value) {
			longest = q
		}
	}
	return longest
}
