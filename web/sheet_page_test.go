package web_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// tablesOf returns the tables of the page's file by their titles.
func tablesOf(t *testing.T, r *web.Renderer, s *figures.Snapshot, q web.Request) map[string][]map[string]any {
	t.Helper()
	var file struct {
		Tables []struct {
			Title string
			Rows  []map[string]any
		}
	}
	d := json.NewDecoder(strings.NewReader(string(fileOf(t, r, s, q, webtest.ShowTime, web.SheetOfJSON))))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	all := map[string][]map[string]any{}
	for _, table := range file.Tables {
		all[table.Title] = table.Rows
	}
	return all
}

// shownIn returns the number of an element of a page, as files have it; empty for a dash.
func shownIn(page, id string) string {
	cell := regexp.MustCompile(`id="` + regexp.QuoteMeta(id) + `"[^>]*>(?:\s*<[^>]*>)*\s*([^<]*)<`).FindStringSubmatch(page)
	if cell == nil {
		return "no cell"
	}
	return strings.TrimPrefix(webtest.AmountOf(strings.TrimPrefix(html.UnescapeString(cell[1]), "≈\u00a0")), "—")
}

func inFile(row map[string]any, key string) string {
	if row[key] == nil {
		return ""
	}
	return fmt.Sprint(row[key])
}

// owing is a house in which orders of a week are open, overpaid and paid for orders of other days, and another week before it sold less.
func owing(t *testing.T) *webtest.House {
	h := webtest.NewHouse()
	e, other := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30)), h.Event("evt_b", "Aida", "Zaal", "19:00", "20:15", 500, webtest.OnDay(31))
	euros := func(cents int64) *record.Money { return &record.Money{Amount: cents, Currency: "EUR"} }
	for i, back := range []int{0, 1, 2, 7, 8, 9, 40, 41, 42} {
		at, id := webtest.At("12:00").AddDate(0, 0, -back), fmt.Sprint("old", back)
		of := e.ID
		if i%2 == 1 {
			of = other.ID
		}
		h.Apply(&record.Ticket{ID: id, OrderID: id, EventID: of, Status: record.TicketValid, Price: euros(int64(1000 + 100*back)), SoldAt: at, UpdatedAt: webtest.ShowTime})
		if back != 1 {
			h.Apply(&record.Payment{ID: "pay " + id, OrderID: id, EventID: of, Amount: *euros(int64(1000 + 90*back)), Status: record.PaymentPaid, PaidAt: webtest.At("13:00"), UpdatedAt: webtest.ShowTime})
		}
	}
	return h
}

// What was booked in the period before by performance adds up to that of its days, with what sold only then and what belongs to none.
func TestWorkbookOfRevenueAddsUpBefore(t *testing.T) {
	r, h := webtest.Renderer(t), owing(t)
	past := h.Event("evt_past", "Norma", "Zaal", "19:00", "20:15", 500, webtest.OnDay(-3))
	h.Apply(&record.Ticket{ID: "norma", OrderID: "norma", EventID: past.ID, Status: record.TicketValid, Price: &record.Money{Amount: 4300, Currency: "EUR"},
		SoldAt: webtest.At("12:00").AddDate(0, 0, -8), UpdatedAt: webtest.ShowTime})
	tables := tablesOf(t, r, h.Snapshot(), webtest.RevenueView(4).As(web.Manager))
	sums := map[string]float64{}
	var only bool
	for _, name := range []string{"Days", "Performances"} {
		for _, row := range tables[name] {
			before, _ := strconv.ParseFloat(inFile(row, "booked_before_eur"), 64)
			sums[name] += before
			only = only || row["performance"] == past.ID && before == 43 && inFile(row, "booked_eur") == "0.00"
		}
	}
	if sums["Days"] != sums["Performances"] || !only {
		t.Errorf("booked before: %v; that which sold only then is there: %v", sums, only)
	}
}

