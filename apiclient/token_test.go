package apiclient_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

const testSecret = "cs/hush+1%"

// issuer hands out tokens tok_1, tok_2 … and knows which are valid.
type issuer struct {
	mu     sync.Mutex
	issued int
	good   map[string]bool
	answer http.HandlerFunc // response instead of a token, if set
	life   any
	last   *http.Request
	seen   []string // the tokens that were used
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path != "/token" {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		i.seen = append(i.seen, token)
		if !i.good[token] {
			http.Error(w, fmt.Sprintf("no good: %q", i.seen), http.StatusUnauthorized)
			return
		}
		writePage(w, r, tickets(1), 100, 1)
		return
	}
	r.ParseForm()
	i.last = r
	i.issued++
	if i.answer != nil {
		i.answer(w, r)
		return
	}
	token := fmt.Sprintf("tok_%d", i.issued)
	i.good = map[string]bool{token: true}
	writeJSON(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": i.life})
}

func withClient(o apiclient.Options, tokenURL string) apiclient.Options {
	o.ClientID, o.ClientSecret, o.TokenURL = "wall display", testSecret, tokenURL
	return o
}

func TestTokenRequest(t *testing.T) {
	i := &issuer{life: 3600}
	s := httptest.NewServer(i)
	defer s.Close()
	c := newClient(t, withClient(apiclient.Options{BaseURL: s.URL, Scopes: []string{"events.read", "tickets.read"}}, s.URL+"/token"))
	if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 1 {
		t.Fatalf("%d records, %v", len(g.records), g.err)
	}
	if i.last.Method != "POST" || i.last.PostForm.Encode() != "grant_type=client_credentials&scope=events.read+tickets.read" {
		t.Errorf("asked with %s %s", i.last.Method, i.last.PostForm.Encode())
	}
	// RFC 6749: each part is form-encoded before it goes into the header.
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("wall+display:cs%2Fhush%2B1%25"))
	if got := i.last.Header.Get("Authorization"); got != want {
		t.Errorf("authorized with %q, want %q", got, want)
	}
}

func TestTokenIsSharedAndRefreshedEarly(t *testing.T) {
	for _, test := range []struct {
		life  any
		fresh time.Duration
	}{{1000, 800 * time.Second}, {"1000", 800 * time.Second}, {nil, 4 * time.Minute}, {-5, 4 * time.Minute}} {
		t.Run(fmt.Sprint(test.life), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := &issuer{life: test.life}
				c := inMemory(t, i.ServeHTTP, withClient(apiclient.Options{}, "http://api.test/token"))
				read := func() {
					t.Helper()
					if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil {
						t.Error(g.err)
					}
				}
				var wg sync.WaitGroup
				for range 10 {
					wg.Go(read)
				}
				wg.Wait()
				if i.issued != 1 {
					t.Fatalf("ten readers took %d tokens, want 1", i.issued)
				}
				time.Sleep(test.fresh - time.Second)
				if read(); i.issued != 1 {
					t.Errorf("a new token before its time")
				}
				time.Sleep(2 * time.Second)
				if read(); i.issued != 2 {
					t.Errorf("%d tokens after 80 %% of the life, want 2", i.issued)
				}
			})
		})
	}
}

func TestValidTokenOutlivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{life: 1000}
		c := inMemory(t, i.ServeHTTP, withClient(apiclient.Options{Retries: -1}, "http://api.test/token"))
		read := func() error { return gather(readTickets(t.Context(), c, apiclient.Query{})).err }
		if err := read(); err != nil {
			t.Fatal(err)
		}
		i.mu.Lock()
		i.answer = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }
		i.mu.Unlock()
		time.Sleep(900 * time.Second)
		for range 3 {
			if err := read(); err != nil {
				t.Errorf("the token is good for 100 s more, but: %v", err)
			}
		}
		if i.issued != 2 {
			t.Errorf("the issuer was asked %d times, want once more in ten seconds", i.issued)
		}
		time.Sleep(200 * time.Second)
		if err := read(); err == nil {
			t.Error("read with a token that has run out")
		}
	})
}

