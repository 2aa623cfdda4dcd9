package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is a module or package of others that is in the program.
type part struct {
	Kind          string // golang or npm
	Name, Version string
	Licence       string // an SPDX identifier, if the part says it; empty otherwise
	dir           string // where it is on this machine
}

// readParts returns the parts of the program: the modules that its packages are from, and the npm packages that are
// bundled for browsers, in the order of their names.
func readParts(ctx context.Context) (parts []part, err error) {
	text, err := output(ctx, []string{"GOFLAGS="}, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/housecount")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) == 3 {
			parts = append(parts, part{Kind: "golang", Name: fields[0], Version: fields[1], dir: fields[2]})
		}
	}
	b, err := os.ReadFile("assets/package-lock.json")
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	for path, p := range lock.Packages {
		if name, ok := strings.CutPrefix(path, "node_modules/"); ok && !p.Dev {
			parts = append(parts, part{Kind: "npm", Name: name, Version: p.Version, Licence: p.License, dir: filepath.Join("assets", path)})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return slices.Compact(parts), nil
}

// licenceFile matches the names of files with the licence or the notices of a part.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([-.].*)?$`)

// licenceTexts returns the licences of Go's own library and of all parts. It fails if a part has none: such a part may
// not be published.
func licenceTexts(ctx context.Context, parts []part) ([]byte, error) {
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, err := output(ctx, nil, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var missing []error
	fmt.Fprintln(&b, "housecount contains the following, each under the licence below its name.")
	for _, p := range slices.Concat([]part{{Name: "Go", Version: version, dir: root}}, parts) {
		texts, err := licencesIn(p.dir)
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			missing = append(missing, fmt.Errorf("%s %s has no licence in %s", p.Name, p.Version, p.dir))
		}
		fmt.Fprintf(&b, "\n\n==== %s %s ====\n", p.Name, p.Version)
		for _, text := range texts {
			fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(text))
		}
	}
	return b.Bytes(), errors.Join(missing...)
}

// licencesIn returns the texts of a directory's files with a licence or notices.
func licencesIn(dir string) (texts [][]byte, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	}
	return texts, nil
}

// The parts of a CycloneDX document that are used here: https://cyclonedx.org/docs/1.6/json/
type (
	bill struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		URL      string    `json:"purl"`
		Licences []licence `json:"licenses,omitempty"`
	}
	licence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

// billOfMaterials returns the parts as a CycloneDX document.
func billOfMaterials(version string, parts []part) ([]byte, error) {
	self := "pkg:golang/housecount@" + version
	doc := bill{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{component{Type: "application", Ref: self, Name: "housecount", Version: version, URL: self}}}
	for _, p := range parts {
		address := fmt.Sprintf("pkg:%s/%s@%s", p.Kind, strings.ReplaceAll(p.Name, "@", "%40"), url.QueryEscape(p.Version))
		c := component{Type: "library", Ref: address, Name: p.Name, Version: p.Version, URL: address}
		if p.Licence != "" {
			var l licence
			l.Licence.ID = p.Licence
			c.Licences = []licence{l}
		}
		doc.Components = append(doc.Components, c)
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	return append(b, '\n'), err
}
