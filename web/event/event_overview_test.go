package event_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// overview returns the text of a fragment of the overview.
func overview(t *testing.T, h *webtest.House, event, clock, fragment string, as web.Role) string {
	t.Helper()
	return webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart(event, "").As(as), h.Snapshot(), webtest.At(clock)).HTML[fragment])
}

// Gates stand side by side while people come and once it is over; the quietest is named while somebody can send people there.
func TestGateCards(t *testing.T) {
	h := webtest.Eventful(t)
	webtest.Wants(t, "arriving", overview(t, h, "evt_mat", "19:47", "gate-cards", web.Door), "since 19:30", "A 262 came in 12 a minute 14 in the last minute · most 14", "B 128 came in quietest 7 a minute 0 in the last minute · most 9")
	over := overview(t, h, "evt_mat", "23:20", "gate-cards", web.Door)
	webtest.Wants(t, "over", over, "B 128 came in most 9")
	if strings.Contains(over, "quietest") || strings.Contains(over, "a minute") {
		t.Errorf("over: %s", over)
	}
	if before := overview(t, h, "evt_mat", "12:01", "gate-cards", web.Door); before != "" {
		t.Errorf("before the doors: %s", before)
	}
}

// Price areas say what keeps them from adding up to what is free: 10 of 15 sold are of an area, and then 30 places of none.
func TestAreasAddUp(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Zaal", "Grote Zaal", "19:30", "20:15", 100, webtest.OnDay(9), func(e *record.Event) {
		for name, places := range map[string]int{"Parket": 60, "Balkon": 40} {
			e.TicketTypes = append(e.TicketTypes, record.TicketType{ID: name, Name: name, Capacity: &places, Price: &record.Money{Amount: 2550, Currency: "EUR"}})
		}
	})
	sell := func(id, kind string) {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Type: record.TypeRef{ID: kind, Name: kind}, Status: record.TicketValid, CreatedAt: webtest.At("10:00"), SoldAt: webtest.At("10:00"), UpdatedAt: webtest.At("10:00")})
	}
	for i := range 10 {
		sell("p"+string(rune('0'+i)), "Parket")
	}
	if got := overview(t, h, "evt_a", "12:00", "free", web.BoxOffice); !strings.Contains(got, "50 § of 60") || !strings.Contains(got, "€25.50") || strings.Contains(got, "in all") {
		t.Errorf("areas that add up: %s", got)
	} else {
		webtest.Lacks(t, "a bar of what is sold alone", got, "sold", "taken", "in all")
	}
	if got := overview(t, h, "evt_a", "12:00", "free", web.Door); !strings.Contains(got, "50 § of 60") || strings.Contains(got, "€") {
		t.Errorf("areas for who sees no amounts: %s", got)
	}
	if bar := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML["free"]; !strings.Contains(bar, `class="paid" x="0.00%" width="16.67%"`) {
		t.Errorf("the bar of 50 free of 60: %s", bar)
	}
	for i := range 5 {
		sell("s"+string(rune('0'+i)), "Student")
	}
	webtest.Wants(t, "taken in none", overview(t, h, "evt_a", "12:00", "free", web.Door), "85 in all, 5 fewer: blocked or at other prices")
	e.Capacity, e.UpdatedAt = new(130), e.UpdatedAt.Add(time.Minute)
	h.Apply(e)
	webtest.Wants(t, "of no area", overview(t, h, "evt_a", "12:00", "free", web.Door), "115 in all, 25 of them in no area")
}

