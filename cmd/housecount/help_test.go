package main

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"housecount/apiclient/profile"
	"housecount/apiclient/sandbox/faults"
	"housecount/assets"
	"housecount/cmd/housecount/options"
	"housecount/web"
	"housecount/web/manual"
)

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"help"}, exitOK, "tls", ""},
		{[]string{"help", "tls"}, exitOK, "# TLS\n", ""},
		{[]string{"help", "TLS"}, exitOK, "--tls-cert", ""},
		{[]string{"help", "options"}, exitOK, "| `--keep-scans` |", ""},
		{[]string{"help", "demo"}, exitOK, "## Try the demo\n", ""},
		{[]string{"help", "tsl"}, exitUsage, "", `there is no chapter "tsl"; did you mean tls?`},
		{[]string{"help", "troubleshoting"}, exitUsage, "", "did you mean troubleshooting?"},
		{[]string{"help", "sign"}, exitUsage, "", "did you mean sign-in?"},
		{[]string{"help", "nginx"}, exitUsage, "", "these speak of it: databases"},
		{[]string{"help", "zebra"}, exitUsage, "", "housecount help lists them"},
	} {
		code, stdout, stderr := runFor(t, nil, c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || strings.Contains(stdout, "<!--") {
			t.Errorf("%q: exit code %d\n%s\n%s", c.args, code, stdout, stderr)
		}
	}
}

// allChapters returns the text of the whole manual.
func allChapters(t *testing.T) string {
	t.Helper()
	b, err := manual.Open(assets.Manual)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, c := range b.Chapters {
		all.WriteString(c.Text)
	}
	return all.String()
}

// The manual has every kind of fault of the sandbox, every call that controls it, every built-in profile and
// every command.
func TestManualIsComplete(t *testing.T) {
	text := allChapters(t)
	for _, kind := range faults.Kinds() {
		if !strings.Contains(text, "\n| `"+kind+"` |") {
			t.Errorf("the manual has no fault %s", kind)
		}
	}
	for _, name := range profile.BuiltinNames() {
		if !strings.Contains(text, "\n| `"+name+"` |") {
			t.Errorf("the manual has no profile %s", name)
		}
	}
	for _, call := range controlPaths(t) {
		if !strings.Contains(text, "/sandbox/"+call) {
			t.Errorf("the manual has no /sandbox/%s", call)
		}
	}
	_, command, err := parse(t.Context(), []string{"version"}, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range command.Model.Leaves(true) {
		name := strings.TrimPrefix(node.Path(), "housecount ")
		if !strings.Contains(text, "\n## "+name+"\n") {
			t.Errorf("the manual has no command %s", name)
		}
		for _, f := range node.Flags {
			if !strings.Contains(text, "`--"+f.Name+"`") {
				t.Errorf("the manual has no option --%s of %s", f.Name, name)
			}
		}
	}
}

// Every option that the manual or the README gives is one of the program or of a program that it names.
func TestManualGivesOptionsThatExist(t *testing.T) {
	_, command, err := parse(t.Context(), []string{"version"}, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	known := options.Names(command.Model)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"help", "format", "now", "create-home", "groups", "kiosk", "ozone-platform", "noerrdialogs", "disable-session-crashed-bubble", "no-first-run", "password-store", "edge-kiosk-type"}
	given := regexp.MustCompile("(?:^|[\\s`(])--([a-z][a-z-]*[a-z])")
	found := 0
	for _, m := range given.FindAllStringSubmatch(allChapters(t)+string(readme), -1) {
		found++
		if !known[m[1]] && !slices.Contains(others, m[1]) {
			t.Errorf("the manual gives --%s, which no command has", m[1])
		}
	}
	if found < 150 {
		t.Errorf("only %d options were found", found)
	}
}

// controlPaths returns the paths below /sandbox/ that the sandbox answers, from its code.
func controlPaths(t *testing.T) (paths []string) {
	t.Helper()
	for file, pattern := range map[string]string{"control.go": `add\("([a-z-]+)"`, "calls.go": `(?m)^\t"([a-z-]+)": +\(\*house\)`} {
		b, err := os.ReadFile("../../apiclient/sandbox/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(b), -1) {
			paths = append(paths, m[1])
		}
	}
	if len(paths) < 12 {
		t.Fatalf("only %q control the sandbox", paths)
	}
	return paths
}

func TestLicences(t *testing.T) {
	if code, stdout, stderr := runFor(t, nil, "licences"); code != exitOK || !strings.Contains(stdout, "==== github.com/gorilla/websocket ") || !strings.Contains(stdout, "==== echarts ") {
		t.Errorf("exit code %d, %d bytes: %s", code, len(stdout), stderr)
	}
}

// The manual's table of pages has each page that is not a part of another.
func TestManualListsThePages(t *testing.T) {
	chapter, err := fs.ReadFile(assets.Manual, "manual/40-pages.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(chapter), "\n\nMoney is shown")
	for _, p := range web.Pages() {
		partOf := []string{"replay", "changes", "explain"}
		address := strings.ReplaceAll(p.Path, "{event}", "ID")
		if address != "" && !slices.Contains(partOf, p.Name) && !strings.Contains(table, "`"+address+"`") {
			t.Errorf("the manual's table of pages has no %s", address)
		}
	}
}
