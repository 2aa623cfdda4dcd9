package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/setup"
)

// Allowance is how a person allows housecount at the ticketing service that runs.
type Allowance struct {
	Address string // of the service, to which the browser is sent
	Service string
	// Finish takes what the service adds to the address that it leads back to, and returns what stores what the service gives
	// for it; that is used at once. The error is a *setup.Fault if it gives nothing, or if it is the answer to another Allowance.
	Finish func(ctx context.Context, answer url.Values) (store func(context.Context) error, err error)
}

// allowances are what sessions were asked to allow last, each until it is answered or too old.
type allowances struct {
	mu  sync.Mutex
	all []allowance // the oldest first
}

type allowance struct {
	*Allowance
	session string
	until   time.Time
}

// put adds what a session is asked to allow, in place of what it was asked before.
func (c *allowances) put(session string, asked *Allowance, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(one allowance) bool { return one.session == session })
	c.all = append(c.all[max(0, len(c.all)-mostConfirmed+1):], allowance{asked, session, now.Add(confirmLimit)})
}

// take returns what a session is asked to allow; nil for nothing. It stays until another is put: what came may be the answer to
// an older one.
func (c *allowances) take(session string, now time.Time) *Allowance {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.all, func(one allowance) bool { return one.session == session && now.Before(one.until) })
	if i < 0 {
		return nil
	}
	return c.all[i].Allowance
}

// allowedConnection takes what the service says to a person who was asked to allow housecount, in the session in which that was
// asked. It is audited before it is stored.
func (s *site) allowedConnection(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), connectionLimit)
	defer cancel()
	asked := s.allowances.take(visitOf(r).staff.id, time.Now())
	if asked == nil {
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
