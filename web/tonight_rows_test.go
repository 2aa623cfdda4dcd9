package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

func pastOf(h *webtest.House, hall, curtain string) {
	for night := range 6 {
		past := h.Event(fmt.Sprint("evt_past", hall, night), "Eerder", hall, "19:00", curtain, 400, webtest.OnDay(-1-night))
		for i := range 60 {
			in := past.StartsAt.Add(time.Duration(i%35-40) * time.Minute)
			h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
				Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Minute), Direction: record.Exit}}})
		}
	}
}

// A quarter of an hour after the curtain 200 are not in where it has begun, and they still come: it is said beside those still to come elsewhere.
func TestManyAreLateWhereItHasBegun(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	pastOf(h, "Zaal", "19:38")
	a := h.Event("evt_a", "Volle Bak", "Zaal", "19:00", "19:38", 400)
	h.Sell(a, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 320, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 120, From: webtest.At("19:20"), To: webtest.At("19:52")}}})
	b := h.Event("evt_b", "Later", "Foyer", "19:30", "20:30", 100)
	h.Sell(b, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 60, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 10, From: webtest.At("19:40"), To: webtest.At("19:50")}}})
	for _, clock := range []string{"19:45", "19:52"} {
		at := webtest.At(clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		got := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML
		if !regexp.MustCompile(`not in|latecomer`).MatchString(webtest.FigureText(got["figs"])) {
			t.Errorf("%s: nobody is late: %s", clock, webtest.FigureText(got["figs"]))
		}
	}
}

// Of two halls in a licensed building, one sells many at the door: when the building is full is earlier in the rows of both.
func TestRowIsNotStale(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for _, hall := range []string{"Zaal", "Foyer"} {
		for night := range 5 {
			past := h.Event(fmt.Sprint("evt_past", hall, night), "Eerder", hall, "19:00", "20:00", 400, webtest.OnDay(-1-night))
			for i := range 60 {
				in := past.DoorsAt.Add(time.Duration(20+i%35) * time.Minute)
				h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
					Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Duration(i%5) * time.Minute), Gate: "A", Direction: record.Exit}}})
			}
		}
	}
	allowed, at := int64(210), webtest.At("19:35")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	for _, e := range []struct {
		hall     string
		paid, in int
	}{{"Zaal", 320, 60}, {"Foyer", 60, 20}} {
		tonight := h.Event("evt_"+e.hall, e.hall+" nu", e.hall, "19:00", "20:00", 600)
		h.Sell(tonight, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: e.paid, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: e.in, From: webtest.At("19:15"), To: at}}})
	}
	h.AsOf, h.Health = at, webtest.Healthy(at)
	q := webtest.View{Page: "tonight"}.As(web.Door)
	s := h.Snapshot()
	before := webtest.Content(t, r, q, s, at)
	foyer := s.Event("evt_Foyer").Event
	h.Sell(&foyer, webtest.Sale{From: at.Add(-time.Minute), To: at, Paid: 400, Scans: true})
	s = h.Snapshot()
	after, err := r.Content(q, s, at.Add(time.Second), before)
	if err != nil {
		t.Fatal(err)
	}
	fresh := webtest.Content(t, webtest.Renderer(t), q, s, at.Add(time.Second))
	for id := range fresh.HTML {
		got, ok := after.HTML[id]
		if !ok {
			got = before.HTML[id]
		}
		if x, y := webtest.FigureText(got), webtest.FigureText(fresh.HTML[id]); x != y {
			t.Errorf("%s: %q, anew %q", id, x, y)
		}
	}
}

// Once nobody is awaited, those who went out of a hall with more visitors than are allowed go home: how many may enter is not said.
func TestWhoIsOutLateGoesHome(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	pastOf(h, "Zaal", "19:38")
	e := h.Event("evt_a", "Volle Bak", "Zaal", "19:00", "19:38", 400, func(e *record.Event) { e.EndsAt = webtest.At("22:30") })
	for i := range 120 {
		k := &record.Ticket{ID: fmt.Sprint("tonight", i), EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -3), UpdatedAt: webtest.ShowTime,
			Scans: []record.Scan{{At: webtest.At("19:20"), Gate: "A", Direction: record.Entry}}}
		if i < 45 {
			k.Scans = append(k.Scans, record.Scan{At: webtest.At("19:50"), Gate: "A", Direction: record.Exit})
		}
		h.Apply(k)
	}
	allowed := int64(100)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	for clock, says := range map[string]bool{"19:55": true, "21:10": false} {
		at := webtest.At(clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		row := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML["shows-00"])
		if strings.Contains(row, "25 more may enter") != says || !strings.Contains(row, "45 out") {
			t.Errorf("%s: %s", clock, row)
		}
	}
}

// More come in to one hall of a building that holds too many: how many too many it holds is said anew in the rows of both.
func TestTooManyInTheBuildingIsSaidInEveryRow(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	at := webtest.At("19:35")
	come := func(hall string, n int, from string) {
		for i := range n {
			h.Apply(&record.Ticket{ID: fmt.Sprint(hall, from, i), EventID: "evt_" + hall, Status: record.TicketValid, SoldAt: at.AddDate(0, 0, -3), UpdatedAt: at,
				Scans: []record.Scan{{At: webtest.At(from), Gate: "A", Direction: record.Entry}}})
		}
	}
	for _, hall := range []string{"Zaal", "Foyer"} {
		pastOf(h, hall, "20:00")
		h.Event("evt_"+hall, hall+" nu", hall, "19:00", "20:00", 600)
		come(hall, 60, "19:15")
	}
	allowed := int64(100)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.AsOf, h.Health = at, webtest.Healthy(at)
	q := webtest.View{Page: "tonight"}.As(web.Door)
	before := webtest.Content(t, r, q, h.Snapshot(), at)
	webtest.Wants(t, "first", webtest.FigureText(before.HTML["shows-00"]), "20 too many")
	come("Foyer", 7, "19:34")
	after, err := r.Content(q, h.Snapshot(), at.Add(time.Second), before)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"shows-00", "shows-01"} {
		webtest.Wants(t, id, webtest.FigureText(after.HTML[id]), "27 too many")
	}
}

// Of two performances in one hall with too many people, the second has few of them: that is said in a plate, its own people are not in one.
func TestOwnPeopleAreNoPlate(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for id, from := range map[string][2]string{"evt_one": {"18:00", "18:30"}, "evt_two": {"19:30", "20:15"}} {
		e := h.Event(id, id, "Zaal", from[0], from[1], 200)
		for i := range map[string]int{"evt_one": 155, "evt_two": 35}[id] {
			k := &record.Ticket{ID: fmt.Sprint(id, i), EventID: id, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -2), UpdatedAt: webtest.At("19:51"),
				Scans: []record.Scan{{At: e.DoorsAt.Add(8 * time.Minute), Gate: "A", Direction: record.Entry}}}
			if i < 20 {
				k.Scans = append(k.Scans, record.Scan{At: e.DoorsAt.Add(10 * time.Minute), Gate: "A", Direction: record.Exit})
			}
			h.Apply(k)
		}
	}
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: new(int64(120)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	row := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["shows-01"]
	webtest.Wants(t, "the row of the second", row, `class="arrived bad"`, `class="verdict excess bad"`)
	webtest.Wants(t, "the row of the second, read", webtest.FigureText(row), "150 of 120 allowed")
}
