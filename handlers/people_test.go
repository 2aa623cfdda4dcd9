package handlers_test

import (
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/words"
)

var (
	endField = regexp.MustCompile(`<input type="hidden" name="(session|person)" value="([^"]*)">`)
	socketOf = regexp.MustCompile(`data-live="/live\?([^"]*)"`)
)

// ends are the sessions and the persons that a page offers to end.
func ends(body string) (all []string) {
	for _, m := range endField.FindAllStringSubmatch(body, -1) {
		all = append(all, m[1]+" "+html.UnescapeString(m[2]))
	}
	return all
}

// tab is the page of sessions with its socket, as a browser has it.
type tab struct {
	conn  *websocket.Conn
	body  string
	shows live.Content // by its frames, the first of which is whole
}

func (b *browser) tab() *tab {
	b.t.Helper()
	p := b.get("/sessions")
	if p.status != http.StatusOK {
		b.t.Fatalf("status %d: %s", p.status, p.body)
	}
	conn, _, err := b.dial(html.UnescapeString(socketOf.FindStringSubmatch(p.body)[1]), b.h.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	return &tab{conn: conn, body: p.body}
}

// until reads frames until one shows who is signed in as is wants it.
func (w *tab) until(t *testing.T, what string, is func(people string) bool) {
	t.Helper()
	w.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	for {
		var frame live.Frame
		if err := w.conn.ReadJSON(&frame); err != nil {
			t.Fatalf("%s is not shown: %v", what, err)
		}
		if frame.Token == "" { // a beat
			continue
		}
		var err error
		if w.shows, err = frame.Apply(w.shows); err != nil {
			t.Fatal(err)
		}
		if is(w.shows.HTML["people"]) {
			return
		}
	}
}

// sessionOf is the name of somebody's newest session.
func (h *house) sessionOf(t *testing.T, subject string) string {
	t.Helper()
	list, err := h.store.Sessions().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Subject == h.idp.URL+" "+subject {
			return s.ID
		}
	}
	t.Fatalf("%s has no session", subject)
	return ""
}

// acts are what was done, the newest first, in short: who, what, which, before, after, why and how
// often.
func (h *house) acts(t *testing.T) (all []string) {
	t.Helper()
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range acts {
		line := fmt.Sprintf("%s %s of %s: %s > %s, %s", strings.TrimPrefix(a.Actor, h.idp.URL+" "), a.Action, a.ObjectName, a.Before, a.After, a.Reason)
		if a.Count > 1 {
			line += fmt.Sprintf(" x%d", a.Count)
		}
		all = append(all, line)
	}
	return all
}

