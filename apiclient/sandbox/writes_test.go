package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

// write sends JSON and returns the status and the answer's record.
func write[R any](s *service, method, path, body string, header ...string) (*http.Response, R) {
	s.t.Helper()
	answer, b := s.do(method, path, body, append([]string{"Content-Type", "application/json"}, header...)...)
	var one struct{ Data R }
	if err := json.Unmarshal(b, &one); err != nil {
		s.t.Fatalf("%v: %s", err, b)
	}
	return answer, one.Data
}

func TestWritesMoveTheBooks(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	made, e := write[record.Event](s, "POST", "/v2/events", `{"title":"Extra","starts_at":"2026-12-24T20:15:00+01:00","capacity":50}`)
	if got := made.Header.Get("Location"); got != "/v2/events/"+e.ID || e.Date != "2026-12-24" {
		t.Errorf("made at %q on %s", got, e.Date)
	}
	out := s.sell(e.ID, 4)
	write[record.Ticket](s, "PATCH", "/v2/tickets/"+out.TicketIDs[0], `{"status":"void"}`)
	write[record.Payment](s, "POST", "/v2/payments", `{"kind":"refund","parent_id":"`+out.PaymentID+`","amount":{"amount":700,"currency":"EUR"}}`)
	got := s.Truth().Events[e.ID]
	if got.Available != 47 || got.Sold != 3 || got.Received["EUR"] != 10000 || got.Refunded["EUR"] != 700 || got.Net["EUR"] != 9300 {
		t.Errorf("the books: %+v", got)
	}
	plan := list[record.Planning](s, "/v2/planning?event_id="+e.ID).Data
	if len(plan) != 1 || plan[0].Kind != "show" || plan[0].Status != "confirmed" || *plan[0].Capacity != 50 || plan[0].ExpectedVisitors == nil {
		t.Fatalf("planning: %+v", plan)
	}
	write[record.Planning](s, "PATCH", "/v2/planning/"+plan[0].ID, `{"expected_visitors":33}`)
	write[record.Event](s, "PATCH", "/v2/events/"+e.ID, `{"title":"Extra!"}`)
	if p := list[record.Planning](s, "/v2/planning?event_id="+e.ID).Data[0]; *p.ExpectedVisitors != 33 || p.Title != "Extra!" {
		t.Errorf("after its event was renamed planning expects %d at %q", *p.ExpectedVisitors, p.Title)
	}
	write[record.Event](s, "PATCH", "/v2/events/"+e.ID, `{"status":"cancelled"}`)
	if p := list[record.Planning](s, "/v2/planning?event_id="+e.ID).Data[0]; p.Status != "cancelled" {
		t.Errorf("planning of an event that was cancelled: %s", p.Status)
	}
}

// A long performance has an interval unless the caller says when, or takes it away, and it moves with the
// curtain.
func TestIntervals(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	interval := func(method, path, body string) string {
		t.Helper()
		answer, e := write[record.Event](s, method, path, body)
		if answer.StatusCode >= 300 {
			t.Fatal(answer.Status)
		}
		path = "/v2/events/" + e.ID
		if e.IntervalStartsAt.IsZero() && e.IntervalEndsAt.IsZero() {
			return path
		}
		return path + e.IntervalStartsAt.Format(" 15:04-") + e.IntervalEndsAt.Format("15:04")
	}
	for _, c := range []struct{ made, want, moved string }{
		{`"ends_at":"2026-12-24T22:00:00Z"`, " 20:55-21:15", " 21:25-21:45"},
		{`"ends_at":"2026-12-24T21:49:00Z"`, "", ""},
		{`"hall":"Zaal"`, "", ""},
		{`"ends_at":"2026-12-24T22:00:00Z","interval_starts_at":"2026-12-24T21:00:00Z","interval_ends_at":"2026-12-24T21:10:00Z"`, " 21:00-21:10", " 21:30-21:40"},
	} {
		made := interval("POST", "/v2/events", `{"starts_at":"2026-12-24T20:00:00Z","title":"Extra",`+c.made+`}`)
		path, got, _ := strings.Cut(made, " ")
		if got != strings.TrimSpace(c.want) {
			t.Errorf("made with %s its interval is %q, want %q", c.made, got, c.want)
		}
		moved := interval("PATCH", path, `{"starts_at":"2026-12-24T20:30:00Z"}`)
		if moved != path+c.moved {
			t.Errorf("made with %s and moved: %q, want %q", c.made, moved, path+c.moved)
		}
	}
}

