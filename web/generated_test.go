package web_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
)

// The templates' Go code is checked in. It is what the generator makes of the templates as they
// are, and these are formatted.
func TestTemplatesAreGenerated(t *testing.T) {
	templates, err := both("*.templ")
	if err != nil || len(templates) == 0 {
		t.Fatalf("%d templates (%v)", len(templates), err)
	}
	generated, err := both("*_templ.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range templates {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseString(string(source))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var formatted, code bytes.Buffer
		if err := file.Write(&formatted); err != nil {
			t.Fatal(err)
		}
		if formatted.String() != string(source) {
			t.Errorf("%s is not formatted: go tool templ fmt web", name)
		}
		if _, err := generator.Generate(file, &code, generator.WithVersion(templ.Version()), generator.WithFileName(name)); err != nil {
			t.Fatal(err)
		}
		want, err := format.Source(code.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		goFile := strings.TrimSuffix(name, ".templ") + "_templ.go"
		if got, err := os.ReadFile(goFile); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what is made of %s (%v): go generate ./web", goFile, name, err)
		}
		generated = slices.DeleteFunc(generated, func(g string) bool { return g == goFile })
	}
	if len(generated) > 0 {
		t.Errorf("%q were made of templates that are gone", generated)
	}
}

// both are the files of web and of web/admin that match.
func both(pattern string) ([]string, error) {
	own, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	admins, err := filepath.Glob(filepath.Join("admin", pattern))
	return append(own, admins...), err
}
