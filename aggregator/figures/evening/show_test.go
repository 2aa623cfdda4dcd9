package evening_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

func TestMayBeOn(t *testing.T) {
	for status, want := range map[record.EventStatus]bool{
		record.EventOnSale: true, record.EventSoldOut: true, record.EventEnded: true, "": true,
		record.EventDraft: false, record.EventCancelled: false, record.EventPostponed: false,
	} {
		s := foldtest.Fold(foldtest.Complete, foldtest.Event("a", foldtest.Status(status)))
		if got := evening.MayBeOn(s.Event("a")); got != want {
			t.Errorf("%q may be on: %v", status, got)
		}
	}
}

// Money of a cancelled performance may have to be paid back where some was received, or where that is not known.
func TestMayOwe(t *testing.T) {
	paid := []record.Record{foldtest.Ticket("t", "a"), foldtest.Payment("p", 2000, func(p *record.Payment) { p.EventID = "a" })}
	back := func(amount int64) record.Record {
		return foldtest.Refund("r", "p", amount, "11:00", func(p *record.Payment) { p.EventID = "a" })
	}
	for name, c := range map[string]struct {
		status  record.EventStatus
		records []record.Record
		want    bool
	}{
		"paid":        {record.EventCancelled, paid, true},
		"nobody paid": {record.EventCancelled, nil, false},
		"on sale":     {record.EventOnSale, paid, false},
		"postponed":   {record.EventPostponed, paid, false},
		"paid back":   {record.EventCancelled, append(paid[:2:2], back(2000)), false},
		"a part back": {record.EventCancelled, append(paid[:2:2], back(1500)), true},
	} {
		v := foldtest.At("12:00", append(c.records, foldtest.Event("a", foldtest.Status(c.status)))...)
		if got := foldtest.ShowOf(t, v, "a").MayOwe(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	unknown := evening.Show{Phase: evening.Cancelled, ToPayBack: figures.NotKnown[figures.Sums]()}
	if !unknown.MayOwe() {
		t.Error("it is not known what was received, and nothing may have to be paid back")
	}
	over := evening.Show{Phase: evening.Cancelled, ToPayBack: figures.New(figures.Sums{{Amount: -500, Currency: "EUR"}}, figures.Caveat{})}
	if over.MayOwe() {
		t.Error("more was paid back than received, and more may have to be")
	}
}

func TestMayEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		show evening.Show
		want bool
	}{
		"some inside": {evening.Show{Leaving: true, Inside: figures.Figure[int]{Value: 1}}, true},
		"not known":   {evening.Show{Leaving: true, Inside: figures.NotKnown[int]()}, true},
		"nobody":      {evening.Show{Leaving: true}, false},
		"running":     {evening.Show{Inside: figures.Figure[int]{Value: 1}}, false},
	} {
		if got := c.show.MayEmpty(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is on or still to come is ahead: of today also one without a time, and one that is called off until its curtain.
func TestIsAhead(t *testing.T) {
	zero := func(e *record.Event) { e.StartsAt = time.Time{} }
	for name, c := range map[string]struct {
		e    *record.Event
		now  string
		want bool
	}{
		"tomorrow":                  {foldtest.Tonight("a", "Zaal", "21 19:00", "21 20:00", "21 22:00"), "12:00", true},
		"yesterday":                 {foldtest.Tonight("a", "Zaal", "19 19:00", "19 20:00", "19 22:00"), "12:00", false},
		"later today":               {foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), "12:00", true},
		"running":                   {foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), "21:00", true},
		"over":                      {foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), "23:30", false},
		"without a time":            {foldtest.Event("a", zero), "12:00", true},
		"cancelled, before curtain": {foldtest.Event("a", foldtest.Status(record.EventCancelled)), "19:59", true},
		"cancelled, at curtain":     {foldtest.Event("a", foldtest.Status(record.EventCancelled)), "20:00", true},
		"cancelled, after curtain":  {foldtest.Event("a", foldtest.Status(record.EventCancelled)), "20:01", false},
	} {
		v := foldtest.At(c.now, c.e)
		if got := v.IsAhead(v.Show(v.Snapshot.Event("a"))); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
