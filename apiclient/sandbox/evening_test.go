package sandbox_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// saturday is an evening of the week on which every hall plays anyway.
var saturday = time.Date(2026, 11, 21, 19, 32, 0, 0, amsterdam)

// TestDaysAreLikeEachOther holds what each day of two months brought against the others:
// the start's own Saturday is none of a rush, and a day that is, is named.
func TestDaysAreLikeEachOther(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 2; seed++ {
		s := open(t, sandbox.Options{Seed: seed, Start: saturday, Past: 57, Coming: 28})
		s.Advance(5 * time.Hour)
		day := func(at time.Time) string { return at.In(amsterdam).Add(-6 * time.Hour).Format(time.DateOnly) }
		took := map[string]int64{}
		for _, k := range all[record.Ticket](s, "/v2/tickets") {
			if !k.SoldAt.IsZero() {
				took[day(k.SoldAt)] += k.Price.Amount
			}
		}
		named := map[string]bool{}
		for _, p := range all[record.Planning](s, "/v2/planning") {
			if strings.HasPrefix(p.Title, "Start voorverkoop") {
				named[day(p.StartsAt)] = true
			}
		}
		var usual []int64
		for n := 1; n <= 56; n++ {
			usual = append(usual, took[day(saturday.AddDate(0, 0, -n))])
		}
		slices.Sort(usual)
		median := usual[len(usual)/2]
		if today := took[day(saturday)]; today < median/2 || today > 3*median {
			t.Errorf("seed %d: today took %d, half of all days less than %d", seed, today, median)
		}
		rushes := 0
		for n := range 56 {
			d := day(saturday.AddDate(0, 0, -n))
			if took[d] <= 4*median {
				continue
			}
			if rushes++; !named[d] {
				t.Errorf("seed %d: %s took %d, half of all days less than %d, and nothing says why", seed, d, took[d], median)
			}
		}
		if rushes == 0 {
			t.Errorf("seed %d: no day of two months stands out", seed)
		}
	}
}

// TestNoShows looks at every performance that has been, apart from those to which a fifth does not come.
func TestNoShows(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Past: 60, Coming: 30})
	sold, stayed := 0, 0
	truth := s.Truth()
	for _, e := range all[record.Event](s, "/v2/events?status=ended") {
		f := truth.Events[e.ID]
		if f.Night == "stay_away" {
			continue
		}
		sold, stayed = sold+f.Sold, stayed+f.ToCome
		if share := float64(f.ToCome) / float64(f.Sold); f.Sold > 300 && (share < .015 || share > .09) {
			t.Errorf("%s of %s: %d of %d did not come", e.Title, e.Date, f.ToCome, f.Sold)
		}
	}
	if share := float64(stayed) / float64(sold); share < .03 || share > .08 {
		t.Errorf("%d of %d did not come", stayed, sold)
	}
}

// TestTroublesToCome: the days after the start have one of each.
func TestTroublesToCome(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 4; seed++ {
		s := open(t, sandbox.Options{Seed: seed, Start: saturday, Past: 1, Coming: 28})
		truth := s.Truth()
		few, over := 0, 0
		of := map[record.EventStatus]record.Event{}
		for _, e := range all[record.Event](s, "/v2/events?from=2026-11-22&to=2026-11-26") {
			of[e.Status] = e
			switch {
			case *e.Available < 0:
				over++
			case e.Status == record.EventOnSale && *e.Available <= 12:
				few++
			}
		}
		if few == 0 || over != 1 {
			t.Errorf("seed %d: %d with few places left, %d oversold", seed, few, over)
		}
		off, put := truth.Events[of[record.EventCancelled].ID], truth.Events[of[record.EventPostponed].ID]
		if off.Sold != 0 || off.Net["EUR"] <= 0 || off.Refunded["EUR"] <= 0 {
			t.Errorf("seed %d, cancelled: %d sold, %v given back, %v still to be", seed, off.Sold, off.Refunded, off.Net)
		}
		if put.Sold == 0 || put.Net["EUR"] <= 0 {
			t.Errorf("seed %d, postponed: %d sold, %v received", seed, put.Sold, put.Net)
		}
		s.Advance(7 * 24 * time.Hour)
		truth = s.Truth()
		if off = truth.Events[of[record.EventCancelled].ID]; off.Net["EUR"] != 0 {
			t.Errorf("seed %d: %v of the cancelled one has not been given back after a week", seed, off.Net)
		}
		if put = truth.Events[of[record.EventPostponed].ID]; put.Attendance != 0 {
			t.Errorf("seed %d: %d came to the one that was postponed", seed, put.Attendance)
		}
	}
}

