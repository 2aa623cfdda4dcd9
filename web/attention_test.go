package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// What is of tonight is of now, also if it calls for nothing; then nobody takes it on. What is another role's work says whose.
func TestAttentionIsOfNowAndOfSomebody(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sell := func(e *record.Event, n int) {
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: n})
	}
	sell(h.Event("evt_full", "Vol", "Kelder", "21:00", "22:00", 100, webtest.Available(0)), 100)
	sell(h.Event("evt_many", "Te veel", "Zolder", "21:00", "22:00", 100, webtest.Available(45)), 55)
	sell(h.Event("evt_over", "Straks", "Kelder", "21:00", "22:00", 100, webtest.OnDay(6), webtest.Available(-4)), 104)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	page := func(role web.Role) (now, later, all string) {
		c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime)
		now, later, _ = strings.Cut(c.HTML["attention"], `id="later"`)
		return now, later, webtest.Text(webtest.All(t, c))
	}
	now, later, all := page(web.BoxOffice)
	webtest.Wants(t, "now", webtest.Text(now), "Stop the sale of Te veel: 5 too many.")
	webtest.Wants(t, "later", webtest.Text(later), "Straks, Thu 26 Nov: 4 without a seat", "For: Manager")
	webtest.Wants(t, "box office", now, `name="alert" value="over_licensed%3Aevt_many"`)
	webtest.Lacks(t, "box office", now, `value="sold_out%3Aevt_full"`, "For:")
	webtest.Lacks(t, "box office", later, "<form", "Vol is")
	webtest.Wants(t, "the row", all, "0 free 55 sold, 50 allowed")
	webtest.Wants(t, "on top", all, "Free0sell no more")
	webtest.Lacks(t, "on top", all, "sell no more, 45 empty")
	now, _, _ = page(web.Door)
	webtest.Wants(t, "the door", webtest.Text(now), "For: Box office")
	webtest.Lacks(t, "the door", now, "<form")
	if strings.Count(now, "For:") != 1 {
		t.Errorf("what calls for nothing is somebody's: %s", now)
	}
	// Who took it on before it grew is named, and it is nobody's again.
	h.Apply(&record.Acknowledgement{Alert: "over_licensed:evt_many", At: webtest.ShowTime.Add(-5 * time.Minute), By: "Karim", Personal: true, Count: 4})
	h.ID("entry")
	now, _, _ = page(web.BoxOffice)
	webtest.Wants(t, "grown since", webtest.Text(now), "Karim took it on at "+webtest.ShowTime.Add(-5*time.Minute).Format("15:04")+"; it is worse now", "I'm on it")
	webtest.Lacks(t, "of today", webtest.Text(now), "Taken on by")
	// As many as may be sold stand beside the free ones while that is near.
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(58)), At: webtest.ShowTime.AddDate(0, 0, -8)})
	h.ID("entry") // and with it a revision
	_, _, all = page(web.BoxOffice)
	webtest.Wants(t, "the row", all, "3 free to sell, 45 empty")
	webtest.Wants(t, "on top", all, "Free31 performance")
	webtest.Lacks(t, "on top", all, "1 performance · 45 empty", "1 performance · sell no more")
	own := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_many", "").As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML["figs"])
	webtest.Wants(t, "its page", own, "Free 3 45 empty")
}

// Who took an alert on days ago is named with the day.
func TestAlertTakenOnDaysAgo(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.Sell(h.Event("evt_many", "Te veel", "Zolder", "21:00", "22:00", 100, webtest.Available(45)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -6), To: webtest.ShowTime.AddDate(0, 0, -5), Paid: 55})
	h.Apply(&record.Acknowledgement{Alert: "over_licensed:evt_many", At: webtest.ShowTime.AddDate(0, 0, -3), By: "Karim", Personal: true, Count: 4})
	for l, want := range map[web.Locale]string{words.English: "Taken on by Karim on Tue 17 Nov; it is worse now", words.Dutch: "Op di 17 nov opgepakt door Karim; het is nu erger", words.German: "Am Di 17. Nov. angenommen von Karim; jetzt ist es schlimmer"} {
		c := webtest.Content(t, r, webtest.In(l, webtest.View{Page: "tonight"}.As(web.BoxOffice)), h.Snapshot(), webtest.ShowTime)
		webtest.Wants(t, string(l), webtest.Text(c.HTML["attention"]), want)
	}
}

