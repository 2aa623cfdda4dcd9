package apiclient_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
)

// profileOf is the profile that a text says.
func profileOf(t testing.TB, text string) *apiclient.Profile {
	t.Helper()
	p, err := apiclient.ParseProfile("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scripted answers by path and query, parameters in the order of their names; what it was
// asked is in asked. What it has no answer for is not found.
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

// were returns what was asked since the last time.
func (s *scripted) were() (asked []string) {
	asked, s.asked = s.asked, nil
	return asked
}

// read reads a stream and returns the ids of its records.
func read(t testing.TB, c *apiclient.Client, stream string, q apiclient.Query) (ids []string, err error) {
	g := gather(c.Read(t.Context(), stream, q))
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
  - {name: people, path: people, gives: [contact], since: {param: m}}
`)})
	want := "[{shows [event] 1m0s 0s false } {orders [ticket payment] 0s 15m0s true created} {people [contact] 0s 0s false updated}]"
	if got := fmt.Sprint(c.Streams()); got != want {
		t.Errorf("streams %s, want %s", got, want)
	}
	for _, name := range []string{"venues", "tickets", ""} {
		if _, err := read(t, c, name, apiclient.Query{}); err == nil || !strings.Contains(err.Error(), `the profile "shop" has no such stream`) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What is asked for follows from the profile's rules and the query.
func TestParameters(t *testing.T) {
	since := time.Date(2026, 10, 24, 22, 30, 15, 0, time.UTC) // 00:30 in Amsterdam, the night in which an hour repeats
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
		{"the operator knows better", "path: a, paging: {cursor: meta.next, param: after, size_param: n}", apiclient.Options{Paging: apiclient.PagingOffset},
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

// A list that is asked for by POST has no ETag that counts, and is tried again like any other.
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
			if asked := s.were(); err != nil || !slices.Equal(asked, []string{`POST /a {"q":1}`, `POST /a?p=2 {"q":1}`}) {
				t.Errorf("asked for %q, %v", asked, err)
			}
		}
	})
}

// Where a list is, is found out under all prefixes and names, once.
func TestAddresses(t *testing.T) {
	s := &scripted{answers: map[string]string{"/v1/b2": `{"data":[]}`, "/v1/a": `{"data":[]}`, "/v1/c": `{"data":[]}`}}
	c := serve(t, s.ServeHTTP, apiclient.Options{Paging: apiclient.PagingBare, Profile: profileOf(t, `
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
		{"d", []string{"/v1/d", "/v1/d1"}},
	} {
		_, err := read(t, c, test.stream, apiclient.Query{})
		if asked := s.were(); !slices.Equal(asked, test.asked) || (err != nil) != (test.stream == "d") {
			t.Errorf("%d: asked for %q, want %q; %v", i, asked, test.asked, err)
		}
	}
	delete(s.answers, "/v1/b2")
	s.answers["/v1/b"] = `{"data":[]}`
	if _, err := read(t, c, "b", apiclient.Query{}); err != nil || !slices.Equal(s.asked, []string{"/v1/b2", "/v1/b"}) {
		t.Errorf("asked for %q; %v", s.asked, err)
	}
}

func eventOf(id string, updated time.Time) string {
	return fmt.Sprintf(`{"id":%q,"title":"","date":"2026-11-21","updated_at":%q}`, id, updated.Format(time.RFC3339))
}

// A service that cannot be asked for changes is read whole; if nothing is different since an
// earlier mark, that costs a question.
func TestChangesOfAListThatIsReadWhole(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	s := &scripted{}
	answer := func(ids ...string) {
		rows := make([]string, len(ids))
		for i, id := range ids {
			rows[i] = eventOf(id, at.Add(-time.Duration(i)*time.Minute))
		}
		s.answers = map[string]string{"/a": "[" + strings.Join(rows, ",") + "]"}
	}
	answer("a", "b", "c")
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")})
	steps := []struct {
		since time.Duration // before at
		ids   []string
		asked string
	}{
		{90 * time.Second, []string{"a", "b"}, "/a"},
		{90 * time.Second, []string{"a", "b"}, "/a"}, // the reader may not have kept it
		{89 * time.Second, nil, "/a 304"},
		{80 * time.Second, nil, "/a 304"},
		{80 * time.Second, nil, "/a 304"}, // nothing was lost
		{300 * time.Second, []string{"a", "b", "c"}, "/a"},
	}
	for i, step := range steps {
		var said []apiclient.Page
		ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at.Add(-step.since), OnPage: func(p apiclient.Page) { said = append(said, p) }})
		if asked := s.were(); err != nil || !slices.Equal(ids, step.ids) || !slices.Equal(asked, []string{step.asked}) {
			t.Errorf("%d: %q by %q, want %q by %q; %v", i, ids, asked, step.ids, step.asked, err)
		}
		if len(said) != 1 || said[0].Unchanged != strings.HasSuffix(step.asked, "304") || said[0].ServerTime.IsZero() || said[0].Number != 1 {
			t.Errorf("%d: said %+v", i, said)
		}
	}
	// A whole read was not compared with what was left out of one of changes.
	if ids, err := read(t, c, "a", apiclient.Query{Conditional: true}); err != nil || len(ids) != 3 || s.were()[0] != "/a" {
		t.Errorf("%q, %v", ids, err)
	}
	answer("d")
	if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, []string{"d"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

// That a service ignores the filter shows by a record that is older.
func TestUnfiltered(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		rule       string
		oldest     time.Duration // before at, which is asked for
		unfiltered bool
		left       int // of two records
	}{
		"filtered":              {"{param: m}", 0, false, 2},
		"a second":              {"{param: m}", time.Second, false, 1},
		"ignored":               {"{param: m}", 2 * time.Second, true, 1},
		"by the minute":         {"{param: m, format: 2006-01-02 15:04}", 2 * time.Second, true, 1},
		"within the minute":     {"{param: m, format: 2006-01-02 15}", 2 * time.Second, true, 1},
		"only new ones":         {"{param: m, basis: created}", time.Hour, false, 2},
		"cannot be asked":       {"{}", time.Hour, false, 1},
		"by the day, not older": {"{param: m, format: 2006-01-02}", 20 * time.Hour, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			warned := strings.Builder{}
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "[%s,%s]", eventOf("a", at), eventOf("b", at.Add(-test.oldest)))
			}, apiclient.Options{Log: slog.New(slog.NewTextHandler(&warned, nil)), Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}, since: "+test.rule+"}]")})
			for range 2 {
				var said apiclient.Page
				ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at, OnPage: func(p apiclient.Page) { said = p }})
				if err != nil || len(ids) != test.left || said.Unfiltered != test.unfiltered {
					t.Errorf("%q, said %+v, %v", ids, said, err)
				}
			}
			if n := strings.Count(warned.String(), "ignores that only changes"); n != map[bool]int{true: 1}[test.unfiltered] {
				t.Errorf("warned %d times: %s", n, warned.String())
			}
		})
	}
}

