package apiclient

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxWait is the longest Retry-After that a call waits out.
	maxWait = 30 * time.Second
	// maxErrorBody is the most bytes that are read of an unsuccessful response.
	maxErrorBody = 64 << 10
)

// newTransport returns a transport of our own, so that changes to http.DefaultTransport have no
// effect. It uses the environment's proxy.
func newTransport(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ForceAttemptHTTP2:      true,
	}
}

// caller makes the calls to a service: it adds the credential, keeps the budget, retries, and
// removes secrets from errors.
type caller struct {
	profile   *profile.Profile
	maxBody   int64
	timeout   time.Duration
	retries   int
	userAgent string

	http   *http.Client
	budget *budget
	// key returns the credential to send. renew returns another one after the service refused the
	// first; it is nil for an API key.
	key        func(context.Context) (string, error)
	renew      func(ctx context.Context, refused string) (string, error)
	signatures recentSignatures
	// clean makes text from outside safe for an error: printable, short and without credentials.
	clean func(string) string
	log   *slog.Logger
}

// response is an HTTP response whose body has been read: to its end if it is a success, else up to
// maxErrorBody.
type response struct {
	status int
	url    *url.URL // the final URL, after redirects
	header http.Header
	date   time.Time // zero without a Date header
	body   []byte
	done   func() // nil, or to be called by release
	took   time.Duration
	skew   time.Duration // the service's clock minus ours, 0 without a Date header
}

// do makes one call within the timeout and reads at most limit bytes of the body. A failure is an
// *Error or the cause that ended ctx.
func (c *caller) do(ctx context.Context, stream string, r *http.Request, limit int64) (*response, error) {
	inner, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	start := time.Now()
	for name, value := range map[string]string{"User-Agent": c.userAgent, "Accept": "application/json"} {
		if r.Header.Get(name) == "" {
			r.Header.Set(name, value)
		}
	}
	resp, err := c.http.Do(r.WithContext(inner))
	if err != nil {
		return nil, c.transportError(ctx, stream, 0, err)
	}
	defer resp.Body.Close()
	a := &response{status: resp.StatusCode, header: resp.Header, url: resp.Request.URL}
	if a.date, _ = http.ParseTime(resp.Header.Get("Date")); !a.date.IsZero() {
		a.skew = time.Until(a.date).Round(time.Second)
	}
	if !a.success() {
		// The body may explain the failure; without it the status has to do.
		a.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		if ctx.Err() != nil {
			return nil, contextError(ctx, stream)
		}
		a.took = time.Since(start)
		return a, nil
	}
	tooLarge := resp.ContentLength > limit
	if !tooLarge {
		a.body, a.done, tooLarge, err = readBody(ctx, inner, resp.Body, limit)
	}
	a.took = time.Since(start)
	switch {
	case tooLarge:
		return nil, &Error{Kind: TooLarge, Stream: stream, Status: a.status,
			Err: fmt.Errorf("the body is larger than %d bytes", limit)}
	case err != nil:
		a.release()
		return nil, c.transportError(ctx, stream, a.status, err)
	}
	return a, nil
}

// release gives the turn of a large body to another. The body is not read any more.
func (a *response) release() {
	if a.done != nil {
		a.done()
		a.body, a.done = nil, nil
	}
}

func (a *response) success() bool { return a.status >= 200 && a.status <= 299 }

// transportError turns a failure of the transport into an *Error, or into the cause that ended ctx.
// The cause keeps its text but not its type, because its text may quote bytes of the response and
// has to be cleaned.
func (c *caller) transportError(ctx context.Context, stream string, status int, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx, stream)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address
	}
	e := &Error{Kind: Unreachable, Stream: stream, Status: status, transient: true}
	foreign, isForeign := errors.AsType[foreignError](err)
	_, isLoop := errors.AsType[loopError](err)
	_, isCorrupt := errors.AsType[flate.CorruptInputError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case isForeign:
		e.Kind, e.transient = Foreign, false
		err = foreign
	case isLoop:
		e.Kind, e.transient = Endless, false
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isNet && timeout.Timeout():
		e.Kind = Slow
		e.Err = context.DeadlineExceeded
		return e
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isCorrupt:
		e.Kind = Garbage
	}
	e.Err = errors.New(c.clean(err.Error()))
	return e
}

