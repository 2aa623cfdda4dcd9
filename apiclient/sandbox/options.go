package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// Options configures a Sandbox. The zero value is a usable house.
type Options struct {
	// Seed makes the same house with the same sales again; 1 when zero.
	Seed uint64
	// Start is the moment at which the sandbox's clock starts; now when zero. The season
	// is laid around its day.
	Start time.Time
	// Speed is how many seconds pass in a second; 1 when zero, negative to stand still
	// until Advance.
	Speed float64
	// Zone is the house's zone; Europe/Amsterdam when nil.
	Zone *time.Location
	// Past and Coming are the days of performances before and after the start; 120 and 60
	// when zero.
	Past, Coming int
	// Demand is how many want to come, in proportion to what makes a usual season; 1 when
	// zero, at most 10. Without effect on a house of a size that was asked for.
	Demand float64
	// Empty leaves out all events, for tests that make their own by Control.
	Empty bool
	// Events and Tickets ask for a house of that size instead of a season that goes on:
	// so many performances on the days from Past to Coming with so many tickets between
	// them, made at once. Nothing happens to them but by control calls and writes. Zero
	// for the season.
	Events, Tickets int

	// Paging is the style in which lists are cut into pages: page, offset, cursor, next,
	// link-header or bare; page when empty.
	Paging string
	// RateLimit is how many requests a minute each credential may make, in real time; 0
	// for any number.
	RateLimit int
	// Faults are in force from the start; see ParseFaults.
	Faults []Fault

	// PublicURL is the sandbox's own address: the issuer of its tokens. Without it the
	// sandbox goes by the address that a request was sent to.
	PublicURL string
	// APIKey is accepted as a bearer token; when empty only tokens of our own are.
	APIKey string
	// AccessLifetime is how long access and ID tokens are good for, an hour when zero, and
	// RefreshLifetime how long a refresh token, 30 days when zero; both in real time.
	AccessLifetime, RefreshLifetime time.Duration
	// Clients may log staff in or obtain tokens of their own.
	Clients []idp.Client
	// Journal is a file in which control calls and writes are stored; empty for none. The next sandbox
	// with the same Options lets them happen again, each when its clock comes to the
	// moment of the call, and so shows the same books at the same time.
	Journal string
	Log     *slog.Logger
}

// The largest house that can be asked for.
const (
	maxBulkEvents  = 100_000
	maxBulkTickets = 5_000_000
)

// withDefaults checks o whole and fills in the defaults.
func (o Options) withDefaults() (Options, error) {
	var problems []error
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Past == 0 {
		o.Past = 120
	}
	if o.Coming == 0 {
		o.Coming = 60
	}
	if o.Past < 0 || o.Coming < 0 || o.Past > 3660 || o.Coming > 3660 {
		problems = append(problems, fmt.Errorf("past %d and coming %d days: both must be from 0 to 3660", o.Past, o.Coming))
	}
	if o.Demand = cmp.Or(o.Demand, 1); !(o.Demand > 0 && o.Demand <= 10) {
		problems = append(problems, fmt.Errorf("demand %g: it must be more than 0 and at most 10", o.Demand))
	}
	if o.Events < 0 || o.Tickets < 0 || o.Events > maxBulkEvents || o.Tickets > maxBulkTickets || o.Tickets > 0 && o.Events == 0 {
		problems = append(problems, fmt.Errorf("%d events with %d tickets: there can be up to %d with up to %d, and no tickets without events", o.Events, o.Tickets, maxBulkEvents, maxBulkTickets))
	}
	if o.Events > 0 && o.Empty {
		problems = append(problems, errors.New("a house is empty or has events, not both"))
	}
	if o.Paging == "" {
		o.Paging = pagingStyles[0]
	}
	if !slices.Contains(pagingStyles, o.Paging) {
		problems = append(problems, fmt.Errorf("paging %q is not one of %s", o.Paging, strings.Join(pagingStyles, ", ")))
	}
	if o.RateLimit < 0 || o.RateLimit > maxRateLimit {
		problems = append(problems, fmt.Errorf("rate limit %d: it must be from 0 to %d requests a minute", o.RateLimit, maxRateLimit))
	}
	for _, x := range o.Faults {
		problems = append(problems, x.check())
	}
	o.AccessLifetime, o.RefreshLifetime = cmp.Or(o.AccessLifetime, time.Hour), cmp.Or(o.RefreshLifetime, 30*24*time.Hour)
	if o.AccessLifetime < time.Second || o.RefreshLifetime < time.Second {
		problems = append(problems, fmt.Errorf("tokens for %v and refresh tokens for %v: both must last a second", o.AccessLifetime, o.RefreshLifetime))
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Zone == nil {
		zone, err := time.LoadLocation("Europe/Amsterdam")
		if err != nil {
			problems = append(problems, err)
		}
		o.Zone = zone
	}
	if o.PublicURL != "" {
		if u, err := url.Parse(o.PublicURL); err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			problems = append(problems, fmt.Errorf("public URL %q is not an address", o.PublicURL))
		}
	}
	for _, c := range o.Clients {
		if c.ID == "" {
			problems = append(problems, errors.New("a client has no id"))
		}
		for _, scope := range c.Scopes {
			if !slices.Contains(knownScopes, scope) {
				problems = append(problems, fmt.Errorf("client %s: there is no scope %q", c.ID, scope))
			}
		}
		for _, uri := range c.RedirectURIs {
			if u, err := url.Parse(uri); err != nil || u.Host == "" || u.Fragment != "" {
				problems = append(problems, fmt.Errorf("client %s: redirect address %q is not absolute", c.ID, uri))
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return o, fmt.Errorf("sandbox: %w", err)
	}
	return o, nil
}

// knownScopes are granted when asked for; others are left out.
var knownScopes = func() []string {
	scopes := []string{"openid", "profile"}
	for _, name := range streamNames() {
		scopes = append(scopes, name+".read", name+".write")
	}
	return scopes
}()
