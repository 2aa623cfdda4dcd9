package ledger_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
)

// checkSums checks that events and unattributed money are the total, and days as well.
func checkSums(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	for m := range figures.RefundsPending {
		checkSum(t, s, m.String(), func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Of(m) },
			func(f *figures.Flow) figures.Sums { return f.Of(m) })
	}
	checkSum(t, s, "net", func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Net }, (*figures.Flow).Net)
	checkParts(t, s)
	foldtest.CheckBridge(t, s)
	checkVAT(t, s)
	var onDays, byEvent figures.Lacks
	add := func(to *figures.Lacks, days []*figures.DayFigures) {
		for _, d := range days {
			*to = to.Plus(d.Lacks, 1)
		}
	}
	add(&onDays, s.Days)
	add(&byEvent, s.UnattributedDays)
	for _, e := range s.Events {
		add(&byEvent, e.SaleDays)
	}
	if onDays != byEvent {
		t.Fatalf("the days lack %+v, by event %+v", onDays, byEvent)
	}
}

// checkVAT checks that what was booked on a day, and the VAT in it, is what each source of VAT comes to.
func checkVAT(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	v := evening.At(s, farAhead)
	for _, d := range s.Days {
		p := evening.Period{From: d.Day, To: d.Day, Days: []figures.DayFigures{*d}, Flow: d.Flow}
		var booked, vat, net figures.Sums
		for _, f := range marketing.VATOf(v, &p) {
			booked, vat, net = booked.PlusAll(f.Of(figures.Booked), 1), vat.PlusAll(f.Of(figures.VAT), 1), net.PlusAll(f.Net(), 1)
			if f.Basis == figures.VATMissing && len(f.Of(figures.VAT)) > 0 {
				t.Fatalf("%v: VAT %v of which nobody says anything", d.Day, f.Of(figures.VAT))
			}
		}
		if s.Total.Of(figures.VAT).Known() {
			foldtest.EqualSums(t, "booked by source of VAT", booked, d.Of(figures.Booked))
			foldtest.EqualSums(t, "VAT by source", vat, d.Of(figures.VAT))
			foldtest.EqualSums(t, "net of VAT by source", net, d.NetOfVAT())
		} else if booked != nil {
			t.Fatalf("%v booked by source of VAT, and none is known", booked)
		}
	}
}

// checkSum does so for one measure.
func checkSum(t *testing.T, s *figures.Snapshot, measure string, of func(*figures.Revenue) figures.Figure[figures.Sums], in func(*figures.Flow) figures.Sums) {
	t.Helper()
	parts := of(&s.Unattributed).Value
	for _, e := range s.Events {
		parts = parts.PlusAll(of(&e.Revenue).Value, 1)
	}
	foldtest.EqualSums(t, measure+" of events and unattributed", parts, of(&s.Total).Value)
	var onDays, byEvent figures.Sums
	for _, d := range s.Days {
		onDays = onDays.PlusAll(in(&d.Flow), 1)
	}
	for _, d := range s.UnattributedDays {
		byEvent = byEvent.PlusAll(in(&d.Flow), 1)
	}
	for _, e := range s.Events {
		var days figures.Sums
		for _, d := range e.SaleDays {
			days = days.PlusAll(in(&d.Flow), 1)
		}
		if !undated(of(e.Revenue.During(&figures.Flow{})).Reasons) {
			foldtest.EqualSums(t, measure+" on the days of "+e.Event.ID, days, of(&e.Revenue).Value)
		}
		byEvent = byEvent.PlusAll(days, 1)
	}
	foldtest.EqualSums(t, measure+" by event and day", byEvent, onDays)
	v := evening.At(s, foldtest.Halfway)
	today := v.BookedToday(s.Days)
	var rows figures.Sums
	for _, row := range v.ByEvent(v.Today, v.Today) {
		rows = rows.PlusAll(in(&row.Flow), 1)
	}
	foldtest.EqualSums(t, measure+" today by event", rows, in(&today))
	if !undated(of(s.Total.During(&figures.Flow{})).Reasons) {
		foldtest.EqualSums(t, measure+" on days", onDays, of(&s.Total).Value)
	}
}

// checkParts checks that the parts of an event are the event.
func checkParts(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	for _, e := range s.Events {
		sold, gates := 0, 0
		for _, m := range e.SoldMinutes {
			sold += m.Count
		}
		for _, g := range e.Gates {
			gates += g.Entries
		}
		for dimension, parts := range e.Parts {
			var all figures.Sums
			places := 0
			var split [4]int
			for _, p := range parts.All() {
				places += p.Sold
				split[0], split[1] = split[0]+p.Paid, split[1]+p.Unpaid
				split[2], split[3] = split[2]+p.Complimentary, split[3]+p.FreeTickets
				all = all.PlusAll(p.Of(figures.Booked), 1)
			}
			of := [4]int{e.Paid.Value, e.Unpaid.Value, e.Complimentary.Value, e.FreeTickets.Value}
			if places != of[0]+of[1]+of[2]+of[3] || split != of {
				t.Fatalf("%s: parts by %d sold %d, %v; event %d, %v", e.Event.ID, dimension, places, split, e.Sold.Value, of)
			}
			foldtest.EqualSums(t, "booked by parts of "+e.Event.ID, all, e.Revenue.Of(figures.Booked).Value)
		}
		if !undated(e.Revenue.During(&figures.Flow{}).Of(figures.Booked).Reasons) && sold != e.Sold.Value {
			t.Fatalf("%s: minutes sold %d, event %d", e.Event.ID, sold, e.Sold.Value)
		}
		if e.Attendance.Known() && gates < e.Attendance.Value {
			t.Fatalf("%s: %d entries of %d visitors", e.Event.ID, gates, e.Attendance.Value)
		}
	}
}

func undated(reasons []figures.Reason) bool {
	for _, r := range reasons {
		if r == figures.ReasonUndated {
			return true
		}
	}
	return false
}
