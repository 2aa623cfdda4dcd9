package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"housecount/web"
	"housecount/web/live"
	"housecount/web/words"
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
		return &fault{status: http.StatusForbidden, code: "no_role", text: s.rolesWanted(s.language(r)),
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
	s.Hub.CloseHolder(s.sessions.token(r), live.CloseSignedOut)
	return redirect(w, at.Return)
}

// logout ends the session, closes its sockets (here at once, on other replicas within a
// second), and goes on to the sign-in service's own logout where it has one.
func (s *site) logout(w http.ResponseWriter, r *http.Request) error {
	who := visitOf(r).staff
	if err := s.signOut(w, r); err != nil {
		return err
	}
	if who != nil {
		if to := s.provider.logoutURL(r.Context(), who.IDToken, s.public.String()+"/signed-out"); to != "" {
			return redirect(w, to)
		}
	}
	return redirect(w, "/signed-out")
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.end(r.Context(), w); err != nil {
		return err
	}
	s.Hub.CloseHolder(s.sessions.token(r), live.CloseSignedOut)
	return nil
}

func (s *site) signedOut(w http.ResponseWriter, r *http.Request) error {
	language := s.language(r)
	text := words.Of(language)
	m := web.Message{Locale: language, Title: text.Text("signed_out.title"), Text: text.Text("signed_out.here"), SignIn: true}
	if back := r.URL.Query().Get("return"); back != "" { // a page came here by itself
		m.Return = back
		m.Text = text.Text("signed_out.ended")
	}
	return s.message(w, m)
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
	return &fault{status: http.StatusTooManyRequests, code: "too_many"}
}

// stale is the fault of a callback that belongs to no login under way in this browser.
func stale(cause error) error {
	return &fault{status: http.StatusBadRequest, code: "sign_in_stale", signIn: true, cause: cause}
}

// refusedByProvider is the fault when the sign-in service sent an error back. Its code is
// logged, not shown.
func refusedByProvider(code string) error {
	f := &fault{status: http.StatusBadGateway, code: "sign_in_refused", signIn: true,
		cause: errors.New("sign-in service answered " + strconv.Quote(clip(code)))}
	switch code {
	case "access_denied":
		f.status, f.code = http.StatusForbidden, "sign_in_cancelled"
	case "temporarily_unavailable", "server_error":
		f.status = http.StatusServiceUnavailable
	}
	return f
}

// signInFault is the fault when an exchange with the sign-in service failed.
func signInFault(err error) error {
	if errors.Is(err, errProviderDown) {
		return &fault{status: http.StatusServiceUnavailable, code: "sign_in_down", signIn: true, cause: err}
	}
	return &fault{status: http.StatusBadGateway, code: "sign_in_failed", signIn: true, cause: err}
}

// rolesWanted is the advice to somebody without a role.
func (s *site) rolesWanted(l web.Locale) string {
	var values []string
	for value := range s.Login.Roles {
		values = append(values, value)
	}
	slices.Sort(values)
	return words.Of(l).Text("sign_in.roles_wanted", words.Text("claim", s.Login.RoleClaim), words.Text("roles", strings.Join(values, ", ")))
}
