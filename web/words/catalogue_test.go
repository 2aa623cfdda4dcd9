package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-playground/locales/en"
)

// args returns the names of a message's arguments, sorted.
func (m *message) args() []string {
	names := map[string]bool{}
	for _, s := range m.segments {
		if s.arg != "" {
			names[s.arg] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// strong reports whether something in the message stands out.
func (m *message) strong() bool {
	return slices.ContainsFunc(m.segments, func(s segment) bool { return s.strong })
}

// A catalogue that cannot be read is an error that names it; those of the program can be.
func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Error(err)
	}
	if w := load("fr", "fr", en.New(), false); w.fault == nil || !strings.Contains(w.fault.Error(), "fr.yaml") {
		t.Errorf("without a catalogue: %v", w.fault)
	}
	for _, bad := range []string{"a: [", "a: {b: '{n'}"} {
		if err := new(Words{cldr: en.New(), messages: map[string]*message{}}).read([]byte(bad)); err == nil {
			t.Errorf("%q is let through", bad)
		}
	}
}

func TestEveryMessageIsInEveryLanguage(t *testing.T) {
	english := Of(English)
	for _, l := range Locales[1:] {
		w := Of(l)
		for key, m := range english.messages {
			other := w.messages[key]
			if other == nil {
				t.Errorf("%s: %s is missing", l, key)
				continue
			}
			if got, want := other.args(), m.args(); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the arguments %q, English %q", l, key, got, want)
			}
			if other.strong() != m.strong() {
				t.Errorf("%s: %s is strong: %v, in English %v", l, key, other.strong(), m.strong())
			}
		}
		for key := range w.messages {
			if english.messages[key] == nil {
				t.Errorf("%s: %s is not in English", l, key)
			}
		}
	}
	if len(english.messages) < 400 {
		t.Errorf("%d messages", len(english.messages))
	}
}

// use is a key in the code and the arguments that it is given there.
type use struct {
	args  []string
	known bool // args could be read
	where string
}

// code is what the code asks of the catalogue.
type code struct {
	uses     map[string][]use
	families map[string]bool
	literals map[string]bool
}

// readCode looks at every file that may name a message.
func readCode(t *testing.T) code {
	t.Helper()
	c := code{map[string][]use{}, map[string]bool{}, map[string]bool{}}
	fset := token.NewFileSet()
	for _, dir := range []string{".", "..", "../admin", "../calendar", "../charts", "../event", "../events", "../explain", "../money", "../night", "../query", "../refunds", "../setup", "../vat", "../wall", "../../handlers"} {
		files := parseDir(t, fset, dir)
		p := newArgReader(files)
		for _, f := range files {
			for _, d := range f.Decls {
				ast.Inspect(d, func(n ast.Node) bool {
					if text, ok := literal(n); ok {
						c.literals[text] = true
					}
					if call, ok := n.(*ast.CallExpr); ok {
						c.call(fset, p, d, call)
					}
					return true
				})
			}
		}
	}
	return c
}

