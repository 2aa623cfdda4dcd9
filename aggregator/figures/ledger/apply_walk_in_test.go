package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// People without a ticket are in the house count, and in no other figure. Each count adds up,
// whichever comes first and however often.
func TestWalkIns(t *testing.T) {
	play := func(s record.EventStatus) record.Record {
		return foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(s))
	}
	walk := func(id, gate string, n int) record.Record {
		return &record.WalkIn{ID: id, EventID: "a", Gate: gate, Count: n, At: foldtest.Clock("19:30"), By: "Mia"}
	}
	in := slices.Clip(foldtest.Come(10, "c", "a", "A", "19:00", 1))
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"none", "19:30", append(in, play("")), "estimated 10 no_exits"},
		{"two gates", "19:30", append(in, play(""), walk("1", "A", 2), walk("2", "B", 1), walk("3", "A", 1)), "estimated 14 no_exits walk_ins"},
		{"one went out", "19:30", append(in, play(""), walk("1", "A", 2), walk("2", "A", -1)), "estimated 11 no_exits walk_ins"},
		{"more went out than came", "19:30", append(in, play(""), walk("2", "A", -3)), "estimated 10 no_exits"},
		{"twice the same", "19:30", append(in, play(""), walk("1", "A", 2), walk("1", "A", 2)), "estimated 12 no_exits walk_ins"},
		{"before the performance is known", "19:30", append([]record.Record{walk("1", "A", 2)}, append(in, play(""))...), "estimated 12 no_exits walk_ins"},
		{"absurd", "19:30", append(in, play(""), walk("1", "A", 2_000_000_000)), "estimated 10 no_exits"},
		{"on their way out", "22:10", append(in, play(""), walk("1", "A", 2)), "estimated 3 no_exits walk_ins left"},
		{"gone", "22:40", append(in, play(""), walk("1", "A", 2)), ""},
		{"the same at another gate", "19:30", append(in, play(""), walk("1", "B", 2), walk("2", "A", -3)), "estimated 12 no_exits walk_ins"},
	} {
		v := foldtest.At(c.now, c.records...)
		got := ""
		if v.House.Counted > 0 {
			got = foldtest.Say(v.House.Inside)
		}
		if got != c.want {
			t.Errorf("%s: inside %q, want %q", c.name, got, c.want)
		}
		with, without := foldtest.ShowOf(t, v, "a"), foldtest.ShowOf(t, foldtest.At(c.now, append(in, play(""))...), "a")
		if with.Attendance.Value != without.Attendance.Value || with.PresentNow.Value != without.PresentNow.Value || with.Sold.Value != without.Sold.Value {
			t.Errorf("%s: people without a ticket are among attendance %v, present %v or sold %v", c.name, with.Attendance, with.PresentNow, with.Sold)
		}
	}
	v := foldtest.At("19:30", append(in, play(""), walk("1", "B", 2), walk("2", "A", 1), walk("3", "A", -2), walk("4", "C", 1), walk("5", "C", -1))...)
	if got := fmt.Sprint(foldtest.ShowOf(t, v, "a").WalkIns); got != "[{A -1} {B 2}]" {
		t.Errorf("the gates' sums are %s", got)
	}
	// Of those who are on their way out nobody is a walk-in any more.
	for now, want := range map[string]int{"19:30": 4, "22:10": 0} {
		if got := foldtest.At(now, append(in, play(""), walk("1", "A", 3), walk("2", "B", 1))...).House.WalkIns; got != want {
			t.Errorf("at %s: %d walk-ins in the house, want %d", now, got, want)
		}
	}
}

// Before anybody was scanned, people without a ticket are counted at the gates that the hall has had at its
// last performances; where none are known, at one without a name.
func TestWalkInGates(t *testing.T) {
	in := func(hall string) func(*record.Event) {
		return func(e *record.Event) { e.Hall = hall }
	}
	on := func(days int, hall string) func(*record.Event) {
		return func(e *record.Event) {
			in(hall)(e)
			e.StartsAt, e.EndsAt = foldtest.Clock("20:00").AddDate(0, 0, -days), foldtest.Clock("22:00").AddDate(0, 0, -days)
		}
	}
	var records []record.Record
	for days, gate := range []string{1: "East", 2: "West", 3: "East", 4: "", 5: "East", 6: "Long gone"} {
		if days == 0 {
			continue
		}
		id := fmt.Sprint("past", days)
		records = append(records, foldtest.Event(id, on(days, "Large")), foldtest.Ticket("t"+id, id, func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock("19:50").AddDate(0, 0, -days), Gate: gate, Direction: record.Entry}}
		}))
	}
	records = append(records, foldtest.Event("elsewhere", on(1, "Small")), foldtest.Ticket("u", "elsewhere", func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:50").AddDate(0, 0, -1), Gate: "South", Direction: record.Entry}}
	}))
	scanned := foldtest.Ticket("t", "a", func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:20"), Gate: "North", Direction: record.Entry}}
	})
	for _, c := range []struct {
		name, want string
		more       []record.Record
	}{
		{"nobody yet", "[East West]", []record.Record{foldtest.Event("a", in("Large"))}},
		{"a gate of today", "[East North West]", []record.Record{foldtest.Event("a", in("Large")), scanned}},
		{"counted by hand at another", "[Box East West]", []record.Record{foldtest.Event("a", in("Large")), &record.WalkIn{ID: "w", EventID: "a", Gate: "Box", Count: 1, At: foldtest.Clock("19:20")}}},
		{"a hall without a past", "[]", []record.Record{foldtest.Event("a", in("New"))}},
		{"no hall", "[]", []record.Record{foldtest.Event("a", in(""))}},
	} {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, append(records[:len(records):len(records)], c.more...)...), foldtest.Clock("19:30"))
		if got := fmt.Sprint(v.WalkInGates(foldtest.ShowOf(t, v, "a"))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
