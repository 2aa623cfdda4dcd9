package event_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/web"
	"housecount/web/webtest"
)

// Where six past nights had few latecomers but one had many, the number alone would mislead: its band stands beside it after the curtain
// too, and how many will not come is not said. Where the hall is full they find no room.
func TestLopsidedAfterTheCurtain(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	before := func(curtain time.Time, n int) webtest.GateIn {
		return webtest.GateIn{Gate: "A", N: n, From: curtain.Add(-40 * time.Minute), To: curtain.Add(-2 * time.Minute)}
	}
	for i, late := range []int{3, 5, 2, 120, 4, 6} {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 400, Scans: true, In: []webtest.GateIn{
			before(past.StartsAt, 390-late), {Gate: "A", N: late, From: past.StartsAt.Add(-2 * time.Minute), To: past.StartsAt.Add(11 * time.Minute)}}})
	}
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true, In: []webtest.GateIn{before(e.StartsAt, 285)}})
	at := webtest.At("20:16")
	h.Health, h.AsOf = webtest.Healthy(at), at
	figs := func(page web.Request) string {
		return webtest.FigureText(webtest.Content(t, r, page, h.Snapshot(), at).HTML["figs"])
	}
	webtest.Wants(t, "event", figs(webtest.EventPart("evt_a", "").As(web.Door)), "Not in 115", "(0–95) will still come")
	webtest.Lacks(t, "event", figs(webtest.EventPart("evt_a", "").As(web.Door)), "will not")
	webtest.Wants(t, "tonight", figs(webtest.View{Page: "tonight"}.As(web.Door)), "Not in 115", "≈ 0–95 will still come")
	webtest.Lacks(t, "tonight", figs(webtest.View{Page: "tonight"}.As(web.Door)), "will not")
}

// Who is not in where nobody is awaited any more did not come: beside who is still to come elsewhere nobody is counted twice, also while no
// doors are open.
func TestNotInAndDidNotCome(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	a, b := h.Event("evt_a", "Nora", "Zaal", "19:00", "19:15", 100), h.Event("evt_b", "Hedda", "Foyer", "19:40", "20:30", 100)
	sale := webtest.Sale{From: webtest.At("10:00"), To: webtest.At("12:00"), Scans: true}
	sell := func(e string, n, came int, from, to string) {
		s := sale
		s.Paid, s.In = n, []webtest.GateIn{{Gate: "A", N: came, From: webtest.At(from), To: webtest.At(to)}}
		if e == "evt_a" {
			h.Sell(a, s)
		} else {
			h.Sell(b, s)
		}
	}
	sell("evt_a", 80, 70, "19:01", "19:10")
	sell("evt_b", 50, 30, "19:41", "19:50")
	at := webtest.At("19:52")
	h.AsOf, h.Health = at, webtest.Healthy(at)
	s := h.Snapshot()
	wall := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), s, at).HTML["wall-main"])
	webtest.Wants(t, "wall", wall, "20 still to come")
	webtest.Lacks(t, "wall", wall, "did not come") // it has one line: they are on Tonight
	webtest.Wants(t, "tonight", webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML["figs"]), "Still to come 20", "10 did not come")
}
