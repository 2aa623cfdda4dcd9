package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// controlRoutes adds the control paths.
func (s *service) controlRoutes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection() // pages of other sites must not control the sandbox
	add := func(path string, f http.HandlerFunc) {
		mux.Handle("/sandbox/"+path, cross.Handler(loopbackOnly(f)))
	}
	for name := range controlCalls {
		add(name, s.serveCall(name))
	}
	add("advance", s.serveCall("advance"))
	add("fault", s.serveFault)
	add("paging", s.servePaging)
	add("rate-limit", s.serveRateLimit)
	add("rotate-keys", s.serveRotateKeys)
	add("truth", s.serveTruth)
}

// loopbackOnly refuses requests from other machines, requests forwarded by a proxy, and requests whose Host is not
// a loopback name. The last protects against DNS rebinding.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		addr, err := netip.ParseAddr(host)
		asked := (&url.URL{Host: r.Host}).Hostname()
		if err != nil || !addr.Unmap().IsLoopback() || !idp.IsLoopback(asked) || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
			idp.WriteProblem(w, http.StatusForbidden, "The control path answers only this machine.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveCall serves a control call that changes records or the clock.
func (s *service) serveCall(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !idp.Allow(w, r, http.MethodPost) {
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			idp.WriteError(w, idp.BadRequest("The body cannot be read: "+err.Error()))
			return
		}
		result, err := s.call(name, body)
		if err != nil {
			idp.WriteError(w, err)
			return
		}
		idp.WriteJSON(w, result)
	}
}

func (s *service) serveFault(w http.ResponseWriter, r *http.Request) {
	in, ok := readCall[faults.Call](w, r)
	if !ok {
		return
	}
	if in.Kind == "late" && in.For > 0 {
		s.storeVersions()
	}
	if err := s.faults.Set(in); err != nil {
		idp.WriteError(w, err)
		return
	}
	idp.WriteJSON(w, in)
}

// storeVersions starts to store the versions of all records, for the fault late.
func (s *service) storeVersions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	s.house.storeVersions()
}

// servePaging changes the paging style of all lists: {"style": "cursor"}.
func (s *service) servePaging(w http.ResponseWriter, r *http.Request) {
	in, ok := readCall[struct {
		Style string `json:"style"`
	}](w, r)
	if !ok {
		return
	}
	if !slices.Contains(pagingStyles, in.Style) {
		idp.WriteError(w, idp.BadRequest(fmt.Sprintf("style must be one of %s, not %q.", strings.Join(pagingStyles, ", "), in.Style)))
		return
	}
	s.mu.Lock()
	s.paging = in.Style
	s.mu.Unlock()
	idp.WriteJSON(w, in)
}

// serveRateLimit changes the rate limit: {"per_minute": 60}, 0 for none.
func (s *service) serveRateLimit(w http.ResponseWriter, r *http.Request) {
	in, ok := readCall[struct {
		PerMinute int `json:"per_minute"`
	}](w, r)
	if !ok {
		return
	}
	if in.PerMinute < 0 || in.PerMinute > maxRateLimit {
		idp.WriteError(w, idp.BadRequest("per_minute must be from 0 to "+strconv.Itoa(maxRateLimit)+"."))
		return
	}
	s.limits.set(in.PerMinute)
	idp.WriteJSON(w, in)
}

// serveRotateKeys creates a new signing key. Tokens signed with the old key stay valid until they expire.
func (s *service) serveRotateKeys(w http.ResponseWriter, r *http.Request) {
	if !idp.Allow(w, r, http.MethodPost) {
		return
	}
	kid, err := s.login.Rotate()
	if err != nil {
		idp.WriteError(w, err)
		return
	}
	idp.WriteJSON(w, map[string]string{"kid": kid})
}

func (s *service) serveTruth(w http.ResponseWriter, r *http.Request) {
	if idp.Allow(w, r, http.MethodGet, http.MethodHead) {
		idp.WriteJSON(w, s.truth())
	}
}

// readCall reads the body of a control call that does not change records. If ok is false, it has written the
// response.
func readCall[T any](w http.ResponseWriter, r *http.Request) (in T, ok bool) {
	if !idp.Allow(w, r, http.MethodPost) {
		return in, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		err = idp.BadRequest("The body cannot be read: " + err.Error())
	} else {
		in, err = decode[T](body)
	}
	if err != nil {
		idp.WriteError(w, err)
	}
	return in, err == nil
}