func TestRefusedTokenIsRenewedOnce(t *testing.T) {
	i := &issuer{life: 3600}
	s := httptest.NewServer(i)
	defer s.Close()
	c := newClient(t, withClient(apiclient.Options{BaseURL: s.URL}, s.URL+"/token"))
	read := func() result[*record.Ticket] { return gather(readTickets(t.Context(), c, apiclient.Query{})) }
	if g := read(); g.err != nil {
		t.Fatal(g.err)
	}
	i.mu.Lock()
	i.good = nil // revoked
	i.mu.Unlock()
	if g := read(); g.err != nil || i.issued != 2 {
		t.Errorf("%v with %d tokens, want a second one", g.err, i.issued)
	}
	i.mu.Lock()
	i.good = nil
	i.answer = func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"access_token":"bad_3"}`) }
	i.mu.Unlock()
	e := read().failure(t, apiclient.Unauthorized)
	if i.issued != 3 || e.Status != 401 || e.Stream != "tickets" {
		t.Errorf("%+v with %d tokens, want one try with a third", e, i.issued)
	}
	if strings.Contains(e.Error(), "tok_2") || strings.Contains(e.Error(), "bad_3") {
		t.Errorf("%v shows the last two tokens", e)
	}
}

func TestNoToken(t *testing.T) {
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status); io.WriteString(w, body) }
	}
	tests := []struct {
		name   string
		answer http.HandlerFunc
		kind   apiclient.ErrorKind
		status int
	}{
		{"invalid client", say(401, `{"error":"invalid_client","error_description":"cs/hush+1% is wrong"}`), apiclient.Unauthorized, 401},
		{"invalid client, as 400", say(400, `{"error":"invalid_client"}`), apiclient.Unauthorized, 400},
		{"invalid client, as 200", say(200, `{"error":"invalid_client"}`), apiclient.Unauthorized, 200},
		{"no such address", say(404, ``), apiclient.Unauthorized, 404},
		{"down", say(503, ``), apiclient.Server, 503},
		{"limited", say(429, ``), apiclient.RateLimited, 429},
		{"not JSON", say(200, `<html>`), apiclient.Garbage, 200},
		{"no token", say(200, `{}`), apiclient.Garbage, 200},
		{"another type", say(200, `{"access_token":"x","token_type":"mac"}`), apiclient.Garbage, 200},
		{"a token that would be two headers", say(200, `{"access_token":"x\r\nX-Admin: 1"}`), apiclient.Garbage, 200},
		{"too large", say(200, strings.Repeat(" ", 2<<20)), apiclient.TooLarge, 200},
		{"hangs", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, apiclient.Slow, 0},
		{"the secret comes back", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization")+" cs%2Fhush%2B1%25 cs\\/hush+1%", 400)
		}, apiclient.Unauthorized, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := httptest.NewServer(&issuer{answer: test.answer})
			defer s.Close()
			o := apiclient.Options{BaseURL: s.URL, Retries: -1}
			if test.kind == apiclient.Slow {
				o.Timeout = 200 * time.Millisecond
			}
			c := newClient(t, withClient(o, s.URL+"/token"))
			e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, test.kind)
			if e.Stream != "" || e.Status != test.status {
				t.Errorf("got %+v, want status %d and no stream", e, test.status)
			}
			for _, secret := range []string{"hush", base64.StdEncoding.EncodeToString([]byte("wall+display:cs%2Fhush%2B1%25"))} {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("%v shows the secret", e)
				}
			}
		})
	}
}

// The secret is sent only to the token address, the token only to the service.
func TestTokenIsSentOnlyToTheService(t *testing.T) {
	var reached atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer thief.Close()
	i := &issuer{answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL+"/token", http.StatusTemporaryRedirect)
	}}
	s := httptest.NewServer(i)
	defer s.Close()
	c := newClient(t, withClient(apiclient.Options{BaseURL: s.URL}, s.URL+"/token"))
	gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Foreign)
	if reached.Load() != 0 {
		t.Error("the secret went along with a redirect")
	}
}
