package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

// Whether staff can log in is found out without anybody, and what is wrong is said.
func TestCheckLogin(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	issuer := "http://" + server.Listener.Addr().String()
	s, err := sandbox.New(sandbox.Options{
		Empty: true, Speed: -1, PublicURL: issuer, APIKey: "an-api-key-for-the-test", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Clients: []idp.Client{{ID: "housecount", Secret: "sesame", RedirectURIs: []string{"https://dash.example.org/login/callback"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = s
	server.Start()
	t.Cleanup(server.Close)
	good := map[string]string{
		"HOUSECOUNT_PUBLIC_URL": "https://dash.example.org", "HOUSECOUNT_OIDC_ISSUER": issuer,
		"HOUSECOUNT_OIDC_CLIENT_ID": "housecount", "HOUSECOUNT_OIDC_CLIENT_SECRET": "sesame",
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"all well", nil, exitOK, []string{
			`issuer +ok +discovered; register https://dash.example.org/signed-out as`, `client +ok +housecount is known`,
			`redirect address +ok +https://dash.example.org/login/callback is registered`, `claims +ok +roles is among`}},
		{"another claim", []string{"--role-claim", "groups"}, exitOK, []string{`claims +ok +groups is not among`, "userinfo"}},
		{"not the issuer", []string{"--oidc-issuer", issuer + "/realms/house"}, exitFailed, []string{`issuer +FAULT +http.*cannot be discovered`}},
		{"another name of the issuer", []string{"--oidc-issuer", strings.Replace(issuer, "127.0.0.1", "localhost", 1)}, exitFailed, []string{`issuer +FAULT .*did not match`}},
		{"an issuer without TLS", []string{"--oidc-issuer", "http://id.example.org"}, exitUsage, []string{`--oidc-issuer "http://id.example.org" is not https`}},
		{"a wrong secret", []string{"--oidc-client-secret", "pepper"}, exitFailed, []string{`client +FAULT +housecount is refused`, `redirect address +ok`}},
		{"an unknown client", []string{"--oidc-client-id", "x"}, exitFailed, []string{`client +FAULT +x is refused`, `redirect address +FAULT`}},
		{"another address", []string{"--public-url", "https://other.example.org"}, exitFailed, []string{`client +ok`, `redirect address +FAULT +https://other.example.org/login/callback is refused`}},
		{"plain OAuth", []string{"--oidc-issuer", "", "--oauth-auth-url", issuer + "/oauth/authorize", "--oauth-token-url", issuer + "/oauth/token",
			"--oauth-jwks-url", issuer + "/oauth/jwks", "--oauth-audience", issuer}, exitOK, []string{`client +ok`, `redirect address +ok`}},
		{"nothing given", []string{"--oidc-client-id", ""}, exitUsage, []string{"--oidc-client-id is missing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := runFor(t, good, append([]string{"check", "--login"}, c.args...)...)
			for _, want := range c.want {
				if !regexp.MustCompile(want).MatchString(stdout + stderr) {
					t.Errorf("no %q in:\n%s%s", want, stdout, stderr)
				}
			}
			if code != c.code || strings.Contains(stdout+stderr, "sesame") {
				t.Errorf("exit code %d, want %d:\n%s%s", code, c.code, stdout, stderr)
			}
		})
	}
}

// Who is logged in while the roles are configured anew and the program restarts has the new rights at
// the next page, with the old cookie.
func TestRolesAfterARestart(t *testing.T) {
	f := newFront(t)
	s := newService(t, loginAt(f), func(o *sandbox.Options) { o.Past, o.Coming = 2, 1 })
	database := filepath.Join(t.TempDir(), "housecount.db")
	v := f.visitor(t)
	first := f.serve(t, s, database)
	v.login()
	sees := func(path string, status int, money bool) {
		t.Helper()
		got, at, body := v.send(http.MethodGet, f.URL+path, nil)
		if got != status || at != f.URL+path || strings.Contains(body, "€") != money {
			t.Errorf("%s is answered %d at %s; want %d, with money: %v\n%s", path, got, at, status, money, body)
		}
	}
	sees("/revenue", http.StatusOK, true)
	sees("/tonight", http.StatusOK, true)
	first.stop()
	f.serve(t, s, database, "--roles", "manager=door")
	sees("/revenue", http.StatusForbidden, false)
	sees("/tonight", http.StatusOK, false)
}
