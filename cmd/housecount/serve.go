package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/apiclient"
	"housecount/web"
)

// serveCommand is the configuration of a housecount, read once and never changed.
type serveCommand struct {
	Listen    string `help:"Address to listen on." default:"127.0.0.1:8080"`
	PublicURL string `help:"Address that browsers use, without a path." placeholder:"URL"`
	Venue     string `help:"Name of the venue, shown in titles."`
	Timezone  string `help:"The venue's time zone." default:"Europe/Amsterdam"`
	DayCutoff string `help:"When a day begins, as HH:MM; a club uses 06:00." default:"00:00"`
	// Grace of 0 is the usual one.
	Grace time.Duration `help:"How long after its end a performance counts towards the people in the building, for those who were not scanned out." default:"30m"`

	sessionFlags `embed:""`
	KeepVersions age `help:"How long the versions of a record that are not its newest are kept; 0 for ever." default:"400d"`

	serviceFlags `embed:""`

	PollBusy   time.Duration `help:"How often to look from doors to curtain + 15 minutes." default:"6s"`
	PollOnSale time.Duration `help:"How often to look while tickets are on sale." default:"1m"`
	PollIdle   time.Duration `help:"How often to look otherwise." default:"15m"`

	OIDCIssuer       string            `name:"oidc-issuer" help:"OpenID Connect issuer that staff log in at." placeholder:"URL"`
	OIDCClientID     string            `name:"oidc-client-id" help:"Client id at the issuer."`
	OIDCClientSecret string            `name:"oidc-client-secret" help:"Client secret at the issuer; none for a public client."`
	OIDCScopes       []string          `name:"oidc-scopes" help:"Scopes to ask for at login." default:"openid,profile"`
	OAuthAuthURL     string            `name:"oauth-auth-url" help:"Instead of an issuer: authorization address of an OAuth 2.0 service with JWT access tokens." placeholder:"URL"`
	OAuthTokenURL    string            `name:"oauth-token-url" help:"Its token address." placeholder:"URL"`
	OAuthJWKSURL     string            `name:"oauth-jwks-url" help:"Its key set address." placeholder:"URL"`
	OAuthAudience    string            `name:"oauth-audience" help:"Audience that its access tokens must name."`
	OAuthLogoutURL   string            `name:"oauth-logout-url" help:"Where one signs out of it; who signs out here is shown the way." placeholder:"URL"`
	RoleClaim        string            `help:"Claim that holds a person's roles; a dot goes into an object." default:"roles"`
	Roles            map[string]string `help:"Which values of the claim give which role (door, box_office, manager, admin); the names themselves unless given." mapsep:"," placeholder:"VALUE=ROLE,..."`
	SessionLifetime  time.Duration     `help:"How long a login lasts at most." default:"12h"`
	SessionUnchecked time.Duration     `help:"How long a login goes on while the provider does not answer whether it still may; at least 10m, 0 for as long as it lasts." default:"0"`

	TrustedProxies []string `help:"Addresses of your own proxies, or ranges like 10.0.0.0/8: what their X-Forwarded-For says is believed." placeholder:"ADDRESS,..."`

	LogLevel  string `help:"debug, info, warn or error." default:"info"`
	LogFormat string `help:"text or json." default:"text"`
}

// settled is what a serveCommand comes to once it has been checked.
type settled struct {
	serveCommand
	service apiclient.Options
	zone    *time.Location
	cutoff  time.Duration
	roles   map[string]web.Role
	proxies []netip.Prefix
	// now is the venue's clock.
	now func() time.Time
}

