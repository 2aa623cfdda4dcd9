package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

var clients = []idp.Client{
	{ID: "housecount", Secret: "s3cret+/ %", RedirectURIs: []string{"http://127.0.0.1/login/callback", "https://house.example/login/callback?x=1"}},
	{ID: "public", RedirectURIs: []string{"http://localhost/cb"}},
}

func oauthError(err error) string {
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) {
		return ""
	}
	return e.ErrorCode
}

// TestCredentials checks that the API accepts access tokens signed before and after a key rotation and unrevoked
// keys of the account page, but no ID tokens.
func TestCredentials(t *testing.T) {
	const callback = "http://localhost/cb"
	s := open(t, sandbox.Options{Empty: true, Clients: []idp.Client{{ID: "web", Secret: "x", RedirectURIs: []string{callback}}}})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(address string, form url.Values) (*http.Response, string) {
		answer, err := web.PostForm(address, form)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(body)
	}
	config := oauth2.Config{
		ClientID: "web", ClientSecret: "x", RedirectURL: callback, Scopes: []string{"openid", "events.read"},
		Endpoint: oauth2.Endpoint{AuthURL: s.url + "/oauth/authorize", TokenURL: s.url + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	logIn := func() *oauth2.Token {
		answer, _ := post(config.AuthCodeURL("x"), url.Values{"username": {"door"}, "password": {"door-demo"}})
		to, err := answer.Location()
		if err != nil {
			t.Fatal(err)
		}
		token, err := config.Exchange(t.Context(), to.Query().Get("code"))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	old := logIn()
	var made struct{ Kid string }
	s.control("rotate-keys", "", &made)
	if _, keys := s.do(http.MethodGet, "/oauth/jwks", ""); made.Kid == "" || strings.Count(string(keys), `"kid"`) != 2 || !strings.Contains(string(keys), made.Kid) {
		t.Errorf("keys %s", keys)
	}
	_, page := post(s.url+"/account/keys", url.Values{"name": {"till"}})
	found := regexp.MustCompile(`id="new-key">([^<]+)<(?s:.*)name="id" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no new key\n%s", page)
	}
	check := func(name, token string, want int) {
		t.Helper()
		if answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+token); answer.StatusCode != want {
			t.Errorf("%s: %s, want %d", name, answer.Status, want)
		}
	}
	check("access token of the old key", old.AccessToken, 200)
	check("access token of the new key", logIn().AccessToken, 200)
	check("ID token", old.Extra("id_token").(string), 401)
	check("account key", found[1], 200)
	post(s.url+"/account/revoke", url.Values{"id": {found[2]}})
	check("revoked account key", found[1], 401)
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

func TestScopes(t *testing.T) {
	limited := clients[0]
	limited.Scopes = []string{"openid", "tickets.read"}
	s := open(t, sandbox.Options{Empty: true, Clients: []idp.Client{limited}})
	own := clientcredentials.Config{ClientID: limited.ID, ClientSecret: limited.Secret, TokenURL: s.url + "/oauth/token"}
	token, err := own.Token(t.Context())
	if err != nil || token.Extra("scope") != "tickets.read" {
		t.Fatalf("%v %v", token, err)
	}
	answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+token.AccessToken)
	challenge := answer.Header.Get("WWW-Authenticate")
	if answer.StatusCode != 403 || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="events.read"`) {
		t.Errorf("missing scope: %s %q", answer.Status, challenge)
	}
	if answer, _ := s.do(http.MethodGet, "/v2/tickets", "", "Authorization", "Bearer "+token.AccessToken); answer.StatusCode != 200 {
		t.Errorf("its own scope: %s", answer.Status)
	}
	own.Scopes = []string{"events.read"}
	if _, err := own.Token(t.Context()); oauthError(err) != "invalid_scope" {
		t.Errorf("a scope that it may not have: %v", err)
	}
	limited.Scopes = []string{"moon.read"}
	if _, err := sandbox.New(sandbox.Options{Empty: true, Clients: []idp.Client{limited}}); err == nil {
		t.Error("a scope that does not exist was taken")
	}
}
