package apiclient_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// memoryGrants stores a grant in memory, for one process.
type memoryGrants struct {
	mu     sync.Mutex
	stored []byte
	writes int
}

func (g *memoryGrants) Renew(_ context.Context, renew func([]byte) ([]byte, error)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	next, err := renew(g.stored)
	if err == nil && next != nil {
		g.stored = next
		g.writes++
	}
	return err
}

// boxOffice hands out tokens to whoever has its refresh token, which is good for one use.
type boxOffice struct {
	t         *testing.T
	challenge string // of PKCE
	life      time.Duration
	issued    int
	refresh   string
	valid     map[string]time.Time // tokens, until when
	forms     []url.Values
	used      int // refresh tokens that were refused
}

func (b *boxOffice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/token" {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !time.Now().Before(b.valid[token]) {
			http.Error(w, `{"message":"no token: `+token+`"}`, http.StatusUnauthorized)
			return
		}
		writeJSON(w, map[string]any{"data": tickets(1), "links": map[string]any{"next": nil}})
		return
	}
	r.ParseForm()
	b.forms = append(b.forms, r.PostForm)
	good := false
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		good = r.PostForm.Get("code") == "the-code" && base64.RawURLEncoding.EncodeToString(sum[:]) == b.challenge
	case "refresh_token":
		good = r.PostForm.Get("refresh_token") == b.refresh
	}
	if !good || r.PostForm.Get("client_id") != "house" || r.PostForm.Get("client_secret") != testSecret {
		b.used++
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"invalid_grant","error_description":"not %s"}`, r.PostForm.Get("refresh_token"))
		return
	}
	b.issued++
	token := fmt.Sprintf("access_token_%d", b.issued)
	b.refresh = fmt.Sprintf("refresh_token_%d", b.issued)
	b.valid[token] = time.Now().Add(b.life)
	writeJSON(w, map[string]any{"token_type": "bearer", "access_token": token, "refresh_token": b.refresh, "expires_in": int(b.life.Seconds())})
}

const boxOfficeRules = `
name: house
auth:
  oauth:
    grant: authorization_code
    authorize_url: https://auth.test/authorize
    token_url: http://api.test/token
    style: post
    pkce: true
streams:
  - {name: tickets, path: tickets, paging: {next: links.next}, gives: [ticket]}
