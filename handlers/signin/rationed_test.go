package signin_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"housecount/handlers/signin"
)

// keyService is a sign-in service that publishes one key and counts how often it is fetched.
type keyService struct {
	key     *ecdsa.PrivateKey
	id      string
	fetched int
	down    bool
}

func (s *keyService) rotate(t *testing.T, id string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.key, s.id = key, id
}

func (s *keyService) answer(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path != "/k":
		json.NewEncoder(w).Encode(map[string]any{"issuer": "https://id.example", "authorization_endpoint": "https://id.example/a",
			"token_endpoint": "https://id.example/t", "jwks_uri": "https://id.example/k", "id_token_signing_alg_values_supported": []string{"ES256"}})
	case s.down:
		s.fetched++
		w.WriteHeader(http.StatusBadGateway)
	default:
		s.fetched++
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: s.id, Algorithm: "ES256", Use: "sig"}}})
	}
	return w.Result(), nil
}

// token returns a logout token that is signed with the key, under an id.
func (s *keyService) token(t *testing.T, id string, key *ecdsa.PrivateKey) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Signed(signer).Claims(map[string]any{"iss": "https://id.example", "aud": "c", "iat": time.Now().Unix(), "jti": rand.Text(), "sub": "mia",
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Forged logout tokens, one a second, fetch the keys at most once a minute, also where the sign-in service fails or
// is discovered again meanwhile; an honest one that is signed with a new key is accepted within a minute.
func TestForgedLogoutTokensFetchKeysOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var s, stranger keyService
		s.rotate(t, "one")
		stranger.rotate(t, "")
		p := signin.NewProviderAt(ctx, "https://id.example", s.answer)
		accepted := func(raw string) bool {
			e, err := p.Endpoints(ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.VerifyLogout(ctx, e, raw)
			return err == nil
		}
		const minutes = 10
		rotated, heard := time.Time{}, time.Time{}
		for second := range minutes * 60 {
			s.down = second/60 == 7
			if second == 200 {
				s.rotate(t, "two")
				rotated = time.Now()
			}
			for _, id := range []string{s.id, "unknown " + strconv.Itoa(second)} {
				if accepted(s.token(t, id, stranger.key)) {
					t.Fatalf("a token that a stranger signed as %q is accepted", id)
				}
			}
			switch honest := accepted(s.token(t, s.id, s.key)); {
			case honest && !rotated.IsZero() && heard.IsZero():
				heard = time.Now()
			case !honest && (rotated.IsZero() || !heard.IsZero()):
				t.Fatalf("an honest token is refused after %d seconds", second)
			}
			time.Sleep(time.Second)
		}
		if took := heard.Sub(rotated); heard.IsZero() || took > time.Minute {
			t.Errorf("a token that is signed with the new key is accepted after %v", took)
		}
		if s.fetched > minutes || s.fetched < minutes-2 {
			t.Errorf("the keys are fetched %d times in %d minutes", s.fetched, minutes)
		}
	})
}

// Where nobody forges anything, a token that is signed with a new key is accepted at once.
func TestLogoutTokenAfterRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var s keyService
		p := signin.NewProviderAt(ctx, "https://id.example", s.answer)
		for _, id := range []string{"one", "two"} {
			s.rotate(t, id)
			e, err := p.Endpoints(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.VerifyLogout(ctx, e, s.token(t, s.id, s.key)); err != nil {
				t.Errorf("key %s: %v", id, err)
			}
			time.Sleep(time.Hour)
		}
	})
}
