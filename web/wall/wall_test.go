package wall_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

func TestWall(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	wall := func(hall string, now time.Time) (string, map[string]string) {
		c := webtest.Content(t, r, webtest.HallView(hall).As(web.Door), h.Snapshot(), now)
		return webtest.Text(c.HTML["wall-top"] + " " + c.HTML["wall-main"]), c.HTML
	}
	for _, test := range []struct {
		name, hall, clock string
		want              []string
	}{
		{"running or next", "Grote Zaal", "19:52", []string{"Matthäus-Passion", "curtain 20:15", "92%", "812 of 882 places sold 51 free", "≤ 638 at most: people are not scanned outinside, 174 still to come"}},
		{"doors closed", "Foyer", "19:52", []string{"Late Night Trio", "90%", "22:15", "doors open in 2 h 23 min", "17 sold in the last hour"}},
		{"after its end the next day", "Kleine Zaal", "23:30", []string{"Next", "tomorrow", "20:15", "De Vader"}},
		{"the house", "", "19:52", []string{"Friday 20 November", "three halls", "86%", "1,280 of 1,480 places sold 169 free", "≤ 862 at most: people are not scanned outin the building, 418 still to come"}},
		{"a hall that nobody knows", "Zolder", "19:52", []string{"There is no hall called Zolder", "the halls are Foyer, Grote Zaal and Kleine Zaal"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, html := wall(test.hall, webtest.At(test.clock).Add(time.Second))
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
	for hall, want := range map[string]string{"": "Gate B is quiet, 6 min", "Grote Zaal": "Gate B is quiet, 6 min", "Foyer": ""} {
		_, html := wall(hall, webtest.ShowTime)
		if got := webtest.Text(html["wall-note"]); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("the wall of %q notes %q, want %q", hall, got, want)
		}
	}
	p := webtest.Page(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.ShowTime)
	if strings.Count(p, "<nav") != 1 || !strings.Contains(p, `content="dark"`) || !strings.Contains(p, `class="wall"`) {
		t.Error("the wall is not a wall: navigation, light, or no mark for the script")
	}
}

// Doors that the service does not report are nobody's time to be there: the curtain is said, the
// same on every page. What is sold counts as far as it is known.
func TestAssumedDoorsAreNotSaid(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sold := webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: true}
	noDoors := func(e *record.Event) { e.DoorsAt = time.Time{} }
	h.Sell(h.Event("evt_a", "Een", "Foyer", "20:15", "21:15", 100, noDoors), sold)
	says := func(tonightSays, wallSays string) {
		t.Helper()
		for v, want := range map[webtest.View]string{{Page: "tonight"}: tonightSays, {Page: "wall"}: wallSays} {
			c := webtest.Content(t, r, v.As(web.Door), h.Snapshot(), webtest.ShowTime)
			got := webtest.FigureText(c.HTML["figs"] + c.HTML["wall-main"])
			webtest.Wants(t, v.Page, got, want)
			webtest.Lacks(t, v.Page, got, "20:15")
		}
	}
	says("curtain at 21:15", "21:15 curtain in 1 h 23 min")
	two := h.Event("evt_b", "Twee", "Kelder", "20:30", "21:30", 100, noDoors)
	h.Sell(two, sold)
	says("curtain at 21:15", "21:15 curtain in 1 h 23 min")
	three := h.Event("evt_c", "Drie", "Zolder", "21:00", "21:30", 100)
	h.Sell(three, sold)
	lately := webtest.Sale{From: webtest.ShowTime.Add(-30 * time.Minute), To: webtest.ShowTime.Add(-5 * time.Minute), Paid: 3}
	h.Sell(two, lately)
	h.Sell(three, lately)
	says("doors from 21:00", "21:00 doors open in 1 h 8 min 6 sold in the last hour")
}

// The interval that a service reports is said while it is to come or under way, and on the page of the
// performance before that too; one that nobody reports, or that cannot be, is not said.
func TestInterval(t *testing.T) {
	interval := func(from, to string) func(*record.Event) {
		return func(e *record.Event) { e.IntervalStartsAt, e.IntervalEndsAt = webtest.At(from), webtest.At(to) }
	}
	off := func(e *record.Event) { e.Status = record.EventCancelled }
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name, now   string
		change      []func(*record.Event)
		rows, event bool
		says        string
	}{
		{"to come, before the curtain", "19:50", []func(*record.Event){interval("20:50", "21:10")}, false, true, "interval 20:50 to 21:10"},
		{"to come", "20:30", []func(*record.Event){interval("20:50", "21:10")}, true, true, "interval 20:50 to 21:10"},
		{"under way", "21:09", []func(*record.Event){interval("20:50", "21:10")}, true, true, "interval, back at 21:10"},
		{"over", "21:10", []func(*record.Event){interval("20:50", "21:10")}, false, false, "interval 20:50 to 21:10"},
		{"of what is called off", "20:30", []func(*record.Event){interval("20:50", "21:10"), off}, false, false, "interval 20:50 to 21:10"},
		{"not reported", "20:30", nil, false, false, "interval 20:50 to 21:10"},
		{"without an end", "20:30", []func(*record.Event){interval("20:50", "21:10"), func(e *record.Event) { e.IntervalEndsAt = time.Time{} }}, false, false, "interval 20:50 to 21:10"},
		{"before the curtain", "19:50", []func(*record.Event){interval("19:40", "20:10")}, false, false, "interval 20:50 to 21:10"},
		{"beyond the end", "20:30", []func(*record.Event){interval("22:20", "22:40")}, false, false, "interval 20:50 to 21:10"},
		{"that ends before it begins", "20:30", []func(*record.Event){interval("21:10", "20:50")}, false, false, "interval 20:50 to 21:10"},
	} {
		h := webtest.NewHouse()
		h.Sell(h.Event("evt_a", "Een", "Foyer", "19:15", "20:00", 100, c.change...), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: true})
		for v, want := range map[webtest.View]bool{{Page: "tonight"}: c.rows, webtest.HallView("Foyer"): c.rows, webtest.EventView("evt_a"): c.event} {
			html := webtest.Content(t, r, v.As(web.Door), h.Snapshot(), webtest.At(c.now)).HTML
			if got := webtest.Text(strings.Join(slices.Collect(maps.Values(html)), " ")); strings.Contains(got, c.says) != want || !want && strings.Contains(got, "interval") {
				t.Errorf("%s: %s says %q", c.name, v.Page, got)
			}
		}
	}
}

