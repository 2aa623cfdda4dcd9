package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/handlers/hooks"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/words"
)

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
	// WalkIn stores people without a ticket who were counted at a gate, under an ID of its own.
	WalkIn(context.Context, record.WalkIn) error
}

// Options configures the handlers. Log, Now, Language, SessionLifetime, SessionsChanged,
// ScreensChanged and PeopleChanged may be left out.
type Options struct {
	// PublicURL is the address that browsers use, without a path: https, or http on loopback.
	PublicURL string
	Login     signin.Login
	Snapshot  func() *figures.Snapshot
	// Ready reports whether the figures can be shown yet.
	Ready    func() bool
	Renderer *web.Renderer
	Entries  Entries
	Hub      *live.Hub
	Sessions sessions.Store
	// Grants are the roles of e-mail addresses. Their changes come with SessionsChanged.
	Grants *store.Grants
	// Keys are the keys of programs. They may be left out.
	Keys *store.Keys
	// SessionsChanged receives after a session may have ended, on this replica or another. It is a hint: without
	// it Run notices within five seconds.
	SessionsChanged <-chan struct{}
	Attempts        signin.UsedStates
	// Screens are the screens on walls, and Programmes what they show at which time. ScreensChanged is the hint for both.
	Screens        *store.Screens
	Programmes     *store.Programmes
	ScreensChanged <-chan struct{}
	// Audit is the record of what was done, kept for KeepAudit, 0 for ever. Presence is who watches what, over all replicas.
	Audit     *store.Audit
	Presence  *store.Presence
	KeepAudit time.Duration
	// Letters are who gets letters by mail, and Mail is true if there is a mail server for them. They may be left out.
	// MorningAt is when those of the morning go out, after midnight. NightAt is when that of an evening goes out that goes on for long
	// after it, after the midnight with which its day begins; 0 for never. Venue is the name in them.
	Letters   *store.Letters
	Push      *notify.Push // which sends notifications
	Mail      bool
	MorningAt time.Duration
	NightAt   time.Duration
	Venue     string
	// HouseRole is what the house's own addresses for alerts see as, and HouseHosts the hosts of them by their persons.
	HouseRole  web.Role
	HouseHosts map[string]string
	// PeopleChanged receives after Site.SignedIn may have changed. It is a hint.
	PeopleChanged <-chan struct{}
	// Hooks are how services report that there is news. They may be left out.
	Hooks []hooks.Service
	// Connection is how housecount is connected to its services. It may be left out.
	Connection Connection
	// Seal seals the sign-ins in progress, which browsers keep, and what a session holds for the sign-in service.
	Seal *store.Seal
	// Ping returns an error if the database does not answer, with store.ErrUnwritable if it only cannot be written.
	Ping func(context.Context) error
	// AwayLimit is how long, while the database does not answer, people who were verified shortly before see the last
	// figures; 0 for not at all.
	AwayLimit time.Duration
	Bundle    *assets.Bundle
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
	if !words.Offered(o.Language) {
		faults = append(faults, fmt.Errorf("handlers: language %q: the languages are %v", o.Language, words.Locales))
	}
	if o.SessionLifetime < time.Minute {
		faults = append(faults, fmt.Errorf("handlers: session lifetime %v: must be a minute or more", o.SessionLifetime))
	}
	return errors.Join(faults...)
}

// checkPublicURL returns the address in the form in which browsers send an origin.
func checkPublicURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err == nil {
		err = signin.CheckAddress(address)
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
