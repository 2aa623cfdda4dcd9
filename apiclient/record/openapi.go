package record

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var openapi []byte

// OpenAPI is the description of the service, OpenAPI 3.0 in YAML. Each operation and each
// property carries x-basis: "stated" where the service's own text tells of it and "chosen"
// where that leaves it open.
func OpenAPI() []byte { return slices.Clone(openapi) }
