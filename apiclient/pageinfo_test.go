package apiclient_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// The profile says where lists and their paging fields are.
func TestDeclaredPaging(t *testing.T) {
	row := func(id string) string { return fmt.Sprintf(`{"id":%q,"title":"","date":"2026-11-21"}`, id) }
	a, b, c := row("a"), row("b"), row("c")
	for name, test := range map[string]struct {
		rule    string
		answers map[string]string
		ids     []string
		style   profile.Paging
		total   int
	}{
		"next": {"list: result.rows, paging: {next: result.links.onward, total: info.count}", map[string]string{
			"/a":     `{"result":{"rows":[` + a + `],"links":{"onward":"/a?p=2"}},"other":[1],"info":{"count":2}}`,
			"/a?p=2": `{"result":{"rows":[` + b + `],"links":{"onward":null}},"info":{"count":2}}`,
		}, []string{"a", "b"}, profile.PagingNext, 2},
		"cursor": {"paging: {cursor: page.after, param: from}", map[string]string{
			"/a":        `{"data":[` + a + `],"page":{"after":7},"next":"/elsewhere"}`,
			"/a?from=7": `{"data":[` + b + `],"page":{"after":""}}`,
		}, []string{"a", "b"}, profile.PagingCursor, -1},
		"the last row": {"paging: {last: seq.no, param: after, more: has.more}", map[string]string{
			"/a":          `{"data":[` + a + `,{"id":"b","title":"","date":"2026-11-21","seq":{"no":12}}],"has":{"more":true}}`,
			"/a?after=12": `{"data":[` + c + `],"has":{"more":false}}`,
		}, []string{"a", "b", "c"}, profile.PagingCursor, -1},
		"the last row, to an empty page": {"paging: {last: id, param: after}", map[string]string{
			"/a":         `{"data":[` + a + `]}`,
			"/a?after=a": `{"data":[` + b + `]}`,
			"/a?after=b": `{"data":[]}`,
		}, []string{"a", "b"}, profile.PagingCursor, -1},
		"the last row, until no next is told": {"paging: {style: cursor, last: id, param: after, next: links.next}", map[string]string{
			"/a":         `{"data":[` + a + `],"links":{"next":"/wherever"}}`,
			"/a?after=a": `{"data":[` + b + `],"links":{"next":null}}`,
		}, []string{"a", "b"}, profile.PagingCursor, -1},
		"a cursor, until there is no more": {"paging: {cursor: p.c, more: p.more}", map[string]string{
			"/a":          `{"data":[` + a + `],"p":{"c":"x","more":true}}`,
			"/a?cursor=x": `{"data":[` + b + `],"p":{"c":"y","more":false}}`,
		}, []string{"a", "b"}, profile.PagingCursor, -1},
		"numbers, until next is null": {"paging: {style: page, next: links.next}", map[string]string{
			"/a?page=1": `{"data":[` + a + `],"links":{"next":"/elsewhere"},"total":1}`,
			"/a?page=2": `{"data":[` + b + `],"links":{"next":null},"total":1}`,
		}, []string{"a", "b"}, profile.PagingPage, 1},
		"numbers, with a next that tells nothing": {"paging: {style: page, next: next}", map[string]string{
			"/a?page=1": `{"data":[` + a + `],"next":2,"total":3}`,
			"/a?page=2": `{"data":[` + b + `],"next":{},"total":3}`,
			"/a?page=3": `{"data":[` + c + `],"total":3}`,
		}, []string{"a", "b", "c"}, profile.PagingPage, 3},
		"numbers from zero": {"paging: {style: page, param: p, from_zero: true, more: more}", map[string]string{
			"/a?p=0": `{"data":[` + a + `],"more":true,"total":1}`,
			"/a?p=1": `{"data":[` + b + `],"more":false,"total":1}`,
		}, []string{"a", "b"}, profile.PagingPage, 1},
		"one row": {"list: .", map[string]string{"/a?page=1": a}, []string{"a"}, profile.PagingBare, -1},
		"a member each": {"list: result, each_key: true, records: '{id: .key, title, date}'", map[string]string{
			"/a?page=1": `{"result":{"x":` + a + `,"y\"":{"title":"t","date":"2026-11-21","key":"own"}},"meta":{"total":2}}`,
		}, []string{"x", `y"`}, profile.PagingPage, 2},
		"a member each, of the answer": {"each_key: true, records: '{id: .key, title: \"x\", date: \"2026-11-21\"}'", map[string]string{
			"/a?page=1": `{"x":{ },"y":{"a":1}}`,
		}, []string{"x", "y"}, profile.PagingBare, -1},
		"nothing where the list is": {"list: a.b", map[string]string{"/a?page=1": `{"a":null}`}, nil, profile.PagingPage, -1},
		"HAL": {"list: _embedded.shows, paging: {size_param: per_page}", map[string]string{
			"/a?page=1&per_page=100": `{"_embedded":{"shows":[` + a + `],"x":[]},"_links":{"next":{"href":"?c=2"}}}`,
			"/a?c=2":                 `{"_embedded":{"shows":[` + b + `],"x":[]},"_links":{}}`,
		}, []string{"a", "b"}, profile.PagingNext, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: test.answers}
			client := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+test.rule+"}]")})
			var report []apiclient.Page
			ids, err := read(t, client, "a", apiclient.Query{OnPage: func(p apiclient.Page) { report = append(report, p) }})
			if err != nil || !slices.Equal(ids, test.ids) {
				t.Fatalf("%q by %q, %v", ids, s.asked, err)
			}
			for i, p := range report {
				if p.Number != i+1 || p.Style != test.style || p.Total != test.total {
					t.Errorf("said %+v", p)
				}
			}
			if len(report) < 2 {
				return
			}
			if rest, err := read(t, client, "a", apiclient.Query{From: report[0].Resume}); err != nil || len(rest) != len(ids)-report[0].Rows {
				t.Errorf("%q after the first page, %v", rest, err)
			}
		})
	}
}

// A list that announces more rows without saying where is not taken as complete.
func TestListWithoutNextPage(t *testing.T) {
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
			e := gather(probing(t.Context(), c, "a", apiclient.Query{})).failure(t, apiclient.Garbage)
			if e.Stream != "a" || !strings.Contains(e.Error(), "does not say where") {
				t.Error(e)
			}
		})
	}
	// In HAL the address is in an object.
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
		{"each_key: true", `{"a":{]}`, "not JSON"},
		{"each_key: true", `{"a":{"b":1]}`, "not JSON"},
		{"each_key: true", `{"a":{`, "cut short"},
		{"list: .", `{"a":`, "cut short"},
		{"list: .", `{} {}`, "follows"},
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, test.body) },
			apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], "+test.rule+"}]")})
		e := gather(probing(t.Context(), c, "a", apiclient.Query{})).failure(t, apiclient.Garbage)
		if !strings.Contains(e.Error(), test.fault) {
			t.Errorf("%s of %s: %v, want %q", test.rule, test.body, e, test.fault)
		}
	}
}
