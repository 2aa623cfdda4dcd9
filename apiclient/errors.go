package apiclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrorKind sorts failures by what a caller can do about them.
type ErrorKind string

// The kinds of failure.
const (
	Unreachable  ErrorKind = "unreachable"  // no answer: refused, reset, no such host
	Slow         ErrorKind = "slow"         // the timeout of the call, or of mapping a page, ran out
	Unauthorized ErrorKind = "unauthorized" // 401, or the token was refused
	Forbidden    ErrorKind = "forbidden"    // 403
	NotOffered   ErrorKind = "not_offered"  // 404 or 410 on a stream
	RateLimited  ErrorKind = "rate_limited" // 429
	Server       ErrorKind = "server_error" // 5xx
	Rejected     ErrorKind = "rejected"     // any other 4xx
	Garbage      ErrorKind = "garbage"      // an answer that cannot be read: not JSON, cut short, no list
	TooLarge     ErrorKind = "too_large"    // a body, or the number of rows in it, over the limit
	Endless      ErrorKind = "endless"      // pages that repeat or never end
	Unknown      ErrorKind = "unknown"      // the profile leaves open how to read it, and it was not found out
	Contradicts  ErrorKind = "contradicts"  // the service does otherwise than was found out of it
	Foreign      ErrorKind = "foreign"      // a redirect or a next page away from the configured origin
)

// Error is a failed call. It never holds a credential.
type Error struct {
	Kind   ErrorKind
	Stream string // its name; empty when the call was for a token
	Status int    // HTTP status, 0 when there was no answer
	// Message is what the service said, at most 300 bytes of printable text.
	Message string
	// RetryAfter is how long the service asked to wait, at most 15 minutes; 0 when it
	// did not.
	RetryAfter time.Duration
	// Err is the cause on our side, nil when the service's answer says it all. Its text
	// has been cleaned of credentials, for which most causes lose their type.
	Err error

	// passing says that the same call may well succeed in a moment.
	transient bool
}

func (e *Error) Error() string { return "apiclient: " + e.Of() + ": " + e.Cause() }

// Of is what the call was for: the name of a stream, or token.
func (e *Error) Of() string { return cmp.Or(e.Stream, "token") }

// Cause says what went wrong, whatever the call was for.
func (e *Error) Cause() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// ended is the error of a read whose context was ended by the caller.
func contextError(ctx context.Context, stream string) error {
	return fmt.Errorf("apiclient: %s: %w", cmp.Or(stream, "token"), context.Cause(ctx))
}

// hasStatus says that err is an *Error of an answer with one of the statuses.
func hasStatus(err error, statuses ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(statuses, e.Status)
}
