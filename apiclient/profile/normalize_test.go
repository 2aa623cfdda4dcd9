package profile_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// normalizing returns a profile of one stream of that kind, without a program.
func normalizing(t testing.TB, kind record.Kind, rules string) *profile.Profile {
	t.Helper()
	return parsed(t, fmt.Sprintf("name: test\n%s\nstreams:\n  - {name: rows, path: rows, gives: [%s]}\n", rules, kind))
}

// An event without a date has that of its curtain, in its zone.
func TestNormalizeEventDate(t *testing.T) {
	const zoned = "time: {zone: Europe/Amsterdam, formats: [rfc3339, '2006-01-02 15:04']}"
	tests := []struct{ rules, row, want string }{
		{zoned, `{"id":"e","starts_at":"2026-11-21T23:30:00Z"}`, "2026-11-22"},
		{zoned, `{"id":"e","date":null,"starts_at":"2026-11-21T23:30:00Z"}`, "2026-11-22"},
		{zoned, `{"id":"e","date":"2026-11-20","starts_at":"2026-11-21T23:30:00Z"}`, "2026-11-20"},
		{zoned, `{"id":"e","starts_at":"2026-11-21T23:30:00Z","timezone":"America/New_York"}`, "2026-11-21"},
		{zoned, `{"id":"e","starts_at":"2026-11-21 00:30"}`, "2026-11-21"},
		{"words: {event.status: {live: on_sale}}", `{"id":"e","starts_at":"2026-11-21T00:30:00+01:00"}`, "2026-11-21"},
	}
	for _, test := range tests {
		got := normalizing(t, record.KindEvent, test.rules).MapRow("rows", test.row, nil, nil)
		if len(got.Records) != 1 || got.Records[0].(*record.Event).Date != test.want {
			t.Errorf("%s: got %+v", test.row, got)
		}
	}
	for row, field := range map[string]string{`{"id":"e"}`: "date", `{"id":"e","starts_at":null}`: "date", `{"id":"e","starts_at":"x"}`: "starts_at"} {
		got := normalizing(t, record.KindEvent, zoned).MapRow("rows", row, nil, nil)
		if len(got.Refused) != 1 || got.Refused[0].Field != field {
			t.Errorf("%s: got %+v", row, got)
		}
	}
}

// Ids are strings; integers are converted.
func TestNormalizeIDs(t *testing.T) {
	p := parsed(t, `
name: test
streams:
  - {name: rows, path: rows, gives: [event, ticket, payment, contact, planning, scan], records: .}
`)
	one := record.Money{Amount: 1, Currency: "EUR"}
	tests := []struct {
		row  string
		want record.Record
	}{
		{`{"record":"event","id":1,"date":"2026-11-21","series_id":2,"ticket_types":[{"id":3,"name":"a"}]}`,
			&record.Event{ID: "1", Date: "2026-11-21", Series: "2", TicketTypes: []record.TicketType{{ID: "3", Name: "a"}}}},
		{`{"record":"ticket","id":1,"event_id":-2,"order_id":3,"contact_id":4,"type":{"id":5}}`,
			&record.Ticket{ID: "1", EventID: "-2", OrderID: "3", ContactID: "4", Type: record.TypeRef{ID: "5"}}},
		{`{"record":"payment","id":1,"event_id":2,"order_id":3,"parent_id":4,"contact_id":5,"ticket_ids":[6,"7"],"amount":{"amount":1,"currency":"EUR"}}`,
			&record.Payment{ID: "1", EventID: "2", OrderID: "3", ParentID: "4", ContactID: "5", TicketIDs: []string{"6", "7"}, Amount: one}},
		{`{"record":"contact","id":123456789012345678901234567890,"postal_code":"1012 AB"}`, &record.Contact{ID: "123456789012345678901234567890", PostalArea: "1012"}},
		{`{"record":"planning","id":1,"event_id":null,"title":"x"}`, &record.Planning{ID: "1", Title: "x"}},
		{`{"record":"scan","id":1,"ticket_id":2,"direction":"in"}`, &record.TicketScan{ID: "1", TicketID: "2", Scan: record.Scan{Direction: record.Entry}}},
	}
	for _, test := range tests {
		if got := p.MapRow("rows", test.row, nil, nil); !reflect.DeepEqual(got.Records, []record.Record{test.want}) {
			t.Errorf("%s: got %+v", test.row, got)
		}
	}
	for id, why := range map[string]string{
		"23.0": "is the number 23.0, neither a text nor an integer", "1e3": "is the number 1e3, neither a text nor an integer",
		"true": "is true or false, not a string", "[1]": "is an array, not a string", "null": "is missing",
	} {
		got := p.MapRow("rows", `{"record":"ticket","id":"t","event_id":`+id+`}`, nil, nil)
		if len(got.Refused) != 1 || got.Refused[0].Field != "event_id" || got.Refused[0].Why.String() != why || got.Refused[0].ID != "t" {
			t.Errorf("%s: got %+v", id, got)
		}
	}
}

// An id computed as a float is refused.
func TestNormalizeComputedIDs(t *testing.T) {
	p := program(t, `{id: (.n + 1), date: "2026-11-21"}`)
	if got := p.MapRow("rows", `{"n":22}`, nil, nil); len(got.Records) != 1 || got.Records[0].RecordID() != "23" {
		t.Errorf("got %+v", got)
	}
	if got := p.MapRow("rows", `{"n":22.0}`, nil, nil); len(got.Refused) != 1 || got.Refused[0].Field != "id" {
		t.Errorf("got %+v", got)
	}
}

