// Package apiclient reads the lists of a ticketing service over HTTP. It owns the calls, the
// paging, the retries, the rate limits and the token. Package profile knows what the rows mean.
// This package computes no figures.
//
// A Client reads a stream of its profile list by list and each list page by page; it holds at most
// one page in memory. A stream is one list, or one list for each row of a parent stream. The Client
// guesses nothing: what the profile leaves open comes from an Answer (see Client.Use) or from a
// read that explores (see Query.Explore). Only package probe supplies either. A stream whose
// location or paging is unknown is not read. Between reads a Client remembers only ETags and the
// rows that other streams need.
//
// Every call has a timeout and a limit on the body. Credentials are sent only to the configured
// origin, and no error or log line contains one. An invalid record is refused on its own; every
// record yielded is valid as defined by package record. A Client is safe for concurrent use and
// starts no goroutines.
//
// The files in the order of the data: client, options and query (what is asked for), read,
// streamread and listread (a read, its lists, their pages), fetch, call, retry, credential, token and
// budget (one call), decode and pageinfo (an answer), pager and explore (the next page), resume,
// conditional and seen (what need not be read again).
package apiclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Client reads one ticketing service.
type Client struct {
	service
	tokens *tokens  // nil with an API key
	scopes []string // to ask for
}

// New validates o and returns a Client. The error joins an OptionFault for every fault. New makes
// no call.
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
	if s.token == nil || p.Auth.OAuth.Grant != profile.GrantCode {
		o.Grants = nil
	} else if o.Grants == nil {
		return nil, OptionFault{Option: "Grants", Why: "is missing; the profile " + p.Name + " is used with what a person authorized and a database stores"}
	}
	c := &Client{service: service{
		caller: caller{
			profile:   p,
			maxBody:   o.MaxBody,
			timeout:   o.Timeout,
			retries:   max(o.Retries, 0),
			userAgent: o.UserAgent,
			http:      &http.Client{Transport: newTransport(o.Dial), CheckRedirect: signer(p.Auth).sameOriginRedirect},
			budget:    newBudget(lowerLimit(o.RequestsPerMinute, p.Limits.PerMinute), lowerLimit(o.RequestsPerDay, p.Limits.PerDay)),
			log:       o.Log,
		},
		base:      s.base,
		paging:    o.Paging,
		pageSize:  o.PageSize,
		maxPages:  maxPages,
		maxShared: maxSharedRows,
		shared:    map[*profile.Stream]*sharedRows{},
		origins:   map[string]*url.URL{},
	}}
	for _, s := range p.Streams {
		c.shared[s] = &sharedRows{turn: make(chan struct{}, 1)}
	}
	secrets := func() []string { return signer(p.Auth).secrets(o.APIKey) }
	c.key = func(context.Context) (string, error) { return o.APIKey, nil }
	if s.token != nil {
		o.Scopes = s.scopes
		t := newTokens(&c.caller, s.token, o)
		c.tokens, c.scopes = t, s.scopes
		c.key, c.renew, secrets = t.current, t.renew, t.secrets
	}
	c.clean = cleaner(func() []string { return slices.Concat(secrets(), s.secrets, c.signatures.secrets()) })
	for name, o := range p.Origins {
		c.origins[name], _ = url.Parse(o.BaseURL) // Profile.With has read it
	}
	for _, u := range s.sendsTo() {
		if u.Scheme == "http" && !loopback(u.Hostname()) {
			c.log.Warn("credentials travel unencrypted; use https", "host", u.Host)
		}
	}
	return c, nil
}

// lowerLimit returns the lower of two limits; 0 means no limit.
func lowerLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// String returns the service's address; it contains no credential.
func (c *Client) String() string { return "apiclient.Client(" + c.base.String() + ")" }

// GoString returns String, so that %#v shows no credential either.
func (c *Client) GoString() string { return c.String() }

// CloseIdle closes idle connections. The Client stays usable.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Streams returns the profile's lists that give records, in the order in which a first sync reads
// them.
func (c *Client) Streams() (all []Stream) {
	for _, s := range c.profile.Streams {
		if len(s.Gives) > 0 {
			one := Stream{
				Name: s.Name, Gives: slices.Clone(s.Gives), IsNative: s.IsNative, Mapping: s.Mapping(), Every: s.Every, WholeEvery: s.WholeEvery, DropsPast: s.DropsPast,
				ByEvent:    s.ByEvent != "" || s.OverEvents(),
				ReadsWhole: s.ChangesBasis() == "" && s.Recent == 0 && len(s.Changes) == 0,
				Since:      s.ChangesBasis(),
			}
			all = append(all, one)
		}
	}
	return all
}

