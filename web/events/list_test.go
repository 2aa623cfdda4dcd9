package events_test

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// search returns the page of a search by a member of staff.
func search(t testing.TB, r *web.Renderer, s *figures.Snapshot, role web.Role, query string) string {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return webtest.Page(t, r, webtest.EventsView(t, values).As(role), s, webtest.ShowTime)
}

var rowLink = regexp.MustCompile(`<a id="row-([^"]*)" href="/events/`)

// rows returns the ids of the performances that a page lists, in its order.
func rows(html string) string {
	var ids []string
	for _, m := range rowLink.FindAllStringSubmatch(html, -1) {
		ids = append(ids, m[1])
	}
	return strings.Join(ids, " ")
}

// row returns the text of one performance's row.
func row(t testing.TB, html, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `id="row-`+id+`"`)
	if !ok {
		t.Fatalf("there is no row of %s", id)
	}
	before := html[:len(html)-len(rest)]
	line, _, _ := strings.Cut(html[strings.LastIndex(before, "<tr"):], "</tr>")
	return strings.Join(strings.Fields(webtest.Text(strings.ReplaceAll(line, "<", " <"))), " ")
}

// repertory returns a house with performances of every kind, before and after the evening.
func repertory(t testing.TB) *figures.Snapshot {
	t.Helper()
	h := webtest.NewHouse()
	h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
	status := func(s record.EventStatus) func(*record.Event) { return func(e *record.Event) { e.Status = s } }
	h.Event("evt_old", "Nora", "Grote Zaal", "19:30", "20:15", 40, webtest.OnDay(-40))
	past := h.Event("evt_past", "Antigone", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-30))
	h.Sell(past, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -60), To: webtest.ShowTime.AddDate(0, 0, -31), Paid: 30})
	h.Event("evt_recent", "Peter en de wolf", "Grote Zaal", "19:30", "20:15", 60, webtest.OnDay(-1))
	off := h.Event("evt_off", "Woyzeck", "Kleine Zaal", "13:30", "14:00", 40, status(record.EventCancelled))
	h.Sell(off, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 4})
	now := h.Event("evt_now", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.Available(12))
	h.Sell(now, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 22, Comp: 3, Reserved: 3})
	h.Event("evt_night", "Swing tot morgen", "Foyer", "23:30", "23:59", 80, func(e *record.Event) {
		e.StartsAt, e.EndsAt = webtest.At("23:59").Add(31*time.Minute), webtest.At("23:59").Add(4*time.Hour)
	})
	h.Event("evt_full", "Haydn & Bartók", "Foyer", "19:30", "20:30", 60, webtest.OnDay(2), webtest.Available(0))
	h.Event("evt_later", "Elektronica", "Foyer", "19:30", "20:30", 60, webtest.OnDay(4), status(record.EventPostponed))
	h.Event("evt_draft", "Bach", "Grote Zaal", "19:30", "20:15", 60, webtest.OnDay(90), status(record.EventDraft))
	h.Event("evt_open", "Open dag", "", "09:30", "10:00", 0, webtest.OnDay(7), func(e *record.Event) { e.Capacity, e.Unlimited = nil, true })
	return h.Snapshot()
}

func TestEvents(t *testing.T) {
	r, s := webtest.Renderer(t), repertory(t)
	html := search(t, r, s, web.Manager, "")
	if got, want := rows(html), "evt_past evt_recent evt_off evt_now evt_night evt_full evt_later evt_open evt_draft"; got != want {
		t.Errorf("the page lists %s, want from three before the evening on %s", got, want)
	}
	webtest.Wants(t, "the page", html, `<a href="/events" aria-current="page">Events</a>`, `<a href="/events?skip=0" rel="prev">1`+"\u00a0"+`earlier performance</a>`, `<title>Events · De Schouwburg`)
	webtest.Wants(t, "count", webtest.Text(html), "10 performances, as of 19:52")
	for id, want := range map[string]string{
		"evt_recent": "yesterday 20:15 Peter en de wolf Grote Zaal over 0 of 60",
		"evt_off":    "today 14:00 Woyzeck Kleine Zaal cancelled 4 of 40",
		"evt_now":    "today 20:15 De Vader Kleine Zaal doors open 12 free 25 of 40",
		"evt_night":  "night to Sat 21 Nov 00:30 Swing tot morgen Foyer on sale",
		"evt_full":   "Sun 22 Nov 20:30 Haydn & Bartók Foyer sold out 0 free",
		"evt_later":  "was Tue 24 Nov 20:30 Elektronica Foyer postponed · new date not known 0 of 60",
		"evt_open":   "Fri 27 Nov 10:00 Open dag on sale no limit 0",
		"evt_draft":  "Thu 18 Feb 2027 20:15 Bach Grote Zaal not on sale yet 0 of 60",
	} {
		if got := row(t, html, id); !strings.HasPrefix(got, want) {
			t.Errorf("%s reads %q, want %q…", id, got, want)
		}
	}
	webtest.Wants(t, "a sale", row(t, html, "evt_now"), "62.5%", "+25 net in 7 days", "booked")
	if line := `<tr class="now"><td colspan="10">now 19:52</td></tr> <tr class="arriving">`; strings.Count(html, line) != 1 || strings.Count(html, "now 19:52") != 1 || !strings.Contains(row(t, html, "evt_now"), "today") {
		t.Error("the line between what was and what is to come is not above De Vader alone")
	}
}

