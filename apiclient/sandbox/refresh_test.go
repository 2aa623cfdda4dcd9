package sandbox_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
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

// signedIn returns a login by code and PKCE, with its tokens.
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

func (s *service) apiStatus(token string) int {
	s.t.Helper()
	answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+token)
	return answer.StatusCode
}

// refreshed gets the next tokens as golang.org/x/oauth2 does.
func refreshed(t *testing.T, config oauth2.Config, refresh string) (*oauth2.Token, error) {
	return config.TokenSource(t.Context(), &oauth2.Token{RefreshToken: refresh}).Token()
}

func TestRefresh(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	provider, config := relyingParty(t, s)
	first, _, _ := signedIn(t, s, config, "manager")
	second, err := refreshed(t, config, first.RefreshToken)
	if err != nil {
		t.Fatal(err)
	}
	if second.RefreshToken == first.RefreshToken || second.RefreshToken == "" || second.AccessToken == first.AccessToken {
		t.Error("the tokens were not renewed")
	}
	raw, _ := second.Extra("id_token").(string)
	if id, err := provider.Verifier(&oidc.Config{ClientID: "housecount"}).Verify(t.Context(), raw); err != nil || id.Subject != "manager" {
		t.Errorf("ID token: %v", err)
	}
	for name, token := range map[string]string{"first": first.AccessToken, "second": second.AccessToken} {
		if got := s.apiStatus(token); got != 200 {
			t.Errorf("%s token: %d", name, got)
		}
	}

	post := func(changes ...string) string {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {second.RefreshToken}, "client_id": {clients[0].ID}, "client_secret": {clients[0].Secret}}
		for i := 0; i < len(changes); i += 2 {
			form.Set(changes[i], changes[i+1])
		}
		_, body := newBrowser(t).send(http.MethodPost, s.url+"/oauth/token", form)
		return body
	}
	for _, test := range []struct {
		name    string
		changes []string
		want    string
	}{
		{"another client's", []string{"client_id", "public", "client_secret", ""}, "invalid_grant"},
		{"more scopes", []string{"scope", "openid tickets.read"}, "invalid_scope"},
		{"unknown", []string{"refresh_token", "x"}, "invalid_grant"},
		{"wrong secret", []string{"client_secret", "x"}, "invalid_client"},
	} {
		if body := post(test.changes...); !strings.Contains(body, `"error":"`+test.want+`"`) {
			t.Errorf("%s: %s", test.name, body)
		}
	}
	if body := post("scope", "openid"); !strings.Contains(body, `"scope":"openid"`) {
		t.Errorf("fewer scopes: %s", body)
	}

	// The first refresh token was used before: somebody has stolen one.
	third, err := refreshed(t, config, signedInRefresh(t, s, config))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refreshed(t, config, first.RefreshToken); oauthError(err) != "invalid_grant" {
		t.Errorf("a refresh token used twice: %v", err)
	}
	if _, err := refreshed(t, config, second.RefreshToken); oauthError(err) != "invalid_grant" {
		t.Errorf("its successor: %v", err)
	}
	for name, token := range map[string]string{"first": first.AccessToken, "second": second.AccessToken} {
		if got := s.apiStatus(token); got != 401 {
			t.Errorf("%s token after the theft: %d", name, got)
		}
	}
	if got := s.apiStatus(third.AccessToken); got != 200 {
		t.Errorf("the token of another login: %d", got)
	}
}

func signedInRefresh(t *testing.T, s *service, config oauth2.Config) string {
	token, _, _ := signedIn(t, s, config, "door")
	return token.RefreshToken
}

func TestReusedCodeTakesTokensBack(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	_, config := relyingParty(t, s)
	token, code, verifier := signedIn(t, s, config, "admin")
	if got := s.apiStatus(token.AccessToken); got != 200 {
		t.Fatalf("before: %d", got)
	}
	if _, err := config.Exchange(t.Context(), code, oauth2.VerifierOption(verifier)); oauthError(err) != "invalid_grant" {
		t.Errorf("the code again: %v", err)
	}
	if got := s.apiStatus(token.AccessToken); got != 401 {
		t.Errorf("after: %d", got)
	}
	if _, err := refreshed(t, config, token.RefreshToken); oauthError(err) != "invalid_grant" {
		t.Errorf("its refresh token: %v", err)
	}
}

