// Package idp is the OpenID provider and OAuth 2.0 authorization server of the sandbox. The staff of a fictitious
// venue log in here, and its customers create API keys. Only the demo and tests use it.
//
// Codes, tokens, keys and sessions are in memory only and expire in real time. The files follow a login: oauth.go
// has the addresses, signin.go the authorization endpoint, browser.go the login page, login.go the state, grant.go
// grants and scopes, tokens.go the JWTs, account.go and keys.go the account page, answer.go the error responses,
// which the rest of the sandbox uses, too.
package idp

import (
	"net/http"
	"strings"
	"time"
)

// Options configures a Provider.
type Options struct {
	// PublicURL is the issuer of tokens. When empty, the address of each request is used.
	PublicURL string
	// Staff are the users who can log in. Clients are the programs that can log them in or get tokens of their
	// own.
	Staff   []Staff
	Clients []Client
	// Scopes are the scopes that can be granted; unknown ones are ignored.
	Scopes []string
	// AccessLifetime is the lifetime of access and ID tokens, RefreshLifetime that of refresh tokens, both in real
	// time.
	AccessLifetime, RefreshLifetime time.Duration
}

// Provider is an OpenID provider and OAuth 2.0 authorization server with an account page. It is safe for
// concurrent use. All state is in memory.
type Provider struct {
	*login
	publicURL string
	staff     []Staff
	scopes    []string
	keys      *apiKeys
}

// New returns a provider with new signing keys.
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

// Check returns the claims of a request's access token. It fails if the token is for another issuer, expired or
// revoked.
func (p *Provider) Check(r *http.Request) (claims, error) {
	return p.tokens.check(Bearer(r), p.Issuer(r))
}

// IsKey reports whether text is an API key from the account page, and records its use.
func (p *Provider) IsKey(text string) bool { return p.keys.use(text) }

// Rotate creates a new signing key and returns its id. Tokens signed with the old key stay valid until they
// expire.
func (p *Provider) Rotate() (kid string, err error) {
	if err := p.tokens.rotate(); err != nil {
		return "", err
	}
	return p.tokens.current().public.KeyID, nil
}
