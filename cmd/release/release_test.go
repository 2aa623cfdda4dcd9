package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The parts are those of the program: each is listed with its licence, and none that only the tests have.
func TestPartsAndTheirLicences(t *testing.T) {
	t.Chdir("../..")
	parts, err := readParts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts, err := licenceTexts(t.Context(), parts)
	if err != nil {
		t.Fatal(err)
	}
	b, err := billOfMaterials("v1.2.3", parts)
	if err != nil {
		t.Fatal(err)
	}
	var doc bill
	if err := json.Unmarshal(b, &doc); err != nil || doc.Format != "CycloneDX" || doc.Metadata.Component.Version != "v1.2.3" || len(doc.Components) != len(parts) {
		t.Errorf("%v: %+v", err, doc.Metadata)
	}
	for name, is := range map[string]bool{"github.com/gorilla/websocket": true, "modernc.org/sqlite": true, "echarts": true, "zrender": true, "@fontsource-variable/inter": true, "github.com/chromedp/chromedp": false, "esbuild": false, "housecount": false} {
		at := slices.IndexFunc(parts, func(p part) bool { return p.Name == name })
		if at >= 0 != is || strings.Contains(string(texts), "==== "+name+" ") != is {
			t.Errorf("%s is a part: %t, want %t", name, at >= 0, is)
		}
		if is && !slices.ContainsFunc(doc.Components, func(c component) bool {
			return c.Name == name && strings.HasPrefix(c.URL, "pkg:") && !strings.Contains(c.URL[4:], "//")
		}) {
			t.Errorf("%s is not in the bill of materials", name)
		}
	}
	if embedded, err := os.ReadFile("assets/dist/licences.txt"); err != nil || !bytes.Equal(embedded, texts) {
		t.Errorf("the program's licences are %d bytes and ought to be %d: run make assets (%v)", len(embedded), len(texts), err)
	}
}

// A program that says another version than its tag, or none, is not released.
func TestAProgramOfAnotherVersionIsRefused(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	own, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkVersion(program, own.Main.Version); err != nil {
		t.Error(err)
	}
	if err := checkVersion(program, "v1.2.3"); err == nil || !strings.Contains(err.Error(), `its tag "v1.2.3"`) {
		t.Errorf("it is %v", err)
	}
	if err := checkVersion([]byte("no program"), "v1.2.3"); err == nil {
		t.Error("what is no program has the version")
	}
}

func TestAPartWithoutALicenceIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenceTexts(t.Context(), []part{{Name: "bare", Version: "v1", dir: dir}}); err == nil || !strings.Contains(err.Error(), "bare v1 has no licence") {
		t.Errorf("it is %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE.md"), []byte("yours\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if texts, err := licenceTexts(t.Context(), []part{{Name: "bare", Version: "v1", dir: dir}}); err != nil || !strings.HasSuffix(string(texts), "==== bare v1 ====\n\nyours\n") {
		t.Errorf("%v: %q", err, texts[max(0, len(texts)-40):])
	}
}

func TestChangesOfAVersion(t *testing.T) {
	const log = "# Changelog\n\n## Unreleased\n\n- new\n\n## v1.1.0\n\n- old\n\n## v1.0.0\n\n- first\n"
	for version, want := range map[string]string{"v1.2.0": "- new\n", "v1.1.0": "- old\n", "v1.0.0": "- first\n"} {
		if got, err := changesOf(log, version); got != want || err != nil {
			t.Errorf("%s: %q, want %q (%v)", version, got, want, err)
		}
	}
	if _, err := changesOf("# Changelog\n", "v1.0.0"); err == nil {
		t.Error("nothing is the change of a version")
	}
}

// An archive is the same bytes whenever it is made, and its program can be executed.
func TestArchiveIsReproducible(t *testing.T) {
	files, at := map[string][]byte{"b": []byte("two"), "a": []byte("one"), "c": []byte("three")}, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	one, err := archiveOf("dir", at, files, "b")
	if err != nil {
		t.Fatal(err)
	}
	if two, err := archiveOf("dir", at, files, "b"); err != nil || !bytes.Equal(one, two) {
		t.Error("two archives differ", err)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got += h.Name + " " + h.FileInfo().Mode().String() + " " + string(b) + "; "
	}
	if want := "dir/a -rw-r--r-- one; dir/b -rwxr-xr-x two; dir/c -rw-r--r-- three; "; got != want {
		t.Errorf("the archive has %q, want %q", got, want)
	}
	if sums := string(checksums(map[string][]byte{"x": nil})); sums != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  x\n" {
		t.Errorf("the sum of nothing is %q", sums)
	}
}
