package wall_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/wall"
	"housecount/web/webtest"
	"housecount/web/words"
)

// public returns a request of a public screen.
func public(t *testing.T, hall string) web.Request {
	t.Helper()
	values, a := url.Values{}, web.Access{Money: web.NoMoney, Public: true}
	if hall != "" {
		values, a = url.Values{"hall": {hall}}, a.InHalls(hall)
	}
	q, err := web.NewRequest("board", values, a, web.English)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

var boardLine = regexp.MustCompile(`(?s)<li class="([^"]*)">(.*?)</li>`)

// lines returns a board's performances: state, and what is read.
func lines(page string) string {
	var all []string
	for _, m := range boardLine.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.Join(strings.Fields(m[1]+": "+webtest.AnyTag.ReplaceAllString(m[2], " ")), " "))
	}
	return strings.Join(all, "\n")
}

func TestBoard(t *testing.T) {
	h := webtest.Busy(t)
	h.Event("evt_draft", "A Secret", "Foyer", "20:00", "21:00", 100, func(e *record.Event) { e.Status = record.EventDraft })
	h.Event("evt_off", "Afgelast", "Foyer", "19:00", "19:40", 100, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Event("evt_full", "Volle Bak", "Tuin", "21:00", "21:30", 100, func(e *record.Event) { e.Status = record.EventSoldOut })
	h.Event("evt_open", "Vol Huis", "Zolder", "19:30", "20:45", 100, func(e *record.Event) { e.Status = record.EventSoldOut })
	h.Event("evt_noon", "Lunchconcert", "Foyer", "12:00", "12:30", 100, func(e *record.Event) { e.EndsAt = webtest.At("13:15") })
	s := h.Snapshot()
	red := *s
	red.Health.Streams = append([]figures.StreamHealth(nil), s.Health.Streams...)
	for i := range red.Health.Streams {
		red.Health.Streams[i].Missed, red.Health.Streams[i].Fault = 50, figures.FaultServer
	}
	for _, c := range []struct {
		name      string
		s         *figures.Snapshot
		hall      string
		now       time.Time
		want      string
		alongside []string
	}{
		{"in the evening", s, "", webtest.ShowTime, `begun: 12:30 Lunchconcert Foyer doors 12:00 Over
off: 19:40 Afgelast Foyer Cancelled
open: 20:15 Matthäus-Passion, Nederlands Kamerkoor Grote Zaal doors 19:30 Doors open
open: 20:30 De Vader Kleine Zaal doors 19:45 Doors open
sold: 20:45 Vol Huis Zolder doors 19:30 Doors open · Sold out
sold: 21:30 Volle Bak Tuin doors 21:00 Sold out
last: 23:00 Late Night Trio Foyer doors 22:15 Last places`, []string{"Today", "Friday 20 November", "Tomorrow 20:15 De Vader · Kleine Zaal"}},
		{"of a hall", s, "Foyer", webtest.ShowTime, `begun: 12:30 Lunchconcert Foyer doors 12:00 Over
off: 19:40 Afgelast Foyer Cancelled
last: 23:00 Late Night Trio Foyer doors 22:15 Last places`, []string{"Today"}},
		{"while the service does not answer", &red, "Foyer", webtest.ShowTime, `begun: 12:30 Lunchconcert Foyer doors 12:00 Over
off: 19:40 Afgelast Foyer Cancelled
: 23:00 Late Night Trio Foyer doors 22:15`, nil},
		{"when one has begun", s, "Grote Zaal", webtest.At("20:40"), "begun: 20:15 Matthäus-Passion, Nederlands Kamerkoor Grote Zaal doors 19:30 Begun", nil},
		{"after the last of the day", s, "Kleine Zaal", webtest.At("23:30"), ": 20:15 De Vader Kleine Zaal doors 19:30", []string{"Tomorrow", "Saturday 21 November · from 20:15"}},
		{"of a hall that is gone", s, "Nergens", webtest.ShowTime, "", []string{"Nothing is announced"}},
	} {
		q := public(t, c.hall)
		got := webtest.Page(t, webtest.Renderer(t), q, c.s, c.now)
		if lines(got) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, lines(got), c.want)
		}
		webtest.Wants(t, c.name, webtest.Text(got), c.alongside...)
		if strings.Contains(got, "Secret") {
			t.Errorf("%s: it announces what is not announced", c.name)
		}
	}
}

