package idp_test

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"housecount/apiclient/sandbox/idp"
)

const callback = "http://127.0.0.1:4567/login/callback"

var clients = []idp.Client{
	{ID: "housecount", Secret: "s3cret+/ %", RedirectURIs: []string{"http://127.0.0.1/login/callback", "https://house.example/login/callback?x=1"}},
	{ID: "public", RedirectURIs: []string{"http://localhost/cb"}},
}

// scopes are the scopes that the provider can grant.
var scopes = []string{"openid", "profile", "events.read", "tickets.read"}

// service is a provider behind real HTTP, with an address that only its tokens and keys open.
type service struct {
	http.Handler
	provider *idp.Provider
	t        *testing.T
	url      string
}

// handler serves a provider and /protected, which responds with 401 unless the bearer token is valid.
func handler(o idp.Options) (*service, error) {
	o.Staff, o.Scopes = idp.DemoStaff, scopes
	o.AccessLifetime, o.RefreshLifetime = cmp.Or(o.AccessLifetime, time.Hour), cmp.Or(o.RefreshLifetime, 30*24*time.Hour)
	p, err := idp.New(o)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	p.Routes(mux)
	mux.HandleFunc("/protected", func(w http.ResponseWriter, r *http.Request) {
		if p.IsKey(idp.Bearer(r)) {
			return
		}
		if _, err := p.Check(r); err != nil {
			idp.RefuseToken(w)
		}
	})
	return &service{Handler: mux, provider: p}, nil
}

func open(t *testing.T, o idp.Options) *service {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	o.PublicURL = "http://" + server.Listener.Addr().String()
	s, err := handler(o)
	if err != nil {
		t.Fatal(err)
	}
	s.t, s.url, server.Config.Handler = t, o.PublicURL, s
	server.Start()
	t.Cleanup(server.Close)
	return s
}

// do sends a request with an unknown bearer token, unless a header replaces it, and returns the response with its body.
func (s *service) do(method, path, body string, header ...string) (*http.Response, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer unknown")
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
		s.t.Fatal(err)
	}
	return answer, b
}

func (s *service) apiStatus(token string) int {
	s.t.Helper()
	answer, _ := s.do(http.MethodGet, "/protected", "", "Authorization", "Bearer "+token)
	return answer.StatusCode
}

// browser keeps cookies and does not follow redirects.
type browser struct {
	*http.Client
	t *testing.T
}

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, t}
}

func (b *browser) send(method, address string, form url.Values) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	answer, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer, string(body)
}

// arrived returns the query of the redirect to the client.
func arrived(t *testing.T, answer *http.Response) url.Values {
	t.Helper()
	to, err := answer.Location()
	if err != nil || answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("not sent back: %s %v", answer.Status, err)
	}
	if !strings.HasPrefix(to.String(), callback+"?") {
		t.Fatalf("sent to %s", to)
	}
	return to.Query()
}

func staff(user string) url.Values {
	i := slices.IndexFunc(idp.DemoStaff, func(s idp.Staff) bool { return s.User == user })
	return url.Values{"username": {user}, "password": {idp.DemoStaff[i].Password}}
}

// relyingParty returns a client built with go-oidc and golang.org/x/oauth2.
func relyingParty(t *testing.T, s *service) (*oidc.Provider, oauth2.Config) {
	t.Helper()
	provider, err := oidc.NewProvider(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	return provider, oauth2.Config{
		ClientID: clients[0].ID, ClientSecret: clients[0].Secret, Endpoint: provider.Endpoint(),
		RedirectURL: callback, Scopes: []string{"openid", "profile", "events.read"},
	}
}

// signedIn logs in with a code and PKCE, and returns the tokens, the code and the verifier.
func signedIn(t *testing.T, s *service, config oauth2.Config, user string) (*oauth2.Token, string, string) {
	t.Helper()
	verifier := oauth2.GenerateVerifier()
	answer, _ := newBrowser(t).send(http.MethodPost, config.AuthCodeURL("x", oauth2.S256ChallengeOption(verifier)), staff(user))
	code := arrived(t, answer).Get("code")
	token, err := config.Exchange(t.Context(), code, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	return token, code, verifier
}

// refreshed refreshes the tokens with golang.org/x/oauth2.
func refreshed(t *testing.T, config oauth2.Config, refresh string) (*oauth2.Token, error) {
	return config.TokenSource(t.Context(), &oauth2.Token{RefreshToken: refresh}).Token()
}

func oauthError(err error) string {
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) {
		return ""
	}
	return e.ErrorCode
}

// direct calls a handler without a network.
type direct struct{ h http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	return w.Result(), nil
}
