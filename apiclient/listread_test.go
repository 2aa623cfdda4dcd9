package apiclient_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

func eventOf(id string, updated time.Time) string {
	return fmt.Sprintf(`{"id":%q,"title":"","date":"2026-11-21","updated_at":%q}`, id, updated.Format(time.RFC3339))
}

// A list without a filter for changes is read whole; if nothing has changed since an earlier mark,
// that costs one request.
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
		{90 * time.Second, []string{"a", "b"}, "/a"}, // the caller may not have stored it
		{89 * time.Second, nil, "/a 304"},
		{80 * time.Second, nil, "/a 304"},
		{80 * time.Second, nil, "/a 304"}, // nothing was lost
		{300 * time.Second, []string{"a", "b", "c"}, "/a"},
	}
	for i, step := range steps {
		var report []apiclient.Page
		ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at.Add(-step.since), OnPage: func(p apiclient.Page) { report = append(report, p) }})
		if asked := s.requests(); err != nil || !slices.Equal(ids, step.ids) || !slices.Equal(asked, []string{step.asked}) {
			t.Errorf("%d: %q by %q, want %q by %q; %v", i, ids, asked, step.ids, step.asked, err)
		}
		if len(report) != 1 || report[0].Unchanged != strings.HasSuffix(step.asked, "304") || report[0].ServerTime.IsZero() || report[0].Number != 1 {
			t.Errorf("%d: said %+v", i, report)
		}
	}
	// The ETags of a read of changes are not used for a whole read.
	if ids, err := read(t, c, "a", apiclient.Query{Conditional: true}); err != nil || len(ids) != 3 || s.requests()[0] != "/a" {
		t.Errorf("%q, %v", ids, err)
	}
	answer("d")
	if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, []string{"d"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

// A record older than asked for shows that the service ignores the filter: an error until that is
// known.
func TestUnfiltered(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		rule       string
		oldest     time.Duration // before the time asked for
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
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "[%s,%s]", eventOf("a", at), eventOf("b", at.Add(-test.oldest)))
			}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}, since: "+test.rule+"}]")})
			if test.unfiltered {
				e := gather(c.Read(t.Context(), "a", apiclient.Query{UpdatedSince: at})).failure(t, apiclient.Contradicts)
				if !errors.Is(e, apiclient.ErrIgnoresSince) {
					t.Error(e)
				}
				c.Use("a", apiclient.Answer{Found: true, Path: "a", IgnoresSince: true})
			}
			var report apiclient.Page
			ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at, OnPage: func(p apiclient.Page) { report = p }})
			if err != nil || len(ids) != test.left || report.Unfiltered != test.unfiltered {
				t.Errorf("%q, said %+v, %v", ids, report, err)
			}
		})
	}
}

// Once the filter is known to be ignored, a list that does not come newest first is read whole, and
// only if it has changed.
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
	ignoring(t, c, "a")
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

// If the profile asks for no order, the order of an unfiltered list is not relied on: here it is by
// creation, and changed rows are among the old.
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
		ignoring(t, c, "a")
		if ids, err := read(t, c, "a", apiclient.Query{UpdatedSince: at}); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %q, %v", changes, ids, err)
		}
	}
}

// A list without a filter for changes has no known order: all of it is read.
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

// A row with several records is as new as its newest record.
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

