package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// profileOf parses a profile.
func profileOf(t testing.TB, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scripted responds by path and sorted query, with 404 to anything else; asked holds the requests.
type scripted struct {
	answers map[string]string
	header  http.Header
	asked   []string
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.EscapedPath()
	if q := r.URL.Query().Encode(); q != "" {
		q, _ = url.QueryUnescape(q)
		asked += "?" + q
	}
	if r.Method != http.MethodGet {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + asked + " " + string(body)
	}
	s.asked = append(s.asked, asked)
	for name, values := range s.header {
		w.Header()[name] = values
	}
	answer, ok := s.answers[asked]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if tag := fmt.Sprintf("%q", answer); len(tag) < 1000 {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			s.asked[len(s.asked)-1] += " 304"
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	io.WriteString(w, answer)
}

// requests returns what was asked since the last time.
func (s *scripted) requests() (asked []string) {
	asked, s.asked = s.asked, nil
	return asked
}

// read reads a stream and returns the ids of its records.
func read(t testing.TB, c *apiclient.Client, stream string, q apiclient.Query) (ids []string, err error) {
	g := gather(probing(t.Context(), c, stream, q))
	if len(g.refused) > 0 {
		t.Errorf("%s: refused %v", stream, g.refused)
	}
	return g.ids(), g.err
}

func TestStreams(t *testing.T) {
	c := newClient(t, apiclient.Options{BaseURL: "https://api.test", Profile: profileOf(t, `
name: shop
streams:
  - {name: venues, path: venues, keep: "{key: .id}"}
  - {name: shows, path: "{key}/shows", over: venues, keep: "{key: .id}", gives: [event], every: 1m}
  - {name: orders, path: "{key}/orders", over: shows, gives: [ticket, payment], records: ".", whole_every: 15m, since: {param: new, basis: created}}
  - {name: people, path: people, gives: [contact], since: {param: m}, drops_past: true}
`)})
	want := "[{shows  <nil> [event] true mapped 1m0s 0s false false  true} {orders  <nil> [ticket payment] false mapped 0s 15m0s false true created false} {people  <nil> [contact] true mapped 0s 0s true false updated false}]"
	streams := c.Streams()
	for i := range streams {
		if streams[i].Mapping == "" {
			t.Errorf("the rows of %s have no mapping", streams[i].Name)
		}
		streams[i].Mapping = "mapped"
	}
	if got := fmt.Sprint(streams); got != want {
		t.Errorf("streams %s, want %s", got, want)
	}
	for _, name := range []string{"venues", "tickets", ""} {
		if err := gather(c.Read(t.Context(), name, apiclient.Query{})).err; err == nil || !strings.Contains(err.Error(), `the profile "shop" has no such stream`) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The parameters of a request follow from the profile's rules and the query.
func TestParameters(t *testing.T) {
	since := time.Date(2026, 10, 24, 22, 30, 15, 0, time.UTC) // 00:30 in Amsterdam on the night when an hour repeats
	tests := []struct {
		name, stream string
		o            apiclient.Options
		q            apiclient.Query
		want         string
	}{
		{"nothing", "path: a", apiclient.Options{}, apiclient.Query{UpdatedSince: since, EventID: "e"}, "/a?page=1"},
		{"whole", "path: a, query: {x: 1, s: 2}, full: {s: c}, changes: {s: d}", apiclient.Options{}, apiclient.Query{}, "/a?page=1&s=c&x=1"},
		{"changes", "path: a, query: {x: 1, s: 2}, full: {s: c}, changes: {s: d}, since: {param: m}", apiclient.Options{},
			apiclient.Query{UpdatedSince: since}, "/a?m=2026-10-24T22:30:15Z&page=1&s=d&x=1"},
		{"by event", "path: a, by_event: ev", apiclient.Options{}, apiclient.Query{EventID: "e/1"}, "/a?ev=e/1&page=1"},
		{"unix", "path: a, since: {param: m, format: unix, basis: created}", apiclient.Options{}, apiclient.Query{UpdatedSince: since}, "/a?m=1792881015&page=1"},
		{"milliseconds", "path: a, since: {param: m, format: unix_ms}", apiclient.Options{}, apiclient.Query{UpdatedSince: since}, "/a?m=1792881015000&page=1"},
		{"layout", "path: a, since: {param: m, format: 2006-01-02 15:04, zone: Europe/Amsterdam}", apiclient.Options{}, apiclient.Query{UpdatedSince: since}, "/a?m=2026-10-25 00:30&page=1"},
		{"layout, the hour that repeats", "path: a, since: {param: m, format: 2006-01-02 15:04, zone: Europe/Amsterdam}", apiclient.Options{},
			apiclient.Query{UpdatedSince: since.Add(2 * time.Hour)}, "/a?m=2026-10-25 01:30&page=1"},
		{"layout, its second time", "path: a, since: {param: m, format: 2006-01-02 15:04, zone: Europe/Amsterdam}", apiclient.Options{},
			apiclient.Query{UpdatedSince: since.Add(3 * time.Hour)}, "/a?m=2026-10-25 02:30&page=1"},
		{"sizes", "path: a, paging: {size_param: n, size: 40}", apiclient.Options{}, apiclient.Query{}, "/a?n=40&page=1"},
		{"a lower size", "path: a, paging: {size_param: n, size: 40}", apiclient.Options{PageSize: 30}, apiclient.Query{}, "/a?n=30&page=1"},
		{"pages from zero", "path: a, paging: {style: page, param: p, from_zero: true}", apiclient.Options{}, apiclient.Query{}, "/a?p=0"},
		{"rows", "path: a, paging: {style: offset, param: skip, size_param: take}", apiclient.Options{}, apiclient.Query{}, "/a?skip=0&take=100"},
		{"a cursor", "path: a, paging: {cursor: meta.next, param: after, size_param: n}", apiclient.Options{}, apiclient.Query{}, "/a?n=100"},
		{"the operator knows better", "path: a, paging: {cursor: meta.next, param: after, size_param: n}", apiclient.Options{Paging: profile.PagingOffset},
			apiclient.Query{}, "/a?limit=100&offset=0"},
		{"POST", `path: a, method: POST, body: '{"q":"*"}', paging: {style: bare}`, apiclient.Options{}, apiclient.Query{}, `POST /a {"q":"*"}`},
		{"a slash at the end", "path: a/b/, paging: {style: bare}", apiclient.Options{}, apiclient.Query{}, "/a/b/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scripted{answers: map[string]string{test.want: `{"data":[]}`}}
			test.o.Profile = profileOf(t, "name: a\nstreams: [{name: a, gives: [event], "+test.stream+"}]")
			c := serve(t, s.ServeHTTP, test.o)
			if _, err := read(t, c, "a", test.q); err != nil || !slices.Equal(s.asked, []string{test.want}) {
				t.Errorf("asked for %q, want %q; %v", s.asked, test.want, err)
			}
		})
	}
}

// A list requested by POST has no usable ETag and is retried like any other.
func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, fails := &scripted{answers: map[string]string{`POST /a {"q":1}`: `{"data":[],"next":"/a?p=2"}`, `POST /a?p=2 {"q":1}`: `{"data":[],"next":null}`}}, 1
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if fails--; fails == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			s.ServeHTTP(w, r)
		}, apiclient.Options{Profile: profileOf(t, `{name: a, streams: [{name: a, path: a, gives: [event], method: POST, body: '{"q":1}', paging: {style: next, next: next}}]}`)})
		for range 2 {
			_, err := read(t, c, "a", apiclient.Query{Conditional: true})
			if asked := s.requests(); err != nil || !slices.Equal(asked, []string{`POST /a {"q":1}`, `POST /a?p=2 {"q":1}`}) {
				t.Errorf("asked for %q, %v", asked, err)
			}
		}
	})
}