// Staff at their desk choose a hall on the wall; a screen has no picker, nor a house of one hall.
// The wall of a hall says while its performance runs when that ends, and in its interval until when that lasts, and counts down the last ten minutes
// until either begins; so does the wall of the house
// beside the other halls.
func TestWallSaysWhatIsOnUntilWhen(t *testing.T) {
	h := webtest.NewHouse()
	sold := webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: true}
	h.Sell(h.Event("evt_a", "Een", "Foyer", "19:15", "20:00", 100, func(e *record.Event) {
		e.IntervalStartsAt, e.IntervalEndsAt, e.EndsAt = webtest.At("20:50"), webtest.At("21:10"), webtest.At("22:15")
	}), sold)
	h.Sell(h.Event("evt_b", "Twee", "Zolder", "19:15", "20:00", 100, func(e *record.Event) { e.EndsAt = webtest.At("22:40") }), sold)
	h.Sell(h.Event("evt_c", "Drie", "Tuin", "19:15", "20:00", 100, func(e *record.Event) { e.EndsAt = time.Time{} }), sold)
	h.Sell(h.Event("evt_d", "Vier", "Schuur", "19:15", "20:00", 100, webtest.Available(58), func(e *record.Event) { e.Status, e.EndsAt = record.EventOnSale, webtest.At("22:15") }), sold)
	r := webtest.Renderer(t)
	for clock, want := range map[string]struct{ hall, house, not string }{
		"19:59": {"curtain 20:00", "Vier 20:00 Schuur · 58 free · 0 inside", "Schuur · ends"},
		"20:00": {"since 20:00 · interval 20:50 to 21:10 · ends 22:15", "Vier 20:00 Schuur · ends 22:15 · 0 inside", "58 free"}, // also while tickets are sold
		"20:30": {"since 20:00 · interval 20:50 to 21:10 · ends 22:15", "Vier 20:00 Schuur · ends 22:15 · 0 inside", "58 free"},
		"20:39": {"since 20:00 · interval 20:50 to 21:10 · ends 22:15", "Een 20:00 Foyer · ends 22:15", "back at"},
		"20:42": {"since 20:00 · interval in 8 min · ends 22:15", "Een 20:00 Foyer · interval in 8 min", "20:50"}, // for whoever stands at the doors and the bar
		"20:55": {"since 20:00 · interval, back at 21:10 · ends 22:15", "Een 20:00 Foyer · interval, back at 21:10", "Foyer · interval, back at 21:10 · ends"},
		"21:10": {"since 20:00 · ends 22:15", "Een 20:00 Foyer · ends 22:15", "interval"},
		"22:06": {"since 20:00 · ends in 9 min", "Een 20:00 Foyer · ends in 9 min", "22:15"},
	} {
		of := func(v webtest.View, fragment string) string {
			return webtest.Text(webtest.Content(t, r, v.As(web.Door), h.Snapshot(), webtest.At(clock)).HTML[fragment])
		}
		hall, house := of(webtest.HallView("Foyer"), "wall-top"), of(webtest.View{Page: "wall"}, "wall-next")
		webtest.Wants(t, "the hall at "+clock, hall, want.hall)
		webtest.Wants(t, "the house at "+clock, house, want.house)
		if clock >= "20:00" {
			webtest.Wants(t, "the house at "+clock, house, "Twee 20:00 Zolder · ends 22:40")
		}
		webtest.Lacks(t, "at "+clock, hall+house, want.not)
		webtest.Lacks(t, "of no known end at "+clock, of(webtest.HallView("Tuin"), "wall-top"), "ends")
	}
	held := h.Snapshot() // the timetable of one that was held need not hold
	held.Acknowledged = map[string][]figures.Acknowledgement{evening.AlertHold + ":evt_a": {{Acknowledgement: &record.Acknowledgement{At: webtest.At("19:58"), Undone: true, Passed: true}}}}
	for clock, want := range map[string]string{"20:42": "interval 20:50 to 21:10 · ends 22:15", "22:06": "ends 22:15"} {
		webtest.Wants(t, "held, at "+clock, webtest.Text(webtest.Content(t, r, webtest.HallView("Foyer").As(web.Door), held, webtest.At(clock)).HTML["wall-top"]), want)
	}
}

