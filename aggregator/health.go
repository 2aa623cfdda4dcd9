package aggregator

import (
	"time"

	"housecount/apiclient"
)

// Health says how the service answers.
type Health struct {
	Streams []StreamHealth // in the order of apiclient.Kinds
}

// StreamHealth is the state of one stream. Times are by the venue's clock.
type StreamHealth struct {
	Kind apiclient.Kind
	// LastGood is when the service last answered well; zero when it never did.
	LastGood time.Time
	// Next is when it is asked again.
	Next time.Time
	// Took is how long the last good answer took.
	Took time.Duration
	// Missed is how many looks in a row failed.
	Missed int
	// Fault names the last failure; empty when the last look was good.
	Fault Fault
	// FaultText is safe to show to staff: no address, no credential.
	FaultText string
	// Complete says that the first sync has ended.
	Complete bool
	// Read and Total show the progress of the first sync; Total is -1 when not told.
	Read, Total int
	Refused     int // records refused since the start
}

// Fault is why a look failed.
type Fault string

// The faults.
const (
	FaultUnreachable Fault = "unreachable"
	FaultSlow        Fault = "slow"
	FaultRefused     Fault = "unauthorized" // 401
	FaultForbidden   Fault = "forbidden"    // 403
	FaultNotOffered  Fault = "not_offered"  // 404
	FaultRateLimited Fault = "rate_limited"
	FaultServer      Fault = "server_error"
	FaultGarbage     Fault = "garbage" // an answer that cannot be read
	FaultEndless     Fault = "endless" // pages that never end
	FaultTooLarge    Fault = "too_large"
	FaultStore       Fault = "store" // our own database
)

// Light is how alarming the health is.
type Light string

// The lights of the truth strip.
const (
	Green    Light = "green"
	Amber    Light = "amber"    // two looks missed
	Red      Light = "red"      // five looks missed
	Starting Light = "starting" // not one answer yet
)

// Light is the worst of the streams that the service offers. A stream that it does not
// offer, or forbids, costs figures and not the light, unless it is so with every stream.
func (h Health) Light() Light {
	missed, answered := 0, false
	for _, s := range h.asked() {
		missed = max(missed, s.Missed)
		answered = answered || !s.LastGood.IsZero()
	}
	switch {
	case missed >= 5:
		return Red
	case missed >= 2:
		return Amber
	case !answered:
		return Starting
	}
	return Green
}

// asked are the streams that should answer.
func (h Health) asked() []StreamHealth {
	var asked []StreamHealth
	for _, s := range h.Streams {
		if s.Fault != FaultNotOffered && s.Fault != FaultForbidden {
			asked = append(asked, s)
		}
	}
	if asked == nil {
		return h.Streams
	}
	return asked
}

// Next is when the service is asked next, the earliest of the streams; zero when nothing
// is planned.
func (h Health) Next() time.Time {
	var next time.Time
	for _, s := range h.Streams {
		if !s.Next.IsZero() && (next.IsZero() || s.Next.Before(next)) {
			next = s.Next
		}
	}
	return next
}

// Took is the longest of the streams' last good answers.
func (h Health) Took() time.Duration {
	var took time.Duration
	for _, s := range h.Streams {
		took = max(took, s.Took)
	}
	return took
}
