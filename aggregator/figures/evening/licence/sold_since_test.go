package licence_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/alertlog"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Two were allowed and one too many was sold at 19:10, while the list of scans has not answered since 19:05: the alert is raised, of no minute. Then a
// till that was offline gives a sale of 19:04.
func TestSoldSinceOfAnAlertRaisedAfterTheMinuteOfTheFigures(t *testing.T) {
	now := foldtest.Clock("19:12")
	sold := func(id, at string) record.Record {
		return foldtest.Ticket(id, "club", func(k *record.Ticket) { k.SoldAt = foldtest.Clock(at) })
	}
	at := func(records ...record.Record) *evening.Evening {
		s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{sold("a", "19:01"), sold("b", "19:02"), sold("c", "19:10"),
			foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "Main", "", 2, "09:00")}, records)...)
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: now},
			{Name: "scans", Kinds: []record.Kind{record.KindScan}, Complete: true, LastGood: foldtest.Clock("19:05")}}
		return evening.At(s, now)
	}
	log := &alertlog.Log{}
	v := at()
	log.Next(v, now.Add(-time.Minute), v.Alerts, func(string) bool { return false })
	raised := log.Next(v, now, v.Alerts, func(string) bool { return false })
	v, found := at(append(raised, sold("till", "19:04"))...), false
	for _, a := range v.Alerts {
		if a.Code == evening.AlertOverLicensed {
			found = true
			if since, n := licence.SoldSince(v, &a); n != 0 {
				t.Errorf("%d sold since %v, after the minute of the figures", n, since)
			}
		}
	}
	if !found {
		t.Error("no alert")
	}
}

// Two are allowed, and five sold. Sales count from after the minute in which the alert was raised tonight, from what was sold when somebody
// took it on, and not where it was raised on another day.
func TestSoldSince(t *testing.T) {
	sold := func(id, at string) record.Record {
		return foldtest.Ticket(id, "club", func(k *record.Ticket) { k.SoldAt = foldtest.Clock(at) })
	}
	for name, c := range map[string]struct {
		third, taken string // when the third place was sold, and when the alert was taken on, with four sold
		want         string
	}{
		"raised tonight":                  {"19:03", "", "19:03, 2"},
		"raised on another day":           {"19 12:00", "", ""},
		"raised tonight and taken on":     {"19:03", "19:08", "19:08, 1"},
		"raised another day and taken on": {"19 12:00", "19:08", "19:08, 1"},
	} {
		records := []record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "Main", "", 2, "09:00"),
			sold("a", "19 11:00"), sold("b", "19 11:01"), sold("c", c.third), sold("d", "19:04"), sold("e", "19:10")}
		if c.taken != "" {
			records = append(records, &record.Acknowledgement{Alert: evening.AlertOverLicensed + ":club", At: foldtest.Clock(c.taken), By: "Mia", Personal: true, Count: 4})
		}
		v, got := foldtest.At("19:12", records...), ""
		for _, a := range v.Alerts {
			if a.Code != evening.AlertOverLicensed {
				continue
			}
			if since, n := licence.SoldSince(v, &a); !since.IsZero() {
				got = fmt.Sprintf("%s, %d", since.UTC().Format("15:04"), n)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
