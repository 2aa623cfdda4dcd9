package probe

import "housecount/apiclient/record"

// reference is what records of a kind name by an id.
type reference struct {
	kind  record.Kind
	names string
	id    string
}

// references are what came and what it names.
type references struct {
	listed map[string]map[string]bool // ids of events, orders and tickets that came
	named  map[reference]int
}

func newReferences() references {
	return references{listed: map[string]map[string]bool{"event": {}, "order": {}, "ticket": {}}, named: map[reference]int{}}
}

// add notes a record and what it names. What is deleted names nothing.
func (f references) add(r record.Record) {
	names := func(what string, ids ...string) {
		for _, id := range ids {
			if id != "" && !record.Deleted(r) {
				f.named[reference{r.RecordKind(), what, id}]++
			}
		}
	}
	switch r := r.(type) {
	case *record.Event:
		f.listed["event"][r.ID] = true
	case *record.Ticket:
		f.listed["ticket"][r.ID] = true
		f.listed["order"][r.OrderID] = true
		names("event", r.EventID)
	case *record.Payment:
		names("event", r.EventID)
		names("order", r.OrderID)
		names("ticket", r.TicketIDs...)
	case *record.Planning:
		names("event", r.EventID)
	case *record.TicketScan:
		names("ticket", r.TicketID)
	}
}
