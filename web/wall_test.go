package web_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
)

func TestWall(t *testing.T) {
	r, h := renderer(t), busy(t)
	wall := func(hall string, now time.Time) (string, map[string]string) {
		c := content(t, r, hallView(hall).as(web.Door), h.snapshot(), now)
		return text(c.HTML["wall-top"] + " " + c.HTML["wall-main"]), c.HTML
	}
	for _, test := range []struct {
		name, hall, clock string
		want              []string
	}{
		{"running or next", "Grote Zaal", "19:52", []string{"Matthäus-Passion", "curtain 20:15", "92%", "812 of 882 places sold · 51 free", "≤ 638 at most: nobody was ever scanned outin the building, 174 still to come"}},
		{"doors closed", "Foyer", "19:52", []string{"Late Night Trio", "90%", "22:15", "doors open in 2 h 23 min", "17 net sold in the last hour"}},
		{"after its end the next day", "Kleine Zaal", "23:30", []string{"Next", "tomorrow", "20:15", "De Vader"}},
		{"the house", "", "19:52", []string{"Friday 20 November", "three halls", "86%", "1,280 of 1,480 places sold · 169 free", "≤ 862 at most: nobody was ever scanned outin the building, 221 still to come"}},
		{"a hall that nobody knows", "Zolder", "19:52", []string{"There is no hall called Zolder", "the halls are Foyer, Grote Zaal and Kleine Zaal"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, html := wall(test.hall, at(test.clock).Add(time.Second))
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
			if html["strip"] == "" || html["clock"] == "" {
				t.Error("no age of the figures, or no clock")
			}
		})
	}
	for hall, want := range map[string]string{"": "Gate B has been quiet for 6 minutes", "Grote Zaal": "Gate B has been quiet for 6 minutes", "Foyer": ""} {
		_, html := wall(hall, showTime)
		if got := text(html["wall-note"]); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("the wall of %q notes %q, want %q", hall, got, want)
		}
	}
	p := page(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), showTime)
	if strings.Contains(p, "<nav") || !strings.Contains(p, `content="dark"`) || !strings.Contains(p, `class="wall"`) {
		t.Error("the wall is not a wall: navigation, light, or no mark for the script")
	}
}

// Doors that the service does not report are nobody's time to be there: the curtain is said, the
// same on every page. What is sold counts as far as it is known.
func TestAssumedDoorsAreNotSaid(t *testing.T) {
	r, h := renderer(t), newHouse()
	sold := sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 40, scans: true}
	noDoors := func(e *record.Event) { e.DoorsAt = time.Time{} }
	h.sell(h.event("evt_a", "Een", "Foyer", "20:15", "21:15", 100, noDoors), sold)
	says := func(tonightSays, wallSays string) {
		t.Helper()
		for v, want := range map[view]string{{page: "tonight"}: tonightSays, {page: "wall"}: wallSays} {
			c := content(t, r, v.as(web.Door), h.snapshot(), showTime)
			got := figureText(c.HTML["head"] + c.HTML["wall-main"])
			wants(t, v.page, got, want)
			lacks(t, v.page, got, "20:15")
		}
	}
	says("The first curtain is at 21:15", "21:15 curtain in 1 h 23 min")
	two := h.event("evt_b", "Twee", "Kelder", "20:30", "21:30", 100, noDoors)
	h.sell(two, sold)
	says("The first curtain is at 21:15", "21:15 curtain in 1 h 23 min")
	three := h.event("evt_c", "Drie", "Zolder", "21:00", "21:30", 100)
	h.sell(three, sold)
	lately := sale{from: showTime.Add(-30 * time.Minute), to: showTime.Add(-5 * time.Minute), paid: 3}
	h.sell(two, lately)
	h.sell(three, lately)
	says("The first doors open at 21:00", "21:00 doors open in 1 h 8 min 6 net sold in the last hour")
}