// What the service calls sold out is sold out on every page, whatever the counts say.
func TestSoldOutIsOneWord(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_full", "Haydn", "Foyer", "20:30", "21:00", 100, func(e *record.Event) { e.Status = record.EventSoldOut })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 97})
	s := h.Snapshot()
	if got := row(t, search(t, r, s, web.Door, ""), "evt_full"); !strings.Contains(got, "sold out 0 free") {
		t.Errorf("Events: %s", got)
	}
	for name, v := range map[string]web.Request{"Tonight": webtest.Tonight, "the wall": webtest.View{Page: "wall"}.As(web.Door), "its page": webtest.EventView("evt_full").As(web.Manager)} {
		got := webtest.Text(webtest.Page(t, r, v, s, webtest.ShowTime))
		if !strings.Contains(got, "Sold out") || strings.Contains(got, "3 free") || strings.Contains(got, "can still be sold") || strings.Contains(got, "places left") {
			t.Errorf("%s: %s", name, got)
		}
	}
	// Of several, all or but one are sold out.
	house := func(want string) {
		t.Helper()
		s := h.Snapshot()
		webtest.Wants(t, "Tonight", webtest.FigureText(webtest.Content(t, r, webtest.Tonight, s, webtest.ShowTime).HTML["figs"]), map[string]string{"Sold out": " sold out ", "4 free": "Free 4 1 performance"}[want])
		webtest.Wants(t, "the wall", webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), s, webtest.ShowTime).HTML["wall-main"]), "places sold · "+want)
	}
	h.Event("evt_none", "Bach", "Grote Zaal", "20:30", "21:00", 100, webtest.Available(0))
	house("Sold out")
	h.Event("evt_some", "Liszt", "Kleine Zaal", "20:30", "21:00", 100, webtest.Available(4))
	house("4 free")
}

// In the order of time a day is said once; in any other it is said in each row.
func TestEventsOfADay(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i, title := range []string{"B", "A", "C"} {
		h.Event("evt_"+title, title, "Foyer", "19:00", fmt.Sprint("2", i, ":15"), 40, webtest.OnDay(i/2+1))
	}
	for query, want := range map[string]int{"": 1, "sort=title": 0, "sort=-date": 0} {
		html := search(t, r, h.Snapshot(), web.Door, query)
		if got := strings.Count(html, `<td class="day again"><span>tomorrow</span>`); got != want || strings.Count(html, `class="day again"`) != want {
			t.Errorf("%q: %d days are said again, want %d", query, got, want)
		}
	}
}

// A performance today of which no time is known is still to come.
func TestEventsWithoutTime(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_a", "De Vader", "Foyer", "19:00", "20:00", 40, webtest.OnDay(-1))
	h.Event("evt_b", "Nora", "Foyer", "19:00", "20:00", 40, func(e *record.Event) { e.DoorsAt, e.StartsAt, e.EndsAt = time.Time{}, time.Time{}, time.Time{} })
	html := search(t, webtest.Renderer(t), h.Snapshot(), web.Door, "")
	if got := row(t, html, "evt_b"); !strings.HasPrefix(got, "today — Nora") || !strings.Contains(html, `<tr class="now"><td colspan="9">now 19:52</td></tr>`) {
		t.Errorf("it reads %q", got)
	}
}

