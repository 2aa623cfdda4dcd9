package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// On top of Tonight are four figures.
func TestFigsOfTonight(t *testing.T) {
	r := webtest.Renderer(t)
	html := webtest.Content(t, r, webtest.Tonight, webtest.Busy(t).Snapshot(), webtest.ShowTime).HTML
	got := webtest.Text(html["head"]) + " " + webtest.FigureText(html["figs"])
	for _, want := range []string{"Friday 20 November", "Free 169", "Still to come 418 221 at open doors", "In the building ≤ 862", "Booked today €8,470.00 286 places"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestAttention(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	over := h.Event("evt_over", "Volle Bak", "Foyer", "19:15", "20:00", 20)
	h.Sell(over, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.Add(-time.Hour), Paid: 25, Scans: true, In: []webtest.GateIn{{Gate: "F", N: 5, From: webtest.At("19:48"), To: webtest.ShowTime}}})
	h.Event("evt_off", "Afgelast", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Health.Streams[2].Fault = figures.FaultNotOffered
	h.Health.Streams[1].Complete, h.Health.Streams[1].Read, h.Health.Streams[1].Total = false, 12300, 54000
	html := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["attention"]
	got := webtest.Text(html)
	for _, want := range []string{
		"Gate B is quiet, 6 min · Matthäus-Passion, Nederlands Kamerkoor, 174 to come since 19:45",
		"Volle Bak: 5 without a seat. 25 sold of 20.", "Late Night Trio: 9 left, 17 sold in 1 h. 12 reserved. I'm on it",
		"Afgelast is cancelled.",
		"Reading tickets for the first time: history is incomplete until that is done.", "No payments: the service does not offer this.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	last := -1
	for _, title := range []string{"Gate B", "without a seat", "Afgelast", "Late Night Trio: 9", "Reading tickets"} {
		i := strings.Index(got, title)
		if i < last {
			t.Errorf("%s comes before what is worse: %q", title, got)
		}
		last = i
	}
	// What is bad stays what it is when somebody is on it, and that can be taken back.
	button := `name="alert" value="oversold%3Aevt_over"`
	if !strings.Contains(html, button) {
		t.Errorf("no %s in %s", button, html)
	}
	before := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	h.Apply(&record.Acknowledgement{Alert: "oversold:evt_over", At: webtest.At("19:50"), By: "<b>Marijke</b>", Count: 5})
	h.ID("entry") // and with it a revision
	after, err := r.Content(webtest.Tonight, h.Snapshot(), webtest.ShowTime, before)
	if err != nil || after.Token() != webtest.Content(t, webtest.Renderer(t), webtest.Tonight, h.Snapshot(), webtest.ShowTime).Token() {
		t.Errorf("Tonight is not what is rendered from nothing (%v)", err)
	}
	seen := after.HTML["attention"]
	if undo := strings.Index(seen, `name="undo"`); strings.Count(seen, `name="undo"`) != 1 || undo < strings.Index(seen, button) || strings.Contains(seen, "<b>Marijke") || !strings.Contains(seen, `name="alert" value="quiet_gate%3A`) {
		t.Errorf("seen: %s", seen)
	}
	on := strings.Index(webtest.Text(seen), "Volle Bak: 5 without a seat. 25 sold of 20. &lt;b&gt;Marijke&lt;/b&gt; is on it since 19:50")
	if on < strings.Index(webtest.Text(seen), "Gate B") || on > strings.Index(webtest.Text(seen), "Late Night") {
		t.Errorf("what is bad is not in its place in %q", webtest.Text(seen))
	}
	if rows := strings.Join(webtest.FragmentsOf(after.HTML, "shows-"), ""); !strings.Contains(rows, `id="show-evt_over" class="show arriving bad"`) {
		t.Error("the row of what is bad lost its edge")
	}
	quiet := webtest.View{Page: "tonight"}.As(web.BoxOffice)
	if strings.Contains(webtest.Content(t, r, quiet, h.Snapshot(), webtest.ShowTime).HTML["attention"], "payments") {
		t.Error("box_office is shown payments")
	}
}

// Who sees no figure made from payments is not shown how they are read.
func TestPaymentsAreNotNamedToThoseWhoSeeNone(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	payments := &h.Health.Streams[2]
	payments.Complete, payments.Missed, payments.Fault = false, 2, figures.FaultServer
	for _, role := range web.Roles {
		got := webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime).HTML["strip"])
		sees := role == web.Manager || role == web.Admin
		if shown := strings.Contains(got, "payments"); shown != sees {
			t.Errorf("%s: %q", role, got)
		}
		want := "Some figures are no longer renewed last figures"
		if sees {
			want = "The service has answered with an error 2 times in a row"
		}
		webtest.Wants(t, string(role), got, want)
	}
}

// The figures are as old as the oldest list; where the tickets are newer than that, the strip has their time too.
func TestStripHasTheTimeOfTickets(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	strip := func(old time.Duration, kind record.Kind) string {
		h.Health = webtest.Healthy(webtest.ShowTime)
		for i := range h.Health.Streams {
			if of := &h.Health.Streams[i]; of.Gives(kind) {
				of.LastGood = of.LastGood.Add(-old)
			}
		}
		s := *h.Snapshot()
		s.AsOf = webtest.ShowTime.Add(-3*time.Second - old)
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), &s, webtest.ShowTime).HTML["strip"])
	}
	tickets := "tickets of " + webtest.ShowTime.Add(-3*time.Second).Format("15:04:05")
	webtest.Wants(t, "old events", strip(9*time.Minute, record.KindEvent), "figures as of "+webtest.ShowTime.Add(-9*time.Minute-3*time.Second).Format("15:04:05"), tickets)
	for what, text := range map[string]string{"events of a moment ago": strip(20*time.Second, record.KindEvent), "old tickets": strip(9*time.Minute, record.KindTicket)} {
		if strings.Contains(text, "tickets of") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// Nor is the time of their answers, or of the next question about them.
func TestStripTellsNoTimesOfPayments(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	h.Health.Streams[2].Took, h.Health.Streams[2].Next = 7*time.Second, webtest.ShowTime.Add(time.Second)
	strip := func(role web.Role) string {
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime).HTML["strip"])
	}
	manager, door := strip(web.Manager), strip(web.Door)
	h.Health = webtest.Healthy(webtest.ShowTime)
	if without := strip(web.Door); door != without || manager == without {
		t.Errorf("door is shown %q, without slow payments %q, the manager %q", door, without, manager)
	}
}

