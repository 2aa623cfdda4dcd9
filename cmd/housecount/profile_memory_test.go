package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// A program of a profile that asks for gigabytes costs its row: check names the list and the reason, and neither this
// process nor that of the programs has had them.
func TestProgramThatAsksForGigabytes(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`[{"id":"1","title":"Hamlet"},{"id":"2","title":"big"}]`))
	}))
	t.Cleanup(service.Close)
	path := writeFile(t, "big.yaml", `name: big
streams:
  - name: performances
    path: performances
    gives: [event]
    records: '{id, title: (if .title == "big" then "x" * 1000000000 else .title end), date: "2026-11-21"}'
`)
	code, stdout, stderr := runFor(t, nil, "check", "--profile", path, "--api-url", service.URL, "--api-key", "sesame-sesame", "--rows", "10")
	if said := stdout + stderr; code == exitOK || !strings.Contains(said, "performances") || !strings.Contains(said, "takes the program more memory than 256 MB") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil || used.Maxrss > 1<<20 {
		t.Errorf("this process had %d kB: %v", used.Maxrss, err)
	}
}
