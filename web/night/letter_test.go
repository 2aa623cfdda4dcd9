package night_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/query"
	"housecount/web/webtest"
	"housecount/web/words"
)

// write returns a letter to a role, in a language.
func write(t *testing.T, h *webtest.House, role web.Role, l words.Locale, name, day string, now time.Time) *night.Letter {
	t.Helper()
	q := webtest.View{Page: "night"}.As(role)
	q.Locale = l
	letter, err := night.NewLetter(t.Context(), webtest.Renderer(t), web.Frame{Request: q, Snapshot: h.Snapshot(), Now: now, Ready: true},
		night.LetterTo{Name: name, Day: figures.Day(day), Venue: "De Waag", Public: "https://house.example", Stop: "https://house.example/letters/stop/TOKEN"})
	if err != nil {
		t.Fatal(err)
	}
	return letter
}

// numbers returns the texts of the row with a title, in a page or a letter, that follow the title.
func numbers(html, title string) []string {
	html = regexp.MustCompile(`(?s)<table class="bar".*?</table>`).ReplaceAllString(html, "")
	for row := range strings.SplitSeq(html, "<tr") {
		if _, after, ok := strings.Cut(row, title); ok {
			after, _, _ = strings.Cut(after, "</tr>")
			return strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(after, " "))
		}
	}
	return nil
}

// A letter says what the report of the night says at the same moment, for whoever reads it.
func TestLetterAgreesWithTheReport(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	now := webtest.At("07:30")
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
		letter := write(t, h, role, web.English, night.Morning, "2026-11-20", now)
		page := webtest.Page(t, r, webtest.View{Page: "night"}.As(role), h.Snapshot(), now)
		got, want := numbers(letter.HTML, "Gisteren"), numbers(page, "Gisteren")
		if !slices.Equal(got[:3], []string{want[1], want[2], want[4]}) || want[1] != "60" || want[3] != "0" { // who came late is in the report alone
			t.Errorf("%s: the letter says %q of a performance, the page %q", role, got, want)
		}
		if !strings.Contains(letter.Plain, "Sold 60  Came 40  Did not 20") {
			t.Errorf("%s: the plain letter is\n%s", role, letter.Plain)
		}
		if got, want := strings.Contains(letter.HTML, "€"), role == web.Manager || role == web.Admin; got != want || strings.Contains(letter.Plain, "€") != want {
			t.Errorf("%s: the letter has amounts: %t", role, got)
		}
	}
	letter := write(t, h, web.Manager, web.English, night.Morning, "2026-11-20", now)
	if want := "De Waag: Last night: 40 came"; letter.Subject != want {
		t.Errorf("the subject is %q, want %q", letter.Subject, want)
	}
	webtest.Wants(t, "the letter", webtest.Text(letter.HTML), "Last night: 40 came", "Booked on the day", "Thu 12 Nov: €0.00", "Afgelast", "cancelled", "Vanavond", "Open housecount", "Stop these letters")
	webtest.Wants(t, "the letter", letter.HTML, `href="https://house.example/events/evt_past"`, `href="https://house.example/events/evt_now"`, `href="https://house.example/night?day=2026-11-19"`, `href="https://house.example/letters/stop/TOKEN"`)
	webtest.Wants(t, "the gap at its head", letter.HTML, `<td style="padding-right: 12px"><b>housecount</b></td>`)
	webtest.Lacks(t, "the letter", letter.HTML, "<script", "<img", "<link", "http://", `src=`)
}

