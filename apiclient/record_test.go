package apiclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

func pageOf(rows ...string) []byte {
	return fmt.Appendf(nil, `{"data":[%s],"meta":{"total":%d}}`, strings.Join(rows, ","), len(rows))
}

// An invalid row is refused with its field; the other rows are yielded.
func TestInvalidRowsAreRefused(t *testing.T) {
	event := func(fields string) string {
		return `{"id":"evt_x","title":"x","date":"2026-11-21","available":1` + fields + `}`
	}
	ticket := func(fields string) string { return `{"id":"tkt_x","event_id":"evt_1","status":"valid"` + fields + `}` }
	payment := func(fields string) string { return `{"id":"pay_x","status":"paid",` + fields + `}` }
	long := strings.Repeat("x", 201)
	tests := []struct {
		kind       record.Kind
		row        string
		field, why string
	}{
		{"event", `"text"`, "", "is not an object"},
		{"event", `null`, "id", "is missing"},
		{"event", `{"title":"x","date":"2026-11-21"}`, "id", "is missing"},
		{"event", `{"id":7,"date":"2026-11-21"}`, "id", "is a number, not a string"},
		{"event", `{"id":"` + long + `","date":"2026-11-21"}`, "id", "longer than 200"},
		{"event", `{"id":"a\u0000b","date":"2026-11-21"}`, "id", "control character"},
		{"event", `{"id":"a` + "\xff" + `b","date":"2026-11-21"}`, "id", "not UTF-8"},
		{"event", `{"id":"evt_x","title":"x"}`, "date", "is missing"},
		{"event", `{"id":"evt_x","date":"21-11-2026"}`, "date", "is no date"},
		{"event", `{"id":"evt_x","date":"2026-02-30"}`, "date", "is no date"},
		{"event", `{"id":"evt_x","date":"1969-12-31"}`, "date", "year 1969"},
		{"event", `{"id":"evt_x","date":"2201-01-01"}`, "date", "year 2201"},
		{"event", event(`,"starts_at":"tonight"`), "starts_at", `no RFC 3339 time: a text of 7 characters like aaaaaaa`},
		{"event", event(`,"starts_at":"1803-01-01T00:00:00Z"`), "starts_at", "year 1803"},
		{"event", event(`,"updated_at":"9999-01-01T00:00:00Z"`), "updated_at", "year 9999"},
		{"event", event(`,"capacity":-1`), "capacity", "is -1"},
		{"event", event(`,"capacity":10000001`), "capacity", "is 10000001"},
		{"event", event(`,"capacity":12.5`), "capacity", "is the number 12.5, not an integer"},
		{"event", event(`,"capacity":1e400`), "capacity", "is the number 1e400, not an integer"},
		{"event", event(`,"blocked":-3`), "blocked", "is -3"},
		{"event", event(`,"ticket_types":{}`), "ticket_types", "is an object, not an array"},
		{"event", event(`,"ticket_types":[{"id":"a","capacity":"many"}]`), "ticket_types.capacity", "is a string, not an integer"},
		{"event", event(`,"ticket_types":[{"id":"a","price":{"amount":-1,"currency":"EUR"}}]`), "ticket_types.price", "is -1 minor units"},
		{"ticket", `{"id":"tkt_x"}`, "event_id", "is missing"},
		{"ticket", ticket(`,"quantity":-100001`), "quantity", "is -100001"},
		{"ticket", ticket(`,"quantity":100001`), "quantity", "is 100001"},
		{"ticket", ticket(`,"price":{"amount":-100,"currency":"EUR"}`), "price", "is -100 minor units"},
		{"ticket", ticket(`,"price":{"amount":24.50,"currency":"EUR"}`), "price", "integer of minor units"},
		{"ticket", ticket(`,"price":{"amount":"2450","currency":"EUR"}`), "price", "integer of minor units"},
		{"ticket", ticket(`,"price":{"currency":"EUR"}`), "price", "says no amount"},
		{"ticket", ticket(`,"price":{"amount":null,"currency":"EUR"}`), "price", "says no amount"},
		{"ticket", ticket(`,"price":2450`), "price", "integer of minor units"},
		{"ticket", ticket(`,"price":{"amount":2450}`), "price", "not three letters"},
		{"ticket", ticket(`,"price":{"amount":2450,"currency":"euro"}`), "price", "not three letters"},
		{"ticket", ticket(`,"price":{"amount":2450,"currency":"€€€"}`), "price", "not three letters"},
		{"ticket", ticket(`,"scans":[{"at":"19:45","direction":"entry"}]`), "scans", "no RFC 3339 time"},
		{"ticket", ticket(`,"scans":[` + strings.TrimSuffix(strings.Repeat(`{},`, 10_001), ",") + `]`), "scans", "more than 10000"},
		{"payment", payment(`"amount":{"amount":10000000000001,"currency":"EUR"}`), "amount", "is 10000000000001 minor units"},
		{"payment", payment(`"amount":{"amount":-9223372036854775808,"currency":"EUR"}`), "amount", "is -9223372036854775808 minor units, which is not within -10000000000000 and 10000000000000"},
		{"payment", payment(`"amount":{"amount":9223372036854775808,"currency":"EUR"}`), "amount", "integer of minor units"},
		{"payment", payment(`"kind":"refund"`), "amount", "not three letters"},
		{"payment", payment(`"kind":"reversal","amount":{"amount":-5,"currency":"EUR"}`), "amount", "sign is not known"},
		{"payment", payment(`"amount":{"amount":5,"currency":"EUR"},"amount_refunded":{"amount":-5,"currency":"EUR"}`), "amount_refunded", "is -5"},
		{"payment", payment(`"amount":{"amount":5,"currency":"EUR"},"ticket_ids":["a",""]`), "ticket_ids", "is missing"},
	}
	good := map[record.Kind]string{
		record.KindEvent: event(``), record.KindTicket: ticket(``), record.KindPayment: payment(`"amount":{"amount":5,"currency":"EUR"}`),
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %.60s", test.kind, test.row), func(t *testing.T) {
			body := pageOf(good[test.kind], test.row, good[test.kind])
			var records int
			var refused []*record.Refusal
			var err *apiclient.Error
			switch test.kind {
			case record.KindEvent:
				d, e := apiclient.DecodeEvents(body)
				records, refused, err = len(d.Records), d.Refused, e
			case record.KindTicket:
				d, e := apiclient.DecodeTickets(body)
				records, refused, err = len(d.Records), d.Refused, e
			case record.KindPayment:
				d, e := apiclient.DecodePayments(body)
				records, refused, err = len(d.Records), d.Refused, e
			}
			if err != nil || records != 2 || len(refused) != 1 {
				t.Fatalf("%d records, %v refused, %v; want 2 and 1", records, refused, err)
			}
			r := refused[0]
			if r.Kind != test.kind || r.Field != test.field || !strings.Contains(r.Why.String(), test.why) {
				t.Errorf("refused for %q: %q, want %q: %q", r.Field, r.Why.String(), test.field, test.why)
			}
			if len(r.ID) > 200 || strings.ContainsRune(r.ID, 0) {
				t.Errorf("the id %q is not fit to be shown", r.ID)
			}
		})
	}
}

