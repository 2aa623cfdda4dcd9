package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/setup"
)

// Allowance is how a person allows housecount at a service that runs.
type Allowance struct {
	Address string // of the service, to which the browser is sent
	State   string // which the service adds to the address that it leads back to; nobody can guess it
	Service string
	// Finish takes what the service adds to that address, and returns what stores what the service gives for it; that is used at
	// once. The error is a *setup.Fault if it gives nothing, or if it is the answer to another Allowance.
	Finish func(ctx context.Context, answer url.Values) (store func(context.Context) error, err error)
}

// allowedConnection takes what the service says to a person who was asked to allow housecount, in the session in which that was
// asked. It is audited before it is stored.
func (s *site) allowedConnection(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), connectionLimit)
	defer cancel()
	asked, ok := s.allowances.take(r.URL.Query().Get("state"), visitOf(r).staff.ID, time.Now())
	if !ok {
		return s.refuseAllowance(w, r, setup.Fault{Code: "other_answer"})
	}
	put, err := asked.Finish(ctx, r.URL.Query())
	if wrong, ok := errors.AsType[*setup.Fault](err); ok {
		return s.refuseAllowance(w, r, *wrong)
	}
	if err != nil {
		return err
	}
	act := s.act(r, visitOf(r).staff, store.ActServiceChanged)
	act.After = asked.Service + ", authorize"
	if err := s.record(r.Context(), act); err != nil {
		return err
	}
	if err := put(ctx); err != nil {
		return err
	}
	return redirect(w, web.ConnectionPath+"?allowed=1")
}

func (s *site) refuseAllowance(w http.ResponseWriter, r *http.Request, fault setup.Fault) error {
	c := s.presentConnection("")
	c.At, c.Fault = setup.PartAllow, fault
	return s.writeConnection(w, r, c)
}
