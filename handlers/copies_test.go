package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// copied is another device with all that a browser stores.
func (b *browser) copied() *browser {
	b.t.Helper()
	other := b.h.browser(b.t)
	u, _ := url.Parse(b.h.URL)
	other.Jar.SetCookies(u, b.Jar.Cookies(u))
	return other
}

// answers waits until a screen's socket shows something, and lets it answer from then on, as a browser
// does, until it ends.
func answers(t *testing.T, socket *websocket.Conn) (ended <-chan error) {
	t.Helper()
	firstTopic(t, socket)
	socket.SetReadDeadline(time.Time{})
	end := make(chan error, 1)
	go func() {
		for {
			if _, _, err := socket.ReadMessage(); err != nil {
				end <- err
				return
			}
		}
	}()
	return end
}

// Of two devices with the credential of one screen the second finds it taken, is a stranger once it has
// left, and somebody hears of it once; the first goes on.
func TestCopiedScreen(t *testing.T) {
	h := newHouse(t, nil)
	admin, tv := h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits(), "name", "Foyer <b>"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	tv.get("/screen")
	socket := tv.dialScreen("")
	ended := answers(t, socket)
	clone := tv.copied()
	for range 2 {
		if code := closeCode(t, clone.dialScreen(""), 30*time.Second); code != live.CloseTaken {
			t.Fatalf("the second device's socket ended with %d", code)
		}
	}
	recorded := func() []store.Act {
		t.Helper()
		acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenCopied}, 0, 9)
		if err != nil {
			t.Fatal(err)
		}
		return acts
	}
	if acts := recorded(); len(acts) != 0 { // it may be another tab
		t.Errorf("recorded %+v before it has left", acts)
	}
	again := tv.copied()
	if p := clone.post(h.URL+"/screen/leave", nil); p.path != "/screen" || p.code() == "" {
		t.Errorf("the second device shows %s", p.body)
	}
	for range 2 { // the second time it is a stranger's
		again.post(h.URL+"/screen/leave", nil)
	}
	if p := tv.get("/screen"); p.code() != "" {
		t.Errorf("the first shows %s", p.body)
	}
	select {
	case err := <-ended:
		t.Errorf("the first device's socket has ended: %v", err)
	default:
	}
	site := h.replica.Load()
	if err := site.FindScreenAlerts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if body := admin.get("/tonight").body; !strings.Contains(body, "The screen <b><bdi>Foyer &lt;b&gt;</bdi></b> was opened on a second device") {
		t.Errorf("Tonight does not say so: %s", body)
	}
	if body := admin.get("/screens").body; !strings.Contains(body, "Opened on a second device (today ") {
		t.Errorf("the page of screens does not say so: %s", body)
	}
	if acts := recorded(); len(acts) != 1 || acts[0].ObjectName != "Foyer <b>" || acts[0].Address != "127.0.0.1" || acts[0].Actor != store.ActorStranger {
		t.Errorf("recorded %+v", acts)
	}
	if body := admin.get("/sessions").body; !strings.Contains(body, "Opened a screen a second time") {
		t.Errorf("the log does not say so: %s", body)
	}
}

// A device of another kind that goes on to dial without giving up is heard of as well.
func TestCopiedScreenGoesOn(t *testing.T) {
	h := newHouse(t, nil)
	admin, tv := h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits(), "name", "Foyer"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	tv.get("/screen")
	socket := tv.dialScreen("", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0")
	answers(t, socket)
	refused := func(agent string) {
		t.Helper()
		if code := closeCode(t, tv.copied().dialScreen("", agent), 30*time.Second); code != live.CloseTaken {
			t.Errorf("a second socket ended with %d", code)
		}
	}
	refused("Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0")
	began := time.Now().Truncate(time.Millisecond)
	for range 2 {
		refused("curl/8.5")
	}
	var acts []store.Act
	for end := time.Now().Add(30 * time.Second); len(acts) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var err error
		if acts, err = h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenCopied}, 0, 9); err != nil {
			t.Fatal(err)
		}
	}
	if len(acts) != 1 || acts[0].At.Before(began) { // the first socket may be another tab's
		t.Errorf("recorded %+v, other devices came from %s on", acts, began)
	}
}

// A device whose first socket is another replica's is there twice as long as that replica goes on to
// hear of it, however often it loads its page again. One that went from there is not, also where that
// replica died with it.
func TestCopiedScreenAcrossReplicas(t *testing.T) {
	const goesOn, looks = 90 * time.Second, 135 * time.Second // the other replica sees it; after it came
	h := newHouse(t, nil)
	one, other := h.replica.Load(), h.newReplica(t)
	admin, tv := h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits()); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	first := tv.dialScreen("")
	answers(t, first)
	h.replica.Store(other)
	clone := tv.copied()
	holder := store.HolderID(clone.cookie("housecount_screen").Value)
	// sockets are how many the replicas see, and when the one that sees them last did.
	sockets := func() (n int, seen time.Time) {
		t.Helper()
		all, err := h.store.Presence().Of(t.Context(), []string{holder})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range all[holder] {
			n += w.Sockets
			if w.Sockets > 0 && w.Seen.After(seen) {
				seen = w.Seen
			}
		}
		return n, seen
	}
	notes := func(site *handlers.Site) {
		t.Helper()
		if err := site.NotePresence(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	looksAt := func(now time.Time) {
		t.Helper()
		if err := other.CloseCopies(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	stays := func(socket *websocket.Conn) {
		t.Helper()
		if err := socket.WriteMessage(websocket.TextMessage, []byte(`{"whole":true}`)); err != nil {
			t.Error(err)
		}
		firstTopic(t, socket) // or it was closed
	}
	var socket *websocket.Conn
	comes := func() (seen time.Time) { // once it has left
		t.Helper()
		if socket != nil {
			socket.Close()
			for n := 2; n > 1; n, _ = sockets() {
				notes(other)
			}
		}
		notes(one)
		_, seen = sockets()
		socket = clone.dialScreen("")
		firstTopic(t, socket)
		return seen
	}

	comes() // and the other replica is not heard of again
	looksAt(time.Now().Add(10 * time.Minute))
	stays(socket)

	seen := comes()
	other.Came(seen.Add(time.Millisecond - goesOn))
	looksAt(seen.Add(time.Millisecond - goesOn + looks))
	stays(socket)

	seen = comes()
	other.Came(seen.Add(-time.Hour))
	socket.Close()
	for n := 2; n > 1; n, _ = sockets() {
		notes(other)
	}
	looksAt(time.Now().Add(31 * time.Second)) // it was away for longer than a page takes
	comes()
	looksAt(time.Now().Add(looks - time.Minute))
	stays(socket)

	looksAt(time.Now().Add(10 * time.Minute)) // that is no doubt any more
	seen = comes()
	other.Came(seen.Add(-goesOn))
	looksAt(seen.Add(looks - goesOn - time.Millisecond))
	stays(socket)
	comes() // again, which makes it no newer
	looksAt(seen.Add(looks - goesOn))
	if code := closeCode(t, socket, 30*time.Second); code != live.CloseTaken {
		t.Errorf("the second device's socket ended with %d", code)
	}
	n, err := h.store.Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenCopied})
	if err != nil || n != 0 { // it may be another tab
		t.Errorf("recorded %d, %v", n, err)
	}
}
