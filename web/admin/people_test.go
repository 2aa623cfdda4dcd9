package admin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
	"housecount/web/words"
)

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
	r, s := webtest.Renderer(t), webtest.Small(t).Snapshot()
	for _, l := range words.Locales {
		q := webtest.In(l, webtest.SessionsView("days=7&own=own&skip=50").As(web.Admin))
		got := webtest.OneElementALine(t, webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime)))
		if l != words.English {
			got = webtest.ReadLines(webtest.ReadTexts(t, webtest.Page(t, r, q, s, webtest.ShowTime)))
		}
		webtest.Golden(t, "sessions-"+string(l), got)
	}
	p := webtest.Page(t, r, webtest.SessionsView("days=7&own=own&who=idp+fatima").As(web.Admin), s, webtest.ShowTime)
	webtest.Wants(t, "the page", p, `<option value="idp fatima" selected>Fatima</option>`, `href="/sessions/audit.csv?days=7&amp;who=idp+fatima"`,
		`<a href="/sessions?days=7&amp;skip=50&amp;who=idp+fatima" rel="next">1,208`+"\u00a0"+`earlier entries</a>`, "Sign out all 3", `<p class="links quiet"><a href="#done">What was done</a></p>`)
	webtest.Lacks(t, "the page", p, `name="session" value="own"`)
}

// Whoever is signed in many times is one row, also beside the log of what was done; each session is unfolded under it, with its own
// button, and all can be ended together.
func TestPersonIsOneRow(t *testing.T) {
	given, _ := webtest.SignedIn(web.SessionsQuery{})
	person := &given.People[0]
	for i := range 30 {
		person.Sessions = append(person.Sessions, web.Session{ID: fmt.Sprint("more", i), Role: web.Manager, Started: given.Now, Seen: given.Now, Ends: given.Now.Add(time.Hour)})
	}
	n := 0
	for _, p := range given.People {
		for _, s := range p.Sessions {
			if !s.Own {
				n++
			}
		}
	}
	r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	html := webtest.Content(t, r, webtest.SessionsView("days=7&what=backed_up").As(web.Admin), webtest.Small(t).Snapshot(), webtest.ShowTime).HTML["people"]
	if rows := strings.Count(html, `<tr id="person-`); rows != len(given.People) {
		t.Errorf("%d people have %d rows", len(given.People), rows)
	}
	if forms := strings.Count(html, `name="session"`); forms != n {
		t.Errorf("%d sessions can be ended by %d buttons", n, forms)
	}
	webtest.Wants(t, "the person", html, fmt.Sprintf("<summary>%d sessions</summary>", len(person.Sessions)), `href="/sessions/end?person=`, `value="more29"`)
}

// Which session stands for a person changes nothing of the row's place, so that what is unfolded stays so; a session in another role
// says so.
func TestSessionsOfOnePersonStayUnfolded(t *testing.T) {
	given, _ := webtest.SignedIn(web.SessionsQuery{})
	given.People = []web.Person{{Subject: "idp fatima", Name: "Fatima", Sessions: []web.Session{
		{ID: "f1", Role: web.Manager, Started: given.Now, Seen: given.Now, Ends: given.Now.Add(time.Hour)},
		{ID: "f2", Role: web.Admin, Started: given.Now.Add(-time.Hour), Seen: given.Now, Ends: given.Now.Add(time.Hour)},
	}}}
	r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	id := regexp.MustCompile(`<tr id="([^"]+)"`)
	var ids []string
	for watching := range 2 {
		for i := range 2 {
			given.People[0].Sessions[i].Watching = i == watching
		}
		html := webtest.Content(t, r, webtest.SessionsView("days=7").As(web.Admin), webtest.Small(t).Snapshot(), webtest.ShowTime).HTML["people"]
		ids = append(ids, id.FindStringSubmatch(html)[1])
		other := []string{"Administrator · signed in today", "Manager · signed in today"}[watching]
		webtest.Wants(t, "the session in another role than the row's", webtest.Text(html), other)
	}
	if ids[0] != ids[1] {
		t.Errorf("the row of one person is %s, then %s", ids[0], ids[1])
	}
}

