package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/apiclient/profile"
)

// The expansion of aliases is limited.
func TestProfileAliases(t *testing.T) {
	text := "name: a\nstreams:\n  - &s {name: a, path: a, gives: &g [event]}\n  - {name: b, path: b, gives: *g}\n"
	p := parsed(t, text)
	if got := p.MapRow("b", `{"id":"1","date":"2026-11-21"}`, nil, nil); len(got.Records) != 1 {
		t.Error(got.Refused)
	}
	var bomb strings.Builder
	bomb.WriteString("streams:\n  - query: &a0 {a: b, c: d}\n")
	for i := 1; i <= 30; i++ {
		fmt.Fprintf(&bomb, "    full: &a%d {a: *a%d, b: *a%d}\n  - query:\n", i, i-1, i-1)
	}
	if _, err := profile.Parse("test.yaml", []byte(bomb.String())); err == nil || len(err.Error()) > 50_000 {
		t.Errorf("got %.1000v", err)
	}
	wide := "name: a\nprefixes: &a [" + strings.Repeat("x, ", 2000) + "x]\nstreams:\n" + strings.Repeat("  - {name: a, path: a, alternatives: *a}\n", 20)
	if _, err := profile.Parse("test.yaml", []byte(wide)); err == nil || !strings.Contains(err.Error(), "makes the profile too large; use fewer aliases") {
		t.Errorf("got %.1000v", err)
	}
}