// The profile's words come first, then our own synonyms; an unknown word stays.
func TestNormalizeWords(t *testing.T) {
	p := normalizing(t, record.KindTicket, "words: {ticket.status: {Attending: valid, \"9\": void, true: refunded, canceled: refunded}, scan.direction: {check-in: entry}}")
	for report, want := range map[string]record.TicketStatus{
		`"attending"`: "valid", `" ATTENDING "`: "valid", `9`: "void", `"9"`: "void", `true`: "refunded",
		`"canceled"`: "refunded", `"voided"`: "void", `"deferred"`: "deferred", `null`: "", `""`: "",
	} {
		got := p.MapRow("rows", `{"id":"t","event_id":"e","status":`+report+`,"scans":[{"at":"2026-11-21T20:00:00Z","direction":"CHECK-IN"}]}`, nil, nil)
		if len(got.Records) != 1 {
			t.Errorf("%s: got %v", report, got.Refused)
			continue
		}
		if k := got.Records[0].(*record.Ticket); k.Status != want || len(k.Scans) != 1 || k.Scans[0].Direction != record.Entry {
			t.Errorf("%s: got %+v", report, k)
		}
	}
	if got := p.MapRow("rows", `{"id":"t","event_id":"e","status":10}`, nil, nil); len(got.Refused) != 1 || got.Refused[0].Why.String() != "is a number, not a string" {
		t.Errorf("got %+v", got)
	}
}

// Without a program unknown members are ignored.
func TestNormalizeRowsAsTheyAre(t *testing.T) {
	p := normalizing(t, record.KindTicket, "money: {unit: major, currency: EUR}")
	got := p.MapRow("rows", `{"id":5,"event_id":"e","fee":1.5,"owner":{"name":"x"},"record":"order","type":{"id":1,"name":"a","colour":"red"}}`, nil, nil)
	want := []record.Record{&record.Ticket{ID: "5", EventID: "e", Type: record.TypeRef{ID: "1", Name: "a"}, Fee: &record.Money{Amount: 150, Currency: "EUR"}}}
	if !reflect.DeepEqual(got.Records, want) || got.ID != "5" {
		t.Errorf("got %+v", got)
	}
}

// fullTickets returns tickets as the service writes them.
func fullTickets(t testing.TB, n int) (rows []json.RawMessage) {
	t.Helper()
	at := time.Date(2026, 11, 21, 18, 40, 0, 0, time.UTC)
	for i := range n {
		text, err := json.Marshal(record.Ticket{
			ID: fmt.Sprintf("tkt_%08d", i), EventID: fmt.Sprintf("evt_%04d", i%40), OrderID: fmt.Sprintf("ord_%08d", i/2),
			ContactID: fmt.Sprintf("con_%08d", i/3), Type: record.TypeRef{ID: "typ_1", Name: "Regular"},
			Quantity: new(1), Price: &record.Money{Amount: 2450, Currency: "EUR"}, Fee: &record.Money{Amount: 150, Currency: "EUR"},
			Status: record.TicketValid, Scans: []record.Scan{{At: at, Gate: "Main", Direction: record.Entry, Result: "ok"}},
			Seat: "Row 4 seat 12", Channel: "web", CreatedAt: at.Add(-48 * time.Hour), SoldAt: at.Add(-47 * time.Hour), UpdatedAt: at,
		})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, text)
	}
	return rows
}

// Our own records pass unchanged through a program or a setting that changes nothing.
func TestNormalizeChangesNothingOfOurOwn(t *testing.T) {
	plain := normalizing(t, record.KindTicket, "")
	set := normalizing(t, record.KindTicket, "money: {unit: minor, currency: EUR}")
	asItIs := parsed(t, "name: a\nstreams:\n  - {name: rows, path: rows, gives: [ticket], records: .}\n")
	for _, row := range fullTickets(t, 3) {
		want := plain.MapRow("rows", string(row), nil, nil)
		if len(want.Records) != 1 {
			t.Fatal(want.Refused)
		}
		for _, p := range []*profile.Profile{set, asItIs} {
			if got := p.MapRow("rows", string(row), nil, nil); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		}
	}
}

// The reason of a refusal contains no value that may be personal data.
func TestNormalizeQuotesNoValue(t *testing.T) {
	for _, rules := range []string{"money: {unit: minor}", "money: {unit: major}"} {
		p := normalizing(t, record.KindTicket, rules)
		for _, member := range []string{`"sold_at":%s`, `"price":{"amount":%s,"currency":"EUR"}`, `"price":{"amount":1,"currency":%s}`, `"quantity":%s`, `"scans":%s`} {
			row := fmt.Sprintf(`{"id":"t","event_id":"e",`+member+`}`, `"Jan Jansen"`)
			got := p.MapRow("rows", row, nil, nil)
			if len(got.Refused) > 0 && strings.Contains(strings.ToLower(got.Refused[0].Why.String()), "jan") || len(got.Refused) == 0 {
				t.Errorf("%s: %+v", row, got)
			}
		}
	}
}
