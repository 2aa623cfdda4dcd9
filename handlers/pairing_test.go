package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/live"
	"housecount/web/wall"
)

var shownCode = regexp.MustCompile(`<p class="code"[^>]*><span>([^<]{3})</span><span>([^<]{3})</span>`)

// code returns what a device shows that waits; empty when it shows something else.
func (p page) code() string {
	if m := shownCode.FindStringSubmatch(p.body); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// waits loads a device's page, which has to show a code.
func (b *browser) waits() string {
	b.t.Helper()
	p := b.get("/screen")
	if p.status != http.StatusOK || p.code() == "" {
		b.t.Fatalf("status %d, and no code: %s", p.status, p.body)
	}
	return p.code()
}

// pairs makes a screen of the device that shows a code.
func (b *browser) pairs(code string, more ...string) page {
	b.t.Helper()
	form := url.Values{"do": {"pair"}, "code": {code}, "name": {"Bar"}, "place": {"Foyer"}, "language": {"nl"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.post(b.h.URL+"/screens/pair", form)
}

// dialScreen opens a screen's socket.
func (b *browser) dialScreen(more string, agent ...string) *websocket.Conn {
	b.t.Helper()
	u, _ := url.Parse(b.h.URL)
	d := websocket.Dialer{Jar: b.Jar, HandshakeTimeout: 30 * time.Second}
	conn, _, err := d.DialContext(b.t.Context(), "ws://"+u.Host+"/screen/live?version="+b.h.version+more, http.Header{"Origin": {b.h.URL}, "User-Agent": agent})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { conn.Close() })
	return conn
}

// A device shows a code; an admin claims it at another replica; the device is a screen, until
// it is revoked. Each time its socket says so by itself.
func TestPairing(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		tv, admin := h.browser(t), h.loggedIn(t, web.Admin)
		code := tv.waits()
		credential := tv.cookie("housecount_screen").Value
		socket := tv.dialScreen("&size=1920x1080")
		if topic := firstTopic(t, socket); topic != wall.WaitingRequest(web.English).Topic() {
			t.Errorf("a device that waits watches %s", topic)
		}
		tv.described("1920 × 1080")
		h.replica.Store(other)
		p := admin.get("/screens/pair?code=" + strings.ToLower(code[:3]) + "-" + code[3:])
		if p.status != http.StatusOK || !strings.Contains(p.body, "1920 × 1080") || !strings.Contains(p.body, "Grote zaal") || p.code() != "" {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		if p := admin.pairs(code, "shows", "office", "hall", "Grote zaal", "name", " B<i>r\u202e\n "); p.status != http.StatusOK || !strings.Contains(p.body, "B&lt;i&gt;r is paired") {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		within := hints + time.Second
		if code := closeCode(t, socket, within); code != live.CloseForbidden {
			t.Errorf("the socket of the device that was paired ended with %d", code)
		}
		h.replica.Store(one)
		p = tv.get("/screen")
		if p.code() != "" || !strings.Contains(p.body, `data-live="/screen/live"`) || !strings.Contains(p.body, `lang="nl"`) || strings.Contains(p.body, "/tonight") {
			t.Fatalf("a screen shows %s", p.body)
		}
		socket = tv.dialScreen("&view=revenue&locale=en")
		if topic := firstTopic(t, socket); topic != "nl/hall=Grote+zaal&money=none/board?hall=Grote+zaal" {
			t.Errorf("the screen watches %s", topic)
		}
		if got := tv.cookie("housecount_screen").Value; store.Series(got) != credential || got == credential {
			t.Error("a screen's credential does not follow on the device's")
		}
		list, err := h.store.Screens().List(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != "B<i>r" || list[0].By != "Name of the admin" || list[0].Size != "1920 × 1080" {
			t.Fatalf("%+v, %v", list, err)
		}
		if _, err := h.store.Screens().Revoke(t.Context(), list[0].ID, store.Act{}); err != nil {
			t.Fatal(err)
		}
		if code := closeCode(t, socket, within); code != live.CloseForbidden {
			t.Errorf("the socket of the screen that was revoked ended with %d", code)
		}
		if again := tv.waits(); again == code || tv.cookie("housecount_screen").Value == credential {
			t.Error("a revoked screen shows its old code, or holds its old credential")
		}
	})
}

func TestPairingIsForAdmins(t *testing.T) {
	h := newHouse(t, nil)
	tv := h.browser(t)
	code := tv.waits()
	path := "/screens/pair?code=" + code
	stranger := h.browser(t).stay()
	if p := stranger.get(path); p.status != http.StatusSeeOther || p.header.Get("Location") != "/login?return="+url.QueryEscape(path) {
		t.Errorf("a stranger is answered %d, %s", p.status, p.header.Get("Location"))
	}
	if p := stranger.get("/pair"); p.header.Get("Location") != "/screens/pair" {
		t.Errorf("/pair leads to %s", p.header.Get("Location"))
	}
	h.idp.as("the admin", "admin")
	if p := h.browser(t).get("/login?return=" + url.QueryEscape(path)); p.path != path {
		t.Errorf("the login leads to %s", p.path)
	}
	for _, role := range web.Roles[:len(web.Roles)-1] {
		b := h.loggedIn(t, role)
		for _, p := range []page{b.get(path), b.pairs(code)} {
			if p.status != http.StatusForbidden || strings.Contains(p.body, "<form") || strings.Contains(p.body, "127.0.0.1") {
				t.Errorf("%s is answered %d: %s", role, p.status, p.body)
			}
		}
	}
	if list, err := h.store.Screens().List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("paired: %+v, %v", list, err)
	}
}

// What an admin gets wrong costs nothing: the code goes on, and the page says what is wrong.
func TestPairingGoesWrong(t *testing.T) {
	h := newHouse(t, nil)
	tv, administrator := h.browser(t), h.loggedIn(t, web.Admin)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/screen", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", `Tizen 6.5 <script>alert(1)</script> Chrome/85.0`)
	code := tv.send(req).code()
	if p := administrator.get("/screens/pair?code=" + code); !strings.Contains(p.body, "Tizen 6.5, Chrome 85") || strings.Contains(p.body, "alert(1)") {
		t.Errorf("of a device is said: %s", p.body)
	}
	for _, c := range []struct {
		name   string
		do     func() page
		status int
		want   string
	}{
		{"no code", func() page { return administrator.get("/screens/pair") }, 200, "Which code"},
		{"a wrong code", func() page { return administrator.get("/screens/pair?code=" + url.QueryEscape(`<b>"`)) }, 200, "No screen shows the code"},
		{"no name", func() page { return administrator.pairs(code, "name", " \u200b ") }, 200, "Look at this again: the name."},
		{"money for the public", func() page { return administrator.pairs(code, "money", "today") }, 200, "a public screen shows none"},
		{"no such language", func() page { return administrator.pairs(code, "language", "xx") }, 400, "not among what is offered"},
		{"pairs a wrong code", func() page { return administrator.pairs("FFFFFF") }, 200, "No screen shows the code"},
		{"refuses", func() page { return administrator.pairs(code, "do", "refuse") }, 200, "was refused"},
		{"refuses again", func() page { return administrator.pairs(code, "do", "refuse") }, 200, "No screen shows the code"},
		{"pairs what was refused", func() page { return administrator.pairs(code) }, 200, "No screen shows the code"},
		{"pairs", func() page { return administrator.pairs(tv.waits(), "name", strings.Repeat("é", 500)) }, 200, strings.Repeat("é", admin.MaxNameLength) + " is paired"},
	} {
		if p := c.do(); p.status != c.status || !strings.Contains(p.body, c.want) || strings.Contains(p.body, "<B>") {
			t.Errorf("%s: status %d, and not %q: %s", c.name, p.status, c.want, p.body)
		}
	}
	if cross := administrator.do(http.MethodPost, "/screens/pair", http.Header{"Sec-Fetch-Site": {"cross-site"}}); cross.status != http.StatusForbidden {
		t.Errorf("another site's form is answered %d", cross.status)
	}
}

// Two admins who see the same code pair it at once: the screen is the one's, and the other is told that
// the code is used.
func TestPairingByTwoAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, _ *handlers.Site, _ time.Duration) {
		names := []string{"ann", "bob"}
		var admins []*browser
		for _, name := range names {
			h.idp.as(name, string(web.Admin))
			b := h.browser(t)
			if p := b.get("/login"); p.status != http.StatusOK {
				t.Fatalf("login of %s: status %d", name, p.status)
			}
			admins = append(admins, b)
		}
		for range 3 {
			tv := h.browser(t)
			code := tv.waits()
			for i, b := range admins {
				if p := b.get("/screens/pair?code=" + code); !strings.Contains(p.body, "Is this the code you see?") {
					t.Fatalf("%s sees %s", names[i], p.body)
				}
			}
			answers := make([]page, len(admins))
			var pairing sync.WaitGroup
			for i, b := range admins {
				pairing.Go(func() { answers[i] = b.pairs(code, "name", "Hung by "+names[i]) })
			}
			pairing.Wait()
			won := slices.IndexFunc(answers, func(p page) bool { return strings.Contains(p.body, "is paired") })
			if won < 0 {
				t.Fatalf("nobody paired it: %+v", answers)
			}
			if got := text(answers[1-won].body); answers[1-won].status != http.StatusOK || !strings.Contains(got, "No screen shows the code "+code+" any more. Somebody else may have used it") {
				t.Errorf("the other is answered %d: %s", answers[1-won].status, got)
			}
			list, err := h.store.Screens().List(t.Context())
			if err != nil || len(list) != 1 || list[0].Name != "Hung by "+names[won] || list[0].By != "Name of "+names[won] {
				t.Fatalf("%s paired %+v (%v)", names[won], list, err)
			}
			if tv.get("/screen").code() != "" {
				t.Error("the device shows a code")
			}
			if _, err := h.store.Screens().Revoke(t.Context(), list[0].ID, store.Act{}); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := h.store.Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenPaired}); err != nil || n != 3 {
			t.Errorf("%d pairings are recorded, want 3 (%v)", n, err)
		}
	})
}

