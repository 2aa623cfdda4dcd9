package record_test

import (
	"testing"

	"housecount/apiclient/record"
)

// A refused record says which event it is missing from, as far as it can be read.
func TestRefusalNamesTheEvent(t *testing.T) {
	for _, c := range []struct {
		kind       record.Kind
		row, event string
	}{
		{record.KindTicket, `{"id":"tkt","event_id":"evt","sold_at":"yesterday"}`, "evt"},
		{record.KindTicket, `{"id":"tkt","event_id":"evt","order_id":"a\u0007"}`, "evt"},
		{record.KindPayment, `{"id":"pay","event_id":"evt","amount":"much"}`, "evt"},
		{record.KindTicket, `{"id":"tkt","event_id":7}`, ""},
		{record.KindEvent, `{"id":"evt","event_id":"other","starts_at":"soon"}`, ""},
	} {
		m, _, err := record.Decode(c.kind, []byte(c.row))
		if err != nil || m.Refused == nil || m.Refused.EventID != c.event {
			t.Errorf("%s: %+v, %v; want a refusal of the event %q", c.row, m.Refused, err, c.event)
		}
	}
}