// A list's address is searched for under all prefixes and names, once.
func TestAddresses(t *testing.T) {
	s := &scripted{answers: map[string]string{"/v1/b2": `{"data":[]}`, "/v1/a": `{"data":[]}`, "/v1/c": `{"data":[]}`}}
	c := serve(t, s.ServeHTTP, apiclient.Options{Paging: profile.PagingBare, Profile: profileOf(t, `
name: a
prefixes: ["", api, v1]
streams:
  - {name: a, path: a, gives: [event]}
  - {name: b, path: b, alternatives: [b1, b2], gives: [event]}
  - {name: d, path: d, alternatives: [d1], gives: [event]}
`)})
	for i, test := range []struct {
		stream string
		asked  []string
	}{
		{"b", []string{"/b", "/b1", "/b2", "/api/b", "/api/b1", "/api/b2", "/v1/b", "/v1/b1", "/v1/b2"}},
		{"b", []string{"/v1/b2"}},
		{"a", []string{"/v1/a"}},
		{"d", []string{"/v1/d", "/v1/d1", "/d", "/d1", "/api/d", "/api/d1"}},
	} {
		_, err := read(t, c, test.stream, using(c, test.stream, apiclient.Query{}))
		if asked := s.requests(); !slices.Equal(asked, test.asked) || (err != nil) != (test.stream == "d") {
			t.Errorf("%d: asked for %q, want %q; %v", i, asked, test.asked, err)
		}
	}
	delete(s.answers, "/v1/b2")
	s.answers["/v1/b"] = `{"data":[]}`
	if _, err := read(t, c, "b", apiclient.Query{}); err == nil || !slices.Equal(s.requests(), []string{"/v1/b2"}) {
		t.Errorf("asked for %q; %v", s.asked, err)
	}
	if _, err := read(t, c, "b", apiclient.Query{Explore: true}); err != nil || !slices.Equal(s.asked, []string{"/v1/b"}) {
		t.Errorf("asked for %q; %v", s.asked, err)
	}
}

