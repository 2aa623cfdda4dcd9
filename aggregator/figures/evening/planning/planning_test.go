package planning_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/planning"
	"housecount/aggregator/figures/evening/search"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// planned is a house with performances on 21 November, each "hall from to" by the clock of Amsterdam, called by their
// place; a "-" is an end that is not reported.
func planned(t *testing.T, change func(*record.Event), all ...string) []*evening.Show {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour})}
	for i, text := range all {
		hall, hours, _ := strings.Cut(text, " ")
		from, to, _ := strings.Cut(hours, " ")
		at := func(clock string) (at time.Time) {
			if clock != "-" {
				if at, err = time.ParseInLocation("2006-01-02 15:04", "2026-11-21 "+clock, zone); err != nil {
					t.Fatal(err)
				}
				if clock < "06:00" {
					at = at.AddDate(0, 0, 1)
				}
			}
			return at
		}
		e := &record.Event{ID: string(rune('a' + i)), Title: text, Hall: strings.Trim(hall, "?"), Date: "2026-11-21", StartsAt: at(from), EndsAt: at(to), Capacity: new(10), Status: record.EventOnSale}
		if change != nil {
			change(e)
		}
		l.Add(e)
		for _, place := range []string{"1", "2", "3", "4"} {
			l.Add(&record.Ticket{ID: e.ID + place, EventID: e.ID, Status: record.TicketValid})
		}
	}
	v := evening.At(l.Snapshot(figures.Position{}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true}), time.Date(2026, 11, 20, 12, 0, 0, 0, zone))
	return search.Find(v, search.Query{})
}

