package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// farAhead is after everything.
var farAhead = time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)

// retired are versions without the scans of the performances whose sums take their place, and without
// the contacts that were not heard of since a time, as a log has them that retired both.
func retired(l *ledger.Ledger, versions []record.Version, scans, contacts time.Time) (kept []record.Version) {
	admissions := l.Admissions(scans, farAhead)
	closed := func(event string) bool {
		return slices.ContainsFunc(admissions, func(a *record.Admissions) bool { return a.EventID == event })
	}
	unheard := l.Unheard(contacts)
	next := int64(1)
	for _, v := range versions {
		next = max(next, v.Revision+1)
		forgotten := slices.Contains(unheard, record.ContactOf(v.Record))
		switch r := v.Record.(type) {
		case *record.Ticket:
			if forgotten {
				r = record.WithBuyer(r, l.Buyer(r.ID))
			}
			if v.Record = r; closed(r.EventID) {
				v.Record = record.WithoutScans(r)
			}
		case *record.TicketScan:
			if closed(l.ScanEvent(r.ID)) {
				continue
			}
		case *record.Payment, *record.Contact:
			if forgotten {
				if v.Record = record.WithoutContact(r); v.Record == nil {
					continue
				}
			}
		}
		kept = append(kept, v)
	}
	for i, a := range admissions {
		kept = append(kept, record.Version{Revision: next + int64(i), SeenAt: farAhead, Head: true, Record: a})
	}
	return kept
}

// A scan that comes after those of its performance were summed counts for nothing, and one of another
// performance as before; who comes back is new again.
func TestRetired(t *testing.T) {
	sold := func(id, event, contact, at string, scans ...record.Scan) *record.Ticket {
		return foldtest.Ticket(id, event, func(t *record.Ticket) {
			t.ContactID, t.SoldAt, t.Scans = contact, foldtest.Clock(at), append([]record.Scan{}, scans...)
		})
	}
	in := func(at, gate string) record.Scan {
		return record.Scan{At: foldtest.Clock(at), Gate: gate, Direction: record.Entry}
	}
	a := foldtest.Event("a", func(e *record.Event) { e.StartsAt, e.EndsAt = foldtest.Clock("20 20:00"), foldtest.Clock("20 22:00") })
	b := foldtest.Event("b", func(e *record.Event) { e.StartsAt, e.EndsAt = foldtest.Clock("24 20:00"), foldtest.Clock("24 22:00") })
	log := foldtest.NewLog()
	for _, r := range []record.Record{a, b, sold("2", "a", "x", "19 10:00", in("20 19:32", "South"), record.Scan{At: foldtest.Clock("20 21:50"), Gate: "South", Direction: record.Exit}), sold("1", "a", "x", "18 10:00", in("20 19:31", "North")),
		sold("3", "a", "y", "19 10:00"), sold("4", "b", "y", "22 10:00")} {
		log.Add(r, foldtest.Clock("24 12:00"))
	}
	l := foldtest.Ledger(foldtest.Amsterdam(t, 0), log.Versions...)
	if got := l.Unheard(foldtest.Clock("18 23:00")); got != nil {
		t.Errorf("not heard of on the 18th: %q", got)
	}
	if got := foldtest.Text(t, l.Unheard(foldtest.Clock("22 09:00"))); got != "[\n \"x\"\n]" {
		t.Errorf("not heard of: %s", got)
	}
	kept := retired(l, log.Versions, foldtest.Clock("22 09:00"), foldtest.Clock("22 09:00"))
	if n := len(kept); n != len(log.Versions)+1 {
		t.Fatalf("%d versions, want one more than %d", n, len(log.Versions))
	}
	again := foldtest.Ledger(foldtest.Amsterdam(t, 0), kept...)
	next := kept[len(kept)-1].Revision
	for _, r := range []record.Record{sold("3", "a", "y", "19 10:00", in("20 21:00", "North")), sold("4", "b", "y", "22 10:00", in("24 19:50", "North")), sold("5", "b", "x", "23 10:00")} {
		next++
		again.Apply(record.Version{Revision: next, SeenAt: foldtest.Clock("24 13:00"), Head: true, Record: r})
	}
	s := again.Snapshot(figures.Position{}, foldtest.Complete)
	for i, want := range []figures.GateFigures{{Gate: "North", Admitted: 1}, {Gate: "South", Admitted: 1, Left: 1}} {
		if g := s.Event("a").Gates[i]; g.Gate != want.Gate || g.Admitted != want.Admitted || g.Left != want.Left {
			t.Errorf("of the totals of a gate %+v is left, want %+v", g, want)
		}
	}
	for id, want := range map[string]struct {
		came, gates int
		buyers      figures.Buyers
	}{"a": {2, 2, figures.Buyers{New: 2, Returning: 1}}, "b": {1, 1, figures.Buyers{New: 1, Returning: 1}}} {
		e := s.Event(id)
		if e.Attendance.Value != want.came || len(e.Gates) != want.gates || e.Buyers != want.buyers {
			t.Errorf("%s: %d came, %+v, %+v; want %+v", id, e.Attendance.Value, e.Gates, e.Buyers, want)
		}
	}
}