// An administrator sees who is signed in on every replica, and ends a session there: its sockets
// close, and the page of every administrator shows it.
func TestSessionIsEndedFromAnotherReplica(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		one := h.replica.Load()
		h.replica.Store(other)
		mia := h.loggedIn(t, web.Manager)
		sockets := []*websocket.Conn{mia.watch("view=tonight"), mia.watch("view=event&event=" + eventID)}
		h.replica.Store(one)
		admin := h.loggedIn(t, web.Admin)
		own, hers := h.sessionOf(t, "the admin"), h.sessionOf(t, "the manager")
		page := admin.tab()
		if got := ends(page.body); !slices.Equal(got, []string{"session " + hers}) {
			t.Errorf("offers to end %q, want that of the manager", got)
		}
		if err := other.NotePresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		page.until(t, "what the manager looks at", func(people string) bool {
			return strings.Contains(people, "Event: <bdi>An evening</bdi>; Tonight") && strings.Contains(people, "Go-http-client") && strings.Contains(people, "<td class=\"looks\">People</td>")
		})
		if p := admin.stay().post(h.URL+"/sessions/end", url.Values{"session": {hers}}); p.status != http.StatusSeeOther || p.header.Get("Location") != "/sessions" {
			t.Errorf("status %d to %s: %s", p.status, p.header.Get("Location"), p.body)
		}
		for _, conn := range sockets {
			if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
				t.Errorf("closed with %d", code)
			}
		}
		if p := mia.stay().get("/tonight"); p.status != http.StatusSeeOther {
			t.Errorf("the session lives on: status %d", p.status)
		}
		page.until(t, "that she has gone", func(people string) bool { return !strings.Contains(people, hers) && strings.Contains(people, own) })
		if got := h.acts(t)[0]; got != "the admin session_ended of Name of the manager: manager > , admin" {
			t.Errorf("recorded %q", got)
		}
		// All of a person's but one's own.
		second := h.loggedIn(t, web.Admin)
		if got := ends(second.get("/sessions").body); !slices.Equal(got, []string{"session " + own}) {
			t.Errorf("offers to end %q", got)
		}
		asks := second.get("/sessions/end?person=" + url.QueryEscape(h.idp.URL+" the admin"))
		if got := ends(asks.body); asks.status != http.StatusOK || !slices.Equal(got, []string{"person " + h.idp.URL + " the admin"}) || !strings.Contains(asks.body, "End all 1 sessions of Name of the admin?") {
			t.Errorf("asks whether to end %q: %s", got, asks.body)
		}
		seconds := h.sessionOf(t, "the admin")
		if p := second.post(h.URL+"/sessions/end", url.Values{"person": {h.idp.URL + " the admin"}}); p.status != http.StatusOK || p.path != "/sessions" {
			t.Errorf("status %d at %s", p.status, p.path)
		}
		if h.sessionOf(t, "the admin") != seconds {
			t.Error("one's own session was ended, too")
		}
		if p := admin.stay().get("/tonight"); p.status != http.StatusSeeOther {
			t.Errorf("the first session lives on: status %d", p.status)
		}
	})
}

// Who lost a session to an administrator is told by whom, and comes back by the password alone,
// whatever the sign-in service remembers; other sign-ins ask for nothing.
func TestEndedSignsInAnew(t *testing.T) {
	h := newHouse(t, nil)
	mia := h.loggedIn(t, web.Manager)
	if asked := mia.stopBefore("/authorize", "/login?another=1").Query(); asked.Has("max_age") {
		t.Errorf("asks for the password of somebody whose session goes on: %s", asked)
	}
	admin := h.loggedIn(t, web.Admin)
	if p := admin.stay().post(h.URL+"/sessions/end", url.Values{"session": {h.sessionOf(t, "the manager")}}); p.status != http.StatusSeeOther {
		t.Fatalf("status %d", p.status)
	}
	if p := mia.get("/signed-out?return=/tonight"); !strings.Contains(p.body, "Name of the admin ended your sign-in") {
		t.Errorf("she is told %s", p.body)
	}
	if p := h.withSession(t, "made-up").get("/signed-out?return=/tonight"); strings.Contains(p.body, "ended your sign-in") {
		t.Errorf("a stranger is told %s", p.body)
	}
	h.idp.as("the manager", "manager")
	for _, b := range []*browser{mia, h.browser(t)} { // whichever browser it is, each
		p, asked := b.asks("/login?return=/events")
		if p.status != http.StatusOK || p.path != "/events" || len(asked) != 2 {
			t.Fatalf("status %d at %s, asked %d times", p.status, p.path, len(asked))
		}
		if last := asked[1]; last.Get("prompt") != "login" || last.Get("max_age") != "0" {
			t.Errorf("does not ask for the password: %s", last)
		}
	}
	// A login that was begun before the session was ended does not count, though it was to ask.
	early := h.browser(t)
	callback := early.stopBefore("/login/callback", "/login?anew=1")
	end := func() {
		t.Helper()
		if p := admin.stay().post(h.URL+"/sessions/end", url.Values{"person": {h.idp.URL + " the manager"}}); p.status != http.StatusSeeOther {
			t.Fatalf("status %d", p.status)
		}
	}
	end()
	refused := func(when string, p page) {
		t.Helper()
		if p.status != http.StatusForbidden || !strings.Contains(p.body, "This sign-in is too old") || !strings.Contains(p.body, `href="/login?return=`) {
			t.Errorf("%s: status %d at %s: %s", when, p.status, p.path, p.body)
		}
	}
	refused("begun before", early.get(callback.String()))
	// What the sign-in service says of the password decides, whatever it was asked: once, and no more.
	h.idp.set(func(p *idp) { p.who["auth_time"] = time.Now().Add(-time.Hour).Unix() })
	p, asked := early.asks("/login")
	if refused("given before", p); len(asked) != 2 {
		t.Errorf("asked %d times", len(asked))
	}
	h.idp.set(func(p *idp) { p.noPrompt = true })
	p, asked = early.asks("/login")
	if refused("given before, and it refuses to ask", p); len(asked) != 3 {
		t.Errorf("asked %d times", len(asked))
	}
	h.idp.set(func(p *idp) { p.who["auth_time"] = time.Now().Add(time.Minute).Unix() })
	if p, asked := early.asks("/login"); p.path != "/tonight" || len(asked) != 1 {
		t.Errorf("given since: status %d at %s, asked %d times", p.status, p.path, len(asked))
	}
	// Of a service that says nothing of it nobody is locked out because it refuses to ask.
	end()
	h.idp.set(func(p *idp) { delete(p.who, "auth_time") })
	if p, asked := h.browser(t).asks("/login"); p.path != "/tonight" || len(asked) != 3 {
		t.Errorf("it refuses to ask: status %d at %s, asked %d times", p.status, p.path, len(asked))
	}
	if log := h.log.String(); !strings.Contains(log, "refuses to ask for the password") {
		t.Error("nobody is told of a sign-in service that refuses to ask")
	}
	// After a month it is over.
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct{ days, asked int }{{29, 3}, {2, 1}} {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`UPDATE sign_in_anew SET since = since - %d`, (time.Duration(c.days)*24*time.Hour).Milliseconds())); err != nil {
			t.Fatal(err)
		}
		if err := h.replica.Load().ClearOld(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p, asked := h.browser(t).asks("/login"); p.path != "/tonight" || len(asked) != c.asked {
			t.Errorf("%d days later: status %d at %s, asked %d times", c.days, p.status, p.path, len(asked))
		}
	}
}

