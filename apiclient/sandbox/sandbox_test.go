package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

const testKey = "key-of-the-test"

var amsterdam = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		panic(err)
	}
	return zone
}()

// evening is a Friday on which the doors of the Grote Zaal have just opened.
var evening = time.Date(2026, 11, 20, 19, 32, 0, 0, amsterdam)

// service is a sandbox behind real HTTP.
type service struct {
	*sandbox.Sandbox
	t   *testing.T
	url string
}

// open serves a sandbox that stands still; a short season unless o says otherwise.
func open(t *testing.T, o sandbox.Options) *service {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	if o.Start.IsZero() {
		o.Start = evening
	}
	if o.Speed == 0 {
		o.Speed = -1
	}
	if o.Past == 0 {
		o.Past, o.Coming = 5, 8
	}
	o.PublicURL, o.APIKey = "http://"+server.Listener.Addr().String(), testKey
	s, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = s
	server.Start()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &service{s, t, server.URL}
}

// do sends a request with the key and returns the answer with its body read.
func (s *service) do(method, path, body string, header ...string) (*http.Response, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer, b
}

// page is a list as served.
type page[R any] struct {
	Data []R
	Meta struct {
		Total   int
		Page    int
		PerPage int `json:"per_page"`
	}
}

// list reads one page.
func list[R any](s *service, path string) page[R] {
	s.t.Helper()
	answer, body := s.do(http.MethodGet, path, "")
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s: %s", path, answer.Status, body)
	}
	var p page[R]
	if err := json.Unmarshal(body, &p); err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
	return p
}

// all reads a stream page by page.
func all[R any](s *service, path string) []R {
	s.t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	var rows []R
	for n := 1; ; n++ {
		p := list[R](s, fmt.Sprintf("%s%sper_page=500&page=%d", path, mark, n))
		rows = append(rows, p.Data...)
		if len(p.Data) == 0 {
			if len(rows) != p.Meta.Total {
				s.t.Fatalf("%s: %d rows on all pages, meta.total is %d", path, len(rows), p.Meta.Total)
			}
			return rows
		}
	}
}

// control makes a call on the control path and reads its answer into out.
func (s *service) control(name, body string, out any) {
	s.t.Helper()
	answer, b := s.do(http.MethodPost, "/sandbox/"+name, body)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s: %s", name, body, answer.Status, b)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(b, out); err != nil {
		s.t.Fatalf("%s: %v: %s", name, err, b)
	}
}

type sold struct {
	OrderID   string   `json:"order_id"`
	TicketIDs []string `json:"ticket_ids"`
	PaymentID string   `json:"payment_id"`
}

// addEvent adds a performance by the control path and returns its id.
func (s *service) addEvent(body string) string {
	s.t.Helper()
	var made struct {
		EventID string `json:"event_id"`
	}
	s.control("event", body, &made)
	return made.EventID
}

func (s *service) sell(event string, n int) sold {
	s.t.Helper()
	var out sold
	s.control("sell", fmt.Sprintf(`{"event_id":%q,"quantity":%d,"price":{"amount":2500,"currency":"EUR"}}`, event, n), &out)
	return out
}

// everything returns all that the service tells, as one text.
func (s *service) everything() string {
	s.t.Helper()
	var b strings.Builder
	for _, stream := range []string{"events", "tickets", "payments", "contacts", "planning"} {
		total := list[json.RawMessage](s, "/v2/"+stream+"?per_page=1").Meta.Total
		for n := range (total + 499) / 500 {
			_, body := s.do(http.MethodGet, fmt.Sprintf("/v2/%s?per_page=500&page=%d", stream, n+1), "")
			b.Write(body)
		}
	}
	return b.String()
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := sandbox.New(sandbox.Options{
		Past: -1, PublicURL: "nowhere",
		Clients: []idp.Client{{RedirectURIs: []string{"/relative"}}},
	})
	if err == nil {
		t.Fatal("nothing was wrong")
	}
	for _, want := range []string{"past -1", "nowhere", "no id", "/relative"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not name %q: %v", want, err)
		}
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sandbox.New(sandbox.Options{Start: evening, Speed: 60, Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		if got, want := s.Now(), evening.Add(90*time.Second); !got.Equal(want) {
			t.Errorf("after 1.5 s at speed 60 it is %v, want %v", got, want)
		}
		s.Advance(time.Hour)
		s.Advance(-time.Hour)
		if got, want := s.At(time.Now().Add(-500*time.Millisecond)), evening.Add(60*time.Second); !got.Equal(want) {
			t.Errorf("half a second before it was moved it was %v, want %v", got, want)
		}
		if got, want := s.Now(), evening.Add(time.Hour+90*time.Second); !got.Equal(want) {
			t.Errorf("after an hour more it is %v, want %v", got, want)
		}
	})
}

