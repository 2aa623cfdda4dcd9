package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// An estimate of a performance is exported with its band.
func TestExportHasBands(t *testing.T) {
	s, some := webtest.Selling().Snapshot(), false
	rows, column := webtest.Export(t, webtest.Renderer(t), webtest.EventView("evt_own").As(web.Manager), s, ',')
	for _, row := range rows {
		x, _ := catalogue.Explain(evening.At(s, webtest.ShowTime), figures.Key(row[column["figure"]]), figures.Scope{Event: "evt_own"})
		low, high := "", ""
		if x.Band != (figures.Band{}) {
			some, low, high = true, strconv.Itoa(x.Band.Low), strconv.Itoa(x.Band.High)
		}
		if row[column["low"]] != low || row[column["high"]] != high {
			t.Errorf("%s is %q to %q, want %q to %q", x.Key, row[column["low"]], row[column["high"]], low, high)
		}
	}
	if !some {
		t.Error("nothing has a band")
	}
}

// The days, and the performances with what belongs to none, are the sum to the cent, in every currency, whatever
// is sold, paid back, charged back or of nobody.
func TestExportsSum(t *testing.T) {
	for seed := range uint64(12) {
		h := webtest.NewHouse()
		h.Rng = rand.New(rand.NewPCG(seed, 7))
		currencies := []string{"EUR", "EUR", "USD"}
		amount := func(most int) record.Money {
			return record.Money{Amount: int64(h.Rng.IntN(most)), Currency: currencies[h.Rng.IntN(3)]}
		}
		moment := func() time.Time { return webtest.ShowTime.Add(-time.Duration(h.Rng.IntN(12*24*60)) * time.Minute) }
		for i := range 6 {
			h.Event(fmt.Sprint("evt_", i), "Avond", "Zaal", "19:15", "20:00", 100, webtest.OnDay(i-2))
		}
		for i := range 150 {
			price, vat := amount(9999), amount(500)
			vat.Currency = price.Currency
			r := &record.Ticket{ID: h.ID("tkt"), EventID: fmt.Sprint("evt_", h.Rng.IntN(7)), OrderID: fmt.Sprint("ord_", i/2), Status: record.TicketValid, Price: &price, VAT: &vat, Fee: &record.Money{Amount: int64(h.Rng.IntN(300)), Currency: price.Currency}, SoldAt: moment(), UpdatedAt: webtest.ShowTime}
			if h.Rng.IntN(4) == 0 {
				r.Status, r.CancelledAt = record.TicketRefunded, webtest.ShowTime.Add(-time.Duration(h.Rng.IntN(900))*time.Minute)
			}
			h.Apply(r)
			p := &record.Payment{ID: h.ID("pay"), OrderID: r.OrderID, Amount: price, Status: record.PaymentPaid, PaidAt: r.SoldAt, CreatedAt: r.SoldAt, UpdatedAt: webtest.ShowTime}
			if h.Rng.IntN(8) == 0 {
				p.OrderID = ""
			}
			h.Apply(p)
			if kind := h.Rng.IntN(9); kind < 3 {
				back := *p
				back.ID, back.ParentID, back.Kind = h.ID("back"), p.ID, []record.PaymentKind{record.KindOfRefund, record.KindOfChargeback, record.KindOfRefund}[kind]
				back.PaidAt, back.Amount.Amount = moment(), int64(h.Rng.IntN(int(p.Amount.Amount)+1))
				if kind == 2 {
					back.Status = record.PaymentPending
				}
				h.Apply(&back)
			}
		}
		s := h.Snapshot()
		rows, column := webtest.Export(t, webtest.Renderer(t), webtest.RevenueView(7).As(web.Manager), s, ',')
		sums := map[string]map[string]int64{} // by currency and figure, then by kind of row
		for _, d := range catalogue.All() {
			at, is := column[string(d.Key)]
			ofAll := []figures.Key{figures.KeyBudget, figures.KeyOverBudget, figures.KeyUnattributed} // which no performance has
			if !is || d.Unit != figures.Money || slices.Contains(ofAll, d.Key) {
				continue
			}
			for _, row := range rows {
				of := row[column["currency"]] + " " + string(d.Key)
				if sums[of] == nil {
					sums[of] = map[string]int64{}
				}
				if cents, err := strconv.ParseInt(strings.Replace(row[at], ".", "", 1), 10, 64); err == nil {
					sums[of][row[column["row"]]] += cents
				} else if row[at] != "" {
					t.Fatalf("%s is %q", of, row[at])
				}
			}
		}
		for of, by := range sums {
			if by["day"] != by["total"] || by["performance"] != by["total"] {
				t.Errorf("seed %d, %s: %v", seed, of, by)
			}
		}
		if sums["EUR booked"]["total"] == 0 || sums["USD refunded"]["total"] == 0 || sums["EUR fees"]["total"] == 0 || sums["EUR vat"]["total"] == 0 {
			t.Errorf("seed %d: nothing is compared: %v", seed, sums)
		}
	}
}

