package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/cmd/housecount/options"
	"housecount/web/setup"
)

// sealedDatabase is a database with the key that seals what it keeps.
type sealedDatabase struct {
	at  options.DatabaseFlags
	key options.SealFlags
}

// withGrants calls use with options that have what the service is asked with, where a person has to allow that: the
// grants of the database. A secret that is new is tried by renewing them.
func withGrants(ctx context.Context, in sealedDatabase, o apiclient.Options, isNew bool, use func(apiclient.Options) error) error {
	if !needsGrants(o) {
		return use(o)
	}
	db, credentials, err := openCredentials(ctx, in)
	if err != nil {
		return err
	}
	defer db.Close()
	if o.Grants = (grants{credentials, grantName(o)}); isNew {
		o.Grants = &renewedGrants{Grants: o.Grants}
	}
	return use(o)
}

// renewedGrants are grants that are renewed before they are used, so that the client and its secret are tried: a token
// is good for days without them.
type renewedGrants struct {
	apiclient.Grants
	renewed bool
}

func (g *renewedGrants) Renew(ctx context.Context, renew func([]byte) ([]byte, error)) error {
	return g.Grants.Renew(ctx, func(stored []byte) ([]byte, error) {
		var due apiclient.Grant
		if !g.renewed && json.Unmarshal(stored, &due) == nil {
			due.Due, due.Expires = time.Time{}, time.Time{}
			stored, _ = json.Marshal(due) // cannot fail
		}
		next, err := renew(stored)
		g.renewed = g.renewed || err == nil
		return next, err
	})
}

// openCredentials opens the credentials of a database, which is made if it is not there.
func openCredentials(ctx context.Context, in sealedDatabase) (*store.Store, *store.Credentials, error) {
	db, err := store.OpenCurrent(ctx, string(in.at.Database))
	if err != nil {
		return nil, nil, err
	}
	seal, err := db.Seal(ctx, in.key.SecretKey, in.key.SecretKeyFallback)
	if err == nil && seal.Foreign {
		err = &options.Faults{List: []string{"the database was last used with another secret key: give the --secret-key that serve uses"}}
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, db.Credentials(seal), nil
}

// setupAuthorization is what a person was last asked to allow, at a service that gives no key.
type setupAuthorization struct {
	*apiclient.Authorization
	name string // of the grant
}

// authorizedAddress returns where a service leads a browser back to, as the browser has it. It has to be registered
// there.
func (s *setupServer) authorizedAddress(r *http.Request) string {
	s.mu.Lock()
	origin := s.origin
	s.mu.Unlock()
	if origin != "" {
		return origin + setup.AuthorizedPath
	}
	scheme := "http://"
	if public := "https://" + r.Host; s.command.PublicURL == public || s.current().PublicURL == public {
		scheme = "https://"
	}
	return scheme + r.Host + setup.AuthorizedPath
}

// takeKey takes the key and asks the service. Where nobody has allowed housecount there yet, or not any more, what was filled
// in is stored, and the page leads to the service. Where the service refuses the client or its secret, or refuses one that it
// has not taken before and does not say why, that is the fault: whether what was allowed is still good is not known then.
func (s *setupServer) takeKey(r *http.Request, state *setupState) (ask bool, err error) {
	next, options, err := state.fillKey(r.PostForm)
	if err != nil {
		return false, err
	}
	isNew := next.APIKey != state.APIKey || state.KeyRefused
	err = withGrants(r.Context(), sealedDatabase{s.command.DatabaseFlags, s.command.SealFlags}, options, isNew, func(o apiclient.Options) error { return next.check(r.Context(), o) })
	if fault, ok := errors.AsType[*setupFault](err); ok && slices.Contains([]string{"unauthorized", "authorize", "client_refused"}, fault.code) && needsGrants(options) {
		a, err := apiclient.NewAuthorization(options, s.authorizedAddress(r))
		if err != nil {
			return false, &setupFault{code: "options"}
		}
		s.mu.Lock()
		s.asked = &setupAuthorization{a, grantName(options)}
		s.mu.Unlock()
		next.Found, next.Halls, next.VenueSet = nil, nil, false
		next.KeyRefused = fault.code == "client_refused" || isNew && fault.code == "unauthorized"
		if *state = next; state.KeyRefused {
			return true, &setupFault{code: "client_refused"}
		}
		return true, nil
	}
	if next.KeyRefused = false; err == nil {
		*state = next
	}
	return false, err
}

// authorized takes what the service says to a person's authorization, and asks it then.
func (s *setupServer) authorized(w http.ResponseWriter, r *http.Request) {
	if !s.owns(r) {
		s.write(w, r, http.StatusForbidden, setup.Page{Closed: true})
		return
	}
	state := s.current()
	err := s.finishAuthorization(r.Context(), &state, r.URL.Query())
	if err == nil {
		err = s.store(state)
	}
	s.answer(w, r, setup.StepKey, state.reached(), err)
}

// finishAuthorization stores what the service gives for its answer, and asks it with that.
func (s *setupServer) finishAuthorization(ctx context.Context, state *setupState, answer url.Values) error {
	var faults options.Faults
	options := state.service().Client(&faults)
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	if asked == nil || len(faults.List) > 0 || !needsGrants(options) || asked.name != grantName(options) {
		return &setupFault{code: "other_answer"}
	}
	grant, err := asked.Finish(ctx, answer)
	if err != nil {
		s.log.Info("the service did not allow it", "err", err)
		return &setupFault{code: declinedBy(err)}
	}
	db, credentials, err := openCredentials(ctx, sealedDatabase{s.command.DatabaseFlags, s.command.SealFlags})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := credentials.Put(ctx, asked.name, grant); err != nil {
		return err
	}
	s.mu.Lock()
	s.asked = nil
	s.mu.Unlock()
	state.KeyRefused, options.Grants = false, grants{credentials, asked.name}
	return state.check(ctx, options)
}

// allow returns the address at which a person allows housecount what was filled in last; empty if nobody has to.
func (s *setupServer) allow(state setupState) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil || state.Found != nil || state.ClientID == "" {
		return ""
	}
	return s.asked.URL()
}