func TestHallPicker(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	picker := regexp.MustCompile(`(?s)<nav class="halls".*?</nav>`)
	page := webtest.Page(t, r, webtest.HallView("Kleine Zaal").As(web.Door), h.Snapshot(), webtest.ShowTime)
	found := picker.FindString(page)
	webtest.Wants(t, "the picker", found, `href="/wall"`, "Whole house", `href="/wall?hall=Foyer"`, `href="/wall?hall=Grote+Zaal"`, `href="/wall?hall=Kleine+Zaal" aria-current="page"`)
	webtest.Lacks(t, "the picker", found, `href="/wall" aria-current`)
	var screen strings.Builder
	if err := r.Page(&screen, web.Frame{Request: webtest.HallView("Kleine Zaal").As(web.Door), Snapshot: h.Snapshot(), Now: webtest.ShowTime, Screen: new(web.ScreenState)}); err != nil {
		t.Fatal(err)
	}
	webtest.Lacks(t, "a screen", screen.String(), "<nav")
	one := webtest.NewHouse()
	one.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	webtest.Lacks(t, "a house of one hall", webtest.Page(t, r, webtest.View{Page: "wall"}.As(web.Door), one.Snapshot(), webtest.ShowTime), "<nav")
}

// The bar of the people in the building is of the number above it and of those still to come: those who leave are in
// the number, and a part of the bar.
func TestWallBarIsOfTheNumberAboveIt(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sold := webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: true}
	matinee, late := h.Event("evt_mat", "Matinee", "Foyer", "16:00", "17:00", 100), h.Event("evt_late", "Laat", "Kelder", "19:00", "20:00", 100)
	sold.In = []webtest.GateIn{{Gate: "A", N: 30, From: webtest.At("16:00"), To: webtest.At("16:40")}}
	h.Sell(matinee, sold) // until 19:30
	sold.In = []webtest.GateIn{{Gate: "B", N: 10, From: webtest.At("19:05"), To: webtest.At("19:25")}}
	h.Sell(late, sold)
	wall := webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At("19:35")).HTML
	main := wall["wall-main"]
	webtest.Wants(t, "the list while some leave", webtest.Text(wall["wall-next"]), "Matinee 17:00 Foyer · ≈ 18 leaving", "Laat 20:00 Kelder")
	webtest.Wants(t, "some leave", main, "≈\u00a028 in the building\""+`><rect class="in" x="0.00%" width="17.24%" height="100%"></rect><rect class="leaving" x="17.24%" width="31.03%"`)
	webtest.Wants(t, "some leave", webtest.FigureText(main), "≈ 28 in the building , ≈ 18 of them leaving")
	main = webtest.Content(t, r, webtest.HallView("Foyer").As(web.Door), h.Snapshot(), webtest.At("19:35")).HTML["wall-main"]
	webtest.Wants(t, "all leave", webtest.FigureText(main), "≈ 18 inside , all leaving")
	webtest.Lacks(t, "all leave", main, `class="in"`, `class="leaving"`)
}

