package poller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
)

// logError is a failure of our own log.
type logError struct{ err error }

func (e *logError) Error() string { return e.err.Error() }
func (e *logError) Unwrap() error { return e.err }

// failure is what people read of a failed poll.
type failure struct {
	fault figures.Fault
	text  string
	// wait is how long the service asked us to stay away.
	wait time.Duration
}

// failureOf reads the error of a poll of a stream; rows is what comes from it.
func failureOf(rows string, err error) failure {
	if _, ours := errors.AsType[*logError](err); ours {
		return failure{fault: figures.FaultStore, text: "Our own database does not take the records."}
	}
	e, ok := errors.AsType[*apiclient.Error](err)
	switch {
	case ok:
		f := describe(rows, e)
		f.wait = e.RetryAfter
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return failure{fault: figures.FaultSlow, text: "The service took too long to answer."}
	}
	return failure{fault: figures.FaultUnreachable, text: "The service could not be asked."}
}

func describe(rows string, e *apiclient.Error) failure {
	status := ""
	if e.Status != 0 {
		status = fmt.Sprintf(" (%d)", e.Status)
	}
	switch e.Kind {
	case apiclient.Slow:
		return failure{fault: figures.FaultSlow, text: "The service took too long to answer."}
	case apiclient.Unauthorized:
		return failure{fault: figures.FaultRefused, text: "The service refused our credential" + status + "."}
	case apiclient.Forbidden:
		return failure{fault: figures.FaultForbidden, text: fmt.Sprintf("The service does not let us read %s%s.", rows, status)}
	case apiclient.NotOffered:
		return failure{fault: figures.FaultNotOffered, text: fmt.Sprintf("The service does not offer %s%s.", rows, status)}
	case apiclient.RateLimited:
		return failure{fault: figures.FaultRateLimited, text: "The service asks us to wait" + status + "."}
	case apiclient.Server:
		return failure{fault: figures.FaultServer, text: "The service reports an internal error" + status + "."}
	case apiclient.Rejected:
		return failure{fault: figures.FaultRejected, text: "The service rejected our request" + status + "."}
	case apiclient.Garbage:
		return failure{fault: figures.FaultGarbage, text: "The service gave an answer that cannot be read."}
	case apiclient.TooLarge:
		return failure{fault: figures.FaultTooLarge, text: "The service gave an answer that is too large."}
	case apiclient.Endless:
		return failure{fault: figures.FaultEndless, text: "The service's list never ends."}
	case apiclient.Unknown:
		return failure{fault: figures.FaultGarbage, text: fmt.Sprintf("How the service cuts %s into pages is being found out.", rows)}
	case apiclient.Contradicts:
		return failure{fault: figures.FaultGarbage, text: "The service answers differently than before; how to read it is being found out again."}
	case apiclient.Foreign:
		return failure{fault: figures.FaultUnreachable, text: "The service sent us to an address that is not configured."}
	}
	return failure{fault: figures.FaultUnreachable, text: "The service cannot be reached."}
}
