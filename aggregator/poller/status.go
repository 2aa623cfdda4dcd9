package poller

import (
	"slices"
	"time"

	"housecount/aggregator"
)

// streamStatus is what is known of a stream: the state that is written through the log, and
// what is on its way there.
type streamStatus struct {
	state   aggregator.StreamState // without Refused and Unlisted, which are of refusals
	refused refusals
	// dirty says that the log does not have all of it, nor will with the end of the poll.
	dirty bool
	// waiting is since when an answer is awaited (real time, zero when none is), patience
	// how long until that counts as a missed poll, late how often it did in this poll.
	waitingSince time.Time
	patience     time.Duration
	lateCount    int
	// heard is when the poll under way began or last gave a page, heldUntil how long the
	// service was last found to hold back what it asks next; both are real time.
	lastAnswer, heldUntil time.Time
}

func newStreamStatus(state aggregator.StreamState) streamStatus {
	s := streamStatus{state: state, refused: newRefusals(state)}
	s.state.Refused, s.state.Unlisted = nil, nil
	return s
}

// complete says that the first sync has ended.
func (s *streamStatus) complete() bool { return s.state.Complete() }

// stored is the state as it goes into the log.
func (s *streamStatus) stored() aggregator.StreamState {
	state := s.state
	state.Refused, state.Unlisted = s.refused.stored()
	state.Alarms = slices.Clone(state.Alarms)
	return state
}
