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

// copied returns another device with all cookies of a browser.
func (b *browser) copied() *browser {
	b.t.Helper()
	other := b.h.browser(b.t)
	u, _ := url.Parse(b.h.URL)
	other.Jar.SetCookies(u, b.Jar.Cookies(u))
	return other
}

// paired returns a browser that an administrator has made a screen, and the administrator's.
func (h *house) paired(t *testing.T) (tv, admin *browser) {
	t.Helper()
	admin, tv = h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits(), "name", "Foyer <b>"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	return tv, admin
}

// taken returns the acts that record another device.
func (h *house) taken(t *testing.T) []store.Act {
	t.Helper()
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenTaken}, 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	return acts
}

// The second device that uses the credential of a screen is the screen, also at another replica; the
// first shows a code, for good, and the log has one line.
func TestSecondDeviceIsTheScreen(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		for _, test := range []struct {
			name    string
			replica *handlers.Site
		}{{"at the same replica", one}, {"at another replica", other}} {
			t.Run(test.name, func(t *testing.T) {
				h.replica.Store(one)
				before := len(h.taken(t))
				tv, admin := h.paired(t)
				tv.get("/screen")
				first := tv.dialScreen("&device=tv")
				firstTopic(t, first)

				h.replica.Store(test.replica)
				second := tv.copied()
				start := time.Now()
				socket := second.dialScreen("&device=second")
				firstTopic(t, socket)
				if code := closeCode(t, first, 30*time.Second); code != live.CloseTaken {
					t.Fatalf("the first device's socket ended with %d", code)
				}
				if took := time.Since(start); took > hints+2*time.Second {
					t.Errorf("the first device's socket ended after %v", took)
				}
				if p := tv.post(h.URL+"/screen/leave", nil); p.path != "/screen" || p.code() == "" {
					t.Errorf("the first device shows %s", p.body)
				}
				credential := tv.cookie("housecount_screen").Value
				tv.post(h.URL+"/screen/leave", nil) // as its other tab does
				if got := tv.cookie("housecount_screen").Value; got != credential {
					t.Error("the code of the first tab is of a credential that the device does not hold any more")
				}
				if p := second.get("/screen"); p.code() != "" {
					t.Errorf("the second device shows %s", p.body)
				}
				if err := socket.WriteMessage(websocket.TextMessage, []byte(`{"whole":true}`)); err != nil {
					t.Error(err)
				}
				firstTopic(t, socket)

				acts := h.taken(t)
				if len(acts) != before+1 || acts[0].ObjectName != "Foyer <b>" || acts[0].Address != "127.0.0.1" || acts[0].Actor != store.ActorStranger {
					t.Errorf("recorded %+v", acts)
				}
				if body := admin.get("/sessions").body; !strings.Contains(body, "Used by another device") {
					t.Errorf("the log does not have it: %s", body)
				}
			})
		}
	})
}

// A device that loads its page again, or has a second tab, or whose older connection arrives late,
// keeps its place, also at another replica. One of another version of the page takes nothing.
func TestSameDeviceStaysTheScreen(t *testing.T) {
	h := newHouse(t, nil)
	one, other := h.replica.Load(), h.newReplica(t)
	tv, _ := h.paired(t)
	var sockets []*websocket.Conn
	for _, replica := range []*handlers.Site{one, other, one} {
		h.replica.Store(replica)
		if p := tv.get("/screen"); p.code() != "" {
			t.Fatalf("it shows %s", p.body)
		}
		socket := tv.dialScreen("&device=tv")
		firstTopic(t, socket)
		sockets = append(sockets, socket)
	}
	if code := closeCode(t, sockets[0], 30*time.Second); code != live.CloseRenewed {
		t.Errorf("the first tab's socket ended with %d", code)
	}
	sockets[0] = tv.dialScreen("&device=tv") // as its page does then
	firstTopic(t, sockets[0])
	old := tv.copied()
	h.version = "older"
	if code := closeCode(t, old.dialScreen("&device=second"), 30*time.Second); code != live.CloseReload {
		t.Errorf("a page of another version ended with %d", code)
	}
	if acts := h.taken(t); len(acts) != 0 {
		t.Errorf("recorded %+v", acts)
	}
	screens, err := h.store.Screens().List(t.Context())
	if err != nil || len(screens) != 1 {
		t.Fatal(screens, err)
	}
	if ok, err := h.store.Screens().Revoke(t.Context(), screens[0].ID, store.Act{Action: store.ActScreenRevoked}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, socket := range sockets {
		if code := closeCode(t, socket, 30*time.Second); code != live.CloseForbidden {
			t.Errorf("a socket ended with %d, want that of a screen that was revoked", code)
		}
	}
}