// What can be sold of each price area is at most a number, never more than of all together or than the licence of the hall allows. How
// many that is stands beside their title, and no area is without a number.
func TestAreasSayWhatCanBeSold(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Zaal", "Zolder", "19:30", "20:15", 100, webtest.OnDay(9), webtest.Available(57), func(e *record.Event) {
		for name, places := range map[string]int{"Parket": 80, "Balkon": 29, "Loge": 48} {
			e.TicketTypes = append(e.TicketTypes, record.TicketType{ID: name, Name: name, Capacity: &places, Price: &record.Money{Amount: 2550, Currency: "EUR"}})
		}
	})
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 43})
	for _, c := range []struct {
		licensed int64
		list     []string
		all      string
	}{
		{0, []string{"57 in all: areas share places", "Parket § up to 57 § of 80", "Balkon § up to 29 § of 29", "Loge § up to 48 § of 48"}, "57 in all: areas share places"},
		{63, []string{"20 in all: areas share places", "Parket § up to 20 § of 80", "Balkon § up to 20 § of 29", "Loge § up to 20 § of 48"}, "20 in all: areas share places"},
	} {
		if c.licensed > 0 {
			h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: &c.licensed, At: webtest.ShowTime.AddDate(0, 0, -9)})
			h.ID("entry") // and with it a revision
		}
		list := overview(t, h, "evt_a", "12:00", "free", web.BoxOffice)
		webtest.Wants(t, "the list", list, c.list...)
		webtest.Lacks(t, "the list", list, "≈", "≥", "reserved", "fewer", "blocked")
		table := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "all").As(web.BoxOffice), h.Snapshot(), webtest.At("12:00")).HTML["areas"])
		webtest.Wants(t, "the table", table, c.all, fmt.Sprintf("Parket shares places § ≤ %s § 80", strings.Fields(c.all)[0]))
		webtest.Lacks(t, "the table", table, "≈", "≥", "blocked")
	}
}

// A cancelled performance begins with what is still to pay back; its rows sum to that.
func TestRefunds(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Zaal", "Grote Zaal", "19:30", "20:15", 100, webtest.OnDay(9))
	euros := func(n int64) record.Money { return record.Money{Amount: 100 * n, Currency: "EUR"} }
	order := func(id string, days int, price, back int64, status record.PaymentStatus) {
		at, now, worth := webtest.At("10:00").AddDate(0, 0, -days), webtest.At("11:00"), euros(price)
		h.Apply(&record.Ticket{ID: "t" + id, EventID: e.ID, OrderID: id, Price: &worth, Status: record.TicketVoid, CreatedAt: at, SoldAt: at, CancelledAt: now, UpdatedAt: now})
		h.Apply(&record.Payment{ID: "p" + id, OrderID: id, EventID: e.ID, TicketIDs: []string{"t" + id}, Amount: worth, Status: record.PaymentPaid, CreatedAt: at, PaidAt: at, UpdatedAt: at})
		if back > 0 {
			h.Apply(&record.Payment{ID: "r" + id, ParentID: "p" + id, OrderID: id, EventID: e.ID, Kind: record.KindOfRefund, Amount: euros(back), Status: status, CreatedAt: now, PaidAt: now, UpdatedAt: now})
		}
	}
	order("a", 40, 50, 0, "")
	order("b", 10, 30, 30, record.PaymentPending)
	order("c", 2, 20, 20, record.PaymentPaid)
	e.Status = record.EventCancelled
	e.UpdatedAt = e.UpdatedAt.Add(time.Minute)
	h.Apply(e)
	webtest.Wants(t, "manager", overview(t, h, "evt_a", "12:00", "money-back", web.Manager), "paid back €20.00", "on its way €30.00", "not started €50.00", "30 days and over § 1 § €50.00 ¦ 7 to 30 days § 1 § €30.00")
	if got := overview(t, h, "evt_a", "12:00", "money-back", web.BoxOffice); got != "" {
		t.Errorf("the box office sees %s", got)
	}
}

