package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/handlers/admission"
	"housecount/handlers/outage"
	"housecount/handlers/sessions"
	"housecount/web/words"
)

// A fault of ours stays in the log when the visitor lost patience: only what failed because of that is theirs.
func TestFaultOfOursIsLoggedThoughTheVisitorLeft(t *testing.T) {
	var log strings.Builder
	status := 0
	s := &site{public: new(url.URL), proxies: new(admission.Proxies), outage: outage.New[*sessions.Staff](time.Minute)}
	s.Language = words.English
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.Served = func(_ string, code int, _ time.Duration) { status = code }
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), visitKey{}, &visit{}))
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/settings", nil)
	s.serve(func(http.ResponseWriter, *http.Request) error {
		cancel() // the visitor waited for half a minute
		return errors.New("disk I/O error: the settings are not saved")
	}, httptest.NewRecorder(), r)
	if !strings.Contains(log.String(), "disk I/O error") || status != http.StatusInternalServerError {
		t.Errorf("status %d; the log has: %s", status, log.String())
	}
}
