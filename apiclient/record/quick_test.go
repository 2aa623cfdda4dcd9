package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
)

// quickRows are rows that the quick reader reads, rows that it leaves to the general decoder, and rows that are wrong.
var quickRows = []string{
	`{"id":"t1","event_id":"e","order_id":"o","contact_id":"c","kind":"fee","replaces":"t0","type":{"id":"r","name":"Rang 1"},"quantity":-2,"price":{"amount":2450,"currency":"eur"},"fee":{"amount":0,"currency":"EUR"},"vat":{"currency":"EUR","amount":220},"complimentary":true,"admits":false,"status":"Valid","scans":[{"at":"2026-11-21T19:40:00+01:00","gate":"Main","direction":"in","result":"OK","undone":true},{"at":"2026-11-21T18:39:59.25Z","direction":"exit"}],"seat":"Row 4","channel":"web","referral":"r","discount_code":"d","created_at":"2024-02-29T23:59:59-11:30","sold_at":"2026-11-21T18:40:00.123456789Z","cancelled_at":null,"held_until":"2026-11-21T20:00:00+01:00","updated_at":"2026-11-21T18:40:00Z","test":false,"deleted":false}`,
	"{ \"id\" : \"t2\",\n\t\"event_id\": \"e\", \"event_name\": {\"a\":[1,2.5e-3,\"\\u00e9\",null,true]}, \"scans\": [] , \"status\":\"void\"}",
	`{"id":"t3","event_id":"Caf\u00e9 \"x\" \/","seat":"Rij 4 – stoel é","type":{"name":"Zürich & <b>"},"status":null,"scans":null,"quantity":null,"price":null,"deleted":true}`,
	`{"id":"t4","event_id":"e","Status":"valid","order-id":"o","eventid":"f"}`,
	`{"id":"t5","id":"t6","event_id":"e"}`,
	"{\"id\":\"t\",\"event_id\":\"e\",\"seat\":\"a\x7f\"}", "{\"id\":\"t\x7f\",\"event_id\":\"e\"}", `{"id":"t","event_id":"e","seat":"` + strings.Repeat("Row ", 150) + `","channel":"` + strings.Repeat("x", 501) + `"}`,
	`{"id":"` + strings.Repeat("t", 201) + `","event_id":"e"}`,
	`{"id":"t7","event_id":"e","other":1,"other":2,"deep":{"x":1,"x":2}}`,
	`{"id":"t8","event_id":"e","seat":"\ud800","other":"\udc00\ud800"}`,
	`{"id":"t9","event_id":"e","quantity":1e2}`, `{"id":"t9","event_id":"e","quantity":1.0}`, `{"id":"t9","event_id":"e","quantity":-0}`, `{"id":"t9","event_id":"e","quantity":007}`,
	`{"id":"t9","event_id":"e","quantity":1234567890123456789}`, `{"id":"t9","event_id":"e","price":{"amount":1234567890123456789,"currency":"EUR"}}`,
	`{"id":"t9","event_id":"e","price":{"amount":1}}`, `{"id":"t9","event_id":"e","price":{"currency":"EUR"}}`, `{"id":"t9","event_id":"e","price":{"amount":1,"amount":2,"currency":"EUR","x":1}}`,
	`{"id":"t9","event_id":"e","sold_at":"2026-02-29T10:00:00Z"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T24:00:00Z"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:00"}`,
	`{"id":"t9","event_id":"e","sold_at":"2026-11-21 10:00:00Z"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:00.Z"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:60Z"}`,
	`{"id":"t9","event_id":"e","sold_at":"0000-11-21T10:00:00Z"}`, `{"id":"t9","event_id":"e","sold_at":"202]-11-21T10:00:00Z"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:00+24:00"}`, `{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:00,5Z"}`,
	`{"id":"t9","event_id":"e","sold_at":"2026-11-21T10:00:00.1234567891Z"}`, `{"id":"t9","event_id":"e","sold_at":"0001-01-01T00:00:00Z"}`,
	`{"id":"t9","event_id":"e","scans":[null]}`, `{"id":"t9","event_id":"e","scans":[{"direction":"in","direction":"out"}]}`, `{"id":"t9","event_id":"e","admits":null,"test":null}`,
	`{"id":"t9","event_id":"e"}x`, `{"id":"t9","event_id":"e",}`, `{"id":"t9" "event_id":"e"}`, `{"id":"t9","event_id":"e"`, `{"id":"t9","event_id":"e","x":01}`, `{"id":"t9","event_id":"e","x":nul}`, `[]`, `null`, `7`, ``,
	"{\"id\":\"t\x01\",\"event_id\":\"e\"}", "{\"id\":\"t\xff\",\"event_id\":\"e\"}", "{\"id\":\"t\",\"event_id\":\"e\",\"x\":\"\xff\"}", "{\"id\":\"t\",\"event_id\":\"e\",\"ſeat\":\"s\"}",
	`{"id":"p1","order_id":"o","event_id":"e","parent_id":"p0","contact_id":"c","ticket_ids":["t2","t1\u0021"],"kind":"refund","amount":{"amount":-100,"currency":"EUR"},"status":"settled","amount_refunded":{"amount":1,"currency":"EUR"},"method":"ideal","created_at":"2026-11-21T18:40:00Z","paid_at":"2026-11-21T18:40:00Z","updated_at":"2026-11-21T18:40:00Z","test":true,"deleted":true}`,
	`{"id":"e1","title":"Caf\u00e9 <b>","date":"2026-11-21","available":null,"doors_at":"2026-11-21T19:00:00+01:00","starts_at":"2026-11-21T19:15:00Z","ends_at":"2026-11-21T21:00:00.5Z","interval_starts_at":"2026-11-21T20:00:00Z","interval_ends_at":"2026-11-21T20:20:00Z","undated":false,"hall":"Grote Zaal","series_id":"s","capacity":400,"unlimited":true,"blocked":-1,"reserved":0,"sold":7,"ticket_types":[{"id":"b","name":"Rang 2"},{"id":"a","name":"Rang 1","capacity":10,"price":{"amount":2450,"currency":"eur"}}],"status":"Sold-out","created_at":"2026-01-21T18:40:00Z","updated_at":"2026-11-21T18:40:00Z","test":true}`,
	`{"id":"e2","title":"x","date":"","undated":true,"ticket_types":[]}`, `{"id":"e3","date":"2026-11-21","capacity":null,"ticket_types":[{"id":"a","id":"b"}]}`, `{"id":"e4","date":"2026-11-21","ticket_types":[{"capacity":null}],"available":1.5}`, `{"id":"e5","date":"2026-11-21","ticket_types":[null]}`,
	`{"id":"s1","ticket_id":"t","event_id":"e","at":"2026-11-21T18:40:00Z","gate":"Noord","direction":"in","result":"OK","undone":true,"updated_at":"2026-11-21T18:40:00Z","deleted":true}`, `{"id":"s2","ticket_id":"t","at":"2026-11-21T18:40:00Z","At":"2026-11-21T18:41:00Z","direction":"in"}`,
	`{"id":"p2","ticket_ids":[],"amount":null,"status":"paid"}`, `{"id":"p3","amount":{"amount":5,"currency":"EUR"},"status":"paid","ticket_ids":[null]}`, `{"id":"p4","amount":5,"status":"paid"}`,
}

