package probe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"

	"github.com/getkin/kin-openapi/openapi3"
)

// Difference is one thing in a profile that the service's document does not have.
type Difference struct {
	Stream string
	Text   string
	// Lost reports that the stream cannot be read; otherwise some of its data may be missing.
	Lost bool
}

// maxDocument is the largest OpenAPI document, in bytes.
const maxDocument = 16 << 20

// Compare checks a profile against the service's own OpenAPI 3 document in JSON or YAML: whether
// the lists exist, accept the parameters that are sent, and have rows with the fields that are
// read, also by a jq program as far as it names members. What could not be compared is a Difference
// too. It follows no external references.
func Compare(p *profile.Profile, document []byte) ([]Difference, error) {
	if len(document) > maxDocument {
		return nil, fmt.Errorf("the document is larger than %d bytes", maxDocument)
	}
	doc, err := openapi3.NewLoader().LoadFromData(document)
	switch {
	case err != nil:
		return nil, fmt.Errorf("this is no OpenAPI 3 document: %w", err)
	case doc.Paths == nil || doc.Paths.Len() == 0:
		return nil, errors.New("the document has no paths: give an OpenAPI 3 document")
	}
	var all []Difference
	for _, s := range p.Streams {
		for _, d := range compareStream(s, doc) {
			d.Stream = s.Name
			all = append(all, d)
		}
	}
	return all, nil
}

// compareStream checks a stream against a document.
func compareStream(s *profile.Stream, doc *openapi3.T) (all []Difference) {
	differs := func(lost bool, format string, a ...any) {
		all = append(all, Difference{Lost: lost, Text: fmt.Sprintf(format, a...)})
	}
	method := cmp.Or(s.Method, http.MethodGet)
	path, item := findPath(s, doc)
	if item == nil {
		differs(true, "the document has no path like %s", paths(s)[0])
		return all
	}
	op := item.GetOperation(method)
	if op == nil {
		differs(true, "%s has no %s", path, method)
		return all
	}
	takes := map[string]bool{}
	for _, params := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range params {
			if p.Value != nil && p.Value.In == openapi3.ParameterInQuery {
				takes[p.Value.Name] = true
			}
		}
	}
	for _, name := range sentParams(s) {
		if !takes[name] {
			differs(false, "%s has no parameter %s", path, name)
		}
	}
	row, problem := rowSchema(s, op)
	switch {
	case problem != "":
		differs(false, "%s: %s", path, problem)
	case s.Records == "" && len(s.Gives) == 1:
		if missing := missingFields(s.Gives[0], row); len(missing) > 0 {
			differs(false, "its rows have no %s", strings.Join(missing, ", "))
		}
	case s.Records != "" || s.Keep != "":
		for _, text := range compareReads(s, row) {
			differs(false, "%s", text)
		}
	}
	return all
}

// paths returns the paths at which the stream may be, the profile's main one first.
func paths(s *profile.Stream) (all []string) {
	prefixes := s.Profile.Prefixes
	if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	for _, path := range append([]string{s.Path}, s.Alternatives...) {
		for _, prefix := range prefixes {
			all = append(all, strings.Trim(strings.Trim(prefix, "/")+"/"+strings.Trim(path, "/"), "/"))
		}
	}
	return all
}

// findPath finds the stream among the document's paths. The start of the path may be in the
// document's servers or in the profile's address.
func findPath(s *profile.Stream, doc *openapi3.T) (string, *openapi3.PathItem) {
	servers := []string{""}
	for _, server := range doc.Servers {
		if u, err := url.Parse(server.URL); err == nil {
			servers = append(servers, u.Path)
		}
	}
	ours := []string{""}
	if u, err := url.Parse(s.Profile.BaseURL); err == nil {
		ours = append(ours, u.Path)
	}
	for _, base := range ours {
		for _, place := range paths(s) {
			if path, item := lookUp(doc, servers, base+"/"+place); item != nil {
				return path, item
			}
		}
	}
	return "", nil
}

func lookUp(doc *openapi3.T, servers []string, place string) (string, *openapi3.PathItem) {
	want := segments(place)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for _, server := range servers {
			if slices.EqualFunc(want, segments(server+"/"+path), sameSegment) {
				return path, doc.Paths.Value(path)
			}
		}
	}
	return "", nil
}

func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// sameSegment compares a segment of our path with one of the document, where a parameter matches
// anything.
func sameSegment(ours, theirs string) bool {
	return ours == theirs || strings.HasPrefix(theirs, "{")
}

