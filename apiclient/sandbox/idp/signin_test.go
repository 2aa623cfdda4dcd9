package idp_test

import (
	"net/http"
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

func TestLogin(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
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
		if answer, _ := s.do(http.MethodGet, "/protected", "", "Authorization", "Bearer "+test.token); answer.StatusCode != test.status {
			t.Errorf("%s at a protected address: %s", name, answer.Status)
		}
	}
	if answer, _ := s.do(http.MethodGet, "/oauth/userinfo", ""); answer.StatusCode != 401 {
		t.Errorf("userinfo of an API key: %s", answer.Status)
	}
}

func TestAuthorizeRefuses(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
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
	s := open(t, idp.Options{Clients: clients})
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

// TestWithoutPKCE checks that only a client with a secret may omit PKCE.
func TestWithoutPKCE(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
	_, config := relyingParty(t, s)
	b := newBrowser(t)
	code := func() string {
		answer, _ := b.send(http.MethodPost, config.AuthCodeURL("x"), staff("manager"))
		return arrived(t, answer).Get("code")
	}
	if token, err := config.Exchange(t.Context(), code()); err != nil || s.apiStatus(token.AccessToken) != 200 {
		t.Errorf("without: %v", err)
	}
	if _, err := config.Exchange(t.Context(), code(), oauth2.VerifierOption(oauth2.GenerateVerifier())); oauthError(err) != "invalid_grant" {
		t.Errorf("a verifier for a code without a challenge: %v", err)
	}
	config.ClientID, config.RedirectURL = "public", "http://localhost:7/cb"
	answer, _ := b.send(http.MethodGet, config.AuthCodeURL("x"), nil)
	if to, err := answer.Location(); err != nil || to.Query().Get("error") != "invalid_request" {
		t.Errorf("a public client without: %s %v", answer.Status, err)
	}
}

func TestLoginRefusesScope(t *testing.T) {
	limited := clients[0]
	limited.Scopes = []string{"openid", "tickets.read"}
	s := open(t, idp.Options{Clients: []idp.Client{limited}})
	_, config := relyingParty(t, s)
	config.Scopes = []string{"events.read"}
	back, _ := newBrowser(t).send(http.MethodGet, config.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())), nil)
	if got := arrived(t, back).Get("error"); got != "invalid_scope" {
		t.Errorf("error %q", got)
	}
}
