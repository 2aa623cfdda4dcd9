package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

const callback = "http://127.0.0.1:4567/login/callback"

var clients = []idp.Client{
	{ID: "housecount", Secret: "s3cret+/ %", RedirectURIs: []string{"http://127.0.0.1/login/callback", "https://house.example/login/callback?x=1"}},
	{ID: "public", RedirectURIs: []string{"http://localhost/cb"}},
}

// browser follows the login like one, but not off to the client.
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

// arrived returns the query with which the browser was sent back to the client.
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

// relyingParty returns a client made of the usual libraries.
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

func TestLogin(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	provider, config := relyingParty(t, s)
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		config.Endpoint.AuthStyle = style
		verifier := oauth2.GenerateVerifier()
		address := config.AuthCodeURL("the state", oidc.Nonce("the nonce"), oauth2.S256ChallengeOption(verifier))
		b := newBrowser(t)
		answer, page := b.send(http.MethodGet, address, nil)
		if answer.StatusCode != 200 || !strings.Contains(page, "Marijke Terpstra") || strings.Contains(page, "<script") || strings.Contains(page, "style=") {
			t.Fatalf("login page: %s\n%s", answer.Status, page)
		}
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.HasSuffix(csp, "form-action 'self' http://127.0.0.1:4567") {
			t.Errorf("CSP %q", csp)
		}
		answer, page = b.send(http.MethodPost, address, url.Values{"username": {"manager"}, "password": {"door-demo"}})
		if answer.StatusCode != 422 || !strings.Contains(page, "nobody of that name") {
			t.Fatalf("wrong password: %s", answer.Status)
		}
		answer, _ = b.send(http.MethodPost, address, staff("manager"))
		back := arrived(t, answer)
		if back.Get("state") != "the state" || back.Get("iss") != s.url {
			t.Errorf("back with %v", back)
		}
		token, err := config.Exchange(t.Context(), back.Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		checkTokens(t, s, provider, token)
		if _, err := config.Exchange(t.Context(), back.Get("code"), oauth2.VerifierOption(verifier)); oauthError(err) != "invalid_grant" {
			t.Errorf("a code used twice: %v", err)
		}
	}
}

func checkTokens(t *testing.T, s *service, provider *oidc.Provider, token *oauth2.Token) {
	t.Helper()
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: "housecount"}).Verify(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		Name     string
		User     string   `json:"preferred_username"`
		Roles    []string `json:"roles"`
		AuthTime int64    `json:"auth_time"`
	}
	if err := id.Claims(&claims); err != nil {
		t.Fatal(err)
	}
	if id.Nonce != "the nonce" || id.Subject != "manager" || claims.User != "manager" || claims.Name != "Marijke Terpstra" || !slices.Equal(claims.Roles, []string{"manager"}) {
		t.Errorf("ID token %+v %+v", id, claims)
	}
	if since := time.Since(time.Unix(claims.AuthTime, 0)); since < -time.Second || since > time.Minute {
		t.Errorf("logged in %v ago", since)
	}
	info, err := provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	if err != nil || info.Subject != "manager" {
		t.Errorf("userinfo: %+v %v", info, err)
	}
	for name, test := range map[string]struct {
		token  string
		status int
	}{"access token": {token.AccessToken, 200}, "ID token": {raw, 401}} {
		if answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+test.token); answer.StatusCode != test.status {
			t.Errorf("%s at the API: %s", name, answer.Status)
		}
	}
	if answer, _ := s.do(http.MethodGet, "/oauth/userinfo", ""); answer.StatusCode != 401 {
		t.Errorf("userinfo of an API key: %s", answer.Status)
	}
}

func oauthError(err error) string {
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) {
		return ""
	}
	return e.ErrorCode
}

func TestTokenRefuses(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	_, config := relyingParty(t, s)
	b := newBrowser(t)
	verifier := oauth2.GenerateVerifier()
	code := func() string {
		answer, _ := b.send(http.MethodPost, config.AuthCodeURL("x", oauth2.S256ChallengeOption(verifier)), staff("door"))
		return arrived(t, answer).Get("code")
	}
	good := func() url.Values {
		return url.Values{
			"grant_type": {"authorization_code"}, "code": {code()}, "redirect_uri": {callback}, "code_verifier": {verifier},
			"client_id": {clients[0].ID}, "client_secret": {clients[0].Secret},
		}
	}
	for _, test := range []struct {
		name, field, value string
		status             int
		want               string
	}{
		{"nothing wrong", "x", "y", 200, ""},
		{"wrong verifier", "code_verifier", oauth2.GenerateVerifier(), 400, "invalid_grant"},
		{"no verifier", "code_verifier", "", 400, "invalid_grant"},
		{"other address", "redirect_uri", "http://127.0.0.1:9/login/callback", 400, "invalid_grant"},
		{"made-up code", "code", "ABC", 400, "invalid_grant"},
		{"wrong secret", "client_secret", "x", 401, "invalid_client"},
		{"unknown client", "client_id", "nobody", 401, "invalid_client"},
		{"other grant", "grant_type", "password", 400, "unsupported_grant_type"},
	} {
		form := good()
		form.Set(test.field, test.value)
		answer, body := b.send(http.MethodPost, s.url+"/oauth/token", form)
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if answer.StatusCode != test.status || got.Error != test.want || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %s", test.name, answer.Status, body)
		}
	}

	form := good()
	form.Set("client_id", "public")
	form.Del("client_secret")
	if _, body := b.send(http.MethodPost, s.url+"/oauth/token", form); !strings.Contains(body, "invalid_grant") {
		t.Errorf("a code in the hands of another client: %s", body)
	}
	form = url.Values{"grant_type": {"client_credentials"}, "client_id": {"public"}}
	if _, body := b.send(http.MethodPost, s.url+"/oauth/token", form); !strings.Contains(body, "unauthorized_client") {
		t.Errorf("a public client's own token: %s", body)
	}
}

