package poller

import (
	"errors"
	"time"

	"housecount/aggregator/figures"
)

// While a service fails, its lists are asked less and less often, but for one, the scout, which is asked within two polls, without
// retries. When any list answers again, those that failed are asked at once. So figures are up to date soon after the
// service's return, and a service that fails is asked no more than one that is well. A list whose answers never end, or are too
// large, costs many requests each time and may stay so: it is the scout only where no other list can be.

// passes reports whether the failure of a poll may end by itself at any moment. The others are for somebody to mend, say when
// to ask again, or, as a list that was cut off, are to be found several times before they are believed.
func passes(f figures.Fault, err error) bool {
	if errors.Is(err, errShort) {
		return false
	}
	switch f {
	case figures.FaultUnreachable, figures.FaultSlow, figures.FaultUnanswered, figures.FaultServer, figures.FaultGarbage,
		figures.FaultEndless, figures.FaultTooLarge, figures.FaultStore:
		return true
	}
	return false
}

// isCostly reports whether a list costs many requests each time that it is asked for while it fails so.
func isCostly(f figures.Fault) bool { return f == figures.FaultEndless || f == figures.FaultTooLarge }

// isScout reports whether s is the scout of its service: of the lists with a fault that passes, the one that answered last, and of
// those that are costly none while another list answers or fails in another way. The caller holds mu.
func (t *tenure) isScout(s *stream) bool {
	if !s.passing {
		return false
	}
	before, costly := true, isCostly(s.state.Fault)
	for _, other := range t.streams {
		switch {
		case other == s:
			before = false
		case other.Service != s.Service:
		case costly && (other.state.Missed == 0 || other.passing && !isCostly(other.state.Fault)):
			return false
		case !other.passing || !costly && isCostly(other.state.Fault):
		case other.state.LastGood.After(s.state.LastGood), before && other.state.LastGood.Equal(s.state.LastGood):
			return false
		}
	}
	return true
}

// wakeFailed ends the waits of the lists that failed of the service of s, which has answered again.
func (t *tenure) wakeFailed(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.streams {
		if other != s && other.Service == s.Service && other.passing && other.Every == 0 {
			select {
			case other.answersAgain <- struct{}{}:
			default: // it is about to be polled already
			}
		}
	}
}

// afterFault returns how long to wait after missed polls in a row. The caller holds mu.
func (t *tenure) afterFault(s *stream, pace time.Duration) time.Duration {
	wait := retry(pace, s.state.Missed)
	if s.scout = t.isScout(s); s.scout {
		wait = min(wait, 2*pace)
	}
	return wait
}
