package handlers

import (
	"context"
	"net/http"
	"net/netip"

	"housecount/web"
)

// RoleOf is tested by itself: the ways of claims are many.
func RoleOf(claims map[string]any, claim string, mapping map[string]web.Role) (web.Role, bool) {
	value, _ := claimAt(claims, claim)
	return roleOf(valuesOf(value, claim), mapping)
}

// AddressOf is tested by itself: the ways to lie about it are many.
func AddressOf(proxies []netip.Prefix, r *http.Request) netip.Addr {
	return (&site{Options: Options{TrustedProxies: proxies}}).address(r)
}

// Turnstile is tested by itself: it takes many addresses to fill it.
type Turnstile struct{ turnstile }

func (t *Turnstile) Wait(ctx context.Context, from netip.Addr) error { return t.wait(ctx, from) }
func (t *Turnstile) Known() int                                      { return len(t.addresses) }

// Touch does what Run does every 15 seconds.
func (s *Site) Touch(ctx context.Context) error { return s.touch(ctx) }

// Recheck does what Run does every half a minute.
func (s *Site) Recheck(ctx context.Context) error { return s.recheck(ctx) }
