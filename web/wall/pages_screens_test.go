package wall_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// What screens show beside the wall and the board, through an evening.
func TestViewsOfScreens(t *testing.T) {
	strangers, office := web.Access{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney}
	s, areas := webtest.Busy(t).Snapshot(), webtest.Eventful(t).Snapshot()
	red := *areas
	red.Health.Streams = nil
	for _, h := range areas.Health.Streams {
		h.Missed, h.LastGood = 9, webtest.ShowTime.Add(-time.Hour)
		red.Health.Streams = append(red.Health.Streams, h)
	}
	for _, c := range []struct {
		name, page string
		a          web.Access
		values     url.Values
		s          *figures.Snapshot
		now        time.Time
		want, not  string
	}{
		{"at the door", "arrivals", office, url.Values{"hall": {"Grote Zaal"}}, s, webtest.ShowTime, "minutes to curtain, 20:15|came|still to come|a minute", ""},
		{"before the doors", "arrivals", office, url.Values{"hall": {"Foyer"}}, s, webtest.ShowTime, "Late Night Trio|doors open", "a minute"},
		{"when it runs", "arrivals", office, url.Values{"hall": {"Grote Zaal"}}, s, webtest.At("20:20"), "5|minutes since curtain, 20:15", "to curtain"},
		{"next", "next", strangers, nil, s, webtest.ShowTime, "20:15|Matthäus-Passion|Grote Zaal · doors 19:30|Doors open", "Tomorrow"},
		{"next of a hall", "next", strangers, url.Values{"hall": {"Foyer"}}, s, webtest.ShowTime, "23:00|Late Night Trio", "Doors open"},
		{"next, after the last", "next", strangers, nil, s, webtest.At("23:50"), "Tomorrow|20:15|De Vader", ""},
		{"the days to come", "week", strangers, nil, s, webtest.ShowTime, "today|20:15|Matthäus-Passion|tomorrow|De Vader", "Lunchconcert"},
		{"free places, in words", "places", strangers, nil, s, webtest.ShowTime, "Last places|Places free", "51"},
		{"free places, in numbers", "places", office, nil, s, webtest.ShowTime, "51 free|109 free|9 free", "Last places"},
		{"free places by area, in words", "places", strangers, nil, areas, webtest.ShowTime, "Late Night Trio|Last places|Rang 2 last places", "Jongeren"},
		{"free places by area, in numbers", "places", office, nil, areas, webtest.ShowTime, "7 free|of these at most: Rang 1 0|Rang 2 7", "≤"},
		{"free places by area, long not renewed", "places", office, nil, &red, webtest.ShowTime, "Matthäus-Passion", "Rang"},
		{"free places, long not renewed", "places", office, nil, &red, webtest.ShowTime, "Matthäus-Passion", "51"},
		{"free places, known", "places", strangers, nil, areas, webtest.ShowTime, `at the box office`, `class="ask red"`},
		{"one performance", "performance", office, url.Values{"event": {"evt_vader"}}, s, webtest.ShowTime, "De Vader|places sold", "Matth"},
		{"one of another day", "performance", office, url.Values{"event": {"evt_next_0"}}, s, webtest.ShowTime, "De Vader|tomorrow · curtain 20:15|places sold", ""},
		{"one that is over for long", "performance", office, url.Values{"event": {"evt_mat"}}, s, webtest.ShowTime.AddDate(0, 0, 3), "Matthäus-Passion|638came", "doors open"},
		{"a text", "message", strangers, url.Values{"text": {" The bar <b>\n is open "}}, s, webtest.ShowTime, "The bar &lt;b&gt; is open", ""},
		{"today's takings", "takings", web.Access{Money: web.TodaysMoney}, nil, s, webtest.ShowTime, "Booked today|€", ""},
	} {
		q, err := web.NewRequest(c.page, c.values, c.a, web.English)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		html := webtest.Page(t, webtest.Renderer(t), q, c.s, c.now)
		got := webtest.Text(html)
		for want := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(got, want) && !strings.Contains(strings.ReplaceAll(got, "\u00a0", " "), want) {
				t.Errorf("%s: no %q in %q", c.name, want, got[max(0, len(got)-900):])
			}
		}
		if c.not != "" && strings.Contains(html[strings.Index(html, "<main"):], c.not) {
			t.Errorf("%s: it says %q", c.name, c.not)
		}
	}
}

