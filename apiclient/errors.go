package apiclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrorKind classifies errors by what a caller can do about them.
type ErrorKind string

// The kinds of error.
const (
	Unreachable  ErrorKind = "unreachable"  // no answer: refused, reset, no such host
	Slow         ErrorKind = "slow"         // the timeout of the call, or of mapping a page, expired
	Unauthorized ErrorKind = "unauthorized" // 401, or the token was refused
	Ungranted    ErrorKind = "ungranted"    // a person has to authorize housecount at the service, again or for the first time
	Unstored     ErrorKind = "unstored"     // what was authorized cannot be read or stored on our side at the moment
	Forbidden    ErrorKind = "forbidden"    // 403
	NotOffered   ErrorKind = "not_offered"  // 404 or 410 for a stream
	RateLimited  ErrorKind = "rate_limited" // 429
	Server       ErrorKind = "server_error" // 5xx
	Rejected     ErrorKind = "rejected"     // any other 4xx
	Garbage      ErrorKind = "garbage"      // an unreadable response: not JSON, cut short, or without a list
	TooLarge     ErrorKind = "too_large"    // a body or its number of rows exceeds the limit
	Endless      ErrorKind = "endless"      // pages that repeat or never end
	Unknown      ErrorKind = "unknown"      // the profile leaves open how to read the stream, and it has not been probed
	Contradicts  ErrorKind = "contradicts"  // the service behaves differently from what was found out
	Foreign      ErrorKind = "foreign"      // a redirect or a next page away from the configured origin
)

// Error is a failed call. It never contains a credential.
type Error struct {
	Kind   ErrorKind
	Stream string // name of the stream; empty for a token request
	Status int    // HTTP status, 0 without a response
	// Message is the service's own message, at most 300 bytes of printable text.
	Message string
	// RetryAfter is how long the service asked us to wait, at most 15 minutes; 0 if it did not.
	RetryAfter time.Duration
	// RefusedClient reports that the address for tokens refused the client id or its secret, whatever was authorized.
	RefusedClient bool
	// Err is the cause on our side, nil if the response says it all. Its text has been cleaned of
	// credentials; most causes lose their type by that.
	Err error

	// transient reports whether the same call may succeed in a moment.
	transient bool
	// refusedGrant reports that the address for tokens refused what it was asked with: a refresh token or a code.
	refusedGrant bool
}

func (e *Error) Error() string { return "apiclient: " + e.Of() + ": " + e.Cause() }

// Of returns what the call was for: the name of a stream, or "token".
func (e *Error) Of() string { return cmp.Or(e.Stream, "token") }

// Cause describes the failure without what the call was for.
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

// contextError returns the error of a read whose context the caller ended.
func contextError(ctx context.Context, stream string) error {
	return fmt.Errorf("apiclient: %s: %w", cmp.Or(stream, "token"), context.Cause(ctx))
}

// hasStatus reports whether err is an *Error with one of the statuses.
func hasStatus(err error, statuses ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(statuses, e.Status)
}
