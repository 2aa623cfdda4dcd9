package money_test

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// What is exported of Revenue is what the page shows, row by row, and each figure is what explains it.
func TestExportOfRevenueIsThePage(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	s := h.Snapshot()
	v := evening.At(s, webtest.ShowTime)
	shown := webtest.Page(t, r, webtest.RevenueView(7).As(web.Manager), s, webtest.ShowTime)
	rows, column := webtest.Export(t, r, webtest.RevenueView(7).As(web.Manager), s, ',')
	days, performances := 0, 0
	var reasons []string
	var booked int64
	for _, row := range rows {
		scope := figures.Scope{From: figures.Day(row[column["from"]]), To: figures.Day(row[column["to"]]), Currency: row[column["currency"]]}
		switch row[column["row"]] {
		case "refund_reason": // a part of the total of refunds
			reasons = append(reasons, row[column["reason"]]+" "+row[column["refunded"]])
			continue
		case "day":
			days++
		case "performance":
			performances++
			if scope.Event = row[column["performance"]]; scope.Event == "" {
				continue
			}
			cell := regexp.MustCompile(`id="events-1(?:-rest)?-of-` + regexp.QuoteMeta(scope.Event) + `-booked"[^>]*>(?:<[^>]*>)*([^<]*)<`).FindStringSubmatch(shown)
			if cell == nil || webtest.AmountOf(html.UnescapeString(cell[1])) != row[column["booked"]] {
				t.Errorf("%s booked %s, on the page %v", scope.Event, row[column["booked"]], cell)
			}
		}
		for _, d := range catalogue.All() {
			at, is := column[string(d.Key)]
			if d.Key == figures.KeyStandsIn { // of a service that reports payments nothing stands in for them
				if is {
					t.Fatalf("%s has a column", d.Key)
				}
				continue
			}
			scope := scope
			scope.Orders = slices.Contains([]figures.Key{figures.KeyGoodwill, figures.KeyToBePaid, figures.KeyToBePaidBack, figures.KeyOpenItems}, d.Key)
			if x, ok := catalogue.Explain(v, d.Key, scope); !ok {
				if is && row[at] != "" {
					t.Errorf("%+v has no %s: %q", scope, d.Key, row[at])
				}
			} else if d.Unit == figures.Money && x.Known() {
				if got := words.Of(words.English).Money(x.Amount.In("EUR"), "EUR"); webtest.AmountOf(got) != row[at] || row[at+1] != []string{"exact", "estimated", "lower_bound"}[x.Quality] {
					t.Errorf("%s of %+v is %v, exported as %q, %q", d.Key, scope, got, row[at], row[at+1])
				}
			} else if !x.Known() && (row[at] != "" || row[at+1] != "unknown") {
				t.Errorf("%s of %+v is not known, exported as %q, %q", d.Key, scope, row[at], row[at+1])
			}
			if d.Key == figures.KeyBooked && row[column["row"]] == "day" {
				x, _ := catalogue.Explain(v, d.Key, scope)
				booked += x.Amount.In("EUR")
			}
		}
	}
	total, _ := catalogue.Explain(v, figures.KeyBooked, figures.Scope{From: "2026-11-14", To: "2026-11-20", Currency: "EUR"})
	if days != 7 || performances < 5 || booked != total.Amount.In("EUR") || rows[0][column["booked"]] == "0.00" {
		t.Errorf("%d days, %d performances, booked %d of %d", days, performances, booked, total.Amount.In("EUR"))
	}
	if got := strings.Join(reasons, "; "); got != "No reason given 90.00" {
		t.Errorf("reasons of refunds: %s", got)
	}
	if !slices.ContainsFunc(webtest.FigureLink.FindAllStringSubmatch(shown, -1), func(link []string) bool {
		return webtest.AmountOf(html.UnescapeString(link[2])) == rows[0][column["booked"]]
	}) {
		t.Errorf("booked in all, %s, is not on the page", rows[0][column["booked"]])
	}
}

// What a period is compared with is in its export, up to the same point, and the days of that are the sum.
func TestExportOfRevenueIsCompared(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	v, some := evening.At(s, webtest.ShowTime), false
	for days := range 7 {
		rows, column := webtest.Export(t, r, webtest.RevenueView(days+1).As(web.Manager), s, ',')
		c := compare.Compare(v, compare.NewSpan(v, v.Today.Add(-days), v.Today), compare.TheOneBefore)
		at, is := column["booked_before"]
		if compared := c.Comparable() && c.KnownFrom == ""; is != compared || !is {
			if is || compared {
				t.Errorf("of %d days it is exported: %v", days+1, is)
			}
			continue
		}
		sums := map[string]float64{}
		for _, row := range rows {
			amount, _ := strconv.ParseFloat(row[at], 64)
			sums[row[column["row"]]] += amount
		}
		if want := float64(c.ComparedBefore.Of(figures.Booked).In("EUR")) / 100; sums["total"] != want || sums["day"] != want {
			t.Errorf("of %d days it is %v, want %v", days+1, sums, want)
		}
		some = some || sums["total"] != 0
	}
	if !some {
		t.Error("nothing was compared")
	}
}
