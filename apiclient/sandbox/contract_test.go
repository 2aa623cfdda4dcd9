package sandbox_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// contract holds what is asked and answered against the document.
type contract struct {
	*service
	doc    *openapi3.T
	router routers.Router
	met    map[string][]int // statuses by operation
}

func newContract(t *testing.T, s *service) *contract {
	doc, err := openapi3.NewLoader().LoadFromData(record.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &contract{s, doc, router, map[string][]int{}}
}

// ask sends a request, checks that it and its answer are as documented, and returns the
// answer. A request that the document does not allow is one that the service refuses.
func (c *contract) ask(method, path, body string, status int, allowed bool, header ...string) (*http.Response, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	header = append([]string{"Authorization", "Bearer " + testKey, "Content-Type", "application/json"}, header...)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if body == "" {
		r.Body = http.NoBody
	}
	onPath := r.Clone(c.t.Context()) // the document's servers are paths without a host
	onPath.URL.Scheme, onPath.URL.Host = "", ""
	route, params, err := c.router.FindRoute(onPath)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
	}}
	if err := openapi3filter.ValidateRequest(c.t.Context(), in); (err == nil) != allowed {
		c.t.Errorf("%s %s %s: is the request as documented? %v, want %v: %v", method, path, body, err == nil, allowed, err)
	}
	answer, got := c.do(method, path, body, header...)
	if answer.StatusCode != status {
		c.t.Errorf("%s %s %s: %s, want %d: %s", method, path, body, answer.Status, status, got)
	}
	if route.Operation.Responses.Status(answer.StatusCode) == nil {
		c.t.Errorf("%s %s: status %d is not documented", method, path, answer.StatusCode)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: answer.StatusCode, Header: answer.Header,
		Body: io.NopCloser(bytes.NewReader(got)), Options: in.Options}
	if err := openapi3filter.ValidateResponse(c.t.Context(), out); err != nil {
		c.t.Errorf("%s %s: the answer is not as documented: %v\n%.500s", method, path, err, got)
	}
	c.met[route.Operation.OperationID] = append(c.met[route.Operation.OperationID], answer.StatusCode)
	return answer, got
}

func idOf(t *testing.T, body []byte) string {
	t.Helper()
	var one struct{ Data struct{ ID string } }
	if err := json.Unmarshal(body, &one); err != nil || one.Data.ID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	return one.Data.ID
}

