package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// Identity is somebody as the sign-in service identifies them.
type Identity struct {
	Subject, Name string
	Session       string // at the sign-in service (sid); empty when it gives none
	Claims        map[string]any
	Values        []string // of the role claim
	IDToken       string   // as it came, for the logout; empty without one
	Refresh       string   // the refresh token; empty without one
	// Address is the person's canonical e-mail address if the sign-in service has verified it. AddressKnown
	// reports whether this was found out, ValuesKnown the same of values: a renewed token may leave out what
	// the login's had.
	Address                   string
	AddressKnown, ValuesKnown bool
}

// ErrRevoked is returned if the sign-in service has ended a session or deleted the person.
var ErrRevoked = errors.New("the sign-in service has ended it")

// Exchange trades the code for a token and verifies it. The error wraps ErrDown
// when the sign-in service did not answer.
func (p *Provider) Exchange(ctx context.Context, e *Endpoints, code string, at Attempt) (Identity, error) {
	if code == "" {
		return Identity{}, errors.New("no code")
	}
	ctx = oidc.ClientContext(ctx, p.client())
	token, err := e.oauth.Exchange(ctx, code, oauth2.VerifierOption(at.Verifier))
	if err != nil {
		return Identity{}, exchangeError(err)
	}
	if e.idToken {
		raw, _ := token.Extra("id_token").(string)
		if raw == "" {
			return Identity{}, errors.New("no ID token in the answer")
		}
		var id Identity
		var nonce string
		err := p.verify(ctx, e, func(e *Endpoints) (err error) {
			id, nonce, err = e.verifyIDToken(ctx, raw)
			return err
		})
		if err != nil {
			return Identity{}, err
		}
		if at.Nonce == "" || subtle.ConstantTimeCompare([]byte(nonce), []byte(at.Nonce)) != 1 {
			return Identity{}, errors.New("ID token: nonce is not ours")
		}
		return p.complete(ctx, e, id, token)
	}
	id, err := e.verifyAccessToken(ctx, token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	return p.complete(ctx, e, id, token)
}

// Renew uses a refresh token up. The token that it returns holds the one that is good from now
// on. It is ErrRevoked when the refresh token is good no longer.
func (p *Provider) Renew(ctx context.Context, e *Endpoints, refresh string) (*oauth2.Token, error) {
	ctx = oidc.ClientContext(ctx, p.client())
	token, err := e.oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok && re.ErrorCode == "invalid_grant" {
		return nil, ErrRevoked
	}
	if err != nil {
		return nil, exchangeError(err)
	}
	return token, nil
}

// Renewed returns the identity in a renewed token of a subject who logged in before.
func (p *Provider) Renewed(ctx context.Context, e *Endpoints, subject string, token *oauth2.Token) (Identity, error) {
	ctx = oidc.ClientContext(ctx, p.client())
	id := Identity{Subject: subject}
	raw, _ := token.Extra("id_token").(string)
	var err error
	switch {
	case !e.idToken:
		id, err = e.verifyAccessToken(ctx, token.AccessToken)
	case raw != "":
		err = p.verify(ctx, e, func(e *Endpoints) (err error) {
			id, _, err = e.verifyIDToken(ctx, raw)
			return err
		})
	case e.userinfo == nil:
		return id, nil
	}
	if err != nil {
		return Identity{}, err
	}
	_, valuesSaid := claimAt(id.Claims, p.login.RoleClaim)
	_, addressSaid := verifiedAddress(id.Claims)
	if id, err = p.complete(ctx, e, id, token); err != nil {
		return Identity{}, err
	}
	if e.idToken && e.userinfo == nil {
		// Many leave out of a renewed ID token what the login's had, and there is nobody else to ask.
		id.ValuesKnown, id.AddressKnown = valuesSaid, addressSaid
	}
	if id.Subject != subject {
		return Identity{}, fmt.Errorf("%w: the refresh token is somebody else's", ErrRevoked)
	}
	return id, nil
}

// complete adds the role claim and the verified address to a verified identity. If the token does not have
// one of them that was asked for, the userinfo endpoint is asked; the token's claims take precedence. An
// address and whether it is verified are from the same place.
func (p *Provider) complete(ctx context.Context, e *Endpoints, id Identity, token *oauth2.Token) (Identity, error) {
	id.Refresh = token.RefreshToken
	value, ok := claimAt(id.Claims, p.login.RoleClaim)
	address, said := verifiedAddress(id.Claims)
	id.Address, id.AddressKnown, id.ValuesKnown = address, true, true
	if (!ok || !said && slices.Contains(e.oauth.Scopes, emailScope)) && e.userinfo != nil {
		info, err := e.userinfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			if _, isURL := errors.AsType[*url.Error](err); isURL {
				return Identity{}, fmt.Errorf("%w: userinfo: %w", ErrDown, err)
			}
			return Identity{}, fmt.Errorf("userinfo: %s", clip(err.Error()))
		}
		if info.Subject != id.Subject {
			return Identity{}, errors.New("userinfo: is about somebody else")
		}
		var more map[string]any
		if err := info.Claims(&more); err != nil {
			return Identity{}, fmt.Errorf("userinfo: claims: %w", err)
		}
		if !said {
			id.Address, _ = verifiedAddress(more)
		}
		maps.Copy(more, id.Claims)
		id.Claims = more
		id.Name = nameIn(more)
		value, _ = claimAt(more, p.login.RoleClaim)
	}
	id.Values = valuesOf(value, p.login.RoleClaim)
	if unverified(id.Claims, p.login.RoleClaim) {
		id.Values = nil
	}
	return id, nil
}

