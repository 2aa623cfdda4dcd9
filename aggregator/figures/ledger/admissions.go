package ledger

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// admission is the result of counting scans.
type admission struct {
	reported int // tickets whose scans were reported
	strays   int // of those, tickets with a scan whose direction is not mapped

	attendance, arrived, present, exits int

	arrivals, departures, outs []figures.MinuteCount

	gates []figures.GateFigures // by name
}

// sums returns the stored totals of the event's scans, or nil while its scans are counted one by one: before they
// were totalled, and after the performance was moved to a later date.
func (e *eventAccount) sums() *record.Admissions {
	if e.closed != nil && e.record != nil && e.closed.Reopened(e.record) {
		return nil
	}
	return e.closed
}

// admission returns the event's admission, from its scans or from their stored totals.
func (e *eventAccount) admission(n *sums.Names) admission {
	c := e.sums()
	if c == nil {
		return admission{e.scansReported, e.strayScans, e.attendance, e.arrived, max(0, e.present+e.passing), e.exits, e.arrivals.Publish(), e.departures.Publish(), e.outs.Publish(), e.gateFigures(n)}
	}
	a := admission{c.Reported, c.Strays, c.Attendance, c.Arrived, c.Present, c.Exits, minutesOf(c.Arrivals), minutesOf(c.Departures), minutesOf(c.Outs), nil}
	for _, g := range c.Gates {
		a.gates = append(a.gates, figures.GateFigures{Gate: g.Gate, Entries: g.Entries, Admitted: g.Admitted, Left: g.Left, Minutes: minutesOf(g.Minutes)})
	}
	return a
}

func minutesOf(m record.Minutes) (all []figures.MinuteCount) {
	for _, row := range m {
		all = append(all, figures.MinuteCount{Minute: row[0], Count: int(row[1])})
	}
	return all
}

func minutesAs(all []figures.MinuteCount) (m record.Minutes) {
	for _, row := range all {
		m = append(m, [2]int64{row.Minute, int64(row.Count)})
	}
	return m
}

// applyAdmissions stores totals of scans in place of the event's scans.
func (l *Ledger) applyAdmissions(r *record.Admissions, v *record.Version) {
	e := l.account(r.EventID)
	e.trail.Add(v.Revision)
	if !newest(v, e.closedBy) {
		return
	}
	if e.closed == nil {
		l.closed++
	}
	e.closed, e.closedBy = r, v.Revision
	l.touch(e)
}

// Admissions returns the totals of scans for performances that ended before a time, whose last scan was before it
// too, and whose scans are still counted one by one. The records are made at now and sorted by event id.
// Performances without visitors are left out, and so are postponed and cancelled ones, which may still take place.
func (l *Ledger) Admissions(before, now time.Time) (all []*record.Admissions) {
	for _, id := range slices.Sorted(maps.Keys(l.accounts)) {
		e := l.accounts[id]
		if id == "" || e.sums() != nil || e.attendance == 0 || e.offDate() || e.record != nil && !e.endedBefore(l.days, before) {
			continue
		}
		a := e.admission(&l.names)
		r := &record.Admissions{EventID: id, At: now, Reported: a.reported, Strays: a.strays, Attendance: a.attendance, Arrived: a.arrived, Present: a.present, Exits: a.exits,
			Arrivals: minutesAs(a.arrivals), Departures: minutesAs(a.departures), Outs: minutesAs(a.outs)}
		if e.scannedSince(a, before) || e.record != nil && r.Reopened(e.record) { // a performance may end before it starts
			continue
		}
		for _, g := range a.gates {
			r.Gates = append(r.Gates, record.GateAdmissions{Gate: g.Gate, Entries: g.Entries, Admitted: g.Admitted, Left: g.Left, Minutes: minutesAs(g.Minutes)})
		}
		all = append(all, r)
	}
	return all
}

