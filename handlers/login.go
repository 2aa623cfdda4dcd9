package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"housecount/web/live"
)

// login sends the visitor to the sign-in service.
func (s *site) login(w http.ResponseWriter, r *http.Request) error {
	to := s.returnPath(r.URL.Query().Get("return"))
	if visitOf(r).staff != nil {
		return redirect(w, to)
	}
	e, err := s.provider.endpoints(r.Context())
	if err != nil {
		return signInFault(err)
	}
	at, err := s.attempts.begin(w, r, to)
	if err != nil {
		return err
	}
	return redirect(w, e.authURL(at))
}

// callback is where the sign-in service sends the visitor back to.
func (s *site) callback(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	at, err := s.attempts.check(r, q.Get("state"))
	if errors.Is(err, errNoAttempt) || errors.Is(err, errAttemptExpired) {
		return stale(err)
	}
	if err != nil {
		return err
	}
	if !s.callbacks.Allow() {
		return tooManySignIns(w)
	}
	err = s.attempts.end(r.Context(), w, at)
	if errors.Is(err, errAttemptUsed) {
		return stale(err)
	}
	if err != nil {
		return err
	}
	if code := q.Get("error"); code != "" {
		return refusedByProvider(code)
	}
	e, err := s.provider.endpoints(r.Context())
	if err != nil {
		return signInFault(err)
	}
	id, err := s.provider.exchange(r.Context(), e, q.Get("code"), at)
	if err != nil {
		return signInFault(err)
	}

	before := visitOf(r).staff
	role, ok := roleOf(id.claims, s.Login.RoleClaim, s.Login.Roles)
	if !ok {
		if err := s.signOut(w, r); err != nil {
			return err
		}
		return &fault{status: http.StatusForbidden, title: "Your account has no role here", text: s.rolesWanted(),
			user: id.name, signIn: true, cause: fmt.Errorf("claim %s names no known role", s.Login.RoleClaim)}
	}
	// Another tab was faster: its session and its sockets stay as they are.
	if before != nil && before.Subject == id.subject && before.Role == role {
		return redirect(w, at.Return)
	}
	who := staff{Subject: id.subject, Name: id.name, Role: role, IDToken: id.idToken}
	if err := s.sessions.start(r.Context(), w, who, id.session); err != nil {
		return err
	}
	s.Hub.CloseSession(s.sessions.token(r), live.CloseSignedOut)
	return redirect(w, at.Return)
}

// maxReturn is the longest path that a login leads back to, in bytes: the cookies of all open
// logins fit a proxy's limit for headers, which is 8 KB as a rule.
const maxReturn = 400

// returnPath is the path that a login leads back to: one of our own pages, whatever was
// asked for.
func (s *site) returnPath(asked string) string {
	if path, err := s.checkReturn(asked); err == nil {
		return path
	}
	return "/tonight"
}

func (s *site) checkReturn(asked string) (string, error) {
	if len(asked) > maxReturn {
		return "", errors.New("too long")
	}
	// A browser takes // and /\ for another host, and drops control characters first.
	if len(asked) < 2 || asked[0] != '/' || asked[1] == '/' {
		return "", errors.New("not a path")
	}
	for i := range len(asked) {
		if c := asked[i]; c <= ' ' || c == '\\' || c >= 0x7f {
			return "", errors.New("not a clean path")
		}
	}
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" {
		return "", errors.New("not a path")
	}
	if _, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: u}); !s.pages[pattern] {
		return "", errors.New("not a page")
	}
	return asked, nil
}

func tooManySignIns(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "5")
	return &fault{status: http.StatusTooManyRequests, title: "Too many sign-ins at once",
		text: "Please reload this page in a few seconds."}
}

// stale is the fault of a callback that belongs to no login under way in this browser.
func stale(cause error) error {
	return &fault{status: http.StatusBadRequest, title: "This sign-in is no longer valid",
		text:   "It was used already, took too long, or was begun in another browser. Please start again.",
		signIn: true, cause: cause}
}

// refusedByProvider is the fault when the sign-in service sent an error back. Its code is
// logged, not shown.
func refusedByProvider(code string) error {
	f := &fault{status: http.StatusBadGateway, title: "Sign-in failed",
		text:   "The sign-in service refused. Please start again. If it happens again, pass on the number below.",
		signIn: true, cause: errors.New("sign-in service answered " + strconv.Quote(clip(code)))}
	switch code {
	case "access_denied":
		f.status, f.title, f.text = http.StatusForbidden, "Sign-in was cancelled", "You were not signed in."
	case "temporarily_unavailable", "server_error":
		f.status = http.StatusServiceUnavailable
	}
	return f
}

// signInFault is the fault when an exchange with the sign-in service failed.
func signInFault(err error) error {
	f := &fault{status: http.StatusBadGateway, title: "Sign-in failed",
		text:   "The answer of the sign-in service could not be accepted. Please start again. If it happens again, pass on the number below.",
		signIn: true, cause: err}
	if errors.Is(err, errProviderDown) {
		f.status, f.title = http.StatusServiceUnavailable, "Sign-in is not available"
		f.text = "The sign-in service does not answer. Please try again in a moment."
	}
	return f
}

// rolesWanted is the advice to somebody without a role.
func (s *site) rolesWanted() string {
	var values []string
	for value := range s.Login.Roles {
		values = append(values, value)
	}
	slices.Sort(values)
	return fmt.Sprintf("Ask an administrator of your accounts for a role (in %q, one of: %s), or sign in with another account.",
		s.Login.RoleClaim, strings.Join(values, ", "))
}
