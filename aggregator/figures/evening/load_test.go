package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// How many people are in a hall is that of all its performances together, those that leave among them,
// and the building's that of all halls; as many as may be inside, or more, is an alert.
func TestLoad(t *testing.T) {
	came := func(at string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Scans = []record.Scan{{At: foldtest.Clock(at), Direction: record.Entry}} }
	}
	early := foldtest.Together([]record.Record{foldtest.Tonight("early", "Main", "17:00", "18:00", "20:00")}, foldtest.Many(3, "e", "early", came("17:30")))
	late := foldtest.Together([]record.Record{foldtest.Tonight("late", "Main", "20:00", "20:30", "22:00")}, foldtest.Many(2, "l", "late", came("20:00")))
	foyer := foldtest.Together([]record.Record{foldtest.Tonight("foyer", "Foyer", "20:00", "20:30", "22:00")}, foldtest.Many(4, "f", "foyer", came("20:00")))
	unscanned := foldtest.Together([]record.Record{foldtest.Tonight("blind", "Main", "20:00", "20:30", "22:00")}, foldtest.Many(5, "b", "blind"))
	// One has left the club, where exits are scanned.
	club := foldtest.Together([]record.Record{foldtest.Tonight("club", "Club", "20:00", "20:30", "22:00")}, foldtest.Many(4, "c", "club", came("20:00")),
		foldtest.Many(1, "d", "club", func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock("20:00"), Direction: record.Entry}, {At: foldtest.Clock("20:05"), Direction: record.Exit}}
		}), foldtest.ScannedOut("Club"))
	licensed := func(hall string, people int64) *record.Setting {
		return foldtest.Set(record.SettingLicensed, hall, "", people, "09:00")
	}
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		loads   string
		alerts  string
	}{
		{"nothing is set", "20:15", foldtest.Together(early, late), "", ""},
		{"nobody is in", "16:00", foldtest.Together(early, []record.Record{licensed("Main", 5)}), "Main: 0 of 5, 0; ", ""},
		{"one hall", "19:00", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 6)}), "Main: estimated 3 no_exits of 6, 0.5; ", ""},
		{"full before the next opens its doors", "19:00", foldtest.Together(early, late, []record.Record{licensed("Main", 3)}), "Main: estimated 3 no_exits of 3, 1; ", "maybe_crowded:early 3/3; "},
		{"one leaves, one comes", "20:01", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 10)}), "Main: estimated 5 no_exits of 10, 0.5; ", ""},
		{"as many as may be", "20:01", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 5)}), "Main: estimated 5 no_exits of 5, 1; ", "maybe_crowded:late 5/5; "},
		{"too many", "20:01", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 4)}), "Main: estimated 5 no_exits of 4, 1.25; ", "maybe_crowded:late 5/4; "},
		{"half have left, though nobody was scanned out", "20:06", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 4)}), "Main: estimated 3 no_exits left of 4, 0.75; ", ""},
		{"those who left are gone", "20:31", foldtest.Together(early, late, foyer, []record.Record{licensed("Main", 4)}), "Main: estimated 2 no_exits of 4, 0.5; ", ""},
		{"the building", "20:01", foldtest.Together(early, late, foyer, []record.Record{licensed("", 8), licensed("Foyer", 8)}), ": estimated 9 no_exits of 8, 1.125; Foyer: estimated 4 no_exits of 8, 0.5; ", "maybe_crowded:late 9/8; "},
		{"as many as are counted", "20:15", foldtest.Together(club, []record.Record{licensed("Club", 4)}), "Club: 4 of 4, 1; ", "crowded:club 4/4; "},
		{"the building, where some are counted", "20:15", foldtest.Together(club, foyer, []record.Record{licensed("", 4)}), ": estimated 8 no_exits of 4, 2; ", "crowded_building:foyer 8/4 at least 0 too many; "},
		{"the building, by those who came", "20:15", foldtest.Together(club, foyer, []record.Record{licensed("", 5)}), ": estimated 8 no_exits of 5, 1.6; ", "maybe_crowded:foyer 8/5; "},
		{"too many as they leave", "20:01", foldtest.Together(early, []record.Record{licensed("Main", 2)}), "Main: estimated 3 no_exits of 2, 1.5; ", "maybe_crowded:early 3/2; "},
		{"a person without a ticket", "20:15", foldtest.Together(foyer, []record.Record{licensed("Foyer", 5), &record.WalkIn{ID: "w", EventID: "foyer", Count: 1, At: foldtest.Clock("20:12")}}), "Foyer: estimated 5 no_exits walk_ins of 5, 1; ", "maybe_crowded:foyer 5/5; "},
		{"of some nothing is known", "20:15", foldtest.Together(late, unscanned, []record.Record{licensed("Main", 2)}), "Main: at least 2 no_exits no_scans of 2, 1; ", "maybe_crowded:late 2/2; "},
		{"of none anything is known", "20:15", foldtest.Together(unscanned, []record.Record{licensed("Main", 2)}), "Main: unknown no_scans of 2, ; ", ""},
	} {
		v := foldtest.At(c.now, c.records...)
		got, alerts := "", ""
		for i := range v.Loads {
			l := &v.Loads[i]
			share := ""
			if s := l.Share(); s.Known() {
				share = fmt.Sprint(s.Value)
			}
			got += fmt.Sprintf("%s: %s of %d, %s; ", l.Hall, foldtest.Say(l.Inside), l.Licensed, share)
		}
		for _, a := range v.Alerts {
			if a.Code == evening.AlertCrowded || a.Code == evening.AlertCrowdedBuilding || a.Code == evening.AlertMaybeCrowded {
				alerts += fmt.Sprintf("%s %d/%d", a.Key, a.Count.Value, a.Licensed)
				if l, _ := v.LoadOf(""); l != nil && l.TooMany().Quality == figures.LowerBound {
					alerts += fmt.Sprintf(" at least %d too many", l.TooMany().Value)
				}
				alerts += "; "
				if (a.Level == evening.Bad) != (a.Code != evening.AlertMaybeCrowded) {
					t.Errorf("%s: level %s", c.name, a.Level)
				}
			}
		}
		if got != c.loads || alerts != c.alerts {
			t.Errorf("%s: %q %q, want %q %q", c.name, got, alerts, c.loads, c.alerts)
		}
	}
}

