package poller_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

// Every failure has a name and words for staff, and neither holds what the service said.
func TestFaultWords(t *testing.T) {
	failed := func(stream apiclient.ErrorKind, status int) error {
		return &apiclient.Error{Kind: stream, Stream: "tickets", Status: status, Message: "secret", Err: errors.New("https://secret.example")}
	}
	for _, c := range []struct {
		err   error
		fault figures.Fault
		text  string
	}{
		{failed(apiclient.Unreachable, 0), figures.FaultUnreachable, "The service cannot be reached."},
		{failed(apiclient.Slow, 0), figures.FaultSlow, "The service took too long to answer."},
		{failed(apiclient.Unauthorized, 401), figures.FaultRefused, "The service refused our credential (401)."},
		{failed(apiclient.Unauthorized, 0), figures.FaultRefused, "The service refused our credential."},
		{failed(apiclient.Forbidden, 403), figures.FaultForbidden, "The service does not let us read tickets (403)."},
		{failed(apiclient.NotOffered, 404), figures.FaultNotOffered, "The service does not offer tickets (404)."},
		{failed(apiclient.RateLimited, 429), figures.FaultRateLimited, "The service asks us to wait (429)."},
		{failed(apiclient.Server, 502), figures.FaultServer, "The service reports an internal error (502)."},
		{failed(apiclient.Rejected, 400), figures.FaultRejected, "The service rejected our request (400)."},
		{failed(apiclient.Garbage, 200), figures.FaultGarbage, "The service gave an answer that cannot be read."},
		{failed(apiclient.TooLarge, 200), figures.FaultTooLarge, "The service gave an answer that is too large."},
		{failed(apiclient.Endless, 200), figures.FaultEndless, "The service's list never ends."},
		{failed(apiclient.Unknown, 0), figures.FaultGarbage, "How the service cuts tickets into pages is being found out."},
		{failed(apiclient.Contradicts, 0), figures.FaultGarbage, "The service answers differently than before; how to read it is being found out again."},
		{failed(apiclient.Foreign, 302), figures.FaultUnreachable, "The service sent us to an address that is not configured."},
		{fmt.Errorf("secret: %w", context.DeadlineExceeded), figures.FaultSlow, "The service took too long to answer."},
		{errors.New("secret"), figures.FaultUnreachable, "The service could not be asked."},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				s.fail["tickets"] = c.err
				h := run(t, s, logtest.New())
				if got := h.health("tickets"); got.Fault != c.fault || got.FaultText != c.text || got.Missed != 1 {
					t.Errorf("health %+v, want %s %q", got, c.fault, c.text)
				}
			})
		})
	}
}