// What is next for the people in the foyer is that their performance goes on: an interval is shown until it is over, the first that ends
// before others, with what else goes on or begins below.
func TestNextIsTheEndOfAnInterval(t *testing.T) {
	h := webtest.NewHouse()
	interval := func(from, to string) func(*record.Event) {
		return func(e *record.Event) { e.IntervalStartsAt, e.IntervalEndsAt = webtest.At(from), webtest.At(to) }
	}
	h.Event("evt_a", "Een", "Grote Zaal", "19:15", "20:00", 100, interval("21:00", "21:30"))
	h.Event("evt_b", "Twee", "Kleine Zaal", "19:15", "20:15", 100, interval("21:05", "21:25"))
	h.Event("evt_late", "Laat", "Foyer", "22:00", "23:00", 100)
	said := func(hall, clock string) string {
		q := public(t, hall)
		q.Page = "next"
		return webtest.FigureText(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.At(clock)))
	}
	for _, c := range []struct{ hall, clock, want, not string }{
		{"", "20:50", "Next|23:00|Laat", "Interval"},
		{"", "21:02", "Interval|21:30|Een|Grote Zaal|Interval, back at 21:30|Next · Today 23:00 Laat · Foyer", "Twee"},
		{"", "21:10", "Interval|21:25|Twee|Interval, back at 21:25|21:30 · Een · Grote Zaal|Next · Today 23:00 Laat", ""},
		{"Grote Zaal", "21:10", "Interval|21:30|Een", "Twee"},
		{"Foyer", "21:10", "Next|23:00|Laat", "Interval"},
		{"", "21:30", "Next|23:00|Laat", "Interval"},
	} {
		got := said(c.hall, c.clock)
		webtest.Wants(t, c.hall+" at "+c.clock, got, strings.Split(c.want, "|")...)
		if c.not != "" {
			webtest.Lacks(t, c.hall+" at "+c.clock, got, c.not)
		}
	}
}

// A night goes on after midnight: what begins in it is next, and of what begins in the coming day that is said.
func TestNextAfterMidnight(t *testing.T) {
	h := webtest.NewHouse()
	h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
	h.Event("evt_matinee", "De Vader", "Kleine Zaal", "13:30", "14:15", 100, webtest.OnDay(1))
	now := webtest.At("23:50").Add(44 * time.Minute)
	h.AsOf, h.Health = now, webtest.Healthy(now)
	for language, day := range map[words.Locale]string{words.English: "Saturday 21 November", words.Dutch: "Zaterdag 21 november", words.German: "Samstag, 21. November"} {
		q, err := web.NewRequest("next", nil, web.Access{Money: web.NoMoney, Public: true}, language)
		if err != nil {
			t.Fatal(err)
		}
		webtest.Wants(t, "the coming day", webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), now)), day, "14:15", "De Vader")
	}
	h.Event("evt_night", "Nachtconcert", "Foyer", "23:30", "23:45", 100, func(e *record.Event) { e.StartsAt, e.EndsAt = e.StartsAt.Add(time.Hour), e.EndsAt.Add(time.Hour) })
	q, err := web.NewRequest("next", nil, web.Access{Money: web.NoMoney, Public: true}, web.English)
	if err != nil {
		t.Fatal(err)
	}
	got := webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), now))
	webtest.Wants(t, "the night", got, "Next", "00:45", "Nachtconcert")
	webtest.Lacks(t, "the night", got, "November")
}

// Where figures are long not renewed it is said where to ask, and nowhere else.
func TestFreePlacesSayWhereToAsk(t *testing.T) {
	s := webtest.Busy(t).Snapshot()
	q, err := web.NewRequest("places", nil, web.Access{Money: web.NoMoney, Public: true}, web.English)
	if err != nil {
		t.Fatal(err)
	}
	old := *s
	old.Health.Streams = slices.Clone(s.Health.Streams)
	for i := range old.Health.Streams {
		old.Health.Streams[i].Missed, old.Health.Streams[i].Fault = 50, figures.FaultServer
	}
	for want, s := range map[string]*figures.Snapshot{`<p class="ask">`: s, `<p class="ask red">`: &old} {
		if got := webtest.Page(t, webtest.Renderer(t), q, s, webtest.ShowTime); !strings.Contains(got, want+"Please ask at the box office") {
			t.Errorf("no %s in %s", want, got)
		}
	}
	q, err = web.NewRequest("board", nil, q.Access, web.English)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Lacks(t, "the board", webtest.Page(t, webtest.Renderer(t), q, &old, webtest.ShowTime), "at the box office")
}