// Of alerts that are as loud as each other the wall shows what the doors have to act on, and no
// longer that a performance was called off once its time is past.
func TestWallNoteIsOfTheDoors(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	off := func(e *record.Event) { e.Status = record.EventCancelled }
	h.Event("evt_off", "Afgelast", "Foyer", "13:00", "14:00", 20, off) // until 16:30
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 100, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 96, From: past.StartsAt.Add(-40 * time.Minute), To: past.StartsAt.Add(-8 * time.Minute)}}})
	}
	note := func(clock string) string {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At(clock)).HTML["wall-note"])
	}
	webtest.Wants(t, "before its time", note("13:50"), "Afgelast is cancelled")
	webtest.Wants(t, "in its time", note("16:29"), "Afgelast is cancelled")
	if got := note("16:30"); got != "" {
		t.Errorf("after its time: %q", got)
	}
	h.Event("evt_off", "Afgelast", "Foyer", "13:00", "19:00", 20, off)
	for _, hall := range []string{"Kelder", "Zolder"} {
		late := h.Event("evt_"+hall, "Laat "+hall, hall, "18:00", "19:05", 200)
		h.Sell(late, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 100, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 51, From: webtest.At("18:47"), To: webtest.At("19:04")}}})
	}
	webtest.Wants(t, "with performances to hold", note("19:04"), "Hold Laat Kelder", "Hold Laat Zolder", "and 1 more")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(30)), At: webtest.At("12:00"), By: "Mia"})
	webtest.Wants(t, "with perhaps too many people", note("19:04"), "Zolder may be full", "Hold Laat Kelder", "and 2 more")
	webtest.Lacks(t, "nobody waits for those who may not enter", note("19:04"), "Hold Laat Zolder")
}

// To sell no more is said where the people allowed in the hall are reached, and not where by our own count no place is left.
func TestWallStopsNoSaleByAnEstimate(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Event("evt_now", "Heden", "Foyer", "19:00", "20:00", 100)
	e := h.Event("evt_a", "De Vader", "Zolder", "19:30", "20:30", 100)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 100})
	got := webtest.Text(webtest.Content(t, r, webtest.HallView("").As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML["wall-next"])
	webtest.Wants(t, "no place left, by our count", got, "Zolder", "0 free")
	webtest.Lacks(t, "no place left, by our count", got, "sell no more")
}

