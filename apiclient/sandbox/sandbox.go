// Package sandbox is a working stand-in for the ticketing service: an http.Handler with
// its own clock, sales, visitors and faults. Only cmd and tests import it.
//
// It owns a simulated house: what is performed, who buys, who comes, and the records that
// report it. They are in memory only, and it shares nothing with the rest of housecount but
// the record types, so that the two can be held against each other (Truth).
//
// The house is driven by a diary of happenings on the sandbox's clock. Each happening draws
// from a randomness of its own, so the state depends on Options, the time, the control calls
// and the writes, never on how often it is read. Nothing runs in the background: every request
// first lets happen what is due. One mutex guards the house; handlers copy what they serve
// and encode it outside. The login, its codes and tokens, the rate limit and the faults
// live in real time; faults change what is served, never the books.
package sandbox

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// Sandbox is the service. It may be used by many goroutines.
type Sandbox struct {
	*service
	mux *http.ServeMux
}

// New builds the season, which takes a moment, and returns the sandbox. It fails on an
// option that makes no sense and on a journal that cannot be read.
func New(o Options) (*Sandbox, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{service: &service{
		options: o, log: o.Log, faults: newFaults(o), limits: newLimits(o.RateLimit),
		edition: rand.Text(), paging: o.Paging,
	}}
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
	if slices.ContainsFunc(o.Faults, func(x Fault) bool { return x.Kind == "late" }) {
		s.house.storeVersions()
	}
	s.clock.run()
	s.mux = s.routes()
	s.log.Debug("sandbox built", "events", s.house.events.len(), "tickets", s.house.tickets.len(), "payments", s.house.payments.len())
	return s, nil
}

// ServeHTTP serves the API, the OAuth addresses and the control path.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Now is the sandbox's clock, in UTC and whole milliseconds.
func (s *Sandbox) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.now()
}

// At is what the sandbox's clock showed, or will show, at a moment of the machine's.
func (s *Sandbox) At(t time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.at(t)
}

// Advance moves the clock on and lets happen what falls due, for tests with a negative
// Speed and for a house that goes on where it stopped. The clock never goes back: a
// negative d is ignored.
func (s *Sandbox) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.advance(d)
	s.catchUp()
}

// Close ends the answers that a fault holds open and closes the journal.
func (s *Sandbox) Close() error {
	s.faults.clearAll()
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

// routes is every address of the service.
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

// aliases are other names of streams.
var aliases = map[string][]string{"contacts": {"relations"}}