// Once it is known that the filter is ignored, a list that does not come newest first is read
// whole, and only when it has changed.
func TestUnfilteredListsAreCompared(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	rows, answers := [2]string{eventOf("a", at.Add(-time.Hour)) + "," + eventOf("b", at.Add(-90*time.Second)), eventOf("d", at.Add(-2*time.Hour))}, []string{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := asked{Values: r.URL.Query()}.number("page", 1) - 1
		w.Header().Set("ETag", fmt.Sprintf("%q", rows[n]))
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			answers = append(answers, "304")
			w.WriteHeader(304)
			return
		}
		answers = append(answers, "200")
		fmt.Fprintf(w, `{"data":[%s],"next":%s}`, rows[n], orNull(n == 0, `"?m=x&page=2"`))
	}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], since: {param: m}}]")})
	for i, step := range []struct {
		since   time.Duration // before at
		ids     []string
		answers []string
	}{
		{2 * time.Minute, []string{"b"}, []string{"200", "200"}},
		{time.Minute, nil, []string{"304", "304"}},
		{time.Minute, nil, []string{"304", "304"}},
		{2 * time.Minute, []string{"b"}, []string{"200", "200"}},
		{0, []string{"c"}, []string{"304", "200", "200", "200"}},
	} {
		if i == 4 {
			rows[1] = eventOf("c", at)
		}
		answers = nil
		ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at.Add(-step.since)})
		if err != nil || !slices.Equal(ids, step.ids) || !slices.Equal(answers, step.answers) {
			t.Errorf("%d: %q by %q, want %q by %q; %v", i, ids, answers, step.ids, step.answers, err)
		}
	}
}