// Beside the sale stands when it began and what campaigns there were, each with what was sold on its days; campaigns
// are for those who see them on Marketing.
func TestNotesOfASale(t *testing.T) {
	h := webtest.Selling()
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Radio", From: webtest.ShowTime.AddDate(0, 0, -10).Format(time.DateOnly), Value: new(int64(3)), At: webtest.ShowTime})
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Long ago", From: webtest.ShowTime.AddDate(0, 0, -300).Format(time.DateOnly), Value: new(int64(3)), At: webtest.ShowTime})
	got := overview(t, h, "evt_own", "19:00", "notes", web.Manager)
	webtest.Wants(t, "manager", got, "Radio § +", "here in 3 days · usual 6", "On sale § +", "in 3 days")
	if strings.Contains(got, "Long ago") || strings.Index(got, "Radio") > strings.Index(got, "On sale") {
		t.Errorf("notes: %s", got)
	}
	// While people come the list is gone, and the chart of the sale names them still.
	open := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_own", "sales").As(web.Manager), h.Snapshot(), webtest.At("19:40"))
	if drawn := string(open.Charts["chart-sales"]); !strings.Contains(drawn, "Radio") {
		t.Errorf("the campaign is not above the sale of an evening: %s", drawn)
	}
	if got := overview(t, h, "evt_own", "19:00", "notes", web.Door); strings.Contains(got, "Radio") || !strings.Contains(got, "On sale") {
		t.Errorf("the door sees %s", got)
	}
	webtest.Wants(t, "compared", overview(t, h, "evt_own", "19:00", "compared", web.Manager), "2 more", "Deel 0", "Deel 3")
}

// The curve of a sale ends on the day of its performance, whatever is sold after it; the table has all.
func TestSalesCurveEndsAtThePerformance(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Zaal", "Grote Zaal", "19:30", "20:15", 100, webtest.OnDay(-9))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.AddDate(0, 0, -12), Paid: 20})
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -3), Paid: 1})
	c := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "sales").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	if chart := string(c.Charts["chart-sales"]); !strings.Contains(chart, "Wed 11 Nov") || strings.Contains(chart, "Thu 12 Nov") {
		t.Errorf("the curve: %.600s", chart)
	}
	webtest.Wants(t, "the table", webtest.FigureText(c.HTML["sales-rows"]), "Tue 17 Nov § 1 § 21")
}

// In the interval the page says once when people are back.
func TestIntervalIsSaidOnce(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_1", "Met pauze", "Foyer", "18:00", "19:00", 50, func(e *record.Event) {
		e.IntervalStartsAt, e.IntervalEndsAt, e.EndsAt = webtest.At("19:45"), webtest.At("20:05"), webtest.At("21:15")
	})
	for clock, want := range map[string]string{"19:30": "interval 19:45 to 20:05", "19:52": "interval, back at 20:05"} {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		head := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_1", "").As(web.Door), h.Snapshot(), webtest.At(clock)).HTML["head"]
		if got := webtest.Text(head); strings.Count(got, "interval") != 1 || !strings.Contains(got, want) || strings.Count(got, "ends 21:15") != 1 {
			t.Errorf("at %s: %q, want %q once", clock, got, want)
		}
	}
}

// Its words and its figures offer no more places than may be sold for the hall.
func TestPlacesAsTheyMayBeSold(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Zolder", "21:00", "22:00", 100, webtest.Available(45))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 55})
	page := func() (said, figures string) {
		c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML
		return webtest.FigureText(c["in-words"]), webtest.FigureText(c["figures"])
	}
	said, _ := page()
	webtest.Wants(t, "no licence", said, "45 places can still be sold")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(50)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.ID("entry") // and with it a revision
	said, list := page()
	webtest.Wants(t, "licensed", said, "0 free; 55 of 100 places sold")
	webtest.Lacks(t, "licensed", said+list, "can still be sold", "empty")
	webtest.Wants(t, "its figures", list, "Free 0 sell no more")
}

// A performance to come says from the first sale on how many of its empty places may be sold for the hall, and of how many people
// that is: as what is free, in the chart of its sale, and beside what will be sold in the end where that is more.
func TestPlacesAllowedInTheHall(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Zolder", "21:00", "22:00", 100, webtest.OnDay(6), webtest.Available(80))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 20})
	page := func() (figs, charts string) {
		c := webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.BoxOffice), h.Snapshot(), webtest.ShowTime)
		return webtest.FigureText(c.HTML["figs"]), string(c.Charts["chart-sales"])
	}
	figs, chart := page()
	webtest.Lacks(t, "no licence", figs+chart, "allowed", "at most")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(60)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.ID("entry") // and with it a revision
	figs, chart = page()
	webtest.Wants(t, "licensed", figs, "Free 40 80 empty · 60 allowed")
	webtest.Wants(t, "its chart", chart, `"60 allowed"`)
}

