package apiclient_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// wireService stands in for the service of a built-in profile: its documented paths, credential,
// parameters and paging, around the samples of its rows.
type wireService struct {
	t       *testing.T
	profile string
	base    string              // of the paths
	auth    func(string) string // the Authorization header for a key
	denies  string              // the body of its 401; %s is replaced by the credential received
	says    string              // status of denies
	params  map[string]string   // parameters of every list, with patterns of their values
	lists   map[string]wireList // by path
	// each holds the lists of one event, by path with %s for the event.
	each map[string]wireList
	// page returns the requested page with at most most rows; empty if there is no such page.
	page   func(a asked, most int, rows []string, l wireList) string
	header func(http.Header)
	most   int // rows on a page

	asked   []wireAsked
	changed map[string]string // results of wireList.changed
}

type wireList struct {
	stream string // stream that reads it
	rows   []string
	params map[string]string // in addition to those of every list
	// since is the parameter that filters by time of change. changed returns a row's time in the
	// parameter's form, to be compared as text.
	since   string
	changed func(row string) string
}

type wireAsked struct {
	stream string
	path   string
	query  url.Values
}

func (s *wireService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), s.base)
	l, ok := s.lists[path]
	if !ok || r.Method != http.MethodGet {
		s.t.Errorf("%s: asked for %s %s, which is not documented", s.profile, r.Method, r.URL)
		http.NotFound(w, r)
		return
	}
	query := r.URL.Query()
	s.asked = append(s.asked, wireAsked{l.stream, path, query})
	w.Header().Set("Content-Type", "application/json")
	if got := r.Header.Get("Authorization"); got != s.auth(testKey) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, s.denies, got)
		return
	}
	if !strings.Contains(r.Header.Get("Accept"), "application/json") {
		s.t.Errorf("%s: accepts %q", s.profile, r.Header.Get("Accept"))
	}
	for name, values := range query {
		pattern := cmp.Or(s.params[name], l.params[name])
		if pattern == "" || len(values) != 1 || !regexp.MustCompile("^("+pattern+")$").MatchString(values[0]) {
			s.t.Errorf("%s: %s is sent %s=%q, which is not documented", s.profile, path, name, values)
		}
	}
	rows := slices.Clone(l.rows)
	if since := query.Get(l.since); l.since != "" && since != "" {
		rows = slices.DeleteFunc(rows, func(row string) bool {
			if _, ok := s.changed[row]; !ok {
				s.changed[row] = l.changed(row)
			}
			return s.changed[row] < since
		})
	}
	if query.Get("ordering") == "-last_modified" {
		slices.SortStableFunc(rows, func(a, b string) int { return strings.Compare(l.changed(b), l.changed(a)) })
	}
	if s.header != nil {
		s.header(w.Header())
	}
	body := s.page(asked{query, "http://" + r.Host + r.URL.Path}, s.most, rows, l)
	if body == "" {
		s.t.Errorf("%s: there is no page %s", s.profile, r.URL)
		w.WriteHeader(http.StatusBadRequest)
	}
	fmt.Fprint(w, body)
}

// requests returns the numbers of requests since the last call by list, in order of first request, and
// the query of the first for stream.
func (s *wireService) requests(stream string) (counts, first string) {
	byStream, order := map[string]int{}, []string(nil)
	for _, a := range s.asked {
		if byStream[a.stream]++; byStream[a.stream] > 1 {
			continue
		}
		order = append(order, a.stream)
		if a.stream == stream {
			first, _ = url.QueryUnescape(a.query.Encode())
		}
	}
	for i, name := range order {
		order[i] = fmt.Sprintf("%s %d", name, byStream[name])
	}
	s.asked = nil
	return strings.Join(order, ", "), first
}

