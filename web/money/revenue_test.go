package money_test

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// Amounts that all differ, so that no line can stand in another's place: received 1,000, of it
// 200 refunded and 50 charged back, of which 12.50 were won back, with 30 asked back and not settled; 25 of fees.
func TestMoneyLinesAreTheirOwn(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	at := webtest.ShowTime.Add(-time.Hour)
	pay := func(id string, kind record.PaymentKind, cents int64, status record.PaymentStatus) {
		p := &record.Payment{ID: id, EventID: e.ID, Kind: kind, Amount: record.Money{Amount: cents, Currency: "EUR"}, Status: status, PaidAt: at, UpdatedAt: at}
		if kind != record.KindOfPayment {
			p.ParentID = "pay"
		}
		h.Apply(p)
	}
	h.Apply(&record.Ticket{ID: "sold", EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 90000, Currency: "EUR"},
		Fee: &record.Money{Amount: 2500, Currency: "EUR"}, SoldAt: at, UpdatedAt: at})
	pay("pay", record.KindOfPayment, 100000, record.PaymentPaid)
	pay("back", record.KindOfRefund, 20000, record.PaymentPaid)
	pay("bank", record.KindOfChargeback, 5000, record.PaymentPaid)
	pay("won", record.KindOfReversal, 1250, record.PaymentPaid)
	pay("asked", record.KindOfRefund, 3000, record.PaymentPending)
	s := h.Snapshot()
	revenue := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), s, webtest.ShowTime).HTML
	lines := webtest.FigureText(revenue["money-1"])
	webtest.Wants(t, "revenue", lines, "Received before refunds €1,000.00", "Refunds pending €30.00 not taken off", "Charged back €50.00 €12.50 won back")
	webtest.Lacks(t, "what the sum of the performances says", lines, "Sold", "€762.50", "€200.00", "€25.00")
	webtest.Wants(t, "headline", webtest.FigureText(revenue["glance"]), "€900.00")
	webtest.Wants(t, "day", webtest.FigureText(revenue["days-rows-1"]), "so far § 1 § €900.00 § €762.50 § —")
	webtest.Wants(t, "performance", webtest.FigureText(revenue["events-1"]), "De Vader Fri 20 Nov § 1 § €900.00 § €25.00 § €200.00 § €762.50", "All § 1 § €900.00 § €25.00 § €200.00 § €762.50")
	webtest.Wants(t, "tiles", webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML["figures"]),
		"Booked in all €900.00", "Received, net €762.50 with fees, €200.00 refunded, €50.00 charged back, €12.50 won back, €30.00 pending")

	e.Status, e.UpdatedAt = record.EventCancelled, webtest.ShowTime.Add(-time.Minute)
	off := *e
	h.Apply(&off)
	s = h.Snapshot()
	webtest.Wants(t, "cancelled", webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML["figures"]),
		"To pay back €762.50", "Of it pending €30.00", "Paid back €200.00", "Received before €1,000.00")
	door := webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, webtest.ShowTime).HTML["figures"])
	webtest.Wants(t, "cancelled, at the door", door, "Sold 1")
	webtest.Lacks(t, "cancelled, at the door", door, "€", "pay back")
}

// Both sides of a comparison end where the minute of the figures begins: of what was sold in that minute a part is known on this side,
// and all on the other. All of it is shown, so that the change says of which amount it is.
func TestRevenueIsComparedToTheMinute(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	begun := webtest.At("19:51") // the minute of the figures
	h.SellOne(e, begun.Add(-time.Minute), 3000)
	h.SellOne(e, begun, 1000)
	h.SellOne(e, begun.AddDate(0, 0, -7).Add(-time.Second), 2000)
	h.SellOne(e, begun.AddDate(0, 0, -7), 50000)
	revenue := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "headline", webtest.FigureText(revenue["glance"]), "€40.00 +50.0% from Friday 20 November on: €30.00 on €20.00, Fri 13 Nov to 19:51")
	webtest.Wants(t, "notice", webtest.FigureText(revenue["attention"]), "Figures start on Friday 13 November ; compared from Friday 20 November on.")
	webtest.Wants(t, "figures", webtest.FigureText(revenue["events-1"]), "All § 2 0.0% , 1 against 1 §")
	webtest.Wants(t, "days", webtest.FigureText(revenue["days-rows-1"]), "so far § 2 § €40.00", "§ €20.00")
}