// A screen of which nothing else is said is public: it shows the programme, and its socket
// nothing else whatever it asks for.
func TestScreensArePublic(t *testing.T) {
	h := newHouse(t, nil)
	tv := h.browser(t)
	if p := h.loggedIn(t, web.Admin).pairs(tv.waits()); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	if p := tv.get("/screen"); !strings.Contains(p.body, `id="board"`) || strings.Contains(p.body, `id="strip"`) {
		t.Errorf("it shows %s", p.body)
	}
	if topic := firstTopic(t, tv.dialScreen("&view=wall")); topic != "nl/money=none&public=yes/board" {
		t.Errorf("it watches %s", topic)
	}
	// It is no session either.
	for _, path := range []string{"/wall", "/tonight", "/screens/pair"} {
		if p := tv.stay().get(path); p.status != http.StatusSeeOther {
			t.Errorf("%s is answered %d", path, p.status)
		}
	}
	if code := closeCode(t, func() *websocket.Conn { c, _, _ := tv.dial("view=wall&locale=nl", h.URL); return c }(), 30*time.Second); code != live.CloseSignedOut {
		t.Errorf("its socket to a page ended with %d", code)
	}
}

// A code is of letters that nobody mistakes for another, and never the same twice.
func TestCodes(t *testing.T) {
	h := newHouse(t, nil)
	var all []string
	for range 12 {
		all = append(all, h.browser(t).waits())
	}
	if got := strings.Trim(strings.Join(all, ""), "34679CDFHJKNPRTXY"); got != "" {
		t.Errorf("codes are made of %q too", got)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) < 12 {
		t.Error("two devices show the same code")
	}
	b := h.browser(t)
	p := b.get("/screen")
	c := b.stay().get("/screen").header.Get("Set-Cookie")
	if p.header.Get("Refresh") != "840" || !strings.Contains(c, "Max-Age=34560000") || !strings.Contains(c, "HttpOnly") {
		t.Errorf("refresh %q, cookie %q", p.header.Get("Refresh"), c)
	}
	if again := b.waits(); again == p.code() {
		t.Error("a page shows the same code again")
	}
}

