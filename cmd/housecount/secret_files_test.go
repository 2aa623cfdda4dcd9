package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	if mode, mend := openToOthers(open, func(string) bool { return true }); mend != "" {
		t.Errorf("with a mode that is fixed: %o, %s", mode, mend)
	}
	if mode, mend := openToOthers(open, hasFixedMode); mode != 0o644 || mend != fmt.Sprintf("chmod 600 %s", open) {
		t.Errorf("%o, %s", mode, mend)
	}
}

// A file with a secret in a directory that anybody may write can be replaced, also where a directory above it is so; in one like
// /tmp, in which everybody has files of their own, it cannot.
func TestSecretFilesThatOthersReplace(t *testing.T) {
	for _, c := range []struct {
		outer, inner os.FileMode
		want         string // the directory that is named
	}{{0o755, 0o755, ""}, {0o755, 0o777, "inner"}, {0o777, 0o700, "outer"}, {0o777, 0o777, "outer"}, {0o775, 0o775, ""}, {0o777 | os.ModeSticky, 0o755, ""}} {
		outer := filepath.Join(t.TempDir(), "outer")
		inner := filepath.Join(outer, "inner")
		path := filepath.Join(inner, "secret")
		err := errors.Join(os.Mkdir(outer, 0o700), os.Mkdir(inner, 0o700), os.WriteFile(path, []byte("sesame"), 0o600), os.Chmod(inner, c.inner), os.Chmod(outer, c.outer))
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		(&sensitiveFiles{paths: []string{path}}).warn(slog.New(slog.NewTextHandler(&log, nil)))
		dir := map[string]string{"outer": outer, "inner": inner}[c.want]
		if text := log.String(); (text != "") != (c.want != "") || c.want != "" && (strings.Count(text, "\n") != 1 || !strings.Contains(text, "replaced by others") || !strings.Contains(text, `mend="chmod o-w `+dir+`"`)) {
			t.Errorf("%v %v: %s, want %s", c.outer, c.inner, text, dir)
		}
	}
}

// Keys, passwords, secrets and addresses with a password are secrets; the path of a key, names and other addresses are not.
func TestWhatIsSecret(t *testing.T) {
	for name, values := range map[string]map[string]bool{
		"api-key": {"x": true, "": false}, "secret-key-fallback": {"x": true}, "smtp-password": {"x": true}, "api-client-secret": {"x": true},
		"tls-key": {"/etc/key.pem": false}, "venue": {"Havendam": false},
		"database": {"postgres://house:x@db/house": true, "postgres://house@db/house": false, "postgres://db:5432/house": false, "house.db": false},
	} {
		for value, want := range values {
			if isSecret(name, value) != want {
				t.Errorf("%s %q: not %t", name, value, want)
			}
		}
	}
}

// A mode is fixed where systemd, Docker and Kubernetes put secrets, and not merely because a unit sees the disk read only.
func TestFixedModes(t *testing.T) {
	for want, mounts := range map[bool][]syscall.Statfs_t{
		true:  {{Flags: 1, Type: 0x01021994}, {Flags: 1 | 2, Type: 0x794c7630}},
		false: {{Flags: 1, Type: 0xef53}, {Flags: 1, Type: 0x58465342}, {Type: 0x01021994}, {Type: 0x794c7630}},
	} {
		for _, mount := range mounts {
			if isMountOfSecrets(mount) != want {
				t.Errorf("%+v: not %t", mount, want)
			}
		}
	}
	t.Setenv("CREDENTIALS_DIRECTORY", "/run/credentials/housecount.service")
	for path, want := range map[string]bool{
		"/run/credentials/housecount.service/api-key": true, "/run/secrets/api-key": true, "/var/run/secrets/a/b": true,
		"/run/credentials/other.service/api-key": false, "/run/secretsx/api-key": false, "/etc/housecount/none": false,
	} {
		if hasFixedMode(path) != want {
			t.Errorf("%s: not %t", path, want)
		}
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