func TestACancelledShowSellsNothing(t *testing.T) {
	s := open(t, sandbox.Options{})
	selling := list[record.Event](s, "/v2/events?status=on_sale&per_page=1").Data
	if len(selling) == 0 {
		t.Fatal("nothing is on sale")
	}
	e := selling[0]
	if answer, _ := write[record.Event](s, "PATCH", "/v2/events/"+e.ID, `{"status":"cancelled"}`); answer.StatusCode != 200 {
		t.Fatalf("%s: %s", e.ID, answer.Status)
	}
	before := list[record.Ticket](s, "/v2/tickets?per_page=1&event_id="+e.ID).Meta.Total
	s.Advance(3 * time.Hour)
	if after := list[record.Ticket](s, "/v2/tickets?per_page=1&event_id="+e.ID).Meta.Total; after != before {
		t.Errorf("%s: %d tickets became %d", e.ID, before, after)
	}
}

func TestFieldErrors(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	answer, body := s.do("POST", "/v2/contacts", `{"email":"x","colour":"red","types":["king"]}`, "Content-Type", "application/json")
	var p struct {
		Status int
		Errors []struct{ Field, Detail string }
	}
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, e := range p.Errors {
		fields = append(fields, e.Field)
	}
	if answer.StatusCode != 422 || answer.Header.Get("Content-Type") != "application/problem+json" || strings.Join(fields, " ") != "colour email name types" {
		t.Errorf("%s %v", answer.Status, fields)
	}
	for body, want := range map[string]int{"{": 400, "[]": 400, "null": 400, strings.Repeat(" ", 65<<10): 413} {
		if answer, _ := s.do("POST", "/v2/contacts", body, "Content-Type", "application/json"); answer.StatusCode != want {
			t.Errorf("%.10s: %s, want %d", body, answer.Status, want)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	post := func(path, key, body string) (*http.Response, record.Contact) {
		t.Helper()
		return write[record.Contact](s, "POST", path, body, "Idempotency-Key", key)
	}
	_, first := post("/v2/contacts", "a", `{"name":"Anna","city":"Utrecht"}`)
	again, same := post("/api/v2/relations", "a", `{ "city": "Utrecht", "name": "Anna" }`)
	if same.ID != first.ID || again.Header.Get("Idempotency-Replayed") != "true" || again.StatusCode != 201 {
		t.Errorf("the same key made %s and %s (%s)", first.ID, same.ID, again.Status)
	}
	if other, _ := post("/v2/contacts", "a", `{"name":"Bram"}`); other.StatusCode != 422 {
		t.Errorf("the same key with another body: %s", other.Status)
	}
	if _, other := post("/v2/contacts", "b", `{"name":"Anna","city":"Utrecht"}`); other.ID == first.ID {
		t.Error("another key made nothing")
	}
	if got := list[any](s, "/v2/contacts").Meta.Total; got != 2 {
		t.Errorf("%d contacts, want 2", got)
	}
	s.Advance(24*time.Hour + time.Second)
	if _, later := post("/v2/contacts", "a", `{"name":"Anna","city":"Utrecht"}`); later.ID == first.ID {
		t.Error("the key is remembered for more than a day")
	}
}

func TestScopesByStreamAndVerb(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: []idp.Client{{ID: "crm", Secret: "secret"}}})
	token := func(scope string) string {
		_, body := s.do("POST", "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"crm"}, "client_secret": {"secret"}, "scope": {scope}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded", "Authorization", "")
		var answer struct {
			Access string `json:"access_token"`
		}
		if err := json.Unmarshal(body, &answer); err != nil || answer.Access == "" {
			t.Fatalf("%v: %s", err, body)
		}
		return "Bearer " + answer.Access
	}
	for _, test := range []struct {
		scope, method, path string
		status              int
	}{
		{"contacts.read", "GET", "/v2/relations", 200}, {"contacts.read", "POST", "/v2/contacts", 403}, {"contacts.write", "POST", "/v2/contacts", 201},
		{"contacts.write", "GET", "/v2/contacts", 403}, {"events.read events.write", "GET", "/v2/tickets", 403}, {"planning.read", "GET", "/api/v2/planning", 200},
		{"", "GET", "/v2/planning", 200}, {"", "POST", "/v2/contacts", 403},
	} {
		answer, body := s.do(test.method, test.path, `{"name":"Anna"}`, "Content-Type", "application/json", "Authorization", token(test.scope))
		if answer.StatusCode != test.status {
			t.Errorf("%q, %s %s: %s %s", test.scope, test.method, test.path, answer.Status, body)
		}
		if challenge := answer.Header.Get("WWW-Authenticate"); test.status == 403 && !strings.Contains(challenge, `error="insufficient_scope"`) {
			t.Errorf("WWW-Authenticate: %s", challenge)
		}
	}
}