// Every period stands beside all that it may be compared with, each a link to the page that says more, and the one
// that is shown is marked; a budget counts as far as the running day has passed, and only the months that have one.
func TestRevenueAtAGlance(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for at, price := range map[time.Time]int64{webtest.At("19:30"): 3000, webtest.ShowTime.AddDate(0, 0, -1): 2000, webtest.ShowTime.AddDate(0, 0, -36).Add(-time.Hour): 1000, webtest.ShowTime.AddDate(0, 0, -364).Add(-time.Hour): 6000, webtest.ShowTime.AddDate(-1, 0, -40): 100} {
		h.SellOne(e, at, price)
	}
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_00)), At: webtest.ShowTime, By: "Mia"})
	page := func(params query.Params) map[string]string {
		return webtest.Content(t, r, webtest.View{Page: "revenue", Params: params}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	month := page("against=budget&period=month")
	webtest.Wants(t, "periods", webtest.FigureText(month["glance"]), "Today €30.00 ≈ ×37", "Month, Sun 1 Nov to Fri 20 Nov €50.00 ≈ +152.3% : €50.00 on a budget of ≈ €19.82", "same weekdays before +400.0%", "last year −16.7%", "budget ≈ +152.3%")
	webtest.Wants(t, "links", month["glance"], `href="/revenue?against=last_year&amp;period=month"`, `href="/revenue?against=budget&amp;period=month" aria-current="true"`, `href="/revenue?against=nothing&amp;period=month"`, `href="/revenue?against=budget&amp;period=season"`)
	webtest.Wants(t, "days", webtest.FigureText(month["days-rows-1"]), "Budget Average price, less cancelled ¦ Fri 20 Nov, so far § 1 § €30.00 § €0.00 § ≈ €0.82 § €30.00", "¦ Thu 19 Nov § 1 § €20.00 § ", "§ ≈ €1.00 § €20.00")
	webtest.Wants(t, "figures", webtest.FigureText(month["money-1"]), "Budget ≈ €19.82 ≈ +€30.18 · €30.00 for the whole month")
	webtest.Wants(t, "explained", month["glance"], `href="/explain/budget?`)
	today := page("against=budget&period=today")
	webtest.Wants(t, "a day's figures", webtest.FigureText(today["money-1"]), "Budget ≈ €0.82 ≈ +€29.18 · ≈ €1.00 for the whole day")
	season := page("against=budget&period=season")
	webtest.Wants(t, "notice", webtest.FigureText(season["attention"]), "No budget in EUR is set for Sep and Oct. What is compared leaves that out on both sides.")
	webtest.Wants(t, "headline", webtest.FigureText(season["glance"]), "€60.00 ≈ +152.3% : €50.00 on a budget of ≈ €19.82")
	custom := page("against=budget&from=2026-10-01&period=custom&to=2026-10-31")
	webtest.Wants(t, "notice", webtest.FigureText(custom["attention"]), "No budget set")
	webtest.Wants(t, "own days", webtest.FigureText(custom["glance"]), "These days, Thu 1 Oct to Sat 31 Oct €10.00")
}

// A period of some days has a line through each day's sum, and a day that stands out says how many performances went on
// sale on it.
func TestRevenueLinesAndSalesThatBegin(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for day := range 20 { // the 1st to today, Friday the 20th
		h.SellOne(e, webtest.At("12:00").AddDate(0, 0, -day), int64(1000+50*day))
	}
	for i := range 2 {
		other := h.Event(fmt.Sprint("evt_b", i), "Hamlet", "Kleine Zaal", "19:30", "20:15", 40)
		h.SellOne(other, webtest.At("12:00").AddDate(0, 0, -16), 4000)
		h.SellOne(other, webtest.At("12:00").AddDate(0, 0, -4), 100)
	}
	content := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=nothing&period=month"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	glance := content.HTML["glance"]
	var points []string
	for _, m := range regexp.MustCompile(` d="M([^"]*)"`).FindAllStringSubmatch(glance, -1) {
		points = append(points, fmt.Sprint(len(strings.Split(m[1], "L"))))
	}
	if got, want := strings.Join(points, " "), "5 7 20 41"; got != want { // the week, the last one, the month, and the season by two days
		t.Errorf("the lines have %s points, want %s: %s", got, want, glance)
	}
	month := regexp.MustCompile(`aria-current="true".*? d="([^"]*)"`).FindStringSubmatch(strings.ReplaceAll(glance, "\n", " "))
	if month == nil || !strings.HasPrefix(month[1], "M0 81L5 81L10 82L15 0L21 83L") || !strings.HasSuffix(month[1], "L100 90") {
		t.Errorf("the line of the month is %q, want its top on the fourth day", month)
	}
	chart := string(content.Charts["chart-days-1"])
	if !strings.Contains(chart, "\"formatter\":\"2\u00a0performances on sale\\n↑\u00a0€98.00\"") {
		t.Errorf("the day on which two went on sale is not named: %s", chart)
	}
	if !strings.Contains(chart, "\"short\":\"↑\u00a0€98.00\"") || strings.Count(chart, "\"short\"") != 1 {
		t.Errorf("a narrow chart has not the amount of the bar that is cut off alone: %s", chart)
	}
	if strings.Count(chart, "on sale") != 1 {
		t.Errorf("other days are named, too: %s", chart)
	}
}

// While the past is read for the first time nothing is compared with it, by day, by period or with a budget, and no day is
// called the best.
func TestRevenueWhileThePastIsRead(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for day := range 60 {
		h.SellOne(e, webtest.At("12:00").AddDate(0, 0, -day), int64(1000+50*day))
	}
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(900_00)), At: webtest.ShowTime, By: "Mia"})
	for _, against := range []string{"before", "last_year", "budget"} {
		page := func() string {
			content := webtest.Content(t, r, webtest.View{Page: "revenue", Params: query.Params("against=" + against + "&period=month")}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
			text := webtest.FigureText(content.HTML["glance"] + content.HTML["days-1"] + content.HTML["money-1"] + content.HTML["events-1"] + content.HTML["attention"])
			if strings.Contains(string(content.Charts["chart-days-1"]), `"id":"before"`) {
				text += " compared bars"
			}
			return text
		}
		h.Health = webtest.Healthy(webtest.ShowTime)
		if whole := page(); against != "last_year" && (!strings.Contains(whole, "%") || !strings.Contains(whole, "compared bars")) {
			t.Errorf("against %s, read whole: %s", against, whole)
		}
		for i := range h.Health.Streams {
			if h.Health.Streams[i].Gives(record.KindTicket) {
				h.Health.Streams[i].Complete = false
			}
		}
		if half := page(); strings.Contains(half, "%") || strings.Contains(half, "compared bars") || strings.Contains(half, "Hatched") || strings.Contains(half, "against €") || !strings.Contains(half, "€") {
			t.Errorf("against %s, half read: %s", against, half)
		}
	}
}

