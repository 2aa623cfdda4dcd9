package licence_test

import (
	"testing"

	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Matinee and evening in one building that takes 400: 300 are in the matinee until 17:00, and 300 come to the evening in the other hall from 16:50 on.
func TestMatineeAndEveningInABuilding(t *testing.T) {
	v := foldtest.At("16:55", foldtest.Together(foldtest.ScannedOut("Main"), foldtest.ScannedOut("Foyer"), foldtest.Come(300, "a", "mat", "A", "14:05", 20),
		foldtest.Come(5, "b", "eve", "A", "16:51", 5), foldtest.Many(295, "w", "eve", func(k *record.Ticket) { k.Scans = []record.Scan{} }),
		[]record.Record{foldtest.Tonight("mat", "Main", "14:00", "15:00", "17:00"), foldtest.Tonight("eve", "Foyer", "16:50", "18:00", "20:00"),
			foldtest.Set(record.SettingLicensed, "", "", 400, "09:00")})...)
	for _, a := range v.Alerts {
		if a.Code == "room_for_fewer" {
			l, _ := v.LoadOf("")
			t.Errorf("%s %d of %d, full about %v", a.Key, a.Count.Value, a.Licensed, licence.FullAbout(v, l))
		}
	}
}
