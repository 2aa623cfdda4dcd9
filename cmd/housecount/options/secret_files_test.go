package options

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
)

// A file that others may read is named with what mends it, unless its mode is not the house's to choose.
func TestModesOfOthers(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := errors.Join(os.WriteFile(open, []byte("sesame-sesame"), 0o644), os.Chmod(open, 0o644)); err != nil {
		t.Fatal(err)
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
		(&SensitiveFiles{Paths: []string{path}}).Warn(slog.New(slog.NewTextHandler(&log, nil)))
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
