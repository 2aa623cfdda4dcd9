package profile

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Reads returns the paths that the stream's programs read of a row, such as .show.id or .seats[].price, sorted, and
// the parts of them that were not followed: what is computed, and what functions of the programs' own read.
func (s *Stream) Reads() (paths, unclear []string) {
	r := pathReader{paths: map[string]bool{}, unclear: map[string]bool{}}
	for _, text := range []string{s.Records, s.Keep} {
		if q, err := gojq.Parse(text); err == nil && text != "" {
			r.query(q, ".", map[string]string{})
		}
	}
	return sortedKeys(r.paths), sortedKeys(r.unclear)
}

// pathReader follows a program as far as it names members. A value is known by its path in the row, empty if it is not of
// the row or is computed.
type pathReader struct {
	paths, unclear map[string]bool
	depth          int
}

// maxReadDepth is how deep a program is followed.
const maxReadDepth = 200

// query follows q with that input and returns what it gives.
func (r *pathReader) query(q *gojq.Query, in string, vars map[string]string) string {
	if q == nil || r.depth > maxReadDepth {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	for _, f := range q.FuncDefs {
		r.unclear["def "+f.Name] = true
	}
	switch {
	case q.Term != nil && q.Left == nil:
		return r.term(q.Term, in, vars)
	case len(q.Patterns) > 0:
		from := r.query(q.Left, in, vars)
		inner := map[string]string{}
		for name, path := range vars {
			inner[name] = path
		}
		for _, p := range q.Patterns {
			if p.Name != "" {
				inner[p.Name] = from
			} else {
				r.unclear["as "+p.String()] = true
			}
		}
		return r.query(q.Right, in, inner)
	case q.Op == gojq.OpPipe:
		return r.query(q.Right, r.query(q.Left, in, vars), vars)
	}
	left, right := r.query(q.Left, in, vars), r.query(q.Right, in, vars)
	if q.Op == gojq.OpAlt {
		if left == "" {
			return right
		}
		return left
	}
	if q.Op == gojq.OpComma && left == right {
		return left
	}
	return ""
}

// term follows one term and what is read of it.
func (r *pathReader) term(t *gojq.Term, in string, vars map[string]string) string {
	at := ""
	switch t.Type {
	case gojq.TermTypeIdentity:
		at = in
	case gojq.TermTypeIndex:
		at = r.index(t.Index, in, in, vars)
	case gojq.TermTypeFunc:
		at = r.call(t.Func, in, vars)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			r.query(kv.KeyQuery, in, vars)
			if kv.Val != nil {
				r.query(kv.Val, in, vars)
			} else if kv.Key != "" && !strings.HasPrefix(kv.Key, "$") {
				r.read(memberPath(in, kv.Key))
			}
		}
	case gojq.TermTypeArray:
		if at = r.query(t.Array.Query, in, vars); at != "" {
			at = "" // a list of its own
		}
	case gojq.TermTypeUnary:
		r.term(t.Unary.Term, in, vars)
	case gojq.TermTypeString:
		for _, q := range t.Str.Queries {
			r.query(q, in, vars)
		}
	case gojq.TermTypeIf:
		r.query(t.If.Cond, in, vars)
		at = r.query(t.If.Then, in, vars)
		for _, e := range t.If.Elif {
			r.query(e.Cond, in, vars)
			r.query(e.Then, in, vars)
		}
		if other := r.query(t.If.Else, in, vars); t.If.Else != nil && other != at {
			at = ""
		}
	case gojq.TermTypeTry:
		at = r.query(t.Try.Body, in, vars)
	case gojq.TermTypeQuery:
		at = r.query(t.Query, in, vars)
	case gojq.TermTypeReduce, gojq.TermTypeForeach, gojq.TermTypeLabel, gojq.TermTypeRecurse:
		r.unclear[shortened(t.String())] = true
	}
	for _, suffix := range t.SuffixList {
		switch {
		case suffix.Iter && at != "":
			at += "[]"
		case suffix.Index != nil:
			at = r.index(suffix.Index, at, in, vars)
		}
	}
	return at
}

// index follows .name, ."name" and [query] of a value; in is what the query reads.
func (r *pathReader) index(i *gojq.Index, at, in string, vars map[string]string) string {
	name := i.Name
	if i.Str != nil && len(i.Str.Queries) == 0 {
		name = i.Str.Str
	}
	if name != "" {
		return r.read(memberPath(at, name))
	}
	r.query(i.Start, in, vars)
	r.query(i.End, in, vars)
	switch {
	case at == "" || i.IsSlice:
		return at
	case i.Start != nil && i.Start.Term != nil && i.Start.Term.Type != gojq.TermTypeNumber && i.Start.Term.Type != gojq.TermTypeUnary:
		r.unclear[shortened(at+"["+i.Start.String()+"]")] = true
		return ""
	}
	return at + "[]"
}

// sameInput are functions that give their input, or what their argument gives of it.
var sameInput = []string{"select", "first", "last", "sort_by", "unique_by", "limit", "tostring", "tonumber"}

// call follows a function or a variable.
func (r *pathReader) call(f *gojq.Func, in string, vars map[string]string) string {
	if strings.HasPrefix(f.Name, "$") {
		return vars[f.Name]
	}
	if f.Name == "map" || f.Name == "map_values" || f.Name == "any" || f.Name == "all" {
		if len(f.Args) == 1 {
			inner := in
			if inner != "" {
				inner += "[]"
			}
			r.query(f.Args[0], inner, vars)
			return ""
		}
	}
	at := in
	for n, a := range f.Args {
		from := in
		if n == 1 && (f.Name == "any" || f.Name == "all") {
			from = at // the condition reads what the generator gives
		}
		at = r.query(a, from, vars)
	}
	switch {
	case !slices.Contains(sameInput, f.Name):
		return ""
	case f.Name == "first" || f.Name == "last" || f.Name == "limit":
		return at
	}
	return in
}

// read notes that a path is read, and returns it.
func (r *pathReader) read(path string) string {
	if path != "" {
		r.paths[path] = true
	}
	return path
}

// memberPath returns the path of a member, empty if that of the whole is.
func memberPath(at, name string) string {
	switch at {
	case "":
		return ""
	case ".":
		return "." + name
	}
	return at + "." + name
}

func shortened(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
