package calendar_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// of returns the calendar's page with the parameters.
func of(t testing.TB, s *figures.Snapshot, role web.Role, params query.Params, now time.Time) string {
	t.Helper()
	return webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "calendar", Params: params}.As(role), s, now)
}

var between = regexp.MustCompile(`(?s)<[^>]*>`)

// read returns what is read in the day of a page.
func read(t testing.TB, html, day string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<section id="day-`+day+`"`)
	if !ok {
		t.Fatalf("there is no day %s", day)
	}
	rest, _, _ = strings.Cut(rest[strings.Index(rest, ">")+1:], "</section>")
	return strings.Join(strings.Fields(between.ReplaceAllString(strings.ReplaceAll(rest, "\u00a0", " "), " ")), " ")
}

// days returns the days of a page, in its order.
func days(html string) (all []string) {
	for _, m := range regexp.MustCompile(`<section id="day-([^"]*)"`).FindAllStringSubmatch(html, -1) {
		all = append(all, m[1])
	}
	return all
}

// planned is a house with performances of every kind around the evening of Friday 20 November.
func planned(t testing.TB) *webtest.House {
	t.Helper()
	h := webtest.NewHouse()
	h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
	past := h.Event("evt_past", "Antigone", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-3))
	h.Sell(past, webtest.Sale{From: webtest.At("10:00").AddDate(0, 0, -10), To: webtest.At("11:00").AddDate(0, 0, -10), Paid: 30})
	now := h.Event("evt_now", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.Available(2))
	h.Sell(now, webtest.Sale{From: webtest.At("10:00").AddDate(0, 0, -2), To: webtest.At("11:00").AddDate(0, 0, -2), Paid: 38})
	h.Event("evt_full", "Haydn & Bartók", "Foyer", "19:30", "20:30", 60, webtest.OnDay(2), webtest.Available(0))
	h.Event("evt_off", "Woyzeck", "Foyer", "19:30", "20:30", 60, webtest.OnDay(3), func(e *record.Event) { e.Status = record.EventCancelled })
	h.Event("evt_later", "Elektronica", "Foyer", "19:30", "20:30", 60, webtest.OnDay(4), func(e *record.Event) { e.Status = record.EventPostponed })
	h.Event("evt_first", "Freule <b>Julie</b>", "Grote Zaal", "19:30", "20:00", 100, webtest.OnDay(5))
	h.Event("evt_second", "Nora", "Grote Zaal", "19:30", "20:30", 100, webtest.OnDay(5))
	more := h.Event("evt_mat", "Sint", "Grote Zaal", "13:30", "14:15", 100, webtest.OnDay(8))
	h.Sell(more, webtest.Sale{From: webtest.At("10:00").AddDate(0, 0, -4), To: webtest.At("11:00").AddDate(0, 0, -4), Paid: 5}) // more than planning expects
	h.Apply(&record.Planning{ID: "few", EventID: "evt_mat", Kind: "show", Status: "confirmed", ExpectedVisitors: new(4), UpdatedAt: webtest.ShowTime})
	h.Event("evt_open", "Open dag", "", "09:30", "10:00", 0, webtest.OnDay(9), func(e *record.Event) { e.Capacity, e.Unlimited = nil, true })
	h.Apply(&record.Planning{ID: "fc", EventID: "evt_first", Kind: "show", Status: "confirmed", ExpectedVisitors: new(80), UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Planning{ID: "now", EventID: "evt_now", Kind: "show", Status: "confirmed", ExpectedVisitors: new(39), UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Ticket{ID: "ahead", EventID: "evt_second", Status: record.TicketValid, SoldAt: webtest.At("12:00").AddDate(0, 0, 6), UpdatedAt: webtest.ShowTime})
	return h
}

// A day says of each performance when, where and how full it is, and what is expected; what is off, sold out, in conflict,
// went on sale, or is free.
func TestCalendarDays(t *testing.T) {
	html := of(t, planned(t).Snapshot(), web.Manager, "day=2026-11-21&span=month", webtest.ShowTime)
	for day, want := range map[string]string{
		"2026-11-10": "Tue 10 Nov 10 On sale: Antigone",
		"2026-11-17": "Tue 17 Nov 17 Antigone 20:15 Kleine Zaal 75 %",
		"2026-11-18": "Wed 18 Nov 18 On sale: De Vader",
		"2026-11-19": "Thu 19 Nov 19 — No performance",
		"2026-11-20": "Fri 20 Nov 20 today De Vader 20:15 Kleine Zaal 95 %",
		"2026-11-21": "Sat 21 Nov 21 Evening free",
		"2026-11-22": "Sun 22 Nov 22 Haydn &amp; Bartók 20:30 Foyer 0 % sold out",
		"2026-11-23": "Mon 23 Nov 23 Nov Woyzeck 20:30 Foyer cancelled",
		"2026-11-24": "Tue 24 Nov 24 Elektronica 20:30 Foyer postponed · new date not known",
		"2026-11-25": "Wed 25 Nov 25 Freule &lt;b&gt;Julie&lt;/b&gt; 20:00 Grote Zaal 0 % → 80 % Nora 20:30 Grote Zaal 1 % Conflict in Grote Zaal , 20:30: Freule &lt;b&gt;Julie&lt;/b&gt; and Nora",
		"2026-11-26": "Thu 26 Nov 26 — No performance", // a sale that is dated ahead has not begun
		"2026-11-28": "Sat 28 Nov 28 Sint 14:15 Grote Zaal 5 % Evening free",
		"2026-11-29": "Sun 29 Nov 29 Open dag 10:00",
		"2026-12-04": "Fri 4 Dec 4 — No performance", // after the last one, nothing is planned yet
		"2026-12-01": "Tue 1 Dec 1 Dec — No performance",
	} {
		if got := read(t, html, day); got != want {
			t.Errorf("%s: %q, want %q", day, got, want)
		}
	}
	webtest.Wants(t, "outside the month", html, `<section id="day-2026-10-31" class="day past other plain">`, `<section id="day-2026-12-01" class="day other plain">`)
	webtest.Lacks(t, "within the month", html, `id="day-2026-11-01" class="day past other`, `id="day-2026-11-30" class="day other`)
	for id, class := range map[string]string{"evt_past": "o2", "evt_now": "o4", "evt_full": "o0", "evt_off": "off", "evt_first": "o0", "evt_open": "unknown"} {
		webtest.Wants(t, id, html, `<a id="show-`+id+`" class="e `+class+`" href="/events/`+id+`">`)
	}
	h := planned(t)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kleine Zaal", Value: new(int64(20)), At: webtest.ShowTime.AddDate(0, 0, -30)})
	webtest.Wants(t, "fewer are allowed", read(t, of(t, h.Snapshot(), web.Manager, "span=month", webtest.ShowTime), "2026-11-20"), "95 % 18 more than allowed")
	webtest.Wants(t, "the week", webtest.FigureText(html), "49% 68 of 140 3 performances 1 empty evening", "2 empty evenings 1 conflict")
}

// In a narrow column a hall is called what tells it from others; on a phone, and to whoever listens, its whole name.
func TestCalendarHalls(t *testing.T) {
	html := func(h *webtest.House) string {
		return strings.Join(strings.Fields(of(t, h.Snapshot(), web.Manager, "span=month", webtest.ShowTime)), " ")
	}
	webtest.Wants(t, "two end in one word", html(planned(t)), `<bdi>Kleine<span class="pc"> Zaal</span></bdi>`, `<bdi>Grote<span class="pc"> Zaal</span></bdi>`, `<bdi>Foyer</bdi>`)
	one := webtest.NewHouse()
	one.Event("evt_a", "A", "Grote Zaal", "19:30", "20:15", 40)
	one.Event("evt_b", "B", "Oude Kerk", "19:30", "20:15", 40)
	webtest.Wants(t, "one of each kind", html(one), `<bdi>Grote Zaal</bdi>`, `<bdi>Oude Kerk</bdi>`)
	same := webtest.NewHouse()
	for i, hall := range []string{"Grote Zaal", "Kleine Zaal", "Grote"} {
		same.Event("evt_"+hall[:1]+string(rune('a'+i)), "A", hall, "19:30", "20:15", 40)
	}
	webtest.Wants(t, "one is called that", html(same), `<bdi>Grote Zaal</bdi>`, `<bdi>Kleine Zaal</bdi>`, `<bdi>Grote</bdi>`)
	two := webtest.NewHouse()
	for i, hall := range []string{"Grote Zaal", "Kleine Zaal", "Grote Studio", "Kleine Studio"} {
		two.Event("evt_"+string(rune('a'+i)), "A", hall, "19:30", "20:15", 40)
	}
	webtest.Wants(t, "two would be called alike", html(two), `<bdi>Grote Zaal</bdi>`, `<bdi>Grote Studio</bdi>`)
}

// Nobody is sent money, and what is far behind only those who see what is sold in a day.
func TestRoles(t *testing.T) {
	s := planned(t).Snapshot()
	for _, role := range web.Roles {
		html := of(t, s, role, "span=month", webtest.ShowTime)
		webtest.Wants(t, string(role), html, "De Vader")
		webtest.Lacks(t, string(role), html, "€", "EUR", "booked")
		if got, want := strings.Contains(html, "far behind"), role != web.Door; got != want {
			t.Errorf("%s: what is far behind is explained: %v", role, got)
		}
	}
	within := webtest.View{Page: "calendar", Params: "span=month"}.As(web.BoxOffice)
	within.Access = within.Access.InHalls("Foyer")
	html := webtest.Page(t, webtest.Renderer(t), within, s, webtest.ShowTime)
	webtest.Wants(t, "the foyer", html, "Woyzeck")
	webtest.Lacks(t, "the foyer", html, "De Vader", "Antigone", "Conflict")
}

// What sells far fewer places than usual has its mark, for those who may know.
func TestFarBehind(t *testing.T) {
	h := webtest.NewHouse()
	for i := range 8 {
		e := h.Event("evt_"+string(rune('a'+i)), "De Vader", "Kleine Zaal", "19:30", "20:15", 100, webtest.OnDay(-10-7*i))
		h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -30), To: e.StartsAt.AddDate(0, 0, -20), Paid: 80})
	}
	e := h.Event("evt_next", "De Vader", "Kleine Zaal", "19:30", "20:15", 100, webtest.OnDay(5), webtest.Available(95))
	h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -30), To: e.StartsAt.AddDate(0, 0, -20), Paid: 5})
	s := h.Snapshot()
	mark := `role="img" aria-label="far behind"`
	webtest.Wants(t, "a manager", of(t, s, web.Manager, "span=month", webtest.ShowTime), mark)
	webtest.Lacks(t, "the door", of(t, s, web.Door, "span=month", webtest.ShowTime), mark)
}

