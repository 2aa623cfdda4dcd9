package sandbox

import (
	"net/http"
	"strings"
	"time"
)

// providerOptions configures a provider.
type providerOptions struct {
	// PublicURL is the issuer of tokens. Without it the provider goes by the address that a request was sent to.
	PublicURL string
	// Staff can log in, and Clients may log staff in or obtain tokens of their own.
	Staff   []Staff
	Clients []OAuthClient
	// Scopes are granted when asked for; others are left out.
	Scopes []string
	// AccessLifetime is how long access and ID tokens are good for, RefreshLifetime how long a refresh token; both in real time.
	AccessLifetime, RefreshLifetime time.Duration
}

// provider is an OpenID provider and OAuth 2.0 authorization server with the account page of its users. It may be
// used by many goroutines. What it knows is in memory only.
type provider struct {
	*login
	publicURL string
	staff     []Staff
	scopes    []string
	keys      *apiKeys
}

// newProvider makes a provider with signing keys of its own.
func newProvider(o providerOptions) (*provider, error) {
	l, err := newLogin(o)
	if err != nil {
		return nil, err
	}
	return &provider{l, o.PublicURL, o.Staff, o.Scopes, newAPIKeys()}, nil
}

// routes adds the provider's addresses.
func (p *provider) routes(mux *http.ServeMux) {
	p.loginRoutes(mux)
	p.accountRoutes(mux)
}

// issuer returns the provider's own address.
func (p *provider) issuer(r *http.Request) string {
	if p.publicURL != "" {
		return strings.TrimRight(p.publicURL, "/")
	}
	return "http://" + r.Host
}

// check reads the access token of a request, and refuses one that is not for this issuer, has expired or was revoked.
func (p *provider) check(r *http.Request) (claims, error) {
	return p.tokens.check(bearer(r), p.issuer(r))
}

// isKey reports whether a text is an API key that was made on the account page, and notes that it was used.
func (p *provider) isKey(text string) bool { return p.keys.use(text) }

// rotate makes a new signing key and returns its id; tokens of the old key stay good until they expire.
func (p *provider) rotate() (kid string, err error) {
	if err := p.tokens.rotate(); err != nil {
		return "", err
	}
	return p.tokens.current().public.KeyID, nil
}