// A spreadsheet takes no title for a formula, and reads numbers as the person's language writes them.
func TestExportForSpreadsheets(t *testing.T) {
	h := webtest.Small(t)
	h.Event("evt_x", "  =cmd|'/C calc'!A1", "Zaal", "20:15", "22:00", 10)
	h.Apply(&record.Ticket{ID: "tkt_x", EventID: "evt_x", Status: record.TicketValid, Price: &record.Money{Amount: 123450, Currency: "EUR"}, SoldAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	r, s := webtest.Renderer(t), h.Snapshot()
	for locale, want := range map[words.Locale]struct {
		comma  rune
		amount string
	}{words.English: {',', "1234.50"}, words.Dutch: {';', "1234,50"}, words.German: {';', "1234,50"}} {
		for _, v := range []webtest.View{webtest.RevenueView(7), webtest.EventView("evt_x")} {
			rows, column := webtest.Export(t, r, webtest.In(locale, v.As(web.Manager)), s, want.comma)
			i := slices.IndexFunc(rows, func(row []string) bool {
				return row[column["performance"]] == "evt_x" && slices.Contains(row, want.amount)
			})
			if i < 0 || !strings.HasPrefix(rows[i][column["title"]], "'") || !strings.Contains(rows[i][column["title"]], "=cmd") {
				t.Errorf("%s of %s: %q", locale, v.Page, rows)
			}
		}
	}
	for text, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", " \n=1": "' \n=1", "＝1": "'＝1", "De = Vader": "De = Vader", "": ""} {
		if got := web.Cell(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// Nothing is exported that a role may not see.
func TestExportKeepsToTheAccess(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	for _, role := range web.Roles {
		rows, column := webtest.Export(t, r, webtest.EventView("evt_mat").As(role), s, ',')
		for _, row := range rows {
			d := catalogue.Define(figures.Key(row[column["figure"]]))
			if may := d.Unit != figures.Money || role == web.Manager || role == web.Admin || role == web.BoxOffice && d.Today; !may {
				t.Errorf("%s is given %q", role, row)
			}
		}
		if len(rows) < 15 {
			t.Errorf("%s is given %d figures", role, len(rows))
		}
		var b bytes.Buffer
		if _, err := r.Export(&b, web.Frame{Request: webtest.RevenueView(7).As(role), Snapshot: s, Now: webtest.ShowTime, Ready: true}); (err == nil) != (role == web.Manager || role == web.Admin) || err != nil && !errors.Is(err, web.ErrForbidden) {
			t.Errorf("%s exports Revenue: %v", role, err)
		}
	}
	if _, err := r.Export(&bytes.Buffer{}, web.Frame{Request: webtest.EventsView(t, nil).As(web.Manager), Snapshot: s, Now: webtest.ShowTime, Ready: true}); !errors.Is(err, web.ErrNotFound) {
		t.Errorf("Events is exported: %v", err)
	}
}

// The exports of Tonight and of Marketing have what explains each figure, of the evening, of last night, of each of their
// performances, and of each part of the sales.
func TestExportsAreExplained(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	s, marked := h.Snapshot(), map[string]int{}
	same := func(rows [][]string, column map[string]int, k figures.Key, scope figures.Scope, subject ...string) [][]string {
		t.Helper()
		x, ok := catalogue.Explain(evening.At(s, webtest.ShowTime), k, scope)
		if !ok {
			t.Fatalf("%+v has no %s", scope, k)
		}
		codes := []string{""}
		if x.Unit == figures.Money {
			if codes = nil; len(x.Amount) == 0 {
				if codes = []string{"EUR"}; scope.Event != "" && len(s.Event(scope.Event).Revenue.Of(figures.Booked).Value) == 0 {
					codes = []string{""}
				}
			}
			for _, m := range x.Amount {
				codes = append(codes, m.Currency)
			}
		}
		for _, code := range codes {
			if len(rows) == 0 {
				t.Fatalf("%s of %+v is not exported", k, scope)
			}
			row := rows[0]
			rows = rows[1:]
			want := ""
			switch {
			case !x.Known():
			case x.Unit.Ratio():
				want = strconv.FormatFloat(x.Share, 'f', 4, 64)
			case x.Unit == figures.Money:
				if want = webtest.AmountOf(words.Of(words.English).Money(x.Amount.In("EUR"), "EUR")); code == "" { // of which no currency is known
					want = "0"
				}
			default:
				want = strconv.Itoa(x.Count)
			}
			if row[column["figure"]] != string(k) || row[column["value"]] != want || row[column["currency"]] != code || !slices.Equal(row[:len(subject)], subject) {
				t.Fatalf("%s of %+v is %q, want %q of %q", k, scope, row, want, subject)
			}
			quality := "exact"
			if x.Quality != figures.Exact { // as the mark of the number on pages
				quality = strings.Replace(web.QualityCode(x.Quality, x.Reasons), "at_least", "lower_bound", 1)
			}
			if marked[quality]++; row[column["quality"]] != quality {
				t.Fatalf("%s of %+v is %s, want %s", k, scope, row[column["quality"]], quality)
			}
		}
		return rows
	}
	v := evening.At(s, webtest.ShowTime)
	for _, role := range []web.Role{web.Door, web.Manager} {
		rows, column := webtest.Export(t, r, webtest.View{Page: "tonight"}.As(role), s, ',')
		of := func(scope figures.Scope, subject ...string) {
			catalogue.Each(v, scope, func(d *catalogue.Definition, _ figures.Value) {
				if role == web.Manager || d.Unit != figures.Money && !d.OfSalesOnly() {
					rows = same(rows, column, d.Key, scope, subject...)
				}
			})
		}
		of(figures.Scope{}, "", "All", "2026-11-20")
		for _, show := range v.Shows {
			of(figures.Scope{Event: show.Event.ID}, show.Event.ID, show.Event.Title, "2026-11-20")
		}
		if len(rows) > 0 {
			t.Errorf("%s is given more: %q", role, rows[0])
		}
	}
	rows, column := webtest.Export(t, r, webtest.Marketing.As(web.Manager), s, ',')
	from, to := figures.Day(rows[0][column["from"]]), figures.Day(rows[0][column["to"]])
	all := figures.Scope{From: from, To: to, Performances: true}
	catalogue.Each(v, all, func(d *catalogue.Definition, _ figures.Value) {
		rows = same(rows, column, d.Key, all, string(from), string(to), "", "")
	})
	m, parts := marketing.Of(v, from, to), map[figures.Split]int{}
	for _, by := range figures.Splits {
		for part := range m.PartsBy(by) {
			of := all
			of.By, of.Part = by, part.Name
			catalogue.EachOfPart(part, func(d *catalogue.Definition, _ figures.Value) {
				parts[by]++
				rows = same(rows, column, d.Key, of, string(from), string(to), string(by))
			})
		}
		if parts[by] == 0 {
			t.Errorf("nothing is exported by %s", by)
		}
	}
	if len(rows) > 0 {
		t.Errorf("more is exported: %q", rows[0])
	}
	if marked["at_most"] == 0 || marked["estimated"] == 0 {
		t.Errorf("of each quality: %v", marked)
	}
}