// sentParams returns the names of the parameters that are sent, sorted.
func sentParams(s *profile.Stream) []string {
	names := map[string]bool{s.Since.Param: true, s.ByEvent: true, s.Paging.Param: true, s.Paging.SizeParam: true}
	for _, query := range []map[string]string{s.Query, s.Full, s.Changes} {
		for name := range query {
			names[name] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// rowSchema returns the schema of a row; problem says why there is none.
func rowSchema(s *profile.Stream, op *openapi3.Operation) (rowSchema *openapi3.Schema, problem string) {
	if op.Responses == nil || op.Responses.Status(http.StatusOK) == nil || op.Responses.Status(http.StatusOK).Value == nil {
		return nil, "no answer 200 is described"
	}
	answer := jsonSchema(op.Responses.Status(http.StatusOK).Value.Content)
	if answer == nil {
		return nil, "no JSON is described for the answer 200"
	}
	switch {
	case s.List == ".", s.Format == profile.FormatLines:
		return answer, ""
	case s.EachKey && s.List == "":
		return eachSchema(answer)
	}
	list := answer
	if s.List != "" {
		for _, name := range strings.Split(s.List, ".") {
			if list = properties(list)[name]; list == nil {
				return nil, "the answer has no " + s.List
			}
		}
	} else if !answer.Type.Is(openapi3.TypeArray) {
		inside := properties(answer)
		for _, name := range profile.ListNames {
			if list = inside[name]; list != nil {
				break
			}
		}
		if list == nil {
			return nil, "the answer has no list with a usual name; say where it is in list"
		}
	}
	if s.EachKey {
		return eachSchema(list)
	}
	if !list.Type.Is(openapi3.TypeArray) || list.Items == nil || list.Items.Value == nil {
		return nil, "what stands in the place of the list is not described as an array"
	}
	return list.Items.Value, ""
}

// jsonSchema returns the schema of the JSON among the media types of a response: application/json, else the first that
// is JSON by its name. It is nil if there is none.
func jsonSchema(content openapi3.Content) *openapi3.Schema {
	types := slices.Sorted(maps.Keys(content))
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(b2i(!isPlainJSON(a)), b2i(!isPlainJSON(b))) })
	for _, name := range types {
		plain := strings.TrimSpace(strings.ToLower(strings.Split(name, ";")[0]))
		isJSON := isPlainJSON(name) || strings.HasSuffix(plain, "+json") || strings.HasSuffix(plain, "json")
		if media := content[name]; isJSON && media != nil && media.Schema != nil && media.Schema.Value != nil {
			return media.Schema.Value
		}
	}
	return nil
}

func isPlainJSON(media string) bool {
	return strings.HasPrefix(strings.ToLower(media), "application/json")
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// eachSchema returns the schema of the members of an object each of whose members is a row.
func eachSchema(s *openapi3.Schema) (*openapi3.Schema, string) {
	if of := s.AdditionalProperties.Schema; of != nil && of.Value != nil {
		return of.Value, ""
	}
	return nil, "the members of the object, which are the rows, are not described"
}

// compareReads returns what the programs of a stream read that its rows do not have, and what could not be compared.
func compareReads(s *profile.Stream, row *openapi3.Schema) (texts []string) {
	paths, unclear := s.Reads()
	var missing, undescribed []string
	for _, path := range paths {
		switch has, described := hasPath(row, path); {
		case s.EachKey && path == ".key":
		case !described:
			undescribed = append(undescribed, path)
		case !has:
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		texts = append(texts, "its programs read "+strings.Join(missing, ", ")+", which its rows do not have")
	}
	if len(undescribed) > 0 {
		texts = append(texts, "the document does not describe "+strings.Join(undescribed, ", ")+"; compare with a saved answer, by --sample")
	}
	if len(unclear) > 0 {
		texts = append(texts, "its programs could not be followed in "+strings.Join(unclear, "; ")+"; compare with a saved answer, by --sample")
	}
	return texts
}

// hasPath reports whether a row has a path such as .seats[].price, and whether the document describes what would hold it.
func hasPath(row *openapi3.Schema, path string) (has, described bool) {
	at := row
	for _, step := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		name, lists := step, 0
		for ; strings.HasSuffix(name, "[]"); lists++ {
			name = strings.TrimSuffix(name, "[]")
		}
		members := properties(at)
		if name != "" {
			next, ok := members[name]
			if !ok {
				return false, len(members) > 0
			}
			at = next
		}
		for ; lists > 0; lists-- {
			if at == nil || at.Items == nil || at.Items.Value == nil {
				return false, false
			}
			at = at.Items.Value
		}
	}
	return true, true
}

// properties returns the properties of a schema and of the schemas that it is composed of.
func properties(s *openapi3.Schema) map[string]*openapi3.Schema {
	all := map[string]*openapi3.Schema{}
	seen := map[*openapi3.Schema]bool{nil: true} // a schema may contain itself
	var add func(s *openapi3.Schema)
	add = func(s *openapi3.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
			add(part.Value)
		}
		for name, ref := range s.Properties {
			all[name] = ref.Value
		}
	}
	add(s)
	return all
}

// missingFields returns the fields of our records that the service's rows do not have.
func missingFields(kind record.Kind, row *openapi3.Schema) (missing []string) {
	have := properties(row)
	if have["postal_code"] != nil {
		have["postal_area"] = have["postal_code"]
	}
	for _, name := range profile.Fields(kind) {
		if have[name] == nil && name != "test" && name != "deleted" && name != "undated" { // optional: false when missing
			missing = append(missing, name)
		}
	}
	return missing
}