// A sum is not set against one that may be as large, if what lacks its price cost as much as the rest; otherwise between what it
// has changed is said. The places, none of which is missing, are compared.
func TestRevenueOfPartialSums(t *testing.T) {
	for _, c := range []struct{ priced, fee int64 }{{4000, 200}, {4400, 220}} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
		at := webtest.At("12:00")
		before := at.AddDate(0, 0, -7)
		eur := func(cents int64) *record.Money { return &record.Money{Amount: cents, Currency: "EUR"} }
		sell := func(id string, at time.Time, price, fee *record.Money) {
			h.Apply(&record.Ticket{ID: id, EventID: e.ID, Price: price, Fee: fee, Status: record.TicketValid, SoldAt: at, UpdatedAt: at})
		}
		sell("now", at, eur(c.priced), eur(c.fee))
		sell("before", before, eur(2000), eur(100))
		sell("gap", before, nil, nil)
		day := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=today"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
		glance, lines := webtest.FigureText(day.HTML["glance"]), webtest.FigureText(day.HTML["events-1"])
		webtest.Wants(t, "places", lines, "All § 1 −50.0% against 2 §")
		webtest.Wants(t, "a day's places", webtest.FigureText(day.HTML["events-1"]), "De Vader Fri 20 Nov § 1 § €4")
		if c.fee == 200 {
			webtest.Wants(t, "headline", glance, "Fri 20 Nov €40.00 Yesterday")
			webtest.Wants(t, "fees", lines[strings.Index(lines, "All §"):], "§ €2.00 §")
			webtest.Lacks(t, "fees", lines, "€1.00")
			continue
		}
		webtest.Wants(t, "headline", glance, "Fri 20 Nov €44.00 ≈ +10.0% to +120.0% on ≥ €20.00, Fri 13 Nov to 19:51 Yesterday")
		webtest.Wants(t, "fees", lines, "§ €2.20 ≈ +10.0% to +120.0% against ≥ €1.00 §")
	}
}

