package web_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ/parser/v2"
)

// TestTemplatesAreFormatted compares each template with what templ fmt makes of it.
func TestTemplatesAreFormatted(t *testing.T) {
	templates, err := filepath.Glob("*.templ")
	if err != nil || len(templates) == 0 {
		t.Fatalf("%d templates (%v)", len(templates), err)
	}
	inside, err := filepath.Glob("*/*.templ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(templates, inside...) {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseString(string(source))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var formatted bytes.Buffer
		if err := file.Write(&formatted); err != nil {
			t.Fatal(err)
		}
		if formatted.String() != string(source) {
			t.Errorf("%s is not formatted: go tool templ fmt web", name)
		}
	}
}
