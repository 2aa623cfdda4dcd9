package record

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var openapi []byte

// OpenAPI returns the description of the service, OpenAPI 3.0 in YAML. Each operation and property
// has x-basis: "stated" if the service's own documentation mentions it, "chosen" if it leaves it
// open.
func OpenAPI() []byte { return slices.Clone(openapi) }
