package night_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/query"
	"housecount/web/webtest"
	"housecount/web/words"
)

// monday is the morning after the week of the tests, and mondayDay its day.
var monday, mondayDay = webtest.At("07:30").AddDate(0, 0, 3), "2026-11-23"

// weeks returns a house with performances on two days of the week, in the week before and perhaps a year before, a budget,
// and one performance in the week that begins.
func weeks(t *testing.T, sinceAYear bool) *webtest.House {
	t.Helper()
	h := webtest.NewHouse()
	show := func(id string, after, capacity, sold, came int) {
		e := h.Event(id, "Titel "+id, "Zaal", "19:00", "20:00", capacity, webtest.OnDay(after))
		h.Sell(e, webtest.Sale{From: e.DoorsAt.Add(-5 * time.Hour), To: e.DoorsAt.Add(-time.Hour), Paid: sold, Scans: true, In: []webtest.GateIn{{Gate: "A", N: came, From: e.DoorsAt, To: e.StartsAt}}})
	}
	show("tuesday", -3, 40, 30, 20)
	show("friday", 0, 50, 10, 9)
	h.Event("evt_off", "Afgelast", "Zolder", "19:00", "20:00", 20, webtest.OnDay(1), func(e *record.Event) { e.Status = record.EventCancelled })
	show("before", -10, 40, 15, 12)
	show("first", -21, 10, 1, 1)
	if sinceAYear {
		show("year", -364, 40, 25, 24)
		show("older", -380, 40, 2, 2)
		show("oldest", -390, 40, 2, 2)
	}
	next := h.Event("next", "Straks", "Foyer", "19:00", "20:00", 80, webtest.OnDay(5))
	h.Sell(next, webtest.Sale{From: webtest.At("10:00"), To: webtest.At("11:00"), Paid: 7, Scans: true})
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(300_000)), At: webtest.ShowTime, By: "Mia"})
	h.AsOf, h.Health = monday, webtest.Healthy(monday)
	return h
}