func TestEventsAsDocumented(t *testing.T) {
	s := open(t, sandbox.Options{})
	var answers []string
	for _, path := range []string{"/v2/events", "/api/v2/events"} {
		answer, body := s.do(http.MethodGet, path, "", "Content-Type", "application/json")
		if got := answer.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: Content-Type %q", path, got)
		}
		if got, want := answer.Header.Get("Date"), s.Now().Format(http.TimeFormat); got != want {
			t.Errorf("%s: Date %q, want the sandbox's %q", path, got, want)
		}
		answers = append(answers, string(body))
	}
	if answers[0] != answers[1] {
		t.Error("the two path forms answer differently")
	}
	var p page[map[string]any]
	if err := json.Unmarshal([]byte(answers[0]), &p); err != nil {
		t.Fatal(err)
	}
	if p.Meta.Total == 0 || len(p.Data) == 0 {
		t.Fatal("there are no events")
	}
	for _, e := range p.Data {
		id, _ := e["id"].(string)
		title, _ := e["title"].(string)
		date, _ := e["date"].(string)
		available, isNumber := e["available"].(float64)
		_, badDate := time.Parse(time.DateOnly, date)
		if !strings.HasPrefix(id, "evt_") || len(id) < 8 || title == "" || badDate != nil || !isNumber || available != float64(int(available)) {
			t.Errorf("not an event as documented: %v", e)
		}
	}
}

func TestBearer(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	for _, test := range []struct {
		name, header string
		status       int
	}{
		{"key", "Bearer " + testKey, 200},
		{"scheme in small letters", "bearer " + testKey, 200},
		{"none", "", 401},
		{"wrong key", "Bearer " + testKey + "x", 401},
		{"empty key", "Bearer ", 401},
		{"other scheme", "Token " + testKey, 401},
		{"not a JWT", "Bearer a.b.c", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, body := s.do(http.MethodGet, "/v2/tickets", "", "Authorization", test.header)
			if answer.StatusCode != test.status {
				t.Fatalf("%s: %s", answer.Status, body)
			}
			if test.status == 401 && (answer.Header.Get("WWW-Authenticate") == "" || answer.Header.Get("Content-Type") != "application/problem+json") {
				t.Errorf("headers of a refusal: %v", answer.Header)
			}
		})
	}
}

func TestBadParameters(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	for _, query := range []string{
		"page=0", "page=-1", "page=x", "page=1.5", "page=99999999999999999999", "per_page=0", "per_page=many",
		"updated_since=yesterday", "updated_since=2026-11-20", "sort=title", "sort=-created_at",
		"from=20-11-2026", "to=2026-13-01", "available=maybe", "available=1",
	} {
		answer, body := s.do(http.MethodGet, "/v2/events?"+query, "")
		var p struct {
			Status int
			Detail string
		}
		if err := json.Unmarshal(body, &p); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		name, _, _ := strings.Cut(query, "=")
		if answer.StatusCode != 400 || p.Status != 400 || !strings.Contains(p.Detail, name) || answer.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s", query, answer.Status, body)
		}
	}
	if answer, _ := s.do(http.MethodGet, "/v2/events?per_page=100000&foo=bar", ""); answer.StatusCode != 200 {
		t.Errorf("a large page and an unknown parameter: %s", answer.Status)
	}
	if got := list[any](s, "/v2/events?per_page=100000").Meta.PerPage; got != 500 {
		t.Errorf("a page too large is cut to %d, want 500", got)
	}
}

func TestOtherAddresses(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 303}, {"GET", "/nothing", 404}, {"GET", "/v2/shifts", 404}, {"GET", "/v2/events/evt_no", 404}, {"GET", "/v2/events/a/b", 404},
		{"POST", "/v2/tickets", 405}, {"PUT", "/v2/planning", 405}, {"PATCH", "/v2/payments/pay_x", 405}, {"DELETE", "/v2/tickets/tkt_x", 405}, {"HEAD", "/v2/events", 200},
		{"GET", "/sandbox/sell", 405}, {"POST", "/sandbox/truth", 405}, {"POST", "/sandbox/nothing", 404}, {"GET", "/oauth/token", 405},
	} {
		if answer, _ := s.do(test.method, test.path, ""); answer.StatusCode != test.status {
			t.Errorf("%s %s: %s, want %d", test.method, test.path, answer.Status, test.status)
		}
	}
}