// client returns a Client for the service.
func (s *wireService) client(key string, o apiclient.Options) *apiclient.Client {
	p, err := profile.Builtin(s.profile)
	if err != nil {
		s.t.Fatal(err)
	}
	if p.Vars["organizer"] == "" && s.profile == "pretix" {
		o.Vars = map[string]string{"organizer": "havendam"}
	}
	o.Profile, o.APIKey, o.BaseURL, o.Retries = p, key, "http://api.test"+s.base, -1
	return inMemory(s.t, s.ServeHTTP, o)
}

// wireField returns a member of a row as text, empty if there is none.
func wireField(row, name string) string {
	var members map[string]any
	d := json.NewDecoder(strings.NewReader(row))
	d.UseNumber()
	if d.Decode(&members) != nil || members[name] == nil {
		return ""
	}
	return fmt.Sprint(members[name])
}

// utc formats a time as the service expects it in a parameter.
func utc(layout, reported string) string {
	at, err := time.Parse(time.RFC3339, reported)
	if err != nil {
		return ""
	}
	return at.UTC().Format(layout)
}

// addEach adds the lists of an event with the rows of their streams.
func (s *wireService) addEach(event string, rows map[string][]string) {
	for at, l := range s.each {
		l.rows = rows[l.stream]
		s.lists[fmt.Sprintf(at, event)] = l
	}
}

// sampled returns the rows of a sample, nil for an empty name.
func (s *wireService) sampled(name, member string) []string {
	if name == "" {
		return nil
	}
	body, err := os.ReadFile(filepath.Join("profile", "builtin", "testdata", s.profile, name+".json"))
	if err != nil {
		s.t.Fatal(err)
	}
	return rowsAt(s.t, body, member)
}

// wirePretix numbers pages and gives the address of the next one; orders report when the response
// was created.
func wirePretix(t *testing.T) *wireService {
	s := &wireService{t: t, profile: "pretix", base: "/api/v1", most: 50,
		auth:   func(key string) string { return "Token " + key },
		denies: `{"detail":"Invalid token: %s"}`, says: "Invalid token",
		params: map[string]string{"page": `[1-9]\d*`, "page_size": "[1-9]|[1-4][0-9]|50"},
		header: func(h http.Header) {
			h.Set("X-Page-Generated", time.Now().UTC().Add(-1500*time.Millisecond).Format(time.RFC3339Nano))
		},
		page: func(a asked, most int, rows []string, _ wireList) string {
			n, size := a.number("page", 1), min(a.number("page_size", 50), most)
			next := maps.Clone(a.Values)
			next.Set("page", fmt.Sprint(n+1))
			return fmt.Sprintf(`{"count":%d,"next":%s,"previous":null,"results":%s}`, len(rows), orNull(n*size < len(rows), `"%s?%s"`, a.self, next.Encode()), cutOut(rows, n*size-size, n*size))
		},
	}
	const at = "/organizers/havendam/"
	s.each = map[string]wireList{at + "events/%s/quotas/": {stream: "quotas", params: map[string]string{"with_availability": "true"}}, at + "events/%s/items/": {stream: "items"}}
	s.lists = map[string]wireList{
		at + "events/":    {stream: "events", rows: s.sampled("events", "results")},
		at + "subevents/": {stream: "dates", rows: s.sampled("dates", "results")},
		at + "customers/": {stream: "customers", rows: s.sampled("customers", "results")},
		at + "orders/": {stream: "orders", rows: s.sampled("orders", "results"),
			params: map[string]string{
				"include_canceled_positions": "true", "include_canceled_fees": "true", "ordering": "datetime|-last_modified",
				"modified_since": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
			},
			since: "modified_since", changed: func(row string) string { return utc("2006-01-02T15:04:05Z", wireField(row, "last_modified")) },
		},
	}
	for event, sample := range map[string]string{"storm26": ".", "rondleiding": ".rondleiding.", "nieuwjaar": "", "proef": "", "zonder-datum": ""} {
		rows := map[string][]string{}
		for _, stream := range []string{"quotas", "items"} {
			if sample != "" {
				rows[stream] = s.sampled(strings.TrimSuffix(stream+sample, "."), "results")
			}
		}
		s.addEach(event, rows)
	}
	return s
}

