package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/profile"
	"housecount/web/setup"
	"housecount/web/words"
)

// allowedService is a service of the shape of Weeztix at which a person has to allow housecount.
func allowedService(t *testing.T) *httptest.Server {
	issued := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/tokens" {
			var asked map[string]string
			json.Unmarshal(body, &asked) // what it does not have is refused
			if asked["client_secret"] != "sesame-99" || asked["code"] != "the-code" && asked["refresh_token"] != fmt.Sprint("refresh-", issued) {
				http.Error(w, `{"error":"invalid_grant"}`, http.StatusUnauthorized)
				return
			}
			issued++
			fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":"refresh-%d","token_type":"Bearer","expires_in":259200}`, issued, issued)
			return
		}
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer access-", issued) {
			http.Error(w, `{"error":"access_denied"}`, http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Company") != "company-guid" {
			http.Error(w, `{"error":"forbidden"}`, http.StatusForbidden)
			return
		}
		at := time.Now().Add(time.Minute).Format(time.RFC3339)
		switch r.URL.Path {
		case "/event/normal":
			fmt.Fprint(w, `[{"guid":"e1","name":"Gala","location":{"name":"Great hall"},"currency":"EUR"}]`)
		case "/event/e1/dates":
			fmt.Fprintf(w, `[{"guid":"d1","start":%q,"end":%q,"capacity":300}]`, at, at)
		case "/event/e1/salesstats":
			fmt.Fprint(w, `{"tickets":{"t1":{"ticket_id":"t1","name":"Gold","sold_count":5,"pending_count":0,"turnover":10000,"date_info":{"2026-01-02":{"amount":5,"turnover":10000}}}}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(service.Close)
	return service
}

// connectionAtAServiceWithoutKeys changes the client of a house that runs, whose grant the database has.
func connectionAtAServiceWithoutKeys(t *testing.T, service, directory string) {
	t.Helper()
	file := filepath.Join(directory, "running.yaml")
	write(t, file, fmt.Sprintf("public-url: http://127.0.0.1:8080\nprofile: weeztix\nvar: {company: company-guid, zone: UTC}\napi-url: %s\napi-token-url: %s/tokens\n"+
		"api-client-id: house\napi-client-secret: sesame-00\ndatabase: %s\noidc-issuer: https://id.example\noidc-client-id: housecount\nadmins: [ruben@dewaag.example]\n",
		service, service, filepath.Join(directory, "house.db")))
	n := newConnection(serveCommandFor(t, nil, "--config", file), file, environment{args: []string{"serve", "--config", file}}, slog.New(slog.DiscardHandler))
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	for _, c := range []struct{ client, secret, address, fault string }{
		{"house", "wrong-99", service, "client_refused"},
		{"another", "sesame-99", service, "authorize"},
		{"house", "sesame-00", other.URL, "authorize"}, // what was allowed is not sent to another host
		{"house", "sesame-99", other.URL, "authorize"},
		{"house", "sesame-99", service, ""},
	} {
		_, err := n.Check(t.Context(), url.Values{"part": {setup.PartService}, "seen": {n.Present("").Seen}, "api_url": {c.address}, "client_id": {c.client}, "key": {c.secret}})
		got := ""
		if wrong, ok := errors.AsType[*setup.Fault](err); ok {
			got, err = wrong.Code, nil
		}
		if err != nil || got != c.fault {
			t.Errorf("%s with %s at %s: %q (%v), want %q", c.client, c.secret, c.address, got, err, c.fault)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("another host was asked %d times", n)
	}
}

// What a service needs is asked for in words, and no service is offered that has no performances.
func TestSetupAsksInWords(t *testing.T) {
	for _, name := range setupProfiles() {
		p, err := profile.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for variable := range p.Rules.Vars {
			for _, locale := range words.Locales {
				if text := words.Of(locale).Code("setup_var", variable); text == "" || text == variable {
					t.Errorf("%s: the variable %s has no name in %s", name, variable, locale)
				}
			}
		}
	}
	if names := setupProfiles(); slices.Contains(names, "mollie") || !slices.Contains(names, "weeztix") {
		t.Errorf("services are %v", names)
	}
}

// A service that gives no key is set up in the browser: a person is led there and back, what comes back is sealed in the
// database, and nobody else's answer is taken.
func TestSetupAtAServiceWithoutKeys(t *testing.T) {
	service, directory, out := allowedService(t), t.TempDir(), newOutput()
	c := serveCommandFor(t, nil, "--setup-file", filepath.Join(directory, "house.yaml"), "--database", filepath.Join(directory, "house.db"))
	server, err := newSetupServer(c, setupFiles{c.SetupFile}, "127.0.0.1:1", out, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server.state.given.APITokenURL = service.URL + "/tokens"
	server.newCode()
	pages := httptest.NewServer(server)
	t.Cleanup(pages.Close)
	s := &settingUp{t: t, directory: directory, out: out, address: pages.URL + "/setup"}
	v := s.visitor()
	v.post("code", s.code())
	status, body := v.post("step", "1", "profile", "weeztix")
	v.wants("the service", status, body, http.StatusOK, pages.URL+"/setup/authorized", "GUID of the company", "Client secret")
	fill := func(pairs ...string) (int, string) {
		return v.post(append([]string{"step", "2", "api_url", service.URL, "var.company", "other-guid", "var.currency", "EUR", "var.zone", "UTC"}, pairs...)...)
	}
	status, body = fill("key", "sesame-99")
	v.refuses("no client id", status, body, "client id is missing")
	status, body = fill("client_id", "house", "key", "wrong-99")
	v.wants("before anybody allowed it", status, body, http.StatusOK, "Allow at Weeztix")
	leads := func(body string) url.Values {
		t.Helper()
		m := regexp.MustCompile(`href="(https://login\.weeztix\.com/login[^"]*)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("the page leads nowhere: %s", body)
		}
		u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err != nil || u.Query().Get("redirect_uri") != pages.URL+"/setup/authorized" || u.Query().Get("client_id") != "house" {
			t.Fatalf("it leads to %s (%v)", m[1], err)
		}
		return u.Query()
	}
	back := func(by *formVisitor, query url.Values) (int, string) {
		return by.answer(by.Get(pages.URL + "/setup/authorized?" + query.Encode()))
	}
	state := leads(body).Get("state")
	status, body = back(v, url.Values{"code": {"the-code"}, "state": {"made-up"}})
	v.refuses("the answer to another", status, body, "older question")
	status, body = back(s.visitor(), url.Values{"code": {"the-code"}, "state": {state}})
	v.wants("another browser", status, body, http.StatusForbidden, "terminal")
	status, body = back(v, url.Values{"error": {"access_denied"}, "state": {state}})
	v.refuses("not allowed", status, body, "did not allow it")
	status, body = back(v, url.Values{"code": {"the-code"}, "state": {state}})
	v.refuses("a wrong secret", status, body, "refuses the client id or the secret")

	// Another client is another question, and the answer to the one before is not taken for it.
	_, body = fill("client_id", "house", "key", "sesame-99")
	if again := leads(body).Get("state"); again == state {
		t.Error("the same question is asked twice")
	} else {
		status, body = back(v, url.Values{"code": {"the-code"}, "state": {state}})
		v.refuses("the answer to the question before", status, body, "older question")
		state = again
	}
	status, body = back(s.visitor(), url.Values{"code": {"the-code"}, "state": {state}})
	v.wants("another browser with the answer", status, body, http.StatusForbidden, "terminal")
	status, body = back(v, url.Values{"code": {"the-code"}, "state": {state}}) // which is still good
	v.refuses("another company", status, body, "<bdi>GUID of the company</bdi>", "The address answers, but not for this, or not to this key")
	// It is allowed now: what was filled in wrongly is mended without asking again.
	status, body = fill("client_id", "house", "var.company", "company-guid")
	v.refuses("another company still", status, body, "<bdi>GUID of the company</bdi>", "The address answers, but not for this, or not to this key")
	status, body = v.post("step", "2", "api_url", service.URL, "client_id", "house", "var.company", "company-guid", "var.currency", "EUR", "var.zone", "UTC")
	v.wants("the company", status, body, http.StatusOK, "1 performance tonight, 5 sold", "Great hall", "First: Gala, ")

	// Another secret is tried, though the token of the one before is still good.
	status, body = v.post("step", "2", "api_url", service.URL, "client_id", "house", "key", "wrong-99", "var.company", "company-guid", "var.currency", "EUR", "var.zone", "UTC")
	v.refuses("a secret that became wrong", status, body, "refuses the client id or the secret", "If they are right", "Allow at Weeztix")
	if strings.Contains(body, "Now allow housecount") || strings.Contains(body, "wrong-99") {
		t.Errorf("a secret that became wrong is answered %s", body)
	}
	status, body = v.post("step", "2", "api_url", service.URL, "client_id", "house", "key", "sesame-99", "var.company", "company-guid", "var.currency", "EUR", "var.zone", "UTC")
	v.wants("the right one again", status, body, http.StatusOK, "1 performance tonight, 5 sold")
	connectionAtAServiceWithoutKeys(t, service.URL, directory)

	db, err := store.Open(t.Context(), filepath.Join(directory, "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seal, err := db.Seal(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Credentials(seal).Renew(t.Context(), "weeztix house", func(stored []byte) ([]byte, error) {
		if !strings.Contains(string(stored), "refresh-3") { // by the right secret twice
			t.Errorf("stored is %s", stored)
		}
		return nil, nil
	}); err != nil {
		t.Error(err)
	}
}