// sameAsDecoded fails if a Reader reads rows in another way than Decode.
func sameAsDecoded(t *testing.T, kind record.Kind, rows ...string) {
	t.Helper()
	r := record.NewReader(kind)
	for _, row := range rows {
		one, id, err := r.Decode([]byte(row))
		want, wantID, wantErr := record.Decode(kind, []byte(row))
		if (err == nil) != (wantErr == nil) || id != wantID || !reflect.DeepEqual(one, want) {
			t.Errorf("%s: %s\n%+v %q %v\n%+v %q %v", kind, row, one, id, err, want, wantID, wantErr)
		}
	}
}

// What the quick reader accepts is what the general decoder makes of it, whatever the row before was.
func TestQuickReaderDecodesAlike(t *testing.T) {
	for _, kind := range []record.Kind{record.KindTicket, record.KindPayment, record.KindEvent, record.KindScan, record.KindContact} {
		sameAsDecoded(t, kind, quickRows...)
	}
}

// mutated returns a row with a few bytes changed, left out, doubled or taken from another row.
func mutated(r *rand.Rand, row string) string {
	const bytes = "\"\"\"\\{}[]::,,0123456789.-+eETZ _nullu\n\x00\x1f\x7f\xc3\xa9\xff"
	for range 1 + r.IntN(3) {
		from := r.IntN(len(row) + 1)
		to := min(len(row), from+r.IntN(4))
		switch r.IntN(5) {
		case 0:
			row = row[:from] + row[to:]
		case 1:
			row = row[:from] + row[from:min(len(row), from+r.IntN(40))] + row[from:]
		case 2:
			other := quickRows[r.IntN(len(quickRows))]
			at := r.IntN(len(other) + 1)
			row = row[:from] + other[at:min(len(other), at+r.IntN(60))] + row[to:]
		default:
			at := r.IntN(len(bytes))
			row = row[:from] + bytes[at:at+1] + row[to:]
		}
	}
	return row
}

// The same holds of rows that are almost right.
func TestQuickReaderDecodesMutationsAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 21))
	rows := make([]string, 3)
	for range 4000 {
		for i := range rows {
			rows[i] = mutated(r, quickRows[r.IntN(len(quickRows))])
		}
		for _, kind := range []record.Kind{record.KindTicket, record.KindPayment, record.KindEvent, record.KindScan} {
			sameAsDecoded(t, kind, rows...)
		}
		if t.Failed() {
			break
		}
	}
}

func FuzzQuickReader(f *testing.F) {
	for i, row := range quickRows {
		f.Add(row, quickRows[(i*7+1)%len(quickRows)])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, kind := range []record.Kind{record.KindTicket, record.KindPayment, record.KindEvent, record.KindScan} {
			sameAsDecoded(t, kind, first, second, first)
		}
	})
}

