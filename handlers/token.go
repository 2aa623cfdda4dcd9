package handlers

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

// identity is somebody as the sign-in service identifies them.
type identity struct {
	subject, name string
	session       string // at the sign-in service (sid); empty when it gives none
	claims        map[string]any
	values        []string // of the role claim
	idToken       string   // as it came, for the logout; empty without one
	refresh       string   // the refresh token; empty without one
	// address is the person's canonical e-mail address if the sign-in service has verified it. addressKnown
	// reports whether this was found out, valuesKnown the same of values: a renewed token may leave out what
	// the login's had.
	address                   string
	addressKnown, valuesKnown bool
}

// exchange trades the code for a token and verifies it. The error wraps errProviderDown
// when the sign-in service did not answer.
func (p *provider) exchange(ctx context.Context, e *endpoints, code string, at attempt) (identity, error) {
	if code == "" {
		return identity{}, errors.New("no code")
	}
	ctx = oidc.ClientContext(ctx, p.client())
	token, err := e.oauth.Exchange(ctx, code, oauth2.VerifierOption(at.Verifier))
	if err != nil {
		return identity{}, exchangeError(err)
	}
	if e.idToken {
		raw, _ := token.Extra("id_token").(string)
		if raw == "" {
			return identity{}, errors.New("no ID token in the answer")
		}
		var id identity
		var nonce string
		err := p.verify(ctx, e, func(e *endpoints) (err error) {
			id, nonce, err = e.verifyIDToken(ctx, raw)
			return err
		})
		if err != nil {
			return identity{}, err
		}
		if at.Nonce == "" || subtle.ConstantTimeCompare([]byte(nonce), []byte(at.Nonce)) != 1 {
			return identity{}, errors.New("ID token: nonce is not ours")
		}
		return p.complete(ctx, e, id, token)
	}
	id, err := e.verifyAccessToken(ctx, token.AccessToken)
	if err != nil {
		return identity{}, err
	}
	return p.complete(ctx, e, id, token)
}

// renew uses a refresh token up. The token that it returns holds the one that is good from now
// on. It is errRevoked when the refresh token is good no longer.
func (p *provider) renew(ctx context.Context, e *endpoints, refresh string) (*oauth2.Token, error) {
	ctx = oidc.ClientContext(ctx, p.client())
	token, err := e.oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok && re.ErrorCode == "invalid_grant" {
		return nil, errRevoked
	}
	if err != nil {
		return nil, exchangeError(err)
	}
	return token, nil
}

// renewed returns the identity in a renewed token of a subject who logged in before.
func (p *provider) renewed(ctx context.Context, e *endpoints, subject string, token *oauth2.Token) (identity, error) {
	ctx = oidc.ClientContext(ctx, p.client())
	id := identity{subject: subject}
	raw, _ := token.Extra("id_token").(string)
	var err error
	switch {
	case !e.idToken:
		id, err = e.verifyAccessToken(ctx, token.AccessToken)
	case raw != "":
		err = p.verify(ctx, e, func(e *endpoints) (err error) {
			id, _, err = e.verifyIDToken(ctx, raw)
			return err
		})
	case e.userinfo == nil:
		return id, nil
	}
	if err != nil {
		return identity{}, err
	}
	_, valuesSaid := claimAt(id.claims, p.login.RoleClaim)
	_, addressSaid := verifiedAddress(id.claims)
	if id, err = p.complete(ctx, e, id, token); err != nil {
		return identity{}, err
	}
	if e.idToken && e.userinfo == nil {
		// Many leave out of a renewed ID token what the login's had, and there is nobody else to ask.
		id.valuesKnown, id.addressKnown = valuesSaid, addressSaid
	}
	if id.subject != subject {
		return identity{}, fmt.Errorf("%w: the refresh token is somebody else's", errRevoked)
	}
	return id, nil
}

