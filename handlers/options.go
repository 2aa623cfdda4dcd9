package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/words"
)

// Login is how staff sign in. Issuer, or AuthURL and TokenURL and JWKSURL, is required, and ClientID. Addresses
// must be https, or http on loopback.
type Login struct {
	// Issuer is an OpenID Connect issuer, discovered lazily and with retries.
	Issuer string
	// AuthURL, TokenURL and JWKSURL are for a plain OAuth 2.0 service whose access tokens are JWTs. Audience is
	// then the audience that tokens must have; ClientID if empty.
	AuthURL, TokenURL, JWKSURL, Audience string
	// LogoutURL is where people sign out of a plain OAuth 2.0 service; it is shown to a person who signs out here.
	// It may be empty.
	LogoutURL              string
	ClientID, ClientSecret string
	// Scopes are asked for at a login; when empty they are openid and profile, and email if the issuer
	// publishes that it knows that one.
	Scopes []string
	asked  []string // Scopes as they were given
	// RoleClaim names the claim with the roles; "roles" if empty. A dot selects a field of an object, unless a
	// claim has the whole name.
	RoleClaim string
	// Roles maps values of the claim to roles; the role with the most rights wins. If empty, values are the names
	// of roles.
	Roles map[string]web.Role
	// Admins are e-mail addresses whose owners are administrators, if the sign-in service has verified the
	// address. What staff give on the page of people comes on top of them.
	Admins []string
}

// Entries stores what staff enter. Each method returns once the figures include it, or when its context
// ends. An error means that it was not stored.
type Entries interface {
	// Acknowledge stores that a person looks after an alert.
	Acknowledge(context.Context, *evening.Alert, evening.Seen) error
	// Message stores a message for screens, or its withdrawal.
	Message(context.Context, *record.ScreenMessage) error
	// Unacknowledge stores that a person does no longer.
	Unacknowledge(context.Context, *evening.Alert, evening.Seen) error
	// Set stores settings that were read at a revision, with their acts in the audit. If one of them was
	// changed since, the error is store.ErrChanged and the figures have the change.
	Set(ctx context.Context, read int64, at time.Time, settings []*record.Setting, acts []store.Act) error
	// WalkIn counts people without a ticket at a gate of an event; a negative count is people who went out.
	WalkIn(ctx context.Context, event, gate string, count int, by string, at time.Time) error
}

// Options configures the handlers. Log, Now, Language, SessionLifetime, SessionsChanged,
// ScreensChanged and PeopleChanged may be left out.
type Options struct {
	// PublicURL is the address that browsers use, without a path: https, or http on
	// loopback.
	PublicURL string
	Login     Login
	Snapshot  func() *figures.Snapshot
	// Ready reports whether the figures can be shown yet.
	Ready    func() bool
	Renderer *web.Renderer
	Entries  Entries
	Hub      *live.Hub
	Sessions Sessions
	// Grants are the roles of e-mail addresses. Their changes come with SessionsChanged.
	Grants *store.Grants
	// SessionsChanged receives after a session may have ended, on this replica or another. It is a hint: without
	// it Run notices within five seconds.
	SessionsChanged <-chan struct{}
	Attempts        Attempts
	// Screens are the screens on walls, and Programmes what they show at which time. ScreensChanged is the hint
	// for both.
	Screens        *store.Screens
	Programmes     *store.Programmes
	ScreensChanged <-chan struct{}
	// Audit is the record of what was done, kept for KeepAudit, 0 for ever. Presence is who watches what, over all
	// replicas.
	Audit     *store.Audit
	Presence  *store.Presence
	KeepAudit time.Duration
	// PeopleChanged receives after Site.SignedIn may have changed. It is a hint.
	PeopleChanged <-chan struct{}
	// Hooks is how the service says that there is news. It may be left out.
	Hooks Hooks
	// Seal seals the sign-ins in progress, which browsers keep, and what a session holds for the sign-in service.
	Seal *store.Seal
	// Ping returns an error if the database does not answer.
	Ping   func(context.Context) error
	Bundle *assets.Bundle
	// HSTSSubdomains makes browsers use https for the subdomains of the public name, too.
	HSTSSubdomains bool
	// SecurityContact are the addresses (https:, mailto:, tel:) for reporting a vulnerability, valid until
	// SecurityExpires. Without them there is no security.txt.
	SecurityContact []string
	SecurityExpires time.Time
	// TrustedProxies are the addresses of our own proxies, whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Language is the language of pages if neither the person nor the browser asks for another; English if empty.
	Language web.Locale
	// SessionLifetime is the longest duration of a login; 12 h if zero.
	SessionLifetime time.Duration
	// SessionUnchecked is for how long a session continues while the sign-in service does not answer about it: at
	// least 10 minutes; 0 for as long as it lasts.
	SessionUnchecked time.Duration
	// Served, if set, is called after each request, by any goroutine: with the pattern of its route,
	// empty if there is none, and the status, 101 for a socket.
	Served func(route string, status int, took time.Duration)
	// Now returns the clock that pages show, and At what it showed at a moment of the machine's clock. Without At,
	// the two clocks always had their present difference.
	Now func() time.Time
	At  func(time.Time) time.Time
	Log *slog.Logger
}