// A month has the whole weeks around it, a week its seven days, also where the clock changes; the links lead to those before
// and after.
func TestSpans(t *testing.T) {
	s := planned(t).Snapshot()
	for _, c := range []struct {
		params      query.Params
		first, last string
		n           int
		title       string
		links       []string
	}{
		{"span=month", "2026-11-16", "2026-12-27", 42, "Mon 16 Nov to Sun 27 Dec", []string{"/calendar?day=2026-11-01", "/calendar?day=2026-12-01"}},
		{"day=2026-11-21&span=month", "2026-10-26", "2026-12-06", 42, "November", []string{"/calendar?day=2026-10-01", "/calendar?day=2026-12-01", "/calendar"}},
		{"day=2026-12-31&span=month", "2026-11-30", "2027-01-03", 35, "December", []string{"/calendar?day=2026-11-01", "/calendar?day=2027-01-01"}},
		{"day=2027-02-28&span=month", "2027-02-01", "2027-02-28", 28, "February 2027", []string{"/calendar?day=2027-01-01", "/calendar?day=2027-03-01"}},
		{"day=2026-10-25&span=week", "2026-10-19", "2026-10-25", 7, "Mon 19 Oct to Sun 25 Oct", []string{"/calendar?day=2026-10-12&amp;span=week", "/calendar?day=2026-10-26&amp;span=week"}},
		{"day=2027-03-28&span=week", "2027-03-22", "2027-03-28", 7, "Mon 22 Mar 2027 to Sun 28 Mar 2027", []string{"/calendar?day=2027-03-15&amp;span=week", "/calendar?day=2027-03-29&amp;span=week"}},
	} {
		html := of(t, s, web.Door, c.params, webtest.ShowTime)
		all := days(html)
		if len(all) != c.n || all[0] != c.first || all[len(all)-1] != c.last {
			t.Errorf("%s: %d days %s to %s, want %d, %s to %s", c.params, len(all), all[0], all[len(all)-1], c.n, c.first, c.last)
		}
		webtest.Wants(t, string(c.params), html, "<h1>"+c.title+"</h1>")
		for _, href := range c.links {
			webtest.Wants(t, string(c.params), html, `href="`+href+`"`)
		}
		if got, want := strings.Contains(html, `id="cal-today"`), c.params != "span=month"; got != want {
			t.Errorf("%s: it leads to the present: %v", c.params, got)
		}
	}
	for _, day := range []query.Params{"day=1970-01-01&span=month", "day=2199-12-31&span=week"} { // where it ends
		of(t, s, web.Door, day, webtest.ShowTime)
	}
	for _, day := range []string{"1969-12-31", "2200-01-01", "9999-12-31", "tomorrow"} {
		if _, err := web.NewRequest("calendar", map[string][]string{"day": {day}}, web.Door.Access(), web.English); err == nil {
			t.Errorf("the day %s is accepted", day)
		}
	}
}