// The interval that a service reports is said while it is to come or under way, and on the page of the
// performance before that too; one that nobody reports, or that cannot be, is not said.
func TestInterval(t *testing.T) {
	interval := func(from, to string) func(*record.Event) {
		return func(e *record.Event) { e.IntervalStartsAt, e.IntervalEndsAt = at(from), at(to) }
	}
	off := func(e *record.Event) { e.Status = record.EventCancelled }
	r := renderer(t)
	for _, c := range []struct {
		name, now   string
		change      []func(*record.Event)
		rows, event bool
	}{
		{"to come, before the curtain", "19:50", []func(*record.Event){interval("20:50", "21:10")}, false, true},
		{"to come", "20:30", []func(*record.Event){interval("20:50", "21:10")}, true, true},
		{"under way", "21:09", []func(*record.Event){interval("20:50", "21:10")}, true, true},
		{"over", "21:10", []func(*record.Event){interval("20:50", "21:10")}, false, false},
		{"of what is called off", "20:30", []func(*record.Event){interval("20:50", "21:10"), off}, false, false},
		{"not reported", "20:30", nil, false, false},
		{"without an end", "20:30", []func(*record.Event){interval("20:50", "21:10"), func(e *record.Event) { e.IntervalEndsAt = time.Time{} }}, false, false},
		{"before the curtain", "19:50", []func(*record.Event){interval("19:40", "20:10")}, false, false},
		{"beyond the end", "20:30", []func(*record.Event){interval("22:20", "22:40")}, false, false},
		{"that ends before it begins", "20:30", []func(*record.Event){interval("21:10", "20:50")}, false, false},
	} {
		h := newHouse()
		h.sell(h.event("evt_a", "Een", "Foyer", "19:15", "20:00", 100, c.change...), sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 40, scans: true})
		for v, want := range map[view]bool{{page: "tonight"}: c.rows, hallView("Foyer"): c.rows, eventView("evt_a"): c.event} {
			html := content(t, r, v.as(web.Door), h.snapshot(), at(c.now)).HTML
			if got := text(strings.Join(slices.Collect(maps.Values(html)), " ")); strings.Contains(got, "interval 20:50 to 21:10") != want || !want && strings.Contains(got, "interval") {
				t.Errorf("%s: %s says %q", c.name, v.page, got)
			}
		}
	}
}

// The bar of the people in the house is of those who are expected: without those who leave, and
// not at all where everybody does.
func TestWallBarLeavesOutWhoLeaves(t *testing.T) {
	r, h := renderer(t), newHouse()
	sold := sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 40, scans: true}
	matinee, late := h.event("evt_mat", "Matinee", "Foyer", "16:00", "17:00", 100), h.event("evt_late", "Laat", "Kelder", "19:00", "20:00", 100)
	sold.in = []gateIn{{"A", 30, at("16:00"), at("16:40")}}
	h.sell(matinee, sold) // until 19:30
	sold.in = []gateIn{{"B", 10, at("19:05"), at("19:25")}}
	h.sell(late, sold)
	wall := content(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), at("19:35")).HTML
	main := wall["wall-main"]
	wants(t, "the list while some leave", text(wall["wall-next"]), "Matinee 17:00 Foyer · ≤ 30 leaving", "Laat 20:00 Kelder")
	wants(t, "some leave", main, `aria-label="10 of 40 visitors"`)
	wants(t, "some leave", figureText(main), "≤ 40 in the building , ≤ 30 of them leaving")
	main = content(t, r, hallView("Foyer").as(web.Door), h.snapshot(), at("19:35")).HTML["wall-main"]
	wants(t, "all leave", figureText(main), "≤ 30 in the building , all leaving")
	lacks(t, "all leave", main, "visitors")
}

// Of alerts that are as loud as each other the wall shows what the doors have to act on, and no
// longer that a performance was called off once its time is past.
func TestWallNoteIsOfTheDoors(t *testing.T) {
	r, h := renderer(t), newHouse()
	off := func(e *record.Event) { e.Status = record.EventCancelled }
	h.event("evt_off", "Afgelast", "Foyer", "13:00", "14:00", 20, off) // until 16:30
	for i := range 6 {
		past := h.event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, onDay(-1-i))
		h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 100, scans: true,
			in: []gateIn{{"A", 100, past.DoorsAt, past.StartsAt.Add(5 * time.Minute)}}})
	}
	note := func(clock string) string {
		h.asOf, h.health = at(clock), healthy(at(clock))
		return text(content(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), at(clock)).HTML["wall-note"])
	}
	wants(t, "before its time", note("13:50"), "Afgelast is cancelled")
	wants(t, "in its time", note("16:29"), "Afgelast is cancelled")
	if got := note("16:30"); got != "" {
		t.Errorf("after its time: %q", got)
	}
	h.event("evt_off", "Afgelast", "Foyer", "13:00", "19:00", 20, off)
	for _, hall := range []string{"Kelder", "Zolder"} {
		late := h.event("evt_"+hall, "Laat "+hall, hall, "18:00", "19:05", 200)
		h.sell(late, sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 100, scans: true,
			in: []gateIn{{"A", 40, at("18:30"), at("19:04")}}})
	}
	wants(t, "with performances to hold", note("19:04"), "Hold Laat Kelder", "Hold Laat Zolder", "and 1 more")
	h.apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(30)), At: at("12:00"), By: "Mia"})
	wants(t, "with too many people", note("19:04"), "Up to 10 people too many in Zolder", "Hold Laat Kelder", "and 2 more")
}