// A sign-in service that publishes that it says when the password was given says so, unless the
// browser took the question out.
func TestSignInAnewUnsaid(t *testing.T) {
	h := newHouseAt(t, func(p *idp) { p.claims = []string{"sub", "auth_time"} })
	h.loggedIn(t, web.Manager)
	admin := h.loggedIn(t, web.Admin)
	if p := admin.stay().post(h.URL+"/sessions/end", url.Values{"session": {h.sessionOf(t, "the manager")}}); p.status != http.StatusSeeOther {
		t.Fatalf("status %d", p.status)
	}
	h.idp.as("the manager", "manager")
	if p := h.browser(t).get("/login"); p.status != http.StatusForbidden || !strings.Contains(p.body, "This sign-in is too old") {
		t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
	}
}

// asks is what a page answers, and what the sign-in service was asked for meanwhile.
func (b *browser) asks(path string) (p page, asked []url.Values) {
	c := *b.Client
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Path == "/authorize" {
			asked = append(asked, r.URL.Query())
		}
		if len(via) > 20 {
			return errors.New("it goes round in a circle")
		}
		return nil
	}
	return (&browser{Client: &c, t: b.t, h: b.h}).get(path), asked
}

// Those who watch stand first, and what a process wrote that has died since counts no more.
func TestPeopleInOrder(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	watching := h.loggedIn(t, web.Door)
	h.loggedIn(t, web.Manager)
	watching.watch("view=tonight")
	if err := h.replica.Load().NotePresence(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`class="person"><bdi>Name of the ([a-z_]+)</bdi>`)
	is := func(when, lede string, want ...string) {
		t.Helper()
		body := admin.get("/sessions").body
		var got []string
		for _, m := range names.FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, want) || !strings.Contains(body, lede) {
			t.Errorf("%s: %v, want %v and %q: %s", when, got, want, lede, body)
		}
	}
	is("while one watches", "2 of them have a page open", "admin", "door", "manager")
	if err := h.store.Presence().Write(t.Context(), "another", []store.Watching{{Holder: h.sessionOf(t, "the manager"), Sockets: 1}}); err != nil {
		t.Fatal(err)
	}
	is("while one watches elsewhere", "3 of them have a page open", "admin", "door", "manager")
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE presence SET seen = seen - 60000`); err != nil {
		t.Fatal(err)
	}
	is("a minute after the last word", "2 of them have a page open", "admin", "door", "manager")
}

// Whoever does not look after the house gets nothing of who is signed in, in no way; who does
// cannot end their own session, and nobody can from another site.
func TestSessionsAreForAdministrators(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	own := h.sessionOf(t, "the admin")
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager} {
		b := h.loggedIn(t, role)
		for _, path := range []string{"/sessions", "/sessions?days=1", "/sessions/audit.csv"} {
			if p := b.get(path); p.status != http.StatusForbidden || strings.Contains(p.body, "the admin") || strings.Contains(p.body, own) {
				t.Errorf("%s as %s: status %d: %s", path, role, p.status, p.body)
			}
		}
		if p := b.post(h.URL+"/sessions/end", url.Values{"session": {own}}); p.status != http.StatusForbidden {
			t.Errorf("%s may end sessions: status %d", role, p.status)
		}
		conn, _, err := b.dial("view=sessions&own="+own, h.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, data, err := conn.ReadMessage(); !websocket.IsCloseError(err, int(live.CloseForbidden)) || len(data) > 0 {
			t.Errorf("%s: the socket says %q, %v", role, data, err)
		}
		if p := b.get("/tonight"); strings.Contains(p.body, `href="/sessions"`) {
			t.Errorf("%s is shown the way", role)
		}
	}
	for name, form := range map[string]url.Values{"one's own": {"session": {own}}, "nothing": {}} {
		if p := admin.post(h.URL+"/sessions/end", form); p.status != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, p.status)
		}
	}
	hers := h.sessionOf(t, "the manager")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/sessions/end", strings.NewReader("session="+hers))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	if p := admin.send(req); p.status != http.StatusForbidden || h.sessionOf(t, "the manager") != hers {
		t.Errorf("from another site: status %d", p.status)
	}
	for _, path := range []string{"/sessions?own=" + hers, "/sessions/audit.csv?own=" + hers, "/sessions?what=everything"} {
		if p := admin.get(path); p.status != http.StatusBadRequest {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
	// The socket's own parameter is that of the session that opens it, whatever it says.
	p := admin.tab()
	conn, _, err := admin.dial("view=sessions&own="+hers, h.URL)
	if err != nil {
		t.Fatal(err)
	}
	if topic := firstTopic(t, conn); !strings.Contains(topic, "own="+own) || !strings.Contains(p.body, "own="+own) {
		t.Errorf("watches %s", topic)
	}
}

// What is to be recorded is, each once, and the log has the persons and no secret.
func TestWhatIsRecorded(t *testing.T) {
	h := newHouse(t, nil)
	site := h.replica.Load()
	h.idp.set(func(p *idp) { p.refreshes = true })
	b := h.loggedIn(t, web.Manager)
	tokens := []string{b.session()}
	h.idp.set(func(p *idp) { p.who["roles"] = []string{"door"} })
	h.later(t, 10*time.Minute)
	if err := site.Touch(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.askAgain(t)
	h.idp.as("the janitor", "janitor")
	if p := b.get("/login?another=1"); p.status != http.StatusForbidden {
		t.Errorf("status %d", p.status)
	}
	b = h.loggedIn(t, web.Door)
	tokens = append(tokens, b.session())
	h.idp.as("the box_office", "box_office")
	if p := b.get("/login?another=1"); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
	b.stay().do(http.MethodPost, "/logout", nil)
	b, _ = h.mia(t, "sid-of-mia")
	tokens = append(tokens, b.session())
	if p := h.backchannel(t, h.idp.logoutToken(nil)); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
	for range 3 {
		h.browser(t).get("/login/callback?state=x&code=secret-code")
	}
	stranger := h.browser(t)
	at := stranger.stopBefore("/login/callback", "/login")
	q := at.Query()
	q.Set("error", "access_denied")
	at.RawQuery = q.Encode()
	stranger.get(at.String())
	b = h.loggedIn(t, web.Admin)
	tokens = append(tokens, b.session())
	if err := site.RecordRefusals(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stranger login_refused of :  > , sign_in_cancelled",
		"stranger login_refused of :  > , sign_in_stale x3",
		"the admin login of :  > admin, ",
		"provider session_ended of mia:  > , provider",
		"mia login of :  > manager, ",
		"the box_office logout of Name of the box_office: box_office > , ",
		"the box_office login of :  > box_office, ",
		"the box_office session_ended of Name of the door:  > , replaced",
		"the door login of :  > door, ",
		"the janitor session_ended of Name of the manager:  > , no_role",
		"the janitor login_refused of :  > , no_role",
		"provider role_changed of Name of the manager: manager > door, ",
		"the manager login of :  > manager, ",
	}
	got := h.acts(t)
	slices.Sort(got[:2]) // which come in the order of how often
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	log := h.log.String()
	for _, want := range []string{"action=login_refused", "action=role_changed", "action=logout", "action=session_ended", "reason=provider", "address=127.0.0.1",
		"person=mia", "session=" + store.HolderID(tokens[3])[:12]} {
		if want == "person=mia" || strings.HasPrefix(want, "session=") {
			b.get("/tonight")
			log = h.log.String()
			want = strings.Replace(want, "person=mia", `person="the admin"`, 1)
		}
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, secret := range append(tokens, "secret-code", clientSecret) {
		if strings.Contains(log, secret) {
			t.Errorf("the log has a secret: %s", secret)
		}
	}
	// Each code has words.
	page := b.get("/sessions?days=all").body
	if m := regexp.MustCompile(`>\s*[a-z]+(_[a-z]+)+\s*<`).FindString(page); m != "" {
		t.Errorf("the page shows the code %s", m)
	}
	w := words.Of(words.English)
	for family, codes := range map[string][]string{"ending": append(handlers.Endings, store.EndedIdle, store.EndedLimit, store.ActorCommand), "act": web.Actions,
		"actor": {store.ActorStranger, store.ActorProvider, store.ActorCommand, store.ActorProgram}} {
		for _, code := range codes {
			if w.Code(family, code) == code {
				t.Errorf("there are no words for %s.%s", family, code)
			}
		}
	}
	for _, action := range []string{store.ActLogin, store.ActRefused, store.ActLogout, store.ActRoleChanged, store.ActSessionEnded} {
		if !slices.Contains(web.Actions, action) {
			t.Errorf("%s cannot be asked for", action)
		}
	}
	// The filter.
	for query, n := range map[string]int{"days=all": 13, "days=1&what=login": 5, "who=provider": 2, "who=" + url.QueryEscape(h.idp.URL+" the door"): 1, "who=" + url.QueryEscape(h.idp.URL+" the box_office"): 3, "skip=12": 1} {
		if got := strings.Count(b.get("/sessions?"+query).body, `<tr id="act-`); got != n {
			t.Errorf("%s shows %d acts, want %d", query, got, n)
		}
	}
}