func TestEndless(t *testing.T) {
	n := 0
	fresh := func() string { n++; return fmt.Sprintf(`{"id":"tkt_%d","event_id":"evt_1"}`, n) }
	tests := map[string]struct {
		page  func(n int) []string
		total string
		pages int // to be requested
		style profile.Paging
	}{
		"the same page for ever":  {func(int) []string { return []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`} }, "100", 5, ""}, // the other ways of paging are tried
		"the same page, fixed":    {func(int) []string { return []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`} }, "100", 2, profile.PagingPage},
		"the same rows, offset":   {func(int) []string { return []string{`{"id":"a","event_id":"e"}`} }, "100", 2, profile.PagingOffset},
		"the same page, no total": {func(int) []string { return []string{`{"id":"a","event_id":"e"}`} }, "null", 5, ""},
		"the same rows in another order": {func(n int) []string {
			rows := []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`, `{"id":"c","event_id":"e"}`}
			return append(rows[n%3:], rows[:n%3]...)
		}, "100", 5, ""},
		"a circle of pages":             {func(n int) []string { return []string{fmt.Sprintf(`{"id":"tkt_%d","event_id":"e"}`, n%4)} }, "100", 5, ""},
		"a circle of refused rows":      {func(n int) []string { return []string{fmt.Sprintf(`[%d]`, n%4)} }, "100", 5, ""},
		"new rows for ever, no total":   {func(int) []string { return []string{fresh()} }, "null", 30, ""},
		"new rows for ever, of a total": {func(n int) []string { return []string{fresh()} }, "1000000000", 30, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				fmt.Fprintf(w, `{"data":[%s],"meta":{"total":%s}}`, strings.Join(test.page(calls), ","), test.total)
			}, apiclient.Options{Paging: test.style})
			c.SetMaxPages(30)
			gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Endless)
			if calls != test.pages {
				t.Errorf("%d pages asked for, want %d", calls, test.pages)
			}
		})
	}
}

// A service known to ignore updated_since sends everything; only newer records are yielded, and no
// more pages are requested than needed.
func TestIncrementalWhenTheFilterIsIgnored(t *testing.T) {
	all := tickets(50) // a minute apart, newest first
	shuffled := slices.Clone(all)
	shuffled[0], shuffled[49] = shuffled[49], shuffled[0]
	undated := slices.Clone(all)
	undated[12] = ticket(12, time.Time{})
	tests := []struct {
		name    string
		rows    []*record.Ticket
		since   time.Time
		records int
		pages   int
	}{
		{"newest first", all, all[14].UpdatedAt, 15, 3},
		{"the mark falls on the end of a page", all, all[9].UpdatedAt, 10, 2},
		{"nothing is new", all, all[0].UpdatedAt.Add(time.Minute), 0, 1},
		{"all is new", all, all[49].UpdatedAt, 50, 5},
		{"disorder", shuffled, all[14].UpdatedAt, 15, 5},
		{"one without a time", undated, all[9].UpdatedAt, 11, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pages := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				pages++
				writePage(w, r, test.rows, 100, len(test.rows))
			}, apiclient.Options{PageSize: 10})
			ignoring(t, c, "tickets")
			pages = 0
			g := gather(readTickets(t.Context(), c, apiclient.Query{UpdatedSince: test.since}))
			if g.err != nil || len(g.records) != test.records || pages != test.pages {
				t.Errorf("%d records by %d pages and %v, want %d by %d", len(g.records), pages, g.err, test.records, test.pages)
			}
		})
	}
}

// A row of another event shows that the service ignores the filter by event. A payment without an
// event may belong to the event, and so may a row of several events.
func TestIgnoredEventFilter(t *testing.T) {
	var rows string
	asked := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, rows)
	}, apiclient.Options{Profile: profileOf(t, `
name: a
streams:
  - name: a
    path: a
    by_event: e
    gives: [ticket, payment]
    paging: {style: bare}
    records: '.of[] | if .kind == "payment" then {record: "payment", id, event_id, amount: 100, currency: "EUR"} else {record: "ticket", id, event_id} end'
`)})
	q := apiclient.Query{EventID: "1"}
	for _, test := range []struct {
		what, rows string
		ids        []string
		ignored    bool
	}{
		{"its own", `[{"of":[{"id":"a","event_id":"1"}]}]`, []string{"a"}, false},
		{"a row with others", `[{"of":[{"id":"a","event_id":"2"},{"id":"b","event_id":"1"}]}]`, []string{"b"}, false},
		{"a payment of no event", `[{"of":[{"id":"a","kind":"payment"}]}]`, []string{"a"}, false},
		{"a row of nothing", `[{"of":[]},{"of":[{"id":"a","event_id":"1"}]}]`, []string{"a"}, false},
		{"another row", `[{"of":[{"id":"a","event_id":"1"}]},{"of":[{"id":"b","event_id":"2"}]}]`, nil, true},
		{"a payment of another", `[{"of":[{"id":"b","event_id":"2","kind":"payment"}]}]`, nil, true},
	} {
		rows = test.rows
		ids, err := read(t, c, "a", q)
		if e, ok := errors.AsType[*apiclient.Error](err); !slices.Equal(ids, test.ids) || errors.Is(err, apiclient.ErrIgnoresEvent) != test.ignored || test.ignored && e.Kind != apiclient.Contradicts || !ok && err != nil {
			t.Errorf("%s: %q, %v", test.what, ids, err)
		}
	}
	// Once that is known, nothing is requested.
	c.Use("a", apiclient.Answer{Found: true, Path: "a", IgnoresEvent: true})
	asked = 0
	e := gather(c.Read(t.Context(), "a", q)).failure(t, apiclient.Rejected)
	if !errors.Is(e, apiclient.ErrIgnoresEvent) || asked != 0 {
		t.Errorf("%v after %d requests", e, asked)
	}
}
