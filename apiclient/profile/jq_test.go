package profile_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// orders is a profile of a service whose orders contain what was sold and what was paid.
const orders = `
name: orders
vars: {organizer: ""}
base_url: https://{organizer}.example.com/api
money: {unit: major}
time: {formats: [rfc3339, unix], zone: Europe/Amsterdam}
words:
  ticket.status: {p: valid, c: void, n: reserved}
  payment.status: {Confirmed: paid}
  scan.direction: {in: entry}
streams:
  - name: events
    path: events
    keep: '{key: .slug, currency}'
    gives: [event]
    records: '{id: .slug, title: .name, starts_at: .date_from, timezone, available: .left}'
  - name: orders
    path: orders
    gives: [ticket, payment]
    with: events
    records: |
      . as $order
      | (.positions[] | {
          record: "ticket", id, event_id: $order.event, order_id: $order.code,
          type: {id: .item, name: .item_name}, price, currency: $with[$order.event].currency,
          status: $order.status, seat: .seat.name?, sold_at: $order.datetime,
          scans: [.checkins[] | {at: .datetime, gate, direction: .type}]
        }),
        (.payments[] | {
          record: "payment", id: "\($order.code)-P-\(.local_id)", order_id: $order.code, event_id: $order.event,
          kind: "payment", amount, currency: $with[$order.event].currency,
          status: .state, method: .provider, paid_at: .payment_date
        })
`

const order = `{"code":"A3X9","event":"hamlet","status":"p","email":"jan@example.com","datetime":"2026-11-20T10:11:12+01:00","locale":"nl",
	"positions":[
		{"id":23442,"item":100345,"item_name":"Parket","price":"24.50","attendee_name":"Jan","seat":{"name":"Rij 4 stoel 12"},
		 "checkins":[{"list":44,"datetime":"2026-11-21T19:32:47+01:00","type":"entry","gate":"Main"}],"answers":[],"downloads":[{"output":"pdf","url":"https://example.com/a.pdf"}]},
		{"id":23443,"item":100345,"item_name":"Parket","price":"24.50","attendee_name":"Piet","seat":null,"checkins":[],"answers":[],"downloads":[]}],
	"payments":[{"local_id":1,"state":"confirmed","amount":"49.00","created":"2026-11-20T10:11:00+01:00","payment_date":"2026-11-20T10:11:12+01:00","provider":"ideal"}]}`