// Who is not signed in is listed once, with the last sign-in that the audit keeps; who is signed in only by the sessions.
func TestPeopleWhoSignedInBefore(t *testing.T) {
	given, _ := webtest.SignedIn(web.SessionsQuery{})
	act := func(id int64, subject, name, role string, ago time.Duration) web.Act {
		return web.Act{ID: id, Actor: subject, Name: name, Action: "login", After: role, At: given.Now.Add(-ago), Address: "192.0.2.9"}
	}
	given.Logins = []web.Act{act(9, "idp ilse", "Ilse <b>", "box_office", 30*time.Hour), act(8, given.People[0].Subject, "Former", "door", 40*time.Hour), act(7, "idp ilse", "Ilse", "door", 50*time.Hour)}
	r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	html := webtest.Content(t, r, webtest.SessionsView("days=7").As(web.Admin), webtest.Small(t).Snapshot(), webtest.ShowTime).HTML["people"]
	webtest.Wants(t, "the people", html, `id="login-9"`, "Ilse &lt;b&gt;", "Box office", "not signed in", "192.0.2.9")
	webtest.Lacks(t, "the people", html, `id="login-8"`, `id="login-7"`, "Former")
	if strings.Count(html, `action="/sessions/end"`) != strings.Count(html, `name="session"`) {
		t.Error("one who is not signed in can be signed out")
	}
}

// The tiles count what gives a role by its kind, who is signed in and who was turned away, and name the sign-in service.
func TestPeopleFigures(t *testing.T) {
	given, _ := webtest.SignedIn(web.SessionsQuery{})
	r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	figs := func() string {
		html := webtest.Content(t, r, webtest.SessionsView("days=7").As(web.Admin), webtest.Small(t).Snapshot(), webtest.ShowTime).HTML["people"]
		_, figs, _ := strings.Cut(html, `<dl id="figs"`)
		figs, _, _ = strings.Cut(figs, "</dl>")
		return figs
	}
	webtest.Wants(t, "the tiles", figs(), `<dd class="v">1 group</dd><dd class="c">2 addresses · 1 domain</dd>`, `<dt>Signed in now</dt><dd class="v">3</dd>`, `<dt>Turned away in 7 days</dt><dd class="v">2</dd><dd class="c"><bdi>Old &lt;b&gt;intern</bdi></dd>`,
		`<dd class="v">Keycloak</dd><dd class="c"><bdi>login.house.example</bdi></dd>`)
	given.SignsIn, given.TurnedAway, given.Rules = "https://accounts.house.example:8443/x", nil, given.Rules[2:]
	webtest.Wants(t, "the tiles", figs(), `<dt>Turned away in 7 days</dt><dd class="v">0</dd><dd class="c"></dd>`, `<dd class="v">accounts.house.example</dd><dd class="c"></dd>`, `<dd class="v">1 address</dd>`)
	given.SignsIn, given.Rules = "", nil
	webtest.Lacks(t, "the tiles", figs(), "May sign in", "Signs in with")
}

// What a source gives is compared as the figures are: nothing is rendered anew where it is the same.
func TestSourceIsCompared(t *testing.T) {
	given, _ := webtest.SignedIn(web.SessionsQuery{})
	r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) { return given, nil }})
	q, s := webtest.SessionsView("days=7").As(web.Admin), webtest.Small(t).Snapshot()
	last := webtest.Content(t, r, q, s, webtest.ShowTime)
	last.HTML["people"] = "taken over"
	next, err := r.Content(q, s, webtest.ShowTime.Add(time.Second), last)
	if err != nil || next.HTML["people"] != "taken over" {
		t.Errorf("the same is rendered anew (%v)", err)
	}
	given.People = given.People[:1]
	next, err = r.Content(q, s, webtest.ShowTime.Add(time.Second), last)
	if err != nil || !strings.Contains(next.HTML["people"], `Signed in now</dt><dd class="v">1<`) {
		t.Errorf("another is not shown (%v): %s", err, next.HTML["people"])
	}
	if !webtest.Wakes(q, []string{web.WakeSessions}) || webtest.Wakes(webtest.Tonight, []string{web.WakeSessions}) {
		t.Error("the source's subject does not wake its page alone")
	}
	if _, err := webtest.RendererWith(t, web.Sources{}).Content(q, s, webtest.ShowTime, live.Content{}); err == nil {
		t.Error("a page without its source is rendered")
	}
}
