package record_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"housecount/apiclient/record"
)

// A refusal names the record's event if it can be read.
func TestRefusalNamesTheEvent(t *testing.T) {
	for _, c := range []struct {
		kind       record.Kind
		row, event string
	}{
		{record.KindTicket, `{"id":"tkt","event_id":"evt","sold_at":"yesterday"}`, "evt"},
		{record.KindTicket, `{"id":"tkt","event_id":"evt","order_id":"a\u0007"}`, "evt"},
		{record.KindPayment, `{"id":"pay","event_id":"evt","amount":"much"}`, "evt"},
		{record.KindPlanning, `{"id":"pln","event_id":"evt","expected_visitors":-1}`, "evt"},
		{record.KindTicket, `{"id":"tkt","event_id":"ev\u0007"}`, "ev\ufffd"},
		{record.KindTicket, `{"id":"tkt","event_id":7}`, ""},
		{record.KindEvent, `{"id":"evt","event_id":"other","starts_at":"soon"}`, ""},
	} {
		m, _, err := record.Decode(c.kind, []byte(c.row))
		if err != nil || m.Refused == nil || m.Refused.EventID != c.event {
			t.Errorf("%s: %+v, %v; want a refusal of the event %q", c.row, m.Refused, err, c.event)
		}
	}
}

// The reason of a refusal is stored and shown: it describes a value without revealing it, whatever
// field contains personal data.
func TestRefusalQuotesNoValue(t *testing.T) {
	person, _ := json.Marshal("Jan Jansen <jan@example.org>")
	whole := map[record.Kind]string{
		record.KindEvent:    `"id":"x","date":"2026-11-21"`,
		record.KindTicket:   `"id":"x","event_id":"e"`,
		record.KindPayment:  `"id":"x","amount":{"amount":-1,"currency":"EUR"}`,
		record.KindContact:  `"id":"x"`,
		record.KindPlanning: `"id":"x"`,
		record.KindScan:     `"id":"x","ticket_id":"t","direction":"entry"`,
	}
	for kind, fields := range whole {
		refused := 0
		for f := range reflect.TypeOf(record.New(kind)).Elem().Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			for _, value := range []string{string(person), `{"amount":1,"currency":` + string(person) + `}`, `[` + string(person) + `]`, `[{"at":` + string(person) + `}]`} {
				row := fmt.Sprintf(`{%s,%q:%s}`, fields, name, value)
				m, _, err := record.Decode(kind, []byte(row))
				if err != nil {
					t.Fatal(row, err)
				}
				if m.Refused == nil {
					continue
				}
				if refused++; strings.Contains(m.Refused.Why.String(), "an@") || strings.Contains(strings.ToLower(m.Refused.Why.String()), "jan") {
					t.Errorf("%s: %s", row, m.Refused.Why.String())
				}
			}
		}
		if refused < 10 {
			t.Errorf("%s: only %d rows were refused", kind, refused)
		}
	}
}
