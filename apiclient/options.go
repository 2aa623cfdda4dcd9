package apiclient

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

	"housecount/apiclient/profile"
)

// Options configures a Client. BaseURL is required unless the profile has one, and one
// credential unless the profile needs none. Printed or logged, it shows no secret.
type Options struct {
	// Profile says how to reach the service and what its rows mean; the built-in one called
	// default when nil.
	Profile *profile.Profile `json:"-"`
	// Vars are the profile's variables by their names. Those that travel in a header, a
	// parameter or a body may be secrets.
	Vars map[string]string `json:"-"`
	// BaseURL is the address that the paths are relative to, without the profile's prefixes.
	BaseURL string
	// APIKey is the credential; the profile says how it travels.
	APIKey string `json:"-"`
	// ClientID, ClientSecret and TokenURL obtain a token by the client credentials flow
	// instead. TokenURL and Scopes are the profile's where they are empty.
	ClientID     string
	ClientSecret string `json:"-"`
	TokenURL     string
	Scopes       []string

	// RequestsPerMinute is our own budget, kept below whatever the service states and the
	// profile says; 60 when zero.
	RequestsPerMinute int
	// RequestsPerDay, if not zero, spreads the calls so that no 24 hours see more of them:
	// a tenth at once, then evenly. At least 24. A lower one of the profile holds.
	RequestsPerDay int
	// Paging is how the service hands out a long list; as the profile says when empty.
	Paging profile.Paging
	// PageSize is the number of rows asked for a page, where the profile does not set a
	// lower limit; 100 when zero.
	PageSize int
	// Timeout is the limit of one call including its body; 20 s when zero.
	Timeout time.Duration
	// MaxBody is the largest body that is read, in bytes after decompression; 64 MiB
	// when zero.
	MaxBody int64
	// Retries is how often a call that failed for a passing reason is tried again; 3
	// when zero, negative for never. A call that was too slow is tried again once.
	Retries int
	// Dial makes the connections; nil for the system's way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
	// UserAgent names us to the service.
	UserAgent string
	// Log gets what passed by itself, such as retries; nil for nowhere.
	Log *slog.Logger
}

// String shows everything but the secrets.
func (o Options) String() string {
	return fmt.Sprintf("{Profile:%s Vars:%s BaseURL:%s APIKey:%s ClientID:%s ClientSecret:%s TokenURL:%s Scopes:%q RequestsPerMinute:%d RequestsPerDay:%d Paging:%s PageSize:%d Timeout:%s MaxBody:%d Retries:%d UserAgent:%q}",
		o.profileName(), o.varNames(), shown(o.BaseURL), hidden(o.APIKey), o.ClientID, hidden(o.ClientSecret), shown(o.TokenURL), o.Scopes,
		o.RequestsPerMinute, o.RequestsPerDay, o.Paging, o.PageSize, o.Timeout, o.MaxBody, o.Retries, o.UserAgent)
}

// GoString is String, so that %#v shows no secret either.
func (o Options) GoString() string { return "apiclient.Options" + o.String() }

// LogValue shows everything but the secrets.
func (o Options) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("profile", o.profileName()),
		slog.Any("vars", o.varNames()),
		slog.String("base_url", shown(o.BaseURL)),
		slog.String("api_key", hidden(o.APIKey)),
		slog.String("client_id", o.ClientID),
		slog.String("client_secret", hidden(o.ClientSecret)),
		slog.String("token_url", shown(o.TokenURL)),
		slog.Any("scopes", o.Scopes),
		slog.Int("requests_per_minute", o.RequestsPerMinute),
		slog.Int("requests_per_day", o.RequestsPerDay),
		slog.String("paging", string(o.Paging)),
		slog.Int("page_size", o.PageSize),
		slog.Duration("timeout", o.Timeout),
		slog.Int64("max_body", o.MaxBody),
		slog.Int("retries", o.Retries),
	)
}

func (o Options) profileName() string {
	if o.Profile == nil {
		return ""
	}
	return o.Profile.Name
}

func (o Options) varNames() []string { return slices.Sorted(maps.Keys(o.Vars)) }

func hidden(secret string) string {
	if secret == "" {
		return ""
	}
	return "[hidden]"
}

