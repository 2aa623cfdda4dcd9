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

// Every failure has a fault.
func TestFaultOfEveryFailure(t *testing.T) {
	failed := func(stream apiclient.ErrorKind, status int) error {
		return &apiclient.Error{Kind: stream, Stream: "tickets", Status: status, Message: "secret", Err: errors.New("https://secret.example")}
	}
	for _, c := range []struct {
		err    error
		fault  figures.Fault
		status int
	}{
		{failed(apiclient.Unreachable, 0), figures.FaultUnreachable, 0},
		{failed(apiclient.Slow, 0), figures.FaultSlow, 0},
		{failed(apiclient.Unauthorized, 401), figures.FaultRefused, 401},
		{failed(apiclient.Unauthorized, 0), figures.FaultRefused, 0},
		{failed(apiclient.Ungranted, 400), figures.FaultUngranted, 400},
		{failed(apiclient.Forbidden, 403), figures.FaultForbidden, 403},
		{failed(apiclient.NotOffered, 404), figures.FaultNotOffered, 404},
		{failed(apiclient.RateLimited, 429), figures.FaultRateLimited, 429},
		{failed(apiclient.Server, 502), figures.FaultServer, 502},
		{failed(apiclient.Rejected, 400), figures.FaultRejected, 400},
		{failed(apiclient.Garbage, 200), figures.FaultGarbage, 200},
		{failed(apiclient.TooLarge, 200), figures.FaultTooLarge, 200},
		{failed(apiclient.Endless, 200), figures.FaultEndless, 200},
		{failed(apiclient.Unknown, 0), figures.FaultFindingOut, 0},
		{failed(apiclient.Contradicts, 0), figures.FaultContradicts, 0},
		{failed(apiclient.Foreign, 302), figures.FaultForeign, 302},
		{fmt.Errorf("secret: %w", context.DeadlineExceeded), figures.FaultSlow, 0},
		{errors.New("secret"), figures.FaultUnreachable, 0},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				s.fail["tickets"] = c.err
				h := run(t, s, logtest.New())
				if got := h.health("tickets"); got.Fault != c.fault || got.FaultStatus != c.status || got.Missed != 1 {
					t.Errorf("health %+v, want %s and %d", got, c.fault, c.status)
				}
			})
		})
	}
}
