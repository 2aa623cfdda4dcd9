package evening_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// comeTo returns a performance some days ago to which one visitor came by a gate.
func comeTo(id, title, hall, gate string, days int) []record.Record {
	at := foldtest.Clock("20:00").AddDate(0, 0, -days)
	return []record.Record{
		foldtest.Event(id, func(e *record.Event) {
			e.Title, e.Hall, e.Date, e.StartsAt, e.EndsAt, e.Capacity = title, hall, "", at, at.Add(2*time.Hour), new(100)
		}),
		comeBy("t-"+id, id, gate, days),
	}
}

// comeBy returns the ticket of a visitor of a performance some days ago who came in by a gate.
func comeBy(id, event, gate string, days int) record.Record {
	return foldtest.Ticket(id, event, func(t *record.Ticket) {
		t.SoldAt = foldtest.Clock("10:00").AddDate(0, 0, -days)
		t.Scans = []record.Scan{{At: foldtest.Clock("19:50").AddDate(0, 0, -days), Gate: gate, Direction: record.Entry}}
	})
}

// What is shown of a performance that has not changed differs by the gates of its hall on past nights, and by what the same past
// performances have in common with it.
func TestPastShowsInGatesAndBasis(t *testing.T) {
	later := func(title, hall string) record.Record {
		at := foldtest.Clock("20:00").AddDate(0, 0, 20)
		return foldtest.Event("later", func(e *record.Event) {
			e.Title, e.Hall, e.Date, e.StartsAt, e.EndsAt, e.Capacity = title, hall, "", at, at.Add(2*time.Hour), new(100)
		})
	}
	byTitle := []record.Record{foldtest.Set(record.SettingComparableBy, evening.SameHall.String(), "", 0, "09:00"), foldtest.Set(record.SettingComparableBy, evening.SameWeekday.String(), "", 0, "09:00"),
		foldtest.Set(record.SettingComparableBy, evening.SamePrices.String(), "", 0, "09:00")}
	var kin, alike []record.Record
	for i := range 5 {
		kin = append(kin, comeTo(fmt.Sprint("kin", i), "Tosca", "Large", "A", 10+7*i)...)
		alike = append(alike, comeTo(fmt.Sprint("alike", i), "Tosca", "Small", "A", 10+7*i)...)
	}
	for _, c := range []struct {
		name           string
		before, change []record.Record
		of             func(*evening.Evening) string
		was, is        string
	}{
		{"a gate of a past performance that it is not compared with",
			foldtest.Together(byTitle, kin, comeTo("other", "Fado", "Small", "East", 12), []record.Record{later("Tosca", "Small")}), []record.Record{comeBy("late", "other", "West", 12)},
			func(v *evening.Evening) string { return fmt.Sprint(v.WalkInGates(v.Show(v.Snapshot.Event("later")))) }, "[East]", "[East West]"},
		{"how many are needed to be comparable",
			foldtest.Together(byTitle, alike, []record.Record{later("Tosca", "Small"), foldtest.Set(record.SettingComparableLeast, "", "", 6, "09:00")}), []record.Record{foldtest.Set(record.SettingComparableLeast, "", "", 5, "09:30")},
			func(v *evening.Evening) string { return v.Arrivals(v.Show(v.Snapshot.Event("later"))).Basis.String() }, "hall", "comparables"},
	} {
		log := foldtest.NewLog(c.before...)
		l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
		at := func() *evening.Evening {
			return foldtest.Evening(l.Snapshot(figures.Position{Epoch: "test", Revision: int64(len(log.Versions))}, foldtest.Complete), foldtest.Clock("12:00"))
		}
		was := at()
		for _, r := range c.change {
			version, _ := log.Add(r, foldtest.Clock("12:00"))
			l.Apply(version)
		}
		is := at()
		if e := is.Snapshot.Event("later"); e == nil || e != was.Snapshot.Event("later") {
			t.Fatalf("%s: the performance itself has changed", c.name)
		}
		if was, is := c.of(was), c.of(is); was != c.was || is != c.is {
			t.Errorf("%s: it was %s and is %s, want %s and %s", c.name, was, is, c.was, c.is)
		}
	}
}
