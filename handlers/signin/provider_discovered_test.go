package signin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/handlers/signin"
)

// It is discovered every hour, and more often while that fails.
func TestDiscoveredHourly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		start := time.Now()
		var asked []time.Duration
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		signin.KeepDiscovered(ctx, "https://id.example", func(r *http.Request) (*http.Response, error) {
			since := time.Since(start)
			asked = append(asked, since)
			w := httptest.NewRecorder()
			if since >= time.Hour && since < time.Hour+time.Minute {
				w.WriteHeader(http.StatusBadGateway)
			} else {
				json.NewEncoder(w).Encode(map[string]string{"issuer": "https://id.example", "authorization_endpoint": "https://id.example/a",
					"token_endpoint": "https://id.example/t", "jwks_uri": "https://id.example/k"})
			}
			return w.Result(), nil
		}, slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil)))
		first, last := asked[0], asked[len(asked)-1]
		if n := len(asked); first > 0 || asked[1] != time.Hour || n < 8 || n > 14 || last < 2*time.Hour || last > 2*time.Hour+2*time.Minute {
			t.Errorf("asked at %v", asked)
		}
		if n := strings.Count(log.String(), "cannot be discovered"); n != 1 {
			t.Errorf("logged %d times", n)
		}
	})
}
