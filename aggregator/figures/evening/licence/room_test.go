package licence_test

import (
	"testing"

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
