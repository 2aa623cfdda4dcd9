package wall_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// What is wrong in the house is for staff: no page that strangers see says that a hall holds too many, fills up or is oversold, nor how many
// are inside, may enter or are allowed, while the wall of staff says all of it. A page for staff is refused to a screen of strangers.
func TestPublicScreensHaveNoAlarms(t *testing.T) {
	r := webtest.Renderer(t)
	house := func(allowed int64) *figures.Snapshot {
		h := fillingHall(allowed, 150)
		e := h.Snapshot().Event("evt_full").Event
		h.Sell(&e, webtest.Sale{From: webtest.At("19:10"), To: webtest.At("19:40"), Paid: 9}) // the sale goes on
		over := h.Event("evt_over", "Te Vol", "Kelder", "19:00", "20:00", 40)
		h.Sell(over, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 47})
		h.AsOf, h.Health = webtest.ShowTime, webtest.Healthy(webtest.ShowTime)
		return h.Snapshot()
	}
	alarms := map[int64][]string{120: {"too many", "may enter", "Let nobody", "let nobody", "120", "Stop the sale", "without a seat", "inside", "people"},
		160: {"too many", "may enter", "fills up", "no room", "160", "Stop the sale", "without a seat", "inside", "people"}}
	for allowed, never := range alarms {
		s := house(allowed)
		staff := webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), s, webtest.ShowTime).HTML
		said := webtest.FigureText(staff["wall-main"] + staff["wall-note"])
		webtest.Wants(t, "the wall of staff", said, map[int64]string{120: "30 too many", 160: "10 more may enter"}[allowed], "inside")
		if !strings.Contains(said, "too many") && !strings.Contains(said, "fills up") {
			t.Errorf("%d allowed: the wall of staff has no alarm: %s", allowed, said)
		}
		pages, refused := 0, 0
		for _, p := range web.Pages() {
			if !p.Wall {
				continue
			}
			if stranger := (web.Access{Public: true, Money: web.NoMoney}); !p.May(stranger) {
				refused++
				continue
			}
			for _, hall := range []string{"", "Zaal", "Kelder"} {
				v := webtest.View{Page: p.Name}
				switch {
				case p.Name == "message":
					v.Params = query.Params(url.Values{"text": {"Welkom"}}.Encode())
				case slices.Contains([]string{"board", "week", "next", "places"}, p.Name) && hall != "":
					v.Params = webtest.HallView(hall).Params
				}
				q := v.As(web.Door)
				q.Access = web.Access{Public: true, Money: web.NoMoney}
				c := webtest.Content(t, r, q, s, webtest.ShowTime)
				html := webtest.All(t, c)
				webtest.Lacks(t, p.Name+" "+hall, html, "wall-note", "attention", "wall-main")
				webtest.Lacks(t, p.Name+" "+hall, webtest.FigureText(html), never...)
				pages++
			}
		}
		if pages < 12 || refused < 4 {
			t.Errorf("%d pages are shown to strangers, and %d refused", pages, refused)
		}
	}
}
