package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/cmd/housecount/certificates/certtest"
)

// serve logs one line for each file with a secret that others may read, with what to do about it, and none for others.
func TestSecretFilesOfOthers(t *testing.T) {
	taken := listen(t, "127.0.0.1:0") // so that serve ends once it has said what it has to
	t.Cleanup(func() { taken.Close() })
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		return path
	}
	cert := certtest.NewFiles(t, certtest.New(t, time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0), "dash.example.org"))
	open, group, own := put("open", "sesame-sesame", 0o644), put("group", "sesame-sesame", 0o640), put("own", "sesame-sesame", 0o600)
	inline := put("inline.yaml", "api-key: sesame-sesame\n", 0o644)
	named := put("named.yaml", "api-key-file: open\nsetup-file: plain.yaml\n", 0o644)
	plain := put("plain.yaml", "venue: Havendam\n", 0o644)
	password := put("password.yaml", "database: postgres://house:sesame@127.0.0.1:1/house\n", 0o644)
	other := put("mollie.yaml", "profile: mollie\napi-key: sesame2\n", 0o644)
	groupIsOthers := ""
	if os.Geteuid() != 0 { // for root there is nobody to let in by a group
		groupIsOthers = group
	}
	for _, c := range []struct {
		name string
		vars map[string]string
		args []string
		want string // the file that is named; empty for none
	}{
		{"a variable's file", map[string]string{"HOUSECOUNT_API_KEY_FILE": open}, nil, open},
		{"a variable's file for its user alone", map[string]string{"HOUSECOUNT_API_KEY_FILE": own}, nil, ""},
		{"a variable's file for a group", map[string]string{"HOUSECOUNT_API_KEY_FILE": group}, nil, groupIsOthers},
		{"a secret in the configuration file", nil, []string{"--config", inline}, inline},
		{"a file that the configuration file names", nil, []string{"--config", named}, open},
		{"no secret in the configuration file", map[string]string{"HOUSECOUNT_API_KEY": "sesame"}, []string{"--config", plain}, ""},
		{"an address with a password in it", map[string]string{"HOUSECOUNT_API_KEY": "sesame"}, []string{"--config", password}, password},
		{"a further service's file", map[string]string{"HOUSECOUNT_API_KEY": "sesame"}, []string{"--services", "mollie=" + other, "--payments", "none"}, other},
		{"the key of TLS", map[string]string{"HOUSECOUNT_API_KEY": "sesame"}, []string{"--tls-cert", cert.Cert, "--tls-key", put("key.pem", readFile(t, cert.Key), 0o644)}, filepath.Join(dir, "key.pem")},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := runFor(t, c.vars, append([]string{"serve", "--api-url", "https://api.example.org", "--public-url", "https://dash.example.org",
				"--oidc-issuer", "https://id.example.org", "--oidc-client-id", "hc", "--roles", "staff=manager", "--listen", taken.Addr().String()}, c.args...)...)
			if code != exitFailed || !strings.Contains(stderr, "cannot listen") {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var lines []string
			for line := range strings.Lines(stderr) {
				if strings.Contains(line, "can be read by others") {
					lines = append(lines, line)
				}
			}
			switch {
			case c.want == "" && len(lines) > 0, c.want != "" && len(lines) != 1:
				t.Errorf("%d lines: %s", len(lines), lines)
			case c.want != "" && (!strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "file="+c.want) ||
				!strings.Contains(lines[0], `mend="chmod 600 `+c.want+`"`)):
				t.Errorf("the line %s; want %s", lines[0], c.want)
			}
			if strings.Contains(stderr, "sesame") {
				t.Errorf("the log has a secret: %s", stderr)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
