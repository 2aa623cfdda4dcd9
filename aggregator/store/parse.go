package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"housecount/apiclient/record"
)

// parser reads back what appendBody wrote. Where it meets anything else it gives up, and
// encoding/json reads the record instead. Words that come again and again (of status, gate,
// currency, event) and amounts are shared between the records of one parser, which belongs
// to one goroutine.
type parser struct {
	b      []byte
	i      int
	failed bool

	words   map[string]string
	amounts map[record.Money]*record.Money
}

// maxShared bounds what a parser shares.
const maxShared = 10_000

func newParser() *parser {
	return &parser{words: map[string]string{}, amounts: map[record.Money]*record.Money{}}
}

// record decodes a record of a kind.
func (p *parser) record(kind record.Kind, body []byte) (record.Record, error) {
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
		return decode(kind, body)
	}
	if p.failed || p.i != len(p.b) {
		return decode(kind, body)
	}
	return r, nil
}

// decode reads a record with encoding/json.
func decode(kind record.Kind, body []byte) (record.Record, error) {
	r := record.New(kind)
	if r == nil {
		return nil, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("a stored %s cannot be read: %w", kind, err)
	}
	return r, nil
}

func (p *parser) event() *record.Event {
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

func (p *parser) ticketType() (t record.TicketType) {
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

func (p *parser) ticket() *record.Ticket {
	t := new(record.Ticket)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			t.ID = p.text()
		case "event_id":
			t.EventID = p.word()
		case "order_id":
			t.OrderID = p.text()
		case "contact_id":
			t.ContactID = p.text()
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

func (p *parser) payment() *record.Payment {
	m := new(record.Payment)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			m.ID = p.text()
		case "order_id":
			m.OrderID = p.text()
		case "event_id":
			m.EventID = p.word()
		case "parent_id":
			m.ParentID = p.text()
		case "contact_id":
			m.ContactID = p.text()
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

func (p *parser) ticketScan() *record.TicketScan {
	s := new(record.TicketScan)
	for p.begin('{'); p.more('}'); {
		switch name := p.name(); string(name) {
		case "id":
			s.ID = p.text()
		case "ticket_id":
			s.TicketID = p.text()
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

func (p *parser) scanField(s *record.Scan, name []byte) {
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

// begin takes the bracket that opens an object or an array.
func (p *parser) begin(bracket byte) {
	if !p.next(bracket) {
		p.failed = true
	}
}

// more says that an element follows, and takes what is before it: nothing or a comma. At the
// end it takes the closing bracket.
func (p *parser) more(bracket byte) bool {
	if p.failed || p.next(bracket) {
		return false
	}
	if before := p.b[p.i-1]; before != '{' && before != '[' && !p.next(',') {
		p.failed = true
		return false
	}
	return true
}

func (p *parser) next(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) name() []byte {
	name, plain := p.quoted()
	if !plain || !p.next(':') {
		p.failed = true
	}
	return name
}

// quoted takes a string and gives what is between its quotes; plain says that nothing in it
// is escaped.
func (p *parser) quoted() (s []byte, plain bool) {
	if !p.next('"') {
		p.failed = true
		return nil, false
	}
	plain = true
	for from := p.i; p.i < len(p.b); p.i++ {
		switch p.b[p.i] {
		case '"':
			p.i++
			return p.b[from : p.i-1], plain
		case '\\':
			p.i++
			plain = false
		}
	}
	p.failed = true
	return nil, false
}

func (p *parser) text() string {
	from := p.i
	s, plain := p.quoted()
	if plain || p.failed {
		return string(s)
	}
	var text string
	if json.Unmarshal(p.b[from:p.i], &text) != nil {
		p.failed = true
	}
	return text
}

// word is a text that is shared.
func (p *parser) word() string {
	from := p.i
	s, plain := p.quoted()
	if !plain {
		p.i = from
		return p.text()
	}
	if word, known := p.words[string(s)]; known {
		return word
	}
	word := string(s)
	if len(p.words) < maxShared {
		p.words[word] = word
	}
	return word
}

func (p *parser) literal(word string) bool {
	if len(p.b)-p.i >= len(word) && string(p.b[p.i:p.i+len(word)]) == word {
		p.i += len(word)
		return true
	}
	return false
}

func (p *parser) null() bool { return p.literal("null") }

func (p *parser) flag() bool {
	if p.literal("true") {
		return true
	}
	if !p.literal("false") {
		p.failed = true
	}
	return false
}

func (p *parser) integer() int64 {
	from := p.i
	for p.i < len(p.b) && (p.b[p.i] == '-' || p.b[p.i] >= '0' && p.b[p.i] <= '9') {
		p.i++
	}
	n, err := strconv.ParseInt(string(p.b[from:p.i]), 10, 64)
	if err != nil {
		p.failed = true
	}
	return n
}

func (p *parser) number() *int {
	if p.null() {
		return nil
	}
	return new(int(p.integer()))
}

func (p *parser) money() *record.Money {
	var m record.Money
	if !p.literal(`{"amount":`) {
		p.failed = true
		return nil
	}
	m.Amount = p.integer()
	if !p.literal(`,"currency":`) {
		p.failed = true
		return nil
	}
	m.Currency = p.word()
	if !p.next('}') {
		p.failed = true
		return nil
	}
	if known := p.amounts[m]; known != nil {
		return known
	}
	if len(p.amounts) < maxShared {
		p.amounts[m] = &m
	}
	return &m
}

// time takes a time of UTC as it is written in a body.
func (p *parser) time() time.Time {
	s, plain := p.quoted()
	const shape = "0000-00-00T00:00:00"
	if !plain || len(s) <= len(shape) || s[len(s)-1] != 'Z' {
		p.failed = true
		return time.Time{}
	}
	for i := range len(shape) {
		if shape[i] == '0' && (s[i] < '0' || s[i] > '9') || shape[i] != '0' && s[i] != shape[i] {
			p.failed = true
			return time.Time{}
		}
	}
	nanos := 0
	if fraction := s[len(shape) : len(s)-1]; len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
			p.failed = true
			return time.Time{}
		}
		for i := 1; i < 10; i++ {
			nanos *= 10
			if i < len(fraction) {
				if fraction[i] < '0' || fraction[i] > '9' {
					p.failed = true
				}
				nanos += int(fraction[i] - '0')
			}
		}
	}
	two := func(at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }
	t := time.Date(two(0)*100+two(2), time.Month(two(5)), two(8), two(11), two(14), two(17), nanos, time.UTC)
	if t.Day() != two(8) || t.Minute() != two(14) || t.Second() != two(17) { // it was no such time
		p.failed = true
	}
	return t
}
