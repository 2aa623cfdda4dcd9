package apiclient

import (
	"cmp"
	"context"
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

// Options configures a Client. BaseURL is required unless the profile has one, and one credential
// unless the profile needs none. Printing or logging Options shows no secret.
type Options struct {
	// Profile describes the service and its rows; nil means the built-in profile "default".
	Profile *profile.Profile `json:"-"`
	// Vars sets the profile's variables by name. Those sent in a header, a parameter or a body may
	// be secrets.
	Vars map[string]string `json:"-"`
	// BaseURL is the address that paths are relative to, without the profile's prefixes.
	BaseURL string
	// APIKey is the credential; the profile says how it is sent.
	APIKey string `json:"-"`
	// ClientID, ClientSecret and TokenURL obtain a token by the client credentials flow instead of
	// an APIKey. TokenURL and Scopes default to the profile's.
	ClientID     string
	ClientSecret string `json:"-"`
	TokenURL     string
	Scopes       []string
	// Grants stores what a person authorized, for a profile whose tokens are obtained so; it goes
	// with ClientID and ClientSecret.
	Grants Grants `json:"-"`

	// RequestsPerMinute is our own limit, in addition to the service's and the profile's;
	// DefaultRequestsPerMinute when zero.
	RequestsPerMinute int
	// RequestsPerDay, if not zero, limits the calls in any 24 hours: a tenth at once, then spread
	// evenly. At least 24. A lower limit in the profile applies.
	RequestsPerDay int
	// Paging is the service's way of paging; the profile's when empty.
	Paging profile.Paging
	// PageSize is the number of rows to ask for per page, unless the profile sets a lower limit;
	// DefaultPageSize when zero.
	PageSize int
	// Timeout limits one call including its body; 20 s when zero.
	Timeout time.Duration
	// MaxBody limits a body, in bytes after decompression; 64 MiB when zero.
	MaxBody int64
	// Retries is how often a transient failure is retried; 3 when zero, never when negative. A
	// timeout is retried once.
	Retries int
	// Dial makes the connections; nil means the system's dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
	// UserAgent is sent with every call.
	UserAgent string
	// Log receives what the Client handled itself, such as retries; nil discards it.
	Log *slog.Logger
}

// The defaults of Options.
const (
	DefaultRequestsPerMinute = 60
	DefaultPageSize          = 100
)

// OptionFault describes an invalid option and how to fix it. It never repeats the value.
type OptionFault struct {
	// Option is the field's name. A fault of the credential as a whole is reported as a fault of
	// APIKey.
	Option string
	// Var is the name of a variable if Option is Vars and one variable is at fault.
	Var string
	Why string // continues a sentence that starts with the option's name
}

func (f OptionFault) Error() string { return "apiclient: " + f.Option + " " + f.Why }

// Faults returns everything that New would refuse o for.
func (o Options) Faults() []OptionFault {
	_, faults := o.check()
	return faults
}

// String returns everything but the secrets.
func (o Options) String() string { return o.LogValue().String() }

// GoString returns String, so that %#v shows no secret either.
func (o Options) GoString() string { return o.String() }

// LogValue returns everything but the secrets.
func (o Options) LogValue() slog.Value {
	name := ""
	if o.Profile != nil {
		name = o.Profile.Name
	}
	return slog.GroupValue(
		slog.String("profile", name),
		slog.Any("vars", slices.Sorted(maps.Keys(o.Vars))),
		slog.String("base_url", redactURL(o.BaseURL)),
		slog.String("api_key", redact(o.APIKey)),
		slog.String("client_id", o.ClientID),
		slog.String("client_secret", redact(o.ClientSecret)),
		slog.String("token_url", redactURL(o.TokenURL)),
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

func redact(secret string) string {
	if secret == "" {
		return ""
	}
	return "[hidden]"
}

// redactURL returns an address without the parts in which a secret could be.
func redactURL(address string) string {
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
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, DefaultRequestsPerMinute)
	o.PageSize = cmp.Or(o.PageSize, DefaultPageSize)
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, defaultMaxBody)
	o.Retries = cmp.Or(o.Retries, 3)
	o.UserAgent = cmp.Or(o.UserAgent, "housecount")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// resolved holds the values that follow from valid Options.
type resolved struct {
	base    *url.URL
	token   *url.URL         // nil if there is an API key or no credential
	profile *profile.Profile // with its variables filled in
	scopes  []string
	secrets []string // given as variables
}

// sendsTo returns the addresses to which the credential is sent.
func (r resolved) sendsTo() (all []*url.URL) {
	for _, u := range []*url.URL{r.base, r.token} {
		if u != nil {
			all = append(all, u)
		}
	}
	for _, o := range r.profile.Origins {
		if u, _ := profile.ParseAddress(o.BaseURL); u != nil && o.Credential {
			all = append(all, u)
		}
	}
	return all
}

// check returns the resolved options and every fault.
func (o Options) check() (s resolved, faults []OptionFault) {
	fault := func(option, format string, a ...any) {
		faults = append(faults, OptionFault{Option: option, Why: fmt.Sprintf(format, a...)})
	}
	unfilled := o.Profile
	if unfilled == nil {
		unfilled, _ = profile.Builtin("default") // cannot fail: a test reads it
	}
	var err error
	if s.profile, err = unfilled.With(o.Vars); err != nil {
		for _, f := range profile.VarFaults(err) {
			why := "cannot be used: "
			if f.Missing {
				why = "is missing: "
			}
			faults = append(faults, OptionFault{Option: "Vars", Var: f.Var, Why: why + f.Error()})
		}
		s.profile = unfilled
	} else {
		s.secrets = secretVars(unfilled, s.profile, o.Vars)
	}
	s.base = o.checkBase(s.profile, err == nil, fault)
	s.token = o.checkCredential(s.profile, fault)
	if s.scopes = o.Scopes; len(s.scopes) == 0 {
		s.scopes = s.profile.Auth.OAuth.Scopes
	}
	if slices.ContainsFunc(s.scopes, func(scope string) bool { return scope == "" || !profile.FitsHeader(scope) }) {
		fault("Scopes", "has an empty one or one with a space; give each scope by itself")
	}
	if !profile.Printable(o.UserAgent) {
		fault("UserAgent", "has a character that cannot be printed; leave it out")
	}
	if o.Paging != "" && !slices.Contains(profile.Pagings, o.Paging) {
		fault("Paging", "is not known; give one of %s, or leave it out", strings.Join(profile.PagingNames(), ", "))
	}
	for _, b := range []struct {
		option             string
		value, least, most int64
	}{
		{"RequestsPerMinute", int64(o.RequestsPerMinute), 1, profile.MaxPerMinute},
		{"RequestsPerDay", int64(o.RequestsPerDay), profile.MinPerDay, profile.MaxPerDay},
		{"PageSize", int64(o.PageSize), 1, profile.MaxPageSize},
		{"MaxBody", o.MaxBody, 1, 1 << 30},
		{"Retries", int64(max(o.Retries, 0)), 1, 20},
	} {
		if b.value != 0 && (b.value < b.least || b.value > b.most) {
			fault(b.option, "is out of range; give a number within %d and %d", b.least, b.most)
		}
	}
	if o.Timeout < 0 || o.Timeout > time.Hour {
		fault("Timeout", "is out of range; give at most an hour")
	}
	return s, faults
}

// checkBase returns the service's address. filled reports whether the profile's variables are
// filled in.
func (o Options) checkBase(p *profile.Profile, filled bool, fault func(option, format string, a ...any)) *url.URL {
	base, why := profile.ParseAddress(cmp.Or(o.BaseURL, p.BaseURL))
	switch {
	case !filled && o.BaseURL == "" && p.BaseURL != "": // a variable may be missing
	case why != "":
		fault("BaseURL", "%s; give the address of the ticketing service, such as https://tickets.example.com", why)
	case base.RawQuery != "" || base.ForceQuery:
		fault("BaseURL", "has a query; give the address without it")
	default:
		for _, prefix := range p.Prefixes {
			if prefix = strings.Trim(prefix, "/"); prefix != "" && strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/"+prefix) {
				fault("BaseURL", "ends in /%s; leave that out, it is added to every path", prefix)
				break
			}
		}
	}
	return base
}

// checkCredential returns the token address, nil if no token is needed.
func (o Options) checkCredential(p *profile.Profile, fault func(option, format string, a ...any)) (token *url.URL) {
	auth := p.Auth
	hasClient := o.ClientID != "" || o.ClientSecret != "" || o.TokenURL != ""
	switch {
	case auth.Kind == profile.AuthNone:
		if o.APIKey != "" || hasClient {
			fault("APIKey", "or another credential is given, and the profile %s needs none; leave it out", p.Name)
		}
	case o.APIKey != "" && hasClient:
		fault("APIKey", "and client credentials are both given, and are two ways to the same thing; give one of them")
	case o.APIKey == "" && !hasClient:
		fault("APIKey", "is missing, and no other credential for the service is given; give it, or client credentials")
	}
	if !signer(auth).fits(o.APIKey) || len(o.APIKey) > profile.MaxKey {
		fault("APIKey", "has a space, a line end or another character that no key has; copy it again")
	}
	if !hasClient {
		return nil
	}
	for _, one := range []struct{ option, value string }{{"ClientID", o.ClientID}, {"ClientSecret", o.ClientSecret}} {
		if one.value == "" {
			fault(one.option, "is missing; the other client credentials need it")
		} else if !profile.Printable(one.value) {
			fault(one.option, "has a line end or another character that cannot be printed; copy it again")
		}
	}
	token, why := profile.ParseAddress(cmp.Or(o.TokenURL, auth.OAuth.TokenURL))
	if why != "" {
		fault("TokenURL", "%s; give the address that hands out tokens, such as https://tickets.example.com/oauth/token", why)
	}
	return token
}

// secretVars returns the values of variables that may be secrets: those sent in a header, a
// parameter or a body. Short values are left out, because hiding them would hide ordinary words.
func secretVars(given, filled *profile.Profile, vars map[string]string) (secrets []string) {
	const short = 8
	for name, value := range filled.Headers {
		if value != given.Headers[name] && len(value) >= short {
			secrets = append(secrets, value)
		}
	}
	for name, value := range vars {
		if given.Sends(name) && len(value) >= short {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