// More sold than are allowed says how many too many, no more surely than it is known; that the sale is to be stopped while it is open; and
// what was sold lately.
func TestOverLicensedSaysWhatGoesOn(t *testing.T) {
	r := webtest.Renderer(t)
	for want, change := range map[string]func(h *webtest.House, e *record.Event){
		"Stop the sale of Te veel: 6 too many. 1 sold in 1 h.":     func(*webtest.House, *record.Event) {},
		"Te veel: 56 sold, 50 allowed, 6 too many. 1 sold in 1 h.": func(_ *webtest.House, e *record.Event) { e.Status = record.EventSalesClosed },
		"Stop the sale of Te veel: ≥ 6 too many.":                  func(h *webtest.House, _ *record.Event) { h.Coverage.TicketsComplete = false },
	} {
		h := webtest.NewHouse()
		e := h.Event("evt_many", "Te veel", "Zolder", "21:00", "22:00", 100, webtest.Available(44), func(e *record.Event) { change(h, e) })
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 55})
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.Add(-20 * time.Minute), To: webtest.ShowTime.Add(-10 * time.Minute), Paid: 1})
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9)})
		got := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML["attention"])
		if !strings.Contains(strings.NewReplacer("\u00a0", " ", " :", ":", " .", ".").Replace(got), want) || strings.Count(got, "Stop the sale") != strings.Count(want, "Stop the sale") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The building says how full it is also where a hall is fuller, whose own numbers stand beside as soon as it is nearly full; and the row
// of a hall in which few more may be says of how many, also when nobody comes any more.
func TestHallBesideTheBuilding(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Laat", "Kelder", "17:00", "18:00", 100)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 46, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 46, From: webtest.At("17:10"), To: webtest.At("17:50")}}})
	set := func(hall string, n int64) {
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: hall, Value: &n, At: webtest.ShowTime.AddDate(0, 0, -9)})
	}
	for i := range 4 { // it was as full as allowed; these went out and may come back, and nobody else comes
		h.Apply(&record.Ticket{ID: fmt.Sprint("out", i), EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -2), CreatedAt: webtest.ShowTime.AddDate(0, 0, -2), UpdatedAt: webtest.At("18:40"),
			Scans: []record.Scan{{At: webtest.At("17:45"), Gate: "A", Direction: record.Entry}, {At: webtest.At("18:40"), Gate: "A", Direction: record.Exit}}})
	}
	set("", 400)
	for allowed, row := range map[int64]bool{60: false, 50: true} {
		set("Kelder", allowed)
		if l, _ := evening.At(h.Snapshot(), webtest.ShowTime).LoadOf("Kelder"); l.Level() != "" || l.Inside.Value != 46 {
			t.Fatalf("%d allowed: %+v is %q", allowed, l, l.Level())
		}
		c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime)
		webtest.Wants(t, "the building", webtest.FigureText(c.HTML["figs"]), "of 400 allowed")
		text := webtest.FigureText(strings.Join(webtest.FragmentsOf(c.HTML, "shows-"), " "))
		if got := strings.Contains(text, "of 50 allowed"); got != row {
			t.Errorf("%d allowed: the row says so: %t: %s", allowed, got, text)
		}
		hall := webtest.FigureText(webtest.Content(t, r, webtest.HallView("Kelder").As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["wall-main"])
		if got := strings.Contains(hall, "46 of 50 allowed"); got != row {
			t.Errorf("%d allowed: the wall of the hall says so: %t: %s", allowed, got, hall)
		}
	}
}
