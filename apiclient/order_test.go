package apiclient_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// A service may repeat the last row of a page on the next one if a row is inserted before it. Every
// row is still yielded, and the repeated one does not count towards the total or an offset.
func TestRepeatedRows(t *testing.T) {
	const size, all = 3, 10
	rows := make([]string, all)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"tkt_%d","event_id":"evt_1","status":"valid"}`, i+1)
	}
	answer := func(w http.ResponseWriter, from int, more string) {
		fmt.Fprintf(w, `{"data":%s,"meta":{"total":%d,"per_page":%d}%s}`, cutOut(rows, max(from-1, 0), from+size), all, size, more)
	}
	for style, serveList := range map[profile.Paging]http.HandlerFunc{
		profile.PagingAuto: func(w http.ResponseWriter, r *http.Request) {
			answer(w, (asked{Values: r.URL.Query()}.number("page", 1)-1)*size, "")
		},
		profile.PagingPage: func(w http.ResponseWriter, r *http.Request) {
			answer(w, (asked{Values: r.URL.Query()}.number("page", 1)-1)*size, "")
		},
		profile.PagingOffset: func(w http.ResponseWriter, r *http.Request) {
			answer(w, asked{Values: r.URL.Query()}.number("offset", 0), "")
		},
	} {
		t.Run(string(style), func(t *testing.T) {
			c := serve(t, serveList, apiclient.Options{Paging: style, PageSize: size})
			g := gather(readTickets(t.Context(), c, apiclient.Query{}))
			ids := g.ids()
			slices.Sort(ids)
			if ids = slices.Compact(ids); g.err != nil || len(ids) != all {
				t.Errorf("%v, %v, want %d tickets", ids, g.err, all)
			}
		})
	}
}