func TestARowOfUnreasonableSizeIsRefused(t *testing.T) {
	d, err := apiclient.DecodeTickets(pageOf(`{"id":"tkt_1","event_id":"e","seat":"`+strings.Repeat("x", 1<<20)+`"}`, `{"id":"tkt_2","event_id":"e"}`))
	if err != nil || len(d.Records) != 1 || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Why.String(), "larger than") {
		t.Fatalf("%+v, %v", d, err)
	}
}

// Records are normalized: times in UTC, scans sorted, words in our spelling, text fit for display.
func TestRecordsAreNormalized(t *testing.T) {
	at := func(h, m int) time.Time { return time.Date(2026, 11, 21, h, m, 0, 0, time.UTC) }

	ticket := func(t *testing.T, row string) *record.Ticket {
		t.Helper()
		d, err := apiclient.DecodeTickets(pageOf(row))
		if err != nil || len(d.Records) != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		return d.Records[0]
	}
	payment := func(t *testing.T, row string) *record.Payment {
		t.Helper()
		d, err := apiclient.DecodePayments(pageOf(row))
		if err != nil || len(d.Records) != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		return d.Records[0]
	}

	t.Run("a ticket", func(t *testing.T) {
		got := ticket(t, `{"id":"tkt_1","event_id":"evt_1","holder":{"name":"unknown fields are skipped"},"status":"Cancelled",
			"price":{"amount":0,"currency":"eur"},"created_at":"2026-11-21T20:00:00+01:00","sold_at":"0001-01-01T00:00:00Z",
			"scans":[{"at":"2026-11-21T20:10:00+01:00","direction":"OUT","result":"OK"},{"at":"2026-11-21T18:55:00Z","gate":"Main\u0007","direction":"in"},
				{"at":"2026-11-21T19:00:00Z","direction":"sideways"}]}`)
		want := &record.Ticket{
			ID: "tkt_1", EventID: "evt_1", Status: record.TicketVoid, Price: &record.Money{Currency: "EUR"}, CreatedAt: at(19, 0),
			Scans: []record.Scan{{At: at(18, 55), Gate: "Main\ufffd", Direction: record.Entry}, {At: at(19, 0), Direction: "sideways"}, {At: at(19, 10), Direction: record.Exit, Result: "ok"}},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
	t.Run("scans", func(t *testing.T) {
		for row, want := range map[string][]record.Scan{
			`{"id":"a","event_id":"e"}`:                                    nil,
			`{"id":"a","event_id":"e","scans":null}`:                       nil,
			`{"id":"a","event_id":"e","scans":[]}`:                         {},
			`{"id":"a","event_id":"e","scans":[{"direction":"sideways"}]}`: {{Direction: "sideways"}}, // somebody passed, and nobody knows which way
		} {
			if got := ticket(t, row).Scans; !reflect.DeepEqual(got, want) {
				t.Errorf("%s has the scans %#v, want %#v", row, got, want)
			}
		}
		for _, direction := range []string{``, `"direction":null`, `"direction":""`} {
			d, err := apiclient.DecodeTickets(pageOf(`{"id":"a","event_id":"e","scans":[{"at":"2026-11-21T19:00:00Z","direction":"entry"},{` + direction + `}]}`))
			if err != nil || len(d.Records) != 0 || len(d.Refused) != 1 || d.Refused[0].Field != "scans.direction" || d.Refused[0].EventID != "e" {
				t.Errorf("a scan with %q: %+v, %v, want the ticket refused", direction, d, err)
			}
		}
	})
	t.Run("words", func(t *testing.T) {
		for word, want := range map[string]record.PaymentStatus{
			"PAID": "paid", "settled": "paid", "Succeeded": "paid", "Cancelled": "canceled", "canceled": "canceled",
			"Charged Back": "charged_back", "charged-back": "charged_back", "Quantum ": "Quantum ", "": "",
		} {
			if got := payment(t, fmt.Sprintf(`{"id":"a","status":%q,"amount":{"amount":1,"currency":"EUR"}}`, word)).Status; got != want {
				t.Errorf("%q becomes %q, want %q", word, got, want)
			}
		}
		for word, want := range map[string]record.EventStatus{"canceled": "cancelled", "On Sale": "on_sale", "SOLD-OUT": "sold_out", "Mystery": "Mystery"} {
			d, err := apiclient.DecodeEvents(pageOf(fmt.Sprintf(`{"id":"a","date":"2026-11-21","status":%q}`, word)))
			if err != nil || len(d.Records) != 1 || d.Records[0].Status != want {
				t.Errorf("%q becomes %+v %v, want %q", word, d, err, want)
			}
		}
	})
	t.Run("signs", func(t *testing.T) {
		for _, test := range []struct {
			kind   string
			amount int64
			want   record.PaymentKind
		}{
			{"", 500, ""}, {"", -500, "refund"}, {"payment", -500, "refund"}, {"Refund", -500, "refund"}, {"refund", 500, "refund"},
			{"chargeback", -500, "chargeback"}, {"reversal", 500, "reversal"}, {"adjustment", 500, "adjustment"},
		} {
			p := payment(t, fmt.Sprintf(`{"id":"a","kind":%q,"amount":{"amount":%d,"currency":"EUR"}}`, test.kind, test.amount))
			if p.Kind != test.want || p.Amount.Amount != 500 {
				t.Errorf("%q of %d becomes %q of %d, want %q of 500", test.kind, test.amount, p.Kind, p.Amount.Amount, test.want)
			}
		}
	})
}

func TestHostileTitlesAreData(t *testing.T) {
	titles := []string{
		`</script><script>alert(1)</script>`, `__f__(alert(1))__f__`, `"; DROP TABLE events; --`, `{{.}}`, `😀 Ünïcode`, ``,
		strings.Repeat("é", 500),
	}
	changed := map[string]string{
		"a\nb\tc\x00d\u0085e":    "a b c\ufffdd\ufffde",
		"bad \xff\xfe bytes":     "bad \ufffd\ufffd bytes",
		strings.Repeat("é", 501): strings.Repeat("é", 499) + "…",
	}
	for _, s := range titles {
		changed[s] = s
	}
	for title, want := range changed {
		quoted, _ := json.Marshal(title)
		if strings.Contains(title, "\xff") {
			quoted = []byte(`"` + title + `"`)
		}
		body := pageOf(fmt.Sprintf(`{"id":"evt_1","date":"2026-11-21","title":%s}`, quoted))
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(body) }, apiclient.Options{})
		g := gather(readEvents(t.Context(), c, apiclient.Query{}))
		if g.err != nil || len(g.records) != 1 || g.records[0].Title != want {
			t.Errorf("%.80q: %+v, %v; want %.80q", title, g.records, g.err, want)
		}
	}
}

// Our wire format is the JSON of the records.
func TestRoundTrip(t *testing.T) {
	body := fullPage(20)
	d, err := apiclient.DecodeTickets(body)
	if err != nil || len(d.Records) != 20 || len(d.Refused) != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	again, _ := json.Marshal(map[string]any{"data": d.Records, "meta": map[string]int{"total": 20, "page": 1, "per_page": 20}})
	if string(again) != string(body) {
		t.Errorf("came back as\n%s\nwant\n%s", again, body)
	}
}
