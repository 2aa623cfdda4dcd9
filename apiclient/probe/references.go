package probe

import "housecount/apiclient/record"

// reference is an id that records of a kind refer to.
type reference struct {
	kind  record.Kind
	names string
	id    string
}

// references holds the ids that came and the ids that records refer to.
type references struct {
	listed map[string]map[string]bool // ids of events, orders and tickets that came
	named  map[reference]int
}

func newReferences() references {
	return references{listed: map[string]map[string]bool{"event": {}, "order": {}, "ticket": {}}, named: map[reference]int{}}
}

// add adds a record and its references. Deleted records refer to nothing.
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
		if r.TicketID == "" {
			names("event", r.EventID)
		} else {
			names("ticket", r.TicketID)
		}
	}
}
