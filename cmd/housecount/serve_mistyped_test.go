package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"housecount/cmd/housecount/options"
)

func TestMistypedVariablesAreRefusedAtOnce(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"version"}, {"sessions", "list"}} {
		code, _, stderr := runFor(t, map[string]string{
			"HOUSECOUNT_LOG": "1", "HOUSECOUNT_PUBLIC_URI": "https://dash.example.org", "HOUSECOUNT_API_KYE_FILE": "/run/secrets/key",
			"HOUSECOUNT_SOMETHING_ELSE": "sesame", "HOUSE_COUNT_VENUE": "", "HOUSECOUNT_VENUE": "De Waag", "HOUSECOUNT_LANGUAGE_FILE": os.DevNull,
		}, args...)
		if code != exitUsage {
			t.Errorf("%q: exit code %d, want %d", args, code, exitUsage)
		}
		for _, want := range []string{
			"HOUSECOUNT_LOG: no such option; housecount serve --help lists them all",
			"HOUSECOUNT_PUBLIC_URI: no such option; did you mean HOUSECOUNT_PUBLIC_URL?",
			"HOUSECOUNT_API_KYE_FILE: no such option; did you mean HOUSECOUNT_API_KEY_FILE?",
			"HOUSECOUNT_SOMETHING_ELSE: no such option; housecount serve --help lists them all",
		} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q: the message does not say %q:\n%s", args, want, stderr)
			}
		}
		if n := strings.Count(stderr, "no such option"); n != 4 || strings.Contains(stderr, "sesame") {
			t.Errorf("%q: %d names are refused, want 4 and no value:\n%s", args, n, stderr)
		}
	}
}

func TestMistypedVariableBesideOtherFaults(t *testing.T) {
	for want, args := range map[string][]string{"unknown flag --colour": {"serve", "--colour", "red"}, "--api-url is missing": {"serve", "--oidc-issuer", "https://id.example.org"}} {
		code, _, stderr := runFor(t, map[string]string{"HOUSECOUNT_VENEU": "De Waag"}, args...)
		if code != exitUsage || !strings.Contains(stderr, "did you mean HOUSECOUNT_VENUE?") || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, want %d, the name and %q:\n%s", code, exitUsage, want, stderr)
		}
	}
}

// Where the program's service or container is itself called housecount, its platform sets these.
func TestVariablesOfThePlatformAreNoFault(t *testing.T) {
	if code, _, stderr := runFor(t, map[string]string{
		"HOUSECOUNT_SERVICE_HOST": "10.0.0.11", "HOUSECOUNT_SERVICE_PORT": "8080", "HOUSECOUNT_SERVICE_PORT_HTTP": "8080",
		"HOUSECOUNT_PORT": "tcp://10.0.0.11:8080", "HOUSECOUNT_PORT_8080_TCP": "tcp://10.0.0.11:8080", "HOUSECOUNT_PORT_8080_TCP_PROTO": "tcp",
		"HOUSECOUNT_PORT_8080_TCP_PORT": "8080", "HOUSECOUNT_PORT_8080_TCP_ADDR": "10.0.0.11", "HOUSECOUNT_METRICS_PORT_9090_TCP_PORT": "9090",
	}, "version"); code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := runFor(t, map[string]string{"HOUSECOUNT_PORT": "8080"}, "version"); code != exitUsage || !strings.Contains(stderr, "HOUSECOUNT_PORT: no such option") {
		t.Errorf("a port that somebody meant for --listen: exit code %d, message %q", code, stderr)
	}
}

// Every variable that the Dockerfile, the manual, the tests and what is deployed name is known.
func TestVariablesInTheTreeAreKnown(t *testing.T) {
	skip := regexp.MustCompile(`/(node_modules|dist|bin|\.git)$|/(serve_mistyped_test\.go|CHANGELOG\.md)$`)
	name := regexp.MustCompile(`HOUSECOUNT_[A-Z_]*[A-Z]`)
	vars, files := map[string]string{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case skip.MatchString(filepath.ToSlash(path)) && d.IsDir():
			return fs.SkipDir
		case skip.MatchString(filepath.ToSlash(path)) || !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		for _, found := range name.FindAllString(string(b), -1) {
			vars[found], files[filepath.Base(path)] = "", true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !files["Dockerfile"] || !files["README.md"] || !files["serve_config_test.go"] {
		t.Errorf("the names stand in %v, want the Dockerfile, the manual and a test among them", files)
	}
	delete(vars, "HOUSECOUNT_NAME") // stands for any
	delete(vars, "HOUSECOUNT_NAME_FILE")
	var faults options.Faults
	_, command, err := parse(t.Context(), []string{"version"}, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	faults.Mistyped(vars, command.Model)
	if err := faults.OrNil(); err != nil {
		t.Error(err)
	}
}
