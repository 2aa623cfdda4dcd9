package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"housecount/aggregator/store"
)

// While the database is opened and upgraded, the address answers: with how far it is, and then no more, so that
// the program itself does.
func TestAnswersWhileTheDatabaseIsUpgraded(t *testing.T) {
	ln := listen(t, "127.0.0.1:0")
	m, err := answerMeanwhile(ln, configuration{serveCommand: serveCommand{languageFlag: languageFlag{"en"}}}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	get := func(path string) (status int, text string, retry string) {
		t.Helper()
		a, err := client.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(b), a.Header.Get("Retry-After")
	}
	if status, _, _ := get("/healthz"); status != http.StatusOK {
		t.Errorf("healthz answers %d", status)
	}
	if status, text, _ := get("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(text, "is being opened") {
		t.Errorf("readyz answers %d: %s", status, text)
	}
	m.report(store.UpgradeStep{Step: 3, Of: 5, To: 19, What: "screen device"})
	if status, text, _ := get("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(text, "step 3 of 5, screen device") {
		t.Errorf("readyz answers %d: %s", status, text)
	}
	if status, text, retry := get("/tonight"); status != http.StatusServiceUnavailable || retry == "" || !strings.Contains(text, "Step 3 of 5.") {
		t.Errorf("a page answers %d, to be asked again after %q: %s", status, retry, text)
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "itself") })}
	go server.Serve(ln)
	defer server.Close()
	if status, text, _ := get("/tonight"); status != http.StatusOK || text != "itself" {
		t.Errorf("afterwards a page answers %d: %s", status, text)
	}
}
