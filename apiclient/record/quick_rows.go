package record

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// rowsAtOnce is how many records are made at once. They are freed together.
const rowsAtOnce = 16

// Reader decodes the rows of one list, with the results of Decode. It belongs to one goroutine.
type Reader struct {
	kind Kind
	quick
	names *names
	order []int // the fields of the row before, in order
	at    int   // in order
	seen  uint32
	words words
	// kept has texts that are a row's own. They are freed with those of the rows before and after.
	kept    strings.Builder
	scratch []byte
	check   checker

	tickets  []ticketRow
	payments []paymentRow
	scans    []TicketScan
}

// ticketRow is a ticket with what it points to.
type ticketRow struct {
	Ticket
	price, fee, vat Money
	quantity        int
	admits          bool
	scan            [1]Scan
}

type paymentRow struct {
	Payment
	refunded Money
}

// NewReader returns a Reader of records of a kind.
func NewReader(kind Kind) *Reader {
	r := &Reader{kind: kind}
	switch kind {
	case KindEvent:
		r.names = eventNames
	case KindScan:
		r.names = scanNames
	case KindTicket:
		r.names = ticketNames
	case KindPayment:
		r.names = paymentNames
	}
	return r
}

// IsQuick reports whether the reader is faster than DecodeAll.
func (r *Reader) IsQuick() bool { return r.names != nil }

// Decode is Decode of the reader's kind.
func (r *Reader) Decode(raw []byte) (m Result, id string, err error) {
	if one, is := r.Read(raw).(validator); is {
		r.check = checker{printable: !r.odd}
		m, id = validate(r.kind, one, &r.check)
		return m, id, nil
	}
	return Decode(r.kind, raw)
}

// Read decodes a row without validating it; nil where the general decoder has to. Its times are in UTC.
func (r *Reader) Read(raw []byte) (one Record) {
	r.quick = quick{b: raw}
	r.at, r.seen = 0, 0
	switch r.kind {
	case KindEvent:
		one = r.event()
	case KindScan:
		one = r.ticketScan()
	case KindTicket:
		one = r.ticket()
	case KindPayment:
		one = r.payment()
	default:
		return nil
	}
	if r.space(); r.failed || r.i != len(r.b) {
		return nil
	}
	return one
}

// member takes the name of the next member, and the value if that says nothing: the value null, and one of a member that
// is no field. It returns the number of the field.
func (r *Reader) member() (field int, has bool) {
	r.space()
	if r.at < len(r.order) && r.literal(r.names.quoted[r.order[r.at]]) {
		field = r.order[r.at]
		r.at++
	} else if field = r.otherMember(); field < 0 {
		return field, false
	}
	if r.seen&(1<<field) != 0 {
		r.fail()
	}
	r.seen |= 1 << field
	return field, r.peek() != 'n' || !r.literal("null")
}

// otherMember takes the name of a member in another place than in the row before, and all of a member that is no field.
func (r *Reader) otherMember() int {
	name, simple := r.quoted()
	r.colon()
	if !simple || r.failed {
		r.fail()
		return -1
	}
	field, known := r.names.of[string(name)]
	if known {
		if r.at < len(r.order) {
			r.order[r.at] = field
		} else {
			r.order = append(r.order, field)
		}
		r.at++
		return field
	}
	var ascii bool
	if r.scratch, ascii = fold(r.scratch[:0], name); !ascii || r.names.folded[string(r.scratch)] {
		r.fail()
		return -1
	}
	r.skip()
	return -1
}

// The sizes of Reader.kept: what one row keeps, as of a ticket just sold, takes no more than twice its room.
const (
	leastKept = 128
	mostKept  = 1024
)

// own takes a text that is the row's own.
func (r *Reader) own(to *string) {
	text := r.text()
	if r.kept.Cap()-r.kept.Len() < len(text) {
		size := max(leastKept, min(2*r.kept.Cap(), mostKept), len(text))
		r.kept = strings.Builder{}
		r.kept.Grow(size)
	}
	from := r.kept.Len()
	r.kept.Write(text)
	*to = r.kept.String()[from:]
}

