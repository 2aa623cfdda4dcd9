package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web/live"
)

// callback completes a login and redirects to the page that was wanted. A person who is already logged in is redirected there even
// if this login fails. A login that took too long, or was used already, is started again once.
func (s *site) callback(w http.ResponseWriter, r *http.Request) error {
	at, err := s.complete(w, r)
	if err == nil {
		return redirect(w, at.Return)
	}
	if errors.Is(err, admission.ErrTooMany) {
		return s.comeBack(w, r, at)
	}
	if errors.Is(err, errSignInAnew) {
		return redirect(w, "/login?anew=1&return="+url.QueryEscape(at.Return))
	}
	if errors.Is(err, errUnasked) {
		return redirect(w, "/login?anew=1&unasked=1&return="+url.QueryEscape(at.Return))
	}
	if visitOf(r).staff != nil {
		s.Log.Warn("a login failed beside a session that goes on", "request", visitOf(r).id, "err", err)
		return redirect(w, cmp.Or(at.Return, "/tonight"))
	}
	if (errors.Is(err, signin.ErrAttemptUsed) || errors.Is(err, signin.ErrAttemptExpired)) && !at.Again {
		return redirect(w, "/login?again=1&return="+url.QueryEscape(at.Return))
	}
	reason := "internal"
	if f, ok := errors.AsType[*fault](err); ok {
		f.back = at.Return
		reason = f.code
	}
	if reason != refusedNoRole { // that refusal is recorded together with the person
		s.refusals.Add(admission.Refusal{Address: s.from(r), Reason: reason}, 1)
	}
	return err
}

// complete ends the login that the visitor returns from and starts a session. After a failure it still returns the
// attempt, if it is known.
func (s *site) complete(w http.ResponseWriter, r *http.Request) (signin.Attempt, error) {
	q := r.URL.Query()
	at, err := s.attempts.Check(r, q["state"])
	if errors.Is(err, signin.ErrNoAttempt) || errors.Is(err, signin.ErrAttemptExpired) || errors.Is(err, signin.ErrAttemptUsed) {
		return at, stale(err)
	}
	if err != nil {
		return at, err
	}
	if !s.provider.IsIssuer(q["iss"]) {
		return at, signInFault(errors.New("the callback names another issuer (iss)"))
	}
	// Until here a callback costs no more than unsealing a cookie. The rest is only for a login that was begun
	// here and not used yet.
	k := s.known.Of(r)
	done, err := s.signIns.Wait(r.Context(), s.proxies.Address(r), at.Began(), k != nil && s.known.GoesFirst(k.Name))
	if err != nil {
		return at, err
	}
	defer done()
	err = s.attempts.End(r.Context(), w, at)
	if errors.Is(err, signin.ErrAttemptUsed) {
		return at, stale(err)
	}
	if err != nil {
		return at, err
	}
	if code := q.Get("error"); code != "" {
		if at.Anew && !at.Unasked && code != "access_denied" {
			s.Log.Warn("the sign-in service refuses to ask for the password: it is tried once without", "code", clip(code))
			return at, errUnasked
		}
		return at, refusedByProvider(code)
	}
	e, err := s.provider.Endpoints(r.Context())
	if err != nil {
		return at, signInFault(err)
	}
	id, err := s.provider.Exchange(r.Context(), e, q.Get("code"), at)
	if err != nil {
		return at, signInFault(err)
	}
	if err := s.checkAnew(r.Context(), e, at, id); err != nil {
		return at, err
	}
	return at, s.admit(w, r, id)
}

const (
	// turnParam counts how often a sign-in came back for a turn, of at most mostTurns; browsers follow 20 redirects
	// after one another, and some programs 10.
	turnParam = "turn"
	mostTurns = 6
	// comeBackAfter is how long it takes to come back, and mostHeldBack how many may be about to.
	comeBackAfter = time.Second
	mostHeldBack  = 2000
)

// comeBack redirects a sign-in that found no place in the queue to the callback again, up to mostTurns times, and then
// refuses it. The state is not used up by that, and the place in the queue depends on when the sign-in began.
func (s *site) comeBack(w http.ResponseWriter, r *http.Request, at signin.Attempt) error {
	q := r.URL.Query()
	turn, err := strconv.Atoi(cmp.Or(q.Get(turnParam), "1"))
	held := s.heldBack.Add(1)
	defer s.heldBack.Add(-1)
	if err != nil || turn < 1 || turn >= mostTurns || held > mostHeldBack {
		s.refusals.Add(admission.Refusal{Address: s.from(r), Reason: "too_many"}, 1)
		w.Header().Set("Retry-After", "20")
		return &fault{status: http.StatusTooManyRequests, code: "too_many", back: at.Return, cause: admission.ErrTooMany}
	}
	select {
	case <-time.After(comeBackAfter):
	case <-r.Context().Done():
	}
	q.Set(turnParam, strconv.Itoa(turn+1))
	return redirect(w, signin.CallbackPath+"?"+q.Encode())
}

var (
	// errSignInAnew is returned if a person must enter the password again.
	errSignInAnew = errors.New("a session of this person was ended: they have to sign in anew")
	// errUnasked is returned if the sign-in service has no way to ask for the password.
	errUnasked = errors.New("the sign-in service refuses to ask for the password")
)

