package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module that is required in a version that its authors have withdrawn is a fault that names it, and so is a proxy that
// cannot be asked; a version that is not withdrawn is none.
func TestRetractedModules(t *testing.T) {
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	proxy := t.TempDir()
	for _, name := range []string{"bad", "good"} {
		versions := filepath.Join(proxy, "example.org", name, "@v")
		put(filepath.Join(versions, "list"), "v1.0.0\nv1.1.0\n")
		for _, v := range []string{"v1.0.0", "v1.1.0"} {
			put(filepath.Join(versions, v+".info"), `{"Version":"`+v+`","Time":"2026-01-02T15:04:05Z"}`)
			retract := ""
			if name == "bad" && v == "v1.1.0" {
				retract = "\nretract v1.0.0 // loses money\n"
			}
			put(filepath.Join(versions, v+".mod"), "module example.org/"+name+"\n\ngo 1.24\n"+retract)
		}
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct{ name, requires, proxy, want string }{
		{"withdrawn", "example.org/bad v1.0.0", "file://" + proxy, "example.org/bad v1.0.0 was withdrawn by its authors (loses money)"},
		{"a later version", "example.org/bad v1.1.0", "file://" + proxy, ""},
		{"not withdrawn", "example.org/good v1.0.0", "file://" + proxy, ""},
		{"no proxy", "example.org/good v1.0.0", "http://127.0.0.1:1", "was not reached"},
	} {
		put("go.mod", "module example.org/house\n\ngo 1.24\n\nrequire "+c.requires+"\n")
		put("go.sum", "")
		env := []string{"GOPROXY=" + c.proxy, "GONOSUMDB=*", "GOFLAGS=-mod=mod", "GOMODCACHE=" + filepath.Join(t.TempDir(), "cache"), "GOTOOLCHAIN=local"}
		switch err := checkRetracted(t.Context(), env); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
