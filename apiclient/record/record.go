package record

import "time"

// Kind is what a record is about.
type Kind string

// The kinds of record that housecount reads.
const (
	KindEvent    Kind = "event"
	KindTicket   Kind = "ticket"
	KindPayment  Kind = "payment"
	KindContact  Kind = "contact"
	KindPlanning Kind = "planning"
	KindScan     Kind = "scan" // of services that keep scans apart from tickets
)

// Kinds lists every kind.
var Kinds = []Kind{KindEvent, KindTicket, KindPayment, KindContact, KindPlanning, KindScan}

// Record is what the service last told of one thing. The concrete types are *Event, *Ticket,
// *Payment, *Contact, *Planning and *TicketScan. A record is immutable once it has been
// handed on: it is shared between goroutines without a lock.
type Record interface {
	RecordKind() Kind
	// RecordID is unique within the kind and is never parsed.
	RecordID() string
	// RecordUpdated is the service's time of the last change; zero when the
	// service does not say.
	RecordUpdated() time.Time
}

// Money is an amount in minor units (cents for EUR, yen for JPY) of one ISO 4217
// currency. It deliberately has no arithmetic: amounts are summed per currency by
// the aggregator, so that two currencies cannot be added by mistake.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Event is one performance. In every record a nil pointer and a zero time mean
// "not told by the service", never zero.
type Event struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Date is the calendar date, YYYY-MM-DD, in the event's zone.
	Date string `json:"date"`
	// Available is the number of places left as the service says it; negative when
	// it oversold.
	Available *int `json:"available"`

	DoorsAt  time.Time `json:"doors_at,omitzero"`
	StartsAt time.Time `json:"starts_at,omitzero"` // curtain
	EndsAt   time.Time `json:"ends_at,omitzero"`
	// IntervalStartsAt and IntervalEndsAt are those of its interval.
	IntervalStartsAt time.Time `json:"interval_starts_at,omitzero"`
	IntervalEndsAt   time.Time `json:"interval_ends_at,omitzero"`
	Hall             string    `json:"hall,omitzero"`
	Series           string    `json:"series_id,omitzero"`

	// Capacity is the number of sellable places; Unlimited says there is no limit,
	// and then capacity and available mean nothing.
	Capacity  *int `json:"capacity,omitzero"`
	Unlimited bool `json:"unlimited,omitzero"`
	Blocked   *int `json:"blocked,omitzero"`
	// Sold is the number of places sold as the service counts them, those that are reserved left out.
	Sold        *int         `json:"sold,omitzero"`
	TicketTypes []TicketType `json:"ticket_types,omitzero"`

	Status    EventStatus `json:"status,omitzero"`
	CreatedAt time.Time   `json:"created_at,omitzero"`
	UpdatedAt time.Time   `json:"updated_at,omitzero"`
	Test      bool        `json:"test,omitzero"`
	Deleted   bool        `json:"deleted,omitzero"`
}

// TicketType is one kind of ticket on sale for an event.
type TicketType struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Capacity *int   `json:"capacity,omitzero"`
	Price    *Money `json:"price,omitzero"`
}

// EventStatus is the service's word for an event's state. A word that is none of
// the constants is kept as it came and treated as unknown.
type EventStatus string

// The event states that housecount knows.
const (
	EventDraft       EventStatus = "draft"
	EventOnSale      EventStatus = "on_sale"
	EventSalesClosed EventStatus = "sales_closed"
	EventSoldOut     EventStatus = "sold_out"
	EventCancelled   EventStatus = "cancelled"
	EventPostponed   EventStatus = "postponed"
	EventEnded       EventStatus = "ended"
)

// Ticket is one place, or Quantity places, sold or held for an event.
type Ticket struct {
	ID        string `json:"id"`
	EventID   string `json:"event_id"`
	OrderID   string `json:"order_id,omitzero"`
	ContactID string `json:"contact_id,omitzero"`

	Type TypeRef `json:"type,omitzero"`
	// Quantity is the number of places; nil means one.
	Quantity *int `json:"quantity,omitzero"`
	// Price is what the buyer pays a place, after discount, VAT included, buyer fees
	// excluded. Zero is a free ticket.
	Price *Money `json:"price,omitzero"`
	Fee   *Money `json:"fee,omitzero"` // buyer fee a place
	VAT   *Money `json:"vat,omitzero"` // contained in the price of a place
	// Complimentary is the service's explicit mark; a free ticket is not
	// complimentary by itself.
	Complimentary bool `json:"complimentary,omitzero"`
	// Admits is false for merchandise and add-ons; nil means it admits.
	Admits *bool `json:"admits,omitzero"`

	Status TicketStatus `json:"status"`
	// Scans are the admissions in the order in which they happened. Nil means that
	// the service told nothing about scans; empty means that it told there are none.
	Scans []Scan `json:"scans"`

	Seat         string `json:"seat,omitzero"`
	Channel      string `json:"channel,omitzero"`
	Referral     string `json:"referral,omitzero"`
	DiscountCode string `json:"discount_code,omitzero"`

	CreatedAt   time.Time `json:"created_at,omitzero"`
	SoldAt      time.Time `json:"sold_at,omitzero"`      // when it became valid
	CancelledAt time.Time `json:"cancelled_at,omitzero"` // when it was voided or refunded
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
	Test        bool      `json:"test,omitzero"`
	Deleted     bool      `json:"deleted,omitzero"`
}

