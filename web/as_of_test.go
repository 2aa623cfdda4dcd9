package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Where the service has not answered for minutes while people come or a performance runs, who is inside, who is not in and what is
// free are of that minute, and say so: nobody knows who came in since, also over the curtain. An answer of just now says nothing of it.
func TestBegunSinceTheLastAnswer(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kelder", "19:00", "20:00", 120, webtest.Available(21))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 99, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("19:30"), To: webtest.At("19:50")}}})
	of := func(page, part, answered, now string) string {
		q := webtest.View{Page: page}.As(web.Manager)
		switch page {
		case "event":
			q = webtest.EventPart(e.ID, "").As(web.Manager)
		case "arrivals":
			q = webtest.View{Page: page, Params: webtest.HallView("Kelder").Params}.As(web.Manager)
		}
		h.AsOf, h.Health = webtest.At(answered), webtest.Healthy(webtest.At(answered))
		return webtest.FigureText(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, q, h.Snapshot(), webtest.At(now)).HTML, part), " "))
	}
	for _, c := range []struct {
		page, part string
		stale      []string
		fresh      []string
	}{
		{"tonight", "figs", []string{"Not in 59 as of 19:54", "Free 21 as of 19:54"}, []string{"Not in 59", "Free 21"}},
		{"tonight", "shows-00", []string{"59 not in, as of 19:54", "99 of 120 · as of 19:54"}, []string{"59 not in", "still on sale"}},
		{"event", "figs", []string{"Not in 59 as of 19:54", "Free 21 as of 19:54"}, []string{"Not in 59", "still on sale"}},
		{"wall", "wall-main", []string{"59 not in, as of 19:54", "21 free · as of 19:54"}, []string{"59 not in", "still on sale"}},
		{"arrivals", "arrivals", []string{"59 not in, as of 19:54"}, []string{"59 not in"}},
	} {
		stale := of(c.page, c.part, "19:55", "20:10")
		webtest.Wants(t, c.page+", no answer since before the curtain", stale, c.stale...)
		webtest.Lacks(t, c.page+", no answer since before the curtain", stale, "still on sale", "Late:", "Start on time", "Hold")
		fresh := of(c.page, c.part, "20:10", "20:10")
		webtest.Wants(t, c.page+", just answered", fresh, c.fresh...)
		webtest.Lacks(t, c.page+", just answered", fresh, "as of")
		webtest.Wants(t, c.page+", no answer for five minutes since the curtain", of(c.page, c.part, "20:05", "20:10"), "as of 20:04")
		webtest.Lacks(t, c.page+", answered two minutes ago", of(c.page, c.part, "20:09", "20:10"), "as of")
		webtest.Wants(t, c.page+", no answer while people come", of(c.page, c.part, "19:41", "19:52"), "as of 19:40")
		webtest.Lacks(t, c.page+", begun since an answer of just now", of(c.page, c.part, "20:00", "20:02"), "as of")
	}
}

// The same of one that begins while another has open doors; the wall of the house has one number for both.
func TestOneBegunSinceTheLastAnswer(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i, curtain := range []string{"20:00", "20:30"} {
		e := h.Event([]string{"evt_a", "evt_b"}[i], "De Vader", []string{"Kelder", "Foyer"}[i], "19:00", curtain, 120)
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 99, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("19:30"), To: webtest.At("19:50")}}})
	}
	h.AsOf, h.Health = webtest.At("19:55"), webtest.Healthy(webtest.At("19:55"))
	for _, c := range []struct{ page, part, want string }{
		{"tonight", "figs", "59 not in where it has begun, as of 19:54"},
		{"wall", "wall-main", "118 not in, as of 19:54"},
	} {
		got := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: c.page}.As(web.Manager), h.Snapshot(), webtest.At("20:10")).HTML[c.part])
		webtest.Wants(t, c.page, got, c.want)
	}
}

