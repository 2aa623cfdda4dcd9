package money_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/money"
	"housecount/web/webtest"
)

// Who came back has bought a share of the places whose buyer is known; how many are new, returning and without a name stands once on
// Marketing, above their chart. The way in which most was paid stands first.
func TestSharesOfMarketing(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for id, of := range map[string]struct {
		contact string
		sold    time.Time
	}{"first": {"mia", webtest.At("12:00").AddDate(0, 0, -3)}, "again": {"mia", webtest.At("12:00")}, "nobody's": {"", webtest.At("12:00")}} {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, ContactID: of.contact, Status: record.TicketValid, SoldAt: of.sold, UpdatedAt: webtest.ShowTime})
	}
	for method, cents := range map[string]int64{"cash": 1000, "ideal": 3000} {
		h.Apply(&record.Payment{ID: method, EventID: e.ID, Method: method, Amount: record.Money{Amount: cents, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	}
	html := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "methods", webtest.FigureText(html["methods"]), "€40.00 ¦ iDEAL § § 75.0% § €30.00 ¦ cash § § 25.0% § €10.00")
	webtest.Wants(t, "figures", webtest.FigureText(html["figures"]), "Returning buyers 50.0% of 2 places with a name")
	webtest.Wants(t, "buyers", webtest.FigureText(html["buyer-days"]), "New 1 Returning 1 No name 1")
	for id, part := range html {
		if text := webtest.FigureText(part); id != "buyer-days" && id != "buyer-days-rows" && strings.Contains(text, "No name") {
			t.Errorf("%s has the buyers again: %s", id, text)
		}
	}
}

// What the parts beyond those with a row come to is as well known as they are: by the performances of the days
// shown, not by those of all days.
func TestOtherPartsAreAsWellKnown(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for i := range 22 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("tkt_", i), EventID: e.ID, Status: record.TicketValid, Referral: fmt.Sprintf("ref %02d", i), Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	}
	later := h.Event("evt_b", "Later", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(60))
	h.Apply(&record.Ticket{ID: "unpriced", EventID: later.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	shown := webtest.FigureText(webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["referrals"])
	webtest.Wants(t, "referrals", shown, "ref 19 § § 1 § 4.5% § €10.00", "§ § 2 § 9.1% § €20.00")
}

// Places are drawn by the day on which they were sold and by channel; the channels, and the rows of the table, sum to
// what is sold. A campaign is a note above the day on which it begins, and in the list, until it is removed.
func TestSalesOverTime(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for id, of := range map[string]struct {
		channel string
		days    int
	}{"a": {"web", 3}, "b": {"web", 3}, "c": {"phone", 3}, "d": {"web", 0}, "e": {"", 1}} {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Channel: of.channel, Status: record.TicketValid, SoldAt: webtest.At("12:00").AddDate(0, 0, -of.days), UpdatedAt: webtest.ShowTime})
	}
	campaign := record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-18", Value: new(int64(3)), At: webtest.ShowTime, By: "Mia"}
	h.Apply(&campaign)
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Radio", From: "2026-11-20", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	c := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "channels", webtest.FigureText(c.HTML["days"]), "Sold by channel Web 3 not specified 1 Phone 1")
	webtest.Wants(t, "days", webtest.FigureText(c.HTML["days-rows"]), "Fri 20 Nov § 1 § 1 § 0 § 0", "Thu 19 Nov § 1 § 0 § 1 § 0", "Wed 18 Nov § 0 § 0 § 0 § 0", "Tue 17 Nov § 3 § 2 § 0 § 1")
	webtest.Wants(t, "campaigns", webtest.FigureText(c.HTML["campaigns"]), "Newsletter Wed 18 Nov to Fri 20 Nov")
	if at := regexp.MustCompile(`<summary><span><bdi>Newsletter</bdi>`).FindStringIndex(c.HTML["campaigns"]); at == nil || strings.Count(c.HTML["campaigns"][:at[0]], "<details") != 1+strings.Count(c.HTML["campaigns"][:at[0]], "</details>") {
		t.Errorf("the campaigns are folded: %s", c.HTML["campaigns"])
	}
	if drawn := string(c.Charts["chart-days"]); !strings.Contains(drawn, `{"label":{"formatter":"Newsletter","width":180},"xAxis":1}`) {
		t.Errorf("the campaign is not above its day: %s", drawn)
	} else if !strings.Contains(drawn, `{"label":{"align":"right","formatter":"Radio","width":180},"xAxis":3}`) {
		t.Errorf("that of the last day does not end at the edge: %s", drawn)
	}
	gone := campaign
	gone.Value, gone.At = nil, campaign.At.Add(time.Minute)
	h.Apply(&gone)
	c = webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Lacks(t, "campaigns", c.HTML["campaigns"]+string(c.Charts["chart-days"]), "Newsletter")
}

