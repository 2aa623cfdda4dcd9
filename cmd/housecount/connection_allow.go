package main

import (
	"context"
	"errors"
	"net/url"

	"housecount/apiclient"
	"housecount/handlers"
	"housecount/web/setup"
)

// Allow implements handlers.Connection. It is of the services that run, whatever is stored for the next start.
func (n *connection) Allow(back string) (all []*handlers.Allowance) {
	n.mu.Lock()
	house := n.house
	n.mu.Unlock()
	if house == nil {
		return nil
	}
	for _, g := range house.Granted() {
		a, err := apiclient.NewAuthorization(g.options, back)
		if err != nil {
			n.log.Error("nobody can allow housecount at the service", "service", g.title, "err", err)
			continue
		}
		all = append(all, &handlers.Allowance{Address: a.URL(), State: a.State(), Service: g.title, Finish: func(ctx context.Context, answer url.Values) (func(context.Context) error, error) {
			grant, err := a.Finish(ctx, answer)
			if err != nil {
				n.log.Info("the service did not allow it", "service", g.title, "err", err)
				return nil, &setup.Fault{Code: declinedBy(err)}
			}
			return func(ctx context.Context) error { return house.PutGrant(ctx, g.grants, grant) }, nil
		}})
	}
	return all
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
