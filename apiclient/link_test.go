package apiclient_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// The address of the next page is followed only within the origin, and never twice.
func TestHostileNextPages(t *testing.T) {
	body := func(next string) string {
		return fmt.Sprintf(`{"data":[{"id":"tkt_1","event_id":"evt_1"}],"links":{"next":%q}}`, next)
	}
	tests := map[string]struct {
		next, link string
		kind       apiclient.ErrorKind
	}{
		"another host":           {"http://thief.test/v2/tickets?page=2", "", apiclient.Foreign},
		"another host, header":   {"", "<http://thief.test/v2/tickets?page=2>; rel=next", apiclient.Foreign},
		"no scheme":              {"//thief.test/v2/tickets", "", apiclient.Foreign},
		"another port":           {"http://127.0.0.1:1/v2/tickets", "", apiclient.Foreign},
		"a name before the host": {"http://HOST@thief.test/", "", apiclient.Foreign},
		"with a password":        {"http://u:p@HOST/v2/tickets", "", apiclient.Foreign},
		"another scheme":         {"https://HOST/v2/tickets", "", apiclient.Foreign},
		"a file":                 {"file:///etc/passwd", "", apiclient.Foreign},
		"a script":               {"javascript:alert(1)/", "", apiclient.Foreign},
		"no address":             {"http://[::/", "", apiclient.Garbage},
		"endlessly long":         {"/v2/tickets?c=" + strings.Repeat("x", 9000), "", apiclient.Garbage},
		"in circles":             {"/v2/tickets?page=2", "", apiclient.Endless},
		"in circles, header":     {"", "</v2/tickets?page=2>; rel=next", apiclient.Endless},
		"the key in it":          {"http://" + testKey + ".test/", "", apiclient.Foreign},
	}
	for name, test := range tests {
		for _, style := range []profile.Paging{profile.PagingAuto, profile.PagingNext, profile.PagingLinkHeader} {
			if test.link != "" && style == profile.PagingNext || test.link == "" && style == profile.PagingLinkHeader {
				continue
			}
			t.Run(fmt.Sprint(name, " ", style), func(t *testing.T) {
				calls := 0
				c := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if calls++; test.link != "" {
						w.Header().Set("Link", test.link)
						fmt.Fprintf(w, `[{"id":"tkt_%d","event_id":"evt_1"}]`, calls)
						return
					}
					w.Write([]byte(strings.Replace(body(strings.ReplaceAll(test.next, "HOST", r.Host)), "tkt_1", fmt.Sprint("tkt_", calls), 1)))
				}, apiclient.Options{Retries: 3, Paging: style})
				g := gather(readTickets(t.Context(), c, apiclient.Query{}))
				e := g.failure(t, test.kind)
				if len(g.records) == 0 || calls > 2 || e.Stream != "tickets" || strings.Contains(e.Error(), testKey) {
					t.Errorf("%d records by %d calls, %v", len(g.records), calls, e)
				}
			})
		}
	}
}
