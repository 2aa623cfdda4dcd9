package services

import (
	"slices"
	"strings"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// scope is whose an id is.
type scope struct {
	// prefix is before the ids of the service's own records; empty for the first service.
	prefix string
	// foreign are the prefixes of all services but the first.
	foreign []string
	// events, tickets and contacts report whether the service has its own. Orders are those of its tickets.
	events, tickets, contacts bool
}

func newScope(streams []apiclient.Stream) scope {
	gives := func(kinds ...record.Kind) bool {
		return slices.ContainsFunc(streams, func(s apiclient.Stream) bool {
			return slices.ContainsFunc(kinds, func(k record.Kind) bool { return slices.Contains(s.Gives, k) })
		})
	}
	return scope{events: gives(record.KindEvent), tickets: gives(record.KindTicket), contacts: gives(record.KindContact, record.KindTicket)}
}

// owns reports whether an id is one of the service's own records.
func (s *scope) owns(id string) bool {
	if s.prefix != "" {
		return strings.HasPrefix(id, s.prefix)
	}
	return s.isFirst(id)
}

// isFirst reports whether an id is one of the first service's records.
func (s *scope) isFirst(id string) bool {
	return !slices.ContainsFunc(s.foreign, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}

// fault returns why a record of the service cannot have an id, zero if it can.
func (s *scope) fault(id string) record.Message {
	switch {
	case !s.owns(s.prefix + id):
		return record.Say("begins as those of another service do")
	case s.prefix != "":
		return record.CheckID(s.prefix + id)
	}
	return record.Message{}
}

// eventAsked returns the service's own id of an event; ok is false if it has no such event.
func (s *scope) eventAsked(id string) (own string, ok bool) {
	if s.events {
		return strings.TrimPrefix(id, s.prefix), s.owns(id)
	}
	return id, s.isFirst(id) // it speaks of the first service's events
}

// id returns an id with the prefix, if the service has records of that sort of its own.
func (s *scope) id(own bool, id string) string {
	if id == "" || !own {
		return id
	}
	return s.prefix + id
}

// record returns a record with its ids as they are here.
func (s *scope) record(r record.Record) record.Record {
	if s.prefix == "" {
		return r
	}
	switch r := r.(type) {
	case *record.Event:
		b := *r
		b.ID, b.Series = s.id(true, r.ID), s.id(true, r.Series)
		return &b
	case *record.Ticket:
		b := *r
		b.ID, b.Replaces, b.OrderID = s.id(true, r.ID), s.id(true, r.Replaces), s.id(true, r.OrderID)
		b.EventID, b.ContactID = s.id(s.events, r.EventID), s.id(s.contacts, r.ContactID)
		return &b
	case *record.Payment:
		b := *r
		b.ID, b.ParentID, b.OrderID = s.id(true, r.ID), s.id(true, r.ParentID), s.id(s.tickets, r.OrderID)
		b.EventID, b.ContactID = s.id(s.events, r.EventID), s.id(s.contacts, r.ContactID)
		b.TicketIDs = nil
		for _, id := range r.TicketIDs {
			b.TicketIDs = append(b.TicketIDs, s.id(s.tickets, id))
		}
		return &b
	case *record.Contact:
		b := *r
		b.ID = s.id(true, r.ID)
		return &b
	case *record.Planning:
		b := *r
		b.ID, b.EventID = s.id(true, r.ID), s.id(s.events, r.EventID)
		return &b
	case *record.TicketScan:
		b := *r
		b.ID, b.TicketID, b.EventID = s.id(true, r.ID), s.id(s.tickets, r.TicketID), s.id(s.events, r.EventID)
		return &b
	}
	return r
}

// row returns a row with the ids of its records as they are here.
func (s *scope) row(stream string, row record.Row) record.Row {
	if s.prefix == "" {
		return row
	}
	row.List, row.Records = stream, slices.Clone(row.Records)
	for i := range row.Records {
		row.Records[i].ID = s.id(true, row.Records[i].ID)
	}
	return row
}

// refusal returns a refusal with the ids that its record has here.
func (s *scope) refusal(stream string, e *record.Refusal) *record.Refusal {
	if s.prefix == "" {
		return e
	}
	b := *e
	b.Stream, b.ID, b.EventID = stream, s.id(true, e.ID), s.id(s.events, e.EventID)
	return &b
}
