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
	waiting  time.Time
	patience time.Duration
	late     int
	// heard is when the poll under way began or last gave a page, heldUntil how long the
	// service was last found to hold back what it asks next; both are real time.
	heard, heldUntil time.Time
}

func newStreamStatus(state aggregator.StreamState) streamStatus {
	u := streamStatus{state: state, refused: newRefusals(state)}
	u.state.Refused, u.state.Unlisted = nil, nil
	return u
}

// complete says that the first sync has ended.
func (u *streamStatus) complete() bool { return u.state.Complete() }

// stored is the state as it goes into the log.
func (u *streamStatus) stored() aggregator.StreamState {
	s := u.state
	s.Refused, s.Unlisted = u.refused.stored()
	s.Alarms = slices.Clone(s.Alarms)
	return s
}