// offDate reports whether the performance does not take place on the date of its record.
func (e *eventAccount) offDate() bool {
	return e.record != nil && (e.record.Status == record.EventPostponed || e.record.Status == record.EventCancelled)
}

// cancelled reports whether the performance was called off.
func (e *eventAccount) cancelled() bool {
	return e.record != nil && e.record.Status == record.EventCancelled
}

// scannedSince reports whether somebody was scanned after a time or, if the event has not arrived, whether
// a scan has no time.
func (e *eventAccount) scannedSince(a admission, before time.Time) bool {
	minute := figures.StampOf(before).Minute()
	for _, g := range a.gates {
		if n := len(g.Minutes); n > 0 && g.Minutes[n-1].Minute >= minute {
			return true
		}
	}
	return e.record == nil && len(a.gates) == 0
}

// endedBefore reports whether the performance, by its record, ended before a time. The record must not be nil.
func (e *eventAccount) endedBefore(c sums.DayCache, before time.Time) bool {
	f := figures.EventFigures{Event: *e.record, Date: e.date(c)}
	if end := f.Hours().End; !end.IsZero() {
		return end.Before(before)
	}
	return f.Date != "" && f.Date < c.Day(before)
}

// ScanEvent returns the id of the event that a listed scan belongs to, by the scan's newest version; empty if the
// ledger does not have the scan.
func (l *Ledger) ScanEvent(scan string) string {
	if p := l.scans[scan]; p != nil {
		if p.event != nil {
			return p.event.id
		}
		if t, known := l.ticket(p.ticket); known {
			return t.event.id
		}
	}
	return ""
}

// Unheard returns the ids of contacts without activity since a time: no sale, payment or change of the contact,
// and no ticket to a performance that ended after that time or is still to come.
func (l *Ledger) Unheard(before time.Time) (ids []string) {
	unheard := map[sums.Ref]string{}
	for id, at := range l.contacts.refs {
		if heard := l.contacts.rows[at].heard; heard != 0 && heard < figures.StampOf(before) {
			unheard[at] = id
		}
	}
	over := map[*eventAccount]bool{}
	for t := range l.tickets.All() {
		if len(unheard) == 0 {
			break
		}
		if t.state != ticketSold && t.state != ticketReserved || unheard[t.buyer] == "" {
			continue
		}
		e := l.numbered[t.event]
		is, known := over[e]
		if !known {
			is = e.behind(l.days, before)
			over[e] = is
		}
		if !is {
			delete(unheard, t.buyer)
		}
	}
	return slices.Sorted(maps.Values(unheard))
}

// behind reports whether nobody can still come to the performance who had not come before a time: it ended, was
// cancelled or does not exist. A postponed performance, or one without a date, is still to come.
func (e *eventAccount) behind(c sums.DayCache, before time.Time) bool {
	if !e.listed() || e.record.Status == record.EventCancelled {
		return true
	}
	return e.record.Status != record.EventPostponed && e.endedBefore(c, before)
}

// Buyer returns how a ticket is to be counted once its contact is deleted: record.NewBuyer, record.ReturningBuyer,
// or empty for neither.
func (l *Ledger) Buyer(ticket string) string {
	t, known := l.ticket(ticket)
	if !known || t.state != ticketSold || t.sold == 0 || t.admitting() <= 0 || t.buyer == 0 {
		return ""
	}
	switch first := l.contacts.rows[t.buyer].first(); {
	case t.buyer == newBuyer, t.buyer != returningBuyer && first == l.days.DayOf(t.sold):
		return record.NewBuyer
	default:
		return record.ReturningBuyer
	}
}

// hear stores that a version is activity of a contact.
func (l *Ledger) hear(c sums.Ref, v *record.Version) {
	if c <= returningBuyer {
		return
	}
	at := figures.StampOf(cmp.Or(record.LastActivity(v.Record, v.SeenAt), v.SeenAt))
	row := &l.contacts.rows[c]
	row.heard = max(row.heard, at)
}