// The strip leads to what to do about a lasting fault, and nowhere while all is well or on a wall, on which
// nobody can press anything.
func TestStripLeadsToTheManual(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	strip := func(v webtest.View) string {
		return webtest.Content(t, r, v.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["strip"]
	}
	tonight, wall := webtest.View{Page: "tonight"}, webtest.View{Page: "wall"}
	if got := strip(tonight); strings.Contains(got, "/manual") {
		t.Errorf("all is well, and the strip is %s", got)
	}
	h.Health.Streams[1].Missed, h.Health.Streams[1].Fault = 5, figures.FaultUnreachable
	if got := strip(tonight); !strings.Contains(got, `href="/manual/troubleshooting#the-strip-names-a-fault"`) {
		t.Errorf("a fault lasts, and the strip is %s", got)
	}
	if got := strip(wall); strings.Contains(got, "/manual") {
		t.Errorf("a wall's strip is %s", got)
	}
	h.Health.Streams[1].Missed, h.Health.Streams[1].Fault, h.Health.Streams[1].Next = 0, figures.FaultRateLimited, webtest.ShowTime.Add(10*time.Minute)
	if got := strip(tonight); !strings.Contains(got, `href="/manual/troubleshooting#the-service-asks-us-to-wait"`) {
		t.Errorf("the service asks us to wait, and the strip is %s", got)
	}
}

// A list that gives payments beside tickets goes by its name, and is named to nobody else
// either; that the figures are old is shown to all.
func TestMixedStream(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	h.Health.Streams[1] = figures.StreamHealth{Name: "orders", Kinds: []record.Kind{record.KindTicket, record.KindPayment},
		LastGood: webtest.ShowTime, Missed: 2, Fault: figures.FaultServer, FaultStatus: 503, Read: 12300, Total: 54000}
	for _, role := range web.Roles {
		c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime)
		strip, all := webtest.Text(c.HTML["strip"]), webtest.Text(c.HTML["strip"]+c.HTML["attention"])
		webtest.Wants(t, string(role), c.HTML["strip"], `data-light="amber"`, `href="/manual/troubleshooting#the-strip-names-a-fault"`)
		if role == web.Manager || role == web.Admin {
			webtest.Wants(t, string(role), strip, "orders: the service reports an internal error (503)")
			webtest.Wants(t, string(role), all, "Reading orders for the first time")
			webtest.Wants(t, string(role), strip, "reading orders, 12,300 of 54,000")
		} else {
			webtest.Lacks(t, string(role), all, "orders", "12,300", "503")
		}
	}
}