// Read yields the records of a stream that match q. A *Refusal reports one row, or one record of a
// row, that was refused; the iteration then continues. Any other error is the last value yielded:
// an *Error, or the cause that ended ctx. A record may be yielded more than once if the list
// changes during the read. Personal data of contacts is dropped here.
//
// The profile, Options.Paging or an Answer defines the paging. If none does and q does not explore,
// the read fails with an Error of kind Unknown before any call. A short page does not end the list
// while the service's total says that rows remain.
//
// A stream with one list per parent row is read in the order of the parents' keys. A list that does
// not exist, or that we may not read, yields one *Refusal without a kind and with the key as its
// ID; the read fails only if no list exists. If parent rows have no usable key, one more *Refusal
// without an ID comes first.
func (c *Client) Read(ctx context.Context, name string, q Query) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		s := c.profile.Stream(name)
		if s == nil || len(s.Gives) == 0 && !q.Explore {
			yield(nil, &Error{Kind: Rejected, Stream: name, Err: fmt.Errorf("the profile %q has no such stream", c.profile.Name)})
			return
		}
		sr, err := c.newStreamRead(ctx, s, q)
		if err != nil {
			yield(nil, err)
			return
		}
		sr.onPage = func(r *listRead, p *page) bool { return r.yieldPage(p, yield) }
		sr.onMissing = func(key string, e *Error) bool {
			refused := &record.Refusal{Stream: s.Name, ID: record.PrintableID(key), Why: record.Say("is missing with its whole list (status {status})", record.Number("status", e.Status))}
			if s.OverEvents() {
				refused.EventID = refused.ID
			}
			return yield(nil, refused)
		}
		if len(s.Gives) == 0 {
			sr.sharing = true
			sr.onPage = func(*listRead, *page) bool { return true }
			sr.onMissing = func(string, *Error) bool { return true }
		} else if sr.missingParents > 0 && !yield(nil, &record.Refusal{Stream: s.Name, Why: record.Say("is missing with its whole list: {n} rows or lists of {list} could not be used", record.Number("n", sr.missingParents), record.Verbatim("list", s.Over))}) {
			return
		}
		if err := sr.run(ctx); err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// Paused returns how long calls are still held back by the service's limit or our own; 0 if they
// are not.
func (c *Client) Paused() time.Duration { return c.budget.heldFor() }

// Limited returns how long calls are still held back because the service asked for it, by a 429 or
// by reporting that its limit is used up; 0 if they are not. It is never longer than Paused.
func (c *Client) Limited() time.Duration { return c.budget.pauseLeft() }

// Left returns how many requests may be made now before the next has to wait: under the limit per
// minute and, if daily is true, under the limit per day. The numbers are negative while requests
// wait.
func (c *Client) Left() (minute, day float64, daily bool) {
	if l := c.budget.daily; l != nil {
		day, daily = l.Tokens(), true
	}
	return c.budget.limiter.Tokens(), day, daily
}

// Use makes the Client read a stream as a says; reads in progress are not affected. An answer with
// an address that the profile does not have is ignored.
func (c *Client) Use(stream string, a Answer) {
	s := c.profile.Stream(stream)
	if s == nil || !a.Found || !slices.Contains(candidates(s), address{a.Prefix, a.Path}) || a.Paging != "" && !slices.Contains(profile.Pagings, a.Paging) {
		return
	}
	c.answers.mu.Lock()
	defer c.answers.mu.Unlock()
	if c.answers.byStream == nil {
		c.answers.byStream = map[*profile.Stream]Answer{}
	}
	c.answers.byStream[s] = a
	c.answers.prefix = a.Prefix
}

// Forget undoes Use for a stream and reports whether there was an answer.
func (c *Client) Forget(stream string) bool {
	c.answers.mu.Lock()
	defer c.answers.mu.Unlock()
	s := c.profile.Stream(stream)
	_, given := c.answers.byStream[s]
	delete(c.answers.byStream, s)
	return given
}

// Answer returns the answer in use for a stream: the one given to Use or, if the profile leaves
// nothing open, the profile's own. If known is false, only a read that explores can read the
// stream.
func (c *Client) Answer(stream string) (a Answer, known bool) {
	if s := c.profile.Stream(stream); s != nil {
		return c.answer(s)
	}
	return Answer{}, false
}

// Filters reports which filters of a stream the service could ignore: by time of the last change,
// and by event. A service that can only be asked for new rows does not show whether it ignores that
// filter.
func (c *Client) Filters(stream string) (since, event bool) {
	s := c.profile.Stream(stream)
	return s != nil && s.Since.Param != "" && s.ChangesBasis() == profile.BasisUpdated, s != nil && s.ByEvent != ""
}

// Identity returns a hash that identifies the service as the Client reads it: its address, the
// profile with its variables, and Options.Paging. It reveals no secret.
func (c *Client) Identity() string {
	rules, _ := json.Marshal(c.profile.Rules) // cannot fail for strings, numbers and booleans
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q ", c.base, c.paging)
	sum.Write(rules)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Needs returns the names of the streams that a read of this one needs, in reading order, each
// once.
func (c *Client) Needs(stream string) (names []string) {
	var add func(s *profile.Stream)
	add = func(s *profile.Stream) {
		if s == nil {
			return
		}
		add(s.OverStream)
		for _, other := range s.WithStreams {
			add(other)
		}
		if s.Name != stream && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	add(c.profile.Stream(stream))
	return names
}