// A performance that is called off is on public screens from a week before the day that it was planned for until that
// day is over, also where its day shows another.
func TestPublicScreensSayWhatIsCalledOff(t *testing.T) {
	off := func(h *webtest.House, id, title string, status record.EventStatus, changes ...func(*record.Event)) {
		h.Event(id, title, "Kleine Zaal", "19:30", "20:15", 40, append(changes, func(e *record.Event) { e.Status = status })...)
	}
	h := webtest.NewHouse()
	off(h, "evt_today", "De Vader", record.EventCancelled)
	off(h, "evt_soon", "Pluk", record.EventPostponed, webtest.OnDay(6))
	off(h, "evt_far", "Metropolis", record.EventCancelled, webtest.OnDay(8))
	h.Event("evt_next", "Strijkkwartet", "Grote Zaal", "19:30", "20:15", 40, webtest.OnDay(1))
	said := func(page string, now time.Time) string {
		q := public(t, "")
		q.Page = page
		return webtest.FigureText(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), now))
	}
	for _, clock := range []string{"12:00", "23:40"} { // the second after it would have ended
		for _, page := range []string{"board", "next"} {
			got := said(page, webtest.At(clock))
			webtest.Wants(t, page+" at "+clock, got, "Strijkkwartet", "Cancelled · Today 20:15 De Vader · Kleine Zaal", map[string]string{"board": "Postponed · Pluk · Kleine Zaal · was Thu 26 Nov 20:15 · new date not known", "next": "and 1 more"}[page])
			webtest.Lacks(t, page+" at "+clock, got, "Metropolis")
		}
		webtest.Wants(t, "week at "+clock, said("week", webtest.At(clock)), "De Vader Kleine Zaal Cancelled", "Thu 26 Nov Pluk Kleine Zaal Postponed")
	}
	webtest.Lacks(t, "the day after", said("board", webtest.At("12:00").AddDate(0, 0, 1))+said("week", webtest.At("12:00").AddDate(0, 0, 1)), "De Vader")
	off(h, "evt_third", "Hamlet", record.EventCancelled, webtest.OnDay(2))
	webtest.Wants(t, "of three", said("board", webtest.At("12:00")), "Cancelled · Today 20:15 De Vader", "Cancelled · Sun 22 Nov 20:15 Hamlet · Kleine Zaal · and 1 more")
}

// A start that the house holds is announced to the public by when it begins, without a name or a number; on the house's
// own walls it is an order that stands.
func TestHeldStartIsAnnounced(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 200, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 180, From: past.StartsAt.Add(-45 * time.Minute), To: past.StartsAt.Add(-3 * time.Minute)}}})
	}
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 220, From: webtest.At("19:50"), To: webtest.At("20:15")}}})
	board := func(at string) string {
		h.Health, h.AsOf = webtest.Healthy(webtest.At(at)), webtest.At(at)
		return lines(webtest.Page(t, r, public(t, ""), h.Snapshot(), webtest.At(at)))
	}
	if got := board("20:18"); !strings.Contains(got, "Begun") {
		t.Errorf("held by nobody: %s", got)
	}
	h.Apply(&record.Acknowledgement{Alert: "hold:evt_a", At: webtest.At("20:11"), By: "Mia", Personal: true, Count: 164})
	for _, c := range [][2]string{{"20:12", "Begins at 20:27"}, {"20:18", "Begins at 20:27"}, {"20:27", "Begun"}} {
		if got := board(c[0]); !strings.Contains(got, c[1]) || strings.Contains(got, "Mia") {
			t.Errorf("at %s: %q, want %q", c[0], got, c[1])
		}
	}
}

// The titles of one board have the size of the longest of them.
func TestTitlesOfABoardAreOfOneSize(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.Event("evt_b", "Strijkkwartet Biënnale: Ragazze Quartet speelt Schubert", "Grote Zaal", "19:30", "20:30", 40)
	page := webtest.Page(t, webtest.Renderer(t), public(t, ""), h.Snapshot(), webtest.ShowTime)
	if n := strings.Count(page, `class="name long"`); n != 2 {
		t.Errorf("%d of two titles are in small letters", n)
	}
}

