package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyTheProbeExplores holds what may find out how a service is read against the design: the
// field of a query that gives leave for it is set in the probe and, for the lists that a read needs,
// passed on by the client.
func TestOnlyTheProbeExplores(t *testing.T) {
	root := filepath.Join("..", "..")
	sets := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		room := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), root+string(filepath.Separator)))
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Explore" {
					sets[room]++
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "Explore" {
						sets[room]++
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, n := range sets {
		if room != "apiclient/probe" && room != "apiclient" {
			t.Errorf("%s has the client explore, in %d places", room, n)
		}
	}
	if sets["apiclient/probe"] == 0 || sets["apiclient"] != 1 {
		t.Errorf("leave is given in %v; want the probe, and one place that passes it on", sets)
	}
}