// What no figure is counted from alarms nobody, and is shown beside the rest.
func TestContactsDoNotAlarm(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	contacts, planning := &h.Health.Streams[3], &h.Health.Streams[4]
	contacts.Missed, contacts.Fault, contacts.LastGood, contacts.Next = 9, figures.FaultServer, webtest.ShowTime.Add(-time.Hour), webtest.ShowTime.Add(time.Second)
	planning.Fault = figures.FaultNotOffered
	door := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime)
	webtest.Lacks(t, "attention at the door", webtest.Text(door.HTML["attention"]), "contacts", "planning")
	c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "strip", webtest.Text(c.HTML["strip"]), "Live figures as of 19:51:58 service answered in 0.2 s next update in 3 s")
	webtest.Lacks(t, "strip", webtest.Text(c.HTML["strip"]), "contacts", "planning")
	webtest.Wants(t, "attention", webtest.Text(c.HTML["attention"]), "No answer about contacts: the service reports an internal error. since 18:52", "No planning: the service does not offer this.")
	h.Health.Streams[1].Missed, h.Health.Streams[1].Fault = 5, figures.FaultServer
	c = webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "attention where tickets fail too", webtest.Text(c.HTML["attention"]), "No answer about tickets and contacts: the service reports an internal error.")
	door = webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "attention at the door where tickets fail too", webtest.Text(door.HTML["attention"]), "No answer about tickets: the service reports an internal error.")
}

// A service that has answered nothing yet is not a house without a programme.
func TestNothingIsKnownYet(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	events := &h.Health.Streams[0]
	events.Complete, events.Missed, events.Fault, events.LastGood = false, 3, figures.FaultRefused, time.Time{}
	shown := func(name string, fragment string) string {
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: name}.As(web.Door), h.Snapshot(), webtest.ShowTime).HTML[fragment])
	}
	webtest.Wants(t, "head", shown("tonight", "head"), "What is on tonight is not known yet: the service has not listed its performances.")
	webtest.Wants(t, "wall", shown("wall", "wall-top"), "Waiting for the service")
	events.Complete = true
	webtest.Wants(t, "head", shown("tonight", "head"), "Nothing is on tonight, and nothing is announced.")
	webtest.Wants(t, "wall", shown("wall", "wall-main"), "Nothing is announced")
}

