package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"housecount/apiclient/sandbox"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sandbox.New(sandbox.Options{Empty: true, Start: evening, Speed: -1, APIKey: testKey, RateLimit: 30})
		if err != nil {
			t.Fatal(err)
		}
		get := func() *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, "/v2/events", nil)
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		check := func(step string, w *httptest.ResponseRecorder, status int, remaining, reset, after string) {
			t.Helper()
			h := w.Header()
			if w.Code != status || h.Get("RateLimit-Limit") != "30" || h.Get("RateLimit-Remaining") != remaining || h.Get("RateLimit-Reset") != reset || h.Get("Retry-After") != after {
				t.Errorf("%s: %d %v", step, w.Code, h)
			}
		}
		for n := range 29 {
			check("a burst", get(), 200, strconv.Itoa(29-n), strconv.Itoa(2+2*n), "")
		}
		check("the last", get(), 200, "0", "2", "")
		check("one too many", get(), 429, "0", "2", "2")
		if w := get(); w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("refused with %v", w.Header())
		}
		time.Sleep(2 * time.Second)
		check("one more", get(), 200, "0", "2", "")
		check("and no more", get(), 429, "0", "2", "2")
		time.Sleep(time.Hour)
		check("rested", get(), 200, "29", "2", "")
	})
}

// TestRateLimitByCredential: each has a bucket, and the control path changes the limit.
func TestRateLimitByCredential(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true, Clients: clients, RateLimit: 1})
	token, err := (&clientcredentials.Config{ClientID: clients[0].ID, ClientSecret: clients[0].Secret, TokenURL: s.url + "/oauth/token"}).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status := func(key string) int {
		answer, _ := s.do(http.MethodGet, "/v2/events", "", "Authorization", "Bearer "+key)
		return answer.StatusCode
	}
	for _, test := range []struct {
		key  string
		want int
	}{{testKey, 200}, {testKey, 429}, {token.AccessToken, 200}, {token.AccessToken, 429}, {"unknown", 401}, {"unknown", 401}} {
		if got := status(test.key); got != test.want {
			t.Errorf("%.10s: %d, want %d", test.key, got, test.want)
		}
	}
	s.control("rate-limit", `{"per_minute":0}`, nil)
	for range 5 {
		if got := status(testKey); got != 200 {
			t.Errorf("without a limit: %d", got)
		}
	}
	if answer, _ := s.do(http.MethodPost, "/sandbox/rate-limit", `{"per_minute":-1}`); answer.StatusCode != 400 {
		t.Errorf("a limit below zero: %s", answer.Status)
	}
}
