package signin

import (
	"context"
	"log/slog"
	"net/http"

	"golang.org/x/oauth2"

	"housecount/web"
)

// RoleOf is tested by itself: the ways of claims are many.
func RoleOf(claims map[string]any, claim string, mapping map[string]web.Role) (web.Role, bool) {
	value, _ := claimAt(claims, claim)
	return roleOf(valuesOf(value, claim), mapping)
}

// KeepDiscovered does what Run does with an issuer that is reached through transport.
func KeepDiscovered(ctx context.Context, issuer string, transport func(*http.Request) (*http.Response, error), log *slog.Logger) {
	NewProviderAt(ctx, issuer, transport).KeepDiscovered(ctx, log)
}

// NewProviderAt returns a provider that is reached through transport.
func NewProviderAt(ctx context.Context, issuer string, transport func(*http.Request) (*http.Response, error)) *Provider {
	p := NewProvider(ctx, Login{Issuer: issuer, ClientID: "c"}, "")
	p.client().Transport = roundTripper(transport)
	p.logouts.Value(oauth2.HTTPClient).(*http.Client).Transport.(*rationed).RoundTripper = roundTripper(transport)
	return p
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