// A row in the common form takes hardly any allocations: the quick reader read it.
func TestQuickReaderIsQuick(t *testing.T) {
	at := time.Date(2026, 11, 21, 18, 40, 0, 5e8, time.UTC)
	ticket := &record.Ticket{ID: "t", EventID: "e", OrderID: "o", ContactID: "c", Type: record.TypeRef{ID: "r", Name: "Rang 1"}, Quantity: new(1), Price: &record.Money{Amount: 1, Currency: "EUR"},
		Status: record.TicketValid, Scans: []record.Scan{{At: at, Gate: "Main", Direction: record.Entry}}, Seat: "Rij 1 – é", SoldAt: at, UpdatedAt: at}
	payment := &record.Payment{ID: "p", OrderID: "o", Amount: record.Money{Amount: 1, Currency: "EUR"}, AmountRefunded: &record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentPaid, Method: "ideal", PaidAt: at}
	for _, one := range []record.Record{ticket, payment} {
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []string{string(text), `{"unknown":{"a":["b"]},` + string(text[1:])} {
			r := record.NewReader(one.RecordKind())
			read := func() {
				if m, _, err := r.Decode([]byte(row)); err != nil || m.Record == nil {
					t.Fatal(m.Refused, err)
				}
			}
			read()
			if n := testing.AllocsPerRun(160, read); n > 1 { // the row's copy here
				t.Errorf("%s: %v allocations", row, n)
			}
		}
	}
	if _, _, ok := record.ValueEnd([]byte(strings.Repeat("[", 1000)), 0); ok {
		t.Error("a value without an end has one")
	}
}

// The quick reader knows every field of a record: one that it did not know would be lost.
func TestQuickReaderKnowsEveryField(t *testing.T) {
	for _, one := range []record.Record{&record.Ticket{}, &record.Payment{}, &record.Event{}, &record.TicketScan{}} {
		fill(reflect.ValueOf(one).Elem())
		whole, err := json.Marshal(one)
		var fields map[string]json.RawMessage
		if err != nil {
			t.Fatal(err)
		}
		whole = []byte(strings.ReplaceAll(string(whole), `"currency":"x"`, `"currency":"EUR"`))
		if json.Unmarshal(whole, &fields) != nil {
			t.Fatal(string(whole))
		}
		fields["deleted"] = json.RawMessage("false") // what is deleted forgets some of them
		row, _ := json.Marshal(fields)               // cannot fail
		sameAsDecoded(t, one.RecordKind(), string(whole), string(row))
		if record.NewReader(one.RecordKind()).Read(whole) == nil {
			t.Errorf("%s is left to the general decoder", whole)
		}
	}
}

// A value with half a surrogate pair has no end, so that it is left to who can say what is wrong with it; the characters just before
// and after the surrogates have one.
func TestValueEndOfSurrogates(t *testing.T) {
	for text, ends := range map[string]bool{
		`"\ud7ff"`: true, `"\ud800"`: false, `"\uDBFF"`: false, `"\udc00"`: false, `"\uDfFf"`: false, `"\ue000"`: true,
		`"\ud83d\ude00"`: false, `{"a":["\ud800"]}`: false, `{"\udfff":1}`: false, `"\\ud800"`: true, `"ud800"`: true,
	} {
		if begin, end, ok := record.ValueEnd([]byte(" "+text+" "), 0); ok != ends || ok && (begin != 1 || end != 1+len(text)) {
			t.Errorf("%s: from %d to %d, %v", text, begin, end, ok)
		}
	}
}

// The texts of rows are kept next to one another: a row costs no allocation for each of them, and what was read stays as it is.
func TestTextsAreKeptTogether(t *testing.T) {
	row := func(n int) []byte {
		return fmt.Appendf(nil, `{"id":"tkt_%05d","event_id":"evt_%05d","order_id":"ord_%05d","contact_id":"con_%05d","seat":"Row %05d","status":"valid"}`, n, n, n, n, n)
	}
	r := record.NewReader(record.KindTicket)
	const rows = 200
	var all []*record.Ticket
	for n := range rows {
		all = append(all, r.Read(row(n)).(*record.Ticket))
	}
	for n, one := range all {
		if want := fmt.Sprintf("tkt_%05d evt_%05d ord_%05d con_%05d Row %05d", n, n, n, n, n); want != strings.Join([]string{one.ID, one.EventID, one.OrderID, one.ContactID, one.Seat}, " ") {
			t.Fatalf("row %d became %+v", n, one)
		}
	}
	raw := row(7)
	if made := testing.AllocsPerRun(20, func() {
		for range 100 {
			r.Read(raw)
		}
	}); made > 15 {
		t.Errorf("%v allocations for 100 rows", made)
	}
	var most, before uint64
	for range 3000 { // however many were read, what is kept together is little, so that one row keeps little of others
		var m runtime.MemStats
		r.Read(raw)
		runtime.ReadMemStats(&m)
		if before > 0 {
			most = max(most, m.TotalAlloc-before)
		}
		before = m.TotalAlloc
	}
	if most > 50_000 {
		t.Errorf("a row takes %d bytes", most)
	}
}