// parseDir returns the code of a package, without its tests.
func parseDir(t *testing.T, fset *token.FileSet, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// call notes what a call asks of the catalogue.
func (c *code) call(fset *token.FileSet, p *argReader, in ast.Decl, call *ast.CallExpr) {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if x, ok := fun.X.(*ast.Ident); ok && x.Name == "words" {
		return // makes an argument
	}
	switch fun.Sel.Name {
	case "Code":
		if family, ok := literal(call.Args[0]); ok {
			c.families[family] = true
		}
	case "sayShow": // of an alert, with its title after the key, and on a performance's own page without
		if key, ok := literal(call.Args[0]); ok {
			for text, args := range map[string][]ast.Expr{"alert." + key: call.Args[1:], "here." + key: call.Args[2:]} {
				c.uses[text], c.literals[text] = append(c.uses[text], p.use(fset, in, call, args)), true
			}
		}
	case "Say", "Text":
		u := p.use(fset, in, call, call.Args[1:])
		ast.Inspect(call.Args[0], func(n ast.Node) bool {
			if key, ok := literal(n); ok {
				c.uses[key] = append(c.uses[key], u)
			}
			return true
		})
	}
}

// use returns what a call gives a message.
func (p *argReader) use(fset *token.FileSet, in ast.Node, call *ast.CallExpr, args []ast.Expr) use {
	u := use{known: true, where: fset.Position(call.Pos()).String()}
	for _, a := range args {
		names := p.names(in, a)
		u.known = u.known && len(names) == 1
		u.args = append(u.args, names...)
	}
	slices.Sort(u.args)
	return u
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// argReader finds the name of an argument where it is made: in place, in a variable, or in a
// function that makes it.
type argReader struct{ functions map[string]ast.Node }

func newArgReader(files []*ast.File) *argReader {
	p := &argReader{map[string]ast.Node{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if fun, ok := d.(*ast.FuncDecl); ok && fun.Type.Results != nil && len(fun.Type.Results.List) == 1 {
				p.functions[fun.Name.Name] = fun.Body
			}
		}
	}
	return p
}

var constructors = []string{"Text", "Name", "Int", "Spelled", "Fig", "Plain", "Part", "Of", "Verbatim", "Number"}

// made returns the name in words.Text("name", …) or record.Number("name", …), or in Text("name", …) within
// these packages.
func made(e ast.Expr) (string, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	name := ""
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && (x.Name == "words" || x.Name == "record") {
			name = fun.Sel.Name
		}
	}
	if !slices.Contains(constructors, name) {
		return "", false
	}
	return literal(call.Args[0])
}

func (p *argReader) names(in ast.Node, e ast.Expr) []string {
	if name, ok := made(e); ok {
		return []string{name}
	}
	found := map[string]bool{}
	within := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if name, ok := made(e); ok {
					found[name] = true
				}
			}
			return true
		})
	}
	variable := ""
	switch e := e.(type) {
	case *ast.Ident:
		variable = e.Name
	case *ast.CallExpr:
		switch fun := e.Fun.(type) {
		case *ast.Ident:
			variable = fun.Name
		case *ast.SelectorExpr:
			if body := p.functions[fun.Sel.Name]; body != nil {
				within(body)
			}
		}
	}
	ast.Inspect(in, func(n ast.Node) bool {
		set, ok := n.(*ast.AssignStmt)
		if !ok || variable == "" {
			return true
		}
		for i, left := range set.Lhs {
			id, ok := left.(*ast.Ident)
			if !ok || id.Name != variable || i >= len(set.Rhs) {
				continue
			}
			if name, ok := made(set.Rhs[i]); ok {
				found[name] = true
			} else if fun, ok := set.Rhs[i].(*ast.FuncLit); ok {
				within(fun.Body)
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(found))
}

// A key in the code exists, and is given the arguments that the message has; a message that no
// code names is left over.
func TestKeysInCode(t *testing.T) {
	c, w := readCode(t), Of(English)
	isKey := regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)
	read := 0
	for key, uses := range c.uses {
		m := w.messages[key]
		if m == nil {
			if isKey.MatchString(key) || key == "" {
				t.Errorf("%s: there is no message %q", uses[0].where, key)
			}
			continue
		}
		for _, u := range uses {
			if !u.known {
				t.Errorf("%s: the arguments of %s cannot be read from the code, only %q", u.where, key, u.args)
				continue
			}
			if read++; !slices.Equal(u.args, m.args()) {
				t.Errorf("%s: %s is given %q and has %q", u.where, key, u.args, m.args())
			}
		}
	}
	for key := range w.messages {
		family, _, _ := strings.Cut(key, ".")
		if !c.literals[key] && !c.families[family] && family != "spelled" && family != "detail" {
			t.Errorf("%s is in no code", key)
		}
	}
	if read < 250 || len(c.families) < 10 {
		t.Errorf("only %d calls and %d families of codes were read", read, len(c.families))
	}
}

// What is said of a record, or of what the service sends, is a message of its text: in the catalogue
// under that text, which it is in English, and with the arguments that the code gives it.
func TestDetails(t *testing.T) {
	said := map[string]bool{}
	for _, dir := range []string{"aggregator", "aggregator/figures", "aggregator/figures/ledger", "aggregator/figures/ledger/diagnoses", "aggregator/figures/evening", "aggregator/poller", "apiclient", "apiclient/profile", "apiclient/record", "apiclient/services"} {
		files := parseDir(t, token.NewFileSet(), filepath.Join("../..", dir))
		p := newArgReader(files)
		for _, f := range files {
			for _, d := range f.Decls {
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					name, _ := call.Fun.(*ast.Ident)
					if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
						name = fun.Sel
					}
					if name == nil || name.Name != "Say" {
						return true
					}
					text, ok := literal(call.Args[0])
					if !ok {
						return true
					}
					said[text] = true
					m := Of(English).messages["detail."+text]
					if m == nil {
						t.Errorf("%s: there is no message %q", dir, text)
						return true
					}
					var args []string
					for _, a := range call.Args[1:] {
						args = append(args, p.names(d, a)...)
					}
					if slices.Sort(args); !slices.Equal(args, m.args()) {
						t.Errorf("%s: %q is given %q and has %q", dir, text, args, m.args())
					}
					return true
				})
			}
		}
	}
	for key := range Of(English).messages {
		text, ok := strings.CutPrefix(key, "detail.")
		if !ok {
			continue
		}
		if same, err := parse(text, 2); err != nil || !reflect.DeepEqual(same, Of(English).messages[key]) {
			t.Errorf("%q is another text in English", text)
		}
		if !said[text] {
			t.Errorf("%q is in no code", text)
		}
	}
	if len(said) < 60 {
		t.Errorf("only %d texts", len(said))
	}
}

