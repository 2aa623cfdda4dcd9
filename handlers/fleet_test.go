package handlers_test

import (
	"database/sql"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web"
	forms "housecount/web/admin"
	"housecount/web/live"
)

// text returns what a person reads of a page, with one space between words.
func text(page string) string {
	page = regexp.MustCompile(`</?(bdi|b)>`).ReplaceAllString(page, "")
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "))), " ")
}

// An administrator sees every screen, and what is done with one is done, recorded and shown.
func TestFleet(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	tv := h.browser(t)
	if p := admin.pairs(tv.waits(), "name", "Bar <b>"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	list, err := h.store.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	id := list[0].ID
	tv.get("/screen")
	firstTopic(t, tv.dialScreen("&size=1080x1920"))
	for _, device := range []*browser{tv, h.browser(t)} { // another is heard for nothing
		if p := device.post(h.URL+"/screen/report", url.Values{"fault": {"no <b>\twake lock"}}); p.status != http.StatusNoContent {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
	}
	row := func() string {
		t.Helper()
		p := admin.get("/screens")
		if p.status != http.StatusOK {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		_, row, _ := strings.Cut(p.body, `<li id="screen-`+id)
		row, _, _ = strings.Cut(row, "</li>")
		return html.UnescapeString(strings.NewReplacer("<bdi>", "", "</bdi>", "").Replace(row))
	}
	says := func(when string, want ...string) {
		t.Helper()
		text := row()
		for _, want := range want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", when, want, text)
			}
		}
	}
	says("while it is on", `class="on"`, "Bar <b>", "Programme of today", "On since", "Automatic", "Nederlands", "Public", "no <b> wake lock")
	// Of what was seen before anybody noted since when, it is not guessed.
	if err := h.replica.Load().NotePresence(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE presence SET since = 0`); err != nil {
		t.Fatal(err)
	}
	if text := row(); !strings.Contains(text, `class="on"`) || !regexp.MustCompile(`On since today \d\d:\d\d<`).MatchString(text) {
		t.Errorf("while it is not known since when: %s", text)
	}
	do := func(what string) {
		t.Helper()
		if p := admin.stay().post(h.URL+"/screens/act?screen="+id, url.Values{"do": {what}}); p.status != http.StatusSeeOther || p.header.Get("Location") != "/screens" {
			t.Errorf("%s: status %d: %s", what, p.status, p.body)
		}
	}
	do("identify")
	says("identified", "Its name")
	do("dark")
	says("dark", `class="blank"`, "Dark, on since", `value="light"`)
	do("light")
	do("off")
	says("meant off and on all the same", `class="on"`)
	clock := func(in time.Duration) string { return time.Now().UTC().Add(in).Format("15:04") } // far enough from now in any zone of the house
	form := url.Values{"screen": {id}, "dim_from": {clock(-6 * time.Hour)}, "dim_to": {clock(6 * time.Hour)}, "name": {"Buffet"}, "place": {"Foyer"}, "language": {"de"}, "shows": {"office"}, "money": {""}, "margin": {"25"},
		"dark_from": {clock(9 * time.Hour)}, "dark_to": {clock(15 * time.Hour)}, "hall": {"Grote zaal", "A&B"}, "programme": {""}}
	for field, c := range map[string]struct{ value, what string }{"money": {"today", "money: today's takings are of the whole house"}, "name": {" \u200b", "the name"}, "margin": {"101", "the margin"}, "dark_to": {"9", "the dark hours"},
		"dim_to": {"", "the dimmed hours"}, "language": {"xx", "what it may show"}} {
		wrong := url.Values{}
		for k, v := range form {
			wrong[k] = v
		}
		wrong.Set(field, c.value)
		if p := admin.post(h.URL+"/screens/edit", wrong); p.status != http.StatusOK || !strings.Contains(html.UnescapeString(p.body), "Look at this again: "+c.what) {
			t.Errorf("%s %q: status %d: %s", field, c.value, p.status, p.body)
		}
	}
	if p := admin.stay().post(h.URL+"/screens/edit", form); p.status != http.StatusSeeOther {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	if body := html.UnescapeString(admin.get("/sessions").body); !strings.Contains(body, `name: <bdi>Bar &lt;b&gt;</bdi> → <bdi>Buffet</bdi>`) && !strings.Contains(body, `name: <bdi>Bar <b></bdi> → <bdi>Buffet</bdi>`) || !strings.Contains(body, "margin: <bdi>0</bdi> → <bdi>25</bdi>") || !strings.Contains(body, "shows: Public → Back office, <bdi>A&B</bdi>, <bdi>Grote zaal</bdi>") {
		t.Errorf("the log does not say what was changed: %s", body)
	}
	says("changed", "Buffet", "Foyer", "Back office, A&B, Grote zaal", "Deutsch", "dark from "+form.Get("dark_from")+" to "+form.Get("dark_to"), "dimmed from "+form.Get("dim_from")+" to "+form.Get("dim_to"), "version "+h.version[:8])
	// Who saves the form as it is widens nothing, also of a screen of several halls.
	access := web.Access{Money: web.NoMoney}.InHalls("A&B", "Grote zaal", "Torn down").String()
	if _, err := h.store.Screens().Change(t.Context(), id, store.Act{}, func(s *store.Screen) { s.Access = access }); err != nil {
		t.Fatal(err)
	}
	edit := admin.get("/screens/edit?screen=" + id)
	if !strings.Contains(edit.body, `value="25"`) {
		t.Errorf("the form has lost something: %s", edit.body)
	}
	form["hall"] = nil
	for _, ticked := range regexp.MustCompile(`name="hall" value="([^"]*)" checked`).FindAllStringSubmatch(edit.body, -1) {
		form.Add("hall", html.UnescapeString(ticked[1]))
	}
	admin.post(h.URL+"/screens/edit", form)
	if list, err := h.store.Screens().List(t.Context()); err != nil || list[0].Access != access {
		t.Errorf("saved as it was, it may show %s, before %s (%v)", list[0].Access, access, err)
	}
	form.Del("hall")
	form.Set("money", "today")
	form.Set("shows", "public")
	if p := admin.post(h.URL+"/screens/edit", form); !strings.Contains(html.UnescapeString(p.body), "Look at this again: money: a public screen shows none") {
		t.Errorf("money on a public screen is answered %s", p.body)
	}
	form.Set("shows", "office")
	if p := admin.stay().post(h.URL+"/screens/edit", form); p.status != http.StatusSeeOther {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	says("with money", "Back office, today's money")
	// Its picture may be framed by our page alone, and nothing in it runs.
	p := admin.get("/screens/picture?screen=" + id)
	if policy := p.header.Get("Content-Security-Policy"); p.status != http.StatusOK || !strings.Contains(policy, "frame-ancestors 'self'") || strings.Contains(p.body, "<script") || !strings.Contains(p.body, `class="board wall dim"`) {
		t.Errorf("status %d, %s: %s", p.status, policy, p.body)
	}
	if p := admin.get("/screens/revoke?screen=" + id); !strings.Contains(p.body, "Revoke Buffet?") {
		t.Errorf("does not ask: %s", p.body)
	}
	conn := tv.dialScreen("")
	if p := admin.stay().post(h.URL+"/screens/revoke", url.Values{"screen": {id}}); p.status != http.StatusSeeOther {
		t.Errorf("status %d", p.status)
	}
	if code := closeCode(t, conn, 30*time.Second); code != live.CloseForbidden {
		t.Errorf("its socket is closed with %d", code)
	}
	if tv.waits() == "" || row() != "" {
		t.Error("it is a screen all the same")
	}
	var acts []string
	all, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 20)
	for _, a := range all {
		if a.Object == id && a.Action != "" {
			acts = append(acts, a.Name+" "+a.Action)
		}
	}
	slices.Reverse(acts)
	want := []string{"screen_paired", "screen_told", "screen_dark", "screen_light", "screen_off", "screen_changed", "screen_changed", "screen_changed", "screen_revoked"}
	for i := range want {
		want[i] = "Name of the admin " + want[i]
	}
	if err != nil || !slices.Equal(acts, want) {
		t.Errorf("recorded %q, want %q (%v)", acts, want, err)
	}
}

