package evening_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// A backup that failed, or that is not there when it was to be, raises an alert from then on, until another is made.
func TestBackupAlert(t *testing.T) {
	at := foldtest.Clock
	for name, c := range map[string]struct {
		last  *record.Reconciliation
		since time.Time
	}{
		"never any":        {nil, time.Time{}},
		"one to come":      {&record.Reconciliation{At: at("12:00"), Due: at("18:01")}, time.Time{}},
		"one is late":      {&record.Reconciliation{At: at("12:00"), Due: at("17:30")}, at("17:30")},
		"one failed":       {&record.Reconciliation{At: at("12:00"), Found: []record.Found{{Key: "backup", Since: at("11:00")}}}, at("11:00")},
		"none is made now": {&record.Reconciliation{At: at("12:00")}, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &figures.Snapshot{Calendar: figures.Calendar{Zone: time.UTC}}
			if c.last != nil {
				s.Checks = map[figures.Check]*record.Reconciliation{figures.CheckBackup: c.last}
			}
			a, missing := evening.At(s, at("18:00")).Backup()
			if missing != !c.since.IsZero() || !a.Since.Equal(c.since) {
				t.Errorf("got %t since %v, want since %v", missing, a.Since, c.since)
			}
		})
	}
}
