package web_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/live"
	"housecount/web/words"
)

// signedIn is a house of which everything is to be said that the page of sessions can say.
func signedIn(q web.SessionsQuery) (web.Sessions, error) {
	now := showTime.Truncate(time.Minute)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	s := web.Sessions{Now: now, Total: 1268, Retention: 400 * 24 * time.Hour, People: []web.Person{
		{Subject: "idp fatima", Name: "Fatima", Sessions: []web.Session{
			{ID: "f1", Role: web.Manager, Started: ago(time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour), Address: "192.0.2.41", Agent: "Firefox, Linux",
				Pages: []web.Request{revenueView(30).as(web.Manager), view{page: "tonight"}.as(web.Manager), in(words.Dutch, view{page: "tonight"}.as(web.Manager))}},
			{ID: "f2", Role: web.Manager, Started: ago(50 * time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour), Address: "198.51.100.7",
				Pages: []web.Request{eventView("evt_a").as(web.Manager), eventView("evt_none").as(web.Manager), hallView("Foyer").as(web.Manager)}},
			{ID: "f3", Role: web.Manager, Started: ago(70 * time.Hour), Watching: true, Seen: now, Ends: now.Add(time.Hour)},
		}},
		{Subject: "idp own", Name: "Fatima", Sessions: []web.Session{{ID: "own", Own: q.Own == "own", Watching: true, Role: web.Admin, Started: ago(time.Minute), Seen: now, Ends: now.Add(time.Hour)}}},
		{Subject: "idp nameless", Sessions: []web.Session{{ID: "n", Started: ago(80 * time.Hour), Seen: ago(75 * time.Hour), Ends: now.Add(9 * time.Hour), Address: "203.0.113.19"}}},
	}, Actors: []web.Actor{{Subject: "idp fatima", Name: "Fatima"}, {Subject: "provider"}, {Subject: "stranger"}, {Subject: "command"}, {Subject: "program"}}}
	s.Acts = []web.Act{
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
	for i, reason := range []string{"command", "provider", "idle", "limit", "recheck", "recheck_silent", "recheck_no_role", "no_role", "replaced"} {
		s.Acts = append(s.Acts, web.Act{Actor: []string{"command", "provider", "program"}[i%3], Action: "session_ended", Reason: reason})
	}
	for _, code := range []string{evening.AlertQuietGate, evening.AlertHold, evening.AlertOversold, evening.AlertFewLeft, evening.AlertCancelled, evening.AlertPostponed,
		evening.AlertSoldOut, evening.AlertNearlyFull, evening.AlertOwed, evening.AlertRefunds, evening.AlertBehindPace, evening.AlertAheadOfPace, evening.AlertStreams, evening.AlertSilentScreen, "copied_screen"} {
		s.Acts = append(s.Acts, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "alert_seen", ObjectName: "De Vader", After: code})
	}
	for _, a := range []web.Access{{Money: web.NoMoney, Public: true}, web.Access{Money: web.TodaysMoney}.InHalls("Foyer", "Zaal"), {Money: web.AllMoney}} {
		s.Acts = append(s.Acts, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_paired", ObjectName: "Bar", After: a.String()})
	}
	s.Acts = append(s.Acts, web.Act{Actor: "command", Action: "screen_added", ObjectName: "Kassa", After: web.Access{Money: web.NoMoney}.String()},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_changed", ObjectName: "Bar",
			Before: "access=money%3Dnone&dark=&language=nl&margin=0&name=Kassa&place=&programme=", After: "access=money%3Dnone%26public%3Dyes&dark=23%3A30-08%3A00&language=de&margin=20&name=Bar&place=Foyer&programme=Zaal"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_told", ObjectName: "Bar", After: "reload"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_message", ObjectName: "Bar", After: admin.EncodeMessage(showTime, []string{"Kassa", "Foyer"}, true)}, web.Act{Actor: "idp fatima", Name: "Fatima", Action: "message_withdrawn", ObjectName: "Bar", After: admin.EncodeMessage(showTime, nil, false)},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "screen_message", ObjectName: "Bar"}, web.Act{Actor: "stranger", Action: "screen_copied", ObjectName: "Bar"},
		web.Act{Actor: "idp fatima", Name: "Fatima", Action: "walk_in", ObjectName: "De Vader", After: "+1 A"},
		web.Act{Actor: "program", Action: "scans_retired", Before: "2026-05-25", After: "12"}, web.Act{Actor: "program", Action: "contacts_retired", Before: "2023-11-22", After: "1"})
	for i := range s.Acts {
		s.Acts[i].ID, s.Acts[i].At = int64(100-i), ago(time.Duration(i)*2*time.Hour)
	}
	if q.Days == 1 {
		s.Acts, s.Total, s.Retention = nil, 0, 0
	}
	return s, nil
}

func sessionsView(params web.Params) view { return view{"sessions", params} }

// Every page that a person may look at has a name for those who see who looks at it. Those of screens are a screen's.
func TestSessionsNamesEveryPage(t *testing.T) {
	for _, p := range web.Pages() {
		if p.Wall || p.Name == "event" { // which is named by its title
			continue
		}
		for _, l := range words.Locales {
			if got := words.Of(l).Code("nav", p.Name); got == p.Name {
				t.Errorf("%s: %s is shown by its own name", l, p.Name)
			}
		}
	}
}

// The page in every language: read these when words change.
func TestSessionsPage(t *testing.T) {
	r, s := renderer(t), small(t).snapshot()
	for _, l := range words.Locales {
		q := in(l, sessionsView("days=7&own=own&skip=50").as(web.Admin))
		got := oneElementALine(t, all(t, content(t, r, q, s, showTime)))
		if l != words.English {
			got = readLines(readTexts(t, page(t, r, q, s, showTime)))
		}
		golden(t, "sessions-"+string(l), got)
	}
	p := page(t, r, sessionsView("days=7&own=own&who=idp+fatima").as(web.Admin), s, showTime)
	wants(t, "the page", p, `<option value="idp fatima" selected>Fatima</option>`, `href="/sessions/audit.csv?days=7&amp;who=idp+fatima"`,
		`<a href="/sessions?days=7&amp;skip=50&amp;who=idp+fatima" rel="next">1,218`+"\u00a0"+`earlier entries</a>`, "End all 3")
	lacks(t, "the page", p, `name="session" value="own"`)
}

// What a source gives is compared as the figures are: nothing is rendered anew where it is the same.
func TestSourceIsCompared(t *testing.T) {
	given, _ := signedIn(web.SessionsQuery{})
	r := rendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	q, s := sessionsView("days=7").as(web.Admin), small(t).snapshot()
	last := content(t, r, q, s, showTime)
	last.HTML["people"] = "taken over"
	next, err := r.Content(q, s, showTime.Add(time.Second), last)
	if err != nil || next.HTML["people"] != "taken over" {
		t.Errorf("the same is rendered anew (%v)", err)
	}
	given.People = given.People[:1]
	next, err = r.Content(q, s, showTime.Add(time.Second), last)
	if err != nil || !strings.Contains(next.HTML["people"], "1 person") {
		t.Errorf("another is not shown (%v): %s", err, next.HTML["people"])
	}
	if !wakes(q, []string{web.WakeSessions}) || wakes(tonight, []string{web.WakeSessions}) {
		t.Error("the source's subject does not wake its page alone")
	}
	if _, err := rendererWith(t, web.Sources{}).Content(q, s, showTime, live.Content{}); err == nil {
		t.Error("a page without its source is rendered")
	}
}