// TestWhoIsInside follows the people of an evening, every five minutes until all are home.
func TestWhoIsInside(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Start: saturday})
	events := all[record.Event](s, "/v2/events?from=2026-11-21&to=2026-11-21")
	most, coming, unseen := map[string]int{}, map[string]int{}, map[string]int{}
	for s.Now().Before(saturday.Add(10 * time.Hour)) {
		truth := s.Truth()
		var sum sandbox.Totals
		for _, f := range truth.Events {
			sum.Inside, sum.ToCome, sum.OnTheWay = sum.Inside+f.Inside, sum.ToCome+f.ToCome, sum.OnTheWay+f.OnTheWay
		}
		if all := truth.Total; all.Inside != sum.Inside || all.ToCome != sum.ToCome || all.OnTheWay != sum.OnTheWay {
			t.Errorf("%v: in all %d inside, %d to come, %d on the way; want %d, %d, %d", s.Now(), all.Inside, all.ToCome, all.OnTheWay, sum.Inside, sum.ToCome, sum.OnTheWay)
		}
		for _, e := range events {
			f, at := truth.Events[e.ID], s.Now().In(amsterdam).Format("15:04")
			most[e.Hall] = max(most[e.Hall], f.Inside)
			coming[e.Hall] = max(coming[e.Hall], f.OnTheWay)
			unseen[e.Hall] = max(unseen[e.Hall], f.Present-f.Inside)
			if f.Inside > f.Present || f.ScansExits && f.Inside != f.Present {
				t.Errorf("%s, %s: %d inside, %d by the scans", at, e.Hall, f.Inside, f.Present)
			}
			if f.OnTheWay > f.ToCome || f.OnTheWay > 0 && s.Now().Before(e.DoorsAt) {
				t.Errorf("%s, %s: %d on the way of %d to come", at, e.Hall, f.OnTheWay, f.ToCome)
			}
			if late := s.Now().Sub(e.StartsAt); late > 25*time.Minute && f.OnTheWay > 0 {
				t.Errorf("%s, %s: %d are still on the way", at, e.Hall, f.OnTheWay)
			}
			if s.Now().After(e.EndsAt.Add(15*time.Minute)) && f.Inside > 0 {
				t.Errorf("%s, %s: %d are inside after its end", at, e.Hall, f.Inside)
			}
			if running := s.Now().After(e.StartsAt.Add(20*time.Minute)) && s.Now().Before(e.EndsAt); running && e.Hall != "Kelder" && f.Inside < f.Attendance*4/5 {
				t.Errorf("%s, %s: %d of %d are inside while it runs", at, e.Hall, f.Inside, f.Attendance)
			}
		}
		s.Advance(5 * time.Minute)
	}
	for _, e := range events {
		came := s.Truth().Events[e.ID].Attendance
		if coming[e.Hall] < came/2 || coming[e.Hall] > came {
			t.Errorf("%s: at most %d were on the way of %d who came", e.Hall, coming[e.Hall], came)
		}
		if most[e.Hall] < came*9/10 || (unseen[e.Hall] > came/2) == slices.Contains([]string{"Grote Zaal", "Kelder"}, e.Hall) {
			t.Errorf("%s: at most %d of %d inside, %d of them gone unseen", e.Hall, most[e.Hall], came, unseen[e.Hall])
		}
	}
	if len(events) != 4 {
		t.Errorf("%d performances", len(events))
	}
}
