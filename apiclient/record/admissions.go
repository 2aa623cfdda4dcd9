package record

import "time"

// KindAdmissions is a kind that only housecount itself creates.
const KindAdmissions Kind = "admissions"

// Admissions are the sums of a performance's scans, without tickets, once the scans are no longer
// stored one by one. They replace all its scans, including later ones.
type Admissions struct {
	EventID string    `json:"event_id"` // also the record's id
	At      time.Time `json:"at"`       // when the scans were summed, by the venue's clock
	// Reported is the number of tickets with reported scans and of scans without a ticket, and Strays how many of those had a scan whose direction is
	// not mapped.
	Reported int `json:"reported"`
	Strays   int `json:"strays,omitzero"`
	// Attendance, Arrived and Present are in places, Exits is a number of scans.
	Attendance int `json:"attendance"`
	Arrived    int `json:"arrived"`
	Present    int `json:"present"`
	Exits      int `json:"exits"`
	// Arrivals are the first entries of sold tickets.
	Arrivals Minutes          `json:"arrivals,omitzero"`
	Gates    []GateAdmissions `json:"gates,omitzero"` // sorted by name
	// Departures are the last exits of those who did not come back, in places.
	Departures Minutes `json:"departures,omitzero"`
	// Outs are the exits of those who did come back, less their entries after them, in places.
	Outs Minutes `json:"outs,omitzero"`
}

// GateAdmissions are the entries at a gate, in places. Admitted and Left are 0 in totals that were made before they were
// counted.
type GateAdmissions struct {
	Gate     string  `json:"gate"`
	Entries  int     `json:"entries"`
	Admitted int     `json:"admitted,omitzero"` // of Entries, those that were the first of their ticket
	Left     int     `json:"left,omitzero"`     // people who went out here and did not come back
	Minutes  Minutes `json:"minutes,omitzero"`
}

// Minutes are counts per minute, ascending: the minute as Unix time / 60, and the count.
type Minutes [][2]int64

// Reopened reports whether the performance was moved to a date after its scans were summed, so that
// scans of the new date count one by one. A date counts as later while the performance may not have
// ended in some time zone; an invalid date does not.
func (a *Admissions) Reopened(e *Event) bool {
	if !e.StartsAt.IsZero() {
		return e.StartsAt.After(a.At)
	}
	day, err := time.Parse(time.DateOnly, e.Date)
	return err == nil && day.Add(endsAnywhere).After(a.At)
}

// endsAnywhere is how long after the start of a day in UTC the day has ended in every time zone.
const endsAnywhere = 36 * time.Hour

func (a *Admissions) RecordKind() Kind         { return KindAdmissions }
func (a *Admissions) RecordID() string         { return a.EventID }
func (a *Admissions) RecordUpdated() time.Time { return a.At }

// WithoutScans returns a copy of a record without scans, nil if the record is a scan.
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
