package profile

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Parse parses a profile from YAML of at most 1 MiB. The error lists every fault, one per line in
// the order of the lines, as "file:line: fault; how to mend it". A profile cannot read files, the
// environment or the network.
func Parse(file string, data []byte) (*Profile, error) {
	f := &faults{file: file, lines: map[string]int{}, blocks: map[string]int{}, faulty: map[string]bool{}}
	p := &Profile{file: file}
	if body := parseYAML(f, data); body != nil {
		r := yamlReader{faults: f, anchors: map[string]ast.Node{}}
		r.read("", body, reflect.ValueOf(&p.Rules).Elem(), 0)
		p.check(f)
		p.compile(f)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	p.prepare()
	return p, nil
}

//go:embed builtin/*.yaml
var builtin embed.FS

// BuiltinNames returns the names of the built-in profiles, sorted.
func BuiltinNames() []string {
	names, _ := fs.Glob(builtin, "builtin/*.yaml") // fails only for a bad pattern
	for i, file := range names {
		names[i] = strings.TrimSuffix(path.Base(file), ".yaml")
	}
	return names
}

// Builtin returns the built-in profile called name. The one called default is for a service that
// uses our own records.
func Builtin(name string) (*Profile, error) {
	data, err := BuiltinSource(name)
	if err != nil {
		return nil, err
	}
	return Parse("builtin/"+name+".yaml", data)
}

// BuiltinSource returns the YAML of the built-in profile called name.
func BuiltinSource(name string) ([]byte, error) {
	data, err := builtin.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no profile %.60q; %s", name, knownWords(BuiltinNames()))
	}
	return data, nil
}

// compile creates the streams of the rules and compiles their programs.
func (p *Profile) compile(f *faults) {
	for i, rule := range p.Rules.Streams {
		at := fmt.Sprintf("streams[%d]", i)
		p.Streams = append(p.Streams, &Stream{
			StreamRule: rule, Profile: p,
			keep: f.program(at+".keep", rule.Keep), program: f.program(at+".records", rule.Records),
		})
	}
}
