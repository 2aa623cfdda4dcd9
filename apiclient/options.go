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
	// profile says; DefaultRequestsPerMinute when zero.
	RequestsPerMinute int
	// RequestsPerDay, if not zero, spreads the calls so that no 24 hours see more of them:
	// a tenth at once, then evenly. At least 24. A lower one of the profile holds.
	RequestsPerDay int
	// Paging is how the service hands out a long list; as the profile says when empty.
	Paging profile.Paging
	// PageSize is the number of rows asked for a page, where the profile does not set a
	// lower limit; DefaultPageSize when zero.
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

// What holds where Options say nothing else.
const (
	DefaultRequestsPerMinute = 60
	DefaultPageSize          = 100
)

// OptionFault is what is wrong with one of the Options, and how to mend it. It never repeats
// what was given.
type OptionFault struct {
	// Option is the name of the field. What is wrong with the credential as a whole is a fault
	// of APIKey.
	Option string
	// Var is the name of the variable, where Option is Vars and one of them is meant.
	Var string
	Why string // reads on after the option's name
}

func (f OptionFault) Error() string { return "apiclient: " + f.Option + " " + f.Why }

// Faults are all that New would refuse o for.
func (o Options) Faults() []OptionFault {
	_, faults := o.check()
	return faults
}

// String shows everything but the secrets.
func (o Options) String() string { return o.LogValue().String() }

// GoString is String, so that %#v shows no secret either.
func (o Options) GoString() string { return o.String() }

// LogValue shows everything but the secrets.
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

// shown is an address without the parts in which a secret may hide.
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
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.Retries = cmp.Or(o.Retries, 3)
	o.UserAgent = cmp.Or(o.UserAgent, "housecount")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// settings are what Options come to.
type resolved struct {
	base    *url.URL
	token   *url.URL         // nil where there is an API key, or no credential
	profile *profile.Profile // with its variables filled
	scopes  []string
	secrets []string // that came as variables
}

// check is what o comes to, and every fault of it.
func (o Options) check() (s resolved, faults []OptionFault) {
	fault := func(option, format string, a ...any) {
		faults = append(faults, OptionFault{Option: option, Why: fmt.Sprintf(format, a...)})
	}
	unfilled := o.Profile
	if unfilled == nil {
		unfilled, _ = profile.Builtin("default") // which a test reads
	}
	var err error
	if s.profile, err = unfilled.With(o.Vars); err != nil {
		for _, f := range profile.VarFaults(err) {
			faults = append(faults, OptionFault{Option: "Vars", Var: f.Var, Why: "cannot be used: " + f.Error()})
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

// checkBase is the address of the service. filled says that the profile's variables are.
func (o Options) checkBase(p *profile.Profile, filled bool, fault func(option, format string, a ...any)) *url.URL {
	base, why := profile.ParseAddress(cmp.Or(o.BaseURL, p.BaseURL))
	switch {
	case !filled && o.BaseURL == "" && p.BaseURL != "": // it may be missing a variable
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

// checkCredential is the address that hands out tokens, nil where none is needed.
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

// secretVars are the values of variables that may be secrets: those that travel in a header,
// a parameter or a body, and are long enough that hiding them hides no other word.
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