func TestRevocation(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	_, config := relyingParty(t, s)
	revoke := func(token, client, secret string) (int, string) {
		answer, body := newBrowser(t).send(http.MethodPost, s.url+"/oauth/revoke", url.Values{"token": {token}, "client_id": {client}, "client_secret": {secret}})
		return answer.StatusCode, body
	}
	token, _, _ := signedIn(t, s, config, "manager")
	other, _, _ := signedIn(t, s, config, "manager")
	for _, test := range []struct {
		name, token, client, secret, want string
		status                            int
	}{
		{"foreign access", token.AccessToken, "public", "", "unauthorized_client", 400},
		{"foreign refresh", token.RefreshToken, "public", "", "unauthorized_client", 400},
		{"wrong secret", token.AccessToken, "housecount", "x", "invalid_client", 401},
		{"none", "", "housecount", clients[0].Secret, "invalid_request", 400},
		{"unknown", "x.y.z", "housecount", clients[0].Secret, "", 200},
	} {
		if status, body := revoke(test.token, test.client, test.secret); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s: %d %s", test.name, status, body)
		}
	}
	if got := s.apiStatus(token.AccessToken); got != 200 {
		t.Fatalf("nothing was revoked, but: %d", got)
	}
	if status, body := revoke(token.AccessToken, "housecount", clients[0].Secret); status != 200 {
		t.Errorf("access token: %d %s", status, body)
	}
	if got := s.apiStatus(token.AccessToken); got != 401 {
		t.Errorf("a revoked access token: %d", got)
	}
	next, err := refreshed(t, config, token.RefreshToken)
	if err != nil || s.apiStatus(next.AccessToken) != 200 {
		t.Fatalf("its refresh token: %v", err)
	}
	if status, body := revoke(next.RefreshToken, "housecount", clients[0].Secret); status != 200 {
		t.Errorf("refresh token: %d %s", status, body)
	}
	if _, err := refreshed(t, config, next.RefreshToken); oauthError(err) != "invalid_grant" || s.apiStatus(next.AccessToken) != 401 {
		t.Errorf("a revoked refresh token: %v, its access token %d", err, s.apiStatus(next.AccessToken))
	}
	if got := s.apiStatus(other.AccessToken); got != 200 {
		t.Errorf("the other login: %d", got)
	}
}

func TestTokenLifetimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const issuer = "http://sandbox.example"
		s, err := sandbox.New(sandbox.Options{
			Empty: true, Start: evening, Clients: clients, PublicURL: issuer,
			AccessLifetime: time.Minute, RefreshLifetime: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		web := &http.Client{Transport: direct{s}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		ctx := context.WithValue(t.Context(), oauth2.HTTPClient, web)
		config := oauth2.Config{
			ClientID: clients[0].ID, ClientSecret: clients[0].Secret, RedirectURL: callback,
			Endpoint: oauth2.Endpoint{AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
		}
		answer, _ := (&browser{web, t}).send(http.MethodPost, config.AuthCodeURL("x"), staff("door"))
		token, err := config.Exchange(ctx, arrived(t, answer).Get("code"))
		if err != nil {
			t.Fatal(err)
		}
		status := func(token string) int {
			r := httptest.NewRequest(http.MethodGet, issuer+"/v2/events", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w.Code
		}
		time.Sleep(58 * time.Second)
		if got := status(token.AccessToken); got != 200 {
			t.Errorf("after 58 s: %d", got)
		}
		time.Sleep(3 * time.Second)
		if got := status(token.AccessToken); got != 401 {
			t.Errorf("after 61 s: %d", got)
		}
		next, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err != nil || status(next.AccessToken) != 200 {
			t.Fatalf("refresh: %v", err)
		}
		time.Sleep(time.Hour + time.Second)
		if _, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: next.RefreshToken}).Token(); oauthError(err) != "invalid_grant" {
			t.Errorf("refresh an hour later: %v", err)
		}
	})
}

// TestKeyRotation: tokens of the old key stay good, new ones are signed with the new key.
func TestKeyRotation(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	provider, config := relyingParty(t, s)
	verifier := provider.Verifier(&oidc.Config{ClientID: "housecount"})
	old, _, _ := signedIn(t, s, config, "door")
	var made struct{ Kid string }
	s.control("rotate-keys", "", &made)
	fresh, _, _ := signedIn(t, s, config, "door")
	for name, token := range map[string]*oauth2.Token{"old": old, "new": fresh} {
		raw, _ := token.Extra("id_token").(string)
		if _, err := verifier.Verify(t.Context(), raw); err != nil {
			t.Errorf("%s ID token: %v", name, err)
		}
		if got := s.apiStatus(token.AccessToken); got != 200 {
			t.Errorf("%s access token: %d", name, got)
		}
	}
	_, keys := s.do(http.MethodGet, "/oauth/jwks", "")
	if strings.Count(string(keys), `"kid"`) != 2 || !strings.Contains(string(keys), made.Kid) || strings.Contains(string(keys), `"d":`) {
		t.Errorf("keys %s", keys)
	}
}

// TestWithoutPKCE: a client with a secret may do without, a public one may not.
func TestWithoutPKCE(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
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
	_, config := relyingParty(t, s)
	config.Scopes = []string{"events.read"}
	back, _ := newBrowser(t).send(http.MethodGet, config.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())), nil)
	if got := arrived(t, back).Get("error"); got != "invalid_scope" {
		t.Errorf("asked for by a login: %q", got)
	}
	limited.Scopes = []string{"moon.read"}
	if _, err := sandbox.New(sandbox.Options{Empty: true, Clients: []idp.Client{limited}}); err == nil {
		t.Error("a scope that does not exist was taken")
	}
}
