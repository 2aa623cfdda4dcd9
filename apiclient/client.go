// Package apiclient reads the lists of a ticketing service over HTTP. It owns the calls, the
// paging, the retries, the limits and the token; what the rows mean, package profile knows. It
// never computes a figure and knows nothing of who asks.
//
// A Client reads a stream of its profile list by list, one or one for each row of another
// stream, and each list page by page; no more than a page is held at a time. It guesses nothing:
// what the profile leaves open, it is told (see Answer), or may find out in one read (see
// Query.Explore), both by package probe; a read of what is not known is refused. Of a service it
// remembers nothing by itself but its ETags, and rows that other streams need.
//
// Every call out has a timeout and a limit on the body. Credentials are only ever
// sent to the configured origin, and no error and no log line holds one. A record
// that makes no sense is refused by itself; what is handed on is valid as package record
// says. A Client may be used by many goroutines at once; it starts none of its own.
package apiclient

import (
	"cmp"
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

// Client reads the service.
type Client struct{ service }

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
	c := &Client{service{
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
	}}
	for _, s := range p.Streams {
		c.shared[s] = &sharedRows{turn: make(chan struct{}, 1)}
	}
	secrets := func() []string { return signer(p.Auth).secrets(o.APIKey) }
	c.key = func(context.Context) (string, error) { return o.APIKey, nil }
	if s.token != nil {
		o.Scopes = s.scopes
		t := newTokens(&c.caller, s.token, o)
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
func lowerLimit(a, b int) int {
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

// Streams are the lists of the profile that give records, in the order in which a first
// sync reads them.
func (c *Client) Streams() (all []Stream) {
	for _, s := range c.profile.Streams {
		if len(s.Gives) > 0 {
			one := Stream{
				Name: s.Name, Gives: slices.Clone(s.Gives), Every: s.Every, WholeEvery: s.WholeEvery,
				ByEvent: s.ByEvent != "" || s.OverEvents(),
			}
			if s.Since.Param != "" {
				one.Since = cmp.Or(s.Since.Basis, profile.BasisUpdated)
			}
			all = append(all, one)
		}
	}
	return all
}

// Read yields the records of a stream that match q. A *Refusal concerns one row, or
// one record of it, that was refused and the iteration goes on; any other error is the
// last thing yielded: an *Error, or what ended ctx. A record may come more than once when
// the list changes while it is read. What a contact tells of a person is dropped where it
// is read.
//
// How a list goes on and where it ends, the profile and Options.Paging tell, or an Answer. Where
// none does, and q does not say to explore, the read ends with an Error of the kind Unknown before
// anything is asked. A page that is
// shorter than we asked for never ends it while the service's total says that there is more.
//
// A stream that is one list for each row of another is read list by list, in the order of
// their keys. In the place of a list that is not there, or closed to us, comes one
// *Refusal without a kind, of which the ID is the key; the read only fails when no list
// is there. Another one, without an ID, comes first when rows of that other stream tell no
// usable key: what belongs to them is not read.
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

// Paused is how long calls are still held back because the service's limit, or one of our
// own, has been reached; 0 when none is.
func (c *Client) Paused() time.Duration { return c.budget.heldFor() }

// Limited is how long calls are still held back because the service has asked for that, in an
// answer of 429 or by saying that its limit is used up; 0 when they are not. It is never more
// than Paused.
func (c *Client) Limited() time.Duration { return c.budget.pauseLeft() }

// Left is how many requests may be made now before the next has to wait: by the limit a minute, and
// by that a day where daily. It is less than none where some wait already.
func (c *Client) Left() (minute, day float64, daily bool) {
	if l := c.budget.daily; l != nil {
		day, daily = l.Tokens(), true
	}
	return c.budget.limiter.Tokens(), day, daily
}

// Use makes the Client obey what was found out about a stream; reads that are under way go on
// as they began. An answer without a place in the profile is as none.
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

// Forget takes back what Use said of a stream, and says whether it had said anything.
func (c *Client) Forget(stream string) bool {
	c.answers.mu.Lock()
	defer c.answers.mu.Unlock()
	s := c.profile.Stream(stream)
	_, given := c.answers.byStream[s]
	delete(c.answers.byStream, s)
	return given
}

// Answer is what is in use of a stream: what Use said or, of one of which the profile leaves
// nothing open, where it is. known is false where neither tells how the stream is read: only a
// read that explores can read it.
func (c *Client) Answer(stream string) (a Answer, known bool) {
	if s := c.profile.Stream(stream); s != nil {
		return c.answer(s)
	}
	return Answer{}, false
}

// Filters are the filters of a stream that the service may ignore: by the time of the last change,
// and by an event. A service that can only be asked for what is new does not show whether it
// ignores that.
func (c *Client) Filters(stream string) (since, event bool) {
	s := c.profile.Stream(stream)
	return s != nil && s.Since.Param != "" && s.Since.Basis != profile.BasisCreated, s != nil && s.ByEvent != ""
}

// Identity stands for the service as the Client reads it: its address, the profile with its
// variables, and Options.Paging. It holds no secret.
func (c *Client) Identity() string {
	rules, _ := json.Marshal(c.profile.Rules) // cannot fail for texts, numbers and truths
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q ", c.base, c.paging)
	sum.Write(rules)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Needs are the streams whose rows a read of this one needs, in the order in which they are
// read; none of them twice.
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
