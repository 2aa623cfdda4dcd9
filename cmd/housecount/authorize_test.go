package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person authorizes housecount in a browser; check then reads the service with what came back, renewed in the database.
func TestAuthorize(t *testing.T) {
	refresh, issued, asked := "", 0, ""
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/token":
			r.ParseForm()
			good := r.PostForm.Get("code") == "the-code" || r.PostForm.Get("refresh_token") == refresh && refresh != ""
			if id, secret, _ := r.BasicAuth(); !good || id != "house" || secret != "hush-hush" {
				http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
				return
			}
			issued++
			refresh = fmt.Sprint("refresh-", issued)
			fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":%q,"token_type":"Bearer","expires_in":1}`, issued, refresh)
		case "/shows":
			asked = r.Header.Get("Authorization")
			fmt.Fprint(w, `{"data":[{"id":"1","title":"Gala","date":"2026-11-24","available":4}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer service.Close()
	dir := t.TempDir()
	house := filepath.Join(dir, "house.yaml")
	if err := os.WriteFile(house, []byte(`
name: house
base_url: `+service.URL+`
auth:
  oauth: {grant: authorization_code, authorize_url: "https://auth.example.org/allow", token_url: "`+service.URL+`/token"}
streams:
  - {name: shows, path: shows, paging: {style: bare}, list: data, gives: [event]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--profile", house, "--api-client-id", "house", "--api-client-secret", "hush-hush", "--database", filepath.Join(dir, "house.db")}
	at := func(command string, more ...string) []string {
		return append(append([]string{command}, flags...), more...)
	}

	var out, errs bytes.Buffer
	if code := run(t.Context(), at("check"), nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "is not there") {
		t.Errorf("before anybody authorized it: %d, %s", code, errs.String())
	}

	// The address to paste is made of the one that the command prints.
	read, write := io.Pipe()
	answer, paste := io.Pipe()
	go func() {
		defer paste.Close()
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if u, err := url.Parse(strings.TrimSpace(lines.Text())); err == nil && u.Host == "auth.example.org" {
				fmt.Fprintf(paste, "https://house.example.org/back?code=the-code&state=%s\n", url.QueryEscape(u.Query().Get("state")))
			}
		}
	}()
	errs.Reset()
	code := runWith(t.Context(), at("authorize", "--redirect-url", "https://house.example.org/back"), nil, environment{stdout: write, stderr: &errs, stdin: answer})
	write.Close()
	if code != exitOK || issued != 1 {
		t.Fatalf("authorize: %d, %s", code, errs.String())
	}
	if b, err := os.ReadFile(filepath.Join(dir, "house.db")); err != nil || bytes.Contains(b, []byte("refresh-1")) || bytes.Contains(b, []byte("access-1")) {
		t.Errorf("what came back is not sealed in the database, %v", err)
	}
	out.Reset()
	errs.Reset()
	run(t.Context(), at("check"), nil, &out, &errs)
	if !strings.Contains(out.String(), "1 event") || !strings.HasPrefix(asked, "Bearer access-") {
		t.Errorf("check asked with %q:\n%s%s", asked, out.String(), errs.String())
	}
	errs.Reset()
	if code := run(t.Context(), []string{"authorize", "--profile", "pretix", "--var", "organizer=x", "--api-key", "k"}, nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "needs nobody's authorization") {
		t.Errorf("a profile with a key: %d, %s", code, errs.String())
	}
}