func TestContactsAndPlanning(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{})
	type person struct {
		ID, Name, Email string
		PostalCode      string `json:"postal_code"`
		Types           []string
	}
	people := map[string]person{}
	returning := 0
	for _, p := range all[person](s, "/v2/contacts") {
		people[p.ID] = p
		if p.Name == "" || p.PostalCode == "" || !strings.HasSuffix(p.Email, "@example.com") {
			t.Errorf("somebody: %+v", p)
		}
		if len(p.Types) > 1 && p.Types[len(p.Types)-1] == "returning" {
			returning++
		}
	}
	if returning == 0 || returning == len(people) {
		t.Errorf("%d of %d came again", returning, len(people))
	}
	for _, tk := range all[record.Ticket](s, "/v2/tickets") {
		if _, known := people[tk.ContactID]; !known && tk.ContactID != "" {
			t.Fatalf("nobody is %s", tk.ContactID)
		}
	}
	kinds, shows := map[string]int{}, map[string]bool{}
	plans := all[record.Planning](s, "/v2/planning")
	for _, p := range plans {
		kinds[p.Kind]++
		if p.Kind == "show" {
			shows[p.EventID] = true
			if p.ExpectedVisitors == nil || *p.ExpectedVisitors < 0 || *p.ExpectedVisitors > *p.Capacity || p.BudgetRevenue == nil || p.BudgetMarketing == nil {
				t.Errorf("a show: %+v", p)
			}
		}
	}
	for _, e := range all[record.Event](s, "/v2/events") {
		if !shows[e.ID] {
			t.Errorf("event %s is not planned", e.ID)
		}
	}
	if kinds["rehearsal"] == 0 || kinds["build_up"] == 0 {
		t.Errorf("planned: %v", kinds)
	}
	checkSame(t, all[record.Planning](s, "/v2/planning?from=2026-11-20&to=2026-11-21"), plans, func(p record.Planning) bool {
		day := p.StartsAt.In(amsterdam).Format(time.DateOnly)
		return day == "2026-11-20" || day == "2026-11-21"
	}, func(p record.Planning) string { return p.ID })
}

func TestWritesAreInTheJournal(t *testing.T) {
	o := sandbox.Options{Empty: true, Journal: filepath.Join(t.TempDir(), "journal")}
	s := open(t, o)
	_, e := write[record.Event](s, "POST", "/v2/events", `{"title":"Extra","starts_at":"2026-12-24T20:15:00+01:00"}`)
	_, c := write[record.Contact](s, "POST", "/v2/contacts", `{"name":"Anna"}`)
	out := s.sell(e.ID, 2)
	write[record.Payment](s, "POST", "/v2/payments", fmt.Sprintf(`{"kind":"refund","parent_id":%q}`, out.PaymentID))
	want := s.Truth()
	again := open(t, o)
	if got := again.Truth(); !reflect.DeepEqual(got.Events, want.Events) {
		t.Errorf("from the journal:\n%+v\nwant\n%+v", got.Events, want.Events)
	}
	if answer, body := again.do("GET", "/v2/contacts/"+c.ID, ""); answer.StatusCode != 200 {
		t.Errorf("%s: %s", answer.Status, body)
	}
}
