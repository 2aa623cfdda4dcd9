package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// untested are the lines of SECURITY.md that no test could show, with what they are about instead.
var untested = map[string]string{
	"3.7.1": "a choice of technologies", "7.1.1": "a document", "7.1.3": "a document", "8.1.1": "a document", "8.1.2": "a document", "16.1.1": "a document",
}

// TestSecurityTable holds the table of SECURITY.md: it has each line that it has to, each that is so names a test that
// shows it, and none names a test that there is not.
func TestSecurityTable(t *testing.T) {
	root := filepath.Join("..", "..")
	b, err := os.ReadFile(filepath.Join(root, ".github", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
			tests[string(m[1])] = true
		}
		for _, m := range regexp.MustCompile(`(?m)^\t\{"([^"]+)", test\w+\},$`).FindAllSubmatch(source, -1) { // of the suite for every database
			tests["TestSQLite/"+string(m[1])], tests["TestPostgreSQL/"+string(m[1])] = true, true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(line, "|")
		if len(cells) == 6 {
			rows[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[3])
			if name := strings.TrimSpace(cells[1]); strings.TrimSpace(cells[3]) == "yes" && strings.Contains(cells[4], "`Test") == (untested[name] != "") {
				t.Errorf("line %s names a test, or ought to: %s", name, line)
			}
		}
		for _, name := range regexp.MustCompile("`(Test\\w+(?:/[^`]+)?)`").FindAllStringSubmatch(line, -1) {
			if !tests[name[1]] {
				t.Errorf("there is no %s: %s", name[1], line)
			}
		}
	}
	// How many lines of levels 1 and 2 the sections have; they are the first ones of each.
	for section, lines := range map[string]int{
		"3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2,
		"8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1, "10.1": 2, "10.2": 2, "10.3": 4, "10.5": 5,
		"16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3,
	} {
		for i := range lines {
			line := fmt.Sprintf("%s.%d", section, i+1)
			if result := rows[line]; !strings.Contains(" yes partly no – ", " "+result+" ") || result == "" {
				t.Errorf("line %s says %q", line, result)
			}
		}
	}
	for _, all := range []string{"10.4.1 – 10.4.11", "10.6.1 – 10.6.2", "10.7.1 – 10.7.3"} {
		if rows[all] != "–" {
			t.Errorf("line %s says %q", all, rows[all])
		}
	}
}