// A board has room for eight: what is over makes room for what is to come.
func TestBoardHasRoomForEight(t *testing.T) {
	h := webtest.NewHouse()
	for i := range 12 {
		h.Event("evt_"+string(rune('a'+i)), "Show "+string(rune('A'+i)), "Foyer", "19:30", "20:00", 100, func(e *record.Event) {
			shift := time.Duration(i-6) * 30 * time.Minute
			e.DoorsAt, e.StartsAt, e.EndsAt = e.DoorsAt.Add(shift), e.StartsAt.Add(shift), e.StartsAt.Add(shift+40*time.Minute)
		})
	}
	got := lines(webtest.Page(t, webtest.Renderer(t), public(t, ""), h.Snapshot(), webtest.ShowTime))
	if n := strings.Count(got, "\n") + 1; n != 8 || strings.Contains(got, "Show D") || !strings.Contains(got, "Show E") || !strings.Contains(got, "Show L") {
		t.Errorf("%d:\n%s", n, got)
	}
}

// On a festival's evening what has begun makes room as well, and how many more are to come is said in the
// place of the next day's first.
func TestBoardOfAFestival(t *testing.T) {
	h := webtest.NewHouse()
	for i := range 15 {
		h.Event("evt_"+string(rune('a'+i)), "Show "+string(rune('A'+i)), fmt.Sprint("Hall ", i%6), "19:30", "20:00", 100, func(e *record.Event) {
			shift := time.Duration(i-6) * 10 * time.Minute
			e.DoorsAt, e.StartsAt, e.EndsAt = e.DoorsAt.Add(shift), e.StartsAt.Add(shift), e.StartsAt.Add(shift+2*time.Hour)
		})
	}
	h.Event("evt_next", "Show Z", "Hall 0", "19:30", "20:00", 100, webtest.OnDay(1))
	html := webtest.Page(t, webtest.Renderer(t), public(t, ""), h.Snapshot(), webtest.ShowTime)
	got := lines(html)
	if n := strings.Count(got, "\n") + 1; n != 8 || strings.Contains(got, "begun") || !strings.Contains(got, "Show G") || !strings.Contains(got, "Show N") {
		t.Errorf("%d:\n%s", n, got)
	}
	webtest.Wants(t, "the rest", webtest.Text(html), "and 1 more")
	webtest.Lacks(t, "the rest", webtest.Text(html), "Show Z")
}

// people are those whom the records of a house name, with what is known of them.
var people = []string{"Marijke", "marijke@example.org", "Zutphen", "7201", "ord_", "tkt_", "pay_"}

// peopled returns a busy evening with what people bought and entered.
func peopled(t *testing.T) *figures.Snapshot {
	t.Helper()
	h := webtest.Busy(t)
	const buyer, staff = "marijke@example.org", "Marijke de Waal"
	h.Apply(&record.Contact{ID: buyer, City: "Zutphen", PostalArea: "7201", UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Ticket{ID: h.ID("tkt"), OrderID: h.ID("ord"), EventID: "evt_vader", ContactID: buyer, Status: record.TicketValid, Scans: []record.Scan{},
		Price: &record.Money{Amount: 3250, Currency: "EUR"}, SoldAt: webtest.ShowTime.Add(-time.Hour), UpdatedAt: webtest.ShowTime.Add(-time.Hour)})
	h.Apply(&record.ScreenMessage{ID: "m", Text: "Late entry by door B", Until: webtest.ShowTime.Add(time.Hour), At: webtest.ShowTime, By: staff})
	h.Apply(&record.WalkIn{ID: "w", EventID: "evt_vader", Gate: "A", Count: 2, At: webtest.ShowTime, By: staff})
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(300)), At: webtest.ShowTime, By: staff})
	return h.Snapshot()
}

// wholeWords returns the words and numbers of a text, whole as they stand in it.
func wholeWords(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != ',' && r != '_' && r != '-'
	})
	for i, word := range all {
		all[i] = strings.Trim(word, ".,_-")
	}
	return all
}