// Beside the free places of a performance stands that fewer of them may be sold, or none, as on Tonight.
func TestWallSaysHowManyMayBeSold(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for _, hall := range []string{"Foyer", "Kelder", "Zolder"} {
		h.Sell(h.Event("evt_"+hall, "Stuk "+hall, hall, "18:00", "19:00", 100, webtest.Available(45)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 55})
	}
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(60)), At: webtest.ShowTime.AddDate(0, 0, -9), By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9), By: "Mia"})
	h.AsOf, h.Health = webtest.At("12:00"), webtest.Healthy(webtest.At("12:00"))
	read := func(hall, fragment string) string {
		return webtest.Text(webtest.Content(t, r, webtest.HallView(hall).As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML[fragment])
	}
	webtest.Wants(t, "the house", read("", "wall-next"), "Kelder · 55% · 5 free", "Zolder · 5 too many sold · sell no more")
	webtest.Wants(t, "the house together", read("", "wall-main"), "50 free for two performances")
	webtest.Lacks(t, "the house together", read("", "wall-main"), "empty")
	webtest.Wants(t, "more than are allowed", read("Zolder", "wall-main"), "0 free · sell no more")
	webtest.Lacks(t, "more than are allowed", read("Zolder", "wall-main"), "empty")
	webtest.Wants(t, "and what to do, on the screen of the hall", read("Zolder", "wall-note"), "Stop the sale of Stuk Zolder: 5 too many. 55 sold, 50 allowed.")
	h.Apply(&record.Ticket{ID: "held", EventID: "evt_Zolder", Status: record.TicketReserved, SoldAt: webtest.At("11:00"), UpdatedAt: webtest.At("11:00")})
	webtest.Wants(t, "with who may still pay", read("Zolder", "wall-note"), "Stop the sale of Stuk Zolder: 5 too many. 55 sold, 50 allowed. 1 reserved.")
	webtest.Wants(t, "nearly as many", read("Kelder", "wall-main"), "5 free · 45 empty")
	webtest.Lacks(t, "a hall without a limit", read("Foyer", "wall-main"), "sell", "empty")
}

// Nobody's wall says an amount, not of those who see money either.
func TestWallNoteHasNoMoney(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	off := h.Event("evt_off", "Afgelast", "Foyer", "19:00", "20:00", 20)
	h.Sell(off, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 4})
	off.Status = record.EventCancelled
	h.Apply(off)
	read := func(page, fragment string) string {
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: page}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML[fragment])
	}
	webtest.Wants(t, "the manager's attention", read("tonight", "attention"), "to pay back", "€")
	note := read("wall", "wall-note")
	webtest.Wants(t, "the manager's wall", note, "Afgelast is cancelled")
	webtest.Lacks(t, "the manager's wall", note, "€", "pay back")
}