// unverified reports whether the role claim is an e-mail address that the sign-in service has not verified,
// because anybody could give a manager's.
func unverified(claims map[string]any, roleClaim string) bool {
	verified, ok := claims["email_verified"]
	return roleClaim == "email" && ok && verified != true && verified != "true"
}

// exchangeError distinguishes a service that is down from one that refuses, and leaves bodies out
// of the log.
func exchangeError(err error) error {
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		answer := fmt.Errorf("token address: status %d, error %q", re.Response.StatusCode, clip(re.ErrorCode))
		if re.Response.StatusCode >= 500 {
			return fmt.Errorf("%w: %w", ErrDown, answer)
		}
		return answer
	}
	if ue, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%w: token address: %w", ErrDown, ue)
	}
	return fmt.Errorf("token address: %s", clip(err.Error()))
}

// IsIssuer reports whether a callback that names these issuers (RFC 9207) may come from the sign-in service. It need
// not name one, and a plain OAuth 2.0 service is configured without.
func (p *Provider) IsIssuer(named []string) bool {
	return p.login.Issuer == "" || !slices.ContainsFunc(named, func(issuer string) bool { return issuer != p.login.Issuer })
}

// verifyIDToken checks what the library does and what it leaves to us: the type and the
// authorized party, which a token for several audiences must name. The nonce is for the caller to check.
func (e *Endpoints) verifyIDToken(ctx context.Context, raw string) (id Identity, nonce string, err error) {
	token, err := e.verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, "", fmt.Errorf("ID token: %s", clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return Identity{}, "", fmt.Errorf("ID token: %w", err)
	case typ != "" && typ != "jwt":
		return Identity{}, "", fmt.Errorf("ID token: is of type %q", clip(typ))
	}
	id, err = e.identify(token)
	if err != nil {
		return Identity{}, "", fmt.Errorf("ID token: %w", err)
	}
	if _, ok := id.Claims["azp"]; !ok && len(token.Audience) > 1 {
		return Identity{}, "", errors.New("ID token: has several audiences and no authorized party")
	}
	id.IDToken = raw
	return id, token.Nonce, nil
}