func TestContract(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{})
	c := newContract(t, s)
	for _, base := range []string{"/v2", "/api/v2"} {
		for _, name := range []string{"events", "tickets", "payments", "contacts", "relations", "planning"} {
			path := base + "/" + name
			c.ask("GET", path+"?per_page=500&sort=-updated_at&updated_since=2026-01-01T00:00:00Z", "", 200, true)
			first, _ := c.ask("GET", path, "", 200, true)
			c.ask("GET", path, "", 304, true, "If-None-Match", first.Header.Get("ETag"))
			c.ask("GET", path+"?page=0", "", 400, false)
			c.ask("GET", path+"?sort=name", "", 400, false)
			c.ask("GET", path, "", 401, true, "Authorization", "Bearer nobody")
			c.ask("GET", path+"/"+list[struct{ ID string }](s, path).Data[0].ID, "", 200, true)
			c.ask("GET", path+"/none", "", 404, true)
		}
	}
	c.ask("GET", "/v2/events?from=2026-11-20&to=2026-11-21&available=true&status=on_sale", "", 200, true)
	c.ask("GET", "/v2/planning?from=2026-11-20&to=2026-11-20&status=confirmed", "", 200, true)

	_, made := c.ask("POST", "/v2/events", `{"title":"Extra","starts_at":"2026-12-24T20:15:00+01:00","hall":"Foyer","capacity":100,"price":{"amount":1500,"currency":"EUR"}}`, 201, true, "Idempotency-Key", "k1")
	event := idOf(t, made)
	c.ask("POST", "/v2/events", `{"title":"Extra"}`, 422, false)
	c.ask("POST", "/v2/events", `{"title":"Extra","starts_at":"2026-12-24T20:15:00Z","capacity":-1}`, 422, false)
	c.ask("POST", "/v2/events", `[]`, 400, false)
	c.ask("POST", "/v2/events", `title`, 415, false, "Content-Type", "text/plain")
	c.ask("PATCH", "/v2/events/"+event, `{"title":"Extra!","capacity":120}`, 200, true)
	c.ask("PATCH", "/v2/events/"+event, `{"available":3}`, 422, false)
	c.ask("PATCH", "/v2/events/none", `{"title":"x"}`, 404, true)
	out := s.sell(event, 3)
	c.ask("PATCH", "/v2/events/"+event, `{"capacity":2}`, 409, true)
	c.ask("PATCH", "/v2/tickets/"+out.TicketIDs[0], `{"status":"valid"}`, 422, false)
	c.ask("PATCH", "/v2/tickets/"+out.TicketIDs[0], `{"status":"void"}`, 200, true)
	c.ask("PATCH", "/v2/tickets/"+out.TicketIDs[0], `{"status":"void"}`, 409, true)
	refund := `{"kind":"refund","parent_id":"` + out.PaymentID + `"`
	c.ask("POST", "/v2/payments", refund+`,"amount":{"amount":100,"currency":"EUR"}}`, 201, true)
	c.ask("POST", "/v2/payments", refund+`}`, 201, true)
	c.ask("POST", "/v2/payments", refund+`}`, 409, true)
	c.ask("POST", "/v2/payments", `{"kind":"payment"}`, 422, false)
	for _, path := range []string{"/v2/contacts", "/api/v2/relations"} {
		_, made = c.ask("POST", path, `{"name":"Anna Vos","email":"anna@example.com","types":["press"],"opt_in":true}`, 201, true)
		c.ask("POST", path, `{"email":"nobody"}`, 422, false)
		c.ask("PATCH", path+"/"+idOf(t, made), `{"postal_code":"1011 AB","opt_in":false}`, 200, true)
		c.ask("PATCH", path+"/"+idOf(t, made), `{"name":null}`, 422, false)
	}
	_, made = c.ask("POST", "/v2/planning", `{"kind":"rehearsal","title":"Doorloop","starts_at":"2026-12-24T13:00:00+01:00","ends_at":"2026-12-24T16:00:00+01:00","event_id":"`+event+`"}`, 201, true, "Idempotency-Key", "k2")
	c.ask("POST", "/v2/planning", `{"kind":"show","title":"Extra","starts_at":"2026-12-24T13:00:00Z"}`, 422, false)
	c.ask("POST", "/v2/planning", `{"kind":"shift","title":"Bar","starts_at":"2026-12-24T13:00:00Z","event_id":"none"}`, 422, true)
	c.ask("PATCH", "/v2/planning/"+idOf(t, made), `{"location":"Foyer","status":"option"}`, 200, true)
	c.ask("PATCH", "/v2/planning/"+idOf(t, made), `{"ends_at":"2026-12-24T08:00:00Z"}`, 422, true)
	show := list[struct{ ID, Kind string }](s, "/v2/planning?event_id="+event).Data[0].ID
	c.ask("PATCH", "/v2/planning/"+show, `{"expected_visitors":70,"budget_revenue":{"amount":250000,"currency":"EUR"}}`, 200, true)
	c.ask("PATCH", "/v2/planning/"+show, `{"title":"Another"}`, 409, true)
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			good, bad := false, false
			for _, status := range c.met[op.OperationID] {
				good, bad = good || status < 300, bad || status >= 400
			}
			if !good || !bad {
				t.Errorf("%s %s: only %v were tried", method, path, c.met[op.OperationID])
			}
		}
	}
}

func TestDocumentIsServed(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	for path, kind := range map[string]string{"/openapi.yaml": "application/yaml", "/openapi.json": "application/json", "/docs": "text/html; charset=utf-8"} {
		answer, body := s.do("GET", path, "", "Authorization", "")
		if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %s %s", path, answer.Status, answer.Header.Get("Content-Type"))
		}
		if path == "/docs" {
			for _, want := range []string{"<code>/v2/events</code>", "events.write", "postal_code", "expected_visitors", "Idempotency-Key", "stated"} {
				if !bytes.Contains(body, []byte(want)) {
					t.Errorf("the page does not show %q", want)
				}
			}
			if bytes.Contains(body, []byte("<script")) || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Error("the page is not as strict as it should be")
			}
			continue
		}
		doc, err := openapi3.NewLoader().LoadFromData(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := doc.Validate(t.Context()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
