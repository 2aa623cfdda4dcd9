package sandbox

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// The API description as JSON and as a web page.
var jsonDocument = sync.OnceValues(func() ([]byte, error) { return yaml.YAMLToJSON(record.OpenAPI()) })

var htmlDocument = sync.OnceValues(func() ([]byte, error) { return readablePage(record.OpenAPI()) })

// documentRoutes adds the API description as YAML, JSON and a web page.
func (s *service) documentRoutes(mux *http.ServeMux) {
	asJSON, err := jsonDocument()
	page, pageErr := htmlDocument()
	serve := func(path, kind string, body []byte, err error) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if !idp.Allow(w, r, http.MethodGet, http.MethodHead) {
				return
			}
			if err != nil {
				idp.WriteError(w, err)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
			w.Write(body)
		})
	}
	serve("/openapi.yaml", "application/yaml", record.OpenAPI(), nil)
	serve("/openapi.json", "application/json", asJSON, err)
	serve("/docs", "text/html; charset=utf-8", page, pageErr)
	mux.Handle("/{$}", http.RedirectHandler("/docs", http.StatusSeeOther))
	mux.HandleFunc("/docs.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, documentPages, "pages/docs.css")
	})
}

// apiDocument is the part of the API description that the page shows.
type apiDocument struct {
	Info struct {
		Title       string `yaml:"title"`
		Version     string `yaml:"version"`
		Description string `yaml:"description"`
	} `yaml:"info"`
	Paths      yaml.MapSlice `yaml:"paths"`
	Components struct {
		Parameters map[string]apiParameter `yaml:"parameters"`
		Schemas    yaml.MapSlice           `yaml:"schemas"`
	} `yaml:"components"`
}

type apiOperation struct {
	Summary     string                `yaml:"summary"`
	Description string                `yaml:"description"`
	Basis       string                `yaml:"x-basis"`
	Parameters  []apiParameter        `yaml:"parameters"`
	Security    []map[string][]string `yaml:"security"`
}

type apiParameter struct {
	Ref         string `yaml:"$ref"`
	Name        string `yaml:"name"`
	In          string `yaml:"in"`
	Description string `yaml:"description"`
}

type apiSchema struct {
	Description string        `yaml:"description"`
	Required    []string      `yaml:"required"`
	Properties  yaml.MapSlice `yaml:"properties"`
}

type apiProperty struct {
	Type        string   `yaml:"type"`
	Format      string   `yaml:"format"`
	Enum        []string `yaml:"enum"`
	Description string   `yaml:"description"`
	Basis       string   `yaml:"x-basis"`
}

// documentPage is the data of the page template.
type documentPage struct {
	Title, Version string
	Paragraphs     []string
	Operations     []documentOperation
	Schemas        []documentSchema
}

type documentOperation struct {
	Method, Path, Scope string
	apiOperation
	Parameters []apiParameter
}

type documentSchema struct {
	Name, Description string
	Fields            []documentField
}

type documentField struct {
	Name     string
	Required bool
	apiProperty
}

//go:embed pages
var documentPages embed.FS

var documentTemplate = template.Must(template.ParseFS(documentPages, "pages/docs.html"))

// readablePage renders the description as a web page, in its original order.
func readablePage(text []byte) ([]byte, error) {
	var d apiDocument
	if err := yaml.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	p := documentPage{Title: d.Info.Title, Version: d.Info.Version, Paragraphs: strings.Split(strings.TrimSpace(d.Info.Description), "\n\n")}
	for _, path := range d.Paths {
		var methods yaml.MapSlice
		if err := convert(path.Value, &methods); err != nil {
			return nil, err
		}
		for _, method := range methods {
			name := method.Key.(string)
			if !slices.Contains([]string{"get", "post", "patch"}, name) {
				continue
			}
			o := documentOperation{Method: strings.ToUpper(name), Path: path.Key.(string)}
			if err := convert(method.Value, &o.apiOperation); err != nil {
				return nil, err
			}
			for _, x := range o.apiOperation.Parameters {
				if x.Ref != "" {
					x = d.Components.Parameters[strings.TrimPrefix(x.Ref, "#/components/parameters/")]
				}
				o.Parameters = append(o.Parameters, x)
			}
			for _, way := range o.Security {
				for _, scopes := range way {
					if len(scopes) > 0 {
						o.Scope = scopes[0]
					}
				}
			}
			p.Operations = append(p.Operations, o)
		}
	}
	for _, x := range d.Components.Schemas {
		var schema apiSchema
		if err := convert(x.Value, &schema); err != nil {
			return nil, err
		}
		of := documentSchema{Name: x.Key.(string), Description: schema.Description}
		for _, property := range schema.Properties {
			f := documentField{Name: property.Key.(string)}
			if err := convert(property.Value, &f.apiProperty); err != nil {
				return nil, err
			}
			f.Required = slices.Contains(schema.Required, f.Name)
			of.Fields = append(of.Fields, f)
		}
		if len(of.Fields) > 0 {
			p.Schemas = append(p.Schemas, of)
		}
	}
	var b bytes.Buffer
	err := documentTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// convert decodes a part of the description into a struct.
func convert(part, into any) error {
	text, err := yaml.Marshal(part)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}