// Two performances in one hall at the same time are a clash, one after the other are none. What is not known is not
// assumed.
func TestClashes(t *testing.T) {
	for name, c := range map[string]struct {
		shows []string
		want  string
	}{
		"one into the other":                   {[]string{"Zaal 19:00 21:00", "Zaal 20:59 22:00"}, "ab"},
		"one at the end of the other":          {[]string{"Zaal 19:00 21:00", "Zaal 21:00 22:00"}, ""},
		"the same minute":                      {[]string{"Zaal 19:00 -", "Zaal 19:00 -"}, "ab"},
		"an end that is not reported":          {[]string{"Zaal 14:15 -", "Zaal 16:30 -"}, ""},
		"another hall":                         {[]string{"Zaal 19:00 21:00", "Foyer 19:00 21:00"}, ""},
		"no hall":                              {[]string{"? 19:00 21:00", "? 19:00 21:00"}, ""},
		"a long one and two in it":             {[]string{"Zaal 14:00 23:00", "Zaal 15:00 16:00", "Zaal 20:00 21:00"}, "ab ac"},
		"a long one with a short one in front": {[]string{"Zaal 14:00 15:00", "Zaal 14:30 23:00", "Zaal 20:00 21:00"}, "ab bc"},
		"after midnight":                       {[]string{"Zaal 22:00 01:00", "Zaal 00:30 02:00"}, "ab"},
	} {
		var got []string
		for _, clash := range planning.Clashes(planned(t, nil, c.shows...)) {
			got = append(got, clash.Earlier.Event.ID+clash.Later.Event.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	off := func(e *record.Event) {
		if e.ID == "a" {
			e.Status = record.EventCancelled
		}
	}
	if got := planning.Clashes(planned(t, off, "Zaal 19:00 21:00", "Zaal 20:00 22:00")); len(got) != 0 {
		t.Errorf("a performance that is cancelled takes its hall: %v", got)
	}
}

// A performance fills the evening if it begins at five o'clock or later by the clock of the venue. A matinee does not, nor does
// one that is called off.
func TestFillsEvening(t *testing.T) {
	v := evening.At(&figures.Snapshot{Calendar: figures.Calendar{Zone: time.FixedZone("", 3600)}}, time.Time{})
	for clock, want := range map[string]bool{"14:00": false, "16:59": false, "17:00": true, "23:30": true, "00:30": true, "-": true} {
		if s := planned(t, nil, "Zaal "+clock+" -")[0]; planning.FillsEvening(v, s) != want {
			t.Errorf("%s: %v, want %v", clock, !want, want)
		}
	}
	if s := planned(t, func(e *record.Event) { e.Status = record.EventPostponed }, "Zaal 20:00 -")[0]; planning.FillsEvening(v, s) {
		t.Error("a performance that is postponed fills the evening")
	}
}

// A week's places are those of what goes ahead in halls with a known capacity.
func TestOccupied(t *testing.T) {
	change := func(e *record.Event) {
		switch e.ID {
		case "b":
			e.Status = record.EventCancelled
		case "c":
			e.Capacity, e.Unlimited = nil, true
		}
		e.Available = new(6)
	}
	sold, capacity := planning.Occupied(planned(t, change, "Zaal 19:00 -", "Zaal 20:00 -", "Foyer 20:00 -", "Kelder 20:00 -"))
	if sold.Value != 8 || capacity.Value != 20 {
		t.Errorf("%d of %d, want 8 of 20", sold.Value, capacity.Value)
	}
}

func TestForecastShare(t *testing.T) {
	show := func(forecast, sold, capacity int) *figures.EventFigures {
		return &figures.EventFigures{Forecast: figures.Figure[int]{Value: forecast}, Sold: figures.Figure[int]{Value: sold}, Capacity: figures.Figure[int]{Value: capacity}}
	}
	unknown := show(50, 10, 100)
	unknown.Forecast = figures.NotKnown[int]()
	for _, c := range []struct {
		e    *figures.EventFigures
		want float64
	}{{show(50, 10, 100), .5}, {show(50, 50, 100), .5}, {show(50, 51, 100), 0}, {show(50, 10, 0), 0}, {unknown, 0}} {
		if got := planning.ForecastShare(c.e); got != c.want {
			t.Errorf("%d of %d with %d sold: %v, want %v", c.e.Forecast.Value, c.e.Capacity.Value, c.e.Sold.Value, got, c.want)
		}
	}
}

// A hall is empty on an evening if it is played in on at least half of the evenings of that weekday around it; what is off fills none,
// a matinee neither, and a few evenings say nothing.
func TestEmptyHalls(t *testing.T) {
	v := evening.At(&figures.Snapshot{Calendar: figures.Calendar{Zone: time.FixedZone("", 3600)}}, time.Time{})
	// In Grote on each of five Saturdays before, in Kleine on three, in Foyer on two, in Kelder only on Fridays.
	var all []string
	week := map[string]int{}
	play := func(hall, clock string, weeks int) {
		title := hall + " " + clock + " -"
		week[string(rune('a'+len(all)))] = weeks
		all = append(all, title)
	}
	for i := 1; i <= 5; i++ {
		play("Grote", "20:00", -i)
	}
	for i := 1; i <= 3; i++ {
		play("Kleine", "20:00", -i)
	}
	play("Foyer", "20:00", -1)
	play("Foyer", "20:00", 2)
	for i := 9; i <= 12; i++ {
		play("Ver", "20:00", -i) // too far away
	}
	for range 3 {
		play("Kleine", "14:00", 0)
	}
	move := func(e *record.Event) {
		e.Date = string(figures.Day(e.Date).Add(7 * week[e.ID]))
		e.StartsAt = e.StartsAt.AddDate(0, 0, 7*week[e.ID])
	}
	shows := planned(t, move, all...)
	if got := planning.EmptyHalls(v, "2026-11-21", shows); !slices.Equal(got, []string{"Grote", "Kleine"}) {
		t.Errorf("%q are empty", got)
	}
	if got := planning.EmptyHalls(v, "2026-11-21", append(shows, planned(t, nil, "Grote 23:00 -")...)); !slices.Equal(got, []string{"Kleine"}) {
		t.Errorf("beside a performance in Grote %q are empty", got)
	}
	if got := planning.EmptyHalls(v, "2026-11-20", shows); len(got) > 0 {
		t.Errorf("on a Friday %q are empty", got)
	}
	if got := planning.EmptyHalls(v, "2026-11-21", shows[:3]); len(got) > 0 {
		t.Errorf("by three evenings %q are empty", got)
	}
}