// Who hears a page can tell its tables apart: no two parts that scroll have one label.
func TestTablesHaveLabelsOfTheirOwn(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	yesterday := webtest.ShowTime.AddDate(0, 0, -1)
	h.Apply(&record.Payment{ID: "pay_usd", Amount: record.Money{Amount: 1234500, Currency: "USD"}, Status: record.PaymentPaid, PaidAt: yesterday, UpdatedAt: yesterday})
	for name, c := range map[string]struct {
		page string
		want []string // in the labels; a currency's tables differ from those of another
	}{
		"marketing": {webtest.Page(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime), nil},
		"revenue":   {webtest.Page(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime), []string{"Booked to received, EUR", "Booked to received, USD", "Refunds by reason, EUR", "day of sale in EUR", "day of sale in USD", "By performance, in EUR", "By performance, in USD"}},
	} {
		var all []string
		for _, m := range regexp.MustCompile(`role="region" aria-label="([^"]*)"`).FindAllStringSubmatch(c.page, -1) {
			if slices.Contains(all, m[1]) {
				t.Errorf("%s has two tables that are called %q", name, m[1])
			}
			all = append(all, m[1])
		}
		webtest.Wants(t, name, strings.Join(all, "; "), c.want...)
		if len(all) < 2 {
			t.Errorf("%s has the tables %q", name, all)
		}
	}
}

// Marketing has few words beside its numbers: what is folded, and what screen readers read twice, is not counted.
func TestMarketingHasFewWords(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	page := webtest.Page(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	_, page, _ = strings.Cut(page, "<main")
	page, _, _ = strings.Cut(page, "</main>")
	page = regexp.MustCompile(`(?s)(</summary>).*?</details>|<script.*?</script>`).ReplaceAllString(page, "$1")
	said := regexp.MustCompile(`\p{L}[\p{L}'’-]*`).FindAllString(webtest.FigureText("<"+page), -1)
	if len(said) > 138 {
		t.Errorf("%d words: %s", len(said), said)
	}
	t.Logf("%d words", len(said))
}

// A campaign has what was sold in it against the usual, with its uncertainty, and one tap away how that is made: of 10, 12, 8
// and 10 places on Wednesdays before, 20 are 10 more, 5 to 15.
func TestCampaignIsHeldAgainstTheUsual(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	for back, n := range map[int]int{2: 20, 9: 10, 16: 12, 23: 8, 30: 10} { // Wednesday 18 November and those before
		at := webtest.At("12:00").AddDate(0, 0, -back)
		h.Sell(e, webtest.Sale{From: at, To: at.Add(time.Hour), Paid: n})
	}
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-18", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Radio", From: "2026-12-01", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	c := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	text := webtest.FigureText(c.HTML["campaigns"])
	webtest.Wants(t, "campaigns", text, "Campaign Usual Extra", "Radio Tue 1 Dec Edit To Cost (EUR) Save Remove § — § —", "Remove § ≈ 10 § ≈ +10", "20 places sold, Wed 18 Nov", "Usual is 10: the mean of the same weekdays, 4 times before", "nine times in ten the campaign made between +5 and +15")
	if n := strings.Count(text, "Usual is"); n != 1 || strings.Contains(text, "normal") {
		t.Errorf("%d campaigns are held against the usual: %s", n, text)
	}
}

// What a campaign cost stands beside its days, and what each extra place cost beside those, not where they may be chance: €24.90
// for 10 places are €2.49 each.
func TestCampaignHasItsCost(t *testing.T) {
	for sold, want := range map[int]string{20: "≈ +10 ≈ €2.49 each", 11: "normal ≈ +1"} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
		for back, n := range map[int]int{2: sold, 9: 10, 16: 12, 23: 8, 30: 10} {
			at := webtest.At("12:00").AddDate(0, 0, -back)
			h.Sell(e, webtest.Sale{From: at, To: at.Add(time.Hour), Paid: n})
		}
		h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-18", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
		h.Apply(&record.Setting{Name: record.SettingCampaignCost, Of: "EUR Newsletter", From: "2026-11-18", Value: new(int64(24_90)), At: webtest.ShowTime, By: "Mia"})
		h.Apply(&record.Setting{Name: record.SettingCampaignCost, Of: "EUR Newsletter", From: "2026-10-18", Value: new(int64(99_00)), At: webtest.ShowTime, By: "Mia"})
		html := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["campaigns"]
		text := webtest.FigureText(html)
		webtest.Wants(t, "campaigns", text, "Newsletter Wed 18 Nov · €24.90", want)
		if said := strings.Contains(text, "€24.90 for 10 extra places: ≈ €2.49 each."); said != (sold == 20) {
			t.Errorf("%d sold, and the explanation says what each cost: %v", sold, said)
		}
		webtest.Wants(t, "form", html, `name="cost" min="0" step="0.01" value="24.90"`)
		rows, _ := webtest.Export(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), ',')
		table := ""
		for _, row := range rows {
			table += strings.Join(row, ",") + "\n"
		}
		webtest.Wants(t, "export", table, "campaign_cost,Cost of the campaign,24.90,,,money,EUR,exact")
		if has := strings.Contains(table, "campaign_each,Cost per extra place,2.49,,,money,EUR,estimated"); has != (sold == 20) {
			t.Errorf("%d sold, and the file says what each cost: %v", sold, has)
		}
	}
}

