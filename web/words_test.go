package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"housecount/aggregator/figures"
)

// Every fault, reason and diagnosis that the aggregator knows has words for people.
func TestWords(t *testing.T) {
	words := map[string]func(string) string{
		"Fault":  func(s string) string { return faultWords(figures.Fault(s)) },
		"Reason": func(s string) string { return reasonWords(figures.Reason(s)) },
		"Code":   codeWords,
	}
	files, err := filepath.Glob("../aggregator/figures/*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			value, ok := spec.Values[0].(*ast.BasicLit)
			for kind, word := range words {
				if !ok || value.Kind != token.STRING || !strings.HasPrefix(spec.Names[0].Name, kind) {
					continue
				}
				text, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				seen[kind]++
				if got := word(text); got == text && text != "oversold" || got == "" {
					t.Errorf("%s is shown as %q", spec.Names[0].Name, got)
				}
			}
			return true
		})
	}
	if seen["Fault"] < 12 || seen["Reason"] < 15 || seen["Code"] < 5 {
		t.Errorf("constants found: %v", seen)
	}
}
