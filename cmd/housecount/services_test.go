package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
)

// writeFile writes a file into a directory of the test and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFaultsOfServices(t *testing.T) {
	good := map[string]string{
		"HOUSECOUNT_PUBLIC_URL": "https://dash.example.org", "HOUSECOUNT_API_KEY": "sesame",
		"HOUSECOUNT_OIDC_ISSUER": "https://id.example.org", "HOUSECOUNT_OIDC_CLIENT_ID": "hc",
		"HOUSECOUNT_PROFILE": "pretix", "HOUSECOUNT_VAR": "organizer=havendam",
	}
	mollie := writeFile(t, "mollie.yaml", "profile: mollie\napi-key: sesame2\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no file", []string{"--services", "mollie=/nowhere/mollie.yaml"}, "--services mollie: configuration file: open /nowhere/mollie.yaml: no such file"},
		{"no name", []string{"--services", "A:B=" + mollie, "--payments", "none"}, `--services A:B: "A:B" is no name of a service: give up to 20 small letters and digits`},
		{"the name of the first", []string{"--services", "pretix=" + mollie, "--payments", "none"}, "--services pretix: the first service is called that"},
		{"no key", []string{"--services", "mollie=" + writeFile(t, "mollie.yaml", "profile: mollie\n"), "--payments", "none"}, "--services mollie: api-key is missing"},
		{"a wrong option", []string{"--services", "mollie=" + writeFile(t, "mollie.yaml", "profile: mollie\napi-key: k\nhook-secrets: x\n"), "--payments", "none"}, "did you mean hook-secret?"},
		{"a short secret", []string{"--services", "mollie=" + writeFile(t, "mollie.yaml", "profile: mollie\napi-key: k\nhook-secret: x\n"), "--payments", "none"}, "--services mollie: hook-secret is too short"},
		{"money twice", []string{"--services", "mollie=" + mollie}, "--payments: pretix and mollie both tell of payments, and the same money would count twice: give pretix none, or the methods"},
		{"all and methods", []string{"--services", "mollie=" + mollie, "--payments", "all,cash"}, "--payments all,cash: give all, none, or methods of payment alone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := runFor(t, good, append([]string{"serve"}, c.args...)...)
			if code != exitUsage || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "sesame") {
				t.Errorf("exit code %d, message:\n%s\nwant code %d and %q", code, stderr, exitUsage, c.want)
			}
		})
	}

	// In a configuration file the path is relative to it.
	house := filepath.Join(filepath.Dir(mollie), "house.yaml")
	if err := os.WriteFile(house, []byte("services: {mollie: mollie.yaml}\npayments: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	beside, err := serveCommandFor(t, good, "--config", house).validate()
	if err != nil || len(beside.others) != 1 || beside.others[0].service.APIKey != "sesame2" {
		t.Errorf("from the file: %+v, %v", beside.others, err)
	}

	args := []string{"serve", "--services", "mollie=" + mollie, "--payments", "cash"}
	for k, v := range good {
		args = append(args, "--"+strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(k, "HOUSECOUNT_"), "_", "-")), v)
	}
	s, err := serveCommandFor(t, map[string]string{"HOUSECOUNT_API_KEY": "of the first"}, args[1:]...).validate()
	if err != nil || len(s.others) != 1 || s.others[0].name != "mollie" || s.others[0].service.APIKey != "sesame2" {
		t.Errorf("%+v, %v", s.others, err)
	}
}

// A second box office is shown beside the first one, and its message has its own lists polled.
func TestSecondServiceOfServe(t *testing.T) {
	t.Parallel()
	h := startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t).Add(-8 * time.Hour), Past: 8, Coming: 8})
	second, err := sandbox.New(sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t).Add(-8 * time.Hour), Past: 8, Coming: 8, APIKey: "second"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	server := httptest.NewServer(second)
	t.Cleanup(server.Close)
	const secret = "0123456789abcdef0123456789abcdef"
	e := h.grote()
	other, err := readOther("hall2", writeFile(t, "hall2.yaml", "api-url: "+server.URL+"\napi-key: second\nrequests-per-minute: 6000\nhook-secret: "+secret+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	h.demo.settings.others = []otherService{other}
	h.demo.settings.PollBusy, h.demo.settings.PollOnSale, h.demo.settings.PollIdle = time.Second, time.Hour, time.Hour
	h.restart()
	both := h.until("both are read", func(s *figures.Snapshot) bool {
		other := s.Event("hall2:" + e.Event.ID)
		return other != nil && other.Sold.Quality == figures.Exact && s.Event(e.Event.ID).Sold.Quality == figures.Exact
	})
	ours, theirs := both.Event(e.Event.ID).Sold.Value, both.Event("hall2:"+e.Event.ID).Sold.Value

	q := httptest.NewRequest(http.MethodPost, "http://localhost/sandbox/sell", strings.NewReader(`{"event_id":"`+e.Event.ID+`","quantity":2}`))
	q.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	if second.ServeHTTP(w, q); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	post := func(path string) int {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode
	}
	if got := post("/hooks/default/" + secret); got != http.StatusNotFound {
		t.Errorf("the secret of the second service opens the first one's address: %d", got)
	}
	if got := post("/hooks/hall2/" + secret + "?list=tickets"); got != http.StatusNoContent {
		t.Fatal(got)
	}
	shown := h.until("the sale is shown", func(s *figures.Snapshot) bool { return s.Event("hall2:"+e.Event.ID).Sold.Value == theirs+2 })
	if got := shown.Event(e.Event.ID).Sold.Value; got != ours {
		t.Errorf("a sale at the second service changed %d of the first one to %d", ours, got)
	}
}
