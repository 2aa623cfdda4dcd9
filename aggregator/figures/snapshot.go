package figures

import (
	"cmp"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Event returns the figures of one event, nil when there are none.
func (s *Snapshot) Event(id string) *EventFigures {
	if i, ok := s.Positions[id]; ok && i < len(s.Events) && s.Events[i].Event.ID == id {
		return s.Events[i]
	}
	for _, e := range s.Events {
		if e.Event.ID == id {
			return e
		}
	}
	return nil
}

// Messages returns the messages that a screen shows now, urgent ones first and then the newest; for an empty id,
// those for all screens.
func (s *Snapshot) Messages(screen string, now time.Time) []*record.ScreenMessage {
	var all []*record.ScreenMessage
	for _, m := range s.ScreenMessages {
		if now.Before(m.Until) && (screen == "" || len(m.Screens) == 0 || slices.Contains(m.Screens, screen)) {
			all = append(all, m)
		}
	}
	return all
}

// Position identifies a state of everything that a page shows: the versions of one log up to a revision, and what
// is known of the streams. The same position, time, access and language give the same page on every process.
type Position struct {
	Epoch    string // of the log; it changes if the log is created again
	Revision int64  // of the newest version
	Streams  int64  // counts the changes of what is known of the streams
	// Tenure is the term in which the log is appended to. It does not affect what is shown, and is empty in
	// a Snapshot.
	Tenure string
}

// Snapshot is every figure at one position. It is immutable and shared by all readers. What depends on the time of
// day is in evening.Evening.
type Snapshot struct {
	Position Position
	Calendar Calendar
	// AsOf is when the service last answered: the oldest of the streams' times; zero before the first answer.
	AsOf   time.Time
	Health Health
	// Events holds the figures of every event that is neither deleted nor a test, ordered
	// by curtain (or date), then id.
	Events []*EventFigures
	// Positions has where events stand in Events, by their ids. Event searches for those that it does not have.
	Positions map[string]int `json:"-"`
	// Days are money and places by day of sale, over all events and unattributed money, ascending, without days on
	// which nothing happened.
	Days []*DayFigures
	// Unattributed is the money of payments that belong to no event, or to an event that has not arrived or was
	// deleted, and of such an event's tickets.
	Unattributed Revenue
	// UnattributedDays are the movements of Unattributed by day of sale.
	UnattributedDays []*DayFigures
	// OrderDays are the sums of orders by the day on which they were placed, over all events and unattributed
	// money, if that day is known; UnattributedOrderDays are those of unattributed money.
	OrderDays, UnattributedOrderDays OrderDays
	// Total is the sum over Events and Unattributed.
	Total Revenue
	// Strays are tickets of events that no list gave; none while events are still being read.
	Strays Strays
	// Payments is the number of payments by which money moved, with their refunds. UnmatchedPayments is the money
	// of those that belong to no performance in Events, by the performance that they name.
	Payments          int
	UnmatchedPayments []UnmatchedPayments
	// Records is how many records of a kind were read, with those that were deleted since. It has none of contacts, which
	// are forgotten, nor of scans, of which sums are kept.
	Records map[record.Kind]int
	// Contacts counts the contact records.
	Contacts    Contacts
	Diagnostics []Diagnostic

	UndatedPending bool // some refunds pending have no day

	Acknowledged   map[string][]Acknowledgement // who looks after an alert, by its key; each in the order of their ids
	Alerts         []*record.RaisedAlert        // every alert that was raised, in the order in which they were
	ScreenMessages []*record.ScreenMessage      // those that were not withdrawn, the urgent first, then the newest
	House          *Settings                    // what the venue has set
	Checks         map[Check]*record.Reconciliation
	Entered        int64 // the newest revision of what people entered

	Whole *Snapshot // the snapshot that this is a part of; nil if it is whole
}

// EventFigures are the figures of one event. They are immutable.
type EventFigures struct {
	Event record.Event
	// Date is the venue day of the performance; empty for none.
	Date Day

	Capacity      Figure[int]
	Available     Figure[int] // as the service reports it
	Blocked       Figure[int]
	Sold          Figure[int] // Paid + Unpaid + Complimentary + FreeTickets, places
	Paid          Figure[int] // of tickets with a price; all of those if Unpaid is Unknown
	Unpaid        Figure[int] // valid, but no payment of the order has settled
	Complimentary Figure[int] // marked so
	FreeTickets   Figure[int] // price 0 without being marked complimentary
	Reserved      Figure[int] // not part of Sold
	Areas         []Area      // the most expensive first; none if no ticket type has a capacity
	Oversold      int         // places sold or reserved over capacity; 0 for none

	Forecast        Figure[int]  // visitors that planning expects
	PlannedRevenue  Figure[Sums] // revenue that planning expects to be booked
	MarketingBudget Figure[Sums] // marketing budget that planning gives

	Expected   Figure[int] // sold places that admit
	Attendance Figure[int] // places of distinct tickets with a successful entry
	Arrived    Figure[int] // of Attendance, places of sold tickets
	// PresentNow is places whose last successful scan is an entry, whatever became of their tickets; Estimated unless
	// ExitsScanned.
	PresentNow Figure[int]
	Exits      int // successful scans out
	// RefusedVisits is how many tickets and scans are refused at present, which may be as many visitors.
	RefusedVisits int

	Revenue Revenue
	// AveragePrice is the average price booked for a paid place, without fees.
	AveragePrice Figure[Sums]
	Parts        [DimensionCount]Parts // by Dimension
	SaleDays     []*DayFigures         // by day of sale, ascending, without days on which nothing happened
	OrderDays    OrderDays
	Gates        []GateFigures   // by name
	WalkIns      []WalkInFigures // by name of the gate

	// Extras are the fees, goods and donations sold with its tickets, by kind, then name; their amounts are in
	// Fees.
	Extras []Extra
	// Methods are the amounts Received by method of payment; an empty name was not reported.
	Methods []MethodFigures
	// VAT is what was booked by source of VAT; nil if no VAT is known at all.
	VAT []VATFigures
	// Buyers are the sold places by who bought them.
	Buyers Buyers
	// Towns are the sold places by the town of who bought them, the most first; those without a known town are left out.
	Towns []TownFigures
	// Postcodes are the same by postcode area.
	Postcodes []TownFigures
	// BuyerDays are the places of Buyers that are New or Returning by day of sale, ascending; none has neither.
	BuyerDays []BuyerDay
	// Orders is the number of orders with sold places of this event, and Ordered those places.
	Orders, Ordered int

	// SoldMinutes are places sold less cancelled by minute, ascending; ArrivalMinutes the first entries of sold
	// tickets; DepartureMinutes the last exits of people who did not come back. OutMinutes are those who did come back: each counts one in
	// the minute of the exit and one less in that of the entry after it.
	SoldMinutes, ArrivalMinutes, DepartureMinutes, OutMinutes []MinuteCount

	Leads [LeadBandCount]int // places sold by the bands of LeadBands, without those that have no time
	// ChannelDays are the places sold that have a time of sale, by day of sale, then channel, and what was booked for what is no place.
	ChannelDays   []ChannelDay
	PaidFor       []PaidFor // by currency
	ReportedEnded time.Time // when the service first reported that it is over or cancelled
}

// MinuteCount is a count within one minute.
type MinuteCount struct {
	Minute int64 // Unix time / 60
	Count  int
}

// GateFigures are the successful entries at one gate, in places; re-entries count too.
type GateFigures struct {
	Gate     string
	Entries  int
	Admitted int           // of Entries, those that were the first of their ticket
	Left     int           // people who went out here and did not come back
	Minutes  []MinuteCount // entries, ascending
}

// Again returns how many entries at the gate were not the first of their ticket.
func (g *GateFigures) Again() int { return g.Entries - g.Admitted }

// WalkInFigures are people inside without a ticket to scan, as staff counted them at a gate: those who came in
// less those who went out, never 0. It is negative if somebody was counted out twice, or was never counted in.
type WalkInFigures struct {
	Gate  string
	Count int
}

// DayFigures are the movements of one day of sale.
type DayFigures struct {
	Day Day
	Flow
	Minutes TimedRows       // the rows that add up to Flow
	VATs    []DayVATFigures // by source of VAT, without sales whose VAT is not known
	Refunds []DayRefunds    // by reason
}

// Revenue is the money figures over all days, signed, in minor units by currency. An unknown time does not make them inexact; it
// does so on the days that it may be of (Timeless, Lacks). A refund that only the payment reports is on the day on which it was
// first seen.
type Revenue struct {
	Measures [MeasureCount]Figure[Sums]
	// Net is received − refunded − charged back + won back. If the service does not offer payments it is what was
	// booked, Estimated with ReasonNoPayments. It is Unknown while payments are read for the first time, and
	// Estimated if one of its terms is a LowerBound.
	Net Figure[Sums]
	// Timeless is the same amounts with the quality of days that lack nothing (see Lacks); nil if that is the
	// same.
	Timeless *Revenue
	// DaylessOrders reports that there are orders of which no day is known: those of any days may lack them.
	DaylessOrders bool
}

// Of returns the figure of one measure.
func (r *Revenue) Of(m Measure) Figure[Sums] { return r.Measures[m] }

// Strays are tickets of events that no list gave. They count in the totals and in no event.
type Strays struct {
	Tickets int // of any status
	Places  int // of sold tickets
}

// Trades reports whether money of a currency ever moved.
func (s *Snapshot) Trades(currency string) bool {
	is := func(m record.Money) bool { return m.Currency == currency }
	return slices.ContainsFunc(s.Total.Measures[:], func(f Figure[Sums]) bool { return slices.ContainsFunc(f.Value, is) }) ||
		slices.ContainsFunc(s.Days, func(d *DayFigures) bool { return slices.ContainsFunc(d.Rows, is) })
}

// Changes are the changes from one published snapshot to the next, or from one call of Ledger.Changes to the next.
// Times of polls and answers are not included: every snapshot may change them.
type Changes struct {
	// Events are the ids of the performances whose figures changed, sorted.
	Events []string
	// Unattributed is true if money of no performance changed.
	Unattributed bool
	// Findings is true, from snapshot to snapshot, if the diagnostics changed. While a house sells they do with nearly every
	// poll: a sale is in one of two lists before it is in the other.
	Findings bool
	// All is true if anything may have changed: what people entered and, from snapshot to snapshot, the health or gaps
	// of a stream, or the whole log.
	All bool
}

// Unread reports whether the past is still being read for the first time. Nothing is compared with it until then, and
// nothing is usual: half of it is not less, but unknown.
func (s *Snapshot) Unread() bool { return s.Health.Unread(record.KindEvent, record.KindTicket) }

// ExitsScanned reports whether visitors are scanned out wherever they leave: nearly all of them were (EndScanned), or at
// the gates that admitted nine tenths of them a tenth of those went out and did not come back. People who came back say
// nothing of the others, and neither does a gate without a name, which may be several.
func (e *EventFigures) ExitsScanned() bool {
	return ExitsScanned(e.Exits, e.Attendance.Value, e.PresentNow.Value, e.Gates)
}

// ExitsScanned is the method of EventFigures for numbers.
func ExitsScanned(exits, came, present int, gates []GateFigures) bool {
	admitted, scanned := 0, 0
	for _, g := range gates {
		admitted += g.Admitted
		if g.Gate != "" && g.Left > 0 && g.Left*10 >= g.Admitted {
			scanned += g.Admitted
		}
	}
	return endScanned(exits, came, present) || scanned > 0 && scanned*10 >= admitted*9
}

// EndScanned reports whether nine tenths of the visitors, or more, were scanned out and did not come back, through
// whichever gates. Of a performance that everybody has left, it is whether exits were scanned.
func (e *EventFigures) EndScanned() bool {
	return endScanned(e.Exits, e.Attendance.Value, e.PresentNow.Value)
}

func endScanned(exits, came, present int) bool { return exits > 0 && (came-present)*10 >= came*9 }

// SamePast reports whether both snapshots have the same performances before today, on which what is usual depends.
// It is false if any performance of any day was added or removed.
func (s *Snapshot) SamePast(o *Snapshot, today Day) bool {
	_, same := s.ChangedPast(o, today, 0)
	return same
}

// ChangedPast returns the performances of the whole house before today that differ, as they are in each of two snapshots. few is false
// if they are more than most, or any performance of any day was added or removed.
func (s *Snapshot) ChangedPast(o *Snapshot, today Day, most int) (changed []*EventFigures, few bool) {
	a, b := cmp.Or(s.Whole, s).Events, cmp.Or(o.Whole, o).Events
	if len(a) != len(b) {
		return nil, false
	}
	for i := range a {
		if a[i] == b[i] || a[i].Date >= today && b[i].Date >= today {
			continue
		}
		if changed = append(changed, a[i], b[i]); len(changed) > 2*most {
			return nil, false
		}
	}
	return changed, true
}