// Places of a time in which a ticket has no price are exact, by day, by performance and in all. Where others may be missing
// it is not said how much their number has changed.
func TestRevenueOfPlacesWithoutAPrice(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	at := webtest.At("12:00")
	h.SellOne(e, at, 2000)
	h.SellOne(e, at.AddDate(0, 0, -1), 2000)
	h.SellOne(e, at.AddDate(0, 0, -35), 2000)
	h.Apply(&record.Ticket{ID: "gap", EventID: e.ID, Status: record.TicketValid, SoldAt: at, UpdatedAt: at})
	shown := func() map[string]string {
		return webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=month"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	got := shown()
	webtest.Wants(t, "in all", webtest.FigureText(got["events-1"]), "All § 3 +100.0% , 2 against 1 §")
	webtest.Wants(t, "days", webtest.FigureText(got["days-rows-1"]), "Fri 20 Nov, so far § 2 § ≥ €20.00 §", "Thu 19 Nov § 1 § €20.00 §")
	webtest.Wants(t, "performances", webtest.FigureText(got["events-1"]), "De Vader Fri 20 Nov § 3 § ≥ €40.00 §", "against 1 § ≥ €40.00 §")

	h.Apply(&record.Ticket{ID: "odd", EventID: e.ID, Status: "perhaps", SoldAt: at, UpdatedAt: at})
	webtest.Wants(t, "beside one that may be sold", webtest.FigureText(shown()["events-1"]), "All § ≈ 3 against ≈ 1 §")
}

// What was booked is shown without its VAT where that is asked for: headline, days and performances alike.
func TestRevenueWithoutVAT(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.SellOne(e, webtest.At("12:00"), 10900)
	h.SellOne(e, webtest.At("12:00").AddDate(0, 0, -1), 21800)
	shown := func() map[string]string {
		return webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=month&vat=excl"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	webtest.Wants(t, "VAT that is not known", webtest.FigureText(shown()["glance"]), "Fri 20 Nov €327.00")
	h.Apply(&record.Setting{Name: record.SettingVATRate, Value: new(int64(9_00)), At: webtest.ShowTime, By: "Mia"})
	got := shown()
	webtest.Wants(t, "headline", webtest.FigureText(got["glance"]), "Fri 20 Nov ≈ €300.00")
	webtest.Wants(t, "VAT and what is without it", webtest.FigureText(got["vat-1"]), "By rate of VAT ≈ €27.00 ", "§ ≈ €27.00 § ≈ €300.00")
	webtest.Lacks(t, "VAT, which its rates say", webtest.FigureText(got["money-1"]), "VAT")
	webtest.Wants(t, "glance", webtest.FigureText(got["glance"]), "Today ≈ €100.00")
	webtest.Wants(t, "days", webtest.FigureText(got["days-rows-1"]), "Booked, excl. VAT", "€200.00")
	webtest.Wants(t, "performances", webtest.FigureText(got["events-1"]), "Booked, excl. VAT", "¦ De Vader Fri 20 Nov § 2 § ≈ €300.00 §", "¦ All § 2 § ≈ €300.00 §")
	webtest.Wants(t, "links", got["glance"], "vat=excl")
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(300_00)), At: webtest.ShowTime, By: "Mia"})
	got = shown()
	webtest.Lacks(t, "beside the budget, which has VAT in it", webtest.FigureText(got["glance"])+got["glance"]+webtest.FigureText(got["money-1"]), "udget")
	if _, err := web.NewRequest("revenue", url.Values{"against": {"budget"}, "vat": {"excl"}}, web.Manager.Access(), web.English); err == nil {
		t.Error("what is without VAT is compared with the budget")
	}
	v := webtest.View{Page: "revenue", Params: "against=budget&period=month"}.As(web.Manager)
	got = webtest.Content(t, r, v, h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "with VAT", webtest.FigureText(got["glance"])+webtest.FigureText(got["money-1"]), "€327.00 ≈ +64.9% : €327.00 on a budget of ≈ €198.27", "Budget ≈ €198.27")
	webtest.Lacks(t, "with VAT", got["glance"], "vat=excl")
	webtest.Wants(t, "the way back", webtest.Page(t, r, v, h.Snapshot(), webtest.ShowTime), `href="/revenue?against=before&amp;period=month&amp;vat=excl"`)
}