// Where acts cannot be recorded, no administrator acts; everybody else signs in and out.
func TestActsWithoutRecord(t *testing.T) {
	h := newHouse(t, nil)
	admin, b := h.loggedIn(t, web.Admin), h.loggedIn(t, web.Door)
	hers := h.sessionOf(t, "the door")
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DROP TABLE audit`); err != nil {
		t.Fatal(err)
	}
	if p := admin.post(h.URL+"/sessions/end", url.Values{"session": {hers}}); p.status != http.StatusInternalServerError || h.sessionOf(t, "the door") != hers {
		t.Errorf("a session was ended without a record: status %d", p.status)
	}
	if p := admin.get("/sessions/audit.csv"); p.status != http.StatusInternalServerError {
		t.Errorf("exported without a record: status %d", p.status)
	}
	b.stay().do(http.MethodPost, "/logout", nil)
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("nobody can log out: status %d", p.status)
	}
	h.loggedIn(t, web.Door)
	if log := h.log.String(); !strings.Contains(log, "an act is not in the audit") {
		t.Error("nobody is told")
	}
}

// The export is whole, however much was done.
func TestExportIsWhole(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
		INSERT INTO audit (at, actor, name, action, object, object_name, before, after, reason, count, address)
		SELECT 1, 'program', '', 'logout', i, '', '', '', '', 1, '' FROM n`); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(admin.get("/sessions/audit.csv?days=all&what=logout").body)).ReadAll()
	if err != nil || len(rows) != 2501 || rows[1][4] != "2500" || rows[1000][4] != "1501" || rows[1001][4] != "1500" || rows[2500][4] != "1" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// Names, addresses and user agents are strangers' texts, on the page and in the export.
