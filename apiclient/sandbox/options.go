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

	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// Options configures a Sandbox. The zero value is valid.
type Options struct {
	// Seed determines the simulated house and its sales; 1 when zero.
	Seed uint64
	// Start is the time at which the sandbox's clock starts; now when zero. The season is planned around its day.
	Start time.Time
	// Speed is the number of sandbox seconds per real second; 1 when zero. With a negative value the clock moves
	// only by Advance.
	Speed float64
	// Zone is the house's time zone; Europe/Amsterdam when nil.
	Zone *time.Location
	// Past and Coming are the numbers of days with performances before and after the start; 120 and 60 when zero.
	Past, Coming int
	// Seasons is 2 for a house that also has the season before: performances on the same days a year, which is 52 weeks,
	// earlier. Such a house has two rates of VAT, and a campaign that worked; see Campaign. 1 when zero.
	Seasons int
	// Demand is a factor of the demand in a usual season; 1 when zero, at most 10. It has no effect when Events is
	// set.
	Demand float64
	// Empty leaves out all events, for tests that add their own by control calls.
	Empty bool
	// Events and Tickets are the size of a house that is built at once instead of a running season. Its
	// performances are on the days from Past to Coming and change only by control calls and writes. Zero for the
	// season.
	Events, Tickets int

	// Orders lists orders with their tickets in place of tickets.
	Orders bool
	// Paging is the paging style of lists: page, offset, cursor, next, link-header or bare; page when empty.
	Paging string
	// RateLimit is the number of requests per real minute for each credential; 0 for no limit.
	RateLimit int
	// Faults are active from the start; see faults.Parse.
	Faults []faults.Fault

	// PublicURL is the address of the sandbox and the issuer of its tokens. When empty, the address of each
	// request is used.
	PublicURL string
	// APIKey is accepted as a bearer token, besides access tokens and the keys of the account page. Empty for
	// none.
	APIKey string
	// AccessLifetime is the lifetime of access and ID tokens, one hour when zero. RefreshLifetime is that of
	// refresh tokens, 30 days when zero. Both are in real time.
	AccessLifetime, RefreshLifetime time.Duration
	// Clients are the OAuth clients.
	Clients []idp.Client
	// Journal is a file that stores control calls and writes; empty for none. A sandbox started with the same
	// Options makes these calls again at the same sandbox times and so has the same records.
	Journal string
	Log     *slog.Logger
}

// The limits of Options.Events and Options.Tickets.
const (
	maxBulkEvents  = 100_000
	maxBulkTickets = 5_000_000
)

// withDefaults fills in the defaults and returns an error that lists everything wrong with o.
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
	if o.Seasons = cmp.Or(o.Seasons, 1); o.Seasons < 1 || o.Seasons > 2 {
		problems = append(problems, fmt.Errorf("%d seasons: there can be 1 or 2", o.Seasons))
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
		problems = append(problems, x.Check(streamNames()))
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
		problems = append(problems, clientProblems(c)...)
	}
	if err := errors.Join(problems...); err != nil {
		return o, fmt.Errorf("sandbox: %w", err)
	}
	return o, nil
}

// clientProblems returns what is wrong with a client.
func clientProblems(c idp.Client) (problems []error) {
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
	return problems
}

// knownScopes are the scopes that can be granted; unknown ones are ignored.
var knownScopes = func() []string {
	scopes := []string{"openid", "profile", "email"}
	for _, name := range streamNames() {
		scopes = append(scopes, name+".read", name+".write")
	}
	return scopes
}()