func TestAuthorizeRefuses(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	challenge := oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())
	base := func(changes ...string) url.Values {
		v := url.Values{
			"client_id": {"housecount"}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"st"},
			"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "scope": {"openid"},
		}
		for i := 0; i < len(changes); i += 2 {
			v.Set(changes[i], changes[i+1])
		}
		return v
	}
	b := newBrowser(t)
	for _, test := range []struct{ name, uri string }{
		{"foreign", "https://evil.example/login/callback"}, {"other path", "http://127.0.0.1:4567/login/callback/x"},
		{"other loopback name", "http://localhost:4567/login/callback"}, {"other scheme", "https://127.0.0.1:4567/login/callback"},
		{"user in front", "http://house@127.0.0.1:4567/login/callback"}, {"look-alike", "http://127.0.0.1.evil.example/login/callback"},
		{"other port off loopback", "https://house.example:444/login/callback?x=1"}, {"none", ""},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			answer, _ := b.send(method, s.url+"/oauth/authorize?"+base("redirect_uri", test.uri).Encode(), staff("admin"))
			if answer.StatusCode != 400 || answer.Header.Get("Location") != "" {
				t.Errorf("%s %s: %s to %q", method, test.name, answer.Status, answer.Header.Get("Location"))
			}
		}
	}
	for _, test := range []struct {
		name  string
		query url.Values
		want  string
	}{
		{"token", base("response_type", "token"), "unsupported_response_type"},
		{"no challenge", base("code_challenge", ""), "invalid_request"},
		{"plain challenge", base("code_challenge_method", "plain"), "invalid_request"},
		{"nobody there", base("prompt", "none"), "login_required"},
	} {
		answer, _ := b.send(http.MethodGet, s.url+"/oauth/authorize?"+test.query.Encode(), nil)
		if back := arrived(t, answer); back.Get("error") != test.want || back.Get("state") != "st" || back.Has("code") {
			t.Errorf("%s: %v", test.name, back)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/oauth/authorize?"+base().Encode(), strings.NewReader(staff("admin").Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-site")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("a form on another page: %d", w.Code)
	}
}

func TestRememberedLogin(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	_, config := relyingParty(t, s)
	b := newBrowser(t)
	ask := func(prompt string) *http.Response {
		address := config.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier()), oauth2.SetAuthURLParam("prompt", prompt))
		answer, _ := b.send(http.MethodGet, address, nil)
		return answer
	}
	answer, _ := b.send(http.MethodPost, config.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())), staff("box_office"))
	arrived(t, answer)
	cookie := answer.Cookies()[0]
	if cookie.Name != "sandbox_session" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("cookie %v", cookie)
	}
	if !arrived(t, ask("none")).Has("code") {
		t.Error("the login was forgotten")
	}
	if answer := ask("login"); answer.StatusCode != 200 {
		t.Errorf("prompt=login does not ask: %s", answer.Status)
	}

	for _, test := range []struct{ name, to, want string }{
		{"to the client", "http://127.0.0.1:4567/signed-out", "http://127.0.0.1:4567/signed-out?state=q"},
		{"elsewhere", "https://evil.example/", ""},
		{"another client's", "http://localhost:1/", ""},
	} {
		v := url.Values{"post_logout_redirect_uri": {test.to}, "client_id": {"housecount"}, "state": {"q"}}
		answer, page := b.send(http.MethodGet, s.url+"/oauth/logout?"+v.Encode(), nil)
		if got := answer.Header.Get("Location"); got != test.want || got == "" && !strings.Contains(page, "signed out") {
			t.Errorf("%s: sent to %q", test.name, got)
		}
		if arrived(t, ask("none")).Get("error") != "login_required" {
			t.Errorf("%s: still logged in", test.name)
		}
	}
	b.Jar.SetCookies(answer.Request.URL, []*http.Cookie{cookie})
	if arrived(t, ask("none")).Get("error") != "login_required" {
		t.Error("the old cookie came back to life")
	}
}

