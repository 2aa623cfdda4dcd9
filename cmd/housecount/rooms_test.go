package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The sizes above which nobody reads a thing in one go. Tests and generated code do not count.
const (
	mostLinesOfRoom     = 6000
	mostLinesOfFile     = 500
	mostLinesOfFunction = 80
	mostParameters      = 5
	mostLineOfGolden    = 2000 // bytes: a line is what a change of a golden file shows
)

// checkout is the directory of the code, from here.
var checkout = filepath.Join("..", "..")

// filesOf returns the paths of all files of the code that a program or a person wrote, from the checkout, with slashes.
func filesOf(t *testing.T) (all []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(checkout), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "dist" || name == "bin" || strings.HasPrefix(name, ".git")):
			return fs.SkipDir
		case !entry.IsDir():
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readText(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(checkout, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRoomsAreSmall holds the sizes of packages, files and functions, and the numbers of parameters. What is too large is divided
// by what it is about, or is said in less.
func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, name := range filesOf(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go") {
			continue
		}
		text := readText(t, name)
		n := bytes.Count(text, []byte("\n"))
		lines[path.Dir(name)] += n
		if n > mostLinesOfFile {
			t.Errorf("%s has %d lines, more than %d", name, n, mostLinesOfFile)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		helps := slices.Contains(tested, path.Dir(name))
		ast.Inspect(file, func(n ast.Node) bool {
			var of *ast.FuncType
			var function string
			switch n := n.(type) {
			case *ast.FuncDecl:
				of, function = n.Type, n.Name.Name
			case *ast.FuncLit:
				of, function = n.Type, "a function"
			default:
				return true
			}
			at := set.Position(n.Pos())
			if lines := set.Position(n.End()).Line - at.Line + 1; lines > mostLinesOfFunction {
				t.Errorf("%s: %s has %d lines, more than %d", at, function, lines, mostLinesOfFunction)
			}
			// What only tests call says by its arguments what happens in the house; one that may be repeated is left out.
			if params := of.Params.NumFields(); params > mostParameters && !helps {
				t.Errorf("%s: %s has %d parameters, more than %d", at, function, params, mostParameters)
			}
			return true
		})
	}
	for _, room := range slices.Sorted(maps.Keys(lines)) {
		if lines[room] > mostLinesOfRoom {
			t.Errorf("%s has %d lines, more than %d", room, lines[room], mostLinesOfRoom)
		}
	}
}

// TestGoldenLines holds the lines of what tests compare with against a length at which a change of one can be read.
func TestGoldenLines(t *testing.T) {
	seen := 0
	for _, name := range filesOf(t) {
		if !strings.Contains(name, "/testdata/") || !slices.Contains([]string{".html", ".golden", ".txt", ".json", ".csv"}, path.Ext(name)) {
			continue
		}
		seen++
		for i, line := range bytes.Split(readText(t, name), []byte("\n")) {
			if len(line) > mostLineOfGolden {
				t.Errorf("%s:%d has %d bytes, more than %d", name, i+1, len(line), mostLineOfGolden)
			}
		}
	}
	if seen == 0 {
		t.Error("there are no golden files")
	}
}

// treeLine is a line of the manual's tree of rooms: the package's directory, and what it is for.
var treeLine = regexp.MustCompile(`(?m)^    ([a-z]+(?:/[a-z]+)*)/ +(\S.*)$`)

// TestTreeOfRooms holds the tree in the chapter for developers against the packages that there are, each with what it is for, in
// the order of a tree.
func TestTreeOfRooms(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "./../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var rooms []string
	for line := range strings.Lines(string(out)) {
		rooms = append(rooms, strings.TrimPrefix(strings.TrimSpace(line), module+"/"))
	}
	_, text, _ := strings.Cut(string(readText(t, "assets/manual/95-developing.md")), "\n## The code\n")
	var listed []string
	for _, m := range treeLine.FindAllStringSubmatch(text, -1) {
		if slices.Contains(listed, m[1]) {
			t.Errorf("%s is in the tree twice", m[1])
		}
		if above := path.Dir(m[1]); slices.Contains(rooms, above) && !slices.Contains(listed, above) {
			t.Errorf("%s is in the tree before %s", m[1], above)
		}
		if !slices.Contains(rooms, m[1]) {
			t.Errorf("the tree has %s, which is no package", m[1])
		}
		listed = append(listed, m[1])
	}
	for _, room := range rooms {
		if !slices.Contains(listed, room) {
			t.Errorf("the tree in assets/manual/95-developing.md has no line for %s", room)
		}
	}
}