// Beside last year a performance has what its corresponding one sold, and not its own sales of a year ago; what only sold then has a row.
func TestWorkbookOfRevenueBesideLastYear(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	ago := webtest.At("12:00").AddDate(0, 0, -364)
	far, past := h.Event("evt_far", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30)), h.Event("evt_past", "Norma", "Zaal", "19:00", "20:15", 500, webtest.OnDay(-300))
	h.SellOne(far, webtest.At("12:00"), 1000)
	h.SellOne(far, ago, 2000)
	h.SellOne(past, ago, 4300)
	h.SellOne(past, ago.AddDate(0, 0, -60), 100) // what was sold is known from before
	got := map[string]string{}
	for _, row := range tablesOf(t, r, h.Snapshot(), webtest.View{Page: "revenue", Params: "against=last_year&period=month"}.As(web.Manager))["Performances"] {
		got[fmt.Sprint(row["performance"])] = inFile(row, "booked_before_eur")
	}
	if want := map[string]string{far.ID: "", past.ID: "43.00"}; !maps.Equal(got, want) {
		t.Errorf("booked a year before: %v, want %v", got, want)
	}
}

// The workbook of Revenue has what the page has: what is still open, what it is compared with, and the steps of the bridge, which add up.
func TestWorkbookOfRevenueIsThePage(t *testing.T) {
	r, s := webtest.Renderer(t), owing(t).Snapshot()
	q := webtest.RevenueView(4).As(web.Manager)
	page := webtest.Content(t, r, q, s, webtest.ShowTime).HTML
	tables := tablesOf(t, r, s, q)
	seen := map[string]bool{}
	for _, row := range tables["Performances"] {
		for name, key := range map[string]string{"open": "open_items_eur", "before": "booked_before_eur", "booked": "booked_eur"} {
			got := inFile(row, key)
			if want := shownIn(page["events-1"], "events-1-of-"+fmt.Sprint(row["performance"])+"-"+name); got != want {
				t.Errorf("%s of %v is %q, on the page %q", name, row["title"], got, want)
			}
			seen[name] = seen[name] || got != "" && got != "0.00"
		}
	}
	var befores []string // by day, the first first; the average price stands after them
	for _, row := range slices.Backward(strings.Split(webtest.FigureText(page["days-rows-1"]), "¦")[2:]) {
		cells := strings.Split(row, "§")
		befores = append(befores, strings.TrimSpace(cells[len(cells)-2]))
	}
	for i, row := range tables["Days"] {
		if before := inFile(row, "booked_before_eur"); len(befores) != len(tables["Days"]) || "€"+before != befores[i] {
			t.Errorf("%v was %q before, on the page %q", row["date"], before, befores)
		}
	}
	steps := webtest.FigureText(page["bridge-1"])
	var sum, net float64
	for _, row := range tables["Booked to received"] {
		amount, err := row["amount_eur"].(json.Number).Float64()
		if err != nil {
			t.Fatal(err)
		}
		if sum, net = sum+net, amount; !regexp.MustCompile(strings.ReplaceAll(fmt.Sprint(row["step"]), ",", "") + ` § [−+=]?\s*(?:≈ )?€` + regexp.QuoteMeta(strings.TrimPrefix(row["amount_eur"].(json.Number).String(), "-"))).MatchString(strings.ReplaceAll(steps, ",", "")) {
			t.Errorf("the step %v is not on the page: %s", row, steps)
		}
	}
	if n := len(tables["Booked to received"]); n < 5 || fmt.Sprintf("%.2f", sum) != fmt.Sprintf("%.2f", net) || net == 0 {
		t.Errorf("%d steps lead to %.2f, received are %.2f", n, sum, net)
	}
	if len(seen) != 3 || !seen["open"] || !seen["before"] {
		t.Errorf("nothing is compared of some: %v", seen)
	}
}