// A period in which nothing is booked yet is beside its budget all the same.
func TestRevenueOfNothingBesideItsBudget(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.SellOne(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40), webtest.ShowTime.AddDate(0, 0, -1), 3000)
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_00)), At: webtest.ShowTime, By: "Mia"})
	got := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=budget&period=today"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "glance", webtest.FigureText(got["glance"]), "Today, Fri 20 Nov 0 ≈ −100.0% : €0.00 on a budget of ≈ €0.82", "budget ≈ −100.0%")
	webtest.Lacks(t, "notice", got["attention"], "No budget")
}

// Beside a performance stands what the one of its title or series had booked a year before, up to the same point.
func TestRevenueBesideLastYear(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	last := h.Event("evt_last", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-360))
	early := h.Event("evt_early", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-420))
	h.SellOne(early, webtest.ShowTime.AddDate(0, 0, -500), 100)
	h.SellOne(early, webtest.ShowTime.AddDate(0, 0, -366), 9900)
	h.SellOne(last, webtest.ShowTime.AddDate(0, 0, -366), 4000)
	h.SellOne(last, webtest.ShowTime.AddDate(0, 0, -364).Add(time.Hour), 7000) // later than the same minute
	h.SellOne(h.Event("evt_now", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(5)), webtest.ShowTime.Add(-time.Hour), 5000)
	h.SellOne(h.Event("evt_new", "Nieuw", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(6)), webtest.ShowTime.Add(-time.Hour), 3000)
	got := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=last_year&period=week"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "performances", webtest.FigureText(got["events-1"]), "Received, net Compared ¦ Messiah Wed 25 Nov § 1 § €50.00 § €0.00 § €0.00 § €40.00", "¦ Nieuw Thu 26 Nov § 1 § €30.00 § €0.00 § €0.00 § — ¦ All")
}

