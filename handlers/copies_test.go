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
	firstTopic(t, socket)
	socket.SetReadDeadline(time.Time{})
	ended := make(chan error, 1)
	go func() { // which answers, as a browser does
		for {
			if _, _, err := socket.ReadMessage(); err != nil {
				ended <- err
				return
			}
		}
	}()
	clone := tv.copied()
	for range 2 {
		if code := closeCode(t, clone.dialScreen(""), 30*time.Second); code != live.CloseTaken {
			t.Fatalf("the second device's socket ended with %d", code)
		}
	}
	if p := clone.post(h.URL+"/screen/leave", nil); p.path != "/screen" || p.code() == "" {
		t.Errorf("the second device shows %s", p.body)
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
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenCopied}, 0, 9)
	if err != nil || len(acts) != 1 || acts[0].ObjectName != "Foyer <b>" || acts[0].Address != "127.0.0.1" || acts[0].Actor != store.ActorStranger {
		t.Errorf("recorded %+v, %v", acts, err)
	}
	if body := admin.get("/sessions").body; !strings.Contains(body, "Opened a screen a second time") {
		t.Errorf("the log does not say so: %s", body)
	}
}

// A device whose first socket is another replica's is there twice as long as that replica goes on to
// hear of it. One that went from there is not.
func TestCopiedScreenAcrossReplicas(t *testing.T) {
	h := newHouse(t, nil)
	one, other := h.replica.Load(), h.newReplica(t)
	on := func(site *handlers.Site) { h.replica.Store(site) }
	admin, tv := h.loggedIn(t, web.Admin), h.browser(t)
	if p := admin.pairs(tv.waits()); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	holder := store.HolderID(tv.cookie("housecount_screen").Value)
	for name, stays := range map[string]bool{"it goes on": true, "it was switched off": false} {
		t.Run(name, func(t *testing.T) {
			on(one)
			first := tv.dialScreen("")
			firstTopic(t, first)
			if err := one.NotePresence(t.Context()); err != nil {
				t.Fatal(err)
			}
			on(other)
			second := tv.copied().dialScreen("")
			firstTopic(t, second)
			if stays {
				if err := other.CloseCopies(t.Context()); err != nil {
					t.Fatal(err)
				}
				if code := closeCode(t, second, 30*time.Second); code != live.CloseTaken {
					t.Errorf("the second device's socket ended with %d", code)
				}
				first.Close()
				return
			}
			first.Close()
			for seen := 2; seen > 1; {
				for _, site := range []*handlers.Site{one, other} {
					if err := site.NotePresence(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				all, err := h.store.Presence().Of(t.Context(), []string{holder})
				if err != nil {
					t.Fatal(err)
				}
				seen = 0
				for _, w := range all[holder] {
					seen += w.Sockets
				}
			}
			if err := other.CloseCopies(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := second.WriteMessage(websocket.TextMessage, []byte(`{"whole":true}`)); err != nil {
				t.Error(err)
			}
			firstTopic(t, second) // or it was closed
		})
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenCopied}, 0, 9)
	if err != nil || len(acts) != 1 {
		t.Errorf("recorded %+v, %v", acts, err)
	}
}
