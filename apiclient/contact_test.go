package apiclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// No personal data but the postal area gets past the client.
func TestContactsHaveNoPersonalData(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/contacts" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.Write(pageOf(
			`{"id":"con_1","name":"Piet Jansen","email":"piet@jansen.test","phone":"+31 6 12345678","postal_code":"1012 AB","city":"Amsterdam","country":"NL",
			  "types":["subscriber","friend"],"opt_in":true,"created_at":"2026-11-21T20:00:00+01:00","updated_at":"2026-11-21T20:00:00Z","test":true}`,
			`{"id":"con_2","postal_code":" SW1A 1AA","opt_in":false}`,
			`{"id":"con_3","postal_code":"2é€4-secret"}`,
			`{"id":"con_4","postal_area":"9711 secret","deleted":true}`,
			`{"id":"con_5","postal_code":"12","opt_in":null}`,
			`{"id":"con_6","postal_code":null,"name":{"first":"Piet","last":"Jansen"}}`,
		))
	}, apiclient.Options{})
	g := gather(readContacts(t.Context(), c, apiclient.Query{EventID: "does not apply"}))
	if g.err != nil || len(g.refused) > 0 || len(g.records) != 6 {
		t.Fatalf("%d records, refused %v, %v", len(g.records), g.refused, g.err)
	}
	var areas []string
	for _, r := range g.records {
		areas = append(areas, r.PostalArea)
		stored, _ := json.Marshal(r)
		for _, private := range []string{"Piet", "Jansen", "jansen", "12345678", "AB", "1AA", "secret"} {
			if strings.Contains(string(stored), private) || strings.Contains(fmt.Sprintf("%+v", r), private) {
				t.Errorf("%s keeps %q", stored, private)
			}
		}
		// The stored form decodes to the same record.
		again, err := apiclient.DecodeContacts(pageOf(string(stored)))
		if err != nil || len(again.Records) != 1 || !reflect.DeepEqual(again.Records[0], r) {
			t.Errorf("%s comes back as %+v, %v", stored, again, err)
		}
	}
	if want := []string{"1012", "SW1A", "2é€4", "", "12", ""}; !slices.Equal(areas, want) {
		t.Errorf("areas %q, want %q", areas, want)
	}
	first := g.records[0]
	if first.City != "Amsterdam" || first.Country != "NL" || !slices.Equal(first.Types, []string{"friend", "subscriber"}) || first.OptIn == nil || !*first.OptIn ||
		!first.Test || !first.CreatedAt.Equal(time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)) || first.CreatedAt.Location() != time.UTC {
		t.Errorf("got %+v", first)
	}
	if second := g.records[1]; second.OptIn == nil || *second.OptIn || g.records[4].OptIn != nil || !g.records[3].Deleted {
		t.Errorf("got %+v", second)
	}
}

func TestInvalidContactsAreRefused(t *testing.T) {
	for row, want := range map[string]string{
		`{"name":"Piet"}`:                                    `id is missing`,
		`{"id":"con_1","postal_code":1012}`:                  `postal_code is a number, not a string`,
		`{"id":"con_1","opt_in":"piet@jansen.test"}`:         `opt_in is a string, not true or false`,
		`{"id":"con_1","types":"piet"}`:                      `types is a string, not an array`,
		`{"id":"con_1","updated_at":"1803-01-01T0:0:0"}`:     `updated_at is no RFC 3339 time`,
		`{"id":"con_1","created_at":"9999-01-01T00:00:00Z"}`: `created_at is in the year 9999`,
		`"piet@jansen.test"`:                                 `is not an object`,
		`{"id":"con_1","types":[` + strings.TrimSuffix(strings.Repeat(`"",`, 10_001), ",") + `]}`: `types has more than 10000 entries`,
	} {
		d, err := apiclient.DecodeContacts(pageOf(row, `{"id":"con_2"}`))
		if err != nil || len(d.Records) != 1 || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Error(), want) || strings.Contains(d.Refused[0].Error(), "jansen") {
			t.Errorf("%.60s: %+v, %v; want %q", row, d, err, want)
		}
	}
}

