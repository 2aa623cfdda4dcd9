package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
)

// logError is a failure of our own log.
type logError struct{ err error }

func (e *logError) Error() string { return e.err.Error() }
func (e *logError) Unwrap() error { return e.err }

// failure is how a failed poll is reported to people.
type failure struct {
	fault  figures.Fault
	status int // of the response, 0 without one
	// wait is how long the service asked us to wait.
	wait time.Duration
}

// failureOf returns the failure for the error of a poll.
func failureOf(err error) failure {
	if _, ours := errors.AsType[*logError](err); ours {
		return failure{fault: figures.FaultStore}
	}
	if e, ok := errors.AsType[*apiclient.Error](err); ok {
		fault, known := faults[e.Kind]
		if !known {
			fault = figures.FaultUnreachable
		}
		return failure{fault, e.Status, e.RetryAfter}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{fault: figures.FaultSlow}
	}
	return failure{fault: figures.FaultUnreachable}
}

// waitsForGrant reports whether a poll failed because a person has to allow it at the service.
func waitsForGrant(err error) bool { return failureOf(err).fault == figures.FaultUngranted }

var faults = map[apiclient.ErrorKind]figures.Fault{
	apiclient.Unreachable:  figures.FaultUnreachable,
	apiclient.Foreign:      figures.FaultForeign,
	apiclient.Slow:         figures.FaultSlow,
	apiclient.Unauthorized: figures.FaultRefused,
	apiclient.Ungranted:    figures.FaultUngranted,
	apiclient.Unstored:     figures.FaultStore,
	apiclient.Forbidden:    figures.FaultForbidden,
	apiclient.NotOffered:   figures.FaultNotOffered,
	apiclient.RateLimited:  figures.FaultRateLimited,
	apiclient.Server:       figures.FaultServer,
	apiclient.Rejected:     figures.FaultRejected,
	apiclient.Garbage:      figures.FaultGarbage,
	apiclient.TooLarge:     figures.FaultTooLarge,
	apiclient.Endless:      figures.FaultEndless,
	apiclient.Unknown:      figures.FaultFindingOut,
	apiclient.Contradicts:  figures.FaultContradicts,
}