// Page describes each response.
func TestPageReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := func(rule string, header http.Header) (report apiclient.Page) {
			s := &scripted{answers: map[string]string{"/v9/a": `[]`}, header: header}
			c := inMemory(t, s.ServeHTTP, apiclient.Options{BaseURL: "http://api.test/v9", Profile: profileOf(t, "name: a\n"+rule+"\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")})
			if _, err := read(t, c, "a", apiclient.Query{OnPage: func(p apiclient.Page) { report = p }}); err != nil {
				t.Fatal(err)
			}
			return report
		}
		now := time.Now().UTC()
		soon := now.Add(90 * time.Second)
		date := http.Header{"Date": {soon.Format(http.TimeFormat)}, "X-Ratelimit-Remaining": {"7"}, "Ratelimit": {`"m";r=7;t=5`}, "Ratelimit-Policy": {`"m";q=9;w=60`}}
		p := page("", date)
		if !p.ServerTime.Equal(soon) || p.Skew != 90*time.Second || p.Style != profile.PagingBare ||
			!slices.Equal(p.Limits, []string{"X-RateLimit-*", "RateLimit", "RateLimit-Policy"}) {
			t.Errorf("said %+v", p)
		}
		for reported, want := range map[string]time.Time{
			now.Add(time.Hour).Format("2006-01-02T15:04:05.999-07:00"): now.Add(time.Hour),
			now.Add(time.Hour).Format(http.TimeFormat):                 now.Add(time.Hour),
			"soon": soon,
			"":     soon,
		} {
			date.Set("X-Page-Generated", reported)
			if p := page("server_time: x-page-generated", date); !p.ServerTime.Equal(want) || p.Skew != 90*time.Second {
				t.Errorf("%q: said %+v", reported, p)
			}
		}
		if p := page("", http.Header{"Date": nil}); !p.ServerTime.IsZero() || p.Skew != 0 || p.Limits != nil {
			t.Errorf("said %+v without a date", p)
		}
	})
}

// A small body cannot make the client hold much more than the limits allow.
func TestLargePages(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		row := `{"of":[` + strings.Repeat("{},", 9_999) + "{}]}"
		io.WriteString(w, "["+strings.Repeat(row+",", 29)+row+"]")
	}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], records: '.of[]'}]")})
	c.SetRowTime(time.Minute) // generous for slow machines
	got := gather(probing(t.Context(), c, "a", apiclient.Query{}))
	if e := got.failure(t, apiclient.TooLarge); !strings.Contains(e.Error(), "more than 200000 records") || len(got.refused) > 0 {
		t.Errorf("%v after %d", e, len(got.refused))
	}

	pages := 0
	c = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if pages++; pages > 20 {
			t.Error("20 MiB are not enough")
			return
		}
		fmt.Fprintf(w, `{"data":[{"id":"%d","x":"%s"}],"next":"?p=%d"}`, pages, strings.Repeat("x", 1000_000), pages)
	}, apiclient.Options{Profile: profileOf(t, `
name: a
streams:
  - {name: a, path: a, keep: '{key: .id, x: [.x, .x, .x, .x]}'}
  - {name: b, path: 'b/{key}', over: a, gives: [event]}
`)})
	if e := gather(probing(t.Context(), c, "b", apiclient.Query{})).failure(t, apiclient.TooLarge); e.Stream != "a" || pages != 17 {
		t.Errorf("%v after %d pages", e, pages)
	}
}

// The time of programs per page is limited, and ending the context ends them.
func TestSlowPages(t *testing.T) {
	begun := make(chan struct{}, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		io.WriteString(w, "["+strings.Repeat(`{"id":"a"},`, 1000)+`{"id":"a"}]`)
	}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], records: 'def f: f; f'}]")})
	c.SetRowTime(10 * time.Millisecond)
	got := gather(probing(t.Context(), c, "a", apiclient.Query{}))
	if e := got.failure(t, apiclient.Slow); !strings.Contains(e.Error(), "a page takes the profile's program more than 300ms") || len(got.refused) > 0 {
		t.Errorf("%v after %d", e, len(got.refused))
	}
	<-begun

	c.SetRowTime(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if got := gather(probing(ctx, c, "a", apiclient.Query{})); !errors.Is(got.err, context.Canceled) || len(got.refused) > 0 {
		t.Errorf("%v after %d", got.err, len(got.refused))
	}
}