// A refusal names its title and its text by one code.
func TestRefusals(t *testing.T) {
	f, codes := token.NewFileSet(), map[string]bool{}
	paths, err := filepath.Glob("../../handlers/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(f, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "code" {
					if code, ok := literal(n.Value); ok {
						codes[code] = true
					}
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "code" {
						if code, ok := literal(n.Rhs[i]); ok {
							codes[code] = true
						}
					}
				}
			}
			return true
		})
	}
	for code := range codes {
		for _, family := range []string{"error_title.", "error_text."} {
			if Of(English).messages[family+code] == nil {
				t.Errorf("there is no message %s%s", family, code)
			}
		}
	}
	for key := range Of(English).messages {
		if code, ok := strings.CutPrefix(key, "error_title."); ok && !codes[code] {
			t.Errorf("%s is in no code", key)
		}
	}
	if len(codes) < 12 {
		t.Errorf("only %d codes were found", len(codes))
	}
}

// Every fault, reason, diagnosis and status that the aggregator knows has a text, and so have the
// kinds of record.
func TestCodes(t *testing.T) {
	families := map[string]string{"Fault": "fault", "Reason": "reason", "Code": "diagnosis", "Status": "status", "Kind": "rows"}
	seen := map[string]int{}
	for _, glob := range []string{"../../aggregator/figures/*.go", "../../aggregator/figures/evening/*.go", "../../aggregator/figures/evening/*/*.go", "../../aggregator/figures/catalogue/*.go", "../../apiclient/record/record.go"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || len(spec.Values) != 1 {
					return true
				}
				code, ok := literal(spec.Values[0])
				for prefix, family := range families {
					if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || strings.HasPrefix(spec.Names[0].Name, "KindOf") {
						continue
					}
					seen[prefix]++
					if Of(English).messages[family+"."+code] == nil {
						t.Errorf("%s: there is no message %s.%s", spec.Names[0].Name, family, code)
					}
				}
				return true
			})
		}
	}
	if seen["Fault"] < 12 || seen["Reason"] < 15 || seen["Code"] < 5 || seen["Status"] < 6 || seen["Kind"] < 6 {
		t.Errorf("constants found: %v", seen)
	}
}
