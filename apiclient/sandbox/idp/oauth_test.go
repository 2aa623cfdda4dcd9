package idp_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"housecount/apiclient/sandbox/idp"
)

func TestTokenRefuses(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
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

func TestDiscovery(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
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

func TestRefresh(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
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

	// A second use of the first refresh token revokes the family.
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
	s := open(t, idp.Options{Clients: clients})
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
	s := open(t, idp.Options{Clients: clients})
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