// statusError turns an unsuccessful response into an *Error.
func (c *caller) statusError(stream string, a *response) *Error {
	var rule profile.ErrorRule
	if stream != "" {
		rule = c.profile.Errors
	}
	e := &Error{Stream: stream, Status: a.status, Message: c.clean(errorMessage(a.body, rule.Message))}
	switch s := a.status; {
	case s == http.StatusUnauthorized:
		e.Kind = Unauthorized
	case s == http.StatusForbidden:
		e.Kind = Forbidden
	case s == http.StatusNotFound, s == http.StatusGone:
		e.Kind = NotOffered
	case s == http.StatusTooManyRequests:
		e.Kind, e.transient = RateLimited, true
	case s >= 500:
		e.Kind = Server
		e.transient = s == 500 || s == 502 || s == 503 || s == 504
	case s >= 400:
		e.Kind = Rejected
	default: // 1xx, or a 3xx without a usable Location
		e.Kind = Garbage
	}
	if e.transient = e.transient || slices.Contains(rule.Retry, a.status); e.transient {
		e.RetryAfter = retryAfter(a.header.Get("Retry-After"), a.now())
		if e.RetryAfter == 0 && e.Kind == RateLimited {
			e.RetryAfter = untilReset(windows(a.header, a.now()))
		}
	}
	return e
}

// now returns the service's clock, which its headers refer to, or ours if it is not reported.
func (a *response) now() time.Time {
	if a.date.IsZero() {
		return time.Now()
	}
	return a.date
}

// question is a request for a page of a list.
type question struct {
	url  *url.URL
	body string // empty for none
	etag string // with one the response may be a 304; empty for none
}

// get asks q of the service that has the stream s, with the credential if its origin gets that. It
// tries once more if the token was refused and could be renewed.
func (c *caller) get(ctx context.Context, s *profile.Stream, q question) (*response, error) {
	key, sends := "", s.SendsCredential()
	if sends {
		var err error
		if key, err = c.key(ctx); err != nil {
			return nil, err
		}
	}
	for renewed := false; ; renewed = true {
		if err := c.budget.wait(ctx, s.Name); err != nil {
			return nil, err
		}
		method := cmp.Or(s.Method, http.MethodGet)
		var body io.Reader
		if q.body != "" {
			body = strings.NewReader(q.body)
		}
		r, err := http.NewRequestWithContext(ctx, method, q.url.String(), body)
		if err != nil {
			return nil, &Error{Kind: Rejected, Stream: s.Name, Err: errors.New(c.clean(err.Error()))}
		}
		r.Header.Set("Content-Type", "application/json") // the service requires it even on GET
		for name, value := range c.profile.Headers {
			r.Header.Set(name, value)
		}
		if sends {
			c.signatures.add(signer(c.profile.Auth).sign(r, key, q.body))
		}
		conditional := q.etag != "" && method == http.MethodGet
		if conditional {
			r.Header.Set("If-None-Match", q.etag)
		}
		a, err := c.do(ctx, s.Name, r, c.maxBody)
		if err != nil {
			return nil, err
		}
		c.budget.applyWindows(windows(a.header, a.now()))
		if a.success() || conditional && a.status == http.StatusNotModified {
			return a, nil
		}
		e := c.statusError(s.Name, a)
		if e.Kind == RateLimited {
			c.budget.pause(e.RetryAfter)
		}
		if e.Kind != Unauthorized || !sends || c.renew == nil || renewed {
			return nil, e
		}
		if key, err = c.renew(ctx, key); err != nil {
			return nil, err
		}
	}
}