func parsed(t testing.TB, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkMapRow maps orders of two tickets and a payment.
func BenchmarkMapRow(b *testing.B) {
	p, err := parsed(b, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		b.Fatal(err)
	}
	with := map[string]any{"hamlet": map[string]any{"key": "hamlet", "currency": "EUR"}}
	records := 0
	b.ReportAllocs()
	for b.Loop() {
		m := p.MapRow("orders", order, nil, with)
		if len(m.Records) != 3 {
			b.Fatal(m.Refused)
		}
		records += len(m.Records)
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}

// One row becomes the records that the profile's program returns for it.
func TestMapRow(t *testing.T) {
	p, err := parsed(t, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 9, 11, 12, 0, time.UTC)
	ticket := record.Ticket{
		EventID: "hamlet", OrderID: "A3X9", Type: record.TypeRef{ID: "100345", Name: "Parket"},
		Price: &record.Money{Amount: 2450, Currency: "EUR"}, Status: record.TicketValid, SoldAt: at,
	}
	first, second := ticket, ticket
	first.ID, first.Seat = "23442", "Rij 4 stoel 12"
	first.Scans = []record.Scan{{At: time.Date(2026, 11, 21, 18, 32, 47, 0, time.UTC), Gate: "Main", Direction: record.Entry}}
	second.ID, second.Scans = "23443", []record.Scan{}
	want := profile.Mapped{ID: "A3X9", Records: []record.Record{&first, &second, &record.Payment{
		ID: "A3X9-P-1", OrderID: "A3X9", EventID: "hamlet", Kind: record.KindOfPayment,
		Amount: record.Money{Amount: 4900, Currency: "EUR"}, Status: record.PaymentPaid, Method: "ideal", PaidAt: at,
	}}}

	key, stored, err := p.ShareRow("events", `{"slug":"hamlet","currency":"EUR","name":"Hamlet"}`, nil)
	if err != nil || key != "hamlet" {
		t.Fatal(key, err)
	}
	got := p.MapRow("orders", order, nil, map[string]any{key: stored})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// program returns a profile of one stream whose rows become events by a program.
func program(t testing.TB, text string) *profile.Profile {
	t.Helper()
	lines := strings.ReplaceAll(text, "\n", "\n      ")
	p := parsed(t, "name: test\ntime: {zone: Europe/Amsterdam}\nstreams:\n  - name: rows\n    path: rows\n    gives: [event]\n    records: |\n      "+lines+"\n")
	p.RowTime = time.Minute // generous for slow machines
	return p
}

// Whatever a program does, the row is refused with the reason, and the records before that stay.
func TestHostilePrograms(t *testing.T) {
	const event = `{id: "e", date: "2026-11-21"}`
	tests := []struct {
		name, program, row string
		records            int
		refused            string // Why or its prefix; empty for none
	}{
		{"an endless function", "def f: f; f", "{}", 0, "takes the program more than 50ms"},
		{"an endless stream", event + ", (repeat(.) | select(false))", "{}", 1, "takes the program more than 50ms"},
		{"too many records", "repeat(" + event + ")", "{}", 10_000, "becomes more than 10000 records"},
		{"a list without end", "[range(1e15)]", "{}", 0, "takes the program more than 50ms"},
		{"deep recursion", "def f: 1 + f; f", "{}", 0, "takes the program more than 50ms"},
		{"an error", event + `, error("no \(.id)\u0007")`, `{"id":"x"}`, 1, "fails the program: error: no x\ufffd"},
		{"an error of nothing", "error(null)", "{}", 0, "fails the program: "},
		{"an error of an object", `error({a: 1})`, "{}", 0, "fails the program: error: "},
		{"a long error", `error("x" * 1000)`, "{}", 0, "fails the program: error: x"},
		{"a wrong type", ".[0]", "{}", 0, "fails the program: expected an array but got: object"},
		{"halt", event + ", halt, " + event, "{}", 1, "fails the program: "},
		{"halt_error", `"bye" | halt_error(1)`, "{}", 0, "fails the program: "},
		{"halt_error of nothing", "null | halt_error", "{}", 0, "fails the program: "},
		{"debug and stderr", event + ` | debug | debug("x") | stderr`, "{}", 1, ""},
		{"now", event + " | now as $n | .", "{}", 1, ""},
		{"shell text", `{id: ("e" | @sh), date: "2026-11-21"}`, "{}", 1, ""},
		{"a module's metadata", `"a" | modulemeta`, "{}", 0, "fails the program: "},
		{"no number", event + " | .available = nan", "{}", 1, ""},
		{"an infinite number", event + " | .available = infinite", "{}", 0, "is the number 1.797"},
		{"a huge literal", event + " + {available: .n}", `{"n":1e999999999}`, 0, "is the number 1e999999999, not an integer"},
		{"arithmetic on a huge literal", event + " + {available: (.n + 1)}", `{"n":1e999999999}`, 0, "is the number 1.797"},
		{"nothing", "empty", "{}", 0, ""},
		{"a text", `"x"`, "{}", 0, "is not an object"},
		{"null", "null", "{}", 0, "is not an object"},
		{"another kind", event + ` + {record: "ticket"}`, "{}", 0, `is a record of a kind that the stream does not give: a text of 6 characters like aaaaaa`},
		{"its kind", event + ` + {record: "event"}`, "{}", 1, ""},
		{"no kind", event + ` + {record: 7}`, "{}", 0, "has a record that is no text"},
		{"no field", event + ` + {evnt_id: 1}`, "{}", 0, `has no field "evnt_id"`},
		{"no field of a part", event + ` + {ticket_types: [{id: "a", prize: 1}]}`, "{}", 0, `has no field "prize"`},
		{"an unknown zone", event + ` + {timezone: "Mars/Phobos"}`, "{}", 0, `is a text of 11 characters like aaaa/aaaaaa, which is no time zone`},
		{"a number for a zone", event + ` + {timezone: 1}`, "{}", 0, "is no text"},
		{"a path for a zone", event + ` + {timezone: "../../etc/passwd"}`, "{}", 0, "is"},
		{"an object for a text", event + ` + {title: {a: 1}}`, "{}", 0, "is an object, not a string"},
		{"an array for a text", event + ` + {title: [1]}`, "{}", 0, "is an array, not a string"},
		{"depth", event + ` + {title: (reduce range(5000) as $i (null; [.]))}`, "{}", 0, "is an array, not a string"},
		{"hostile text", `{id: "e", date: "2026-11-21", title: "\u0000\"</script>\\\u2028é"}`, "{}", 1, ""},
	}
	for _, test := range tests {
		for name, isolated := range map[string]bool{"": false, " in a process of its own": true} {
			t.Run(test.name+name, func(t *testing.T) {
				p := program(t, test.program)
				if isolated {
					isolate(t, p)
				}
				if strings.HasPrefix(test.refused, "takes") {
					p.RowTime = 50 * time.Millisecond
				}
				got := p.MapRow("rows", test.row, nil, nil)
				if len(got.Records) != test.records {
					t.Errorf("got %d records: %+v", len(got.Records), got.Refused)
				}
				if test.refused == "" && got.Refused == nil {
					return
				}
				if len(got.Refused) != 1 || test.refused == "" || !strings.HasPrefix(got.Refused[0].Why.String(), test.refused) {
					t.Fatalf("got %+v", got.Refused)
				}
				if r := got.Refused[0]; r.Stream != "rows" || (r.Kind == record.KindEvent) != (r.ID == "e") || len(r.Why.String()) > 300 || strings.ContainsFunc(r.Why.String(), unicode.IsControl) {
					t.Errorf("got %#v", r)
				}
			})
		}
	}
}

// A program that reads the environment is refused, wherever it does so, and so is one that is too long.
func TestProgramsSeeNoEnvironment(t *testing.T) {
	t.Setenv("PROGRAM_SECRET", "not to be seen")
	for _, text := range []string{
		`{id: "e", title: $ENV.PROGRAM_SECRET}`, `{id: "e", title: env.PROGRAM_SECRET}`, `def f: {a: [env]}; if false then f else {} end`, `"\($ENV)"`,
		strings.Repeat(" ", 64<<10) + ".",
	} {
		_, err := profile.Parse("test.yaml", []byte("name: t\nbase_url: https://x\nstreams:\n  - name: rows\n    path: rows\n    gives: [event]\n    records: '"+text+"'\n"))
		if err == nil || !strings.Contains(err.Error(), "reads the environment") && len(text) < 1000 || !strings.Contains(err.Error(), "test.yaml:7: streams[0].records") {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

// A row's id is not used as the id of the record that it would have become: otherwise that record
// would seem to be missing.
func TestRefusedRowNamesNoRecord(t *testing.T) {
	tests := []struct {
		name, program string
		kind          record.Kind
		id            string
	}{
		{"the program fails", `.tickets[]`, "", "order"},
		{"no object", `"t"`, "", "order"},
		{"a record without an id", `{date: "2026-11-21", starts_at: "soon"}`, "", "order"},
		{"a record with an id", `{id: "t", date: "2026-11-21", starts_at: "soon"}`, record.KindEvent, "t"},
	}
	for _, test := range tests {
		got := program(t, test.program).MapRow("rows", `{"id":"order","tickets":null}`, nil, nil)
		if len(got.Refused) != 1 || got.Refused[0].Kind != test.kind || got.Refused[0].ID != test.id {
			t.Errorf("%s: got %+v", test.name, got.Refused)
		}
	}
}

// The reason why a program failed does not quote the values: they may be personal data.
func TestProgramErrorsQuoteNoValue(t *testing.T) {
	for name, test := range map[string]struct{ program, want string }{
		"a member":   {".who.x", "fails the program: expected an object but got: string"},
		"a sum":      {"{a: .who} + .who", "fails the program: cannot add: object"},
		"a function": {".who | tonumber", "fails the program: tonumber cannot be applied to a text: "},
		"JSON":       {".who | fromjson", "fails the program: fromjson cannot be applied to a text: "},
		"a key":      {"{([.who]): 1}", "fails the program: expected a string for object key but got: array"},
		"a row":      {".[0]", "fails the program: expected an array but got: object"},
	} {
		got := program(t, test.program).MapRow("rows", `{"who":"jan@example.com)\n("}`, nil, nil)
		if len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0].Why.String(), test.want) || strings.Contains(got.Refused[0].Why.String(), "jan") {
			t.Errorf("%s: got %v", name, got.Refused)
		}
	}
}

// A panic in the jq library costs only the row.
func TestProgramPanic(t *testing.T) {
	p := program(t, "$over | type")
	got := p.MapRow("rows", `{"id":"a"}`, struct{}{}, nil) // not a jq value
	if len(got.Refused) != 1 || got.Refused[0].ID != "a" || !strings.HasPrefix(got.Refused[0].Why.String(), "fails the program: panic: ") {
		t.Errorf("got %+v", got)
	}
}

// A row's id is the first of the usual members.
func TestRowIdentity(t *testing.T) {
	p := program(t, "empty")
	tests := []struct{ row, want string }{
		{`{"id":"a","code":"b"}`, "a"},
		{`{"id":7}`, "7"},
		{`{"id":12345678901234567890}`, "12345678901234567890"},
		{`{"id":"","code":"b"}`, "b"},
		{`{"id":null,"code":{},"key":"c"}`, "c"},
		{`{"slug":"d","uuid":"e"}`, "d"},
		{`{"uuid":"e"}`, "e"},
		{`{}`, ""},
		{`["id"]`, ""},
		{`{`, ""},
	}
	for _, test := range tests {
		if got := p.MapRow("rows", test.row, nil, nil).ID; got != test.want {
			t.Errorf("%s is known by %q, not %q", test.row, got, test.want)
		}
	}
}

// Rows that are not JSON or too large are refused on their own.
func TestRowsThatCannotBeMapped(t *testing.T) {
	p := program(t, "{id, date}")
	for row, want := range map[string]string{
		`{"id":`: "is no JSON",
		`{"id":"` + strings.Repeat("x", 1<<20) + `"}`: "is larger than 1048576 bytes",
		`7`:                                "fails the program: ",
		`{"id":"a","date":"x"}`:            `is no date like 2026-11-21: a text of 1 character like a`,
		`{"id":["a"],"date":"2026-11-21"}`: "is an array, not a string",
	} {
		got := p.MapRow("rows", row, nil, nil)
		if len(got.Records) != 0 || len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0].Why.String(), want) {
			t.Errorf("%.40s: got %+v", row, got)
		}
	}
}

// The rows of a profile that changes nothing are decoded directly.
func TestPlainRows(t *testing.T) {
	p, err := profile.Builtin("default")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ stream, row, id, why string }{
		{"tickets", `{"id":"t","event_id":"e","colour":"red"}`, "t", ""},
		{"contacts", `{"id":"c","postal_code":"1012 AB"}`, "c", ""},
		{"tickets", `{"id":"t"}`, "t", "is missing"},
		{"tickets", `{"id":7,"event_id":"e"}`, "", "is a number, not a string"},
		{"tickets", `{`, "", "is no JSON"},
	}
	for _, test := range tests {
		got := p.MapRow(test.stream, test.row, nil, nil)
		if got.ID != test.id || len(got.Records)+len(got.Refused) != 1 || (test.why == "") != (got.Refused == nil) {
			t.Errorf("%s: got %+v", test.row, got)
		} else if test.why != "" && (got.Refused[0].Why.String() != test.why || got.Refused[0].Stream != test.stream) {
			t.Errorf("%s: got %+v", test.row, got.Refused[0])
		}
	}
}

// If rows become records of several kinds, each record names its kind.
func TestRecordsNameTheirKind(t *testing.T) {
	p := parsed(t, "name: a\nstreams:\n  - {name: rows, path: rows, gives: [event, contact], records: .}\n")
	for row, why := range map[string]string{
		`{"record":"contact","id":"c"}`: "", `{"id":"c"}`: "says no record; give its kind", `{"record":null,"id":"c"}`: "says no record; give its kind",
		`{"record":"person","id":"c"}`: `is a record of a kind that the stream does not give: a text of 6 characters like aaaaaa`,
	} {
		got := p.MapRow("rows", row, nil, nil)
		if why == "" && len(got.Records) != 1 || why != "" && (len(got.Refused) != 1 || got.Refused[0].Why.String() != why || got.Refused[0].ID != "c" || got.Refused[0].Kind != "") {
			t.Errorf("%s: got %+v", row, got)
		}
	}
}

// What one stream shares, the programs of others see.
func TestShareRow(t *testing.T) {
	p := parsed(t, `
name: test
vars: {place: hall}
time: {formats: ["2006-01-02 15:04", unix], zone: Europe/Amsterdam}
streams:
  - name: events
    path: events
    keep: 'if .off then empty elif .twice then {key: 1}, {key: 2} else {key: .id, currency, at: .start, timezone, parent: $over.key, place: $vars.place} end'
  - name: tickets
    path: '{key}/tickets'
    over: events
    with: events
    gives: [ticket]
    records: '{id, event_id: $over.key, seat: $vars.place, price: {amount: .cents, currency: $with["7"].currency}}'
`)
	tests := []struct {
		row  string
		key  string
		want map[string]any
		err  string
	}{
		{row: `{"id":7,"currency":"EUR","start":"2026-11-21 20:00"}`, key: "7", want: map[string]any{"key": "7", "currency": "EUR", "at": "2026-11-21T19:00:00Z", "timezone": nil, "parent": "o", "place": "hall"}},
		{row: `{"id":"a","start":0,"timezone":"Europe/London"}`, key: "a", want: map[string]any{"key": "a", "currency": nil, "at": "1970-01-01T00:00:00Z", "timezone": "Europe/London", "parent": "o", "place": "hall"}},
		{row: `{"id":"a","start":"2026-06-21 20:00","timezone":"Europe/London"}`, key: "a", want: map[string]any{"key": "a", "currency": nil, "at": "2026-06-21T19:00:00Z", "timezone": "Europe/London", "parent": "o", "place": "hall"}},
		{row: `{"off":true}`},
		{row: `{"id":"x","twice":true}`, err: `the row "x", to be kept, becomes not one object`},
		{row: `{"code":"x"}`, err: `the row "x", to be kept, has no key that is a text or an integer`},
		{row: `{"id":1.5}`, err: `the row "1.5", to be kept, has no key that is a text or an integer`},
		{row: `{"id":"a\u0000"}`, err: "the row \"a\ufffd\", to be kept, has a key that has a control character or is not UTF-8"},
		{row: `{"id":"a","start":"soon"}`, err: `the row "a", to be kept, has at, which is no time as time.formats says: a text of 4 characters like aaaa`},
		{row: `{"id":"a","start":1,"timezone":"Mars"}`, err: `the row "a", to be kept, has timezone, which is a text of 4 characters like aaaa, which is no time zone`},
		{row: `[1]`, err: `the row "", to be kept, fails the program: expected an object but got: array`},
	}
	for _, test := range tests {
		key, stored, err := p.ShareRow("events", test.row, map[string]any{"key": "o"})
		if key != test.key || !reflect.DeepEqual(stored, test.want) {
			t.Errorf("%.200s: got %q, %v, %v", test.row, key, stored, err)
		}
		if (err != nil || test.err != "") && (err == nil || err.Error() != test.err) {
			t.Errorf("%.200s: got the error %v", test.row, err)
		}
	}

	_, stored, err := p.ShareRow("events", tests[0].row, map[string]any{"key": "o"})
	if err != nil {
		t.Fatal(err)
	}
	got := p.MapRow("tickets", `{"id":"t","cents":2450}`, stored, map[string]any{"7": stored})
	want := []record.Record{&record.Ticket{ID: "t", EventID: "7", Seat: "hall", Price: &record.Money{Amount: 2450, Currency: "EUR"}}}
	if !reflect.DeepEqual(got.Records, want) {
		t.Errorf("got %+v", got)
	}
}

// Any row becomes valid records or is refused.
func FuzzMapRow(f *testing.F) {
	f.Add(order)
	f.Add(`{"code":1,"positions":[{"id":1e3,"price":1e999999999,"checkins":[{"datetime":0}]},{"id":-1,"price":{"value":"1"}}],"payments":[{"local_id":{},"amount":"-5.005","state":true}]}`)
	f.Add(`{"id":1,"event_id":"e","date":null,"starts_at":1795287600,"timezone":"Europe/London","currency":"JPY","price":"12","amount":{"value":1},"scans":[{"at":"2026-10-25 02:30","direction":"IN"}]}`)
	f.Add(`{"slug":"\u0000","name":[],"date_from":"x","timezone":"../etc","positions":{"a":{"id":null}},"payments":null}`)
	f.Add(`[[[[]]]]`)
	f.Add(`{"id":"` + strings.Repeat("9", 500) + `"}`)
	ready, err := parsed(f, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		f.Fatal(err)
	}
	const rules = "money: {unit: major, currency: EUR, rounding: half_even}\ntime: {zone: Europe/Amsterdam, formats: [rfc3339, unix, '2006-01-02 15:04']}\nwords: {ticket.status: {\"1\": valid}}"
	var settled []*profile.Profile
	for _, kind := range []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindContact, record.KindPlanning, record.KindScan} {
		settled = append(settled, normalizing(f, kind, rules))
	}
	with := map[string]any{"hamlet": map[string]any{"key": "hamlet", "currency": "EUR"}}
	f.Fuzz(func(t *testing.T, row string) {
		checkMapped(t, ready.MapRow("orders", row, nil, with))
		checkMapped(t, ready.MapRow("events", row, nil, with))
		if key, _, err := ready.ShareRow("events", row, nil); err == nil && (len(key) > 200 || strings.ContainsFunc(key, unicode.IsControl)) {
			t.Errorf("key %q", key)
		}
		for _, p := range settled {
			checkMapped(t, p.MapRow("rows", row, nil, nil))
		}
	})
}