// settle checks the whole configuration and names every fault at once.
func (c serveCommand) settle() (settled, error) {
	s := settled{serveCommand: c, roles: map[string]web.Role{}, now: time.Now}
	var faults configError
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		faults.add("--listen %q is not host:port: give one like 127.0.0.1:8080 or :8080", c.Listen)
	}
	s.PublicURL = faults.address("public-url", c.PublicURL, "give the address that browsers use, like https://dash.example.org")
	if u, err := url.Parse(s.PublicURL); err == nil {
		if u.Path != "" {
			faults.add("--public-url %q has a path: give housecount a host name of its own", shown(c.PublicURL))
		}
		if u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback() {
			faults.add("--public-url %q is not https: only a loopback address may do without, for sessions would travel unprotected", shown(c.PublicURL))
		}
	}
	s.service = c.serviceFlags.settle(&faults)
	for flag, d := range map[string]time.Duration{"poll-busy": c.PollBusy, "poll-on-sale": c.PollOnSale, "poll-idle": c.PollIdle} {
		if d < time.Second {
			faults.add("--%s must be at least 1s, not %s", flag, d)
		}
	}
	c.settleLogin(&faults, s.roles)
	for _, text := range c.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			var a netip.Addr
			if a, err = netip.ParseAddr(text); err == nil {
				p = netip.PrefixFrom(a, a.BitLen())
			}
		}
		if err != nil {
			faults.add("--trusted-proxies: %q is no address: give one like 10.0.0.1, or a range like 10.0.0.0/8", text)
			continue
		}
		s.proxies = append(s.proxies, p.Masked())
	}
	if c.SessionLifetime < time.Minute {
		faults.add("--session-lifetime must be at least 1m, not %s", c.SessionLifetime)
	}
	c.sessionFlags.check(&faults)
	if c.SessionUnchecked != 0 && c.SessionUnchecked < 10*time.Minute {
		faults.add("--session-unchecked must be at least 10m, or 0 for no such limit, not %s", c.SessionUnchecked)
	}
	if c.KeepVersions != 0 && c.KeepVersions < age(day) {
		faults.add("--keep-versions must be at least 1d, or 0 to keep all, not %s", c.KeepVersions)
	}
	var err error
	if s.zone, err = time.LoadLocation(c.Timezone); err != nil || c.Timezone == "Local" {
		faults.add("--timezone %q is not known: give one like Europe/Amsterdam", c.Timezone)
	}
	if t, err := time.Parse("15:04", c.DayCutoff); err != nil {
		faults.add("--day-cutoff %q is not a time: give one like 06:00", c.DayCutoff)
	} else {
		s.cutoff = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	}
	if c.Grace != 0 && c.Grace < time.Minute {
		faults.add("--grace must be at least 1m, not %s", c.Grace)
	}
	if _, err := logger(io.Discard, c.LogLevel, c.LogFormat); err != nil {
		faults.add("%v", err)
	}
	slices.Sort(faults.faults) // some come from maps
	return s, faults.orNil()
}

func (c serveCommand) settleLogin(faults *configError, roles map[string]web.Role) {
	endpoints := c.OAuthAuthURL + c.OAuthTokenURL + c.OAuthJWKSURL
	switch {
	case c.OIDCIssuer != "" && endpoints != "":
		faults.add("--oidc-issuer and --oauth-auth-url are two ways to the same thing: give one of them")
	case endpoints != "":
		faults.address("oauth-auth-url", c.OAuthAuthURL, "it goes with --oauth-token-url and --oauth-jwks-url")
		faults.address("oauth-token-url", c.OAuthTokenURL, "it goes with --oauth-auth-url")
		faults.address("oauth-jwks-url", c.OAuthJWKSURL, "it goes with --oauth-auth-url")
		if c.OAuthLogoutURL != "" {
			faults.address("oauth-logout-url", c.OAuthLogoutURL, "it goes with --oauth-auth-url")
		}
		if c.OAuthAudience == "" {
			faults.add("--oauth-audience is missing: it says whom the access tokens must be for, and goes with --oauth-auth-url")
		}
	case c.OAuthLogoutURL != "":
		faults.add("--oauth-logout-url goes with --oauth-auth-url: an issuer publishes its own logout")
	default:
		faults.address("oidc-issuer", c.OIDCIssuer, "give the OpenID Connect issuer that staff log in at")
	}
	if c.OIDCClientID == "" {
		faults.add("--oidc-client-id is missing: register housecount with the provider, with the redirect address <public-url>/login/callback")
	}
	for value, name := range c.Roles {
		role := web.Role(name)
		if !slices.Contains(web.Roles, role) {
			faults.add("--roles: %q is no role: %s=… takes door, box_office, manager or admin", name, value)
			continue
		}
		roles[value] = role
	}
}

func logger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not known: give debug, info, warn or error", level)
	}
	o := &slog.HandlerOptions{Level: l}
	switch strings.ToLower(format) {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format %q is not known: give text or json", format)
}
