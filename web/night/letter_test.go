package night_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/night"
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
		if !slices.Equal(got[:3], want[1:4]) || want[1] != "60" {
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