func TestHostilePeople(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	name := "=cmd|'/c calc'!A1<script>alert(1)</script>\u202e"
	h.idp.set(func(p *idp) {
		p.who = map[string]any{"sub": "+mallory \"><b>", "name": name, "roles": []string{"door"}}
	})
	b := h.browser(t)
	agent := http.Header{"User-Agent": {`"><img src=x onerror=alert(1)>/1.0 (Windows NT 10.0) ` + strings.Repeat("x", 9000)}}
	if p := b.do(http.MethodGet, "/login", agent); p.status != http.StatusOK {
		t.Fatalf("status %d", p.status)
	}
	p := admin.get("/sessions")
	for _, bad := range []string{"<script>alert", "<img", `mallory "><b>`, strings.Repeat("x", 100)} {
		if strings.Contains(p.body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(p.body, "<bdi>"+html.EscapeString(name)+"</bdi>") {
		t.Errorf("the name is not shown: %s", p.body)
	}
	table := admin.get("/sessions/audit.csv?days=all")
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) != 4 || !strings.HasPrefix(table.header.Get("Content-Disposition"), `attachment; filename="housecount-audit-`) {
		t.Fatalf("%d rows, %v: %s", len(rows), err, table.body)
	}
	if rows[1][3] != "audit_exported" || rows[1][5] != "days=all" || rows[2][2] != "'"+name || rows[0][0] != "time" || rows[2][6] != "" || rows[2][7] != "door" {
		t.Errorf("exported %q", rows)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

// Strangers of however many addresses make few records, which count them all.
func TestRefusalsAreFew(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	b := h.browser(t)
	for i := range 30 {
		for range 1 + i%3 {
			b.do(http.MethodGet, "/login/callback?state=x", http.Header{"X-Forwarded-For": {fmt.Sprintf("192.0.2.%d", i)}})
		}
	}
	for range 2 { // the second time there is nothing more
		if err := h.replica.Load().RecordRefusals(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	apart, sum := 0, 0
	for _, a := range acts {
		sum += a.Count
		if a.Address != "" {
			apart++
		}
	}
	if len(acts) != 21 || apart != 20 || sum != 60 {
		t.Errorf("%d records of %d addresses count %d: %+v", len(acts), apart, sum, acts)
	}
}

// What is kept for so long is forgotten then.
func TestAuditIsKept(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.KeepAudit = 400 * 24 * time.Hour })
	h.loggedIn(t, web.Door)
	h.loggedIn(t, web.Manager)
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{`DROP TRIGGER audit_never_changes`, fmt.Sprintf(`UPDATE audit SET at = at - %d WHERE after = 'door'`, (401 * 24 * time.Hour).Milliseconds())} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.replica.Load().ClearOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.acts(t); len(got) != 1 || !strings.HasPrefix(got[0], "the manager") {
		t.Errorf("left %q", got)
	}
}
