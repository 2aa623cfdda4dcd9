package ledger

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// admission is the result of scans.
type admission struct {
	reported int // tickets of which scans were reported
	strays   int // of those, tickets with a scan whose direction is not mapped

	attendance, arrived, present, exits int

	arrivals, departures []figures.MinuteCount

	gates []figures.GateFigures // by name
}

// sums returns what the scans of the event came to, nil while they are counted one by one: before they
// were summed, and once the performance was moved past that.
func (e *eventAccount) sums() *record.Admissions {
	if e.closed != nil && e.record != nil && e.closed.Reopened(e.record) {
		return nil
	}
	return e.closed
}

// admission is that of the event: of the scans that are counted one by one, or what they came to
// when they were.
func (e *eventAccount) admission(n *names) admission {
	c := e.sums()
	if c == nil {
		return admission{e.scansReported, e.strayScans, e.attendance, e.arrived, e.present + max(0, e.passing), e.exits, e.arrivals.publish(), e.departures.publish(), e.gateFigures(n)}
	}
	a := admission{c.Reported, c.Strays, c.Attendance, c.Arrived, c.Present, c.Exits, minutesOf(c.Arrivals), minutesOf(c.Departures), nil}
	for _, g := range c.Gates {
		a.gates = append(a.gates, figures.GateFigures{Gate: g.Gate, Entries: g.Entries, Minutes: minutesOf(g.Minutes)})
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

// applyAdmissions puts what scans came to in the place of the event's scans.
func (l *Ledger) applyAdmissions(r *record.Admissions, v *record.Version) {
	e := l.account(r.EventID)
	e.trail.add(v.Revision)
	if !newest(v, e.closedBy) {
		return
	}
	if e.closed == nil {
		l.closed++
	}
	e.closed, e.closedBy = r, v.Revision
	l.touch(e)
}

// Admissions returns what the scans of performances came to that were over before a time, whose last scan
// was before it too, and whose scans are still counted one by one: as records made at now, by the
// events' ids. Those to which nobody came are left out, and those that are postponed or called off:
// they may still take place.
func (l *Ledger) Admissions(before, now time.Time) (all []*record.Admissions) {
	for _, id := range slices.Sorted(maps.Keys(l.accounts)) {
		e := l.accounts[id]
		if id == "" || e.sums() != nil || e.attendance == 0 || e.offDate() || e.record != nil && !e.endedBefore(l.days, before) {
			continue
		}
		a := e.admission(&l.names)
		r := &record.Admissions{EventID: id, At: now, Reported: a.reported, Strays: a.strays, Attendance: a.attendance, Arrived: a.arrived, Present: a.present, Exits: a.exits,
			Arrivals: minutesAs(a.arrivals), Departures: minutesAs(a.departures)}
		if e.scannedSince(a, before) || e.record != nil && r.Reopened(e.record) { // one may end before it starts
			continue
		}
		for _, g := range a.gates {
			r.Gates = append(r.Gates, record.GateAdmissions{Gate: g.Gate, Entries: g.Entries, Minutes: minutesAs(g.Minutes)})
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

// endedBefore reports whether the performance, which has a record, ended before a time by that.
func (e *eventAccount) endedBefore(c dayCache, before time.Time) bool {
	f := figures.EventFigures{Event: *e.record, Date: e.date(c)}
	if end := f.Hours().End; !end.IsZero() {
		return end.Before(before)
	}
	return f.Date != "" && f.Date < c.Day(before)
}

// ScanEvent returns the id of the event of a scan that came in a list of its own, by the newest version of
// the scan; empty if the ledger has none.
func (l *Ledger) ScanEvent(scan string) string {
	if p := l.scans[scan]; p != nil {
		if p.event != nil {
			return p.event.id
		}
		if t := l.tickets[p.ticket]; t != nil {
			return t.event.id
		}
	}
	return ""
}

// Unheard returns the ids of contacts without activity since a time: no sale, no payment and no change of
// theirs, and no ticket to a performance that ended after it or is still to come.
func (l *Ledger) Unheard(before time.Time) (ids []string) {
	unheard := map[ref]string{}
	for id, at := range l.contacts.refs {
		if heard := l.contacts.rows[at].heard; heard != 0 && heard < figures.StampOf(before) {
			unheard[at] = id
		}
	}
	over := map[*eventAccount]bool{}
	for _, t := range l.tickets {
		if len(unheard) == 0 {
			break
		}
		if t.state != ticketSold && t.state != ticketReserved || unheard[t.buyer] == "" {
			continue
		}
		is, known := over[t.event]
		if !known {
			is = t.event.behind(l.days, before)
			over[t.event] = is
		}
		if !is {
			delete(unheard, t.buyer)
		}
	}
	return slices.Sorted(maps.Values(unheard))
}

// behind reports whether nobody comes to the performance any more who had not come by a time: it ended, was
// cancelled or does not exist. A postponed performance, or one without a date, is still to come.
func (e *eventAccount) behind(c dayCache, before time.Time) bool {
	if !e.listed() || e.record.Status == record.EventCancelled {
		return true
	}
	return e.record.Status != record.EventPostponed && e.endedBefore(c, before)
}

// Buyer returns how a ticket counts, for when its contact is no more: record.NewBuyer,
// record.ReturningBuyer, or empty if it counts as neither.
func (l *Ledger) Buyer(ticket string) string {
	t := l.tickets[ticket]
	if t == nil || t.state != ticketSold || t.sold == 0 || t.admitting() <= 0 || t.buyer == 0 {
		return ""
	}
	switch first := l.contacts.rows[t.buyer].first(); {
	case t.buyer == newBuyer, t.buyer != returningBuyer && first == l.days.dayOf(t.sold):
		return record.NewBuyer
	default:
		return record.ReturningBuyer
	}
}

// hear takes in that something is heard of a contact by a version.
func (l *Ledger) hear(c ref, v *record.Version) {
	if c <= returningBuyer {
		return
	}
	at := figures.StampOf(cmp.Or(record.LastActivity(v.Record, v.SeenAt), v.SeenAt))
	row := &l.contacts.rows[c]
	row.heard = max(row.heard, at)
}