// In the hour that comes twice in autumn, and in the days around it, a performance is on its day and at its time.
func TestClockChanges(t *testing.T) {
	h := webtest.NewHouse()
	at := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC) // 2:30, summer time
	for i, id := range []string{"evt_summer", "evt_winter"} {
		h.Event(id, id, "Kelder", "19:30", "20:15", 40, func(e *record.Event) {
			e.Date, e.StartsAt, e.DoorsAt, e.EndsAt = "2026-10-25", at.Add(time.Duration(i)*time.Hour), time.Time{}, at.Add(time.Duration(i+1)*time.Hour)
		})
	}
	h.Event("evt_next", "evt_next", "Kelder", "19:30", "20:15", 40, func(e *record.Event) {
		e.Date, e.StartsAt = "2026-10-26", time.Date(2026, 10, 25, 23, 0, 0, 0, time.UTC)
		e.DoorsAt, e.EndsAt = e.StartsAt, e.StartsAt.Add(time.Hour)
	})
	html := of(t, h.Snapshot(), web.Door, "day=2026-10-25&span=week", time.Date(2026, 10, 20, 12, 0, 0, 0, webtest.Amsterdam))
	if got, want := read(t, html, "2026-10-25"), "Sun 25 Oct 25 evt_summer 02:30 Kelder 0 % evt_winter 02:30 Kelder 0 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	webtest.Lacks(t, "an hour apart", html, "Conflict", "evt_next")
}