// TypeRef names the ticket type of a ticket.
type TypeRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// TicketStatus is the service's word for a ticket's state. A word that is none of
// the constants is kept as it came and treated as unknown.
type TicketStatus string

// The ticket states that housecount knows.
const (
	TicketReserved TicketStatus = "reserved" // held for an unpaid order
	TicketValid    TicketStatus = "valid"
	TicketVoid     TicketStatus = "void"
	TicketRefunded TicketStatus = "refunded"
	TicketExpired  TicketStatus = "expired" // a reservation that was never paid
)

// Scan is one passage at a gate.
type Scan struct {
	At        time.Time `json:"at"`
	Gate      string    `json:"gate,omitzero"`
	Direction Direction `json:"direction"`
	// Result is empty or "ok" for a passage that was let through; anything else was refused.
	Result string `json:"result,omitzero"`
	Undone bool   `json:"undone,omitzero"`
}

// Direction says whether a scan let somebody in or out.
type Direction string

// The directions of a scan.
const (
	Entry Direction = "entry"
	Exit  Direction = "exit"
)

// Payment is one movement of money. Amount is never negative: the sign follows
// from Kind.
type Payment struct {
	ID      string `json:"id"`
	OrderID string `json:"order_id,omitzero"`
	EventID string `json:"event_id,omitzero"`
	// ParentID is the payment that a refund, chargeback or reversal belongs to.
	ParentID  string   `json:"parent_id,omitzero"`
	ContactID string   `json:"contact_id,omitzero"`
	TicketIDs []string `json:"ticket_ids,omitzero"`

	Kind   PaymentKind   `json:"kind,omitzero"` // empty means payment
	Amount Money         `json:"amount"`
	Status PaymentStatus `json:"status"`
	// AmountRefunded is the service's own running total on a payment; it often
	// repeats what refund records say.
	AmountRefunded *Money `json:"amount_refunded,omitzero"`
	Method         string `json:"method,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	PaidAt    time.Time `json:"paid_at,omitzero"` // when it settled
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Test      bool      `json:"test,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

// PaymentKind gives the sign of a payment's amount.
type PaymentKind string

// The kinds of movement.
const (
	KindOfPayment    PaymentKind = "payment"
	KindOfRefund     PaymentKind = "refund"
	KindOfChargeback PaymentKind = "chargeback"
	KindOfReversal   PaymentKind = "reversal" // a chargeback won back
)

// PaymentStatus is the service's word for a payment's state. A word that is none
// of the constants is kept as it came and treated as unknown.
type PaymentStatus string

// The payment states that housecount knows. Paid, Refunded and ChargedBack are
// settled: the money came in.
const (
	PaymentOpen        PaymentStatus = "open"
	PaymentPending     PaymentStatus = "pending"
	PaymentAuthorized  PaymentStatus = "authorized"
	PaymentPaid        PaymentStatus = "paid"
	PaymentFailed      PaymentStatus = "failed"
	PaymentCanceled    PaymentStatus = "canceled"
	PaymentExpired     PaymentStatus = "expired"
	PaymentRefunded    PaymentStatus = "refunded"
	PaymentChargedBack PaymentStatus = "charged_back"
)

func (e *Event) RecordKind() Kind          { return KindEvent }
func (e *Event) RecordID() string          { return e.ID }
func (e *Event) RecordUpdated() time.Time  { return e.UpdatedAt }
func (t *Ticket) RecordKind() Kind         { return KindTicket }
func (t *Ticket) RecordID() string         { return t.ID }
func (t *Ticket) RecordUpdated() time.Time { return t.UpdatedAt }
func (p *Payment) RecordKind() Kind        { return KindPayment }
func (p *Payment) RecordID() string        { return p.ID }

func (p *Payment) RecordUpdated() time.Time { return p.UpdatedAt }

// Places is the ticket's quantity, one when the service does not say.
func (t *Ticket) Places() int {
	if t.Quantity == nil {
		return 1
	}
	return *t.Quantity
}