// Without having asked for it, the order of a list that the service does not filter is an
// accident: here it is that of creation, and what has changed is among the old.
func TestUnfilteredListInAnOrderOfItsOwn(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for changes, want := range map[string][]string{"": {"c"}, "changes: {sort: -updated_at}, ": nil} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("page") == "2" {
				fmt.Fprintf(w, `{"data":[%s],"next":null}`, eventOf("c", at))
				return
			}
			fmt.Fprintf(w, `{"data":[%s,%s],"next":"?page=2"}`, eventOf("a", at.Add(-time.Hour)), eventOf("b", at.Add(-2*time.Hour)))
		}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+changes+"since: {param: m}}]")})
		if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %q, %v", changes, ids, err)
		}
	}
}

// A list that cannot be asked for changes promises no order: all of it is read.
func TestChangesThatCannotBeAskedFor(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	old := at.Add(-time.Hour)
	s := &scripted{answers: map[string]string{
		"/a?page=1": fmt.Sprintf(`{"data":[%s,%s],"total":3}`, eventOf("a", old), eventOf("b", old)),
		"/a?page=2": fmt.Sprintf(`{"data":[%s],"total":3}`, eventOf("c", at)),
	}}
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], paging: {style: page}}]")})
	if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, []string{"c"}) {
		t.Errorf("%q by %q, %v", ids, s.asked, err)
	}
}

