package record_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"housecount/apiclient/record"
)

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(record.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOpenAPIIsValid(t *testing.T) {
	doc := document(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.0.") {
		t.Errorf("version %s", doc.OpenAPI)
	}
	basis := func(where string, extensions map[string]any) {
		if b := extensions["x-basis"]; b != "stated" && b != "chosen" {
			t.Errorf("%s: x-basis is %v", where, b)
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			basis(method+" "+path, op.Extensions)
		}
	}
	for name, schema := range doc.Components.Schemas {
		for property, of := range schema.Value.Properties {
			if of.Value.Extensions == nil && of.Ref != "" {
				t.Errorf("%s.%s: a bare reference has no x-basis", name, property)
				continue
			}
			basis(name+"."+property, of.Value.Extensions)
		}
	}
	var stated []string
	for property, of := range doc.Components.Schemas["Event"].Value.Properties {
		if of.Value.Extensions["x-basis"] == "stated" {
			stated = append(stated, property)
		}
	}
	slices.Sort(stated)
	if want := []string{"available", "date", "id", "title"}; !slices.Equal(stated, want) {
		t.Errorf("stated of an event: %v, want %v", stated, want)
	}
}

// TestOpenAPIDescribesOurRecords compares the fields of the record types with the document. The client
// drops a contact's personal data and the rest of the postal code.
func TestOpenAPIDescribesOurRecords(t *testing.T) {
	doc := document(t)
	dropped := []string{"name", "email", "phone", "postal_code"}
	for name, record := range map[string]any{
		"Event": record.Event{}, "Ticket": record.Ticket{}, "Payment": record.Payment{}, "Contact": record.Contact{},
		"Planning": record.Planning{}, "Money": record.Money{}, "TicketType": record.TicketType{},
		"TypeRef": record.TypeRef{}, "Scan": record.Scan{},
	} {
		var ours, theirs []string
		for field := range reflect.TypeOf(record).Fields() {
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "Contact" || tag != "postal_area" {
				ours = append(ours, tag)
			}
		}
		if name == "Contact" {
			ours = append(ours, dropped...)
		}
		for property := range doc.Components.Schemas[name].Value.Properties {
			theirs = append(theirs, property)
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%s:\nours   %v\ntheirs %v", name, ours, theirs)
		}
	}
}
