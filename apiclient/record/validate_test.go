package record_test

import (
	"testing"

	"housecount/apiclient/record"
)

// The order of a record's lists makes no new version, except for ticket types without ids, which
// only their order identifies.
func TestOrderOfLists(t *testing.T) {
	for _, c := range []struct {
		kind record.Kind
		a, b string
		same bool
	}{
		{record.KindEvent, `{"id":"e","date":"2026-11-21","ticket_types":[{"id":"b","name":"B"},{"id":"a","name":"A"}]}`,
			`{"id":"e","date":"2026-11-21","ticket_types":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}`, true},
		{record.KindEvent, `{"id":"e","date":"2026-11-21","ticket_types":[{"name":"B"},{"id":"a","name":"A"}]}`,
			`{"id":"e","date":"2026-11-21","ticket_types":[{"id":"a","name":"A"},{"name":"B"}]}`, false},
		{record.KindPayment, `{"id":"p","amount":{"amount":1,"currency":"EUR"},"status":"paid","ticket_ids":["b","a"]}`,
			`{"id":"p","amount":{"amount":1,"currency":"EUR"},"status":"paid","ticket_ids":["a","b"]}`, true},
		{record.KindContact, `{"id":"c","types":["press","donor"]}`, `{"id":"c","types":["donor","press"]}`, true},
	} {
		a, b := decode(t, c.kind, c.a), decode(t, c.kind, c.b)
		if record.Newer(a, b) == c.same {
			t.Errorf("%s and %s: the same %v, want %v", c.a, c.b, !c.same, c.same)
		}
	}
}

// decode decodes a valid record.
func decode(t *testing.T, kind record.Kind, text string) record.Record {
	t.Helper()
	m, _, err := record.Decode(kind, []byte(text))
	if err != nil || m.Record == nil {
		t.Fatalf("%s: %v, %v", text, m.Refused, err)
	}
	return m.Record
}