// A row with several records is as new as the newest.
func TestChangesOfRowsWithSeveralRecords(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `[{"id":1,"at":[%q,%q]},{"id":2,"at":[%q,%q]}]`, at.Format(time.RFC3339), at.Add(-time.Hour).Format(time.RFC3339),
			at.Add(-time.Minute).Format(time.RFC3339), at.Add(-time.Hour).Format(time.RFC3339))
	}, apiclient.Options{Profile: profileOf(t, `
name: a
streams:
  - name: a
    path: a
    gives: [event]
    records: '.id as $id | .at | to_entries[] | {id: "\($id)-\(.key)", title: "x", date: "2026-11-21", updated_at: .value}'
`)})
	if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, []string{"1-0", "1-1"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

// Lists and pages of which the profile says where they are.
func TestDeclaredPaging(t *testing.T) {
	row := func(id string) string { return fmt.Sprintf(`{"id":%q,"title":"","date":"2026-11-21"}`, id) }
	a, b, c := row("a"), row("b"), row("c")
	for name, test := range map[string]struct {
		rule    string
		answers map[string]string
		ids     []string
		style   apiclient.Paging
		total   int
	}{
		"next": {"list: result.rows, paging: {next: result.links.onward, total: info.count}", map[string]string{
			"/a":     `{"result":{"rows":[` + a + `],"links":{"onward":"/a?p=2"}},"other":[1],"info":{"count":2}}`,
			"/a?p=2": `{"result":{"rows":[` + b + `],"links":{"onward":null}},"info":{"count":2}}`,
		}, []string{"a", "b"}, apiclient.PagingNext, 2},
		"cursor": {"paging: {cursor: page.after, param: from}", map[string]string{
			"/a":        `{"data":[` + a + `],"page":{"after":7},"next":"/elsewhere"}`,
			"/a?from=7": `{"data":[` + b + `],"page":{"after":""}}`,
		}, []string{"a", "b"}, apiclient.PagingCursor, -1},
		"the last row": {"paging: {last: seq.no, param: after, more: has.more}", map[string]string{
			"/a":          `{"data":[` + a + `,{"id":"b","title":"","date":"2026-11-21","seq":{"no":12}}],"has":{"more":true}}`,
			"/a?after=12": `{"data":[` + c + `],"has":{"more":false}}`,
		}, []string{"a", "b", "c"}, apiclient.PagingCursor, -1},
		"the last row, to an empty page": {"paging: {last: id, param: after}", map[string]string{
			"/a":         `{"data":[` + a + `]}`,
			"/a?after=a": `{"data":[` + b + `]}`,
			"/a?after=b": `{"data":[]}`,
		}, []string{"a", "b"}, apiclient.PagingCursor, -1},
		"the last row, until no next is told": {"paging: {style: cursor, last: id, param: after, next: links.next}", map[string]string{
			"/a":         `{"data":[` + a + `],"links":{"next":"/wherever"}}`,
			"/a?after=a": `{"data":[` + b + `],"links":{"next":null}}`,
		}, []string{"a", "b"}, apiclient.PagingCursor, -1},
		"a cursor, until there is no more": {"paging: {cursor: p.c, more: p.more}", map[string]string{
			"/a":          `{"data":[` + a + `],"p":{"c":"x","more":true}}`,
			"/a?cursor=x": `{"data":[` + b + `],"p":{"c":"y","more":false}}`,
		}, []string{"a", "b"}, apiclient.PagingCursor, -1},
		"numbers, until next is null": {"paging: {style: page, next: links.next}", map[string]string{
			"/a?page=1": `{"data":[` + a + `],"links":{"next":"/elsewhere"},"total":1}`,
			"/a?page=2": `{"data":[` + b + `],"links":{"next":null},"total":1}`,
		}, []string{"a", "b"}, apiclient.PagingPage, 1},
		"numbers, with a next that tells nothing": {"paging: {style: page, next: next}", map[string]string{
			"/a?page=1": `{"data":[` + a + `],"next":2,"total":3}`,
			"/a?page=2": `{"data":[` + b + `],"next":{},"total":3}`,
			"/a?page=3": `{"data":[` + c + `],"total":3}`,
		}, []string{"a", "b", "c"}, apiclient.PagingPage, 3},
		"numbers from zero": {"paging: {style: page, param: p, from_zero: true, more: more}", map[string]string{
			"/a?p=0": `{"data":[` + a + `],"more":true,"total":1}`,
			"/a?p=1": `{"data":[` + b + `],"more":false,"total":1}`,
		}, []string{"a", "b"}, apiclient.PagingPage, 1},
		"one row": {"list: .", map[string]string{"/a?page=1": a}, []string{"a"}, apiclient.PagingBare, -1},
		"a member each": {"list: result, each_key: true, records: '{id: .key, title, date}'", map[string]string{
			"/a?page=1": `{"result":{"x":` + a + `,"y\"":{"title":"t","date":"2026-11-21","key":"own"}},"meta":{"total":2}}`,
		}, []string{"x", `y"`}, apiclient.PagingPage, 2},
		"a member each, of the answer": {"each_key: true, records: '{id: .key, title: \"x\", date: \"2026-11-21\"}'", map[string]string{
			"/a?page=1": `{"x":{ },"y":{"a":1}}`,
		}, []string{"x", "y"}, apiclient.PagingBare, -1},
		"nothing where the list is": {"list: a.b", map[string]string{"/a?page=1": `{"a":null}`}, nil, apiclient.PagingPage, -1},
		"HAL": {"list: _embedded.shows, paging: {size_param: per_page}", map[string]string{
			"/a?page=1&per_page=100": `{"_embedded":{"shows":[` + a + `],"x":[]},"_links":{"next":{"href":"?c=2"}}}`,
			"/a?c=2":                 `{"_embedded":{"shows":[` + b + `],"x":[]},"_links":{}}`,
		}, []string{"a", "b"}, apiclient.PagingNext, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: test.answers}
			client := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+test.rule+"}]")})
			var said []apiclient.Page
			ids, err := read(t, client, "a", apiclient.Query{OnPage: func(p apiclient.Page) { said = append(said, p) }})
			if err != nil || !slices.Equal(ids, test.ids) {
				t.Fatalf("%q by %q, %v", ids, s.asked, err)
			}
			for i, p := range said {
				if p.Number != i+1 || p.Style != test.style || p.Total != test.total || p.Path != "/a" {
					t.Errorf("said %+v", p)
				}
			}
			if len(said) < 2 {
				return
			}
			if rest, err := read(t, client, "a", apiclient.Query{From: said[0].Resume}); err != nil || len(rest) != len(ids)-said[0].Rows {
				t.Errorf("%q after the first page, %v", rest, err)
			}
		})
	}
}