`

// authorized goes through the authorization of a box office, as a person does.
func authorized(t *testing.T, b *boxOffice, o apiclient.Options) []byte {
	t.Helper()
	a, err := apiclient.NewAuthorization(o, "http://127.0.0.1:8484/authorized")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(a.URL())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Host != "auth.test" || q.Get("response_type") != "code" || q.Get("client_id") != "house" || q.Get("redirect_uri") != "http://127.0.0.1:8484/authorized" || q.Get("state") == "" {
		t.Fatalf("a person is sent to %s", u)
	}
	b.challenge = q.Get("code_challenge")
	for answer, want := range map[string]string{
		"code=the-code&state=another":                                "another authorization",
		"error=access_denied&state=" + q.Get("state"):                "access_denied",
		"state=" + q.Get("state"):                                    "no code",
		"code=guessed&state=" + url.QueryEscape(q.Get("state")) + "": "invalid_grant",
	} {
		v, _ := url.ParseQuery(answer)
		if _, err := a.Finish(t.Context(), v); err == nil || !strings.Contains(err.Error()+fmt.Sprint(b.forms), want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	b.used, b.forms = 0, nil
	stored, err := a.Finish(t.Context(), url.Values{"code": {"the-code"}, "state": {q.Get("state")}})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// What a person authorized is used and renewed for as long as the service takes it, each refresh token once, also by
// another process and after a restart. Once the service takes it no longer, the error says what to do and shows no secret.
func TestRefreshTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &boxOffice{t: t, life: 72 * time.Hour, valid: map[string]time.Time{}}
		o := apiclient.Options{Profile: parsed(t, boxOfficeRules), ClientID: "house", ClientSecret: testSecret, BaseURL: "http://api.test", Retries: -1}
		grants := &memoryGrants{}
		o.Grants = grants
		first := inMemory(t, b.ServeHTTP, o)
		with := o
		with.Dial = first.Dialer()
		grants.stored = authorized(t, b, with)

		read := func(c *apiclient.Client) result[*record.Ticket] {
			t.Helper()
			return gather(typed[*record.Ticket](c.Read(t.Context(), "tickets", apiclient.Query{})))
		}
		second := inMemory(t, b.ServeHTTP, o)
		for day := range 30 {
			for _, c := range []*apiclient.Client{first, second} {
				if g := read(c); g.err != nil || len(g.records) != 1 {
					t.Fatalf("on day %d: %v", day, g.err)
				}
			}
			time.Sleep(24 * time.Hour)
		}
		if b.used != 0 || b.issued != 1+grants.writes || b.issued < 10 || b.issued > 12 {
			t.Errorf("%d tokens, %d stored, %d refresh tokens used twice", b.issued, grants.writes, b.used)
		}
		// The service ends a token before its time.
		clear(b.valid)
		if g := read(first); g.err != nil {
			t.Errorf("after a token was taken back: %v", g.err)
		}
		// A crash between the service's answer and the store: what is stored was used.
		old := grants.stored
		clear(b.valid)
		if g := read(first); g.err != nil {
			t.Fatal(g.err)
		}
		grants.stored = old
		before := b.used
		e := read(second).failure(t, apiclient.Ungranted)
		if text := e.Error(); !strings.Contains(text, "allow housecount there again, under Settings") || strings.Contains(text, "_token_") {
			t.Errorf("after a refresh token was lost: %s", text)
		}
		// It is not sent again and again: once an hour, and what a person allows anew is used at once.
		for range 100 {
			read(second).failure(t, apiclient.Ungranted)
			time.Sleep(time.Minute)
		}
		if n := b.used - before; n != 2 {
			t.Errorf("a refresh token that was used is sent %d times in 100 minutes, want 2", n)
		}
		grants.stored = authorized(t, b, with)
		if g := read(second); g.err != nil || len(g.records) != 1 {
			t.Errorf("after it was allowed again: %v", g.err)
		}
	})
}

// A client of a person's authorization needs a place to store it, and one with an API key does not.
func TestGrantsAreNeeded(t *testing.T) {
	o := apiclient.Options{Profile: parsed(t, boxOfficeRules), ClientID: "house", ClientSecret: testSecret, BaseURL: "http://api.test"}
	if _, err := apiclient.New(o); err == nil || !strings.Contains(err.Error(), "Grants is missing") {
		t.Error(err)
	}
	if _, err := apiclient.New(apiclient.Options{Profile: parsed(t, boxOfficeRules), APIKey: testKey, BaseURL: "http://api.test"}); err != nil {
		t.Error(err)
	}
	if _, err := apiclient.NewAuthorization(apiclient.Options{ClientID: "house", ClientSecret: testSecret, BaseURL: "http://api.test", TokenURL: "http://api.test/token"}, "http://127.0.0.1/"); err == nil {
		t.Error("a profile of our own records asks nobody")
	}
}

// An address for tokens that is not there, or is kept from us, for a moment is asked again at the next poll: it refused no refresh token.
func TestTokenAddressThatIsAwayForAMoment(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		synctest.Test(t, func(t *testing.T) {
			b := &boxOffice{t: t, life: time.Hour, valid: map[string]time.Time{}}
			away := false
			o := apiclient.Options{Profile: parsed(t, boxOfficeRules), ClientID: "house", ClientSecret: testSecret, BaseURL: "http://api.test", Retries: -1}
			grants := &memoryGrants{}
			o.Grants = grants
			c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
				if away && r.URL.Path == "/token" {
					w.WriteHeader(status)
					return
				}
				b.ServeHTTP(w, r)
			}, o)
			with := o
			with.Dial = c.Dialer()
			grants.stored = authorized(t, b, with)
			time.Sleep(2 * time.Hour) // the token is over
			away = true
			if _, err := read(t, c, "tickets", apiclient.Query{}); err == nil {
				t.Errorf("a %d for a token passes", status)
			}
			away = false
			time.Sleep(30 * time.Second)
			if _, err := read(t, c, "tickets", apiclient.Query{}); err != nil {
				t.Errorf("half a minute after a %d: %v", status, err)
			}
		})
	}
}

// A person has to allow housecount again where the service refuses what was allowed, and not where it refuses the client, where
// what it answers says nothing of either, or where our own database is away.
func TestWhatARefusalOfATokenSays(t *testing.T) {
	away := errors.New("the database is locked")
	for _, c := range []struct {
		status int
		body   string
		store  error
		kind   apiclient.ErrorKind
		client bool
	}{
		{400, `{"error":"invalid_grant"}`, nil, apiclient.Ungranted, false},
		{403, `{"error":"invalid_grant"}`, nil, apiclient.Ungranted, false},
		{200, `{"error":"invalid_grant"}`, nil, apiclient.Ungranted, false},
		{401, `{"error":"invalid_request","error_description":"The refresh token is invalid."}`, nil, apiclient.Ungranted, false},
		{401, ``, nil, apiclient.Ungranted, false},
		{400, `{"error":"invalid_client"}`, nil, apiclient.Unauthorized, true},
		{401, `{"error":"invalid_client"}`, nil, apiclient.Unauthorized, true},
		{400, `{"error":"unauthorized_client"}`, nil, apiclient.Unauthorized, true},
		{400, `{"error":"invalid_request"}`, nil, apiclient.Unauthorized, false},
		{400, `Bad Request`, nil, apiclient.Unauthorized, false},
		{503, `{"error":"invalid_grant"}`, nil, apiclient.Server, false},
		{200, `{}`, away, apiclient.Unstored, false},
		{200, `{}`, &apiclient.Error{Kind: apiclient.Ungranted, Err: errors.New("nobody has allowed it")}, apiclient.Ungranted, false},
	} {
		t.Run(fmt.Sprintf("%d %s %v", c.status, c.body, c.store), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := 0
				o := apiclient.Options{Profile: parsed(t, boxOfficeRules), ClientID: "house", ClientSecret: testSecret, BaseURL: "http://api.test", Retries: -1}
				o.Grants = storedGrants{[]byte(`{"access":"a0","refresh":"r0"}`), c.store}
				client := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
					sent++
					w.WriteHeader(c.status)
					fmt.Fprint(w, c.body)
				}, o)
				for range 2 {
					_, err := read(t, client, "tickets", apiclient.Query{})
					e, ok := errors.AsType[*apiclient.Error](err)
					if !ok || e.Kind != c.kind || e.RefusedClient != c.client {
						t.Errorf("got %v, want %s, of the client: %t", err, c.kind, c.client)
					}
					time.Sleep(time.Minute)
				}
				want := 2
				switch {
				case c.store != nil:
					want = 0
				case c.kind == apiclient.Ungranted: // not sent again
					want = 1
				}
				if sent != want {
					t.Errorf("a token is asked for %d times, want %d", sent, want)
				}
			})
		})
	}
}

// storedGrants has a grant, or is away.
type storedGrants struct {
	grant []byte
	err   error
}

func (g storedGrants) Renew(_ context.Context, renew func([]byte) ([]byte, error)) error {
	if g.err != nil {
		return g.err
	}
	_, err := renew(g.grant)
	return err
}