// A screen that nobody hears of is missed, unless it is meant to be off or its hours are dark.
func TestSilentScreens(t *testing.T) {
	h := newHouse(t, nil)
	site := h.replica.Load()
	admin := h.loggedIn(t, web.Admin)
	if p := admin.pairs(h.browser(t).waits(), "name", "Kassa"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	list, err := h.store.Screens().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	missed := func(when string, want int) {
		t.Helper()
		if err := site.FindScreenAlerts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := site.ScreenAlerts(); len(got) != want {
			t.Errorf("%s: %d are missed, want %d", when, len(got), want)
		}
	}
	missed("just paired", 0)
	// While it has left for a moment it is as it was.
	if err := h.store.Presence().Write(t.Context(), "here", []store.Watching{{Holder: list[0].Holder}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ do, want string }{{"dark", `class="blank"`}, {"light", `class="on"`}} {
		admin.stay().post(h.URL+"/screens/act?screen="+list[0].ID, url.Values{"do": {c.do}})
		if body := admin.get("/screens").body; !strings.Contains(body, c.want) {
			t.Errorf("%s: %s is not in %s", c.do, c.want, body)
		}
	}
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE screen SET created = created - 3600000; UPDATE presence SET seen = seen - 3600000`); err != nil {
		t.Fatal(err)
	}
	missed("an hour later", 1)
	if body := admin.get("/tonight").body; !strings.Contains(body, "<bdi>Kassa</bdi></b> is silent") {
		t.Errorf("Tonight does not say so: %s", body)
	}
	if body := admin.get("/screens").body; !strings.Contains(body, `class="silent"`) || !strings.Contains(body, "has given no sign of life since") {
		t.Errorf("the page of screens does not say so: %s", body)
	}
	admin.stay().post(h.URL+"/screens/act?screen="+list[0].ID, url.Values{"do": {"off"}})
	missed("meant off", 0)
	admin.stay().post(h.URL+"/screens/act?screen="+list[0].ID, url.Values{"do": {"on"}})
	missed("meant on", 1)
	now := site.Now().UTC()
	if _, err := h.store.Screens().Change(t.Context(), list[0].ID, store.Act{}, func(s *store.Screen) {
		s.Dark = now.Add(-time.Minute).Format("15:04") + "-" + now.Add(10*time.Minute).Format("15:04")
	}); err != nil {
		t.Fatal(err)
	}
	missed("in its dark hours", 0)
}

// Since when a screen is on is the venue's time of when it came there without a break, whichever replica it
// is at and whoever is asked, also before anybody noted where it went, and while the program starts anew. Nobody
// misses it meanwhile.
func TestOnSince(t *testing.T) {
	const fast, before = 20, 10 * time.Minute // the venue's clock goes so much faster; so long it has been there
	began := time.Now()
	at := func(t time.Time) time.Time {
		return time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC).Add(fast * t.Sub(began))
	}
	change := func(o *handlers.Options) {
		o.Now = func() time.Time { return at(time.Now()) }
		o.At = at
	}
	h := newHouse(t, change)
	one := h.replica.Load()
	replica := func() *handlers.Site {
		return (&house{idp: h.idp, log: h.log, database: h.database}).build(t, h.URL, change)
	}
	other := replica()
	admin, tv := h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits()); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	list, err := h.store.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	notes := func(sites ...*handlers.Site) {
		t.Helper()
		for _, s := range sites {
			if err := s.NotePresence(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	says := func(when string, since time.Time) {
		t.Helper()
		for name, s := range map[string]*handlers.Site{"where it was first": one, "at the other": other} {
			h.replica.Store(s)
			want := "On since today " + at(since).UTC().Format("15:04")
			if got := text(admin.get("/screens").body); !strings.Contains(got, want) {
				t.Errorf("%s, %s: not %q, but %q", when, name, want, regexp.MustCompile(`(On|No sign of life|Waits)[^.]{0,40}`).FindAllString(got, -1))
			}
		}
		h.replica.Store(one)
	}
	socket := tv.dialScreen("")
	firstTopic(t, socket)
	notes(one)
	since := began.Add(-before).Truncate(time.Millisecond)
	exec(`UPDATE presence SET since = ?`, since.UnixMilli())
	exec(`UPDATE screen SET created = created - 3600000`)
	says("while it is there", since)
	noted := func() store.Watching {
		t.Helper()
		all, err := h.store.Presence().Of(t.Context(), []string{list[0].Holder})
		if err != nil {
			t.Fatal(err)
		}
		return all[list[0].Holder][0] // the last
	}
	socket.Close()
	says("when its line was cut", since)
	for noted().Sockets > 0 {
		notes(one)
	}
	says("when that is noted", since)
	h.replica.Store(other)
	socket = tv.dialScreen("")
	firstTopic(t, socket)
	says("at another replica, before that is noted", since)
	notes(one, other)
	says("at another replica", since)
	for _, away := range []time.Duration{4 * time.Minute, 6 * time.Minute} { // while no program runs
		socket.Close()
		exec(`UPDATE presence SET seen = seen - ?`, away.Milliseconds())
		other = replica()
		h.replica.Store(other)
		comes := time.Now()
		socket = tv.dialScreen("")
		firstTopic(t, socket)
		notes(other)
		if away > 5*time.Minute {
			if since = noted().Since; since.Before(comes.Add(-time.Second)) {
				t.Errorf("it came at %s and is on since %s", comes, since)
			}
		}
		says(fmt.Sprint("after ", away, " without anybody who notes it"), since)
	}
	socket.Close()
	exec(`UPDATE presence SET seen = seen - 480000, since = since - 600000`)
	since = since.Add(-10 * time.Minute)
	other = replica()
	h.replica.Store(other)
	socket = tv.dialScreen("&for=540")
	firstTopic(t, socket)
	notes(other)
	says("after eight minutes through which its page was there", since)
}

// A message goes to the screens that are chosen, until the next time that the clock says so, and is
// withdrawn by anybody who may.
func TestMessages(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	now := h.replica.Load().Now().UTC()
	until := now.Add(time.Hour).Format("15:04")
	l := ledger.New(figures.Calendar{})
	for i, r := range []record.Record{&record.ScreenMessage{ID: "m", Text: "Bar <b>", Until: now.Add(time.Hour), At: now, By: "Mia"},
		&record.Event{ID: "on", StartsAt: now.Add(-time.Minute), EndsAt: now.Add(90 * time.Minute), Date: now.Format(time.DateOnly)}} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: r})
	}
	of := l.Snapshot(figures.Position{}, ledger.Coverage{})
	read := func() *figures.Snapshot { return of }
	h.snapshot.Store(&read)
	for _, c := range []struct {
		text, length, until string
		screens             []string
		wrong, want         string
	}{
		{"Bar", "last_end", "", nil, "", `Name of the admin says "Bar" until ` + now.Add(90*time.Minute).Format("15:04") + ` on [], urgent true, withdrawn false`},
		{"Bar", "11", until, nil, "the time", ""},
		{"Late \n entry\u0007 by door B", "until", until, []string{"a", "b"}, "", `Name of the admin says "Late entry by door B" until ` + until + ` on [a b], urgent true, withdrawn false`},
		{"Bar", "until", now.Add(-time.Minute).Format("15:04"), nil, "", `Name of the admin says "Bar" until ` + now.Add(-time.Minute).Format("15:04") + ` on [], urgent true, withdrawn false`},
		{" ", "until", until, nil, "the text", ""},
		{strings.Repeat("é", forms.MaxMessageLength+1), "until", until, nil, "the text, which is longer than it may be", ""},
		{"Bar", "until", "soon", nil, "the time", ""},
	} {
		h.entered = nil
		p := admin.stay().post(h.URL+"/screens/message", url.Values{"text": {c.text}, "for": {c.length}, "until": {c.until}, "urgent": {"yes"}, "screen": c.screens})
		if got := strings.Join(h.entered, "; "); got != c.want || c.wrong == "" && p.status != http.StatusSeeOther || c.wrong != "" && !strings.Contains(p.body, "Look at this again: "+c.wrong) {
			t.Errorf("%q %s until %s: %d, %q, want %q: %s", c.text, c.length, c.until, p.status, got, c.want, p.body)
		}
	}
	// For so many minutes, from when it was sent.
	h.entered = nil
	sent := h.replica.Load().Now()
	admin.stay().post(h.URL+"/screens/message", url.Values{"text": {"Bar"}, "for": {"10"}})
	says := func(at time.Time) string {
		return fmt.Sprintf(`Name of the admin says "Bar" until %s on [], urgent false, withdrawn false`, at.UTC().Add(10*time.Minute).Format("15:04"))
	}
	if len(h.entered) != 1 || h.entered[0] != says(sent) && h.entered[0] != says(h.replica.Load().Now()) {
		t.Errorf("for ten minutes: %q", h.entered)
	}
	if p := admin.get("/screens"); !strings.Contains(p.body, "Bar &lt;b&gt;") || !strings.Contains(p.body, `name="message" value="m"`) {
		t.Errorf("it is not shown: %s", p.body)
	}
	h.entered = nil
	for _, id := range []string{"m", "none"} {
		admin.stay().post(h.URL+"/screens/withdraw", url.Values{"message": {id}})
	}
	if len(h.entered) != 1 || !strings.HasSuffix(h.entered[0], "withdrawn true") {
		t.Errorf("withdrawn %q", h.entered)
	}
	// What was said, where and until when, stays to be read.
	kassa, err := h.store.Screens().Add(t.Context(), store.Screen{Name: "Kassa <b>", Language: "en", Access: web.Access{Money: web.NoMoney}.String()}, "kassa", store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	admin.stay().post(h.URL+"/screens/message", url.Values{"text": {"Fire"}, "for": {"until"}, "until": {until}, "urgent": {"yes"}, "screen": {kassa}})
	if got := text(admin.get("/sessions").body); !strings.Contains(got, "Fire · urgent · on Kassa <b> · until "+until) || !strings.Contains(got, "Bar <b> · on every screen · until "+until) {
		t.Errorf("the log does not say where and until when: %s", got)
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 2, 3)
	if err != nil || acts[0].Action != "message_withdrawn" || acts[1].Action != "screen_message" || acts[2].Action != "screen_message" {
		t.Errorf("recorded %+v, %v", acts, err)
	}
}

// An administrator sets the dimmed hours of all screens at once, or clears them; each change is on record, and nobody
// else may do it. The page shows the hours that all have, and the address that a device opens.
func TestDimAllScreens(t *testing.T) {
	h := newHouse(t, nil)
	admin, manager := h.loggedIn(t, web.Admin), h.loggedIn(t, web.Manager)
	for _, name := range []string{"Bar", "Foyer"} {
		if p := admin.pairs(h.browser(t).waits(), "name", name); p.status != http.StatusOK {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
	}
	dimmed := func() (all []string) {
		list, err := h.store.Screens().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			all = append(all, one.Name+" "+one.Dim)
		}
		slices.Sort(all)
		return all
	}
	evening := url.Values{"dim_from": {"22:00"}, "dim_to": {"07:00"}}
	if p := manager.post(h.URL+web.DimAllPath, evening); p.status != http.StatusForbidden || !slices.Equal(dimmed(), []string{"Bar ", "Foyer "}) {
		t.Errorf("a manager: status %d, %q", p.status, dimmed())
	}
	for _, wrong := range []url.Values{{}, {"dim_from": {"22:00"}}, {"dim_from": {"22:00"}, "dim_to": {"25:00"}}} {
		if p := admin.post(h.URL+web.DimAllPath, wrong); p.status != http.StatusBadRequest || !slices.Equal(dimmed(), []string{"Bar ", "Foyer "}) {
			t.Errorf("%v: status %d, %q", wrong, p.status, dimmed())
		}
	}
	page := admin.post(h.URL+web.DimAllPath, evening)
	if want := []string{"Bar 22:00-07:00", "Foyer 22:00-07:00"}; page.status != http.StatusOK || !slices.Equal(dimmed(), want) {
		t.Errorf("dimmed: status %d, %q, want %q", page.status, dimmed(), want)
	}
	for _, want := range []string{`name="dim_from" value="22:00"`, `name="dim_to" value="07:00"`, `readonly value="` + h.URL + `/screen"`} {
		if !strings.Contains(page.body, want) {
			t.Errorf("%s is not in %s", want, page.body)
		}
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 50)
	n := 0
	for _, act := range acts {
		if act.Action == store.ActScreenChanged && act.After == "dim=22%3A00-07%3A00" {
			n++
		}
	}
	if err != nil || n != 2 {
		t.Errorf("%d of two changes are on record: %v", n, err)
	}
	admin.post(h.URL+web.DimAllPath, url.Values{"never": {"1"}})
	if want := []string{"Bar ", "Foyer "}; !slices.Equal(dimmed(), want) {
		t.Errorf("never dimmed: %q, want %q", dimmed(), want)
	}
}