// Without a connection every view of a public screen says since when there is none, and nothing else of it.
func TestPublicViewsSayWhatTheyLost(t *testing.T) {
	for locale, want := range map[web.Locale]string{"en": "Not connected since ", "nl": "Geen verbinding sinds ", "de": "Keine Verbindung seit "} {
		for name, values := range map[string]url.Values{"board": nil, "next": nil, "week": nil, "places": nil, "message": {"text": {"Open"}}} {
			q, err := web.NewRequest(name, values, web.Access{Money: web.NoMoney, Public: true}, locale)
			if err != nil {
				t.Fatal(err)
			}
			html := webtest.Page(t, webtest.Renderer(t), q, webtest.Busy(t).Snapshot(), webtest.ShowTime)
			lost := regexp.MustCompile(`(?s)<section class="lost".*?</section>`).FindString(html)
			if got := strings.Join(strings.Fields(webtest.Text(lost)), " "); got != strings.TrimSpace(want) || !strings.Contains(lost, "<time></time>") {
				t.Errorf("%s, %s: %q, want %q", name, locale, lost, want)
			}
		}
	}
}

// A number is as large as there is room for: by how long it is, which a board's type is by how many rows it has.
func TestSizesOfScreens(t *testing.T) {
	h := webtest.NewHouse()
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 200), webtest.Sale{From: webtest.At("12:00"), To: webtest.At("13:00"), Paid: 120, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.ShowTime.Add(-5 * time.Minute), To: webtest.ShowTime}}})
	of := func(page_ string, values url.Values) string {
		t.Helper()
		q, err := web.NewRequest(page_, values, web.Access{Money: web.TodaysMoney}, web.English)
		if err != nil {
			t.Fatal(err)
		}
		return webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime)
	}
	takings := of("takings", nil)
	shown := regexp.MustCompile(`class="huge n(\d+)"[^€]*(€[\d,.]+)`).FindStringSubmatch(takings)
	if shown == nil {
		t.Fatalf("no takings in %s", takings)
	}
	room, err := strconv.Atoi(shown[1])
	if has := utf8.RuneCountInString(shown[2]); err != nil || room != has && room != has+1 {
		t.Errorf("today's takings, %q, have %d characters in room for %d (%v)", shown[2], has, room, err)
	}
	webtest.Wants(t, "one row", of("board", nil), `id="board" class="few fewest"`)
	arrivals := of("arrivals", url.Values{"hall": {"Kleine Zaal"}})
	gates := arrivals[strings.Index(arrivals, `class="gates"`):]
	webtest.Wants(t, "a gate", gates, "a minute")
	webtest.Lacks(t, "a gate with no other to compare", gates[:strings.Index(gates, "</ol>")], `class="bar`)
}

// What a screen may not show is no request, and what is called off does not exist as one.
func TestViewsWithinAccess(t *testing.T) {
	strangers, office := web.Access{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney}
	for page, may := range map[string][2]bool{"wall": {false, true}, "arrivals": {false, true}, "performance": {false, true}, "takings": {false, false}, "next": {true, true}, "week": {true, true}, "places": {true, true}, "message": {true, true}, "board": {true, true}} {
		values := url.Values{}
		for name, value := range map[string]string{"hall": "Foyer", "event": "evt_mat", "text": "x"} {
			if web.HasParam(page, name) {
				values.Set(name, value)
			}
		}
		for i, a := range []web.Access{strangers, office} {
			if _, err := web.NewRequest(page, values, a, web.English); (err == nil) != may[i] {
				t.Errorf("%s as %s: %v", page, a, err)
			}
		}
	}
	s := webtest.Busy(t).Snapshot()
	for _, e := range s.Events {
		q, err := web.NewRequest("performance", url.Values{"event": {e.Event.ID}}, office, web.English)
		if err != nil {
			t.Fatal(err)
		}
		if off := e.Event.Status == record.EventCancelled; off == q.Exists(s) {
			t.Errorf("%s, %s, exists: %v", e.Event.ID, e.Event.Status, !off)
		}
	}
	if long, err := web.NewRequest("message", url.Values{"text": {strings.Repeat("a", 401)}}, office, web.English); err == nil {
		t.Errorf("a text without end is %s", long.Topic())
	}
}