// amountsOf returns the sums of a house as they could be written, other than those that are allowed.
func amountsOf(s *figures.Snapshot, allowed figures.Sums) map[string]bool {
	all := map[string]bool{}
	write := func(sums figures.Sums, as bool) {
		for _, m := range sums {
			if m.Amount = max(m.Amount, -m.Amount); m.Amount < 1000_00 { // a smaller one is like any count
				continue
			}
			euros := words.Of(words.English).Count(int(m.Amount / 100))
			for _, text := range []string{strconv.FormatInt(m.Amount, 10), strconv.FormatInt(m.Amount/100, 10), fmt.Sprintf("%d.%02d", m.Amount/100, m.Amount%100), euros, fmt.Sprintf("%s.%02d", euros, m.Amount%100)} {
				if as {
					all[text] = true
				} else {
					delete(all, text)
				}
			}
		}
	}
	revenue := func(r figures.Revenue) {
		for _, m := range r.Measures {
			write(m.Value, true)
		}
		write(r.Net.Value, true)
	}
	revenue(s.Total)
	revenue(s.Unattributed)
	for _, e := range s.Events {
		revenue(e.Revenue)
	}
	for _, d := range s.Days {
		write(d.Of(figures.Booked), true)
		write(d.Of(figures.Received), true)
	}
	write(allowed, false)
	return all
}

// Every byte that each kind of screen is sent, through an evening, and of its picture among the
// others: a public one has no number but times and days, says nothing of how the service is read, and
// names no state of the figures; only one that may show money has an amount, and that is what was
// booked today; none has anybody's name.
func TestWhatScreensAreSent(t *testing.T) {
	times := regexp.MustCompile(`\d\d:\d\d|\b\d+[ \x{a0}](?:Nov|Dec)`)
	r, s := webtest.Renderer(t), peopled(t)
	of := func(page string, a web.Access, values url.Values) web.Request {
		t.Helper()
		q, err := web.NewRequest(page, values, a, web.English)
		if err != nil {
			t.Fatal(page, err)
		}
		return q
	}
	strangers, office, till := web.Access{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney}, web.Access{Money: web.TodaysMoney}
	sent := []web.Request{public(t, ""), public(t, "Foyer"), wall.WaitingRequest(web.English)}
	for _, page := range wall.ScreenPages() {
		values := url.Values{}
		switch page {
		case "arrivals":
			values.Set("hall", "Grote Zaal")
		case "performance":
			values.Set("event", "evt_mat")
		case "message":
			values.Set("text", "The bar on the balcony is open")
		}
		for _, a := range []web.Access{strangers, office, till} {
			if _, err := web.NewRequest(page, values, a, web.English); err == nil {
				sent = append(sent, of(page, a, values))
			}
		}
	}
	sent = append(sent, of(web.DarkPage, office, nil))
	if len(sent) < 23 {
		t.Fatalf("only %d kinds of screens", len(sent))
	}
	state := web.ScreenState{Identify: "Bar", Messages: []web.MessageState{{Text: "Late entry by door B", Until: webtest.ShowTime.Add(time.Hour).UnixMilli()}}}
	none, but, takings := amountsOf(s, nil), map[figures.Day]map[string]bool{}, 0
	for _, now := range []time.Time{webtest.ShowTime, webtest.ShowTime.AddDate(0, 0, 1)} {
		var booked figures.Sums
		for _, d := range s.Days {
			if d.Day == s.Calendar.Day(now) {
				booked = d.Of(figures.Booked)
			}
		}
		but[s.Calendar.Day(now)] = amountsOf(s, booked)
	}
	for _, q := range sent {
		for _, now := range []time.Time{webtest.At("09:00"), webtest.ShowTime, webtest.At("20:30"), webtest.At("22:30"), webtest.At("23:50"), webtest.At("00:30").AddDate(0, 0, 1)} {
			c := webtest.Content(t, r, q, s, now)
			body, err := c.Body()
			if err != nil {
				t.Fatal(err)
			}
			sent := webtest.All(t, c) + body + string(r.Times(q, s, now)) + string(state.JSON())
			for _, f := range []web.Frame{{Screen: &state}, {Screen: &web.ScreenState{}, Picture: true}} {
				f.Request, f.Snapshot, f.Now = q, s, now
				var page strings.Builder
				if err := r.Page(&page, f); err != nil {
					t.Fatal(q.Topic(), err)
				}
				sent += page.String()
			}
			if q.Page == "performance" {
				sent = strings.Replace(sent, "evt_mat", "", -1) // which it was asked for
			}
			for _, name := range people {
				if strings.Contains(sent, name) {
					t.Errorf("%s at %s is sent %q", q.Topic(), now, name)
				}
			}
			secrets := []string{"€", "EUR", "Booked", "revenue", "evt_"}
			if q.Access == till {
				secrets = []string{"EUR", "revenue", "evt_"}
				if strings.Contains(sent, "€") {
					takings++
				}
			}
			for _, secret := range secrets {
				if strings.Contains(sent, secret) {
					t.Errorf("%s at %s is sent %q", q.Topic(), now, secret)
				}
			}
			for _, word := range wholeWords(sent) {
				if none[word] && (q.Access != till || but[s.Calendar.Day(now)][word]) {
					t.Errorf("%s at %s is sent the amount %s", q.Topic(), now, word)
				}
			}
			if !q.Access.Public && q.Page != "pairing" {
				continue
			}
			if strings.Contains(sent, "data-as-of") {
				t.Errorf("%s is sent the state of the figures", q.Topic())
			}
			read := strings.Join(webtest.ReadTexts(t, webtest.All(t, c)), " ")
			if left := times.ReplaceAllString(read, ""); strings.ContainsAny(left, "0123456789%≈≥") {
				t.Errorf("%s at %s says a number: %s", q.Topic(), now, left)
			}
		}
	}
	if takings == 0 {
		t.Error("no screen shows today's takings")
	}
}