// The wall of a house lists every performance of the evening or says how many there is no room for,
// those to hold before others and these before those that run, and its main number is of the same places from the first doors on.
func TestWallIsOfTheWholeEvening(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 100, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 96, From: past.StartsAt.Add(-40 * time.Minute), To: past.StartsAt.Add(-8 * time.Minute)}}})
	}
	add := func(id, hall, doors, curtain string, paid int, in ...webtest.GateIn) {
		h.Sell(h.Event(id, "Stuk "+id, hall, doors, curtain, 100), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: paid, Scans: true, In: in})
	}
	wall := func(clock string) map[string]string {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		return webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At(clock)).HTML
	}
	add("a", "Foyer", "16:00", "17:00", 20)
	add("b", "Grote Zaal", "16:30", "17:30", 40)
	add("c", "Zolder", "17:00", "18:00", 60)
	add("d", "Kelder", "18:00", "19:05", 80, webtest.GateIn{Gate: "A", N: 41, From: webtest.At("18:47"), To: webtest.At("19:04")})
	webtest.Wants(t, "four", webtest.Text(wall("14:00")["wall-next"]), "Stuk a", "Stuk b", "Stuk c", "Stuk d")
	webtest.Lacks(t, "four", webtest.Text(wall("14:00")["wall-next"]), "more")
	add("e", "Tuin", "17:30", "18:30", 50)
	five := wall("14:00")
	webtest.Wants(t, "five", webtest.Text(five["wall-next"]), "Stuk a", "Stuk b", "Stuk c", "and 2 more")
	webtest.Wants(t, "before", webtest.Text(five["wall-main"]), "50%", "250 of 500 places sold")
	begun := webtest.Text(wall("17:20")["wall-next"])
	webtest.Wants(t, "five, one of which runs", begun, "Stuk b", "Stuk c", "Stuk e", "and 2 more")
	webtest.Lacks(t, "five, one of which runs", begun, "Stuk a")
	hold := wall("18:55")
	webtest.Wants(t, "five, one to hold", webtest.Text(hold["wall-next"]), "Stuk d", "Hold to ")
	webtest.Lacks(t, "five, one to hold", webtest.Text(hold["wall-next"]), "Stuk e")
	webtest.Wants(t, "the last one is on", webtest.Text(wall("21:20")["wall-main"]), "250 sold of 500")
	webtest.Lacks(t, "the last one is on", webtest.Text(wall("21:20")["wall-main"]), "50%")
}

// Before anything is read no hall is unknown, and what pages count from is what their script takes.
func TestWallBeforeTheFirstRead(t *testing.T) {
	r, s := webtest.Renderer(t), ledger.New(figures.Calendar{Zone: webtest.ShowTime.Location()}).Snapshot(figures.Position{}, ledger.Coverage{})
	for _, hall := range []string{"", "Zolder"} {
		q := webtest.HallView(hall).As(web.Door)
		webtest.Wants(t, hall, webtest.Content(t, r, q, s, webtest.ShowTime).HTML["wall-top"], "Waiting for the service")
		if times := string(r.Times(q, s, webtest.ShowTime)); strings.Contains(times, "null") {
			t.Errorf("the page counts from %s", times)
		}
	}
}

var goldens = []webtest.View{webtest.HallView(""), webtest.HallView("Kleine Zaal")}

func TestGolden(t *testing.T) { webtest.GoldenRoles(t, goldens...) }

// Read these when words change.
func TestGoldenLanguages(t *testing.T) { webtest.GoldenLanguages(t, goldens[:1]...) }

// From the doors on a hall that may not hold all who come says of how many people it is, and not how much of it is sold; another
// says what the box office can still sell beside who is inside.
func TestWallOfOpenDoors(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for _, hall := range []string{"Kelder", "Zolder"} {
		h.Sell(h.Event("evt_"+hall, "Stuk "+hall, hall, "18:00", "19:00", 100, webtest.Available(40)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 60,
			Scans: true, In: []webtest.GateIn{{Gate: "A", N: 12, From: webtest.At("18:05"), To: webtest.At("18:29")}}})
	}
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9), By: "Mia"})
	read := func(at, fragment string) string {
		h.AsOf, h.Health = webtest.At(at), webtest.Healthy(webtest.At(at))
		return webtest.Text(webtest.Content(t, r, webtest.HallView("").As(web.Door), h.Snapshot(), webtest.At(at)).HTML[fragment])
	}
	webtest.Wants(t, "before the doors", read("17:40", "wall-next"), "Kelder · 10 too many sold · sell no more", "Zolder · 60% · 40 free")
	webtest.Lacks(t, "before the doors", read("17:40", "wall-note"), "may enter")
	webtest.Wants(t, "with open doors", read("18:30", "wall-next"), "Kelder · sell no more · ≤ 12 inside, 50 allowed", "Zolder · 40 free · ≤ 12 inside")
	webtest.Wants(t, "with open doors", read("18:30", "wall-note"), "Kelder: ≥ 38", "more may enter, up to 10 find no room.", "Stop the sale of Stuk Kelder: 10 too many. 60 sold, 50 allowed.")
}

