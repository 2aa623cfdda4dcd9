package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// An average and what only cancelled performances owe have no sum over those that go ahead.
func TestSumRowSumsOnlyWhatAddsUp(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	off := h.Event("evt_sold_off", "Ook afgelast", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Sell(off, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 7})
	rows, column := raw(t, workbook(t, r, webtest.Tonight, h.Snapshot()), "Performances")
	sums := rows[len(rows)-1]
	if got := sums[column["Average ticket price, EUR"]]; got != "" {
		t.Errorf("averages are added up to %s", got)
	}
	if got := sums[column["To pay back, cancelled, EUR"]]; got != "" {
		t.Errorf("what only cancelled performances owe adds up to %s where they are left out", got)
	}
}

// The days of sale of a performance's workbook sum to what is sold, also where the service gives no day of a sale.
func TestSaleDaysSheetSumsToThePage(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	e := h.Event("evt_undated", "Zonder dag", "Foyer", "19:15", "20:00", 200)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 10})
	for i := range 5 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("undated", i), EventID: "evt_undated", OrderID: fmt.Sprint("ou", i), Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}})
	}
	h.Apply(&record.Ticket{ID: "ahead", EventID: "evt_undated", OrderID: "oa", Status: record.TicketValid, SoldAt: webtest.ShowTime.Add(26 * time.Hour), Price: &record.Money{Amount: 1000, Currency: "EUR"}})
	s := h.Snapshot()
	want := s.Event("evt_undated")
	f := workbook(t, r, webtest.EventView("evt_undated").As(web.Manager), s)
	for _, tab := range f.GetSheetList()[:len(f.GetSheetList())-1] {
		rows, column := raw(t, f, tab)
		sums := rows[len(rows)-1]
		if sums[column["Sold"]] != strconv.Itoa(want.Sold.Value) {
			t.Errorf("%s sums to %s sold without a word on the rest, the page has %d", tab, sums[column["Sold"]], want.Sold.Value)
		}
	}
}

// Nobody is expected of a performance that is postponed: its row has no number that the sum leaves out.
func TestSheetExpectsNobodyOfWhatIsPostponed(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	e := h.Event("evt_postponed", "Uitgesteld", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventPostponed })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 7})
	rows, column := raw(t, workbook(t, r, webtest.Tonight, h.Snapshot()), "Performances")
	found := false
	for _, row := range rows {
		if len(row) > column["Expected"] && slices.Contains(row, "evt_postponed") {
			if found = true; row[column["Expected"]] == "7" || row[column["Sold"]] != "7" {
				t.Errorf("%q expected, %q sold", row[column["Expected"]], row[column["Sold"]])
			}
		}
	}
	if !found {
		t.Error("it has no row")
	}
}

// There is no sum of what some row does not know, and the last column says of which sums a part is not certain.
func TestSumRowHasItsQuality(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	h.Sell(h.Event("evt_open", "Zonder capaciteit", "Foyer", "19:15", "20:00", 0, func(e *record.Event) { e.Capacity = nil }), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 300})
	rows, column := raw(t, workbook(t, r, webtest.Tonight, h.Snapshot()), "Performances")
	sums := rows[len(rows)-1]
	for head, want := range map[string]string{"Capacity": "", "Free": "", "Sold": "1613"} {
		if got := sums[column[head]]; got != want {
			t.Errorf("%s sums to %q, want %q", head, got, want)
		}
	}
	if got := sums[column["Certainty"]]; !strings.Contains(got, "Not known of all: Capacity, ") {
		t.Errorf("of the sums' certainty it says %q", got)
	}
}