// A service that calls its contacts relations is explored once.
func TestRelations(t *testing.T) {
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		if r.URL.Path != "/v2/relations" {
			http.NotFound(w, r)
			return
		}
		w.Write(pageOf(`{"id":"con_1"}`))
	}, apiclient.Options{})
	for range 2 {
		if g := gather(readContacts(t.Context(), c, using(c, "contacts", apiclient.Query{}))); g.err != nil || len(g.records) != 1 {
			t.Fatal(g.err)
		}
	}
	gather(readPlanning(t.Context(), c, apiclient.Query{})).failure(t, apiclient.NotOffered)
	if want := []string{"/v2/contacts", "/v2/relations", "/v2/relations", "/v2/planning", "/api/v2/planning"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestPlanning(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/planning" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.Write(pageOf(
			`{"id":"pln_1","event_id":"evt_1","kind":"Build-up","title":"Stage\u0000","starts_at":"2026-11-21T10:00:00+01:00","ends_at":"2026-11-21T18:00:00Z","location":"Main",
			  "status":"Canceled","expected_visitors":0,"capacity":800,"budget_revenue":{"amount":1000000,"currency":"eur"},"budget_marketing":{"amount":50000,"currency":"EUR"}}`,
			`{"id":"pln_2","event_id":"evt_2","kind":"feast","status":"maybe"}`,
			`{"id":"pln_3","event_id":"evt_1","expected_visitors":-1}`,
			`{"id":"pln_4"}`,
		))
	}, apiclient.Options{})
	g := gather(readPlanning(t.Context(), c, apiclient.Query{}))
	if g.err != nil || !slices.Equal(g.ids(), []string{"pln_1", "pln_2", "pln_4"}) || len(g.refused) != 1 || g.refused[0].Field != "expected_visitors" {
		t.Fatalf("%v, refused %v, %v", g.ids(), g.refused, g.err)
	}
	p := g.records[0]
	if p.Kind != "build_up" || p.Status != "cancelled" || p.Title != "Stage\ufffd" || p.StartsAt != time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) ||
		p.ExpectedVisitors == nil || *p.ExpectedVisitors != 0 || p.Capacity == nil || p.BudgetRevenue == nil || p.BudgetRevenue.Currency != "EUR" ||
		p.RecordKind() != record.KindPlanning {
		t.Errorf("got %+v", p)
	}
	if p := g.records[2]; p.ExpectedVisitors != nil || p.Capacity != nil || p.BudgetRevenue != nil {
		t.Errorf("what was not told is %+v", p)
	}
}

// A title of 10 MB refuses its row. Ids with path characters are data and are only sent as
// parameters.
func TestUnreasonableTexts(t *testing.T) {
	id := "../../admin?x=1#/%2e%2e"
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.FormValue("event_id"))
		if strings.HasSuffix(r.URL.Path, "events") {
			w.Write(pageOf(`{"id":"evt_1","date":"2026-11-21","title":"`+strings.Repeat("x", 10<<20)+`"}`, eventRow(2, strings.Repeat("y", 1<<19)),
				fmt.Sprintf(`{"id":%q,"date":"2026-11-21"}`, id)))
			return
		}
		w.Write(pageOf(fmt.Sprintf(`{"id":"tkt_1","event_id":%q}`, id)))
	}, apiclient.Options{})
	g := gather(readEvents(t.Context(), c, apiclient.Query{}))
	if g.err != nil || !slices.Equal(g.ids(), []string{"evt_2", id}) || len(g.refused) != 1 || !strings.Contains(g.refused[0].Why.String(), "larger than") || len(g.refused[0].Error()) > 300 {
		t.Fatalf("%q, %v, %v", g.ids(), g.refused, g.err)
	}
	if n := len([]rune(g.records[0].Title)); n != 500 {
		t.Errorf("a title of %d", n)
	}
	if g := gather(readTickets(t.Context(), c, apiclient.Query{EventID: id})); g.err != nil || len(g.records) != 1 {
		t.Errorf("%d records, %v", len(g.records), g.err)
	}
	if want := []string{"/v2/events ", "/v2/tickets " + id}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