// Whoever asks for codes without end is turned away, and the page tries again by itself.
func TestTooManyCodes(t *testing.T) {
	h := newHouse(t, nil)
	for i := 0; ; i++ {
		err := h.store.Screens().Ask(t.Context(), "x"+time.Duration(i).String(), "x"+time.Duration(i).String(), store.Device{Address: "127.0.0.1"}, time.Now().Add(time.Hour))
		if err != nil {
			break
		}
	}
	if p := h.browser(t).get("/screen"); p.status != http.StatusTooManyRequests || p.header.Get("Refresh") == "" || p.header.Get("Retry-After") == "" {
		t.Errorf("status %d, %v", p.status, p.header)
	}
}

// Anybody can have a device wait: its sockets are few, and nobody's presence.
func TestDevicesThatWaitAreStrangers(t *testing.T) {
	h := newHouse(t, nil)
	tv := h.browser(t)
	tv.waits()
	for range 2 {
		firstTopic(t, tv.dialScreen(""))
	}
	if code := closeCode(t, tv.dialScreen(""), 30*time.Second); code != live.CloseTryLater {
		t.Errorf("the third socket ended with %d", code)
	}
	for _, holder := range h.hub.Holders() {
		if !holder.Stranger {
			t.Errorf("watches: %+v", holder)
		}
	}
}

