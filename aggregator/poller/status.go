package poller

import (
	"slices"
	"time"

	"housecount/aggregator"
)

// streamStatus is what is known of a stream: the state for the log, and what has not been written
// yet.
type streamStatus struct {
	state   aggregator.StreamState // without Refused and Unlisted, which refused holds
	refused refusals
	// dirty reports that the log does not have the current state and the end of the poll will not
	// write it.
	dirty bool
	// waitingSince is when the wait for a response began, in real time; zero without a wait. A wait longer than
	// patience is a missed poll, and lateCount is how many were counted for the current poll.
	waitingSince time.Time
	patience     time.Duration
	lateCount    int
	// lastAnswer is when the current poll began or last received a page, heldUntil until when the
	// service was last known to hold back requests; both are real time.
	lastAnswer, heldUntil time.Time
	// passing is true if the last poll failed and that may end by itself at any moment.
	passing bool
}

func newStreamStatus(state aggregator.StreamState) streamStatus {
	s := streamStatus{state: state, refused: newRefusals(state)}
	s.state.Refused, s.state.Unlisted = nil, nil
	return s
}

// complete reports whether the first sync has ended.
func (s *streamStatus) complete() bool { return s.state.Complete() }

// stored returns the state as it goes into the log.
func (s *streamStatus) stored() aggregator.StreamState {
	state := s.state
	state.Refused, state.Unlisted = s.refused.stored()
	state.Alarms, state.Missing = slices.Clone(state.Alarms), slices.Clone(state.Missing)
	return state
}
