package apiclient

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Internals for the external tests.
var (
	RetryAfterOf = retryAfter
	ResetOf      = reset
)

func Explain(body []byte) string { return errorMessage(body, "") }

func Exhausted(h http.Header, now time.Time) time.Duration { return untilReset(windows(h, now)) }

// Windows returns the limits in h as pairs of what is left and the time to the end.
func Windows(h http.Header, now time.Time) (all []string) {
	for _, w := range windows(h, now) {
		all = append(all, fmt.Sprintf("%d in %v", w.left, w.ends))
	}
	return all
}

// Clean cleans s as a Client with these secrets does.
func Clean(s string, secrets ...string) string {
	return cleaner(func() []string { return secrets })(s)
}

func (c *Client) SetMaxPages(n int) { c.maxPages = n }

// SetRowTime sets how long a program may take for a row.
func (c *Client) SetRowTime(d time.Duration) { c.profile.RowTime = d }

func (c *Client) SetMaxKept(n int) { c.maxShared = n }

// Decoded is a page as the fuzz test and the benchmark see it.
type Decoded[P any] struct {
	Records []P
	Refused []*record.Refusal
	Total   int
}

var defaultProfile = sync.OnceValue(func() *profile.Profile {
	p, err := profile.Builtin("default")
	if err != nil {
		panic(err)
	}
	return p
})

func decoded[P record.Record](name string, body []byte) (*Decoded[P], *Error) {
	s := defaultProfile().Stream(name)
	p, broken := decodePage(s, nil, body, func(l *profile.List) (*profile.Rows, error) { return s.Map(context.Background(), l, profile.Context{}) })
	if broken != nil {
		return nil, broken
	}
	d := &Decoded[P]{Total: p.total, Records: make([]P, 0, len(p.Results))}
	for _, m := range p.Results {
		if m.Refused != nil {
			d.Refused = append(d.Refused, m.Refused)
		} else {
			d.Records = append(d.Records, m.Record.(P))
		}
	}
	if len(p.keys) != len(p.Ends) {
		panic("a row without a key or an end")
	}
	return d, nil
}

func DecodeEvents(body []byte) (*Decoded[*record.Event], *Error) {
	return decoded[*record.Event]("events", body)
}
func DecodeTickets(body []byte) (*Decoded[*record.Ticket], *Error) {
	return decoded[*record.Ticket]("tickets", body)
}
func DecodePayments(body []byte) (*Decoded[*record.Payment], *Error) {
	return decoded[*record.Payment]("payments", body)
}
func DecodeContacts(body []byte) (*Decoded[*record.Contact], *Error) {
	return decoded[*record.Contact]("contacts", body)
}
func DecodePlanning(body []byte) (*Decoded[*record.Planning], *Error) {
	return decoded[*record.Planning]("planning", body)
}

// ResumeText encodes a Query.From as a caller might forge it.
func ResumeText(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }

// Explore finds a list and its next page, by profile.PagingAuto and by every fixed style, from a
// first page at from.
func Explore(from *url.URL, header http.Header, body []byte) (places []string, errs []*Error) {
	l, err := profile.Find(body, "", false)
	if err != nil {
		return nil, []*Error{bodyError("events", err)}
	}
	for _, style := range profile.Pagings {
		rule := profile.PagingRule{Style: style}
		info := parsePageInfo(l, header, rule)
		pg := pager{rule: rule, auto: style == profile.PagingAuto, exploring: true, here: firstPosition(rule), seen: len(l.Rows), newRows: len(l.Rows)}
		next, more, err := pg.advance(from, info, len(l.Rows), "last")
		if e, ok := errors.AsType[*Error](err); ok {
			errs = append(errs, e)
		}
		if more && (next.Style == profile.PagingNext || next.Style == profile.PagingLinkHeader) {
			u, err := resolvePath(from, next.At)
			if err != nil {
				panic(err)
			}
			places = append(places, u.String())
		}
	}
	return places, errs
}

func (c *Client) SetTransport(f func(*http.Request) (*http.Response, error)) {
	c.http.Transport = transport(f)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Dialer returns what makes the Client's connections.
func (c *Client) Dialer() func(context.Context, string, string) (net.Conn, error) {
	return c.http.Transport.(*http.Transport).DialContext
}

// How bodies are read.
const (
	ChunkSize  = chunkSize
	SmallBody  = smallBody
	SharedBody = sharedBody
)

func ReadBody(ctx context.Context, body io.Reader, limit int64) (read []byte, done func(), tooLarge bool, err error) {
	read, done, tooLarge, err = readBody(ctx, ctx, body, limit)
	if done == nil {
		done = func() {}
	}
	return read, done, tooLarge, err
}

// TakenForBodies returns how many chunks and turns bodies have at the moment.
func TakenForBodies() (chunks, turns int) { return len(sharedChunks), len(largeTurn) + len(wholeTurn) }