// A moment of the last 24 hours has its hour, also where it was on the day before; an older one has its day.
func TestSilentSinceYesterdayEvening(t *testing.T) {
	h := webtest.NewHouse()
	for since, want := range map[time.Time]string{webtest.At("18:10").AddDate(0, 0, -1): "since 18:10", webtest.At("17:10").AddDate(0, 0, -1): "since Thu"} {
		r := webtest.RendererWith(t, web.Sources{ScreenAlerts: func() []web.ScreenAlert { return []web.ScreenAlert{{ID: "scr", Name: "Foyer", Since: since}} }})
		h.AsOf, h.Health = webtest.At("17:20"), webtest.Healthy(webtest.At("17:20"))
		got := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.At("17:20")).HTML["attention"]
		webtest.Wants(t, since.String(), webtest.Text(got), "Screen Foyer is silent", want)
	}
}

// Beside more people than are allowed no empty place is named, which would be for sale; at the limit it is.
func TestNothingEmptyBesideTooMany(t *testing.T) {
	for sold, want := range map[int]string{70: "sell no more", 60: "sell no more, 20 empty"} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kelder", "19:00", "20:00", 80, webtest.Available(80-sold))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: sold})
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(60)), At: webtest.ShowTime.AddDate(0, 0, -9), By: "Mia"})
		h.AsOf, h.Health = webtest.At("18:00"), webtest.Healthy(webtest.At("18:00"))
		for page, part := range map[string]string{"wall": "wall-main", "event": "figs"} {
			q := webtest.View{Page: page}.As(web.Manager)
			if page == "event" {
				q = webtest.EventPart(e.ID, "").As(web.Manager)
			}
			got := webtest.Text(webtest.Content(t, r, q, h.Snapshot(), webtest.At("18:00")).HTML[part])
			webtest.Wants(t, fmt.Sprint(page, sold), got, want)
			if sold > 60 {
				webtest.Lacks(t, fmt.Sprint(page, sold), got, "10 empty")
			}
		}
	}
}

// During the first read "at least 0 %" of the places says nothing: a wall has the places that are free.
func TestNoShareOfAtLeastNone(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Event("evt_a", "De Vader", "Kelder", "19:00", "20:00", 171, webtest.Available(171))
	h.Sell(h.Event("evt_b", "Nachtconcert", "Foyer", "19:00", "20:00", 50, webtest.OnDay(5)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 20})
	h.Coverage.TicketsComplete = false
	h.AsOf, h.Health = webtest.At("18:00"), webtest.Healthy(webtest.At("18:00"))
	got := webtest.Text(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Manager), h.Snapshot(), webtest.At("18:00")).HTML["wall-main"])
	webtest.Wants(t, "the wall", got, "171", "free")
	if sold := h.Snapshot().Event("evt_a").Sold; sold.Quality != figures.LowerBound || h.Snapshot().Event("evt_a").Occupancy().Known() {
		t.Errorf("sold %+v, occupancy %+v", sold, h.Snapshot().Event("evt_a").Occupancy())
	}
	webtest.Lacks(t, "the wall", got, "%", "≥", "at least 0")
}

// A wall's line of a performance that has ended says so.
func TestLineOfWhatIsOver(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	over := h.Event("evt_a", "De Vader", "Kelder", "15:00", "16:00", 100, func(e *record.Event) { e.EndsAt = webtest.At("17:30") })
	h.Sell(over, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 84})
	h.Apply(&record.WalkIn{ID: "w", EventID: over.ID, Gate: "A", Count: 3, At: webtest.At("15:40"), By: "Mia"})
	h.Sell(h.Event("evt_b", "Nachtconcert", "Foyer", "19:00", "20:00", 50), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 20})
	h.AsOf, h.Health = webtest.At("17:40"), webtest.Healthy(webtest.At("17:40"))
	got := webtest.Text(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Manager), h.Snapshot(), webtest.At("17:40")).HTML["wall-next"])
	if strings.Contains(got, "De Vader") {
		webtest.Wants(t, "the line", got, "over")
	} else {
		t.Fatalf("no line of it: %q", got)
	}
}
