package main

import (
	"bytes"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/cmd/housecount/certificates/certtest"
	"housecount/cmd/housecount/limits"
)

// Only as many pages may be open as there is room for among the open files.
func TestSocketLimit(t *testing.T) {
	for _, c := range []struct {
		asked int
		files uint64
		want  int
		few   bool
	}{
		{20_000, 1 << 20, 20_000, false}, {30_000, math.MaxUint64, 30_000, false}, {20_000, 20_200, 20_000, false}, {20_000, 20_199, 19_999, true},
		{20_000, 1024, 824, true}, {100, 1024, 100, false}, {20_000, 100, 1, true}, {1, 0, 1, false},
		{0, math.MaxUint64, 20_000, false}, {0, 4096, 3896, false}, {0, 1024, 824, true},
	} {
		if got, few := limits.SocketLimit(c.asked, c.files); got != c.want || few != c.few {
			t.Errorf("%d pages with %d files: %d, %v; want %d, %v", c.asked, c.files, got, few, c.want, c.few)
		}
	}
}

// A process that may open few files says so when it starts.
func TestFewOpenFiles(t *testing.T) {
	out := startWithFiles(t, 300, &countedService{url: "http://127.0.0.1:1"})
	if text := out.String(); !strings.Contains(text, "few pages at once") || !strings.Contains(text, "limit=300") || !strings.Contains(text, "pages=100") {
		t.Errorf("it says:\n%s", text)
	}
}

// A database that another secret key was used for is served, and the log says what that costs.
func TestWrongSecretKey(t *testing.T) {
	args := (&countedService{url: "http://127.0.0.1:1"}).arguments(filepath.Join(t.TempDir(), "house.db"))[1:]
	one, other := strings.Repeat("one", 12), strings.Repeat("other", 8)
	for _, c := range []struct {
		flags  []string
		logged bool
	}{
		{nil, false}, {[]string{"--secret-key", one}, false}, {[]string{"--secret-key", other}, true}, {[]string{"--secret-key", other}, false},
		{[]string{"--secret-key", one, "--secret-key-fallback", other}, false}, {nil, true},
	} {
		ready, err := serveCommandFor(t, nil, append(args, c.flags...)...).validate()
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		p, err := newProgram(t.Context(), ready, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.store.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "level=ERROR") && strings.Contains(log.String(), "--secret-key-fallback"); got != c.logged || strings.Contains(log.String(), one) {
			t.Errorf("%q: logged %v, want %v:\n%s", c.flags, got, c.logged, &log)
		}
	}
}

// A port that is taken is a clear error, also that of plain HTTP.
func TestPortTaken(t *testing.T) {
	taken, f := listen(t, "127.0.0.1:0"), certtest.NewFiles(t, certtest.New(t, time.Now(), time.Now().Add(time.Hour)))
	defer taken.Close()
	database := filepath.Join(t.TempDir(), "house.db")
	args := append((&countedService{url: "http://127.0.0.1:1"}).arguments(database), "--public-url", "https://127.0.0.1:1", "--tls-cert", f.Cert, "--tls-key", f.Key)
	for _, flag := range []string{"--listen", "--redirect-listen"} {
		code, _, stderr := runFor(t, nil, append(args, flag, taken.Addr().String())...)
		if code != exitFailed || !strings.Contains(stderr, "cannot listen on "+taken.Addr().String()) || !strings.Contains(stderr, "give another "+flag) {
			t.Errorf("%s: %d, %s", flag, code, stderr)
		}
	}
	if _, err := os.Stat(database); err == nil {
		t.Error("the database was made")
	}
}

// Whoever comes by plain HTTP is led to the public address alone, whatever they ask for.
func TestRedirect(t *testing.T) {
	h := redirectTo("https://dash.example:8443")
	for _, c := range []struct{ method, target, host, want string }{
		{"GET", "/tonight?x=1", "dash.example", "https://dash.example:8443/tonight?x=1"},
		{"HEAD", "/", "evil.example", "https://dash.example:8443/"},
		{"GET", "//evil.example/a", "dash.example", "https://dash.example:8443//evil.example/a"},
		{"GET", "http://evil.example/a", "evil.example", "https://dash.example:8443/a"},
		{"GET", "x:@evil.example/", "dash.example", ""},
		{"POST", "/logout", "dash.example", ""},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != c.want || (c.want == "") != (w.Code == http.StatusBadRequest) {
			t.Errorf("%s %s: %d to %q, want %q", c.method, c.target, w.Code, got, c.want)
		}
	}
}