// Scans are summed where somebody came and the performance was not put off, and count one by one again
// once it is moved past that.
func TestReopened(t *testing.T) {
	in := func(at string) []record.Scan {
		return []record.Scan{{At: foldtest.Clock(at), Gate: "North", Direction: record.Entry}}
	}
	sold := func(id, event string, scans []record.Scan) *record.Ticket {
		return foldtest.Ticket(id, event, func(t *record.Ticket) { t.SoldAt, t.Scans = foldtest.Clock("18 10:00"), scans })
	}
	log := foldtest.NewLog()
	log.Add(foldtest.Event("back", func(e *record.Event) { e.StartsAt, e.EndsAt = foldtest.Clock("30 20:00"), foldtest.Clock("20 22:00") }), foldtest.Clock("24 12:00"))
	log.Add(sold("back1", "back", in("20 19:31")), foldtest.Clock("24 12:00")) // over by its end, and to come by its start
	for id, of := range map[string]struct {
		status record.EventStatus
		scans  []record.Scan
	}{"came": {record.EventEnded, in("20 19:31")}, "empty": {record.EventEnded, []record.Scan{}}, "later": {record.EventPostponed, in("20 19:31")}, "off": {record.EventCancelled, in("20 19:31")}} {
		log.Add(foldtest.Event(id, func(e *record.Event) {
			e.StartsAt, e.EndsAt, e.Status = foldtest.Clock("20 20:00"), foldtest.Clock("20 22:00"), of.status
		}), foldtest.Clock("24 12:00"))
		for _, n := range []string{"1", "2"} {
			log.Add(sold(id+n, id, of.scans), foldtest.Clock("24 12:00"))
		}
	}
	l := foldtest.Ledger(foldtest.Amsterdam(t, 0), log.Versions...)
	summed := l.Admissions(foldtest.Clock("22 09:00"), foldtest.Clock("23 09:00"))
	if len(summed) != 1 || summed[0].EventID != "came" {
		t.Fatalf("summed %s", foldtest.Text(t, summed))
	}
	next := log.Versions[len(log.Versions)-1].Revision
	apply := func(r record.Record) figures.EventFigures {
		next++
		l.Apply(record.Version{Revision: next, SeenAt: foldtest.Clock("24 13:00"), Head: true, Record: r})
		return *l.Snapshot(figures.Position{}, foldtest.Complete).Event("came")
	}
	apply(summed[0])
	apply(sold("came1", "came", nil))
	if e := apply(sold("came2", "came", nil)); e.Attendance.Value != 2 {
		t.Errorf("%d came by the sums, want 2", e.Attendance.Value)
	}
	if e := apply(foldtest.Event("came", func(e *record.Event) { e.Date, e.StartsAt, e.EndsAt = "soon", time.Time{}, foldtest.Clock("20 22:00") })); e.Attendance.Value != 2 {
		t.Errorf("%d came by the sums when the date is none, want 2", e.Attendance.Value)
	}
	for date, reopened := range map[string]bool{"2026-11-21": false, "2026-11-22": true, "2026-11-23": true} { // 22 November has not ended everywhere
		if e := apply(foldtest.Event("came", func(e *record.Event) { e.Date, e.StartsAt, e.EndsAt = date, time.Time{}, time.Time{} })); (e.Attendance.Value != 2) != reopened {
			t.Errorf("%d came to %s", e.Attendance.Value, date)
		}
	}
	apply(foldtest.Event("came", func(e *record.Event) { e.StartsAt, e.EndsAt = foldtest.Clock("28 20:00"), foldtest.Clock("28 22:00") }))
	if e := apply(sold("came1", "came", in("28 19:40"))); e.Attendance.Value != 1 {
		t.Errorf("%d came to the new date, want 1", e.Attendance.Value)
	}
	if again := l.Admissions(foldtest.Clock("29 09:00"), foldtest.Clock("29 09:00")); len(again) != 1 || again[0].Attendance != 1 {
		t.Errorf("summed again: %s", foldtest.Text(t, again))
	}
}