// A licence of 400, 270 people of an afternoon that ended at 20:00 and 172 of the next performance, none of whom is
// scanned out: nobody is told to let nobody in, and the number inside falls to those who came for the second.
func TestNobodyIsKeptOutForThoseWhoHaveLeft(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Main", "17:00", "18:00", "20:00"), foldtest.Tonight("b", "Main", "19:45", "20:30", "22:00"),
		foldtest.Set(record.SettingLicensed, "Main", "", 400, "09:00")}, foldtest.Come(270, "a", "a", "A", "17:30", 30), foldtest.Come(172, "b", "b", "A", "19:45", 86))
	for _, c := range []struct {
		now      string
		from, to int
		warns    bool
	}{{"20:00", 442, 442, true}, {"20:06", 290, 330, false}, {"20:25", 172, 180, false}, {"21:00", 172, 172, false}} {
		v := foldtest.At(c.now, records...)
		l, _ := v.LoadOf("Main")
		if l.Inside.Value < c.from || l.Inside.Value > c.to {
			t.Errorf("%s: %s inside, want %d to %d", c.now, foldtest.Say(l.Inside), c.from, c.to)
		}
		warns := false
		for _, a := range v.Alerts {
			if a.Code == evening.AlertCrowded || a.Code == evening.AlertCrowdedBuilding {
				t.Errorf("%s: %s is raised", c.now, a.Code)
			}
			warns = warns || a.Code == evening.AlertMaybeCrowded
		}
		if warns != c.warns {
			t.Errorf("%s: a warning is %v", c.now, warns)
		}
	}
}

