package bodies

import (
	"encoding/json"
	"fmt"

	"housecount/apiclient/record"
)

// Record decodes a record of a kind.
func (p *Parser) Record(kind record.Kind, body []byte) (record.Record, error) {
	p.b, p.i, p.failed = body, 0, false
	var r record.Record
	switch kind {
	case record.KindEvent:
		r = p.event()
	case record.KindTicket:
		r = p.ticket()
	case record.KindPayment:
		r = p.payment()
	case record.KindScan:
		r = p.ticketScan()
	default:
		return Decode(kind, body)
	}
	if p.failed || p.i != len(p.b) {
		return Decode(kind, body)
	}
	return r, nil
}

// Decode reads a record with encoding/json.
func Decode(kind record.Kind, body []byte) (record.Record, error) {
	r := record.New(kind)
	if r == nil {
		return nil, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("a stored %s cannot be read: %w", kind, err)
	}
	return r, nil
}

func (p *Parser) event() *record.Event {
	e := new(record.Event)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			e.ID = p.text()
		case "title":
			e.Title = p.text()
		case "date":
			e.Date = p.text()
		case "available":
			e.Available = p.number()
		case "doors_at":
			e.DoorsAt = p.time()
		case "starts_at":
			e.StartsAt = p.time()
		case "ends_at":
			e.EndsAt = p.time()
		case "interval_starts_at":
			e.IntervalStartsAt = p.time()
		case "interval_ends_at":
			e.IntervalEndsAt = p.time()
		case "undated":
			e.Undated = p.flag()
		case "hall":
			e.Hall = p.word()
		case "series_id":
			e.Series = p.word()
		case "capacity":
			e.Capacity = p.number()
		case "unlimited":
			e.Unlimited = p.flag()
		case "blocked":
			e.Blocked = p.number()
		case "reserved":
			e.Reserved = p.number()
		case "sold":
			e.Sold = p.number()
		case "ticket_types":
			e.TicketTypes = []record.TicketType{}
			for p.begin('['); p.more(']'); {
				e.TicketTypes = append(e.TicketTypes, p.ticketType())
			}
		case "status":
			e.Status = record.EventStatus(p.word())
		case "created_at":
			e.CreatedAt = p.time()
		case "updated_at":
			e.UpdatedAt = p.time()
		case "test":
			e.Test = p.flag()
		case "deleted":
			e.Deleted = p.flag()
		default:
			p.failed = true
		}
	}
	return e
}

func (p *Parser) ticketType() (t record.TicketType) {
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			t.ID = p.word()
		case "name":
			t.Name = p.word()
		case "capacity":
			t.Capacity = p.number()
		case "price":
			t.Price = p.money()
		default:
			p.failed = true
		}
	}
	return t
}

func (p *Parser) ticket() *record.Ticket {
	t := new(record.Ticket)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			t.ID = p.text()
		case "event_id":
			t.EventID = p.word()
		case "order_id":
			t.OrderID = p.again(&p.order)
		case "contact_id":
			t.ContactID = p.again(&p.contact)
		case "type":
			for p.begin('{'); p.more('}'); {
				switch name := p.name(); string(name) {
				case "id":
					t.Type.ID = p.word()
				case "name":
					t.Type.Name = p.word()
				default:
					p.failed = true
				}
			}
		case "quantity":
			t.Quantity = p.number()
		case "price":
			t.Price = p.money()
		case "fee":
			t.Fee = p.money()
		case "vat":
			t.VAT = p.money()
		case "complimentary":
			t.Complimentary = p.flag()
		case "admits":
			t.Admits = new(p.flag())
		case "status":
			t.Status = record.TicketStatus(p.word())
		case "scans":
			if p.null() {
				continue
			}
			t.Scans = []record.Scan{}
			for p.begin('['); p.more(']'); {
				var s record.Scan
				for p.begin('{'); p.more('}'); {
					p.scanField(&s, p.name())
				}
				t.Scans = append(t.Scans, s)
			}
		case "seat":
			t.Seat = p.text()
		case "channel":
			t.Channel = p.word()
		case "referral":
			t.Referral = p.word()
		case "discount_code":
			t.DiscountCode = p.word()
		case "kind":
			t.Kind = record.ExtraKind(p.word())
		case "replaces":
			t.Replaces = p.text()
		case "created_at":
			t.CreatedAt = p.time()
		case "sold_at":
			t.SoldAt = p.time()
		case "cancelled_at":
			t.CancelledAt = p.time()
		case "updated_at":
			t.UpdatedAt = p.time()
		case "test":
			t.Test = p.flag()
		case "deleted":
			t.Deleted = p.flag()
		default:
			p.failed = true
		}
	}
	return t
}

func (p *Parser) payment() *record.Payment {
	m := new(record.Payment)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			m.ID = p.text()
		case "order_id":
			m.OrderID = p.again(&p.order)
		case "event_id":
			m.EventID = p.word()
		case "parent_id":
			m.ParentID = p.text()
		case "contact_id":
			m.ContactID = p.again(&p.contact)
		case "ticket_ids":
			m.TicketIDs = []string{}
			for p.begin('['); p.more(']'); {
				m.TicketIDs = append(m.TicketIDs, p.text())
			}
		case "kind":
			m.Kind = record.PaymentKind(p.word())
		case "amount":
			if amount := p.money(); amount != nil {
				m.Amount = *amount
			}
		case "status":
			m.Status = record.PaymentStatus(p.word())
		case "amount_refunded":
			m.AmountRefunded = p.money()
		case "method":
			m.Method = p.word()
		case "reason":
			m.Reason = p.word()
		case "created_at":
			m.CreatedAt = p.time()
		case "paid_at":
			m.PaidAt = p.time()
		case "updated_at":
			m.UpdatedAt = p.time()
		case "test":
			m.Test = p.flag()
		case "deleted":
			m.Deleted = p.flag()
		default:
			p.failed = true
		}
	}
	return m
}

func (p *Parser) ticketScan() *record.TicketScan {
	s := new(record.TicketScan)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			s.ID = p.text()
		case "ticket_id":
			s.TicketID = p.text()
		case "event_id":
			s.EventID = p.word()
		case "updated_at":
			s.UpdatedAt = p.time()
		case "deleted":
			s.Deleted = p.flag()
		default:
			p.scanField(&s.Scan, name)
		}
	}
	return s
}

func (p *Parser) scanField(s *record.Scan, name []byte) {
	switch string(name) {
	case "at":
		s.At = p.time()
	case "gate":
		s.Gate = p.word()
	case "direction":
		s.Direction = record.Direction(p.word())
	case "result":
		s.Result = p.word()
	case "undone":
		s.Undone = p.flag()
	default:
		p.failed = true
	}
}
