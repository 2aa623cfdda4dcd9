package idp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"housecount/apiclient/sandbox/idp"
)

// TestKindsOfToken checks that an ID token is not accepted as an access token, even if its audience fits.
func TestKindsOfToken(t *testing.T) {
	const issuer = "http://sandbox.example"
	s, err := handler(idp.Options{
		PublicURL: issuer, Clients: []idp.Client{{ID: issuer, RedirectURIs: []string{callback}}},
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
		r := httptest.NewRequest(http.MethodGet, issuer+"/protected", nil)
		r.Header.Set("Authorization", fmt.Sprint("Bearer ", test.token))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != test.status {
			t.Errorf("%s token at a protected address: %d, want %d", kind, w.Code, test.status)
		}
	}
}

func TestTokenLifetimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const issuer = "http://sandbox.example"
		s, err := handler(idp.Options{
			Clients: clients, PublicURL: issuer,
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
			r := httptest.NewRequest(http.MethodGet, issuer+"/protected", nil)
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

// TestKeyRotation checks that tokens of the old and the new key are valid.
func TestKeyRotation(t *testing.T) {
	s := open(t, idp.Options{Clients: clients})
	provider, config := relyingParty(t, s)
	verifier := provider.Verifier(&oidc.Config{ClientID: "housecount"})
	old, _, _ := signedIn(t, s, config, "door")
	kid, err := s.provider.Rotate()
	if err != nil {
		t.Fatal(err)
	}
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
	if strings.Count(string(keys), `"kid"`) != 2 || !strings.Contains(string(keys), kid) || strings.Contains(string(keys), `"d":`) {
		t.Errorf("keys %s", keys)
	}
}
