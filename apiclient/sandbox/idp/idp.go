// Package idp is the OpenID provider and OAuth 2.0 authorization server of the sandbox, at which the staff of a made-up venue log
// in, and its customers make API keys. It is used by the demo and by tests, never by a program that serves a venue.
//
// Codes, tokens, keys and logins are in memory only and live in real time. The names of the files follow a login: oauth.go has the
// addresses, signin.go the authorization endpoint, browser.go the login page, login.go what is remembered, grant.go what a
// code stands for, tokens.go the JWTs, account.go and keys.go the account page, answer.go how requests are refused. The
// sandbox's other addresses refuse requests in the same way.
package idp

import (
	"net/http"
	"strings"
	"time"
)

// Options configures a provider.
type Options struct {
	// PublicURL is the issuer of tokens. Without it the provider goes by the address that a request was sent to.
	PublicURL string
	// Staff can log in, and Clients may log staff in or obtain tokens of their own.
	Staff   []Staff
	Clients []Client
	// Scopes are granted when asked for; others are left out.
	Scopes []string
	// AccessLifetime is how long access and ID tokens are good for, RefreshLifetime how long a refresh token; both in real time.
	AccessLifetime, RefreshLifetime time.Duration
}

// Provider is an OpenID provider and OAuth 2.0 authorization server with the account page of its users. It may be
// used by many goroutines. What it knows is in memory only.
type Provider struct {
	*login
	publicURL string
	staff     []Staff
	scopes    []string
	keys      *apiKeys
}

// New makes a provider with signing keys of its own.
func New(o Options) (*Provider, error) {
	l, err := newLogin(o)
	if err != nil {
		return nil, err
	}
	return &Provider{l, o.PublicURL, o.Staff, o.Scopes, newAPIKeys()}, nil
}

// Routes adds the provider's addresses.
func (p *Provider) Routes(mux *http.ServeMux) {
	p.oauthRoutes(mux)
	p.accountRoutes(mux)
}

// Issuer returns the provider's own address.
func (p *Provider) Issuer(r *http.Request) string {
	if p.publicURL != "" {
		return strings.TrimRight(p.publicURL, "/")
	}
	return "http://" + r.Host
}

// Check reads the access token of a request, and refuses one that is not for this issuer, has expired or was revoked.
func (p *Provider) Check(r *http.Request) (claims, error) {
	return p.tokens.check(Bearer(r), p.Issuer(r))
}

// IsKey reports whether a text is an API key that was made on the account page, and notes that it was used.
func (p *Provider) IsKey(text string) bool { return p.keys.use(text) }

// Rotate makes a new signing key and returns its id; tokens of the old key stay good until they expire.
func (p *Provider) Rotate() (kid string, err error) {
	if err := p.tokens.rotate(); err != nil {
		return "", err
	}
	return p.tokens.current().public.KeyID, nil
}