// After the evening the letter is about that evening and the next day; without either there is none.
func TestLetterAfterTheEvening(t *testing.T) {
	h := house(t)
	h.Event("evt_next", "Morgen", "Foyer", "19:00", "20:00", 80, webtest.OnDay(1))
	late := webtest.At("23:59")
	letter := write(t, h, web.Manager, web.English, night.Close, "2026-11-20", late)
	if letter == nil {
		t.Fatal("there is no letter after the evening")
	}
	webtest.Wants(t, "after the evening", letter.Plain, "Vanavond", "Morgen", "Saturday 21\u00a0November")
	webtest.Lacks(t, "after the evening", letter.Plain, "Gisteren")
	if letter := write(t, h, web.Manager, web.English, night.Close, "2026-11-20", webtest.At("20:30")); letter != nil {
		t.Errorf("a letter about an evening that goes on:\n%s", letter.Plain)
	}
	if letter := write(t, webtest.NewHouse(), web.Manager, web.English, night.Morning, "2026-11-20", late); letter != nil {
		t.Errorf("a letter about nothing:\n%s", letter.Plain)
	}
	if letter := write(t, h, web.Manager, web.English, night.Morning, "2026-11-23", webtest.At("07:30").AddDate(0, 0, 3)); letter != nil {
		t.Errorf("a letter about a day off:\n%s", letter.Plain)
	}
}

// The subject marks a figure that is not exact, and leaves why to the letter.
func TestSubjectHasNoReasons(t *testing.T) {
	h := house(t)
	h.Coverage.TicketsBehind = true
	letter := write(t, h, web.Manager, web.English, night.Close, "2026-11-20", webtest.At("23:59"))
	if !strings.ContainsAny(letter.Subject, "≥≈") || strings.Contains(letter.Subject, "(") {
		t.Errorf("the subject is %q", letter.Subject)
	}
}

// What was booked on a day that goes on is compared with the same day a week before up to the same point, as Revenue does, and a day
// that is over with all of it. Of days before the first that is known nothing is said.
func TestLetterComparesUpToTheSamePoint(t *testing.T) {
	h, late := house(t), webtest.At("23:30")
	e := h.Event("evt_next", "Morgen", "Foyer", "19:00", "20:00", 80, webtest.OnDay(1))
	for at, cents := range map[string]int64{"12:00": 10_00, "23:20": 2_00, "23:45": 50_00} {
		h.SellOne(e, webtest.At(at).AddDate(0, 0, -7), cents)
	}
	h.SellOne(e, webtest.At("13:00"), 5_00)
	for _, c := range []struct {
		language             words.Locale
		amount, until, whole string
	}{
		{words.English, "€5.00", "Fri 13 Nov to 23:29: €12.00", "Fri 13 Nov: €62.00"},
		{words.Dutch, "€ 5,00", "vr 13 nov tot 23:29: € 12,00", "vr 13 nov: € 62,00"},
		{words.German, "5,00 €", "Fr 13. Nov. bis 23:29: 12,00 €", "Fr 13. Nov.: 62,00 €"},
	} {
		for name, when := range map[string]struct {
			day, want string
			now       time.Time
		}{night.Close: {"2026-11-20", c.until, late}, night.Morning: {"2026-11-21", c.whole, webtest.At("07:30").AddDate(0, 0, 1)}} {
			h.AsOf, h.Health = when.now, webtest.Healthy(when.now)
			h.ID("entry") // and with it a revision
			letter := write(t, h, web.Manager, c.language, name, when.day, when.now)
			for form, text := range map[string]string{"plain": letter.Plain, "html": webtest.Text(letter.HTML)} {
				if text = strings.ReplaceAll(text, "\u00a0", " "); !strings.Contains(text, c.amount) || !strings.Contains(text, when.want) {
					t.Errorf("%s, %s in %s: booked is not %s beside %s:\n%s", name, form, c.language, c.amount, when.want, text)
				}
			}
		}
	}
	fresh := webtest.NewHouse()
	e = fresh.Event("evt_now", "Vanavond", "Foyer", "19:00", "20:00", 80)
	fresh.SellOne(e, webtest.At("12:00"), 10_00)
	fresh.AsOf, fresh.Health = late, webtest.Healthy(late)
	if letter := write(t, fresh, web.Manager, words.English, night.Close, "2026-11-20", late); !strings.Contains(letter.Plain, "Booked on the day: €10.00\n") {
		t.Errorf("of a house that knows no week before:\n%s", letter.Plain)
	}
}