// shown is an address without the parts in which a secret may hide.
func shown(address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "[unreadable]"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (o Options) withDefaults() Options {
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, 60)
	o.PageSize = cmp.Or(o.PageSize, 100)
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.Retries = cmp.Or(o.Retries, 3)
	o.UserAgent = cmp.Or(o.UserAgent, "housecount")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// settings are what Options come to.
type settings struct {
	base    *url.URL
	token   *url.URL         // nil where there is an API key, or no credential
	profile *profile.Profile // with its variables filled
	scopes  []string
	secrets []string // that came as variables
}

// check names every fault of o and its mend. What a fault says never repeats what was
// given.
func (o Options) check() (s settings, err error) {
	var faults []error
	fault := func(format string, a ...any) {
		faults = append(faults, fmt.Errorf("apiclient: "+format, a...))
	}

	given := o.Profile
	if given == nil {
		if given, err = profile.Builtin("default"); err != nil {
			return s, err
		}
	}
	if s.profile, err = given.With(o.Vars); err != nil {
		faults = append(faults, err)
		s.profile = given
	} else {
		for name, value := range s.profile.Headers {
			if value != given.Headers[name] && len(value) >= 8 { // or every short word would be hidden
				s.secrets = append(s.secrets, value)
			}
		}
		for name, value := range o.Vars {
			if given.Sends(name) && len(value) >= 8 {
				s.secrets = append(s.secrets, value)
			}
		}
	}
	auth := s.profile.Auth

	base, why := profile.ParseAddress(cmp.Or(o.BaseURL, s.profile.BaseURL))
	s.base = base
	switch {
	case err != nil && o.BaseURL == "" && s.profile.BaseURL != "": // may be missing a variable
	case why != "":
		fault("BaseURL %s; give the service's address, such as https://tickets.example.com", why)
	case base.RawQuery != "" || base.ForceQuery:
		fault("BaseURL has a query; give the address without it")
	default:
		for _, prefix := range s.profile.Prefixes {
			if prefix != "" && strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/"+strings.Trim(prefix, "/")) {
				fault("BaseURL ends in /%s; leave that out, it is added to every path", strings.Trim(prefix, "/"))
				break
			}
		}
	}

	client := o.ClientID != "" || o.ClientSecret != "" || o.TokenURL != ""
	switch {
	case auth.Kind == profile.AuthNone:
		if o.APIKey != "" || client {
			fault("a credential is given, and the profile %s needs none; leave it out", s.profile.Name)
		}
	case o.APIKey != "" && client:
		fault("both APIKey and client credentials are given; give one of them")
	case o.APIKey == "" && !client:
		fault("no credential; give APIKey, or ClientID, ClientSecret and TokenURL")
	}
	if !signer(auth).fits(o.APIKey) || len(o.APIKey) > profile.MaxKey {
		fault("APIKey has a space, a line end or another character that no key has; copy it again")
	}
	if client {
		if o.ClientID == "" {
			fault("ClientID is missing; ClientSecret and TokenURL need it")
		}
		if o.ClientSecret == "" {
			fault("ClientSecret is missing; ClientID and TokenURL need it")
		}
		if !profile.Printable(o.ClientID) || !profile.Printable(o.ClientSecret) {
			fault("ClientID or ClientSecret has a line end or another character that cannot be printed; copy it again")
		}
		if s.token, why = profile.ParseAddress(cmp.Or(o.TokenURL, auth.OAuth.TokenURL)); why != "" {
			fault("TokenURL %s; give the address that hands out tokens, such as https://tickets.example.com/oauth/token", why)
		}
	}
	if s.scopes = o.Scopes; len(s.scopes) == 0 {
		s.scopes = auth.OAuth.Scopes
	}
	for _, scope := range s.scopes {
		if scope == "" || !profile.FitsHeader(scope) {
			fault("Scopes has an empty one or one with a space; give each scope by itself")
			break
		}
	}
	if !profile.Printable(o.UserAgent) {
		fault("UserAgent has a character that cannot be printed; leave it out")
	}

	bounds := []struct {
		name        string
		value, most int64
	}{
		{"RequestsPerMinute", int64(o.RequestsPerMinute), 1_000_000},
		{"PageSize", int64(o.PageSize), profile.MaxRows},
		{"Timeout", int64(o.Timeout), int64(time.Hour)},
		{"MaxBody", o.MaxBody, 1 << 30},
	}
	for _, b := range bounds {
		if b.value < 0 || b.value > b.most {
			fault("%s is out of range; give 0 for the default, or at most %d", b.name, b.most)
		}
	}
	if o.RequestsPerDay != 0 && (o.RequestsPerDay < 24 || o.RequestsPerDay > 1_000_000_000) {
		fault("RequestsPerDay is out of range; give 0 for no daily budget, or at least 24")
	}
	if o.Paging != "" && !slices.Contains(profile.Pagings, o.Paging) {
		fault("Paging is none that is known; leave it out, or give one of %s", pagingNames())
	}
	if o.Retries > 20 {
		fault("Retries is out of range; give at most 20")
	}
	return s, errors.Join(faults...)
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func pagingNames() string {
	names := make([]string, len(profile.Pagings))
	for i, p := range profile.Pagings {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}
