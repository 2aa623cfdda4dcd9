package ledger

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// references count the records that name an event.
type references struct {
	tickets, places int // sold places of those tickets
	payments        int // settled
	plans           int // plans that count
}

func (r *references) addAll(o references, n int) {
	r.tickets += n * o.tickets
	r.places += n * o.places
	r.payments += n * o.payments
	r.plans += n * o.plans
}

// missing counts the records that name a record that no list gave.
type missing struct {
	events  references // to events
	orders  int        // settled payments of orders that have no tickets
	tickets int        // settled payments that name a ticket that has not arrived
	scans   int        // scans of tickets that have not arrived
}

// strays returns the snapshot's strays; none while events are still being read.
func (m *missing) strays(k *Knowledge) figures.Strays {
	if !k.eventsComplete || k.events.behind {
		return figures.Strays{}
	}
	return figures.Strays{Tickets: m.events.tickets, Places: m.events.places}
}

// diagnostics returns the references to records that no list gave, once those lists have been read.
func (m *missing) diagnostics(k *Knowledge) (all []figures.Diagnostic) {
	find := func(kind record.Kind, what record.Message, count int) {
		if count > 0 {
			all = append(all, figures.Diagnostic{Code: figures.CodeUnknownReference, Kind: kind, Text: what, Count: count})
		}
	}
	if k.eventsComplete && !k.events.behind {
		what := record.Say("names an event that no list gave")
		find(record.KindTicket, what, m.events.tickets)
		find(record.KindPayment, what, m.events.payments)
		find(record.KindPlanning, what, m.events.plans)
	}
	if k.tickets.current() {
		find(record.KindPayment, record.Say("names an order of which there is no ticket"), m.orders)
		what := record.Say("names a ticket that no list gave")
		find(record.KindPayment, what, m.tickets)
		find(record.KindScan, what, m.scans)
	}
	return all
}
