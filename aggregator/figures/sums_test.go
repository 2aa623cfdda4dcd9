package figures_test

import (
	"reflect"
	"testing"

	"housecount/aggregator/figures"
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
	checkBridge(t, s)
	checkVAT(t, s)
	var onDays, byEvent figures.Guessed
	add := func(to *figures.Guessed, days []*figures.DayFigures) {
		for _, d := range days {
			to.Voids += d.Voids
			to.Returns += d.Returns
		}
	}
	add(&onDays, s.Days)
	add(&byEvent, s.UnattributedDays)
	for _, e := range s.Events {
		add(&byEvent, e.SaleDays)
	}
	if onDays != byEvent {
		t.Fatalf("%+v are guessed, by event %+v", onDays, byEvent)
	}
}

// checkVAT checks that what was booked on a day, and the VAT in it, is what each source of VAT comes to.
func checkVAT(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	v := s.Evening(farAhead)
	for _, d := range s.Days {
		p := figures.Period{From: d.Day, To: d.Day, Days: []figures.DayFigures{*d}, Flow: d.Flow}
		var booked, vat, net figures.Sums
		for _, f := range v.VATOf(&p) {
			booked, vat, net = booked.PlusAll(f.Of(figures.Booked), 1), vat.PlusAll(f.Of(figures.VAT), 1), net.PlusAll(f.Net(), 1)
			if f.Basis == figures.VATMissing && len(f.Of(figures.VAT)) > 0 {
				t.Fatalf("%v: VAT %v of which nobody says anything", d.Day, f.Of(figures.VAT))
			}
		}
		if s.Total.Of(figures.VAT).Known() {
			equalSums(t, "booked by source of VAT", booked, d.Of(figures.Booked))
			equalSums(t, "VAT by source", vat, d.Of(figures.VAT))
			equalSums(t, "net of VAT by source", net, d.NetOfVAT())
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
	equalSums(t, measure+" of events and unattributed", parts, of(&s.Total).Value)
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
		if !undated(of(&e.Revenue).Reasons) {
			equalSums(t, measure+" on the days of "+e.Event.ID, days, of(&e.Revenue).Value)
		}
		byEvent = byEvent.PlusAll(days, 1)
	}
	equalSums(t, measure+" by event and day", byEvent, onDays)
	v := s.Evening(halfway)
	today := v.BookedToday(s.Days)
	var rows figures.Sums
	for _, row := range v.ByEvent(v.Today, v.Today) {
		rows = rows.PlusAll(in(&row.Flow), 1)
	}
	equalSums(t, measure+" today by event", rows, in(&today))
	if !undated(of(&s.Total).Reasons) {
		equalSums(t, measure+" on days", onDays, of(&s.Total).Value)
	}
}

// checkBridge checks that booked + fees − to be paid + to be paid back is what was received net, in
// all and of the orders placed on any day; that events and unattributed items are the total; and that
// an open item is never below 0, and has orders that are open.
func checkBridge(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	bridge := func(what string, of func(figures.Measure) figures.Sums) {
		net := of(figures.Received).PlusAll(of(figures.Refunded), -1).PlusAll(of(figures.ChargedBack), -1).PlusAll(of(figures.Reversed), 1)
		equalSums(t, "net received by the bridge of "+what, of(figures.Booked).PlusAll(of(figures.Fees), 1).
			PlusAll(of(figures.ToBePaid), -1).PlusAll(of(figures.ToBePaidBack), 1), net)
	}
	if s.Total.Of(figures.ToBePaid).Known() {
		bridge("the total", func(m figures.Measure) figures.Sums { return s.Total.Of(m).Value })
		for _, d := range s.OrderDays.All() {
			bridge(string(d.Day), d.Of)
		}
	}
	var byEvent, total [2]figures.Sums
	measures := [2]figures.Measure{figures.ToBePaid, figures.ToBePaidBack}
	for i, m := range measures {
		byEvent[i], total[i] = s.Unattributed.Of(m).Value, s.Total.Of(m).Value
	}
	inTotal, most := map[figures.Day]int{}, map[figures.Day]int{}
	for _, d := range s.OrderDays.All() {
		inTotal[d.Day] = d.Open
	}
	for _, e := range s.Events {
		for _, d := range e.OrderDays.All() {
			most[d.Day] = max(most[d.Day], d.Open)
			owed := len(d.Of(figures.ToBePaid)) + len(d.Of(figures.ToBePaidBack))
			if owed > 0 && d.Open <= 0 || owed == 0 && d.Open != 0 {
				t.Fatalf("%s of %s: %d orders are open, with %v to be paid and %v to be paid back", d.Day, e.Event.ID, d.Open, d.Of(figures.ToBePaid), d.Of(figures.ToBePaidBack))
			}
		}
		for i, m := range measures {
			byEvent[i] = byEvent[i].PlusAll(e.Revenue.Of(m).Value, 1)
			for _, owed := range e.Revenue.Of(m).Value {
				if owed.Amount < 0 {
					t.Fatalf("%s: %v is %v", e.Event.ID, m, owed)
				}
			}
		}
	}
	for day, n := range most {
		if inTotal[day] < n {
			t.Fatalf("%s: %d orders are open, of one event %d", day, inTotal[day], n)
		}
	}
	for i, m := range measures {
		equalSums(t, m.String()+" by event", byEvent[i], total[i])
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
			equalSums(t, "booked by parts of "+e.Event.ID, all, e.Revenue.Of(figures.Booked).Value)
		}
		if !undated(e.Revenue.Of(figures.Booked).Reasons) && sold != e.Sold.Value {
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

func equalSums(t *testing.T, what string, got, want figures.Sums) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %v, total %v", what, got, want)
	}
}
