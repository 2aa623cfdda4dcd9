package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"housecount/web/setup"
)

// What a setup wrote is changed for the next start: each change is checked with the service or the provider, a stored
// secret goes to no other address, and what else the file has stays.
func TestConnection(t *testing.T) {
	service, directory := newSetupService(t), t.TempDir()
	file := filepath.Join(directory, "house.yaml")
	first := fmt.Sprintf("# ours\npublic-url: http://127.0.0.1:8080\napi-url: %s\napi-key-file: house.api-key\npoll-idle: 20m # slowly\nrequests-per-minute: 6000\noidc-issuer: %s\noidc-client-id: housecount\noidc-client-secret: sesame\nadmins: [ruben@dewaag.example]\n", service.url, service.url)
	write(t, file, first)
	write(t, filepath.Join(directory, "house.api-key"), "old-key")
	start := func() *connection {
		return newConnection(serveCommandFor(t, nil, "--config", file), file, environment{args: []string{"serve", "--config", file}}, slog.New(slog.DiscardHandler))
	}
	n := start()
	if p := n.Present(""); p.Fixed != "" || p.APIURL != service.url || !p.KeyStored || !p.NeedsKey || p.Issuer != service.url || !p.SecretStored || p.Waits {
		t.Fatalf("%+v", p)
	}
	change := func(pairs ...string) (before, after, fault string) {
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		form.Set("seen", n.Present("").Seen)
		c, err := n.Check(t.Context(), form)
		if err == nil {
			err = c.Store()
		}
		if wrong, ok := errors.AsType[*setup.Fault](err); ok {
			return "", "", wrong.Code
		}
		if err != nil {
			t.Fatal(err)
		}
		return c.Before, c.After, ""
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		what  string
		form  []string
		fault string
	}{
		{"a wrong key", []string{"part", "service", "api_url", service.url, "key", "wrong"}, "unauthorized"},
		{"another address with the stored key", []string{"part", "service", "api_url", "https://evil.example"}, "key_again"},
		{"another client with the stored key", []string{"part", "service", "api_url", service.url, "client_id", "other"}, "key_again"},
		{"an address without TLS", []string{"part", "service", "api_url", "http://tickets.example.org", "key", "k"}, "api_url"},
		{"another issuer with the stored secret", []string{"part", "sign_in", "public_url", "http://127.0.0.1:8080", "issuer", "https://evil.example", "login_id", "housecount"}, "secret_again"},
		{"a wrong secret", []string{"part", "sign_in", "public_url", "http://127.0.0.1:8080", "issuer", service.url, "login_id", "housecount", "login_secret", "wrong"}, "client"},
		{"no provider there", []string{"part", "sign_in", "public_url", "http://127.0.0.1:8080", "issuer", service.url + "/nowhere", "login_id", "housecount", "login_secret", "sesame"}, "issuer"},
		{"no public address", []string{"part", "sign_in", "public_url", "here", "issuer", service.url, "login_id", "housecount"}, "public_url"},
	} {
		if _, _, fault := change(c.form...); fault != c.fault {
			t.Errorf("%s: %q, want %q", c.what, fault, c.fault)
		}
	}
	if read("house.yaml") != first || read("house.api-key") != "old-key" || n.Present("").Waits {
		t.Fatalf("what was refused is stored: %s", read("house.yaml"))
	}

	// The file cannot be written: a directory is in the way.
	for _, way := range []string{"house.yaml.trial.new", "house.yaml.new"} {
		if err := os.MkdirAll(filepath.Join(directory, way, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, _, fault := change("part", "service", "api_url", service.url, "key", testKey); fault != "write" || read("house.yaml") != first || read("house.api-key") != "old-key" || read("house.api-key.2") != "" || n.Present("").Waits {
			t.Errorf("%s in the way: %q, %s", way, fault, read("house.yaml"))
		}
		if err := os.RemoveAll(filepath.Join(directory, way)); err != nil {
			t.Fatal(err)
		}
	}

	if before, after, fault := change("part", "service", "api_url", service.url, "key", testKey); fault != "" || before != "" || after != "api-key" {
		t.Errorf("the key: %q, %q, %q", before, after, fault)
	}
	if before, after, fault := change("part", "sign_in", "public_url", "http://localhost:8080", "issuer", service.url, "login_id", "housecount", "login_secret", "sesame"); fault != "" && fault != "redirect" {
		t.Errorf("the sign-in: %q, %q, %q", before, after, fault)
	}
	if !n.Present("").Waits || !n.Waits() {
		t.Error("nothing waits for the next start")
	}
	text := read("house.yaml")
	for _, want := range []string{"# ours", "poll-idle: 20m", "# slowly", "api-key-file: house.api-key.2", "ruben@dewaag.example"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q: %s", want, text)
		}
	}
	if strings.Contains(text, testKey) || read("house.api-key") != "" {
		t.Errorf("a key is left: %s", text)
	}
	for _, name := range []string{"house.yaml", "house.api-key.2"} {
		if info, err := os.Stat(filepath.Join(directory, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if got := serveCommandFor(t, nil, "--config", file); got.APIKey != testKey || got.OIDCClientSecret != "sesame" || got.Admins[0] != "ruben@dewaag.example" {
		t.Errorf("the next start reads %+v", got.ServiceFlags)
	}

	if n := newConnection(n.now, file, environment{vars: map[string]string{"HOUSECOUNT_API_KEY_FILE": "/run/key"}}, n.log); n.Present("").Fixed != "elsewhere" {
		t.Error("a key of the environment may be changed in the file")
	}
	if n := newConnection(n.now, file, environment{args: []string{"serve", "--oidc-issuer=https://id.example"}}, n.log); n.Present("").Fixed != "elsewhere" {
		t.Error("an issuer of the command line may be changed in the file")
	}
	if n := newConnection(n.now, "", environment{}, n.log); n.Present("").Fixed != "not_file" {
		t.Error("there is no file, and it may be changed")
	}
}
