package licence_test

import (
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