// A contact with a ticket to what is still to come, or was lately, is not one of whom nothing is heard;
// nor is one with a date far ahead heard of until then.
func TestUnheard(t *testing.T) {
	log := foldtest.NewLog()
	event := func(id, at string, change func(*record.Event)) {
		log.Add(foldtest.Event(id, func(e *record.Event) {
			e.StartsAt, e.EndsAt = foldtest.Clock(at), foldtest.Clock(at).Add(time.Hour)
			change(e)
		}), foldtest.Clock("19 12:00"))
	}
	as := func(s record.EventStatus) func(*record.Event) { return func(e *record.Event) { e.Status = s } }
	event("over", "20 20:00", as(record.EventEnded))
	event("lately", "21 20:00", as(record.EventEnded))
	event("to come", "28 20:00", as(record.EventOnSale))
	event("called off", "28 20:00", as(record.EventCancelled))
	event("put off", "20 20:00", as(record.EventPostponed))
	event("undated", "20 20:00", func(e *record.Event) { e.StartsAt, e.EndsAt, e.Date = time.Time{}, time.Time{}, "" })
	event("gone", "28 20:00", func(e *record.Event) { e.Deleted = true })
	for _, id := range []string{"over", "lately", "to come", "called off", "put off", "undated", "gone", "nowhere"} {
		log.Add(foldtest.Ticket("of "+id, id, func(t *record.Ticket) { t.ContactID, t.SoldAt = id, foldtest.Clock("19 10:00") }), foldtest.Clock("19 12:00"))
	}
	for _, status := range []record.TicketStatus{record.TicketReserved, record.TicketRefunded} {
		log.Add(foldtest.Ticket(string(status), "to come", func(t *record.Ticket) {
			t.ContactID, t.SoldAt, t.Status = string(status), foldtest.Clock("19 10:00"), status
		}), foldtest.Clock("19 12:00"))
	}
	log.Add(foldtest.Ticket("ahead", "over", func(t *record.Ticket) { t.ContactID, t.SoldAt = "ahead", farAhead }), foldtest.Clock("19 12:00"))
	log.Add(foldtest.Ticket("a little ahead", "over", func(t *record.Ticket) { t.ContactID, t.SoldAt = "a little ahead", foldtest.Clock("21 10:00") }), foldtest.Clock("20 12:00"))
	l := foldtest.Ledger(foldtest.Amsterdam(t, 0), log.Versions...)
	if got, want := strings.Join(l.Unheard(foldtest.Clock("21 09:00")), ", "), "ahead, called off, gone, nowhere, over, refunded"; got != want {
		t.Errorf("not heard of: %s; want %s", got, want)
	}
}