// One day is said as one, without a chart, and is compared with the same weekday.
func TestRevenueOfADay(t *testing.T) {
	for _, cutoff := range []time.Duration{0, 6 * time.Hour} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		h.SellOne(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40), webtest.At("12:00"), 3000)
		h.SellOne(&record.Event{ID: "evt_a"}, webtest.At("12:00").AddDate(0, 0, -7), 2000)
		s := *h.Snapshot()
		s.Calendar.Cutoff = cutoff
		day := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=today"}.As(web.Manager), &s, webtest.ShowTime)
		webtest.Wants(t, "headline", webtest.FigureText(day.HTML["glance"]), "Today, Fri 20 Nov €30.00 +50.0% on €20.00, Fri 13 Nov to 19:51")
		webtest.Lacks(t, "words", day.HTML["days-1"]+day.HTML["days-rows-1"]+day.HTML["bridge-1"], "best day", "by day", "from Fri")
		if !strings.Contains(day.HTML["days-1"], "chartless") {
			t.Errorf("a chart of one bar: %s", day.HTML["days-1"])
		}
	}
}

func TestPlacesAreNotListedByCurrency(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -1), 1000)
	q := webtest.RevenueView(7).As(web.Manager)
	c := webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "one currency", c.HTML["events-1"]+c.HTML["days-rows-1"], `<th scope="col" class="n">Sold</th>`, `<bdi>Sold</bdi>`)
	h.Apply(&record.Ticket{ID: "tkt_usd", EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 700, Currency: "USD"},
		SoldAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	c = webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)
	for _, id := range []string{"1", "2"} {
		webtest.Lacks(t, "two currencies", webtest.FigureText(c.HTML["events-"+id]+c.HTML["days-rows-"+id]), "Sold", "§ 2 ")
	}
	webtest.Wants(t, "two currencies", webtest.FigureText(c.HTML["days-rows-2"]), "¦ Thu 19 Nov § $7.00")
}

func TestRevenue(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	h.Apply(&record.Payment{ID: "pay_usd", Amount: record.Money{Amount: 1234500, Currency: "USD"}, Status: record.PaymentPaid,
		PaidAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime.AddDate(0, 0, -1)})
	c := webtest.Content(t, r, webtest.RevenueView(30).As(web.Manager), h.Snapshot(), webtest.ShowTime)
	for id, want := range map[string]string{
		"events-1": "€90.00",
		"days-1":   "EUR by day of sale",
		"money-2":  "$12,345.00",
		"days-2":   "USD by day of sale",
	} {
		if got := webtest.Text(c.HTML[id]); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %q", id, want, got)
		}
	}
	if !strings.Contains(webtest.Text(c.HTML["events-1"]), "Without a performance") || strings.Contains(c.HTML["money-1"], "$") || strings.Contains(c.HTML["money-2"], "€") {
		t.Error("currencies are mixed, or what belongs to no performance is left out")
	}
	if strings.Contains(c.HTML["days-3"], "<h2>") || !strings.Contains(c.HTML["days-3"], "empty") {
		t.Errorf("a slot without a currency shows something: %s", c.HTML["days-3"])
	}
	h.Coverage.PaymentsOffered = false
	c = webtest.Content(t, r, webtest.RevenueView(30).As(web.Manager), h.Snapshot(), webtest.ShowTime)
	if !strings.Contains(c.HTML["money-1"], "not known: the service offers no payments") {
		t.Errorf("without payments: %s", c.HTML["money-1"])
	}
}

var goldens = []webtest.View{webtest.RevenueView(7), webtest.Marketing, {Page: "reconcile"}}

func TestGolden(t *testing.T) { webtest.GoldenRoles(t, goldens...) }

// Read these when words change.
func TestGoldenLanguages(t *testing.T) { webtest.GoldenLanguages(t, goldens...) }