// The chart of arrivals and that of the night have a line of the people allowed where they are fewer than the places and the chart comes
// near them.
func TestLineOfTheAllowedInChartsOfPeople(t *testing.T) {
	for allowed, near := range map[int64]bool{500: true, 599: true, 600: false, 714: false} {
		h := rushedHouse(t, webtest.At("19:53"))
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kleine Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		chart := string(webtest.Content(t, webtest.Renderer(t), webtest.EventView("evt_a").As(web.Door), h.Snapshot(), webtest.At("19:53")).Charts["chart-arrived"])
		if got := strings.Contains(chart, fmt.Sprintf(`"%d allowed"`, allowed)); got != near {
			t.Errorf("%d allowed of 600 places, 500 expected: line of arrivals %t, want %t", allowed, got, near)
		}
	}
	for allowed, near := range map[int64]bool{19: true, 28: true, 29: false} { // 20 sold at most, of 40 places
		h := webtest.Small(t)
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kleine Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		html := webtest.Page(t, webtest.WithPast(t, aNight("evt_a"), nil), webtest.ReplayView("evt_a", "19:38").As(web.Manager), h.Snapshot(), webtest.ShowTime)
		if got := strings.Contains(html, fmt.Sprintf(`%d allowed`, allowed)); got != near {
			t.Errorf("%d allowed of 40 places, 20 sold: line of the night %t, want %t", allowed, got, near)
		}
	}
}

// The empty part of an area's bar is what its row says is free, also where fewer can be sold than the area has left.
func TestBarOfAnAreaIsOfItsNumbers(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Zaal", "Grote Zaal", "19:30", "20:15", 100, webtest.OnDay(9), webtest.Available(12), func(e *record.Event) {
		e.TicketTypes = append(e.TicketTypes, record.TicketType{ID: "Parket", Name: "Parket", Capacity: new(80)}, record.TicketType{ID: "Balkon", Name: "Balkon", Capacity: new(20)})
	})
	for i := range 20 {
		h.Apply(&record.Ticket{ID: "p" + string(rune('a'+i)), EventID: e.ID, Type: record.TypeRef{ID: "Parket", Name: "Parket"}, Status: record.TicketValid, CreatedAt: webtest.At("10:00"), SoldAt: webtest.At("10:00"), UpdatedAt: webtest.At("10:00")})
	}
	webtest.Wants(t, "the row", overview(t, h, "evt_a", "12:00", "free", web.Door), "Parket § up to 12 § of 80", "sold blocked")
	webtest.Wants(t, "the table", webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "sales").As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML["areas"]), "12 § 80 § 20 §")
	for part, fragment := range map[string]string{"": "free", "sales": "areas"} {
		bar := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", part).As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML[fragment]
		webtest.Wants(t, fragment, bar, `class="paid" x="0.00%" width="25.00%"`, `class="blocked" fill="url(#cross)" x="25.00%" width="60.00%"`)
	}
}

// The bar of an area that shares places draws what it sold and what is free, and nothing of what went to another as blocked: 80 of which 43
// went to others, 20 of its own and 37 free. Beside areas that do not add up since places are blocked somewhere stands how many.
func TestBarOfAnAreaThatSharesPlaces(t *testing.T) {
	for capacity, want := range map[int]struct{ bar, side string }{
		100: {`width="35.09%"`, "37 in all: areas share places"}, // 20 of 57
		157: {`width="25.00%"`, "37 in all · 77 blocked"},        // 20 of 80
	} {
		h := webtest.NewHouse()
		e := h.Event("evt_a", "Zaal", "Zolder", "19:30", "20:15", capacity, webtest.OnDay(9), webtest.Available(37), func(e *record.Event) {
			for name, places := range map[string]int{"Parket": 80, "Balkon": 29, "Loge": 48} {
				e.TicketTypes = append(e.TicketTypes, record.TicketType{ID: name, Name: name, Capacity: &places})
			}
			if capacity == 157 {
				e.Blocked = new(77)
			}
		})
		for i := range 43 {
			of := "Balkon"
			if i < 20 {
				of = "Parket"
			}
			h.Apply(&record.Ticket{ID: fmt.Sprint("t", i), EventID: e.ID, Type: record.TypeRef{ID: of, Name: of}, Status: record.TicketValid, CreatedAt: webtest.At("10:00"), SoldAt: webtest.At("10:00"), UpdatedAt: webtest.At("10:00")})
		}
		html := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.Door), h.Snapshot(), webtest.At("12:00")).HTML["free"]
		webtest.Wants(t, "the bar", html, `class="paid" x="0.00%" `+want.bar)
		webtest.Wants(t, "the line", webtest.FigureText(html), want.side)
		if blocked := strings.Contains(html, `class="blocked"`); blocked != (capacity == 157) {
			t.Errorf("%d places: places drawn as blocked: %t", capacity, blocked)
		}
	}
}

