package probe_test

import (
	"slices"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/record"
)

// References to what no list gave are counted if the lists that should give it were read whole.
func TestFindUnlisted(t *testing.T) {
	lists := func(whole bool) []*probe.Finding {
		list := func(kind record.Kind, records ...record.Record) *probe.Finding {
			f := &probe.Finding{Stream: apiclient.Stream{Name: string(kind), Gives: []record.Kind{kind}}, Whole: whole, Fields: probe.NewFields()}
			for _, r := range records {
				f.Fields.Add(r)
			}
			return f
		}
		return []*probe.Finding{
			list(record.KindEvent, &record.Event{ID: "e"}),
			list(record.KindTicket, &record.Ticket{ID: "a", EventID: "e", OrderID: "o"}, &record.Ticket{ID: "b", EventID: "x"}, &record.Ticket{ID: "c", EventID: "y"},
				&record.Ticket{ID: "d", EventID: "z", Deleted: true}),
			list(record.KindPayment, &record.Payment{ID: "p", OrderID: "o", TicketIDs: []string{"a"}}, &record.Payment{ID: "q", OrderID: "none", TicketIDs: []string{"gone"}}),
		}
	}
	want := []probe.Unlisted{{record.KindPayment, "order", 1, "none"}, {record.KindPayment, "ticket", 1, "gone"}, {record.KindTicket, "event", 2, "x"}}
	if got := probe.FindUnlisted(lists(true)); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := probe.FindUnlisted(lists(false)); len(got) != 0 {
		t.Errorf("of lists that were not read whole: %v", got)
	}
}
