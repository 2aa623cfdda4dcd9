package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
	// A logout token is used immediately. One that was issued longer ago, or further in the future, is refused;
	// until then its use is remembered.
	LogoutAge   = 10 * time.Minute
	logoutAhead = 3 * time.Minute
)

// LogoutToken is what the sign-in service has ended: one of its sessions, or all sessions of a person.
type LogoutToken struct {
	Subject, Session string // one of them may be empty
	ID               string
	Issued           time.Time
}

// CheckLogoutForm refuses what is obviously not a token of the sign-in service for us. It does not verify the
// signature.
func (p *Provider) CheckLogoutForm(raw string) error {
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

// VerifyLogout verifies a logout token.
func (p *Provider) VerifyLogout(ctx context.Context, e *Endpoints, raw string) (t LogoutToken, err error) {
	ctx = oidc.ClientContext(ctx, p.client())
	err = p.verify(ctx, e, func(e *Endpoints) (err error) {
		t, err = e.verifyLogoutToken(ctx, raw)
		return err
	})
	return t, err
}

// verifyLogoutToken checks a logout token. Its required and forbidden claims distinguish it from an ID
// token, which everybody who logs in has.
func (e *Endpoints) verifyLogoutToken(ctx context.Context, raw string) (LogoutToken, error) {
	if e.logoutVerifier == nil {
		return LogoutToken{}, errors.New("the sign-in service issues none")
	}
	token, err := e.logoutVerifier.Verify(ctx, raw)
	if err != nil {
		return LogoutToken{}, errors.New(clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return LogoutToken{}, err
	case typ != "" && typ != "jwt" && typ != "logout+jwt":
		return LogoutToken{}, fmt.Errorf("is of type %q", clip(typ))
	}
	var claims struct {
		ID      string                     `json:"jti"`
		Session string                     `json:"sid"`
		Events  map[string]json.RawMessage `json:"events"`
		Nonce   json.RawMessage            `json:"nonce"`
	}
	if err := token.Claims(&claims); err != nil {
		return LogoutToken{}, fmt.Errorf("claims: %w", err)
	}
	t := LogoutToken{Subject: token.Subject, Session: claims.Session, ID: claims.ID, Issued: token.IssuedAt}
	age := time.Since(t.Issued)
	switch {
	case claims.Nonce != nil:
		return t, errors.New("has a nonce, so it is an ID token")
	case !strings.HasPrefix(strings.TrimSpace(string(claims.Events[logoutEvent])), "{"):
		return t, errors.New("is about no logout")
	case t.ID == "":
		return t, errors.New("has no id")
	case t.Subject == "" && t.Session == "":
		return t, errors.New("names nobody")
	case strings.ContainsFunc(t.Subject+t.Session+t.ID, unicode.IsControl): // PostgreSQL cannot store them
		return t, errors.New("has a control character")
	case age > LogoutAge || age < -logoutAhead:
		return t, fmt.Errorf("was issued at %v", t.Issued)
	case !token.Expiry.IsZero() && time.Since(token.Expiry) > clockSkew:
		return t, fmt.Errorf("expired at %v", token.Expiry)
	}
	return t, nil
}