// verifyAccessToken checks a JWT access token, and that it is not an ID token, which is
// signed with the same keys and proves something else.
func (e *Endpoints) verifyAccessToken(ctx context.Context, raw string) (Identity, error) {
	token, err := e.verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("access token: %s", clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return Identity{}, fmt.Errorf("access token: %w", err)
	case typ != "" && typ != "jwt" && typ != "at+jwt":
		return Identity{}, fmt.Errorf("access token: is of type %q", clip(typ))
	}
	id, err := e.identify(token)
	if err != nil {
		return Identity{}, fmt.Errorf("access token: %w", err)
	}
	for _, name := range []string{"nonce", "at_hash", "c_hash"} {
		if _, ok := id.Claims[name]; ok {
			return Identity{}, fmt.Errorf("access token: has %s, so it is an ID token", name)
		}
	}
	if id.Claims["token_use"] == "id" || id.Claims["typ"] == "ID" {
		return Identity{}, errors.New("access token: says that it is an ID token")
	}
	return id, nil
}

// identify reads who the token is about. It must not have been made for another client
// that shares its audience.
func (e *Endpoints) identify(token *oidc.IDToken) (Identity, error) {
	id := Identity{Subject: token.Subject}
	if err := token.Claims(&id.Claims); err != nil {
		return Identity{}, fmt.Errorf("claims: %w", err)
	}
	if id.Subject == "" {
		return Identity{}, errors.New("has no subject")
	}
	if azp, ok := id.Claims["azp"]; ok && azp != e.oauth.ClientID {
		return Identity{}, errors.New("is for another authorized party")
	}
	id.Session, _ = id.Claims["sid"].(string)
	for name, value := range map[string]string{"subject": id.Subject, "session id": id.Session} {
		if strings.ContainsFunc(value, unicode.IsControl) { // which PostgreSQL does not store
			return Identity{}, fmt.Errorf("has a control character in its %s", name)
		}
	}
	id.Name = nameIn(id.Claims)
	return id, nil
}

// nameIn returns how claims call somebody.
func nameIn(claims map[string]any) string {
	for _, claim := range []string{"name", "preferred_username", "sub"} {
		if name, _ := claims[claim].(string); name != "" {
			return clip(name)
		}
	}
	return ""
}

// tokenType returns the typ of a verified token's header, in lower case and without
// application/; empty when it has none.
func tokenType(raw string) (string, error) {
	jws, err := jose.ParseSignedCompact(raw, joseAlgorithms())
	if err != nil {
		return "", err
	}
	typ, ok := jws.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]
	if !ok {
		return "", nil
	}
	text, ok := typ.(string)
	if !ok {
		return "", errors.New("type is not a text")
	}
	return strings.TrimPrefix(strings.ToLower(text), "application/"), nil
}

// joseAlgorithms returns the signingAlgorithms as go-jose has them.
func joseAlgorithms() []jose.SignatureAlgorithm {
	algorithms := make([]jose.SignatureAlgorithm, len(signingAlgorithms))
	for i, a := range signingAlgorithms {
		algorithms[i] = jose.SignatureAlgorithm(a)
	}
	return algorithms
}

// NoRole returns why somebody has no role, for the log. claim is the role claim.
func (id Identity) NoRole(claim string) error {
	elsewhere, _ := id.Claims["_claim_names"].(map[string]any)
	switch {
	case unverified(id.Claims, claim):
		return errors.New("the claim email_verified says that the address is not verified, so it gives no role")
	case len(id.Values) > 0:
		return fmt.Errorf("claim %s has %d values, none of which is mapped to a role", claim, len(id.Values))
	case elsewhere[claim] != nil:
		return fmt.Errorf("claim %s was left out because it has too many values: have the provider send only the groups that are assigned to housecount, or app roles", claim)
	}
	if id.Address != "" {
		return fmt.Errorf("claim %s is not in what the provider says, and the verified e-mail address has no role", claim)
	}
	if id.Claims["email"] != nil {
		return fmt.Errorf("claim %s is not in what the provider says, and it has not verified the e-mail address (email_verified), which therefore gives no role", claim)
	}
	return fmt.Errorf("claim %s is not in what the provider says, or empty", claim)
}

// clip bounds text from outside.
func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), 300)], "") }
