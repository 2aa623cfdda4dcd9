package webtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/web"
	"housecount/web/admin"
	_ "housecount/web/calendar"
	_ "housecount/web/event"
	_ "housecount/web/events"
	_ "housecount/web/explain"
	"housecount/web/live"
	_ "housecount/web/money"
	_ "housecount/web/night"
	"housecount/web/query"
	_ "housecount/web/wall"
	"housecount/web/words"
)

// Eventful is the busy evening with what makes pages differ: people who left, a performance that
// is cancelled and one that is oversold, a voided ticket of somebody inside, and a sale that is
// dated ahead of the clock.
func Eventful(t testing.TB) *House {
	h := Busy(t)
	over := h.Event("evt_over", "Volle Bak", "Foyer", "17:15", "18:00", 20, Available(-5))
	h.Sell(over, Sale{From: ShowTime.AddDate(0, 0, -9), To: ShowTime.Add(-3 * time.Hour), Paid: 25, Scans: true, In: []GateIn{{"F", 15, At("17:18"), At("17:55")}}})
	h.Event("evt_trio", "Late Night Trio", "Foyer", "22:15", "23:00", 218, Available(9), func(e *record.Event) {
		for _, kind := range types {
			e.TicketTypes = append(e.TicketTypes, record.TicketType{ID: kind.name, Name: kind.name, Capacity: new(1), Price: &record.Money{Amount: kind.price, Currency: "EUR"}})
		}
		e.TicketTypes[1].Capacity = new(300)
	})
	h.Event("evt_off", "Afgelast", "Foyer", "19:15", "20:00", 20, Available(20), func(e *record.Event) { e.Status = record.EventCancelled })
	h.Event("evt_later", "Uitgesteld", "Foyer", "19:15", "20:00", 20, OnDay(1), Available(20), func(e *record.Event) { e.Status = record.EventPostponed })
	scans := func(times ...string) []record.Scan {
		var all []record.Scan
		for i, clock := range times {
			all = append(all, record.Scan{At: At(clock), Gate: "A", Direction: []record.Direction{record.Entry, record.Exit}[i%2]})
		}
		return all
	}
	for i, event := range []string{"evt_mat", "evt_vader", "evt_over", "evt_trio"} {
		for n, passed := range [][]record.Scan{scans("19:46", "19:48"), scans("19:46"), {}} {
			r := &record.Ticket{ID: fmt.Sprint("tkt_more_", i, n), EventID: event, OrderID: fmt.Sprint("ord_more_", i), ContactID: fmt.Sprint("con_", n), Price: &record.Money{Amount: 1000, Currency: "EUR"}, Status: record.TicketValid,
				SoldAt: At("12:00"), Scans: passed, UpdatedAt: ShowTime}
			if n == 1 {
				r.Status, r.CancelledAt = record.TicketVoid, At("19:50")
			}
			h.Apply(r)
		}
	}
	h.Apply(&record.Ticket{ID: "tkt_ahead", EventID: "evt_next_0", Price: &record.Money{Amount: 7700, Currency: "EUR"}, Status: record.TicketValid,
		SoldAt: At("23:00"), UpdatedAt: ShowTime})
	h.Apply(&record.Ticket{ID: "tkt_stray", EventID: "evt_gone", Price: &record.Money{Amount: 300, Currency: "EUR"}, Status: record.TicketValid,
		SoldAt: At("11:00"), UpdatedAt: ShowTime})
	return h
}

var Tonight = View{Page: "tonight"}.As(web.Manager)

// Text is the HTML as it is read, with single spaces between words.
func Text(html string) string {
	var b strings.Builder
	inside := false
	for _, r := range html {
		switch {
		case r == '<':
			inside = true
		case r == '>':
			inside = false
		case !inside && r != '\u2060': // which is not seen
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(strings.NewReplacer("&#39;", "'", "&amp;", "&").Replace(b.String())), " ")
}

// What the service does not report, or reports wrongly, is not shown as something else.

func Wants(t *testing.T, name, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: no %q in %q", name, w, got)
		}
	}
}