// A row says how many of its free places may be sold for the people allowed in the hall, long before these are reached.
func TestEventsSayWhatMayBeSold(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for id, free := range map[string]int{"evt_few": 45, "evt_none": 45, "evt_all": 45} {
		h.Sell(h.Event(id, "Stuk", id, "19:00", "20:00", 100, webtest.OnDay(7), webtest.Available(free)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 55})
	}
	for hall, allowed := range map[string]int64{"evt_few": 80, "evt_none": 50, "evt_all": 100} {
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: hall, Value: new(allowed), At: webtest.ShowTime.AddDate(0, 0, -9)})
	}
	html := search(t, r, h.Snapshot(), web.Door, "")
	for id, want := range map[string]string{"evt_few": "25 free 45 empty 55 of 100", "evt_none": "sell no more 0 free 55 of 100", "evt_all": "45 free 55 of 100"} {
		got := row(t, html, id)
		webtest.Wants(t, id, got, want)
		if onSale := strings.Contains(got, "on sale"); onSale != (id != "evt_none") {
			t.Errorf("%s is on sale: %t, in %q", id, onSale, got)
		}
	}
}

// Only what is still on or still to come has a rate of sales, and only what is on sale has free
// places.
func TestEventsOver(t *testing.T) {
	html := search(t, webtest.Renderer(t), repertory(t), web.Door, "")
	for _, id := range []string{"evt_recent", "evt_off", "evt_later"} {
		webtest.Lacks(t, id, row(t, html, id), "free", "7 days")
	}
	webtest.Wants(t, "draft", row(t, html, "evt_draft"), "7 days")
	webtest.Lacks(t, "draft", row(t, html, "evt_draft"), "free")
}

func TestEventsSearch(t *testing.T) {
	r, s := webtest.Renderer(t), repertory(t)
	for query, want := range map[string]string{
		"q=bartok":                     "evt_full",
		"q=%20ZAAL++kleine+&from=":     "evt_past evt_off evt_now",
		"skip=0":                       "evt_old evt_past evt_recent evt_off evt_now evt_night evt_full evt_later evt_open evt_draft",
		"from=2026-01-01":              "evt_old evt_past evt_recent evt_off evt_now evt_night evt_full evt_later evt_open evt_draft",
		"from=2026-11-22":              "evt_full evt_later evt_open evt_draft",
		"to=2026-11-19":                "evt_old evt_past evt_recent",
		"to=2026-11-01":                "evt_old evt_past", // all of it is earlier: its last page
		"hall=Foyer&status=postponed":  "evt_later",
		"status=coming&sort=title":     "evt_draft evt_now evt_full evt_open evt_night",
		"status=over":                  "evt_old evt_past evt_recent",
		"free=13":                      "evt_night evt_open",
		"free=12&sort=-free&hall=":     "evt_night evt_now evt_open",
		"sort=-date":                   "evt_draft evt_open evt_later evt_full evt_night evt_now evt_off evt_recent evt_past evt_old",
		"skip=3&sort=date&to=20261119": "",
		"q=nobody":                     "",
		"q=27+nov":                     "evt_open",
		"q=27nov":                      "evt_open",
		"q=18+Febr.":                   "evt_draft",
		"q=18+feb+2027":                "evt_draft",
		"q=okt":                        "evt_old evt_past",
		"q=tomorrow":                   "evt_night",
		"q=friday+foyer":               "evt_night",
	} {
		values, _ := url.ParseQuery(query)
		if values.Get("to") == "20261119" {
			values.Set("to", "2026-11-19")
			want = "evt_old evt_past evt_recent" // there were more when it was asked for
		}
		if got := rows(search(t, r, s, web.Door, values.Encode())); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	html := search(t, r, s, web.Door, "q=b%22art%3Cb&hall=Foyer&free=3&status=sold-out&from=2026-11-01&to=2026-11-30&sort=-free")
	for query, open := range map[string]bool{"": false, "q=zaal": false, "skip=3": false, "sort=date": false, "sort=-date": true, "hall=Foyer": true,
		"status=over": true, "free=1": true, "from=2026-11-01": true, "to=2026-11-01": true} {
		if got := strings.Contains(search(t, r, s, web.Door, query), "<details open>"); got != open {
			t.Errorf("%q: the filters are unfolded: %t", query, got)
		}
	}
	webtest.Wants(t, "the form", html, `name="q" value="b&#34;art&lt;b"`, `name="from" value="2026-11-01"`, `name="to" value="2026-11-30"`, `name="free" value="3"`,
		`<option value="Foyer" selected>Foyer</option>`, `<option value="sold-out" selected>sold out</option>`, `<option value="-free" selected>most free</option>`,
		"No performance matches.", `<a href="/events">All performances</a>`)
	webtest.Wants(t, "days in the wrong order", webtest.Text(search(t, r, s, web.Door, "from=2026-11-20&to=2026-11-01")),
		"the last day, Sun 1 Nov, is before the first, Fri 20 Nov.")
	webtest.Wants(t, "one empty day", search(t, r, s, web.Door, "from=2026-01-01&to=2026-01-01"), "No performance matches.")
	webtest.Wants(t, "orders", search(t, r, s, web.Door, "q=zaal&sort=free"), `class="free" aria-sort="ascending"><a href="/events?q=zaal&amp;sort=-free"`,
		`class="day"><a href="/events?q=zaal"`, `class="title"><a href="/events?q=zaal&amp;sort=title"`)
	_, list, _ := strings.Cut(search(t, r, s, web.Door, "sort=-date"), `id="found"`)
	webtest.Lacks(t, "another order", list, "now 19:52", "day again", "earlier")
	webtest.Wants(t, "a part", webtest.Text(search(t, r, s, web.Door, "q=foyer")), "3 of 10 performances")
}

func TestEventsWithoutProgramme(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	webtest.Wants(t, "none", search(t, r, h.Snapshot(), web.Door, ""), "The service lists no performances.")
	for i := range h.Health.Streams {
		h.Health.Streams[i].Complete = false
	}
	webtest.Wants(t, "not read yet", search(t, r, h.Snapshot(), web.Door, ""), "The performances are not known yet")
}

// A house whose service lists performances and nothing else: what is free is shown, and what is
// not known is no zero.
func TestEventsAlone(t *testing.T) {
	h := webtest.NewHouse()
	h.Coverage, h.Health.Streams = ledger.Coverage{}, h.Health.Streams[:1]
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(1), webtest.Available(12))
	html := search(t, webtest.Renderer(t), h.Snapshot(), web.Manager, "status=on-sale&free=12")
	webtest.Wants(t, "row", row(t, html, "evt_a"), "tomorrow 20:15 De Vader Kleine Zaal on sale 12 free", "— not known: the service offers no tickets of 40")
	webtest.Lacks(t, "row", row(t, html, "evt_a"), " 0 ", "€", "%")
}