// complete adds the role claim and the verified address to a verified identity. If the token does not have
// one of them that was asked for, the userinfo endpoint is asked; the token's claims take precedence. An
// address and whether it is verified are from the same place.
func (p *provider) complete(ctx context.Context, e *endpoints, id identity, token *oauth2.Token) (identity, error) {
	id.refresh = token.RefreshToken
	value, ok := claimAt(id.claims, p.login.RoleClaim)
	address, said := verifiedAddress(id.claims)
	id.address, id.addressKnown, id.valuesKnown = address, true, true
	if (!ok || !said && slices.Contains(e.oauth.Scopes, emailScope)) && e.userinfo != nil {
		info, err := e.userinfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			if _, isURL := errors.AsType[*url.Error](err); isURL {
				return identity{}, fmt.Errorf("%w: userinfo: %w", errProviderDown, err)
			}
			return identity{}, fmt.Errorf("userinfo: %s", clip(err.Error()))
		}
		if info.Subject != id.subject {
			return identity{}, errors.New("userinfo: is about somebody else")
		}
		var more map[string]any
		if err := info.Claims(&more); err != nil {
			return identity{}, fmt.Errorf("userinfo: claims: %w", err)
		}
		if !said {
			id.address, _ = verifiedAddress(more)
		}
		maps.Copy(more, id.claims)
		id.claims = more
		id.name = nameIn(more)
		value, _ = claimAt(more, p.login.RoleClaim)
	}
	id.values = valuesOf(value, p.login.RoleClaim)
	if unverified(id.claims, p.login.RoleClaim) {
		id.values = nil
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
			return fmt.Errorf("%w: %w", errProviderDown, answer)
		}
		return answer
	}
	if ue, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%w: token address: %w", errProviderDown, ue)
	}
	return fmt.Errorf("token address: %s", clip(err.Error()))
}

// verifyIDToken checks what the library does and what it leaves to us: the type and the
// authorized party. The nonce is for the caller to check.
func (e *endpoints) verifyIDToken(ctx context.Context, raw string) (id identity, nonce string, err error) {
	token, err := e.verifier.Verify(ctx, raw)
	if err != nil {
		return identity{}, "", fmt.Errorf("ID token: %s", clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return identity{}, "", fmt.Errorf("ID token: %w", err)
	case typ != "" && typ != "jwt":
		return identity{}, "", fmt.Errorf("ID token: is of type %q", clip(typ))
	}
	id, err = e.identify(token)
	if err != nil {
		return identity{}, "", fmt.Errorf("ID token: %w", err)
	}
	id.idToken = raw
	return id, token.Nonce, nil
}

// verifyAccessToken checks a JWT access token, and that it is not an ID token, which is
// signed with the same keys and proves something else.
func (e *endpoints) verifyAccessToken(ctx context.Context, raw string) (identity, error) {
	token, err := e.verifier.Verify(ctx, raw)
	if err != nil {
		return identity{}, fmt.Errorf("access token: %s", clip(err.Error()))
	}
	switch typ, err := tokenType(raw); {
	case err != nil:
		return identity{}, fmt.Errorf("access token: %w", err)
	case typ != "" && typ != "jwt" && typ != "at+jwt":
		return identity{}, fmt.Errorf("access token: is of type %q", clip(typ))
	}
	id, err := e.identify(token)
	if err != nil {
		return identity{}, fmt.Errorf("access token: %w", err)
	}
	for _, name := range []string{"nonce", "at_hash", "c_hash"} {
		if _, ok := id.claims[name]; ok {
			return identity{}, fmt.Errorf("access token: has %s, so it is an ID token", name)
		}
	}
	if id.claims["token_use"] == "id" || id.claims["typ"] == "ID" {
		return identity{}, errors.New("access token: says that it is an ID token")
	}
	return id, nil
}

// identify reads who the token is about. It must not have been made for another client
// that shares its audience.
func (e *endpoints) identify(token *oidc.IDToken) (identity, error) {
	id := identity{subject: token.Subject}
	if err := token.Claims(&id.claims); err != nil {
		return identity{}, fmt.Errorf("claims: %w", err)
	}
	if id.subject == "" {
		return identity{}, errors.New("has no subject")
	}
	if azp, ok := id.claims["azp"]; ok && azp != e.oauth.ClientID {
		return identity{}, errors.New("is for another authorized party")
	}
	id.session, _ = id.claims["sid"].(string)
	for name, value := range map[string]string{"subject": id.subject, "session id": id.session} {
		if strings.ContainsFunc(value, unicode.IsControl) { // which PostgreSQL does not store
			return identity{}, fmt.Errorf("has a control character in its %s", name)
		}
	}
	id.name = nameIn(id.claims)
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