// A gate is not quiet because its stream has no answers.
func TestSilentServiceIsNoQuietGate(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	later := webtest.ShowTime.Add(10 * time.Minute)
	got := webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), later).HTML["attention"])
	if !strings.Contains(got, "Gate B is quiet, 6 min") || strings.Contains(got, "Gate A") || strings.Contains(got, "16 min") {
		t.Errorf("after ten minutes without an answer: %q", got)
	}
	// After a restart in an outage no stream has answered; the figures are as old as they say.
	h.Health.Streams[1].LastGood = time.Time{}
	if got := webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), later).HTML["attention"]); !strings.Contains(got, "Gate B is quiet, 6 min") || strings.Contains(got, "Gate A") {
		t.Errorf("after a restart: %q", got)
	}
	h.AsOf = time.Time{}
	page := webtest.Text(webtest.Page(t, r, webtest.Tonight, h.Snapshot(), later))
	for _, rate := range []string{"quiet", "a minute", "/min", "nobody in", "in the last hour", "at this rate"} {
		if strings.Contains(page, rate) {
			t.Errorf("without any answer the page says %q", rate)
		}
	}
	h.Health = webtest.Healthy(later)
	if got := webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), later).HTML["attention"]); !strings.Contains(got, "Gate A is quiet, 10 min") {
		t.Errorf("after ten minutes without entries: %q", got)
	}
}

func TestOrder(t *testing.T) {
	r := webtest.Renderer(t)
	p := webtest.Page(t, r, webtest.Tonight, webtest.Busy(t).Snapshot(), webtest.ShowTime)
	mat, vader, trio := strings.Index(p, `class="show arriving bad">`), strings.Index(p, `class="show arriving">`), strings.Index(p, `class="show before warn">`)
	if mat < 0 || !(mat < vader && vader < trio) {
		t.Errorf("rows at %d, %d, %d; want the order of time", mat, vader, trio)
	}
	after := time.Date(2026, 11, 20, 23, 10, 0, 0, webtest.Amsterdam)
	p = webtest.Page(t, r, webtest.Tonight, webtest.Busy(t).Snapshot(), after)
	if strings.Index(p, `class="show running`) < strings.LastIndex(p, `class="show over">`) || !strings.Contains(p, "did not, ") {
		t.Error("what is over has moved, or is without its no-shows")
	}
}

func TestUnknownIsADash(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_x", "Niemand weet het", "Foyer", "19:15", "20:00", 1, func(e *record.Event) { e.Capacity = nil })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.Add(-time.Hour), Paid: 7})
	html := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["shows-00"]
	for _, want := range []string{
		`<b><a class="f q unknown" href="/explain/free?event=evt_x">—<span class="why"> not known: the service reports no capacity; the service does not say what is left</span></a> free</b>`,
		`<b><a class="f q unknown" href="/explain/came?event=evt_x">—<span class="why"> not known: no scan data</span></a></b>`,
		`<b><a class="f" href="/explain/sold?event=evt_x">7</a></b> sold`, `<b><a class="f" href="/explain/expected?event=evt_x">7</a></b> expected, no scan data`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
	h.Coverage.TicketsComplete = false
	if html := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["shows-00"]; !strings.Contains(html, "≥\u00a07<span class=\"why\"> at least: not all tickets have been read yet") {
		t.Errorf("a lower bound is shown as if it were exact: %s", html)
	}
}

func TestNothingOn(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	got := webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["head"])
	if !strings.Contains(got, "Nothing is on tonight, and nothing is announced.") {
		t.Errorf("an empty house says %q", got)
	}
	h.Event("evt_next", "Morgen", "Foyer", "19:15", "20:00", 100, webtest.OnDay(1))
	c := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	if got := webtest.Text(c.HTML["head"]); !strings.Contains(got, "Nothing is on tonight. Next is Morgen, tomorrow at 20:00.") {
		t.Errorf("head: %q", got)
	}
	if !strings.Contains(c.HTML["coming"], `href="/events/evt_next"`) {
		t.Errorf("coming: %s", c.HTML["coming"])
	}
	c = webtest.Content(t, r, webtest.EventView("evt_none").As(web.Door), h.Snapshot(), webtest.ShowTime)
	if !strings.Contains(c.HTML["head"], "No such performance") {
		t.Errorf("an event that does not exist: %s", c.HTML["head"])
	}
}