// Money stands on the page for those who may see all of it, and a cancelled performance shows
// what there is to pay back.
func TestEventsMoney(t *testing.T) {
	r, s := webtest.Renderer(t), repertory(t)
	back := s.Event("evt_off").Revenue.Net.Value.In("EUR")
	if back <= 0 {
		t.Fatal("nothing was paid for the cancelled performance")
	}
	html := search(t, r, s, web.Manager, "skip=0")
	webtest.Wants(t, "cancelled", row(t, html, "evt_off"), webtest.Euros(back)+" to pay back")
	webtest.Wants(t, "past", row(t, html, "evt_past"), webtest.Euros(s.Event("evt_past").Revenue.Of(figures.Booked).Value.In("EUR"))+" booked")
	for _, role := range []web.Role{web.Door, web.BoxOffice} {
		html := search(t, r, s, role, "skip=0")
		if m := webtest.Amounts.FindString(html); m != "" || strings.Contains(html, "ooked") || strings.Contains(html, "pay back") {
			t.Errorf("%s is shown money: %s", role, m)
		}
	}
}

// Whoever may see one hall finds nothing of the others, and is not told that there are any.
func TestEventsOfHalls(t *testing.T) {
	q := webtest.EventsView(t, url.Values{"skip": {"0"}, "q": {"zaal"}}).As(web.Manager)
	q.Access = q.Access.InHalls("Kleine Zaal")
	html := webtest.Page(t, webtest.Renderer(t), q, repertory(t), webtest.ShowTime)
	if got, want := rows(html), "evt_past evt_off evt_now"; got != want {
		t.Errorf("the page lists %s, want %s", got, want)
	}
	webtest.Lacks(t, "one hall", html, "Grote Zaal", "Foyer", "of 10")
	q = webtest.EventsView(t, url.Values{"hall": {"Foyer"}}).As(web.Manager)
	q.Access = q.Access.InHalls("Kleine Zaal")
	if html = webtest.Page(t, webtest.Renderer(t), q, repertory(t), webtest.ShowTime); rows(html) != "" || strings.Contains(html, "Grote Zaal") {
		t.Error("a search in another hall finds something")
	}
}

