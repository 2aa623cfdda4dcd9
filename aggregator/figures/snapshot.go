package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Event returns the figures of one event, nil when there are none.
func (s *Snapshot) Event(id string) *EventFigures {
	for _, e := range s.Events {
		if e.Event.ID == id {
			return e
		}
	}
	return nil
}

// Messages returns the messages that a screen shows now, urgent ones first and then the newest; with an
// empty id, those of all screens together.
func (s *Snapshot) Messages(screen string, now time.Time) []*record.ScreenMessage {
	var all []*record.ScreenMessage
	for _, m := range s.ScreenMessages {
		if now.Before(m.Until) && (screen == "" || len(m.Screens) == 0 || slices.Contains(m.Screens, screen)) {
			all = append(all, m)
		}
	}
	return all
}

// Position names a state of everything that a page shows: the versions of one log up to a
// revision, and what was learned of the streams. The same position, time, access and
// language give the same page on every process.
type Position struct {
	Epoch    string // of the log; another one if the log was created again
	Revision int64  // of the newest version
	Streams  int64  // counts the changes of what was learned of the streams
	// Tenure is the term in which the log is appended to. It does not affect what is shown, and is empty in
	// a Snapshot.
	Tenure string
}

// Snapshot is every figure at one position. It is immutable and shared by everybody
// who reads it. What depends on the time of day is in the Evening of a moment.
type Snapshot struct {
	Position Position
	Calendar Calendar
	// AsOf is when the service last answered, the oldest of the streams' times; zero
	// before the first answer.
	AsOf   time.Time
	Health Health
	// Events holds the figures of every event that is neither deleted nor a test, ordered
	// by curtain (or date), then id.
	Events []*EventFigures
	// Days holds money and places by day of sale over all events and unattributed money,
	// ascending, only days on which something happened.
	Days []*DayFigures
	// Unattributed is the money of payments that belong to no event, or to one that has not
	// arrived or was deleted, and of such an event's tickets.
	Unattributed Revenue
	// UnattributedDays holds the movements of Unattributed by day of sale, as SaleDays does
	// those of an event.
	UnattributedDays []*DayFigures
	// OrderDays are the sums of orders by the day on which they were placed, as far as that is known, over
	// all events and unattributed money; UnattributedOrderDays are those of unattributed money alone.
	OrderDays, UnattributedOrderDays OrderDays
	// Total is over all events and Unattributed: sum over Events + Unattributed = Total.
	Total Revenue
	// Strays are tickets of events that no list gave; none while events are being read.
	Strays Strays
	// Payments are those of which any money moved, each with what went back of it, and Apart is the money
	// of those among them that belong to no performance of Events, by the performance that they name.
	Payments          int
	UnmatchedPayments []UnmatchedPayments
	// Contacts are those that records give.
	Contacts    Contacts
	Diagnostics []Diagnostic

	UndatedPending bool // some refunds pending are on no day

	Acknowledged   map[string][]Acknowledgement // who looks after an alert, by its key; each in the order of their ids
	ScreenMessages []*record.ScreenMessage      // those that were not withdrawn, the urgent first, then the newest
	House          *Settings                    // what the venue has set
	Checks         map[Check]*record.Reconciliation
	Entered        int64 // the newest revision of these

	Whole *Snapshot // that this is a part of, nil when it is whole
}