// Behind a proxy for TLS the addresses to register are the proxy's, as the browser says, also where nobody gave them.
func TestSetupBehindAProxy(t *testing.T) {
	for _, c := range []struct {
		name, origin, given, want string
		secure                    bool
	}{
		{"a proxy", "https://dash.example.org", "", "https://dash.example.org", true},
		{"a proxy with another address", "https://dash.example.org", "https://public.example.org", "https://public.example.org", false},
		{"no proxy", "", "", "http://127.0.0.1:1", false},
		{"no origin", "null", "", "http://127.0.0.1:1", false},
		{"an origin that is none", "https://dash.example.org/x?y", "", "http://127.0.0.1:1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := newOutput()
			command := serveCommandFor(t, nil, "--setup-file", filepath.Join(t.TempDir(), "house.yaml"))
			command.PublicURL = c.given
			server, err := newSetupServer(command, setupFiles{command.SetupFile}, "127.0.0.1:1", out, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			server.newCode()
			s := &settingUp{t: t, out: out}
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:1/setup", strings.NewReader("code="+s.code()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", c.origin)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			cookies := w.Result().Cookies()
			if w.Code != http.StatusSeeOther || len(cookies) != 1 || cookies[0].Secure != c.secure {
				t.Fatalf("the code is answered %d, %v", w.Code, cookies)
			}
			if got := server.current().PublicURL; got != c.want {
				t.Errorf("the public address is %s, want %s", got, c.want)
			}
			if got := server.authorizedAddress(r); c.given == "" && got != c.want+"/setup/authorized" {
				t.Errorf("a service leads back to %s", got)
			}
		})
	}
}