// A list that goes on, of which the answer does not say where, is not taken for the whole.
func TestListThatLeadsNowhere(t *testing.T) {
	const row = `{"id":"a","title":"","date":"2026-11-21"}`
	for name, test := range map[string]struct{ rule, answer string }{
		"a last row without the cursor":        {"paging: {last: seq, param: after}", `{"data":[` + row + `]}`},
		"no cursor, and more":                  {"paging: {cursor: p.c, more: p.more}", `{"data":[` + row + `],"p":{"more":true}}`},
		"no next, and more":                    {"paging: {next: p.n, more: p.more}", `{"data":[` + row + `],"p":{"more":true}}`},
		"a number for an address":              {"paging: {next: p.n}", `{"data":[` + row + `],"p":{"n":2}}`},
		"an object for an address":             {"paging: {next: p.n}", `{"data":[` + row + `],"p":{"n":{"url":"/a?p=2"}}}`},
		"after a row without an id, by itself": {"paging: {style: auto}", `{"object":"list","has_more":true,"data":[{"name":"x"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, test.answer) },
				apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+test.rule+"}]")})
			e := gather(c.Read(t.Context(), "a", apiclient.Query{})).failure(t, apiclient.Garbage)
			if e.Stream != "a" || !strings.Contains(e.Error(), "does not say where") {
				t.Error(e)
			}
		})
	}
	// In the way of HAL, the address is in an object.
	s := &scripted{answers: map[string]string{
		"/a":     `{"data":[` + row + `],"_links":{"next":{"href":"?p=2"}}}`,
		"/a?p=2": `{"data":[{"id":"b","title":"","date":"2026-11-21"}],"_links":{}}`,
	}}
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], paging: {next: _links.next}}]")})
	if ids, err := read(t, c, "a", apiclient.Query{}); err != nil || !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

func TestDeclaredListsThatAreNotThere(t *testing.T) {
	for _, test := range []struct{ rule, body, fault string }{
		{"list: a.b", `{"a":{}}`, "nothing at a.b"},
		{"list: a.b", `{"data":[]}`, "nothing at a"},
		{"list: a.b", `{"a":[]}`, "no list at a.b"},
		{"list: a.b", `{"a":{"b":{}}}`, "no list at a.b"},
		{"list: a", `{"a":[],"a":[]}`, "two members named a"},
		{"list: a", `{"a":[],"b":x}`, "not JSON"},
		{"list: a", `{"a":x}`, "not JSON"},
		{"list: a", `[]`, "no object with a list"},
		{"list: a, each_key: true", `{"a":[]}`, "no object with a list"},
		{"each_key: true", `[]`, "no object with a list"},
		{"each_key: true", `{"a":{]}`, "invalid character"},
		{"each_key: true", `{"a":{"b":1]}`, "invalid character"},
		{"each_key: true", `{"a":{`, "cut short"},
		{"list: .", `{"a":`, "cut short"},
		{"list: .", `{} {}`, "follows"},
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, test.body) },
			apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+test.rule+"}]")})
		e := gather(c.Read(t.Context(), "a", apiclient.Query{})).failure(t, apiclient.Garbage)
		if !strings.Contains(e.Error(), test.fault) {
			t.Errorf("%s of %s: %v, want %q", test.rule, test.body, e, test.fault)
		}
	}
}

// What a page says beside its rows.
func TestPageSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := func(rule string, header http.Header) (said apiclient.Page) {
			s := &scripted{answers: map[string]string{"/v9/a": `[]`}, header: header}
			c := inMemory(t, s.ServeHTTP, apiclient.Options{BaseURL: "http://api.test/v9", Profile: profileOf(t, "name: a\n"+rule+"\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")})
			if _, err := read(t, c, "a", apiclient.Query{OnPage: func(p apiclient.Page) { said = p }}); err != nil {
				t.Fatal(err)
			}
			return said
		}
		now := time.Now().UTC()
		soon := now.Add(90 * time.Second)
		date := http.Header{"Date": {soon.Format(http.TimeFormat)}, "X-Ratelimit-Remaining": {"7"}, "Ratelimit": {`"m";r=7;t=5`}, "Ratelimit-Policy": {`"m";q=9;w=60`}}
		p := page("", date)
		if !p.ServerTime.Equal(soon) || p.Skew != 90*time.Second || p.Path != "/v9/a" || p.Style != apiclient.PagingBare ||
			!slices.Equal(p.Limits, []string{"X-RateLimit-*", "RateLimit", "RateLimit-Policy"}) {
			t.Errorf("said %+v", p)
		}
		for told, want := range map[string]time.Time{
			now.Add(time.Hour).Format("2006-01-02T15:04:05.999-07:00"): now.Add(time.Hour),
			now.Add(time.Hour).Format(http.TimeFormat):                 now.Add(time.Hour),
			"soon": soon,
			"":     soon,
		} {
			date.Set("X-Page-Generated", told)
			if p := page("server_time: x-page-generated", date); !p.ServerTime.Equal(want) || p.Skew != 90*time.Second {
				t.Errorf("%q: said %+v", told, p)
			}
		}
		if p := page("", http.Header{"Date": nil}); !p.ServerTime.IsZero() || p.Skew != 0 || p.Limits != nil {
			t.Errorf("said %+v without a date", p)
		}
	})
}

func TestErrorRules(t *testing.T) {
	profile := profileOf(t, "name: a\nerrors: {message: fault.text, retry: [409]}\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")
	synctest.Test(t, func(t *testing.T) {
		body, calls := "", 0
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls < 3 {
				w.WriteHeader(409)
				io.WriteString(w, body)
				return
			}
			io.WriteString(w, "[]")
		}, apiclient.Options{Profile: profile})
		if _, err := read(t, c, "a", apiclient.Query{}); err != nil || calls != 3 {
			t.Errorf("%v by %d calls", err, calls)
		}
		for _, test := range []struct{ body, want string }{
			{`{"message":"no","fault":{"text":"busy"}}`, "busy"},
			{`{"message":"no","fault":{"text":{}}}`, "no"},
			{`{"message":"no"}`, "no"},
		} {
			body, calls = test.body, -100
			e := gather(c.Read(t.Context(), "a", apiclient.Query{})).failure(t, apiclient.Rejected)
			if e.Message != test.want || e.Stream != "a" || calls != -96 {
				t.Errorf("%s: %v by %d calls", test.body, e, calls+100)
			}
		}
	})
}

// The lower of the profile's limit and ours holds.
func TestProfileLimits(t *testing.T) {
	for _, test := range []struct {
		rule     string
		ours     int
		interval time.Duration
	}{
		{"", 120, 500 * time.Millisecond},
		{"limits: {per_minute: 30}", 120, 2 * time.Second},
		{"limits: {per_minute: 300}", 120, 500 * time.Millisecond},
		{"limits: {per_minute: 6}", 0, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			o := apiclient.Options{BaseURL: "http://api.test", APIKey: testKey, RequestsPerMinute: test.ours,
				Profile: profileOf(t, "name: a\n"+test.rule+"\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")}
			c, err := apiclient.New(o)
			if err != nil {
				t.Fatal(err)
			}
			c.SetTransport(func(r *http.Request) (*http.Response, error) {
				calls++
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("[]")), Request: r, ContentLength: 2}, nil
			})
			for range 20 { // use up what may be had at once
				read(t, c, "a", apiclient.Query{})
			}
			start := time.Now()
			for range 10 {
				if _, err := read(t, c, "a", apiclient.Query{}); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start).Round(10 * time.Millisecond); took != 10*test.interval {
				t.Errorf("%q with %d: 10 calls in %v, want %v", test.rule, test.ours, took, 10*test.interval)
			}
		})
	}
}