func festival(h *webtest.House, n int) []*record.Event {
	var events []*record.Event
	for i := range n {
		e := h.Event(fmt.Sprintf("evt_%03d", i), fmt.Sprintf("Concert %03d.", i), fmt.Sprint("Zaal ", i%17), "19:15", fmt.Sprintf("%02d:%02d", 20+i%3, i%4*15), 200)
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -30), To: webtest.ShowTime.Add(-2 * time.Hour), Paid: 20 + i, Comp: 3, Reserved: 2, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: i / 4, From: webtest.At("19:15"), To: webtest.ShowTime}, {Gate: "B", N: i / 4, From: webtest.At("19:15"), To: webtest.ShowTime}}})
		events = append(events, e)
	}
	return events
}

// A sale on a full evening resends the group of its row, and not the evening.
func TestManyPerformances(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	events := festival(h, 100)
	a := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	p := webtest.Page(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	for i := range events {
		if n := strings.Count(p, fmt.Sprintf("<bdi>Concert %03d.</bdi></a></h2>", i)); n != 1 {
			t.Fatalf("concert %d stands %d times in the page", i, n)
		}
	}
	h.Sell(events[50], webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime.Add(-time.Second), Paid: 1, Scans: true})
	b := webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)
	if len(a.HTML) != len(b.HTML) {
		t.Fatalf("%d fragments, then %d", len(a.HTML), len(b.HTML))
	}
	groups := 0
	for id := range a.HTML {
		if strings.HasPrefix(id, "shows-") && a.HTML[id] != b.HTML[id] {
			groups++
		}
	}
	if groups != 1 {
		t.Errorf("one sale changes %d groups of rows, want 1", groups)
	}
}

