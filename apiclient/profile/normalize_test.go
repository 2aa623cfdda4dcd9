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

// normalizing is a profile of one stream of that kind, without a program.
func normalizing(t testing.TB, kind record.Kind, rules string) *profile.Profile {
	t.Helper()
	return parsed(t, fmt.Sprintf("name: test\n%s\nstreams:\n  - {name: rows, path: rows, gives: [%s]}\n", rules, kind))
}

// Money is read exactly, in the profile's unit, and never without a currency.
func TestNormalizeMoney(t *testing.T) {
	const (
		minor   = "money: {unit: minor, currency: EUR}"
		bare    = "money: {unit: minor}\nwords: {ticket.status: {p: valid}}"
		major   = "money: {unit: major, currency: EUR}"
		rounded = "money: {unit: major, currency: EUR, rounding: half_even}"
	)
	tests := []struct {
		rules, price, more string
		want               int64
		currency           string
		why                string
	}{
		{rules: minor, price: `2450`, want: 2450, currency: "EUR"},
		{rules: minor, price: `"2450"`, want: 2450, currency: "EUR"},
		{rules: minor, price: `0`, want: 0, currency: "EUR"},
		{rules: minor, price: `{"amount":2450,"currency":"usd"}`, want: 2450, currency: "USD"},
		{rules: minor, price: `{"value":"2450"}`, want: 2450, currency: "EUR"},
		{rules: minor, price: `{"value":2450,"currency":"","display":"EUR 24.50"}`, want: 2450, currency: "EUR"},
		{rules: minor, price: `24.50`, why: `is "24.50", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: minor, price: `25.00`, why: `is "25.00", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: minor, price: `1e3`, why: `is "1e3", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: bare, price: `2450`, why: "says no currency; set money.currency"},
		{rules: bare, price: `2450`, more: `,"currency":"sek"`, want: 2450, currency: "SEK"},
		{rules: bare, price: `{"amount":1,"currency":"EUR"}`, more: `,"currency":"sek"`, want: 1, currency: "EUR"},
		{rules: bare, price: `2450`, more: `,"currency":""`, why: "says no currency; set money.currency"},
		{rules: bare, price: `{"amount":1,"currency":""}`, more: `,"currency":"sek"`, want: 1, currency: "SEK"},
		{rules: bare, price: `2450`, more: `,"currency":7`, why: "has a currency that is no text"},
		{rules: bare, price: `2450`, more: `,"currency":"EURO"`, why: `has a text of 4 characters like aaaa for its currency, which is not three letters`},
		{rules: bare, price: `{"amount":1,"currency":"XYZ"}`, want: 1, currency: "XYZ"},
		{rules: minor, price: `{"currency":"EUR"}`, why: "says no amount"},
		{rules: minor, price: `{"amount":null,"currency":"EUR"}`, why: "says no amount"},
		{rules: minor, price: `{"amount":{"amount":1},"currency":"EUR"}`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `true`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `[1]`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `""`, why: `is no amount of money: an empty text`},
		{rules: minor, price: `-5`, why: "is -5 minor units, which is not within 0 and 10000000000000"},

		{rules: major, price: `"24.50"`, want: 2450, currency: "EUR"},
		{rules: major, price: `24.5`, want: 2450, currency: "EUR"},
		{rules: major, price: `24`, want: 2400, currency: "EUR"},
		{rules: major, price: `"24.500"`, want: 2450, currency: "EUR"},
		{rules: major, price: `2.45e1`, want: 2450, currency: "EUR"},
		{rules: major, price: `2450E-2`, want: 2450, currency: "EUR"},
		{rules: major, price: `0.29`, want: 29, currency: "EUR"},
		{rules: major, price: `1.1`, want: 110, currency: "EUR"},
		{rules: major, price: `" 007.10 "`, want: 710, currency: "EUR"},
		{rules: major, price: `99999999999.99`, want: 9999999999999, currency: "EUR"},
		{rules: major, price: `{"amount":"24.50","currency":"JPY"}`, why: `is "24.50", which has more digits than JPY has; set money.rounding to half_even`},
		{rules: major, price: `{"amount":"2450","currency":"JPY"}`, want: 2450, currency: "JPY"},
		{rules: major, price: `{"amount":"1.234","currency":"KWD"}`, want: 1234, currency: "KWD"},
		{rules: major, price: `{"amount":"1","currency":"XYZ"}`, why: `has XYZ for its currency, of which the number of digits is not known`},
		{rules: major, price: `24.505`, why: `is "24.505", which has more digits than EUR has; set money.rounding to half_even`},
		{rules: major, price: `"24,50"`, why: `is no amount of money: a text of 5 characters like 99,99`},
		{rules: major, price: `"1.000,50"`, why: `is no amount of money: a text of 8 characters like 9.999,99`},
		{rules: major, price: `"EUR 5"`, why: `is no amount of money: a text of 5 characters like aaa 9`},
		{rules: major, price: `".5"`, why: `is no amount of money: a text of 2 characters like .9`},
		{rules: major, price: `"5."`, why: `is no amount of money: a text of 2 characters like 9.`},
		{rules: major, price: `"+5"`, why: `is no amount of money: a text of 2 characters like +9`},
		{rules: major, price: `"--5"`, why: `is no amount of money: a text of 3 characters like --9`},
		{rules: major, price: `"0x10"`, why: `is no amount of money: a text of 4 characters like 9a99`},
		{rules: major, price: `"1e"`, why: `is no amount of money: a text of 2 characters like 9a`},
		{rules: major, price: `"1e+-2"`, why: `is no amount of money: a text of 5 characters like 9a+-9`},
		{rules: major, price: `"1e+2"`, want: 10000, currency: "EUR"},
		{rules: major, price: `"٣"`, why: `is no amount of money: a text of 1 character like 9`},
		{rules: major, price: `1e999999999`, why: `is "1e999999999", which is beyond any amount`},
		{rules: major, price: `1e-999999999`, why: `is "1e-999999999", which is beyond any amount`},
		{rules: major, price: `1e99999999999999999999`, why: `is "1e99999999999999999999", which is beyond any amount`},
		{rules: major, price: `1e40`, why: `is "1e40", which is beyond any amount`},
		{rules: major, price: `0e40`, want: 0, currency: "EUR"},
		{rules: major, price: `100000000000.01`, why: `is "100000000000.01", which is beyond any amount`},
		{rules: major, price: `0.000000000000000000000000000000000000000000000000000000000000000001`, why: "is longer than the 64 bytes that an amount may have"},

		{rules: rounded, price: `24.505`, want: 2450, currency: "EUR"},
		{rules: rounded, price: `24.515`, want: 2452, currency: "EUR"},
		{rules: rounded, price: `24.5050000001`, want: 2451, currency: "EUR"},
		{rules: rounded, price: `24.504999`, want: 2450, currency: "EUR"},
		{rules: rounded, price: `24.506`, want: 2451, currency: "EUR"},
		{rules: rounded, price: `0.004`, want: 0, currency: "EUR"},
		{rules: rounded, price: `1e-60`, want: 0, currency: "EUR"},
		{rules: rounded, price: `9.995`, want: 1000, currency: "EUR"},
		{rules: "money: {currency: EUR, rounding: half_even}", price: `24.5`, want: 24, currency: "EUR"},
	}
	for _, test := range tests {
		p := normalizing(t, record.KindTicket, test.rules)
		got := p.MapRow("rows", `{"id":"t","event_id":"e","price":`+test.price+test.more+`}`, nil, nil)
		switch {
		case test.why != "":
			if len(got.Refused) != 1 || got.Refused[0].Field != "price" || got.Refused[0].Why.String() != test.why {
				t.Errorf("%s, %s: got %+v", test.rules, test.price, got)
			}
		case len(got.Records) != 1:
			t.Errorf("%s, %s: got %v", test.rules, test.price, got.Refused)
		default:
			if m := got.Records[0].(*record.Ticket).Price; *m != (record.Money{Amount: test.want, Currency: test.currency}) {
				t.Errorf("%s, %s: got %v", test.rules, test.price, m)
			}
		}
	}
}

// What a program hands on keeps its literal; a sum of integers is exact; of what it
// computes in floats the shortest digits count.
func TestNormalizeComputedMoney(t *testing.T) {
	p := parsed(t, `
name: test
money: {unit: major, currency: EUR}
streams:
  - name: rows
    path: rows
    gives: [payment]
    records: '{id: "p", status: "paid", amount: (if .sum then [.sum[]] | add else .amount end), amount_refunded: (if .back == 7 then reduce range(9) as $i (.back; . * .) else .back end)}'
`)
	tests := []struct {
		row  string
		want int64
	}{
		{`{"amount":1234567890.10}`, 123456789010},
		{`{"amount":"0.30"}`, 30},
		{`{"sum":[12345678901,9]}`, 1234567891000},
		{`{"sum":[0.25,0.5]}`, 75},
		{`{"amount":-12.5}`, 1250}, // a negative payment is a refund
	}
	for _, test := range tests {
		got := p.MapRow("rows", test.row, nil, nil)
		if len(got.Records) != 1 || got.Records[0].(*record.Payment).Amount.Amount != test.want {
			t.Errorf("%s: got %+v", test.row, got)
		}
	}
	for row, why := range map[string]string{
		`{"sum":[0.1,0.2]}`:                                 `is "0.30000000000000004", which has more digits than EUR has; set money.rounding to half_even`,
		`{"sum":[1e300,1e300]}`:                             "is longer than the 64 bytes that an amount may have",
		`{"sum":[9e18,9e18]}`:                               `is "18000000000000000000", which is beyond any amount`,
		`{"sum":[9000000000000000000,9000000000000000000]}`: `is "18000000000000000000", which is beyond any amount`,
		`{"amount":"1","back":7}`:                           `is "1e999", which is beyond any amount`,
		`{"amount":1,"back":false}`:                         "is no amount of money, neither a text nor a number",
	} {
		got := p.MapRow("rows", row, nil, nil)
		if len(got.Refused) != 1 || got.Refused[0].Why.String() != why {
			t.Errorf("%s: got %+v", row, got)
		}
	}
	if got := p.MapRow("rows", `{"amount":1,"back":null}`, nil, nil); len(got.Records) != 1 || got.Records[0].(*record.Payment).AmountRefunded != nil {
		t.Errorf("null: got %+v", got)
	}
}

// Times are read in the formats of the profile, in the zone of the record or the profile.
func TestNormalizeTime(t *testing.T) {
	const dutch = "time: {zone: Europe/Amsterdam, formats: [rfc3339, '2006-01-02 15:04', '2006-01-02', '02.01.2006 15:04:05 -0700', unix]}"
	tests := []struct {
		rules, at, more string
		want            string // RFC 3339, or why it is refused
	}{
		{dutch, `"2026-11-21T20:00:00+01:00"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"2026-11-21T20:00:00.123456Z"`, "", "2026-11-21T20:00:00.123456Z"},
		{dutch, `"2026-11-21 20:00"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"2026-06-21 20:00"`, "", "2026-06-21T18:00:00Z"},
		{dutch, `"2026-06-21"`, "", "2026-06-20T22:00:00Z"},
		{dutch, `"21.06.2026 20:00:00 -0300"`, "", "2026-06-21T23:00:00Z"},
		{dutch, `"2026-11-21 20:00"`, `,"timezone":"America/New_York"`, "2026-11-22T01:00:00Z"},
		{dutch, `"2026-11-21T20:00:00+01:00"`, `,"timezone":"America/New_York"`, "2026-11-21T19:00:00Z"},
		{dutch, `1795287600`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"1795287600"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `0`, "", "1970-01-01T00:00:00Z"},
		{dutch, `-1`, "", "is in the year 1969"},
		{dutch, `1e9`, "", `is no time as time.formats says: a number`},
		{dutch, `1795287600.5`, "", `is no time as time.formats says: a number`},
		{dutch, `99999999999999`, "", "is in the year 3170843"},
		{dutch, `9223372036854775807`, "", "is in the year 292277026596"},
		{dutch, `""`, "", `is no time as time.formats says: an empty text`},
		{dutch, `"tonight"`, "", `is no time as time.formats says: a text of 7 characters like aaaaaaa`},
		{dutch, `true`, "", `is no time as time.formats says: true or false`},
		{dutch, `{}`, "", `is no time as time.formats says: an object`},
		{"time: {formats: [unix_ms]}", `1795287600123`, "", "2026-11-21T19:00:00.123Z"},
		{"time: {zone: UTC, formats: ['2006-01-02 15:04']}", `"2026-11-21 20:00"`, "", "2026-11-21T20:00:00Z"},

		// The clocks show 02:00 to 03:00 twice: the first is meant, unless the text says which.
		{dutch, `"2026-10-25 02:30"`, "", "2026-10-25T00:30:00Z"},
		{dutch, `"2026-10-25 01:59"`, "", "2026-10-24T23:59:00Z"},
		{dutch, `"2026-10-25 03:00"`, "", "2026-10-25T02:00:00Z"},
		{dutch, `"25.10.2026 02:30:00 +0100"`, "", "2026-10-25T01:30:00Z"},
		{dutch, `"2026-11-01 01:30"`, `,"timezone":"America/New_York"`, "2026-11-01T05:30:00Z"},
		{dutch, `"2026-04-05 01:45"`, `,"timezone":"Australia/Lord_Howe"`, "2026-04-04T14:45:00Z"},
		// They skip 02:00 to 03:00.
		{dutch, `"2026-03-29 02:30"`, "", "2026-03-29T01:30:00Z"},
	}
	for _, test := range tests {
		p := normalizing(t, record.KindTicket, test.rules)
		got := p.MapRow("rows", `{"id":"t","event_id":"e","sold_at":`+test.at+test.more+`}`, nil, nil)
		switch want, err := time.Parse(time.RFC3339, test.want); {
		case err != nil:
			if len(got.Refused) != 1 || got.Refused[0].Field != "sold_at" || got.Refused[0].Why.String() != test.want {
				t.Errorf("%s%s: got %+v", test.at, test.more, got)
			}
		case len(got.Records) != 1:
			t.Errorf("%s%s: got %v", test.at, test.more, got.Refused)
		default:
			if at := got.Records[0].(*record.Ticket).SoldAt; at != want {
				t.Errorf("%s%s: got %v, not %v", test.at, test.more, at, want)
			}
		}
	}
}

// An event without a date has that of its curtain, where it is.
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

// Identifiers are texts; an integer becomes one.
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

// An identifier that was computed in floats is none.
func TestNormalizeComputedIDs(t *testing.T) {
	p := program(t, `{id: (.n + 1), date: "2026-11-21"}`)
	if got := p.MapRow("rows", `{"n":22}`, nil, nil); len(got.Records) != 1 || got.Records[0].RecordID() != "23" {
		t.Errorf("got %+v", got)
	}
	if got := p.MapRow("rows", `{"n":22.0}`, nil, nil); len(got.Refused) != 1 || got.Refused[0].Field != "id" {
		t.Errorf("got %+v", got)
	}
}

// Of the zones that a service names only so many are remembered.
func TestNormalizeManyZones(t *testing.T) {
	p := program(t, `{id, date: "2026-11-21", timezone: .id}`)
	for i := range 2500 {
		p.MapRow("rows", fmt.Sprintf(`{"id":"zone %d"}`, i), nil, nil)
	}
	if n := p.ZonesKept(); n > 1000 {
		t.Errorf("%d zones are kept", n)
	}
}

// The profile's words count first, then our own synonyms; a word that nobody knows stays.
func TestNormalizeWords(t *testing.T) {
	p := normalizing(t, record.KindTicket, "words: {ticket.status: {Attending: valid, \"9\": void, true: refunded, canceled: refunded}, scan.direction: {check-in: entry}}")
	for said, want := range map[string]record.TicketStatus{
		`"attending"`: "valid", `" ATTENDING "`: "valid", `9`: "void", `"9"`: "void", `true`: "refunded",
		`"canceled"`: "refunded", `"voided"`: "void", `"deferred"`: "deferred", `null`: "", `""`: "",
	} {
		got := p.MapRow("rows", `{"id":"t","event_id":"e","status":`+said+`,"scans":[{"at":"2026-11-21T20:00:00Z","direction":"CHECK-IN"}]}`, nil, nil)
		if len(got.Records) != 1 {
			t.Errorf("%s: got %v", said, got.Refused)
			continue
		}
		if k := got.Records[0].(*record.Ticket); k.Status != want || len(k.Scans) != 1 || k.Scans[0].Direction != record.Entry {
			t.Errorf("%s: got %+v", said, k)
		}
	}
	if got := p.MapRow("rows", `{"id":"t","event_id":"e","status":10}`, nil, nil); len(got.Refused) != 1 || got.Refused[0].Why.String() != "is a number, not a string" {
		t.Errorf("got %+v", got)
	}
}

// Without a program a service's own members do no harm.
func TestNormalizeRowsAsTheyAre(t *testing.T) {
	p := normalizing(t, record.KindTicket, "money: {unit: major, currency: EUR}")
	got := p.MapRow("rows", `{"id":5,"event_id":"e","fee":1.5,"owner":{"name":"x"},"record":"order","type":{"id":1,"name":"a","colour":"red"}}`, nil, nil)
	want := []record.Record{&record.Ticket{ID: "5", EventID: "e", Type: record.TypeRef{ID: "1", Name: "a"}, Fee: &record.Money{Amount: 150, Currency: "EUR"}}}
	if !reflect.DeepEqual(got.Records, want) || got.ID != "5" {
		t.Errorf("got %+v", got)
	}
}

// fullTickets are the texts of tickets as the service writes them.
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

// What is written as our own record, and read again by way of a program or a setting that
// changes nothing, is the same record.
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

// Why a record is refused tells no value that may be a person's.
func TestNormalizeQuotesNobody(t *testing.T) {
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