// Whoever works out a change from the two amounts beside it gets that change, at any second, for any days and whatever they are
// compared with.
func TestChangesAreThoseOfTheAmountsShown(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for i := range 60 {
		h.SellOne(e, webtest.ShowTime.Add(-time.Duration(i*i)*31*time.Minute-time.Duration(i*29)*time.Second), int64(900+i*i*13))
	}
	shown := regexp.MustCompile(`(€?[\d,]+(?:\.\d\d)?) ([+−][\d,]+\.\d%)(?: , (€?[\d,]+(?:\.\d\d)?))? against (€?[\d,]+(?:\.\d\d)?)`)
	cents := func(text string) float64 {
		n, err := strconv.ParseFloat(strings.NewReplacer("€", "", ",", "").Replace(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	found, partly := 0, 0
	for _, second := range []int{0, 1, 31, 59} {
		for _, period := range []string{"today", "yesterday", "week", "last_week", "month", "season"} {
			for _, against := range []string{"before", "last_year"} {
				at := webtest.ShowTime.Add(time.Duration(second) * time.Second)
				page := webtest.Content(t, r, webtest.View{Page: "revenue", Params: query.Params("against=" + against + "&period=" + period)}.As(web.Manager), h.Snapshot(), at).HTML
				for _, m := range shown.FindAllStringSubmatch(webtest.FigureText(page["money-1"]+page["events-1"]), -1) {
					now, was := cents(cmp.Or(m[3], m[1])), cents(m[4])
					if found++; m[3] != "" {
						partly++
					}
					want := strings.Replace(fmt.Sprintf("%+.1f%%", 100*(now-was)/was), "-", "−", 1)
					if got := strings.ReplaceAll(m[2], ",", ""); got != want {
						t.Errorf("%s against %s at :%02d: %q, and the amounts give %s", period, against, second, m[0], want)
					}
				}
			}
		}
	}
	if found < 16 || partly == 0 || partly == found {
		t.Errorf("%d changes, %d of a part of the sum beside them", found, partly)
	}
}

// As the day turns, the days that the month and the season are compared with go on and do not move: no sale, no other sum.
func TestComparisonDoesNotMoveAsTheDayTurns(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(60))
	at := func(day, clock string) time.Time {
		at, err := time.ParseInLocation("2006-01-02 15:04", day+" "+clock, webtest.Amsterdam)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	h.SellOne(e, at("2025-01-06", "12:00"), 100)
	h.SellOne(e, at("2025-01-07", "12:00"), 100)
	for day := at("2025-08-01", "12:00"); day.Before(at("2026-11-29", "00:00")); day = day.AddDate(0, 0, 1) {
		h.SellOne(e, day, int64(1000+100*day.Day()+day.YearDay()))
	}
	for _, c := range []struct{ period, day, next, want, then string }{
		{"month", "2026-11-20", "2026-11-21", "Sun 27 Sep to Fri 16 Oct to 23:57", "Sun 27 Sep to Sat 17 Oct to 00:00"},
		{"month", "2026-11-28", "2026-11-29", "Sun 27 Sep to Sat 24 Oct to 23:57", "Sun 27 Sep to Sun 25 Oct to 00:00"},
		{"month", "2026-02-27", "2026-02-28", "Sun 4 Jan to Fri 30 Jan to 23:57", "Sun 4 Jan to Sat 31 Jan to 00:00"},
		{"season", "2026-08-30", "2026-08-31", "Sun 31 Aug 2025 to 23:57", "Mon 1 Sep 2025 to 00:00"},
	} {
		var before [2]string
		for i, now := range []time.Time{at(c.day, "23:58"), at(c.next, "00:00")} {
			h.AsOf, h.Health = now, webtest.Healthy(now)
			said := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "revenue", Params: query.Params("against=before&period=" + c.period)}.As(web.Manager), h.Snapshot(), now).HTML["glance"])
			webtest.Wants(t, now.String(), said, []string{c.want, c.then}[i])
			before[i] = regexp.MustCompile(`on (€[\d.,]+)`).FindStringSubmatch(said)[1]
		}
		if before[0] != before[1] {
			t.Errorf("%s: what it is compared with goes from %s to %s as %s begins", c.period, before[0], before[1], c.next)
		}
	}
}
