package profile

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML returns the only document in data, or reports a fault and returns nil.
func parseYAML(f *faults, data []byte) (body ast.Node) {
	if len(data) > maxProfile {
		f.addLine(1, "the profile is larger than %d bytes; leave out what is not needed", maxProfile)
		return nil
	}
	defer func() {
		if recover() != nil { // the parser panics on some malformed input
			f.addLine(1, "the profile cannot be read as YAML; write it anew")
			body = nil
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > maxProfileTokens {
		f.addLine(tokens[maxProfileTokens].Position.Line, "the profile has more than %d words and signs; leave out what is not needed", maxProfileTokens)
		return nil
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		line, what := 1, "the profile is no YAML"
		if e, ok := errors.AsType[yaml.Error](err); ok {
			if t := e.GetToken(); t != nil {
				line = t.Position.Line
			}
			what = errorText(errors.New(e.GetMessage()))
		}
		f.addLine(line, "%s; mend the YAML", what)
		return nil
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		f.addLine(1, "the profile is empty; begin with name, base_url and streams")
		return nil
	case len(bodies) > 1:
		f.addLine(bodies[1].GetToken().Position.Line, "a second document begins; a file holds one profile")
		return nil
	}
	return bodies[0]
}

const (
	maxProfile = 1 << 20 // bytes
	// maxProfileTokens limits the parser's work, which grows with the square of the tokens, and its
	// depth of recursion.
	maxProfileTokens = 20_000
	// maxProfileValues limits how far aliases can expand a profile, maxProfileDepth how deeply its
	// values may be nested.
	maxProfileValues = 20_000
	maxProfileDepth  = 20
)

// yamlReader fills structs from YAML. It reads the syntax tree itself, because the yaml package
// stops at the first fault and does not limit the expansion of aliases.
type yamlReader struct {
	*faults
	anchors map[string]ast.Node
	values  int
}

// read sets v from n.
func (r *yamlReader) read(path string, n ast.Node, v reflect.Value, depth int) {
	if r.lines[path] == 0 && n.GetToken() != nil {
		r.lines[path] = n.GetToken().Position.Line
	}
	r.values++
	if r.values == maxProfileValues || depth > maxProfileDepth {
		r.add(path, "makes the profile too large; use fewer aliases")
	}
	if r.values >= maxProfileValues || depth > maxProfileDepth {
		return
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		r.anchors[n.Name.GetToken().Value] = n.Value
		r.read(path, n.Value, v, depth+1)
		return
	case *ast.AliasNode:
		if to := r.anchors[n.Value.GetToken().Value]; to != nil {
			r.read(path, to, v, depth+1)
		} else {
			r.add(path, "is an alias of nothing before it; write the value itself")
		}
		return
	case *ast.TagNode:
		r.add(path, "has a tag, %.40q; leave it out", n.Start.Value)
		return
	case *ast.NullNode:
		return // same as a missing value
	}

	switch v.Kind() {
	case reflect.Struct:
		r.members(path, n, func(at, name string, value ast.Node) {
			field, ok := yamlField(v, name)
			if !ok {
				r.add(at, "is unknown; %s", knownWords(yamlFields(v.Type())))
				return
			}
			r.read(at, value, field, depth+1)
		})
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		r.members(path, n, func(at, name string, value ast.Node) {
			one := reflect.New(v.Type().Elem()).Elem()
			r.read(at, value, one, depth+1)
			v.SetMapIndex(reflect.ValueOf(name), one)
		})
	case reflect.Slice:
		all, ok := n.(*ast.SequenceNode)
		if s, isText := scalarText(n); isText && v.Type() == reflect.TypeFor[Names]() {
			r.lines[path+"[0]"] = r.lines[path]
			v.Set(reflect.ValueOf(Names{s}))
			return
		}
		if !ok {
			r.wrongType(path, n, "a list")
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), min(len(all.Values), maxProfileValues), min(len(all.Values), maxProfileValues)))
		for i := range v.Len() {
			r.read(fmt.Sprintf("%s[%d]", path, i), all.Values[i], v.Index(i), depth+1)
		}
	default:
		r.scalar(path, n, v)
	}
}

// members calls f for each member of the mapping n.
func (r *yamlReader) members(path string, n ast.Node, f func(at, name string, value ast.Node)) {
	all, ok := n.(ast.MapNode)
	if !ok {
		r.wrongType(path, n, "names with values")
		return
	}
	for i := all.MapRange(); i.Next(); {
		key := i.Key().GetToken()
		name := key.Value
		at := strings.TrimPrefix(path+"."+name, ".")
		r.lines[at] = key.Position.Line
		if _, ok := i.Key().(ast.ScalarNode); !ok || i.Key().IsMergeKey() {
			r.add(at, "is no name; write each value out under a name of its own")
			continue
		}
		f(at, name, i.Value())
	}
}

func (r *yamlReader) scalar(path string, n ast.Node, v reflect.Value) {
	switch n := n.(type) {
	case *ast.LiteralNode:
		r.blocks[path] = n.Start.Position.Line
	case *ast.BoolNode:
		if v.Kind() == reflect.Bool {
			v.SetBool(n.Value)
			return
		}
	case *ast.IntegerNode:
		if i, ok := n.Value.(uint64); ok && v.Kind() == reflect.Int && i < 1<<31 {
			v.SetInt(int64(i))
			return
		}
		if i, ok := n.Value.(int64); ok && v.Kind() == reflect.Int && i > -1<<31 {
			v.SetInt(i)
			return
		}
	}
	s, ok := scalarText(n)
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(s)
		if !ok || err != nil {
			r.wrongType(path, n, "a duration such as 15m or 1h30m")
			return
		}
		v.SetInt(int64(d))
	case v.Kind() == reflect.Bool:
		r.wrongType(path, n, "true or false")
	case v.Kind() == reflect.Int:
		r.wrongType(path, n, "an integer")
	case !ok:
		r.wrongType(path, n, "a text")
	default:
		v.SetString(s)
	}
}

// scalarText returns the text of a scalar; for numbers and booleans, as written.
func scalarText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func (r *yamlReader) wrongType(path string, n ast.Node, want string) {
	is := "a text"
	switch n.(type) {
	case ast.MapNode:
		is = "names with values"
	case *ast.SequenceNode:
		is = "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		is = "a number"
	case *ast.BoolNode:
		is = "true or false"
	}
	if s, ok := scalarText(n); ok {
		is += fmt.Sprintf(", %.40q", s)
	}
	r.add(path, "is %s; give %s", is, want)
}

// yamlField returns the field of the struct v with the YAML name.
func yamlField(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func yamlFields(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("yaml"))
	}
	return names
}
