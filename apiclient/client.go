// Package apiclient reads the lists of a ticketing service over HTTP. It owns the calls, the
// paging, the retries, the limits and the token; what the rows mean, package profile knows. It
// never computes a figure and knows nothing of who asks.
//
// A Client reads a stream of its profile list by list, one or one for each row of another
// stream, and each list page by page; no more than a page is held at a time. What the profile
// leaves open, a read explores, or obeys as it was found (see Answer); of a service a Client
// remembers nothing by itself but its ETags, and rows that other streams need.
//
// Every call out has a timeout and a limit on the body. Credentials are only ever
// sent to the configured origin, and no error and no log line holds one. A record
// that makes no sense is refused by itself; what is handed on is valid as package record
// says. A Client may be used by many goroutines at once; it starts none of its own.
package apiclient

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"housecount/apiclient/profile"
)

// Client reads the service.
type Client struct {
	base     *url.URL
	profile  *profile.Profile
	paging   profile.Paging // empty for that of the profile
	pageSize int
	maxPages int
	maxKept  int
	maxBody  int64
	timeout  time.Duration
	retries  int
	agent    string

	http   *http.Client
	budget *budget
	// key returns the credential to send; renew, nil for an API key, returns another one
	// in the place of one that the service refused.
	key   func(context.Context) (string, error)
	renew func(ctx context.Context, refused string) (string, error)
	// clean makes text from outside fit for an error: printable, short, no credential.
	clean   func(string) string
	answers answers
	tags    tagStore
	rows    map[*profile.Stream]*keptRows
	log     *slog.Logger
}

// New checks o whole and returns a Client; the error joins every OptionFault. It makes no
// call.
func New(o Options) (*Client, error) {
	s, faults := o.check()
	if faults != nil {
		all := make([]error, len(faults))
		for i, f := range faults {
			all[i] = f
		}
		return nil, errors.Join(all...)
	}
	o = o.withDefaults()
	p := s.profile
	c := &Client{
		base:     s.base,
		profile:  p,
		paging:   o.Paging,
		pageSize: o.PageSize,
		maxPages: maxPages,
		maxKept:  maxKept,
		maxBody:  o.MaxBody,
		timeout:  o.Timeout,
		retries:  max(o.Retries, 0),
		agent:    o.UserAgent,
		http:     &http.Client{Transport: newTransport(o.Dial), CheckRedirect: signer(p.Auth).sameOriginRedirect},
		budget:   newBudget(lower(o.RequestsPerMinute, p.Limits.PerMinute), lower(o.RequestsPerDay, p.Limits.PerDay)),
		rows:     map[*profile.Stream]*keptRows{},
		log:      o.Log,
	}
	for _, s := range p.Streams {
		c.rows[s] = &keptRows{turn: make(chan struct{}, 1)}
	}
	secrets := func() []string { return signer(p.Auth).secrets(o.APIKey) }
	c.key = func(context.Context) (string, error) { return o.APIKey, nil }
	if s.token != nil {
		o.Scopes = s.scopes
		t := newTokens(c, s.token, o)
		c.key, c.renew, secrets = t.current, t.renew, t.secrets
	}
	c.clean = cleaner(func() []string { return append(secrets(), s.secrets...) })
	for _, u := range []*url.URL{s.base, s.token} {
		if u != nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			c.log.Warn("credentials travel unencrypted; use https", "host", u.Host)
		}
	}
	return c, nil
}

// lower is the lower one of two limits, of which 0 is none.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// String names the service and no credential.
func (c *Client) String() string { return "apiclient.Client(" + c.base.String() + ")" }

// GoString is String, so that %#v shows no credential either.
func (c *Client) GoString() string { return c.String() }

// CloseIdle closes the connections that wait for another call. The Client stays usable.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }
