package admin_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// spaced returns the words of a page, with a space between any two elements.
func spaced(page string) string {
	return strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
}

// Each list stands with its service, with what it gives, what is wrong with it and when it answered; figures name the lists
// that they are made of, and not those that the service does not offer.
func TestServices(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	s := *h.Snapshot()
	at := webtest.ShowTime
	s.Records = map[record.Kind]int{record.KindEvent: 94, record.KindTicket: 18206, record.KindPayment: 17984}
	s.Health.Streams = []figures.StreamHealth{
		{Name: "performances", Kinds: []record.Kind{record.KindEvent}, LastGood: at.Add(-5 * time.Second), Took: 200 * time.Millisecond, Complete: true,
			Past: figures.PastFaults{{Fault: figures.FaultServer, Status: 502, From: at.Add(-time.Hour), Until: at.Add(-50 * time.Minute)}, {Fault: figures.FaultSlow, From: at.Add(-25 * time.Hour), Until: at.Add(-24 * time.Hour)}}},
		{Name: "orders", Kinds: []record.Kind{record.KindTicket}, LastGood: at.Add(-26 * time.Hour), Complete: true, Missed: 7, Fault: figures.FaultServer, FaultStatus: 503},
		{Name: "checkins", Kinds: []record.Kind{record.KindScan}, Fault: figures.FaultNotOffered},
		{Name: "mollie/payments", Service: "mollie", Shared: true, Kinds: []record.Kind{record.KindPayment}, LastGood: at.Add(-65 * time.Second), Complete: true, Refused: 3},
		{Name: "mollie/refunds", Service: "mollie", Shared: true, Kinds: []record.Kind{record.KindPayment}, LastGood: at.Add(-9 * time.Second), Read: 40, Total: 90},
	}
	text := spaced(webtest.Page(t, r, webtest.View{Page: "services"}.As(web.Admin), &s, at))
	webtest.Wants(t, "services", text,
		"Ticketing service",
		"performances events complete 18:52:01 to 19:02:01: the service reports an internal error (502) Thu 19 Nov 18:52 to Thu 19 Nov 19:52: the service takes too long to answer 94 19:51:56 0.2 s no performances",
		"orders tickets the service reports an internal error (503) 18,206 Thu 19 Nov 17:52 under 0.1 s no sales, nothing booked",
		"checkins scans the service does not offer this — — only arrivals that tickets carry",
		"mollie List State Records Last answer Took Without it mollie/payments",
		"mollie/payments payments 3 records cannot be used — 19:50:56 under 0.1 s not all received and paid back",
		"mollie/refunds payments reading mollie/refunds, 40 of 90; history is incomplete — 19:51:52",
		"Sold, free, occupancy performances and orders Thu 19 Nov 17:52",
		"Came, in the building orders Thu 19 Nov 17:52",
		"Received, refunded, charged back mollie/payments and mollie/refunds 19:50:56",
	)
	page := webtest.Page(t, r, webtest.View{Page: "services"}.As(web.Admin), &s, at)
	for _, head := range []string{"Records", "Last answer", "Took", "Without it"} { // on a phone each number has its name
		if got := strings.Count(page, `data-label="`+head+`"`); got != 5 {
			t.Errorf("%d of 5 lists name their number %s", got, head)
		}
	}
	if strings.Contains(text, "Expected, budget") {
		t.Error("plans are said to be made of no list")
	}
}

// On top stands since when the services answer or do not, how many of their lists are complete, and the oldest answer. A list that is not
// offered is none of them.
func TestServicesOnTop(t *testing.T) {
	h, at := webtest.NewHouse(), webtest.ShowTime
	good := figures.StreamHealth{Name: "orders", Kinds: []record.Kind{record.KindTicket}, LastGood: at, Complete: true}
	first, late, was, silent, absent := good, good, good, good, good
	first.Answers, late.Answers = webtest.At("09:00"), webtest.At("10:00")
	was.Name, was.LastGood, was.Past = "events", at.Add(-time.Minute), figures.PastFaults{{Fault: figures.FaultServer, From: at.Add(-time.Hour), Until: at.Add(-50 * time.Minute)}}
	silent.Name, silent.LastGood, silent.Missed, silent.Fault = "payments", at.Add(-time.Hour), figures.FailingPolls, figures.FaultServer
	absent.Name, absent.LastGood, absent.Missed, absent.Fault = "scans", time.Time{}, 9, figures.FaultNotOffered
	for _, c := range []struct {
		lists []figures.StreamHealth
		want  string
	}{
		{[]figures.StreamHealth{first, late}, "Interruptions none since 10:00:00 Lists complete 2 of 2 Oldest answer 19:52:01 orders Webhooks"},
		{[]figures.StreamHealth{first, good}, "Interruptions none Lists complete 2 of 2"}, // of one it is not known
		{[]figures.StreamHealth{good}, "Interruptions none Lists complete 1 of 1 Oldest answer 19:52:01 orders Webhooks"},
		{[]figures.StreamHealth{good, was, absent}, "Answers since 19:02:01 events Lists complete 2 of 2 1 not offered Oldest answer 19:51:01 events Webhooks"},
		{[]figures.StreamHealth{good, was, silent}, "No answer since 18:52:01 payments Lists complete 2 of 3 Oldest answer 18:52:01 payments Webhooks"},
	} {
		s := *h.Snapshot()
		s.Health.Streams = c.lists
		webtest.Wants(t, c.want, spaced(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "services"}.As(web.Admin), &s, at)), c.want)
	}
}

// What goes without a list agrees with what figures are made of, and a list has the count of what was read of it alone: none where it never
// answered, and that of its other kinds where it gives scans too.
func TestServicesWithoutAList(t *testing.T) {
	h, at := webtest.NewHouse(), webtest.ShowTime
	row := func(list figures.StreamHealth) string {
		s := *h.Snapshot()
		s.Records = map[record.Kind]int{record.KindTicket: 18206, record.KindPlanning: 12}
		s.Contacts = figures.Contacts{OptedIn: 40, OptedOut: 20, NotAsked: 3}
		if list.Name = "a list"; list.Kinds[0] == record.KindEvent {
			s.Records[record.KindTicket] = 0
		}
		s.Health.Streams = []figures.StreamHealth{list}
		_, text, _ := strings.Cut(webtest.FigureText(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "services"}.As(web.Admin), &s, at)), "a list ")
		text, _, _ = strings.Cut(text, " Made of them")
		return text
	}
	for _, c := range []struct {
		what string
		list figures.StreamHealth
		want string
	}{
		{"no payments", figures.StreamHealth{Kinds: []record.Kind{record.KindPayment}, Fault: figures.FaultNotOffered}, "§ — § — § § booked, in place of received"},
		{"payments that are silent", figures.StreamHealth{Kinds: []record.Kind{record.KindPayment}, LastGood: at.Add(-time.Hour), Missed: 9, Fault: figures.FaultServer}, "§ 0 § 18:52:01 § under 0.1 s § nothing received"},
		{"never answered", figures.StreamHealth{Kinds: []record.Kind{record.KindEvent}, Missed: 9, Fault: figures.FaultServer}, "§ — § — § § no performances"},
		{"answered with none", figures.StreamHealth{Kinds: []record.Kind{record.KindEvent}, LastGood: at, Complete: true}, "§ 0 § 19:52:01 §"},
		{"scans alone", figures.StreamHealth{Kinds: []record.Kind{record.KindScan}, LastGood: at, Complete: true}, "§ — § 19:52:01 §"},
		{"tickets with scans", figures.StreamHealth{Kinds: []record.Kind{record.KindTicket, record.KindScan}, LastGood: at, Complete: true}, "§ 18,206 § 19:52:01 §"},
		{"read before this start", figures.StreamHealth{Kinds: []record.Kind{record.KindTicket}}, "§ 18,206 § — §"},
		{"buyers", figures.StreamHealth{Kinds: []record.Kind{record.KindContact}, LastGood: at, Complete: true}, "§ 63 § 19:52:01 §"},
		{"plans and buyers", figures.StreamHealth{Kinds: []record.Kind{record.KindPlanning, record.KindContact}, LastGood: at, Complete: true}, "§ 75 § 19:52:01 §"},
	} {
		webtest.Wants(t, c.what, row(c.list), c.want)
	}
}

// Beside the lists of a service stands what it sent today, by the hour of the venue, where it can send anything; the first one leads to
// where it is changed.
func TestServicesMessages(t *testing.T) {
	h := webtest.NewHouse()
	s, at := *h.Snapshot(), webtest.At
	s.Health.Streams = []figures.StreamHealth{{Name: "orders", Kinds: []record.Kind{record.KindTicket}, LastGood: webtest.ShowTime, Complete: true},
		{Name: "mollie/payments", Service: "mollie", Kinds: []record.Kind{record.KindPayment}, LastGood: webtest.ShowTime, Complete: true}}
	var asked time.Time
	page := func(sent map[string][]figures.Messages) string {
		r := webtest.RendererWith(t, web.Sources{Messages: func(since time.Time) (map[string][]figures.Messages, error) {
			asked = since
			return sent, nil
		}})
		return webtest.Page(t, r, webtest.View{Page: "services"}.As(web.Admin), &s, webtest.ShowTime)
	}
	sent := map[string][]figures.Messages{"": {
		{From: at("00:00").Add(-time.Minute), Taken: 900, Last: at("00:00")},
		{From: at("00:15"), Taken: 1, Last: at("00:20")},
		{From: at("19:00"), Taken: 30, Last: at("19:10")},
		{From: at("19:45"), Taken: 10, Refused: 2, Last: at("19:51")},
	}}
	html := page(sent)
	webtest.Wants(t, "of one", webtest.Text(html), "Webhooks today: 41 · last 19:51:00 · 2 refused")
	webtest.Wants(t, "of one", html, `aria-label="By the hour, most 40 from 19:00"`, `<rect x="0" y="39" width="8" height="1">`, `<rect x="190" y="0" width="8" height="40">`,
		`<a href="/settings/connection" aria-label="Change Ticketing service">Change</a>`)
	if n := strings.Count(html, `width="8"`); n != 2 || !asked.Equal(at("00:00")) || strings.Count(html, "/settings/connection") != 1 {
		t.Errorf("%d hours are drawn, of what was sent since %s", n, asked)
	}
	webtest.Wants(t, "the sum", spaced(html), "Webhooks today 41 last 19:51:00")
	webtest.Lacks(t, "of one", html, "/manual/connect#webhooks")
	none := page(nil)
	webtest.Wants(t, "which sends nothing", spaced(none), "Webhooks today none yet")
	webtest.Wants(t, "which sends nothing", none, `<a href="/manual/connect#webhooks">Address for webhooks</a>`)
	webtest.Wants(t, "which has sent nothing", webtest.Text(page(map[string][]figures.Messages{"mollie": nil})), "No webhooks today")
	refused := page(map[string][]figures.Messages{"": {{From: at("19:00"), Refused: 3, Last: at("19:01")}}})
	webtest.Wants(t, "all refused", webtest.Text(refused), "Webhooks today: 0 · last 19:01:00 · 3 refused")
	webtest.Lacks(t, "all refused", refused, "By the hour")
}

// The page stands without the counts of webhooks where they cannot be read, and does not ask for them while the database is away: it is
// made of the figures then, and opened just then.
func TestServicesWithoutTheDatabase(t *testing.T) {
	s := *webtest.NewHouse().Snapshot()
	s.Health.Streams = []figures.StreamHealth{{Name: "orders", Kinds: []record.Kind{record.KindTicket}, LastGood: webtest.ShowTime, Complete: true}}
	if !web.PageNamed("services").FromFigures() {
		t.Error("the page is refused while the database is away")
	}
	for _, away := range []web.Away{{}, {Since: webtest.ShowTime}, {Since: webtest.ShowTime, Unwritable: true}} {
		reads := 0
		r := webtest.RendererWith(t, web.Sources{Away: func() web.Away { return away }, Messages: func(time.Time) (map[string][]figures.Messages, error) {
			reads++
			return map[string][]figures.Messages{"": nil}, errors.New("the database is away")
		}})
		page := webtest.Page(t, r, webtest.View{Page: "services"}.As(web.Admin), &s, webtest.ShowTime)
		webtest.Wants(t, "without the counts", webtest.Text(page), "Ticketing service", "orders")
		webtest.Lacks(t, "without the counts", page, "ebhooks today")
		if asked := away.Since.IsZero() || away.Unwritable; (reads > 0) != asked {
			t.Errorf("with a database that is away (%+v) the counts are asked for %d times", away, reads)
		}
	}
}