// Nobody's wall says an amount, not of those who see money either.
func TestWallNoteHasNoMoney(t *testing.T) {
	r, h := renderer(t), newHouse()
	off := h.event("evt_off", "Afgelast", "Foyer", "19:00", "20:00", 20)
	h.sell(off, sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 4})
	off.Status = record.EventCancelled
	h.apply(off)
	read := func(page, fragment string) string {
		return text(content(t, r, view{page: page}.as(web.Manager), h.snapshot(), showTime).HTML[fragment])
	}
	wants(t, "the manager's attention", read("tonight", "attention"), "to pay back", "€")
	note := read("wall", "wall-note")
	wants(t, "the manager's wall", note, "Afgelast is cancelled")
	lacks(t, "the manager's wall", note, "€", "pay back")
}

// The wall of a house lists every performance of the evening or says how many there is no room for,
// those to hold before others and these before those that run, and its main number is of the same places from the first doors on.
func TestWallIsOfTheWholeEvening(t *testing.T) {
	r, h := renderer(t), newHouse()
	for i := range 6 {
		past := h.event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, onDay(-1-i))
		h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 100, scans: true,
			in: []gateIn{{"A", 100, past.DoorsAt, past.StartsAt.Add(5 * time.Minute)}}})
	}
	add := func(id, hall, doors, curtain string, paid int, in ...gateIn) {
		h.sell(h.event(id, "Stuk "+id, hall, doors, curtain, 100), sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: paid, scans: true, in: in})
	}
	wall := func(clock string) map[string]string {
		h.asOf, h.health = at(clock), healthy(at(clock))
		return content(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), at(clock)).HTML
	}
	add("a", "Foyer", "16:00", "17:00", 20)
	add("b", "Grote Zaal", "16:30", "17:30", 40)
	add("c", "Zolder", "17:00", "18:00", 60)
	add("d", "Kelder", "18:00", "19:05", 80, gateIn{"A", 30, at("18:30"), at("19:04")})
	wants(t, "four", text(wall("14:00")["wall-next"]), "Stuk a", "Stuk b", "Stuk c", "Stuk d")
	lacks(t, "four", text(wall("14:00")["wall-next"]), "more")
	add("e", "Tuin", "17:30", "18:30", 50)
	five := wall("14:00")
	wants(t, "five", text(five["wall-next"]), "Stuk a", "Stuk b", "Stuk c", "and 2 more")
	wants(t, "before", text(five["wall-main"]), "50%", "250 of 500 places sold")
	begun := text(wall("17:20")["wall-next"])
	wants(t, "five, one of which runs", begun, "Stuk b", "Stuk c", "Stuk e", "and 2 more")
	lacks(t, "five, one of which runs", begun, "Stuk a")
	hold := wall("18:55")
	wants(t, "five, one to hold", text(hold["wall-next"]), "Stuk d", "Hold: about")
	lacks(t, "five, one to hold", text(hold["wall-next"]), "Stuk e")
	wants(t, "the last one is on", text(wall("21:20")["wall-main"]), "50%", "250 of 500 places sold")
}

// Before anything is read no hall is unknown, and what pages count from is what their script takes.
func TestWallBeforeTheFirstRead(t *testing.T) {
	r, s := renderer(t), ledger.New(figures.Calendar{Zone: showTime.Location()}).Snapshot(figures.Position{}, ledger.Coverage{})
	for _, hall := range []string{"", "Zolder"} {
		q := hallView(hall).as(web.Door)
		wants(t, hall, content(t, r, q, s, showTime).HTML["wall-top"], "Waiting for the service")
		if times := string(r.Times(q, s, showTime)); strings.Contains(times, "null") {
			t.Errorf("the page counts from %s", times)
		}
	}
}
