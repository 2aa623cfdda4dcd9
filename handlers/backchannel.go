package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"housecount/aggregator/store"
)

const (
	backchannelPath = "/backchannel-logout"

	logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
	// A logout token is used immediately. One that was issued longer ago, or further in the future, is refused;
	// until then its use is remembered.
	logoutAge   = 10 * time.Minute
	logoutAhead = 3 * time.Minute
)

// logoutToken is what the sign-in service has ended: one of its sessions, or all sessions of a person.
type logoutToken struct {
	subject, session string // one of them may be empty
	id               string
	issued           time.Time
}

// backchannelLogout ends sessions when the sign-in service requests it (OpenID Connect Back-Channel
// Logout). Each logout token counts once.
func (s *site) backchannelLogout(w http.ResponseWriter, r *http.Request) error {
	raw := r.PostFormValue("logout_token")
	if err := s.provider.checkLogoutForm(raw); err != nil { // first, because it is cheap and takes no turn
		return s.refuseLogout(w, r, err)
	}
	if err := s.logouts.wait(r.Context(), s.address(r)); err != nil { // a made-up token may make us fetch keys
		return tooManySignIns(w, err)
	}
	e, err := s.provider.endpoints(r.Context())
	if err != nil {
		return signInFault(err)
	}
	ctx := oidc.ClientContext(r.Context(), s.provider.client())
	var t logoutToken
	err = s.provider.verify(ctx, e, func(e *endpoints) (err error) {
		t, err = e.verifyLogoutToken(ctx, raw)
		return err
	})
	if err != nil {
		return s.refuseLogout(w, r, err)
	}
	var which store.Which
	switch {
	case t.session == "":
		which = store.BySubject(s.sessions.owned(t.subject))
	case t.subject == "":
		which = store.BySID(s.sessions.owned(t.session), "")
	default:
		which = store.BySID(s.sessions.owned(t.session), s.sessions.owned(t.subject))
	}
	by := store.Act{Actor: store.ActorProvider, Action: store.ActSessionEnded, Reason: endedByProvider, Address: s.from(r)}
	ended, first, err := s.Sessions.RevokeOnce(r.Context(), s.sessions.owned("logout "+t.id), t.issued.Add(logoutAge), which, by)
	if err != nil {
		return err
	}
	s.logEnded(ended, by)
	s.Log.Info("the sign-in service ended sessions", "request", visitOf(r).id, "subject", t.subject, "sessions", len(ended), "repeated", !first)
	if !first {
		w.WriteHeader(http.StatusBadRequest)
	}
	return nil
}

func (s *site) refuseLogout(w http.ResponseWriter, r *http.Request, why error) error {
	s.Log.Info("a logout token was refused", "request", visitOf(r).id, "err", why)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	return json.NewEncoder(w).Encode(map[string]string{"error": "invalid_request", "error_description": "The logout token was refused."})
}

// checkLogoutForm refuses what is obviously not a token of the sign-in service for us. It does not verify the
// signature.
func (p *provider) checkLogoutForm(raw string) error {
	jws, err := jose.ParseSignedCompact(raw, joseAlgorithms())
	if err != nil {
		return errors.New("is no signed token")
	}
	var claims jwt.Claims
	if err := json.Unmarshal(jws.UnsafePayloadWithoutVerification(), &claims); err != nil {
		return errors.New("has no claims")
	}
	if p.login.Issuer == "" || claims.Issuer != p.login.Issuer || !claims.Audience.Contains(p.login.ClientID) {
		return errors.New("is of another issuer, or for somebody else")
	}
	return nil
}

// verifyLogoutToken checks a logout token. Its required and forbidden claims distinguish it from an ID
// token, which everybody who logs in has.
func (e *endpoints) verifyLogoutToken(ctx context.Context, raw string) (logoutToken, error) {
	if e.logoutVerifier == nil {
		return logoutToken{}, errors.New("the sign-in service issues none")
	}
	token, err := e.logoutVerifier.Verify(ctx, raw)
	if err != nil {
		return logoutToken{}, errors.New(clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return logoutToken{}, err
	case typ != "" && typ != "jwt" && typ != "logout+jwt":
		return logoutToken{}, fmt.Errorf("is of type %q", clip(typ))
	}
	var claims struct {
		ID      string                     `json:"jti"`
		Session string                     `json:"sid"`
		Events  map[string]json.RawMessage `json:"events"`
		Nonce   json.RawMessage            `json:"nonce"`
	}
	if err := token.Claims(&claims); err != nil {
		return logoutToken{}, fmt.Errorf("claims: %w", err)
	}
	t := logoutToken{subject: token.Subject, session: claims.Session, id: claims.ID, issued: token.IssuedAt}
	age := time.Since(t.issued)
	switch {
	case claims.Nonce != nil:
		return t, errors.New("has a nonce, so it is an ID token")
	case !strings.HasPrefix(strings.TrimSpace(string(claims.Events[logoutEvent])), "{"):
		return t, errors.New("is about no logout")
	case t.id == "":
		return t, errors.New("has no id")
	case t.subject == "" && t.session == "":
		return t, errors.New("names nobody")
	case strings.ContainsFunc(t.subject+t.session+t.id, unicode.IsControl): // PostgreSQL cannot store them
		return t, errors.New("has a control character")
	case age > logoutAge || age < -logoutAhead:
		return t, fmt.Errorf("was issued at %v", t.issued)
	case !token.Expiry.IsZero() && time.Since(token.Expiry) > clockSkew:
		return t, fmt.Errorf("expired at %v", token.Expiry)
	}
	return t, nil
}
