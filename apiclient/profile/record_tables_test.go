package profile

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"housecount/apiclient/record"
)

var writeTables = flag.Bool("tables", false, "write the manual's tables of the fields of records anew")

// manualChapter is the chapter that has a table of the fields of each record, between two of its headings.
const (
	manualChapter = "../../assets/manual/25-profile.md"
	tablesBegin   = "## The fields of the records\n"
	tablesEnd     = "## Words\n"
)

// schemas is the part of openapi.yaml that says what the fields are.
type schemas struct {
	Components struct {
		Schemas map[string]struct {
			Properties map[string]fieldStatement `yaml:"properties"`
		} `yaml:"schemas"`
	} `yaml:"components"`
}

type fieldStatement struct {
	Description string `yaml:"description"`
}

// recordSchemas are the records' names in openapi.yaml and in the manual.
var recordSchemas = []struct {
	kind         record.Kind
	schema, name string
}{
	{record.KindEvent, "Event", "A performance (`event`)"}, {record.KindTicket, "Ticket", "A ticket (`ticket`)"}, {record.KindPayment, "Payment", "A payment (`payment`)"},
	{record.KindScan, "", "A scan (`scan`)"}, {record.KindContact, "Contact", "A buyer (`contact`)"}, {record.KindPlanning, "Planning", "A plan (`planning`)"},
}

// forms are what a program gives for a form.
var forms = map[form]string{formText: "text", formID: "text or whole number", formMoney: "amount", formTime: "time", formDate: "day, 2006-01-02", formWord: "word", formNumber: "whole number", formBool: "true or false", formObject: "object"}

// The manual's tables of the fields of records are those of the code, with what openapi.yaml says of them. Run it with -tables to
// write them anew.
func TestManualHasTheFieldsOfRecords(t *testing.T) {
	var all schemas
	if err := yaml.Unmarshal(record.OpenAPI(), &all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprint(&b, tablesBegin, "\nWhat a program of `records` may give for each kind of record. Every record needs its `id`; what else is\n"+
		"missing costs the figures that need it. An order is no record: it is the `order_id` that its tickets and payments share.\n")
	for _, r := range recordSchemas {
		of := all.Components.Schemas[r.schema]
		fmt.Fprintf(&b, "\n### %s\n\n| Field | What it is | Form |\n|---|---|---|\n", r.name)
		for _, f := range shapes[r.kind].fields {
			about := strings.TrimSuffix(cmp.Or(furtherFields[string(r.kind)+"."+f.name], of.Properties[f.name].Description), ".")
			if about == "" {
				t.Errorf("nothing says what %s of %s is", f.name, r.kind)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, about, f.manualForm())
		}
	}
	want := b.String() + "\n"
	text, err := os.ReadFile(manualChapter)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := strings.Index(string(text), tablesBegin), strings.Index(string(text), tablesEnd)
	if begin < 0 || end < begin {
		t.Fatalf("%s has no %q before %q", manualChapter, tablesBegin, tablesEnd)
	}
	if got := string(text[begin:end]); got == want {
		return
	}
	if !*writeTables {
		t.Fatalf("the tables of %s are not those of the records: run this test with -tables", manualChapter)
	}
	if err := os.WriteFile(manualChapter, []byte(string(text[:begin])+want+string(text[end:])), 0o600); err != nil {
		t.Fatal(err)
	}
}

// manualForm returns in what form a program gives a field.
func (s *shape) manualForm() string {
	text := forms[s.form]
	switch {
	case s.words != "" && record.Vocabulary[s.words] != nil:
		text = "one of " + strings.Join(record.Vocabulary[s.words], ", ")
	case s.fields != nil:
		var names []string
		for _, f := range s.fields {
			names = append(names, "`"+f.name+"`")
		}
		text = "object of " + strings.Join(names, ", ")
	}
	if s.list {
		return "list of " + text
	}
	return text
}

// furtherFields are what fields are that the document of the service's API does not have, or that are something else there, by
// kind and name.
var furtherFields = map[string]string{
	"scan.id": "Identifier", "scan.ticket_id": "The ticket; left out where only the event is known, and then one person",
	"scan.event_id": "The event", "scan.at": "When it was scanned", "scan.direction": "Whether somebody came in or went out", "scan.gate": "Where",
	"event.id": "Identifier", "scan.result": "Left out or ok when let through; otherwise why not", "scan.undone": "It was taken back at the gate", "contact.postal_area": "Part of the postal code, where `postal_code` does not come",
	"contact.postal_code": "Postal code, of which the area alone is stored",
	"scan.updated_at":     "When it last changed", "scan.deleted": "It was taken back",
}
