package probe_test

import (
	"slices"
	"strings"
	"testing"

	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

const comparedProfile = `
name: hall
base_url: https://tickets.example.com/api
streams:
  - name: shows
    path: shows
    list: result.rows
    query: {expand: all}
    since: {param: changed}
    gives: [event]
  - name: places
    path: shows/{key}/places
    over: shows
    gives: [ticket]
    records: '{id, event_id: $over.key, status: "valid"}'
  - name: money
    path: money
    method: POST
    gives: [payment]
`

// hallDocument describes shows and their places, without money.
const hallDocument = `
openapi: 3.0.3
info: {title: Hall, version: "1"}
servers: [{url: https://tickets.example.com/api}]
paths:
  /shows:
    get:
      parameters: [{name: expand, in: query, schema: {type: string}}]
      responses:
        "200":
          description: Shows.
          content: {application/json: {schema: {$ref: "#/components/schemas/Shows"}}}
  /shows/{show}/places:
    get:
      responses: {"200": {description: Places., content: {application/json: {schema: {type: array, items: {type: object}}}}}}
  /money:
    get:
      responses: {"200": {description: Money.}}
components:
  schemas:
    Shows:
      type: object
      properties: {result: {type: object, properties: {rows: {type: array, items: {$ref: "#/components/schemas/Show"}}}}}
    Show:
      allOf:
        - {type: object, properties: {id: {type: string}, title: {type: string}, date: {type: string}}}
        - {type: object, properties: {starts_at: {type: string}, capacity: {type: integer}, within: {$ref: "#/components/schemas/Show"}}}
`

func compared(t *testing.T, text, document string) (report []string) {
	t.Helper()
	p, err := profile.Parse("hall.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	differences, err := probe.Compare(p, []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		lost := ""
		if d.Lost {
			lost = " (lost)"
		}
		report = append(report, d.Stream+": "+d.Text+lost)
	}
	return report
}

func TestCompare(t *testing.T) {
	keeping := strings.Replace(comparedProfile, "gives: [event]", "keep: '{key: .id}'\n    gives: [event]", 1)
	got := strings.Join(compared(t, keeping, hallDocument), "\n")
	for _, want := range []string{
		"shows: /shows has no parameter changed",
		"shows: its rows have no available, doors_at, ends_at, interval_starts_at, interval_ends_at, hall, series_id, unlimited, ",
		"money: /money has no POST (lost)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, unwanted := range []string{"expand", " starts_at", "no id", "title"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("%q in\n%s", unwanted, got)
		}
	}
	elsewhere := strings.NewReplacer("/shows", "/productions", "result:", "answer:").Replace(hallDocument)
	got = strings.Join(compared(t, keeping, elsewhere), "\n")
	if !strings.Contains(got, "shows: the document has no path like shows (lost)") {
		t.Errorf("got\n%s", got)
	}
	got = strings.Join(compared(t, strings.Replace(keeping, "result.rows", "rows", 1), hallDocument), "\n")
	if !strings.Contains(got, "shows: /shows: the answer has no rows") {
		t.Errorf("got\n%s", got)
	}
}

// A schema that refers to itself is visited once.
func TestCompareWithSchemasOfThemselves(t *testing.T) {
	of := strings.Repeat(`{$ref: "#/components/schemas/Show"}, `, 30)
	document := strings.Replace(hallDocument, "    Show:\n      allOf:\n", "    Show:\n      allOf:\n        - {anyOf: ["+of+"]}\n", 1)
	keeping := strings.Replace(comparedProfile, "gives: [event]", "keep: '{key: .id}'\n    gives: [event]", 1)
	if got, want := compared(t, keeping, document), compared(t, keeping, hallDocument); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompareRefuses(t *testing.T) {
	p, err := profile.Builtin("default")
	if err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string]string{
		"":                     "no paths",
		"<html>":               "no OpenAPI 3 document",
		`{"openapi": "3.0.3"}`: "no paths",
		"swagger: '2.0'":       "no paths",
		"openapi: 3.0.3\npaths: {/x: {$ref: 'http://127.0.0.1:1/x.yaml'}}": "no OpenAPI 3 document",
	} {
		if _, err := probe.Compare(p, []byte(document)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", document, err, want)
		}
	}
}

// The default profile reads everything that our own document describes.
func TestCompareWithOurOwn(t *testing.T) {
	p, err := profile.Builtin("default")
	if err != nil {
		t.Fatal(err)
	}
	if differences, err := probe.Compare(p, record.OpenAPI()); err != nil || len(differences) > 0 {
		t.Errorf("%+v, %v", differences, err)
	}
}

// What jq programs read is compared as far as they name members; what could not be compared is said, so that nobody takes
// it for a yes. Any JSON is read, by whatever name it goes.
func TestCompareReads(t *testing.T) {
	const rules = `
name: hall
base_url: https://tickets.example.com
streams:
  - name: shows
    path: shows
    gives: [event]
    records: '. as $show | {id: .nr, title: .nam, starts_at: .times.begin, hall: .rooms[].label, capacity: .size, sold: $show.counts.sold}'
  - name: gates
    path: gates
    each_key: true
    gives: [scan]
    records: '{id: .key, ticket_id: .ticket, at: .at, direction: "entry"}'
  - name: odd
    path: odd
    gives: [event]
    records: 'def f: .x; {id: f, date: .day}'
`
	const document = `
openapi: 3.0.3
info: {title: Hall, version: "1"}
paths:
  /shows:
    get:
      responses: {"200": {description: x, content: {application/vnd.hall.v2+json: {schema: {type: array, items: {type: object, properties: {
        nr: {type: integer}, name: {type: string}, times: {type: object, properties: {begin: {type: string}}},
        rooms: {type: array, items: {type: object, properties: {label: {type: string}}}}, size: {type: integer}, counts: {type: object}}}}}}}}
  /gates:
    get:
      responses: {"200": {description: x, content: {application/hal+json: {schema: {type: object, additionalProperties: {type: object, properties: {ticket: {type: string}, at: {type: string}}}}}}}}
  /odd:
    get:
      responses: {"200": {description: x, content: {application/json: {schema: {type: array, items: {type: object, properties: {day: {type: string}}}}}}}}
`
	got := strings.Join(compared(t, rules, document), "\n")
	want := "shows: its programs read .nam, which its rows do not have\n" +
		"shows: the document does not describe .counts.sold; compare with a saved answer, by --sample\n" +
		"odd: its programs could not be followed in def f; compare with a saved answer, by --sample"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