// A month without a performance says so, and one that is not read yet says that.
func TestEmptyMonth(t *testing.T) {
	html := of(t, planned(t).Snapshot(), web.Door, "day=2028-02-10&span=month", webtest.ShowTime)
	webtest.Wants(t, "a month", html, "No performances here", "February 2028")
	webtest.Lacks(t, "a month", html, "%</b>", "performances</p>")
	h := webtest.NewHouse()
	h.Health.Streams[0].LastGood, h.Health.Streams[0].Complete = time.Time{}, false
	html = of(t, h.Snapshot(), web.Door, "span=month", webtest.ShowTime)
	webtest.Wants(t, "not read", html, "The performances are not known yet")
	webtest.Lacks(t, "not read", html, "Evening free")
}

// A title as long as a page is in the page once and cut by its style alone, and more than two that go on sale on a day
// are their number.
func TestLongAndMany(t *testing.T) {
	h := webtest.NewHouse()
	long := strings.Repeat("Donaudampfschifffahrt ", 40)
	for i := range 3 {
		e := h.Event("evt_"+string(rune('a'+i)), strings.TrimSpace(long)+string(rune('a'+i)), "Foyer", "19:30", "20:15", 40, webtest.OnDay(i))
		h.Sell(e, webtest.Sale{From: webtest.At("10:00").AddDate(0, 0, -2), To: webtest.At("11:00").AddDate(0, 0, -2), Paid: 1})
	}
	html := of(t, h.Snapshot(), web.Door, "span=month", webtest.ShowTime)
	if n := strings.Count(html, "Donaudampfschifffahrt"); n != 3*40 {
		t.Errorf("the titles are there %d times", n)
	}
	if got, want := read(t, html, "2026-11-18"), "Wed 18 Nov 18 On sale: 3 performances"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The calendar is under Events in the navigation, and Events leads to it.
func TestReached(t *testing.T) {
	s := planned(t).Snapshot()
	webtest.Wants(t, "the calendar", of(t, s, web.Door, "span=month", webtest.ShowTime), `<a href="/events" aria-current="page">Events</a>`, `<a href="/calendar" aria-current="true">Month</a>`)
	webtest.Wants(t, "Events", webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "events", Params: "sort=date"}.As(web.Door), s, webtest.ShowTime), `<a href="/calendar">Month</a>`, `<a href="/calendar?span=week">Week</a>`)
}

