package evening

import (
	"maps"
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/model"
)

const (
	// MinQueueShown is the least number of people waiting for which a queue is shown.
	MinQueueShown = 10
	// gateEntries is how many entries of tonight weigh as much as past evenings in a gate's share of the visitors.
	gateEntries = 50
	// provenOver is for how long a gate must have let in so many to be at its limit, where it never did on past
	// evenings: those who come in ever greater numbers are the most at each moment.
	provenOver = 10 * time.Minute
	// queueSure is how likely more must have come to a gate than it let in for a queue to be known.
	queueSure = .75
)

// Queue is what is forecast at a gate for arriving.ComingIn from the minute of the figures, and who waits there.
//
// The visitors come as the model expects them, which the verdict and the chart go by too, and the gate takes its part of
// them. A gate counts people as it lets them in: as long as it can let in more than come, nobody is known to wait. It
// shows that people wait if it lets in as many as it ever did, and if at least queueSure is how likely more have come to it
// since then than it let in, as expected from what was known before. Those wait. A queue that is there every night is in
// the usual arrivals too, and is not seen.
type Queue struct {
	Gate string
	// Coming is the number of visitors still to come to the gate.
	Coming     figures.Figure[int]
	ComingBand figures.Band
	// Due is how many were to come to the gate in the last three minutes, as was expected before; 0 where it is not asked, see SlowGate.
	Due int
	// Fastest is the most entries in five minutes.
	Fastest int
	// Waiting is how many have come to the gate and not passed it; Unknown if there is no sign of a queue.
	Waiting     figures.Figure[int]
	WaitingBand figures.Band
}

// queues forecasts the gates of a performance whose visitors arrive, by name: the gates of past evenings, and those
// through which people came tonight. There are none if nothing is ahead.
func (v *Evening) queues(s *Show) []Queue {
	if s.ahead == nil || s.Phase != Arriving {
		return nil
	}
	u := v.heldUsual(s.EventFigures)
	usually := v.gates(s.Event.Hall)
	gates := map[string][]figures.MinuteCount{}
	for name := range usually {
		gates[name] = nil
	}
	entries := 0
	for i := range s.Gates {
		minutes := s.Gates[i].Minutes
		minutes = minutes[:figures.IndexOf(minutes, figures.StampOf(v.At).Minute())]
		gates[s.Gates[i].Gate] = minutes
		entries += figures.Total(minutes)
	}
	c := s.Still.Caveat()
	c.Add(figures.Estimated, figures.ReasonArrivals)
	until := s.ahead.From + figures.UsualFrom + int(arriving.ComingIn/time.Minute)
	queues := make([]Queue, 0, len(gates))
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		minutes := gates[name]
		usual, known := usually[name]
		q := Queue{Gate: name, Fastest: max(usual.Fastest, model.Fastest(minutes)), Waiting: figures.NotKnown[int](figures.ReasonNoQueue)}
		if !known && entries < gateEntries { // the first visitors of a new gate say little about its share
			q.Coming, q.Waiting = figures.NotKnown[int](figures.ReasonNoHistory), figures.NotKnown[int](figures.ReasonNoHistory)
			queues = append(queues, q)
			continue
		}
		share := (float64(figures.Total(minutes)) + gateEntries*usual.Share) / float64(entries+gateEntries)
		q.ComingBand = s.ahead.Gate(arriving.GateKey{Until: until, Share: share, Passed: -1}, gateBand).Band
		q.Coming, q.Due = figures.New(q.ComingBand.Median, c), s.due(u, name, share)
		if band, ok := s.waiting(u, minutes, usual.Fastest, share); ok {
			q.WaitingBand, q.Waiting = band, figures.New(band.Median, c)
		}
		queues = append(queues, q)
	}
	return queues
}

// waiting returns how many wait at a gate that lets people in as usual.Fastest at most on past evenings, and takes a share
// of the visitors; ok is false if there is no sign of a queue.
func (s *Show) waiting(u *heldUsual, minutes []figures.MinuteCount, usually int, share float64) (b figures.Band, ok bool) {
	from, passed, ok := s.atLimit(minutes, usually, s.ahead.From)
	if !ok {
		return b, false
	}
	came := u.judged.AheadAt(u.Usual, s.EventFigures, from).Gate(arriving.GateKey{Until: s.ahead.From + figures.UsualFrom, Share: share, Passed: passed}, func(came model.Count) arriving.GateAhead {
		sure := came.Above(float64(passed))
		if sure < queueSure {
			return arriving.GateAhead{Sure: sure}
		}
		at := func(part float64) int { // of the cases in which somebody waits
			return max(0, int(math.Round(came.Quantile(1-sure*(1-part))))-passed)
		}
		return arriving.GateAhead{Band: figures.Band{Low: at(.1), Median: at(.5), High: at(.9)}, Sure: sure}
	})
	return came.Band, came.Sure >= queueSure
}

// atLimit returns since when a gate has let in as many as it ever did, in minutes after curtain as tau, that of the figures, and how
// many that were; ok is false if there is no sign of a queue.
func (s *Show) atLimit(minutes []figures.MinuteCount, usually, tau int) (from, passed int, ok bool) {
	now, fastest := figures.StampOf(s.at).Minute(), model.Fastest(minutes)
	since, passed := model.AtLimit(minutes, now, max(usually, fastest))
	proven := float64(usually) >= model.NearlyFastest*float64(fastest) || now-since >= int64(provenOver/time.Minute)
	from = tau - int(now-since)
	return from, passed, since != now && proven && from >= -figures.UsualFrom
}

// queuesBegan returns since when gates have let in as many as they ever did, as atLimit does.
func (v *Evening) queuesBegan(s *Show, tau int) (all []int) {
	for i, usually := 0, v.gates(s.Event.Hall); i < len(s.Gates); i++ {
		minutes := s.Gates[i].Minutes
		minutes = minutes[:figures.IndexOf(minutes, figures.StampOf(v.At).Minute())]
		if from, _, ok := s.atLimit(minutes, usually[s.Gates[i].Gate].Fastest, tau); ok {
			all = append(all, from)
		}
	}
	return all
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
