package record

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
	// text has the texts of a row that are its own, and owners whose they are.
	text    []byte
	owners  []owner
	scratch []byte
	check   checker

	tickets  []ticketRow
	payments []paymentRow
}

// owner is a field with the part of the row's text that it gets.
type owner struct {
	field    *string
	from, to int
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
	if one := r.read(raw); one != nil {
		r.check = checker{}
		m, id = validate(r.kind, one, &r.check)
		return m, id, nil
	}
	return Decode(r.kind, raw)
}

// read decodes a row; nil where the general decoder has to.
func (r *Reader) read(raw []byte) (one Record) {
	r.quick = quick{b: raw}
	r.at, r.seen, r.text, r.owners = 0, 0, r.text[:0], r.owners[:0]
	switch r.kind {
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
	text := string(r.text)
	for _, o := range r.owners {
		*o.field = text[o.from:o.to]
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
	r.skip(0)
	return -1
}

// own takes a text that is the row's own.
func (r *Reader) own(to *string) {
	from := len(r.text)
	r.text = r.appendText(r.text)
	r.owners = append(r.owners, owner{to, from, len(r.text)})
}

// word takes a text that comes again and again.
func (r *Reader) word() string {
	s, simple := r.quoted()
	switch {
	case r.failed:
		return ""
	case simple:
		return r.words.of(s)
	}
	r.i -= len(s) + 2
	r.scratch = r.appendText(r.scratch[:0])
	return r.words.of(r.scratch)
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
	ticketUpdated
	ticketTest
	ticketDeleted
)

var ticketNames = namesOf("id", "event_id", "order_id", "contact_id", "kind", "replaces", "type", "quantity", "price", "fee", "vat", "complimentary",
	"admits", "status", "scans", "seat", "channel", "referral", "discount_code", "created_at", "sold_at", "cancelled_at", "updated_at", "test", "deleted")

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
				p.TicketIDs = append(p.TicketIDs, string(r.appendText(nil)))
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