func Lacks(t *testing.T, name, got string, bad ...string) {
	t.Helper()
	if got == "" { // or a fragment of another name would lack all
		t.Errorf("%s: there is nothing to look at", name)
	}
	for _, b := range bad {
		if strings.Contains(got, b) {
			t.Errorf("%s: %q in %q", name, b, got)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files")

func Renderer(t testing.TB) *web.Renderer {
	t.Helper()
	return RendererWith(t, web.Sources{Sessions: SignedIn, Screens: func() (web.Screens, error) { return web.Screens{Now: ShowTime}, nil }})
}

func RendererWith(t testing.TB, sources web.Sources) *web.Renderer {
	t.Helper()
	b, err := assets.Open(fstest.MapFS{
		"manifest.json": {Data: []byte(`{"app.js":"app-1.js","app.css":"app-2.css","print.css":"print-8.css","wall.css":"wall-5.css","service.js":"service-6.js","push.js":"push-7.js","inter-latin-opsz-normal.woff2":"inter-3.woff2","inter-wall.woff2":"inter-4.woff2"}`)},
		"inter-3.woff2": {Data: []byte("font")},
		"inter-4.woff2": {Data: []byte("font of walls")},
		"app-1.js":      {Data: []byte("script")},
		"app-2.css":     {Data: []byte("style")},
		"print-8.css":   {Data: []byte("paper")},
		"wall-5.css":    {Data: []byte("wall")},
		"service-6.js":  {Data: []byte("worker")}, "push-7.js": {Data: []byte("worker")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := web.New(web.Options{Bundle: b, Venue: "De Schouwburg", Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func Content(t testing.TB, r *web.Renderer, q web.Request, s *figures.Snapshot, now time.Time) live.Content {
	t.Helper()
	c, err := r.Content(q, s, now, live.Content{})
	if err != nil {
		t.Fatalf("%s: %v", q.Topic(), err)
	}
	return c
}

func Page(t testing.TB, r *web.Renderer, q web.Request, s *figures.Snapshot, now time.Time) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Page(&b, web.Frame{Request: q, Snapshot: s, Now: now, User: "Fatima <b>"}); err != nil {
		t.Fatalf("%s: %v", q.Topic(), err)
	}
	return b.String()
}

// All is everything that a frame of the content carries, in a fixed order.
func All(t testing.TB, c live.Content) string {
	t.Helper()
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.HTML)) {
		fmt.Fprintf(&b, "== %s\n%s\n", id, c.HTML[id])
	}
	for _, id := range slices.Sorted(maps.Keys(c.Charts)) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, c.Charts[id], "", " "); err != nil {
			t.Fatalf("chart %s: %v", id, err)
		}
		fmt.Fprintf(&b, "== %s\n%s\n", id, &indented)
	}
	return b.String()
}

// Golden compares got with testdata/name.golden, which -update writes first.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (run with -update and look at the difference); got\n%s", file, got)
	}
}

// OneElementALine returns HTML with a line break between two tags that have at most a space
// between them. The HTML must be what joining the lines gives, so that no difference is hidden.
func OneElementALine(t *testing.T, html string) string {
	t.Helper()
	lines := strings.NewReplacer("><", ">\n<", "> <", ">\n <").Replace(html)
	if strings.NewReplacer(">\n<", "><", ">\n <", "> <").Replace(lines) != html {
		t.Fatalf("HTML has a line break of its own between tags:\n%s", html)
	}
	return lines
}

// View is a page with its parameters.
type View struct {
	Page   string
	Params query.Params
}

func EventView(id string) View { return EventPart(id, "all") }

// EventPart is a part of the page of a performance; without a name what is decided on now.
func EventPart(id, part string) View {
	values := url.Values{"event": {id}}
	if part != "" {
		values.Set("part", part)
	}
	return View{"event", query.Params(values.Encode())}
}

// HallView is the wall of one hall; of the house where hall is empty.
func HallView(hall string) View {
	if hall == "" {
		return View{Page: "wall"}
	}
	return View{"wall", query.Params(url.Values{"hall": {hall}}.Encode())}
}

// RevenueView is the days up to the evening, and on.
func RevenueView(days int) View {
	from := ShowTime.AddDate(0, 0, 1-days).Format(time.DateOnly)
	return View{"revenue", query.Params(url.Values{"period": {"custom"}, "from": {from}, "against": {"before"}}.Encode())}
}

// Marketing is the page of the running month.
var Marketing = View{Page: "marketing", Params: "period=month"}

// Calendar is the calendar of the running month.
var Calendar = View{Page: "calendar", Params: "span=month"}

// As is the request of a member of staff.
func (v View) As(role web.Role) web.Request {
	return web.Request{Page: v.Page, Params: v.Params, Access: role.Access(), Locale: web.English}
}

func (v View) SeenBy(role web.Role) bool {
	_, err := web.ParseTopic(v.As(role).Topic())
	return err == nil
}

// Small is a house that fits into a golden file: one performance tonight with a gate, and
// one tomorrow.
func Small(t testing.TB) *House {
	t.Helper()
	h := NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, Available(12))
	h.Sell(e, Sale{From: ShowTime.AddDate(0, 0, -4), To: ShowTime.Add(-time.Hour), Paid: 22, Comp: 3, Reserved: 3, Scans: true,
		In: []GateIn{{"A", 12, At("19:38"), ShowTime}}})
	next := h.Event("evt_b", "Strijkkwartet", "Grote Zaal", "19:30", "20:15", 60, OnDay(1))
	h.Sell(next, Sale{From: ShowTime.AddDate(0, 0, -10), To: ShowTime.AddDate(0, 0, -2), Paid: 9})
	h.Apply(&record.Payment{ID: h.ID("pay"), Amount: record.Money{Amount: 2500, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: ShowTime.AddDate(0, 0, -1), UpdatedAt: ShowTime.AddDate(0, 0, -1)})
	return h
}

// SignedIn is a house of which everything is to be said that the page of sessions can say.
func SignedIn(q web.SessionsQuery) (web.Sessions, error) {
	now := ShowTime.Truncate(time.Minute)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	s := web.Sessions{Now: now, Total: 1272, Retention: 400 * 24 * time.Hour, SignsIn: "https://login.house.example/realms/house", TurnedAway: []web.Act{{Actor: "idp intern", Name: "Old <b>intern"}, {Actor: "idp nameless"}}, Chain: &web.Chain{Acts: 1272, Since: now.AddDate(0, 0, -300)}, People: []web.Person{
		{Subject: "idp fatima", Name: "Fatima", Address: "fatima@house.example", Sessions: []web.Session{
			{ID: "f1", Role: web.Manager, Because: "fatima@house.example", Started: ago(time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour), Address: "192.0.2.41", Agent: "Firefox, Linux",
				Pages: []web.Request{RevenueView(30).As(web.Manager), View{Page: "tonight"}.As(web.Manager), In(words.Dutch, View{Page: "tonight"}.As(web.Manager))}},
			{ID: "f2", Role: web.Manager, Started: ago(50 * time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour), Address: "198.51.100.7",
				Pages: []web.Request{EventView("evt_a").As(web.Manager), EventView("evt_none").As(web.Manager), HallView("Foyer").As(web.Manager)}},
			{ID: "f3", Role: web.Manager, Started: ago(70 * time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour)},
		}},
		{Subject: "idp own", Name: "Fatima", Sessions: []web.Session{{ID: "own", Own: q.Own == "own", Watching: true, Role: web.Admin, Because: "directors", Started: ago(time.Minute), Seen: now, Ends: now.Add(time.Hour)}}},
		{Subject: "idp nameless", Sessions: []web.Session{{ID: "n", Started: ago(80 * time.Hour), Seen: ago(75 * time.Hour), Ends: now.Add(9 * time.Hour), Address: "203.0.113.19"}}},
	}, Actors: []web.Actor{{Subject: "idp fatima", Name: "Fatima"}, {Subject: "provider"}, {Subject: "stranger"}, {Subject: "command"}, {Subject: "program"}}}
	s.Rules = []web.RoleRule{{Grantee: "directors", Group: true, Role: web.Admin, Fixed: true, People: 1}, {Grantee: "first@house.example", Role: web.Admin, Fixed: true},
		{Grantee: "@house.example", Role: web.Door, By: "Fatima"}, {Grantee: "fatima@house.example", Role: web.Manager, By: "Fatima", People: 1}}
	s.Keys = []web.Key{{ID: "a1", Name: "Fatima <b>", Role: web.Manager, By: "Fatima"}, {ID: "b2", Name: "Fatima", Role: web.Door, By: "Fatima", Used: now.AddDate(0, 0, -1)}}
	s.Acts = []web.Act{
		{Actor: "idp fatima", Name: "Fatima", Action: "key_made", ObjectName: "Fatima <b>", After: "manager"},
		{Actor: "idp fatima", Name: "Fatima", Action: "key_revoked", ObjectName: "Fatima", Before: "door"},
		{Actor: "idp fatima", Name: "Fatima", Action: "role_given", ObjectName: "@house.example", After: "door"},
		{Actor: "idp fatima", Name: "Fatima", Action: "role_given", ObjectName: "mia@house.example", Before: "door", After: "box_office"},
		{Actor: "idp fatima", Name: "Fatima", Action: "role_taken", ObjectName: "mia@house.example", Before: "box_office"},
		{Actor: "idp fatima", Name: "Fatima", Action: "session_ended", ObjectName: "Fatima", Before: "door", Reason: "admin", Address: "192.0.2.44"},
		{Actor: "idp fatima", Name: "Fatima", Action: "login", After: "admin", Address: "192.0.2.44"},
		{Actor: "idp fatima", Name: "Fatima", Action: "logout", Before: "admin"},
		{Actor: "provider", Action: "role_changed", ObjectName: "Fatima", Before: "door", After: "box_office"},
		{Actor: "stranger", Action: "login_refused", Reason: "sign_in_stale", Count: 14},
		{Actor: "idp fatima", Name: "Fatima", Action: "audit_exported", ObjectName: "12"},
	}
	for _, reason := range []string{"no_role", "sign_in_refused", "sign_in_cancelled", "sign_in_failed", "sign_in_down", "too_many", "internal"} {
		s.Acts = append(s.Acts, web.Act{Actor: "idp nameless", Action: "login_refused", Reason: reason})
	}
	for i, reason := range []string{"command", "provider", "idle", "limit", "recheck", "recheck_silent", "recheck_no_role", "role_taken", "no_role", "replaced"} {
		s.Acts = append(s.Acts, web.Act{Actor: []string{"command", "provider", "program"}[i%3], Action: "session_ended", Reason: reason})
	}
	for _, code := range []string{evening.AlertQuietGate, evening.AlertHold, evening.AlertFewerIn, evening.AlertOversold, evening.AlertBlockedSold, evening.AlertNearLicensed, evening.AlertFewLeft, evening.AlertCancelled, evening.AlertPostponed,
		evening.AlertSoldOut, evening.AlertNearlyFull, evening.AlertOwed, evening.AlertRefunds, evening.AlertBehindPace, evening.AlertAheadOfPace, evening.AlertStreams, evening.AlertSilentScreen, evening.AlertBackup, evening.AlertCopiedScreen, evening.AlertNearlyCrowded, evening.AlertRoomForFewer} {
		s.Acts = append(s.Acts, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "alert_seen", ObjectName: "De Vader", After: code})
	}
	for _, a := range []web.Access{{Money: web.NoMoney, Public: true}, web.Access{Money: web.TodaysMoney}.InHalls("Foyer", "Zaal"), {Money: web.AllMoney}} {
		s.Acts = append(s.Acts, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_paired", ObjectName: "Bar", After: a.String()})
	}
	s.Acts = append(s.Acts, web.Act{Actor: "command", Action: "screen_added", ObjectName: "Kassa", After: web.Access{Money: web.NoMoney}.String()},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_changed", ObjectName: "Bar",
			Before: "access=money%3Dnone&dark=&language=nl&margin=0&name=Kassa&place=&programme=", After: "access=money%3Dnone%26public%3Dyes&dark=23%3A30-08%3A00&language=de&margin=20&name=Bar&place=Foyer&programme=Zaal"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_told", ObjectName: "Bar", After: "reload"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_message", ObjectName: "Bar", After: admin.EncodeMessage(ShowTime, []string{"Kassa", "Foyer"}, true)}, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "message_withdrawn", ObjectName: "Bar", After: admin.EncodeMessage(ShowTime, nil, false)},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_message", ObjectName: "Bar"}, web.Act{Actor: "stranger", Action: "screen_copied", ObjectName: "Bar"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "walk_in", ObjectName: "De Vader", After: "+1 A"},
		web.Act{Actor: "program", Action: "scans_retired", Before: "2026-05-25", After: "12"}, web.Act{Actor: "program", Action: "contacts_retired", Before: "2023-11-22", After: "1"},
		web.Act{Actor: "command", Action: "backed_up"}, web.Act{Actor: "command", Action: "restored", Before: "2026-11-20T03:00:00Z"})
	for i := range s.Acts {
		s.Acts[i].ID, s.Acts[i].At = int64(100-i), ago(time.Duration(i)*2*time.Hour)
	}
	if q.Days == 1 {
		s.Acts, s.Total, s.Retention = nil, 0, 0
	}
	return s, nil
}