// checkAnew compares a login with the last time at which a session of the same person was ended, until the
// store forgets that. The password has to have been given since, by the claim auth_time. If the sign-in
// service never has that claim, the login has to have been begun since, with a request for the password.
// The error is errSignInAnew if the sign-in service has not been asked for it yet.
func (s *site) checkAnew(ctx context.Context, e *signin.Endpoints, at signin.Attempt, id signin.Identity) error {
	since, err := s.Sessions.Anew(ctx, s.sessions.Owned(id.Subject))
	if err != nil || since.IsZero() {
		return err
	}
	authTime, reported := id.Claims["auth_time"].(float64)
	switch {
	case reported && !time.Unix(int64(authTime), 0).Before(since):
		return nil
	case !at.Anew:
		return errSignInAnew
	case reported || e.AuthTime || !at.Began().After(since): // the request may have been changed in the visitor's browser
		return &fault{status: http.StatusForbidden, code: "sign_in_old", signIn: true,
			cause: fmt.Errorf("%s has not given the password since a session of theirs was ended: does the sign-in service know prompt=login and max_age=0?", id.Subject)}
	}
	return nil
}

// refusedNoRole is the fault's code, and the reason in the audit, for a person without a role.
const refusedNoRole = "no_role"

// admit starts a session for a person who has a role.
func (s *site) admit(w http.ResponseWriter, r *http.Request, id signin.Identity) error {
	before := visitOf(r).staff
	given, err := s.sessions.GrantsOf(r.Context(), id.Address)
	if err != nil {
		return err
	}
	role, _, ok := s.sessions.Roles.Role(id.Values, id.Address, given)
	if !ok {
		s.refreshLetters(r.Context(), &sessions.Staff{Subject: id.Subject, Name: id.Name, Values: id.Values, Address: id.Address}, false)
		refused := s.act(r, &sessions.Staff{Subject: id.Subject, Name: id.Name}, store.ActRefused)
		refused.Reason = refusedNoRole
		s.note(r.Context(), refused)
		by := refused
		by.Action, by.Reason = store.ActSessionEnded, endedNoRole
		if err := s.signOut(w, r, by); err != nil {
			return err
		}
		visitOf(r).staff = nil
		return &fault{status: http.StatusForbidden, code: "no_role",
			user: nameAndAddress(id), another: true, cause: id.NoRole(s.Login.RoleClaim)}
	}
	if err := s.known.MakeKnown(w, r); err != nil {
		return err
	}
	// Another tab was faster: its session and sockets stay as they are. A session of another session at the
	// sign-in service is replaced, because it would end with that.
	if before != nil && before.Subject == id.Subject && before.SID == id.Session && before.Address == id.Address && slices.Equal(before.Values, id.Values) {
		return nil
	}
	sealed, err := s.sessions.SealCredentials(sessions.Credentials{IDToken: id.IDToken, Refresh: id.Refresh})
	if err != nil {
		return err
	}
	if before != nil {
		by := s.act(r, &sessions.Staff{Subject: id.Subject, Name: id.Name}, store.ActSessionEnded) // by the person who signs in now
		by.Reason = endedReplaced
		if err := s.end(r.Context(), store.ByToken(s.sessions.Token(r)), by); err != nil {
			return err
		}
	}
	who := sessions.Staff{Subject: id.Subject, SID: id.Session, Name: id.Name, Values: id.Values, Address: id.Address, Sealed: sealed}
	of := store.Owner{Subject: id.Subject, SID: id.Session, Name: id.Name, Address: s.from(r), Agent: admission.DeviceKind(r.UserAgent())}
	if id.Refresh != "" {
		of.Checked = time.Now()
	}
	token, err := s.sessions.Start(r.Context(), w, who, of)
	if err != nil {
		return err
	}
	s.refreshLetters(r.Context(), &who, true)
	login := s.act(r, &who, store.ActLogin)
	login.Object, login.After = store.HolderID(token), string(role)
	s.note(r.Context(), login)
	s.Hub.CloseHolder(s.sessions.Token(r), live.CloseSignedOut)
	return nil
}

// nameAndAddress returns what a person is known by at the sign-in service, so that they see which of their accounts it is.
func nameAndAddress(id signin.Identity) string {
	if id.Address == "" || strings.EqualFold(id.Address, id.Name) {
		return id.Name
	}
	return id.Name + " (" + id.Address + ")"
}

func tooManySignIns(w http.ResponseWriter, cause error) error {
	w.Header().Set("Retry-After", "20")
	return &fault{status: http.StatusTooManyRequests, code: "too_many", cause: cause}
}

// stale returns the fault for a callback that belongs to no login in progress in this browser.
func stale(cause error) error {
	return &fault{status: http.StatusBadRequest, code: "sign_in_stale", signIn: true, cause: cause}
}

// refusedByProvider returns the fault for an error that the sign-in service sent back. Its code is logged, not shown.
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

// signInFault returns the fault for a failed exchange with the sign-in service.
func signInFault(err error) error {
	if errors.Is(err, signin.ErrDown) {
		return &fault{status: http.StatusServiceUnavailable, code: "sign_in_down", signIn: true, cause: err}
	}
	return &fault{status: http.StatusBadGateway, code: "sign_in_failed", signIn: true, cause: err}
}
