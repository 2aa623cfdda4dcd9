package engine_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"housecount/aggregator/store/engine"
)

// An error of the file system names what to do about it.
func TestHintsOfFiles(t *testing.T) {
	d, err := engine.NewSQLite(filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	for cause, want := range map[syscall.Errno]string{
		syscall.EROFS:  "mount it for writing",
		syscall.EACCES: "give this user the right",
		syscall.ENOENT: "make it, or name another",
		syscall.EISDIR: "name a file in it",
		syscall.ENOSPC: "no space left",
	} {
		if err := d.WithHint(&fs.PathError{Op: "open", Path: "house.db", Err: cause}); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