// An alert about a full hall is raised again for somebody who has seen it when more people are inside. Access to one hall
// shows nothing about the building.
func TestCrowdedAgain(t *testing.T) {
	event := foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00")
	l := ledger.New(figures.Calendar{})
	revision := int64(0)
	alerts := func(records ...record.Record) (*evening.Evening, string) {
		for _, r := range records {
			revision++
			l.Apply(record.Version{Revision: revision, Head: true, Record: r})
		}
		v := foldtest.Evening(l.Snapshot(figures.Position{}, foldtest.Complete), foldtest.Clock("19:30"))
		got := ""
		for _, a := range v.AlertsOf(v.Show(v.Shows[0].EventFigures)) {
			got += fmt.Sprintf("%s %d seen %v; ", a.Code, a.Count.Value, a.Seen != nil)
		}
		return v, got
	}
	walks := func(id string, n int) record.Record {
		return &record.WalkIn{ID: id, EventID: "a", Count: n, At: foldtest.Clock("19:10")}
	}
	v, got := alerts(event, foldtest.Ticket("t", "a", func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:05"), Direction: record.Entry}}
	}), foldtest.Set(record.SettingLicensed, "Main", "", 3, "09:00"), foldtest.Set(record.SettingLicensed, "", "", 9, "09:00"), walks("w", 2))
	if got != "maybe_crowded 3 seen false; " {
		t.Fatal(got)
	}
	a := v.Alerts[0]
	if _, got = alerts(a.Acknowledgement(evening.Seen{By: "Mia", At: foldtest.Clock("19:20")})); got != "maybe_crowded 3 seen true; " {
		t.Error(got)
	}
	if v, got = alerts(walks("x", 1)); got != "maybe_crowded 4 seen false; " {
		t.Error(got)
	}
	if s := l.Snapshot(figures.Position{}, foldtest.Complete).InHalls([]string{"Main"}); len(foldtest.Evening(s, foldtest.Clock("19:30")).Loads) != 1 {
		t.Error("who sees one hall alone sees the building, or not the hall")
	}
	for key, want := range map[figures.Key]string{figures.KeyInside: "4 ", figures.KeyLicensed: "3 ", figures.KeyLoad: "0 1.3333333333333333"} {
		x, ok := catalogue.Explain(v, key, figures.Scope{Hall: "Main"})
		got := fmt.Sprint(x.Count, " ")
		if x.Share != 0 {
			got += fmt.Sprint(x.Share)
		}
		if !ok || got != want {
			t.Errorf("%s of the hall is %s, want %s", key, got, want)
		}
	}
	if _, ok := catalogue.Explain(v, figures.KeyLoad, figures.Scope{Hall: "Foyer"}); ok {
		t.Error("a hall of which nothing is set has a load")
	}
	if _, got = alerts(walks("w", 0)); got != "" {
		t.Error(got)
	}
}

// More places sold than people are allowed in the hall is said days before, by what is allowed on the performance's own day, until
// it runs and nothing is sold any more; a hall for which nothing is set, one that is as full as allowed, and a cancelled performance say nothing.
func TestMoreSoldThanAllowed(t *testing.T) {
	records := foldtest.Together([]record.Record{
		foldtest.Tonight("far", "Main", "24 19:00", "24 20:00", "24 22:00"),
		foldtest.Tonight("off", "Main", "24 19:00", "24 20:00", "24 22:00", foldtest.Status(record.EventCancelled)),
		foldtest.Tonight("other", "Foyer", "24 19:00", "24 20:00", "24 22:00"),
	}, foldtest.Many(4, "f", "far"), foldtest.Many(4, "o", "off"), foldtest.Many(4, "p", "other"))
	for allowed, want := range map[int64]string{3: "over_licensed:far 4/3; ", 4: "", 5: ""} {
		s := foldtest.Fold(foldtest.Complete, append(slices.Clone(records),
			foldtest.Set(record.SettingLicensed, "Main", "", 1000, "09:00"), foldtest.Set(record.SettingLicensed, "Main", "2026-11-23", allowed, "09:00"))...)
		for clock, want := range map[time.Time]string{foldtest.Clock("12:00"): want, foldtest.Clock("24 19:59"): want, foldtest.Clock("24 20:30"): "", foldtest.Clock("24 22:30"): ""} {
			got, v := "", evening.At(s, clock)
			for _, a := range slices.Concat(v.Alerts, v.OtherDays()) {
				if a.Code == evening.AlertOverLicensed {
					got += fmt.Sprintf("%s %d/%d; ", a.Key, a.Count.Value, a.Licensed)
				}
			}
			if got != want {
				t.Errorf("%d allowed, at %s: %q, want %q", allowed, clock, got, want)
			}
		}
	}
}