// A stranger is told of free places only where there are any: not where none are left by our own
// count, which is no certainty either.
func TestNoFreePlacesAreNotFree(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Event)
		sold   int
		want   string
	}{
		"oversold by our count":  {func(*record.Event) {}, 3, ": 20:15 De Vader Kleine Zaal doors 19:30"},
		"some left by our count": {func(*record.Event) {}, 1, "open: 20:15 De Vader Kleine Zaal doors 19:30 Places free"},
		"none by the service":    {webtest.Available(0), 2, "sold: 20:15 De Vader Kleine Zaal doors 19:30 Sold out"},
		"without a limit":        {func(e *record.Event) { e.Unlimited = true }, 3, "open: 20:15 De Vader Kleine Zaal doors 19:30 Places free"},
	} {
		h := webtest.NewHouse()
		h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 2, c.change), webtest.Sale{From: webtest.At("12:00"), To: webtest.At("13:00"), Paid: c.sold, Scans: true})
		q, err := web.NewRequest("places", nil, web.Access{Money: web.NoMoney, Public: true}, web.English)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Where people are scanned at another door, nobody is said to have come to the hall: not "0 came", but that it has no scans. As
// the doors open nobody has come yet.
func TestHallScannedAtAnotherDoor(t *testing.T) {
	h := webtest.NewHouse()
	sale := func(scans bool) webtest.Sale {
		s := webtest.Sale{From: webtest.At("12:00"), To: webtest.At("13:00"), Paid: 50, Scans: true}
		if scans {
			s.In = []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("19:35"), To: webtest.At("20:00")}}
		}
		return s
	}
	h.Sell(h.Event("evt_foyer", "De Vader", "Foyer", "19:30", "20:15", 200), sale(true))
	h.Sell(h.Event("evt_none", "Woyzeck", "Kleine Zaal", "19:30", "20:15", 200), sale(false))
	for _, c := range []struct{ page, hall, at, want, not string }{
		{"arrivals", "Kleine Zaal", "19:35", "of 50 came", "no scans"},
		{"arrivals", "Kleine Zaal", "20:05", "no scans in this hall", "came"},
		{"arrivals", "Kleine Zaal", "20:30", "no scans in this hall", "came"},
		{"arrivals", "Foyer", "20:05", "40of 50 came", "no scans"},
		{"wall", "Kleine Zaal", "20:05", "no scans in this hall", "inside, 10 not in"},
		{"wall", "Kleine Zaal", "20:30", "no scans in this hall", "inside, 10 not in"},
		{"wall", "Foyer", "20:30", "inside, 10 not in", "no scans"},
	} {
		q, err := web.NewRequest(c.page, url.Values{"hall": {c.hall}}, web.Access{Money: web.NoMoney}, web.English)
		if err != nil {
			t.Fatal(err)
		}
		got := webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.At(c.at)))
		webtest.Wants(t, c.page+" of "+c.hall+" at "+c.at, got, c.want)
		webtest.Lacks(t, c.page+" of "+c.hall+" at "+c.at, got, c.not)
	}
}

// There is room for four gates; the quietest of all is one of them.
func TestQuietestOfAllGates(t *testing.T) {
	h := webtest.NewHouse()
	var in []webtest.GateIn
	for i, n := range []int{20, 15, 18, 17, 19, 5} {
		in = append(in, webtest.GateIn{Gate: string(rune('A' + i)), N: n, From: webtest.ShowTime.Add(-5 * time.Minute), To: webtest.ShowTime})
	}
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 200), webtest.Sale{From: webtest.At("12:00"), To: webtest.At("13:00"), Paid: 120, Scans: true, In: in})
	q, err := web.NewRequest("arrivals", url.Values{"hall": {"Kleine Zaal"}}, web.Access{Money: web.NoMoney}, web.English)
	if err != nil {
		t.Fatal(err)
	}
	got := webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "arrivals", got, "F0.8 a minute", "5 came · quietest")
	if n := strings.Count(got, "a minute"); n != 4 || strings.Count(got, "quietest") != 1 {
		t.Errorf("%d gates: %s", n, got)
	}
}