// What is within the usual is marked as that, so that nobody takes it for an effect of the campaign: 11 places where 6 to 14 are
// usual. Its bounds, and that it may be chance, are a tap away.
func TestCampaignThatMayBeChanceIsMarked(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	for back, n := range map[int]int{2: 11, 9: 10, 16: 12, 23: 8, 30: 10} {
		at := webtest.At("12:00").AddDate(0, 0, -back)
		h.Sell(e, webtest.Sale{From: at, To: at.Add(time.Hour), Paid: n})
	}
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-18", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	html := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["campaigns"]
	if strings.Contains(html, "<b>") {
		t.Errorf("what may be chance is bold: %s", html)
	}
	webtest.Wants(t, "why", webtest.FigureText(html), "Remove § ≈ 10 § normal ≈ +1", "11 places sold", "between −4 and +6", "may be chance")
}

// While a campaign goes on nobody can say what each extra place cost: not all that it cost has worked yet.
func TestRunningCampaignHasNoCostOfEach(t *testing.T) {
	for last, want := range map[int64]bool{2: true, 20: false} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
		for back := 1; back < 60; back++ {
			n := 10
			if back <= 2 {
				n = 30
			}
			at := webtest.At("12:00").AddDate(0, 0, -back)
			h.Sell(e, webtest.Sale{From: at, To: at.Add(time.Hour), Paid: n + back%3})
		}
		from := webtest.ShowTime.AddDate(0, 0, -2).Format(time.DateOnly)
		h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: from, Value: &last, At: webtest.ShowTime, By: "Mia"})
		h.Apply(&record.Setting{Name: record.SettingCampaignCost, Of: "EUR Newsletter", From: from, Value: new(int64(2000_00)), At: webtest.ShowTime, By: "Mia"})
		text := webtest.FigureText(webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["campaigns"])
		if got := strings.Contains(text, " each"); got != want {
			t.Errorf("of %d days two are over, and what each cost is said: %v in %s", last, got, text)
		}
	}
}

// A cost keeps the currency in which it was noted, whatever the house takes since.
func TestCampaignCostKeepsItsCurrency(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	h.Sell(e, webtest.Sale{From: webtest.At("12:00").AddDate(0, 0, -2), To: webtest.At("13:00").AddDate(0, 0, -2), Paid: 3})
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-18", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingCampaignCost, Of: "CHF Newsletter", From: "2026-11-18", Value: new(int64(9_00)), At: webtest.ShowTime, By: "Mia"})
	form := url.Values{"of": {"Newsletter"}, "from": {"2026-11-18"}, "to": {"2026-11-18"}, "cost": {"12.00"}}
	changes, ok := money.ReadCampaign(form, h.Snapshot())
	if !ok || len(changes) != 1 || changes[0].Of != "CHF Newsletter" || *changes[0].Value != 12_00 {
		t.Errorf("%v, %+v", ok, changes)
	}
	form.Set("cost", "")
	if changes, ok = money.ReadCampaign(form, h.Snapshot()); !ok || len(changes) != 1 || changes[0].Of != "CHF Newsletter" || changes[0].Value != nil {
		t.Errorf("emptied: %v, %+v", ok, changes)
	}
	html := webtest.Content(t, webtest.Renderer(t), webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["campaigns"]
	webtest.Wants(t, "form", html, "Cost (CHF)", `step="0.01" value="9.00"`)
}