// A letter names what its reader may take on, and nothing that is the work of others.
func TestLetterNamesWhatItsReaderMayTakeOn(t *testing.T) {
	h := house(t)
	e := h.Event("evt_full", "Vol", "Zolder", "19:00", "20:00", 10, webtest.Available(-2))
	h.Sell(e, webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: 12, Scans: true})
	h.Event("evt_cancelled", "Weg", "Foyer", "19:00", "20:00", 80, func(e *record.Event) { e.Status = record.EventCancelled })
	for role, oversold := range map[web.Role]bool{web.Door: false, web.BoxOffice: false, web.Manager: true, web.Admin: true} {
		for name, day := range map[string]string{night.Morning: "2026-11-20", night.Week: "2026-11-16"} {
			letter := write(t, h, role, words.English, name, day, webtest.At("07:30"))
			if strings.Contains(letter.Plain, "- Vol: 2 without a seat") != oversold || !strings.Contains(letter.Plain, "- Weg is cancelled") || strings.Contains(letter.HTML, "without a seat") != oversold {
				t.Errorf("%s, %s: oversold is named: %t, want %t:\n%s", name, role, !oversold, oversold, letter.Plain)
			}
		}
	}
}

// The subject of a letter with several alerts is the first one's strong words, or all of it where these end in a colon or only name
// what it is about.
func TestAlertInShort(t *testing.T) {
	for _, l := range words.Locales {
		w := words.Of(l)
		title, n := words.Name("title", "Tosca"), words.Int("n", 12)
		for _, c := range []struct {
			alert words.Sentence
			whole bool
		}{
			{w.Say("alert.hold_after_curtain", title, n, words.Int("still", 40)), true},
			{w.Say("alert.silent_screen", words.Name("name", "Foyer")), true},
			{w.Say("alert.few_left_sold", title, n, words.Text("sold", "30")), false},
			{w.Say("alert.streams", words.Text("rows", "tickets"), words.Text("fault", "too slow")), false},
		} {
			whole, got := strings.TrimSuffix(c.alert.String(), "."), night.InShort(c.alert)
			if (got == whole) != c.whole || !strings.HasPrefix(whole, got) || strings.HasSuffix(got, ":") || strings.HasSuffix(got, ".") {
				t.Errorf("%s: %q in short is %q", l, whole, got)
			}
		}
	}
}

// Titles are text, in both forms and in each language.
func TestLetterEscapes(t *testing.T) {
	h := house(t)
	h.Event("evt_bad", "<img src=x>\r\nBcc: all@house.example", "<b>", "19:00", "20:00", 100, webtest.OnDay(-1))
	h.Apply(&record.Acknowledgement{Alert: "oversold:evt_bad", By: "<script>", At: webtest.At("07:00")})
	for _, l := range words.Locales {
		letter := write(t, h, web.Manager, l, night.Morning, "2026-11-20", webtest.At("07:30"))
		if strings.Contains(letter.HTML, "<img") || strings.Contains(letter.HTML, "<script") || !strings.Contains(letter.HTML, "&lt;img") {
			t.Errorf("%s: a title is not text", l)
		}
		if strings.Contains(letter.Plain, "\nBcc:") || strings.Contains(letter.Plain, "\r") || strings.Contains(letter.Subject, "\n") {
			t.Errorf("%s: a title begins a line:\n%s", l, letter.Plain)
		}
		if strings.Contains(letter.Plain, "letter.") || strings.Contains(letter.Plain, "{") {
			t.Errorf("%s: words are missing:\n%s", l, letter.Plain)
		}
	}
}

