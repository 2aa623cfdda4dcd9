package handlers

import (
	"context"
	"log/slog"
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
type Turnstile struct{ addressLimiter }

func (t *Turnstile) Wait(ctx context.Context, from netip.Addr) error { return t.wait(ctx, from) }
func (t *Turnstile) Known() int                                      { return len(t.addresses) }

// Touch does what Run does every 15 seconds.
func (s *Site) Touch(ctx context.Context) error { return s.touch(ctx) }

// Recheck does what Run does every half a minute.
func (s *Site) Recheck(ctx context.Context) error { return s.recheck(ctx) }

// KeepDiscovered does what Run does with an issuer that is reached through transport.
func KeepDiscovered(ctx context.Context, issuer string, transport func(*http.Request) (*http.Response, error), log *slog.Logger) {
	p := newProvider(ctx, Login{Issuer: issuer, ClientID: "c"}, "")
	p.client().Transport = roundTripper(transport)
	p.keepDiscovered(ctx, log)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// NotePresence, EndExpired, RecordRefusals, RecordWalkIns and ClearOld do what Run does now and then.
func (s *Site) NotePresence(ctx context.Context) error   { return s.notePresence(ctx) }
func (s *Site) EndExpired(ctx context.Context) error     { return s.endExpired(ctx) }
func (s *Site) RecordRefusals(ctx context.Context) error { return s.recordRefusals(ctx) }
func (s *Site) RecordWalkIns(ctx context.Context) error  { return s.recordWalkIns(ctx) }

// FindScreenAlerts does what Run does every ten seconds, once it listens for long enough.
func (s *Site) FindScreenAlerts(ctx context.Context) error {
	s.began = s.began.Add(-2 * silentAfter)
	return s.findScreenAlerts(ctx)
}

func (s *Site) ClearOld(ctx context.Context) error { return s.clearOld(ctx) }

// Endings are the reasons for which sessions are ended by others than the store.
var Endings = []string{endedByProvider, endedReplaced, endedNoRole, endedRecheck, endedSilent, endedRoleless, endedRoleTaken}
