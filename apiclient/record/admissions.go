package record

import "time"

// KindAdmissions is of what housecount keeps of scans; no service gives it, and nobody enters it.
const KindAdmissions Kind = "admissions"

// Admissions are what the scans of a performance came to, once they are no longer stored one by one:
// sums, without a ticket. They take the place of all its scans, also of those that come afterwards.
type Admissions struct {
	EventID string    `json:"event_id"` // and the record's id
	At      time.Time `json:"at"`       // when the scans were summed, by the venue's clock
	// Reported is of how many tickets scans were reported.
	Reported int `json:"reported"`
	// Attendance, Arrived and Present are places, and Exits scans.
	Attendance int `json:"attendance"`
	Arrived    int `json:"arrived"`
	Present    int `json:"present"`
	Exits      int `json:"exits"`
	// Arrivals are the first entries of tickets that were sold.
	Arrivals Minutes          `json:"arrivals,omitzero"`
	Gates    []GateAdmissions `json:"gates,omitzero"` // by name
}

// GateAdmissions are the entries at a gate, in places.
type GateAdmissions struct {
	Gate    string  `json:"gate"`
	Entries int     `json:"entries"`
	Minutes Minutes `json:"minutes,omitzero"`
}

// Minutes are counts by minute, ascending: the minute, Unix time / 60, and the count.
type Minutes [][2]int64

// Reopened says that the performance was moved to after its scans were summed, so that those of its
// new date count one by one. A date is after that as long as it may not have ended, in whatever zone; one
// that is none moves nothing.
func (a *Admissions) Reopened(e *Event) bool {
	if !e.StartsAt.IsZero() {
		return e.StartsAt.After(a.At)
	}
	day, err := time.Parse(time.DateOnly, e.Date)
	return err == nil && day.Add(endsAnywhere).After(a.At)
}

// endsAnywhere is how long after a day began in UTC it has ended in every zone.
const endsAnywhere = 36 * time.Hour

func (a *Admissions) RecordKind() Kind         { return KindAdmissions }
func (a *Admissions) RecordID() string         { return a.EventID }
func (a *Admissions) RecordUpdated() time.Time { return a.At }

// WithoutScans is a copy of a record without scans, and nil where the record is one.
func WithoutScans(r Record) Record {
	switch r := r.(type) {
	case *Ticket:
		t := *r
		if t.Scans != nil {
			t.Scans = []Scan{}
		}
		return &t
	case *TicketScan:
		return nil
	}
	return r
}