// What comes on another day begins with that day, before its name, which is as quiet as its numbers: nobody who walks past reads
// its free places as tonight's. What is on tonight, and what is put off without a new date, begins with the name.
func TestAnotherDayComesBeforeItsNumbers(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sold := webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 40}
	h.Sell(h.Event("evt_a", "Heden", "Foyer", "19:30", "20:30", 100), sold)
	h.Sell(h.Event("evt_b", "Ook heden", "Kelder", "19:30", "20:30", 100), sold)
	h.Sell(h.Event("evt_c", "Morgen", "Zolder", "19:30", "20:30", 47, webtest.OnDay(1)), sold)
	h.Event("evt_d", "Ooit", "Zolder", "19:30", "20:30", 47, webtest.OnDay(2), func(e *record.Event) { e.Status = record.EventPostponed })
	next := webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML["wall-next"]
	cells := strings.Split(next, `<p class="next`)
	if len(cells) != 4 {
		t.Fatalf("%d cells: %s", len(cells)-1, next)
	}
	webtest.Wants(t, "tonight", cells[1], `<b><bdi>Heden</bdi></b>`)
	webtest.Wants(t, "tomorrow", cells[3], `<b>Sat 21 Nov <br><span><bdi>Morgen</bdi></span></b>`)
	webtest.Wants(t, "tomorrow", webtest.Text(cells[3]), "Morgen 20:30 Zolder", "7 free")
	webtest.Lacks(t, "the day once", strings.SplitN(cells[3], "</b>", 2)[1], "21 Nov")
	later := webtest.Content(t, r, webtest.HallView("Zolder").As(web.Door), h.Snapshot(), webtest.At("12:00").AddDate(0, 0, 1)).HTML["wall-next"]
	webtest.Wants(t, "put off", later, `<b><bdi>Ooit</bdi></b>`)
	webtest.Wants(t, "put off", webtest.Text(later), "was Sun 22 Nov")
}

// A hall that exits count people in keeps its cell until they are out, however long after its end, and the wall is not of tomorrow.
func TestAHallThatEmptiesKeepsItsCell(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	pastNights(h, 0, 4)
	e := h.Event("evt_late", "Nacht", "Zaal", "15:00", "16:00", 400) // until 18:30
	h.Event("evt_early", "Matinee", "Foyer", "12:00", "13:00", 100)
	h.Event("evt_off", "Afgelast", "Foyer", "19:00", "20:00", 100, webtest.OnDay(1), func(e *record.Event) { e.Status = record.EventCancelled })
	enter := func(from, to int, out time.Time) {
		for i := from; i < to; i++ {
			scans := []record.Scan{{At: webtest.At("15:30"), Gate: "A", Direction: record.Entry}}
			if !out.IsZero() {
				scans = append(scans, record.Scan{At: out, Gate: "A", Direction: record.Exit})
			}
			h.Apply(&record.Ticket{ID: fmt.Sprint("late", i), EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -3), UpdatedAt: webtest.At("15:30").Add(time.Duration(len(scans)) * time.Hour), Scans: scans})
		}
	}
	wall := func(clock string) map[string]string {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		return webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At(clock)).HTML
	}
	enter(0, 99, time.Time{})
	enter(99, 300, e.EndsAt.Add(25*time.Minute))
	late := wall("19:10")
	webtest.Wants(t, "long after its end", webtest.FigureText(late["wall-main"]), "99 in the building , all leaving")
	webtest.Wants(t, "long after its end", webtest.Text(late["wall-next"]), "Nacht 16:00 Zaal · 99 leaving")
	enter(0, 99, webtest.At("19:15"))
	empty := wall("19:20")
	webtest.Wants(t, "once they are out", empty["wall-main"], "idle")
	webtest.Lacks(t, "once they are out", empty["wall-next"], "Nacht")
	webtest.Wants(t, "once they are out", empty["wall-next"], "Afgelast")
}
