package figures

import (
	"time"

	"housecount/apiclient/record"
)

// Position names a state of everything that a page shows: the versions of one log up to a
// revision, and what was learned of the streams. The same position, time, access and
// language give the same page on every process.
type Position struct {
	Epoch    string // of the log; changes when it is made anew
	Revision int64  // of the newest version
	Streams  int64  // counts the changes of what was learned of the streams
}

// Snapshot is every figure at one position. It is immutable and shared by everybody
// who reads it. What depends on the time of day (arrivals a minute, still to come) is a
// method that takes the time.
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
	// Total is over all events and Unattributed: sum over Events + Unattributed = Total.
	Total Revenue
	// Strays are tickets of events that no list gave; none while events are being read.
	Strays      Strays
	Diagnostics []Diagnostic
}

// EventFigures are the figures of one event. Immutable.
type EventFigures struct {
	Event record.Event
	// Date is the venue day of the performance, empty where there is none.
	Date Day

	Capacity      Figure[int]
	Available     Figure[int] // as the service reports it
	Blocked       Figure[int]
	Sold          Figure[int] // Paid + Complimentary, places
	Paid          Figure[int] // valid and not complimentary, free tickets included
	Complimentary Figure[int]
	Reserved      Figure[int] // shown beside Sold, never inside
	Oversold      int         // places sold over capacity, 0 when not

	Expected   Figure[int] // sold places that admit
	Attendance Figure[int] // places of distinct tickets with a successful entry
	PresentNow Figure[int] // places whose last successful scan is an entry

	Revenue  Revenue
	Parts    [dimensionCount][]PartFigures // by Dimension, most sold first
	SaleDays []*DayFigures                 // by day of sale, ascending, only days on which something happened
	Gates    []GateFigures                 // ordered by name

	// SoldMinutes holds net places sold (sold minus cancelled) by minute, ascending.
	SoldMinutes []MinuteCount
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

// PartFigures are a part of an event's sales: Sold, and what was Booked.
type PartFigures struct {
	Name string
	Paid int
	Flow
}

// Dimension is what sales are split by.
type Dimension uint8

// The dimensions.
const (
	ByTicketType Dimension = iota
	ByChannel              // an empty name is one that was not reported
	dimensionCount
)

// DayFigures are the movements of one day of sale.
type DayFigures struct {
	Day Day
	Flow
	// Slots splits the day's movements into five-minute slots of the wall clock, ascending,
	// so that a running day can be compared with another up to the same time of day. Only
	// in Snapshot.Days; nil in an event's SaleDays.
	Slots []SlotFigures
}

// SlotFigures are the movements of five minutes.
type SlotFigures struct {
	Slot int // minutes since the day's cut-off by the wall clock / 5
	Flow
}

// Event returns the figures of one event, nil when there are none.
func (s *Snapshot) Event(id string) *EventFigures {
	for _, e := range s.Events {
		if e.Event.ID == id {
			return e
		}
	}
	return nil
}

// Tonight returns the events of the venue day of now, and those of the day before that
// have not ended, ordered by curtain. Cancelled ones are among them: their status says so.
func (s *Snapshot) Tonight(now time.Time) []*EventFigures {
	today := s.Calendar.Day(now)
	yesterday := today.Add(-1)
	var tonight []*EventFigures
	for _, e := range s.Events {
		running := e.Date == yesterday && !e.Hours().End.IsZero() && !e.over(now) &&
			e.Event.Status != record.EventCancelled && e.Event.Status != record.EventPostponed
		if e.Date == today || running {
			tonight = append(tonight, e)
		}
	}
	return tonight
}

// Next returns up to n coming events after the venue day of now, without cancelled ones,
// ordered by curtain.
func (s *Snapshot) Next(now time.Time, n int) []*EventFigures {
	today := s.Calendar.Day(now)
	var next []*EventFigures
	for _, e := range s.Events {
		if len(next) >= n {
			break
		}
		if e.Date > today && e.Event.Status != record.EventCancelled {
			next = append(next, e)
		}
	}
	return next
}