// A day with many performances shows the first ten; the others unfold.
func TestCrowdedDayIsFolded(t *testing.T) {
	for n, folded := range map[int]int{11: 0, 12: 2, 100: 90} {
		h := webtest.NewHouse()
		h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
		for i := range n {
			h.Event(fmt.Sprintf("evt_%03d", i), fmt.Sprintf("Show %03d", i), "Foyer", "09:30", fmt.Sprintf("10:%02d", i%60), 40)
		}
		html := of(t, h.Snapshot(), web.Manager, "span=month", webtest.At("09:00"))
		_, rest, found := strings.Cut(html, `class="rest"`)
		rest, _, _ = strings.Cut(rest, "</details>")
		if found != (folded > 0) || strings.Count(rest, `class="what"`) != folded || strings.Count(html, `class="what"`) != n {
			t.Errorf("%d performances: %d of %d are folded, want %d", n, strings.Count(rest, `class="what"`), strings.Count(html, `class="what"`), folded)
		}
		if want := fmt.Sprintf("%d more performances", folded); folded > 0 && !strings.Contains(read(t, html, "2026-11-20"), want) {
			t.Errorf("the day does not say %q", want)
		}
	}
}

// The arrows lead away from the weeks that are shown, also where those begin or end a month.
func TestEarlierAndLaterLeadAway(t *testing.T) {
	webtest.Wants(t, "1 December", of(t, planned(t).Snapshot(), web.Manager, "span=month", webtest.ShowTime.AddDate(0, 0, 11)), "/calendar?day=2026-11-01")
	webtest.Wants(t, "30 November", of(t, planned(t).Snapshot(), web.Manager, "span=month", webtest.ShowTime.AddDate(0, 0, 10)), "/calendar?day=2027-01-01")
}

// A Friday or Saturday evening to come names the halls that are usually played in then and are empty, and its week counts them; the
// shades are explained above the days.
func TestCalendarNamesEmptyHalls(t *testing.T) {
	h := webtest.NewHouse()
	h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
	for i := range 6 { // Fridays; there is one in the Foyer on each, and in the Grote Zaal on all but one
		h.Event(fmt.Sprint("evt_f", i), "Jazz", "Foyer", "19:30", "20:15", 40, webtest.OnDay(7*i-14))
		if i != 3 {
			h.Event(fmt.Sprint("evt_g", i), "Mozart", "Grote Zaal", "19:30", "20:15", 40, webtest.OnDay(7*i-14))
		}
	}
	html := of(t, h.Snapshot(), web.Door, "span=month", webtest.ShowTime)
	if got, want := read(t, html, "2026-11-27"), "Fri 27 Nov 27 Jazz 20:15 Foyer 0 % Grote Zaal empty"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	webtest.Lacks(t, "the evening that has begun, and one with both", read(t, html, "2026-11-20")+read(t, html, "2026-12-04"), "empty")
	webtest.Wants(t, "the week", webtest.FigureText(html), "1 performance 2 empty evenings")
	if shades, days := strings.Index(html, `class="shades"`), strings.Index(html, `class="weekdays"`); shades < 0 || shades > days {
		t.Error("the shades are not explained above the days")
	}
}

// On a phone the calendar begins today, and the weeks after the next are folded; a month that was asked for has all its days.
func TestPhoneBeginsToday(t *testing.T) {
	s := planned(t).Snapshot()
	before, open := regexp.MustCompile(`<section id="day-([^"]*)" class="day[^"]* before`), regexp.MustCompile(`<details id="[^"]*" class="week" open`)
	ids := func(html string) (all []string) {
		for _, m := range before.FindAllStringSubmatch(html, -1) {
			all = append(all, m[1])
		}
		return all
	}
	html := of(t, s, web.Manager, "span=month", webtest.ShowTime)
	if got := strings.Join(ids(html), " "); got != "2026-11-16 2026-11-17 2026-11-18 2026-11-19" {
		t.Errorf("not shown on a phone: %s", got)
	}
	if n := len(open.FindAllString(html, -1)); n != 2 {
		t.Errorf("%d weeks are unfolded, of those from this one on", n)
	}
	html = of(t, s, web.Manager, "day=2026-11-20&span=month", webtest.ShowTime)
	if got := ids(html); got != nil {
		t.Errorf("of November not shown on a phone: %s", got)
	}
	if n := len(open.FindAllString(html, -1)); n != 3 {
		t.Errorf("%d weeks of November are unfolded", n)
	}
}
