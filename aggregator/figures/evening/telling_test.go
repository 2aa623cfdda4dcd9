package evening_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// told returns how people are notified of an alert with some settings.
func told(values map[record.SettingName]int64) evening.Telling {
	held := map[string]figures.Setting{}
	for name, value := range values {
		s := &record.Setting{Name: name, Of: evening.AlertHold, Value: new(value)}
		held[s.RecordID()] = figures.Setting{Setting: s}
	}
	return evening.TellingOf(figures.SettingsOf(held), evening.AlertHold)
}

// Without settings an alert is sent at any hour, and told again after ten minutes.
func TestTellingIsAsUsual(t *testing.T) {
	for _, got := range []evening.Telling{told(nil), evening.TellingOf(nil, evening.AlertHold)} {
		if want := (evening.Telling{Sent: true, After: 10 * time.Minute, By: figures.AlertByAll}); got != want {
			t.Errorf("told %+v, want %+v", got, want)
		}
	}
	if got := evening.TellingOf(nil, evening.AlertFewLeft); got.Sent || got.Off {
		t.Errorf("few places left are told %+v, want only on pages", got)
	}
	if got := told(map[record.SettingName]int64{record.SettingAlertTold: 0}); !got.Off || got.Sent {
		t.Errorf("switched off is %+v", got)
	}
	if got := told(map[record.SettingName]int64{record.SettingAlertTold: 1, record.SettingAlertAfter: 25, record.SettingAlertRole: 3, record.SettingAlertBy: 5}); got.Off || got.Sent || got.After != 25*time.Minute || got.Role != 3 || got.By != figures.AlertByMail|figures.AlertByHouse {
		t.Errorf("only on pages is %+v", got)
	}
}

// Hours are of the clock, also over midnight and where it is put forward; what comes outside them is told when they begin.
func TestTellingHours(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, until int64 // -1 for not set
		at, next    string
	}{
		{-1, -1, "2026-11-20 03:30", "2026-11-20 03:30"},
		{9, 18, "2026-11-20 08:59", "2026-11-20 09:00"},
		{9, 18, "2026-11-20 09:00", "2026-11-20 09:00"},
		{9, 18, "2026-11-20 17:59", "2026-11-20 17:59"},
		{9, 18, "2026-11-20 18:00", "2026-11-21 09:00"},
		{18, 2, "2026-11-20 01:59", "2026-11-20 01:59"},
		{18, 2, "2026-11-20 02:00", "2026-11-20 18:00"},
		{18, 2, "2026-11-20 23:00", "2026-11-20 23:00"},
		{9, -1, "2026-11-20 23:59", "2026-11-20 23:59"},
		{9, -1, "2026-11-20 00:00", "2026-11-20 09:00"},
		{-1, 9, "2026-11-20 08:00", "2026-11-20 08:00"},
		{-1, 9, "2026-11-20 09:00", "2026-11-21 00:00"},
		{0, 24, "2026-11-20 23:59", "2026-11-20 23:59"},
		{2, 9, "2026-03-29 01:30", "2026-03-29 03:00"}, // there is no 02:00
		{9, 18, "2026-03-28 20:00", "2026-03-29 09:00"},
	} {
		values := map[record.SettingName]int64{}
		if c.from >= 0 {
			values[record.SettingAlertFrom] = c.from
		}
		if c.until >= 0 {
			values[record.SettingAlertUntil] = c.until
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := told(values).Next(at).Format("2006-01-02 15:04"); got != c.next {
			t.Errorf("%d to %d: after %s is %s, want %s", c.from, c.until, c.at, got, c.next)
		}
	}
}
