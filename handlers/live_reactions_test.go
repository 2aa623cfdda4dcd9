package handlers_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

// dialScreen opens a screen's socket over a line of its own to what listens.
func (d door) dialScreen(listens oneConn, screen []*http.Cookie) *websocket.Conn {
	d.t.Helper()
	near, far := net.Pipe()
	listens.conn <- far
	dialer := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) { return near, nil }}
	conn, _, err := dialer.DialContext(d.t.Context(), "ws://127.0.0.1:2/screen/live?version="+d.h.version,
		http.Header{"Origin": {"http://127.0.0.1:2"}, "Cookie": {screen[0].String()}})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { conn.Close() })
	return conn
}

// What an administrator does with a screen is on it within a second. The clock of a bubble goes on only
// while everything waits: what it shows is how long the site lets them wait, on any machine.
func TestScreensReactWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const phone, device = "192.0.2.7:1", "192.0.2.8:1"
		d := openDoor(t, &house{})
		listens := oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		server := &http.Server{Handler: d}
		served := make(chan struct{})
		go func() { defer close(served); server.Serve(live.Listen(listens)) }()
		t.Cleanup(func() { server.Close(); <-served })
		admin := d.admin()
		do := func(path string, form url.Values) *http.Response {
			t.Helper()
			got := d.post(path, phone, form, admin)
			if got.StatusCode >= http.StatusBadRequest {
				text, _ := io.ReadAll(got.Body)
				t.Fatalf("%s: status %d: %s", path, got.StatusCode, text)
			}
			return got
		}
		var socket *websocket.Conn
		within := func(what string, act func(), happened func()) {
			t.Helper()
			start := time.Now()
			act()
			happened()
			t.Logf("%s: %v", what, time.Since(start))
			if took := time.Since(start); took >= time.Second {
				t.Errorf("%s takes %v", what, took)
			}
		}
		ends := func() {
			t.Helper()
			if code := closeCode(t, socket, 30*time.Second); code != live.CloseForbidden {
				t.Errorf("its socket ended with %d", code)
			}
		}
		shows := func(text string) func() {
			return func() { t.Helper(); led(t, socket, text) }
		}

		waits := d.get("/screen", device, nil)
		body, _ := io.ReadAll(waits.Body)
		code := page{body: string(body)}.code()
		screen := waits.Cookies()
		socket = d.dialScreen(listens, screen)
		within("pair", func() {
			do("/screens/pair", url.Values{"do": {"pair"}, "code": {code}, "name": {"Bar"}, "language": {"en"}, "shows": {"office"}})
		}, ends)

		socket = d.dialScreen(listens, screen)
		shows("en/money=none/board")()
		list, err := d.h.store.Screens().List(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		act := func(do string) url.Values { return url.Values{"screen": {list[0].ID}, "do": {do}} }
		within("identify", func() { do("/screens/act", act("identify")) }, shows(`{"identify":"Bar"}`))
		start := time.Now()
		shows(`{}`)()
		if took := time.Since(start).Round(time.Second); took != 10*time.Second {
			t.Errorf("its name is there for %v", took)
		}
		within("dark", func() { do("/screens/act", act("dark")) }, shows("en/money=none/dark"))
		within("light", func() { do("/screens/act", act("light")) }, shows("en/money=none/board"))
		programme := url.Values{"name": {"Bar"}, "page.0": {"message"}, "text.0": {"Open"}, "seconds.0": {"60"}, "do": {"save"}}
		to, err := do("/screens/programme", programme).Location()
		if err != nil {
			t.Fatal(err)
		}
		programme.Set("id", to.Query().Get("id"))
		form := url.Values{"screen": {list[0].ID}, "name": {"Bar"}, "language": {"en"}, "shows": {"office"}, "margin": {"0"}, "programme": programme["id"]}
		within("another programme", func() { do("/screens/edit", form) }, shows("en/money=none/message?text=Open"))
		programme.Set("text.0", "Shut")
		programme.Set("version", "1")
		within("its programme is changed", func() { do("/screens/programme", programme) }, shows("en/money=none/message?text=Shut"))
		programme.Set("do", "delete")
		programme.Set("version", "2")
		within("its programme is deleted", func() { do("/screens/programme", programme) }, shows("en/money=none/board"))
		within("reload", func() { do("/screens/act", act("reload")) }, func() {
			for reloads := regexp.MustCompile(`"reloaded":[0-9]+`); ; {
				_, frame, err := socket.ReadMessage()
				if err != nil {
					t.Fatal(err)
				}
				if reloads.Match(frame) {
					return
				}
			}
		})
		within("revoke", func() { do("/screens/revoke", url.Values{"screen": {list[0].ID}}) }, ends)
		again := d.get("/screen", device, screen)
		body, _ = io.ReadAll(again.Body)
		if shown := (page{body: string(body)}).code(); shown == "" || shown == code || strings.Contains(string(body), `id="board"`) {
			t.Errorf("revoked, it shows %s", body)
		}
	})
}