// How many are sold stands above the line of the capacity where that is near, which would cross it, and else at its own line; so do they
// stand when the sale is over, and what stands under its point stays there.
func TestSoldIsNotCrossedByTheCapacity(t *testing.T) {
	r := webtest.Renderer(t)
	for sold, want := range map[int]string{395: "capacity", 310: "capacity", 290: "open"} {
		h := webtest.NewHouse()
		e := h.Event("evt_a", "Vol", "Zaal", "21:00", "22:00", 400)
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -20), To: webtest.ShowTime.Add(-time.Hour), Paid: sold})
		var chart struct {
			Series []struct {
				ID   string
				Data []struct {
					Value []any
					Label *struct{ Formatter string }
				}
			}
		}
		if err := json.Unmarshal(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), h.Snapshot(), webtest.ShowTime).Charts["chart-sales"], &chart); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, s := range chart.Series {
			for _, p := range s.Data {
				if p.Label != nil {
					found = append(found, fmt.Sprint(s.ID, p.Value[0], strings.Contains(p.Label.Formatter, fmt.Sprint(sold, " sold"))))
				}
			}
		}
		if want := []string{want + "20 true"}; !slices.Equal(found, want) {
			t.Errorf("%d sold of 400: labels at %q, want %q", sold, found, want)
		}
	}
}

// How many came after the curtain is said once it is over, with what it means one tap away, on the page and in the night's report;
// not before, nor where nobody was scanned.
func TestWhoCameLateIsSaidAfterwards(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for id, gates := range map[string][]webtest.GateIn{
		"evt_late": {{Gate: "A", N: 30, From: webtest.At("19:20"), To: webtest.At("19:58")}, {Gate: "A", N: 7, From: webtest.At("20:00"), To: webtest.At("20:12")}}, "evt_none": nil,
	} {
		e := h.Event(id, id, id, "19:15", "20:00", 100, func(e *record.Event) { e.EndsAt = webtest.At("22:00") })
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: gates != nil, In: gates})
	}
	figs := func(id, clock string) string {
		return webtest.Content(t, r, webtest.EventPart(id, "").As(web.BoxOffice), h.Snapshot(), webtest.At(clock)).HTML["figs"]
	}
	webtest.Wants(t, "over", webtest.FigureText(figs("evt_late", "22:50")), "37 of 40 expected · 7 came late")
	webtest.Wants(t, "over", figs("evt_late", "22:50"), `/explain/came_late?event=evt_late`)
	webtest.Lacks(t, "running", figs("evt_late", "21:00"), "came late")
	webtest.Lacks(t, "nobody was scanned", figs("evt_none", "22:50"), "came late")
	explained := func(clock string) string {
		return webtest.Text(webtest.Page(t, r, webtest.View{Page: "explain", Params: "event=evt_late&figure=came_late"}.As(web.BoxOffice), h.Snapshot(), webtest.At(clock)))
	}
	webtest.Wants(t, "what it is while it runs", explained("21:00"), "Came late evt_late— not known")
	webtest.Wants(t, "what it means", explained("22:50"), "Visitors on sold tickets who first came in after the curtain")
}
