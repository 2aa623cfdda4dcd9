// Package record defines the records that housecount reads and enters: their types, how they are
// decoded and validated, which of two versions is newer, and the OpenAPI description of a service
// that speaks them. It imports nothing of ours and everything may import it.
//
// A record that passes validation has ids that are safe to show, times in UTC between Earliest and
// Latest, amounts in minor units with a currency, and no personal data but ids and a postal area.
//
// The files in the order of the data: record, contact and ticketscan (what services give), decode,
// quick, quick_end, quick_rows, quick_events and validate (from JSON), refusal, message and text (what is refused and why), vocabulary,
// version and memory (what the log stores), forget and admissions (what remains of old records),
// entered, setting and reconciliation (our own records), openapi.
package record

import "time"

// Kind is the kind of a record.
type Kind string

// The kinds of record that housecount reads from services.
const (
	KindEvent    Kind = "event"
	KindTicket   Kind = "ticket"
	KindPayment  Kind = "payment"
	KindContact  Kind = "contact"
	KindPlanning Kind = "planning"
	KindScan     Kind = "scan" // from services whose scans are separate from tickets
)

// Kinds lists every kind that a service can give.
var Kinds = []Kind{KindEvent, KindTicket, KindPayment, KindContact, KindPlanning, KindScan}

// Record is a version of one event, ticket, payment, contact or planning as the service reported
// it, or an entry of our own. A record is immutable once it has been handed on: it is shared
// between goroutines without a lock.
type Record interface {
	RecordKind() Kind
	// RecordID returns the id, which is unique within the kind and never parsed.
	RecordID() string
	// RecordUpdated returns the service's time of the last change, zero if it reports none.
	RecordUpdated() time.Time
}

// Money is an amount in minor units (cents for EUR, yen for JPY) of one ISO 4217 currency. It
// deliberately has no arithmetic: the aggregator sums amounts per currency, so that two currencies
// cannot be added by mistake.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Event is one performance. In every record a nil pointer and a zero time mean that the service did
// not report the value.
type Event struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Date is the calendar date, YYYY-MM-DD, in the event's zone; empty if the event is Undated.
	Date string `json:"date"`
	// Available is the number of places left as reported; negative if the service oversold.
	Available *int `json:"available"`

	DoorsAt          time.Time `json:"doors_at,omitzero"`
	StartsAt         time.Time `json:"starts_at,omitzero"` // curtain
	EndsAt           time.Time `json:"ends_at,omitzero"`
	IntervalStartsAt time.Time `json:"interval_starts_at,omitzero"`
	IntervalEndsAt   time.Time `json:"interval_ends_at,omitzero"`
	// Undated reports that the service itself does not know the date yet.
	Undated bool   `json:"undated,omitzero"`
	Hall    string `json:"hall,omitzero"`
	Series  string `json:"series_id,omitzero"`

	// Capacity is the number of sellable places. If Unlimited is set, Capacity and Available have
	// no meaning.
	Capacity  *int `json:"capacity,omitzero"`
	Unlimited bool `json:"unlimited,omitzero"`
	Blocked   *int `json:"blocked,omitzero"`
	// Reserved is the number of places held for unpaid orders as counted by the service. It is used
	// where no ticket of the event is reserved.
	Reserved *int `json:"reserved,omitzero"`
	// Sold is the number of places sold as counted by the service, without reserved ones.
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

