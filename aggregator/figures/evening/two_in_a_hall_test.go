package evening_test

import (
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Two films in one hall, each with far fewer than are allowed: the doors of the second open while the first runs.
func TestTwoFilmsInOneHall(t *testing.T) {
	records := foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{
		foldtest.Tonight("one", "Zaal", "17:30", "18:00", "20:00"), foldtest.Tonight("two", "Zaal", "19:45", "20:15", "22:00"),
		foldtest.Set(record.SettingLicensed, "Zaal", "", 200, "09:00")},
		foldtest.Come(150, "a", "one", "A", "17:40", 15), foldtest.Come(5, "b", "two", "A", "19:46", 5), foldtest.Many(145, "w", "two", func(k *record.Ticket) { k.Scans = []record.Scan{} }))
	for _, a := range foldtest.At("19:50", records...).Alerts {
		if a.Code == evening.AlertRoomForFewer {
			t.Errorf("%s: %s of %d", a.Key, foldtest.Say(a.Count), a.Licensed)
		}
	}
}

// Something else with a ticket of its own is in the hall while a concert is on: those of the concert who are still inside after it are.
func TestOverlapClearsTheHall(t *testing.T) {
	for _, with := range []bool{false, true} {
		records := foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"),
			foldtest.Set(record.SettingLicensed, "Zaal", "", 300, "09:00")},
			foldtest.Many(150, "out", "a", foldtest.Passes("19:30", "-22:20")), foldtest.Many(140, "in", "a", foldtest.Passes("19:30")))
		if with {
			records = append(records, foldtest.Tonight("meet", "Zaal", "20:30", "21:00", "21:30"))
		}
		v := foldtest.At("22:45", records...)
		if !foldtest.ShowOf(t, v, "a").Leaving {
			t.Errorf("with another performance %t: nobody is inside", with)
		}
	}
}

// Nobody is let in while more are inside than are allowed, also long after the curtain; to a hall that is just full, while somebody is awaited.
func TestEntryWhileTooManyAreInside(t *testing.T) {
	for in, want := range map[int]evening.Entry{120: evening.EntryStopped, 100: evening.EntryOpen} {
		v := foldtest.At("21:10", foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"),
			foldtest.Set(record.SettingLicensed, "Zaal", "", 100, "09:00")}, foldtest.Many(in, "in", "a", foldtest.Passes("19:30")))...)
		if got := v.EntryTo(foldtest.ShowOf(t, v, "a")); got != want {
			t.Errorf("with %d inside: %v, want %v", in, got, want)
		}
	}
}
