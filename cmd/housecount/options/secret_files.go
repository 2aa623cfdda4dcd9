package options

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// SensitiveFiles are the files from which secrets were read: those that a variable or a setting ending in _FILE or -file
// names, and a configuration file with a secret in it. A nil one takes nothing.
type SensitiveFiles struct{ Paths []string }

// Add adds a file, once.
func (s *SensitiveFiles) Add(path string) {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if s != nil && !slices.Contains(s.Paths, path) {
		s.Paths = append(s.Paths, path)
	}
}

// isSecret reports whether a setting is a secret, or an address with a password in it.
func isSecret(name string, value any) bool {
	text, ok := value.(string)
	_, rest, isAddress := strings.Cut(text, "://")
	user, _, hasUser := strings.Cut(rest, "@")
	if name == "alerts-to" { // what is behind the host is secret
		return value != nil && value != ""
	}
	return ok && text != "" && (name == "secret-key-fallback" || strings.HasSuffix(name, "-secret") || strings.HasSuffix(name, "-password") ||
		strings.HasSuffix(name, "-key") && name != "tls-key" || isAddress && hasUser && strings.Contains(user, ":"))
}

// Warn logs a line for each of the files that others may read, and for each that they may replace.
func (s *SensitiveFiles) Warn(log *slog.Logger) {
	for _, path := range slices.Sorted(slices.Values(s.Paths)) {
		if mode, mend := openToOthers(path, hasFixedMode); mend != "" {
			log.Warn("a file with a secret can be read by others", "file", path, "mode", fmt.Sprintf("%04o", mode), "mend", mend)
		}
		if dir, mode := writtenByOthers(path); dir != "" && !hasFixedMode(path) {
			log.Warn("a file with a secret can be replaced by others", "file", path, "directory", dir, "mode", fmt.Sprintf("%04o", mode), "mend", "chmod o-w "+dir)
		}
	}
}

// writtenByOthers returns the outermost directory of a file in which anybody may put another in its place, with its mode; nothing if
// there is none. In a directory like /tmp only its owner may take a file away.
func writtenByOthers(path string) (dir string, mode fs.FileMode) {
	for up := filepath.Dir(path); ; up = filepath.Dir(up) {
		if info, err := os.Stat(up); err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			dir, mode = up, info.Mode().Perm()
		}
		if up == filepath.Dir(up) {
			return dir, mode
		}
	}
}

// openToOthers returns the mode of a file that others may read, and the commands that mend it; nothing if others may
// not, or if the mode is fixed. A group counts as others if the file is our own, but not if it is another user's, as a group is
// how root lets us read it.
func openToOthers(path string, fixed func(path string) bool) (mode fs.FileMode, mend string) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, ""
	}
	mode, user := info.Mode().Perm(), os.Geteuid()
	owner, ok := info.Sys().(*syscall.Stat_t)
	ours := ok && int(owner.Uid) == user
	if mode&0o004 == 0 && (mode&0o040 == 0 || !ours || user == 0) || fixed(path) {
		return mode, ""
	}
	mend = "chmod 600 " + path
	if !ours {
		mend = fmt.Sprintf("chown %d %s && %s", user, path, mend)
	}
	return mode, mend
}

// hasFixedMode reports whether the mode of a file is not for the house to choose, as that of secrets of systemd, Docker and
// Kubernetes is not: it is where these put them, or in a mount as they make it for them.
func hasFixedMode(path string) bool {
	for _, dir := range []string{os.Getenv("CREDENTIALS_DIRECTORY"), "/run/secrets", "/var/run/secrets"} {
		if dir != "" && strings.HasPrefix(path, filepath.Clean(dir)+"/") {
			return true
		}
	}
	var mount syscall.Statfs_t
	return syscall.Statfs(path, &mount) == nil && isMountOfSecrets(mount)
}

// isMountOfSecrets reports whether a mount is read only and in memory or a layer of a container. Other mounts that are read
// only say nothing: a unit of systemd with ProtectSystem=strict sees all of the disk so.
func isMountOfSecrets(mount syscall.Statfs_t) bool {
	const readOnly, tmpfs, overlay = 1, 0x01021994, 0x794c7630 // ST_RDONLY, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC
	return mount.Flags&readOnly != 0 && (mount.Type == tmpfs || mount.Type == overlay)
}
