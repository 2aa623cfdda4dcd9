package handlers_test

import (
	"database/sql"
	"errors"
	"fmt"
	"html"
	"net/http"
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
)

var (
	endField = regexp.MustCompile(`<input type="hidden" name="(session|person)" value="([^"]*)">`)
	socketOf = regexp.MustCompile(`data-live="/live\?([^"]*)"`)
)

// ends returns the sessions and the persons that a page offers to end.
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

// sessionOf returns the name of somebody's newest session.
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

// acts returns what was done, the newest first, in short: who, what, which, before, after, why and how
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
		page.until(t, "that she has gone", func(people string) bool {
			return !strings.Contains(people, hers) && strings.Contains(people, "Name of the admin")
		})
		if got := h.acts(t)[0]; got != "the admin session_ended of Name of the manager: manager > , admin" {
			t.Errorf("recorded %q", got)
		}
		// All of a person's but one's own.
		second := h.loggedIn(t, web.Admin)
		if got := ends(second.get("/sessions").body); !slices.Equal(got, []string{"session " + own}) {
			t.Errorf("offers to end %q", got)
		}
		asks := second.get("/sessions/end?person=" + url.QueryEscape(h.idp.URL+" the admin"))
		if got := ends(asks.body); asks.status != http.StatusOK || !slices.Equal(got, []string{"person " + h.idp.URL + " the admin"}) || !strings.Contains(asks.body, "Sign Name of the admin out of all 1 sessions?") {
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
	h.idp.set(func(p *standIn) { p.who["auth_time"] = time.Now().Add(-time.Hour).Unix() })
	p, asked := early.asks("/login")
	if refused("given before", p); len(asked) != 2 {
		t.Errorf("asked %d times", len(asked))
	}
	h.idp.set(func(p *standIn) { p.noPrompt = true })
	p, asked = early.asks("/login")
	if refused("given before, and it refuses to ask", p); len(asked) != 3 {
		t.Errorf("asked %d times", len(asked))
	}
	h.idp.set(func(p *standIn) { p.who["auth_time"] = time.Now().Add(time.Minute).Unix() })
	if p, asked := early.asks("/login"); p.path != "/tonight" || len(asked) != 1 {
		t.Errorf("given since: status %d at %s, asked %d times", p.status, p.path, len(asked))
	}
	// Of a service that says nothing of it nobody is locked out because it refuses to ask.
	end()
	h.idp.set(func(p *standIn) { delete(p.who, "auth_time") })
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
	h := newHouseAt(t, func(p *standIn) { p.claims = []string{"sub", "auth_time"} })
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

// asks returns what a page answers, and what the sign-in service was asked for meanwhile.
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
	is("while one watches", "2 with a page open", "admin", "door", "manager")
	if err := h.store.Presence().Write(t.Context(), "another", []store.Watching{{Holder: h.sessionOf(t, "the manager"), Sockets: 1}}); err != nil {
		t.Fatal(err)
	}
	is("while one watches elsewhere", "3 with a page open", "admin", "door", "manager")
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE presence SET seen = seen - 60000`); err != nil {
		t.Fatal(err)
	}
	is("a minute after the last word", "2 with a page open", "admin", "door", "manager")
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

// Whoever gets around the database's refusals is found out on the page of people, and in the log.
func TestPeopleShowsABrokenAudit(t *testing.T) {
	h := &house{still: true}
	h.open(t, nil)
	b := h.loggedIn(t, web.Admin)
	site := h.replica.Load()
	shown := func() string {
		t.Helper()
		if err := site.VerifyAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.get("/sessions").body
	}
	if p := shown(); !strings.Contains(p, "entry fits together since") || strings.Contains(p, "in the database") {
		t.Errorf("of a whole audit it says %.300q", p[strings.Index(p, `id="acts"`):])
	}
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{`DROP TRIGGER audit_never_changes`, `UPDATE audit SET name = 'Nobody'`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if p := shown(); !strings.Contains(p, "The last entries were changed or removed in the database.") {
		t.Errorf("of a changed one it says %s", p)
	}
	shown()
	if n := strings.Count(h.log.String(), "the record of what was done was changed"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	b.get("/sessions/audit.csv")
	if p := shown(); !strings.Contains(p, "were changed, added or removed in the database.") {
		t.Errorf("with another act after it, it says %s", p)
	}
}
