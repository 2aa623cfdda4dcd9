package aggregator

import (
	"cmp"
	"time"
)

// Retirement returns what of the folded log can be retired: scans of performances that ended before a time, and
// contacts without activity since a time. A zero time retires none. Times are in the venue's zone.
func (f *Figures) Retirement(now, scans, contacts time.Time) Retirement {
	f.mu.Lock()
	defer f.mu.Unlock()
	zone := cmp.Or(f.calendar.Zone, time.UTC)
	r := Retirement{At: now.In(zone), Over: scans.In(zone), Unheard: contacts.In(zone), ScanEvent: f.scanEvent, Buyer: f.buyer}
	if !scans.IsZero() {
		r.Admissions = f.ledger.Admissions(scans, now)
	}
	if !contacts.IsZero() {
		r.Contacts = f.ledger.Unheard(contacts)
	}
	return r
}

func (f *Figures) scanEvent(scan string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ledger.ScanEvent(scan)
}

func (f *Figures) buyer(ticket string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ledger.Buyer(ticket)
}