// word takes a text that comes again and again.
func (r *Reader) word() string { return r.words.of(r.text()) }

// text takes a string and returns its text, which the next one may overwrite.
func (r *Reader) text() []byte {
	s, simple := r.quoted()
	if simple || r.failed {
		return s
	}
	text, err := jsontext.AppendUnquote(r.scratch[:0], r.b[r.i-len(s)-2:r.i]) // refuses what is not UTF-8
	if err != nil {
		r.fail()
	}
	r.scratch = text
	return text
}

// money takes an amount of money, which to points to then.
func (r *Reader) money(m *Money) *Money {
	const amount, currency = 1, 2
	seen := 0
	for more := r.begin('{', '}'); more; more = r.more('}') {
		this := 0
		name, _ := r.quoted()
		switch r.colon(); string(name) {
		case "amount":
			this, m.Amount = amount, r.integer()
		case "currency":
			this, m.Currency = currency, r.word()
		}
		if this == 0 || seen&this != 0 {
			r.fail()
		}
		seen |= this
	}
	if seen != amount|currency {
		r.fail()
	}
	return m
}

func (r *Reader) typeRef(t *TypeRef) {
	const id, word = 1, 2
	seen := 0
	for more := r.begin('{', '}'); more; more = r.more('}') {
		this := 0
		name, _ := r.quoted()
		switch r.colon(); string(name) {
		case "id":
			this, t.ID = id, r.word()
		case "name":
			this, t.Name = word, r.word()
		}
		if this == 0 || seen&this != 0 {
			r.fail()
		}
		seen |= this
	}
}

func (r *Reader) scan(s *Scan) {
	seen := 0
	for more := r.begin('{', '}'); more; more = r.more('}') {
		this := 0
		name, _ := r.quoted()
		switch r.colon(); string(name) {
		case "at":
			this, s.At = 1, r.time()
		case "gate":
			this, s.Gate = 2, r.word()
		case "direction":
			this, s.Direction = 4, Direction(r.word())
		case "result":
			this, s.Result = 8, r.word()
		case "undone":
			this, s.Undone = 16, r.flag()
		}
		if this == 0 || seen&this != 0 {
			r.fail()
		}
		seen |= this
	}
}

// The fields of a ticket, in the order of ticketNames.
const (
	ticketID = iota
	ticketEvent
	ticketOrder
	ticketContact
	ticketKind
	ticketReplaces
	ticketType
	ticketQuantity
	ticketPrice
	ticketFee
	ticketVAT
	ticketComplimentary
	ticketAdmits
	ticketState
	ticketScans
	ticketSeat
	ticketChannel
	ticketReferral
	ticketDiscount
	ticketCreated
	ticketSold
	ticketCancelled
	ticketHeld
	ticketUpdated
	ticketTest
	ticketDeleted
)

var ticketNames = namesOf("id", "event_id", "order_id", "contact_id", "kind", "replaces", "type", "quantity", "price", "fee", "vat", "complimentary",
	"admits", "status", "scans", "seat", "channel", "referral", "discount_code", "created_at", "sold_at", "cancelled_at", "held_until", "updated_at", "test", "deleted")

