package apiclient_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"housecount/apiclient"
)

func TestResumeIsRefused(t *testing.T) {
	calls := 0
	rows := sevenRows()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		n := asked{Values: r.URL.Query()}.number("page", 1)
		fmt.Fprintf(w, `{"data":%s,"links":{"next":%s}}`, cutOut(rows, n*3-3, n*3), orNull(n < 3, `"?page=%d"`, n+1))
	}, apiclient.Options{})
	var from string
	for range readTickets(t.Context(), c, apiclient.Query{EventID: "evt_1", OnPage: func(p apiclient.Page) { from = p.Resume }}) {
		break
	}
	calls = 0
	evil := func(place string) string {
		return apiclient.ResumeText(`{"v":2,"f":"default","k":"tickets","u":-62135596800,"e":"evt_1","l":100,"n":1,"r":3,"i":2,"w":` + place + `}`)
	}
	for name, q := range map[string]apiclient.Query{
		"another event":      {From: from, EventID: "evt_2"},
		"another time":       {From: from, EventID: "evt_1", UpdatedSince: tickets(1)[0].UpdatedAt},
		"no text of ours":    {From: "page 2", EventID: "evt_1"},
		"changed":            {From: from[:len(from)-4], EventID: "evt_1"},
		"long":               {From: strings.Repeat("A", 1<<20), EventID: "evt_1"},
		"another host":       {From: evil(`{"s":"next","a":"http://thief.test/"}`), EventID: "evt_1"},
		"another host too":   {From: evil(`{"s":"next","a":"//thief.test/"}`), EventID: "evt_1"},
		"a file":             {From: evil(`{"s":"link-header","a":"file:///etc/passwd"}`), EventID: "evt_1"},
		"a parameter":        {From: evil(`{"s":"cursor","p":"delete","a":"all"}`), EventID: "evt_1"},
		"no style":           {From: evil(`{"s":"auto"}`), EventID: "evt_1"},
		"a negative page":    {From: evil(`{"s":"page","n":-1}`), EventID: "evt_1"},
		"an endless address": {From: evil(`{"s":"next","a":"/` + strings.Repeat("x", 9000) + `"}`), EventID: "evt_1"},
	} {
		e := gather(readTickets(t.Context(), c, q)).failure(t, apiclient.Rejected)
		if calls != 0 || !strings.Contains(e.Error(), "begin anew") {
			t.Errorf("%s: %v after %d calls", name, e, calls)
		}
	}
	if g := gather(readTickets(t.Context(), c, apiclient.Query{From: evil(`{"s":"next","a":"/v2/tickets?page=2"}`), EventID: "evt_1"})); g.err != nil || len(g.records) != 4 {
		t.Errorf("%d records, %v: the forged places prove nothing", len(g.records), g.err)
	}
	other := newClient(t, apiclient.Options{BaseURL: "http://127.0.0.1:1", Profile: profileOf(t, "name: other\nstreams: [{name: tickets, path: tickets, by_event: e, gives: [ticket]}]")})
	gather(readTickets(t.Context(), other, apiclient.Query{From: from, EventID: "evt_1"})).failure(t, apiclient.Rejected)
	gather(readPayments(t.Context(), c, apiclient.Query{From: from, EventID: "evt_1"})).failure(t, apiclient.Rejected)
	if g := gather(readTickets(t.Context(), c, apiclient.Query{From: from, EventID: "evt_1"})); g.err != nil || len(g.records) != 4 {
		t.Errorf("%d records, %v: the test proves nothing", len(g.records), g.err)
	}
}

// No Query.From leads to another origin.
func FuzzResume(f *testing.F) {
	for _, s := range []string{`{"s":"page","n":3}`, `{"s":"next","a":"/v2/events?page=2"}`, `{"s":"next","a":"//thief.test"}`, `{"s":"link-header","a":"/\\thief.test"}`, `{"s":"cursor","p":"cursor","a":"x"}`} {
		f.Add(apiclient.ResumeText(`{"v":2,"f":"default","k":"events","u":-62135596800,"l":100,"n":1,"r":3,"i":2,"w":` + s + `}`))
	}
	f.Fuzz(func(t *testing.T, from string) {
		c, err := apiclient.New(apiclient.Options{BaseURL: "https://api.test/shop", APIKey: testKey, RequestsPerMinute: 1_000_000, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		c.SetTransport(func(r *http.Request) (*http.Response, error) {
			if r.URL.Scheme != "https" || r.URL.Host != "api.test" || r.URL.User != nil {
				t.Errorf("%q leads to %s", from, r.URL)
			}
			return nil, io.EOF
		})
		if g := gather(readEvents(t.Context(), c, apiclient.Query{From: from})); g.err == nil {
			t.Errorf("%q is read", from)
		}
	})
}
