package web_test

import (
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// An alert of the house that the house has switched off stands nowhere but in the log; one that is only on pages does.
func TestHouseAlertsThatAreOff(t *testing.T) {
	h, screens := webtest.NewHouse(), []web.ScreenAlert{{ID: "s", Name: "Foyer", Since: webtest.ShowTime}}
	for told, want := range map[int64]int{0: 0, 1: 1, 2: 1} {
		h.Apply(&record.Setting{Name: record.SettingAlertTold, Of: evening.AlertSilentScreen, Value: &told, At: webtest.ShowTime, By: "Ann"})
		v := evening.At(h.Snapshot(), webtest.ShowTime)
		if n := len(web.HouseAlerts(v, web.Admin.Access(), screens)); n != want {
			t.Errorf("told as %d: %d alerts, want %d", told, n, want)
		}
		if n := len(web.LoggedAlerts(v, web.Admin.Access(), screens)); n != 1 {
			t.Errorf("told as %d: the log has %d alerts, want 1", told, n)
		}
		if n := len(web.StandingAlerts(v, web.Admin.Access(), screens)); n != want {
			t.Errorf("told as %d: %d alerts stand, want %d", told, n, want)
		}
	}
}