// EventFigures are the figures of one event. Immutable.
type EventFigures struct {
	Event record.Event
	// Date is the venue day of the performance, empty if there is none.
	Date Day

	Capacity      Figure[int]
	Available     Figure[int] // as the service reports it
	Blocked       Figure[int]
	Sold          Figure[int] // Paid + Unpaid + Complimentary + FreeTickets, places
	Paid          Figure[int] // of tickets that cost something; all of those where Unpaid is Unknown
	Unpaid        Figure[int] // valid although no payment of the order has settled
	Complimentary Figure[int] // marked so
	FreeTickets   Figure[int] // cost nothing without being marked complimentary
	Reserved      Figure[int] // shown next to Sold, never part of it
	Areas         []Area      // the dearest first; none if no ticket type has a capacity
	Oversold      int         // places sold over capacity, 0 when not

	Forecast        Figure[int]  // how many people planning expects
	PlannedRevenue  Figure[Sums] // what planning expects to be booked
	MarketingBudget Figure[Sums] // what planning sets aside to sell the performance

	Expected   Figure[int] // sold places that admit
	Attendance Figure[int] // places of distinct tickets with a successful entry
	Arrived    Figure[int] // of Attendance, places of tickets that are sold
	// PresentNow are places whose last successful scan is an entry, whatever became of their
	// tickets; an estimate where nobody was ever scanned out.
	PresentNow Figure[int]
	Exits      int // successful scans of people going out

	Revenue Revenue
	// AveragePrice is what a place that is paid was booked for, fees left out; complimentary and free
	// tickets and those not paid yet are not in it.
	AveragePrice Figure[Sums]
	Parts        [DimensionCount]Parts // by Dimension
	SaleDays     []*DayFigures         // by day of sale, ascending, only days on which something happened
	OrderDays    OrderDays
	Gates        []GateFigures   // ordered by name
	WalkIns      []WalkInFigures // ordered by the gate's name

	// Extras are the fees, goods and donations that were sold with its tickets, by kind, then name; their amounts are in Fees.
	Extras []Extra
	// Methods is what was Received by how it was paid; an empty name is one that was not reported.
	Methods []MethodFigures
	// VAT is what was booked by how its VAT is known, and the rate; nil if none is known at all.
	VAT []VATFigures
	// Buyers are the sold places by who bought them.
	Buyers Buyers
	// Orders are those that hold sold places of this event, and Ordered these places.
	Orders, Ordered int

	// SoldMinutes holds net places sold (sold minus cancelled) by minute, ascending, and
	// ArrivalMinutes the first entries of tickets that are sold, and DepartureMinutes the last exits of who did not come back.
	SoldMinutes, ArrivalMinutes, DepartureMinutes []MinuteCount

	Leads [LeadBandCount]int // places sold by the bands of newLeadBands, without those that have no time
	// ChannelDays are the places sold that have a time of sale, by day of sale, then channel; none is 0.
	ChannelDays []ChannelDay
	PaidFor     []PaidFor // by currency
	SaidEnded   time.Time // when the service first said that it is over or called off
}

// MinuteCount is a count within one minute.
type MinuteCount struct {
	Minute int64 // Unix time / 60
	Count  int
}

// GateFigures are the successful entries at one gate, each ticket's first entry and any
// re-entry alike, in places.
type GateFigures struct {
	Gate    string
	Entries int
	Minutes []MinuteCount // ascending
}

// WalkInFigures are people inside without a ticket to scan, as staff counted them at a gate: those
// who came in less those who went out, not 0. Below 0 somebody was counted out twice, or never in.
type WalkInFigures struct {
	Gate  string
	Count int
}

// DayFigures are the movements of one day of sale.
type DayFigures struct {
	Day Day
	Flow
	Minutes []TimedRow      // what Flow sums
	VATs    []DayVATFigures // by the source of its VAT; without sales of unknown VAT
}

// Revenue holds the money figures, signed, in minor units per currency.
// What went back (and so the net) is Estimated with ReasonUndated where only the payment
// reports it: the sum is right, its day is that on which it was first seen.
type Revenue struct {
	Measures [MeasureCount]Figure[Sums]
	// Net is received − refunded − charged back + won back. Where the service offers no payments it is
	// what was booked, Estimated with ReasonNoPayments. It is Unknown while they are read for the
	// first time, and Estimated where one of its terms is a LowerBound.
	Net Figure[Sums]
	// Timeless has the same amounts with the quality of those of days that lack nothing (see Lacks); nil if that is
	// the same.
	Timeless *Revenue
}

// Of returns the figure of one measure.
func (r *Revenue) Of(m Measure) Figure[Sums] { return r.Measures[m] }

// Strays are tickets of events that no list gave. They count in the totals and are shown with
// no event.
type Strays struct {
	Tickets int // whatever their status
	Places  int // of those that are sold
}

// Trades reports whether money of a currency ever moved.
func (s *Snapshot) Trades(currency string) bool {
	is := func(m record.Money) bool { return m.Currency == currency }
	return slices.ContainsFunc(s.Total.Measures[:], func(f Figure[Sums]) bool { return slices.ContainsFunc(f.Value, is) }) ||
		slices.ContainsFunc(s.Days, func(d *DayFigures) bool { return slices.ContainsFunc(d.Rows, is) })
}

// Changes are the changes from one published snapshot to the next. The times of polls and answers are not
// among them: every snapshot may change those.
type Changes struct {
	// Events are the ids of the performances whose figures changed, sorted.
	Events []string
	// Money is true if any amount changed.
	Money bool
	// All is true if anything may have changed: the health or gaps of a stream, findings, what people
	// entered, or the whole log.
	All bool
}
