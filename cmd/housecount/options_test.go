package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"housecount/cmd/housecount/options"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write the commands and options into the manual")

// commandFlags returns the flags of a command, without those that every command has.
func commandFlags(t *testing.T, name ...string) (flags []*kong.Flag) {
	t.Helper()
	_, command, err := parse(t.Context(), name, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range command.Selected().AllFlags(false) {
		for _, f := range group {
			if f.Name != "help" && f.Name != "config" {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// manualText returns what the manual says of an option: its help, what the manual alone says, and the least
// that its check accepts.
func manualText(f *kong.Flag) string {
	text := strings.TrimSpace(f.Help + " " + f.Tag.Get("manual"))
	check, argument, _ := strings.Cut(f.Tag.Get("check"), " ")
	least, _, mayBeZero := strings.Cut(argument, " or ")
	switch {
	case check != "least" || strings.Contains(text, "at least"):
	case mayBeZero:
		text += " At least " + least + ", or 0."
	default:
		text += " At least " + least + "."
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// The manual has every command with every option; go test ./cmd/housecount -run Manual -update writes them.
func TestManualHasTheOptions(t *testing.T) {
	const begin, end = "<!-- commands: go test ./cmd/housecount -run Manual -update -->\n", "<!-- end of commands -->\n"
	const path = "../../assets/manual/85-options.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, began := strings.Cut(string(b), begin)
	written, after, ended := strings.Cut(rest, end)
	if !began || !ended {
		t.Fatalf("%s has no %q and %q", path, begin, end)
	}
	want := commandsText(t)
	if written == want {
		return
	}
	if !*update {
		t.Fatalf("%s has other commands and options than the program: go test ./cmd/housecount -run Manual -update writes them", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commandsText returns a section of the manual for each command: its arguments and options. Options that
// serve has as well are only named.
func commandsText(t *testing.T) string {
	_, command, err := parse(t.Context(), []string{"version"}, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	ofServe := map[string]string{}
	for _, f := range commandFlags(t, "serve") {
		ofServe[f.Name] = optionRow(f)
	}
	var b strings.Builder
	for _, node := range command.Model.Leaves(true) {
		name := strings.TrimPrefix(node.Path(), "housecount ")
		var rows, shared []string
		for _, a := range node.Positional {
			rows = append(rows, fmt.Sprintf("| `%s` | | %s |\n", strings.ToUpper(a.Name), a.Help))
		}
		for _, group := range node.AllFlags(false) {
			for _, f := range group {
				switch row := optionRow(f); {
				case f.Name == "help" || f.Name == "config":
				case name != "serve" && ofServe[f.Name] == row:
					shared = append(shared, "`--"+f.Name+"`")
				default:
					rows = append(rows, row)
				}
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, node.Help)
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n| Option | Unless given | What it is |\n|---|---|---|\n%s", strings.Join(rows, ""))
		}
		if len(shared) > 0 {
			fmt.Fprintf(&b, "\nAs with [serve](#serve): %s.\n", strings.Join(shared, ", "))
		}
	}
	b.WriteString("\n")
	return b.String()
}

// optionRow returns the row of an option in the manual.
func optionRow(f *kong.Flag) string {
	value := ""
	if f.HasDefault {
		value = "`" + f.Default + "`"
	}
	return fmt.Sprintf("| `--%s` | %s | %s |\n", f.Name, value, manualText(f))
}

// Every check that a tag names is there, its argument can be read, and what is given by default passes it.
func TestOptionsPassTheirOwnChecks(t *testing.T) {
	cli := new(commandLine)
	_, command, err := parse(t.Context(), []string{"version"}, nil, environment{})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, node := range command.Model.Leaves(true) {
		for _, f := range node.Flags {
			name, argument, _ := strings.Cut(f.Tag.Get("check"), " ")
			if name == "" {
				continue
			}
			checked++
			if options.Checks[name] == nil {
				t.Errorf("%s --%s: there is no check %q", node.FullPath(), f.Name, name)
			}
			if name == "least" {
				least, _, _ := strings.Cut(argument, " or ")
				if _, err := options.ParseLeast(f.Target, least); err != nil {
					t.Errorf("%s --%s: %q: %v", node.FullPath(), f.Name, f.Tag.Get("check"), err)
				}
			}
			if !f.HasDefault {
				continue
			}
			if err := f.Reset(); err != nil {
				t.Fatal(err)
			}
			var faults options.Faults
			faults.CheckOption(f)
			if err := faults.OrNil(); err != nil {
				t.Errorf("%s: the default: %v", node.FullPath(), err)
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d options have a check, want 40 or more of %v", checked, reflect.TypeOf(*cli))
	}
}

// Each option of the client is set by one flag, by which its faults are named.
func TestClientOptionsHaveFlags(t *testing.T) {
	flags := map[string]bool{}
	for _, f := range commandFlags(t, "serve") {
		flags[f.Name] = true
	}
	for _, option := range []string{"Profile", "Vars", "BaseURL", "APIKey", "ClientID", "ClientSecret", "TokenURL", "Scopes", "RequestsPerMinute", "RequestsPerDay", "PageSize", "Paging"} {
		if name := options.FlagOf(option); !flags[name] {
			t.Errorf("%s is set by --%s, which is no flag", option, name)
		}
	}
}
