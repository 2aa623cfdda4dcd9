package licence_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// One hall of the building does not scan: who is in it is not known, so how many more may enter the building is not known either.
func TestBuildingWithAHallThatDoesNotScan(t *testing.T) {
	v := foldtest.At("19:50", foldtest.Together(foldtest.ScannedOut("Main"), foldtest.Come(50, "a", "club", "A", "19:05", 20),
		foldtest.Many(150, "w", "club", func(k *record.Ticket) { k.Scans = []record.Scan{} }), foldtest.Many(200, "f", "trio"),
		[]record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Tonight("trio", "Foyer", "19:00", "20:00", "22:00"),
			foldtest.Set(record.SettingLicensed, "", "", 180, "09:00")})...)
	left, limited := licence.MayEnter(v, "Main")
	if limited && left.Known() && len(v.House.Unscanned) > 0 {
		t.Errorf("about %d more may enter, of a building with 200 sold for a hall that nobody counts", left.Value)
	}
}

// Who is out may come back: how many more may enter is said while more are out, with those still to come, than there is room for.
func TestRoomForWhoIsOut(t *testing.T) {
	for _, c := range []struct {
		name      string
		out, come int
		limited   bool
	}{
		{"as many are out as may enter", 10, 0, false},
		{"one more is out", 11, 0, true},
		{"with those to come they are as many", 6, 4, false},
		{"with those to come they are one more", 6, 5, true},
		{"nobody is out", 0, 11, true},
	} {
		v := foldtest.At("19:50", foldtest.Together(foldtest.ScannedOut("Main"), foldtest.Come(90, "a", "club", "A", "19:05", 20), foldtest.Many(c.out, "o", "club", foldtest.Passes("19:10", "-19:40")),
			foldtest.Many(c.come, "w", "club", foldtest.Passes()), []record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "Main", "", 100, "09:00")})...)
		left, limited := licence.MayEnter(v, "Main")
		if limited != c.limited || limited && (left.Value != 10 || left.Quality != figures.Exact) {
			t.Errorf("%s: %t, %s more may enter", c.name, limited, foldtest.Say(left))
		}
	}
}