func TestStrip(t *testing.T) {
	r := webtest.Renderer(t)
	tests := []struct {
		name  string
		light string
		set   func(*webtest.House)
		want  string
	}{
		{"green", "green", func(*webtest.House) {}, "Live figures as of 19:51:58 service answered in 0.2 s next update in 3 s"},
		{"first sync", "green", func(h *webtest.House) {
			h.Health.Streams[1].Complete, h.Health.Streams[1].Read, h.Health.Streams[1].Total = false, 12300, 54000
		}, "reading tickets, 12,300 of 54,000; history is incomplete"},
		{"amber", "amber", func(h *webtest.House) { h.Health.Streams[1].Missed, h.Health.Streams[1].Fault = 2, figures.FaultSlow },
			"The service has not answered 2 times in a row tickets: the service takes too long to answer last figures 19:51:58 next update in 3 s"},
		{"what came in the meantime", "amber", func(h *webtest.House) { h.Health.Streams[0].Behind = true },
			"Catching up figures as of 19:51:58 service answered in 0.2 s reading what came in the meantime: events; the figures are not complete until then"},
		{"reading anew", "green", func(h *webtest.House) {
			h.Health.Streams[1].Behind, h.Health.Streams[1].Rereading, h.Health.Streams[1].Read, h.Health.Streams[1].Total = true, true, 12300, 54000
		}, "reading tickets anew, 12,300 of 54,000: what they mean has changed"},
		{"red", "red", func(h *webtest.House) {
			for i := range h.Health.Streams {
				h.Health.Streams[i].Missed, h.Health.Streams[i].Fault = 6, figures.FaultUnreachable
			}
		}, "The service has not answered 6 times in a row events, tickets, payments and scans: the service cannot be reached last figures 19:51:58"},
		{"asked to wait", "amber", func(h *webtest.House) {
			for i := range h.Health.Streams {
				s := &h.Health.Streams[i]
				s.Fault, s.FaultStatus, s.Next = figures.FaultRateLimited, 429, webtest.ShowTime.Add(time.Duration(41+i)*time.Second)
			}
		}, "The service asks us to wait, until 19:52:47 last figures 19:51:58 next update in 50 s"},
		{"asked to wait, and asking again", "amber", func(h *webtest.House) {
			h.Health.Streams[1].Missed, h.Health.Streams[1].Fault, h.Health.Streams[1].Next = 3, figures.FaultRateLimited, webtest.ShowTime
		}, "The service has asked us to wait last figures 19:51:58 updating now"},
		{"asked to wait for some", "amber", func(h *webtest.House) {
			h.Health.Streams[0].Missed, h.Health.Streams[0].Fault = 2, figures.FaultSlow
			h.Health.Streams[1].Missed, h.Health.Streams[1].Fault, h.Health.Streams[1].Next = 1, figures.FaultRateLimited, webtest.ShowTime.Add(5*time.Minute)
		}, "The service has not answered 2 times in a row events: the service takes too long to answer tickets: the service asks us to wait last figures 19:51:58 next update in 5 min"},
		{"nothing new of two", "amber", func(h *webtest.House) {
			for i := range 2 {
				h.Health.Streams[i+1].Missed, h.Health.Streams[i+1].Fault = 2, figures.FaultStale
			}
		}, "Nothing new has come in: tickets and payments last figures 19:51:58"},
		{"nothing new beside another fault", "amber", func(h *webtest.House) {
			h.Health.Streams[1].Missed, h.Health.Streams[1].Fault = 2, figures.FaultStale
			h.Health.Streams[2].Missed, h.Health.Streams[2].Fault = 3, figures.FaultUnreachable
		}, "The service has not answered 3 times in a row tickets: nothing new has come in payments: the service cannot be reached last figures 19:51:58"},
		{"starting", "starting", func(h *webtest.House) {
			h.AsOf = time.Time{}
			for i := range h.Health.Streams {
				h.Health.Streams[i] = figures.StreamHealth{Kinds: []record.Kind{record.Kinds[i]}, Total: -1}
			}
		}, "Waiting for the first answer of the service"},
	}
	for fault, want := range map[figures.Fault]string{
		figures.FaultRefused: "The service has refused us 2 times in a row", figures.FaultUngranted: "housecount has to be allowed at the ticketing service again, under Settings tickets", figures.FaultServer: "The service has answered with an error 2 times in a row",
		figures.FaultGarbage: "The service has sent an answer that cannot be read 2 times in a row",
		figures.FaultStore:   "Our own database has failed 2 times in a row", figures.FaultStale: "Nothing new has come in: tickets last", figures.FaultRejected: "The service has not accepted our questions 2 times in a row tickets: the service does not accept our question (499) last",
	} {
		tests = append(tests, tests[2])
		last := &tests[len(tests)-1]
		last.name, last.want = string(fault), want
		last.set = func(h *webtest.House) {
			h.Health.Streams[1].Missed, h.Health.Streams[1].Fault, h.Health.Streams[1].FaultStatus = 2, fault, 499
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := webtest.Busy(t)
			test.set(h)
			for _, v := range webtest.Views(t, "evt_mat", "Grote Zaal", webtest.SeenBy(web.Manager), webtest.HasStrip) {
				c := webtest.Content(t, r, v.As(web.Manager), h.Snapshot(), webtest.ShowTime)
				if got := webtest.Text(c.HTML["strip"]); !strings.Contains(got, test.want) || !strings.Contains(c.HTML["strip"], `data-light="`+test.light+`"`) {
					t.Errorf("%s: %q, want %q and the light %s", v.Page, got, test.want, test.light)
				}
				page := webtest.Page(t, r, v.As(web.Manager), h.Snapshot(), webtest.ShowTime)
				if root := page[:strings.Index(page, "<head>")]; strings.Contains(root, " data-old") != (test.light == "red") {
					t.Errorf("%s: the root is %s, with the light %s", v.Page, root, test.light)
				}
				if v.Page == "tonight" && !strings.Contains(strings.Replace(webtest.FigureText(c.HTML["figs"]), "≈ ", "", 1), "Free 169") {
					t.Error("the last good figures are gone")
				}
			}
		})
	}
}