// A letter forecasts only what is not sold yet: by the pace of the sale, or by planning. Where there is no forecast, or it is what is sold,
// nothing stands beside the number of places sold.
func TestLetterForecastsWhatIsNotSold(t *testing.T) {
	h := house(t)
	written := func() *night.Letter {
		return write(t, h, web.Manager, web.English, night.Morning, "2026-11-20", webtest.At("07:30"))
	}
	planned := func(n int, minute time.Duration) *night.Letter {
		h.Apply(&record.Planning{ID: "pln_now", EventID: "evt_now", Status: "confirmed", ExpectedVisitors: &n, UpdatedAt: webtest.At("06:00").Add(minute * time.Minute)})
		return written()
	}
	for name, l := range map[string]*night.Letter{"no forecast": written(), "as many as are sold": planned(5, 0), "fewer": planned(4, 1)} {
		webtest.Wants(t, name, l.Plain, "Sold 5  Free")
		webtest.Lacks(t, name, l.Plain+l.HTML, "Forecast", "Expected")
	}
	more := planned(60, 2)
	webtest.Wants(t, "more", more.Plain, "Sold 5  Forecast 60  Free")
	webtest.Wants(t, "more", more.HTML, ">Forecast</th>")
	if got := strings.Join(numbers(more.HTML, "Vanavond"), " "); !strings.Contains(got, "5 60 ") {
		t.Errorf("the row is %q", got)
	}
	h.Event("evt_now", "Vanavond", "Foyer", "19:00", "20:00", 80, func(e *record.Event) {
		e.Status, e.UpdatedAt = record.EventSalesClosed, webtest.At("07:00")
	})
	webtest.Lacks(t, "the sale is over", written().Plain, "Forecast")
}

// Of a performance whose sale is over nothing is sold out, and last night's letter, looked at tonight, is not about tonight.
func TestLetterOfASaleThatIsOver(t *testing.T) {
	h := house(t)
	h.Event("evt_closed", "Dicht", "Zolder", "19:00", "20:00", 80, func(e *record.Event) { e.Status = record.EventSalesClosed })
	letter := write(t, h, web.BoxOffice, web.English, night.Morning, "2026-11-20", webtest.At("07:30"))
	if got := strings.Join(numbers(letter.HTML, "Dicht"), " "); !strings.Contains(got, "The sale is over") || strings.Contains(got, "Sold out") {
		t.Errorf("of a sale that is over: %q", got)
	}
	if letter := write(t, h, web.BoxOffice, web.English, night.Close, "2026-11-19", webtest.At("18:00")); letter.Subject != "De Waag: Last night: 40 came" {
		t.Errorf("the letter about yesterday is %q", letter.Subject)
	}
}

// The name of a hall is text in every letter that has halls, and begins no line.
func TestLettersEscapeHalls(t *testing.T) {
	h := house(t)
	const hall = "<img src=x onerror=alert(1)>\r\nBcc: all@house.example"
	e := h.Event("evt_full", "Vol", hall, "19:00", "20:00", 10, webtest.Available(-2))
	h.Sell(e, webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: 12, Scans: true})
	h.Event("evt_next", "Morgen", hall, "19:00", "20:00", 80, webtest.OnDay(1))
	h.Apply(&record.RaisedAlert{Alert: "oversold:evt_full", Number: 1, Level: "bad", EventID: "evt_full", Raised: webtest.At("07:00")})
	for _, c := range []struct {
		name, day string
		now       time.Time
		halls     bool // are named
	}{{night.Morning, "2026-11-20", webtest.At("07:30"), true}, {night.Close, "2026-11-20", webtest.At("23:59"), true}, {night.Week, "2026-11-16", webtest.At("07:30").AddDate(0, 0, -4), true}, {night.Alerts, "", webtest.At("07:30"), false}} {
		for _, l := range words.Locales {
			q := webtest.View{Page: "night"}.As(web.Manager)
			q.Locale = l
			letter, err := night.NewLetter(t.Context(), webtest.Renderer(t), web.Frame{Request: q, Snapshot: h.Snapshot(), Now: c.now, Ready: true},
				night.LetterTo{Name: c.name, Day: figures.Day(c.day), Venue: "<b>De Waag", Public: "https://house.example", Stop: "https://house.example/letters/stop/TOKEN", About: func(*evening.Alert) bool { return true }})
			if err != nil || letter == nil {
				t.Fatalf("%s: %v, %v", c.name, letter, err)
			}
			if strings.Contains(letter.HTML, "<img") || strings.Contains(letter.HTML, "<b>De") || strings.Contains(letter.HTML, "&lt;img") != c.halls {
				t.Errorf("%s in %s: a hall is not text, or is not there", c.name, l)
			}
			if strings.Contains(letter.Plain, "\nBcc:") || strings.Contains(letter.Plain, "\r") || strings.ContainsAny(letter.Subject, "\r\n") {
				t.Errorf("%s in %s: a hall begins a line:\n%s", c.name, l, letter.Plain)
			}
		}
	}
}