// cells returns the rows of a letter's tables by their first words.
func cells(html string) map[string][]string {
	html = regexp.MustCompile(`(?s)<table class="bar".*?</table>`).ReplaceAllString(html, "")
	rows := map[string][]string{}
	for row := range strings.SplitSeq(html, "<tr") {
		var all []string
		for _, cell := range regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`).FindAllStringSubmatch(row, -1) {
			all = append(all, strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(cell[1], " ")), " "))
		}
		if len(all) > 0 {
			rows[all[0]] = all[1:]
		}
	}
	return rows
}

// first returns what the group of a pattern matches first.
func first(t *testing.T, in, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(in)
	if m == nil {
		t.Fatalf("%q is not in %s", pattern, in)
	}
	return m[1]
}

// The week's letter says what the night reports, Revenue and the pages of performances say at the same moment.
func TestWeekAgreesWithThePages(t *testing.T) {
	r, h := webtest.Renderer(t), weeks(t, true)
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
		page := func(v webtest.View) map[string]string {
			all := webtest.Content(t, r, v.As(role), h.Snapshot(), monday).HTML
			for id := range all {
				all[id] = webtest.FigureText(all[id])
			}
			return all
		}
		money := role == web.Manager || role == web.Admin
		letter := write(t, h, role, web.English, night.Week, mondayDay, monday)
		if got := strings.Contains(letter.HTML+letter.Plain, "€"); got != money {
			t.Errorf("%s: the letter has amounts: %t", role, got)
		}
		rows := cells(letter.HTML)
		sums := make([]int, 3)
		for day, name := range map[string]string{"2026-11-17": "Tue 17 Nov", "2026-11-20": "Fri 20 Nov"} {
			figs := page(webtest.View{Page: "night", Params: query.Params("day=" + day)})["figs"]
			want := []string{first(t, figs, `of ([\d,]+) sold`), first(t, figs, `Came ([\d,]+)`), first(t, figs, `Did not come ([\d,]+)`)}
			for i := range want {
				n, err := strconv.Atoi(want[i])
				if err != nil {
					t.Fatal(err)
				}
				sums[i] += n
			}
			if money {
				want = append(want, first(t, figs, `Booked on the day (€[\d,.]+)`))
			}
			if got := rows[name]; !slices.Equal(got, want) {
				t.Errorf("%s: the letter says %q of %s, the night report %q", role, got, day, want)
			}
		}
		if got, want := rows["Week"][:3], []string{strconv.Itoa(sums[0]), strconv.Itoa(sums[1]), strconv.Itoa(sums[2])}; !slices.Equal(got, want) || sums[0] != 40 || sums[1] != 29 {
			t.Errorf("%s: the week is %q, its nights %q", role, got, want)
		}
		for term, id := range map[string]string{"Best Tue 17 Nov": "tuesday", "Least Fri 20 Nov": "friday"} {
			tiles := page(webtest.EventView(id))["figures"]
			want := []string{"Titel " + id, first(t, tiles, `Sold ([\d,]+)`), first(t, tiles, `Sold [\d,]+ ([\d.]+%)`)}
			if got := rows[term]; !slices.Equal(got, want) {
				t.Errorf("%s: %s is %q, on its page %q", role, term, got, want)
			}
		}
		if !money {
			continue
		}
		glance := func(against string) string {
			return page(webtest.View{Page: "revenue", Params: query.Params(url.Values{"period": {"custom"}, "from": {"2026-11-16"}, "to": {"2026-11-22"}, "against": {against}}.Encode())})["glance"]
		}
		booked := first(t, glance("before"), `These days, [^€]*(€[\d,.]+)`)
		if rows["Week"][3] != booked || !strings.Contains(letter.Plain, "Booked: "+booked+"  47") {
			t.Errorf("the week's bookings are %q, on Revenue %s", rows["Week"], booked)
		}
		for title, of := range map[string]string{"The week before Mon 9 Nov to Sun 15 Nov": glance("before"), "The same week last year Mon 17 Nov 2025 to Sun 23 Nov 2025": glance("last_year")} {
			want := first(t, of, `[\d%] on (€[\d,.]+), `) + " " + first(t, of, `([+−-]?[\d.,]+%) on €`)
			if got := rows[title]; len(got) != 4 || got[3] != want {
				t.Errorf("%s is %q, on Revenue %q; of %q", title, got, want, rows)
			}
		}
		of := glance("budget")
		want := first(t, of, `a budget of ≈.(€[\d,.]+)`)
		if got := rows["Budget"]; len(got) != 4 || !strings.Contains(got[3], want) || !strings.HasSuffix(got[3], first(t, of, `([+−-]?[\d.,]+%) : €`)) {
			t.Errorf("the budget is %q, on Revenue %s", got, of)
		}
		for _, day := range []string{"Mon 16 Nov", "Wed 18 Nov", "Sat 21 Nov", "Sun 22 Nov"} {
			if got := strings.Join(rows[day], " "); got != "— — — €0.00" {
				t.Errorf("%s, without a performance, is %q", day, got)
			}
		}
	}
}

// A week is compared with what is known alone; the letter leads to the week, and says what comes.
func TestWeekOfAYoungHouse(t *testing.T) {
	h := weeks(t, false)
	letter := write(t, h, web.Manager, web.English, night.Week, mondayDay, monday)
	if want := "De Waag: Last week: 29 came"; letter.Subject != want {
		t.Errorf("the subject is %q, want %q", letter.Subject, want)
	}
	webtest.Wants(t, "the letter", letter.Plain, "The week before", "Budget", "Best  Tue 17 Nov  Titel tuesday", "The week ahead, Mon 23 Nov to Sun 29 Nov", "Wednesday 25\u00a0November", "20:00  Straks  Foyer", "Sold 7", "Free ≈\u00a073")
	webtest.Lacks(t, "the letter", letter.Plain+letter.HTML, "last year", "<script", "<img", "http://")
	webtest.Wants(t, "the letter", letter.HTML, `href="https://house.example/revenue?from=2026-11-16&amp;period=custom&amp;to=2026-11-22"`, `href="https://house.example/events/tuesday"`, `href="https://house.example/events/next"`)
	webtest.Wants(t, "the letter", write(t, h, web.Door, web.English, night.Week, mondayDay, monday).HTML, `href="https://house.example/calendar?day=2026-11-16&amp;span=week"`)
	if letter := write(t, webtest.NewHouse(), web.Manager, web.English, night.Week, mondayDay, monday); letter != nil {
		t.Errorf("a letter about nothing:\n%s", letter.Plain)
	}
	for _, l := range words.Locales {
		if letter := write(t, h, web.Manager, l, night.Week, mondayDay, monday); strings.Contains(letter.Plain, "letter.") || strings.Contains(letter.Plain, "{") {
			t.Errorf("%s: words are missing:\n%s", l, letter.Plain)
		}
	}
}