// The workbook of a night has who came late and what was booked on the day, as its rows have, and how many were inside at most; that of
// Events what was sold in seven days.
func TestWorkbooksHaveTheColumnsOfThePages(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	before := h.Event("evt_before", "Gisteren", "Foyer", "19:15", "20:00", 80, webtest.OnDay(-1))
	h.Sell(before, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.AddDate(0, 0, -1).Add(-3 * time.Hour), Paid: 25, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 15, From: webtest.At("19:20").AddDate(0, 0, -1), To: webtest.At("19:50").AddDate(0, 0, -1)}, {Gate: "A", N: 6, From: webtest.At("20:05").AddDate(0, 0, -1), To: webtest.At("20:15").AddDate(0, 0, -1)}}})
	h.Sell(before, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -1).Add(-3 * time.Hour), To: webtest.ShowTime.AddDate(0, 0, -1).Add(-time.Hour), Paid: 3})
	s := h.Snapshot()
	day := s.Calendar.Day(webtest.ShowTime).Add(-1)
	q := webtest.View{Page: "night", Params: query.Params("day=" + string(day))}.As(web.Manager)
	page := webtest.Content(t, r, q, s, webtest.ShowTime).HTML
	rows, some := strings.ReplaceAll(webtest.FigureText(page["performances"]), ",", ""), false
	tables := tablesOf(t, r, s, q)
	for _, row := range tables["Performances"] {
		late, booked := inFile(row, "came_late"), inFile(row, "booked_on_day_eur")
		line := regexp.MustCompile(regexp.QuoteMeta(fmt.Sprint(row["title"])) + ` §[^¦]*`).FindString(rows)
		if !strings.Contains(line, "€"+booked) || late != "" && !regexp.MustCompile(`§ `+late+` §`).MatchString(line) {
			t.Errorf("%v: %q came late, %q was booked on the day; on the page %q of %s", row["title"], late, booked, line, rows)
		}
		some = some || late != "" && booked != "" && booked != "0.00"
	}
	night := tables["Night report"]
	if !some || len(night) != 1 || inFile(night[0], "most_inside") == "" || !strings.Contains(webtest.FigureText(page["crowd"]), inFile(night[0], "most_inside")) || !strings.Contains(strings.ReplaceAll(webtest.FigureText(page["figs"]), ",", ""), inFile(night[0], "booked_on_day_eur")) {
		t.Errorf("of the night: %v, some late %t; on the page %s %s", tables, some, webtest.FigureText(page["crowd"]), webtest.FigureText(page["figs"]))
	}
	found := webtest.EventsView(t, map[string][]string{"from": {string(day.Add(1))}}).As(web.Manager)
	text, sold := webtest.FigureText(webtest.Page(t, r, found, s, webtest.ShowTime)), 0
	for _, row := range tablesOf(t, r, s, found)["Performances"] {
		n, known := row["sold_7_days"].(json.Number)
		if !known {
			continue
		}
		sold++
		if n.String() != "0" && !regexp.MustCompile(regexp.QuoteMeta(fmt.Sprint(row["title"]))+`[^¦]* \+`+n.String()+` net in 7 days`).MatchString(text) {
			t.Errorf("%v sold %v in seven days, on the page %s", row["title"], n, text)
		}
	}
	if sold == 0 {
		t.Error("no performance has what was sold in seven days")
	}
}

// The export of Marketing has the campaigns as the page lists them: what was sold, what is usual, and what came beside it with its band.
func TestExportOfMarketingHasCampaigns(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	for back, n := range map[int]int{2: 20, 9: 10, 16: 12, 23: 8, 30: 10} {
		at := webtest.At("12:00").AddDate(0, 0, -back)
		h.Sell(e, webtest.Sale{From: at, To: at.Add(time.Hour), Paid: n})
	}
	for name, from := range map[string]string{"Newsletter": "2026-11-18", "Radio": "2026-12-01"} {
		h.Apply(&record.Setting{Name: record.SettingCampaign, Of: name, From: from, Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	}
	rows, column := webtest.Export(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), ',')
	var got []string
	for _, row := range rows {
		if row[column["list"]] == "campaigns" {
			got = append(got, strings.Join([]string{row[column["from"]], row[column["to"]], row[column["part"]], row[column["figure"]], row[column["value"]], row[column["low"]], row[column["high"]]}, " "))
		}
	}
	text := webtest.FigureText(webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["campaigns"])
	if want := []string{"2026-11-18 2026-11-18 Newsletter campaign_sold 20  ", "2026-11-18 2026-11-18 Newsletter campaign_usual 10  ", "2026-11-18 2026-11-18 Newsletter campaign_extra 10 5 15"}; !slices.Equal(got, want) {
		t.Errorf("campaigns %q, want %q", got, want)
	}
	webtest.Wants(t, "the page", text, "Remove § ≈ 10 § ≈ +10", "20 places sold", "between +5 and +15")
}