// EventStatus is the service's word for an event's state. Any word but the constants is stored
// unchanged and treated as unknown.
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
	// Kind is empty for a ticket. Any other makes the record an extra: money of the order that belongs to no ticket, Price
	// times Quantity. It is no place, has neither fee nor VAT, and may belong to no event.
	Kind ExtraKind `json:"kind,omitzero"`
	// Replaces is the ticket that was exchanged for this one, empty for none. What paid for that one pays for this one.
	Replaces string `json:"replaces,omitzero"`

	Type TypeRef `json:"type,omitzero"`
	// Quantity is the number of places; nil means one. It is negative for a line that returns places
	// which other lines sold: sold at the time of the return, at the price per place that is paid
	// back.
	Quantity *int `json:"quantity,omitzero"`
	// Price is what the buyer pays per place, after discount, including VAT, without buyer fees.
	// Zero is a free ticket.
	Price *Money `json:"price,omitzero"`
	Fee   *Money `json:"fee,omitzero"` // buyer fee per place
	VAT   *Money `json:"vat,omitzero"` // included in Price
	// Complimentary is the service's explicit flag; a free ticket is not complimentary by itself.
	Complimentary bool `json:"complimentary,omitzero"`
	// Admits is false for merchandise and add-ons; nil means true.
	Admits *bool `json:"admits,omitzero"`

	Status TicketStatus `json:"status"`
	// Scans are the admissions in chronological order. Nil means that the service reported nothing
	// about scans; empty means that there were none.
	Scans []Scan `json:"scans"`

	Seat         string `json:"seat,omitzero"`
	Channel      string `json:"channel,omitzero"`
	Referral     string `json:"referral,omitzero"`
	DiscountCode string `json:"discount_code,omitzero"`

	CreatedAt   time.Time `json:"created_at,omitzero"`
	SoldAt      time.Time `json:"sold_at,omitzero"`      // when it became valid
	CancelledAt time.Time `json:"cancelled_at,omitzero"` // when it was voided or refunded
	// HeldUntil is when the places fall free if nobody has paid by then; it means nothing once somebody has.
	HeldUntil time.Time `json:"held_until,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Test      bool      `json:"test,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

// IsPlace reports whether the ticket lets somebody in.
func (t *Ticket) IsPlace() bool { return t.Kind == "" && (t.Admits == nil || *t.Admits) }

// ExtraKind is the service's word for what an extra is. Any word but the constants is stored unchanged and treated as
// unknown.
type ExtraKind string

// The kinds of extras.
const (
	ExtraFee      ExtraKind = "fee" // of the order, or kept when a ticket was refunded
	ExtraGoods    ExtraKind = "goods"
	ExtraDonation ExtraKind = "donation"
)

const noExtra ExtraKind = "ticket"

// TypeRef is the ticket type of a ticket.
type TypeRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// TicketStatus is the service's word for a ticket's state. Any word but the constants is stored
// unchanged and treated as unknown.
type TicketStatus string

// The ticket states that housecount knows.
const (
	TicketReserved TicketStatus = "reserved" // held for an unpaid order
	TicketValid    TicketStatus = "valid"
	TicketVoid     TicketStatus = "void"
	TicketRefunded TicketStatus = "refunded"
	TicketExpired  TicketStatus = "expired" // a reservation that was never paid
)

// Scan is one scan of a ticket at a gate.
type Scan struct {
	At        time.Time `json:"at"`
	Gate      string    `json:"gate,omitzero"`
	Direction Direction `json:"direction"`
	// Result is empty or "ok" if the visitor was let through; anything else means refused.
	Result string `json:"result,omitzero"`
	Undone bool   `json:"undone,omitzero"`
}

// Direction is whether a scan let somebody in or out.
type Direction string

// The directions of a scan.
const (
	Entry Direction = "entry"
	Exit  Direction = "exit"
)

// Payment is one movement of money. Amount is never negative: the sign follows from Kind.
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
	// AmountRefunded is the service's own running total on a payment; it often repeats what refund
	// records report.
	AmountRefunded *Money `json:"amount_refunded,omitzero"`
	Method         string `json:"method,omitzero"`
	// Reason is why money was refunded, as somebody wrote it: at most MaxReason characters on one line. It may be personal
	// data. On a payment it is the reason of what only the payment itself reports as refunded.
	Reason string `json:"reason,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	PaidAt    time.Time `json:"paid_at,omitzero"` // when it settled
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Test      bool      `json:"test,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

// PaymentKind determines the sign of a payment's amount.
type PaymentKind string

// The kinds of payment.
const (
	KindOfPayment    PaymentKind = "payment"
	KindOfRefund     PaymentKind = "refund"
	KindOfChargeback PaymentKind = "chargeback"
	KindOfReversal   PaymentKind = "reversal" // a chargeback won back
)

// PaymentStatus is the service's word for a payment's state. Any word but the constants is stored
// unchanged and treated as unknown.
type PaymentStatus string

// The payment states that housecount knows. Paid, Refunded and ChargedBack are settled: the money
// came in.
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

// Places returns the ticket's quantity, one if the service does not report it.
func (t *Ticket) Places() int {
	if t.Quantity == nil {
		return 1
	}
	return *t.Quantity
}