// The light is of every list, also of those that a role is not shown: it does not name them.
func TestLightIsOfEveryList(t *testing.T) {
	h := webtest.Busy(t)
	h.Health.Streams[2].Behind = true
	for role, names := range map[web.Role]bool{web.Door: false, web.Manager: true} {
		strip := webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime).HTML["strip"]
		if text := webtest.Text(strip); !strings.Contains(strip, `data-light="amber"`) || !strings.Contains(text, "Catching up") || strings.Contains(text, "payments") != names {
			t.Errorf("%s: %s", role, strip)
		}
	}
}

// Where as many places were cancelled as sold, the row says so, and where more were, the row and the figure above.
func TestSoldLessCancelled(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 40)
	sold := func(id string, at, cancelled time.Time) {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Status: record.TicketVoid, Price: &record.Money{Amount: 1000, Currency: "EUR"},
			SoldAt: at, CancelledAt: cancelled, UpdatedAt: webtest.ShowTime})
	}
	sold("tkt_a", webtest.ShowTime.Add(-5*time.Hour), webtest.ShowTime.Add(-3*time.Hour))
	said := func() string {
		return webtest.Text(webtest.All(t, webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime)))
	}
	webtest.Wants(t, "as many", said(), "0 sold today")
	sold("tkt_b", webtest.ShowTime.AddDate(0, 0, -2), webtest.ShowTime.Add(-3*time.Hour))
	webtest.Wants(t, "no number of places is negative", said(), "1 fewer sold today")
	webtest.Lacks(t, "a day that only took back, on top", said(), "Booked today", "Booked yesterday", "−€10.00−1 place")
	h.Apply(&record.Ticket{ID: "tkt_c", EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, SoldAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	webtest.Wants(t, "until the first sale", said(), "Booked yesterday€25.001 place")
	office := webtest.Text(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), h.Snapshot(), webtest.ShowTime)))
	webtest.Lacks(t, "who does not see other days", office, "Booked yesterday", "€25.00")
	for _, id := range []string{"tkt_d", "tkt_e"} {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 1500, Currency: "EUR"}, SoldAt: webtest.ShowTime.Add(-time.Hour), UpdatedAt: webtest.ShowTime})
	}
	webtest.Wants(t, "from the first sale on", said(), "Booked today€20.001 place")
	webtest.Lacks(t, "from the first sale on", said(), "Booked yesterday")
}

// Where nothing of tomorrow goes ahead, what comes next is said too; a row that is alone is its own sum.
func TestWhatComesAfterADayWithNothing(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Event("evt_now", "De Vader", "Kelder", "19:00", "20:00", 40)
	h.Event("evt_off", "De kersentuin", "Kelder", "19:00", "20:00", 40, webtest.OnDay(1), func(e *record.Event) { e.Status = record.EventPostponed })
	h.Event("evt_next", "Nora", "Foyer", "19:00", "20:00", 40, webtest.OnDay(2))
	h.SellOne(h.Event("evt_late", "Medea", "Foyer", "19:00", "20:00", 40, webtest.OnDay(9)), webtest.ShowTime.Add(-time.Hour), 1000)
	got := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	coming, sum := webtest.FigureText(got["coming"]), webtest.FigureText(got["sum"])
	webtest.Wants(t, "what is on next", coming, "Coming up", "De kersentuin", "Nora")
	webtest.Lacks(t, "a day with nothing", coming, "Tomorrow")
	webtest.Wants(t, "the sum of others", sum, "1 other")
	webtest.Lacks(t, "the sum of one row", sum, "sold today")
}
