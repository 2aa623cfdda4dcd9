package aggregator

import (
	"context"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// watchEvery is how often the streams are looked at for answers that are late.
	watchEvery = time.Second
	// leastPatience is how long an answer may take before the look counts as missed, where
	// the pace is faster.
	leastPatience = 10 * time.Second
	// withdrawnAfter is how long a stream that once answered counts as offered although
	// the service says that it has none: a fault that looks like that is more likely.
	withdrawnAfter = time.Hour
)

// pulse is how a stream answers.
type pulse struct {
	health  figures.StreamHealth
	offered bool
	alarms  []figures.Diagnostic // of the last sweep
	// unfiltered says that the service sends everything though only changes are asked for.
	unfiltered bool
	// readAt is when an earlier process last read it, by the service's clock.
	readAt time.Time
	// waiting is since when an answer is awaited (real time, zero when none is), patience
	// how long until that counts as a missed look, late how often it did in this look.
	waiting  time.Time
	patience time.Duration
	late     int
}

// lastGood is when the stream last answered well, this process or an earlier one; zero
// when it never did.
func (p *pulse) lastGood() time.Time {
	if p.health.LastGood.IsZero() {
		return p.readAt
	}
	return p.health.LastGood
}

// begin says that a look at s begins.
func (a *Aggregator) begin(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.waiting, s.late = time.Now(), 0
	pace, _ := a.cadence.pace(a.Snapshot(), a.now())
	s.patience = max(leastPatience, min(pace, a.cadence.OnSale))
	if !s.health.Complete && s.mark.From == "" {
		s.health.Read, s.health.Total = 0, -1
	}
}

// answered says that a page of s came; whole that it belongs to a read of everything.
func (a *Aggregator) answered(s *stream, p apiclient.Page, whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := &s.health
	s.waiting = time.Now()
	h.Took = p.Took
	s.unfiltered = s.unfiltered || p.Unfiltered
	if whole && !h.Complete {
		h.Read += p.Rows
		h.Total = p.Total
	}
	if !h.Complete {
		h.LastGood = a.now()
	}
	if s.late > 0 { // late is not lost
		h.Missed -= s.late
		s.late = 0
		a.recovered(s)
	}
	a.unpublished = true // with the records, or when the look ends
}

// end notes how a look that is over went, and says how long to wait for the next.
func (a *Aggregator) end(s *stream, asOf time.Time, err error) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.waiting = time.Time{}
	now := a.now()
	pace, doors := a.cadence.pace(a.figures(), now)
	var wait time.Duration
	if err == nil {
		s.offered = true
		s.health.Complete = true
		s.health.LastGood = asOf
		s.health.Missed = 0
		a.recovered(s)
		wait = jittered(pace)
		if !doors.IsZero() {
			wait = min(wait, max(doors.Sub(now), a.cadence.Busy))
		}
	} else {
		wait = a.failed(s, err, pace)
	}
	wait = max(wait, s.Every)
	s.health.Next = now.Add(wait)
	a.publish()
	return wait
}

// failed notes that a look failed and says how long to wait for the next.
func (a *Aggregator) failed(s *stream, err error, pace time.Duration) time.Duration {
	if !s.health.Complete || s.health.LastGood.IsZero() {
		pace = min(pace, a.cadence.OnSale) // a house that is not known may only look idle
	}
	if s.late == 0 {
		s.health.Missed++
	}
	f := failureOf(s.health.Rows(), err)
	absent := f.fault == figures.FaultNotOffered || f.fault == figures.FaultForbidden
	s.offered = !absent || slices.Contains(s.own, record.KindEvent) || a.now().Sub(s.lastGood()) < withdrawnAfter
	if absent && s.offered {
		f.fault = figures.FaultRejected
	}
	a.missed(s, f, err)
	if !s.offered {
		return jittered(askAgain)
	}
	return max(jittered(retry(pace, s.health.Missed)), f.wait)
}

// missed notes why the last look failed and logs it when it is the first to.
func (a *Aggregator) missed(s *stream, f failure, err error) {
	if s.health.Fault == "" {
		a.logger.Warn("stream fails", "stream", s.Name, "fault", f.fault, "error", err)
	}
	s.health.Fault, s.health.FaultText = f.fault, f.text
}

// recovered forgets the fault of a stream that has no missed looks any more.
func (a *Aggregator) recovered(s *stream) {
	if s.health.Missed == 0 && s.health.Fault != "" {
		a.logger.Info("stream is back", "stream", s.Name, "after", s.health.Fault)
		s.health.Fault, s.health.FaultText = "", ""
	}
}

// watch, until ctx ends, counts looks as missed whose answer is late, so that a service
// that hangs is not silently old, and publishes what a batch left unpublished.
func (a *Aggregator) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.lookForLate()
		}
	}
}

func (a *Aggregator) lookForLate() {
	a.mu.Lock()
	defer a.mu.Unlock()
	paused := a.source.Paused() > 0
	for _, s := range a.streams {
		if s.waiting.IsZero() || !paused && time.Since(s.waiting) < s.patience {
			continue
		}
		s.waiting = time.Now()
		if paused { // patience begins when the question does
			continue
		}
		s.late++
		s.health.Missed++
		a.missed(s, failure{fault: figures.FaultSlow, text: "The service has not answered yet."}, context.DeadlineExceeded)
		a.unpublished = true
	}
	a.publishSoon()
}