// A day of 23 or 25 hours is one day: what was booked in any of its hours is in its letter, as on its page, and nothing else.
func TestLetterOfADayOnWhichClocksChange(t *testing.T) {
	for _, c := range []struct{ day, next, before string }{
		{"2026-10-25", "2026-10-26", "Sun 18 Oct"},
		{"2026-03-29", "2026-03-30", "Sun 22 Mar to 22:29"},
	} {
		h, zone := webtest.NewHouse(), webtest.ShowTime.Location()
		begins, err := time.ParseInLocation(time.DateOnly, c.day, zone)
		if err != nil {
			t.Fatal(err)
		}
		curtain := time.Date(begins.Year(), begins.Month(), begins.Day(), 20, 0, 0, 0, zone)
		e := &record.Event{ID: "evt", Title: "Klok", Hall: "Zaal", DoorsAt: curtain.Add(-time.Hour), StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour), Capacity: new(100), Status: record.EventOnSale}
		h.Apply(e)
		dated := 0
		for at := begins.Add(-3 * time.Hour); at.Before(begins.Add(30 * time.Hour)); at = at.Add(30 * time.Minute) {
			h.Apply(&record.Ticket{ID: "tkt_" + at.UTC().Format("021504"), EventID: "evt", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: at, UpdatedAt: at,
				Scans: []record.Scan{{At: curtain.Add(-10 * time.Minute), Gate: "A", Direction: record.Entry}}})
			if h.Snapshot().Calendar.Day(at) == figures.Day(c.day) {
				dated++
			}
		}
		// Near the end of a day of 25 hours as much has passed as all of the day a week before, and of one of 23 an hour less.
		h.SellOne(e, curtain.AddDate(0, 0, -7), 7_00)
		late := time.Date(begins.Year(), begins.Month(), begins.Day(), 23, 30, 0, 0, zone)
		h.AsOf, h.Health = late, webtest.Healthy(late)
		evening := write(t, h, web.Manager, web.English, night.Close, c.day, late)
		revenue := webtest.Text(webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "revenue", Params: query.Params("against=before&period=today")}.As(web.Manager), h.Snapshot(), late).HTML["glance"])
		if !strings.Contains(evening.Plain, c.before+": €7.00") || !strings.Contains(revenue, "on €7.00, "+c.before+"Yesterday") || strings.Contains(evening.Plain+revenue, "00:00") {
			t.Errorf("%s at 23:30: the letter or Revenue is not compared with %q:\n%s\n%s", c.day, c.before, evening.Plain, revenue)
		}
		now := time.Date(begins.Year(), begins.Month(), begins.Day()+1, 7, 30, 0, 0, zone)
		h.AsOf, h.Health = now, webtest.Healthy(now)
		letter := write(t, h, web.Manager, web.English, night.Morning, c.next, now)
		page := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "night", Params: query.Params("day=" + c.day)}.As(web.Manager), h.Snapshot(), now).HTML["figs"])
		booked := first(t, page, `Booked on the day (€[\d,.]+)`)
		if want := fmt.Sprintf("€%d.00", dated); booked != want || !strings.Contains(letter.Plain, "Booked on the day: "+want) {
			t.Errorf("%s: booked is %s on the page, want %s; the letter:\n%s", c.day, booked, want, letter.Plain)
		}
		if hours := map[string]int{"2026-10-25": 50, "2026-03-29": 46}[c.day]; dated != hours {
			t.Errorf("%s has %d half hours, want %d", c.day, dated, hours)
		}
	}
}