func TestFiltersAndOrder(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{})
	s.Advance(20 * time.Minute)
	events := all[record.Event](s, "/v2/events")
	tickets := all[record.Ticket](s, "/v2/tickets")
	if len(events) < 15 || len(tickets) < 2000 {
		t.Fatalf("a small season: %d events, %d tickets", len(events), len(tickets))
	}

	t.Run("by creation", func(t *testing.T) {
		for i := 1; i < len(tickets); i++ {
			a, b := tickets[i-1], tickets[i]
			if b.CreatedAt.Before(a.CreatedAt) || b.CreatedAt.Equal(a.CreatedAt) && b.ID <= a.ID {
				t.Fatalf("%s (%v) comes before %s (%v)", a.ID, a.CreatedAt, b.ID, b.CreatedAt)
			}
		}
	})
	t.Run("newest change first", func(t *testing.T) {
		rows := all[record.Ticket](s, "/v2/tickets?sort=-updated_at")
		if len(rows) != len(tickets) {
			t.Errorf("%d rows, want %d", len(rows), len(tickets))
		}
		for i := 1; i < len(rows); i++ {
			a, b := rows[i-1], rows[i]
			if b.UpdatedAt.After(a.UpdatedAt) || b.UpdatedAt.Equal(a.UpdatedAt) && b.ID >= a.ID {
				t.Fatalf("%s (%v) comes before %s (%v)", a.ID, a.UpdatedAt, b.ID, b.UpdatedAt)
			}
		}
	})

	tonight := ""
	for _, e := range events {
		if e.Hall == "Grote Zaal" && e.Date == "2026-11-20" {
			tonight = e.ID
		}
	}
	since := evening.Add(10 * time.Minute)
	exact := time.Time{}
	for _, tk := range tickets {
		if tk.UpdatedAt.After(since) && tk.UpdatedAt.Nanosecond() != 0 {
			exact = tk.UpdatedAt
		}
	}
	day := func(e record.Event) bool { return e.Date >= "2026-11-20" && e.Date <= "2026-11-21" }
	checkEvents := func(query string, want func(record.Event) bool) {
		t.Run(query, func(t *testing.T) {
			checkSame(t, all[record.Event](s, "/v2/events?"+query), events, want, func(e record.Event) string { return e.ID })
		})
	}
	checkEvents("from=2026-11-20&to=2026-11-21", day)
	checkEvents("from=2026-11-20&to=2026-11-21&available=true", func(e record.Event) bool { return day(e) && *e.Available > 0 })
	checkEvents("available=false", func(e record.Event) bool { return *e.Available <= 0 })
	checkEvents("status=ended", func(e record.Event) bool { return e.Status == record.EventEnded })

	checkTickets := func(query string, want func(record.Ticket) bool) {
		t.Run(query, func(t *testing.T) {
			checkSame(t, all[record.Ticket](s, "/v2/tickets?"+query), tickets, want, func(t record.Ticket) string { return t.ID })
		})
	}
	at := func(t time.Time) string { return url.QueryEscape(t.Format(time.RFC3339Nano)) }
	checkTickets("event_id="+tonight, func(tk record.Ticket) bool { return tk.EventID == tonight })
	checkTickets("event_id="+tonight+"&status=refunded", func(tk record.Ticket) bool { return tk.EventID == tonight && tk.Status == "refunded" })
	checkTickets("order_id="+tickets[40].OrderID, func(tk record.Ticket) bool { return tk.OrderID == tickets[40].OrderID })
	checkTickets("status=reserved", func(tk record.Ticket) bool { return tk.Status == record.TicketReserved })
	checkTickets("event_id=evt_none", func(record.Ticket) bool { return false })
	checkTickets("updated_since="+at(since), func(tk record.Ticket) bool { return !tk.UpdatedAt.Before(since) })
	checkTickets("sort=-updated_at&updated_since="+at(exact), func(tk record.Ticket) bool { return !tk.UpdatedAt.Before(exact) })
	checkTickets("event_id="+tonight+"&sort=-updated_at&updated_since="+at(since.In(amsterdam)),
		func(tk record.Ticket) bool { return tk.EventID == tonight && !tk.UpdatedAt.Before(since) })

	t.Run("one record", func(t *testing.T) {
		var one struct{ Data record.Ticket }
		_, body := s.do(http.MethodGet, "/api/v2/tickets/"+tickets[7].ID, "")
		if err := json.Unmarshal(body, &one); err != nil || one.Data.ID != tickets[7].ID {
			t.Errorf("%v: %s", err, body)
		}
	})
}

// checkSame compares what a filter let through with what it should have.
func checkSame[R any](t *testing.T, got, from []R, want func(R) bool, id func(R) string) {
	t.Helper()
	wanted := map[string]bool{}
	for _, r := range from {
		if want(r) {
			wanted[id(r)] = true
		}
	}
	for _, r := range got {
		if !wanted[id(r)] {
			t.Errorf("%s should not be there, or came twice", id(r))
		}
		delete(wanted, id(r))
	}
	if len(wanted) > 0 {
		t.Errorf("%d records are missing of %d", len(wanted), len(got)+len(wanted))
	}
}