func (r *Reader) ticket() *Ticket {
	if len(r.tickets) == 0 {
		r.tickets = make([]ticketRow, rowsAtOnce)
	}
	row := &r.tickets[0]
	t := &row.Ticket
	r.tickets = r.tickets[1:]
	for more := r.begin('{', '}'); more; more = r.more('}') {
		field, has := r.member()
		if !has {
			continue
		}
		switch field {
		case ticketID:
			r.own(&t.ID)
		case ticketEvent:
			t.EventID = r.word()
		case ticketOrder:
			r.own(&t.OrderID)
		case ticketContact:
			r.own(&t.ContactID)
		case ticketKind:
			t.Kind = ExtraKind(r.word())
		case ticketReplaces:
			r.own(&t.Replaces)
		case ticketType:
			r.typeRef(&t.Type)
		case ticketQuantity:
			row.quantity = int(r.integer())
			t.Quantity = &row.quantity
		case ticketPrice:
			t.Price = r.money(&row.price)
		case ticketFee:
			t.Fee = r.money(&row.fee)
		case ticketVAT:
			t.VAT = r.money(&row.vat)
		case ticketComplimentary:
			t.Complimentary = r.flag()
		case ticketAdmits:
			row.admits = r.flag()
			t.Admits = &row.admits
		case ticketState:
			t.Status = TicketStatus(r.word())
		case ticketScans:
			t.Scans = row.scan[:0]
			for more := r.begin('[', ']'); more; more = r.more(']') {
				t.Scans = append(t.Scans, Scan{})
				r.scan(&t.Scans[len(t.Scans)-1])
			}
		case ticketSeat:
			r.own(&t.Seat)
		case ticketChannel:
			t.Channel = r.word()
		default:
			r.ticketEnd(t, field)
		}
	}
	return t
}

// ticketEnd takes the values of the other fields.
func (r *Reader) ticketEnd(t *Ticket, field int) {
	switch field {
	case ticketReferral:
		t.Referral = r.word()
	case ticketDiscount:
		t.DiscountCode = r.word()
	case ticketCreated:
		t.CreatedAt = r.time()
	case ticketSold:
		t.SoldAt = r.time()
	case ticketCancelled:
		t.CancelledAt = r.time()
	case ticketHeld:
		t.HeldUntil = r.time()
	case ticketUpdated:
		t.UpdatedAt = r.time()
	case ticketTest:
		t.Test = r.flag()
	case ticketDeleted:
		t.Deleted = r.flag()
	}
}

// The fields of a payment, in the order of paymentNames.
const (
	paymentID = iota
	paymentOrder
	paymentEvent
	paymentParent
	paymentContact
	paymentTickets
	paymentSort
	paymentAmount
	paymentState
	paymentBack
	paymentMethod
	paymentReason
	paymentCreated
	paymentSettled
	paymentUpdated
	paymentTest
	paymentDeleted
)

var paymentNames = namesOf("id", "order_id", "event_id", "parent_id", "contact_id", "ticket_ids", "kind", "amount", "status", "amount_refunded", "method", "reason",
	"created_at", "paid_at", "updated_at", "test", "deleted")

func (r *Reader) payment() *Payment {
	if len(r.payments) == 0 {
		r.payments = make([]paymentRow, rowsAtOnce)
	}
	row := &r.payments[0]
	p := &row.Payment
	r.payments = r.payments[1:]
	for more := r.begin('{', '}'); more; more = r.more('}') {
		field, has := r.member()
		if !has {
			continue
		}
		switch field {
		case paymentID:
			r.own(&p.ID)
		case paymentOrder:
			r.own(&p.OrderID)
		case paymentEvent:
			p.EventID = r.word()
		case paymentParent:
			r.own(&p.ParentID)
		case paymentContact:
			r.own(&p.ContactID)
		case paymentTickets:
			p.TicketIDs = []string{}
			for more := r.begin('[', ']'); more; more = r.more(']') {
				p.TicketIDs = append(p.TicketIDs, string(r.text()))
			}
		case paymentSort:
			p.Kind = PaymentKind(r.word())
		case paymentAmount:
			r.money(&p.Amount)
		case paymentState:
			p.Status = PaymentStatus(r.word())
		case paymentBack:
			p.AmountRefunded = r.money(&row.refunded)
		case paymentMethod:
			p.Method = r.word()
		case paymentReason:
			r.own(&p.Reason)
		case paymentCreated:
			p.CreatedAt = r.time()
		case paymentSettled:
			p.PaidAt = r.time()
		case paymentUpdated:
			p.UpdatedAt = r.time()
		case paymentTest:
			p.Test = r.flag()
		case paymentDeleted:
			p.Deleted = r.flag()
		}
	}
	return p
}
