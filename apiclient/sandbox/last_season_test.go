package sandbox_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// A house of two seasons has last year's same weekdays, with less demand, two rates of VAT, and a campaign that
// sold more in its days than in those around it; this season's days are those of a house of one.
func TestTwoSeasons(t *testing.T) {
	t.Parallel()
	one, two := open(t, sandbox.Options{Start: saturday, Past: 40, Coming: 28}), open(t, sandbox.Options{Start: saturday, Past: 40, Coming: 28, Seasons: 2})
	if _, _, ok := one.Campaign(); ok {
		t.Error("a house of one season has a campaign")
	}
	from := saturday.AddDate(0, 0, -40).Format(time.DateOnly)
	days := func(events []record.Event, from, to string) map[string]bool {
		all := map[string]bool{}
		for _, e := range events {
			if e.Date >= from && e.Date <= to {
				all[e.Date+" "+e.Hall+" "+e.StartsAt.Format(time.TimeOnly)] = true
			}
		}
		return all
	}
	events := all[record.Event](two, "/v2/events")
	this, alone := days(events, from, "9"), days(all[record.Event](one, "/v2/events"), from, "9")
	if len(this) == 0 || len(this) != len(alone) {
		t.Errorf("this season has %d performances, and %d without the last", len(this), len(alone))
	}
	first, last := saturday.AddDate(0, 0, -364-40).Format(time.DateOnly), saturday.AddDate(0, 0, -364+28).Format(time.DateOnly)
	if n := len(days(events, first, last)); n < len(this)*8/10 || len(days(events, "", "9")) != n+len(this) {
		t.Errorf("last season has %d performances, this one %d, all %d", n, len(this), len(events))
	}
	if len(days(events, saturday.AddDate(0, 0, -364).Format(time.DateOnly), saturday.AddDate(0, 0, -364).Format(time.DateOnly))) == 0 {
		t.Error("nothing was on on last year's Saturday")
	}

	hallOf, sold, rates := map[string]string{}, map[string]int{}, map[string]map[int64]bool{}
	for _, e := range events {
		hallOf[e.ID] = e.Hall
	}
	begins, length, ok := two.Campaign()
	if !ok {
		t.Fatal("no campaign")
	}
	for _, k := range all[record.Ticket](two, "/v2/tickets") {
		if hall := hallOf[k.EventID]; k.Kind == "" && k.Price.Amount > 1000 {
			if rates[hall] == nil {
				rates[hall] = map[int64]bool{}
			}
			rates[hall][(k.VAT.Amount*100+(k.Price.Amount-k.VAT.Amount)/2)/(k.Price.Amount-k.VAT.Amount)] = true
		}
		for name, day := range map[string]time.Time{"before": begins.AddDate(0, 0, -7), "campaign": begins, "after": begins.AddDate(0, 0, 7)} {
			if !k.SoldAt.IsZero() && !k.SoldAt.Before(day) && k.SoldAt.Before(day.AddDate(0, 0, length)) {
				sold[name]++
				if name == "campaign" && k.DiscountCode == "NAJAAR15" {
					sold["by code"]++
				}
			}
		}
	}
	for hall, want := range map[string]int64{"Grote Zaal": 9, "Kleine Zaal": 9, "Foyer": 21, "Kelder": 21} {
		if len(rates[hall]) != 1 || !rates[hall][want] {
			t.Errorf("%s has VAT of %v, want %d", hall, rates[hall], want)
		}
	}
	if sold["campaign"] < sold["before"]*5/4 || sold["campaign"] < sold["after"]*11/10 || sold["by code"] < 100 {
		t.Errorf("sold %v", sold)
	}
}
