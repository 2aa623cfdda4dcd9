// Package apiclient talks to the ticketing service. It owns the record types, the
// pages, the retries, the limits and the token; it never computes a figure and knows
// nothing of who asks.
//
// Every call out has a timeout and a limit on the body. Credentials are only ever
// sent to the configured origin, and no error and no log line holds one. A record
// that makes no sense is refused by itself; what is handed on has been checked, so
// that nobody behind this package looks at a field twice. A Client may be used by
// many goroutines at once; it starts none of its own.
package apiclient

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Client reads the service.
type Client struct {
	base     *url.URL
	pageSize int
	maxPages int
	maxBody  int64
	timeout  time.Duration
	retries  int
	agent    string

	http   *http.Client
	budget *budget
	// bearer returns the token to send; renew, nil for an API key, returns another one
	// in the place of a token that the service refused.
	bearer func(context.Context) (string, error)
	renew  func(ctx context.Context, refused string) (string, error)
	// clean makes text from outside fit for an error: printable, short, no credential.
	clean func(string) string
	// longPath says that the service answers under /api/v2 and not under /v2, relations
	// that it calls the contacts so.
	longPath, relations atomic.Bool
	paging              Paging
	known               known
	log                 *slog.Logger
}

// New checks o whole and returns a Client; the error names every fault at once. It
// makes no call.
func New(o Options) (*Client, error) {
	base, token, err := o.check()
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	c := &Client{
		base:     base,
		pageSize: o.PageSize,
		maxPages: maxPages,
		maxBody:  o.MaxBody,
		timeout:  o.Timeout,
		retries:  max(o.Retries, 0),
		agent:    o.UserAgent,
		http:     &http.Client{Transport: newTransport(o.Dial), CheckRedirect: stayHome},
		budget:   newBudget(o.RequestsPerMinute, o.RequestsPerDay),
		paging:   o.Paging,
		log:      o.Log,
	}
	if o.APIKey != "" {
		key := o.APIKey
		c.bearer = func(context.Context) (string, error) { return key, nil }
		c.clean = cleaner(func() []string { return []string{key} })
	} else {
		t := newTokens(c, token, o)
		c.bearer, c.renew = t.current, t.renew
		c.clean = cleaner(t.secrets)
	}
	for _, u := range []*url.URL{base, token} {
		if u != nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			c.log.Warn("credentials travel unencrypted; use https", "host", u.Host)
		}
	}
	return c, nil
}

// String names the service and no credential.
func (c *Client) String() string { return "apiclient.Client(" + c.base.String() + ")" }

// GoString is String, so that %#v shows no credential either.
func (c *Client) GoString() string { return c.String() }

// CloseIdle closes the connections that wait for another call. The Client stays usable.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Query says which records of a stream are wanted. The zero Query asks for all of
// them, oldest first by creation, which is what a first sync needs.
type Query struct {
	// UpdatedSince asks for records that changed at or after this time, the newest
	// change first; zero asks for everything. It is rounded down to the second. Where the
	// service ignores it, older records are left out here, and the reading stops after the
	// first whole page of older ones, provided that they do come newest first.
	UpdatedSince time.Time
	// EventID asks for the tickets or payments of one event.
	EventID string
	// Conditional asks a service that sends ETags first whether anything is different from
	// the last read of the same list that came to its end. If every page of it is as it
	// was, the iteration ends with one call of OnPage, of which Page.Unchanged is true, and
	// no record. It is for reads of a whole list: with UpdatedSince or From it does nothing.
	// Who could not keep what was read asks the next time without it.
	Conditional bool
	// From is a Page.Resume of an earlier read with the same query: this one goes on where
	// that one was. It is refused with an Error of the kind Rejected when it belongs to
	// another query. It is worth as much as the service's paging: numbers of pages and rows
	// point elsewhere once records were removed, and links and cursors may expire. It
	// may bring records again; a later full read sets right what it missed.
	From string
	// OnPage, if set, is called after each page was read, before its records are
	// yielded.
	OnPage func(Page)
}

// Page is what one answer said about itself.
type Page struct {
	Number int // from 1
	Rows   int
	// Total is meta.total, -1 when the service did not say.
	Total int
	// ServerTime is the answer's Date header, zero when there was none.
	ServerTime time.Time
	// Took is the time from the request to the end of the body.
	Took time.Duration
	// Unchanged says that the whole list is as it was; see Query.Conditional.
	Unchanged bool
	// Resume, given as Query.From, goes on after this page; it is kept once the records of
	// this page are. It is empty on the last page, holds no credential, and may hold a
	// cursor or an address of the service.
	Resume string
}

// Events yields the events that match q. A *RecordError concerns the one record
// that was refused and the iteration goes on; any other error is the last thing
// yielded: an *Error, or what ended ctx. A record may come more than once when the list
// changes while it is read. The same contract holds for the other streams.
//
// How a list goes on and where it ends, Options.Paging tells. A page that is shorter than
// we asked for never ends it while the service's total says that there is more.
func (c *Client) Events(ctx context.Context, q Query) iter.Seq2[*Event, error] {
	q.EventID = ""
	return read[Event](ctx, c, KindEvent, q)
}

// Tickets yields the tickets that match q.
func (c *Client) Tickets(ctx context.Context, q Query) iter.Seq2[*Ticket, error] {
	return read[Ticket](ctx, c, KindTicket, q)
}

// Payments yields the payments that match q.
func (c *Client) Payments(ctx context.Context, q Query) iter.Seq2[*Payment, error] {
	return read[Payment](ctx, c, KindPayment, q)
}

// Contacts yields the contacts that match q. What a contact tells of a person is dropped
// where it is read; of the postal code the first four characters stay.
func (c *Client) Contacts(ctx context.Context, q Query) iter.Seq2[*Contact, error] {
	q.EventID = ""
	return read[Contact](ctx, c, KindContact, q)
}

// Planning yields the planning that matches q.
func (c *Client) Planning(ctx context.Context, q Query) iter.Seq2[*Planning, error] {
	return read[Planning](ctx, c, KindPlanning, q)
}