// checkMapped checks what holds for every valid record.
func checkMapped(t *testing.T, m profile.Mapped) {
	t.Helper()
	money := func(all ...*record.Money) {
		for _, m := range all {
			if m != nil && (m.Amount < 0 || m.Amount > 1e13 || len(m.Currency) != 3) {
				t.Errorf("money %+v", m)
			}
		}
	}
	at := func(times ...time.Time) {
		for _, at := range times {
			if !at.IsZero() && (at.Year() < 1970 || at.Year() > 2200 || at.Location() != time.UTC) {
				t.Errorf("time %v", at)
			}
		}
	}
	for _, r := range m.Records {
		if id := r.RecordID(); id == "" || len(id) > 200 || !utf8.ValidString(id) {
			t.Errorf("%s %q", r.RecordKind(), id)
		}
		at(r.RecordUpdated())
		switch r := r.(type) {
		case *record.Event:
			at(r.StartsAt, r.EndsAt, r.DoorsAt, r.IntervalStartsAt, r.IntervalEndsAt)
			if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
				t.Error(err)
			}
		case *record.Ticket:
			money(r.Price, r.Fee, r.VAT)
			at(r.SoldAt, r.CreatedAt, r.CancelledAt)
		case *record.Payment:
			money(&r.Amount, r.AmountRefunded)
			at(r.PaidAt, r.CreatedAt)
		}
	}
	for _, r := range m.Refused {
		if r.Stream == "" || r.Why.String() == "" || len(r.Why.String()) > 1000 || len(r.ID) > 200 || strings.ContainsFunc(r.Why.String(), unicode.IsControl) {
			t.Errorf("refused %#v", r)
		}
	}
}
