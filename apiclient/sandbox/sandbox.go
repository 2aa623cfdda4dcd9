// Package sandbox simulates the ticketing service. It is an http.Handler with its own clock, sales, visitors and
// faults. Only cmd and tests import it.
//
// It simulates a house: its programme, buyers, visitors and records. All state is in memory. It shares only the
// record types with the rest of housecount, so that Truth can check the aggregator's figures independently.
//
// A queue of tasks on the sandbox's clock drives the house. Each task draws its own random numbers, so the state
// depends only on Options, the time, the control calls and the writes, never on how often it is read. There are no
// background goroutines: each request first runs all due tasks. One mutex guards the house; handlers copy what
// they serve and encode it without the lock. Logins, codes, tokens, the rate limit and faults run in real time.
// Faults change what is served, never the stored records.
package sandbox

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// Sandbox is the simulated service. It is safe for concurrent use.
type Sandbox struct {
	*service
	mux *http.ServeMux
}

// New builds the house and returns the sandbox. It fails on invalid options or an unreadable journal.
func New(o Options) (*Sandbox, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{service: &service{
		options: o, log: o.Log, limits: newLimits(o.RateLimit),
		edition: rand.Text(), paging: o.Paging,
	}}
	s.faults = faults.New(faults.Setup{Log: o.Log, Streams: streamNames(), Place: placeOf, Draw: drawFault(o.Seed)}, o.Faults)
	if s.login, err = idp.New(idp.Options{PublicURL: o.PublicURL, Staff: idp.DemoStaff, Clients: o.Clients, Scopes: knownScopes, AccessLifetime: o.AccessLifetime, RefreshLifetime: o.RefreshLifetime}); err != nil {
		return nil, err
	}
	s.house = newHouse(o)
	s.clock = clock{base: s.house.start, speed: o.Speed}
	calls, err := s.openJournal()
	if err != nil {
		return nil, err
	}
	s.replay(calls)
	switch {
	case o.Events > 0:
		s.house.buildBulk(o.Events, o.Tickets)
	case !o.Empty:
		s.house.planSeason()
	}
	s.catchUp()
	if slices.ContainsFunc(o.Faults, func(x faults.Fault) bool { return x.Kind == "late" }) {
		s.house.storeVersions()
	}
	s.clock.run()
	s.mux = s.routes()
	s.log.Debug("sandbox built", "events", s.house.events.len(), "tickets", s.house.tickets.len(), "payments", s.house.payments.len())
	return s, nil
}

// ServeHTTP serves the API, its description, the login and account pages, and the control paths.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Now returns the sandbox's time, in UTC and whole milliseconds.
func (s *Sandbox) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.now()
}

// At returns the sandbox's time at a past or future real time.
func (s *Sandbox) At(t time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.at(t)
}

// Advance moves the clock forward by d and runs all due tasks. A negative d is ignored.
func (s *Sandbox) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.advance(d)
	s.catchUp()
}

// Close clears all faults, which ends the responses that they hold open, and closes the journal.
func (s *Sandbox) Close() error {
	s.faults.ClearAll()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return nil
	}
	err := s.journal.Close()
	s.journal = nil
	return err
}

// Truth returns the figures as of the sandbox's clock.
func (s *Sandbox) Truth() Truth { return s.truth() }

// routes returns the handler of all addresses.
func (s *Sandbox) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, base := range []string{"/v2/", "/api/v2/"} {
		for _, st := range s.house.streams() {
			list := s.api(st, map[string]streamHandler{http.MethodGet: s.serveList, http.MethodPost: s.writer(st.name + ".create")})
			one := s.api(st, map[string]streamHandler{http.MethodGet: s.serveOne, http.MethodPatch: s.writer(st.name + ".update")})
			for _, name := range append(aliases[st.name], st.name) {
				mux.Handle(base+name, list)
				mux.Handle(base+name+"/{id}", one)
			}
		}
	}
	s.documentRoutes(mux)
	s.login.Routes(mux)
	s.controlRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		idp.WriteProblem(w, http.StatusNotFound, "There is nothing at this address.")
	})
	return mux
}

// aliases are alternative names of streams in paths.
var aliases = map[string][]string{"contacts": {"relations"}}