// TestKindsOfToken: an ID token is no access token, even where its audience would do.
func TestKindsOfToken(t *testing.T) {
	const issuer = "http://sandbox.example"
	s, err := sandbox.New(sandbox.Options{
		Empty: true, Start: evening, PublicURL: issuer, Clients: []idp.Client{{ID: issuer, RedirectURIs: []string{callback}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	verifier := oauth2.GenerateVerifier()
	config := oauth2.Config{
		ClientID: issuer, RedirectURL: callback, Scopes: []string{"openid", "events.read"},
		Endpoint: oauth2.Endpoint{AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	web := &http.Client{Transport: direct{s}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b := &browser{web, t}
	answer, _ := b.send(http.MethodPost, config.AuthCodeURL("x", oauth2.S256ChallengeOption(verifier)), staff("door"))
	ctx := context.WithValue(t.Context(), oauth2.HTTPClient, web)
	token, err := config.Exchange(ctx, arrived(t, answer).Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	for kind, test := range map[string]struct {
		token  any
		status int
	}{"access": {token.AccessToken, 200}, "ID": {token.Extra("id_token"), 401}} {
		r := httptest.NewRequest(http.MethodGet, issuer+"/v2/events", nil)
		r.Header.Set("Authorization", fmt.Sprint("Bearer ", test.token))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != test.status {
			t.Errorf("%s token at the API: %d, want %d", kind, w.Code, test.status)
		}
	}
}

func TestCodeExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const issuer = "http://sandbox.example"
		s, err := sandbox.New(sandbox.Options{Empty: true, Start: evening, Clients: clients, PublicURL: issuer})
		if err != nil {
			t.Fatal(err)
		}
		verifier := oauth2.GenerateVerifier()
		config := oauth2.Config{
			ClientID: "public", RedirectURL: "http://localhost:8/cb",
			Endpoint: oauth2.Endpoint{AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
		}
		exchange := func(after time.Duration) error {
			r := httptest.NewRequest(http.MethodPost, config.AuthCodeURL("x", oauth2.S256ChallengeOption(verifier)), strings.NewReader(staff("door").Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			to, err := w.Result().Location()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: direct{s}})
			_, err = config.Exchange(ctx, to.Query().Get("code"), oauth2.VerifierOption(verifier))
			return err
		}
		if err := exchange(59 * time.Second); err != nil {
			t.Errorf("after 59 s: %v", err)
		}
		if err := exchange(61 * time.Second); oauthError(err) != "invalid_grant" {
			t.Errorf("after 61 s: %v", err)
		}
	})
}

// direct calls a handler without a network.
type direct struct{ h http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	return w.Result(), nil
}

func TestClientCredentials(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		config := clientcredentials.Config{
			ClientID: clients[0].ID, ClientSecret: clients[0].Secret, TokenURL: s.url + "/oauth/token",
			Scopes: []string{"events.read", "unheard.of"}, AuthStyle: style,
		}
		token, err := config.Token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if token.Extra("scope") != "events.read" || time.Until(token.Expiry) < 50*time.Minute {
			t.Errorf("scope %v until %v", token.Extra("scope"), token.Expiry)
		}
		if answer, body := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+token.AccessToken); answer.StatusCode != 200 {
			t.Errorf("%s: %s", answer.Status, body)
		}

		config.ClientSecret = "wrong"
		if _, err := config.Token(t.Context()); oauthError(err) != "invalid_client" {
			t.Errorf("wrong secret: %v", err)
		}
	}
	other := open(t, sandbox.Options{Empty: true, Clients: clients})
	foreign, err := (&clientcredentials.Config{ClientID: clients[0].ID, ClientSecret: clients[0].Secret, TokenURL: other.url + "/oauth/token"}).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+foreign.AccessToken); answer.StatusCode != 401 {
		t.Errorf("another sandbox's token: %s", answer.Status)
	}
}

func TestDiscovery(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	var documents []map[string]any
	for _, path := range []string{"openid-configuration", "oauth-authorization-server"} {
		_, body := s.do(http.MethodGet, "/.well-known/"+path, "")
		var d map[string]any
		if err := json.Unmarshal(body, &d); err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	if !slices.Equal(slices.Sorted(maps.Keys(documents[0])), slices.Sorted(maps.Keys(documents[1]))) {
		t.Error("the two documents differ")
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"} {
		address, _ := documents[0][name].(string)
		path, ours := strings.CutPrefix(address, s.url)
		if answer, _ := s.do(http.MethodGet, path, ""); !ours || answer.StatusCode == 404 {
			t.Errorf("%s %q leads nowhere", name, address)
		}
	}
	if answer, body := s.do(http.MethodGet, "/oauth/style.css", ""); answer.StatusCode != 200 || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/css") || len(body) == 0 {
		t.Errorf("stylesheet: %s", answer.Status)
	}
}