func SessionsView(params query.Params) View { return View{"sessions", params} }

// Wakes reports whether changes wake a page.
func Wakes(q web.Request, subjects []string) bool {
	return slices.ContainsFunc(q.Wakes(), func(s string) bool { return slices.Contains(subjects, s) })
}

// ExplainRequest returns what a figure's link leads to.
func ExplainRequest(t *testing.T, href string, role web.Role) (web.Request, error) {
	t.Helper()
	u, err := url.Parse(html.UnescapeString(href))
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Set("figure", strings.TrimPrefix(u.Path, "/explain/"))
	return web.NewRequest("explain", values, role.Access(), web.English)
}

// WithPast returns a renderer whose past of a performance is known.
func WithPast(t testing.TB, past []figures.MinuteFigures, err error) *web.Renderer {
	t.Helper()
	return RendererWith(t, web.Sources{Past: func(event string) ([]figures.MinuteFigures, error) {
		if event == "" {
			t.Error("the past of no performance was asked for")
		}
		return past, err
	}})
}

// ReplayView returns of a minute of the evening, or of one that is written out.
func ReplayView(event, minute string) View {
	values := url.Values{"event": {event}}
	if len(minute) == len("19:38") {
		minute = At(minute).Format("2006-01-02T15:04Z07:00")
	}
	if minute != "" {
		values.Set("at", minute)
	}
	return View{Page: "replay", Params: query.Params(values.Encode())}
}

// EventsView returns a search.
func EventsView(t testing.TB, values url.Values) View {
	t.Helper()
	q, err := web.NewRequest("events", values, web.Admin.Access(), web.English)
	if err != nil {
		t.Fatal(err)
	}
	return View{Page: "events", Params: q.Params}
}

// Euros returns cents as pages in English show them, written without the code of pages to be a second opinion.
func Euros(cents int64) string {
	s := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	if i := len(s) - 6; i > 0 {
		s = s[:i] + "," + s[i:]
	}
	return "€" + s
}

// Hostile is what an event, a hall, a gate, a ticket type or a channel may be called.
var Hostile = []string{
	`</script><script>alert(1)</script>`,
	`__f__(alert(1))__f__`,
	`"><img src=x onerror=alert(1)>`,
	`' onfocus='alert(1)' autofocus='`,
	"\u202egnp.exe\u2069\u2066",
	`@house`,
	`{{template "staff" .}}`,
	`javascript:alert(1)`,
	strings.Repeat("é", 500),
	"\x01\x1b[31m",
}
