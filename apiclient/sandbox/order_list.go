package sandbox

import (
	"fmt"
	"slices"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// ticketOrder is an order with its tickets and extras as parts. With Options.Orders the service lists these and no
// tickets, as services do that know a ticket only as a line of its order.
type ticketOrder struct {
	ID      string           `json:"id"`
	EventID string           `json:"event_id"`
	Tickets []*record.Ticket `json:"tickets"`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (o *ticketOrder) RecordKind() record.Kind { return "order" }

func (o *ticketOrder) RecordID() string { return o.ID }

func (o *ticketOrder) RecordUpdated() time.Time { return o.UpdatedAt }

// copy returns a copy of the order with copies of its tickets.
func (o *ticketOrder) copy() *ticketOrder {
	c := *o
	c.Tickets = make([]*record.Ticket, len(o.Tickets))
	for i, t := range o.Tickets {
		c.Tickets[i] = new(*t)
	}
	return &c
}

// listInOrder stores that a ticket was added or changed at now in its order.
func (st *stream) listInOrder(t *record.Ticket, now time.Time) {
	known := st.rows[t.OrderID]
	if known == nil {
		st.add(&ticketOrder{ID: t.OrderID, EventID: t.EventID, Tickets: []*record.Ticket{t}}, now)
		return
	}
	o := known.record.(*ticketOrder)
	if !slices.Contains(o.Tickets, t) {
		o.Tickets = append(o.Tickets, t)
	}
	st.touch(o, now)
}

// remove takes a record out of the stream.
func (st *stream) remove(rec record.Record) {
	r := st.rows[rec.RecordID()]
	st.unlink(r)
	delete(st.rows, rec.RecordID())
	delete(st.versions, r)
	without := func(rows []*row) []*row {
		return slices.DeleteFunc(slices.Clone(rows), func(other *row) bool { return other == r })
	}
	st.created = without(st.created)
	event, order := eventAndOrder(rec)
	st.byEvent[event], st.byOrder[order] = without(st.byEvent[event]), without(st.byOrder[order])
	st.revision++
}

// controlTakeOut takes a ticket out of its order: the service lists it no longer, and what was paid for it is owed to
// the buyer.
func (h *house) controlTakeOut(body []byte) (any, error) {
	in, err := decode[struct {
		TicketID string `json:"ticket_id"`
	}](body)
	if err != nil {
		return nil, err
	}
	t, err := find[*record.Ticket](h.tickets, in.TicketID)
	if err != nil {
		return nil, err
	}
	if h.tickets.orders == nil {
		return nil, idp.Conflict("The service lists tickets by themselves: void the ticket instead.")
	}
	if h.orders[t.OrderID] != nil {
		return nil, idp.Conflict(fmt.Sprintf("The order %s is one of the simulation, which still counts on its tickets.", t.OrderID))
	}
	if t.Status == record.TicketValid || t.Status == record.TicketReserved {
		h.cancel(t, record.TicketVoid)
	}
	h.shows[t.EventID].moveTo(t, elsewhere)
	h.tickets.remove(t)
	o := h.tickets.orders.rows[t.OrderID].record.(*ticketOrder)
	o.Tickets = slices.DeleteFunc(slices.Clone(o.Tickets), func(other *record.Ticket) bool { return other == t })
	h.tickets.orders.touch(o, h.now)
	return map[string]any{"order_id": o.ID, "ticket_id": t.ID, "tickets": len(o.Tickets)}, nil
}
