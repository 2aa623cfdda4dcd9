package idp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"housecount/apiclient/sandbox/idp"
)

func TestCodeExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const issuer = "http://sandbox.example"
		s, err := handler(idp.Options{Clients: clients, PublicURL: issuer})
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