func (l Login) withDefaults() Login {
	l.RoleClaim = cmp.Or(l.RoleClaim, "roles")
	l.asked = l.Scopes
	if len(l.Scopes) == 0 {
		l.Scopes = []string{"openid", "profile"}
	}
	if len(l.Roles) == 0 {
		l.Roles = make(map[string]web.Role, len(web.Roles))
		for _, r := range web.Roles {
			l.Roles[string(r)] = r
		}
	}
	return l
}

// issuer returns the issuer of the subjects that log in.
func (l Login) issuer() string { return cmp.Or(l.Issuer, l.AuthURL) }

func (o Options) check() error {
	var faults []error
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"Snapshot", o.Snapshot == nil},
		{"Ready", o.Ready == nil},
		{"Renderer", o.Renderer == nil},
		{"Entries", o.Entries == nil},
		{"Hub", o.Hub == nil},
		{"Sessions", o.Sessions == nil},
		{"Grants", o.Grants == nil},
		{"Attempts", o.Attempts == nil},
		{"Screens", o.Screens == nil},
		{"Programmes", o.Programmes == nil},
		{"Audit", o.Audit == nil},
		{"Presence", o.Presence == nil},
		{"Seal", o.Seal == nil},
		{"Ping", o.Ping == nil},
		{"Bundle", o.Bundle == nil},
	} {
		if f.missing {
			faults = append(faults, fmt.Errorf("handlers: %s is required", f.name))
		}
	}
	if !isOffered(o.Language) {
		faults = append(faults, fmt.Errorf("handlers: language %q: the languages are %v", o.Language, words.Locales))
	}
	if o.SessionLifetime < time.Minute {
		faults = append(faults, fmt.Errorf("handlers: session lifetime %v: must be a minute or more", o.SessionLifetime))
	}
	return errors.Join(faults...)
}

func (l Login) check() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("handlers: "+format, args...))
	}
	if l.ClientID == "" {
		fault("login: client id is required")
	}
	configured := l.AuthURL != "" || l.TokenURL != "" || l.JWKSURL != ""
	switch {
	case l.Issuer != "" && configured:
		fault("login: give either an issuer or the addresses of an OAuth 2.0 service, not both")
	case l.Issuer != "" && l.LogoutURL != "":
		fault("login: an issuer publishes its own logout: leave the logout address out")
	case l.Issuer == "" && !configured:
		fault("login: an issuer is required, or the authorization, token and key set addresses")
	}
	for _, a := range []struct{ name, address string }{
		{"issuer", l.Issuer},
		{"authorization address", l.AuthURL},
		{"token address", l.TokenURL},
		{"key set address", l.JWKSURL},
		{"logout address", l.LogoutURL},
	} {
		switch {
		case a.address != "":
			if err := checkAddress(a.address); err != nil {
				fault("login: %s %q: %w", a.name, a.address, err)
			}
		case configured && a.name != "issuer" && a.name != "logout address":
			fault("login: %s is required beside the other addresses", a.name)
		}
	}
	if l.Issuer != "" && !slices.Contains(l.Scopes, "openid") {
		fault("login: scopes %q: an issuer needs openid among them", strings.Join(l.Scopes, " "))
	}
	for _, text := range l.Admins {
		if _, err := canonicalAddress(text); err != nil {
			fault("login: administrator %q: is no e-mail address like name@example.org", text)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(l.Roles)) {
		if role := l.Roles[value]; !slices.Contains(web.Roles, role) {
			fault("login: roles: %q is mapped to %q, which is no role; the roles are %v", value, role, web.Roles)
		}
	}
	return errors.Join(faults...)
}

// checkPublicURL returns the address in the form in which browsers send an origin.
func checkPublicURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err == nil {
		err = checkAddress(address)
	}
	if err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		err = errors.New("must not have a path or a query")
	}
	if err != nil {
		return nil, fmt.Errorf("handlers: public URL %q: %w", address, err)
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": "80", "https": "443"}[u.Scheme]; u.Port() == port {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}

// checkAddress returns what is wrong with an address to which credentials or cookies are sent.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("is not an address")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("must begin with https:// and a host")
	case u.User != nil:
		return errors.New("must not contain a user")
	case u.Fragment != "":
		return errors.New("must not have a fragment")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New("must be https; plain http is only for loopback")
	}
	return nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