// wireTicketTailor continues after the id of the last row; its links.next only says whether there
// is more.
func wireTicketTailor(t *testing.T) *wireService {
	s := &wireService{t: t, profile: "ticket-tailor", base: "/v1", most: 100,
		auth:   func(key string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":")) },
		denies: `{"status":401,"error_code":"UNAUTHORIZED","message":"Unauthorized: %s"}`, says: "Unauthorized",
		params: map[string]string{"limit": `[1-9]\d?|100`, "starting_after": `[a-z]+_\w+`},
		page: func(a asked, most int, rows []string, l wireList) string {
			id := a.Get("starting_after")
			from := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, id) && wireField(row, "id") == id }) + 1
			if from == 0 && id != "" {
				return ""
			}
			to := from + min(a.number("limit", 100), most)
			last := ""
			if to < len(rows) {
				last = wireField(rows[to-1], "id")
			}
			return fmt.Sprintf(`{"data":%s,"links":{"next":%s,"previous":null}}`, cutOut(rows, from, to), orNull(last != "", `"/v1/%s?starting_after=%s"`, l.stream, last))
		},
	}
	list := func(stream, since, changed string) wireList {
		return wireList{stream: stream, rows: s.sampled(stream, "data"), since: since,
			params: map[string]string{since: `\d{10}`}, changed: func(row string) string { return wireField(row, changed) }}
	}
	s.lists = map[string]wireList{
		"/events":    {stream: "events", rows: s.sampled("events", "data")},
		"/orders":    list("orders", "created_at.gte", "created_at"),
		"/check_ins": list("check_ins", "check_in_at.gte", "check_in_at"),
	}
	return s
}

