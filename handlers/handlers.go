// Package handlers decides who may see what: routes, login, sessions, forms. It renders nothing and computes nothing.
//
// Every page is made in the same way. The route table has who may see it, the handler answers into a buffer or returns an error,
// and one adapter turns either into a response and a log line. Nothing is written before the whole answer is known.
//
// Sessions begin and end with the login and the logout, and administrators can end them. Apart from requests, they change when the
// sign-in service reports a change, and end when their time is up. No other request saves its session, so a slow request cannot
// bring back a session that was ended meanwhile. A session holds the claims of its login; the role is mapped from them at each use.
//
// Every login and logout, every change by the sign-in service and every act of an administrator is recorded
// in the store's audit where it happens; the end of a session in the same transaction. An administrator's
// act that cannot be recorded is not done; a logout is.
//
// Any number of replicas may serve one site, because everything that outlives a request is in the store. A
// login may begin on one replica and end on another, and Run closes the sockets of sessions that ended on
// any, within a second of a hint and within five without.
//
// Everything here may be used by many goroutines at once. Times of logins and tokens are real times; only
// what a page shows uses the venue's clock.
package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"housecount/handlers/admission"
	"housecount/handlers/compress"
	"housecount/handlers/hooks"
	"housecount/handlers/outage"
	"housecount/handlers/presence"
	"housecount/handlers/screens"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
)

// Site is the whole site, an http.Handler, for many goroutines.
type Site struct{ *site }

// New validates o, reporting every fault at once, and returns the whole site. It makes no calls: an unreachable
// sign-in service does not prevent the start. When ctx ends, idle connections to that service are closed.
func New(ctx context.Context, o Options) (*Site, error) {
	o.SessionLifetime = cmp.Or(o.SessionLifetime, 12*time.Hour)
	o.Language = cmp.Or(o.Language, web.English)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.At == nil {
		o.At = func(t time.Time) time.Time { return t.Add(time.Until(o.Now()).Round(time.Second)) }
	}
	o.Login = o.Login.WithDefaults()
	public, err := checkPublicURL(o.PublicURL)
	err = errors.Join(err, o.check())
	for _, fault := range o.Login.Faults() {
		err = errors.Join(err, fmt.Errorf("handlers: %w", fault))
	}
	if err != nil {
		return nil, err
	}

	s := &site{
		ctx:      ctx,
		presence: presence.New(o.Presence, o.Hub, o.Bundle.Version()),
		began:    time.Now(),
		Options:  o,
		public:   public,
		csrf:     http.NewCrossOriginProtection(),
		headers:  securityHeaders(public, o.HSTSSubdomains),
		known:    &admission.KnownBrowsers{Seal: o.Seal, Secure: public.Scheme == "https"},
		proxies:  &admission.Proxies{Trusted: o.TrustedProxies, Log: o.Log},
		sessions: sessions.New(sessions.Options{Login: o.Login, Grants: o.Grants, Store: o.Sessions, Seal: o.Seal, Lifetime: o.SessionLifetime,
			Secure: public.Scheme == "https"}),
		director: screens.NewDirector(screens.Sources{Screens: o.Screens, Programmes: o.Programmes, Snapshot: o.Snapshot, Ready: o.Ready, Now: o.Now,
			Hub: o.Hub, Language: o.Language, Log: o.Log}),
		outage: outage.New[*sessions.Staff](o.AwayLimit),
		// Half of the processors are for other requests, whatever somebody asks for.
		customPeriods: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		attempts:      signin.NewAttempts(o.Attempts, o.Seal, public.Scheme == "https"),
	}
	if s.manual, err = openManual(); err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	if err := s.csrf.AddTrustedOrigin(public.String()); err != nil {
		return nil, fmt.Errorf("handlers: public URL: %w", err)
	}
	s.provider = signin.NewProvider(ctx, o.Login, public.String()+signin.CallbackPath)
	zip, err := compress.New()
	if err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	s.webhooks = hooks.New(o.Hooks, o.Log, s.from)
	if o.Letters != nil {
		s.told.Changed = o.Letters.Changed()
	}
	s.route(zip)
	return &Site{s}, nil
}