// A search is no topic of its own: every search of one access watches the strip and the clock.
func TestEventsIsStill(t *testing.T) {
	r, s := webtest.Renderer(t), repertory(t)
	q, none := webtest.EventsView(t, url.Values{"q": {"bartok"}, "sort": {"-free"}}).As(web.Door), webtest.EventsView(t, nil).As(web.Door)
	if q.Live() != none {
		t.Errorf("a search watches %s, want %s", q.Live().Topic(), none.Topic())
	}
	if other := webtest.EventView("evt_now").As(web.Door); other.Live() != other {
		t.Errorf("an event's page watches %s", other.Live().Topic())
	}
	c, html := webtest.Content(t, r, none, s, webtest.ShowTime), webtest.Page(t, r, q, s, webtest.ShowTime)
	if len(c.HTML) != 2 || c.HTML["strip"] == "" || c.HTML["clock"] == "" || len(c.Charts) > 0 {
		t.Errorf("a frame carries %d fragments, want strip and clock", len(c.HTML))
	}
	webtest.Wants(t, "the page", html, `data-token="`+c.Token()+`"`, `data-live="/live?locale=en&amp;sort=date&amp;view=events"`, `id="row-evt_full"`)
}

func TestEventsPages(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range 330 {
		h.Event(fmt.Sprintf("evt_%03d", i), fmt.Sprint("Avond ", i), "Zaal", "19:30", "20:15", 40, webtest.OnDay(i-220))
	}
	s := h.Snapshot()
	span := func(from, to int) string {
		var ids []string
		for i := from; i < to; i++ {
			ids = append(ids, fmt.Sprintf("evt_%03d", i))
		}
		return strings.Join(ids, " ")
	}
	for _, c := range []struct {
		query    string
		from, to int
		links    []string
	}{
		{"", 217, 253, []string{`"/events?skip=181" rel="prev">217` + "\u00a0" + `earlier performances<`, `"/events?skip=253" rel="next">77` + "\u00a0" + `later performances, up to Tue 9 Mar 2027<`}},
		{"skip=318", 318, 330, []string{`"/events?skip=282" rel="prev">318`}},
		{"skip=20", 20, 56, []string{`"/events?skip=0" rel="prev">20`, `"/events?skip=56" rel="next">274`}},
		{"skip=4000", 294, 330, []string{`"/events?skip=258" rel="prev">294`}},
		{"q=avond&sort=occupancy&skip=36", 36, 72, []string{`"/events?q=avond&amp;skip=0&amp;sort=occupancy" rel="prev">Back to the 36`, `skip=72&amp;sort=occupancy" rel="next">258` + "\u00a0" + `more performances<`}},
	} {
		html := search(t, r, s, web.Door, c.query)
		if got, want := rows(html), span(c.from, c.to); got != want {
			t.Errorf("%q lists %s, want %s", c.query, got, want)
		}
		webtest.Wants(t, c.query, html, c.links...)
		if got := strings.Count(html, `class="turn"><a href="/events?`); got != len(c.links) {
			t.Errorf("%q has %d links to other pages, want %d", c.query, got, len(c.links))
		}
	}
}

// Hostile names in a search find nothing that they should not, and are only text.
func TestEventsHostile(t *testing.T) {
	r := webtest.Renderer(t)
	for _, name := range webtest.Hostile {
		h := webtest.NewHouse()
		h.Event("evt_"+strconv.Itoa(len(name)), name, name, "19:30", "20:15", 40)
		s := h.Snapshot()
		values := url.Values{"q": {clipped(name)}, "hall": {clipped(name)}}
		q, err := web.NewRequest("events", values, web.Admin.Access(), web.English)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		html := webtest.Page(t, r, q, s, webtest.ShowTime)
		if len(name) <= 190 && rows(html) == "" && strings.TrimSpace(name) == name {
			t.Errorf("%q does not find itself", name)
		}
		for _, bad := range []string{"<img", "<script>alert", `='alert`, "ZgotmplZ"} {
			if strings.Contains(html, bad) {
				t.Errorf("%q: the page holds %q", name, bad)
			}
		}
	}
}

func clipped(s string) string { return s[:min(len(s), 190)] }

// BenchmarkEvents5000 renders a search in a house of 5,000 performances.
func BenchmarkEvents5000(b *testing.B) {
	r, h := webtest.Renderer(b), webtest.NewHouse()
	for i := range 5000 {
		e := h.Event(fmt.Sprintf("evt_%04d", i), fmt.Sprintf("Dvořák en vrienden %d", i), "Grote Zaal", "19:30", "20:15", 400, webtest.OnDay(i/4-900))
		if i%10 == 0 {
			h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -3), 1000)
		}
	}
	s := h.Snapshot()
	for name, values := range map[string]url.Values{"all": nil, "word": {"q": {"dvorak 43"}}, "free": {"free": {"10"}, "sort": {"-free"}}} {
		q := webtest.EventsView(b, values).As(web.Manager)
		b.Run(name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := r.Page(&out, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, User: "Fatima"}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len()), "B/page")
		})
	}
}
