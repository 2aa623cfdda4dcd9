package main

import (
	"context"
	"errors"
	"net/url"

	"housecount/apiclient"
	"housecount/cmd/housecount/options"
	"housecount/handlers"
	"housecount/web/setup"
)

// Allow implements handlers.Connection. It is of the service that runs, whatever is stored for the next start, and of the
// first where there are several.
func (n *connection) Allow(back string) *handlers.Allowance {
	n.mu.Lock()
	house := n.house
	n.mu.Unlock()
	o := n.runs.ServiceFlags.Client(new(options.Faults)) // which it was started with
	if house == nil || !needsGrants(o) {
		return nil
	}
	a, err := apiclient.NewAuthorization(o, back)
	if err != nil {
		n.log.Error("nobody can allow housecount at the service", "err", err)
		return nil
	}
	return &handlers.Allowance{Address: a.URL(), State: a.State(), Service: serviceTitle(n.runs.Profile), Finish: func(ctx context.Context, answer url.Values) (func(context.Context) error, error) {
		grant, err := a.Finish(ctx, answer)
		if err != nil {
			n.log.Info("the service did not allow it", "err", err)
			return nil, &setup.Fault{Code: declinedBy(err)}
		}
		return func(ctx context.Context) error { return house.PutGrant(ctx, grant) }, nil
	}}
}

// declinedBy returns the code of why a person's authorization gave no grant.
func declinedBy(err error) string {
	e, ok := errors.AsType[*apiclient.Error](err)
	switch {
	case errors.Is(err, apiclient.ErrOtherAuthorization):
		return "other_answer"
	case ok && e.Kind == apiclient.Unauthorized:
		return "client_refused"
	case ok:
		return faultOf(err)
	}
	return "declined"
}