// A public access includes no page but those for strangers, whatever else it has.
func TestPublicAccess(t *testing.T) {
	a := web.Manager.Access()
	a.Public = true
	for _, p := range web.Pages() {
		values := url.Values{}
		if p.Name == "event" {
			values.Set("event", "evt_mat")
		}
		if _, err := web.NewRequest(p.Name, values, a, web.English); (err == web.ErrForbidden) == p.Bare {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	for _, a := range []web.Access{a, {Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney, Public: true}.InHalls("Foyer", "A&B")} {
		if back, err := web.ParseAccess(a.String()); err != nil || back != a {
			t.Errorf("%s is read as %+v, %v", a, back, err)
		}
	}
	if q := public(t, "Foyer"); words.Of(q.Locale) == nil {
		t.Error("a board has no language")
	} else if again, err := web.ParseTopic(q.Topic()); err != nil || again != q {
		t.Errorf("%s is read as %+v, %v", q.Topic(), again, err)
	}
}

// Where as many are sold as people are allowed in the hall, the public reads that it is sold out, though places are free: on the board
// before and after the doors, and on the screen of free places.
func TestPublicReadsSoldOutAtTheLicence(t *testing.T) {
	h := webtest.NewHouse()
	for _, hall := range []string{"Kelder", "Zolder"} {
		h.Sell(h.Event("evt_"+hall, "Stuk "+hall, hall, "19:00", "20:00", 100, webtest.Available(45)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 55})
	}
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(55)), At: webtest.ShowTime.AddDate(0, 0, -9), By: "Mia"})
	for clock, want := range map[string]string{"18:00": "sold: 20:00 Stuk Kelder Kelder doors 19:00 Sold out", "19:10": "sold: 20:00 Stuk Kelder Kelder doors 19:00 Doors open · Sold out"} {
		board := lines(webtest.Page(t, webtest.Renderer(t), public(t, ""), h.Snapshot(), webtest.At(clock)))
		webtest.Wants(t, clock, board, want)
		if strings.Count(board, "Sold out") != 1 {
			t.Errorf("%s: %s", clock, board)
		}
	}
	q := public(t, "Kelder")
	q.Page = "places"
	webtest.Wants(t, "free places", webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.At("18:00"))), "Sold out")
}