// wireEventbrite hands out cursors, also on the last page, and sets the page size itself.
func wireEventbrite(t *testing.T) *wireService {
	s := &wireService{t: t, profile: "eventbrite", base: "/v3", most: 50,
		auth:   func(key string) string { return "Bearer " + key },
		denies: `{"status_code":401,"error":"INVALID_AUTH","error_description":"The OAuth token %s is invalid."}`, says: "The OAuth token",
		params: map[string]string{"continuation": `after-\d+`},
		page: func(a asked, most int, rows []string, l wireList) string {
			var from int
			fmt.Sscanf(a.Get("continuation"), "after-%d", &from)
			return fmt.Sprintf(`{"pagination":{"object_count":%d,"page_number":%d,"page_size":%d,"page_count":%d,"has_more_items":%t,"continuation":"after-%d"},"%s":%s}`,
				len(rows), from/most+1, most, (len(rows)+most-1)/most, from+most < len(rows), from+most, l.stream, cutOut(rows, from, from+most))
		},
	}
	list := func(stream string) wireList {
		return wireList{stream: stream, rows: s.sampled(stream, stream), since: "changed_since",
			params:  map[string]string{"changed_since": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`},
			changed: func(row string) string { return utc("2006-01-02T15:04:05Z", wireField(row, "changed")) }}
	}
	s.lists = map[string]wireList{
		"/users/me/organizations/":       {stream: "organizations", rows: s.sampled("organizations", "organizations")},
		"/organizations/4400/events/":    {stream: "events", rows: s.sampled("events", "events"), params: map[string]string{"expand": "ticket_classes,venue"}},
		"/organizations/4400/attendees/": list("attendees"),
		"/organizations/4400/orders/":    list("orders"),
	}
	return s
}

// wireEventgoose numbers pages and gives the address of the next one without the request's
// parameters. It pads its lists as its documentation does.
func wireEventgoose(t *testing.T) *wireService {
	s := &wireService{t: t, profile: "eventgoose", base: "/v1", most: 1000,
		auth:   func(key string) string { return "Bearer " + key },
		denies: `{"message":"Unauthenticated: %s"}`, says: "Unauthenticated",
		params: map[string]string{"page": `[1-9]\d*`},
		page: func(a asked, most int, rows []string, _ wireList) string {
			n, size := a.number("page", 1), min(a.number("per_page", 20), most)
			last := max((len(rows)+size-1)/size, 1)
			padded := strings.TrimSuffix(cutOut(rows, n*size-size, n*size), "]") + ",{},{}]"
			return fmt.Sprintf(`{"data":%s,"links":{"first":"%[2]s?page=1","last":"%[2]s?page=%[3]d","prev":null,"next":%[4]s},"meta":{"current_page":%[5]d,"last_page":%[3]d,"path":"%[2]s","per_page":%[6]d,"total":%[7]d}}`,
				strings.Replace(padded, "[,", "[", 1), a.self, last, orNull(n < last, `"%s?page=%d"`, a.self, n+1), n, size, len(rows))
		},
	}
	// An order's row has no time of change.
	changed := map[string]string{"oA": "2026-11-21 19:41", "oB": "2026-11-20 09:00", "oC": "2026-11-20 09:00"}
	empty := func(row string) bool { return row == "{}" }
	s.lists = map[string]wireList{
		"/events":  {stream: "events", rows: slices.DeleteFunc(s.sampled("events", "data"), empty)},
		"/tickets": {stream: "types", rows: slices.DeleteFunc(s.sampled("types", "data"), empty)},
	}
	s.each = map[string]wireList{"/events/%s/orders": {stream: "orders",
		params: map[string]string{"per_page": `[1-9]\d{0,2}|1000`, "last_updated": `\d{4}-\d\d-\d\d \d\d:\d\d`},
		since:  "last_updated", changed: func(row string) string { return changed[wireField(row, "id")] }}}
	for event, sample := range map[string]string{"eG1storm": "orders", "eG2nacht": "", "eG3museum": ""} {
		s.addEach(event, map[string][]string{"orders": slices.DeleteFunc(s.sampled(sample, "data"), empty)})
	}
	return s
}

// perEvent adds a list of the stream for each event.
func (s *wireService) perEvent(stream string) bool {
	for _, l := range s.each {
		if l.stream == stream {
			return true
		}
	}
	return false
}

// crowd replaces the samples by many events, orders and customers.
func (s *wireService) crowd() {
	now := time.Now().UTC()
	for path, l := range maps.Clone(s.lists) {
		n := map[string]int{"events": 120, "orders": 150, "attendees": 150, "customers": 150}[l.stream]
		if n == 0 || s.perEvent(l.stream) {
			continue
		}
		var of map[string]any
		if err := json.Unmarshal([]byte(l.rows[0]), &of); err != nil {
			s.t.Fatal(err)
		}
		l.rows = nil
		for i := range n {
			ends := now.AddDate(0, 0, i+1)
			if i >= 20 {
				ends = now.AddDate(0, 0, -3*(i-19))
			}
			at := ends.Format(time.RFC3339)
			id := fmt.Sprintf("%s_%d", l.stream, i)
			of["id"], of["slug"], of["code"], of["identifier"] = id, id, id, id
			of["date_to"], of["dates"] = at, []any{map[string]string{"starts_at": at, "ends_at": at}}
			row, err := json.Marshal(of)
			if err != nil {
				s.t.Fatal(err)
			}
			l.rows = append(l.rows, string(row))
			if l.stream == "events" {
				s.addEach(id, nil)
			}
		}
		s.lists[path] = l
	}
}

// rowsAt returns the rows of a list at a dotted path.
func rowsAt(t *testing.T, body []byte, path string) (rows []string) {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatal(err)
		}
		body = members[name]
	}
	var all []json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	for _, raw := range all {
		rows = append(rows, string(raw))
	}
	return rows
}
