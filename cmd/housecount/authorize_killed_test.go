package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/cmd/housecount/options"
)

// rotating is a service that gives a token for each refresh token, once, and for a code.
type rotating struct {
	mu       sync.Mutex
	access   string
	refresh  string
	issued   int
	sent     map[string]int            // how often each refresh token came
	rotated  func(http.ResponseWriter) // answers a refresh, in place of the service
	answered chan struct{}             // closed when that answer is out
}

func (s *rotating) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/token" {
		r.ParseForm()
		refresh := r.PostForm.Get("refresh_token")
		if refresh != "" {
			s.sent[refresh]++
		}
		if refresh != s.refresh && r.PostForm.Get("code") != "the-code" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		s.issued++
		s.access, s.refresh = fmt.Sprint("access-", s.issued), fmt.Sprint("refresh-", s.issued)
		if before := s.rotated; before != nil && refresh != "" {
			s.rotated = nil
			before(w)
			w.Header().Set("Connection", "close")
			defer close(s.answered)
		}
		fmt.Fprintf(w, `{"access_token":%q,"refresh_token":%q,"token_type":"Bearer","expires_in":86400}`, s.access, s.refresh)
		return
	}
	if r.URL.Path != "/shows" || r.Header.Get("Authorization") != "Bearer "+s.access {
		http.Error(w, `{"message":"no token"}`, http.StatusUnauthorized)
		return
	}
	fmt.Fprint(w, `{"data":[{"id":"1","title":"Gala","date":"2026-11-24","available":4}]}`)
}

func (s *rotating) count(refresh string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[refresh]
}

// The program is killed after the service has given a new refresh token and before that is stored, so that the one in the
// database is used up. It is sent once more, and not again and again; the figures say that somebody has to allow housecount
// there; and what an administrator allows under Settings is used at once, without a restart.
func TestKilledBetweenARefreshTokenAndItsStore(t *testing.T) {
	t.Parallel()
	service := &rotating{refresh: "refresh-0", sent: map[string]int{}, answered: make(chan struct{})}
	server := httptest.NewUnstartedServer(service)
	closed := make(chan struct{}, 100)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			select {
			case closed <- struct{}{}:
			default:
			}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	house, database := filepath.Join(dir, "house.yaml"), filepath.Join(dir, "house.db")
	write(t, house, `
name: house
base_url: `+server.URL+`
auth:
  oauth: {grant: authorization_code, authorize_url: "https://auth.example.org/allow", token_url: "`+server.URL+`/token"}
streams:
  - {name: shows, path: shows, paging: {style: bare}, list: data, gives: [event]}
`)
	secret := "0123456789abcdef0123456789abcdef"
	arguments := []string{"serve", "--listen", "127.0.0.1:0", "--public-url", "http://127.0.0.1:1", "--profile", house, "--api-client-id", "house", "--api-client-secret", "hush-hush",
		"--database", database, "--secret-key", secret, "--oidc-issuer", server.URL, "--oidc-client-id", "x", "--poll-busy", "1s", "--poll-on-sale", "1s", "--poll-idle", "15m"}

	// Somebody allowed it long ago, so that the token is due.
	db, credentials, err := openCredentials(t.Context(), sealedDatabase{options.DatabaseFlags{Database: options.Database(database)}, options.SealFlags{SecretKey: secret}})
	if err != nil {
		t.Fatal(err)
	}
	old, err := json.Marshal(apiclient.Grant{Access: "access-0", Refresh: "refresh-0"})
	if err == nil {
		err = credentials.Put(t.Context(), "house house", old)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	outside, err := sql.Open("sqlite", "file:"+database+"?_pragma=busy_timeout(20000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()

	var locked *sql.Tx
	service.rotated = func(http.ResponseWriter) {
		if locked, err = outside.Begin(); err != nil { // the program cannot write from here on
			t.Error(err)
		}
	}
	out := newOutput()
	one := child(t, out, arguments...)
	select {
	case <-service.answered:
	case <-time.After(patience):
		t.Fatalf("no token was asked for: %s", out)
	}
	<-closed // the answer is out
	if err := one.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.Wait() // it was killed
	if err := locked.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := outside.Exec(`UPDATE credential SET claimed_until = 1`); err != nil { // as a minute later
		t.Fatal(err)
	}
	if service.count("refresh-0") != 1 || service.issued != 1 {
		t.Fatalf("%d tokens, %v", service.issued, service.sent)
	}

	c := serveCommandFor(t, nil, arguments[1:]...)
	ready, err := c.validate()
	if err != nil {
		t.Fatal(err)
	}
	connected := newConnection(c, "", environment{}, slog.New(slog.DiscardHandler))
	ready.connection = connected
	p, err := newProgram(t.Context(), ready, slog.New(slog.NewTextHandler(out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	connected.attach(runningHouse{p.store, p.granted, p.records})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	ln := listen(t, "127.0.0.1:0")
	go func() { ended <- p.run(ctx, listeners{pages: ln}) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	shown := &testHouse{t: t, demo: &demo{program: p}}
	for missed := range 3 {
		shown.until("what is wrong", func(s *figures.Snapshot) bool {
			return slices.ContainsFunc(s.Health.Streams, func(h figures.StreamHealth) bool { return h.Fault == figures.FaultUngranted && h.Missed > missed })
		})
		if err := p.records.Nudge(t.Context(), store.AllLists); err != nil {
			t.Fatal(err)
		}
	}
	if n := service.count("refresh-0"); n != 2 {
		t.Errorf("the refresh token that was used up came %d times, want 2", n)
	}
	if !strings.Contains(out.String(), "allow housecount there again") || strings.Contains(out.String(), "refresh-") || strings.Contains(out.String(), "access-") {
		t.Errorf("the log says: %s", out)
	}

	// An administrator allows it under Settings.
	all := connected.Allow("http://127.0.0.1:1/setup/authorized")
	if len(all) != 1 {
		t.Fatalf("it can be allowed at %d services", len(all))
	}
	a := all[0]
	asked, err := url.Parse(a.Address)
	if err != nil || asked.Query().Get("redirect_uri") != "http://127.0.0.1:1/setup/authorized" {
		t.Fatalf("it leads to %s (%v)", a.Address, err)
	}
	for name, answer := range map[string]url.Values{"declined": {"error": {"access_denied"}, "state": {asked.Query().Get("state")}}, "other_answer": {"code": {"the-code"}, "state": {"made-up"}},
		"client_refused": {"code": {"guessed"}, "state": {asked.Query().Get("state")}}} {
		if _, err := a.Finish(t.Context(), answer); faultCode(t, err) != name {
			t.Errorf("%v: %v, want %s", answer, err, name)
		}
	}
	put, err := a.Finish(t.Context(), url.Values{"code": {"the-code"}, "state": {asked.Query().Get("state")}})
	if err == nil {
		err = put(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	shown.until("the performances", func(s *figures.Snapshot) bool {
		return len(s.Events) == 1 && !slices.ContainsFunc(s.Health.Streams, func(h figures.StreamHealth) bool { return h.Fault != "" })
	})
	if n := service.count("refresh-0"); n != 2 {
		t.Errorf("the refresh token that was used up came %d times, want 2", n)
	}
}
