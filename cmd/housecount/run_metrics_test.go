package main

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"housecount/apiclient/sandbox"
)

// What a program says of itself is true, named as Prometheus wants it, and of nobody else's business.
func TestMetrics(t *testing.T) {
	f := newFront(t)
	s := newService(t, loginAt(f), func(o *sandbox.Options) { o.Past, o.Coming = 2, 1 })
	p := f.serve(t, s, filepath.Join(t.TempDir(), "housecount.db"))
	v := f.visitor(t)
	v.login()
	v.watch("view=tonight")
	v.send(http.MethodGet, f.URL+"/revenue?period=month", nil)
	v.send(http.MethodGet, f.URL+"/healthz", nil)
	v.send(http.MethodGet, f.URL+"/assets/none.js", nil)
	if status, _, _ := v.send(http.MethodGet, f.URL+"/metrics", nil); status != http.StatusNotFound {
		t.Errorf("metrics are on the site: %d", status)
	}

	problems, err := testutil.GatherAndLint(p.metrics.Registry)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	_, _, text := v.send(http.MethodGet, p.metricsURL, nil)
	values := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if i := strings.LastIndexByte(lines.Text(), ' '); !strings.HasPrefix(lines.Text(), "#") {
			if values[lines.Text()[:i]], err = strconv.ParseFloat(lines.Text()[i+1:], 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	records := p.figures.Snapshot().Position.Revision
	for name, is := range map[string]func(v float64) bool{
		`housecount_http_request_duration_seconds_count{code="303",route="GET /login/callback"}`: func(v float64) bool { return v == 1 },
		`housecount_http_request_duration_seconds_count{code="200",route="GET /revenue"}`:        func(v float64) bool { return v == 1 },
		`housecount_http_request_duration_seconds_count{code="101",route="GET /live"}`:           func(v float64) bool { return v == 1 },
		`housecount_http_request_duration_seconds_count{code="200",route="GET /healthz"}`:        func(v float64) bool { return v == 1 },
		`housecount_http_request_duration_seconds_count{code="404",route="GET /assets/"}`:        func(v float64) bool { return v == 1 },
		`housecount_http_request_duration_seconds_count{code="404",route="none"}`:                func(v float64) bool { return v == 1 },
		`housecount_sockets`:                                                    func(v float64) bool { return v == 1 },
		`housecount_sockets_lagging`:                                            func(v float64) bool { return v == 0 },
		`housecount_topics`:                                                     func(v float64) bool { return v == 1 },
		`housecount_frames_sent_total`:                                          func(v float64) bool { return v >= 1 && v < 100 },
		`housecount_socket_sent_bytes_total`:                                    func(v float64) bool { return v > 500 },
		`housecount_rendering_duration_seconds_count`:                           func(v float64) bool { return v >= 1 },
		`housecount_rendering_duration_seconds_sum`:                             func(v float64) bool { return v > 0 && v < 60 },
		`housecount_poll_duration_seconds_count{outcome="ok",stream="tickets"}`: func(v float64) bool { return v >= 1 },
		`housecount_stream_missed_polls{stream="tickets"}`:                      func(v float64) bool { return v == 0 },
		`housecount_figures_ready`:                                              func(v float64) bool { return v == 1 },
		`housecount_figures_age_seconds`:                                        func(v float64) bool { return v >= 0 && v < 3600 },
		`housecount_lease_held`:                                                 func(v float64) bool { return v == 1 },
		`housecount_records_stored_total`:                                       func(v float64) bool { return v == float64(records) && v > 0 },
		`housecount_service_requests_left{budget="minute",service="default"}`:   func(v float64) bool { return v > 0 },
		`housecount_service_pause_seconds{service="default"}`:                   func(v float64) bool { return v == 0 },
		`housecount_database_up`:                                                func(v float64) bool { return v == 1 },
		`housecount_database_connections{pool="writer",state="idle"}`:           func(v float64) bool { return v <= 1 },
	} {
		if v, there := values[name]; !there || !is(v) {
			t.Errorf("%s is %g, there: %v", name, v, there)
		}
	}
	for _, secret := range []string{testKey, "manager-demo", "€"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics have %q", secret)
		}
	}
	monitored(t, p.metrics.Registry)
}

// Each metric that the alerts and the dashboard name is in the first scrape of a program that has done nothing yet, and
// what is counted is 0.
func TestEveryMetricFromTheStart(t *testing.T) {
	f := newFront(t)
	s := newService(t, loginAt(f), func(o *sandbox.Options) { o.Past, o.Coming = 1, 1 })
	database := filepath.Join(t.TempDir(), "house.db")
	ready, err := serveCommandFor(t, nil, append(s.arguments(database), "--public-url", f.URL, "--oidc-client-id", sandboxClient)[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProgram(t.Context(), ready, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.store.Close(); err != nil {
			t.Error(err)
		}
	})
	w := httptest.NewRecorder()
	p.metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	there := map[string]bool{}
	for line := range strings.Lines(w.Body.String()) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		name, labels, _ := strings.Cut(name, "{")
		there[name] = true
		if strings.Contains(labels, `code="500"`) {
			there["a request that failed"] = true
		}
		counted := strings.HasPrefix(name, "housecount_") && (strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_bucket"))
		if counted && !strings.Contains(name, "database") && value[strings.LastIndexByte(value, ' ')+1:] != "0" {
			t.Errorf("%s", line)
		}
	}
	if !regexp.MustCompile(`(?m)^# HELP housecount_database_up .* before that none is tried\.$`).Match(w.Body.Bytes()) {
		t.Error("the help does not say that no write is tried before one failed") // as store's TestDiskFull has it
	}
	names := 0
	for _, expression := range monitoring(t) {
		for _, name := range regexp.MustCompile(`\b(?:housecount|process|go)_[a-z_]+`).FindAllString(expression, -1) {
			names++
			if !there[name] {
				t.Errorf("%s: there is no %s in the first scrape", expression, name)
			}
		}
	}
	if names < 25 || !there["a request that failed"] {
		t.Errorf("%d names, a request that failed: %v", names, there["a request that failed"])
	}
	up := func() string {
		w := httptest.NewRecorder()
		p.metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return regexp.MustCompile(`(?m)^housecount_database_up .*$`).FindString(w.Body.String())
	}
	if got := up(); got != "housecount_database_up 1" {
		t.Errorf("the database answers: %q", got)
	}
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	if got := up(); got != "housecount_database_up 0" {
		t.Errorf("the database is away: %q", got)
	}
}

// monitored holds the alerts and the dashboard against the metrics that there are.
func monitored(t *testing.T, registry prometheus.Gatherer) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, family := range families {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			there[family.GetName()+suffix] = true
		}
	}
	expressions := monitoring(t)
	for _, expression := range expressions {
		for _, name := range regexp.MustCompile(`\b(housecount|process|go)_[a-z_]+`).FindAllString(expression, -1) {
			if !there[name] {
				t.Errorf("%s: there is no %s", expression, name)
			}
		}
	}
	if len(expressions) < 25 {
		t.Errorf("only %d expressions were found", len(expressions))
	}
}

// monitoring returns the expressions of the alerts and the dashboard.
func monitoring(t *testing.T) (expressions []string) {
	t.Helper()
	var alerts struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	for path, into := range map[string]any{"alerts.yaml": &alerts, "dashboard.json": &dashboard} {
		b, err := os.ReadFile(filepath.Join("..", "..", "assets", "monitoring", path))
		if err == nil && strings.HasSuffix(path, ".yaml") {
			err = yaml.Unmarshal(b, into)
		} else if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for _, group := range alerts.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}