// Where more places are on sale than may still be sold for the hall, that is said once nine tenths of those allowed are sold,
// until as many are, and not where fewer are on sale.
func TestNearlyAsManySoldAsAllowed(t *testing.T) {
	for _, c := range []struct {
		allowed int64
		places  int
		want    string
	}{
		{18, 40, "near_licensed:far 0/18; "}, {19, 40, "near_licensed:far 1/19; "}, {20, 40, "near_licensed:far 2/20; "}, {21, 40, ""}, // 90 % of 21 are 19
		{20, -40, "near_licensed:far 2/20; "}, {20, -20, ""}, // the service does not say how many are left
		{17, 40, ""}, {20, 21, "near_licensed:far 2/20; "}, {20, 20, ""},
	} {
		s := foldtest.Fold(foldtest.Complete, append(foldtest.Together([]record.Record{
			foldtest.Tonight("far", "Main", "24 19:00", "24 20:00", "24 22:00", func(e *record.Event) {
				if e.Capacity, e.Available = new(c.places), new(c.places-18); c.places < 0 {
					e.Capacity, e.Available = new(-c.places), nil
				}
			}),
		}, foldtest.Many(18, "f", "far")), foldtest.Set(record.SettingLicensed, "Main", "", c.allowed, "09:00"))...)
		for _, clock := range []time.Time{foldtest.Clock("12:00"), foldtest.Clock("24 12:00")} {
			got, v := "", evening.At(s, clock)
			for _, a := range slices.Concat(v.Alerts, v.OtherDays()) {
				if a.Code == evening.AlertNearLicensed || a.Code == evening.AlertFewLeft { // the graver alone
					got += fmt.Sprintf("%s %d/%d; ", a.Key, a.Count.Value, a.Licensed)
				}
			}
			if got != c.want {
				t.Errorf("%d allowed of %d places, at %s: %q, want %q", c.allowed, c.places, clock, got, c.want)
			}
		}
	}
}

// How many places may still be sold for the hall is known from the first sale on, and not only when the last are near, unless no more
// than these are on sale. Free are these places, of the performance and of the house, and empty all that nobody has.
func TestFewerMayBeSoldThanAreFree(t *testing.T) {
	for _, c := range []struct {
		allowed int64
		want    string
	}{{17, "0 true"}, {18, "0 true"}, {20, "2 true"}, {30, "12 true"}, {39, "21 true"}, {40, "22 false"}, {50, "32 false"}} {
		s := foldtest.Fold(foldtest.Complete, append(foldtest.Together([]record.Record{
			foldtest.Tonight("far", "Main", "24 19:00", "24 20:00", "24 22:00", func(e *record.Event) { e.Capacity, e.Available = new(43), new(22) }),
		}, foldtest.Many(18, "f", "far")), foldtest.Set(record.SettingLicensed, "Main", "", c.allowed, "09:00"))...)
		v := evening.At(s, foldtest.Clock("24 12:00"))
		if left, limited := v.MayStillSell(v.Shows[0]); fmt.Sprint(left, limited) != c.want {
			t.Errorf("%d allowed: %d, %t, want %s", c.allowed, left, limited, c.want)
		}
		one, house, may := v.Shows[0], v.HouseOf(v.Shows), max(0, min(22, int(c.allowed)-18))
		if one.Free.Value != may || one.Empty.Value != 22 || one.Limited() != (may < 22) || one.SoldOut {
			t.Errorf("%d allowed: %d free of %d empty, limited %t, sold out %t", c.allowed, one.Free.Value, one.Empty.Value, one.Limited(), one.SoldOut)
		}
		if house.Free.Value != may || house.Empty.Value != 22 || house.Limited() != (may < 22) || house.OnSale != 1 {
			t.Errorf("%d allowed: %d free of %d empty in the house of %d on sale, limited %t", c.allowed, house.Free.Value, house.Empty.Value, house.OnSale, house.Limited())
		}
	}
}