// What another site's page has a browser send writes nothing.
func TestOnlyASocketDescribesAScreen(t *testing.T) {
	h := newHouse(t, nil)
	tv := h.browser(t)
	tv.waits()
	credential := tv.cookie("housecount_screen").Value
	for _, origin := range []string{"", "https://elsewhere.example"} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		tv.do(http.MethodGet, "/screen/live?version="+h.version+"&size=640x480", header)
		u, _ := url.Parse(h.URL)
		d := websocket.Dialer{Jar: tv.Jar, HandshakeTimeout: 30 * time.Second}
		if _, _, err := d.DialContext(t.Context(), "ws://"+u.Host+"/screen/live?size=640x480&version="+h.version, header); err == nil {
			t.Errorf("origin %q has a socket", origin)
		}
	}
	alive, err := h.store.Screens().Alive(t.Context(), []string{credential})
	if err != nil || alive[credential].Size != "" {
		t.Errorf("%+v, %v", alive, err)
	}
	firstTopic(t, tv.dialScreen("&size=800x600"))
	tv.described("800 × 600")
}

// described waits until the size of a device's picture is noted.
func (b *browser) described(size string) {
	b.t.Helper()
	credential := b.cookie("housecount_screen").Value
	for {
		alive, err := b.h.store.Screens().Alive(b.t.Context(), []string{credential})
		if err != nil {
			b.t.Fatal(err)
		}
		if alive[credential].Size == size {
			return
		}
		runtime.Gosched()
	}
}

// An address with a secret makes any device the screen, one at a time.
func TestScreenLink(t *testing.T) {
	h := newHouse(t, nil)
	id, err := h.store.Screens().Add(t.Context(), store.Screen{Name: "Kiosk", Language: "de", Access: web.Access{Money: web.NoMoney}.String()}, "the secret", store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := h.browser(t), h.browser(t)
	first.waits()
	if p := first.post(h.URL+"/screen", url.Values{"secret": {"guessed"}}); p.code() == "" {
		t.Errorf("a guessed secret shows %s", p.body)
	}
	if p := first.post(h.URL+"/screen", url.Values{"secret": {"the secret"}}); p.path != "/screen" || !strings.Contains(p.body, `lang="de"`) || p.code() != "" {
		t.Fatalf("the screen shows %s", p.body)
	}
	socket := first.dialScreen("")
	firstTopic(t, socket)
	if p := second.post(h.URL+"/screen", url.Values{"secret": {"the secret"}}); p.code() != "" {
		t.Errorf("the second device shows %s", p.body)
	}
	if code := closeCode(t, socket, 30*time.Second); code != live.CloseForbidden {
		t.Errorf("the first device's socket ended with %d", code)
	}
	first.waits()
	if _, err := h.store.Screens().Revoke(t.Context(), id, store.Act{}); err != nil {
		t.Fatal(err)
	}
	if p := second.post(h.URL+"/screen", url.Values{"secret": {"the secret"}}); p.code() == "" {
		t.Errorf("the secret of a revoked screen shows %s", p.body)
	}
}

// A device that installs the screen's page fills the screen with it, and finds its icons.
func TestScreenApp(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	link := regexp.MustCompile(`<link rel="manifest" href="([^"]*)"`).FindStringSubmatch(b.get("/screen").body)
	if link == nil {
		t.Fatal("the page of a screen links to no manifest")
	}
	p := b.get(link[1])
	var app struct {
		Display  string
		StartURL string `json:"start_url"`
		Scope    string
		Icons    []struct{ Src, Type string }
	}
	if err := json.Unmarshal([]byte(p.body), &app); err != nil || p.header.Get("Content-Type") != "application/manifest+json" {
		t.Fatalf("%v, %v: %s", err, p.header, p.body)
	}
	if app.Display != "fullscreen" || app.StartURL != "/screen" || app.Scope != "/screen" || len(app.Icons) == 0 {
		t.Errorf("%+v", app)
	}
	for _, icon := range app.Icons {
		if got := b.get(icon.Src); got.status != http.StatusOK || got.header.Get("Content-Type") != icon.Type {
			t.Errorf("%s is answered %d, %v", icon.Src, got.status, got.header)
		}
	}
}

// Who holds no screen's credential has no socket.
func TestScreenSocketNeedsACredential(t *testing.T) {
	h := newHouse(t, nil)
	for _, value := range []string{"", "screen.guessed", "x", "screen." + strings.Repeat("x", 500)} {
		b := h.browser(t)
		u, _ := url.Parse(h.URL)
		b.Jar.SetCookies(u, []*http.Cookie{{Name: "housecount_screen", Value: value}})
		if code := closeCode(t, b.dialScreen(""), 30*time.Second); code != live.CloseForbidden {
			t.Errorf("with %q the socket ended with %d", value, code)
		}
	}
}