// What the days of Revenue are compared with is summed only where the days of both sums are the same, and those of the page: not if some of
// those before are not known, or exceptional ones are left out.
func TestSumRowComparesLikeWithLike(t *testing.T) {
	const from = 9 // days ago, the first that is known
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	for back := range from + 1 {
		h.SellOne(e, webtest.At("12:00").AddDate(0, 0, -back), 1000)
	}
	h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: webtest.At("12:00").AddDate(0, 0, -1).Format(time.DateOnly), Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	s := h.Snapshot()
	for _, c := range []struct {
		days    int
		without string
		before  string // its sum
	}{{3, "", "30.00"}, {5, "", ""}, {3, "exceptional", ""}} {
		q := webtest.RevenueView(c.days)
		values := q.Params.Values()
		if c.without != "" {
			values.Set("without", c.without)
		}
		q.Params = query.Params(values.Encode())
		rows, column := raw(t, workbook(t, r, q.As(web.Manager), s), "Days")
		last, seen := rows[len(rows)-1], 0
		for head, i := range column {
			if strings.HasPrefix(head, "Booked, ") && head != "Booked, EUR" && head != "Booked, net of VAT, EUR" {
				if seen++; last[i] != c.before || last[column["Booked, EUR"]] != fmt.Sprintf("%d.00", c.days*10) || rows[c.days-1][i] == "" {
					t.Errorf("%d days without %q, %s: %q, the last day %q, of booked %q", c.days, c.without, head, last[i], rows[c.days-1][i], last[column["Booked, EUR"]])
				}
			}
		}
		if seen != 1 {
			t.Errorf("%d days without %q: compared %d times, %v", c.days, c.without, seen, column)
		}
	}
}

// A house with refunds in two currencies: each number of refunds has a key of its own in the JSON.
func TestRefundNumbersInJSONByCurrency(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	at := webtest.ShowTime.Add(-time.Hour)
	for _, c := range []struct{ id, code string }{{"x1", "EUR"}, {"x2", "EUR"}, {"x3", "EUR"}, {"x4", "USD"}} {
		h.Apply(&record.Payment{ID: c.id, EventID: "evt_mat", Kind: record.KindOfPayment, Amount: record.Money{Amount: 5000, Currency: c.code}, Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at})
		h.Apply(&record.Payment{ID: c.id + "r", EventID: "evt_mat", ParentID: c.id, Kind: record.KindOfRefund, Reason: "Illness", Amount: record.Money{Amount: 1000, Currency: c.code}, Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at})
	}
	s := h.Snapshot()
	var b bytes.Buffer
	if _, err := r.Sheets(&b, web.Frame{Request: webtest.View{Page: "revenue", Params: "against=before&period=week"}.As(web.Manager), Snapshot: s, Now: webtest.ShowTime, Ready: true}, web.SheetOfJSON); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Tables []struct {
			Title   string
			Columns []struct{ Key, Title string }
			Rows    []map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	last := all.Tables[len(all.Tables)-1]
	seen := map[string]bool{}
	for _, c := range last.Columns {
		if seen[c.Key] {
			t.Errorf("%s: two columns have the key %q (%+v)", last.Title, c.Key, last.Columns)
		}
		seen[c.Key] = true
	}
	if row := fmt.Sprint(last.Rows); !strings.Contains(row, "refunds_eur:3") || !strings.Contains(row, "refunds_usd:1") {
		t.Errorf("the rows are %s", row)
	}
}

// The performances have the sum before that the days have, also where nothing moved since of some.
func TestSumOfPerformancesBeforeIsThatOfTheDays(t *testing.T) {
	r := webtest.Renderer(t)
	for _, quiet := range []bool{false, true} {
		h := webtest.NewHouse()
		of := []*record.Event{h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30)), h.Event("evt_b", "Aida", "Zaal", "19:00", "20:15", 500, webtest.OnDay(31))}
		for back := range 10 {
			for i, e := range of {
				if !quiet || i == 0 || back >= 3 {
					h.SellOne(e, webtest.At("12:00").AddDate(0, 0, -back), int64(1000*(i+1)))
				}
			}
		}
		f := workbook(t, r, webtest.RevenueView(3).As(web.Manager), h.Snapshot())
		for tab, want := range map[string]string{"Days": "90.00", "Performances": "90.00"} {
			rows, column := raw(t, f, tab)
			at, sums := 0, rows[len(rows)-1]
			for head, n := range column {
				if strings.HasPrefix(head, "Booked, ") && n > at { // the last
					at = n
				}
			}
			got, _ := strconv.ParseFloat(sums[at], 64)
			if is, _ := strconv.ParseFloat(want, 64); at == 0 || got != is || (sums[at] == "") != (want == "") {
				t.Errorf("%s, quiet: %t: the sum before is %q, want %q", tab, quiet, sums[at], want)
			}
			if noted := strings.Contains(strings.Join(sums, " "), "No sum, as some of it is in no row: Booked, "); noted != (want == "") {
				t.Errorf("%s, quiet: %t: noted %t: %q", tab, quiet, noted, sums)
			}
		}
	}
}