// What may be sold for the hall is reckoned from what is sold and reserved, and is no surer than these: a reserved place is for
// somebody, too, and a sale that was refused is one that nobody counts.
func TestFreeToSellIsOfWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		name              string
		reserved, refused int
		want              string
	}{
		{"all is known", 0, 0, "2 of 22"}, {"one is reserved", 1, 0, "1 of 22"}, {"two are reserved", 2, 0, "0 of 22"},
		{"more are reserved than are allowed", 3, 0, "0 of 22"}, {"a sale is not counted", 0, 1, "≈ 2 of 22"},
	} {
		coverage := foldtest.Complete
		coverage.RefusedTickets = map[string]int{"far": c.refused}
		s := foldtest.Fold(coverage, append(foldtest.Together([]record.Record{
			foldtest.Tonight("far", "Main", "24 19:00", "24 20:00", "24 22:00", func(e *record.Event) { e.Capacity, e.Available = new(43), new(22) }),
		}, foldtest.Many(18, "f", "far"), foldtest.Many(c.reserved, "r", "far", func(r *record.Ticket) { r.Status, r.SoldAt = record.TicketReserved, time.Time{} })),
			foldtest.Set(record.SettingLicensed, "Main", "", 20, "09:00"))...)
		v := evening.At(s, foldtest.Clock("24 12:00"))
		one := v.Shows[0]
		got := fmt.Sprintf("%d of %d", one.Free.Value, one.Empty.Value)
		if one.Free.Quality == figures.Estimated {
			got = "≈ " + got
		}
		if got != c.want || !one.Limited() || v.House.Free.Value != one.Free.Value || v.House.Free.Quality != one.Free.Quality {
			t.Errorf("%s: %s (%v), want %s; %d in the house", c.name, got, one.Free.Reasons, c.want, v.House.Free.Value)
		}
		x, ok := catalogue.Explain(v, figures.KeyFree, figures.Scope{Event: "far"})
		if !slices.Contains(x.From, record.KindTicket) {
			t.Errorf("%s: counted from %v", c.name, x.From)
		}
		if sum := 0; ok && len(x.Terms) > 0 {
			for _, term := range x.Terms {
				if term.Op == figures.Less {
					sum -= term.Count
				} else {
					sum += term.Count
				}
			}
			if sum != one.Free.Value {
				t.Errorf("%s: the formula comes to %d, and %d are free", c.name, sum, one.Free.Value)
			}
		}
	}
}

// That most places are sold is said while others may be sold, and not where more are sold than are allowed.
func TestNearlyFullWhileMoreMayBeSold(t *testing.T) {
	for licensed, want := range map[int64]bool{19: false, 20: true} {
		got := ""
		for _, a := range foldtest.At("18:30", foldtest.Together([]record.Record{foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(20) }),
			foldtest.Set(record.SettingLicensed, "Main", "", licensed, "09:00")}, foldtest.Many(19, "t", "a"))...).Alerts {
			got += a.Code + "; "
		}
		if strings.Contains(got, evening.AlertNearlyFull) != want {
			t.Errorf("19 of 20 are sold, and %d allowed: %s", licensed, got)
		}
	}
}

// While the hall is full, that is the alert, and not as well that more were sold than are allowed: unless somebody has to stop the sale.
func TestFullHallIncludesThatItIsOversold(t *testing.T) {
	full := func(n int, sale ...func(*record.Event)) string {
		got := ";"
		for _, a := range foldtest.At("19:30", foldtest.Together([]record.Record{foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00", sale...), foldtest.Set(record.SettingLicensed, "Main", "", 3, "09:00")},
			foldtest.Many(4, "t", "a"), foldtest.Many(n, "in", "a", foldtest.Passes("19:05")), foldtest.Many(1, "out", "a", foldtest.Passes("19:05", "-19:06")), foldtest.ScannedOut("Main"))...).Alerts {
			got += a.Code + ";"
		}
		return got
	}
	closed := foldtest.Status(record.EventSalesClosed)
	if got := full(1, closed); !strings.Contains(got, evening.AlertOverLicensed) || strings.Contains(got, ";"+evening.AlertCrowded+";") {
		t.Errorf("with one inside, and no sale: %s", got)
	}
	if got := full(3); !strings.Contains(got, evening.AlertOverLicensed) || !strings.Contains(got, ";"+evening.AlertCrowded+";") {
		t.Errorf("full, and on sale: %s", got)
	}
	if got := full(1); !strings.Contains(got, evening.AlertOverLicensed) || strings.Contains(got, ";"+evening.AlertCrowded+";") {
		t.Errorf("with one inside: %s", got)
	}
	if got := full(3, closed); strings.Contains(got, evening.AlertOverLicensed) || !strings.Contains(got, ";"+evening.AlertCrowded+";") {
		t.Errorf("full: %s", got)
	}
}
