package apiclient

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"housecount/apiclient/record"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// What the tests outside need of the inside.
var (
	RetryAfterOf = retryAfter
	ResetOf      = reset
)

func Explain(body []byte) string { return explain(body, "") }

func Exhausted(h http.Header, now time.Time) time.Duration { return exhausted(windows(h, now)) }

// Windows are the limits that h tells, as pairs of what is left and the time to the end.
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
func (c *Client) SetMaxKept(n int)  { c.maxKept = n }

// SetPatience sets how long a program may take for a row.
func (c *Client) SetPatience(d time.Duration) { c.profile.patience = d }

// Decoded is a page as the fuzzer and the benchmark see it.
type Decoded[P any] struct {
	Records []P
	Refused []*record.Refusal
	Total   int
}

var defaultProfile = sync.OnceValue(func() *Profile {
	p, err := BuiltinProfile("default")
	if err != nil {
		panic(err)
	}
	return p
})

func decoded[P record.Record](name string, body []byte) (*Decoded[P], *Error) {
	s := defaultProfile().stream(name)
	p, broken := decodePage(s, nil, body, func(p *page, raw []byte) (string, error) { return p.become(context.Background(), s, raw, nil, nil) })
	if broken != nil {
		return nil, broken
	}
	d := &Decoded[P]{Total: p.total, Records: make([]P, 0, len(p.gave))}
	for _, m := range p.gave {
		if m.Refused != nil {
			d.Refused = append(d.Refused, m.Refused)
		} else {
			d.Records = append(d.Records, m.Record.(P))
		}
	}
	if len(p.keys) != p.rows || len(p.ends) != p.rows {
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

// ResumeText is the text of a place in a list as a caller might forge it.
func ResumeText(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }

// Find returns the rows of the list in body; see find.
func Find(body []byte, path string, eachKey bool) ([][]byte, error) {
	l, err := find(body, path, eachKey)
	if err != nil {
		return nil, err
	}
	return l.entries, nil
}

// Explore finds a list and where it goes on, as PagingAuto and every fixed style do, from
// a first page at from.
func Explore(from *url.URL, header http.Header, body []byte) (places []string, errs []*Error) {
	l, err := find(body, "", false)
	if err != nil {
		return nil, []*Error{unreadable("events", err)}
	}
	for _, style := range Pagings {
		rule := pagingRule{Style: style}
		t := listen(l, header, rule)
		c := course{rule: rule, auto: style == PagingAuto, here: rule.begin(), seen: len(l.entries), fresh: len(l.entries)}
		next, more, err := c.onward(from, t, len(l.entries), "last")
		if e, ok := errors.AsType[*Error](err); ok {
			errs = append(errs, e)
		}
		if more && (next.Style == PagingNext || next.Style == PagingLinkHeader) {
			u, err := follow(from, next.At)
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

// With fills in the variables of p, as a Client does.
func (p *Profile) With(vars map[string]string) (*Profile, error) { return p.with(vars) }

// SetPatience sets how long a program may take for a row.
func (p *Profile) SetPatience(d time.Duration) { p.patience = d }

// Mapped is what a row becomes: records, and why others were refused.
type Mapped struct {
	ID      string
	Records []record.Record
	Refused []*record.Refusal
}

// MapRow maps a row of the stream of that name, to nothing where it gives nothing.
func (p *Profile) MapRow(stream, row string, over any, with map[string]any) (m Mapped) {
	if len(p.stream(stream).Gives) == 0 {
		return m
	}
	var one page
	var err error
	if m.ID, err = one.become(context.Background(), p.stream(stream), []byte(row), over, with); err != nil {
		m.Refused = append(m.Refused, &record.Refusal{Stream: stream, Why: "is no JSON"})
	}
	for _, r := range one.gave {
		if (r.Record == nil) == (r.Refused == nil) {
			panic("neither a record nor a refusal, or both")
		}
		if r.Refused != nil {
			m.Refused = append(m.Refused, r.Refused)
		} else {
			m.Records = append(m.Records, r.Record)
		}
	}
	return m
}

// KeepRow keeps a row of the stream of that name for other streams.
func (p *Profile) KeepRow(stream, row string, over any) (key string, kept map[string]any, err error) {
	v, err := decodeAny([]byte(row))
	if err != nil {
		return "", nil, err
	}
	return p.stream(stream).keepRow(context.Background(), v, over)
}

// Said is what p says where variables may stand, in the order of the file.
func (p *Profile) Said() []string {
	said := append([]string{p.rules.BaseURL}, p.Prefixes...)
	for _, m := range []map[string]string{p.Headers, {"": p.Auth.OAuth.TokenURL}, p.Auth.OAuth.Params} {
		said = slices.AppendSeq(said, maps.Values(m))
	}
	said = append(said, p.Money.Currency, p.Time.Zone)
	for _, s := range p.streams {
		said = append(append(said, s.Path), s.Alternatives...)
		said = append(said, s.Body)
		for _, m := range []map[string]string{s.Query, s.Full, s.Changes} {
			said = slices.AppendSeq(said, maps.Values(m))
		}
		if s.Since.Param != "" {
			said = append(said, s.Since.Zone)
		}
	}
	return said
}

// MinorUnits reads an amount as a profile with this unit and rounding does.
func MinorUnits(unit, rounding, currency, s string) (amount int64, why string) {
	return moneyRule{Unit: unit, Rounding: rounding}.minorUnits(s, currency)
}

// ParseTime reads a time as a profile with this format does; ok is false where it is none,
// or the format is none.
func ParseTime(format, s string, in *time.Location) (t time.Time, ok bool) {
	f, why := newTimeFormat(format)
	if why != "" {
		return t, false
	}
	return parseTime(s, []timeFormat{f}, in)
}

// StreamNames are the streams of p, for the fuzzer.
func (p *Profile) StreamNames() (names []string) {
	for _, s := range p.streams {
		names = append(names, s.Name)
	}
	return names
}

// Keeps says whether the stream keeps rows for others.
func (p *Profile) Keeps(stream string) bool { return p.stream(stream).keep != nil }

// ZonesKept is the number of time zones that p remembers.
func (p *Profile) ZonesKept() int { return len(p.zones.byName) }

// StreamRule is what a sample of a stream's answer has to be read with.
type StreamRule struct {
	Name, List, Over, With string
	Keeps                  bool
	Gives                  []record.Kind
}

// StreamRules are the streams of p in their order.
func (p *Profile) StreamRules() (rules []StreamRule) {
	for _, s := range p.streams {
		rules = append(rules, StreamRule{s.Name, s.List, s.Over, s.With, s.keep != nil, s.Gives})
	}
	return rules
}
